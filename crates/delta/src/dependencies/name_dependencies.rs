//! Dependencies by name: a use needs its definition, as far as the syntax alone resolves it.

use crate::hunk::{DependencyRule, HunkDependency, HunkId};
use crate::java_file::fragment_builder::TokenOwners;
pub(crate) use crate::matching::version_pair::Version;
use mend_java::{
    Definition, DefinitionKind, ParsedSource, Reference, ReferenceKind, SymbolIndex, Token,
};
use mend_model::RepoPath;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Java file of the delta, with the names that it declares and uses.
#[derive(Debug)]
pub(crate) struct IndexedFile {
    pub(crate) old: Option<IndexedVersion>,
    pub(crate) new: Option<IndexedVersion>,
    pub(crate) token_owners: TokenOwners,
    /// The old and new path of a renamed file, and the hunk that renames it.
    pub(crate) rename: Option<(RepoPath, RepoPath, HunkId)>,
}

/// One version of a file of the delta.
#[derive(Debug)]
pub(crate) struct IndexedVersion {
    pub(crate) path: RepoPath,
    pub(crate) text: Arc<[u8]>,
    pub(crate) tokens: Vec<Token>,
    symbols: SymbolIndex,
}

impl IndexedVersion {
    pub(crate) fn new(path: &RepoPath, source: &ParsedSource) -> Self {
        Self {
            path: path.clone(),
            text: Arc::clone(source.text()),
            tokens: source.tokens().to_vec(),
            symbols: SymbolIndex::from_source(source),
        }
    }
}

impl IndexedFile {
    /// Creates an added or removed file, or one with both versions.
    pub(crate) fn new(
        old: Option<IndexedVersion>,
        new: Option<IndexedVersion>,
        owners: TokenOwners,
    ) -> Self {
        Self { old, new, token_owners: owners, rename: None }
    }

    pub(crate) fn indexed_version(&self, version: Version) -> Option<&IndexedVersion> {
        match version {
            Version::Old => self.old.as_ref(),
            Version::New => self.new.as_ref(),
        }
    }

    pub(crate) fn symbol_index(&self, version: Version) -> Option<&SymbolIndex> {
        self.indexed_version(version).map(|side| &side.symbols)
    }

    /// Returns the hunk that inserts (new) or deletes (old) a token; `None` for a kept token.
    pub(crate) fn token_owner(&self, version: Version, token: usize) -> Option<HunkId> {
        match version {
            Version::Old => self.token_owners.old[token],
            Version::New => self.token_owners.new[token],
        }
    }

    /// Returns true if inserted code precedes deleted code at the same position.
    pub(crate) fn is_new_first(&self) -> bool {
        self.token_owners.is_reversed
    }

    pub(crate) fn twin_token(&self, old_token: usize) -> Option<usize> {
        self.token_owners.kept_tokens.get(old_token).copied().flatten()
    }
}

/// Returns all dependencies by name of a delta, without duplicates. Files with compiler facts are left to the
/// dependency rules.
pub(crate) fn find_name_dependencies(
    files: &[IndexedFile],
    has_facts: &dyn Fn(&IndexedFile) -> bool,
) -> Vec<HunkDependency> {
    let old = DefinitionIndex::new(files, Version::Old);
    let new = DefinitionIndex::new(files, Version::New);
    let mut dependencies = BTreeSet::new();
    for (file_index, file) in files.iter().enumerate() {
        add_file_name_dependencies(file, &mut dependencies);
        if has_facts(file) {
            continue;
        }
        add_new_use_dependencies(files, file_index, &new, &mut dependencies);
        add_removed_definition_dependencies(files, file_index, &old, &new, &mut dependencies);
        add_duplicate_dependencies(file, &mut dependencies);
    }
    dependencies.into_iter().collect()
}

/// Declarations in the delta's files, by name.
struct DefinitionIndex<'a> {
    files: &'a [IndexedFile],
    version: Version,
    definitions_by_name: HashMap<&'a [u8], Vec<(usize, &'a Definition)>>,
    /// Definitions that are visible only in a part of a file: by name, file and each covered block of tokens.
    scoped_definitions: HashMap<(&'a [u8], usize, usize), Vec<&'a Definition>>,
}

/// Number of tokens per block.
const TOKENS_PER_BLOCK: usize = 256;

impl<'a> DefinitionIndex<'a> {
    fn new(files: &'a [IndexedFile], version: Version) -> Self {
        let mut definitions_by_name: HashMap<&[u8], Vec<(usize, &Definition)>> = HashMap::new();
        let mut scoped_definitions: HashMap<(&[u8], usize, usize), Vec<&Definition>> =
            HashMap::new();
        for (file_index, file) in files.iter().enumerate() {
            for definition in file.symbol_index(version).iter().flat_map(|names| &names.definitions)
            {
                let name = definition.name.as_slice();
                if is_global(definition.kind) || definition.kind == DefinitionKind::Import {
                    definitions_by_name.entry(name).or_default().push((file_index, definition));
                    continue;
                }
                for block in definition.scope.start / TOKENS_PER_BLOCK
                    ..=definition.scope.end / TOKENS_PER_BLOCK
                {
                    scoped_definitions
                        .entry((name, file_index, block))
                        .or_default()
                        .push(definition);
                }
            }
        }
        Self { files, version, definitions_by_name, scoped_definitions }
    }

    /// Returns the hunks that own the definitions that a use may mean; `None` if one of these is in both versions, or
    /// none is known.
    fn definition_owners(&self, file: usize, reference: &Reference) -> Option<BTreeSet<HunkId>> {
        let definitions = self.possible_definitions(file, reference);
        let owners: Option<BTreeSet<HunkId>> = definitions
            .iter()
            .map(|(at, definition)| self.files[*at].token_owner(self.version, definition.token))
            .collect();
        owners.filter(|owners| !owners.is_empty())
    }

    /// Returns the definitions that a use may mean: the innermost in its own file, otherwise all of that name.
    fn possible_definitions(
        &self,
        file: usize,
        reference: &Reference,
    ) -> Vec<(usize, &'a Definition)> {
        let name = reference.name.as_slice();
        let same_name = self.definitions_by_name.get(name).map_or(&[][..], Vec::as_slice);
        let narrow = self.scoped_definitions.get(&(name, file, reference.token / TOKENS_PER_BLOCK));
        let matches_reference =
            |definition: &Definition| can_refer_to(reference.kind, definition.kind);
        let in_file = || {
            let narrow = narrow.into_iter().flatten().copied();
            narrow.chain(same_name.iter().filter(|(at, _)| *at == file).map(|(_, found)| *found))
        };
        let innermost = in_file()
            .filter(|definition| {
                matches_reference(definition)
                    && is_visible(definition, reference)
                    && definition.token != reference.token
            })
            .min_by_key(|definition| {
                (
                    scope_rank(definition.kind),
                    definition.scope.len(),
                    reference.token.abs_diff(definition.token),
                )
            });
        let is_qualified = matches!(
            reference.kind,
            ReferenceKind::FieldAccess | ReferenceKind::Method { qualified: true, .. }
        );
        if let (Some(first), false) = (innermost, is_qualified) {
            return in_file()
                .filter(|definition| {
                    matches_reference(definition)
                        && definition.kind == first.kind
                        && definition.scope == first.scope
                        && (first.kind != DefinitionKind::Local || definition.token == first.token)
                })
                .map(|definition| (file, definition))
                .collect();
        }
        same_name
            .iter()
            .filter(|(_, definition)| matches_reference(definition) && is_global(definition.kind))
            .copied()
            .collect()
    }
}

/// Returns the rank of a definition kind: nearer kinds hide farther ones.
fn scope_rank(kind: DefinitionKind) -> u8 {
    match kind {
        DefinitionKind::Local | DefinitionKind::TypeParameter => 0,
        DefinitionKind::Field | DefinitionKind::Method(_) => 1,
        DefinitionKind::Type => 2,
        DefinitionKind::Import => 3,
    }
}

pub(super) fn is_global(kind: DefinitionKind) -> bool {
    matches!(kind, DefinitionKind::Type | DefinitionKind::Method(_) | DefinitionKind::Field)
}

fn is_visible(definition: &Definition, reference: &Reference) -> bool {
    definition.scope.contains(&reference.token)
        && (definition.kind != DefinitionKind::Local || definition.token < reference.token)
}

fn can_refer_to(used: ReferenceKind, defined: DefinitionKind) -> bool {
    use DefinitionKind::{Field, Import, Local, Method, Type, TypeParameter};
    match (used, defined) {
        (ReferenceKind::Method { arguments, .. }, Method(parameters)) => {
            arguments.is_none() || parameters.is_none() || arguments == parameters
        }
        (ReferenceKind::Type, Type | TypeParameter | Import)
        | (ReferenceKind::ImportedType, Type)
        | (ReferenceKind::FieldAccess, Field)
        | (ReferenceKind::Method { qualified: false, .. }, Import)
        | (ReferenceKind::SimpleName, Local | Field | Type | Import) => true,
        _ => false,
    }
}

/// Adds the dependencies of inserted code on the definitions that it uses.
fn add_new_use_dependencies(
    files: &[IndexedFile],
    file_index: usize,
    index: &DefinitionIndex<'_>,
    dependencies: &mut BTreeSet<HunkDependency>,
) {
    let file = &files[file_index];
    for reference in file.symbol_index(Version::New).into_iter().flat_map(|names| &names.references)
    {
        let Some(from) = file.token_owner(Version::New, reference.token) else { continue };
        let Some(owners) = index.definition_owners(file_index, reference) else { continue };
        if !owners.contains(&from) {
            dependencies.insert(HunkDependency {
                from,
                to: owners.into_iter().collect(),
                rule: DependencyRule::Definition,
            });
        }
    }
}

/// Adds dependencies of a removed definition: its uses must go too, unless another definition replaces it.
fn add_removed_definition_dependencies(
    files: &[IndexedFile],
    file_index: usize,
    old: &DefinitionIndex<'_>,
    new: &DefinitionIndex<'_>,
    dependencies: &mut BTreeSet<HunkDependency>,
) {
    let file = &files[file_index];
    for reference in file.symbol_index(Version::Old).into_iter().flat_map(|names| &names.references)
    {
        let Some(owners) = old.definition_owners(file_index, reference) else { continue };
        let [from] = owners.iter().copied().collect::<Vec<_>>()[..] else { continue };
        match (file.token_owner(Version::Old, reference.token), file.twin_token(reference.token)) {
            (Some(owner), _) if owner != from => {
                dependencies.insert(HunkDependency {
                    from,
                    to: vec![owner],
                    rule: DependencyRule::Use,
                });
            }
            (None, Some(token)) => {
                let replacement =
                    new.definition_owners(file_index, &Reference { token, ..reference.clone() });
                if let Some(to) = replacement.filter(|to| !to.contains(&from)) {
                    dependencies.insert(HunkDependency {
                        from,
                        to: to.into_iter().collect(),
                        rule: DependencyRule::Definition,
                    });
                }
            }
            _ => {}
        }
    }
}

/// Adds dependencies of a new definition on the removal of the one with the same name and scope.
fn add_duplicate_dependencies(file: &IndexedFile, dependencies: &mut BTreeSet<HunkDependency>) {
    // Name, kind, and start of the scope in the new version.
    type DefinitionKey<'a> = (&'a [u8], DefinitionKind, Option<usize>);
    let (Some(old), Some(new)) = (file.symbol_index(Version::Old), file.symbol_index(Version::New))
    else {
        return;
    };
    let mut removed: HashMap<DefinitionKey<'_>, Vec<HunkId>> = HashMap::new();
    for definition in &old.definitions {
        if let Some(hunk) = file.token_owner(Version::Old, definition.token) {
            let scope = file.twin_token(definition.scope.start);
            removed.entry((&definition.name, definition.kind, scope)).or_default().push(hunk);
        }
    }
    for definition in &new.definitions {
        let Some(from) = file.token_owner(Version::New, definition.token) else { continue };
        let key = (definition.name.as_slice(), definition.kind, Some(definition.scope.start));
        for to in removed.get(&key).into_iter().flatten().filter(|to| **to != from) {
            dependencies.insert(HunkDependency {
                from,
                to: vec![*to],
                rule: DependencyRule::Duplicate,
            });
        }
    }
}

/// Couples the rename of a file with that of its main type.
fn add_file_name_dependencies(file: &IndexedFile, dependencies: &mut BTreeSet<HunkDependency>) {
    let Some((old_path, new_path, rename)) = &file.rename else { return };
    for (version, path) in [(Version::Old, old_path), (Version::New, new_path)] {
        let stem = path.file_name().split(|byte| *byte == b'.').next().unwrap_or_default();
        let definitions =
            file.symbol_index(version).into_iter().flat_map(|names| &names.definitions);
        for definition in definitions.filter(|d| d.kind == DefinitionKind::Type && d.name == stem) {
            if let Some(hunk) = file.token_owner(version, definition.token) {
                dependencies.insert(HunkDependency {
                    from: *rename,
                    to: vec![hunk],
                    rule: DependencyRule::FileName,
                });
                dependencies.insert(HunkDependency {
                    from: hunk,
                    to: vec![*rename],
                    rule: DependencyRule::FileName,
                });
            }
        }
    }
}
