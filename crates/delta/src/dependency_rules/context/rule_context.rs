//! Context of a dependency rule: compiler facts of both versions, and the hunks between them.

use crate::dependencies::name_dependencies::{IndexedFile, Version};
use crate::dependency_rules::context::edited_move_index::EditedMoveIndex;
use crate::dependency_rules::context::enclosing_scopes::EnclosingScopes;
use crate::dependency_rules::context::neutral_edits::find_type_neutral_hunks;
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
    /// File of the delta for each tree.
    file_by_tree: Vec<Option<usize>>,
    /// Tree for each file of the delta.
    tree_by_file: HashMap<usize, usize>,
    /// Tree of the other version for each tree.
    twin_trees: Vec<Option<usize>>,
    /// Declaration of each symbol.
    pub(crate) declarations: HashMap<SymbolId, NodeRef>,
    /// Enclosing scopes of each node of each tree.
    pub(crate) enclosing_scopes: Vec<EnclosingScopes>,
    /// Nodes by anchor byte and category.
    node_by_anchor: HashMap<(usize, usize, NodeCategory), NodeIndex>,
    pub(crate) twin_symbols: Vec<Option<SymbolId>>,
    /// Tokens of the other version for the kept tokens of this one, by file of the delta.
    twin_tokens: HashMap<usize, Vec<Option<usize>>>,
}

pub(crate) struct RuleContext<'a> {
    pub(crate) files: &'a [IndexedFile],
    pub(crate) hunks: &'a [Hunk],
    pub(crate) old: VersionIndex<'a>,
    pub(crate) new: VersionIndex<'a>,
    /// Moves from and to positions in each file, outer ones first.
    moves: HashMap<(Version, usize), Vec<HunkId>>,
    edited_moves: EditedMoveIndex<'a>,
    /// Hunks that replace one token by another with the same type and operands of the same types, or that rename a use
    /// with its declaration.
    type_neutral_hunks: HunkSet,
    /// Cache of [`RuleContext::type_causes`], with the current depth.
    pub(crate) type_cause_cache: RefCell<HashMap<NodeRef, HunkSet>>,
    pub(crate) recursion_depth: Cell<usize>,
    /// Cache of [`RuleContext::path_hunks`].
    pub(crate) path_cache: RefCell<HashMap<(Version, SymbolId, SymbolId), HunkSet>>,
}

impl<'a> RuleContext<'a> {
    pub(crate) fn new(
        changes: &[FileChange],
        files: &'a [IndexedFile],
        hunks: &'a [Hunk],
        edited_moves: &'a [EditedMove],
        old: &'a SemanticModel,
        new: &'a SemanticModel,
    ) -> Self {
        let new_paths: HashMap<&RepoPath, &RepoPath> = changes
            .iter()
            .filter_map(|change| Some((&change.old.as_ref()?.0, &change.new.as_ref()?.0)))
            .collect();
        let old_paths: HashMap<&RepoPath, &RepoPath> =
            new_paths.iter().map(|(a, b)| (*b, *a)).collect();
        let edited_moves = EditedMoveIndex::new(edited_moves, files);
        let moves = collect_moves(files, hunks, &edited_moves);
        let mut context = Self {
            files,
            hunks,
            old: VersionIndex::new(Version::Old, old, new, files, &new_paths),
            new: VersionIndex::new(Version::New, new, old, files, &old_paths),
            moves,
            edited_moves,
            type_neutral_hunks: find_type_neutral_hunks(files, hunks),
            type_cause_cache: RefCell::default(),
            recursion_depth: Cell::default(),
            path_cache: RefCell::default(),
        };
        context.match_symbols();
        let renamed_uses = context.find_renamed_uses();
        context.type_neutral_hunks.extend(renamed_uses);
        context
    }

    pub(crate) fn version_index(&self, version: Version) -> &VersionIndex<'a> {
        match version {
            Version::Old => &self.old,
            Version::New => &self.new,
        }
    }

    pub(crate) fn facts(&self, version: Version) -> &'a SemanticModel {
        self.version_index(version).facts
    }

    pub(crate) fn tree(&self, node: NodeRef) -> &'a AttributedTree {
        &self.facts(node.version).trees()[node.tree]
    }

    pub(crate) fn node(&self, node_ref: NodeRef) -> &'a AttributedNode {
        &self.tree(node_ref).nodes[node_ref.node]
    }

    pub(crate) fn kind(&self, node: NodeRef) -> NodeKind {
        self.node(node).kind
    }

    pub(crate) fn children(&self, node_ref: NodeRef) -> Vec<NodeRef> {
        self.tree(node_ref).children(node_ref.node).map(|node| node_ref.with_node(node)).collect()
    }

    pub(crate) fn child(&self, node_ref: NodeRef, role: NodeRole) -> Option<NodeRef> {
        self.tree(node_ref).child(node_ref.node, role).map(|node| node_ref.with_node(node))
    }

    pub(crate) fn parent(&self, node: NodeRef) -> NodeRef {
        node.with_node(self.node(node).parent)
    }

    pub(crate) fn ancestors(&self, node_ref: NodeRef) -> impl Iterator<Item = NodeRef> + '_ {
        self.tree(node_ref).ancestors(node_ref.node).map(move |node| node_ref.with_node(node))
    }

    /// Returns all nodes of a version in files that the delta changes.
    pub(crate) fn changed_nodes(&self, version: Version) -> impl Iterator<Item = NodeRef> + '_ {
        let side = self.version_index(version);
        (0..side.facts.trees().len())
            .filter(|tree| side.file_by_tree[*tree].is_some())
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

    pub(crate) fn twin_tree(&self, version: Version, tree: usize) -> Option<usize> {
        self.version_index(version).twin_trees[tree]
    }

    pub(crate) fn is_file_changed(&self, node: NodeRef) -> bool {
        self.version_index(node.version).file_by_tree[node.tree].is_some()
    }

    pub(crate) fn tree_text(&self, version: Version, tree: usize) -> Option<&'a [u8]> {
        let file = self.version_index(version).file_by_tree[tree]?;
        self.files[file].indexed_version(version).map(|side| &*side.text)
    }

    fn token_at(
        &self,
        version: Version,
        tree: usize,
        byte: usize,
    ) -> Option<(&'a IndexedFile, usize)> {
        let file = &self.files[self.version_index(version).file_by_tree[tree]?];
        let tokens = &file.indexed_version(version)?.tokens;
        let token = tokens.partition_point(|token| token.end <= byte);
        tokens.get(token).filter(|range| range.contains(&byte)).map(|_| (file, token))
    }

    /// Returns the hunk that inserts or deletes the token at an offset.
    pub(crate) fn token_owner(&self, version: Version, tree: usize, byte: usize) -> Option<HunkId> {
        let (file, token) = self.token_at(version, tree, byte)?;
        self.owner_in_file(file, version, token)
    }

    /// Returns the hunk that inserts (new) or deletes (old) the token at an offset, or moves it from or to another
    /// file.
    pub(crate) fn token_owner_or_edited_move(
        &self,
        version: Version,
        tree: usize,
        byte: usize,
    ) -> Option<HunkId> {
        let (file, token) = self.token_at(version, tree, byte)?;
        file.token_owner(version, token)
    }

    /// Returns the owner of a node's anchor token as [`Self::token_owner_or_edited_move`] does: a node that moves to
    /// another file is absent from the other version of its own file.
    pub(crate) fn node_owner_or_edited_move(&self, node: NodeRef) -> Option<HunkId> {
        self.token_owner_or_edited_move(node.version, node.tree, self.anchor(node))
    }

    /// Returns the hunk that inserts or deletes a token. A hunk that moves the token to another file does not count.
    fn owner_in_file(&self, file: &IndexedFile, version: Version, token: usize) -> Option<HunkId> {
        file.token_owner(version, token).filter(|hunk| !self.edited_moves.is_edited_move(*hunk))
    }

    /// Returns the hunk that owns the anchor token of a node.
    pub(crate) fn node_owner(&self, node: NodeRef) -> Option<HunkId> {
        self.token_owner(node.version, node.tree, self.anchor(node))
    }

    /// Returns true if inserted code precedes deleted code at the same position.
    pub(crate) fn is_new_first(&self, node: NodeRef) -> bool {
        self.changed_file(node).is_some_and(IndexedFile::is_new_first)
    }

    /// Returns true if a hunk replaces one token by another with the same type and operands of the same types, or
    /// renames a use with its declaration.
    pub(crate) fn is_type_neutral(&self, hunk: HunkId) -> bool {
        self.type_neutral_hunks.contains(&hunk)
    }

    /// Returns all hunks that insert or delete tokens in a byte range.
    pub(crate) fn owners_in_range(&self, node: NodeRef, bytes: Range<usize>) -> HunkSet {
        self.token_owners_in_range(node, bytes, |_| true)
    }

    /// Returns all hunks that insert or delete tokens of a node.
    pub(crate) fn node_owners(&self, node: NodeRef) -> HunkSet {
        self.owners_in_range(node, self.node(node).bytes.clone())
    }

    /// Returns the hunks of the tokens in a byte range that are one of `words`.
    pub(crate) fn word_owners_in_range(
        &self,
        node: NodeRef,
        bytes: Range<usize>,
        words: &[&str],
    ) -> HunkSet {
        let is_word = |token: &[u8]| words.iter().any(|word| word.as_bytes() == token);
        self.token_owners_in_range(node, bytes, is_word)
    }

    /// Returns the hunks of the tokens in a byte range whose text a predicate accepts.
    fn token_owners_in_range(
        &self,
        node: NodeRef,
        bytes: Range<usize>,
        accepts: impl Fn(&[u8]) -> bool,
    ) -> HunkSet {
        let Some(file) = self.changed_file(node) else { return HunkSet::new() };
        let Some(side) = file.indexed_version(node.version) else { return HunkSet::new() };
        let first = side.tokens.partition_point(|token| token.end <= bytes.start);
        let tokens_in_range =
            side.tokens[first..].iter().take_while(|token| token.start < bytes.end);
        (first..)
            .zip(tokens_in_range)
            .filter(|(_, token)| accepts(&side.text[(*token).clone()]))
            .filter_map(|(token, _)| self.owner_in_file(file, node.version, token))
            .collect()
    }

    /// Returns the file of a node, if the change contains it.
    fn changed_file(&self, node: NodeRef) -> Option<&IndexedFile> {
        let file = self.version_index(node.version).file_by_tree[node.tree]?;
        Some(&self.files[file])
    }

    /// Returns the position in the other version of the token that replaces this one.
    fn replacement_position(
        &self,
        version: Version,
        tree: usize,
        byte: usize,
    ) -> Option<(usize, usize)> {
        let side = self.version_index(version);
        let (file, token) = self.token_at(version, tree, byte)?;
        let owner = file.token_owner(version, token)?;
        let hunk = &self.hunks[owner];
        let own_file = side.file_by_tree[tree]?;
        let twin_file = self.edited_moves.other_file(version, own_file, owner);
        let other = if own_file == twin_file {
            side.twin_trees[tree]?
        } else {
            *self.version_index(version.opposite()).tree_by_file.get(&twin_file)?
        };
        let files = [(version, file), (version.opposite(), self.files.get(twin_file)?)];
        let (old, new) = (hunk.old.clone()?, hunk.new.clone()?);
        let (own_file, twin_file) = if version == Version::Old { (old, new) } else { (new, old) };
        let is_token = |((version, file), range): ((Version, &IndexedFile), &Range<usize>)| {
            file.indexed_version(version).is_some_and(|side| {
                let node = side.tokens.partition_point(|token| token.start < range.start);
                side.tokens.get(node) == Some(range)
            })
        };
        let is_single_token = hunk.kind == HunkKind::Relabel
            && own_file.start == byte
            && files.into_iter().zip([&own_file, &twin_file]).all(is_token);
        is_single_token.then_some((other, twin_file.start))
    }

    /// Returns the corresponding position in the other version, if the token is kept or replaced.
    pub(crate) fn twin_position(
        &self,
        version: Version,
        tree: usize,
        byte: usize,
    ) -> Option<(usize, usize)> {
        let side = self.version_index(version);
        let Some(file) = side.file_by_tree[tree] else {
            return Some((side.twin_trees[tree]?, byte));
        };
        let (indexed_file, token) = self.token_at(version, tree, byte)?;
        let (other, twin_file, twin) =
            if let Some((twin_file, twin)) = self.edited_moves.twin_token(version, (file, token)) {
                (
                    *self.version_index(version.opposite()).tree_by_file.get(&twin_file)?,
                    self.files.get(twin_file)?,
                    twin,
                )
            } else if let Some(twin) = side.twin_tokens.get(&file)?.get(token).copied().flatten() {
                (side.twin_trees[tree]?, indexed_file, twin)
            } else {
                return self.replacement_position(version, tree, byte);
            };
        let range = &twin_file.indexed_version(version.opposite())?.tokens[twin];
        Some((
            other,
            range.start + (byte - indexed_file.indexed_version(version)?.tokens[token].start),
        ))
    }

    /// Returns the node of the other version whose anchor corresponds to the kept anchor of this node.
    pub(crate) fn twin_node(&self, node_ref: NodeRef) -> Option<NodeRef> {
        let (tree, byte) =
            self.twin_position(node_ref.version, node_ref.tree, self.anchor(node_ref))?;
        let version = node_ref.version.opposite();
        let node = *self.version_index(version).node_by_anchor.get(&(
            tree,
            byte,
            self.category(node_ref),
        ))?;
        Some(NodeRef { version, tree, node })
    }

    pub(crate) fn twin_symbol(&self, version: Version, symbol: SymbolId) -> Option<SymbolId> {
        self.version_index(version).twin_symbols[symbol]
    }

    pub(crate) fn anchor(&self, node: NodeRef) -> usize {
        anchor_offset(self.tree(node), node.node)
    }

    pub(crate) fn category(&self, node: NodeRef) -> NodeCategory {
        node_category(self.kind(node))
    }

    /// Returns the innermost move that includes a node's anchor.
    pub(crate) fn enclosing_move(&self, node: NodeRef) -> Option<HunkId> {
        let byte = self.anchor(node);
        let file = self.version_index(node.version).file_by_tree[node.tree]?;
        self.moves.get(&(node.version, file))?.iter().copied().rfind(|hunk| {
            let hunk = &self.hunks[*hunk];
            let range = if node.version == Version::Old { &hunk.old } else { &hunk.new };
            range.as_ref().is_some_and(|range| range.contains(&byte))
        })
    }

    /// Returns the move of exactly this node, without code around it.
    pub(crate) fn move_of_node(&self, node: NodeRef) -> Option<HunkId> {
        self.enclosing_move(node).filter(|hunk| {
            let hunk = &self.hunks[*hunk];
            let range = if node.version == Version::Old { &hunk.old } else { &hunk.new };
            range.as_ref() == Some(&self.node(node).bytes)
        })
    }

    /// Returns the hunk that inserts, deletes or moves a node, and so decides its presence here.
    pub(crate) fn owner_or_move(&self, node: NodeRef) -> Option<HunkId> {
        self.node_owner(node).or_else(|| self.enclosing_move(node))
    }

    /// Returns the moves from and to positions in a node's byte range.
    pub(crate) fn moves_within(&self, node_ref: NodeRef) -> HunkSet {
        let descendants =
            (node_ref.node..self.node(node_ref).subtree_end).map(|node| node_ref.with_node(node));
        if self.moves.is_empty() {
            HunkSet::new()
        } else {
            descendants.filter_map(|node_ref| self.enclosing_move(node_ref)).collect()
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
        let file_by_path: HashMap<&RepoPath, usize> = files
            .iter()
            .enumerate()
            .filter_map(|(at, file)| Some((&file.indexed_version(version)?.path, at)))
            .collect();
        let other_trees: HashMap<&RepoPath, usize> =
            other.trees().iter().enumerate().map(|(at, tree)| (&tree.path, at)).collect();
        let mut version_index = Self {
            facts,
            file_by_tree: facts
                .trees()
                .iter()
                .map(|tree| file_by_path.get(&tree.path).copied())
                .collect(),
            tree_by_file: HashMap::new(),
            twin_trees: Vec::new(),
            declarations: HashMap::new(),
            enclosing_scopes: Vec::new(),
            node_by_anchor: HashMap::new(),
            twin_symbols: vec![None; facts.symbols().len()],
            twin_tokens: HashMap::new(),
        };
        let trees = version_index.file_by_tree.iter().enumerate();
        version_index.tree_by_file =
            trees.filter_map(|(tree, file)| Some(((*file)?, tree))).collect();
        for tree in facts.trees() {
            let path = renamed.get(&tree.path).copied().unwrap_or(&tree.path);
            version_index.twin_trees.push(other_trees.get(path).copied());
        }
        for (at, file) in files.iter().enumerate() {
            version_index.twin_tokens.insert(at, twin_tokens(file, version));
        }
        version_index.index_nodes(version);
        version_index.enclosing_scopes =
            EnclosingScopes::for_all_trees(version, facts, &version_index.declarations);
        version_index
    }

    fn index_nodes(&mut self, version: Version) {
        for (at, tree) in self.facts.trees().iter().enumerate() {
            for (node, one) in tree.nodes.iter().enumerate() {
                let sort = node_category(one.kind);
                let key = (at, anchor_offset(tree, node), sort);
                self.node_by_anchor.entry(key).or_insert(node);
                if let (NodeCategory::Declaration, Some(symbol)) = (sort, one.symbol) {
                    self.declarations.entry(symbol).or_insert(NodeRef { version, tree: at, node });
                }
            }
        }
        for (id, symbol) in self.facts.symbols().iter().enumerate() {
            let Some(position) = symbol.position else { continue };
            let key = (position.tree, position.byte, NodeCategory::Declaration);
            if let (Some(node), false) =
                (self.node_by_anchor.get(&key), self.declarations.contains_key(&id))
            {
                self.declarations.insert(id, NodeRef { version, tree: position.tree, node: *node });
            }
        }
    }
}

/// Returns the moves from and to positions in each file, outer ones first.
fn collect_moves(
    files: &[IndexedFile],
    hunks: &[Hunk],
    edited_moves: &EditedMoveIndex<'_>,
) -> HashMap<(Version, usize), Vec<HunkId>> {
    let mut moves_by_path: HashMap<&RepoPath, Vec<HunkId>> = HashMap::new();
    for (id, hunk) in hunks.iter().enumerate().filter(|(_, one)| one.is_move_within_file()) {
        moves_by_path.entry(&hunk.path).or_default().push(id);
    }
    let mut moves = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        let side = file.indexed_version(Version::New).or(file.indexed_version(Version::Old));
        let within =
            side.and_then(|side| moves_by_path.get(&side.path)).map_or(&[][..], Vec::as_slice);
        for version in VERSIONS {
            let all: Vec<HunkId> =
                edited_moves.hunks(version, at).chain(within.iter().copied()).collect();
            moves.insert((version, at), all);
        }
    }
    moves
}

fn twin_tokens(file: &IndexedFile, version: Version) -> Vec<Option<usize>> {
    let (Some(old), Some(new)) =
        (file.indexed_version(Version::Old), file.indexed_version(Version::New))
    else {
        return Vec::new();
    };
    let forward: Vec<_> = (0..old.tokens.len()).map(|token| file.twin_token(token)).collect();
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

fn node_category(kind: NodeKind) -> NodeCategory {
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

fn anchor_offset(tree: &AttributedTree, node: NodeIndex) -> usize {
    match tree.nodes[node].kind {
        NodeKind::MethodInvocation => tree
            .child(node, NodeRole::Callee)
            .map_or(tree.nodes[node].bytes.start, |callee| tree.name_or_start(callee)),
        NodeKind::Assignment => tree
            .child(node, NodeRole::Target)
            .map_or(tree.nodes[node].bytes.start, |target| tree.name_or_start(target)),
        _ => tree.name_or_start(node),
    }
}
