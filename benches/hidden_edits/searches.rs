//! Searches with `git mend bisect`: a test compares the output of the program with that of the old version.

use crate::Measurement;
use crate::corpus::{Case, Files, HiddenEdit};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;

/// Jars that run the tests.
const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar";

const TEST_PATH: &str = "src/test/java/shop/DemoTest.java";

/// Prints the output of the program.
const PRINTER: &str = "package shop; class Printer { public static void main(String[] args) { \
    System.out.print(Demo.show()); } }";

pub(crate) struct Searches {
    program: PathBuf,
    folder: TempDir,
}

impl Searches {
    pub(crate) fn new(program: PathBuf) -> Self {
        Self { program, folder: tempfile::tempdir().unwrap() }
    }

    /// Returns the lines that the old version prints.
    pub(crate) fn expected_lines(&self, case: &Case) -> Vec<String> {
        let folder = self.folder.path().join(&case.kind);
        write_files(&folder, &case.old);
        fs::write(folder.join("Printer.java"), PRINTER).unwrap();
        let mut javac = Command::new("javac");
        javac.args(["-d", "classes", "Printer.java"]).args(java_files(&folder.join("src")));
        assert!(javac.current_dir(&folder).status().unwrap().success(), "{}", case.kind);
        let mut java = Command::new("java");
        let java = java.args(["-XX:TieredStopAtLevel=1", "-cp", "classes", "shop.Printer"]);
        let output = java.current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}", case.kind);
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    /// Searches a history; `None` if its new version does not compile or passes the test.
    pub(crate) fn measure(
        &self,
        case: &Case,
        edit: &HiddenEdit,
        expected: &[String],
    ) -> Option<Measurement> {
        let folder = tempfile::tempdir_in(self.folder.path()).unwrap();
        for (name, files) in [("old", &case.old), ("new", &case.with_edit(edit))] {
            write_files(&folder.path().join(name), files);
            write_file(&folder.path().join(name).join(TEST_PATH), &test_source(expected));
        }
        let started = Instant::now();
        let mut bisect = Command::new(&self.program);
        bisect.arg("-C").arg(folder.path()).args(["-q", "--format", "json", "bisect"]);
        bisect.args(["--good", "old", "--bad", "new", "--test", "DemoTest"]);
        bisect.args(["--classpath", JUNIT]);
        let output = bisect.stderr(Stdio::null()).output().unwrap();
        let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let count = |value: &Value| usize::try_from(value.as_u64().unwrap_or(0)).unwrap();
        let culprit = result["culprit"]["tokens"].as_u64()?;
        Some(Measurement {
            culprit: usize::try_from(culprit).unwrap(),
            fix: count(&result["fix"]["tokens"]),
            builds: count(&result["cost"]["builds"]),
            good_builds: count(&result["cost"]["builds_ok"]),
            seconds: started.elapsed().as_secs_f64(),
        })
    }
}

fn test_source(expected: &[String]) -> Vec<u8> {
    let mut lines = String::new();
    for line in expected {
        write!(lines, "{line:?}, ").unwrap();
    }
    let text = format!(
        "package shop;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n\
         public class DemoTest {{\n    @Test\n    public void printsAsBefore() {{\n        \
         String[] expected = {{{lines}}};\n        String[] lines = Demo.show().split(\"\\n\");\n        \
         for (int at = 0; at < expected.length; at++) {{\n            \
         assertEquals(expected[at], lines[at]);\n        }}\n    }}\n}}\n"
    );
    text.into_bytes()
}

fn java_files(folder: &Path) -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.unwrap().into_path());
    all.filter(|path| path.extension().is_some_and(|end| end == "java")).collect()
}

fn write_files(folder: &Path, files: &Files) {
    for (path, text) in files {
        write_file(&folder.join(path.to_string()), text);
    }
}

fn write_file(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
