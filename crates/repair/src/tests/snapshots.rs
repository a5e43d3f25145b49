//! Scores of conditions near a violation, and two-part conditions.

use super::*;

const TRUE_VALUE: &str = "Z1";
const FALSE_VALUE: &str = "Z0";

/// Returns the candidates at the end of a method for observed values of `p` and `q`.
fn candidates_for_values(
    method: &str,
    failing: &[[&'static str; 2]],
    passing: &[[&'static str; 2]],
) -> Vec<String> {
    let named = |[p, q]: &[&'static str; 2]| [("p", *p), ("q", *q)];
    let failing = failing.iter().map(|values| (true, named(values)));
    let all: Vec<_> = failing.chain(passing.iter().map(|values| (false, named(values)))).collect();
    let tests: Vec<TestObservation<'_>> =
        all.iter().map(|(failed, values)| (*failed, &values[..])).collect();
    candidates_with_observations(&class_with_method(method), "return 7", &tests)
}

fn contains_code(found: &[String], wanted: &str) -> bool {
    found.iter().any(|text| text.contains(&without_space(wanted)))
}

const METHOD_WITHOUT_IMPLICATION: &str = "int f(boolean p, boolean q) { drop(); return 7; }";

#[test]
fn conjunction_seen_by_failing_tests_only_is_condition() {
    let wanted = "if (q && p) { return 0; } return 7;";
    let apart = [[TRUE_VALUE, FALSE_VALUE], [FALSE_VALUE, TRUE_VALUE]];
    assert!(contains_code(
        &candidates_for_values(METHOD_WITHOUT_IMPLICATION, &[[TRUE_VALUE, TRUE_VALUE]], &apart),
        wanted
    ));
    // A passing test observed it too, or a single condition separates as well.
    assert!(!contains_code(
        &candidates_for_values(
            METHOD_WITHOUT_IMPLICATION,
            &[[TRUE_VALUE, TRUE_VALUE]],
            &[[TRUE_VALUE, TRUE_VALUE], [FALSE_VALUE, TRUE_VALUE]]
        ),
        wanted
    ));
    assert!(!contains_code(
        &candidates_for_values(
            METHOD_WITHOUT_IMPLICATION,
            &[[TRUE_VALUE, TRUE_VALUE]],
            &[[TRUE_VALUE, FALSE_VALUE], [FALSE_VALUE, FALSE_VALUE]]
        ),
        wanted
    ));
}

#[test]
fn implications_and_their_mutations_are_conditions() {
    let speaking = |said: &str| format!("int f(boolean p, boolean q) {{ {said} return 7; }}");
    let (failing, passing) = (
        [[TRUE_VALUE, TRUE_VALUE], [FALSE_VALUE, FALSE_VALUE], [FALSE_VALUE, TRUE_VALUE]],
        [[TRUE_VALUE, FALSE_VALUE]],
    );
    let wanted = "if (!p || q) { return 0; } return 7;";
    for said in [
        "if (!p || q) { drop(); }",
        "if (p || q) { drop(); }",
        "boolean r = p ? q : true;",
        "if (p) { if (!q) { throw new IllegalStateException(); } }",
        "if (p) if (q) throw new IllegalStateException();",
    ] {
        assert!(
            contains_code(&candidates_for_values(&speaking(said), &failing, &passing), wanted),
            "{said}"
        );
    }
    let implication = format!("//@ requires p ==> q;\n    {METHOD_WITHOUT_IMPLICATION}");
    assert!(contains_code(&candidates_for_values(&implication, &failing, &passing), wanted));
    assert!(!contains_code(
        &candidates_for_values(METHOD_WITHOUT_IMPLICATION, &failing, &passing),
        wanted
    ));
}

#[test]
fn statements_nearer_to_violation_are_more_suspicious() {
    let text = class_with_method(
        "int f(int a) {\n size = 1;\n size = 2;\n if (a > 3) {\n size = 3;\n }\n return all[a];\n }",
    );
    let facts = shared_server().analyse(&source_set(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let main = [(path.clone(), Code::new(&facts, &path, text.as_bytes()).unwrap())];
    let code = &main[0].1;
    let place =
        |written: &str| code.statements().find(|id| code.source_text(*id) == written).unwrap();
    let frame = Frame {
        class: "p.A".to_owned(),
        method: "f".to_owned(),
        file: None,
        line: Some(code.line(place("return all[a];"))),
    };
    let exception = "java.lang.ArrayIndexOutOfBoundsException".to_owned();
    let failure = Failure { exception, message: None, frames: vec![frame] };
    let status = TestStatus::Failed(failure);
    let result = TestResult::new("p.ATest#f", status);
    let sites: Vec<_> = code.statements().map(|statement| (0, statement)).collect();
    let found = rank_suspects(
        &main,
        &Contracts::from_files(&main),
        &sites,
        &StatementCoverage::default(),
        &[result],
        &Diagnosis::default(),
    );
    let score = |written: &str| {
        let at = place(written);
        found.iter().find(|one| one.statement == at).unwrap().score
    };
    assert!(score("size = 1;") < score("size = 2;") && score("size = 2;") < score("size = 3;"));
}

#[test]
fn statement_that_only_earlier_assertions_needed_is_less_suspicious() {
    let text = class_with_method(
        "int first() { size = 1; return 1; }\n    int second() { size = 2; return 2; }\n    int last() { size = 3; return 3; }",
    );
    let facts = shared_server().analyse(&source_set(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path, code)];
    let sites: Vec<_> = code.statements().map(|statement| (0, statement)).collect();
    let statement = |written: &str| {
        code.statements().find(|id| text[code.bytes(*id).start..].starts_with(written)).unwrap()
    };
    let probe =
        |written: &str| sites.iter().position(|(_, site)| *site == statement(written)).unwrap();
    let [first, second, last] = ["size = 1", "size = 2", "size = 3"].map(probe);
    let recorded = format!(
        "B\nT p.ATest#f\nH {first}\nH {second}\nH {last}\nL {first} 90\nL {second} 4\nL {last} 2\n"
    );
    let failure = Failure { exception: "E".to_owned(), message: None, frames: Vec::new() };
    let result = TestResult::new("p.ATest#f", TestStatus::Failed(failure));
    let found = rank_suspects(
        &main,
        &Contracts::from_files(&main),
        &sites,
        &StatementCoverage::read(&recorded),
        &[result],
        &Diagnosis::default(),
    );
    let score = |written: &str| {
        let at = statement(written);
        found.iter().find(|one| one.statement == at).map(|one| one.score)
    };
    let scores = ["size = 1", "size = 2", "size = 3"].map(score);
    assert!(scores[0] < scores[1] && scores[1] < scores[2] && scores[0].is_some(), "{scores:?}");
}

#[test]
fn guard_of_the_expected_exception_is_the_most_suspicious() {
    let text = class_with_method(
        "void f(int a) {\n size = 1;\n if (a > 3) {\n throw new IllegalArgumentException();\n }\n \
         if (a > 4) {\n throw new IllegalStateException();\n }\n if (a > 5)\n throw new RuntimeException();\n }",
    );
    let facts = shared_server().analyse(&source_set(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path, code)];
    let sites: Vec<_> = code.statements().map(|statement| (0, statement)).collect();
    let most_suspicious = |expected: &str| {
        let message = format!("Expected {expected} to be thrown, but nothing was thrown.");
        let exception = "org.opentest4j.AssertionFailedError".to_owned();
        let failure = Failure { exception, message: Some(message), frames: Vec::new() };
        let result = TestResult::new("p.ATest#f", TestStatus::Failed(failure.clone()));
        let found = rank_suspects(
            &main,
            &Contracts::from_files(&main),
            &sites,
            &StatementCoverage::default(),
            &[result],
            &Diagnosis::from_failures([&failure], &[]),
        );
        let best = found.iter().filter(|one| one.score > 0.99);
        best.map(|one| code.source_text(one.statement).split(" {").next().unwrap())
            .collect::<Vec<_>>()
    };
    let best = ["java.lang.IllegalStateException", "java.lang.IllegalArgumentException"]
        .map(most_suspicious);
    assert_eq!(best, [vec!["if (a > 4)"], vec!["if (b < 0)", "if (a > 3)"]]);
}

#[test]
fn condition_that_held_until_the_only_test_failed_is_proposed() {
    let method = "int f(int a, int b) { if (a == 0 || b == 0) { return 0; } return a / b; }";
    let both: [(&str, &str); 2] = [("a", "I0"), ("b", "I0")];
    let proposes_exit = |tests: &[TestObservation<'_>]| {
        let found = candidates_with_observations(&class_with_method(method), "return 0;", tests);
        let wanted = without_space("if (b == a) { return 1; } return 0;");
        found.iter().any(|text| text.contains(&wanted))
    };
    assert!(proposes_exit(&[(true, &both)]));
    // A passing test shows that the condition does not decide.
    assert!(!proposes_exit(&[(true, &both), (false, &both)]));
    // The condition did not hold at the failure.
    assert!(!proposes_exit(&[(true, &[("a", "I0"), ("b", "I2")])]));
}
