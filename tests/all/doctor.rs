//! Tests of `git mend doctor`: missing requirements and their remedies, without changes to the repository.

use crate::support::{CommandOutput, commit, program, repository, run_keeping_repository, write};
use serde_json::Value;
use std::path::Path;

const SOURCE_FILE: (&str, &str) = ("src/main/java/A.java", "class A {}\n");
const TEST_FILE: (&str, &str) = (
    "src/test/java/ATest.java",
    "import org.junit.Test;\npublic class ATest { @Test public void t() {} }\n",
);

fn pom(rest: &str) -> String {
    format!(
        "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version>{rest}</project>"
    )
}

fn dependency(group: &str, artifact: &str, version: &str) -> String {
    format!(
        "<dependencies><dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
         <version>{version}</version></dependency></dependencies>"
    )
}

fn run_doctor(dir: &Path, more: &[&str]) -> CommandOutput {
    run_keeping_repository(dir, program(dir).args(["doctor", "--model", "files"]).args(more))
}

/// Returns the finding with a name from the JSON output.
fn doctor_finding(output: &CommandOutput, name: &str) -> Value {
    let report = output.json();
    assert_eq!(report["schema"], "git-mend/doctor/1");
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap().clone()
}

#[test]
fn complete_project_passes_the_doctor() {
    let dir = repository();
    let pom = pom(&dependency("junit", "junit", "4.13.2"));
    commit(dir.path(), "one", &[("pom.xml", pom.as_str()), SOURCE_FILE, TEST_FILE]);
    let output = run_doctor(dir.path(), &[]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    for words in ["git ", "jdk ", "Maven, 1 module, 1 source, 1 test source", "Nothing is missing."]
    {
        assert!(output.stdout.contains(words), "{words}: {}", output.stdout);
    }
    let json = run_doctor(dir.path(), &["--format", "json"]);
    assert_eq!(doctor_finding(&json, "tests")["message"], "JUnit 4 in 1 file");
    assert_eq!(doctor_finding(&json, "libraries")["help"], Value::Null);
}

#[test]
fn missing_libraries_are_named_with_remedy() {
    let dir = repository();
    let pom = pom(&dependency("org.example.gone", "absent", "3.2"));
    commit(dir.path(), "one", &[("pom.xml", pom.as_str()), SOURCE_FILE, TEST_FILE]);
    let output = run_doctor(dir.path(), &["--format", "json"]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    let libraries = doctor_finding(&output, "libraries");
    assert_eq!(libraries["status"], "missing");
    assert_eq!(libraries["items"][0], "org.example.gone:absent:3.2");
    assert!(libraries["help"].as_str().unwrap().contains("dependency:go-offline"));
    let tests = doctor_finding(&output, "tests");
    assert!(tests["message"].as_str().unwrap().contains("junit:junit is not on the class path"));
    let human = run_doctor(dir.path(), &[]);
    assert_eq!(human.code, 4);
    assert!(human.stdout.contains("Missing: libraries, tests."), "{}", human.stdout);
    assert!(human.stdout.lines().count() < 24, "{}", human.stdout);
}

#[test]
fn missing_compiler_is_reported_and_project_still_checked() {
    let dir = repository();
    commit(dir.path(), "one", &[SOURCE_FILE]);
    let runtime = tempfile::tempdir().unwrap();
    write(runtime.path(), "bin/java", "");
    let mut command = program(dir.path());
    command.env("JAVA_HOME", runtime.path()).env("PATH", path_with_only_git(runtime.path()));
    let output = run_keeping_repository(dir.path(), command.args(["doctor", "--format", "json"]));
    assert_eq!(output.code, 4, "{}", output.stderr);
    let jdk = doctor_finding(&output, "jdk");
    assert!(jdk["message"].as_str().unwrap().contains("without the compiler"), "{jdk}");
    assert_eq!(doctor_finding(&output, "project")["status"], "ok");
}

/// Creates a folder for `PATH` that contains only git.
fn path_with_only_git(parent: &Path) -> std::path::PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|folder| folder.join("git"));
    let folder = parent.join("programs");
    std::fs::create_dir(&folder).unwrap();
    let git = git.into_iter().find(|git| git.is_file()).unwrap();
    std::os::unix::fs::symlink(git, folder.join("git")).unwrap();
    folder
}

#[test]
fn missing_git_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), SOURCE_FILE.0, SOURCE_FILE.1);
    let mut command = program(dir.path());
    let output =
        CommandOutput::from(command.env("PATH", dir.path()).arg("doctor").output().unwrap());
    assert_eq!(output.code, 4, "{}", output.stderr);
    assert!(output.stdout.contains("apt-get install git"), "{}", output.stdout);
}

#[test]
fn language_level_above_the_jdk_is_reported() {
    let dir = repository();
    let pom = pom("<properties><maven.compiler.release>99</maven.compiler.release></properties>");
    commit(dir.path(), "one", &[("pom.xml", pom.as_str()), SOURCE_FILE]);
    let output = run_doctor(dir.path(), &["--format", "json"]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    let level = doctor_finding(&output, "level");
    assert!(level["help"].as_str().unwrap().contains("install JDK 99"), "{level}");
}

#[test]
fn folder_without_sources_is_not_an_error() {
    let dir = repository();
    commit(dir.path(), "one", &[("readme.txt", "x")]);
    let output = run_doctor(dir.path(), &[]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("no Java sources"), "{}", output.stdout);
}
