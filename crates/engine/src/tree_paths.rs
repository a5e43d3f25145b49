//! Paths of a project in one of its trees.

use std::path::{Path, PathBuf};

/// Returns the paths in a tree; absolute ones stay, and `lib/*` becomes every jar in `lib`.
pub(super) fn paths_in_tree(tree: &Path, paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().flat_map(|path| expand_jar_wildcard(tree.join(path))).collect()
}

/// Expands `lib/*` to every jar in `lib`, because some readers of a class path do not.
fn expand_jar_wildcard(path: PathBuf) -> Vec<PathBuf> {
    let Some(folder) = path.parent().filter(|_| path.ends_with("*")) else { return vec![path] };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_jar = |jar: &PathBuf| jar.extension().is_some_and(|end| end.eq_ignore_ascii_case("jar"));
    let mut jars: Vec<_> = entries.map(|entry| entry.path()).filter(is_jar).collect();
    jars.sort();
    jars
}
