//! The faulty programs in `fixtures/contracts` are as faulty as their tests say, and their patches
//! mend them.

use crate::support::{git, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/contracts");
const HALVES: [&str; 2] = ["open", "kept"];
/// Options of a JVM that is not worth warming up.
const SHORT_LIVED: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/// The folders of all cases, such as `open/page-window`.
fn cases() -> Vec<String> {
    let in_half = |half: &str| {
        let entries = fs::read_dir(Path::new(ROOT).join(half)).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        entries.map(|entry| format!("{half}/{}", name(entry.unwrap()))).collect::<Vec<_>>()
    };
    let mut cases = HALVES.map(in_half).concat();
    cases.sort();
    cases
}

/// The Java package of a case.
fn package(case: &str) -> String {
    case.rsplit('/').next().unwrap().replace('-', "")
}

fn java_files(root: &Path) -> Vec<PathBuf> {
    let files = WalkDir::new(root).sort_by_file_name().into_iter();
    let paths = files.map(|entry| entry.unwrap().into_path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "java")).collect()
}

/// What ran of a package.
#[derive(Default)]
struct Counts {
    passed: usize,
    failed: usize,
}

/// The counts of each package's tests and of its judge.
#[derive(Default)]
struct Verdicts {
    tests: BTreeMap<String, Counts>,
    judges: BTreeMap<String, Counts>,
}

impl Verdicts {
    /// Compiles all cases under a folder at once and runs all that tests them in one JVM.
    fn run_all(root: &Path) -> Self {
        let classes = tempfile::tempdir().unwrap();
        let sources = java_files(root);
        let jars = ["junit4", "hamcrest"].map(|name| format!("/usr/share/java/{name}.jar"));
        let class_path = format!("{}:{}", jars.join(":"), classes.path().display());
        let compiler = ["-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp", &class_path, "-d"];
        let quick = SHORT_LIVED.map(|option| format!("-J{option}"));
        output_of(
            Command::new("javac").args(quick).args(compiler).arg(classes.path()).args(&sources),
        );
        let suites = sources.iter().filter_map(|source| suite(source));
        let runtime = ["-ea", "-cp", &class_path, "Suites"];
        let lines = output_of(Command::new("java").args(SHORT_LIVED).args(runtime).args(suites));
        let mut verdicts = Self::default();
        lines.lines().for_each(|line| verdicts.add(line));
        verdicts
    }

    /// Reads a line such as `pagewindow.PagerTest 4 2`.
    fn add(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, passed, failed] = words.try_into().unwrap();
        let side = if name.ends_with("Judge") { &mut self.judges } else { &mut self.tests };
        let counts = side.entry(name.split('.').next().unwrap().to_owned()).or_default();
        counts.passed += passed.parse::<usize>().unwrap();
        counts.failed += failed.parse::<usize>().unwrap();
    }
}

/// The name of the class that a source file tests with.
fn suite(source: &Path) -> Option<String> {
    let class = source.file_stem()?.to_str()?;
    let package = source.parent()?.file_name()?.to_str()?;
    let is_suite = class.ends_with("Test") || class.ends_with("Judge");
    is_suite.then(|| format!("{package}.{class}"))
}

fn output_of(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The cases for which something is not so.
fn except(is_so: impl Fn(&str) -> bool) -> Vec<String> {
    cases().into_iter().filter(|case| !is_so(case)).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn every_faulty_program_fails_some_of_its_tests_and_its_judge() {
    let verdicts = Verdicts::run_all(Path::new(ROOT));
    let is_faulty = |case: &str| {
        let tests = &verdicts.tests[&package(case)];
        (1..=3).contains(&tests.failed) && tests.passed >= 4
    };
    assert_eq!(except(is_faulty), NONE);
    assert_eq!(except(|case| verdicts.judges[&package(case)].failed > 0), NONE);
}

#[test]
fn every_human_patch_mends_its_program() {
    let dir = repository();
    for case in cases() {
        let copy = dir.path().join(&case);
        for file in WalkDir::new(Path::new(ROOT).join(&case)) {
            let file = file.unwrap();
            let place = copy.join(file.path().strip_prefix(Path::new(ROOT).join(&case)).unwrap());
            if file.file_type().is_dir() {
                fs::create_dir_all(place).unwrap();
            } else {
                fs::copy(file.path(), place).unwrap();
            }
        }
        git(&copy, &["apply", "human.patch"]);
    }
    let suites = "Suites.java";
    fs::copy(Path::new(ROOT).join(suites), dir.path().join(suites)).unwrap();
    let verdicts = Verdicts::run_all(dir.path());
    let is_mended = |counts: &Counts| counts.failed == 0 && counts.passed > 0;
    assert_eq!(except(|case| is_mended(&verdicts.tests[&package(case)])), NONE);
    assert_eq!(except(|case| is_mended(&verdicts.judges[&package(case)])), NONE);
}

/// What a case's `README.md` says after a word at the start of a line.
fn readme_entry(case: &str, word: &str) -> Option<String> {
    let text = fs::read_to_string(Path::new(ROOT).join(case).join("README.md")).unwrap();
    text.lines().find_map(|line| line.strip_prefix(word)).map(str::to_owned)
}

#[test]
fn every_case_says_its_kind_its_fault_and_why_its_patch_is_right() {
    for word in ["Kind: ", "Fault: ", "Fix: "] {
        assert_eq!(
            except(|case| readme_entry(case, word).is_some_and(|rest| !rest.is_empty())),
            NONE
        );
    }
    assert_eq!(
        except(|case| readme_entry(case, "Kind: ").unwrap().split(" / ").count() == 2),
        NONE
    );
}

#[test]
fn the_two_halves_are_alike_in_size_and_contracts() {
    let [open, kept] = HALVES.map(|half| {
        let cases: Vec<_> = cases().into_iter().filter(|case| case.starts_with(half)).collect();
        let contract = |case: &String| {
            readme_entry(case, "Kind: ").unwrap().split(" / ").next().unwrap().to_owned()
        };
        (cases.len(), cases.iter().map(contract).collect::<BTreeSet<_>>())
    });
    assert_eq!(open, kept);
    assert!(open.0 >= 30, "only {} cases", open.0);
}

#[test]
fn a_case_lives_in_a_package_of_its_own_name() {
    let is_own = |case: &str| {
        let files = java_files(&Path::new(ROOT).join(case));
        files.iter().all(|file| file.parent().unwrap().ends_with(package(case)))
    };
    assert_eq!(except(is_own), NONE);
    let packages: BTreeSet<_> = cases().iter().map(|case| package(case)).collect();
    assert_eq!(packages.len(), cases().len());
}
