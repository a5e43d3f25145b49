//! Java projects as people have them, and machines that lack something.

use crate::support::{
    commit, git, mend_untouched, program, repository, run_folder, untouched, write,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const CART: &str = "src/main/java/shop/Cart.java";
const TEST: &str = "src/test/java/shop/CartTest.java";

/// A test without a framework.
const MAIN_TEST: &str = "package shop;\n\npublic class CartTest {\n    \
    public static void main(String[] arguments) {\n        \
    if (new Cart().total(2) != 20) throw new AssertionError(\"total\");\n    }\n}\n";

fn cart(factor: &str, name: &[u8]) -> Vec<u8> {
    let (before, after) = (b"package shop;\n\n/** Owned by ", b". */\npublic class Cart {\n");
    let total =
        format!("    int total(int pieces) {{\n        return pieces * {factor};\n    }}\n");
    [&before[..], name, after, b"    String owner = \"", name, b"\";\n\n", total.as_bytes(), b"}\n"]
        .concat()
}

/// Two commits; the second one breaks the total and renames the owner. `files` are in both.
fn shop(files: &[(&str, &str)], owners: [&[u8]; 2]) -> TempDir {
    let dir = repository();
    for (name, content) in files {
        write(dir.path(), name, content);
    }
    commit(dir.path(), "one", &[(CART, cart("10", owners[0]))]);
    commit(dir.path(), "two", &[(CART, cart("11", owners[1]))]);
    dir
}

const BISECT: [&str; 5] = ["bisect", "--good", "HEAD~1", "--test", "shop.CartTest"];

/// The fix is the one number, and it applies to the byte.
fn is_mended_by_one_number(dir: &TempDir, owner: &[u8], words: &[&str]) {
    let ran = mend_untouched(dir.path(), &[&BISECT[..], &["--format", "json"]].concat());
    ran.says(0, words);
    assert_eq!(ran.json()["fix"]["tokens"], 2);
    git(dir.path(), &["apply", run_folder(dir.path()).join("fix.patch").to_str().unwrap()]);
    assert_eq!(fs::read(dir.path().join(CART)).unwrap(), cart("10", owner));
}

/// A folder for `PATH` that leads to git and to nothing else.
fn only_git(home: &Path) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|dir| dir.join("git")).find(|git| git.is_file());
    let bin = home.join("only-git");
    executable(&bin.join("git"), &format!("#!/bin/sh\nexec '{}' \"$@\"\n", git.unwrap().display()));
    bin
}

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn without_a_jdk_it_says_what_to_install() {
    let dir = shop(&[(TEST, MAIN_TEST)], [b"A", b"B"]);
    let home = tempfile::tempdir().unwrap();
    let bin = only_git(home.path());
    let run = |java_home: &Path| {
        let mut command = program(dir.path());
        command.args(BISECT).env("PATH", &bin).env("JAVA_HOME", java_home);
        untouched(dir.path(), &mut command)
    };
    let install = "help: install JDK 8 or newer (on Debian: apt-get install default-jdk-headless)";
    let none = home.path().join("none");
    let error = format!("error: no JDK found: {} contains neither", none.display());
    run(&none).says(4, &[&error, install]);
    let runtime = home.path().join("jre");
    executable(&runtime.join("bin/java"), "#!/bin/sh\n");
    let error = format!("{} is a Java runtime without the compiler `javac`", runtime.display());
    run(&runtime).says(4, &[&error, install]);
}

#[test]
fn a_library_that_is_nowhere_is_told_with_the_compiler_s_words() {
    let cart = "package shop;\n\nimport org.nowhere.Thing;\n\nclass Cart {}\n";
    let dir = repository();
    commit(dir.path(), "one", &[(CART, cart), (TEST, MAIN_TEST)]);
    commit(dir.path(), "two", &[(CART, cart.replace("{}", "{ int x; }"))]);
    let ran = mend_untouched(dir.path(), &BISECT);
    let error = "error: good (HEAD~1) does not build\n  \
        | src/main/java/shop/Cart.java:3: error: package org.nowhere does not exist\n  \
        | import org.nowhere.Thing;\n";
    ran.says(4, &[error, "help: check that it builds by hand; name jars with --classpath"]);
}

#[test]
fn a_source_folder_that_is_not_there_is_named() {
    let dir = shop(&[(TEST, MAIN_TEST)], [b"A", b"B"]);
    let ran = mend_untouched(dir.path(), &[&BISECT[..], &["--source", "none"]].concat());
    ran.says(4, &["error: no Java sources found in none\nhelp: name the source folder with"]);
}

#[test]
fn a_source_folder_is_found_in_the_versions_if_the_work_tree_lacks_it() {
    let dir = shop(&[(TEST, MAIN_TEST)], [b"A", b"B"]);
    fs::remove_dir_all(dir.path().join("src")).unwrap();
    let ran = mend_untouched(dir.path(), &[&BISECT[..], &["--source", "src/main/java"]].concat());
    ran.says(0, &["pass       fix.patch on a clean checkout"]);
}

#[test]
fn a_library_that_the_build_names_and_that_is_not_here_is_named() {
    let dependency = "<dependency><groupId>org.nowhere</groupId><artifactId>thing</artifactId>\
        <version>1.0</version></dependency>";
    let pom = pom(dependency);
    let dir = repository();
    let cart = "package shop;\n\nimport org.nowhere.Thing;\n\nclass Cart {}\n";
    commit(dir.path(), "one", &[("pom.xml", pom.as_str()), (CART, cart), (TEST, MAIN_TEST)]);
    commit(dir.path(), "two", &[(CART, cart.replace("{}", "{ int x; }"))]);
    let ran = mend_untouched(dir.path(), &BISECT);
    let remedy = "help: missing on this machine: org.nowhere:thing:1.0; download them with your build tool, or name the jars \
        with --classpath";
    ran.says(4, &["package org.nowhere does not exist", remedy]);
}

#[test]
fn latin_1_sources_are_compiled_and_fixed_to_the_byte() {
    let owners: [&[u8]; 2] = [b"J\xfcrgen", b"Ren\xe9"];
    let dir = shop(&[(TEST, MAIN_TEST)], owners);
    let note = "note: not all sources are UTF-8 and the build names no encoding: they are read as \
        ISO-8859-1\n";
    is_mended_by_one_number(&dir, owners[1], &[note]);
}

fn pom(dependency: &str) -> String {
    format!(
        "<project>\n<modelVersion>4.0.0</modelVersion>\n<groupId>shop</groupId>\n\
         <artifactId>shop</artifactId>\n<version>1</version>\n\
         <dependencies>{dependency}</dependencies>\n</project>\n"
    )
}

#[test]
fn a_maven_project_with_junit_4_is_read_and_mended() {
    let dependency = "<dependency><groupId>junit</groupId><artifactId>junit</artifactId>\
        <version>4.13.2</version><scope>test</scope></dependency>";
    let test = "package shop;\n\nimport static org.junit.Assert.assertEquals;\n\n\
        import org.junit.Test;\n\npublic class CartTest {\n    @Test\n    \
        public void total() {\n        assertEquals(20, new Cart().total(2));\n    }\n}\n";
    let dir = shop(&[("pom.xml", &pom(dependency)), (TEST, test)], [b"A", b"B"]);
    is_mended_by_one_number(&dir, b"B", &["shop.CartTest#total throws java.lang.AssertionError"]);
}

#[test]
fn a_gradle_project_with_junit_5_and_no_wrapper_is_read_and_mended() {
    let script = "plugins {\n    id 'java'\n}\n\nrepositories {\n    mavenCentral()\n}\n\n\
        dependencies {\n    testImplementation 'org.junit.jupiter:junit-jupiter:5.9.2'\n}\n\n\
        test {\n    useJUnitPlatform()\n}\n";
    let test = "package shop;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\n\
        import org.junit.jupiter.api.Test;\n\nclass CartTest {\n    @Test\n    \
        void total() {\n        assertEquals(20, new Cart().total(2));\n    }\n}\n";
    let dir = shop(&[("build.gradle", script), (TEST, test)], [b"A", b"B"]);
    let symptom = "shop.CartTest#total throws org.opentest4j.AssertionFailedError";
    is_mended_by_one_number(&dir, b"B", &[symptom]);
}
