//! Tests with typical Java projects, and with missing tools and libraries.

use crate::support::{
    commit, git, program, repository, run_folder, run_keeping_repository,
    run_mend_keeping_repository, write,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const CART_FILE: &str = "src/main/java/shop/Cart.java";
const TEST_FILE: &str = "src/test/java/shop/CartTest.java";

/// Test without a test framework.
const MAIN_TEST: &str = "package shop;\n\npublic class CartTest {\n    \
    public static void main(String[] arguments) {\n        \
    if (new Cart().total(2) != 20) throw new AssertionError(\"total\");\n    }\n}\n";

fn cart_source(factor: &str, name: &[u8]) -> Vec<u8> {
    let (before, after) = (b"package shop;\n\n/** Owned by ", b". */\npublic class Cart {\n");
    let total =
        format!("    int total(int pieces) {{\n        return pieces * {factor};\n    }}\n");
    [&before[..], name, after, b"    String owner = \"", name, b"\";\n\n", total.as_bytes(), b"}\n"]
        .concat()
}

/// Creates a repository with two commits, the second of which breaks the total and renames the owner. Both contain
/// `files`.
fn shop_repository(files: &[(&str, &str)], owners: [&[u8]; 2]) -> TempDir {
    let dir = repository();
    for (name, content) in files {
        write(dir.path(), name, content);
    }
    commit(dir.path(), "one", &[(CART_FILE, cart_source("10", owners[0]))]);
    commit(dir.path(), "two", &[(CART_FILE, cart_source("11", owners[1]))]);
    dir
}

const BISECT_OPTIONS: [&str; 7] =
    ["bisect", "--good", "HEAD~1", "--test", "shop.CartTest", "--model", "files"];

/// Asserts that the fix changes the one number, and that applying it restores the exact bytes.
fn assert_fixed_by_one_number(dir: &TempDir, owner: &[u8], words: &[&str]) {
    let output = run_mend_keeping_repository(
        dir.path(),
        &[&BISECT_OPTIONS[..], &["--format", "json"]].concat(),
    );
    output.assert_exit_and_stderr(0, words);
    assert_eq!(output.json()["fix"]["tokens"], 2);
    git(dir.path(), &["apply", run_folder(dir.path()).join("fix.patch").to_str().unwrap()]);
    assert_eq!(fs::read(dir.path().join(CART_FILE)).unwrap(), cart_source("10", owner));
}

/// Creates a folder for `PATH` that contains only git.
fn path_with_only_git(home: &Path) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|dir| dir.join("git")).find(|git| git.is_file());
    let bin = home.join("only-git");
    write_executable(
        &bin.join("git"),
        &format!("#!/bin/sh\nexec '{}' \"$@\"\n", git.unwrap().display()),
    );
    bin
}

fn write_executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn missing_jdk_error_says_what_to_install() {
    let dir = shop_repository(&[(TEST_FILE, MAIN_TEST)], [b"A", b"B"]);
    let home = tempfile::tempdir().unwrap();
    let bin = path_with_only_git(home.path());
    let run = |java_home: &Path| {
        let mut command = program(dir.path());
        command.args(BISECT_OPTIONS).env("PATH", &bin).env("JAVA_HOME", java_home);
        run_keeping_repository(dir.path(), &mut command)
    };
    let install = "help: install JDK 8 or newer (on Debian: apt-get install default-jdk-headless)";
    let none = home.path().join("none");
    let error = format!("error: no JDK found: {} contains neither", none.display());
    run(&none).assert_exit_and_stderr(4, &[&error, install]);
    let runtime = home.path().join("jre");
    write_executable(&runtime.join("bin/java"), "#!/bin/sh\n");
    let error = format!("{} is a Java runtime without the compiler `javac`", runtime.display());
    run(&runtime).assert_exit_and_stderr(4, &[&error, install]);
}

#[test]
fn unknown_library_is_reported_with_compile_error() {
    let cart = "package shop;\n\nimport org.nowhere.Thing;\n\nclass Cart {}\n";
    let dir = repository();
    commit(dir.path(), "one", &[(CART_FILE, cart), (TEST_FILE, MAIN_TEST)]);
    commit(dir.path(), "two", &[(CART_FILE, cart.replace("{}", "{ int x; }"))]);
    let output = run_mend_keeping_repository(dir.path(), &BISECT_OPTIONS);
    let error = "error: good (HEAD~1) does not build\n  \
        | src/main/java/shop/Cart.java:3: error: package org.nowhere does not exist\n  \
        | import org.nowhere.Thing;\n";
    output.assert_exit_and_stderr(
        4,
        &[error, "help: check that it builds by hand; name jars with --classpath"],
    );
}

#[test]
fn missing_source_folder_is_named() {
    let dir = shop_repository(&[(TEST_FILE, MAIN_TEST)], [b"A", b"B"]);
    let output = run_mend_keeping_repository(
        dir.path(),
        &[&BISECT_OPTIONS[..], &["--source", "none"]].concat(),
    );
    output.assert_exit_and_stderr(
        4,
        &["error: no Java sources found in none\nhelp: name the source folder with"],
    );
}

#[test]
fn source_folder_may_exist_only_in_the_versions() {
    let dir = shop_repository(&[(TEST_FILE, MAIN_TEST)], [b"A", b"B"]);
    fs::remove_dir_all(dir.path().join("src")).unwrap();
    let output = run_mend_keeping_repository(
        dir.path(),
        &[&BISECT_OPTIONS[..], &["--source", "src/main/java"]].concat(),
    );
    output.assert_exit_and_stderr(0, &["pass       fix.patch on a clean checkout"]);
}

#[test]
fn missing_declared_library_is_named() {
    let dependency = "<dependency><groupId>org.nowhere</groupId><artifactId>thing</artifactId>\
        <version>1.0</version></dependency>";
    let pom = pom(dependency);
    let dir = repository();
    let cart = "package shop;\n\nimport org.nowhere.Thing;\n\nclass Cart {}\n";
    commit(
        dir.path(),
        "one",
        &[("pom.xml", pom.as_str()), (CART_FILE, cart), (TEST_FILE, MAIN_TEST)],
    );
    commit(dir.path(), "two", &[(CART_FILE, cart.replace("{}", "{ int x; }"))]);
    let output = run_mend_keeping_repository(dir.path(), &BISECT_OPTIONS);
    let remedy = "help: missing on this machine: org.nowhere:thing:1.0; download them with your build tool, or name the jars \
        with --classpath";
    output.assert_exit_and_stderr(4, &["package org.nowhere does not exist", remedy]);
}

#[test]
fn latin_1_sources_are_compiled_and_fixed() {
    let owners: [&[u8]; 2] = [b"J\xfcrgen", b"Ren\xe9"];
    let dir = shop_repository(&[(TEST_FILE, MAIN_TEST)], owners);
    let note = "note: not all sources are UTF-8 and the build names no encoding: they are read as \
        ISO-8859-1\n";
    assert_fixed_by_one_number(&dir, owners[1], &[note]);
}

fn pom(dependency: &str) -> String {
    format!(
        "<project>\n<modelVersion>4.0.0</modelVersion>\n<groupId>shop</groupId>\n\
         <artifactId>shop</artifactId>\n<version>1</version>\n\
         <dependencies>{dependency}</dependencies>\n</project>\n"
    )
}

#[test]
fn maven_project_with_junit_4_is_fixed() {
    let dependency = "<dependency><groupId>junit</groupId><artifactId>junit</artifactId>\
        <version>4.13.2</version><scope>test</scope></dependency>";
    let test = "package shop;\n\nimport static org.junit.Assert.assertEquals;\n\n\
        import org.junit.Test;\n\npublic class CartTest {\n    @Test\n    \
        public void total() {\n        assertEquals(20, new Cart().total(2));\n    }\n}\n";
    let dir = shop_repository(&[("pom.xml", &pom(dependency)), (TEST_FILE, test)], [b"A", b"B"]);
    assert_fixed_by_one_number(
        &dir,
        b"B",
        &["shop.CartTest#total throws java.lang.AssertionError"],
    );
}

#[test]
fn gradle_project_with_junit_5_is_fixed() {
    let script = "plugins {\n    id 'java'\n}\n\nrepositories {\n    mavenCentral()\n}\n\n\
        dependencies {\n    testImplementation 'org.junit.jupiter:junit-jupiter:5.9.2'\n}\n\n\
        test {\n    useJUnitPlatform()\n}\n";
    let test = "package shop;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\n\
        import org.junit.jupiter.api.Test;\n\nclass CartTest {\n    @Test\n    \
        void total() {\n        assertEquals(20, new Cart().total(2));\n    }\n}\n";
    // Gradle would download the library.
    let settings = (".git-mend.toml", "model = \"files\"\n");
    let files = [("build.gradle", script), settings, (TEST_FILE, test)];
    let dir = shop_repository(&files, [b"A", b"B"]);
    let symptom = "shop.CartTest#total throws org.opentest4j.AssertionFailedError";
    assert_fixed_by_one_number(&dir, b"B", &[symptom]);
}
