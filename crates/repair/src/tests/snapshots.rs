//! Suspicion near a violation, and two-part conditions.

use super::*;

const YES: &str = "Z1";
const NO: &str = "Z0";

/// Returns the candidates at the end of a method for observed values of `p` and `q`.
fn proposed_of(
    method: &str,
    failing: &[[&'static str; 2]],
    passing: &[[&'static str; 2]],
) -> Vec<String> {
    let named = |[p, q]: &[&'static str; 2]| [("p", *p), ("q", *q)];
    let failing = failing.iter().map(|values| (true, named(values)));
    let all: Vec<_> = failing.chain(passing.iter().map(|values| (false, named(values)))).collect();
    let tests: Vec<TestObservation<'_>> =
        all.iter().map(|(failed, values)| (*failed, &values[..])).collect();
    proposed_with(&class(method), "return 7", &tests)
}

fn has(found: &[String], wanted: &str) -> bool {
    found.iter().any(|text| text.contains(&squeezed(wanted)))
}

const PLAIN: &str = "int f(boolean p, boolean q) { drop(); return 7; }";

#[test]
fn what_only_failing_tests_saw_together_is_a_condition() {
    let wanted = "if (q && p) { return 0; } return 7;";
    let apart = [[YES, NO], [NO, YES]];
    assert!(has(&proposed_of(PLAIN, &[[YES, YES]], &apart), wanted));
    // A passing test observed it too, or a single condition separates as well.
    assert!(!has(&proposed_of(PLAIN, &[[YES, YES]], &[[YES, YES], [NO, YES]]), wanted));
    assert!(!has(&proposed_of(PLAIN, &[[YES, YES]], &[[YES, NO], [NO, NO]]), wanted));
}

#[test]
fn an_implication_that_a_routine_speaks_of_is_a_condition_and_so_are_its_mutations() {
    let speaking = |said: &str| format!("int f(boolean p, boolean q) {{ {said} return 7; }}");
    let (failing, passing) = ([[YES, YES], [NO, NO], [NO, YES]], [[YES, NO]]);
    let wanted = "if (!p || q) { return 0; } return 7;";
    for said in [
        "if (!p || q) { drop(); }",
        "if (p || q) { drop(); }",
        "boolean r = p ? q : true;",
        "if (p) { if (!q) { throw new IllegalStateException(); } }",
        "if (p) if (q) throw new IllegalStateException();",
    ] {
        assert!(has(&proposed_of(&speaking(said), &failing, &passing), wanted), "{said}");
    }
    let promised = format!("//@ requires p ==> q;\n    {PLAIN}");
    assert!(has(&proposed_of(&promised, &failing, &passing), wanted));
    assert!(!has(&proposed_of(PLAIN, &failing, &passing), wanted));
}

#[test]
fn of_the_statements_of_a_routine_those_are_suspected_more_that_lead_to_what_was_violated() {
    let text = class(
        "int f(int a) {\n size = 1;\n size = 2;\n if (a > 3) {\n size = 3;\n }\n return all[a];\n }",
    );
    let facts = server().facts(&sources(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let main = [(path.clone(), Code::new(&facts, &path, text.as_bytes()).unwrap())];
    let code = &main[0].1;
    let place = |written: &str| code.statements().find(|id| code.written(*id) == written).unwrap();
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
    let (contracts, breaches) = (Contracts::from_files(&main), PostconditionViolations::default());
    let found =
        suspects(&main, &contracts, &sites, &StatementCoverage::default(), &[result], &breaches);
    let score = |written: &str| {
        let at = place(written);
        found.iter().find(|one| one.statement == at).unwrap().score
    };
    assert!(score("size = 1;") < score("size = 2;") && score("size = 2;") < score("size = 3;"));
}
