//! Candidates that add the guards which the Javadoc promises.

use super::*;

/// Returns the candidates after a test expected an exception that was not thrown.
fn candidates_of_missing_exception(method: &str) -> Vec<(LocatedCandidate, String)> {
    let message =
        "Expected java.lang.IllegalArgumentException to be thrown, but nothing was thrown.";
    let failure = Failure {
        exception: "org.opentest4j.AssertionFailedError".to_owned(),
        message: Some(message.to_owned()),
        frames: Vec::new(),
    };
    candidates_for_failure(&mut shared_server(), &class_with_method(method), &failure)
}

#[test]
fn documented_guard_is_the_first_candidate_of_its_operator() {
    let javadoc = "/** @throws IllegalArgumentException if {@code count} is negative or greater than limit */\n    ";
    let method = "void resize(int count, int limit) {\n        size = count;\n    }";
    let found = candidates_of_missing_exception(&format!("{javadoc}{method}"));
    let exits = found.iter().filter(|(one, _)| one.change.operator == FixOperator::EarlyExit);
    let exits = exits.map(|(_, text)| without_space(text.split("resize(").last().unwrap()));
    let first: Vec<String> = exits.filter(|text| text.contains("if(count")).take(2).collect();
    for guard in ["if (count < 0) {", "if (count > limit) {"] {
        let guard = without_space(&format!(
            "{guard} throw new IllegalArgumentException(\"b\"); }} size = count;"
        ));
        assert!(first.iter().any(|text| text.contains(&guard)), "{guard} in {first:?}");
    }
}

#[test]
fn guard_that_exists_is_not_proposed_again() {
    let javadoc = "/** @throws IllegalArgumentException if {@code count} is negative */\n    ";
    let guarded = "void resize(int count) {\n        if (count < 0) {\n            throw new IllegalArgumentException();\n        }\n        size = count;\n    }";
    let descriptions = |method: &str| {
        let found = candidates_of_missing_exception(method).into_iter();
        let guards = found.map(|(one, _)| one.change.description);
        guards.filter(|guard| guard.starts_with("`if (count < 0)")).collect::<Vec<_>>()
    };
    assert_eq!(descriptions(&format!("{javadoc}{guarded}")), descriptions(guarded));
}
