//! Parser of unified diffs as git writes them.

/// Part of a patch that concerns one file.
pub(crate) struct FileDiff<'a> {
    pub(crate) name: String,
    /// The change to the file as a whole: new, deleted, renamed.
    pub(crate) fate: Option<String>,
    pub(crate) hunks: Vec<DiffHunk<'a>>,
}

/// Adjacent lines of a patch.
pub(crate) struct DiffHunk<'a> {
    /// First line in the old version, counted from 1.
    pub(crate) line: usize,
    pub(crate) lines: Vec<&'a str>,
}

/// Parses a unified diff, file by file.
pub(crate) fn parse(patch: &str) -> Vec<FileDiff<'_>> {
    let mut files: Vec<FileDiff<'_>> = Vec::new();
    let mut in_hunk = false;
    for line in patch.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            files.push(FileDiff { name: new_name(names), fate: None, hunks: Vec::new() });
            in_hunk = false;
        } else if let Some(header) = line.strip_prefix("@@ -") {
            let number = header.split([',', ' ']).next().and_then(|number| number.parse().ok());
            if let Some(file) = files.last_mut() {
                file.hunks.push(DiffHunk { line: number.unwrap_or(1), lines: Vec::new() });
            }
            in_hunk = true;
        } else if !in_hunk && let Some(fate) = fate(line) {
            files
                .iter_mut()
                .next_back()
                .into_iter()
                .for_each(|file| file.fate = Some(fate.clone()));
        } else if in_hunk
            && let Some(hunk) = files.last_mut().and_then(|file| file.hunks.last_mut())
        {
            hunk.lines.push(line);
        }
    }
    files
}

/// Parses a header line that describes a change to the file as a whole.
fn fate(line: &str) -> Option<String> {
    let described = |(start, words): (&str, &str)| {
        line.strip_prefix(start).map(|rest| format!("{words}{rest}"))
    };
    let fates = [
        ("new file mode ", "new, mode "),
        ("deleted file mode ", "deleted, mode "),
        ("rename from ", "was "),
        ("copy from ", "copy of "),
        ("new mode ", "mode becomes "),
        ("GIT binary patch", "binary"),
    ];
    let binary = line.starts_with("Binary files ").then(|| "binary".to_owned());
    fates.into_iter().find_map(described).or(binary)
}

/// Returns the new file name in a `diff --git` line.
fn new_name(names: &str) -> String {
    match names.split_once(" \"b/") {
        Some((_, quoted)) => unquoted(quoted.trim_end_matches('"')),
        None => names.split_once(" b/").map_or(names, |(_, name)| name).to_owned(),
    }
}

/// Decodes a file name that git quoted.
fn unquoted(name: &str) -> String {
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
    pub(crate) fn place(&self) -> String {
        match (self.hunks.first(), &self.fate) {
            (None, Some(fate)) => format!("{} ({fate})", self.name),
            (first, _) => format!("{}:{}", self.name, first.map_or(1, first_change)),
        }
    }
}

/// Returns the first changed line, in the old version.
pub(crate) fn first_change(hunk: &DiffHunk<'_>) -> usize {
    let before = hunk.lines.iter().take_while(|line| line.starts_with(' ')).count();
    // A new file begins with line 1; the diff says 0.
    (hunk.line + before).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "diff --git a/src/A.java b/src/A.java\nindex 1..2 100644\n--- a/src/A.java\n+++ b/src/A.java\n@@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) {\n+    if (x <= 3) {\n     }\n";

    #[test]
    fn a_name_that_git_quotes_is_shown_as_it_is() {
        let quoted = PATCH.replace(
            "a/src/A.java b/src/A.java",
            r#""a/Br\303\266tchen \"1\".java" "b/Br\303\266tchen \"1\".java""#,
        );
        assert_eq!(parse(&quoted)[0].name, "Brötchen \"1\".java");
    }
}
