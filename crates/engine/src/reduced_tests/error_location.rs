//! Locations of compile errors in the output of `javac`.

use regex::Regex;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The word for a warning in each language of the compiler.
const WARNING_PREFIXES: [&str; 3] = ["warning", "警告", "Warnung"];

/// A compile error and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ErrorLocation {
    /// The file as the compiler names it.
    pub(crate) file: PathBuf,
    /// From 1.
    line: usize,
    /// Characters before the position in its line, if the compiler marked it.
    column: Option<usize>,
    /// Symbol that the compiler cannot find, if this is the error.
    symbol: Option<String>,
    /// Everything that the compiler says about the error.
    pub(crate) message: String,
}

impl ErrorLocation {
    /// Reads the errors from the output of `javac`; what is not in a file is ignored.
    pub(crate) fn parse_all(output: &str) -> Vec<Self> {
        static HEADER: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"^(.+?\.java):(\d+): ([^:]+): ")
                .unwrap_or_else(|_| unreachable!("a constant pattern"))
        });
        let mut errors: Vec<Self> = Vec::new();
        let mut is_error = false;
        for line in output.lines() {
            if let Some(header) = HEADER.captures(line) {
                is_error = !WARNING_PREFIXES.contains(&&header[3]);
                if is_error {
                    let line_number = header[2].parse().unwrap_or_default();
                    errors.push(Self::new(header[1].into(), line_number));
                }
            }
            let Some(error) = errors.last_mut().filter(|_| is_error) else { continue };
            // Details behind the marked position are indented; a summary is not.
            if error.column.is_some() && !line.starts_with(' ') {
                is_error = false;
                continue;
            }
            error.add_line(line);
        }
        errors
    }

    fn new(file: PathBuf, line: usize) -> Self {
        Self { file, line, column: None, symbol: None, message: String::new() }
    }

    /// Adds a line of the compiler's message.
    fn add_line(&mut self, line: &str) {
        if self.column.is_some() {
            // Such as `symbol:   class Name`, in the user's language.
            let symbol = line.split_whitespace().nth(2).unwrap_or_default();
            let name = symbol.split(['(', '<']).next().unwrap_or_default();
            self.symbol.get_or_insert_with(|| name.to_owned());
        } else if line.trim_start() == "^" {
            self.column = Some(line.chars().count() - 1);
        }
        self.message.push_str(line);
        self.message.push('\n');
    }

    /// Returns true if the line of the error does not mention the symbol that the compiler cannot find there. With
    /// annotation processors, `javac` may name another file; the offset is right.
    pub(crate) fn is_misplaced(&self, text: &[u8]) -> bool {
        let line =
            self.line.checked_sub(1).and_then(|at| text.split(|byte| *byte == b'\n').nth(at));
        let line = String::from_utf8_lossy(line.unwrap_or_default());
        self.symbol.as_ref().is_some_and(|symbol| !line.contains(symbol))
    }

    /// Returns the byte offset of the error in another file, if its symbol is there at the same offset.
    pub(crate) fn byte_offset_in_other(&self, named_text: &[u8], text: &[u8]) -> Option<usize> {
        let characters = count_chars(&named_text[..self.byte_offset(named_text)?]);
        let offset = nth_char_offset(text, characters);
        let rest = String::from_utf8_lossy(text.get(offset..)?);
        let rest = rest.trim_start_matches(|c: char| c == '.' || c.is_whitespace());
        let symbol = self.symbol.as_ref().filter(|symbol| !symbol.is_empty())?;
        rest.starts_with(symbol).then_some(offset)
    }

    /// Returns the byte offset of the error in the text of its file; without a marked position, that of the first word
    /// of the line. `None` if the text has no such line.
    pub(crate) fn byte_offset(&self, text: &[u8]) -> Option<usize> {
        let mut lines = text.split(|byte| *byte == b'\n').scan(0, |start, line| {
            let position = *start;
            *start += line.len() + 1;
            Some((position, line))
        });
        let (start, line) = lines.nth(self.line.checked_sub(1)?)?;
        let offset = match self.column {
            Some(column) => nth_char_offset(line, column),
            None => line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or_default(),
        };
        Some(start + offset)
    }
}

/// Returns the length of each character in bytes; bytes that are no UTF-8 are a character each.
fn char_lengths(text: &[u8]) -> impl Iterator<Item = usize> {
    text.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(char::len_utf8);
        valid.chain(chunk.invalid().iter().map(|_| 1))
    })
}

/// Returns the byte offset of a character.
fn nth_char_offset(text: &[u8], position: usize) -> usize {
    char_lengths(text).take(position).sum()
}

fn count_chars(text: &[u8]) -> usize {
    char_lengths(text).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "src/test/a/T.java:2: error: cannot find symbol\n\tint é = nope();\n\t        ^\n  \
        symbol:   method nope()\n  location: class T\nNote: some\nsrc/test/a/T.java:1: warning: [x] old\nclass T {\n^\n\
        src/a/U.java:7: error: reached end of file while parsing\n2 errors\n1 warning\n";

    #[test]
    fn errors_are_located_and_warnings_ignored() {
        let errors = ErrorLocation::parse_all(OUTPUT);
        let positions: Vec<_> =
            errors.iter().map(|one| (one.file.to_str().unwrap(), one.line, one.column)).collect();
        assert_eq!(positions, [("src/test/a/T.java", 2, Some(9)), ("src/a/U.java", 7, None)]);
        assert!(errors[0].message.ends_with("  location: class T\n"), "{}", errors[0].message);
    }

    #[test]
    fn error_in_the_wrong_file_is_found_at_its_offset() {
        let output =
            "T.java:2: error: cannot find symbol\nint a = 0;\n        ^\n  symbol:   class Gone\n";
        let error = &ErrorLocation::parse_all(output)[0];
        let named = b"// \xe9\nint a = 0;\n";
        assert!(error.is_misplaced(named) && !error.is_misplaced(b"\nnew Gone()"));
        let offset_in = |text: &str| error.byte_offset_in_other(named, text.as_bytes());
        assert_eq!(offset_in("import abcdef.Gone;"), Some(13));
        assert_eq!(offset_in("import ébcdef.Gone;"), Some(14));
        assert_eq!(offset_in("import abcdefg.Gone;"), None);
    }

    #[test]
    fn marked_column_becomes_a_byte_offset() {
        let error = &ErrorLocation::parse_all(OUTPUT)[0];
        let text = "class T {\n\tint é = nope();\n}\n";
        assert_eq!(error.byte_offset(text.as_bytes()), text.find("nope"));
        let latin_1 = b"class T {\n\tint \xe9 = nope();\n}\n";
        assert_eq!(error.byte_offset(latin_1), Some(19));
        assert_eq!(error.byte_offset(b"class T {"), None);
    }
}
