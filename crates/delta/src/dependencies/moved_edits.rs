//! Dependencies between moved code and the edits inside it, by name: an edit that mentions a variable of the new position
//! needs the move, and a move needs the edits of names that only the old position has.

use crate::dependencies::name_dependencies::{IndexedFile, Version};
use crate::hunk::{DependencyRule, Hunk, HunkDependency, HunkId};
use mend_java::{Definition, DefinitionKind, Reference, ReferenceKind, SymbolIndex};
use std::collections::BTreeSet;
use std::ops::Range;

/// Code that moves within a file, as tokens of both versions.
struct MovedCode<'a> {
    file: &'a IndexedFile,
    hunk: HunkId,
    tokens: [Range<usize>; 2],
}

/// Returns the dependencies of the moves within one file.
pub(crate) fn find_moved_edit_dependencies(
    files: &[IndexedFile],
    hunks: &[Hunk],
) -> BTreeSet<HunkDependency> {
    let mut dependencies = BTreeSet::new();
    for (hunk, moved) in hunks.iter().enumerate().filter(|(_, hunk)| hunk.is_move_within_file()) {
        let is_in_file = |file: &&IndexedFile| {
            file.indexed_version(Version::New).is_some_and(|side| side.path == moved.path)
        };
        let Some(file) = files.iter().find(is_in_file) else { continue };
        let tokens = [(Version::Old, &moved.old), (Version::New, &moved.new)]
            .map(|(version, bytes)| token_range(file, version, bytes.as_ref()));
        let [Some(old), Some(new)] = tokens else { continue };
        let moved_code = MovedCode { file, hunk, tokens: [old, new] };
        moved_code.add_dependencies(Version::Old, &mut dependencies);
        moved_code.add_dependencies(Version::New, &mut dependencies);
    }
    dependencies
}

fn token_range(
    file: &IndexedFile,
    version: Version,
    bytes: Option<&Range<usize>>,
) -> Option<Range<usize>> {
    let (tokens, bytes) = (&file.indexed_version(version)?.tokens, bytes?);
    let start = tokens.partition_point(|token| token.start < bytes.start);
    Some(start..tokens.partition_point(|token| token.start < bytes.end))
}

impl MovedCode<'_> {
    fn add_dependencies(&self, version: Version, dependencies: &mut BTreeSet<HunkDependency>) {
        let Some(symbols) = self.file.symbol_index(version) else { return };
        let tokens = &self.tokens[version as usize];
        let first = symbols.references.partition_point(|one| one.token < tokens.start);
        let uses = symbols.references[first..].iter().take_while(|one| one.token < tokens.end);
        for used in uses.filter(|one| one.kind == ReferenceKind::SimpleName) {
            let Some(edit) = self.file.token_owner(version, used.token) else { continue };
            if edit == self.hunk {
                continue;
            }
            let meaning = self.meaning_at_other_position(version, symbols, used);
            let (from, to, rule) = match (version, meaning) {
                (Version::Old, OtherMeaning::Nothing) => {
                    (self.hunk, vec![edit], DependencyRule::Use)
                }
                // Without the edit, the moved name means the new variable.
                (Version::Old, OtherMeaning::OneSidedLocal(declaration))
                    if declaration != self.hunk =>
                {
                    (self.hunk, vec![edit, declaration], DependencyRule::Use)
                }
                (Version::New, OtherMeaning::Nothing) => {
                    (edit, vec![self.hunk], DependencyRule::Definition)
                }
                _ => continue,
            };
            dependencies.insert(HunkDependency { from, to, rule });
        }
    }

    /// Returns what the name of a local variable around this position means at the other one.
    fn meaning_at_other_position(
        &self,
        version: Version,
        symbols: &SymbolIndex,
        used: &Reference,
    ) -> OtherMeaning {
        let name = &*used.name;
        let other_version = version.opposite();
        let (Some(local), Some(others)) =
            (innermost_local(symbols, name, used.token), self.file.symbol_index(other_version))
        else {
            return OtherMeaning::Known;
        };
        if self.tokens[version as usize].contains(&local.token) {
            return OtherMeaning::Known;
        }
        let position = self.tokens[other_version as usize].start;
        if let Some(other) = innermost_local(others, name, position) {
            return self
                .file
                .token_owner(other_version, other.token)
                .map_or(OtherMeaning::Known, OtherMeaning::OneSidedLocal);
        }
        let is_field = others.definitions.iter().any(|one| {
            one.kind == DefinitionKind::Field && one.name == name && one.scope.contains(&position)
        });
        if is_field { OtherMeaning::Known } else { OtherMeaning::Nothing }
    }
}

/// Meaning that a name in moved code has at the other position.
enum OtherMeaning {
    Nothing,
    /// A local variable that this hunk declares or removes.
    OneSidedLocal(HunkId),
    /// A variable of both versions, or one whose declaration moves too.
    Known,
}

/// Returns the local variable that a name means at a token.
fn innermost_local<'a>(
    symbols: &'a SymbolIndex,
    name: &[u8],
    token: usize,
) -> Option<&'a Definition> {
    let is_visible = |one: &&Definition| {
        one.kind == DefinitionKind::Local
            && one.name == name
            && one.token <= token
            && one.scope.contains(&token)
    };
    symbols.definitions.iter().filter(is_visible).min_by_key(|one| one.scope.len())
}
