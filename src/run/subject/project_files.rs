//! Recognises stack frames of the project's own code.

use mend_git::ObjectStore;
use mend_java::{DefinitionKind, ParsedSource, SymbolIndex};
use mend_model::{Frame, Outcome, RepoPath, Result, Symptom, TreeId};
use std::collections::HashMap;
use std::sync::Arc;

/// Java files of the two versions.
#[derive(Clone)]
pub(crate) struct ProjectFiles {
    /// Paths in all versions, by file name.
    paths_by_file_name: HashMap<Vec<u8>, Vec<RepoPath>>,
    store: Arc<ObjectStore>,
    trees: Vec<TreeId>,
}

impl ProjectFiles {
    pub(crate) fn from_trees(store: &Arc<ObjectStore>, trees: &[&TreeId]) -> Result<Self> {
        let mut paths: HashMap<Vec<u8>, Vec<RepoPath>> = HashMap::new();
        for tree in trees {
            for path in store.read_tree(tree)?.into_keys().filter(RepoPath::is_java) {
                let same_named_paths = paths.entry(path.file_name().to_vec()).or_default();
                if !same_named_paths.contains(&path) {
                    same_named_paths.push(path);
                }
            }
        }
        let trees = trees.iter().map(|tree| (*tree).clone()).collect();
        Ok(Self { paths_by_file_name: paths, store: Arc::clone(store), trees })
    }

    /// Returns true if the frame's class belongs to the project.
    pub(crate) fn is_project_frame(&self, frame: &Frame) -> bool {
        self.files_of_frame(frame).next().is_some()
    }

    /// Returns true if every version declares the frame's method, so that the frame can be part of a symptom.
    pub(crate) fn is_declared_in_all_versions(&self, frame: &Frame) -> bool {
        let declares = |tree: &TreeId| {
            self.files_of_frame(frame)
                .any(|path| self.declares_method(tree, path, &frame.method).unwrap_or(false))
        };
        self.trees.iter().all(declares)
    }

    /// Adds what another run of bad shows to a symptom.
    pub(crate) fn learn_from_rerun(&self, symptom: &mut Symptom, bad: &Outcome) {
        symptom.learn_from_rerun(bad, &|frame| self.is_project_frame(frame), &|frame| {
            self.is_declared_in_all_versions(frame)
        });
    }

    /// The files that may hold the frame's class: those of its outermost name and package.
    pub(crate) fn files_of_frame<'a>(
        &'a self,
        frame: &'a Frame,
    ) -> impl Iterator<Item = &'a RepoPath> {
        let outer = frame.class.split('$').next().unwrap_or_default();
        let suffix = format!("{}.java", outer.replace('.', "/"));
        let name = suffix.rsplit('/').next().unwrap_or_default().as_bytes().to_vec();
        self.paths_by_file_name.get(&name).into_iter().flatten().filter(move |path| {
            let bytes = path.as_bytes();
            let suffix_start = bytes.len().saturating_sub(suffix.len());
            bytes.ends_with(suffix.as_bytes())
                && (suffix_start == 0 || bytes[suffix_start - 1] == b'/')
        })
    }

    fn declares_method(&self, tree: &TreeId, path: &RepoPath, method: &str) -> Result<bool> {
        if method.starts_with('<') {
            return Ok(self.store.read_file(tree, path)?.is_some());
        }
        let source =
            self.store.read_file(tree, path)?.and_then(|file| ParsedSource::parse(file.content));
        let names = source.map(|source| SymbolIndex::from_source(&source)).unwrap_or_default();
        Ok(names.definitions.iter().any(|definition| {
            matches!(definition.kind, DefinitionKind::Method(_))
                && definition.name == method.as_bytes()
        }))
    }
}
