//! Both engines on tests of `TestNG`.

use super::*;
use crate::{EngineChoice, ExecutionMode, ResidentEngine};

const TEST_SOURCE: (&str, &str) = (
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

fn test_ng_fixture() -> EngineFixture {
    let files = [
        CODE_SOURCE,
        TEST_SOURCE,
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
fn both_engines_report_testng_tests_individually() {
    let fixture = test_ng_fixture();
    let all_statuses = [
        ("a.CodeTest#assumes", "skipped"),
        ("a.CodeTest#expects", "passed"),
        ("a.CodeTest#fails", "failed"),
        ("a.CodeTest#follows", "passed"),
        ("a.CodeTest#many[1]", "passed"),
        ("a.CodeTest#many[2]", "failed"),
        ("a.CodeTest#needs", "skipped"),
        ("a.CodeTest#passes", "passed"),
    ];
    assert_eq!(test_statuses(fixture.run_selector("a.CodeTest")), expected_statuses(&all_statuses));
    let resident = ResidentEngine::new(fixture.engine(&["a.CodeTest"]), EngineChoice::Resident, 1);
    for _ in 0..3 {
        let execution = fixture.execute(&resident);
        assert_eq!(test_statuses(execution.outcome), expected_statuses(&all_statuses));
    }
    let execution = fixture.execute(&resident);
    assert_eq!(execution.mode, ExecutionMode::Loader);
    assert_eq!(execution.notes, Vec::<String>::new());
}

#[test]
fn testng_method_runs_with_its_dependencies_unreported() {
    let fixture = test_ng_fixture();
    let run = |test: &str| test_statuses(fixture.run_selector(test));
    assert_eq!(run("a.CodeTest#follows"), expected_statuses(&[("a.CodeTest#follows", "passed")]));
    assert_eq!(run("a.CodeTest#needs"), expected_statuses(&[("a.CodeTest#needs", "skipped")]));
    let many = [("a.CodeTest#many[1]", "passed"), ("a.CodeTest#many[2]", "failed")];
    assert_eq!(run("a.CodeTest#many"), expected_statuses(&many));
    let test_failure = first_failure(fixture.run_selector("a.CodeTest#fails"));
    assert_eq!(test_failure.exception, "java.lang.AssertionError");
    assert!(
        test_failure
            .frames
            .iter()
            .any(|frame| frame.class == "a.CodeTest" && frame.line == Some(4))
    );
    let set_up = [("a.SetUpTest", "failed"), ("a.SetUpTest#t", "skipped")];
    assert_eq!(run("a.SetUpTest"), expected_statuses(&set_up));
}

#[test]
fn fail_fast_stops_testng() {
    let fixture = test_ng_fixture();
    let order = TestOrder::default().with_fail_fast();
    let engine = fixture.engine(&["a.CodeTest"]).with_order(order);
    let statuses = test_statuses(fixture.execute(&engine).outcome);
    assert_eq!(statuses.iter().filter(|(_, how)| *how == "failed").count(), 1);
    assert_eq!(statuses.last().unwrap().0, "a.CodeTest#fails");
}
