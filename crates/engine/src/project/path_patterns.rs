//! Patterns of Ant, Maven and Gradle that select the files of a folder.

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Patterns that select the files of a folder: `*` matches within a folder, `**` across folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathPatterns {
    /// Patterns of selected files; all files if empty.
    pub includes: Vec<String>,
    /// Patterns of files that are not selected.
    pub excludes: Vec<String>,
}

impl PathPatterns {
    /// Returns the filter that the patterns describe.
    pub(crate) fn to_filter(&self) -> PathFilter {
        PathFilter::new(&self.includes, &self.excludes)
    }
}

/// Filter of the files of a folder.
pub(crate) struct PathFilter {
    includes: Vec<Regex>,
    excludes: Vec<Regex>,
    includes_all: bool,
}

impl PathFilter {
    /// Compiles patterns; no `includes` select all files. A pattern that is too large matches nothing.
    pub(crate) fn new(includes: &[String], excludes: &[String]) -> Self {
        let compile =
            |patterns: &[String]| patterns.iter().filter_map(|one| to_regex(one)).collect();
        Self {
            includes: compile(includes),
            excludes: compile(excludes),
            includes_all: includes.is_empty(),
        }
    }

    /// Returns true if a file is selected; `path` is relative to the folder.
    pub(crate) fn selects(&self, path: &Path) -> bool {
        let text = path.as_os_str().as_encoded_bytes();
        let matches = |patterns: &[Regex]| patterns.iter().any(|one| one.is_match(text));
        (self.includes_all || matches(&self.includes)) && !matches(&self.excludes)
    }
}

fn to_regex(pattern: &str) -> Option<Regex> {
    let pattern = pattern.replace('\\', "/");
    let pattern = if pattern.ends_with('/') { pattern + "**" } else { pattern };
    let escaped = regex::escape(pattern.trim_start_matches("./"));
    let text = escaped.replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*");
    let text = text.replace(r"\*", "[^/]*").replace(r"\?", "[^/]");
    Regex::new(&format!("^(?:{text})$")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_select_files_within_and_across_folders() {
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let patterns = PathPatterns {
            includes: texts(&["a/*", "b/**/*.java", "c/"]),
            excludes: texts(&["**/Old*.java"]),
        };
        let filter = patterns.to_filter();
        let selected = |path: &str| filter.selects(Path::new(path));
        for path in ["a/A.java", "b/B.java", "b/x/y/B.java", "c/x/C.java"] {
            assert!(selected(path), "{path}");
        }
        for path in ["a/x/A.java", "d/D.java", "b/x/OldB.java", "A.java"] {
            assert!(!selected(path), "{path}");
        }
        assert!(PathPatterns::default().to_filter().selects(Path::new("x/Y.java")));
    }
}
