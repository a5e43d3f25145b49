//! Build script: embeds the Java sources, and records the commit of a release build for cache keys and `git mend
//! --version`.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of the Java sources, relative to this package.
const JAVA_SOURCE_FOLDER: &str = "../../java/src/main/java";

fn main() -> io::Result<()> {
    let env_variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (profile, manifest) = (env_variable("PROFILE"), env_variable("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    // Only release builds record the commit. Other builds would otherwise be recompiled after each commit.
    let commit = if profile == "release" {
        for source in ["../../.git/logs/HEAD", "../../src", ".."] {
            println!("cargo::rerun-if-changed={source}");
        }
        describe_commit(&Path::new(&manifest).join("../.."))
            .unwrap_or_else(|| "unknown commit".to_owned())
    } else {
        "development build".to_owned()
    };
    println!("cargo::rustc-env=GIT_MEND_COMMIT={commit}");
    println!("cargo::rerun-if-changed={JAVA_SOURCE_FOLDER}");
    let table = render_java_sources(&Path::new(&manifest).join(JAVA_SOURCE_FOLDER))?;
    std::fs::write(Path::new(&env_variable("OUT_DIR")).join("java_sources.rs"), table)
}

/// Returns a Rust array of all Java files below a folder: the path below it, and the text. It is sorted by path.
fn render_java_sources(root: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    collect_java_files(root, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let (name, file) =
            (file.strip_prefix(root).unwrap_or(&file).to_string_lossy(), file.to_string_lossy());
        let _ = writeln!(table, "    ({name:?}, include_str!({file:?})),");
    }
    Ok(table + "]\n")
}

/// Collects the Java files below a folder.
fn collect_java_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_java_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "java") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the commit and its date if this folder is the root of a clone.
fn describe_commit(root: &Path) -> Option<String> {
    let git = |words: &[&str]| run_for_output(Command::new("git").arg("-C").arg(root).args(words));
    let top_level = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top_level).canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let commit = git(&["describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"])?;
    Some(format!("{commit} {}", git(&["show", "--no-patch", "--format=%cs", "HEAD"])?))
}

fn run_for_output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
