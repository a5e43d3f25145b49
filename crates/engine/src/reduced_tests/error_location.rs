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
                    let (file, message) = (header[1].into(), String::new());
                    errors.push(Self { file, line: line_number, column: None, message });
                }
            }
            let Some(error) = errors.last_mut().filter(|_| is_error) else { continue };
            // Details behind the marked position are indented; a summary is not.
            if error.column.is_some() && !line.starts_with(' ') {
                is_error = false;
                continue;
            }
            if error.column.is_none() && line.trim_start() == "^" {
                error.column = Some(line.chars().count() - 1);
            }
            error.message.push_str(line);
            error.message.push('\n');
        }
        errors
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

/// Returns the byte offset of a character; bytes that are no UTF-8 are a character each.
fn nth_char_offset(line: &[u8], column: usize) -> usize {
    let valid_lengths = |chunk: &std::str::Utf8Chunk<'_>| {
        chunk.valid().chars().map(char::len_utf8).collect::<Vec<_>>()
    };
    let lengths = line.utf8_chunks().flat_map(|chunk| {
        let mut lengths = valid_lengths(&chunk);
        lengths.extend(chunk.invalid().iter().map(|_| 1));
        lengths
    });
    lengths.take(column).sum()
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
    fn marked_column_becomes_a_byte_offset() {
        let error = &ErrorLocation::parse_all(OUTPUT)[0];
        let text = "class T {\n\tint é = nope();\n}\n";
        assert_eq!(error.byte_offset(text.as_bytes()), text.find("nope"));
        let latin_1 = b"class T {\n\tint \xe9 = nope();\n}\n";
        assert_eq!(error.byte_offset(latin_1), Some(19));
        assert_eq!(error.byte_offset(b"class T {"), None);
    }
}
