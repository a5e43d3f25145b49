//! Merges runs: neighbouring children that only one version has.

use crate::hunk::HunkKind;
use crate::java_file::merge_state::{MergeContext, Merger, NodePairState, UnmatchedSubtree};
use crate::matching::child_items::{ChildItem, ChildRole};
use crate::matching::edit_script::EditStep;
use crate::matching::version_pair::Version;
use mend_java::{Arity, Grammar};

impl Merger<'_> {
    /// Merges the children of one version only between two kept neighbours.
    pub(crate) fn merge_run(&mut self, run: &[EditStep], pair_state: &NodePairState) {
        let items_of = |version: Version| -> Vec<ChildItem> {
            let item = |step: &EditStep| match step {
                EditStep::Unmatched(items_of, item) if *items_of == version => Some(*item),
                _ => None,
            };
            run.iter().filter_map(item).collect()
        };
        let (old_items, new_items) = (items_of(Version::Old), items_of(Version::New));
        let has_punctuation =
            old_items.iter().chain(&new_items).any(|item| item.role == ChildRole::Punctuation);
        // The colons of `switch` labels are also punctuation, in a body without brackets.
        if has_punctuation && !pair_state.ignores_separators() {
            self.merge_punctuated_run(&old_items, &new_items, pair_state);
            return;
        }
        let pair_count =
            if pair_state.is_body { 0 } else { count_replaceable_pairs(&old_items, &new_items) };
        for (old, new) in old_items.iter().zip(&new_items).take(pair_count) {
            self.replace_element(*old, *new, pair_state);
        }
        let (old_items, new_items) = (&old_items[pair_count..], &new_items[pair_count..]);
        if !(pair_state.is_body || old_items.is_empty() || new_items.is_empty()) {
            // Each may be optional, but the grammar fixes their order.
            self.merge_framed_run(old_items, new_items, pair_state);
            return;
        }
        for (version, items) in [(Version::Old, old_items), (Version::New, new_items)] {
            let is_removable = self.is_each_removable(items, version, pair_state);
            for item in items {
                self.merge_item(*item, version, is_removable, pair_state);
            }
        }
    }

    /// Returns true if each item of a run can be added or removed alone, outside lists with separators. A modifier can;
    /// `super` and its bound in a wildcard cannot.
    fn is_each_removable(
        &self,
        items: &[ChildItem],
        version: Version,
        pair_state: &NodePairState,
    ) -> bool {
        let source = self.fragments.pair.source(version);
        let grammar = Grammar::get();
        items.len() == 1
            || pair_state.allows_element_sequence()
            || source.node(pair_state.parent(version)).kind == grammar.kind_id("modifiers")
            || items.iter().all(|item| grammar.is_clause(source.node(item.node).kind))
    }

    /// Adds a run with punctuation of the parent: an optional part with its introducing token, or a part of the
    /// parent's frame.
    fn merge_punctuated_run(
        &mut self,
        old_items: &[ChildItem],
        new_items: &[ChildItem],
        pair_state: &NodePairState,
    ) {
        let (version, items) = match (old_items, new_items) {
            ([], items) => (Version::New, items),
            (items, []) => (Version::Old, items),
            _ => return self.merge_framed_run(old_items, new_items, pair_state),
        };
        let is_optional = |item: &&ChildItem| {
            matches!(item.role, ChildRole::Slot(_) | ChildRole::Single)
                && self.arity(**item, version, pair_state).is_some_and(|arity| !arity.required)
        };
        let are_all_optional = items
            .iter()
            .filter(|item| item.role != ChildRole::Punctuation)
            .all(|item| is_optional(&item));
        let Some(first) = items.iter().find(|item| is_optional(item)).filter(|_| are_all_optional)
        else {
            return self.merge_framed_run(old_items, new_items, pair_state);
        };
        let subtree = self.add_subtree_hunk(*first, version, pair_state.context, pair_state);
        for item in items {
            self.merge_subtree(item.node, subtree);
        }
    }

    fn arity(
        &self,
        item: ChildItem,
        version: Version,
        pair_state: &NodePairState,
    ) -> Option<Arity> {
        let source = self.fragments.pair.source(version);
        let parent = source.node(pair_state.parent(version)).kind;
        Grammar::get().arity(parent, source.node(item.node).field)
    }

    fn replace_element(&mut self, old: ChildItem, new: ChildItem, pair_state: &NodePairState) {
        let position = pair_state.context.position;
        let hunk =
            self.fragments.add_hunk(HunkKind::Relabel, Some(old.node), Some(new.node), position);
        for (version, item) in [(Version::Old, old), (Version::New, new)] {
            self.merge_item_under(hunk, version, item, pair_state);
        }
    }

    /// Adds or removes the whole run together with the parent's own punctuation.
    fn merge_framed_run(
        &mut self,
        old_items: &[ChildItem],
        new_items: &[ChildItem],
        pair_state: &NodePairState,
    ) {
        for (version, items) in [(Version::Old, old_items), (Version::New, new_items)] {
            for item in items {
                let hunk = self.frame_hunk(pair_state);
                self.merge_item_under(hunk, version, *item, pair_state);
            }
        }
    }

    /// Adds an item under a hunk that also includes other items.
    fn merge_item_under(
        &mut self,
        hunk: usize,
        version: Version,
        item: ChildItem,
        pair_state: &NodePairState,
    ) {
        let presence = self.fragments.add_condition(pair_state.context.condition, hunk, version);
        if let Some(list) = self.find_or_add_list(item.role, pair_state) {
            self.add_item_separator(item, version, presence, list);
        }
        let context = MergeContext { condition: presence, ..pair_state.context };
        self.merge_subtree(
            item.node,
            UnmatchedSubtree { version, hunk, context, wrapped_content: None },
        );
    }

    /// Adds an item of one version only, as a separate hunk if the grammar allows it.
    fn merge_item(
        &mut self,
        item: ChildItem,
        version: Version,
        is_removable: bool,
        pair_state: &NodePairState,
    ) {
        let (outer, presence) = pair_state.wrapper_context(version);
        let outer_context = MergeContext { condition: presence, ..pair_state.context };
        if self.is_moved(version, item.node) {
            self.merge_moved(item.node, version, pair_state.parent(version), outer_context, outer);
            return;
        }
        if self.file_moves.is_moved(version, item.node) {
            self.merge_cross_file_move(item.node, version, outer_context, outer);
            return;
        }
        if !self.can_be_absent(item, version, is_removable, pair_state) {
            self.merge_framed_run(
                &[item][..usize::from(version == Version::Old)],
                &[item][..usize::from(version == Version::New)],
                pair_state,
            );
            return;
        }
        let mut context = pair_state.context;
        if pair_state.is_body && item.is_element() {
            context.position =
                self.inner_position(context.position, version, pair_state.parent(version));
        }
        let subtree = self.add_subtree_hunk(item, version, context, pair_state);
        if let Some(list) = self.find_or_add_list(item.role, pair_state) {
            self.add_item_separator(item, version, subtree.context.condition, list);
        }
        self.merge_subtree(item.node, subtree);
    }

    fn can_be_absent(
        &mut self,
        item: ChildItem,
        version: Version,
        is_removable: bool,
        pair_state: &NodePairState,
    ) -> bool {
        let is_optional =
            self.arity(item, version, pair_state).is_some_and(|arity| !arity.required);
        match item.role {
            ChildRole::Punctuation => true,
            ChildRole::Slot(_) | ChildRole::Single => is_optional,
            ChildRole::Element(_) => {
                let is_listed = pair_state.allows_element_sequence()
                    || self.find_or_add_list(item.role, pair_state).is_some();
                let can_be_last = is_optional && (pair_state.is_bracketed || !is_listed);
                (is_listed || is_removable)
                    && (pair_state.has_remaining_elements(item.role) || can_be_last)
            }
        }
    }

    /// Creates a separate hunk for an item.
    fn add_subtree_hunk(
        &mut self,
        item: ChildItem,
        version: Version,
        context: MergeContext,
        pair_state: &NodePairState,
    ) -> UnmatchedSubtree<'static> {
        let hunk = self.fragments.add_one_sided_hunk(item.node, version, context.position);
        let (outer, presence) = pair_state.wrapper_context(version);
        if let Some(outer) = outer {
            self.fragments.add_nesting_dependency(version, outer, hunk);
        }
        let presence = self.fragments.add_condition(presence, hunk, version);
        UnmatchedSubtree {
            version,
            hunk,
            context: MergeContext { condition: presence, ..context },
            wrapped_content: None,
        }
    }
}

/// Counts the leading items on both sides that correspond to each other: elements of the same list.
fn count_replaceable_pairs(old_items: &[ChildItem], new_items: &[ChildItem]) -> usize {
    let is_same_list =
        |(old, new): &(&ChildItem, &ChildItem)| old.is_element() && old.role == new.role;
    old_items.iter().zip(new_items).take_while(is_same_list).count()
}
