//! Adds code that only one version has, split as finely as possible.

use crate::hunk::{HunkId, HunkKind, Place};
use crate::java_file::merge_state::{Content, Held, Whole};
use crate::java_file::merge_state::{Context, Walk};
use crate::matching::child_items::{Item, is_statement_body, items};
use crate::matching::child_ranges::{Portion, Role, portions};
use crate::matching::version_pair::Version;
use crate::template::variant_template::PresenceId;
use mend_java::NodeId;

impl Walk<'_> {
    /// Adds an inserted or deleted subtree. Parts that can exist without the rest get their own hunks.
    pub(crate) fn whole(&mut self, node: NodeId, whole: Whole<'_>) {
        if let Some(held) = whole.held.filter(|held| held.node == node) {
            self.held(held, whole);
            return;
        }
        let Whole { version, hunk, context, held } = whole;
        let source = self.out.sides.of(version);
        let portions = portions(source, node, held.map(|held| held.node));
        if portions.is_empty() {
            self.out.own_all(version, node, hunk, context.presence);
        }
        let is_list = portions.iter().any(|portion| matches!(portion.role, Role::Listed(_)));
        let list = if is_list { self.out.list(&[(version, node)]) } else { None };
        for Portion { nodes, role } in portions {
            match role {
                Role::Part => nodes.into_iter().for_each(|child| self.whole(child, whole)),
                Role::Member => self.members(node, &nodes, whole),
                Role::Optional => self.optional(&nodes, whole),
                Role::Listed(item) => {
                    let inner = self.inner(item.node, whole, context.place);
                    if let Some(list) = list {
                        self.separate_one(item, version, inner.context.presence, list);
                    }
                    self.whole(item.node, inner);
                }
            }
        }
    }

    pub(crate) fn members(&mut self, body: NodeId, nodes: &[NodeId], whole: Whole<'_>) {
        for node in nodes {
            let outer = Some(whole.hunk);
            if self.is_moved(whole.version, *node) {
                self.moved(*node, whole.version, body, whole.context, outer);
            } else if self.away.holds(whole.version, *node) {
                self.travelled(*node, whole.version, whole.context, outer);
            } else {
                let place = self.inner_place(whole.context.place, whole.version, body);
                let inner = self.inner(*node, whole, place);
                self.whole(*node, inner);
            }
        }
    }

    fn optional(&mut self, nodes: &[NodeId], whole: Whole<'_>) {
        let Some(last) = nodes.last() else { return };
        let inner = self.inner(*last, whole, whole.context.place);
        for node in nodes {
            self.whole(*node, inner);
        }
    }

    /// Creates a hunk for a part inside a subtree.
    fn inner<'p>(&mut self, node: NodeId, outer: Whole<'p>, place: Place) -> Whole<'p> {
        let hunk = self.out.one_sided_hunk(node, outer.version, place);
        self.out.couple(outer.version, outer.hunk, hunk);
        let presence = self.out.require(outer.context.presence, hunk, outer.version);
        Whole { hunk, context: Context { presence, place }, ..outer }
    }

    fn held(&mut self, held: Held<'_>, whole: Whole<'_>) {
        match (held.content, whole.version) {
            (Content::Pair(old, context), Version::New) => self.pair(old, held.node, context),
            (Content::Pair(new, context), Version::Old) => self.pair(held.node, new, context),
            (Content::Elements(hole, family), version) => {
                let inner = items(self.out.sides.of(version), hole.body);
                let (first, last) = (inner.first().copied(), inner.last().copied());
                let mark = |walk: &mut Self, item: Option<Item>| {
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
        item: Item,
        version: Version,
        presence: PresenceId,
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
        context: Context,
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
        self.pair(old, new, Context { presence, place });
        let template = self.out.template(first, presence, hunk);
        self.templates.insert(old, template);
    }

    /// Adds code that is in another file in the other version.
    pub(crate) fn travelled(
        &mut self,
        node: NodeId,
        version: Version,
        context: Context,
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
    pub(crate) fn inner_place(&mut self, place: Place, version: Version, body: NodeId) -> Place {
        let holds_statements = is_statement_body(self.out.sides.of(version), body);
        let statement = self.out.sink.next_place();
        let member = if holds_statements { place.member } else { self.out.sink.next_place() };
        Place { member, statement, ..place }
    }
}
