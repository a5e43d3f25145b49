//! Sets the commit of this build, for the keys of caches and for `git mend --version`.

use std::path::Path;
use std::process::Command;

fn main() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (profile, manifest) = (variable("PROFILE"), variable("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    // Only release builds record the commit. Other builds would otherwise be recompiled after each commit.
    let commit = if profile == "release" {
        for source in ["../../.git/logs/HEAD", "../../src", ".."] {
            println!("cargo::rerun-if-changed={source}");
        }
        commit(&Path::new(&manifest).join("../..")).unwrap_or_else(|| "unknown commit".to_owned())
    } else {
        "development build".to_owned()
    };
    println!("cargo::rustc-env=GIT_MEND_COMMIT={commit}");
}

/// Returns the commit and its date if this folder is the root of a clone.
fn commit(root: &Path) -> Option<String> {
    let git = |words: &[&str]| output(Command::new("git").arg("-C").arg(root).args(words));
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let commit = git(&["describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"])?;
    Some(format!("{commit} {}", git(&["show", "--no-patch", "--format=%cs", "HEAD"])?))
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
