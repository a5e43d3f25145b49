//! `git mend report`, from a run to its page, and the page in a browser.

use crate::support::{bisect, mend, mend_untouched, page_has, run_folder, words_repository};
use std::fs;
use std::path::Path;

#[test]
fn the_newest_run_becomes_one_page() {
    let dir = words_repository();
    assert_eq!(mend(dir.path(), &bisect(&["--good", "release-1"])).code, 0);
    let ran = mend_untouched(dir.path(), &["report"]);
    ran.says(0, &[]);
    let path = Path::new(ran.stdout.trim());
    assert_eq!(path, run_folder(dir.path()).canonicalize().unwrap().join("report.html"));
    let page = fs::read_to_string(path).unwrap();
    assert!(page.contains("break the test"), "{page}");
    page_has(
        dir.path(),
        &[
            "<del>good</del>",
            "<ins>bad</ins>",
            "Culprit (first bad commit)",
            "Minimal culprit",
            "aria-label=\"Apply\"",
            "Verified on a clean checkout",
            "aria-label=\"Tested commits\"",
            "aria-label=\"Components and dependencies\"",
            "All components by file",
            "Command that repeats this run",
        ],
    );
    let again = mend(dir.path(), &["report", "latest", "--output", "page.html"]);
    again.says(0, &[]);
    assert!(dir.path().join("page.html").is_file());
    pictures_are_written(dir.path());
}

/// Checks the pictures of the newest run: complete, and never written through a symbolic link.
fn pictures_are_written(dir: &Path) {
    let victim = dir.join("victim");
    fs::write(&victim, "mine").unwrap();
    let place = dir.join("seen/from far");
    fs::create_dir_all(&place).unwrap();
    std::os::unix::fs::symlink(&victim, place.join("delta.svg")).unwrap();
    let ran = mend(dir, &["report", "--pictures", "seen/from far"]);
    ran.says(0, &[]);
    let paths: Vec<&Path> = ran.stdout.lines().skip(1).map(Path::new).collect();
    let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap()).collect();
    assert!(names.contains(&"delta.svg".as_ref()), "{names:?}");
    assert_eq!(fs::read_dir(&place).unwrap().count(), paths.len());
    for path in paths {
        let text = fs::read_to_string(dir.join(path)).unwrap();
        let picture = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(picture.root_element().tag_name().name(), "svg", "{text}");
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    let refused = mend(dir, &["report", "--pictures", "victim"]);
    refused.says(2, &["cannot write", "use another path with --pictures"]);
}

#[test]
fn a_folder_without_a_run_has_no_page() {
    let dir = words_repository();
    mend(dir.path(), &["report"]).says(2, &["there is no run in", "git mend bisect"]);
    mend(dir.path(), &["report", "elsewhere"]).says(2, &["is not a run folder", "help:"]);
    mend(dir.path(), &["report", "--format", "json"]).says(2, &["result.json"]);
}
