//! Builds that need a later Java version than the JDK of the environment.

use crate::support::{
    CommandOutput, commit, jdk_tool, program, repository, run_keeping_repository,
};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Returns the home of the JDK that the tests use.
fn real_jdk_home() -> PathBuf {
    let settings = jdk_tool("java").args(["-XshowSettings:properties", "-version"]).output();
    let text = String::from_utf8(settings.unwrap().stderr).unwrap();
    let home = text.lines().find_map(|line| line.trim().strip_prefix("java.home = "));
    home.unwrap().into()
}

/// Creates a JDK that calls itself version 11.
fn create_old_jdk(folder: &Path) {
    fs::create_dir(folder.join("bin")).unwrap();
    for tool in ["java", "javac"] {
        symlink(real_jdk_home().join("bin").join(tool), folder.join("bin").join(tool)).unwrap();
    }
    fs::write(folder.join("release"), "JAVA_VERSION=\"11.0.1\"\n").unwrap();
}

/// Creates a project for Java 17, whose last commit breaks its test.
fn project_for_java_17() -> TempDir {
    let dir = repository();
    let pom = "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version><properties>\
        <maven.compiler.release>17</maven.compiler.release></properties></project>";
    let code =
        |sum: &str| format!("record Code(int a, int b) {{ int sum() {{ return {sum}; }} }}\n");
    let test = "class T { public static void main(String[] x) {\n\
        if (new Code(2, 3).sum() != 5) throw new IllegalStateException(); } }\n";
    let files = [("pom.xml", pom), ("src/test/java/T.java", test)];
    commit(dir.path(), "tests", &files);
    commit(dir.path(), "good", &[("src/main/java/Code.java", code("a + b"))]);
    commit(dir.path(), "bad", &[("src/main/java/Code.java", code("a - b"))]);
    dir
}

fn run_with_old_jdk(dir: &Path, old_jdk: &Path, arguments: &[&str]) -> CommandOutput {
    let mut command = program(dir);
    command.env("JAVA_HOME", old_jdk).env("JAVA_HOME_17_X64", real_jdk_home()).args(arguments);
    run_keeping_repository(dir, &mut command)
}

#[test]
fn installed_jdk_is_used_if_the_one_of_the_environment_is_too_old() {
    let (dir, old_jdk) = (project_for_java_17(), tempfile::tempdir().unwrap());
    create_old_jdk(old_jdk.path());
    let arguments = ["bisect", "--good", "HEAD~1", "--test", "T", "--model", "files"];
    let output = run_with_old_jdk(dir.path(), old_jdk.path(), &arguments);
    output.assert_exit_and_stderr(0, &["JDK 11, which is too old for the build; JDK "]);
    assert!(output.stdout.contains("return a [-+-] b;"), "{}", output.stdout);
    let output = run_with_old_jdk(dir.path(), old_jdk.path(), &["doctor", "--model", "files"]);
    output.assert_exit_and_stderr(0, &[]);
    assert!(output.stdout.contains("JDK 11, which is too old for the build"), "{}", output.stdout);
}
