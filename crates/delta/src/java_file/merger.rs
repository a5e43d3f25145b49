//! The walk over both versions at once, which puts down their pieces.

use crate::hunk::{HunkId, HunkKind};
use crate::java_file::merge_state::{MergeContext, Merger, NodePairState};
use crate::java_file::merge_state::{UnmatchedSubtree, WrappedContent, WrappedNodes};
use crate::matching::child_items::{ChildItem, ChildRole, is_bracketed};
use crate::matching::edit_script::{EditStep, NodeAction, WrapperBody};
use crate::matching::version_pair::Version;
use crate::template::variant_template::ListId;
use mend_java::{Grammar, NodeId};

impl Merger<'_> {
    /// Merges two corresponding nodes.
    pub(crate) fn pair(&mut self, old: NodeId, new: NodeId, context: MergeContext) {
        match self.plan.fate(old, new) {
            NodeAction::Keep => self.out.keep_all(old, new, context.presence),
            NodeAction::Descend(steps) => {
                let sides = self.out.sides;
                let family = NodePairState {
                    is_body: Grammar::get().is_body(sides.old.node(old).kind),
                    is_bracketed: is_bracketed(sides.old, old) && is_bracketed(sides.new, new),
                    ..NodePairState::new(context, (old, new), steps)
                };
                self.steps(steps, &family);
            }
            NodeAction::Wrap(version, hole) => {
                let (shell, kept) = if *version == Version::Old { (old, new) } else { (new, old) };
                let hunk = self.out.one_sided_hunk(shell, *version, context.place);
                let presence = self.out.require(context.presence, hunk, *version);
                let held = WrappedContent {
                    node: *hole,
                    content: WrappedNodes::MatchedNode(kept, context),
                };
                let context = MergeContext { presence, ..context };
                self.merge_subtree(
                    shell,
                    UnmatchedSubtree { version: *version, hunk, context, held: Some(held) },
                );
            }
            NodeAction::Replace => self.replace(old, new, context),
        }
    }

    /// Replaces one node with another.
    fn replace(&mut self, old: NodeId, new: NodeId, context: MergeContext) {
        let hunk = self.out.hunk(HunkKind::Relabel, Some(old), Some(new), context.place);
        for (version, node) in [(Version::Old, old), (Version::New, new)] {
            let presence = self.out.require(context.presence, hunk, version);
            let context = MergeContext { presence, ..context };
            self.merge_subtree(node, UnmatchedSubtree { version, hunk, context, held: None });
        }
    }

    pub(crate) fn steps(&mut self, steps: &[EditStep], family: &NodePairState) {
        let is_one = |step: &EditStep| matches!(step, EditStep::Unmatched(..));
        for run in steps.chunk_by(|a, b| is_one(a) && is_one(b)) {
            match run {
                [EditStep::Matched(old, new)] => self.merge_matched(*old, *new, family),
                [EditStep::Wrapped(version, item, hole)] => {
                    self.shell(*version, *item, hole, family);
                }
                run => self.run(run, family),
            }
        }
    }

    fn merge_matched(&mut self, old: ChildItem, new: ChildItem, family: &NodePairState) {
        let mut context = family.context;
        if family.is_body && old.is_element() {
            context.place = self.inner_place(context.place, Version::Old, family.parents.0);
        }
        if let Some(list) = self.list(old.part, family) {
            self.out.separate(Some(old), Some(new), context.presence, list);
        }
        self.pair(old.node, new.node, context);
    }

    /// Adds or removes a statement around statements that remain.
    fn shell(
        &mut self,
        version: Version,
        item: ChildItem,
        hole: &WrapperBody,
        family: &NodePairState,
    ) {
        let (outer, presence) = family.outside(version);
        let place = self.inner_place(family.context.place, version, family.parent(version));
        let hunk = self.out.one_sided_hunk(item.node, version, place);
        if let Some(outer) = outer {
            self.out.couple(version, outer, hunk);
        }
        let presence = self.out.require(presence, hunk, version);
        let inner = family.inside(version, (hunk, presence), hole);
        let held =
            WrappedContent { node: hole.body, content: WrappedNodes::BodyElements(hole, &inner) };
        let context = MergeContext { presence, place };
        self.merge_subtree(
            item.node,
            UnmatchedSubtree { version, hunk, context, held: Some(held) },
        );
    }

    /// Returns the list of a part, if it has separators.
    pub(crate) fn list(&mut self, part: ChildRole, family: &NodePairState) -> Option<ListId> {
        if !matches!(part, ChildRole::Element(_)) || family.is_body {
            return None;
        }
        let known = family.lists.borrow().get(&part).copied();
        known.unwrap_or_else(|| {
            let (old, new) = family.parents;
            let list = self.out.list(&[(Version::Old, old), (Version::New, new)]);
            family.lists.borrow_mut().insert(part, list);
            list
        })
    }

    /// Returns the one hunk for changes that the grammar does not allow separately in this pair of nodes.
    pub(crate) fn frame(&mut self, family: &NodePairState) -> HunkId {
        family.frame.get().unwrap_or_else(|| {
            let (old, new) = family.parents;
            let place = family.context.place;
            let hunk = self.out.hunk(HunkKind::Relabel, Some(old), Some(new), place);
            family.frame.set(Some(hunk));
            hunk
        })
    }
}
