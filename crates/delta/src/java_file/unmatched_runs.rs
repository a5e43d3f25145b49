//! Neighbouring children that only one version has.

use crate::hunk::HunkKind;
use crate::java_file::merge_state::{MergeContext, Merger, NodePairState, UnmatchedSubtree};
use crate::matching::child_items::{ChildItem, ChildRole};
use crate::matching::edit_script::EditStep;
use crate::matching::version_pair::Version;
use mend_java::{Arity, Grammar};

impl Merger<'_> {
    /// Things between two kept neighbours that only one version has.
    pub(crate) fn run(&mut self, run: &[EditStep], family: &NodePairState) {
        let of = |version: Version| -> Vec<ChildItem> {
            let item = |step: &EditStep| match step {
                EditStep::Unmatched(of, item) if *of == version => Some(*item),
                _ => None,
            };
            run.iter().filter_map(item).collect()
        };
        let (olds, news) = (of(Version::Old), of(Version::New));
        let has_mark = olds.iter().chain(&news).any(|item| item.part == ChildRole::Punctuation);
        // The colons of a switch's labels are marks too, in a body without brackets.
        if has_mark && !family.takes_marks() {
            self.marked_run(&olds, &news, family);
            return;
        }
        let pairs = if family.is_body { 0 } else { replaceable(&olds, &news) };
        for (old, new) in olds.iter().zip(&news).take(pairs) {
            self.replace_element(*old, *new, family);
        }
        let (olds, news) = (&olds[pairs..], &news[pairs..]);
        if !(family.is_body || olds.is_empty() || news.is_empty()) {
            // Each of them may be optional, but the grammar has an order for them.
            self.framed_run(olds, news, family);
            return;
        }
        for (version, items) in [(Version::Old, olds), (Version::New, news)] {
            let is_loose = self.is_loose(items, version, family);
            for item in items {
                self.merge_item(*item, version, is_loose, family);
            }
        }
    }

    /// Returns true if each item of a run can be added or removed alone, outside lists with separators. A modifier can;
    /// `super` and its bound in a wildcard cannot.
    fn is_loose(&self, items: &[ChildItem], version: Version, family: &NodePairState) -> bool {
        let source = self.out.sides.source(version);
        let grammar = Grammar::get();
        items.len() == 1
            || family.takes_elements()
            || source.node(family.parent(version)).kind == grammar.kind("modifiers")
            || items.iter().all(|item| grammar.is_clause(source.node(item.node).kind))
    }

    /// Adds a run with punctuation of the parent: an optional part with its introducing token, or a part of the
    /// parent's frame.
    fn marked_run(&mut self, olds: &[ChildItem], news: &[ChildItem], family: &NodePairState) {
        let (version, items) = match (olds, news) {
            ([], items) => (Version::New, items),
            (items, []) => (Version::Old, items),
            _ => return self.framed_run(olds, news, family),
        };
        let is_optional = |item: &&ChildItem| {
            matches!(item.part, ChildRole::Slot(_) | ChildRole::Single)
                && self.arity(**item, version, family).is_some_and(|arity| !arity.required)
        };
        let all_are = items
            .iter()
            .filter(|item| item.part != ChildRole::Punctuation)
            .all(|item| is_optional(&item));
        let Some(first) = items.iter().find(|item| is_optional(item)).filter(|_| all_are) else {
            return self.framed_run(olds, news, family);
        };
        let whole = self.free(*first, version, family.context, family);
        for item in items {
            self.merge_subtree(item.node, whole);
        }
    }

    fn arity(&self, item: ChildItem, version: Version, family: &NodePairState) -> Option<Arity> {
        let source = self.out.sides.source(version);
        let parent = source.node(family.parent(version)).kind;
        Grammar::get().arity(parent, source.node(item.node).field)
    }

    fn replace_element(&mut self, old: ChildItem, new: ChildItem, family: &NodePairState) {
        let place = family.context.place;
        let hunk = self.out.hunk(HunkKind::Relabel, Some(old.node), Some(new.node), place);
        for (version, item) in [(Version::Old, old), (Version::New, new)] {
            self.merge_item_under(hunk, version, item, family);
        }
    }

    /// Adds or removes the whole run together with the parent's own punctuation.
    fn framed_run(&mut self, olds: &[ChildItem], news: &[ChildItem], family: &NodePairState) {
        for (version, items) in [(Version::Old, olds), (Version::New, news)] {
            for item in items {
                let hunk = self.frame(family);
                self.merge_item_under(hunk, version, *item, family);
            }
        }
    }

    /// Adds an item under a hunk for more than this item.
    fn merge_item_under(
        &mut self,
        hunk: usize,
        version: Version,
        item: ChildItem,
        family: &NodePairState,
    ) {
        let presence = self.out.require(family.context.presence, hunk, version);
        if let Some(list) = self.list(item.part, family) {
            self.separate_one(item, version, presence, list);
        }
        let context = MergeContext { presence, ..family.context };
        self.merge_subtree(item.node, UnmatchedSubtree { version, hunk, context, held: None });
    }

    /// Adds an item that only one version has, as a separate hunk where the grammar allows it.
    fn merge_item(
        &mut self,
        item: ChildItem,
        version: Version,
        is_loose: bool,
        family: &NodePairState,
    ) {
        let (outer, presence) = family.outside(version);
        let outside = MergeContext { presence, ..family.context };
        if self.is_moved(version, item.node) {
            self.moved(item.node, version, family.parent(version), outside, outer);
            return;
        }
        if self.away.is_moved(version, item.node) {
            self.travelled(item.node, version, outside, outer);
            return;
        }
        if !self.may_be_absent(item, version, is_loose, family) {
            self.framed_run(
                &[item][..usize::from(version == Version::Old)],
                &[item][..usize::from(version == Version::New)],
                family,
            );
            return;
        }
        let mut context = family.context;
        if family.is_body && item.is_element() {
            context.place = self.inner_place(context.place, version, family.parent(version));
        }
        let whole = self.free(item, version, context, family);
        if let Some(list) = self.list(item.part, family) {
            self.separate_one(item, version, whole.context.presence, list);
        }
        self.merge_subtree(item.node, whole);
    }

    fn may_be_absent(
        &mut self,
        item: ChildItem,
        version: Version,
        is_loose: bool,
        family: &NodePairState,
    ) -> bool {
        let is_optional = self.arity(item, version, family).is_some_and(|arity| !arity.required);
        match item.part {
            ChildRole::Punctuation => true,
            ChildRole::Slot(_) | ChildRole::Single => is_optional,
            ChildRole::Element(_) => {
                let is_listed = family.takes_elements() || self.list(item.part, family).is_some();
                let may_be_last = is_optional && (family.is_bracketed || !is_listed);
                (is_listed || is_loose) && (family.keeps_elements(item.part) || may_be_last)
            }
        }
    }

    /// Creates a hunk for an item alone.
    fn free(
        &mut self,
        item: ChildItem,
        version: Version,
        context: MergeContext,
        family: &NodePairState,
    ) -> UnmatchedSubtree<'static> {
        let hunk = self.out.one_sided_hunk(item.node, version, context.place);
        let (outer, presence) = family.outside(version);
        if let Some(outer) = outer {
            self.out.couple(version, outer, hunk);
        }
        let presence = self.out.require(presence, hunk, version);
        UnmatchedSubtree {
            version,
            hunk,
            context: MergeContext { presence, ..context },
            held: None,
        }
    }
}

/// Counts the leading items on both sides that correspond to each other: elements of the same list.
fn replaceable(olds: &[ChildItem], news: &[ChildItem]) -> usize {
    let is_same_list =
        |(old, new): &(&ChildItem, &ChildItem)| old.is_element() && old.part == new.part;
    olds.iter().zip(news).take_while(is_same_list).count()
}
