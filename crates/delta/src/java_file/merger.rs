//! Merges both versions of a file into fragments, by an edit script.

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
    pub(crate) fn merge_pair(&mut self, old: NodeId, new: NodeId, context: MergeContext) {
        match self.edit_script.action(old, new) {
            NodeAction::Keep => self.fragments.add_kept_node(old, new, context.condition),
            NodeAction::Descend(steps) => {
                let pair = self.fragments.pair;
                let pair_state = NodePairState {
                    is_body: Grammar::get().is_body(pair.old.node(old).kind),
                    is_bracketed: is_bracketed(pair.old, old) && is_bracketed(pair.new, new),
                    ..NodePairState::new(context, (old, new), steps)
                };
                self.merge_steps(steps, &pair_state);
            }
            NodeAction::Wrap(version, inner_node) => {
                let (wrapper, kept) =
                    if *version == Version::Old { (old, new) } else { (new, old) };
                let hunk = self.fragments.add_one_sided_hunk(wrapper, *version, context.position);
                let presence = self.fragments.add_condition(context.condition, hunk, *version);
                let wrapped_content = WrappedContent {
                    node: *inner_node,
                    content: WrappedNodes::MatchedNode(kept, context),
                };
                let context = MergeContext { condition: presence, ..context };
                self.merge_subtree(
                    wrapper,
                    UnmatchedSubtree {
                        version: *version,
                        hunk,
                        context,
                        wrapped_content: Some(wrapped_content),
                    },
                );
            }
            NodeAction::Replace => self.replace_node(old, new, context),
        }
    }

    /// Replaces one node by another.
    fn replace_node(&mut self, old: NodeId, new: NodeId, context: MergeContext) {
        let hunk =
            self.fragments.add_hunk(HunkKind::Relabel, Some(old), Some(new), context.position);
        for (version, node) in [(Version::Old, old), (Version::New, new)] {
            let presence = self.fragments.add_condition(context.condition, hunk, version);
            let context = MergeContext { condition: presence, ..context };
            self.merge_subtree(
                node,
                UnmatchedSubtree { version, hunk, context, wrapped_content: None },
            );
        }
    }

    pub(crate) fn merge_steps(&mut self, steps: &[EditStep], pair_state: &NodePairState) {
        let is_unmatched = |step: &EditStep| matches!(step, EditStep::Unmatched(..));
        for run in steps.chunk_by(|a, b| is_unmatched(a) && is_unmatched(b)) {
            match run {
                [EditStep::Matched(old, new)] => self.merge_matched(*old, *new, pair_state),
                [EditStep::Wrapped(version, item, hole)] => {
                    self.merge_wrapper(*version, *item, hole, pair_state);
                }
                run => self.merge_run(run, pair_state),
            }
        }
    }

    fn merge_matched(&mut self, old: ChildItem, new: ChildItem, pair_state: &NodePairState) {
        let mut context = pair_state.context;
        if pair_state.is_body && old.is_element() {
            context.position =
                self.inner_position(context.position, Version::Old, pair_state.parents.0);
        }
        if let Some(list) = self.find_or_add_list(old.role, pair_state) {
            self.fragments.add_separator(Some(old), Some(new), context.condition, list);
        }
        self.merge_pair(old.node, new.node, context);
    }

    /// Adds or removes a statement around statements that remain.
    fn merge_wrapper(
        &mut self,
        version: Version,
        item: ChildItem,
        wrapper_body: &WrapperBody,
        pair_state: &NodePairState,
    ) {
        let (outer, presence) = pair_state.wrapper_context(version);
        let position =
            self.inner_position(pair_state.context.position, version, pair_state.parent(version));
        let hunk = self.fragments.add_one_sided_hunk(item.node, version, position);
        if let Some(outer) = outer {
            self.fragments.add_nesting_dependency(version, outer, hunk);
        }
        let presence = self.fragments.add_condition(presence, hunk, version);
        let inner_state = pair_state.in_wrapper(version, (hunk, presence), wrapper_body);
        let wrapped_content = WrappedContent {
            node: wrapper_body.body,
            content: WrappedNodes::BodyElements(wrapper_body, &inner_state),
        };
        let context = MergeContext { condition: presence, position };
        self.merge_subtree(
            item.node,
            UnmatchedSubtree { version, hunk, context, wrapped_content: Some(wrapped_content) },
        );
    }

    /// Returns the list of a role, if it has separators.
    pub(crate) fn find_or_add_list(
        &mut self,
        role: ChildRole,
        pair_state: &NodePairState,
    ) -> Option<ListId> {
        if !matches!(role, ChildRole::Element(_)) || pair_state.is_body {
            return None;
        }
        let cached = pair_state.lists.borrow().get(&role).copied();
        cached.unwrap_or_else(|| {
            let (old, new) = pair_state.parents;
            let list = self.fragments.add_list(&[(Version::Old, old), (Version::New, new)]);
            pair_state.lists.borrow_mut().insert(role, list);
            list
        })
    }

    /// Returns the single hunk for changes that the grammar does not allow separately in this pair of nodes.
    pub(crate) fn frame_hunk(&mut self, pair_state: &NodePairState) -> HunkId {
        pair_state.frame_hunk.get().unwrap_or_else(|| {
            let (old, new) = pair_state.parents;
            let position = pair_state.context.position;
            let hunk = self.fragments.add_hunk(HunkKind::Relabel, Some(old), Some(new), position);
            pair_state.frame_hunk.set(Some(hunk));
            hunk
        })
    }
}
