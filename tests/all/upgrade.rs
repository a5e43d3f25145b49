//! `git mend upgrade`: library upgrades that break a test, with a local repository of our own libraries.

use crate::support::{
    CommandOutput, RepositorySnapshot, assert_report_contains, commit, git, jdk_tool,
    path_without_maven, program, repository, run_folder, run_keeping_repository, run_mend,
    run_successfully, write,
};
use serde_json::json;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Versions of a library as Maven keeps them.
const METADATA: &str = "<metadata><groupId>g</groupId><artifactId>b</artifactId><versioning><versions>\
    <version>1</version><version>2</version><version>3</version><version>4</version></versions></versioning></metadata>";

/// Compiles a class with one number for each artifact of a version.
pub(crate) fn compile_classes(repository: &Path, artifacts: &[&str], version: &str) {
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
pub(crate) fn add_library(repository: &Path, artifact: &str, version: &str, needs: &[&str]) {
    let folder = format!("g/{artifact}/{version}");
    let pom = pom_with_dependencies(artifact, version, needs);
    write(repository, &format!("{folder}/{artifact}-{version}.pom"), pom);
    let jar = format!("{folder}/{artifact}-{version}.jar");
    let class = format!("{}.class", artifact.to_uppercase());
    let mut archiver = jdk_tool("jar");
    archiver.args(["-J-XX:TieredStopAtLevel=1", "cf0", &jar, "-C", version, &class]);
    run_successfully(archiver.current_dir(repository));
}

pub(crate) fn pom_with_dependencies(
    artifact: &str,
    version: &str,
    dependencies: &[&str],
) -> String {
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
pub(crate) fn libraries(artifacts: &[&str]) -> TempDir {
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
pub(crate) fn project(old: &[&str], new: &[&str], failure: &str) -> TempDir {
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
pub(crate) fn run_upgrade(dir: &Path, libraries: &Path, with_maven: bool) -> CommandOutput {
    run_upgrade_with(dir, libraries, with_maven, &[])
}

pub(crate) fn run_upgrade_with(
    dir: &Path,
    libraries: &Path,
    with_maven: bool,
    arguments: &[&str],
) -> CommandOutput {
    let mut command = program(dir);
    command.env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", libraries.display()));
    let links = tempfile::tempdir().unwrap();
    if !with_maven {
        command.env("PATH", path_without_maven(links.path()));
    }
    command.args(["upgrade", "--good", "HEAD~1", "--test", "T", "--offline", "--model", "files"]);
    run_keeping_repository(dir, command.args(["--format", "json"]).args(arguments))
}

/// Creates the repository of the library `b`, whose number is its version. Version 3 has several commits, one of them
/// with broken sources.
pub(crate) fn library_repository() -> TempDir {
    let dir = repository();
    let code = |number: u32, more: &str| {
        let text = format!(
            "public class B {{\n    public static int number() {{\n        return {number};\n    }}\n{more}}}\n"
        );
        ("src/main/java/B.java", text)
    };
    let release = |version: &str, files: &[(&str, String)]| {
        let pom = pom_with_dependencies("b", version, &[]);
        commit(dir.path(), &format!("release {version}"), &[files, &[("pom.xml", pom)]].concat());
        git(dir.path(), &["tag", &format!("rel/b-{version}")]);
    };
    let helper = |body: &str| ("src/main/java/Helper.java", format!("class Helper {{ {body} }}\n"));
    let more = "    static void more() {\n        number();\n    }\n";
    release("1", &[code(1, "")]);
    release("2", &[code(2, "")]);
    commit(dir.path(), "describe", &[("README", "text")]);
    commit(dir.path(), "begin a helper", &[helper("int x = y;")]);
    commit(dir.path(), "finish the helper", &[helper("int x = 1;")]);
    let tested = ("src/test/java/BTest.java", "class BTest {}\n".to_owned());
    commit(dir.path(), "count on", &[code(3, more), tested]);
    release("3", &[]);
    release("4", &[code(4, more)]);
    git(dir.path(), &["remote", "add", "origin", "git@github.com:acme/b.git"]);
    dir
}

pub(crate) fn fix_patch(dir: &Path) -> String {
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
    // The library that needs it is still raised.
    let patch = fix_patch(dir.path());
    for line in ["+  <dependencyManagement>", "+        <artifactId>d</artifactId>"] {
        assert!(patch.contains(line), "{patch}");
    }
    assert!(!patch.lines().any(|line| line.starts_with("-  ")), "{patch}");
    assert!(output.json()["message"].as_str().unwrap().contains("the fix keeps 2 of 3 upgrades"));
}

#[test]
fn library_that_a_breaking_upgrade_needs_is_no_part_of_the_culprit() {
    let libraries = libraries(&["a"]);
    for (version, needed) in [("1", "e:1"), ("2", "e:2")] {
        compile_classes(libraries.path(), &["e", "mid"], version);
        add_library(libraries.path(), "e", version, &[]);
        add_library(libraries.path(), "mid", version, &[needed]);
    }
    let failure = "(MID.number() > E.number() ? 1 / (MID.number() * 0) : MID.number()) == 2";
    let dir = project(&["a:1", "mid:1"], &["a:4", "mid:2"], failure);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    let upgrades = result["upgrades"].as_array().unwrap();
    assert_eq!(upgrades.len(), 1, "{result:#}");
    assert_eq!(upgrades[0]["artifact"], "g:mid");
    assert_eq!(upgrades[0]["needs"], json!(["g:e"]));
    let message = result["message"].as_str().unwrap();
    assert!(message.contains("g:mid needs g:e 1 → 2"), "{message}");
}

#[test]
fn library_without_which_the_others_of_bad_do_not_work_is_tested_with_those_of_good() {
    let libraries = libraries(&["a", "d"]);
    for (version, needed) in [("1", "d:1"), ("2", "d:2"), ("3", "d:4")] {
        compile_classes(libraries.path(), &["mid"], version);
        add_library(libraries.path(), "mid", version, &[needed]);
    }
    // A new `mid` does not work with an old `d`.
    let failure = "(MID.number() > D.number() ? 1 / (MID.number() * 0) : D.number()) >= 3";
    let dir = project(&["a:1", "mid:1"], &["a:4", "mid:3"], failure);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    let upgrades = result["upgrades"].as_array().unwrap();
    assert_eq!(upgrades.len(), 1, "{result:#}");
    assert_eq!(upgrades[0]["artifact"], "g:d");
    assert_eq!([&upgrades[0]["last_good"], &upgrades[0]["first_bad"]], ["2", "3"]);
    let message = result["message"].as_str().unwrap();
    assert!(message.contains("2 passes, 3 fails with the other libraries of good"), "{message}");
    // The last version of the library that needs it with which the test passes.
    let patch = fix_patch(dir.path());
    assert!(patch.contains("-      <version>3</version>\n+      <version>2</version>"), "{patch}");
    assert!(message.contains("the fix keeps 1 of 3 upgrades"), "{message}");
}

#[test]
fn history_of_a_library_is_searched_for_the_commit_that_breaks_the_test() {
    let libraries = libraries(&["a", "b"]);
    let sources = library_repository();
    let dir = project(&["a:1", "b:1"], &["a:4", "b:4"], "B.number() >= 3");
    let before = RepositorySnapshot::take(sources.path());
    let source = format!("g:b={}", sources.path().display());
    let arguments = ["--library-source", &source];
    let output = run_upgrade_with(dir.path(), libraries.path(), false, &arguments);
    let stages = ["searching the history of g:b between rel/b-2 and rel/b-3"];
    output.assert_exit_and_stderr(0, &stages);
    let result = output.json();
    let history = &result["upgrades"][0]["library_history"];
    let id = |revision: &str| git(sources.path(), &["rev-parse", revision]).trim().to_owned();
    let culprit = id("rel/b-3~1");
    assert_eq!(history["culprit_commit"], culprit, "{result:#}");
    assert_eq!(history["culprit_info"]["summary"], "count on");
    assert_eq!(history["link"], format!("https://github.com/acme/b/commit/{culprit}"));
    assert_eq!(history["skipped"], serde_json::json!([id("rel/b-3~3").as_str()]));
    assert_eq!(history["culprit"]["tokens"], 2);
    assert_eq!(history["culprit"]["files"], serde_json::json!(["src/main/java/B.java"]));
    let folder = run_folder(dir.path()).join(history["run_folder"].as_str().unwrap());
    let patch = fs::read_to_string(folder.join("culprit.patch")).unwrap();
    assert!(patch.contains("-        return 2;\n+        return 3;\n"), "{patch}");
    let messages = result["message"].as_str().unwrap();
    let short = &culprit[..7];
    assert!(messages.contains(&format!("culprit commit of g:b: {short}")), "{messages}");
    assert!(messages.contains("minimal culprit of g:b: 2 tokens in src/main/java/B.java"));
    before.assert_unchanged(sources.path());
    assert!(!sources.path().join(".git/mend/runs").exists());
    assert_report_contains(dir.path(), &["culprit commit of g:b", "count on"]);
}

#[test]
fn library_without_a_tag_or_without_a_break_is_noted_with_a_remedy() {
    let libraries = libraries(&["a", "b"]);
    let sources = library_repository();
    git(sources.path(), &["tag", "-d", "rel/b-3"]);
    let dir = project(&["a:1", "b:1"], &["a:4", "b:4"], "B.number() >= 3");
    let sources = sources.path().display();
    let of = |library: &str| format!("g:{library}={sources}");
    let arguments = ["--library-source", &of("b"), "--library-source", &of("a")];
    let output = run_upgrade_with(dir.path(), libraries.path(), false, &arguments);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    let notes = result["not_checked"].to_string();
    assert!(notes.contains("history of g:b: no tag names version 3"), "{notes}");
    assert!(notes.contains("`git tag b-3 COMMIT`"), "{notes}");
    assert!(notes.contains("history of g:a: it does not break the tests"), "{notes}");
    assert_eq!(result["upgrades"][0]["first_bad"], "3");
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
    let words = ["error: upgrades need a good version", "help: add `--good REV`"];
    run(&["upgrade", "--test", "T"]).assert_exit_and_stderr(2, &words);
    let words = ["error: no test given", "help: add `--test pkg.Class#method`\n"];
    run(&["upgrade", "--good", "HEAD"]).assert_exit_and_stderr(2, &words);
    let upgrade = ["upgrade", "--good", "HEAD", "--test", "T", "--library-source"];
    let run_with_source = |source: &str| run(&[&upgrade[..], &[source]].concat());
    run_with_source("g:a:1=x")
        .assert_exit_and_stderr(2, &["GROUP:ARTIFACT=DIR, without a version"]);
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    run_with_source("g:a=empty").assert_exit_and_stderr(2, &["empty is not a repository, but a"]);
    run_with_source("g:a=gone").assert_exit_and_stderr(2, &["gone is not inside a git repository"]);
    let source = format!("g:a={}", folder.path().display());
    run_with_source(&source).assert_exit_and_stderr(
        2,
        &["--library-source: ", "is not inside a git repository", "help: clone the library"],
    );
}
