//! The files of the test tree, read when they are needed.

use crate::project::find_java_files;
use crate::reduced_tests::test_file::TestFile;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The files of the test tree; paths are relative to the tree.
pub(crate) struct SourceIndex<'a> {
    tree: &'a Path,
    /// Paths by the simple name of the class that gives a file its name.
    paths: BTreeMap<String, BTreeSet<PathBuf>>,
    files: RefCell<BTreeMap<PathBuf, Rc<TestFile>>>,
}

impl<'a> SourceIndex<'a> {
    /// Lists the files below test folders, and some more.
    pub(crate) fn new(tree: &'a Path, roots: &[PathBuf], files: &[PathBuf]) -> Self {
        let mut paths: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
        let below_roots = roots.iter().flat_map(|root| find_java_files(&tree.join(root), &[]));
        for file in below_roots.chain(files.iter().cloned()) {
            let path = file.strip_prefix(tree).unwrap_or(&file);
            let class = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            paths.entry(class).or_default().insert(path.to_owned());
        }
        Self { tree, paths, files: RefCell::default() }
    }

    /// Returns all paths.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.paths.values().flatten()
    }

    /// Returns the simple names of all classes that give a file its name.
    pub(crate) fn class_names(&self) -> impl Iterator<Item = &String> {
        self.paths.keys()
    }

    /// Returns the paths of the files with the name of a class, whatever their package is.
    pub(crate) fn paths_of_class(&self, name: &str) -> impl Iterator<Item = &PathBuf> {
        self.paths.get(name).into_iter().flatten()
    }

    /// Returns a file of the test tree; `None` for any other file.
    pub(crate) fn file(&self, path: &Path) -> Option<Rc<TestFile>> {
        let class = path.file_stem()?.to_string_lossy();
        self.paths.get(&*class)?.get(path)?;
        let mut files = self.files.borrow_mut();
        if let Some(file) = files.get(path) {
            return Some(Rc::clone(file));
        }
        let file = Rc::new(TestFile::parse(std::fs::read(self.tree.join(path)).ok()?));
        files.insert(path.to_owned(), Rc::clone(&file));
        Some(file)
    }

    /// Returns the paths of the files that were read.
    pub(crate) fn read_paths(&self) -> Vec<PathBuf> {
        self.files.borrow().keys().cloned().collect()
    }

    /// Returns the types with a simple name: of this file, and of the files with this name.
    pub(crate) fn types_named(&self, name: &str, in_file: &Path) -> Vec<(PathBuf, usize)> {
        let paths = self.paths_of_class(name).map(PathBuf::as_path).chain([in_file]);
        let unique_paths: BTreeSet<&Path> = paths.collect();
        let mut types = Vec::new();
        for path in unique_paths {
            let Some(file) = self.file(path) else { continue };
            let named = file.types().filter(|(at, _)| file.declarations[*at].names[0] == name);
            types.extend(named.map(|(at, _)| (path.to_owned(), at)));
        }
        types
    }
}
