//! The pieces of a merged file while they are put down, and who owns which token.

use crate::delta_builder::DeltaBuilder;
use crate::hunk::{DependencyRule, Hunk, HunkDependency, HunkId, HunkKind, HunkPosition};
use crate::matching::child_items::{ChildItem, separator};
use crate::matching::version_pair::{Version, VersionPair};
use crate::template::variant_template::{
    ALWAYS, ConditionId, Fragment, FragmentRole, JoinMode, ListId, MovedFragment,
    PresenceCondition, TokenizedText, VariantTemplate,
};
use mend_java::{Grammar, NodeId};
use mend_model::RepoPath;
use std::ops::Range;

/// Owners of the tokens of both versions: the hunk of each token.
#[derive(Debug)]
pub(crate) struct TokenOwners {
    /// For each token of the old version the hunk that deletes it.
    pub(crate) old: Vec<Option<HunkId>>,
    /// For each token of the new version the hunk that inserts it.
    pub(crate) new: Vec<Option<HunkId>>,
    /// The position in the new version of each kept token of the old version.
    pub(crate) kept: Vec<Option<usize>>,
    /// True if the new version comes first where both have code.
    pub(crate) is_mirrored: bool,
}

impl TokenOwners {
    /// Returns the owners with both versions swapped.
    pub(crate) fn mirrored(self) -> Self {
        let mut kept = vec![None; self.new.len()];
        for (old, new) in self.kept.iter().enumerate() {
            if let Some(new) = new {
                kept[*new] = Some(old);
            }
        }
        Self { old: self.new, new: self.old, kept, is_mirrored: !self.is_mirrored }
    }
}

/// Recorded pieces of added code, which can be added again elsewhere.
pub(crate) struct MoveTemplate {
    pieces: Vec<Fragment>,
    presences: Range<ConditionId>,
    pub(crate) hunk: HunkId,
}

/// Pieces put down one after the other.
pub(crate) struct FragmentBuilder<'a> {
    path: &'a RepoPath,
    pub(crate) sides: VersionPair<'a>,
    pub(crate) sink: &'a mut DeltaBuilder,
    pub(crate) owners: TokenOwners,
    pub(crate) laid: Vec<Fragment>,
    pub(crate) presences: Vec<PresenceCondition>,
    pub(crate) lists: Vec<Vec<u8>>,
    guests: Vec<MovedFragment>,
}

impl<'a> FragmentBuilder<'a> {
    pub(crate) fn new(
        path: &'a RepoPath,
        sides: VersionPair<'a>,
        sink: &'a mut DeltaBuilder,
    ) -> Self {
        let (old, new) = (sides.old.tokens().len(), sides.new.tokens().len());
        Self {
            path,
            sides,
            sink,
            owners: TokenOwners {
                old: vec![None; old],
                new: vec![None; new],
                kept: vec![None; old],
                is_mirrored: false,
            },
            laid: Vec::new(),
            presences: vec![PresenceCondition { parent: ALWAYS, hunk: 0, on: true }],
            lists: Vec::new(),
            guests: Vec::new(),
        }
    }

    /// Returns all merged pieces, and their owners.
    pub(crate) fn merged(self) -> (VariantTemplate, TokenOwners) {
        let merged = VariantTemplate {
            old: TokenizedText::from_source(self.sides.old),
            new: TokenizedText::from_source(self.sides.new),
            pieces: self.laid,
            presences: self.presences,
            lists: self.lists,
            guests: self.guests,
            layout: None,
            joint: JoinMode::Tokens,
            is_mirrored: false,
        };
        (merged, self.owners)
    }

    /// Adds a token that both versions have.
    fn keep(&mut self, old: usize, new: usize, presence: ConditionId) {
        self.owners.kept[old] = Some(new);
        self.laid.push(Fragment {
            old: Some(old),
            new: Some(new),
            presence,
            role: FragmentRole::Token,
        });
    }

    /// Adds equal nodes.
    pub(crate) fn keep_all(&mut self, old: NodeId, new: NodeId, presence: ConditionId) {
        let olds = self.sides.old.node(old).tokens.clone();
        for (old, new) in olds.zip(self.sides.new.node(new).tokens.clone()) {
            self.keep(old, new, presence);
        }
    }

    /// Adds a token that only one version has.
    fn add_owned_token(
        &mut self,
        version: Version,
        token: usize,
        hunk: HunkId,
        presence: ConditionId,
    ) {
        let (owners, old, new) = match version {
            Version::Old => (&mut self.owners.old, Some(token), None),
            Version::New => (&mut self.owners.new, None, Some(token)),
        };
        owners[token] = Some(hunk);
        self.sink.hunks[hunk].tokens += 1;
        self.laid.push(Fragment { old, new, presence, role: FragmentRole::Token });
    }

    /// Adds a node that only one version has.
    pub(crate) fn own_all(
        &mut self,
        version: Version,
        node: NodeId,
        hunk: HunkId,
        presence: ConditionId,
    ) {
        for token in self.sides.source(version).node(node).tokens.clone() {
            self.add_owned_token(version, token, hunk, presence);
        }
    }

    /// Adds a node that only one version has here, and that the other one changed in another file. `owners` are the
    /// hunks of its tokens.
    pub(crate) fn host(
        &mut self,
        version: Version,
        node: NodeId,
        guest: MovedFragment,
        owners: &[HunkId],
        presence: ConditionId,
    ) {
        let tokens = self.sides.source(version).node(node).tokens.clone();
        let (all, old, new) = match version {
            Version::Old => (&mut self.owners.old, Some(tokens.start), None),
            Version::New => (&mut self.owners.new, None, Some(tokens.start)),
        };
        for (owner, hunk) in all[tokens].iter_mut().zip(owners) {
            *owner = Some(*hunk);
        }
        let role = FragmentRole::Moved(self.guests.len());
        self.guests.push(guest);
        self.laid.push(Fragment { old, new, presence, role });
    }

    /// Creates the condition that holds if `parent` does and the hunk selects the given version.
    pub(crate) fn require(
        &mut self,
        parent: ConditionId,
        hunk: HunkId,
        version: Version,
    ) -> ConditionId {
        self.presences.push(PresenceCondition { parent, hunk, on: version == Version::New });
        self.presences.len() - 1
    }

    /// Adds the dependencies of code inside code of one version: the outer code needs its place, and must not be
    /// removed before the inner code.
    pub(crate) fn couple(&mut self, version: Version, outer: HunkId, inner: HunkId) {
        let (from, to) = match version {
            Version::Old => (outer, inner),
            Version::New => (inner, outer),
        };
        self.sink.couplings.push(HunkDependency {
            from,
            to: vec![to],
            rule: DependencyRule::Inside,
        });
    }

    pub(crate) fn hunk(
        &mut self,
        kind: HunkKind,
        old: Option<NodeId>,
        new: Option<NodeId>,
        place: HunkPosition,
    ) -> HunkId {
        let sides = self.sides;
        let node = new.map(|id| sides.new.node(id)).or(old.map(|id| sides.old.node(id)));
        let node = node.map_or("?", |node| Grammar::get().name(node.kind)).to_owned();
        self.sink.add(Hunk {
            kind,
            path: self.path.clone(),
            node,
            old_path: None,
            old: old.map(|id| sides.old.byte_range(id)),
            new: new.map(|id| sides.new.byte_range(id)),
            tokens: 0,
            is_layout: false,
            place,
        })
    }

    /// Creates a hunk that deletes or inserts a node.
    pub(crate) fn one_sided_hunk(
        &mut self,
        node: NodeId,
        version: Version,
        place: HunkPosition,
    ) -> HunkId {
        match version {
            Version::Old => self.hunk(HunkKind::Delete, Some(node), None, place),
            Version::New => self.hunk(HunkKind::Insert, None, Some(node), place),
        }
    }

    /// Creates the list of a node's children, if they have separators.
    pub(crate) fn list(&mut self, parents: &[(Version, NodeId)]) -> Option<ListId> {
        let sides = self.sides;
        let mark = parents
            .iter()
            .find_map(|(version, parent)| separator(sides.source(*version), *parent))?;
        self.lists.push(mark);
        Some(self.lists.len() - 1)
    }

    /// Puts the separator of a list's element, and marks where the element begins.
    pub(crate) fn separate(
        &mut self,
        old: Option<ChildItem>,
        new: Option<ChildItem>,
        presence: ConditionId,
        list: ListId,
    ) {
        let sides = self.sides;
        let first_token = |version: Version, item: Option<ChildItem>| {
            let separator = item.and_then(|item| item.separator)?;
            Some(sides.source(version).node(separator).tokens.start)
        };
        let (old, new) = (first_token(Version::Old, old), first_token(Version::New, new));
        if let (Some(old), Some(new)) = (old, new) {
            self.owners.kept[old] = Some(new);
        }
        self.laid.push(Fragment { old, new, presence, role: FragmentRole::Separator(list) });
        self.laid.push(Fragment {
            old: None,
            new: None,
            presence,
            role: FragmentRole::Element(list),
        });
    }

    /// Returns the pieces added since `first`, under a condition of `hunk` that began at `presence`.
    pub(crate) fn template(
        &self,
        first: usize,
        presence: ConditionId,
        hunk: HunkId,
    ) -> MoveTemplate {
        let pieces = self.laid[first..].to_vec();
        MoveTemplate { pieces, presences: presence..self.presences.len(), hunk }
    }

    /// Repeats a template under the opposite switch of its hunk.
    pub(crate) fn put_again(
        &mut self,
        template: &MoveTemplate,
        parent: ConditionId,
        version: Version,
    ) {
        let base = template.presences.start;
        let offset = self.presences.len() - base;
        let shift = |id: ConditionId| if id >= base { id + offset } else { id };
        for id in template.presences.clone() {
            let presence = self.presences[id];
            if id == base {
                self.require(parent, template.hunk, version);
            } else {
                self.presences
                    .push(PresenceCondition { parent: shift(presence.parent), ..presence });
            }
        }
        let copies = template
            .pieces
            .iter()
            .map(|piece| Fragment { presence: shift(piece.presence), ..*piece });
        self.laid.extend(copies);
    }
}
