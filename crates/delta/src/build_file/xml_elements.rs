//! Elements in changed lines of an XML file. The tags of each variant match: changes that are not balanced alone are one
//! change.

use crate::text_part::{TextPart, line_ranges};
use std::ops::Range;

/// Tags that a text closes and opens outside of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OuterTags<'a> {
    closed: Vec<&'a [u8]>,
    opened: Vec<&'a [u8]>,
    /// True if the text starts within a comment or a character data section.
    starts_within_markup: bool,
    /// True if the text ends within a tag, a comment or a character data section.
    ends_within_markup: bool,
}

impl OuterTags<'_> {
    fn is_balanced(&self) -> bool {
        *self == Self::default()
    }
}

/// Moves added and removed lines up or down, as long as the texts are the same, so that they are whole elements: a
/// comparison of lines may find `</b><b>` instead of `<b></b>`.
pub(super) fn align_with_elements(
    old: &[u8],
    new: &[u8],
    mut parts: Vec<TextPart>,
) -> Vec<TextPart> {
    for at in 0..parts.len() {
        let is_added = parts[at].old.is_empty();
        if parts[at].change.is_none() || !is_added && !parts[at].new.is_empty() {
            continue;
        }
        let text = if is_added { new } else { old };
        let is_whole = |parts: &[TextPart], at: usize| {
            outer_tags(&text[changed_range(&parts[at], is_added)]).is_balanced()
        };
        if is_whole(&parts, at) {
            continue;
        }
        for is_up in [true, false] {
            let (mut moved, mut place) = (parts.clone(), at);
            while !is_whole(&moved, place) {
                let Some(next) = shift(&mut moved, place, text, is_added, is_up) else { break };
                place = next;
            }
            if is_whole(&moved, place) {
                parts = moved;
                break;
            }
        }
    }
    parts
}

fn changed_range(part: &TextPart, is_added: bool) -> Range<usize> {
    if is_added { part.new.clone() } else { part.old.clone() }
}

/// Moves a part by one line. Returns its new index, or `None` if the neighbouring line differs.
fn shift(
    parts: &mut [TextPart],
    at: usize,
    text: &[u8],
    is_added: bool,
    is_up: bool,
) -> Option<usize> {
    let neighbour_at = if is_up { at.checked_sub(1)? } else { at + 1 };
    let neighbour = parts.get(neighbour_at).filter(|part| part.change.is_none())?.clone();
    let bytes = changed_range(&parts[at], is_added);
    let lines = line_ranges(&text[bytes.clone()]);
    let edge = if is_up { lines.last()? } else { lines.first()? };
    let edge = bytes.start + edge.start..bytes.start + edge.end;
    let line = changed_range(&neighbour, is_added);
    if text[edge.clone()] != text[line.clone()] {
        return None;
    }
    // The neighbour becomes changed, and the line at the other end takes its place as an equal line.
    let (moved, kept) =
        if is_up { (line.start..edge.start, edge) } else { (edge.end..line.end, edge) };
    let other = |part: &TextPart| if is_added { part.old.clone() } else { part.new.clone() };
    let neighbour_other = other(&neighbour);
    let empty = if is_up {
        neighbour_other.start..neighbour_other.start
    } else {
        neighbour_other.end..neighbour_other.end
    };
    let build = |own: Range<usize>, other: Range<usize>, change: Option<usize>| {
        let (old, new) = if is_added { (other, own) } else { (own, other) };
        TextPart { old, new, change }
    };
    let changed = build(moved, empty, parts[at].change);
    let equal = build(kept, neighbour_other, None);
    parts[at] = equal;
    parts[neighbour_at] = changed;
    Some(neighbour_at)
}

/// Divides added and removed lines into elements.
pub(super) fn divide(old: &[u8], new: &[u8], parts: Vec<TextPart>) -> Vec<TextPart> {
    let divide_part = |part: TextPart| {
        let is_added = part.old.is_empty();
        if part.change.is_none() || !is_added && !part.new.is_empty() {
            return vec![part];
        }
        let text = if is_added { new } else { old };
        let bytes = changed_range(&part, is_added);
        let to_part = |element: Range<usize>| {
            let element = bytes.start + element.start..bytes.start + element.end;
            let (old, new) =
                if is_added { (part.old.clone(), element) } else { (element, part.new.clone()) };
            TextPart { old, new, change: part.change }
        };
        match split_elements(&text[bytes.clone()]) {
            Some(elements) => elements.into_iter().map(to_part).collect(),
            None => vec![part],
        }
    };
    parts.into_iter().flat_map(divide_part).collect()
}

/// Returns the ranges of whole lines with one element each; `None` if the text is not a sequence of elements.
fn split_elements(text: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut elements: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for line in line_ranges(text) {
        let is_element = has_element(&text[start..line.end]);
        if is_element && outer_tags(&text[start..line.end]).is_balanced() {
            elements.push(start..line.end);
            start = line.end;
        }
    }
    if has_element(&text[start..]) {
        return None;
    }
    // Comments and blank lines after the last element.
    elements.last_mut()?.end = text.len();
    Some(elements)
}

fn has_element(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some((markup, after)) = next_markup(rest).found {
        if read_tag(markup).is_some() {
            return true;
        }
        rest = after;
    }
    false
}

/// Makes changes that close other tags than they open one change, together with the next ones, until all tags match.
pub(super) fn join_unbalanced(old: &[u8], new: &[u8], mut parts: Vec<TextPart>) -> Vec<TextPart> {
    let mut at = 0;
    while at < parts.len() {
        let is_changed = parts[at].change.is_some();
        let end = if is_changed { balanced_end(old, new, &parts, at) } else { at + 1 };
        let change = parts[at].change;
        for part in &mut parts[at..end] {
            part.change = part.change.and(change);
        }
        at = end;
    }
    parts
}

/// Returns the end of the shortest sequence of parts from `start` on whose tags match in both versions.
fn balanced_end(old: &[u8], new: &[u8], parts: &[TextPart], start: usize) -> usize {
    let is_balanced_up_to = |end: &usize| {
        let (first, last) = (&parts[start], &parts[*end - 1]);
        if last.change.is_none() {
            return false;
        }
        let old_tags = outer_tags(&old[first.old.start..last.old.end]);
        let new_tags = outer_tags(&new[first.new.start..last.new.end]);
        old_tags == new_tags
    };
    (start + 1..=parts.len()).find(is_balanced_up_to).unwrap_or(parts.len())
}

enum Tag<'a> {
    Open(&'a [u8]),
    Close(&'a [u8]),
    /// Element without content.
    Empty,
}

fn outer_tags(text: &[u8]) -> OuterTags<'_> {
    let mut outer = OuterTags::default();
    let mut rest = text;
    loop {
        let NextMarkup { found, follows_open_markup, has_no_end } = next_markup(rest);
        if follows_open_markup {
            outer = OuterTags { starts_within_markup: true, ..OuterTags::default() };
        }
        outer.ends_within_markup |= has_no_end;
        let Some((markup, after)) = found else { return outer };
        match read_tag(markup) {
            Some(Tag::Open(name)) => outer.opened.push(name),
            Some(Tag::Close(name)) if outer.opened.last() == Some(&name) => {
                outer.opened.pop();
            }
            Some(Tag::Close(name)) => outer.closed.push(name),
            Some(Tag::Empty) | None => {}
        }
        rest = after;
    }
}

/// The next markup of a text.
#[derive(Default)]
struct NextMarkup<'a> {
    /// The markup and the text after it.
    found: Option<(&'a [u8], &'a [u8])>,
    /// True if other markup that began before the text ends before it.
    follows_open_markup: bool,
    /// True if the text ends within the markup.
    has_no_end: bool,
}

fn next_markup(text: &[u8]) -> NextMarkup<'_> {
    let open = text.iter().position(|byte| *byte == b'<');
    let before_markup = &text[..open.unwrap_or(text.len())];
    let ends = [&b"-->"[..], b"]]>"].into_iter().filter_map(|end| find(before_markup, end));
    if let Some(end) = ends.min() {
        return NextMarkup { follows_open_markup: true, ..next_markup(&text[end + 3..]) };
    }
    let Some(open) = open else { return NextMarkup::default() };
    let markup = &text[open..];
    let end = match markup {
        [b'<', b'!', b'-', b'-', ..] => find(markup, b"-->").map(|at| at + 3),
        [b'<', b'!', b'[', ..] => find(markup, b"]]>").map(|at| at + 3),
        _ => find(markup, b">").map(|at| at + 1),
    };
    let found = end.map(|end| markup.split_at(end));
    NextMarkup { found, follows_open_markup: false, has_no_end: found.is_none() }
}

/// Reads a tag; `None` for comments and declarations.
fn read_tag(markup: &[u8]) -> Option<Tag<'_>> {
    let inner = markup.strip_prefix(b"<")?.strip_suffix(b">")?;
    if inner.starts_with(b"!") || inner.starts_with(b"?") {
        return None;
    }
    let name = |text: &'_ [u8]| text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    if let Some(closed) = inner.strip_prefix(b"/") {
        Some(Tag::Close(&closed[..name(closed)]))
    } else if inner.ends_with(b"/") {
        Some(Tag::Empty)
    } else {
        Some(Tag::Open(&inner[..name(inner)]))
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}
