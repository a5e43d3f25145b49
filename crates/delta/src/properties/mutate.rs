//! Random edits of Java sources.

use super::{Grammar, NodeId, ParsedSource};
use std::ops::Range;

/// Applies one random edit; `None` if the result is not Java.
pub(super) fn mutate(text: &[u8], seed: u64) -> Option<Vec<u8>> {
    let source = ParsedSource::parse(text.into())?;
    let mut dice = SeededRng(seed | 1);
    let nodes = candidates(&source, &mut dice)?;
    let edited = apply_random_edit(&source, nodes, &mut dice);
    ParsedSource::parse(edited.as_slice().into())
        .filter(|source| !has_split_operator(source) && !has_misplaced_constructor_call(source))
        .map(|_| edited)
}

/// Returns true if a constructor is called outside constructors. The grammar parses `outer.<K>super()` there, but not
/// `outer.super()`.
fn has_misplaced_constructor_call(source: &ParsedSource) -> bool {
    let is_call = |at: &usize| {
        matches!(source.token_text(*at), b"super" | b"this") && source.token_text(at + 1) == b"("
    };
    let calls = (0..source.tokens().len().saturating_sub(1)).filter(is_call).count();
    let kind = Grammar::get().kind_id("explicit_constructor_invocation");
    calls != source.nodes().iter().filter(|node| node.kind == kind).count()
}

/// Returns true if the grammar parses two tokens where Java has one: it parses `a++ --b` as `a++ - -b`, which compilers
/// reject.
fn has_split_operator(source: &ParsedSource) -> bool {
    (1..source.tokens().len()).any(|at| {
        let is_sign = matches!(source.token_text(at), b"+" | b"-");
        let touches = source.tokens()[at - 1].end == source.tokens()[at].start;
        is_sign && touches && source.token_text(at - 1) == source.token_text(at)
    })
}

/// Applies a few edits in sequence.
pub(super) fn mutate_often(text: &[u8], seed: u64, times: u64) -> Vec<u8> {
    (0..times).fold(text.to_vec(), |text, round| {
        let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(round);
        mutate(&text, seed).unwrap_or(text)
    })
}

/// Random number generator with the same numbers on all platforms.
pub(super) struct SeededRng(pub(super) u64);

impl SeededRng {
    /// Draws a number below `end`, which is not 0.
    pub(super) fn number_below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap_or(0)
    }
}

/// Returns a node and another one of its kind.
fn candidates(source: &ParsedSource, dice: &mut SeededRng) -> Option<(NodeId, NodeId)> {
    let grammar = Grammar::get();
    let is_element_wanted = dice.number_below(2) == 0;
    let is_wanted = |id: &NodeId| {
        let node = source.node(*id);
        let is_element = grammar.is_body(source.node(node.parent).kind);
        node.is_named && !node.tokens.is_empty() && is_element == is_element_wanted
    };
    let eligible: Vec<NodeId> = (1..source.nodes().len()).filter(is_wanted).collect();
    let first = *eligible.get(dice.number_below(eligible.len().max(1)))?;
    let kind = source.node(first).kind;
    let alike: Vec<NodeId> = eligible
        .iter()
        .copied()
        .filter(|id| is_element_wanted || source.node(*id).kind == kind)
        .collect();
    Some((first, alike[dice.number_below(alike.len())]))
}

fn apply_random_edit(
    source: &ParsedSource,
    (first, other): (NodeId, NodeId),
    dice: &mut SeededRng,
) -> Vec<u8> {
    let text = source.text();
    let (range, other_range) = (source.byte_range(first), source.byte_range(other));
    let copy = text[range.clone()].to_vec();
    let replaced = |range: Range<usize>, with: &[&[u8]]| {
        [&text[..range.start], &with.concat()[..], &text[range.end..]].concat()
    };
    match dice.number_below(16) {
        0 | 1 => replaced(range_with_separator(source, first), &[]),
        2 => replaced(other_range.start..other_range.start, &[&copy, b"\n  "]),
        3 | 4 => move_range(text, range, other_range),
        5 => replaced(range, &[&text[other_range]]),
        6 => swap_ranges(text, range, other_range),
        7 => rename_identifier(source, first),
        8 => replaced(range, &[b"if (check) {\n", &copy, b"\n}"]),
        9 => replaced(range, &[b"try { before(); ", &copy, b" } catch (Error e) { after(1); }"]),
        10 => unwrap_node(source, first, dice),
        11 => replaced(range.end..range.end, &[b", ", &copy]),
        12 => replaced(range, &[&copy, b" && check(2)"]),
        13 => replaced(range, &[b"wrap(", &copy, b").trim()"]),
        14 => replaced(range, &[b"// why\n", &copy]),
        _ => replaced(range, &[&copy, b" /* c */ "]),
    }
}

/// Returns a node with the comma after or before it, if it has one.
fn range_with_separator(source: &ParsedSource, id: NodeId) -> Range<usize> {
    let range = source.byte_range(id);
    let tokens = source.node(id).tokens.clone();
    let is_comma = |token: Option<usize>| {
        token.filter(|token| *token < source.tokens().len() && source.token_text(*token) == b",")
    };
    if let Some(comma) = is_comma(Some(tokens.end)) {
        return range.start..source.tokens()[comma].end;
    }
    match is_comma(tokens.start.checked_sub(1)) {
        Some(comma) => source.tokens()[comma].start..range.end,
        None => range,
    }
}

fn move_range(text: &[u8], from: Range<usize>, to: Range<usize>) -> Vec<u8> {
    let copy = &text[from.clone()];
    if to.start >= from.end {
        [&text[..from.start], &text[from.end..to.end], copy, &text[to.end..]].concat()
    } else if to.start < from.start {
        [&text[..to.start], copy, b" ", &text[to.start..from.start], &text[from.end..]].concat()
    } else {
        text.to_vec()
    }
}

fn swap_ranges(text: &[u8], a: Range<usize>, b: Range<usize>) -> Vec<u8> {
    let (a, b) = if a.start <= b.start { (a, b) } else { (b, a) };
    if a.end > b.start {
        return text.to_vec();
    }
    [&text[..a.start], &text[b.clone()], &text[a.end..b.start], &text[a], &text[b.end..]].concat()
}

/// Renames the first identifier of a node everywhere.
fn rename_identifier(source: &ParsedSource, id: NodeId) -> Vec<u8> {
    let identifier = Grammar::get().kind_id("identifier");
    let descendants = id..source.node(id).subtree_end;
    let renamed_node = descendants.clone().find(|id| source.node(*id).kind == identifier);
    let Some(name) = renamed_node.map(|id| source.node_text(id)) else {
        return source.text().to_vec();
    };
    let mut out = Vec::new();
    let mut end = 0;
    for (at, token) in
        source.tokens().iter().enumerate().filter(|(at, _)| source.token_text(*at) == name)
    {
        out.extend_from_slice(&source.text()[end..token.end]);
        out.extend_from_slice(b"2");
        end = source.tokens()[at].end;
    }
    out.extend_from_slice(&source.text()[end..]);
    out
}

/// Replaces a node by one of its descendants.
fn unwrap_node(source: &ParsedSource, id: NodeId, dice: &mut SeededRng) -> Vec<u8> {
    let (text, range) = (source.text(), source.byte_range(id));
    let inner = id + dice.number_below(source.node(id).subtree_end - id);
    let kept = source.byte_range(inner);
    [&text[..range.start], &text[kept], &text[range.end..]].concat()
}

#[test]
fn every_sample_can_be_mutated() {
    for sample in super::SAMPLES {
        let mutants = (0..40).filter_map(|seed| mutate(sample.as_bytes(), seed));
        assert!(mutants.count() > 4, "{sample}");
    }
}
