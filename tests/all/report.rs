//! `git mend report`, from a run to its page, and the page in a browser.

use crate::support::{bisect, commit, mend, mend_untouched, repository, run_folder, words};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Markup, an attribute, an escape sequence, and what turns the direction of writing.
const HOSTILE: &str = "\"'><img src=x onerror=alert(1)> & \u{1b}[31m \u{202e}.txt";

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

#[test]
fn a_browser_shows_a_page_of_hostile_names_without_a_complaint() {
    let dir = repository();
    let check = ("check.sh", "! grep -rq bad *.txt\n");
    commit(dir.path(), HOSTILE, &[(HOSTILE, "a\ngood\nb\nc\nd\ne\n"), check]);
    commit(dir.path(), "<b>two</b>", &[("other.txt", "x\n")]);
    commit(dir.path(), HOSTILE, &[(HOSTILE, "a\nbad\nb\nc\nd\n</script><i>E</i>\n")]);
    assert_eq!(mend(dir.path(), &bisect(&["--good", "HEAD~2"])).code, 0);
    let page = mend(dir.path(), &["report"]);
    page.says(0, &[]);
    let look = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/look");
    let pictures = tempfile::tempdir().unwrap();
    let output = Command::new(look).arg(page.stdout.trim()).arg(pictures.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
