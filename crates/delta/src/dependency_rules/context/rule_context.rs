//! Both versions' facts together with the hunks that lead from the one to the other.

use crate::dependencies::name_dependencies::{IndexedFile, Version};
use crate::dependency_rules::context::edited_move_index::EditedMoveIndex;
use crate::dependency_rules::context::enclosing_scopes::EnclosingScopes;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeCategory, NodeRef, VERSIONS};
use crate::hunk::{Hunk, HunkId, HunkKind};
use crate::java_file::cross_file_moves::EditedMove;
use mend_java::facts::{
    AttributedNode, AttributedTree, NodeIndex, NodeKind, NodeRole, SemanticModel, SymbolId,
};
use mend_model::{FileChange, RepoPath};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

/// Data derived from one version.
pub(crate) struct VersionIndex<'a> {
    pub(crate) facts: &'a SemanticModel,
    /// The delta's file for each tree.
    files: Vec<Option<usize>>,
    /// The tree for each of the delta's files.
    by_file: HashMap<usize, usize>,
    /// The other version's tree for each tree.
    trees: Vec<Option<usize>>,
    /// Declaration of each symbol.
    pub(crate) declared: HashMap<SymbolId, NodeRef>,
    /// Enclosing scopes of each node of each tree.
    pub(crate) around: Vec<EnclosingScopes>,
    /// Nodes by their anchor byte and the first letter of their kind's sort.
    by_anchor: HashMap<(usize, usize, NodeCategory), NodeIndex>,
    pub(crate) twins: Vec<Option<SymbolId>>,
    /// The kept tokens of this version with those of the other, by file of the delta.
    kept: HashMap<usize, Vec<Option<usize>>>,
}

pub(crate) struct RuleContext<'a> {
    pub(crate) files: &'a [IndexedFile],
    pub(crate) hunks: &'a [Hunk],
    pub(crate) old: VersionIndex<'a>,
    pub(crate) new: VersionIndex<'a>,
    /// The moves from and to places in each file, outer ones first.
    moves: HashMap<(Version, usize), Vec<HunkId>>,
    passages: EditedMoveIndex<'a>,
    /// Cache of [`RuleContext::causes`], with the current depth.
    pub(crate) causes: RefCell<HashMap<NodeRef, HunkSet>>,
    pub(crate) depth: Cell<usize>,
    /// Cache of [`RuleContext::path_hunks`].
    pub(crate) paths: RefCell<HashMap<(Version, SymbolId, SymbolId), HunkSet>>,
}

impl<'a> RuleContext<'a> {
    pub(crate) fn new(
        changes: &[FileChange],
        files: &'a [IndexedFile],
        hunks: &'a [Hunk],
        passages: &'a [EditedMove],
        old: &'a SemanticModel,
        new: &'a SemanticModel,
    ) -> Self {
        let renamed: HashMap<&RepoPath, &RepoPath> = changes
            .iter()
            .filter_map(|change| Some((&change.old.as_ref()?.0, &change.new.as_ref()?.0)))
            .collect();
        let back: HashMap<&RepoPath, &RepoPath> = renamed.iter().map(|(a, b)| (*b, *a)).collect();
        let passages = EditedMoveIndex::new(passages, files);
        let moves = moves(files, hunks, &passages);
        let mut world = Self {
            files,
            hunks,
            old: VersionIndex::new(Version::Old, old, new, files, &renamed),
            new: VersionIndex::new(Version::New, new, old, files, &back),
            moves,
            passages,
            causes: RefCell::default(),
            depth: Cell::default(),
            paths: RefCell::default(),
        };
        world.pair();
        world
    }

    pub(crate) fn side(&self, version: Version) -> &VersionIndex<'a> {
        match version {
            Version::Old => &self.old,
            Version::New => &self.new,
        }
    }

    pub(crate) fn facts(&self, version: Version) -> &'a SemanticModel {
        self.side(version).facts
    }

    pub(crate) fn tree(&self, at: NodeRef) -> &'a AttributedTree {
        &self.facts(at.version).trees()[at.tree]
    }

    pub(crate) fn node(&self, at: NodeRef) -> &'a AttributedNode {
        &self.tree(at).nodes[at.node]
    }

    pub(crate) fn kind(&self, at: NodeRef) -> NodeKind {
        self.node(at).kind
    }

    pub(crate) fn children(&self, at: NodeRef) -> Vec<NodeRef> {
        self.tree(at).children(at.node).map(|node| at.with_node(node)).collect()
    }

    pub(crate) fn child(&self, at: NodeRef, role: NodeRole) -> Option<NodeRef> {
        self.tree(at).child(at.node, role).map(|node| at.with_node(node))
    }

    pub(crate) fn parent(&self, at: NodeRef) -> NodeRef {
        at.with_node(self.node(at).parent)
    }

    pub(crate) fn ancestors(&self, at: NodeRef) -> impl Iterator<Item = NodeRef> + '_ {
        self.tree(at).ancestors(at.node).map(move |node| at.with_node(node))
    }

    /// Returns all nodes of a version in files that the delta changes.
    pub(crate) fn changed_nodes(&self, version: Version) -> impl Iterator<Item = NodeRef> + '_ {
        let side = self.side(version);
        (0..side.facts.trees().len())
            .filter(|tree| side.files[*tree].is_some())
            .flat_map(move |tree| self.tree_nodes(version, tree))
    }

    /// Returns all nodes of a version.
    pub(crate) fn all_nodes(&self, version: Version) -> impl Iterator<Item = NodeRef> + '_ {
        (0..self.facts(version).trees().len()).flat_map(move |tree| self.tree_nodes(version, tree))
    }

    fn tree_nodes(&self, version: Version, tree: usize) -> impl Iterator<Item = NodeRef> + use<> {
        let length = self.facts(version).trees()[tree].nodes.len();
        (0..length).map(move |node| NodeRef { version, tree, node })
    }

    pub(crate) fn paired_tree(&self, version: Version, tree: usize) -> Option<usize> {
        self.side(version).trees[tree]
    }

    pub(crate) fn is_file_changed(&self, at: NodeRef) -> bool {
        self.side(at.version).files[at.tree].is_some()
    }

    pub(crate) fn text_of(&self, version: Version, tree: usize) -> Option<&'a [u8]> {
        let file = self.side(version).files[tree]?;
        self.files[file].side(version).map(|side| &*side.text)
    }

    fn token(
        &self,
        version: Version,
        tree: usize,
        byte: usize,
    ) -> Option<(&'a IndexedFile, usize)> {
        let file = &self.files[self.side(version).files[tree]?];
        let tokens = &file.side(version)?.tokens;
        let token = tokens.partition_point(|token| token.end <= byte);
        tokens.get(token).filter(|range| range.contains(&byte)).map(|_| (file, token))
    }

    /// Returns the hunk that inserts or deletes the token at an offset.
    pub(crate) fn owner(&self, version: Version, tree: usize, byte: usize) -> Option<HunkId> {
        let (file, token) = self.token(version, tree, byte)?;
        self.owner_in(file, version, token)
    }

    /// Returns the hunk without which (new) or with which (old) the token at an offset is not in this file.
    pub(crate) fn bearer(&self, version: Version, tree: usize, byte: usize) -> Option<HunkId> {
        let (file, token) = self.token(version, tree, byte)?;
        file.owner(version, token)
    }

    /// Returns the same for the anchor token of a node. Its identity in its file and class counts as absent from the
    /// other version.
    pub(crate) fn bearer_of(&self, at: NodeRef) -> Option<HunkId> {
        self.bearer(at.version, at.tree, self.anchor(at))
    }

    /// Returns the hunk that inserts or deletes a token. A hunk that takes the token to another file moves it.
    fn owner_in(&self, file: &IndexedFile, version: Version, token: usize) -> Option<HunkId> {
        file.owner(version, token).filter(|hunk| !self.passages.takes(*hunk))
    }

    /// Returns the hunk that owns the anchor token of a node.
    pub(crate) fn owner_of(&self, at: NodeRef) -> Option<HunkId> {
        self.owner(at.version, at.tree, self.anchor(at))
    }

    /// Returns true if inserted code precedes deleted code at the same place.
    pub(crate) fn new_comes_first(&self, at: NodeRef) -> bool {
        let file = self.side(at.version).files[at.tree].map(|file| &self.files[file]);
        file.is_some_and(IndexedFile::new_comes_first)
    }

    /// Returns all hunks that insert or delete tokens in a byte range.
    pub(crate) fn owners(&self, at: NodeRef, bytes: Range<usize>) -> HunkSet {
        let Some(file) = self.side(at.version).files[at.tree].map(|file| &self.files[file]) else {
            return HunkSet::new();
        };
        let Some(side) = file.side(at.version) else { return HunkSet::new() };
        let first = side.tokens.partition_point(|token| token.end <= bytes.start);
        let inside = side.tokens[first..].iter().take_while(|token| token.start < bytes.end);
        (first..)
            .zip(inside)
            .filter_map(|(token, _)| self.owner_in(file, at.version, token))
            .collect()
    }

    /// Returns all hunks that insert or delete tokens of a node.
    pub(crate) fn owners_of(&self, at: NodeRef) -> HunkSet {
        self.owners(at, self.node(at).bytes.clone())
    }

    /// Returns the hunks of the tokens in a byte range that are one of `words`.
    pub(crate) fn word_owners(&self, at: NodeRef, bytes: Range<usize>, words: &[&str]) -> HunkSet {
        let Some(file) = self.side(at.version).files[at.tree].map(|file| &self.files[file]) else {
            return HunkSet::new();
        };
        let Some(side) = file.side(at.version) else { return HunkSet::new() };
        let first = side.tokens.partition_point(|token| token.end <= bytes.start);
        let inside = side.tokens[first..].iter().take_while(|token| token.start < bytes.end);
        (first..)
            .zip(inside)
            .filter(|(_, token)| {
                words.iter().any(|word| word.as_bytes() == &side.text[(*token).clone()])
            })
            .filter_map(|(token, _)| self.owner_in(file, at.version, token))
            .collect()
    }

    /// Returns the place in the other version of the token that replaces this one.
    fn replaced(&self, version: Version, tree: usize, byte: usize) -> Option<(usize, usize)> {
        let side = self.side(version);
        let (file, token) = self.token(version, tree, byte)?;
        let owner = file.owner(version, token)?;
        let hunk = &self.hunks[owner];
        let here = side.files[tree]?;
        let there = self.passages.other_file(version, here, owner);
        let other = if here == there {
            side.trees[tree]?
        } else {
            *self.side(version.opposite()).by_file.get(&there)?
        };
        let files = [(version, file), (version.opposite(), self.files.get(there)?)];
        let (old, new) = (hunk.old.clone()?, hunk.new.clone()?);
        let (here, there) = if version == Version::Old { (old, new) } else { (new, old) };
        let is_token = |((version, file), range): ((Version, &IndexedFile), &Range<usize>)| {
            file.side(version).is_some_and(|side| {
                let at = side.tokens.partition_point(|token| token.start < range.start);
                side.tokens.get(at) == Some(range)
            })
        };
        let is_whole = hunk.kind == HunkKind::Relabel
            && here.start == byte
            && files.into_iter().zip([&here, &there]).all(is_token);
        is_whole.then_some((other, there.start))
    }

    /// Returns the corresponding place in the other version, if its token is kept or replaced.
    pub(crate) fn twin_place(
        &self,
        version: Version,
        tree: usize,
        byte: usize,
    ) -> Option<(usize, usize)> {
        let side = self.side(version);
        let Some(file) = side.files[tree] else { return Some((side.trees[tree]?, byte)) };
        let (named, token) = self.token(version, tree, byte)?;
        let (other, there, twin) =
            if let Some((there, twin)) = self.passages.twin(version, (file, token)) {
                (*self.side(version.opposite()).by_file.get(&there)?, self.files.get(there)?, twin)
            } else if let Some(twin) = side.kept.get(&file)?.get(token).copied().flatten() {
                (side.trees[tree]?, named, twin)
            } else {
                return self.replaced(version, tree, byte);
            };
        let range = &there.side(version.opposite())?.tokens[twin];
        Some((other, range.start + (byte - named.side(version)?.tokens[token].start)))
    }

    /// Returns the node of the other version whose anchor corresponds to the kept anchor of this node.
    pub(crate) fn twin(&self, at: NodeRef) -> Option<NodeRef> {
        let (tree, byte) = self.twin_place(at.version, at.tree, self.anchor(at))?;
        let version = at.version.opposite();
        let node = *self.side(version).by_anchor.get(&(tree, byte, self.sort(at)))?;
        Some(NodeRef { version, tree, node })
    }

    pub(crate) fn twin_symbol(&self, version: Version, symbol: SymbolId) -> Option<SymbolId> {
        self.side(version).twins[symbol]
    }

    pub(crate) fn anchor(&self, at: NodeRef) -> usize {
        anchor(self.tree(at), at.node)
    }

    pub(crate) fn sort(&self, at: NodeRef) -> NodeCategory {
        sort(self.kind(at))
    }

    /// Returns the innermost move that includes a node's anchor.
    pub(crate) fn mover(&self, at: NodeRef) -> Option<HunkId> {
        let byte = self.anchor(at);
        let file = self.side(at.version).files[at.tree]?;
        self.moves.get(&(at.version, file))?.iter().copied().rfind(|hunk| {
            let hunk = &self.hunks[*hunk];
            let range = if at.version == Version::Old { &hunk.old } else { &hunk.new };
            range.as_ref().is_some_and(|range| range.contains(&byte))
        })
    }

    /// Returns the hunk that inserts, deletes or moves a node, and so decides its presence here.
    pub(crate) fn placer(&self, at: NodeRef) -> Option<HunkId> {
        self.owner_of(at).or_else(|| self.mover(at))
    }

    /// Returns the moves to and from places in a node's byte range.
    pub(crate) fn movers_within(&self, at: NodeRef) -> HunkSet {
        let inside = (at.node..self.node(at).end).map(|node| at.with_node(node));
        if self.moves.is_empty() {
            HunkSet::new()
        } else {
            inside.filter_map(|at| self.mover(at)).collect()
        }
    }
}

impl<'a> VersionIndex<'a> {
    fn new(
        version: Version,
        facts: &'a SemanticModel,
        other: &'a SemanticModel,
        files: &'a [IndexedFile],
        renamed: &HashMap<&RepoPath, &RepoPath>,
    ) -> Self {
        let by_path: HashMap<&RepoPath, usize> = files
            .iter()
            .enumerate()
            .filter_map(|(at, file)| Some((&file.side(version)?.path, at)))
            .collect();
        let other_trees: HashMap<&RepoPath, usize> =
            other.trees().iter().enumerate().map(|(at, tree)| (&tree.path, at)).collect();
        let mut side = Self {
            facts,
            files: facts.trees().iter().map(|tree| by_path.get(&tree.path).copied()).collect(),
            by_file: HashMap::new(),
            trees: Vec::new(),
            declared: HashMap::new(),
            around: Vec::new(),
            by_anchor: HashMap::new(),
            twins: vec![None; facts.symbols().len()],
            kept: HashMap::new(),
        };
        let trees = side.files.iter().enumerate();
        side.by_file = trees.filter_map(|(tree, file)| Some(((*file)?, tree))).collect();
        for tree in facts.trees() {
            let path = renamed.get(&tree.path).copied().unwrap_or(&tree.path);
            side.trees.push(other_trees.get(path).copied());
        }
        for (at, file) in files.iter().enumerate() {
            side.kept.insert(at, kept(file, version));
        }
        side.index(version);
        side.around = EnclosingScopes::for_all_trees(version, facts, &side.declared);
        side
    }

    fn index(&mut self, version: Version) {
        for (at, tree) in self.facts.trees().iter().enumerate() {
            for (node, one) in tree.nodes.iter().enumerate() {
                let sort = sort(one.kind);
                let key = (at, anchor(tree, node), sort);
                self.by_anchor.entry(key).or_insert(node);
                if let (NodeCategory::Declaration, Some(symbol)) = (sort, one.symbol) {
                    self.declared.entry(symbol).or_insert(NodeRef { version, tree: at, node });
                }
            }
        }
        for (id, symbol) in self.facts.symbols().iter().enumerate() {
            let Some(place) = symbol.place else { continue };
            let key = (place.tree, place.byte, NodeCategory::Declaration);
            if let (Some(node), false) = (self.by_anchor.get(&key), self.declared.contains_key(&id))
            {
                self.declared.insert(id, NodeRef { version, tree: place.tree, node: *node });
            }
        }
    }
}

/// Returns the moves from and to places in each file, outer ones first.
fn moves(
    files: &[IndexedFile],
    hunks: &[Hunk],
    passages: &EditedMoveIndex<'_>,
) -> HashMap<(Version, usize), Vec<HunkId>> {
    let mut by_path: HashMap<&RepoPath, Vec<HunkId>> = HashMap::new();
    for (id, hunk) in hunks.iter().enumerate().filter(|(_, one)| one.moves_within_a_file()) {
        by_path.entry(&hunk.path).or_default().push(id);
    }
    let mut moves = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        let side = file.side(Version::New).or(file.side(Version::Old));
        let within = side.and_then(|side| by_path.get(&side.path)).map_or(&[][..], Vec::as_slice);
        for version in VERSIONS {
            let all: Vec<HunkId> =
                passages.hunks(version, at).chain(within.iter().copied()).collect();
            moves.insert((version, at), all);
        }
    }
    moves
}

fn kept(file: &IndexedFile, version: Version) -> Vec<Option<usize>> {
    let (Some(old), Some(new)) = (file.side(Version::Old), file.side(Version::New)) else {
        return Vec::new();
    };
    let forward: Vec<_> = (0..old.tokens.len()).map(|token| file.kept(token)).collect();
    if version == Version::Old {
        return forward;
    }
    let mut back = vec![None; new.tokens.len()];
    for (at, twin) in forward.iter().enumerate() {
        if let Some(twin) = twin {
            back[*twin] = Some(at);
        }
    }
    back
}

fn sort(kind: NodeKind) -> NodeCategory {
    match kind {
        NodeKind::Method | NodeKind::Variable | NodeKind::TypeParameter => {
            NodeCategory::Declaration
        }
        kind if kind.is_type_declaration() => NodeCategory::Declaration,
        NodeKind::Identifier | NodeKind::MemberSelect | NodeKind::MemberReference => {
            NodeCategory::Reference
        }
        NodeKind::MethodInvocation | NodeKind::NewClass => NodeCategory::Call,
        NodeKind::Assignment => NodeCategory::Assignment,
        NodeKind::ImpliedClose => NodeCategory::ImplicitClose,
        NodeKind::Return
        | NodeKind::Throw
        | NodeKind::If
        | NodeKind::Block
        | NodeKind::Try
        | NodeKind::Switch
        | NodeKind::Break
        | NodeKind::Continue
        | NodeKind::Catch
        | NodeKind::Synchronized
        | NodeKind::LabeledStatement
        | NodeKind::Case => NodeCategory::Statement,
        kind if kind.is_loop() => NodeCategory::Statement,
        _ => NodeCategory::Other,
    }
}

fn anchor(tree: &AttributedTree, node: NodeIndex) -> usize {
    match tree.nodes[node].kind {
        NodeKind::MethodInvocation => tree
            .child(node, NodeRole::Callee)
            .map_or(tree.nodes[node].bytes.start, |callee| tree.anchor(callee)),
        NodeKind::Assignment => tree
            .child(node, NodeRole::Target)
            .map_or(tree.nodes[node].bytes.start, |target| tree.anchor(target)),
        _ => tree.anchor(node),
    }
}
