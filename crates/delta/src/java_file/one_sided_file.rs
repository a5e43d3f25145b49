//! Splits an added or removed file into parts that can exist without the rest.

use crate::hunk::HunkId;
use crate::java_file::merge_state::{MergeContext, Merger, UnmatchedSubtree};
use crate::matching::signature::is_type;
use crate::matching::version_pair::Version;
use mend_java::{Grammar, NodeId, ParsedSource};
use mend_model::RepoPath;

impl Merger<'_> {
    /// Adds the whole new version under `hunk`. Its package and main type come with the file; imports and other types
    /// have their own hunks.
    pub(crate) fn file(&mut self, path: &RepoPath, hunk: HunkId, context: MergeContext) {
        let version = Version::New;
        let whole = UnmatchedSubtree { version, hunk, context, held: None };
        let source = self.out.sides.new;
        let main = main_type(source, path);
        for child in source.children(0) {
            let is_main = Some(child) == main && !self.away.is_moved(version, child);
            if is_main || is_frame(source, child) {
                self.merge_subtree(child, whole);
            } else {
                self.members(0, &[child], whole);
            }
        }
    }
}

/// Returns true for a child that a file cannot do without.
fn is_frame(source: &ParsedSource, child: NodeId) -> bool {
    let node = source.node(child);
    let name = Grammar::get().name(node.kind);
    !node.named || matches!(name, "package_declaration" | "module_declaration")
}

/// Returns the type that a file is named after, or its only one.
fn main_type(source: &ParsedSource, path: &RepoPath) -> Option<NodeId> {
    let field = Grammar::get().field("name");
    let stem = path.file_name().split(|byte| *byte == b'.').next().unwrap_or_default();
    let is_named =
        |id: &NodeId| source.child(*id, field).is_some_and(|name| source.text_of(name) == stem);
    let types: Vec<NodeId> =
        source.children(0).filter(|child| is_type(source.node(*child).kind)).collect();
    match types[..] {
        [only] => Some(only),
        _ => types.into_iter().find(is_named),
    }
}
