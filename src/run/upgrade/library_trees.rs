//! Trees of a version with other libraries.

use super::library_change::{Library, LibraryChange};
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::to_repo_path;
use anyhow::Context as _;
use mend_engine::{REPLACED_LIBRARIES_FILE, ReplacedLibraries};
use mend_git::ObjectStore;
use mend_model::{FileMode, FileState, Result, TreeEdit, TreeId};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Which of the two versions gives the sources of the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Bad,
    Good,
}

/// Trees of a version that differ in their libraries only.
#[derive(Clone)]
pub(super) struct LibraryTrees {
    pub(super) store: Arc<ObjectStore>,
    pub(super) good: ResolvedVersion,
    pub(super) bad: ResolvedVersion,
    pub(super) changes: Arc<[LibraryChange]>,
    pub(super) base: Base,
}

/// The file of each changed library in a variant; `None` if the variant lacks it.
pub(super) type LibraryFiles = Vec<Option<PathBuf>>;

impl LibraryTrees {
    /// Returns the files of a variant with these upgrades.
    pub(super) fn files(&self, is_upgraded: impl Fn(usize) -> bool) -> LibraryFiles {
        let library = |(at, change): (usize, &LibraryChange)| {
            let library = if is_upgraded(at) { &change.new } else { &change.old };
            library.as_ref().map(|library| library.file.clone())
        };
        self.changes.iter().enumerate().map(library).collect()
    }

    /// Returns the version that gives the sources.
    pub(super) fn version(&self) -> &ResolvedVersion {
        match self.base {
            Base::Bad => &self.bad,
            Base::Good => &self.good,
        }
    }

    fn other_version(&self) -> &ResolvedVersion {
        match self.base {
            Base::Bad => &self.good,
            Base::Good => &self.bad,
        }
    }

    /// Writes the tree of the variant with these files.
    pub(super) fn write_tree(&self, files: &LibraryFiles) -> Result<TreeId> {
        let tree = &self.version().overlaid_tree;
        let replaced = self.replaced_libraries(files);
        if replaced == ReplacedLibraries::default() {
            return Ok(tree.clone());
        }
        let json = serde_json::to_vec(&replaced).context("writing JSON")?;
        let state = FileState { mode: FileMode::Regular, content: json.into() };
        let mut changes = BTreeMap::from([(REPLACED_LIBRARIES_FILE.into(), Some(state))]);
        let store = &self.store;
        for file in files.iter().flatten().filter(|file| file.is_relative()) {
            let path = to_repo_path(file);
            // A jar that the other version has in its tree.
            if store.read_file(tree, &path)?.is_none() {
                let jar = store.read_file(&self.other_version().overlaid_tree, &path)?;
                changes.insert(path, jar);
            }
        }
        store.write_tree(&TreeEdit { base: tree.clone(), changes })
    }

    fn replaced_libraries(&self, files: &LibraryFiles) -> ReplacedLibraries {
        let mut replaced = ReplacedLibraries::default();
        for (change, file) in self.changes.iter().zip(files) {
            let own = match self.base {
                Base::Bad => &change.new,
                Base::Good => &change.old,
            };
            match own {
                Some(Library { file: own, .. }) if Some(own) != file.as_ref() => {
                    replaced.replacements.insert(own.clone(), file.clone());
                }
                Some(_) => {}
                None => replaced.additions.extend(file.clone()),
            }
        }
        replaced
    }
}
