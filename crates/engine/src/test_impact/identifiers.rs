//! Identifiers in a Java file, read without parsing it. Pure.

use std::collections::HashSet;

/// Declared types of a file, and all identifiers outside of comments. Words in strings count, because classes may be
/// loaded by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileIdentifiers {
    pub(super) package: String,
    /// Simple names of its top-level types.
    pub(super) declared_types: Vec<String>,
    pub(super) identifiers: HashSet<String>,
}

impl FileIdentifiers {
    pub(super) fn parse(text: &[u8]) -> Self {
        let mut reader = IdentifierReader {
            text,
            offset: 0,
            depth: 0,
            previous_word: String::new(),
            result: Self::default(),
        };
        while reader.read_next() {}
        reader.result
    }
}

/// Lexer that reads a text once.
struct IdentifierReader<'a> {
    text: &'a [u8],
    offset: usize,
    /// Number of open braces.
    depth: usize,
    /// The word directly before, apart from white space and comments.
    previous_word: String,
    result: FileIdentifiers,
}

impl IdentifierReader<'_> {
    /// Reads the next token. Returns false at the end.
    fn read_next(&mut self) -> bool {
        let rest = &self.text[self.offset..];
        let Some(first) = rest.first() else { return false };
        match first {
            b'/' if rest.starts_with(b"//") => self.skip_past(b"\n", 2),
            b'/' if rest.starts_with(b"/*") => self.skip_past(b"*/", 2),
            b'"' if rest.starts_with(b"\"\"\"") => self.read_string(b"\"\"\""),
            b'"' => self.read_string(b"\""),
            b'\'' => self.read_string(b"'"),
            byte if is_identifier_byte(*byte) => self.read_word(),
            byte if byte.is_ascii_whitespace() => self.offset += 1,
            byte => {
                match byte {
                    b'{' => self.depth += 1,
                    b'}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.previous_word.clear();
                self.offset += 1;
            }
        }
        true
    }

    fn skip_past(&mut self, end: &[u8], from: usize) {
        let rest = &self.text[self.offset + from..];
        let position = rest.windows(end.len()).position(|window| window == end);
        self.offset =
            position.map_or(self.text.len(), |position| self.offset + from + position + end.len());
    }

    /// Reads a literal, with the words in it.
    fn read_string(&mut self, quote: &[u8]) {
        let start = self.offset + quote.len();
        let mut end = start;
        while end < self.text.len() && !self.text[end..].starts_with(quote) {
            end += if self.text[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(self.text.len());
        let candidates = self.text[start.min(end)..end].split(|byte| !is_identifier_byte(*byte));
        let words = candidates.filter(|word| !word.is_empty()).map(to_text);
        self.result.identifiers.extend(words);
        self.previous_word.clear();
        self.offset = (end + quote.len()).min(self.text.len());
    }

    fn read_word(&mut self) {
        let rest = &self.text[self.offset..];
        let length = rest.iter().position(|byte| !is_identifier_byte(*byte)).unwrap_or(rest.len());
        let word = to_text(&rest[..length]);
        self.offset += length;
        if self.depth == 0 && word == "package" && self.result.declared_types.is_empty() {
            return self.read_package();
        }
        if self.depth == 0
            && ["class", "interface", "enum", "record"].contains(&&*self.previous_word)
        {
            self.result.declared_types.push(word.clone());
        }
        self.result.identifiers.insert(word.clone());
        self.previous_word = word;
    }

    fn read_package(&mut self) {
        let rest = &self.text[self.offset..];
        let length = rest.iter().position(|byte| *byte == b';').unwrap_or(rest.len());
        self.result.package = to_text(&rest[..length]).split_whitespace().collect();
        self.offset += length;
    }
}

/// Returns true for letters, digits, `_`, `$` and all bytes above ASCII, which are parts of letters.
fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

fn to_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn top_level_types_are_declared_and_comments_are_ignored() {
        let identifiers = FileIdentifiers::parse(
            b"// Not { this\npackage a . b;\nimport x.Y;\n@Named(Z.class) public class C<T> { class D {}\n\
              String s = \"load a.b.Hidden }\"; char q = '\"'; char b = '{'; /* Gone */ } enum E { ONE }\nrecord R(int i) {}\n\
              @interface A {} interface I { String t = \"\"\"\n  } class Text \\\"\"\" { \"\"\"; }",
        );
        assert_eq!(identifiers.package, "a.b");
        assert_eq!(identifiers.declared_types, ["C", "E", "R", "A", "I"]);
        for (word, is_present) in [
            ("Y", true),
            ("Z", true),
            ("D", true),
            ("Hidden", true),
            ("Not", false),
            ("Gone", false),
            ("Text", true),
        ] {
            assert_eq!(identifiers.identifiers.contains(word), is_present, "{word}");
        }
    }

    #[test]
    fn truncated_source_is_read_without_panic() {
        for text in [&b"class"[..], b"\"", b"\"\\", b"/*", b"//", b"'", b"package", b"\"\"\"x"] {
            let _ = FileIdentifiers::parse(text);
        }
    }
}
