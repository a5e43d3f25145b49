//! Detects from the sources that selected tests use threads, as a quick check.

use crate::run::session::request::OracleRequest;
use crate::run::subject::test_overlay::TestOverlay;
use mend_git::ObjectStore;
use mend_model::{RepoPath, Result, Selector, TreeId};
use std::collections::BTreeMap;

/// API names that indicate the use of threads.
const THREAD_API_NAMES: [&str; 6] =
    ["Thread", "java.util.concurrent", "synchronized", "Runnable", "parallel", "Timer"];

/// Returns true if the selected tests, or classes that they mention, use threads.
pub(crate) fn mention_threads(
    store: &ObjectStore,
    tree: &TreeId,
    overlay: &TestOverlay,
    oracle: &OracleRequest,
) -> Result<bool> {
    let mut texts: BTreeMap<RepoPath, String> = BTreeMap::new();
    for path in store.read_tree(tree)?.into_keys().filter(RepoPath::is_java) {
        if let Some(state) = store.read_file(tree, &path)? {
            texts.insert(path, String::from_utf8_lossy(&state.content).into_owned());
        }
    }
    let is_selected =
        |path: &RepoPath| overlay.contains(path) && may_contain_selected_test(path, oracle);
    let (selected_tests, others): (Vec<_>, Vec<_>) =
        texts.iter().partition(|(path, _)| is_selected(path));
    let is_used = |path: &RepoPath| {
        let file = path.file_name().to_string();
        let class = file.trim_end_matches(".java");
        selected_tests.iter().any(|(_, text)| contains_identifier(text, class))
    };
    let used_texts = others.into_iter().filter(|(path, _)| is_used(path)).map(|(_, text)| text);
    let mut relevant_texts = selected_tests.iter().map(|(_, text)| *text).chain(used_texts);
    Ok(selected_tests.is_empty()
        || relevant_texts.any(|text| THREAD_API_NAMES.iter().any(|word| text.contains(word))))
}

/// Returns true if a file may contain a selected test.
fn may_contain_selected_test(path: &RepoPath, oracle: &OracleRequest) -> bool {
    let OracleRequest::Tests(selectors) = oracle else { return true };
    selectors.iter().any(|selector| selector.is_glob() || is_file_of(path, selector))
}

fn is_file_of(path: &RepoPath, selector: &Selector) -> bool {
    let outer = selector.class.split('$').next().unwrap_or_default();
    path.as_bytes().ends_with(format!("{}.java", outer.replace('.', "/")).as_bytes())
}

/// Returns true if a text contains a word that is not part of another identifier.
fn contains_identifier(text: &str, word: &str) -> bool {
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
    fn file_contains_class_and_nested_classes() {
        let has = |class: &str| {
            is_file_of(&RepoPath::from("src/test/java/a/BTest.java"), &class.parse().unwrap())
        };
        assert!(has("a.BTest") && has("a.BTest$Inner#m"));
        assert!(!has("a.Test") && !has("b.BTest"));
    }

    #[test]
    fn identifiers_match_as_whole_words() {
        assert!(contains_identifier("new Till()", "Till"));
        assert!(!contains_identifier("new Tiller(untilled, Till2)", "Till"));
    }
}
