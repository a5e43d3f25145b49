//! What leaves one file and comes into another: members and types that are equal token for token.

use super::sides::{Sources, Version};
use crate::delta::hunk::{Hunk, HunkId, HunkKind, Place};
use crate::delta::sink::Sink;
use crate::java::{Grammar, NodeId, Source};
use crate::model::RepoPath;
use std::collections::{HashMap, HashSet};

/// Less than this many tokens in another file are no move, but coincidence.
const LEAST_MOVE: usize = 12;

/// A declaration in one version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stop {
    file: usize,
    node: NodeId,
}

/// Something that stands in one file of the old version and in another of the new one.
#[derive(Debug)]
struct Travel {
    old: Stop,
    new: Stop,
    /// What switches it, as soon as one of its places has been put down.
    hunk: Option<HunkId>,
}

/// Everything that changes its file.
#[derive(Debug, Default)]
pub(in crate::delta) struct Travels {
    all: Vec<Travel>,
    by_file: HashMap<(Version, usize), HashMap<NodeId, usize>>,
}

impl Travels {
    /// Pairs what is in one place only in either version of all files, the largest first.
    pub(in crate::delta) fn of(files: &[Sources]) -> Self {
        let gone = only(files, Version::Old);
        let come = only(files, Version::New);
        let pair = |(key, old): (Key, Option<Stop>)| Some((key.1, old?, (*come.get(&key)?)?));
        let mut pairs: Vec<(usize, Stop, Stop)> = gone.into_iter().filter_map(pair).collect();
        // The same order for the way back.
        pairs.sort_by_key(|(tokens, old, new)| {
            (usize::MAX - tokens, (*old).min(*new), (*old).max(*new))
        });
        let mut travels = Self::default();
        for (_, old, new) in pairs {
            let stops = [(Version::Old, old), (Version::New, new)];
            if stops.iter().any(|(version, stop)| travels.holds(files, *version, *stop)) {
                continue;
            }
            for (version, stop) in stops {
                let of_file = travels.by_file.entry((version, stop.file)).or_default();
                of_file.insert(stop.node, travels.all.len());
            }
            travels.all.push(Travel { old, new, hunk: None });
        }
        travels
    }

    /// Whether something lies in what travels already.
    fn holds(&self, files: &[Sources], version: Version, stop: Stop) -> bool {
        let Some(source) = files[stop.file].of(version) else { return false };
        source.ancestors(stop.node).any(|outer| self.at(version, stop.file, outer).is_some())
    }

    fn at(&self, version: Version, file: usize, node: NodeId) -> Option<usize> {
        self.by_file.get(&(version, file))?.get(&node).copied()
    }
}

/// What goes from a file to others, and comes into it.
pub(in crate::delta) struct Away<'a> {
    pub(in crate::delta) travels: &'a mut Travels,
    pub(in crate::delta) sources: &'a [Sources],
    /// The name of each file, the new one where it has two.
    pub(in crate::delta) paths: &'a [RepoPath],
    pub(in crate::delta) file: usize,
    /// Whether what is called the old version is the new one.
    pub(in crate::delta) is_mirrored: bool,
}

impl Away<'_> {
    fn real(&self, version: Version) -> Version {
        if self.is_mirrored { version.other() } else { version }
    }

    /// What has no counterpart in this file because it is in another one, by version.
    pub(in crate::delta) fn nodes(&self) -> [HashSet<NodeId>; 2] {
        [Version::Old, Version::New].map(|version| {
            let of_file = self.travels.by_file.get(&(self.real(version), self.file));
            of_file.into_iter().flat_map(|nodes| nodes.keys().copied()).collect()
        })
    }

    pub(in crate::delta) fn holds(&self, version: Version, node: NodeId) -> bool {
        self.travels.at(self.real(version), self.file, node).is_some()
    }

    /// The hunk that takes something from its one file to the other.
    pub(in crate::delta) fn hunk(
        &mut self,
        version: Version,
        node: NodeId,
        place: Place,
        sink: &mut Sink,
    ) -> Option<HunkId> {
        let at = self.travels.at(self.real(version), self.file, node)?;
        if let Some(hunk) = self.travels.all[at].hunk {
            return Some(hunk);
        }
        let Travel { old, new, .. } = self.travels.all[at];
        let source = self.sources[new.file].of(Version::New)?;
        let mut hunk = Hunk {
            kind: HunkKind::Move,
            path: self.paths[new.file].clone(),
            node: Grammar::get().name(source.node(new.node).kind).to_owned(),
            old_path: Some(self.paths[old.file].clone()),
            old: self.sources[old.file].of(Version::Old).map(|one| one.byte_range(old.node)),
            new: Some(source.byte_range(new.node)),
            tokens: 0,
            is_layout: false,
            place,
        };
        if self.is_mirrored {
            // The mirror turns it round once more.
            std::mem::swap(&mut hunk.old, &mut hunk.new);
        }
        let hunk = sink.add(hunk);
        self.travels.all[at].hunk = Some(hunk);
        Some(hunk)
    }
}

/// The hash of a declaration, and how many tokens it has.
type Key = (u64, usize);

/// The declarations of one version whose text is nowhere in the other version of their file; `None` for a
/// text that several have.
fn only(files: &[Sources], version: Version) -> HashMap<Key, Option<Stop>> {
    let mut stops: HashMap<Key, Option<Stop>> = HashMap::new();
    for (file, sources) in files.iter().enumerate() {
        let Some(source) = sources.of(version) else { continue };
        let kept: HashSet<u64> = sources
            .of(version.other())
            .into_iter()
            .flat_map(|other| declarations(other).into_iter().map(|id| other.node(id).hash))
            .collect();
        for node in declarations(source) {
            let one = source.node(node);
            if one.tokens.len() >= LEAST_MOVE && !kept.contains(&one.hash) {
                let stop = Stop { file, node };
                let key = (one.hash, one.tokens.len());
                stops.entry(key).and_modify(|stop| *stop = None).or_insert(Some(stop));
            }
        }
    }
    stops
}

/// Types and their members, but no constructors, as these belong to their class.
fn declarations(source: &Source) -> Vec<NodeId> {
    let grammar = Grammar::get();
    let bodies = ["program", "class_body", "interface_body", "enum_body_declarations"];
    let bodies = bodies.map(|name| grammar.kind(name));
    let kinds = [
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "method_declaration",
        "field_declaration",
        "constant_declaration",
    ];
    let kinds = kinds.map(|name| grammar.kind(name));
    let mut found = Vec::new();
    let mut next = 0;
    while let Some(node) = source.nodes().get(next) {
        let is_declaration = kinds.contains(&node.kind);
        if is_declaration && bodies.contains(&source.node(node.parent).kind) {
            found.push(next);
        }
        // What is declared in a method or a value is local.
        let is_closed = is_declaration && !super::signature::is_type(node.kind);
        next = if is_closed { node.end } else { next + 1 };
    }
    found
}
