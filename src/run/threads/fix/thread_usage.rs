//! Quick check of the sources: do the selected tests use threads?

use crate::run::session::request::OracleRequest;
use crate::run::subject::test_overlay::TestOverlay;
use mend_git::ObjectStore;
use mend_model::{RepoPath, Result, Selector, TreeId};
use std::collections::BTreeMap;

/// Names that indicate the use of threads.
const WORDS: [&str; 6] =
    ["Thread", "java.util.concurrent", "synchronized", "Runnable", "parallel", "Timer"];

/// Returns true if the selected tests, or classes that they mention, use threads.
pub(super) fn are_named(
    store: &ObjectStore,
    tree: &TreeId,
    overlay: &TestOverlay,
    oracle: &OracleRequest,
) -> Result<bool> {
    let mut texts: BTreeMap<RepoPath, String> = BTreeMap::new();
    for path in store.read_tree(tree)?.into_keys().filter(RepoPath::is_java) {
        if let Some(state) = store.file(tree, &path)? {
            texts.insert(path, String::from_utf8_lossy(&state.content).into_owned());
        }
    }
    let is_asked = |path: &RepoPath| overlay.contains(path) && may_be_asked(path, oracle);
    let (asked, others): (Vec<_>, Vec<_>) = texts.iter().partition(|(path, _)| is_asked(path));
    let is_used = |path: &RepoPath| {
        let file = path.file_name().to_string();
        let class = file.trim_end_matches(".java");
        asked.iter().any(|(_, text)| has_word(text, class))
    };
    let used = others.into_iter().filter(|(path, _)| is_used(path)).map(|(_, text)| text);
    let mut near = asked.iter().map(|(_, text)| *text).chain(used);
    Ok(asked.is_empty() || near.any(|text| WORDS.iter().any(|word| text.contains(word))))
}

/// Returns true if a file may contain a selected test.
fn may_be_asked(path: &RepoPath, oracle: &OracleRequest) -> bool {
    let OracleRequest::Tests(selectors) = oracle else { return true };
    selectors.iter().any(|selector| selector.is_glob() || has_class(path, selector))
}

fn has_class(path: &RepoPath, selector: &Selector) -> bool {
    let outer = selector.class.split('$').next().unwrap_or_default();
    path.as_bytes().ends_with(format!("{}.java", outer.replace('.', "/")).as_bytes())
}

/// Returns true if a text contains a word that is not part of another identifier.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_class_that_it_is_named_after_and_those_inside() {
        let has = |class: &str| {
            has_class(&RepoPath::from("src/test/java/a/BTest.java"), &class.parse().unwrap())
        };
        assert!(has("a.BTest") && has("a.BTest$Inner#m"));
        assert!(!has("a.Test") && !has("b.BTest"));
    }

    #[test]
    fn a_name_is_no_part_of_another_one() {
        assert!(has_word("new Till()", "Till"));
        assert!(!has_word("new Tiller(untilled, Till2)", "Till"));
    }
}
