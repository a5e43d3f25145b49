//! `git mend upgrade` on plugins and versions of Java, and on edits of build files that are hard to make.

use crate::maven::{add_generator, local_repository};
use crate::support::{
    CommandOutput, commit, jdk_tool, program, repository, run_keeping_repository, run_successfully,
    write,
};
use crate::upgrade::{
    add_library, compile_classes, fix_patch, libraries, library_repository, pom_with_dependencies,
    project as library_project, run_upgrade, run_upgrade_with,
};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// A class whose methods the compiler extends before Java 11: nested classes then use private methods by hidden ones.
const NESTED: &str = "class Code {\n    private static int secret() {\n        return 1;\n    }\n\n    \
    static class Inner {\n        int get() {\n            return secret();\n        }\n    }\n}\n";

/// A test that needs the hidden method.
const HIDDEN_METHOD_TEST: &str = "class T { public static void main(String[] x) {\n\
    if (Code.class.getDeclaredMethods().length != 2) throw new IllegalStateException(); } }\n";

/// Returns a POM with properties, a dependency on the library `a`, and more elements.
pub(crate) fn pom(properties: &str, version: &str, more: &str) -> String {
    let pom = pom_with_dependencies("app", "1", &[&format!("a:{version}")]);
    let head = format!("  <properties>\n{properties}  </properties>\n{more}  <dependencies>");
    pom.replacen("  <dependencies>", &head, 1)
}

fn release(version: &str) -> String {
    format!("    <maven.compiler.release>{version}</maven.compiler.release>\n")
}

/// Creates a repository whose second commit changes the POM.
pub(crate) fn project(poms: [String; 2], code: &str, test: &str) -> TempDir {
    let dir = repository();
    let [old, new] = poms;
    let good = [
        ("pom.xml", old),
        ("src/main/java/Code.java", code.to_owned()),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "old versions", &good);
    commit(dir.path(), "new versions", &[("pom.xml", new)]);
    dir
}

pub(crate) fn changed_lines(patch: &str) -> Vec<&str> {
    patch.lines().filter(|line| line.starts_with("-  ") || line.starts_with("+  ")).collect()
}

pub(crate) fn upgrades(output: &CommandOutput) -> Value {
    let upgrades = output.json()["upgrades"].clone();
    let keys = ["artifact", "kind", "from", "to", "last_good", "first_bad", "direct"];
    let row = |one: &Value| keys.iter().map(|key| one[key].clone()).collect::<Vec<_>>();
    upgrades.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn new_java_version_is_an_upgrade_with_a_last_version_that_passes() {
    let libraries = libraries(&["a"]);
    let poms = [pom(&release("8"), "1", ""), pom(&release("17"), "4", "")];
    let dir = project(poms, NESTED, HIDDEN_METHOD_TEST);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &["searching 1 changed library, 1 changed Java version"]);
    assert_eq!(upgrades(&output), json!([["Java", "java", "8", "17", "10", "11", true]]));
    let message = output.json()["message"].as_str().unwrap().to_owned();
    for part in ["Java 8 → 17 breaks the tests: 10 passes, 11 fails", "keeps 1 of 2 upgrades"] {
        assert!(message.contains(part), "{message}");
    }
    let patch = fix_patch(dir.path());
    let lines = [release("17"), release("10")];
    assert_eq!(
        changed_lines(&patch),
        [format!("-{}", lines[0].trim_end()), format!("+{}", lines[1].trim_end())]
    );
}

#[test]
fn fix_lowers_source_and_target_together() {
    let libraries = libraries(&["a"]);
    let levels = |version: &str| {
        format!(
            "    <maven.compiler.source>{version}</maven.compiler.source>\n    \
             <maven.compiler.target>{version}</maven.compiler.target>\n"
        )
    };
    let poms = [pom(&levels("1.8"), "1", ""), pom(&levels("11"), "4", "")];
    let dir = project(poms, NESTED, HIDDEN_METHOD_TEST);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &[]);
    assert_eq!(upgrades(&output), json!([["Java", "java", "8", "11", "10", "11", true]]));
    let patch = fix_patch(dir.path());
    let added: Vec<&str> =
        changed_lines(&patch).into_iter().filter(|line| line.starts_with('+')).collect();
    assert_eq!(added.len(), 2, "{patch}");
    assert!(added.iter().all(|line| line.contains(">10<")), "{patch}");
}

#[test]
fn java_versions_that_this_jdk_does_not_know_are_noted() {
    let libraries = libraries(&["a"]);
    let poms = [pom(&release("198"), "1", ""), pom(&release("199"), "4", "")];
    let test = "class T { public static void main(String[] x) { if (A.number() >= 3) throw new IllegalStateException(); } }\n";
    let dir = project(poms, NESTED, test);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &["searching 1 changed library\n"]);
    assert_eq!(output.json()["upgrades"][0]["artifact"], "g:a");
    let notes = output.json()["not_checked"].to_string();
    assert!(notes.contains("Java 198 → 199: this JDK compiles for Java "), "{notes}");
}

#[test]
fn first_version_that_fails_may_have_another_message() {
    let libraries = libraries(&["a"]);
    let poms = [pom("", "1", ""), pom("", "4", "")];
    let test = "class T { public static void main(String[] x) { if (A.number() >= 3)\n\
        throw new IllegalStateException(A.number() == 3 ? \"strict mode\" : \"not a possible value\"); } }\n";
    let dir = project(poms, NESTED, test);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &[]);
    assert_eq!(upgrades(&output), json!([["g:a", "library", "1", "4", "2", "3", true]]));
    assert_eq!(output.json()["upgrades"][0]["other_message"], true);
    let message = output.json()["message"].as_str().unwrap().to_owned();
    let boundary = "g:a 1 → 4 breaks the tests: 2 passes, 3 fails with another message than 4;";
    assert!(message.contains(boundary), "{message}");
}

#[test]
fn library_is_found_although_new_code_needs_the_new_java_version() {
    let libraries = libraries(&["a"]);
    for version in ["1", "2"] {
        let class = format!(
            "public class A {{\n    public static int number() {{ return {version}; }}\n    \
             public static int legacy() {{ return 1; }}\n}}\n"
        );
        write(libraries.path(), "A.java", class);
        let arguments = ["--release", "8", "-nowarn", "-d", version, "A.java"];
        run_successfully(jdk_tool("javac").current_dir(libraries.path()).args(arguments));
        add_library(libraries.path(), "a", version, &[]);
    }
    let dir = repository();
    let test = "class T { public static void main(String[] x) {\n\
        if (A.number() >= 3) throw new IllegalStateException(); } }\n";
    let old_code = "class Code {\n    int legacy() {\n        return A.legacy();\n    }\n}\n";
    let new_code = "class Code {\n    record Item(int number) {\n    }\n}\n";
    let good = [
        ("pom.xml", pom(&release("8"), "1", "")),
        ("src/main/java/Code.java", old_code.to_owned()),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "old versions", &good);
    let bad = [
        ("pom.xml", pom(&release("17"), "4", "")),
        ("src/main/java/Code.java", new_code.to_owned()),
    ];
    commit(dir.path(), "new versions", &bad);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &[]);
    assert_eq!(upgrades(&output), json!([["g:a", "library", "1", "4", "2", "3", true]]));
    let notes = output.json()["not_checked"].to_string();
    assert!(
        notes.contains("(Java 8 → 17): bad does not pass with all versions of good"),
        "{notes}"
    );
}

/// Returns a build section with a version of the generator.
pub(crate) fn generator(version: &str) -> String {
    format!(
        "  <build>\n    <plugins>\n      <plugin>\n        <groupId>demo</groupId>\n        \
         <artifactId>gen-maven-plugin</artifactId>\n        <version>{version}</version>\n        <executions>\n          \
         <execution>\n            <goals>\n              <goal>generate</goal>\n            </goals>\n          \
         </execution>\n        </executions>\n      </plugin>\n    </plugins>\n  </build>\n"
    )
}

fn run_with_maven(dir: &Path, libraries: &Path) -> CommandOutput {
    let mut command = program(dir);
    command.env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", libraries.display()));
    command.args(["upgrade", "--good", "HEAD~1", "--test", "T", "--offline", "--model", "tool"]);
    run_keeping_repository(dir, command.args(["--format", "json"]))
}

#[test]
fn new_version_of_a_code_generator_is_an_upgrade_among_libraries() {
    let Some(libraries) = local_repository() else { return };
    for version in ["1", "2", "3", "4"] {
        add_generator(libraries.path(), version);
        compile_classes(libraries.path(), &["a"], version);
        add_library(libraries.path(), "a", version, &[]);
    }
    let poms = [pom("", "1", &generator("1")), pom("", "4", &generator("4"))];
    let test = "class T { public static void main(String[] x) {\n\
        if (gen.Generated.VALUE + A.number() >= 15) throw new IllegalStateException(); } }\n";
    let dir = repository();
    let [old, new] = poms;
    let good = [
        ("pom.xml", old),
        ("src/gen/value.txt", "5\n".to_owned()),
        ("src/main/java/Code.java", "class Code {}\n".to_owned()),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "old versions", &good);
    commit(dir.path(), "new versions", &[("pom.xml", new)]);
    let output = run_with_maven(dir.path(), libraries.path());
    output.assert_exit_and_stderr(0, &["searching 1 changed library, 1 changed plugin"]);
    let expected = ["demo:gen-maven-plugin", "plugin", "1", "4", "2", "3"];
    let expected: Vec<Value> =
        expected.iter().map(|word| json!(word)).chain([json!(true)]).collect();
    assert_eq!(upgrades(&output), json!([expected]));
    let patch = fix_patch(dir.path());
    let lines = ["-        <version>4</version>", "+        <version>2</version>"];
    assert_eq!(changed_lines(&patch), lines);
    let message = output.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("the fix keeps 1 of 2 upgrades"), "{message}");
}

#[test]
fn pin_whose_dependencies_break_the_test_is_replaced_by_an_older_version() {
    let libraries = libraries(&["a", "d"]);
    // In this order: the version of `d` that comes with version 2 of `b` breaks the test, too.
    for version in ["1", "2", "3", "4"] {
        compile_classes(libraries.path(), &["b"], version);
        add_library(libraries.path(), "b", version, &[&format!("d:{version}")]);
    }
    let failure = "B.number() >= 3 || D.number() == 2";
    let dir = library_project(&["a:1", "b:1"], &["a:4", "b:4"], failure);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    assert_eq!(result["upgrades"][0]["artifact"], "g:b", "{result:#}");
    assert_eq!(result["upgrades"][0]["last_good"], "2");
    assert_eq!(result["confirmed"]["fresh_build"], true);
    let patch = fix_patch(dir.path());
    let lines = ["-      <version>4</version>", "+      <version>1</version>"];
    assert_eq!(changed_lines(&patch), lines);
    assert!(!result["not_checked"].to_string().contains("do not pass with it"), "{result:#}");
}

#[test]
fn history_of_a_library_is_searched_with_the_other_libraries_of_its_versions() {
    let libraries = libraries(&["a", "b"]);
    for (version, needed) in [("1", "b:1"), ("2", "b:2"), ("3", "b:4")] {
        compile_classes(libraries.path(), &["mid"], version);
        add_library(libraries.path(), "mid", version, &[needed]);
    }
    let sources = library_repository();
    // A new `mid` does not work with an old `b`.
    let failure = "(MID.number() > B.number() ? 1 / (MID.number() * 0) : B.number()) >= 3";
    let dir = library_project(&["a:1", "mid:1"], &["a:4", "mid:3"], failure);
    let source = format!("g:b={}", sources.path().display());
    let arguments = ["--library-source", &source];
    let output = run_upgrade_with(dir.path(), libraries.path(), false, &arguments);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    let history = &result["upgrades"][0]["library_history"];
    assert_eq!(history["culprit_info"]["summary"], "count on", "{result:#}");
}
