//! Token ranges, and the search for the range of one version that corresponds to one of the other.

use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, is_word,
};
use mend_java::NodeId;
use std::ops::Range;

/// Maximum number of tokens searched for the nearest token that both versions have.
const MAX_SEARCH_DISTANCE: usize = 600;

/// Range of tokens of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenRange {
    pub(crate) file: usize,
    pub(crate) tokens: Range<usize>,
}

impl TokenRange {
    pub(crate) fn token_refs(&self) -> impl Iterator<Item = TokenRef> + use<> {
        let file = self.file;
        self.tokens.clone().map(move |token| TokenRef { file, token })
    }

    fn overlaps(&self, file: usize, tokens: &Range<usize>) -> bool {
        self.file == file && self.tokens.start < tokens.end && tokens.start < self.tokens.end
    }
}

/// A text as a sequence of tokens.
pub(crate) type TokenTexts<'a> = Vec<&'a [u8]>;

impl<'a> DirectedChange<'_, 'a> {
    /// Returns the range of the first version with the given text that corresponds to `unit` of the second one: a
    /// syntactic unit in the same member, between the same neighbours. Ranges in `matched` already correspond to other
    /// code.
    pub(crate) fn find_replaced(
        &self,
        unit: &TokenRange,
        text: &[&[u8]],
        matched: &[TokenRange],
    ) -> Option<TokenRange> {
        let file = self.to.file(unit.file)?;
        if text.is_empty() || file.texts(unit.tokens.clone()) == text {
            return None;
        }
        let window = self.search_window(unit)?;
        let old_file = self.from.file(window.file)?;
        let last = window.tokens.end.checked_sub(text.len())?;
        let starts = window.tokens.start..=last;
        let found_start = starts.clone().take(MAX_SEARCH_DISTANCE).find(|start| {
            let tokens = *start..start + text.len();
            tokens.clone().zip(text).all(|(token, text)| old_file.text(token) == *text)
                && is_expression_or_statements(old_file, &tokens)
                && !matched.iter().any(|region| region.overlaps(window.file, &tokens))
        })?;
        Some(TokenRange { file: window.file, tokens: found_start..found_start + text.len() })
    }

    /// Returns [`DirectedChange::find_replaced`] for an expression, with or without parentheses around it.
    pub(crate) fn find_replaced_expression(
        &self,
        unit: &TokenRange,
        text: &[&'a [u8]],
        matched: &[TokenRange],
    ) -> Option<TokenRange> {
        let file = self.to.file(unit.file)?;
        let is_bracketed = unit.tokens.start > 0
            && file.text(unit.tokens.start - 1) == b"("
            && file.texts(unit.tokens.end..file.partner.len().min(unit.tokens.end + 1)) == [b")"];
        let find_plain = || self.find_replaced(unit, text, matched);
        let bracketed_text: TokenTexts<'_> =
            std::iter::once(&b"("[..]).chain(text.iter().copied()).chain([&b")"[..]]).collect();
        let find_bracketed = || self.find_replaced(unit, &bracketed_text, matched);
        if is_bracketed {
            find_plain().or_else(find_bracketed)
        } else {
            find_bracketed().or_else(find_plain)
        }
    }

    /// Returns the range of the first version between the kept neighbours of a unit of the second one.
    fn search_window(&self, unit: &TokenRange) -> Option<TokenRange> {
        let file = self.to.file(unit.file)?;
        let member = file.enclosing_member(unit.tokens.start)?;
        let old_name = self.to.partner(TokenRef { file: unit.file, token: member.name })?;
        let old_file = self.from.file(old_name.file)?;
        let old_member = self.from.member(old_name)?;
        let bounds = old_file.tokens(old_member.node);
        let partner_in_member = |token: usize| {
            file.partner[token]
                .filter(|spot| spot.file == old_name.file && bounds.contains(&spot.token))
                .map(|spot| spot.token)
        };
        let member_tokens = file.tokens(member.node);
        let left = (member_tokens.start..unit.tokens.start)
            .rev()
            .take(MAX_SEARCH_DISTANCE)
            .find_map(partner_in_member);
        let right = (unit.tokens.end..member_tokens.end)
            .take(MAX_SEARCH_DISTANCE)
            .find_map(partner_in_member);
        let start = left.map_or(bounds.start, |token| token + 1);
        let end = right.unwrap_or(bounds.end);
        (start < end).then_some(TokenRange { file: old_name.file, tokens: start..end })
    }
}

/// Returns true if tokens are a node, or neighbouring statements, but not the name of a member.
fn is_expression_or_statements(file: &FileVersion<'_>, tokens: &Range<usize>) -> bool {
    let is_selected = tokens.start > 0 && file.text(tokens.start - 1) == b".";
    let is_called = tokens.len() == 1
        && tokens.end < file.partner.len()
        && file.text(tokens.end) == b"("
        && is_word(file.text(tokens.start));
    !is_selected && !is_called && !nodes_spanning(file, tokens).is_empty()
}

/// Returns the node, or the neighbouring nodes, with exactly these tokens; the outermost if there are several.
pub(crate) fn nodes_spanning(file: &FileVersion<'_>, tokens: &Range<usize>) -> Vec<NodeId> {
    let ends = |id: NodeId| file.source.node(id).tokens.end;
    for id in file.nodes_from(tokens.start) {
        if ends(id) == tokens.end {
            return vec![id];
        }
        if ends(id) > tokens.end || !is_statement(file, id) {
            continue;
        }
        let parent_end = file.source.node(file.source.node(id).parent).subtree_end;
        let siblings: Vec<NodeId> = std::iter::successors(Some(id), |id| {
            Some(file.source.node(*id).subtree_end).filter(|next| *next < parent_end)
        })
        .take_while(|id| ends(*id) <= tokens.end)
        .collect();
        if siblings.last().is_some_and(|id| ends(*id) == tokens.end) {
            return siblings;
        }
    }
    Vec::new()
}

/// Returns true for a statement or a variable declaration.
pub(crate) fn is_statement(file: &FileVersion<'_>, id: NodeId) -> bool {
    let kind = file.kind(id);
    kind.ends_with("_statement") || kind == "local_variable_declaration" || kind == "block"
}
