//! Builder of the merged fragments of a file, and of the owner of each token.

use crate::delta_builder::DeltaBuilder;
use crate::hunk::{DependencyRule, Hunk, HunkDependency, HunkId, HunkKind, HunkPosition};
use crate::matching::child_items::{ChildItem, separator_text};
use crate::matching::version_pair::{Version, VersionPair};
use crate::template::variant_template::{
    ALWAYS, ConditionId, Fragment, FragmentRole, JoinMode, ListId, MovedFragment,
    PresenceCondition, TokenizedText, VariantTemplate,
};
use mend_java::{Grammar, NodeId};
use mend_model::RepoPath;
use std::ops::Range;

/// Owners of the tokens of both versions: the hunk that inserts or deletes each token.
#[derive(Debug)]
pub(crate) struct TokenOwners {
    /// For each token of the old version, the hunk that deletes it.
    pub(crate) old: Vec<Option<HunkId>>,
    /// For each token of the new version, the hunk that inserts it.
    pub(crate) new: Vec<Option<HunkId>>,
    /// For each token of the old version, its index in the new version if it is kept.
    pub(crate) kept_tokens: Vec<Option<usize>>,
    /// True if new code precedes old code at the same position.
    pub(crate) is_reversed: bool,
}

impl TokenOwners {
    /// Returns the owners with both versions swapped.
    pub(crate) fn reversed(self) -> Self {
        let mut kept_tokens = vec![None; self.new.len()];
        for (old, new) in self.kept_tokens.iter().enumerate() {
            if let Some(new) = new {
                kept_tokens[*new] = Some(old);
            }
        }
        Self { old: self.new, new: self.old, kept_tokens, is_reversed: !self.is_reversed }
    }
}

/// Fragments of moved code, which can be added again at its other position.
pub(crate) struct MoveTemplate {
    fragments: Vec<Fragment>,
    conditions: Range<ConditionId>,
    pub(crate) hunk: HunkId,
}

/// Builder of fragments in their order.
pub(crate) struct FragmentBuilder<'a> {
    path: &'a RepoPath,
    pub(crate) pair: VersionPair<'a>,
    pub(crate) builder: &'a mut DeltaBuilder,
    pub(crate) owners: TokenOwners,
    pub(crate) fragments: Vec<Fragment>,
    pub(crate) conditions: Vec<PresenceCondition>,
    pub(crate) list_separators: Vec<Vec<u8>>,
    moved_fragments: Vec<MovedFragment>,
}

impl<'a> FragmentBuilder<'a> {
    pub(crate) fn new(
        path: &'a RepoPath,
        pair: VersionPair<'a>,
        sink: &'a mut DeltaBuilder,
    ) -> Self {
        let (old, new) = (pair.old.tokens().len(), pair.new.tokens().len());
        Self {
            path,
            pair,
            builder: sink,
            owners: TokenOwners {
                old: vec![None; old],
                new: vec![None; new],
                kept_tokens: vec![None; old],
                is_reversed: false,
            },
            fragments: Vec::new(),
            conditions: vec![PresenceCondition { parent: ALWAYS, hunk: 0, is_enabled: true }],
            list_separators: Vec::new(),
            moved_fragments: Vec::new(),
        }
    }

    /// Returns the merged fragments and the owners of the tokens.
    pub(crate) fn into_template(self) -> (VariantTemplate, TokenOwners) {
        let template = VariantTemplate {
            old: TokenizedText::from_source(self.pair.old),
            new: TokenizedText::from_source(self.pair.new),
            fragments: self.fragments,
            conditions: self.conditions,
            list_separators: self.list_separators,
            moved_fragments: self.moved_fragments,
            renamed_texts: Vec::new(),
            layout_hunk: None,
            join_mode: JoinMode::Tokens,
            is_reversed: false,
        };
        (template, self.owners)
    }

    /// Adds a token that both versions have.
    fn add_kept_token(&mut self, old: usize, new: usize, condition: ConditionId) {
        self.owners.kept_tokens[old] = Some(new);
        self.fragments.push(Fragment {
            old: Some(old),
            new: Some(new),
            condition,
            role: FragmentRole::Token,
        });
    }

    /// Adds equal nodes.
    pub(crate) fn add_kept_node(&mut self, old: NodeId, new: NodeId, condition: ConditionId) {
        let old_tokens = self.pair.old.node(old).tokens.clone();
        for (old, new) in old_tokens.zip(self.pair.new.node(new).tokens.clone()) {
            self.add_kept_token(old, new, condition);
        }
    }

    /// Adds a token that only one version has.
    fn add_owned_token(
        &mut self,
        version: Version,
        token: usize,
        hunk: HunkId,
        condition: ConditionId,
    ) {
        let (owners, old, new) = match version {
            Version::Old => (&mut self.owners.old, Some(token), None),
            Version::New => (&mut self.owners.new, None, Some(token)),
        };
        owners[token] = Some(hunk);
        self.builder.hunks[hunk].tokens += 1;
        self.fragments.push(Fragment { old, new, condition, role: FragmentRole::Token });
    }

    /// Adds a node that only one version has.
    pub(crate) fn add_owned_node(
        &mut self,
        version: Version,
        node: NodeId,
        hunk: HunkId,
        condition: ConditionId,
    ) {
        for token in self.pair.source(version).node(node).tokens.clone() {
            self.add_owned_token(version, token, hunk, condition);
        }
    }

    /// Adds a node that only one version has here, and that the other version has with edits in another file. `owners`
    /// are the hunks of its tokens.
    pub(crate) fn add_moved_node(
        &mut self,
        version: Version,
        node: NodeId,
        moved_fragment: MovedFragment,
        owners: &[HunkId],
        condition: ConditionId,
    ) {
        let tokens = self.pair.source(version).node(node).tokens.clone();
        let (token_owners, old, new) = match version {
            Version::Old => (&mut self.owners.old, Some(tokens.start), None),
            Version::New => (&mut self.owners.new, None, Some(tokens.start)),
        };
        for (owner, hunk) in token_owners[tokens].iter_mut().zip(owners) {
            *owner = Some(*hunk);
        }
        let role = FragmentRole::Moved(self.moved_fragments.len());
        self.moved_fragments.push(moved_fragment);
        self.fragments.push(Fragment { old, new, condition, role });
    }

    /// Creates the condition that holds if `parent` does and the hunk selects the given version.
    pub(crate) fn add_condition(
        &mut self,
        parent: ConditionId,
        hunk: HunkId,
        version: Version,
    ) -> ConditionId {
        self.conditions.push(PresenceCondition {
            parent,
            hunk,
            is_enabled: version == Version::New,
        });
        self.conditions.len() - 1
    }

    /// Adds the dependency of nested code of one version: new inner code needs the outer code, and old outer code must
    /// not be removed before the inner code.
    pub(crate) fn add_nesting_dependency(
        &mut self,
        version: Version,
        outer: HunkId,
        inner: HunkId,
    ) {
        let (from, to) = match version {
            Version::Old => (outer, inner),
            Version::New => (inner, outer),
        };
        self.builder.dependencies.push(HunkDependency {
            from,
            to: vec![to],
            rule: DependencyRule::Inside,
        });
    }

    pub(crate) fn add_hunk(
        &mut self,
        kind: HunkKind,
        old: Option<NodeId>,
        new: Option<NodeId>,
        position: HunkPosition,
    ) -> HunkId {
        let pair = self.pair;
        let node = new.map(|id| pair.new.node(id)).or(old.map(|id| pair.old.node(id)));
        let node = node.map_or("?", |node| Grammar::get().kind_name(node.kind)).to_owned();
        self.builder.add(Hunk {
            kind,
            path: self.path.clone(),
            node_kind: node,
            old_path: None,
            old: old.map(|id| pair.old.byte_range(id)),
            new: new.map(|id| pair.new.byte_range(id)),
            tokens: 0,
            is_layout: false,
            position,
        })
    }

    /// Creates a hunk that deletes or inserts a node.
    pub(crate) fn add_one_sided_hunk(
        &mut self,
        node: NodeId,
        version: Version,
        position: HunkPosition,
    ) -> HunkId {
        match version {
            Version::Old => self.add_hunk(HunkKind::Delete, Some(node), None, position),
            Version::New => self.add_hunk(HunkKind::Insert, None, Some(node), position),
        }
    }

    /// Creates the list of a node's children, if they have separators.
    pub(crate) fn add_list(&mut self, parents: &[(Version, NodeId)]) -> Option<ListId> {
        let pair = self.pair;
        let element_separator = parents
            .iter()
            .find_map(|(version, parent)| separator_text(pair.source(*version), *parent))?;
        self.list_separators.push(element_separator);
        Some(self.list_separators.len() - 1)
    }

    /// Adds the separator of a list element, and marks the start of the element.
    pub(crate) fn add_separator(
        &mut self,
        old: Option<ChildItem>,
        new: Option<ChildItem>,
        condition: ConditionId,
        list: ListId,
    ) {
        let pair = self.pair;
        let first_token = |version: Version, item: Option<ChildItem>| {
            let separator = item.and_then(|item| item.separator)?;
            Some(pair.source(version).node(separator).tokens.start)
        };
        let (old, new) = (first_token(Version::Old, old), first_token(Version::New, new));
        if let (Some(old), Some(new)) = (old, new) {
            self.owners.kept_tokens[old] = Some(new);
        }
        self.fragments.push(Fragment { old, new, condition, role: FragmentRole::Separator(list) });
        self.fragments.push(Fragment {
            old: None,
            new: None,
            condition,
            role: FragmentRole::Element(list),
        });
    }

    /// Returns a template of the fragments from `first` on, with the conditions from `condition` on.
    pub(crate) fn record_template(
        &self,
        first: usize,
        condition: ConditionId,
        hunk: HunkId,
    ) -> MoveTemplate {
        let fragments = self.fragments[first..].to_vec();
        MoveTemplate { fragments, conditions: condition..self.conditions.len(), hunk }
    }

    /// Repeats a template under the opposite condition of its hunk.
    pub(crate) fn repeat_template(
        &mut self,
        template: &MoveTemplate,
        parent: ConditionId,
        version: Version,
    ) {
        let base = template.conditions.start;
        let offset = self.conditions.len() - base;
        let shift = |id: ConditionId| if id >= base { id + offset } else { id };
        for id in template.conditions.clone() {
            let presence = self.conditions[id];
            if id == base {
                self.add_condition(parent, template.hunk, version);
            } else {
                self.conditions
                    .push(PresenceCondition { parent: shift(presence.parent), ..presence });
            }
        }
        let copies = template
            .fragments
            .iter()
            .map(|piece| Fragment { condition: shift(piece.condition), ..*piece });
        self.fragments.extend(copies);
    }
}
