//! Merges subtrees of one version only, split as finely as possible.

use crate::hunk::{HunkId, HunkKind, HunkPosition};
use crate::java_file::merge_state::{MergeContext, Merger};
use crate::java_file::merge_state::{UnmatchedSubtree, WrappedContent, WrappedNodes};
use crate::matching::child_items::{ChildItem, child_items, is_statement_body};
use crate::matching::removable_parts::{ChildRange, ChildRangeRole, divide_into_ranges};
use crate::matching::version_pair::Version;
use crate::template::variant_template::ConditionId;
use mend_java::{Grammar, NodeId};

impl Merger<'_> {
    /// Adds an inserted or deleted subtree. Parts that can exist without the rest get their own hunks.
    pub(crate) fn merge_subtree(&mut self, node: NodeId, subtree: UnmatchedSubtree<'_>) {
        if let Some(wrapped_content) =
            subtree.wrapped_content.filter(|wrapped_content| wrapped_content.node == node)
        {
            self.merge_wrapped_content(wrapped_content, subtree);
            return;
        }
        let UnmatchedSubtree { version, hunk, context, wrapped_content } = subtree;
        if self.edit_script.moves.is_related(version, node) {
            let outer = self.fragments.pair.source(version).node(node).parent;
            self.merge_moved(node, version, outer, context, Some(hunk));
            return;
        }
        if let Some(move_hunk) = self.file_moves.hunk(version, node) {
            // A method needs its body, which is in another file without the move.
            self.add_move_dependencies(version, Some(hunk), move_hunk, true);
            self.merge_cross_file_move(node, version, context, None);
            return;
        }
        let source = self.fragments.pair.source(version);
        let child_ranges = divide_into_ranges(
            source,
            node,
            wrapped_content.map(|wrapped_content| wrapped_content.node),
        );
        if child_ranges.is_empty() {
            self.fragments.add_owned_node(version, node, hunk, context.condition);
        }
        let is_list = child_ranges
            .iter()
            .any(|portion| matches!(portion.role, ChildRangeRole::ListElement(_)));
        let list = if is_list { self.fragments.add_list(&[(version, node)]) } else { None };
        for ChildRange { nodes, role } in child_ranges {
            match role {
                ChildRangeRole::Required => {
                    for child in nodes {
                        self.merge_subtree(child, subtree);
                    }
                }
                ChildRangeRole::Member => self.merge_members(node, &nodes, subtree),
                ChildRangeRole::Optional => self.merge_optional(&nodes, subtree),
                ChildRangeRole::ListElement(item) => {
                    let inner_subtree = self.add_inner_hunk(item.node, subtree, context.position);
                    if let Some(list) = list {
                        self.add_item_separator(
                            item,
                            version,
                            inner_subtree.context.condition,
                            list,
                        );
                    }
                    self.merge_subtree(item.node, inner_subtree);
                }
            }
        }
    }

    pub(crate) fn merge_members(
        &mut self,
        body: NodeId,
        nodes: &[NodeId],
        subtree: UnmatchedSubtree<'_>,
    ) {
        for node in nodes {
            let outer = Some(subtree.hunk);
            if self.is_moved(subtree.version, *node) {
                self.merge_moved(*node, subtree.version, body, subtree.context, outer);
            } else if self.file_moves.is_moved(subtree.version, *node) {
                self.merge_cross_file_move(*node, subtree.version, subtree.context, outer);
            } else {
                let position = self.inner_position(subtree.context.position, subtree.version, body);
                let inner_subtree = self.add_inner_hunk(*node, subtree, position);
                self.merge_subtree(*node, inner_subtree);
            }
        }
    }

    fn merge_optional(&mut self, nodes: &[NodeId], subtree: UnmatchedSubtree<'_>) {
        let Some(last) = nodes.last() else { return };
        let inner_subtree = self.add_inner_hunk(*last, subtree, subtree.context.position);
        for node in nodes {
            self.merge_subtree(*node, inner_subtree);
        }
    }

    /// Creates a hunk for a part inside a subtree.
    fn add_inner_hunk<'p>(
        &mut self,
        node: NodeId,
        outer: UnmatchedSubtree<'p>,
        position: HunkPosition,
    ) -> UnmatchedSubtree<'p> {
        let hunk = self.fragments.add_one_sided_hunk(node, outer.version, position);
        self.fragments.add_nesting_dependency(outer.version, outer.hunk, hunk);
        let presence = self.fragments.add_condition(outer.context.condition, hunk, outer.version);
        UnmatchedSubtree { hunk, context: MergeContext { condition: presence, position }, ..outer }
    }

    fn merge_wrapped_content(&mut self, held: WrappedContent<'_>, subtree: UnmatchedSubtree<'_>) {
        match (held.content, subtree.version) {
            (WrappedNodes::MatchedNode(old, context), Version::New) => {
                self.merge_pair(old, held.node, context);
            }
            (WrappedNodes::MatchedNode(new, context), Version::Old) => {
                self.merge_pair(held.node, new, context);
            }
            (WrappedNodes::BodyElements(wrapper_body, family), version) => {
                let body_items =
                    child_items(self.fragments.pair.source(version), wrapper_body.body);
                let (first, last) = (body_items.first().copied(), body_items.last().copied());
                let add_brace = |walk: &mut Self, item: Option<ChildItem>| {
                    if let Some(item) = item {
                        let presence = subtree.context.condition;
                        walk.fragments.add_owned_node(version, item.node, subtree.hunk, presence);
                    }
                };
                add_brace(self, first);
                self.merge_steps(&wrapper_body.steps, family);
                add_brace(self, last);
            }
        }
    }

    pub(crate) fn add_item_separator(
        &mut self,
        item: ChildItem,
        version: Version,
        condition: ConditionId,
        list: crate::template::variant_template::ListId,
    ) {
        let (old, new) = match version {
            Version::Old => (Some(item), None),
            Version::New => (None, Some(item)),
        };
        self.fragments.add_separator(old, new, condition, list);
    }

    /// Returns true if an element of a body is at another position in the other version.
    pub(crate) fn is_moved(&self, version: Version, node: NodeId) -> bool {
        let source = self.fragments.pair.source(version);
        Grammar::get().is_body(source.node(source.node(node).parent).kind)
            && self.edit_script.moves.counterpart(version, node).is_some()
    }

    /// Adds code that is at another position in the other version.
    pub(crate) fn merge_moved(
        &mut self,
        node: NodeId,
        version: Version,
        body: NodeId,
        context: MergeContext,
        outer: Option<HunkId>,
    ) {
        let Some(other) = self.edit_script.moves.counterpart(version, node) else { return };
        let (old, new) = if version == Version::Old { (node, other) } else { (other, node) };
        let is_related = self.edit_script.moves.is_related(version, node);
        if let Some(template) = self.templates.remove(&old) {
            self.add_move_dependencies(version, outer, template.hunk, is_related);
            self.fragments.repeat_template(&template, context.condition, version);
            return;
        }
        let position = self.inner_position(context.position, version, body);
        let hunk = self.fragments.add_hunk(HunkKind::Move, Some(old), Some(new), position);
        let pair = self.fragments.pair;
        let tokens = pair.old.node(old).tokens.len() + pair.new.node(new).tokens.len();
        self.fragments.builder.hunks[hunk].tokens = tokens as u64;
        self.add_move_dependencies(version, outer, hunk, is_related);
        if is_related {
            self.related_moves.insert(old, hunk);
        }
        let first_fragment = self.fragments.fragments.len();
        let presence = self.fragments.add_condition(context.condition, hunk, version);
        self.merge_pair(old, new, MergeContext { condition: presence, position });
        let template = self.fragments.record_template(first_fragment, presence, hunk);
        self.templates.insert(old, template);
    }

    /// Adds the dependencies between a move and the code of one version around it. Both belong to one refactoring if the
    /// move is related.
    fn add_move_dependencies(
        &mut self,
        version: Version,
        outer: Option<HunkId>,
        move_hunk: HunkId,
        is_related: bool,
    ) {
        let Some(outer) = outer else { return };
        self.fragments.add_nesting_dependency(version, outer, move_hunk);
        if is_related {
            self.fragments.add_nesting_dependency(version.opposite(), outer, move_hunk);
        }
    }

    /// Adds code that is in another file in the other version.
    pub(crate) fn merge_cross_file_move(
        &mut self,
        node: NodeId,
        version: Version,
        context: MergeContext,
        outer: Option<HunkId>,
    ) {
        let Some(hunk) = self.file_moves.hunk(version, node) else { return };
        if let Some(outer) = outer {
            self.fragments.add_nesting_dependency(version, outer, hunk);
        }
        let presence = self.fragments.add_condition(context.condition, hunk, version);
        self.file_moves.add_moved_fragment(version, node, presence, &mut self.fragments);
    }

    /// Returns the position of an element of a body: each member and statement has its own.
    pub(crate) fn inner_position(
        &mut self,
        position: HunkPosition,
        version: Version,
        body: NodeId,
    ) -> HunkPosition {
        let holds_statements = is_statement_body(self.fragments.pair.source(version), body);
        let statement = self.fragments.builder.next_position();
        let member =
            if holds_statements { position.member } else { self.fragments.builder.next_position() };
        HunkPosition { member, statement, ..position }
    }
}
