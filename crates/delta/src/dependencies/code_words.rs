//! Words of Java code, found without a parser.

/// Word of Java code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeWord<'a> {
    pub(super) text: &'a [u8],
    /// Number of open braces before it.
    pub(super) depth: usize,
}

/// Returns the identifiers, keywords and numbers of a Java file, without those in comments and literals.
pub(super) fn code_words(text: &[u8]) -> CodeWords<'_> {
    CodeWords { rest: text, depth: 0 }
}

/// Iterator of [`code_words`].
#[derive(Clone)]
pub(super) struct CodeWords<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl<'a> Iterator for CodeWords<'a> {
    type Item = CodeWord<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(first) = self.rest.first() {
            if is_word_byte(*first) {
                let end = self.rest.iter().position(|byte| !is_word_byte(*byte));
                let (text, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                self.rest = rest;
                return Some(CodeWord { text, depth: self.depth });
            }
            match first {
                b'{' => self.depth += 1,
                b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.rest = &self.rest[skipped_length(self.rest)..];
        }
        None
    }
}

/// Returns true for bytes of words. Bytes beyond ASCII count as letters, as in the parser.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 128..)
}

/// Returns the length of the comment, literal or single byte at the start of a text that is not empty.
fn skipped_length(text: &[u8]) -> usize {
    let closed_by = |start: usize, end: &[u8]| {
        let rest = &text[start..];
        let at = rest.windows(end.len()).position(|window| window == end);
        at.map_or(text.len(), |at| start + at + end.len())
    };
    match text {
        [b'/', b'/', ..] => closed_by(2, b"\n"),
        [b'/', b'*', ..] => closed_by(2, b"*/"),
        [b'"', b'"', b'"', ..] => 3 + literal_length(&text[3..], b"\"\"\""),
        [quote @ (b'"' | b'\''), ..] => 1 + literal_length(&text[1..], &[*quote]),
        _ => 1,
    }
}

/// Returns the length of a literal after its opening quote, with its closing one.
fn literal_length(text: &[u8], quote: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(quote) {
            return at + quote.len();
        }
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn comments_and_literals_have_no_words() {
        let text = "/* a { */ class B { // c }\n char d = '\\''; String e = \"\\\"f{\" + \"\"\"\n g\" { \"\"\"; } h";
        let words: Vec<_> = code_words(text.as_bytes())
            .map(|word| (std::str::from_utf8(word.text).unwrap(), word.depth))
            .collect();
        let inner = ["char", "d", "String", "e"].map(|word| (word, 1));
        let expected = [&[("class", 0), ("B", 0)][..], &inner, &[("h", 0)]].concat();
        assert_eq!(words, expected);
    }

    proptest! {
        #[test]
        fn any_text_ends(text in "[a{}\"'/*\\\\\n ]{0,40}") {
            prop_assert!(code_words(text.as_bytes()).count() <= text.len());
        }
    }
}
