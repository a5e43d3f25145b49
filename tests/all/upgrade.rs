//! `git mend upgrade`: library upgrades that break a test, with a local repository of our own libraries.

use crate::support::{
    CommandOutput, commit, jdk_tool, path_without_maven, program, repository,
    run_keeping_repository, run_mend, run_successfully, write,
};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Versions of a library as Maven keeps them.
const METADATA: &str = "<metadata><groupId>g</groupId><artifactId>b</artifactId><versioning><versions>\
    <version>1</version><version>2</version><version>3</version><version>4</version></versions></versioning></metadata>";

/// Compiles a class with one number for each artifact of a version.
fn compile_classes(repository: &Path, artifacts: &[&str], version: &str) {
    let mut javac = jdk_tool("javac");
    javac.args(["-J-XX:TieredStopAtLevel=1", "--release", "8", "-nowarn", "-d", version]);
    for artifact in artifacts {
        let class = artifact.to_uppercase();
        let source = format!(
            "public class {class} {{ public static int number() {{ return {version}; }} }}\n"
        );
        write(repository, &format!("{class}.java"), source);
        javac.arg(format!("{class}.java"));
    }
    run_successfully(javac.current_dir(repository));
}

/// Adds a library to a local repository, with dependencies (`artifact:version`) in its POM.
fn add_library(repository: &Path, artifact: &str, version: &str, needs: &[&str]) {
    let folder = format!("g/{artifact}/{version}");
    let pom = pom_with_dependencies(artifact, version, needs);
    write(repository, &format!("{folder}/{artifact}-{version}.pom"), pom);
    let jar = format!("{folder}/{artifact}-{version}.jar");
    let class = format!("{}.class", artifact.to_uppercase());
    let mut archiver = jdk_tool("jar");
    archiver.args(["-J-XX:TieredStopAtLevel=1", "cf0", &jar, "-C", version, &class]);
    run_successfully(archiver.current_dir(repository));
}

fn pom_with_dependencies(artifact: &str, version: &str, dependencies: &[&str]) -> String {
    let dependency = |coordinates: &&str| {
        let (artifact, version) = coordinates.split_once(':').unwrap();
        format!(
            "    <dependency>\n      <groupId>g</groupId>\n      <artifactId>{artifact}</artifactId>\n      \
             <version>{version}</version>\n    </dependency>\n"
        )
    };
    let dependencies: String = dependencies.iter().map(dependency).collect();
    format!(
        "<project>\n  <modelVersion>4.0.0</modelVersion>\n  <groupId>g</groupId>\n  <artifactId>{artifact}</artifactId>\n  \
         <version>{version}</version>\n  <dependencies>\n{dependencies}  </dependencies>\n</project>\n"
    )
}

/// Returns a local repository: some libraries in versions 1 to 4, whose number is the version.
fn libraries(artifacts: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for version in ["1", "2", "3", "4"] {
        compile_classes(dir.path(), artifacts, version);
        for artifact in artifacts {
            add_library(dir.path(), artifact, version, &[]);
        }
    }
    dir
}

/// Creates a repository whose second commit changes the libraries. The test fails if the condition holds.
fn project(old: &[&str], new: &[&str], failure: &str) -> TempDir {
    let dir = repository();
    let test = format!(
        "class T {{ public static void main(String[] x) {{ if ({failure}) throw new IllegalStateException(); }} }}\n"
    );
    let good = [
        ("pom.xml", pom_with_dependencies("app", "1", old)),
        ("src/main/java/Code.java", "class Code {}\n".to_owned()),
        ("src/test/java/T.java", test),
    ];
    commit(dir.path(), "old libraries", &good);
    commit(dir.path(), "new libraries", &[("pom.xml", pom_with_dependencies("app", "1", new))]);
    dir
}

/// Searches the upgrades of the last commit. Without Maven, the published versions are those on this machine.
fn run_upgrade(dir: &Path, libraries: &Path, with_maven: bool) -> CommandOutput {
    let mut command = program(dir);
    command.env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", libraries.display()));
    let links = tempfile::tempdir().unwrap();
    if !with_maven {
        command.env("PATH", path_without_maven(links.path()));
    }
    command.args(["upgrade", "--good", "HEAD~1", "--test", "T", "--offline", "--model", "files"]);
    run_keeping_repository(dir, command.args(["--format", "json"]))
}

fn fix_patch(dir: &Path) -> String {
    let run = fs::read_dir(dir.join(".git/mend/runs")).unwrap().next().unwrap().unwrap();
    fs::read_to_string(run.path().join("fix.patch")).unwrap()
}

#[test]
fn breaking_upgrade_is_named_with_its_versions_and_the_others_are_kept() {
    let libraries = libraries(&["a", "b", "c"]);
    write(libraries.path(), "g/b/maven-metadata-local.xml", METADATA);
    let dir = project(&["a:1", "b:1", "c:1"], &["a:4", "b:4", "c:4"], "B.number() >= 3");
    let output = run_upgrade(dir.path(), libraries.path(), true);
    output.assert_exit_and_stderr(0, &["searching 3 changed libraries"]);
    let result = output.json();
    let upgrades = result["upgrades"].as_array().unwrap();
    assert_eq!(upgrades.len(), 1, "{result:#}");
    for (key, value) in [("artifact", "g:b"), ("from", "1"), ("to", "4"), ("last_good", "2")] {
        assert_eq!(upgrades[0][key], value);
    }
    assert_eq!(upgrades[0]["first_bad"], "3");
    assert_eq!(upgrades[0]["direct"], true);
    assert_eq!(result["confirmed"]["fresh_build"], true);
    let patch = fix_patch(dir.path());
    let changed: Vec<&str> =
        patch.lines().filter(|line| line.starts_with("-  ") || line.starts_with("+  ")).collect();
    assert_eq!(changed, ["-      <version>4</version>", "+      <version>2</version>"]);
    assert_eq!(result["fix"]["tokens"], 2);
}

#[test]
fn culprit_among_neighbouring_version_properties_is_the_breaking_one() {
    let libraries = libraries(&["b", "c", "d"]);
    let names = ["b", "c", "d"];
    let uses = names.map(|name| format!("{name}:${{{name}.version}}"));
    let pom = pom_with_dependencies("app", "1", &uses.each_ref().map(String::as_str));
    let pom_of = |version: &str| {
        let property = |name: &str| format!("    <{name}.version>{version}</{name}.version>\n");
        let properties = names.map(property).concat();
        let properties = format!("  <properties>\n{properties}  </properties>\n  <dependencies>");
        pom.replace("  <dependencies>", &properties)
    };
    let dir = project(&["b:1"], &[], "C.number() == 4");
    commit(dir.path(), "old versions", &[("pom.xml", pom_of("1"))]);
    commit(dir.path(), "new versions", &[("pom.xml", pom_of("4"))]);
    let mut command = program(dir.path());
    command.env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", libraries.path().display()));
    command.args(["bisect", "--good", "HEAD~1", "--test", "T", "--offline", "--model", "files"]);
    let output = run_keeping_repository(dir.path(), command.args(["--format", "json"]));
    output.assert_exit_and_stderr(0, &[]);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
    let patch = fix_patch(dir.path());
    let is_changed = |line: &&str| {
        line.starts_with(['-', '+']) && !line.starts_with("---") && !line.starts_with("+++")
    };
    let changed: Vec<&str> = patch.lines().filter(is_changed).collect();
    let (removed, added) = ("-    <c.version>4</c.version>", "+    <c.version>1</c.version>");
    assert_eq!(changed, [removed, added]);
}

#[test]
fn upgrades_that_break_the_test_only_together_are_one_culprit_and_independent_ones_are_two() {
    let libraries = libraries(&["a", "b", "c"]);
    let dir = project(
        &["a:1", "b:1", "c:1"],
        &["a:4", "b:4", "c:4"],
        "A.number() >= 3 && B.number() >= 2 || C.number() >= 4",
    );
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    let upgrades = result["upgrades"].as_array().unwrap();
    let mut groups = std::collections::BTreeMap::<u64, Vec<&str>>::new();
    for upgrade in upgrades {
        let group = groups.entry(upgrade["culprit"].as_u64().unwrap()).or_default();
        group.push(upgrade["artifact"].as_str().unwrap());
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(Vec::len);
    assert_eq!(groups, [vec!["g:c"], vec!["g:a", "g:b"]], "{result:#}");
    for (artifact, boundary) in [("g:a", ["2", "3"]), ("g:b", ["1", "2"]), ("g:c", ["3", "4"])] {
        let upgrade = upgrades.iter().find(|upgrade| upgrade["artifact"] == artifact).unwrap();
        assert_eq!([&upgrade["last_good"], &upgrade["first_bad"]], boundary, "{artifact}");
    }
    // One of the two that break the test together is enough.
    assert_eq!(result["fix"]["tokens"], 4, "{}", fix_patch(dir.path()));
}

#[test]
fn dependency_of_a_dependency_is_named_with_the_library_that_needs_it() {
    let libraries = libraries(&["a", "d"]);
    compile_classes(libraries.path(), &["mid"], "1");
    add_library(libraries.path(), "mid", "1", &["d:1"]);
    compile_classes(libraries.path(), &["mid"], "2");
    add_library(libraries.path(), "mid", "2", &["d:4"]);
    let dir = project(&["a:1", "mid:1"], &["a:4", "mid:2"], "D.number() >= 2");
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &["searching 3 changed libraries"]);
    let upgrade = &output.json()["upgrades"][0];
    assert_eq!(upgrade["artifact"], "g:d");
    assert_eq!(upgrade["direct"], false);
    assert_eq!(upgrade["used_by"][0], "mid-2");
    assert_eq!(upgrade["first_bad"], "2");
}

#[test]
fn change_of_the_code_is_no_upgrade() {
    let libraries = libraries(&["a"]);
    let dir = project(&["a:1"], &["a:4"], "Code.NUMBER != 5");
    let code = |number: u32| format!("class Code {{ static final int NUMBER = {number}; }}\n");
    commit(dir.path(), "good", &[("src/main/java/Code.java", code(5))]);
    let new_code = [
        ("src/main/java/Code.java", code(6)),
        ("pom.xml", pom_with_dependencies("app", "1", &["a:3"])),
    ];
    commit(dir.path(), "bad", &new_code);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let result = output.json();
    assert_eq!(result["upgrades"], serde_json::Value::Null);
    let next = result["next_command"].as_str().unwrap();
    assert!(next.starts_with("git mend bisect --good 'HEAD~1' --test T"), "{next}");
}

#[test]
fn upgrade_that_breaks_compilation_is_named() {
    let libraries = libraries(&["a", "b"]);
    // Version 3 of `a` lost its method.
    for version in ["3", "4"] {
        write(libraries.path(), "A.java", "public class A {}\n");
        let arguments = ["--release", "8", "-nowarn", "-d", version, "A.java"];
        run_successfully(jdk_tool("javac").current_dir(libraries.path()).args(arguments));
        add_library(libraries.path(), "a", version, &[]);
    }
    let dir = project(&["a:1", "b:1"], &["a:4", "b:4"], "A.number() + B.number() == 0");
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(
        0,
        &["symptom: the sources do not compile: T.java: cannot find symbol"],
    );
    let upgrade = &output.json()["upgrades"][0];
    assert_eq!(upgrade["artifact"], "g:a");
    assert_eq!((&upgrade["last_good"], &upgrade["first_bad"]), (&"2".into(), &"3".into()));
    assert_eq!(output.json()["confirmed"]["fresh_build"], true);
}

#[test]
fn missing_good_version_or_test_is_explained() {
    let dir = repository();
    let run = |arguments: &[&str]| run_mend(dir.path(), arguments);
    for good in [&["upgrade", "--test", "T"][..], &["upgrade", "--good", "auto", "--test", "T"]] {
        let words = ["error: upgrades need a known good version", "help: add `--good REV`"];
        run(good).assert_exit_and_stderr(2, &words);
    }
    let words = ["error: no test given", "help: add `--test pkg.Class#method`\n"];
    run(&["upgrade", "--good", "HEAD"]).assert_exit_and_stderr(2, &words);
}
