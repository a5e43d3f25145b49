//! Repositories that are unlike a plain clone: incomplete, damaged, found in another place, or of another format.

use crate::support::{
    CommandOutput, bisect_arguments, commit, commit_words, git, isolate_git, program, repository,
    run_keeping_repository, run_mend, run_mend_keeping_repository, words_repository, write,
};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const GOOD_OPTION: [&str; 2] = ["--good", "release-1"];

fn bisect(dir: &Path) -> CommandOutput {
    run_mend_keeping_repository(dir, &bisect_arguments(&GOOD_OPTION))
}

fn assert_finds_the_word(output: &CommandOutput) {
    output.assert_exit_and_stderr(0, &[]);
    assert!(output.stdout.contains("  words.txt:2\n    - bad\n    + good\n"), "{}", output.stdout);
}

fn assert_unreadable(output: &CommandOutput, words: &[&str]) {
    let start = "error: git cannot read this repository: ";
    output.assert_exit_and_stderr(4, &[&[start], words, &["help: `git fsck` lists"]].concat());
}

/// Clones a repository that serves partial and shallow clones.
fn clone(origin: &Path, options: &[&str]) -> (TempDir, PathBuf) {
    git(origin, &["config", "uploadpack.allowFilter", "true"]);
    let home = tempfile::tempdir().unwrap();
    let url = format!("file://{}", origin.display());
    let target = home.path().join("clone");
    git(home.path(), &[&["clone", "-q"], options, &[&url, target.to_str().unwrap()]].concat());
    (home, target)
}

/// The file of a loose object.
fn object_file(dir: &Path, name: &str) -> PathBuf {
    let id = git(dir, &["rev-parse", name]);
    let (folder, file) = id.split_at(2);
    dir.join(".git/objects").join(folder).join(file)
}

/// Replaces an object by other bytes, or removes it.
fn damage_object(dir: &Path, name: &str, content: Option<&str>) -> String {
    let (id, file) = (git(dir, &["rev-parse", name]), object_file(dir, name));
    fs::remove_file(&file).unwrap();
    if let Some(content) = content {
        fs::write(file, content).unwrap();
    }
    id
}

#[test]
fn partial_clone_downloads_missing_files_in_batches() {
    let origin = words_repository();
    let many: Vec<(String, String)> =
        (0..40).map(|n| (format!("many/{n}/file.txt"), format!("{n}\n"))).collect();
    let many: Vec<_> = many.iter().map(|(path, text)| (path.as_str(), text)).collect();
    commit(origin.path(), "four", &many);
    for (filter, max_downloads) in [("--filter=blob:none", 4), ("--filter=tree:0", 8)] {
        let (home, clone) = clone(origin.path(), &["--no-checkout", filter]);
        let trace = home.path().join("trace");
        let mut command = program(&clone);
        command.args(bisect_arguments(&GOOD_OPTION)).env("GIT_TRACE", &trace);
        let output = run_keeping_repository(&clone, &mut command);
        assert_finds_the_word(&output);
        let note = "note: this is a partial clone: missing files are downloaded from origin";
        output.assert_exit_and_stderr(0, &[note]);
        let trace = fs::read_to_string(trace).unwrap();
        let downloads = trace.lines().filter(|line| line.contains("built-in: git fetch")).count();
        assert!((1..=max_downloads).contains(&downloads), "{downloads}:\n{trace}");
        // What was downloaded serves the next run.
        git(&clone, &["remote", "set-url", "origin", "/none"]);
        assert_finds_the_word(&bisect(&clone));
    }
}

#[test]
fn offline_partial_clone_says_how_to_complete_it() {
    let origin = words_repository();
    let (_home, clone) = clone(origin.path(), &["--no-checkout", "--filter=blob:none"]);
    let offline = bisect_arguments(&["--good", "release-1", "--offline"]);
    let output = run_mend_keeping_repository(&clone, &offline);
    let error = "error: this partial clone lacks history or files between good and bad";
    let help = "help: omit --offline, or run `git fetch --refetch --no-filter`";
    output.assert_exit_and_stderr(4, &[error, help]);
    git(&clone, &["fetch", "-q", "--refetch", "--no-filter"]);
    assert_finds_the_word(&run_mend_keeping_repository(&clone, &offline));
}

#[test]
fn failed_download_shows_git_message() {
    let origin = words_repository();
    let (_home, clone) = clone(origin.path(), &["--no-checkout", "--filter=blob:none"]);
    git(&clone, &["remote", "set-url", "origin", "/none"]);
    let error = "error: cannot download missing objects from remote `origin`: '/none' does not";
    bisect(&clone).assert_exit_and_stderr(4, &[error, "help: check the connection"]);
}

#[test]
fn delta_of_a_partial_clone_downloads_what_differs() {
    let origin = words_repository();
    let (_home, clone) = clone(origin.path(), &["--no-checkout", "--filter=tree:0"]);
    let delta = ["delta", "release-1", "main"];
    let offline = run_mend_keeping_repository(&clone, &[&delta[..], &["--offline"]].concat());
    offline.assert_exit_and_stderr(4, &["partial clone"]);
    let output = run_mend_keeping_repository(&clone, &delta);
    output.assert_exit_and_stderr(0, &[]);
    assert!(output.stdout.contains("words.txt"), "{}", output.stdout);
}

/// A history with many commits before the one that breaks the test.
fn long_history() -> TempDir {
    let dir = repository();
    commit_words(dir.path());
    for number in 0..80 {
        git(dir.path(), &["commit", "-q", "--allow-empty", "-m", &number.to_string()]);
    }
    dir
}

#[test]
fn shallow_clone_is_deepened_if_the_user_agrees() {
    let origin = long_history();
    let good = git(origin.path(), &["rev-parse", "release-1"]);
    let (_home, clone) = clone(origin.path(), &["--depth=1"]);
    let by_id = ["--good", &*good];
    let output = run_mend_keeping_repository(&clone, &bisect_arguments(&by_id));
    let error = "error: this shallow clone lacks history or files between good and bad";
    output.assert_exit_and_stderr(4, &[error, "help: add --fetch, or run `git fetch --unshallow`"]);
    let head = git(&clone, &["rev-parse", "HEAD"]);
    let output = run_mend(&clone, &bisect_arguments(&[&by_id[..], &["--fetch"]].concat()));
    assert_finds_the_word(&output);
    assert!(output.stdout.contains("three (first bad commit)"), "{}", output.stdout);
    assert_eq!(git(&clone, &["rev-parse", "HEAD"]), head);
}

#[test]
fn deepening_stops_where_history_suffices() {
    let origin = long_history();
    let (_home, clone) = clone(origin.path(), &["--depth=1"]);
    // The commit that breaks the test has 80 successors.
    let arguments = bisect_arguments(&["--good", "auto", "--bad", "HEAD", "--fetch"]);
    let output = run_mend(&clone, &arguments);
    assert_finds_the_word(&output);
    let arguments = bisect_arguments(&["--good", "HEAD~3", "--dry-run", "--fetch"]);
    let (_home, other) = self::clone(origin.path(), &["--depth=1"]);
    run_mend(&other, &arguments).assert_exit_and_stderr(2, &["good and bad do not differ"]);
    assert!(other.join(".git/shallow").exists());
}

#[test]
fn failed_deepening_shows_git_message() {
    let origin = words_repository();
    let (_home, clone) = clone(origin.path(), &["--depth=1"]);
    git(&clone, &["remote", "set-url", "origin", "/none"]);
    let arguments = bisect_arguments(&["--good", "HEAD~2", "--fetch"]);
    let error = "error: cannot download missing objects from remote `origin`: '/none' does not";
    run_mend_keeping_repository(&clone, &arguments).assert_exit_and_stderr(4, &[error]);
}

#[test]
fn repository_is_found_by_environment_and_by_option_of_git() {
    let (dir, elsewhere) = (words_repository(), tempfile::tempdir().unwrap());
    let git_dir = dir.path().join(".git");
    let with_environment = |git_dir: &Path, work_tree: Option<&Path>| {
        let mut command = program(elsewhere.path());
        command.args(bisect_arguments(&GOOD_OPTION)).env("GIT_DIR", git_dir);
        command.envs(work_tree.map(|work_tree| ("GIT_WORK_TREE", work_tree)));
        run_keeping_repository(dir.path(), &mut command)
    };
    assert_finds_the_word(&with_environment(&git_dir, None));
    let output = with_environment(&git_dir, Some(dir.path()));
    assert_finds_the_word(&output);
    assert!(!output.stderr.contains("uncommitted"), "{}", output.stderr);
    assert!(!elsewhere.path().join(".git-mend").exists());
    let missing = with_environment(Path::new("none"), None);
    missing.assert_exit_and_stderr(2, &["/none is not inside a git repository"]);

    let binary = assert_cmd::cargo::cargo_bin!("git-mend");
    let path = std::env::var_os("PATH").unwrap();
    let folders = [binary.parent().unwrap().to_owned()].into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap();
    let mut command = Command::new("git");
    isolate_git(command.current_dir(elsewhere.path())).env("PATH", path);
    command.arg("--git-dir").arg(&git_dir).arg("mend").args(bisect_arguments(&GOOD_OPTION));
    assert_finds_the_word(&run_keeping_repository(dir.path(), &mut command));
}

#[test]
fn bare_repository_is_found_by_environment() {
    let (origin, home) = (words_repository(), tempfile::tempdir().unwrap());
    let bare = home.path().join("shop.git");
    let from = origin.path().to_str().unwrap();
    git(home.path(), &["clone", "-q", "--bare", from, bare.to_str().unwrap()]);
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = program(elsewhere.path());
    command.args(bisect_arguments(&GOOD_OPTION)).env("GIT_DIR", &bare);
    assert_finds_the_word(&run_keeping_repository(&bare, &mut command));
}

#[test]
fn demo_ignores_the_repository_of_the_environment() {
    let (dir, home) = (words_repository(), tempfile::tempdir().unwrap());
    let mut command = program(home.path());
    command.args(["demo", "--output", "bakery"]).env("GIT_DIR", dir.path().join(".git"));
    let output = run_keeping_repository(dir.path(), &mut command);
    output.assert_exit_and_stderr(0, &[]);
    assert!(home.path().join("bakery/.git/mend/runs").is_dir());
    assert!(!dir.path().join(".git/mend/runs").exists());
}

#[test]
fn missing_and_broken_objects_are_reported_with_git_message() {
    for content in [None, Some("junk")] {
        let dir = words_repository();
        let id = damage_object(dir.path(), "HEAD:words.txt", content);
        assert_unreadable(&bisect(dir.path()), &[&id]);
        let delta = run_mend_keeping_repository(dir.path(), &["delta", "release-1", "main"]);
        assert_unreadable(&delta, &[&id]);
    }
}

#[test]
fn missing_folder_is_reported_with_git_message() {
    let dir = repository();
    write(dir.path(), "src/file.txt", "x\n");
    commit_words(dir.path());
    let id = damage_object(dir.path(), "HEAD:src", None);
    assert_unreadable(&bisect(dir.path()), &[&id]);
}

#[test]
fn missing_commits_are_reported_with_git_message() {
    for name in ["HEAD", "HEAD~1"] {
        let dir = words_repository();
        let id = damage_object(dir.path(), name, None);
        assert_unreadable(&bisect(dir.path()), &[&id]);
    }
}

#[test]
fn broken_reference_is_reported_with_git_message() {
    let dir = words_repository();
    fs::write(dir.path().join(".git/refs/heads/main"), "junk\n").unwrap();
    let words = ["ignoring broken ref refs/heads/main"];
    assert_unreadable(&bisect(dir.path()), &words);
    let arguments = bisect_arguments(&["--good", "release-1", "--bad", "main"]);
    assert_unreadable(&run_mend_keeping_repository(dir.path(), &arguments), &words);
}

#[test]
fn damaged_git_folder_is_reported_with_git_message() {
    let dir = words_repository();
    fs::write(dir.path().join(".git/HEAD"), "").unwrap();
    assert_unreadable(&bisect(dir.path()), &["not a git repository"]);
    let dir = words_repository();
    fs::write(dir.path().join(".git/config"), "[core\n").unwrap();
    assert_unreadable(&bisect(dir.path()), &["bad config line 1"]);
}

#[test]
fn damaged_pack_is_reported_with_git_message() {
    for extension in ["pack", "idx"] {
        let dir = words_repository();
        git(dir.path(), &["gc", "-q"]);
        let packs = fs::read_dir(dir.path().join(".git/objects/pack")).unwrap();
        let file = packs.map(|entry| entry.unwrap().path());
        let file = file.into_iter().find(|path| path.extension() == Some(extension.as_ref()));
        let file = file.unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let mut content = fs::read(&file).unwrap();
        let (start, end) = (content.len() / 3, content.len() / 3 + 60);
        content[start..end].fill(0);
        fs::write(&file, if extension == "idx" { Vec::new() } else { content }).unwrap();
        assert_unreadable(&bisect(dir.path()), &[]);
    }
}

#[test]
fn unborn_branch_has_no_version_to_test() {
    let dir = repository();
    let output = run_mend_keeping_repository(dir.path(), &bisect_arguments(&["--good", "HEAD"]));
    output.assert_exit_and_stderr(
        2,
        &["error: the branch `main` has no commit yet\n", "help: commit the version to test"],
    );
}

#[test]
fn detached_head_is_bad_by_default() {
    let dir = words_repository();
    commit(dir.path(), "four", &[("words.txt", "a\ngood\n")]);
    git(dir.path(), &["checkout", "-q", "--detach", "HEAD~1"]);
    assert_finds_the_word(&bisect(dir.path()));
}

#[test]
fn sparse_checkout_does_not_matter() {
    let dir = words_repository();
    write(dir.path(), "src/file.txt", "x\n");
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "four"]);
    for options in [&["src"][..], &["--sparse-index", "src"]] {
        git(dir.path(), &[&["sparse-checkout", "set", "--cone"], options].concat());
        let output = bisect(dir.path());
        assert_finds_the_word(&output);
        assert!(!output.stderr.contains("uncommitted"), "{}", output.stderr);
    }
}

#[test]
fn borrowed_objects_are_found() {
    let (origin, home) = (words_repository(), tempfile::tempdir().unwrap());
    let (from, borrower) = (origin.path().to_str().unwrap(), home.path().join("borrower"));
    git(home.path(), &["clone", "-q", "--shared", from, borrower.to_str().unwrap()]);
    assert_finds_the_word(&bisect(&borrower));
    fs::remove_dir_all(borrower.join(".git/mend")).unwrap();
    std::os::unix::fs::symlink(origin.path(), borrower.join(".git/origin")).unwrap();
    let relative = "../origin/.git/objects\n";
    fs::write(borrower.join(".git/objects/info/alternates"), relative).unwrap();
    assert_finds_the_word(&bisect(&borrower));
}

#[test]
fn replaced_parents_join_two_histories() {
    let dir = words_repository();
    let original = git(dir.path(), &["rev-parse", "main~1"]);
    git(dir.path(), &["checkout", "-q", "--orphan", "other", "main~1"]);
    git(dir.path(), &["commit", "-q", "-m", "imported"]);
    git(dir.path(), &["replace", "--graft", "HEAD", &original]);
    commit(dir.path(), "broken", &[("words.txt", "a\nbad\nb\nc\nd\ne\n")]);
    let output = bisect(dir.path());
    assert_finds_the_word(&output);
    assert!(output.stdout.contains("broken (first bad commit)"), "{}", output.stdout);
}

#[test]
fn sha_256_repository_works_with_two_folders() {
    let (dir, words) = (tempfile::tempdir().unwrap(), words_repository());
    git(dir.path(), &["init", "-q", "--object-format=sha256"]);
    commit(dir.path(), "one", &[("words.txt", "good\n")]);
    let output = run_mend_keeping_repository(dir.path(), &bisect_arguments(&["--good", "HEAD"]));
    let error = "error: cannot read this repository: it names its objects by SHA-256\n";
    output.assert_exit_and_stderr(4, &[error, "help: pass the two versions as plain folders"]);
    let folders = ["good", "bad"].map(|name| dir.path().join(name).to_str().unwrap().to_owned());
    for (folder, revision) in folders.iter().zip(["release-1", "main"]) {
        git(words.path(), &["worktree", "add", "-q", "--detach", folder, revision]);
    }
    let arguments = ["--good", &*folders[0], "--bad", &folders[1]];
    assert_finds_the_word(&run_mend(dir.path(), &bisect_arguments(&arguments)));
    let output = run_mend(dir.path(), &["delta", &*folders[0], &folders[1]]);
    output.assert_exit_and_stderr(0, &[]);
}

/// A git that knows the format reads it; another one says so.
#[test]
fn reftable_repository_needs_a_git_that_knows_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut init = Command::new("git");
    isolate_git(init.current_dir(dir.path())).args(["init", "-q", "-b", "main"]);
    if init.arg("--ref-format=reftable").output().unwrap().status.success() {
        commit_words(dir.path());
        return assert_finds_the_word(&bisect(dir.path()));
    }
    git(dir.path(), &["init", "-q"]);
    git(dir.path(), &["config", "core.repositoryFormatVersion", "1"]);
    git(dir.path(), &["config", "extensions.refStorage", "reftable"]);
    let output = run_mend_keeping_repository(dir.path(), &bisect_arguments(&GOOD_OPTION));
    let error = "error: cannot read this repository: it needs a newer git (unknown repository";
    output.assert_exit_and_stderr(4, &[error, "help: install a git that knows its format"]);
}

/// Git itself takes every repository for another user's if this variable is set.
#[test]
fn repository_of_another_user_is_refused_with_git_remedy() {
    let (dir, home) = (words_repository(), tempfile::tempdir().unwrap());
    let real_git = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|path| path.exists());
    let script = format!(
        "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {} \"$@\"\n",
        real_git.unwrap().display()
    );
    write(home.path(), "git", script);
    fs::set_permissions(home.path().join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    let mut command = program(&dir.path().join("sub"));
    command.args(bisect_arguments(&GOOD_OPTION)).env("PATH", home.path());
    let output = run_keeping_repository(dir.path(), &mut command);
    let root = dir.path().canonicalize().unwrap();
    let help = format!("help: git config --global --add safe.directory {}", root.display());
    let error = "error: cannot read this repository: it belongs to another user (detected dubious";
    output.assert_exit_and_stderr(4, &[error, &help]);
}

#[test]
fn line_end_settings_of_the_repository_apply_to_trials() {
    let dir = words_repository();
    let check = "grep -q \"$(printf 'good\\r')\" words.txt";
    let arguments = ["bisect", "--good", "release-1", "--", "sh", "-c", check];
    run_mend_keeping_repository(dir.path(), &arguments).assert_exit_and_stderr(3, &[]);
    git(dir.path(), &["config", "core.autocrlf", "true"]);
    assert_finds_the_word(&run_mend_keeping_repository(dir.path(), &arguments));
}

/// A repository with a submodule that is checked out.
fn repository_with_submodule() -> (TempDir, TempDir) {
    let (dir, library) = (repository(), repository());
    commit(library.path(), "one", &[("number.txt", "1\n"), ("other.txt", "x\n")]);
    let url = library.path().to_str().unwrap().to_owned();
    git(dir.path(), &["submodule", "--quiet", "add", &url, "lib"]);
    commit_words(dir.path());
    (dir, library)
}

#[test]
fn submodules_that_are_checked_out_are_part_of_trials() {
    let (dir, library) = repository_with_submodule();
    commit(library.path(), "two", &[("number.txt", "2\n")]);
    git(&dir.path().join("lib"), &["pull", "-q"]);
    commit::<&str>(dir.path(), "use the new library", &[]);
    commit(dir.path(), "last", &[("other.txt", "y\n")]);
    let check = "touch lib/built lib/other.txt && grep -q 1 lib/number.txt";
    let arguments = ["bisect", "--good", "release-1", "--", "sh", "-c", check];
    let output = run_mend_keeping_repository(dir.path(), &arguments);
    output.assert_exit_and_stderr(0, &[]);
    assert!(output.stdout.contains("use the new library (first bad commit)"), "{}", output.stdout);
    assert!(!output.stderr.contains("submodules"), "{}", output.stderr);
    // A file that a trial left in the submodule is gone in the next one.
    let check = "test ! -e lib/built && touch lib/built && sh check.sh";
    let arguments = ["bisect", "--good", "release-1", "--bad", "HEAD~2", "--", "sh", "-c", check];
    assert_finds_the_word(&run_mend_keeping_repository(dir.path(), &arguments));
}

#[test]
fn missing_submodules_are_noted_with_the_command_that_gets_them() {
    let (dir, _library) = repository_with_submodule();
    let (_home, clone) = clone(dir.path(), &[]);
    let check = "test -d lib && test ! -e lib/number.txt && sh check.sh";
    let arguments = ["bisect", "--good", "release-1", "--", "sh", "-c", check];
    let output = run_mend_keeping_repository(&clone, &arguments);
    let note = "note: submodules (lib): their folders are empty in every variant; if the tests need them, \
                run `git submodule update --init -- lib`\n";
    output.assert_exit_and_stderr(0, &[note]);
    assert_eq!(output.stdout.matches("submodules (lib)").count(), 1, "{}", output.stdout);
    assert_finds_the_word(&output);
    git(&clone, &["submodule", "--quiet", "update", "--init", "--", "lib"]);
    let arguments = [
        "bisect",
        "--good",
        "release-1",
        "--",
        "sh",
        "-c",
        "test -e lib/number.txt && sh check.sh",
    ];
    assert_finds_the_word(&run_mend_keeping_repository(&clone, &arguments));
}
