//! A member of one version: its tokens, and equality with a member of the other version.

use crate::refactorings::sources::file_outline::Member;
use crate::refactorings::sources::token_pairing::declaration_tokens;
use crate::refactorings::sources::versioned_sources::{FileVersion, TokenRef};
use mend_java::DefinitionKind;

/// A member of one version, with its file.
#[derive(Clone, Copy)]
pub(crate) struct MemberInVersion<'s, 'a> {
    pub(crate) file_index: usize,
    pub(crate) file: &'s FileVersion<'a>,
    pub(crate) member: &'s Member,
}

impl MemberInVersion<'_, '_> {
    /// Returns the member's tokens. If a hunk moves it, tokens that other hunks edit are left out.
    pub(crate) fn token_refs(self) -> Vec<TokenRef> {
        let is_moved = self.file.owner[self.member.name].is_none();
        let tokens = self.file.tokens(self.member.node);
        tokens
            .filter(|token| !is_moved || self.file.owner[*token].is_none())
            .map(|token| TokenRef { file: self.file_index, token })
            .collect()
    }

    /// Returns the class qualifiers before names in the member, with their dots, that only this version has.
    pub(crate) fn class_qualifiers(self, class: &[u8]) -> Vec<TokenRef> {
        let file = self.file;
        let tokens = file.tokens(self.member.node);
        let is_qualifier = |token: &usize| {
            file.text(*token) == class
                && file.text(*token + 1) == b"."
                && file.text(token.saturating_sub(1)) != b"."
                && (*token..*token + 2).all(|token| file.owner[token].is_some())
        };
        let starts = tokens.start..tokens.end.saturating_sub(1);
        starts
            .filter(is_qualifier)
            .flat_map(|token| [token, token + 1])
            .map(|token| TokenRef { file: self.file_index, token })
            .collect()
    }
}

/// Returns true if two declarations are equal except for modifiers, variable names, and class qualifiers: the new class
/// in the old declaration and vice versa.
pub(crate) fn are_equal_members(
    old: MemberInVersion<'_, '_>,
    new: MemberInVersion<'_, '_>,
    class_names: (&[u8], &[u8]),
) -> bool {
    let remaining_tokens = |one: MemberInVersion<'_, '_>, class: &[u8]| {
        let qualifiers = one.class_qualifiers(class);
        let is_kept = |token: &usize| {
            qualifiers.binary_search(&TokenRef { file: one.file_index, token: *token }).is_err()
        };
        declaration_tokens(one.file, one.member).filter(is_kept).collect::<Vec<usize>>()
    };
    let (old_tokens, new_tokens) =
        (remaining_tokens(old, class_names.1), remaining_tokens(new, class_names.0));
    let is_local = |file: &FileVersion<'_>, token: usize| {
        file.definition(token).is_some_and(|one| one.kind == DefinitionKind::Local)
    };
    let is_same = |(one, other): (&usize, &usize)| {
        let token_ref = TokenRef { file: new.file_index, token: *other };
        old.file.text(*one) == new.file.text(*other)
            || (old.file.partner[*one] == Some(token_ref)
                && is_local(old.file, *one)
                && is_local(new.file, *other))
    };
    old_tokens.len() == new_tokens.len() && old_tokens.iter().zip(&new_tokens).all(is_same)
}
