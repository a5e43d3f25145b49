//! `git mend upgrade` on versions that come from a parent POM outside the repository or from a bill of materials.

use crate::build_upgrades::project;
use crate::support::write;
use crate::upgrade::{fix_patch, libraries, run_upgrade};
use std::path::Path;
use tempfile::TempDir;

fn dependency(artifact: &str, more: &str) -> String {
    format!(
        "<dependency><groupId>g</groupId><artifactId>{artifact}</artifactId>{more}</dependency>"
    )
}

/// Adds a POM with managed versions of `a` and `b` to a local repository.
fn add_pom(repository: &Path, artifact: &str, version: &str, properties: &str, managed: [&str; 2]) {
    let [a, b] = managed.map(|version| format!("<version>{version}</version>"));
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>{artifact}</artifactId>\
         <version>{version}</version><packaging>pom</packaging><properties>{properties}</properties>\
         <dependencyManagement><dependencies>{}{}</dependencies></dependencyManagement></project>",
        dependency("a", &a),
        dependency("b", &b)
    );
    write(repository, &format!("g/{artifact}/{version}/{artifact}-{version}.pom"), pom);
}

/// Returns a POM that uses `a` and `b` without versions, with a section before the dependencies.
fn child_pom(section: &str) -> String {
    format!(
        "<project>\n  <modelVersion>4.0.0</modelVersion>\n{section}  <artifactId>app</artifactId>\n  \
         <version>1.0</version>\n  <dependencies>\n    {}\n    {}\n  </dependencies>\n</project>\n",
        dependency("a", ""),
        dependency("b", "")
    )
}

fn with_parent(version: &str) -> String {
    child_pom(&format!(
        "  <parent>\n    <groupId>g</groupId>\n    <artifactId>parent</artifactId>\n    \
         <version>{version}</version>\n  </parent>\n"
    ))
}

/// Creates a repository whose second commit changes the POM. The test fails from version 3 of `b` on.
fn project_with_two_libraries(poms: [String; 2]) -> TempDir {
    let test = "class T { public static void main(String[] x) {\n\
        if (B.number() + A.number() * 0 >= 3) throw new IllegalStateException(); } }\n";
    project(poms, "class Code {}\n", test)
}

/// Searches the upgrades and returns the added lines of the fix, which removes none, and the message.
fn find_added_lines(dir: &TempDir, libraries: &TempDir) -> (Vec<String>, String) {
    let output = run_upgrade(dir.path(), libraries.path(), false);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    assert_eq!(result["confirmed"]["fresh_build"], true, "{result:#}");
    let patch = fix_patch(dir.path());
    assert!(!patch.lines().any(|line| line.starts_with("-  ")), "{patch}");
    let added = patch.lines().filter_map(|line| line.strip_prefix("+  "));
    let added = added.map(|line| line.trim().to_owned()).collect();
    (added, result["message"].as_str().unwrap().to_owned())
}

#[test]
fn version_property_of_a_parent_is_overridden() {
    let libraries = libraries(&["a", "b"]);
    // Lowering the parent to version 2 would change both libraries.
    for version in ["1", "2", "4"] {
        let property = format!("<b.version>{version}</b.version>");
        add_pom(libraries.path(), "parent", version, &property, [version, "${b.version}"]);
    }
    let dir = project_with_two_libraries([with_parent("1"), with_parent("4")]);
    let (added, message) = find_added_lines(&dir, &libraries);
    assert_eq!(added, ["<properties>", "<b.version>2</b.version>", "</properties>"]);
    assert!(message.contains("the fix keeps 1 of 2 upgrades"), "{message}");
}

#[test]
fn version_that_a_parent_manages_without_a_property_is_managed_by_the_pom_itself() {
    let libraries = libraries(&["a", "b"]);
    for version in ["1", "2", "4"] {
        add_pom(libraries.path(), "parent", version, "", [version, version]);
    }
    let dir = project_with_two_libraries([with_parent("1"), with_parent("4")]);
    let (added, message) = find_added_lines(&dir, &libraries);
    assert_eq!(added[0], "<dependencyManagement>");
    assert!(added.contains(&"<artifactId>b</artifactId>".to_owned()), "{added:?}");
    assert!(added.contains(&"<version>2</version>".to_owned()), "{added:?}");
    assert!(message.contains("the fix keeps 1 of 2 upgrades"), "{message}");
}

#[test]
fn version_of_an_imported_bill_of_materials_is_managed_by_the_pom_itself() {
    let libraries = libraries(&["a", "b"]);
    let import = |version: &str| {
        let more = format!("<version>{version}</version><type>pom</type><scope>import</scope>");
        let bill = dependency("bill", &more);
        child_pom(&format!(
            "  <groupId>g</groupId>\n  <dependencyManagement>\n    <dependencies>\n      {bill}\n    \
             </dependencies>\n  </dependencyManagement>\n"
        ))
    };
    add_pom(libraries.path(), "bill", "10", "", ["1", "1"]);
    add_pom(libraries.path(), "bill", "40", "<b.version>4</b.version>", ["4", "${b.version}"]);
    let dir = project_with_two_libraries([import("10"), import("40")]);
    let (added, message) = find_added_lines(&dir, &libraries);
    let expected = ["<groupId>g</groupId>", "<artifactId>b</artifactId>", "<version>2</version>"];
    assert_eq!(added, [&["<dependency>"][..], &expected, &["</dependency>"]].concat());
    assert!(message.contains("the fix keeps 1 of 2 upgrades"), "{message}");
}

#[test]
fn java_version_of_a_parent_is_overridden() {
    let libraries = libraries(&["a", "b"]);
    for (parent, version) in [("1", "8"), ("4", "17")] {
        let properties = format!("<maven.compiler.release>{version}</maven.compiler.release>");
        add_pom(libraries.path(), "parent", parent, &properties, [parent, parent]);
    }
    let code = "class Code {\n    private static int secret() {\n        return 1;\n    }\n\n    \
        static class Inner {\n        int get() {\n            return secret();\n        }\n    }\n}\n";
    let test = "class T { public static void main(String[] x) {\n\
        if (Code.class.getDeclaredMethods().length != 2) throw new IllegalStateException(); } }\n";
    let dir = project([with_parent("1"), with_parent("4")], code, test);
    let (added, message) = find_added_lines(&dir, &libraries);
    let property = "<maven.compiler.release>10</maven.compiler.release>";
    assert_eq!(added, ["<properties>", property, "</properties>"]);
    assert!(message.contains("the fix keeps 2 of 3 upgrades"), "{message}");
}
