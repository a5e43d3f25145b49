use super::*;
use crate::Jdk;
use crate::ProjectOptions;
use tempfile::TempDir;

const JUPITER: &str = "import org.junit.jupiter.api.*; ";

fn tree(files: &[(&str, &str)]) -> TempDir {
    let tree = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = tree.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    tree
}

fn selected(tree: &TempDir, selector: &str) -> Result<Selection> {
    let jdk = Jdk { home: "/jdk".into(), version: 17, full: "17".into() };
    let project = Project::discover(tree.path(), &ProjectOptions::default(), &jdk).unwrap();
    select(&project, tree.path(), &[selector.parse().unwrap()]).map(|mut found| found.remove(0))
}

fn names(selection: &Selection) -> Vec<&str> {
    selection.classes.iter().map(|class| class.name.as_str()).collect()
}

fn near(problem: &Problem) -> &[String] {
    match problem {
        Problem::NoSuchTest { near, .. } => near,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_glob_takes_tests_and_leaves_helpers_and_abstract_classes() {
    let tree = tree(&[
        ("src/a/A.java", "package a; class A {}"),
        (
            "test/a/ATest.java",
            &format!("package a; {JUPITER}class ATest {{ @Test void t() {{}} }}"),
        ),
        ("test/a/b/OldTest.java", "package a.b; class OldTest extends junit.framework.TestCase {}"),
        ("test/a/Helper.java", &format!("package a; {JUPITER}class Helper {{}}")),
        ("test/a/Tool.java", "package a; class Tool { public static void main(String[] x) {} }"),
        (
            "test/a/BaseTest.java",
            &format!("package a; {JUPITER}abstract class BaseTest {{ @Test void t() {{}} }}"),
        ),
    ]);
    let selection = selected(&tree, "a.*").unwrap();
    assert_eq!(names(&selection), ["a.ATest", "a.b.OldTest"]);
    assert_eq!(selection.classes[0].framework, Framework::JUnitPlatform);
    assert_eq!(selection.classes[1].framework, Framework::JUnit4);
    assert_eq!(selection.classes[1].source, PathBuf::from("test/a/b/OldTest.java"));
}

#[test]
fn a_class_that_does_not_exist_brings_near_ones() {
    let tree = tree(&[
        ("src/a/A.java", "package a; class A {}"),
        (
            "test/a/ParserTest.java",
            &format!("package a; {JUPITER}class ParserTest {{ @Test void t() {{}} }}"),
        ),
    ]);
    for selector in ["a.ParseTest", "ParserTest", "b.ParserTest#t"] {
        assert_eq!(near(&selected(&tree, selector).unwrap_err()), ["a.ParserTest"], "{selector}");
    }
}

#[test]
fn a_method_that_does_not_exist_brings_near_ones() {
    let tree = tree(&[(
        "test/ATest.java",
        &format!("{JUPITER}class ATest {{ @Test void reads() {{}} @Test void other() {{}} }}"),
    )]);
    assert_eq!(near(&selected(&tree, "ATest#read").unwrap_err()), ["ATest#reads"]);
    assert!(selected(&tree, "ATest#rea*").is_ok());
    assert!(selected(&tree, "ATest#reads[2]").is_ok());
}

#[test]
fn a_method_may_come_from_a_superclass() {
    let tree = tree(&[
        (
            "test/a/Base.java",
            &format!("package a; {JUPITER}public class Base {{ @Test void t() {{}} }}"),
        ),
        ("test/b/ATest.java", "package b; import a.Base; class ATest extends Base {}"),
        ("test/b/FarTest.java", "package b; class FarTest extends org.junit.Far {}"),
    ]);
    let selection = selected(&tree, "b.ATest#t").unwrap();
    assert_eq!(selection.classes[0].framework, Framework::JUnitPlatform);
    assert!(selected(&tree, "b.ATest#u").is_err());
    assert!(selected(&tree, "b.FarTest#unknown").is_ok());
}

#[test]
fn a_nested_class_lies_in_its_outer_classes_file() {
    let tree = tree(&[(
        "test/ATest.java",
        &format!("{JUPITER}class ATest {{ @Nested class Inner {{ @Test void t() {{}} }} }}"),
    )]);
    let selection = selected(&tree, "ATest$Inner#t").unwrap();
    assert_eq!(names(&selection), ["ATest$Inner"]);
    assert_eq!(selection.classes[0].source, PathBuf::from("test/ATest.java"));
    assert!(selected(&tree, "ATest$Outer").is_err());
    assert_eq!(names(&selected(&tree, "A*").unwrap()), ["ATest"]);
}

#[test]
fn without_a_framework_a_main_method_is_the_test() {
    let tree = tree(&[(
        "check/Check.java",
        "package check; public class Check { public static void main(String[] args) {} }",
    )]);
    let selection = selected(&tree, "check.Check").unwrap();
    assert_eq!(selection.classes[0].framework, Framework::Main);
}

#[test]
fn tests_of_testng_are_known_by_the_annotations_of_methods_and_classes() {
    let tree = tree(&[
        (
            "test/ATest.java",
            "import org.testng.annotations.*; public class ATest { @Test public void t() {} }",
        ),
        (
            "test/BTest.java",
            "@org.testng.annotations.Test public class BTest { public void t() {} }",
        ),
        ("test/CTest.java", "import org.testng.Assert; public class CTest { void help() {} }"),
    ]);
    let selection = selected(&tree, "*Test").unwrap();
    assert_eq!(names(&selection), ["ATest", "BTest"]);
    assert!(selection.classes.iter().all(|class| class.framework == Framework::TestNg));
}
