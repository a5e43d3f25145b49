//! Splits an added or removed file into hunks that can exist without the rest.

use crate::hunk::HunkId;
use crate::java_file::merge_state::{MergeContext, Merger, UnmatchedSubtree};
use crate::matching::signature::is_type_declaration;
use crate::matching::version_pair::Version;
use mend_java::{Grammar, NodeId, ParsedSource};
use mend_model::RepoPath;

impl Merger<'_> {
    /// Adds the whole new version under `hunk`. Its package and main type come with the file; imports and other types
    /// have their own hunks.
    pub(crate) fn merge_one_sided_file(
        &mut self,
        path: &RepoPath,
        hunk: HunkId,
        context: MergeContext,
    ) {
        let version = Version::New;
        let subtree = UnmatchedSubtree { version, hunk, context, wrapped_content: None };
        let source = self.fragments.pair.new;
        let main = find_main_type(source, path);
        for child in source.children(0) {
            let is_main = Some(child) == main && !self.file_moves.is_moved(version, child);
            if is_main || is_mandatory_child(source, child) {
                self.merge_subtree(child, subtree);
            } else {
                self.merge_members(0, &[child], subtree);
            }
        }
    }
}

/// Returns true for a child that a file cannot lack.
fn is_mandatory_child(source: &ParsedSource, child: NodeId) -> bool {
    let node = source.node(child);
    let name = Grammar::get().kind_name(node.kind);
    !node.is_named || matches!(name, "package_declaration" | "module_declaration")
}

/// Returns the type with the name of the file, or the only type.
fn find_main_type(source: &ParsedSource, path: &RepoPath) -> Option<NodeId> {
    let field = Grammar::get().field_id("name");
    let stem = path.file_name().split(|byte| *byte == b'.').next().unwrap_or_default();
    let has_file_name =
        |id: &NodeId| source.child(*id, field).is_some_and(|name| source.node_text(name) == stem);
    let types: Vec<NodeId> =
        source.children(0).filter(|child| is_type_declaration(source.node(*child).kind)).collect();
    match types[..] {
        [only] => Some(only),
        _ => types.into_iter().find(has_file_name),
    }
}
