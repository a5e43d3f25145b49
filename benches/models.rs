//! Compares the project model from the build tool with the one read from build files, on checkouts of real projects.
//!
//! ```sh
//! cargo bench --bench models -- DIR…        # the checked-out version of each
//! cargo bench --bench models -- DIR@REV…    # a revision; `DIR@A..B/N` are N commits spread over a range
//! ```

#![allow(clippy::print_stdout, reason = "a bench prints its result")]
#![allow(clippy::unwrap_used, reason = "a bench stops at the first error")]

use mend_engine::{
    Environment, Jdk, LocalRepositories, MavenSettings, ModelSource, Module, Project,
    ProjectOptions, SupervisedLauncher, Toolchain,
};
use mend_model::Interrupt;
use mend_process::Supervisor;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let mut totals = Totals::default();
    for argument in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let (checkout, revision) = argument.split_once('@').unwrap_or((&argument, "HEAD"));
        for commit in commits(checkout, revision) {
            compare(Path::new(checkout), &commit, &mut totals);
        }
    }
    println!("{totals:?}");
}

#[derive(Debug, Default)]
struct Totals {
    versions: usize,
    equal: usize,
    different: usize,
    tool_failed: usize,
    files_failed: usize,
}

/// Returns the commits of `REV` or of `A..B/N`.
fn commits(checkout: &str, revision: &str) -> Vec<String> {
    let (range, count) = revision.rsplit_once('/').unwrap_or((revision, "1"));
    let Some(count) = count.parse::<usize>().ok().filter(|_| range.contains("..")) else {
        return vec![revision.to_owned()];
    };
    let output = git(checkout, &["rev-list", "--first-parent", range]);
    let all: Vec<&str> = output.lines().collect();
    let step = (all.len() / count).max(1);
    all.iter().step_by(step).take(count).map(ToString::to_string).collect()
}

fn git(checkout: &str, arguments: &[&str]) -> String {
    let output = Command::new("git").args(["-C", checkout]).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn compare(checkout: &Path, commit: &str, totals: &mut Totals) {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    std::fs::create_dir(&tree).unwrap();
    let script = "git -C \"$1\" archive \"$2\" | tar -x -C \"$3\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(checkout).arg(commit).arg(&tree);
    assert!(shell.status().unwrap().success());
    let label = git(&checkout.to_string_lossy(), &["log", "-1", "--format=%h %cs %s", commit]);
    println!("\n== {} {label}", checkout.display());
    totals.versions += 1;
    let home = checkout.join(".git/mend");
    let tool = read_model(&tree, &home, ModelSource::Tool);
    let files = read_model(&tree, &home, ModelSource::Files);
    match (tool, files) {
        (Ok(tool), Ok(files)) => {
            let differences = differences(&files, &tool);
            for line in &differences {
                println!("{line}");
            }
            totals.equal += usize::from(differences.is_empty());
            totals.different += usize::from(!differences.is_empty());
        }
        (tool, files) => {
            totals.tool_failed += usize::from(tool.is_err());
            totals.files_failed += usize::from(files.is_err());
            [tool.err(), files.err()].into_iter().flatten().for_each(|error| println!("  {error}"));
        }
    }
}

fn read_model(tree: &Path, home: &Path, model: ModelSource) -> Result<Project, String> {
    let environment = Environment::from_process();
    let supervisor = Supervisor::without_watchdog(Interrupt::default());
    let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: tree.to_owned() });
    let jdk = Jdk::find(&environment, &*launcher).unwrap();
    let options = ProjectOptions {
        repositories: LocalRepositories::from_environment(&environment),
        maven: MavenSettings::from_environment(&environment),
        model,
        ..ProjectOptions::default()
    };
    let start = Instant::now();
    let project = Project::discover(tree, &options, &Toolchain::new(jdk, launcher, home));
    let seconds = start.elapsed().as_secs_f64();
    println!("  {model:?}: {seconds:.1} s");
    let project = project.map_err(|problem| format!("{model:?}: {problem}"))?;
    project.notes.iter().for_each(|note| println!("  {model:?} note: {note}"));
    Ok(project)
}

/// Returns a line for each difference: `-` only the build files, `+` only the build tool.
fn differences(files: &Project, tool: &Project) -> Vec<String> {
    let mut lines = Vec::new();
    let names = |project: &Project| -> BTreeSet<String> {
        project.modules.iter().map(|module| module.name.clone()).collect()
    };
    compare_sets("modules", &names(files), &names(tool), &mut lines);
    for module in &files.modules {
        if let Some(other) = tool.modules.iter().find(|other| other.name == module.name) {
            compare_modules(module, other, &mut lines);
        }
    }
    lines
}

fn compare_modules(files: &Module, tool: &Module, lines: &mut Vec<String>) {
    let name = |field: &str| format!("{}: {field}", files.name);
    let paths = |paths: &[PathBuf]| -> BTreeSet<String> {
        paths.iter().map(|path| path.display().to_string()).collect()
    };
    let texts = |texts: &[String]| -> BTreeSet<String> { texts.iter().cloned().collect() };
    for (field, one, other) in [
        ("sources", &files.main_roots, &tool.main_roots),
        ("test sources", &files.test_roots, &tool.test_roots),
        ("resources", &files.resource_roots, &tool.resource_roots),
        ("test resources", &files.test_resource_roots, &tool.test_resource_roots),
        ("class path", &files.class_path, &tool.class_path),
    ] {
        compare_sets(&name(field), &paths(one), &paths(other), lines);
    }
    for (field, one, other) in [
        ("needs", &files.needs, &tool.needs),
        ("missing", &files.missing, &tool.missing),
        ("compiler", &files.javac_options, &tool.javac_options),
        ("JVM", &files.test_jvm.options, &tool.test_jvm.options),
    ] {
        compare_sets(&name(field), &texts(one), &texts(other), lines);
    }
    compare_values(
        &name("test compiler"),
        &files.test_javac_options,
        &tool.test_javac_options,
        lines,
    );
    compare_values(&name("encoding"), &files.encoding, &tool.encoding, lines);
    let filtered = |module: &Module| {
        let all = module.copied_resources.iter().chain(&module.copied_test_resources);
        let one = |one: &mend_engine::ResourceFolder| {
            (one.folder.clone(), one.target.clone(), one.includes.clone(), one.excludes.clone())
        };
        all.map(one).collect::<Vec<_>>()
    };
    compare_values(&name("copied resources"), &filtered(files), &filtered(tool), lines);
}

fn compare_sets(
    name: &str,
    files: &BTreeSet<String>,
    tool: &BTreeSet<String>,
    lines: &mut Vec<String>,
) {
    lines.extend(files.difference(tool).map(|one| format!("  - {name}: {one}")));
    lines.extend(tool.difference(files).map(|one| format!("  + {name}: {one}")));
}

fn compare_values<T: PartialEq + Debug>(name: &str, files: &T, tool: &T, lines: &mut Vec<String>) {
    if files != tool {
        lines.push(format!("  - {name}: {files:?}"));
        lines.push(format!("  + {name}: {tool:?}"));
    }
}
