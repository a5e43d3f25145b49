//! Parser of unified diffs in git's format.

/// Changes to one file in a patch.
pub(crate) struct FileDiff<'a> {
    pub(crate) name: String,
    /// Change to the file as a whole: new, deleted, renamed.
    pub(crate) file_change: Option<String>,
    pub(crate) hunks: Vec<DiffHunk<'a>>,
}

/// Adjacent lines of a patch.
pub(crate) struct DiffHunk<'a> {
    /// First line in the old version, counted from 1.
    pub(crate) line: usize,
    pub(crate) lines: Vec<&'a str>,
}

/// Parses a unified diff, file by file.
pub(crate) fn parse_unified_diff(patch: &str) -> Vec<FileDiff<'_>> {
    let mut files: Vec<FileDiff<'_>> = Vec::new();
    let mut in_hunk = false;
    for line in patch.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            files.push(FileDiff {
                name: parse_new_name(names),
                file_change: None,
                hunks: Vec::new(),
            });
            in_hunk = false;
        } else if let Some(header) = line.strip_prefix("@@ -") {
            let number = header.split([',', ' ']).next().and_then(|number| number.parse().ok());
            if let Some(file) = files.last_mut() {
                file.hunks.push(DiffHunk { line: number.unwrap_or(1), lines: Vec::new() });
            }
            in_hunk = true;
        } else if !in_hunk && let Some(fate) = parse_file_change(line) {
            files
                .iter_mut()
                .next_back()
                .into_iter()
                .for_each(|file| file.file_change = Some(fate.clone()));
        } else if in_hunk
            && let Some(hunk) = files.last_mut().and_then(|file| file.hunks.last_mut())
        {
            hunk.lines.push(line);
        }
    }
    files
}

/// Parses a header line that describes a change to the file as a whole.
fn parse_file_change(line: &str) -> Option<String> {
    let describe = |(start, words): (&str, &str)| {
        line.strip_prefix(start).map(|rest| format!("{words}{rest}"))
    };
    let header_texts = [
        ("new file mode ", "new, mode "),
        ("deleted file mode ", "deleted, mode "),
        ("rename from ", "was "),
        ("copy from ", "copy of "),
        ("new mode ", "mode becomes "),
        ("GIT binary patch", "binary"),
    ];
    let binary = line.starts_with("Binary files ").then(|| "binary".to_owned());
    header_texts.into_iter().find_map(describe).or(binary)
}

/// Returns the new file name in a `diff --git` line.
fn parse_new_name(names: &str) -> String {
    match names.split_once(" \"b/") {
        Some((_, quoted)) => unquote_name(quoted.trim_end_matches('"')),
        None => names.split_once(" b/").map_or(names, |(_, name)| name).to_owned(),
    }
}

/// Decodes a file name that git quoted.
fn unquote_name(name: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), name.bytes());
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escaped {
            None => byte,
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(first @ b'0'..=b'3') => {
                let digit = |byte: Option<u8>| byte.unwrap_or(b'0').wrapping_sub(b'0') & 7;
                ((first - b'0') << 6) | (digit(rest.next()) << 3) | digit(rest.next())
            }
            Some(other) => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl FileDiff<'_> {
    /// Returns `path:line` of the first change, or the change to the file as a whole if no line changes.
    pub(crate) fn location(&self) -> String {
        match (self.hunks.first(), &self.file_change) {
            (None, Some(fate)) => format!("{} ({fate})", self.name),
            (first, _) => format!("{}:{}", self.name, first.map_or(1, first_changed_line)),
        }
    }
}

/// Returns the first changed line, in the old version.
pub(crate) fn first_changed_line(hunk: &DiffHunk<'_>) -> usize {
    let context_lines = hunk.lines.iter().take_while(|line| line.starts_with(' ')).count();
    // A new file starts with line 1, but the diff says 0.
    (hunk.line + context_lines).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE_PATCH: &str = "diff --git a/src/A.java b/src/A.java\nindex 1..2 100644\n--- a/src/A.java\n+++ b/src/A.java\n@@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) {\n+    if (x <= 3) {\n     }\n";

    #[test]
    fn quoted_file_name_is_decoded() {
        let quoted = SAMPLE_PATCH.replace(
            "a/src/A.java b/src/A.java",
            r#""a/Br\303\266tchen \"1\".java" "b/Br\303\266tchen \"1\".java""#,
        );
        assert_eq!(parse_unified_diff(&quoted)[0].name, "Brötchen \"1\".java");
    }
}
