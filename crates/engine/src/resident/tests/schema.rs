//! Mutant schemata: many candidates in one build.

use super::*;
use mend_model::TestStatus;

const PROPERTY: &str = "git-mend.candidate";
const USE_FILE: &str = "src/a/Use.java";

/// Returns a schema whose candidates replace the number by these expressions.
fn schema(expressions: &[&str]) -> String {
    let case = |(number, expression): (usize, &&str)| {
        format!(
            "case {number}: return candidate{number}();|static int candidate{number}() {{ return {expression}; }}"
        )
    };
    let cases: Vec<String> = expressions.iter().enumerate().map(case).collect();
    let parts: Vec<(&str, &str)> = cases.iter().filter_map(|case| case.split_once('|')).collect();
    let calls: String = parts.iter().map(|(call, _)| *call).collect();
    let copies: String = parts.iter().map(|(_, copy)| *copy).collect();
    format!(
        "package a; class Use {{ static int number() {{ switch (Integer.parseInt(System.getProperty(\"{PROPERTY}\", \"-1 \").split(\" \")[0])) {{ {calls} }} \
         return 5; }} {copies} }} class Overdue extends Error {{ static int end() {{ throw new Overdue(); }} }}"
    )
}

fn test_schema(pair: &EnginePair, candidates: &[usize], is_over: &dyn Fn() -> bool) -> SchemaRun {
    let limits = Limits::default();
    let request = SchemaRequest {
        limits: &limits,
        property: PROPERTY,
        timeout_exception: "Overdue",
        candidates,
        is_over,
    };
    let tester = pair.resident.schema_tester().unwrap();
    tester.test_schema(pair.fixture.tree.path(), &request).unwrap()
}

#[test]
fn each_candidate_of_a_schema_is_tested() {
    let text = schema(&["6", "2 + 3", "7"]);
    let pair = EnginePair::new("a.T", &[(USE_FILE, &text), TEST_SOURCE]);
    let SchemaRun::Tested(executions) = test_schema(&pair, &[0, 1, 2], &|| false) else {
        panic!("not tested")
    };
    let message = |execution: &Execution| match &execution.outcome {
        Outcome::Tests { results } => match &results[0].status {
            TestStatus::Failed(failure) => failure.message.clone(),
            _ => None,
        },
        other => panic!("{other:?}"),
    };
    let messages: Vec<_> = executions.iter().map(|(at, one)| (*at, message(one))).collect();
    let expected = [(0, Some("it is 6".to_owned())), (1, None), (2, Some("it is 7".to_owned()))];
    assert_eq!(messages, expected);
    assert!(executions.iter().all(|(_, one)| one.mode == ExecutionMode::Schema));
    // No candidate is selected any more.
    assert!(pair.judge_with_both().outcome.is_pass());
}

#[test]
fn candidate_that_changes_the_jvm_or_ends_it_has_no_result() {
    let provider =
        "java.security.Security.addProvider(new java.security.Provider(\"Left\", 1.0, \"\") {})";
    let endless = "number()";
    let text = schema(&["6", provider, endless, "7"]);
    let pair = EnginePair::new("a.T", &[(USE_FILE, &text), TEST_SOURCE]);
    let SchemaRun::Tested(executions) = test_schema(&pair, &[0, 1, 2, 3], &|| false) else {
        panic!("not tested")
    };
    let tested: Vec<usize> = executions.iter().map(|(number, _)| *number).collect();
    assert_eq!(tested, [0, 3]);
}

#[test]
fn exception_of_a_schema_is_a_timeout() {
    let text = schema(&["Overdue.end()", "6"]);
    let pair = EnginePair::new("a.T", &[(USE_FILE, &text), TEST_SOURCE]);
    let SchemaRun::Tested(executions) = test_schema(&pair, &[0, 1], &|| false) else {
        panic!("not tested")
    };
    let [(0, overdue), (1, failed)] = &executions[..] else { panic!("{executions:?}") };
    let test = Some("a.T#main".to_owned());
    assert_eq!(overdue.outcome, Outcome::TimedOut { test, output: String::new() });
    assert!(matches!(failed.outcome, Outcome::Tests { .. }));
    assert_eq!((overdue.jvms, failed.jvms), (1, 0));
}

#[test]
fn unneeded_candidates_are_not_tested() {
    let text = schema(&["6", "7"]);
    let pair = EnginePair::new("a.T", &[(USE_FILE, &text), TEST_SOURCE]);
    let asked = std::cell::Cell::new(0);
    let is_over = || asked.replace(asked.get() + 1) > 0;
    let run = test_schema(&pair, &[0, 1], &is_over);
    assert!(matches!(run, SchemaRun::Tested(executions) if executions.len() == 1));
}

#[test]
fn errors_of_a_schema_have_positions() {
    let text = schema(&["6", "no", "7"]);
    let pair = EnginePair::new("a.T", &[(USE_FILE, &text), TEST_SOURCE]);
    let SchemaRun::NotBuilt(errors) = test_schema(&pair, &[0, 1, 2], &|| false) else {
        panic!("it is built")
    };
    let positions: Vec<_> = errors.iter().map(|one| (one.path.to_string(), one.byte)).collect();
    assert_eq!(positions, [(USE_FILE.to_owned(), text.find("no;").unwrap())]);
}
