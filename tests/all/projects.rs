//! Tests of projects with several modules and with annotation processors, from the command line to the patch.

use crate::support::{
    commit, git, jdk_tool, program, repository, run_folder, run_keeping_repository,
    run_successfully, write,
};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn pom(artifact: &str, rest: &str) -> String {
    format!(
        "<project><groupId>g</groupId><artifactId>{artifact}</artifactId><version>1</version>{rest}</project>"
    )
}

/// Bisects the last two commits with the test `T`.
fn bisect_json(dir: &Path, more: &[&str], maven: &str) -> Value {
    let mut command = program(dir);
    command.env("MAVEN_OPTS", maven).args(["bisect", "--good", "HEAD~1", "--test", "T"]);
    command.args(["--model", "files"]);
    let output = run_keeping_repository(dir, command.args(["--format", "json"]).args(more));
    output.assert_exit_and_stderr(0, &[]);
    output.json()
}

fn execution_modes(dir: &Path) -> Vec<String> {
    let lines = fs::read_to_string(run_folder(dir).join("trials.jsonl")).unwrap();
    let trial = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    lines.lines().map(|line| trial(line)["rung"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn inlined_constant_breaks_test_of_another_module() {
    let dir = repository();
    let limit = |max: u32, other: u32| {
        format!(
            "public class Limit {{\n public static final int MAX = {max};\n\n int other() {{ return {other}; }}\n}}\n"
        )
    };
    let modules = pom("all", TWO_MODULES);
    let test = "class T { public static void main(String[] x) {\n\
        if (new App().room() != 10 || Limit.MAX != 5) throw new IllegalStateException(); } }\n";
    let good = [
        ("pom.xml", modules),
        ("core/pom.xml", pom("core", "")),
        ("app/pom.xml", pom("app", CORE_DEPENDENCY)),
        ("core/src/main/java/Limit.java", limit(5, 1)),
        (
            "app/src/main/java/App.java",
            "class App { int room() { return Limit.MAX * 2; } }\n".to_owned(),
        ),
        ("app/src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("core/src/main/java/Limit.java", limit(6, 2))]);
    let result = bisect_json(dir.path(), &[], "");
    assert_eq!(result["culprit"]["files"][0], "core/src/main/java/Limit.java");
    assert_eq!(result["culprit"]["tokens"], 2);
    assert!(
        execution_modes(dir.path()).iter().any(|rung| rung == "warm-jvm"),
        "{:?}",
        execution_modes(dir.path())
    );
    assert!(!result["not_checked"].to_string().contains("disagreed"), "{result:#}");
}

const TWO_MODULES: &str =
    "<packaging>pom</packaging><modules><module>core</module><module>app</module></modules>";

const CORE_DEPENDENCY: &str = "<dependencies><dependency><groupId>g</groupId><artifactId>core</artifactId>\
    <version>1</version></dependency></dependencies>";

/// Options of a module with sources for Java 8 in ISO-8859-1, compiled with parameter names.
const OLD_MODULE_OPTIONS: &str = "<properties><project.build.sourceEncoding>ISO-8859-1</project.build.sourceEncoding>\
    <maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target></properties>\
    <build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>\
    <compilerArgs><arg>-parameters</arg></compilerArgs></configuration></plugin></plugins></build>";

const NEW_MODULE_OPTIONS: &str = "<properties><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>\
    <maven.compiler.release>17</maven.compiler.release></properties>";

/// Returns a class that does not compile with the options of the other module.
fn old_core_source(limit: u32, parameter: &str) -> Vec<u8> {
    let before = format!(
        "public class Core {{\n public static final int LIMIT = {limit};\n\n\
         public int half(int {parameter}) {{ int _ = {parameter}; return _ / 2; }}\n\n\
         public String city() {{ return \"K"
    );
    [before.as_bytes(), b"\xf6ln\"; }\n}\n"].concat()
}

#[test]
fn modules_are_compiled_with_their_own_options() {
    let dir = repository();
    let app = "record App(int room) { static final int TWICE = Core.LIMIT * 2;\n\
        static String named() throws Exception { var half = Core.class.getMethod(\"half\", int.class);\n\
        return half.getParameters()[0].getName() + new Core().city().length() + \"\u{f6}\".length(); } }\n";
    let test = "class T { public static void main(String[] x) throws Exception {\n\
        if (App.TWICE != 10 || !App.named().equals(\"size41\")) throw new IllegalStateException(); } }\n";
    let good: [(&str, Vec<u8>); 6] = [
        ("pom.xml", pom("all", TWO_MODULES).into()),
        ("core/pom.xml", pom("core", OLD_MODULE_OPTIONS).into()),
        ("app/pom.xml", pom("app", &[NEW_MODULE_OPTIONS, CORE_DEPENDENCY].concat()).into()),
        ("core/src/main/java/Core.java", old_core_source(5, "size")),
        ("app/src/main/java/App.java", app.into()),
        ("app/src/test/java/T.java", test.into()),
    ];
    commit(dir.path(), "good", &good);
    // The test depends on an inlined constant, and on a parameter name in the class files of the upstream module.
    for (limit, parameter, tokens) in [(6, "size", 2), (5, "number", 6)] {
        let core = old_core_source(limit, parameter);
        commit(dir.path(), "bad", &[("core/src/main/java/Core.java", core)]);
        let result = bisect_json(dir.path(), &[], "");
        assert_eq!(result["culprit"]["files"][0], "core/src/main/java/Core.java");
        assert!(result["culprit"]["tokens"].as_u64().unwrap() <= tokens, "{result:#}");
        assert!(!result["not_checked"].to_string().contains("resident engine"), "{result:#}");
        git(dir.path(), &["reset", "-q", "--hard", "HEAD~1"]);
        fs::remove_dir_all(dir.path().join(".git/mend")).unwrap();
    }
}

#[test]
fn modules_that_share_the_folder_of_their_parent_compile_their_own_sources() {
    let dir = repository();
    let module = |artifact: &str, patterns: &str, rest: &str| {
        let build = format!(
            "<build><sourceDirectory>../src/main/java</sourceDirectory><plugins><plugin>\
             <artifactId>maven-compiler-plugin</artifactId><configuration>{patterns}</configuration>\
             </plugin></plugins></build>"
        );
        pom(artifact, &[&build, rest].concat())
    };
    let core = module("core", "<includes><include>a/**</include></includes>", "");
    let excludes = "<excludes><exclude>a/**</exclude><exclude>**/Old*.java</exclude>\
        <exclude>b/Base.java</exclude></excludes>";
    let app = module("app", excludes, CORE_DEPENDENCY);
    let sum = |sum: &str| {
        format!(
            "package b;\n\npublic class Sum {{\n public static int of(int a, int b) {{ return {sum}; }}\n}}\n"
        )
    };
    let test = "class T { public static void main(String[] x) {\n\
        if (b.Sum.of(a.Two.VALUE, 3) != 5) throw new IllegalStateException(); } }\n";
    let two = "package a;\n\npublic class Two {\n public static final int VALUE = 2;\n}\n";
    let good: [(&str, String); 8] = [
        ("pom.xml", pom("all", TWO_MODULES)),
        // The compiler finds it on its source path.
        ("src/main/java/b/Base.java", "package b;\n\nclass Base {\n}\n".to_owned()),
        ("core/pom.xml", core),
        ("app/pom.xml", app),
        ("src/main/java/a/Two.java", two.to_owned()),
        ("src/main/java/b/OldSum.java", "does not compile\n".to_owned()),
        ("src/main/java/b/Sum.java", sum("a + b")),
        ("app/src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("src/main/java/b/Sum.java", sum("a - b"))]);
    let result = bisect_json(dir.path(), &[], "");
    assert_eq!(result["culprit"]["files"][0], "src/main/java/b/Sum.java");
    assert_eq!(result["culprit"]["tokens"], 2);
}

#[test]
fn cache_depends_on_environment_variables() {
    let dir = repository();
    let resources = "<build><resources><resource><directory>src/main/resources</directory>\
        <filtering>true</filtering></resource></resources></build>";
    let test = "class T { public static void main(String[] x) throws Exception {\n\
        boolean on = T.class.getResourceAsStream(\"/on.txt\").read() == '1';\n\
        if (on && Code.NUMBER != 5) throw new IllegalStateException(); } }\n";
    let code = |number: u32| format!("class Code {{ static final int NUMBER = {number}; }}\n");
    let good = [
        ("pom.xml", pom("a", resources)),
        ("src/main/resources/on.txt", "${env.MEND_PROBE}".to_owned()),
        ("src/main/java/Code.java", code(5)),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", code(6))]);
    let bisect = |value: &str| {
        let mut command = program(dir.path());
        command.env("MEND_PROBE", value).args(["bisect", "--good", "HEAD~1", "--test", "T"]);
        command.args(["--model", "files"]);
        run_keeping_repository(dir.path(), &mut command)
    };
    bisect("1").assert_exit_and_stderr(0, &[]);
    bisect("0").assert_exit_and_stderr(
        3,
        &["error: baseline check failed: the test does not fail on bad (HEAD)"],
    );
    bisect("1").assert_exit_and_stderr(0, &[]);
}

/// Annotation processor that generates the class `made.Made` with the number of an option.
pub(crate) const MAKER_SOURCE: &str = r#"package p;
import java.io.*; import java.util.*; import javax.annotation.processing.*;
import javax.lang.model.SourceVersion; import javax.lang.model.element.TypeElement;
@SupportedAnnotationTypes("*") @SupportedOptions("number")
public class Maker extends AbstractProcessor {
  private boolean done;
  public SourceVersion getSupportedSourceVersion() { return SourceVersion.latest(); }
  public boolean process(Set<? extends TypeElement> types, RoundEnvironment round) {
    if (done) return false;
    done = true;
    try (Writer out = processingEnv.getFiler().createSourceFile("made.Made").openWriter()) {
      out.write("package made; public class Made { public static int number() { return "
          + processingEnv.getOptions().get("number") + "; } }");
    } catch (IOException e) { throw new UncheckedIOException(e); }
    return false;
  }
}
"#;

/// Creates a local Maven repository that contains the processor.
fn library_repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    add_processor(dir.path(), "1", MAKER_SOURCE);
    dir
}

/// Adds a version of the processor to a local Maven repository.
pub(crate) fn add_processor(repository: &Path, version: &str, source: &str) {
    write(repository, "Maker.java", source);
    let service = "maker/META-INF/services/javax.annotation.processing.Processor";
    write(repository, service, "p.Maker\n");
    let library_folder = repository.join("p/maker").join(version);
    fs::create_dir_all(&library_folder).unwrap();
    let options = ["-proc:none", "-d", "maker", "Maker.java"];
    run_successfully(jdk_tool("javac").current_dir(repository).args(options));
    let jar = library_folder.join(format!("maker-{version}.jar"));
    run_successfully(
        jdk_tool("jar").current_dir(repository).arg("cf").arg(jar).args(["-C", "maker", "."]),
    );
}

#[test]
fn annotation_processors_run_in_every_variant() {
    let libraries = library_repository();
    let dir = repository();
    let build = "<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>\
        <annotationProcessorPaths><path><groupId>p</groupId><artifactId>maker</artifactId>\
        <version>1</version></path></annotationProcessorPaths>\
        <compilerArgs><arg>-Anumber=21</arg></compilerArgs></configuration></plugin></plugins></build>";
    let code = |times: u32, other: u32| {
        format!(
            "class Code {{\n int all() {{ return made.Made.number() * {times}; }}\n\n int other() {{ return {other}; }}\n}}\n"
        )
    };
    let test = "class T { public static void main(String[] x) {\n\
        if (new Code().all() != 42) throw new IllegalStateException(); } }\n";
    let good = [
        ("pom.xml", pom("a", build)),
        ("src/main/java/Code.java", code(2, 1)),
        ("src/test/java/T.java", test.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", code(3, 2))]);
    let maven = format!("-Dmaven.repo.local={}", libraries.path().display());
    let result = bisect_json(dir.path(), &[], &maven);
    assert_eq!(result["culprit"]["tokens"], 2);
    // The warm compiler runs the processors too.
    assert!(
        execution_modes(dir.path()).iter().any(|rung| rung == "warm-jvm"),
        "{:?}",
        execution_modes(dir.path())
    );
    assert!(git(dir.path(), &["status", "--porcelain"]).is_empty());
}
