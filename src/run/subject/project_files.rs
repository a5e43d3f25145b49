//! Which frames of a stack lie in the project's own code.

use mend_git::Store;
use mend_java::{DefinitionKind, Names, Source};
use mend_model::{Frame, RepoPath, Result, TreeId};
use std::collections::HashMap;
use std::sync::Arc;

/// The Java files of the two versions.
pub(crate) struct OwnCode {
    /// By file name, the paths of either version.
    paths: HashMap<Vec<u8>, Vec<RepoPath>>,
    store: Arc<Store>,
    trees: Vec<TreeId>,
}

impl OwnCode {
    pub(crate) fn of(store: &Arc<Store>, trees: &[&TreeId]) -> Result<Self> {
        let mut paths: HashMap<Vec<u8>, Vec<RepoPath>> = HashMap::new();
        for tree in trees {
            for path in store.read_tree(tree)?.into_keys().filter(RepoPath::is_java) {
                let known = paths.entry(path.file_name().to_vec()).or_default();
                if !known.contains(&path) {
                    known.push(path);
                }
            }
        }
        let trees = trees.iter().map(|tree| (*tree).clone()).collect();
        Ok(Self { paths, store: Arc::clone(store), trees })
    }

    /// Whether the frame's class is one of the project's.
    pub(crate) fn is_own(&self, frame: &Frame) -> bool {
        self.files(frame).next().is_some()
    }

    /// Returns true if every version declares the frame's method, so that it can distinguish
    /// variants.
    pub(crate) fn is_comparable(&self, frame: &Frame) -> bool {
        let declares = |tree: &TreeId| {
            self.files(frame).any(|path| self.declares(tree, path, &frame.method).unwrap_or(false))
        };
        self.trees.iter().all(declares)
    }

    /// The files that may hold the frame's class: those of its outermost name and package.
    pub(crate) fn files<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = &'a RepoPath> {
        let outer = frame.class.split('$').next().unwrap_or_default();
        let suffix = format!("{}.java", outer.replace('.', "/"));
        let name = suffix.rsplit('/').next().unwrap_or_default().as_bytes().to_vec();
        self.paths.get(&name).into_iter().flatten().filter(move |path| {
            let bytes = path.as_bytes();
            let above = bytes.len().saturating_sub(suffix.len());
            bytes.ends_with(suffix.as_bytes()) && (above == 0 || bytes[above - 1] == b'/')
        })
    }

    fn declares(&self, tree: &TreeId, path: &RepoPath, method: &str) -> Result<bool> {
        if method.starts_with('<') {
            return Ok(self.store.file(tree, path)?.is_some());
        }
        let source = self.store.file(tree, path)?.and_then(|file| Source::parse(file.content));
        let names = source.map(|source| Names::of(&source)).unwrap_or_default();
        Ok(names.definitions.iter().any(|definition| {
            matches!(definition.kind, DefinitionKind::Method(_))
                && definition.name == method.as_bytes()
        }))
    }
}
