//! Java files of both versions of a delta, with the correspondence of their tokens.

use crate::dependencies::name_dependencies::{IndexedFile, Version};
use crate::hunk::{Hunk, HunkId, HunkKind};
use crate::matching::version_pair::FileSources;
use crate::refactorings::sources::file_outline::{FileOutline, Member, TypeDeclaration, kind_name};
use crate::refactorings::sources::name_resolution::NameResolution;
use mend_java::{Definition, NodeId, ParsedSource, SymbolIndex};
use std::collections::HashMap;
use std::ops::Range;

/// A token of one version of the code base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TokenRef {
    pub(crate) file: usize,
    pub(crate) token: usize,
}

/// One version of a file.
pub(crate) struct FileVersion<'a> {
    pub(crate) source: &'a ParsedSource,
    pub(crate) symbol_index: &'a SymbolIndex,
    pub(crate) outline: FileOutline,
    pub(crate) resolution: NameResolution,
    /// Corresponding token of the other version, which may have another text.
    pub(crate) partner: Vec<Option<TokenRef>>,
    /// The hunk that inserts (new) or deletes (old) each token.
    pub(crate) owner: Vec<Option<HunkId>>,
    /// For each token, the outermost and the innermost node that start with it.
    nodes_by_token: Vec<(NodeId, NodeId)>,
}

impl<'a> FileVersion<'a> {
    fn new(
        source: &'a ParsedSource,
        symbol_index: &'a SymbolIndex,
        indexed_file: &IndexedFile,
        version: Version,
    ) -> Self {
        let tokens = source.tokens().len();
        let mut nodes = vec![(usize::MAX, 0); tokens];
        for (id, node) in source.nodes().iter().enumerate() {
            if let Some(at) = nodes.get_mut(node.tokens.start).filter(|_| !node.tokens.is_empty()) {
                *at = (at.0.min(id), id);
            }
        }
        Self {
            source,
            symbol_index,
            outline: FileOutline::new(source),
            resolution: NameResolution::new(symbol_index, source),
            partner: vec![None; tokens],
            owner: (0..tokens).map(|token| indexed_file.token_owner(version, token)).collect(),
            nodes_by_token: nodes,
        }
    }

    pub(crate) fn text(&self, token: usize) -> &'a [u8] {
        self.source.token_text(token)
    }

    pub(crate) fn texts(&self, tokens: Range<usize>) -> Vec<&'a [u8]> {
        tokens.map(|token| self.source.token_text(token)).collect()
    }

    pub(crate) fn tokens(&self, node: NodeId) -> Range<usize> {
        self.source.node(node).tokens.clone()
    }

    /// Returns the innermost node at a token.
    pub(crate) fn innermost_node(&self, token: usize) -> NodeId {
        self.nodes_by_token[token].1
    }

    /// Returns the nodes that start with a token, from the outermost to the innermost.
    pub(crate) fn nodes_from(&self, token: usize) -> Range<NodeId> {
        self.nodes_by_token[token].0..self.nodes_by_token[token].1 + 1
    }

    /// Returns the innermost node around the name at a token, other than the name itself.
    pub(crate) fn parent(&self, token: usize) -> NodeId {
        self.source.node(self.innermost_node(token)).parent
    }

    pub(crate) fn enclosing_member(&self, token: usize) -> Option<&Member> {
        let at = self.outline.enclosing_member(self.source, self.innermost_node(token))?;
        self.outline.members.get(at)
    }

    pub(crate) fn enclosing_type(&self, token: usize) -> Option<&TypeDeclaration> {
        let at = self.outline.enclosing_type(self.source, self.innermost_node(token))?;
        self.outline.types.get(at)
    }

    pub(crate) fn owner_type(&self, member: &Member) -> Option<&TypeDeclaration> {
        self.outline.types.get(member.owner?)
    }

    /// Returns the declaration that the name at a token refers to, or declares.
    pub(crate) fn definition(&self, token: usize) -> Option<&'a Definition> {
        let at = self
            .resolution
            .definition_of(token)
            .or_else(|| self.resolution.definition_at(token))?;
        self.symbol_index.definitions.get(at)
    }

    /// Returns the declarations within a token range.
    pub(crate) fn definitions_in(&self, tokens: &Range<usize>) -> &'a [Definition] {
        let all = &self.symbol_index.definitions;
        let start = all.partition_point(|one| one.token < tokens.start);
        let end = all.partition_point(|one| one.token < tokens.end);
        &all[start..end]
    }

    pub(crate) fn contains_token(&self, tokens: Range<usize>, words: &[&str]) -> bool {
        tokens.into_iter().any(|token| words.iter().any(|word| word.as_bytes() == self.text(token)))
    }

    pub(crate) fn kind(&self, node: NodeId) -> &'static str {
        kind_name(self.source, node)
    }
}

/// One version of the code base, limited to its differences from the other.
pub(crate) struct SourceVersion<'a> {
    pub(crate) files: Vec<Option<FileVersion<'a>>>,
    /// Tokens of all uses, by name.
    pub(crate) uses: HashMap<&'a [u8], Vec<TokenRef>>,
    /// All declarations of members and types, by name.
    pub(crate) declarations: HashMap<&'a [u8], Vec<TokenRef>>,
}

impl<'a> SourceVersion<'a> {
    fn new(files: &'a [IndexedFile], sources: &'a [FileSources], version: Version) -> Self {
        let files: Vec<_> = files
            .iter()
            .zip(sources)
            .map(|(file, sources)| {
                let source = if version == Version::New { &sources.new } else { &sources.old };
                Some(FileVersion::new(source.as_ref()?, file.symbol_index(version)?, file, version))
            })
            .collect();
        let mut source_version = Self { files, uses: HashMap::new(), declarations: HashMap::new() };
        for (at, file) in source_version.files.iter().enumerate() {
            let Some(file) = file else { continue };
            for used in &file.symbol_index.references {
                let token_ref = TokenRef { file: at, token: used.token };
                source_version.uses.entry(&used.name).or_default().push(token_ref);
            }
            for definition in
                file.symbol_index.definitions.iter().filter(|one| is_member_or_type(one))
            {
                let token_ref = TokenRef { file: at, token: definition.token };
                source_version.declarations.entry(&definition.name).or_default().push(token_ref);
            }
        }
        source_version
    }

    pub(crate) fn file(&self, index: usize) -> Option<&FileVersion<'a>> {
        self.files.get(index)?.as_ref()
    }

    pub(crate) fn java_files(&self) -> impl Iterator<Item = (usize, &FileVersion<'a>)> {
        self.files.iter().enumerate().filter_map(|(at, file)| Some((at, file.as_ref()?)))
    }

    pub(crate) fn text(&self, token_ref: TokenRef) -> &'a [u8] {
        self.file(token_ref.file).map_or(&[], |file| file.text(token_ref.token))
    }

    pub(crate) fn partner(&self, token_ref: TokenRef) -> Option<TokenRef> {
        *self.file(token_ref.file)?.partner.get(token_ref.token)?
    }

    pub(crate) fn definition(&self, token_ref: TokenRef) -> Option<&'a Definition> {
        self.file(token_ref.file)?.definition(token_ref.token)
    }

    /// Returns the member whose name is at a token.
    pub(crate) fn member(&self, name: TokenRef) -> Option<&Member> {
        let file = self.file(name.file)?;
        file.enclosing_member(name.token).filter(|member| member.name == name.token)
    }
}

pub(crate) fn is_member_or_type(definition: &Definition) -> bool {
    use mend_java::DefinitionKind::{Field, Method, Type};
    matches!(definition.kind, Type | Method(_) | Field)
}

/// Both versions of the changed Java files.
pub(crate) struct VersionedSources<'a> {
    pub(crate) old: SourceVersion<'a>,
    pub(crate) new: SourceVersion<'a>,
    /// Index among the Java files for each file of the delta.
    pub(crate) index_by_file: HashMap<usize, usize>,
}

impl<'a> VersionedSources<'a> {
    pub(crate) fn new(
        files: &'a [IndexedFile],
        sources: &'a [FileSources],
        hunks: &[Hunk],
    ) -> Self {
        let old = SourceVersion::new(files, sources, Version::Old);
        let new = SourceVersion::new(files, sources, Version::New);
        let index_by_file = sources.iter().enumerate().map(|(at, one)| (one.file, at)).collect();
        let mut versioned_sources = Self { old, new, index_by_file };
        for (at, file) in files.iter().enumerate() {
            versioned_sources.pair_kept(at, file);
            versioned_sources.pair_replaced(at, hunks);
            versioned_sources.pair_between_neighbours(at);
        }
        versioned_sources
    }

    pub(crate) fn pair_tokens(&mut self, old: TokenRef, new: TokenRef) {
        let (Some(Some(old_file)), Some(Some(new_file))) =
            (self.old.files.get_mut(old.file), self.new.files.get_mut(new.file))
        else {
            return;
        };
        if old_file.partner[old.token].is_none() && new_file.partner[new.token].is_none() {
            old_file.partner[old.token] = Some(new);
            new_file.partner[new.token] = Some(old);
        }
    }

    fn pair_kept(&mut self, file: usize, indexed_file: &IndexedFile) {
        let tokens = self.old.file(file).map_or(0, |side| side.partner.len());
        for token in 0..tokens {
            if let Some(kept) = indexed_file.twin_token(token) {
                self.pair_tokens(TokenRef { file, token }, TokenRef { file, token: kept });
            }
        }
    }

    /// Pairs the tokens of a replacement, if only names differ.
    fn pair_replaced(&mut self, file: usize, hunks: &[Hunk]) {
        let mut tokens_by_hunk: HashMap<HunkId, (Vec<usize>, Vec<usize>)> = HashMap::new();
        let (Some(old), Some(new)) = (self.old.file(file), self.new.file(file)) else { return };
        for (token, hunk) in old.owner.iter().enumerate() {
            if let Some(hunk) = hunk {
                tokens_by_hunk.entry(*hunk).or_default().0.push(token);
            }
        }
        for (token, hunk) in new.owner.iter().enumerate() {
            if let Some(hunk) = hunk {
                tokens_by_hunk.entry(*hunk).or_default().1.push(token);
            }
        }
        let is_alike = |(a, b): (&usize, &usize)| is_alike(old.text(*a), new.text(*b));
        let pairs: Vec<(usize, usize)> = tokens_by_hunk
            .into_iter()
            .filter(|(hunk, (olds, news))| {
                hunks[*hunk].kind == HunkKind::Relabel
                    && olds.len() == news.len()
                    && olds.iter().zip(news).all(is_alike)
            })
            .flat_map(|(_, (olds, news))| olds.into_iter().zip(news))
            .collect();
        for (old, new) in pairs {
            self.pair_tokens(TokenRef { file, token: old }, TokenRef { file, token: new });
        }
    }

    /// Pairs tokens between the same neighbours, if only names differ.
    fn pair_between_neighbours(&mut self, file: usize) {
        let (Some(old), Some(new)) = (self.old.file(file), self.new.file(file)) else { return };
        let mut pairs = Vec::new();
        // The first tokens after the last common neighbour, in both versions.
        let mut next = (0, 0);
        let ends = (old.partner.len(), new.partner.len());
        let neighbours = old.partner.iter().enumerate().filter_map(|(at, partner)| {
            Some((at, partner.filter(|spot| spot.file == file)?.token))
        });
        for (at, other) in neighbours.chain([ends]) {
            let gap = || (next.0..at).zip(next.1..other);
            let can_pair = |(a, b): (usize, usize)| {
                old.partner[a].is_none()
                    && new.partner[b].is_none()
                    && is_alike(old.text(a), new.text(b))
            };
            if other.checked_sub(next.1) == Some(at - next.0) && gap().all(can_pair) {
                pairs.extend(gap());
            }
            next = (at + 1, other + 1);
        }
        for (old, new) in pairs {
            self.pair_tokens(TokenRef { file, token: old }, TokenRef { file, token: new });
        }
    }

    /// Returns both directions of the change.
    pub(crate) fn directions(&self) -> [DirectedChange<'_, 'a>; 2] {
        [
            DirectedChange { from: &self.old, to: &self.new, is_forward: true },
            DirectedChange { from: &self.new, to: &self.old, is_forward: false },
        ]
    }
}

/// Returns true if two tokens are equal, or both names. Qualified names must have a component in common.
fn is_alike(a: &[u8], b: &[u8]) -> bool {
    let parts = |name: &[u8]| name.iter().rposition(|byte| *byte == b'.');
    a == b
        || match (parts(a), parts(b)) {
            (None, None) => is_word(a) && is_word(b),
            (Some(i), Some(j)) => a[..i] == b[..j] || a[i..] == b[j..],
            _ => false,
        }
}

/// Returns true for a name.
pub(crate) fn is_word(token: &[u8]) -> bool {
    token
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || b"_$".contains(byte) || *byte >= 0x80)
}

/// The change from one version to the other: an extraction in one direction is an inlining in the other.
#[derive(Clone, Copy)]
pub(crate) struct DirectedChange<'s, 'a> {
    pub(crate) from: &'s SourceVersion<'a>,
    pub(crate) to: &'s SourceVersion<'a>,
    pub(crate) is_forward: bool,
}
