//! Project models from Maven itself, with a local repository of its own and without the network.

use crate::support::{
    CommandOutput, commit, jdk_tool, path_without_maven, program, repository,
    run_keeping_repository, run_successfully, write,
};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A plugin that makes a class and a resource of a text file.
const GENERATOR: &str = r#"package gen;
import java.io.File;
import java.nio.file.*;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.project.MavenProject;
public class GenerateMojo extends AbstractMojo {
  private static final int FACTOR = 1;
  private MavenProject project;
  public void execute() throws MojoExecutionException {
    try {
      Path base = project.getBasedir().toPath();
      String text = new String(Files.readAllBytes(base.resolve("src/gen/value.txt"))).trim();
      String value = "" + FACTOR * Integer.parseInt(text);
      Path sources = base.resolve("target/generated-sources/gen");
      write(sources.resolve("gen/Generated.java"),
          "package gen; public class Generated { public static final int VALUE = " + value + "; }");
      write(base.resolve("target/classes/value.data"), value);
      project.addCompileSourceRoot(sources.toString());
    } catch (java.io.IOException e) { throw new MojoExecutionException("cannot write", e); }
  }
  private static void write(Path file, String text) throws java.io.IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, text.getBytes());
  }
}
"#;

/// Another goal of the plugin, which runs before and always fails.
const FAILING_GOAL: &str = "package gen;
public class FailMojo extends org.apache.maven.plugin.AbstractMojo {
  public void execute() throws org.apache.maven.plugin.MojoExecutionException {
    throw new org.apache.maven.plugin.MojoExecutionException(\"no submodule\");
  }
}
";

const GENERATOR_DESCRIPTOR: &str = "<plugin><groupId>demo</groupId><artifactId>gen-maven-plugin</artifactId>\
    <version>1</version><goalPrefix>gen</goalPrefix><mojos><mojo><goal>fail</goal><phase>initialize</phase>\
    <implementation>gen.FailMojo</implementation><language>java</language>\
    <instantiationStrategy>per-lookup</instantiationStrategy></mojo><mojo><goal>resolve</goal><phase>initialize</phase>\
    <requiresDependencyResolution>test</requiresDependencyResolution>\
    <implementation>gen.FailMojo</implementation><language>java</language>\
    <instantiationStrategy>per-lookup</instantiationStrategy></mojo><mojo><goal>generate</goal><phase>generate-sources</phase>\
    <implementation>gen.GenerateMojo</implementation><language>java</language><instantiationStrategy>per-lookup</instantiationStrategy>\
    <requiresProject>true</requiresProject>\
    <parameters><parameter><name>project</name><type>org.apache.maven.project.MavenProject</type>\
    <required>true</required><editable>false</editable></parameter></parameters><configuration>\
    <project implementation=\"org.apache.maven.project.MavenProject\" default-value=\"${project}\"/></configuration>\
    </mojo></mojos></plugin>";

/// Only this parent says that parameters keep their names. The enforcer is not in the repository: it never runs.
const PARENT_POM: &str = "<project><modelVersion>4.0.0</modelVersion><groupId>demo</groupId>\
    <artifactId>parent</artifactId><version>1</version><packaging>pom</packaging><build><pluginManagement><plugins>\
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.1</version><configuration>\
    <parameters>true</parameters></configuration></plugin></plugins></pluginManagement><plugins><plugin>\
    <artifactId>maven-enforcer-plugin</artifactId><version>3.4.1</version><executions><execution><goals>\
    <goal>enforce</goal></goals></execution></executions></plugin></plugins></build></project>";

const MAVEN_LIBRARIES: &str = "/usr/share/maven/lib";

fn project_pom(parent_version: &str) -> String {
    project_pom_with_goals(parent_version, "<goal>generate</goal>")
}

fn project_pom_with_goals(parent_version: &str, goals: &str) -> String {
    format!(
        "<project><modelVersion>4.0.0</modelVersion><parent><groupId>demo</groupId><artifactId>parent</artifactId>\
         <version>{parent_version}</version><relativePath/></parent><artifactId>a</artifactId><build><plugins><plugin>\
         <groupId>demo</groupId><artifactId>gen-maven-plugin</artifactId><version>1</version><executions><execution>\
         <goals>{goals}</goals></execution></executions></plugin></plugins></build></project>\n"
    )
}

/// Returns a local repository with the parent and the plugin; `None` without Maven.
pub(crate) fn local_repository() -> Option<TempDir> {
    let dir = repository_without_plugin()?;
    add_generator(dir.path(), "1");
    Some(dir)
}

/// Returns a local repository with the parent; `None` without Maven.
#[expect(clippy::print_stderr, reason = "whoever reads the log sees what was not tested")]
fn repository_without_plugin() -> Option<TempDir> {
    if !Path::new(MAVEN_LIBRARIES).is_dir() {
        assert!(std::env::var_os("CI").is_none_or(|word| word != "true"), "Maven is not installed");
        eprintln!("NOT TESTED: Maven is not installed in {MAVEN_LIBRARIES}");
        return None;
    }
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "demo/parent/1/parent-1.pom", PARENT_POM);
    // Maven looks for this library for each plugin that does not depend on it.
    let plexus_pom = "<project><modelVersion>4.0.0</modelVersion><groupId>org.codehaus.plexus</groupId>\
        <artifactId>plexus-utils</artifactId><version>1</version></project>";
    write(dir.path(), "org/codehaus/plexus/plexus-utils/1/plexus-utils-1.pom", plexus_pom);
    archive(dir.path(), "org/codehaus/plexus/plexus-utils/1/plexus-utils-1.jar", "demo");
    Some(dir)
}

/// Adds a version of the plugin to a local repository. It multiplies the number in the text file by the version.
pub(crate) fn add_generator(repository: &Path, version: &str) {
    let folder = format!("demo/gen-maven-plugin/{version}/gen-maven-plugin-{version}");
    let plugin_pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>demo</groupId>\
         <artifactId>gen-maven-plugin</artifactId><version>{version}</version><packaging>maven-plugin</packaging>\
         <dependencies><dependency><groupId>org.codehaus.plexus</groupId><artifactId>plexus-utils</artifactId>\
         <version>1</version></dependency></dependencies></project>"
    );
    write(repository, &format!("{folder}.pom"), plugin_pom);
    let generator = GENERATOR.replace("FACTOR = 1", &format!("FACTOR = {version}"));
    write(repository, "GenerateMojo.java", generator);
    write(repository, "FailMojo.java", FAILING_GOAL);
    let descriptor = GENERATOR_DESCRIPTOR
        .replace("<version>1</version>", &format!("<version>{version}</version>"));
    write(repository, "classes/META-INF/maven/plugin.xml", descriptor);
    let libraries = format!("{MAVEN_LIBRARIES}/*");
    let mut javac = jdk_tool("javac");
    javac.args(["--release", "8", "-nowarn", "-proc:none", "-cp", &libraries, "-d", "classes"]);
    run_successfully(javac.current_dir(repository).args(["GenerateMojo.java", "FailMojo.java"]));
    archive(repository, &format!("{folder}.jar"), "classes");
}

fn archive(repository: &Path, jar: &str, folder: &str) {
    let mut archiver = jdk_tool("jar");
    run_successfully(archiver.current_dir(repository).args(["cf", jar, "-C", folder, "."]));
}

fn run_bisect(dir: &Path, libraries: &Path, more: &[&str]) -> CommandOutput {
    let mut command = program(dir);
    command.env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", libraries.display()));
    command.args(["bisect", "--test", "T", "--offline", "--format", "json"]).args(more);
    run_keeping_repository(dir, &mut command)
}

fn code(factor: u32) -> String {
    format!(
        "class Code {{\n int times(int factor) {{ return gen.Generated.VALUE * {factor}; }}\n}}\n"
    )
}

const TEST: &str = "class T { public static void main(String[] x) throws Exception {\n\
    String name = Code.class.getDeclaredMethod(\"times\", int.class).getParameters()[0].getName();\n\
    if (!name.equals(\"factor\")) throw new AssertionError(name);\n\
    int data = T.class.getResourceAsStream(\"/value.data\").read() - '0';\n\
    if (new Code().times(1) != 2 * data) throw new IllegalStateException(); } }\n";

/// Creates a repository with four commits. The second has a parent that is missing, the third breaks the test, and the
/// fourth changes what a class is generated from.
pub(crate) fn generator_repository() -> TempDir {
    let dir = repository();
    let good = [
        ("pom.xml", project_pom("1")),
        ("src/gen/value.txt", "5\n".to_owned()),
        ("src/main/java/Code.java", code(2)),
        ("src/test/java/T.java", TEST.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    // Nobody has this parent any more.
    commit(dir.path(), "lost parent", &[("pom.xml", project_pom("0.9"))]);
    let broken = [("pom.xml", project_pom("1")), ("src/main/java/Code.java", code(3))];
    commit(dir.path(), "bad", &broken);
    commit(dir.path(), "later", &[("src/gen/value.txt", "6\n".to_owned())]);
    dir
}

#[test]
fn parent_settings_and_generated_files_come_from_maven() {
    let Some(libraries) = local_repository() else { return };
    let dir = generator_repository();
    let output = run_bisect(dir.path(), libraries.path(), &["--good", "HEAD~3", "--model", "tool"]);
    output
        .assert_exit_and_stderr(0, &["reading the build with Maven", "gen-maven-plugin:generate"]);
    let result = output.json();
    assert_eq!(result["culprit"]["files"][0], "src/main/java/Code.java");
    assert_eq!(result["culprit"]["tokens"], 2, "{result:#}");
    let notes = result["not_checked"].to_string();
    assert!(
        notes.contains(
            "the model of the most similar build files is used: Non-resolvable parent POM"
        ),
        "{notes}"
    );
    let models = fs::read_dir(dir.path().join(".git/mend/models")).unwrap().count();
    // One of the POM, and one for each of the two texts that are generated from.
    assert_eq!(models, 3, "{}", output.stderr);
}

#[test]
fn goal_that_fails_does_not_keep_others_from_generating() {
    let Some(libraries) = local_repository() else { return };
    let dir = repository();
    let goals = "<goal>fail</goal><goal>generate</goal>";
    let good = [
        ("pom.xml", project_pom_with_goals("1", goals)),
        ("src/gen/value.txt", "5\n".to_owned()),
        ("src/main/java/Code.java", code(2)),
        ("src/test/java/T.java", TEST.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", code(3))]);
    let output = run_bisect(dir.path(), libraries.path(), &["--good", "HEAD~1"]);
    output.assert_exit_and_stderr(0, &["what gen-maven-plugin:fail would generate is missing"]);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
    let calls = output.stderr.matches("resources with gen-maven-plugin:fail").count();
    assert_eq!(calls, 1, "{}", output.stderr);
}

#[test]
fn goals_that_need_a_missing_library_are_run_once() {
    let Some(libraries) = local_repository() else { return };
    let dir = repository();
    let dependency = "<dependencies><dependency><groupId>demo</groupId><artifactId>absent</artifactId>\
        <version>1</version></dependency></dependencies></project>";
    let pom = project_pom_with_goals("1", "<goal>resolve</goal><goal>generate</goal>")
        .replace("</project>", dependency);
    let code = |number: u32| format!("class Code {{ static final int NUMBER = {number}; }}\n");
    let test = "class T { public static void main(String[] x) { if (Code.NUMBER != 5) throw new Error(); } }\n";
    let good = [
        ("pom.xml", pom),
        ("src/gen/value.txt", "5\n".to_owned()),
        ("src/main/java/Code.java", code(5)),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "other text", &[("src/gen/value.txt", "6\n")]);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", code(3))]);
    let output = run_bisect(dir.path(), libraries.path(), &["--good", "HEAD~2"]);
    let note = "what gen-maven-plugin:generate, gen-maven-plugin:resolve would generate is missing";
    output.assert_exit_and_stderr(0, &[note, "demo:absent"]);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
    let calls = output.stderr.matches("generating sources and resources").count();
    assert_eq!(calls, 1, "{}", output.stderr);
    let questions = output.stderr.matches("reading the build with Maven").count();
    assert_eq!(questions, 1, "{}", output.stderr);
}

#[test]
fn build_files_are_read_where_maven_does_not_work() {
    let dir = repository();
    let pom = "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId>\
        <version>1</version></project>\n";
    let code = |number: u32| format!("class Code {{ static final int NUMBER = {number}; }}\n");
    let test = "class T { public static void main(String[] x) { if (Code.NUMBER != 5) throw new Error(); } }\n";
    let good = [
        ("pom.xml", pom.to_owned()),
        ("mvnw", "echo broken >&2; exit 1\n".to_owned()),
        ("src/main/java/Code.java", code(5)),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", code(6))]);
    let programs = tempfile::tempdir().unwrap();
    // Everything but Maven.
    let run = |more: &[&str]| {
        let mut command = program(dir.path());
        command.env("PATH", path_without_maven(programs.path()));
        command.args(["bisect", "--good", "HEAD~1", "--test", "T"]).args(more);
        run_keeping_repository(dir.path(), &mut command)
    };
    let note = "note: the build files are read without Maven: there is no working Maven";
    run(&[]).assert_exit_and_stderr(0, &[note]);
    let error = ["error: Maven cannot read the build: there is no working Maven", "help: "];
    run(&["--model", "tool"]).assert_exit_and_stderr(4, &error);
}

#[test]
fn library_is_not_replaced_where_versions_ask_for_different_ones() {
    let libraries = tempfile::tempdir().unwrap();
    for (version, number) in [("1", 5), ("3", 7)] {
        write(
            libraries.path(),
            "Lib.java",
            format!("public class Lib {{ public static int number() {{ return {number}; }} }}\n"),
        );
        run_successfully(
            jdk_tool("javac").current_dir(libraries.path()).args(["-d", version, "Lib.java"]),
        );
        let jar = format!("g/lib/{version}/lib-{version}.jar");
        write(
            libraries.path(),
            &format!("g/lib/{version}/lib-{version}.pom"),
            "<project><groupId>g</groupId><artifactId>lib</artifactId></project>",
        );
        run_successfully(
            jdk_tool("jar").current_dir(libraries.path()).args(["cf", &jar, "-C", version, "."]),
        );
    }
    let dir = repository();
    let pom = |version: &str| {
        format!(
            "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version><dependencies><dependency>\
            <groupId>g</groupId><artifactId>lib</artifactId><version>{version}</version></dependency></dependencies></project>\n"
        )
    };
    let test = "class T { public static void main(String[] x) { if (Lib.number() != 5) throw new Error(); } }\n";
    let code = "class Code {}\n".to_owned();
    let good = [
        ("pom.xml", pom("1")),
        ("src/main/java/Code.java", code),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("pom.xml", pom("2"))]);
    let output =
        run_bisect(dir.path(), libraries.path(), &["--good", "HEAD~1", "--model", "files"]);
    output.assert_exit_and_stderr(4, &["error: library g:lib:2 is not on this machine", "help: "]);
}

/// Writes version 1 of a library that contains one empty class to a local repository.
fn add_library(repository: &Path, group: &str, artifact: &str, class: &str) {
    let folder = format!("{}/{artifact}/1", group.replace('.', "/"));
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
         <version>1</version></project>"
    );
    write(repository, &format!("{folder}/{artifact}-1.pom"), pom);
    write(repository, &format!("{class}.java"), format!("public class {class} {{}}\n"));
    let classes = format!("classes-{class}");
    let source = format!("{class}.java");
    run_successfully(jdk_tool("javac").current_dir(repository).args(["-d", &classes, &source]));
    let jar = format!("{folder}/{artifact}-1.jar");
    run_successfully(
        jdk_tool("jar").current_dir(repository).args(["cf", &jar, "-C", &classes, "."]),
    );
}

fn dependency(group: &str, artifact: &str, version: &str) -> String {
    format!(
        "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>\
         </dependency>"
    )
}

/// Returns a POM of the group `g` without properties.
fn pom_of(artifact: &str, rest: &str) -> String {
    format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>{artifact}</artifactId>\
         <version>1</version>{rest}</project>\n"
    )
}

fn number_code(number: u32) -> String {
    format!("class Code {{ static final int NUMBER = {number}; }}\n")
}

/// Returns a test of [`number_code`] that first loads classes of libraries.
fn number_test(classes: &[&str]) -> String {
    let load = |class: &&str| format!("Class.forName(\"{class}\"); ");
    let loads: String = classes.iter().map(load).collect();
    format!(
        "class T {{ public static void main(String[] x) throws Exception {{ {loads}\
         if (Code.NUMBER != 5) throw new Error(); }} }}\n"
    )
}

#[test]
fn test_engines_that_only_the_test_plugin_adds_are_libraries() {
    let Some(libraries) = local_repository() else { return };
    add_library(libraries.path(), "org.junit.jupiter", "junit-jupiter-api", "Api");
    add_library(libraries.path(), "org.junit.jupiter", "junit-jupiter-engine", "Engine");
    add_library(libraries.path(), "demo", "own-engine", "OwnEngine");
    let plugin = format!(
        "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version><dependencies>\
         {}</dependencies></plugin></plugins></build>",
        dependency("demo", "own-engine", "1")
    );
    let api = dependency("org.junit.jupiter", "junit-jupiter-api", "1");
    let dir = repository();
    let good = [
        ("pom.xml", pom_of("a", &format!("<dependencies>{api}</dependencies>{plugin}"))),
        ("src/main/java/Code.java", number_code(5)),
        ("src/test/java/T.java", number_test(&["Api", "Engine", "OwnEngine"])),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", number_code(6))]);
    let output = run_bisect(dir.path(), libraries.path(), &["--good", "HEAD~1", "--model", "tool"]);
    output.assert_exit_and_stderr(0, &[]);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
}

#[test]
fn library_with_unknown_versions_does_not_hide_the_others() {
    let Some(libraries) = local_repository() else { return };
    add_library(libraries.path(), "demo", "present", "Present");
    let both = [dependency("demo", "absent", "[2,)"), dependency("demo", "present", "1")].concat();
    let dir = repository();
    let good = [
        ("pom.xml", pom_of("a", &format!("<dependencies>{both}</dependencies>"))),
        ("src/main/java/Code.java", number_code(5)),
        ("src/test/java/T.java", number_test(&["Present"])),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", number_code(6))]);
    let bisect =
        || run_bisect(dir.path(), libraries.path(), &["--good", "HEAD~1", "--model", "tool"]);
    let output = bisect();
    output.assert_exit_and_stderr(0, &[]);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
    // A version that needs the library names only that one.
    let needing = "class Code { absent.Absent it; static final int NUMBER = 6; }\n".to_owned();
    commit(dir.path(), "good needs it", &[("src/main/java/Code.java", needing)]);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", number_code(6))]);
    let output = bisect();
    output.assert_exit_and_stderr(4, &["help: missing on this machine: demo:absent:[2,);"]);
}

#[test]
fn generators_run_only_in_modules_that_the_tests_need() {
    let Some(libraries) = local_repository() else { return };
    let generator = |goals: &str| {
        format!(
            "<build><plugins><plugin><groupId>demo</groupId><artifactId>gen-maven-plugin</artifactId><version>1</version>\
             <executions><execution><goals>{goals}</goals></execution></executions></plugin></plugins></build>"
        )
    };
    let modules =
        "<packaging>pom</packaging><modules><module>core</module><module>other</module></modules>";
    let absent = dependency("demo", "absent", "1");
    let other = format!("<dependencies>{absent}</dependencies>{}", generator("<goal>fail</goal>"));
    let test = "class T { public static void main(String[] x) {\n\
        if (Code.NUMBER * gen.Generated.VALUE != 10) throw new Error(); } }\n";
    let dir = repository();
    let good = [
        ("pom.xml", pom_of("all", modules)),
        ("core/pom.xml", pom_of("core", &generator("<goal>generate</goal>"))),
        ("core/src/gen/value.txt", "2\n".to_owned()),
        ("core/src/main/java/Code.java", number_code(5)),
        ("core/src/test/java/T.java", test.to_owned()),
        ("other/pom.xml", pom_of("other", &other)),
        ("other/src/main/java/Other.java", "class Other {}\n".to_owned()),
        ("other/src/test/java/OtherTest.java", number_test(&[]).replace('T', "OtherTest")),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("core/src/main/java/Code.java", number_code(6))]);
    let output = run_bisect(dir.path(), libraries.path(), &["--good", "HEAD~1", "--model", "tool"]);
    output.assert_exit_and_stderr(0, &["resources with gen-maven-plugin:generate\n"]);
    assert!(!output.stderr.contains("gen-maven-plugin:fail"), "{}", output.stderr);
    // A library that only the other module lacks does not make Maven read each version anew.
    let readings = output.stderr.matches("reading the build with Maven").count();
    assert_eq!(readings, 1, "{}", output.stderr);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
}

#[test]
fn build_in_a_folder_is_found_by_the_test() {
    let Some(libraries) = local_repository() else { return };
    let dir = repository();
    let good = [
        ("README.md", "a tool, and its examples\n".to_owned()),
        ("examples/pom.xml", pom_of("examples", "")),
        ("examples/src/main/java/Example.java", "class Example {}\n".to_owned()),
        ("tool/pom.xml", pom_of("tool", "")),
        ("tool/src/main/java/Code.java", number_code(5)),
        ("tool/src/test/java/T.java", number_test(&[])),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("tool/src/main/java/Code.java", number_code(6))]);
    for model in ["tool", "files"] {
        let output =
            run_bisect(dir.path(), libraries.path(), &["--good", "HEAD~1", "--model", model]);
        output.assert_exit_and_stderr(
            0,
            &["note: the root has no build file, so that of tool is used"],
        );
        assert_eq!(output.json()["culprit"]["files"][0], "tool/src/main/java/Code.java");
    }
}

#[test]
fn test_of_the_work_tree_is_reported_before_the_build_is_read() {
    let dir = repository();
    let good = [("pom.xml", pom_of("a", "")), ("src/main/java/Code.java", number_code(5))];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", number_code(6))]);
    write(dir.path(), "src/test/java/T.java", number_test(&[]));
    let bisect = |test: &str| {
        let mut command = program(dir.path());
        command.args(["bisect", "--good", "HEAD~1", "--offline", "--test", test]);
        run_keeping_repository(dir.path(), &mut command)
    };
    let output = bisect("T");
    let help = "help: the work tree has src/test/java/T.java, but bad (HEAD) does not: add --test-source src/test/java\n";
    output.assert_exit_and_stderr(2, &["error: no test matches `T`", help]);
    assert!(!output.stderr.contains("reading the build"), "{}", output.stderr);
    let output = bisect("Typo");
    let stage =
        "no source file has the name of Typo, but the build may generate it\nreading the build";
    output.assert_exit_and_stderr(2, &[stage, "error: no test matches `Typo`"]);
}
