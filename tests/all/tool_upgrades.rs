//! `git mend upgrade` on annotation processors, plugins of Gradle, and plugins from repositories of their own.

use crate::build_upgrades::{changed_lines, generator, pom, project, upgrades};
use crate::gradle::has_gradle;
use crate::maven::{add_generator, local_repository};
use crate::projects::{MAKER_SOURCE, add_processor};
use crate::support::{
    CommandOutput, commit, jdk_tool, program, repository, run_keeping_repository, run_successfully,
    write,
};
use crate::upgrade::{add_library, compile_classes, fix_patch, libraries, run_upgrade};
use serde_json::json;
use std::path::Path;

#[test]
fn processor_on_a_path_of_its_own_is_an_upgrade() {
    let libraries = libraries(&["a"]);
    for version in ["1", "2", "3", "4"] {
        let number = "processingEnv.getOptions().get(\"number\")";
        let source = MAKER_SOURCE.replace(number, &format!("\"{version}\""));
        add_processor(libraries.path(), version, &source);
    }
    let build = |version: &str| {
        format!(
            "  <build>\n    <plugins>\n      <plugin>\n        <artifactId>maven-compiler-plugin</artifactId>\n        \
             <configuration>\n          <annotationProcessorPaths>\n            <path>\n              \
             <groupId>p</groupId>\n              <artifactId>maker</artifactId>\n              \
             <version>{version}</version>\n            </path>\n          </annotationProcessorPaths>\n        \
             </configuration>\n      </plugin>\n    </plugins>\n  </build>\n"
        )
    };
    let test = "class T { public static void main(String[] x) {\n\
        if (made.Made.number() >= 3) throw new IllegalStateException(); } }\n";
    let poms = [pom("", "1", &build("1")), pom("", "4", &build("4"))];
    let dir = project(poms, "class Code {}\n", test);
    let output = run_upgrade(dir.path(), libraries.path(), false);
    let counts = "searching 1 changed library, 1 changed annotation processor";
    output.assert_exit_and_stderr(0, &[counts]);
    assert_eq!(upgrades(&output), json!([["p:maker", "processor", "1", "4", "2", "3", true]]));
    let lines = ["-              <version>4</version>", "+              <version>2</version>"];
    assert_eq!(changed_lines(&fix_patch(dir.path())), lines);
}

/// A plugin of Gradle that sets a property of the project to its version.
fn add_gradle_plugin(repository: &Path, version: &str) {
    let source = format!(
        "package demo; import org.gradle.api.*; public class Gen implements Plugin<Project> {{\n\
         public void apply(Project p) {{ p.getExtensions().getExtraProperties().set(\"gen\", {version}); }} }}\n"
    );
    write(repository, "Gen.java", source);
    let properties = "gen/META-INF/gradle-plugins/demo.gen.properties";
    write(repository, properties, "implementation-class=demo.Gen\n");
    let mut javac = jdk_tool("javac");
    javac.args(["--release", "8", "-nowarn", "-proc:none", "-d", "gen", "-cp"]);
    let class_path = "/usr/share/gradle/lib/*:/usr/share/java/groovy.jar";
    run_successfully(javac.current_dir(repository).args([class_path, "Gen.java"]));
    let pom = |group: &str, artifact: &str, more: &str| {
        let pom = format!(
            "<project><modelVersion>4.0.0</modelVersion><groupId>{group}</groupId>\
             <artifactId>{artifact}</artifactId><version>{version}</version>{more}</project>"
        );
        let folder = format!("{}/{artifact}/{version}", group.replace('.', "/"));
        write(repository, &format!("{folder}/{artifact}-{version}.pom"), pom);
    };
    pom("demo", "gen", "");
    let library = format!(
        "<packaging>pom</packaging><dependencies><dependency><groupId>demo</groupId>\
         <artifactId>gen</artifactId><version>{version}</version></dependency></dependencies>"
    );
    pom("demo.gen", "demo.gen.gradle.plugin", &library);
    let jar = format!("demo/gen/{version}/gen-{version}.jar");
    let mut archiver = jdk_tool("jar");
    run_successfully(archiver.current_dir(repository).args(["cf", &jar, "-C", "gen", "."]));
}

#[test]
fn plugin_of_gradle_is_an_upgrade() {
    if !has_gradle() {
        return;
    }
    let libraries = libraries(&["a"]);
    for version in ["1", "2", "3", "4"] {
        add_gradle_plugin(libraries.path(), version);
    }
    let url = libraries.path().display();
    let script = |version: &str| {
        let script = format!(
            "buildscript {{\n    repositories {{ maven {{ url '{url}' }} }}\n    \
             dependencies {{ classpath 'g:a:{version}' }}\n}}\n\
             plugins {{\n    id 'java'\n    id 'demo.gen' version '{version}'\n}}\n\
             test.systemProperty 'sum', gen + 10 * A.number()\n"
        );
        ("build.gradle", script)
    };
    let test = "class T { public static void main(String[] x) {\n\
        if (Integer.getInteger(\"sum\") % 10 >= 3) throw new IllegalStateException(); } }\n";
    let settings = format!("pluginManagement {{ repositories {{ maven {{ url '{url}' }} }} }}\n");
    let dir = repository();
    let good = [
        script("1"),
        ("settings.gradle", settings),
        ("src/main/java/Code.java", "class Code {}\n".to_owned()),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "old versions", &good);
    commit(dir.path(), "new versions", &[script("4")]);
    let mut command = program(dir.path());
    command.env("MAVEN_OPTS", format!("-Dmaven.repo.local={url}"));
    command.env("GRADLE_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    command.args(["upgrade", "--good", "HEAD~1", "--test", "T", "--offline", "--model", "tool"]);
    let output = run_keeping_repository(dir.path(), command.args(["--format", "json"]));
    output.assert_exit_and_stderr(0, &["searching 2 changed plugins"]);
    assert_eq!(upgrades(&output), json!([["demo.gen", "plugin", "1", "4", "2", "3", true]]));
    let lines = ["-    id 'demo.gen' version '4'", "+    id 'demo.gen' version '2'"];
    assert_eq!(changed_lines(&fix_patch(dir.path())), lines);
    let message = output.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("the fix keeps 1 of 2 upgrades"), "{message}");
}

/// Searches the upgrades with Maven. Offline, it may read repositories in folders of this machine.
fn run_with_repositories(dir: &Path, libraries: &Path) -> CommandOutput {
    let options =
        format!("-Dmaven.repo.local={} -Daether.offline.protocols=file", libraries.display());
    let mut command = program(dir);
    command.env("MAVEN_OPTS", options);
    command.args(["upgrade", "--good", "HEAD~1", "--test", "T", "--offline", "--model", "tool"]);
    run_keeping_repository(dir, command.args(["--format", "json"]))
}

#[test]
fn published_versions_of_a_plugin_come_from_the_repositories_of_plugins() {
    let Some(libraries) = local_repository() else { return };
    let published = tempfile::tempdir().unwrap();
    for version in ["1", "2", "3", "4"] {
        add_generator(published.path(), version);
        compile_classes(libraries.path(), &["a"], version);
        add_library(libraries.path(), "a", version, &[]);
    }
    add_generator(libraries.path(), "4");
    let metadata = "<metadata><groupId>demo</groupId><artifactId>gen-maven-plugin</artifactId><versioning><versions>\
        <version>1</version><version>2</version><version>3</version><version>4</version></versions></versioning></metadata>";
    write(published.path(), "demo/gen-maven-plugin/maven-metadata.xml", metadata);
    let repositories = format!(
        "  <pluginRepositories>\n    <pluginRepository>\n      <id>own</id>\n      <url>file://{}</url>\n    \
         </pluginRepository>\n  </pluginRepositories>\n",
        published.path().display()
    );
    let pom_of = |version: &str| pom("", version, &format!("{repositories}{}", generator(version)));
    let test = "class T { public static void main(String[] x) {\n\
        if (gen.Generated.VALUE >= 15) throw new IllegalStateException(); } }\n";
    let dir = repository();
    let good = [
        ("pom.xml", pom_of("1")),
        ("src/gen/value.txt", "5\n".to_owned()),
        ("src/main/java/Code.java", "class Code {}\n".to_owned()),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "old versions", &good);
    commit(dir.path(), "new versions", &[("pom.xml", pom_of("4"))]);
    let output = run_with_repositories(dir.path(), libraries.path());
    output.assert_exit_and_stderr(0, &["searching 1 changed library, 1 changed plugin"]);
    let expected = json!([["demo:gen-maven-plugin", "plugin", "1", "4", "2", "3", true]]);
    assert_eq!(upgrades(&output), expected);
}
