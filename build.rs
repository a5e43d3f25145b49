//! Sets the build information that `git mend --version` prints.

use std::path::Path;
use std::process::Command;

fn main() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (profile, root) = (variable("PROFILE"), variable("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    // Only release builds record the commit. Other builds would otherwise be recompiled after each commit.
    let commit = if profile == "release" {
        println!("cargo::rerun-if-changed=.git/logs/HEAD");
        println!("cargo::rerun-if-changed=src");
        commit(Path::new(&root)).unwrap_or_else(|| "unknown commit".to_owned())
    } else {
        "development build".to_owned()
    };
    let rustc = said(Command::new(variable("RUSTC")).arg("--version")).unwrap_or_default();
    println!("cargo::rustc-env=GIT_MEND_COMMIT={commit}");
    println!("cargo::rustc-env=GIT_MEND_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=GIT_MEND_PROFILE={profile}");
    println!("cargo::rustc-env=GIT_MEND_RUSTC={rustc}");
}

/// Returns the commit and its date if this folder is the root of a clone.
fn commit(root: &Path) -> Option<String> {
    let git = |words: &[&str]| said(Command::new("git").arg("-C").arg(root).args(words));
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let commit = git(&["describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"])?;
    Some(format!("{commit} {}", git(&["show", "--no-patch", "--format=%cs", "HEAD"])?))
}

fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
