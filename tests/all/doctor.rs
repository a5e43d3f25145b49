//! `git mend doctor`: what is missing, how to get it, and that nothing is touched.

use crate::support::{CommandOutput, commit, program, repository, untouched, write};
use serde_json::Value;
use std::path::Path;

const CODE: (&str, &str) = ("src/main/java/A.java", "class A {}\n");
const TEST: (&str, &str) = (
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

fn doctor(dir: &Path, more: &[&str]) -> CommandOutput {
    untouched(dir, program(dir).arg("doctor").args(more))
}

/// The finding of a name in the JSON that the doctor gives, which is one of the documented form.
fn finding(ran: &CommandOutput, name: &str) -> Value {
    let report = ran.json();
    assert_eq!(report["schema"], "git-mend/doctor/1");
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap().clone()
}

#[test]
fn a_project_that_has_everything_is_well() {
    let dir = repository();
    let pom = pom(&dependency("junit", "junit", "4.13.2"));
    commit(dir.path(), "one", &[("pom.xml", pom.as_str()), CODE, TEST]);
    let ran = doctor(dir.path(), &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for words in ["git ", "jdk ", "Maven, 1 module, 1 source, 1 test source", "Nothing is missing."]
    {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let json = doctor(dir.path(), &["--format", "json"]);
    assert_eq!(finding(&json, "tests")["message"], "JUnit 4 in 1 file");
    assert_eq!(finding(&json, "libraries")["help"], Value::Null);
}

#[test]
fn libraries_that_are_missing_are_named_with_the_way_to_get_them() {
    let dir = repository();
    let pom = pom(&dependency("org.example.gone", "absent", "3.2"));
    commit(dir.path(), "one", &[("pom.xml", pom.as_str()), CODE, TEST]);
    let ran = doctor(dir.path(), &["--format", "json"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let libraries = finding(&ran, "libraries");
    assert_eq!(libraries["status"], "missing");
    assert_eq!(libraries["items"][0], "org.example.gone:absent:3.2");
    assert!(libraries["help"].as_str().unwrap().contains("dependency:go-offline"));
    let tests = finding(&ran, "tests");
    assert!(tests["message"].as_str().unwrap().contains("junit:junit is not on the class path"));
    let human = doctor(dir.path(), &[]);
    assert_eq!(human.code, 4);
    assert!(human.stdout.contains("Missing: libraries, tests."), "{}", human.stdout);
    assert!(human.stdout.lines().count() < 24, "{}", human.stdout);
}

#[test]
fn a_runtime_without_compiler_is_told_and_the_project_is_looked_at_all_the_same() {
    let dir = repository();
    commit(dir.path(), "one", &[CODE]);
    let runtime = tempfile::tempdir().unwrap();
    write(runtime.path(), "bin/java", "");
    let mut command = program(dir.path());
    command.env("JAVA_HOME", runtime.path()).env("PATH", only_git(runtime.path()));
    let ran = untouched(dir.path(), command.args(["doctor", "--format", "json"]));
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let jdk = finding(&ran, "jdk");
    assert!(jdk["message"].as_str().unwrap().contains("without the compiler"), "{jdk}");
    assert_eq!(finding(&ran, "project")["status"], "ok");
}

/// A folder for `PATH` that leads to git alone.
fn only_git(place: &Path) -> std::path::PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|folder| folder.join("git"));
    let folder = place.join("programs");
    std::fs::create_dir(&folder).unwrap();
    let git = git.into_iter().find(|git| git.is_file()).unwrap();
    std::os::unix::fs::symlink(git, folder.join("git")).unwrap();
    folder
}

#[test]
fn without_git_it_is_git_that_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), CODE.0, CODE.1);
    let mut command = program(dir.path());
    let ran = CommandOutput::from(command.env("PATH", dir.path()).arg("doctor").output().unwrap());
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stdout.contains("apt-get install git"), "{}", ran.stdout);
}

#[test]
fn a_language_level_above_the_jdks_is_missing() {
    let dir = repository();
    let pom = pom("<properties><maven.compiler.release>99</maven.compiler.release></properties>");
    commit(dir.path(), "one", &[("pom.xml", pom.as_str()), CODE]);
    let ran = doctor(dir.path(), &["--format", "json"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let level = finding(&ran, "level");
    assert!(level["help"].as_str().unwrap().contains("install JDK 99"), "{level}");
}

#[test]
fn a_folder_without_sources_is_no_illness() {
    let dir = repository();
    commit(dir.path(), "one", &[("readme.txt", "x")]);
    let ran = doctor(dir.path(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("no Java sources"), "{}", ran.stdout);
}
