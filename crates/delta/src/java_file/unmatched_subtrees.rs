//! Adds code that only one version has, split as finely as possible.

use crate::hunk::{HunkId, HunkKind, HunkPosition};
use crate::java_file::merge_state::{MergeContext, Merger};
use crate::java_file::merge_state::{UnmatchedSubtree, WrappedContent, WrappedNodes};
use crate::matching::child_items::{ChildItem, is_statement_body, items};
use crate::matching::child_ranges::{ChildRange, ChildRangeRole, portions};
use crate::matching::version_pair::Version;
use crate::template::variant_template::ConditionId;
use mend_java::NodeId;

impl Merger<'_> {
    /// Adds an inserted or deleted subtree. Parts that can exist without the rest get their own hunks.
    pub(crate) fn merge_subtree(&mut self, node: NodeId, whole: UnmatchedSubtree<'_>) {
        if let Some(held) = whole.held.filter(|held| held.node == node) {
            self.held(held, whole);
            return;
        }
        let UnmatchedSubtree { version, hunk, context, held } = whole;
        let source = self.out.sides.source(version);
        let portions = portions(source, node, held.map(|held| held.node));
        if portions.is_empty() {
            self.out.own_all(version, node, hunk, context.presence);
        }
        let is_list =
            portions.iter().any(|portion| matches!(portion.role, ChildRangeRole::ListElement(_)));
        let list = if is_list { self.out.list(&[(version, node)]) } else { None };
        for ChildRange { nodes, role } in portions {
            match role {
                ChildRangeRole::Required => {
                    for child in nodes {
                        self.merge_subtree(child, whole);
                    }
                }
                ChildRangeRole::Member => self.members(node, &nodes, whole),
                ChildRangeRole::Optional => self.optional(&nodes, whole),
                ChildRangeRole::ListElement(item) => {
                    let inner = self.inner(item.node, whole, context.place);
                    if let Some(list) = list {
                        self.separate_one(item, version, inner.context.presence, list);
                    }
                    self.merge_subtree(item.node, inner);
                }
            }
        }
    }

    pub(crate) fn members(&mut self, body: NodeId, nodes: &[NodeId], whole: UnmatchedSubtree<'_>) {
        for node in nodes {
            let outer = Some(whole.hunk);
            if self.is_moved(whole.version, *node) {
                self.moved(*node, whole.version, body, whole.context, outer);
            } else if self.away.is_moved(whole.version, *node) {
                self.travelled(*node, whole.version, whole.context, outer);
            } else {
                let place = self.inner_place(whole.context.place, whole.version, body);
                let inner = self.inner(*node, whole, place);
                self.merge_subtree(*node, inner);
            }
        }
    }

    fn optional(&mut self, nodes: &[NodeId], whole: UnmatchedSubtree<'_>) {
        let Some(last) = nodes.last() else { return };
        let inner = self.inner(*last, whole, whole.context.place);
        for node in nodes {
            self.merge_subtree(*node, inner);
        }
    }

    /// Creates a hunk for a part inside a subtree.
    fn inner<'p>(
        &mut self,
        node: NodeId,
        outer: UnmatchedSubtree<'p>,
        place: HunkPosition,
    ) -> UnmatchedSubtree<'p> {
        let hunk = self.out.one_sided_hunk(node, outer.version, place);
        self.out.couple(outer.version, outer.hunk, hunk);
        let presence = self.out.require(outer.context.presence, hunk, outer.version);
        UnmatchedSubtree { hunk, context: MergeContext { presence, place }, ..outer }
    }

    fn held(&mut self, held: WrappedContent<'_>, whole: UnmatchedSubtree<'_>) {
        match (held.content, whole.version) {
            (WrappedNodes::MatchedNode(old, context), Version::New) => {
                self.pair(old, held.node, context);
            }
            (WrappedNodes::MatchedNode(new, context), Version::Old) => {
                self.pair(held.node, new, context);
            }
            (WrappedNodes::BodyElements(hole, family), version) => {
                let inner = items(self.out.sides.source(version), hole.body);
                let (first, last) = (inner.first().copied(), inner.last().copied());
                let mark = |walk: &mut Self, item: Option<ChildItem>| {
                    if let Some(item) = item {
                        let presence = whole.context.presence;
                        walk.out.own_all(version, item.node, whole.hunk, presence);
                    }
                };
                mark(self, first);
                self.steps(&hole.steps, family);
                mark(self, last);
            }
        }
    }

    pub(crate) fn separate_one(
        &mut self,
        item: ChildItem,
        version: Version,
        presence: ConditionId,
        list: crate::template::variant_template::ListId,
    ) {
        let (old, new) = match version {
            Version::Old => (Some(item), None),
            Version::New => (None, Some(item)),
        };
        self.out.separate(old, new, presence, list);
    }

    pub(crate) fn is_moved(&self, version: Version, node: NodeId) -> bool {
        self.plan.moves.counterpart(version, node).is_some()
    }

    /// Adds code that is elsewhere in the other version, at one or the other of its positions.
    pub(crate) fn moved(
        &mut self,
        node: NodeId,
        version: Version,
        body: NodeId,
        context: MergeContext,
        outer: Option<HunkId>,
    ) {
        let Some(other) = self.plan.moves.counterpart(version, node) else { return };
        let (old, new) = if version == Version::Old { (node, other) } else { (other, node) };
        if let Some(template) = self.templates.remove(&old) {
            if let Some(outer) = outer {
                self.out.couple(version, outer, template.hunk);
            }
            self.out.put_again(&template, context.presence, version);
            return;
        }
        let place = self.inner_place(context.place, version, body);
        let hunk = self.out.hunk(HunkKind::Move, Some(old), Some(new), place);
        let sides = self.out.sides;
        let tokens = sides.old.node(old).tokens.len() + sides.new.node(new).tokens.len();
        self.out.sink.hunks[hunk].tokens = tokens as u64;
        if let Some(outer) = outer {
            self.out.couple(version, outer, hunk);
        }
        let first = self.out.laid.len();
        let presence = self.out.require(context.presence, hunk, version);
        self.pair(old, new, MergeContext { presence, place });
        let template = self.out.template(first, presence, hunk);
        self.templates.insert(old, template);
    }

    /// Adds code that is in another file in the other version.
    pub(crate) fn travelled(
        &mut self,
        node: NodeId,
        version: Version,
        context: MergeContext,
        outer: Option<HunkId>,
    ) {
        let Some(hunk) = self.away.hunk(version, node) else { return };
        if let Some(outer) = outer {
            self.out.couple(version, outer, hunk);
        }
        let presence = self.out.require(context.presence, hunk, version);
        self.away.put(version, node, presence, &mut self.out);
    }

    /// Returns the place of an element of a body: a member or statement is a separate place.
    pub(crate) fn inner_place(
        &mut self,
        place: HunkPosition,
        version: Version,
        body: NodeId,
    ) -> HunkPosition {
        let holds_statements = is_statement_body(self.out.sides.source(version), body);
        let statement = self.out.sink.next_place();
        let member = if holds_statements { place.member } else { self.out.sink.next_place() };
        HunkPosition { member, statement, ..place }
    }
}
