//! Method coverage of tests, and the test order by coverage.

use super::*;
use crate::testing::{test_results, test_statuses};

/// Code of many kinds, each with a coverage probe.
const CODE_SOURCE: &str = r#"package a;
import java.util.function.*;
public class Code {
    private final int start;
    static final Supplier<String> NAME = () -> "name";
    Code(int start) { this(start, start > 0 ? 1 : 2); }
    Code(int start, int more) { super(); this.start = start; }
    int sum(int to) { int sum = start; for (int i = 0; i < to; i++) { sum += i; } return sum; }
    String word(int number) {
        switch (number) { case 1: return "one"; case 2: return "two"; case 70: return "seventy"; default: }
        switch (NAME.get() + number) { case "name3": return "three"; default: return "many"; }
    }
    static int guarded(String text) {
        try { return Integer.parseInt(text); } catch (NumberFormatException e) { return -1; }
        finally { synchronized (NAME) { NAME.get(); } }
    }
    static int loop(int n) { do { n /= 2; } while (n > 1); return n; }
    Runnable made() { return new Runnable() { public void run() { guarded("x"); } }; }
    interface Shape { default double area() { return 0.5; } }
    enum Kind implements Shape { SMALL, LARGE { public double area() { return 2; } } }
}"#;

fn test_class(name: &str, check: &str) -> (String, String) {
    let text = format!(
        "package a; public class {name} {{\n\
         @org.junit.Test public void t() {{ org.junit.Assert.assertTrue({check}); }} }}"
    );
    (format!("test/a/{name}.java"), text)
}

const JUNIT5_TEST: (&str, &str) = (
    "test/a/NewTest.java",
    "package a; import org.junit.jupiter.api.*; class NewTest {\n\
     @Test void t() { Assertions.assertEquals(1, Code.loop(9)); Code.Kind.LARGE.area(); } }",
);

fn new_pair() -> EnginePair {
    let tests = [
        test_class("ASumTest", "new Code(1).sum(3) == 4"),
        test_class(
            "BWordTest",
            "new Code(1).word(3) == \"three\" && new Code(1).word(70).length() == 7",
        ),
        test_class("CGuardTest", "Code.guarded(\"x\") == -1 && Code.Kind.SMALL.area() < 1"),
    ];
    let mut files = vec![("src/a/Code.java", CODE_SOURCE), JUNIT5_TEST];
    files.extend(tests.iter().map(|(file, text)| (file.as_str(), text.as_str())));
    EnginePair::new("a.*Test", &files)
}

fn measure_coverage(pair: &EnginePair) -> (Coverage, Execution) {
    let tree = pair.fixture.tree.path();
    let mut execution = pair.resident.measure(tree, &Limits::default()).unwrap().unwrap();
    (execution.coverage.take().unwrap(), execution)
}

#[test]
fn coverage_maps_test_classes_to_entered_methods() {
    let pair = new_pair();
    let (coverage, execution) = measure_coverage(&pair);
    assert_eq!(test_statuses(execution.outcome), test_statuses(pair.judge_with_both().outcome));
    let tree = pair.fixture.tree.path();
    let affected = |old: &str, new: &str| {
        assert!(CODE_SOURCE.contains(old));
        pair.fixture.write("src/a/Code.java", &CODE_SOURCE.replace(old, new));
        let tests = coverage.affected_tests(tree, &[tree.join("src/a/Code.java")]);
        tests.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(affected("sum += i", "sum -= i"), "a.ASumTest");
    assert_eq!(affected("\"three\"", "\"3\""), "a.BWordTest");
    assert_eq!(affected("return -1", "return -2"), "a.CGuardTest");
    assert_eq!(affected("n /= 2", "n /= 3"), "a.NewTest");
    assert_eq!(affected("return 0.5", "return 0.6"), "a.CGuardTest");
    assert_eq!(affected("= start", "= 1 + start"), "a.ASumTest a.BWordTest");
    let all = "a.ASumTest a.BWordTest a.CGuardTest a.NewTest";
    assert_eq!(affected("\"name\"", "\"\""), all);
    assert_eq!(affected("a", "a"), "");
}

#[test]
fn both_engines_run_affected_tests_first() {
    let pair = new_pair();
    let baseline = test_results(pair.judge_with_both().outcome);
    let (coverage, _) = measure_coverage(&pair);
    let order = TestOrder::from_results(&baseline).with_coverage(coverage).with_fail_fast();
    let engine = || pair.fixture.engine(&["a.*Test"]).with_order(order.clone());
    let resident = ResidentEngine::new(engine(), EngineChoice::Resident, 1);
    let process = engine();
    let engines: [&dyn Engine; 2] = [&resident, &process];
    for (old, new, test) in
        [("\"three\"", "\"3\"", "a.BWordTest#t"), ("return -1", "return 1", "a.CGuardTest#t")]
    {
        pair.fixture.write("src/a/Code.java", &CODE_SOURCE.replace(old, new));
        for engine in engines {
            let execution = pair.fixture.execute(engine);
            assert_eq!(test_statuses(execution.outcome), [(test.to_owned(), "failed")]);
        }
    }
}
