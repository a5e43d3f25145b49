//! Dependencies by name: a use needs its definition, resolved by syntax alone.

use crate::hunk::{DependencyRule, HunkDependency, HunkId};
use crate::java_file::fragment_builder::TokenOwners;
pub(crate) use crate::matching::version_pair::Version;
use mend_java::{
    Definition, DefinitionKind, ParsedSource, Reference, ReferenceKind, SymbolIndex, Token,
};
use mend_model::RepoPath;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A Java file of the delta with what it declares and uses.
#[derive(Debug)]
pub(crate) struct IndexedFile {
    pub(crate) old: Option<IndexedVersion>,
    pub(crate) new: Option<IndexedVersion>,
    pub(crate) owners: TokenOwners,
    /// The file's name before and after, and the hunk that renames it.
    pub(crate) rename: Option<(RepoPath, RepoPath, HunkId)>,
}

/// One version of a file of the delta.
#[derive(Debug)]
pub(crate) struct IndexedVersion {
    pub(crate) path: RepoPath,
    pub(crate) text: Arc<[u8]>,
    pub(crate) tokens: Vec<Token>,
    names: SymbolIndex,
}

impl IndexedVersion {
    pub(crate) fn new(path: &RepoPath, source: &ParsedSource) -> Self {
        Self {
            path: path.clone(),
            text: Arc::clone(source.text()),
            tokens: source.tokens().to_vec(),
            names: SymbolIndex::from_source(source),
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
        Self { old, new, owners, rename: None }
    }

    pub(crate) fn side(&self, version: Version) -> Option<&IndexedVersion> {
        match version {
            Version::Old => self.old.as_ref(),
            Version::New => self.new.as_ref(),
        }
    }

    pub(crate) fn names(&self, version: Version) -> Option<&SymbolIndex> {
        self.side(version).map(|side| &side.names)
    }

    /// Returns the hunk that inserts (new) or deletes (old) a token; `None` for a kept token.
    pub(crate) fn owner(&self, version: Version, token: usize) -> Option<HunkId> {
        match version {
            Version::Old => self.owners.old[token],
            Version::New => self.owners.new[token],
        }
    }

    /// Returns true if inserted code precedes deleted code at the same place.
    pub(crate) fn new_comes_first(&self) -> bool {
        self.owners.is_mirrored
    }

    pub(crate) fn kept(&self, old_token: usize) -> Option<usize> {
        self.owners.kept.get(old_token).copied().flatten()
    }
}

/// Returns all dependencies by name of a delta, without duplicates. Files with compiler facts are left to the schemas.
pub(crate) fn by_name(
    files: &[IndexedFile],
    is_known: &dyn Fn(&IndexedFile) -> bool,
) -> Vec<HunkDependency> {
    let old = DefinitionIndex::new(files, Version::Old);
    let new = DefinitionIndex::new(files, Version::New);
    let mut couplings = BTreeSet::new();
    for (at, file) in files.iter().enumerate() {
        file_name(file, &mut couplings);
        if is_known(file) {
            continue;
        }
        new_uses(files, at, &new, &mut couplings);
        old_uses(files, at, &old, &new, &mut couplings);
        duplicates(file, &mut couplings);
    }
    couplings.into_iter().collect()
}

/// Declarations in the delta's files, by name.
struct DefinitionIndex<'a> {
    files: &'a [IndexedFile],
    version: Version,
    by_name: HashMap<&'a [u8], Vec<(usize, &'a Definition)>>,
    /// Definitions that are visible in a part of a file only: by name, file and each covered block of tokens.
    narrow: HashMap<(&'a [u8], usize, usize), Vec<&'a Definition>>,
}

/// Number of tokens per block.
const BLOCK: usize = 256;

impl<'a> DefinitionIndex<'a> {
    fn new(files: &'a [IndexedFile], version: Version) -> Self {
        let mut by_name: HashMap<&[u8], Vec<(usize, &Definition)>> = HashMap::new();
        let mut narrow: HashMap<(&[u8], usize, usize), Vec<&Definition>> = HashMap::new();
        for (at, file) in files.iter().enumerate() {
            for definition in file.names(version).iter().flat_map(|names| &names.definitions) {
                let name = definition.name.as_slice();
                if is_global(definition.kind) || definition.kind == DefinitionKind::Import {
                    by_name.entry(name).or_default().push((at, definition));
                    continue;
                }
                for block in definition.scope.start / BLOCK..=definition.scope.end / BLOCK {
                    narrow.entry((name, at, block)).or_default().push(definition);
                }
            }
        }
        Self { files, version, by_name, narrow }
    }

    /// Returns the hunks that own the definitions that a use may mean; `None` if one of these is in both versions, or
    /// none is known.
    fn owners(&self, file: usize, used: &Reference) -> Option<BTreeSet<HunkId>> {
        let meant = self.possible_definitions(file, used);
        let owners: Option<BTreeSet<HunkId>> = meant
            .iter()
            .map(|(at, definition)| self.files[*at].owner(self.version, definition.token))
            .collect();
        owners.filter(|owners| !owners.is_empty())
    }

    /// Returns the definitions that a use may mean: the innermost in its own file, otherwise all of that name.
    fn possible_definitions(&self, file: usize, used: &Reference) -> Vec<(usize, &'a Definition)> {
        let name = used.name.as_slice();
        let all = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let narrow = self.narrow.get(&(name, file, used.token / BLOCK));
        let fits = |definition: &Definition| fits(used.kind, definition.kind);
        let in_file = || {
            let narrow = narrow.into_iter().flatten().copied();
            narrow.chain(all.iter().filter(|(at, _)| *at == file).map(|(_, found)| *found))
        };
        let here = in_file()
            .filter(|definition| {
                fits(definition) && is_visible(definition, used) && definition.token != used.token
            })
            .min_by_key(|definition| {
                (
                    rank(definition.kind),
                    definition.scope.len(),
                    used.token.abs_diff(definition.token),
                )
            });
        let is_elsewhere = matches!(
            used.kind,
            ReferenceKind::FieldAccess | ReferenceKind::Method { qualified: true, .. }
        );
        if let (Some(first), false) = (here, is_elsewhere) {
            return in_file()
                .filter(|definition| {
                    fits(definition)
                        && definition.kind == first.kind
                        && definition.scope == first.scope
                        && (first.kind != DefinitionKind::Local || definition.token == first.token)
                })
                .map(|definition| (file, definition))
                .collect();
        }
        all.iter()
            .filter(|(_, definition)| fits(definition) && is_global(definition.kind))
            .copied()
            .collect()
    }
}

/// Returns the rank of a definition kind: nearer kinds hide farther ones.
fn rank(kind: DefinitionKind) -> u8 {
    match kind {
        DefinitionKind::Local | DefinitionKind::TypeParameter => 0,
        DefinitionKind::Field | DefinitionKind::Method(_) => 1,
        DefinitionKind::Type => 2,
        DefinitionKind::Import => 3,
    }
}

fn is_global(kind: DefinitionKind) -> bool {
    matches!(kind, DefinitionKind::Type | DefinitionKind::Method(_) | DefinitionKind::Field)
}

fn is_visible(definition: &Definition, used: &Reference) -> bool {
    definition.scope.contains(&used.token)
        && (definition.kind != DefinitionKind::Local || definition.token < used.token)
}

fn fits(used: ReferenceKind, defined: DefinitionKind) -> bool {
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
fn new_uses(
    files: &[IndexedFile],
    at: usize,
    index: &DefinitionIndex<'_>,
    couplings: &mut BTreeSet<HunkDependency>,
) {
    let file = &files[at];
    for used in file.names(Version::New).into_iter().flat_map(|names| &names.uses) {
        let Some(from) = file.owner(Version::New, used.token) else { continue };
        let Some(owners) = index.owners(at, used) else { continue };
        if !owners.contains(&from) {
            couplings.insert(HunkDependency {
                from,
                to: owners.into_iter().collect(),
                rule: DependencyRule::Definition,
            });
        }
    }
}

/// Adds dependencies of a removed definition: its uses must go too, unless another definition replaces it.
fn old_uses(
    files: &[IndexedFile],
    at: usize,
    old: &DefinitionIndex<'_>,
    new: &DefinitionIndex<'_>,
    couplings: &mut BTreeSet<HunkDependency>,
) {
    let file = &files[at];
    for used in file.names(Version::Old).into_iter().flat_map(|names| &names.uses) {
        let Some(owners) = old.owners(at, used) else { continue };
        let [from] = owners.iter().copied().collect::<Vec<_>>()[..] else { continue };
        match (file.owner(Version::Old, used.token), file.kept(used.token)) {
            (Some(owner), _) if owner != from => {
                couplings.insert(HunkDependency {
                    from,
                    to: vec![owner],
                    rule: DependencyRule::Use,
                });
            }
            (None, Some(token)) => {
                let replacement = new.owners(at, &Reference { token, ..used.clone() });
                if let Some(to) = replacement.filter(|to| !to.contains(&from)) {
                    couplings.insert(HunkDependency {
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
fn duplicates(file: &IndexedFile, couplings: &mut BTreeSet<HunkDependency>) {
    // By name, kind and where the scope begins in the new version.
    type DefinitionKey<'a> = (&'a [u8], DefinitionKind, Option<usize>);
    let (Some(old), Some(new)) = (file.names(Version::Old), file.names(Version::New)) else {
        return;
    };
    let mut leaving: HashMap<DefinitionKey<'_>, Vec<HunkId>> = HashMap::new();
    for definition in &old.definitions {
        if let Some(hunk) = file.owner(Version::Old, definition.token) {
            let scope = file.kept(definition.scope.start);
            leaving.entry((&definition.name, definition.kind, scope)).or_default().push(hunk);
        }
    }
    for definition in &new.definitions {
        let Some(from) = file.owner(Version::New, definition.token) else { continue };
        let key = (definition.name.as_slice(), definition.kind, Some(definition.scope.start));
        for to in leaving.get(&key).into_iter().flatten().filter(|to| **to != from) {
            couplings.insert(HunkDependency {
                from,
                to: vec![*to],
                rule: DependencyRule::Duplicate,
            });
        }
    }
}

/// Couples the rename of a file with that of its main type.
fn file_name(file: &IndexedFile, couplings: &mut BTreeSet<HunkDependency>) {
    let Some((old_path, new_path, rename)) = &file.rename else { return };
    for (version, path) in [(Version::Old, old_path), (Version::New, new_path)] {
        let stem = path.file_name().split(|byte| *byte == b'.').next().unwrap_or_default();
        let definitions = file.names(version).into_iter().flat_map(|names| &names.definitions);
        for definition in definitions.filter(|d| d.kind == DefinitionKind::Type && d.name == stem) {
            if let Some(hunk) = file.owner(version, definition.token) {
                couplings.insert(HunkDependency {
                    from: *rename,
                    to: vec![hunk],
                    rule: DependencyRule::FileName,
                });
                couplings.insert(HunkDependency {
                    from: hunk,
                    to: vec![*rename],
                    rule: DependencyRule::FileName,
                });
            }
        }
    }
}
