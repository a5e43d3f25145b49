//! Tests that classes instrumented by the scheduler pass the JVM's verifier.

use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Installed libraries with code of various compilers. Missing ones are skipped.
const LIBRARY_JARS: [&str; 6] =
    ["guava", "commons-lang3", "ant", "commons-io", "asm-9.4", "antlr-2.7.7"];

/// Java packages of the scheduler.
const SCHEDULER_PACKAGES: [&str; 4] = ["wire", "classfile", "framework", "schedule"];

const EXPORTED_PACKAGES: [&str; 7] = [
    "jdk.internal.access",
    "jdk.internal.invoke",
    "jdk.internal.misc",
    "jdk.internal.ref",
    "jdk.internal.util",
    "jdk.internal.util.random",
    "jdk.internal.vm",
];

fn java_files(folder: &str) -> Vec<PathBuf> {
    let files = WalkDir::new(Path::new(ROOT).join(folder)).sort_by_file_name().into_iter();
    let paths = files.map(|entry| entry.unwrap().into_path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "java")).collect()
}

#[test]
fn instrumented_classes_pass_the_verifier() {
    let classes = tempfile::tempdir().unwrap();
    let compiled = Command::new("javac")
        .args(["-nowarn", "-d"])
        .arg(classes.path())
        .args(
            SCHEDULER_PACKAGES
                .iter()
                .flat_map(|name| java_files(&format!("java/src/main/java/gitmend/{name}"))),
        )
        .arg(Path::new(ROOT).join("java/src/test/java/gitmend/schedule/weave/VerifyAll.java"))
        .status();
    assert!(compiled.unwrap().success());
    let jars = LIBRARY_JARS.map(|name| format!("/usr/share/java/{name}.jar"));
    let output = Command::new("java")
        .args(["-Xverify:all", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"])
        .arg(classes.path())
        .args(EXPORTED_PACKAGES.map(|name| format!("--add-exports=java.base/{name}=ALL-UNNAMED")))
        .arg("gitmend.schedule.weave.VerifyAll")
        .args(jars.iter().filter(|jar| Path::new(jar).exists()))
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let counts: Vec<u32> = stdout
        .lines()
        .filter_map(|line| line.split_once(" verified ")?.1.split(' ').next()?.parse().ok())
        .collect();
    assert!(stdout.matches("refused 0").count() == 2, "{stdout}");
    assert!(counts[0] > 200 && counts[1] > 100, "{stdout}");
}
