//! Tests that the faulty programs in `fixtures/contracts` fail their tests, and that their patches fix them.

use crate::support::{git, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;

const CASES_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/contracts");
const CASE_GROUPS: [&str; 2] = ["open", "kept"];
/// Flags of a short-lived JVM.
const SHORT_LIVED_JVM_FLAGS: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/// Returns the folders of all cases, such as `open/page-window`.
fn case_names() -> Vec<String> {
    let in_half = |half: &str| {
        let entries = fs::read_dir(Path::new(CASES_DIR).join(half)).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        entries.map(|entry| format!("{half}/{}", name(entry.unwrap()))).collect::<Vec<_>>()
    };
    let mut cases = CASE_GROUPS.map(in_half).concat();
    cases.sort();
    cases
}

/// Returns the Java package of a case.
fn package_name(case: &str) -> String {
    case.rsplit('/').next().unwrap().replace('-', "")
}

fn java_files(root: &Path) -> Vec<PathBuf> {
    let files = WalkDir::new(root).sort_by_file_name().into_iter();
    let paths = files.map(|entry| entry.unwrap().into_path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "java")).collect()
}

/// Number of passing and failing tests of a package.
#[derive(Default)]
struct Counts {
    passed: usize,
    failed: usize,
}

/// Counts of the tests and of the held-out tests, by package.
#[derive(Default)]
struct Verdicts {
    tests: BTreeMap<String, Counts>,
    judges: BTreeMap<String, Counts>,
}

impl Verdicts {
    /// Compiles all cases below a folder at once, and runs all their tests in one JVM.
    fn run_all(root: &Path) -> Self {
        let classes = tempfile::tempdir().unwrap();
        let sources = java_files(root);
        let jars = ["junit4", "hamcrest"].map(|name| format!("/usr/share/java/{name}.jar"));
        let class_path = format!("{}:{}", jars.join(":"), classes.path().display());
        let compiler = ["-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp", &class_path, "-d"];
        let quick = SHORT_LIVED_JVM_FLAGS.map(|option| format!("-J{option}"));
        run_and_read_output(
            Command::new("javac").args(quick).args(compiler).arg(classes.path()).args(&sources),
        );
        let suites = sources.iter().filter_map(|source| suite_class(source));
        let runtime = ["-ea", "-cp", &class_path, "Suites"];
        let lines = run_and_read_output(
            Command::new("java").args(SHORT_LIVED_JVM_FLAGS).args(runtime).args(suites),
        );
        let mut verdicts = Self::default();
        lines.lines().for_each(|line| verdicts.add_line(line));
        verdicts
    }

    /// Parses a line such as `pagewindow.PagerTest 4 2`.
    fn add_line(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, passed, failed] = words.try_into().unwrap();
        let counts_by_package =
            if name.ends_with("Judge") { &mut self.judges } else { &mut self.tests };
        let counts =
            counts_by_package.entry(name.split('.').next().unwrap().to_owned()).or_default();
        counts.passed += passed.parse::<usize>().unwrap();
        counts.failed += failed.parse::<usize>().unwrap();
    }
}

/// Returns the name of the test class in a source file, if the file contains one.
fn suite_class(source: &Path) -> Option<String> {
    let class = source.file_stem()?.to_str()?;
    let package = source.parent()?.file_name()?.to_str()?;
    let is_suite = class.ends_with("Test") || class.ends_with("Judge");
    is_suite.then(|| format!("{package}.{class}"))
}

fn run_and_read_output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the cases that do not satisfy a condition.
fn cases_violating(holds: impl Fn(&str) -> bool) -> Vec<String> {
    case_names().into_iter().filter(|case| !holds(case)).collect()
}

const NO_CASES: [&str; 0] = [];

#[test]
fn faulty_programs_fail_their_tests() {
    let verdicts = Verdicts::run_all(Path::new(CASES_DIR));
    let is_faulty = |case: &str| {
        let tests = &verdicts.tests[&package_name(case)];
        (1..=3).contains(&tests.failed) && tests.passed >= 4
    };
    assert_eq!(cases_violating(is_faulty), NO_CASES);
    assert_eq!(cases_violating(|case| verdicts.judges[&package_name(case)].failed > 0), NO_CASES);
}

#[test]
fn human_patches_fix_their_programs() {
    let dir = repository();
    for case in case_names() {
        let copy = dir.path().join(&case);
        for file in WalkDir::new(Path::new(CASES_DIR).join(&case)) {
            let file = file.unwrap();
            let target =
                copy.join(file.path().strip_prefix(Path::new(CASES_DIR).join(&case)).unwrap());
            if file.file_type().is_dir() {
                fs::create_dir_all(target).unwrap();
            } else {
                fs::copy(file.path(), target).unwrap();
            }
        }
        git(&copy, &["apply", "human.patch"]);
    }
    let suites = "Suites.java";
    fs::copy(Path::new(CASES_DIR).join(suites), dir.path().join(suites)).unwrap();
    let verdicts = Verdicts::run_all(dir.path());
    let passes = |counts: &Counts| counts.failed == 0 && counts.passed > 0;
    assert_eq!(cases_violating(|case| passes(&verdicts.tests[&package_name(case)])), NO_CASES);
    assert_eq!(cases_violating(|case| passes(&verdicts.judges[&package_name(case)])), NO_CASES);
}

/// Returns the text after a word at the start of a line in a case's `README.md`.
fn readme_entry(case: &str, word: &str) -> Option<String> {
    let text = fs::read_to_string(Path::new(CASES_DIR).join(case).join("README.md")).unwrap();
    text.lines().find_map(|line| line.strip_prefix(word)).map(str::to_owned)
}

#[test]
fn case_readmes_name_kind_fault_and_fix() {
    for word in ["Kind: ", "Fault: ", "Fix: "] {
        assert_eq!(
            cases_violating(|case| readme_entry(case, word).is_some_and(|rest| !rest.is_empty())),
            NO_CASES
        );
    }
    assert_eq!(
        cases_violating(|case| readme_entry(case, "Kind: ").unwrap().split(" / ").count() == 2),
        NO_CASES
    );
}

#[test]
fn case_groups_have_equal_size_and_contracts() {
    let [open, kept] = CASE_GROUPS.map(|half| {
        let cases: Vec<_> =
            case_names().into_iter().filter(|case| case.starts_with(half)).collect();
        let contract = |case: &String| {
            readme_entry(case, "Kind: ").unwrap().split(" / ").next().unwrap().to_owned()
        };
        (cases.len(), cases.iter().map(contract).collect::<BTreeSet<_>>())
    });
    assert_eq!(open, kept);
    assert!(open.0 >= 30, "only {} cases", open.0);
}

#[test]
fn case_packages_are_named_after_the_case() {
    let is_own = |case: &str| {
        let files = java_files(&Path::new(CASES_DIR).join(case));
        files.iter().all(|file| file.parent().unwrap().ends_with(package_name(case)))
    };
    assert_eq!(cases_violating(is_own), NO_CASES);
    let packages: BTreeSet<_> = case_names().iter().map(|case| package_name(case)).collect();
    assert_eq!(packages.len(), case_names().len());
}
