//! Both versions of a file as one sequence of fragments, from which any subset of the hunks can be rendered.
//!
//! Every token of both versions is a fragment with a presence condition. Text between two tokens comes from the version
//! in which they are neighbours. Therefore the empty subset gives exactly the old file, and the full one exactly the
//! new file.

use crate::hunk::HunkId;
use crate::template::versioned_range::VersionedRange;
use mend_java::ParsedSource;
use mend_model::RepoPath;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Index of a condition in [`VariantTemplate`].
pub(crate) type ConditionId = usize;

/// Index of the condition that always holds.
pub(crate) const ALWAYS: ConditionId = 0;

/// Index of a list with separators in [`VariantTemplate`].
pub(crate) type ListId = usize;

/// A conjunction: the parent holds, and the hunk is applied or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PresenceCondition {
    pub(crate) parent: ConditionId,
    pub(crate) hunk: HunkId,
    pub(crate) is_enabled: bool,
}

/// Text of one version, with its tokens.
#[derive(Debug)]
pub(crate) struct TokenizedText {
    pub(crate) text: Arc<[u8]>,
    /// Range of the text: all of it, or a part.
    span: Range<usize>,
    pub(crate) tokens: Vec<Range<usize>>,
}

impl TokenizedText {
    /// Creates the version from a whole text.
    pub(crate) fn from_text(text: &Arc<[u8]>, tokens: Vec<Range<usize>>) -> Self {
        Self { text: Arc::clone(text), span: 0..text.len(), tokens }
    }

    /// Creates the version from a Java file, or from a part of one.
    pub(crate) fn from_source(source: &ParsedSource) -> Self {
        let tokens = source.tokens().to_vec();
        Self { text: Arc::clone(source.text()), span: source.span(), tokens }
    }

    /// Returns the text between a token and the next one, where index −1 is the start.
    fn gap_after(&self, token_index: isize) -> &[u8] {
        usize::try_from(token_index + 1).map_or(&[], |next| self.gap_before(next))
    }

    /// Returns the text between a token and the previous one; after the last token, up to the end.
    pub(crate) fn gap_before(&self, next: usize) -> &[u8] {
        let before = next.checked_sub(1).and_then(|at| self.tokens.get(at));
        let start = before.map_or(self.span.start, |token| token.end);
        let end = self.tokens.get(next).map_or(self.span.end, |token| token.start);
        &self.text[start..end]
    }

    /// Returns the text after a token on its own line: its comment, if the line ends there. At the start of the file,
    /// it is the first comment, which describes the whole file.
    fn trailing_text(&self, token_index: isize) -> &[u8] {
        let gap = self.gap_after(token_index);
        &gap[..split_gap(gap, token_index).unwrap_or(0)]
    }

    /// Returns the text before a token: the comments above it and its indentation.
    fn leading_text(&self, token_index: isize) -> &[u8] {
        let gap = self.gap_after(token_index - 1);
        &gap[split_gap(gap, token_index - 1).unwrap_or(0)..]
    }
}

/// Returns the offset that splits a gap between the token before it and the token after it.
fn split_gap(gap: &[u8], before: isize) -> Option<usize> {
    if before < 0 { first_comment_end(gap) } else { line_end(gap) }
}

/// Returns the end of the first line that does not end within a comment.
fn line_end(gap: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < gap.len() {
        match &gap[at..] {
            [b'/', b'*', ..] => at += block_comment_len(&gap[at..]),
            [b'\r', b'\n', ..] | [b'\n', ..] => return Some(at),
            [b'/', b'/', rest @ ..] => {
                at += 2 + rest.iter().position(|byte| *byte == b'\n')?;
                at -= usize::from(gap[at - 1] == b'\r');
            }
            _ => at += 1,
        }
    }
    None
}

fn first_comment_end(gap: &[u8]) -> Option<usize> {
    let start = gap.iter().position(|byte| !byte.is_ascii_whitespace())?;
    match &gap[start..] {
        [b'/', b'*', ..] => Some(start + block_comment_len(&gap[start..])),
        comment => line_end(comment).map(|len| start + len),
    }
}

/// Returns the length of the block comment that the bytes begin with.
fn block_comment_len(bytes: &[u8]) -> usize {
    let end = bytes.iter().skip(2).zip(bytes.iter().skip(3));
    let end = end.enumerate().find(|(_, pair)| *pair == (&b'*', &b'/'));
    end.map_or(bytes.len(), |(at, _)| at + 4)
}

/// Role of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FragmentRole {
    /// A token of one version, or the same token of both.
    Token,
    /// Separator before a list element; rendered only if another element precedes it.
    Separator(ListId),
    /// Start of a list element. It has no text.
    Element(ListId),
    /// All of a moved fragment, in place of its tokens.
    Moved(MovedFragmentId),
    /// A token with another text.
    Renamed(RenamedTextId),
}

/// Index of a text in [`VariantTemplate::renamed_texts`].
pub(crate) type RenamedTextId = usize;

/// Index of a moved fragment in [`VariantTemplate`].
pub(crate) type MovedFragmentId = usize;

/// Code that is in this file in one version, and in another file with edits in the other version.
#[derive(Clone, Debug)]
pub(crate) struct MovedFragment {
    /// Both versions of the code, without its surroundings.
    pub(crate) template: Arc<VariantTemplate>,
    /// Old and new file.
    pub(crate) paths: Arc<(RepoPath, RepoPath)>,
    /// Number of tokens of this file that it contains.
    pub(crate) tokens: usize,
}

impl MovedFragment {
    /// Returns its tokens in one version; tokens that remain depend on the hunk that puts the code into its file.
    fn ranges(&self, is_old: bool, hunk: Option<HunkId>) -> impl Iterator<Item = VersionedRange> {
        let in_version = move |VersionedRange { old, new, hunk: inner }| VersionedRange {
            old: old.filter(|_| is_old),
            new: new.filter(|_| !is_old),
            hunk: inner.or(hunk),
        };
        let all = self.template.ranges().into_iter().map(in_version);
        all.filter(|one| one.old.is_some() || one.new.is_some())
    }
}

/// One fragment of the merged sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub(crate) old: Option<usize>,
    pub(crate) new: Option<usize>,
    pub(crate) condition: ConditionId,
    pub(crate) role: FragmentRole,
}

/// Separation of neighbours that are not adjacent in either version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JoinMode {
    /// Tokens: a space if two would merge.
    Tokens,
    /// Lines: a line break where one is missing.
    Lines,
}

/// Both versions of a file, merged.
#[derive(Debug)]
pub(crate) struct VariantTemplate {
    pub(crate) old: TokenizedText,
    pub(crate) new: TokenizedText,
    pub(crate) fragments: Vec<Fragment>,
    /// Presence conditions; the first one is [`ALWAYS`] and is not evaluated.
    pub(crate) conditions: Vec<PresenceCondition>,
    /// Separator of each list.
    pub(crate) list_separators: Vec<Vec<u8>>,
    pub(crate) moved_fragments: Vec<MovedFragment>,
    /// Other names of tokens, for some combinations of hunks.
    pub(crate) renamed_texts: Vec<Vec<u8>>,
    /// Hunk for white space and comments between tokens that are neighbours in both versions.
    pub(crate) layout_hunk: Option<HunkId>,
    pub(crate) join_mode: JoinMode,
    /// True if `old` and `new` are swapped, so that every condition is inverted.
    pub(crate) is_reversed: bool,
}

/// Original offsets of a position in a variant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OriginalOffsets<'a> {
    pub(crate) old: Option<usize>,
    pub(crate) new: Option<usize>,
    /// Files of both versions, if they differ from that of the variant.
    pub(crate) paths: Option<&'a (RepoPath, RepoPath)>,
}

/// Rendering position in both versions, as the last token; `None` if the fragment has none there.
#[derive(Clone, Copy)]
struct RenderPosition {
    old: Option<isize>,
    new: Option<isize>,
}

impl VariantTemplate {
    /// Renders the variant with exactly the hunks that `is_enabled` selects.
    pub(crate) fn render(&self, is_enabled: &dyn Fn(HunkId) -> bool) -> Vec<u8> {
        self.render_with(is_enabled, &mut |_, _| {})
    }

    /// Returns the start, in both versions, of the token at an offset of a variant, or of the first token after it.
    pub(crate) fn original_offsets(
        &self,
        is_enabled: &dyn Fn(HunkId) -> bool,
        byte: usize,
    ) -> OriginalOffsets<'_> {
        let mut fragment_at_byte = None;
        self.render_with(is_enabled, &mut |piece, bytes| {
            if bytes.end > byte && fragment_at_byte.is_none() {
                fragment_at_byte = Some((*piece, byte.saturating_sub(bytes.start)));
            }
        });
        let Some((piece, byte)) = fragment_at_byte else { return OriginalOffsets::default() };
        if let FragmentRole::Moved(fragment) = piece.role {
            let MovedFragment { template: merged, paths, .. } = &self.moved_fragments[fragment];
            return OriginalOffsets {
                paths: Some(&**paths),
                ..merged.original_offsets(is_enabled, byte)
            };
        }
        let old = piece.old.map(|token| self.old.tokens[token].start);
        let new = piece.new.map(|token| self.new.tokens[token].start);
        let (old, new) = if self.is_reversed { (new, old) } else { (old, new) };
        OriginalOffsets { old, new, paths: None }
    }

    /// Returns every token of both versions, with its innermost hunk.
    pub(crate) fn ranges(&self) -> Vec<VersionedRange> {
        let mut ranges = Vec::new();
        for piece in &self.fragments {
            if let FragmentRole::Renamed(_) = piece.role {
                continue;
            }
            let old = piece.old.map(|token| self.old.tokens[token].clone());
            let new = piece.new.map(|token| self.new.tokens[token].clone());
            let hunk = (piece.condition != ALWAYS).then(|| self.conditions[piece.condition].hunk);
            let (old, new) = if self.is_reversed { (new, old) } else { (old, new) };
            if let FragmentRole::Moved(fragment) = piece.role {
                ranges.extend(self.moved_fragments[fragment].ranges(old.is_some(), hunk));
                continue;
            }
            match (self.join_mode, &old, &new) {
                (_, None, None) => {}
                (JoinMode::Lines, Some(_), None) | (JoinMode::Lines, None, Some(_)) => {
                    let side =
                        if old.is_some() == self.is_reversed { &self.new } else { &self.old };
                    ranges.extend(VersionedRange { old, new, hunk }.split_words(&side.text));
                }
                _ => ranges.push(VersionedRange { old, new, hunk }),
            }
        }
        ranges
    }

    /// Renders a variant, and visits each fragment with text together with its range.
    fn render_with(
        &self,
        is_enabled: &dyn Fn(HunkId) -> bool,
        visit: &mut dyn FnMut(&Fragment, Range<usize>),
    ) -> Vec<u8> {
        let is_selected = &|hunk: HunkId| is_enabled(hunk) != self.is_reversed;
        let holds = self.evaluate_conditions(is_selected);
        let is_layout_on = self.layout_hunk.is_some_and(is_selected);
        let mut has_element = vec![false; self.list_separators.len()];
        let mut out = Vec::with_capacity(self.old.span.len().max(self.new.span.len()));
        let mut previous = RenderPosition { old: Some(-1), new: Some(-1) };
        for piece in self.fragments.iter().filter(|piece| holds[piece.condition]) {
            match piece.role {
                FragmentRole::Element(list) => has_element[list] = true,
                FragmentRole::Separator(list) if !has_element[list] => {}
                FragmentRole::Token
                | FragmentRole::Separator(_)
                | FragmentRole::Moved(_)
                | FragmentRole::Renamed(_) => {
                    let at = RenderPosition { old: to_index(piece.old), new: to_index(piece.new) };
                    let text = self.fragment_text(piece, is_enabled);
                    self.add_gap(previous, at, &text, is_layout_on, &mut out);
                    let start = out.len();
                    out.extend_from_slice(&text);
                    visit(piece, start..out.len());
                    previous = self.end_position(piece, at);
                }
            }
        }
        let end = RenderPosition {
            old: to_index(Some(self.old.tokens.len())),
            new: to_index(Some(self.new.tokens.len())),
        };
        self.add_gap(previous, end, &[], is_layout_on, &mut out);
        out
    }

    /// Returns the rendering position after a fragment that starts at a position.
    fn end_position(&self, piece: &Fragment, at: RenderPosition) -> RenderPosition {
        let FragmentRole::Moved(fragment) = piece.role else { return at };
        let extra_tokens =
            to_index(Some(self.moved_fragments[fragment].tokens)).map_or(0, |count| count - 1);
        RenderPosition {
            old: at.old.map(|old| old + extra_tokens),
            new: at.new.map(|new| new + extra_tokens),
        }
    }

    /// Gives a token of one version another text if a hunk is applied (old tokens) or not applied (new tokens). Returns
    /// true if the token belongs to that version only.
    pub(crate) fn add_renamed_text(
        &mut self,
        is_old: bool,
        token: usize,
        hunk: HunkId,
        text: &[u8],
    ) -> bool {
        let is_at_token = |piece: &Fragment| {
            let own = if is_old == self.is_reversed { piece.new } else { piece.old };
            own == Some(token)
                && (piece.old.is_none() || piece.new.is_none())
                && piece.condition != ALWAYS
                && piece.role == FragmentRole::Token
        };
        let positions: Vec<usize> =
            (0..self.fragments.len()).filter(|at| is_at_token(&self.fragments[*at])).collect();
        for at in positions.iter().rev() {
            let piece = self.fragments[*at];
            let innermost = self.conditions[piece.condition];
            // The innermost hunk of the token remains the one that inserts or deletes it.
            let mut add_condition = |is_applied: bool| {
                let is_enabled = is_applied != self.is_reversed;
                let parent = innermost.parent;
                self.conditions.push(PresenceCondition { parent, hunk, is_enabled });
                let parent = self.conditions.len() - 1;
                self.conditions.push(PresenceCondition { parent, ..innermost });
                self.conditions.len() - 1
            };
            let (own, other) = (add_condition(!is_old), add_condition(is_old));
            self.renamed_texts.push(text.to_vec());
            let role = FragmentRole::Renamed(self.renamed_texts.len() - 1);
            self.fragments[*at].condition = own;
            self.fragments.insert(at + 1, Fragment { condition: other, role, ..piece });
        }
        !positions.is_empty()
    }

    fn evaluate_conditions(&self, is_enabled: &dyn Fn(HunkId) -> bool) -> Vec<bool> {
        let mut holds = vec![true; self.conditions.len()];
        for (id, presence) in self.conditions.iter().enumerate().skip(1) {
            holds[id] = holds[presence.parent] && is_enabled(presence.hunk) == presence.is_enabled;
        }
        holds
    }

    fn fragment_text(
        &self,
        piece: &Fragment,
        is_enabled: &dyn Fn(HunkId) -> bool,
    ) -> Cow<'_, [u8]> {
        match (piece.old, piece.new, piece.role) {
            (_, _, FragmentRole::Moved(fragment)) => {
                self.moved_fragments[fragment].template.render(is_enabled).into()
            }
            (_, _, FragmentRole::Renamed(text)) => (&*self.renamed_texts[text]).into(),
            (Some(old), _, _) => self.old.text[self.old.tokens[old].clone()].into(),
            (None, Some(new), _) => self.new.text[self.new.tokens[new].clone()].into(),
            (None, None, FragmentRole::Separator(list) | FragmentRole::Element(list)) => {
                (&*self.list_separators[list]).into()
            }
            (None, None, FragmentRole::Token) => Cow::Borrowed(&[]),
        }
    }

    fn add_gap(
        &self,
        previous: RenderPosition,
        at: RenderPosition,
        text: &[u8],
        is_layout_on: bool,
        out: &mut Vec<u8>,
    ) {
        let old = adjacent_index(previous.old, at.old).map(|at| self.old.gap_after(at));
        let new = adjacent_index(previous.new, at.new).map(|at| self.new.gap_after(at));
        match (old, new) {
            (Some(_), Some(new)) if is_layout_on => out.extend_from_slice(new),
            (Some(old), _) => out.extend_from_slice(old),
            (None, Some(new)) => out.extend_from_slice(new),
            (None, None) => self.join_non_adjacent(previous, at, text, out),
        }
    }

    /// Separates two tokens that are adjacent in neither version.
    fn join_non_adjacent(
        &self,
        previous: RenderPosition,
        at: RenderPosition,
        text: &[u8],
        out: &mut Vec<u8>,
    ) {
        let trailing =
            self.select_version(previous).map_or(&[][..], |(side, at)| side.trailing_text(at));
        let leading = self.select_version(at).map_or(&[][..], |(side, at)| side.leading_text(at));
        out.extend_from_slice(trailing);
        if self.join_mode == JoinMode::Lines {
            if !text.is_empty() && out.last().is_some_and(|last| *last != b'\n') {
                out.push(b'\n');
            }
            return;
        }
        if has_line_comment(trailing) && !starts_with_line_break(leading) {
            out.push(b'\n');
        }
        out.extend_from_slice(leading);
        if would_merge(out.last(), text.first()) {
            out.push(b' ');
        }
    }

    /// Returns the version that determines the neighbours of a position: the old one, unless it is empty.
    fn select_version(&self, position: RenderPosition) -> Option<(&TokenizedText, isize)> {
        let old = position.old.map(|at| (&self.old, at));
        let new = position.new.map(|at| (&self.new, at));
        if self.old.span.is_empty() { new.or(old) } else { old.or(new) }
    }
}

fn to_index(token: Option<usize>) -> Option<isize> {
    token.and_then(|token| isize::try_from(token).ok())
}

/// Returns the position of the first of two tokens, if the second follows it.
fn adjacent_index(before: Option<isize>, at: Option<isize>) -> Option<isize> {
    before.filter(|before| at == Some(before + 1))
}

fn has_line_comment(trail: &[u8]) -> bool {
    trail.windows(2).any(|pair| pair == b"//")
}

fn starts_with_line_break(lead: &[u8]) -> bool {
    lead.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n')
}

/// Returns true if two adjacent bytes could merge into one token.
fn would_merge(left: Option<&u8>, right: Option<&u8>) -> bool {
    let is_word =
        |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
    let is_operator = |byte: u8| b"+-*/%=<>!&|^~?:.@".contains(&byte);
    let (Some(left), Some(right)) = (left, right) else { return false };
    let is_number = (is_word(*left) && *right == b'.') || (*left == b'.' && is_word(*right));
    (is_word(*left) && is_word(*right)) || (is_operator(*left) && is_operator(*right)) || {
        // A space between `1` and `.` or between `a` and `.` is valid in either case.
        is_number
    }
}
