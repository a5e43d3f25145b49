//! Project models from Gradle itself, without the network.

use crate::support::{commit, program, repository, run_keeping_repository};

const SETTINGS: &str = "include 'core', 'app'\nproject(':core').name = 'shop-core'\n";

const ROOT_SCRIPT: &str = "subprojects {\n    apply plugin: 'java'\n    \
    compileJava.sourceCompatibility = '8'\n    compileJava.options.compilerArgs << '-parameters'\n}\n";

/// One task makes a class of a text file, and one always fails.
const CORE_SCRIPT: &str = r#"
task generateCode {
    File value = file('value.txt')
    File folder = file('build/generated/code')
    inputs.file(value)
    outputs.dir(folder)
    doLast {
        new File(folder, 'gen').mkdirs()
        new File(folder, 'gen/Generated.java').text =
            "package gen; public class Generated { public static final int VALUE = ${value.text.trim()}; }"
    }
}
task downloadSchema {
    doLast { throw new GradleException('no network') }
}
compileJava.dependsOn generateCode, downloadSchema
compileJava.source generateCode.outputs.files
processResources { expand(limit: 7) }
sourceSets.main.java.exclude 'old/**'
compileJava.exclude '**/Draft.java'
"#;

/// The integration tests have a source set of their own.
const APP_SCRIPT: &str = r#"
sourceSets { integration { compileClasspath += main.output; runtimeClasspath += main.output } }
dependencies {
    implementation project(':shop-core')
    integrationImplementation project(':shop-core')
}
task integrationTest(type: Test) {
    testClassesDirs = sourceSets.integration.output.classesDirs
    classpath = sourceSets.integration.runtimeClasspath
    systemProperty 'mode', 'strict'
    environment 'PLACE', "${projectDir}/place"
    workingDir 'build/run'
}
"#;

const TEST: &str = "class T { public static void main(String[] x) throws Exception {\n\
    String name = Code.class.getDeclaredMethod(\"times\", int.class).getParameters()[0].getName();\n\
    if (!name.equals(\"factor\")) throw new AssertionError(name);\n\
    if (T.class.getResourceAsStream(\"/limit.txt\").read() != '7') throw new AssertionError(\"limit\");\n\
    if (!\"strict\".equals(System.getProperty(\"mode\"))) throw new AssertionError(\"mode\");\n\
    java.nio.file.Path folder = java.nio.file.Paths.get(\"\").toAbsolutePath();\n\
    if (!folder.endsWith(\"build/run\")) throw new AssertionError(folder);\n\
    String place = folder.resolve(\"../../place\").normalize().toString();\n\
    if (!place.equals(System.getenv(\"PLACE\"))) throw new AssertionError(System.getenv(\"PLACE\"));\n\
    if (new Code().times(1) % 2 != 0) throw new IllegalStateException(); } }\n";

fn code(factor: u32) -> String {
    format!(
        "public class Code {{\n public int times(int factor) {{ return gen.Generated.VALUE * {factor}; }}\n}}\n"
    )
}

/// Returns true if the program `gradle` is on `PATH`.
#[expect(clippy::print_stderr, reason = "whoever reads the log sees what was not tested")]
pub(crate) fn has_gradle() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_installed = std::env::split_paths(&path).any(|folder| folder.join("gradle").is_file());
    if !is_installed {
        eprintln!("NOT TESTED: Gradle is not on PATH");
    }
    is_installed
}

#[test]
fn settings_of_scripts_and_generated_files_come_from_gradle() {
    if !has_gradle() {
        return;
    }
    let dir = repository();
    let good = [
        ("settings.gradle", SETTINGS.to_owned()),
        ("build.gradle", ROOT_SCRIPT.to_owned()),
        ("core/build.gradle", CORE_SCRIPT.to_owned()),
        ("app/build.gradle", APP_SCRIPT.to_owned()),
        ("core/value.txt", "5\n".to_owned()),
        ("core/src/main/resources/limit.txt", "${limit}\n".to_owned()),
        ("core/src/main/java/Code.java", code(2)),
        ("core/src/main/java/old/Old.java", "does not compile\n".to_owned()),
        ("core/src/main/java/Draft.java", "does not compile\n".to_owned()),
        ("app/src/main/java/App.java", "class App { Code code; }\n".to_owned()),
        ("app/src/integration/java/T.java", TEST.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("core/src/main/java/Code.java", code(3))]);
    let mut command = program(dir.path());
    command.env("GRADLE_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    command.args(["bisect", "--good", "HEAD~1", "--test", "T"]);
    command.args(["--offline", "--format", "json", "--model", "tool"]);
    let output = run_keeping_repository(dir.path(), &mut command);
    let words = [
        "reading the build with Gradle",
        "resources with :shop-core:",
        "what :shop-core:downloadSchema would generate is missing: Execution failed for task",
    ];
    output.assert_exit_and_stderr(0, &words);
    let result = output.json();
    assert_eq!(result["culprit"]["files"][0], "core/src/main/java/Code.java");
    assert_eq!(result["culprit"]["tokens"], 2, "{result:#}");
}
