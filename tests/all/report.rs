//! Tests of `git mend report`: the written page, its pictures, and its behaviour in a browser.

use crate::support::{
    assert_report_contains, bisect_arguments, run_folder, run_mend, run_mend_keeping_repository,
    words_repository,
};
use std::fs;
use std::path::Path;

#[test]
fn report_writes_a_page_for_the_newest_run() {
    let dir = words_repository();
    assert_eq!(run_mend(dir.path(), &bisect_arguments(&["--good", "release-1"])).code, 0);
    let output = run_mend_keeping_repository(dir.path(), &["report"]);
    output.assert_exit_and_stderr(0, &[]);
    let path = Path::new(output.stdout.trim());
    assert_eq!(path, run_folder(dir.path()).canonicalize().unwrap().join("report.html"));
    let page = fs::read_to_string(path).unwrap();
    assert!(page.contains("break the test"), "{page}");
    assert_report_contains(
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
    let second_report = run_mend(dir.path(), &["report", "latest", "--output", "page.html"]);
    second_report.assert_exit_and_stderr(0, &[]);
    assert!(dir.path().join("page.html").is_file());
    assert_pictures_written(dir.path());
}

/// Checks the pictures of the newest run: complete, and never written through a symbolic link.
fn assert_pictures_written(dir: &Path) {
    let victim = dir.join("victim");
    fs::write(&victim, "mine").unwrap();
    let picture_folder = dir.join("seen/from far");
    fs::create_dir_all(&picture_folder).unwrap();
    std::os::unix::fs::symlink(&victim, picture_folder.join("delta.svg")).unwrap();
    let output = run_mend(dir, &["report", "--pictures", "seen/from far"]);
    output.assert_exit_and_stderr(0, &[]);
    let paths: Vec<&Path> = output.stdout.lines().skip(1).map(Path::new).collect();
    let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap()).collect();
    assert!(names.contains(&"delta.svg".as_ref()), "{names:?}");
    assert_eq!(fs::read_dir(&picture_folder).unwrap().count(), paths.len());
    for path in paths {
        let text = fs::read_to_string(dir.join(path)).unwrap();
        let picture = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(picture.root_element().tag_name().name(), "svg", "{text}");
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    let refused = run_mend(dir, &["report", "--pictures", "victim"]);
    refused.assert_exit_and_stderr(2, &["cannot write", "use another path with --pictures"]);
}

#[test]
fn report_without_a_run_is_rejected() {
    let dir = words_repository();
    run_mend(dir.path(), &["report"])
        .assert_exit_and_stderr(2, &["there is no run in", "git mend bisect"]);
    run_mend(dir.path(), &["report", "elsewhere"])
        .assert_exit_and_stderr(2, &["is not a run folder", "help:"]);
    run_mend(dir.path(), &["report", "--format", "json"])
        .assert_exit_and_stderr(2, &["result.json"]);
}
