//! Tests of `TestNG`.

use super::*;
use crate::{EngineChoice, ExecutionMode, ResidentEngine};

const TEST: (&str, &str) = (
    "test/a/CodeTest.java",
    "package a; import org.testng.annotations.*; import static org.testng.Assert.*; public class CodeTest {\n\
     @DataProvider public Object[][] numbers() { return new Object[][] {{2}, {3}}; }\n\
     @Test(dataProvider = \"numbers\") public void many(int x) { assertEquals(Code.two(), x); }\n\
     @Test public void fails() { assertEquals(Code.two(), 3); }\n\
     @Test(dependsOnMethods = \"fails\") public void needs() {}\n\
     @Test(dependsOnMethods = \"passes\") public void follows() {}\n\
     @Test public void passes() {}\n\
     @Test(expectedExceptions = IllegalStateException.class) public void expects() {\n\
     throw new IllegalStateException(); }\n\
     @Test(enabled = false) public void off() { fail(); }\n\
     @Test public void assumes() { throw new org.testng.SkipException(\"no\"); } }",
);

fn bench() -> EngineFixture {
    let files = [
        CODE,
        TEST,
        (
            "test/a/SetUpTest.java",
            "package a; import org.testng.annotations.*; @Test public class SetUpTest {\n\
             @BeforeClass public void up() { throw new IllegalStateException(\"no\"); }\n\
             public void t() {} }",
        ),
    ];
    EngineFixture::new(&files).with_libraries(&["testng", "jcommander", "slf4j-api"])
}

#[test]
fn testng_tests_are_told_one_by_one_by_both_engines() {
    let bench = bench();
    let all = [
        ("a.CodeTest#assumes", "skipped"),
        ("a.CodeTest#expects", "passed"),
        ("a.CodeTest#fails", "failed"),
        ("a.CodeTest#follows", "passed"),
        ("a.CodeTest#many[1]", "passed"),
        ("a.CodeTest#many[2]", "failed"),
        ("a.CodeTest#needs", "skipped"),
        ("a.CodeTest#passes", "passed"),
    ];
    assert_eq!(test_statuses(bench.run("a.CodeTest")), expected(&all));
    let resident = ResidentEngine::new(bench.engine(&["a.CodeTest"]), EngineChoice::Resident, 1);
    for _ in 0..3 {
        let judged = bench.execute(&resident);
        assert_eq!(test_statuses(judged.outcome), expected(&all));
    }
    let judged = bench.execute(&resident);
    assert_eq!(judged.rung, ExecutionMode::Loader);
    assert_eq!(judged.notes, Vec::<String>::new());
}

#[test]
fn testng_methods_run_with_what_they_need_and_tell_of_themselves_alone() {
    let bench = bench();
    let run = |test: &str| test_statuses(bench.run(test));
    assert_eq!(run("a.CodeTest#follows"), expected(&[("a.CodeTest#follows", "passed")]));
    assert_eq!(run("a.CodeTest#needs"), expected(&[("a.CodeTest#needs", "skipped")]));
    let many = [("a.CodeTest#many[1]", "passed"), ("a.CodeTest#many[2]", "failed")];
    assert_eq!(run("a.CodeTest#many"), expected(&many));
    let thrown = failure(bench.run("a.CodeTest#fails"));
    assert_eq!(thrown.exception, "java.lang.AssertionError");
    assert!(thrown.frames.iter().any(|frame| frame.class == "a.CodeTest" && frame.line == Some(4)));
    let set_up = [("a.SetUpTest", "failed"), ("a.SetUpTest#t", "skipped")];
    assert_eq!(run("a.SetUpTest"), expected(&set_up));
}

#[test]
fn a_failure_ends_a_run_of_testng_too() {
    let bench = bench();
    let order = TestOrder::default().failing_fast();
    let engine = bench.engine(&["a.CodeTest"]).with_order(order);
    let judged = test_statuses(bench.execute(&engine).outcome);
    assert_eq!(judged.iter().filter(|(_, how)| *how == "failed").count(), 1);
    assert_eq!(judged.last().unwrap().0, "a.CodeTest#fails");
}
