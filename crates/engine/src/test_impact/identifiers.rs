//! The words of a Java file, read without parsing it. Pure.

use std::collections::HashSet;

/// Declared types of a file, and all identifiers outside of comments. Words in strings count, because classes may be
/// loaded by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileIdentifiers {
    pub(super) package: String,
    /// The simple names of its outermost types.
    pub(super) declared: Vec<String>,
    pub(super) all: HashSet<String>,
}

impl FileIdentifiers {
    pub(super) fn parse(text: &[u8]) -> Self {
        let mut reader = IdentifierReader {
            text,
            at: 0,
            depth: 0,
            before: String::new(),
            words: Self::default(),
        };
        while reader.step() {}
        reader.words
    }
}

/// Goes through a text once.
struct IdentifierReader<'a> {
    text: &'a [u8],
    at: usize,
    /// Number of open braces.
    depth: usize,
    /// The word directly before, with nothing but white space and comments between.
    before: String,
    words: FileIdentifiers,
}

impl IdentifierReader<'_> {
    /// Takes what is next; whether there was something.
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(first) = rest.first() else { return false };
        match first {
            b'/' if rest.starts_with(b"//") => self.skip_past(b"\n", 2),
            b'/' if rest.starts_with(b"/*") => self.skip_past(b"*/", 2),
            b'"' if rest.starts_with(b"\"\"\"") => self.string(b"\"\"\""),
            b'"' => self.string(b"\""),
            b'\'' => self.string(b"'"),
            byte if is_part(*byte) => self.word(),
            byte if byte.is_ascii_whitespace() => self.at += 1,
            byte => {
                match byte {
                    b'{' => self.depth += 1,
                    b'}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.before.clear();
                self.at += 1;
            }
        }
        true
    }

    fn skip_past(&mut self, end: &[u8], from: usize) {
        let rest = &self.text[self.at + from..];
        let found = rest.windows(end.len()).position(|window| window == end);
        self.at = found.map_or(self.text.len(), |found| self.at + from + found + end.len());
    }

    /// A literal, with the words in it.
    fn string(&mut self, quote: &[u8]) {
        let start = self.at + quote.len();
        let mut end = start;
        while end < self.text.len() && !self.text[end..].starts_with(quote) {
            end += if self.text[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(self.text.len());
        let inside = self.text[start.min(end)..end].split(|byte| !is_part(*byte));
        let words = inside.filter(|word| !word.is_empty()).map(owned);
        self.words.all.extend(words);
        self.before.clear();
        self.at = (end + quote.len()).min(self.text.len());
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        let word = owned(&rest[..length]);
        self.at += length;
        if self.depth == 0 && word == "package" && self.words.declared.is_empty() {
            return self.package();
        }
        if self.depth == 0 && ["class", "interface", "enum", "record"].contains(&&*self.before) {
            self.words.declared.push(word.clone());
        }
        self.words.all.insert(word.clone());
        self.before = word;
    }

    fn package(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| *byte == b';').unwrap_or(rest.len());
        self.words.package = owned(&rest[..length]).split_whitespace().collect();
        self.at += length;
    }
}

/// Bytes above ASCII are part of letters.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

fn owned(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outermost_types_are_declared_and_words_in_comments_are_none() {
        let words = FileIdentifiers::parse(
            b"// Not { this\npackage a . b;\nimport x.Y;\n@Named(Z.class) public class C<T> { class D {}\n\
              String s = \"load a.b.Hidden }\"; char q = '\"'; char b = '{'; /* Gone */ } enum E { ONE }\nrecord R(int i) {}\n\
              @interface A {} interface I { String t = \"\"\"\n  } class Text \\\"\"\" { \"\"\"; }",
        );
        assert_eq!(words.package, "a.b");
        assert_eq!(words.declared, ["C", "E", "R", "A", "I"]);
        for (word, is_there) in [
            ("Y", true),
            ("Z", true),
            ("D", true),
            ("Hidden", true),
            ("Not", false),
            ("Gone", false),
            ("Text", true),
        ] {
            assert_eq!(words.all.contains(word), is_there, "{word}");
        }
    }

    #[test]
    fn a_text_that_ends_anywhere_is_read_to_its_end() {
        for text in [&b"class"[..], b"\"", b"\"\\", b"/*", b"//", b"'", b"package", b"\"\"\"x"] {
            let _ = FileIdentifiers::parse(text);
        }
    }
}
