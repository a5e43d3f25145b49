use super::*;
use crate::Jdk;
use crate::ProjectOptions;
use tempfile::TempDir;

const JUPITER_IMPORT: &str = "import org.junit.jupiter.api.*; ";

fn create_tree(files: &[(&str, &str)]) -> TempDir {
    let tree = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = tree.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    tree
}

fn select_one(tree: &TempDir, selector: &str) -> Result<Selection> {
    let jdk = Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() };
    let project = Project::read_files(tree.path(), &ProjectOptions::default(), &jdk).unwrap();
    select_tests(&project, tree.path(), &[selector.parse().unwrap()])
        .map(|mut found| found.remove(0))
}

fn class_names(selection: &Selection) -> Vec<&str> {
    selection.classes.iter().map(|class| class.name.as_str()).collect()
}

fn suggestions(problem: &Problem) -> &[String] {
    match problem {
        Problem::NoSuchTest { near, .. } => near,
        other => panic!("{other:?}"),
    }
}

#[test]
fn glob_selects_tests_but_not_helpers_or_abstract_classes() {
    let tree = create_tree(&[
        ("src/a/A.java", "package a; class A {}"),
        (
            "test/a/ATest.java",
            &format!("package a; {JUPITER_IMPORT}class ATest {{ @Test void t() {{}} }}"),
        ),
        ("test/a/b/OldTest.java", "package a.b; class OldTest extends junit.framework.TestCase {}"),
        ("test/a/Helper.java", &format!("package a; {JUPITER_IMPORT}class Helper {{}}")),
        ("test/a/Tool.java", "package a; class Tool { public static void main(String[] x) {} }"),
        (
            "test/a/BaseTest.java",
            &format!(
                "package a; {JUPITER_IMPORT}abstract class BaseTest {{ @Test void t() {{}} }}"
            ),
        ),
    ]);
    let selection = select_one(&tree, "a.*").unwrap();
    assert_eq!(class_names(&selection), ["a.ATest", "a.b.OldTest"]);
    assert_eq!(selection.classes[0].framework, Framework::JUnitPlatform);
    assert_eq!(selection.classes[1].framework, Framework::JUnit4);
    assert_eq!(selection.classes[1].source, PathBuf::from("test/a/b/OldTest.java"));
}

#[test]
fn unknown_class_gets_suggestions() {
    let tree = create_tree(&[
        ("src/a/A.java", "package a; class A {}"),
        (
            "test/a/ParserTest.java",
            &format!("package a; {JUPITER_IMPORT}class ParserTest {{ @Test void t() {{}} }}"),
        ),
    ]);
    for selector in ["a.ParseTest", "b.ParserTest#t"] {
        assert_eq!(
            suggestions(&select_one(&tree, selector).unwrap_err()),
            ["a.ParserTest"],
            "{selector}"
        );
    }
}

#[test]
fn simple_name_selects_the_only_class_that_has_it() {
    let parser_test = |package: &str| {
        format!("package {package}; {JUPITER_IMPORT}class ParserTest {{ @Test void t() {{}} }}")
    };
    let tree = create_tree(&[("test/a/ParserTest.java", &parser_test("a"))]);
    assert_eq!(class_names(&select_one(&tree, "ParserTest#t").unwrap()), ["a.ParserTest"]);
    let tree = create_tree(&[
        ("test/a/ParserTest.java", &parser_test("a")),
        ("test/b/ParserTest.java", &parser_test("b")),
    ]);
    let error = select_one(&tree, "ParserTest").unwrap_err();
    assert_eq!(suggestions(&error), ["a.ParserTest", "b.ParserTest"]);
}

#[test]
fn unknown_method_gets_suggestions() {
    let tree = create_tree(&[(
        "test/ATest.java",
        &format!(
            "{JUPITER_IMPORT}class ATest {{ @Test void reads() {{}} @Test void other() {{}} }}"
        ),
    )]);
    assert_eq!(suggestions(&select_one(&tree, "ATest#read").unwrap_err()), ["ATest#reads"]);
    assert!(select_one(&tree, "ATest#rea*").is_ok());
    assert!(select_one(&tree, "ATest#reads[2]").is_ok());
}

#[test]
fn inherited_method_is_selectable() {
    let tree = create_tree(&[
        (
            "test/a/Base.java",
            &format!("package a; {JUPITER_IMPORT}public class Base {{ @Test void t() {{}} }}"),
        ),
        ("test/b/ATest.java", "package b; import a.Base; class ATest extends Base {}"),
        ("test/b/FarTest.java", "package b; class FarTest extends org.junit.Far {}"),
    ]);
    let selection = select_one(&tree, "b.ATest#t").unwrap();
    assert_eq!(selection.classes[0].framework, Framework::JUnitPlatform);
    assert!(select_one(&tree, "b.ATest#u").is_err());
    assert!(select_one(&tree, "b.FarTest#unknown").is_ok());
}

#[test]
fn nested_class_is_found_in_the_file_of_its_outer_class() {
    let tree = create_tree(&[(
        "test/ATest.java",
        &format!("{JUPITER_IMPORT}class ATest {{ @Nested class Inner {{ @Test void t() {{}} }} }}"),
    )]);
    let selection = select_one(&tree, "ATest$Inner#t").unwrap();
    assert_eq!(class_names(&selection), ["ATest$Inner"]);
    assert_eq!(selection.classes[0].source, PathBuf::from("test/ATest.java"));
    assert!(select_one(&tree, "ATest$Outer").is_err());
    assert_eq!(class_names(&select_one(&tree, "A*").unwrap()), ["ATest"]);
}

#[test]
fn main_method_is_the_test_without_a_framework() {
    let tree = create_tree(&[(
        "check/Check.java",
        "package check; public class Check { public static void main(String[] args) {} }",
    )]);
    let selection = select_one(&tree, "check.Check").unwrap();
    assert_eq!(selection.classes[0].framework, Framework::Main);
}

#[test]
fn testng_tests_are_recognised_by_annotations() {
    let tree = create_tree(&[
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
    let selection = select_one(&tree, "*Test").unwrap();
    assert_eq!(class_names(&selection), ["ATest", "BTest"]);
    assert!(selection.classes.iter().all(|class| class.framework == Framework::TestNg));
}
