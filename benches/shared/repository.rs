//! Runs git in a repository.

use std::path::Path;
use std::process::{Command, Output};

/// Clones a checkout; both share their objects.
pub(crate) fn clone_shared(checkout: &Path, target: &Path) {
    git(Path::new("."), &["clone", "-q", "--shared", path_text(checkout), path_text(target)]);
}

/// Commits everything in the work tree.
pub(crate) fn commit_all(root: &Path, message: &str) {
    git(root, &["add", "-A"]);
    let author = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    git(root, &[&author[..], &["commit", "-qm", message]].concat());
}

pub(crate) fn git_text(root: &Path, arguments: &[&str]) -> String {
    String::from_utf8(git(root, arguments).stdout).unwrap().trim().to_owned()
}

pub(crate) fn git(root: &Path, arguments: &[&str]) -> Output {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn path_text(path: &Path) -> &str {
    path.to_str().unwrap()
}
