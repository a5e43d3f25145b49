//! Tests that are newer than the code: members of a test class that a version cannot compile, and its test framework.

use crate::support::{
    CommandOutput, JUNIT, commit, git, repository, run_folder, run_mend_keeping_repository, write,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const CODE: &str = "src/main/java/a/Code.java";
const TEST: &str = "src/test/java/a/CodeTest.java";

/// A class with a sum and further members.
fn code_source(sum: &str, members: &str) -> String {
    format!(
        "package a;\n\npublic class Code {{\n    public static int sum(int a, int b) {{\n        return {sum};\n    \
         }}\n{members}}}\n"
    )
}

const PRODUCT: &str =
    "\n    public static int product(int a, int b) {\n        return a * b;\n    }\n";

/// A class of `JUnit` 4 tests for the sum, with further members.
fn test_source(imports: &str, members: &str) -> String {
    format!(
        "package a;\n\nimport static org.junit.Assert.assertEquals;\n\n{imports}import org.junit.Before;\n\
         import org.junit.Test;\n\npublic class CodeTest {{\n    @Test\n    public void sum() {{\n        \
         assertEquals(5, Code.sum(2, expected()));\n    }}\n\n    private static int expected() {{\n        \
         return 3;\n    }}\n{members}}}\n"
    )
}

/// Members that need the product or the class `Shape`, neither of which the first version has.
const NEWER_MEMBERS: &str = "
    private static final Shape SHAPE = new Shape();
    private final int area = SHAPE.area();

    @Test
    public void product() {
        assertEquals(6, Code.product(2, 3));
    }

    @Test
    public void area() {
        assertEquals(area, four());
    }

    private int four() {
        return Code.product(2, 2);
    }

    private static final class Square extends Shape {
        int side = side(4);
    }
";

const SHAPE: (&str, &str) = (
    "src/main/java/a/b/Shape.java",
    "package a.b;\n\npublic class Shape {\n    public int area() {\n        return 4;\n    }\n\n    \
     protected int side(int area) {\n        return area / 2;\n    }\n}\n",
);

/// Five versions: the sum of the second last one is wrong, the test is as old as the last one.
fn newer_test_repository(test: &str) -> TempDir {
    let dir = repository();
    let old_test = test_source("", "");
    commit(dir.path(), "first", &[(CODE, code_source("a + b", "")), (TEST, old_test)]);
    commit(dir.path(), "product", &[(CODE, code_source("a + b", PRODUCT))]);
    commit(dir.path(), "shape", &[SHAPE]);
    commit(dir.path(), "wrong", &[(CODE, code_source("a - b", PRODUCT))]);
    commit(dir.path(), "test", &[(TEST, test)]);
    dir
}

fn bisect(dir: &Path, more: &[&str]) -> CommandOutput {
    bisect_from(dir, "HEAD~4", more)
}

fn bisect_from(dir: &Path, good: &str, more: &[&str]) -> CommandOutput {
    let options = ["bisect", "--good", good, "--classpath", JUNIT, "--format", "json"];
    run_mend_keeping_repository(dir, &[&options[..], more].concat())
}

fn assert_culprit_is(result: &Value, dir: &Path, revision: &str) {
    assert_eq!(result["culprit_commit"], git(dir, &["rev-parse", revision]), "{result:#}");
    assert_eq!(result["culprit"]["tokens"], 2, "{result:#}");
}

#[test]
fn unselected_members_that_do_not_compile_are_left_out() {
    let mut notes = Vec::new();
    for engine in ["resident", "process"] {
        let dir = newer_test_repository(&test_source("import a.b.Shape;\n", NEWER_MEMBERS));
        let output = bisect(dir.path(), &["--test", "CodeTest#sum", "--engine", engine]);
        output.assert_exit_and_stderr(0, &["left out where it does not compile: "]);
        let result = output.json();
        assert_culprit_is(&result, dir.path(), "HEAD~1");
        let unchecked = result["not_checked"].to_string();
        for member in ["SHAPE", "area", "product", "four"] {
            assert!(unchecked.contains(&format!("a.CodeTest#{member}")), "{unchecked}");
        }
        assert!(unchecked.contains("a.CodeTest$Square"), "{unchecked}");
        assert!(!unchecked.contains("a.CodeTest#sum"), "{unchecked}");
        assert!(!unchecked.contains("resident engine"), "{unchecked}");
        notes.push(unchecked);
        let run = run_folder(dir.path());
        assert!(
            fs::read_to_string(run.join("fix.patch")).unwrap().contains("+        return a + b;")
        );
    }
    assert_eq!(notes[0], notes[1]);
}

#[test]
fn selected_test_that_does_not_compile_on_good_is_the_reason() {
    let members = NEWER_MEMBERS.replace("private int four", "int four");
    let dir = newer_test_repository(&test_source("import a.b.Shape;\n", &members));
    let output = bisect(dir.path(), &["--test", "CodeTest#product"]);
    output.assert_exit_and_stderr(
        3,
        &[
            "error: baseline check failed: the selected tests do not compile on good (HEAD~4)\n",
            "CodeTest.java:24: error: cannot find symbol\n",
            "symbol:   method product(int,int)",
            "help: use a newer commit as --good",
        ],
    );
    assert!(!output.stderr.contains("a.b"), "{}", output.stderr);
    // Of a class that is selected as a whole, every test is.
    bisect(dir.path(), &["--test", "CodeTest"]).assert_exit_and_stderr(
        3,
        &["the selected tests do not compile on good", "help: select only the failing test, "],
    );
}

#[test]
fn selected_test_that_compiles_in_no_version_is_a_fault_of_bad() {
    let test = test_source("", "").replace("return 3;", "return Code.unknown(3);");
    let dir = newer_test_repository(&test);
    bisect(dir.path(), &["--test", "CodeTest#sum"]).assert_exit_and_stderr(
        4,
        &[
            "error: bad (HEAD) does not build\n",
            "symbol:   method unknown(int)",
            "help: if it builds",
        ],
    );
}

#[test]
fn code_that_a_selected_test_runs_with_is_never_left_out() {
    let set_up = "\n    @Before\n    public void setUp() {\n        Code.product(1, 1);\n    }\n";
    let constructor = "\n    public CodeTest() {\n        Code.product(1, 1);\n    }\n";
    let initialiser = "\n    static {\n        Code.product(1, 1);\n    }\n";
    let rule = "\n    @org.junit.Rule\n    public org.junit.rules.TestName name =\n        \
        new org.junit.rules.TestName() {\n            int product = Code.product(1, 1);\n        };\n";
    for member in [set_up, constructor, initialiser, rule] {
        let dir = newer_test_repository(&test_source("", member));
        let output = bisect(dir.path(), &["--test", "CodeTest#sum"]);
        output.assert_exit_and_stderr(3, &["the selected tests do not compile on good", "product"]);
    }
    let helper = test_source("", "").replace("return 3;", "return Code.product(3, 1);");
    let dir = newer_test_repository(&helper);
    let output = bisect(dir.path(), &["--test", "CodeTest#sum"]);
    output.assert_exit_and_stderr(3, &["the selected tests do not compile on good", "product"]);
}

#[test]
fn helper_classes_come_from_bad_and_lose_what_is_not_needed() {
    let helper = "package a;\n\nclass Numbers {\n    static int three() {\n        return 3;\n    }\n\n    \
        static int six() {\n        return Code.product(2, three());\n    }\n}\n";
    let other = "package a;\n\nclass Newer extends a.b.Shape {\n    static int six() {\n        \
        return 6;\n    }\n}\n";
    let product = "\n    @Test\n    public void product() {\n        \
        assertEquals(Newer.six(), Numbers.six());\n    }\n";
    let test = test_source("", product).replace("return 3;", "return Numbers.three();");
    let dir = newer_test_repository(&test);
    let files = [("src/test/java/a/Numbers.java", helper), ("src/test/java/a/Newer.java", other)];
    commit(dir.path(), "helpers", &files);
    let output = bisect_from(dir.path(), "HEAD~5", &["--test", "CodeTest#sum"]);
    output.assert_exit_and_stderr(0, &[]);
    assert_culprit_is(&output.json(), dir.path(), "HEAD~2");
}

#[test]
fn class_that_a_test_names_in_a_string_is_compiled() {
    let numbers = "package a;\n\npublic class Numbers implements java.util.function.IntSupplier {\n    \
        public int getAsInt() {\n        return 3;\n    }\n}\n";
    let reflection = "try {\n            Class<?> type = Class.forName(\"a.Numbers\");\n            \
        return ((java.util.function.IntSupplier) type.newInstance()).getAsInt();\n        \
        } catch (ReflectiveOperationException e) {\n            \
        throw new AssertionError(e);\n        }";
    for engine in ["resident", "process"] {
        let test = test_source("", "").replace("return 3;", reflection);
        let dir = newer_test_repository(&test);
        commit(dir.path(), "helper", &[("src/test/java/a/Numbers.java", numbers)]);
        let test = ["--test", "CodeTest#sum", "--engine", engine];
        let output = bisect_from(dir.path(), "HEAD~5", &test);
        output.assert_exit_and_stderr(0, &[]);
        assert_culprit_is(&output.json(), dir.path(), "HEAD~2");
    }
}

#[test]
fn commit_without_needed_api_is_skipped() {
    let dir = repository();
    let test = test_source("", "");
    let without_sum = code_source("a + b", "").replace("sum", "total");
    let others = |number: u32| format!("\n    static int other = {number};\n");
    let code = |sum: &str, number: u32| (CODE, code_source(sum, &others(number)));
    commit(dir.path(), "first", &[code("a + b", 1), (TEST, test)]);
    commit(dir.path(), "renamed", &[(CODE, without_sum)]);
    commit(dir.path(), "wrong", &[code("a - b", 1)]);
    commit(dir.path(), "other", &[code("a - b", 2)]);
    commit(dir.path(), "last", &[code("a - b", 3)]);
    let output = bisect(dir.path(), &["--test", "CodeTest#sum"]);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    assert_eq!(result["culprit"]["tokens"], 2, "{result:#}");
    let trials = fs::read_to_string(run_folder(dir.path()).join("trials.jsonl")).unwrap();
    assert!(trials.contains("\"phase\":\"tests_not_compiled\""), "{trials}");
}

fn pom(artifact: &str) -> String {
    format!(
        "<project>\n<modelVersion>4.0.0</modelVersion>\n<groupId>a</groupId>\n<artifactId>a</artifactId>\n\
         <version>1</version>\n<dependencies><dependency>{artifact}<scope>test</scope></dependency></dependencies>\n\
         </project>\n"
    )
}

const JUNIT_4: &str =
    "<groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>";
const JUNIT_5: &str = "<groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.9.2</version>";

#[test]
fn test_framework_that_good_lacks_comes_from_bad() {
    let test_4 = test_source("", "");
    let test_5 = test_4
        .replace("org.junit.Before", "org.junit.jupiter.api.BeforeEach")
        .replace("org.junit.Test", "org.junit.jupiter.api.Test")
        .replace("org.junit.Assert", "org.junit.jupiter.api.Assertions");
    for engine in ["resident", "process"] {
        let dir = repository();
        let first =
            [("pom.xml", pom(JUNIT_4)), (CODE, code_source("a + b", "")), (TEST, test_4.clone())];
        commit(dir.path(), "first", &first);
        commit(dir.path(), "product", &[(CODE, code_source("a + b", PRODUCT))]);
        commit(dir.path(), "wrong", &[(CODE, code_source("a - b", PRODUCT))]);
        commit(dir.path(), "framework", &[("pom.xml", pom(JUNIT_5)), (TEST, test_5.clone())]);
        let arguments = ["--good", "HEAD~3", "--test", "CodeTest", "--engine", engine];
        let options = ["bisect", "--format", "json", "--model", "files"];
        let output = run_mend_keeping_repository(dir.path(), &[&options[..], &arguments].concat());
        output.assert_exit_and_stderr(0, &["libraries of bad"]);
        let result = output.json();
        assert_culprit_is(&result, dir.path(), "HEAD~1");
        let unchecked = result["not_checked"].to_string();
        assert!(unchecked.contains("junit-jupiter-5.9.2"), "{unchecked}");
        assert!(!unchecked.contains("resident engine"), "{unchecked}");
    }
}

#[test]
fn patch_that_breaks_unselected_members_does_not_build() {
    let product = "\n    @Test\n    public void product() {\n        \
        assertEquals(6, Code.product(2, 3));\n    }\n";
    let dir = newer_test_repository(&test_source("", product));
    let pool = tempfile::tempdir().unwrap();
    for (name, members) in [("keeps", PRODUCT), ("breaks", "")] {
        write(dir.path(), CODE, code_source("a + b", members));
        write(pool.path(), &format!("{name}.patch"), git(dir.path(), &["diff"]) + "\n");
        git(dir.path(), &["checkout", "-q", "."]);
    }
    let pool_path = pool.path().to_str().unwrap();
    let arguments = [
        "validate",
        "--pool",
        pool_path,
        "--test",
        "CodeTest#sum",
        "--classpath",
        JUNIT,
        "--format",
        "json",
    ];
    let output = run_mend_keeping_repository(dir.path(), &arguments);
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    let verdict = |name: &str| {
        let patches = result["patches"].as_array().unwrap();
        let patch = patches.iter().find(|one| one["name"].as_str().unwrap().starts_with(name));
        patch.unwrap()["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!((verdict("keeps").as_str(), verdict("breaks").as_str()), ("pass", "unresolved"));
}

#[test]
fn test_of_the_work_tree_is_hinted_at() {
    let dir = newer_test_repository(&test_source("", "    // newer\n"));
    let test = test_source("", "").replace("CodeTest", "FreshTest");
    write(dir.path(), "src/test/java/a/FreshTest.java", &test);
    let output = bisect(dir.path(), &["--test", "FreshTest"]);
    let help = "help: the work tree has src/test/java/a/FreshTest.java, but bad (HEAD) does not: add --test-source \
        src/test/java\n";
    output.assert_exit_and_stderr(2, &["error: no test matches `FreshTest`", help]);
    let output = bisect(dir.path(), &["--test", "FreshTest", "--test-source", "src/test/java"]);
    output.assert_exit_and_stderr(0, &[]);
    assert_culprit_is(&output.json(), dir.path(), "HEAD~1");
    // The class is there, but not the method.
    let method = "\n    @Test\n    public void fresh() {\n        sum();\n    }\n";
    write(dir.path(), TEST, test_source("", method));
    let output = bisect(dir.path(), &["--test", "CodeTest#fresh"]);
    output.assert_exit_and_stderr(
        2,
        &[
            "no test matches `a.CodeTest#fresh`",
            "help: src/test/java/a/CodeTest.java differs in the work tree",
        ],
    );
}
