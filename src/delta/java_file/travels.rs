//! What stands in another file in the other version: one hunk takes it there, and others change it.

use super::pieces::{Owners, Pieces};
use super::take_apart;
use crate::delta::hunk::{Coupling, Hunk, HunkId, HunkKind, Place, Rule};
use crate::delta::matching::sides::{Sides, Sources, Version};
use crate::delta::matching::travel::{Stop, travels};
use crate::delta::merged::{Guest, Merged, PresenceId};
use crate::delta::sink::Sink;
use crate::java::{Grammar, Node, NodeId, Source};
use crate::model::{FileChange, RepoPath};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Everything that changes its file.
#[derive(Debug, Default)]
pub(in crate::delta) struct Travels {
    list: Vec<Travel>,
    by_file: HashMap<(Version, usize), HashMap<NodeId, usize>>,
}

/// Something that stands in one file of the old version and in another of the new one.
#[derive(Debug)]
struct Travel {
    hunk: HunkId,
    change: Option<Change>,
}

/// What becomes of something on its way to another file.
#[derive(Debug)]
struct Change {
    merged: Arc<Merged>,
    /// What each token comes or goes with, by version.
    owners: [Vec<HunkId>; 2],
    passage: Passage,
}

/// Something that changes on its way from one file to another.
#[derive(Clone, Debug)]
pub(in crate::delta) struct Passage {
    /// Takes it there.
    pub(in crate::delta) hunk: HunkId,
    /// The file of the old and that of the new version.
    pub(in crate::delta) paths: Arc<(RepoPath, RepoPath)>,
    /// The hunks that change it.
    pub(in crate::delta) inner: Range<HunkId>,
    /// Those of the old file's tokens that stay, with what they are in the new file.
    pub(in crate::delta) kept: Vec<(usize, usize)>,
}

impl Travels {
    /// Finds what changes its file, and takes that apart.
    pub(in crate::delta) fn of(files: &[Sources], changes: &[FileChange], sink: &mut Sink) -> Self {
        let mut found = Self::default();
        for (old, new) in travels(files) {
            let from = files[old.file].of(Version::Old).map(|source| source.part(old.node));
            let to = files[new.file].of(Version::New).map(|source| source.part(new.node));
            let (Some(from), Some(to)) = (from, to) else { continue };
            let (Some((path, _)), Some((new_path, _))) =
                (&changes[old.file].old, &changes[new.file].new)
            else {
                continue;
            };
            let sides = Sides { old: &from, new: &to };
            let paths = (path.clone(), new_path.clone());
            let start = |version, Stop { file, node }: Stop| {
                files[file].of(version).map_or(0, |source| source.node(node).tokens.start)
            };
            let starts = (start(Version::Old, old), start(Version::New, new));
            for (version, Stop { file, node }) in [(Version::Old, old), (Version::New, new)] {
                found.by_file.entry((version, file)).or_default().insert(node, found.list.len());
            }
            found.list.push(Travel::of(sides, starts, paths, new.file, sink));
        }
        found
    }

    /// What changes on its way.
    pub(in crate::delta) fn passages(&self) -> Vec<Passage> {
        let changes = self.list.iter().filter_map(|travel| travel.change.as_ref());
        changes.map(|change| change.passage.clone()).collect()
    }
}

impl Travel {
    /// Takes apart what begins at these tokens of the two files; `file` is the one that it comes to.
    fn of(
        sides: Sides<'_>,
        starts: (usize, usize),
        paths: (RepoPath, RepoPath),
        file: usize,
        sink: &mut Sink,
    ) -> Self {
        let place = Place { file, member: sink.next_place(), statement: sink.next_place() };
        let hunk = sink.add(Hunk {
            kind: HunkKind::Move,
            path: paths.1.clone(),
            node: Grammar::get().name(sides.new.node(0).kind).to_owned(),
            old_path: Some(paths.0.clone()),
            old: Some(sides.old.byte_range(0)),
            new: Some(sides.new.byte_range(0)),
            tokens: 0,
            is_layout: false,
            place,
        });
        if sides.are_equal(0, 0) {
            return Self { hunk, change: None };
        }
        let first = sink.hunks.len();
        let nothing = Travels::default();
        let here = Away { travels: &nothing, file, is_mirrored: false };
        let (merged, owners) = take_apart(&paths.1, sides, here, sink);
        for inner in &mut sink.hunks[first..] {
            inner.old_path = inner.old.is_some().then(|| paths.0.clone());
        }
        couple(hunk, sides, &owners, sink);
        let inner = first..sink.hunks.len();
        let Owners { old, new, kept: twins, .. } = owners;
        let kept = twins.into_iter().enumerate();
        let kept = kept.filter_map(|(old, new)| Some((starts.0 + old, starts.1 + new?))).collect();
        let owners = [old, new].map(|of| of.into_iter().map(|own| own.unwrap_or(hunk)).collect());
        let count = |owners: &Vec<HunkId>| owners.iter().filter(|owner| **owner == hunk).count();
        sink.hunks[hunk].tokens = owners.iter().map(count).sum::<usize>() as u64;
        let passage = Passage { hunk, paths: Arc::new(paths), inner, kept };
        Self { hunk, change: Some(Change { merged: Arc::new(merged), owners, passage }) }
    }
}

/// Couples what changes on the way with the move: the heads of declarations, which others see, change with
/// it; a name that only the new version has is known in the new place, and one that only the old version has
/// in the old place. Anything else is taken to mean the same in either.
fn couple(travel: HunkId, sides: Sides<'_>, owners: &Owners, sink: &mut Sink) {
    let names = [names(sides.old), names(sides.new)];
    let mut needs: BTreeSet<Coupling> = BTreeSet::new();
    for (version, owners) in [(Version::Old, &owners.old), (Version::New, &owners.new)] {
        let source = sides.of(version);
        let known: HashSet<&Name<'_>> = names[version.other() as usize].values().collect();
        for (token, owner) in owners.iter().enumerate() {
            let Some(owner) = *owner else { continue };
            let is_head = !is_inside(source, token);
            let name = names[version as usize].get(&token);
            let is_strange = name.is_some_and(|name| !known.contains(name));
            if is_head || (is_strange && version == Version::New) {
                needs.insert(Coupling { from: owner, to: vec![travel], rule: Rule::Definition });
            }
            if is_head || (is_strange && version == Version::Old) {
                needs.insert(Coupling { from: travel, to: vec![owner], rule: Rule::Use });
            }
        }
    }
    sink.couplings.extend(needs);
}

/// A name, with whether it is selected from something and whether it is called.
type Name<'a> = (&'a [u8], bool, bool);

/// The names among the tokens of a source.
fn names(source: &Source) -> HashMap<usize, Name<'_>> {
    let grammar = Grammar::get();
    let kinds = ["identifier", "type_identifier"].map(|name| grammar.kind(name));
    let text = |token: Option<usize>| {
        token.filter(|token| *token < source.tokens().len()).map(|token| source.token(token))
    };
    let nodes = source.nodes().iter().filter(|node| kinds.contains(&node.kind));
    let name = |node: &Node| {
        let token = node.tokens.start;
        let is_selected = matches!(text(token.checked_sub(1)), Some(b"." | b"::"));
        let is_called = text(Some(token + 1)) == Some(b"(");
        (token, (source.token(token), is_selected, is_called))
    };
    nodes.map(name).collect()
}

/// Whether a token of a declaration lies in its body or value.
fn is_inside(source: &Source, token: usize) -> bool {
    let grammar = Grammar::get();
    let fields = [grammar.field("body"), grammar.field("value")];
    let holds = |id: &NodeId| source.node(*id).tokens.contains(&token);
    let part = |id: NodeId| source.children(id).find(holds);
    let declarator = grammar.field("declarator");
    let inner = part(0).and_then(|id| {
        let node = source.node(id);
        if node.field == declarator { part(id) } else { Some(id) }
    });
    inner.is_some_and(|id| fields.contains(&source.node(id).field))
}

/// What goes from a file to others, and comes into it.
#[derive(Clone, Copy)]
pub(in crate::delta) struct Away<'a> {
    pub(in crate::delta) travels: &'a Travels,
    pub(in crate::delta) file: usize,
    /// Whether what is called the old version is the new one.
    pub(in crate::delta) is_mirrored: bool,
}

impl Away<'_> {
    fn real(&self, version: Version) -> Version {
        if self.is_mirrored { version.other() } else { version }
    }

    fn travel(&self, version: Version, node: NodeId) -> Option<&Travel> {
        let nodes = self.travels.by_file.get(&(self.real(version), self.file))?;
        Some(&self.travels.list[*nodes.get(&node)?])
    }

    /// What has no counterpart in this file because it is in another one, by version.
    pub(in crate::delta) fn nodes(&self) -> [HashSet<NodeId>; 2] {
        [Version::Old, Version::New].map(|version| {
            let of_file = self.travels.by_file.get(&(self.real(version), self.file));
            of_file.into_iter().flat_map(|nodes| nodes.keys().copied()).collect()
        })
    }

    pub(in crate::delta) fn holds(&self, version: Version, node: NodeId) -> bool {
        self.travel(version, node).is_some()
    }

    /// The hunk that takes something from its one file to the other.
    pub(in crate::delta) fn hunk(&self, version: Version, node: NodeId) -> Option<HunkId> {
        self.travel(version, node).map(|travel| travel.hunk)
    }

    /// Puts down what stands in another file in the other version, where `presence` holds.
    pub(in crate::delta) fn put(
        &self,
        version: Version,
        node: NodeId,
        presence: PresenceId,
        out: &mut Pieces<'_>,
    ) {
        let Some(Travel { hunk, change }) = self.travel(version, node) else { return };
        let Some(Change { merged, owners, passage }) = change else {
            out.own_all(version, node, *hunk, presence);
            return;
        };
        let owners = &owners[self.real(version) as usize];
        let (merged, paths) = (Arc::clone(merged), Arc::clone(&passage.paths));
        let guest = Guest { merged, paths, tokens: owners.len() };
        out.host(version, node, (guest, owners), presence);
    }
}
