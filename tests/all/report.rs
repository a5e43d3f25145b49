//! `git mend report`, from a run to its page, and the page in a browser.

use crate::support::{bisect, mend, mend_untouched, run_folder, words};
use std::fs;
use std::path::Path;

#[test]
fn the_newest_run_becomes_one_page() {
    let dir = words();
    assert_eq!(mend(dir.path(), &bisect(&["--good", "release-1"])).code, 0);
    let ran = mend_untouched(dir.path(), &["report"]);
    ran.says(0, &[]);
    let path = Path::new(ran.stdout.trim());
    assert_eq!(path, run_folder(dir.path()).canonicalize().unwrap().join("report.html"));
    let page = fs::read_to_string(path).unwrap();
    for words in ["break the test", "<del>good</del>", "<ins>bad</ins>", "What to do next"] {
        assert!(page.contains(words), "no `{words}` in:\n{page}");
    }
    assert!(!page.contains("Not on this page"), "{page}");
    let again = mend(dir.path(), &["report", "latest", "--output", "page.html"]);
    again.says(0, &[]);
    assert!(dir.path().join("page.html").is_file());
}

#[test]
fn what_is_no_run_has_no_page() {
    let dir = words();
    mend(dir.path(), &["report"]).says(2, &["there is no run in", "git mend bisect"]);
    mend(dir.path(), &["report", "elsewhere"]).says(2, &["is no run folder", "next:"]);
    mend(dir.path(), &["report", "--format", "json"]).says(2, &["result.json"]);
}
