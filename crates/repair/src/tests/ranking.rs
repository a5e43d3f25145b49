//! Ranking of candidates, and edits that are not proposed.

use super::*;
use mend_model::Frame;

#[test]
fn edit_that_leaves_variable_unused_ranks_lower() {
    let score = |method: &str| {
        let text = class_with_method(&format!(
            "boolean has(String s) {{ return s.isEmpty(); }}\n    {method}"
        ));
        let found = candidates_for_exception(&text, "java.lang.AssertionError");
        let is_meant = |text: &str| text.contains("names) { if (has(aim))");
        found.iter().find(|(_, text)| is_meant(text)).unwrap().0.change.score
    };
    let method = "boolean f(String aim) { for (String s : names) { if (has(s)) { return true; } } return false; }";
    assert!(score(method) < 0.2);
    let method = method.replace("return true;", "return s == aim;");
    assert!(score(&method) > 0.2);
}

/// Returns the score of a candidate whose result contains a text.
fn score_of(method: &str, wanted: &str) -> Option<f64> {
    let found = candidates_for_exception(
        &class_with_method(method),
        "java.lang.StringIndexOutOfBoundsException",
    );
    let mut all =
        found.into_iter().filter(|(_, text)| without_space(text).contains(&without_space(wanted)));
    all.next().map(|(one, _)| one.change.score)
}

#[test]
fn result_of_same_method_is_preferred_replacement() {
    let method = "int of(String s) { return s.length(); }\n    \
                  int f(String s, String t) { int n = of(s); int k = 3; return of(t) * k * n; }";
    assert!(score_of(method, "return n * k * n") > score_of(method, "return k * k * n"));
}

#[test]
fn unconditional_loop_exit_ranks_low() {
    let method = "int f(int[] a) { for (int i = 0; i < 3; i++) { size += a[size]; } return size; }";
    let other = score_of(method, "size += a[i]").unwrap();
    assert!(score_of(method, "a[size]; break;").unwrap() < other / 2.0);
    assert_eq!(score_of(method, "a[size]; continue;"), None);
    let inner = "int f(int[] a) { for (int i = 0; i < 3; i++) { if (i > 1) { size += a[size]; } } return size; }";
    let (often, seldom) = (score_of(inner, "a[size]; break;"), score_of(method, "a[size]; break;"));
    assert!(often > seldom, "{often:?} {seldom:?}");
}

#[test]
fn violation_that_no_failing_test_observed_is_not_checked() {
    let method = "String f(String s, int from, int to) { return s.substring(from, to); }";
    let visit = |from: &'static str, to: &'static str| {
        [("s", "S3:1"), ("s.length()", "I3"), ("from", from), ("to", to)]
    };
    let (failing, passing) = (visit("I2", "I-1"), visit("I0", "I2"));
    let found = candidates_with_exception_and_observations(
        "java.lang.StringIndexOutOfBoundsException",
        &class_with_method(method),
        "return s.sub",
        &[(true, &failing), (false, &passing)],
    );
    let has = |wanted: &str| found.iter().any(|text| text.contains(&without_space(wanted)));
    assert!(has("if (to < 0) { return \"\"; }"));
    assert!(!has("if (from > s.length()) { return \"\"; }"));
}

#[test]
fn neighbouring_guard_that_no_failing_test_enters_is_not_repeated() {
    let method = "int f(int n, int k) { if (n == 7) { return 1; } size = n; return all[n + k]; }";
    let visit = |n: &'static str| [("n", n), ("k", "I1")];
    let has_guard = |n: &'static str| {
        let tests: [TestObservation<'_>; 1] = [(true, &visit(n))];
        let text = class_with_method(method);
        let found = candidates_with_observations(&text, "size = n", &tests);
        let wanted = without_space("if (n == 7) { return 1; } if (n == 7) { return 1; } size");
        found.iter().any(|text| text.contains(&wanted))
    };
    assert!(has_guard("I7"));
    assert!(!has_guard("I3"));
}

#[test]
fn expected_exception_is_thrown_by_its_factory_method() {
    let text = class_with_method(
        "int f(String s, int n) throws BadException { return s.charAt(n); }",
    ) + "class BadException extends Exception { private BadException() { } static BadException create() { return new BadException(); } }\n";
    let message = "Unexpected exception type thrown, expected: <p.BadException> but was: \
                   <java.lang.StringIndexOutOfBoundsException>";
    let failure = Failure {
        exception: "org.opentest4j.AssertionFailedError".to_owned(),
        message: Some(message.to_owned()),
        frames: Vec::new(),
    };
    let found = candidates_for_failure(&mut shared_server(), &text, &failure);
    let position = |exit: &str| {
        let wanted = without_space(&format!("if (n >= s.length()) {{ {exit} }}"));
        found.iter().position(|(_, text)| without_space(text).contains(&wanted))
    };
    let (thrown, returned) = (position("throw BadException.create();"), position("return 0;"));
    assert!(thrown.is_some() && thrown < returned, "{thrown:?} {returned:?}");
}

/// Returns the candidates for a method if an assertion failed with a message, as positions and scores by text.
fn candidates_for_message(method: &str, message: &str) -> Vec<(String, f64)> {
    let failure = Failure {
        exception: "org.opentest4j.AssertionFailedError".to_owned(),
        message: Some(message.to_owned()),
        frames: Vec::new(),
    };
    let text = class_with_method(method);
    let found = candidates_for_failure(&mut shared_server(), &text, &failure).into_iter();
    found.map(|(one, text)| (without_space(&text), one.change.score)).collect()
}

#[test]
fn constant_that_a_test_expects_is_the_first_result() {
    let method = "double f(String s, double a) { return a / s.length(); }";
    for (expected, first, second) in [("1.0", "1", "0"), ("0.0", "0", "1")] {
        let message = format!("expected: <{expected}> but was: <NaN>");
        let found = candidates_for_message(method, &message);
        let position = |result: &str| {
            let wanted = without_space(&format!("if (s.isEmpty()) {{ return {result}; }}"));
            found.iter().position(|(text, _)| text.contains(&wanted))
        };
        let (first, second) = (position(first), position(second));
        assert!(first.is_some() && second.is_some() && first < second, "{first:?} {second:?}");
    }
}

#[test]
fn null_result_becomes_the_value_that_a_test_expects() {
    let has = |method: &str, message: &str, result: &str| {
        let wanted = without_space(&format!("return {result};"));
        candidates_for_message(method, message).iter().any(|(text, _)| text.contains(&wanted))
    };
    let removed = "String f() { return names.remove(0); }";
    let with_default = "Objects.toString(names.remove(0), \"\")";
    assert!(has(removed, "expected: <> but was: <null>", with_default));
    assert!(has(removed, "\nExpected: \"\"\n     but: was null", with_default));
    assert!(!has(removed, "expected: <> but was: <a>", with_default));
    let field = "Map<String, String> f() { return map; }";
    assert!(has(field, "expected: not <null>", "map == null ? new HashMap<>() : map"));
}

#[test]
fn other_result_ranks_above_the_neighbour_of_a_named_constant() {
    let method =
        "static final int END = -1;\n    int f(int n) { if (n == 0) { return END; } return n; }";
    let found = candidates_for_message(method, "expected: <0> but was: <-1>");
    let score = |result: &str| {
        let wanted = without_space(&format!("if (n == 0) {{ return {result}; }} return n; }} }}"));
        found.iter().find(|(text, _)| text.contains(&wanted)).map(|one| one.1)
    };
    let [zero, sum, other] = ["0", "END + 1", "1"].map(score);
    assert!(
        zero > sum && zero > other && sum.is_some() && other.is_some(),
        "{zero:?} {sum:?} {other:?}"
    );
}

#[test]
fn check_without_exception_ranks_lower_if_the_test_expects_one() {
    let method = "String f(String s, int n) { return s.substring(n); }";
    let score = |message: &str, wanted: &str| {
        let found = candidates_for_message(method, message).into_iter();
        found.filter(|(text, _)| text.contains(&without_space(wanted))).map(|one| one.1).next()
    };
    let expected = "expected: <java.lang.IllegalArgumentException> but was: \
                    <java.lang.StringIndexOutOfBoundsException>";
    let unexpected = "wrong: expected: <> but was: <java.lang.StringIndexOutOfBoundsException>";
    let default = "n > s.length() ? \"\" : s.substring(n)";
    let [with, without] = [expected, unexpected].map(|message| score(message, default).unwrap());
    assert!(with < without * 0.7, "{with} {without}");
    let throw = "if (n > s.length()) { throw new IllegalArgumentException(\"b\"); }";
    assert!(score(expected, throw) >= score(unexpected, throw));
}

#[test]
fn guard_that_should_have_thrown_becomes_stricter() {
    let method = "void f(int a, int b) { size = a; if (a < b) { throw new IllegalStateException(); } size = b; }";
    let score = |message: &str| {
        let found = candidates_for_message(method, message).into_iter();
        found.filter(|(text, _)| text.contains("if(a!=b)")).map(|one| one.1).next().unwrap()
    };
    let missing = "Expected java.lang.IllegalStateException to be thrown, but nothing was thrown.";
    let [expected, other] = [missing, "expected: <1> but was: <2>"].map(score);
    assert!(expected > 0.6 && other < 0.1, "{expected} {other}");
}

#[test]
fn loop_remainder_ranks_first() {
    let method = "void f(String s, String t) { String k = \"\"; while (s.length() > 3) { k = t; names.add(k); \
                  s = s.substring(3); } drop(); }";
    let [rest, last, other] = ["add(s)", "add(k)", "add(t)"]
        .map(|call| score_of(method, &format!("}} names.{call}; drop()")));
    assert!(rest > last && last > other && other.is_some(), "{rest:?} {last:?} {other:?}");
    let counted = "void f(int n) { int i = 0; while (i < n) { all[i] = n; add(i); i++; } drop(); }";
    assert!(score_of(counted, "} add(i); drop()") < rest.map(|rest| rest / 2.0));
}

#[test]
fn index_check_ranks_above_removal() {
    let method =
        "String f(String s, int n) { size = s.substring(1).length(); return s.substring(0, n); }";
    let asked = score_of(method, "n > s.length() ? \"\" : s.substring(0, n)").unwrap();
    assert!(score_of(method, "return s.substring(0);").unwrap() < asked / 2.0);
}

#[test]
fn reversed_loop_comparison_ranks_low() {
    let score = |limit: &str| score_of(&format!("int f(int n) {{ {limit} }}"), "i > n").unwrap();
    let of_loop = score("for (int i = 0; i < n; i++) { size += i; } return 0;");
    assert!(of_loop < score("int i = n; if (i < n) { size += i; } return 0;") / 2.0);
}

#[test]
fn larger_array_for_literal_index_ranks_low() {
    let score = |index: &str| {
        let method =
            format!("int f(int n, int i) {{ int[] few = new int[n]; return few[{index}]; }}");
        let found = candidates_for_exception(
            &class_with_method(&method),
            "java.lang.ArrayIndexOutOfBoundsException",
        );
        let made = found
            .into_iter()
            .find(|(one, _)| one.change.description.ends_with("is allocated with size `n + 1`"));
        made.unwrap().0.change.score
    };
    assert!(score("1") < score("i") / 2.0);
}

#[test]
fn impure_expressions_are_not_checked() {
    for (method, wanted, is_proposed) in [
        ("int f(int[] a, Random r) { return a[r.nextInt(9)]; }", "r.nextInt(9) >= a.length", false),
        ("int f(int[] a, int i) { return a[i++]; }", "i++ >= a.length", false),
        ("int f(Iterator<String> it) { return it.next().length(); }", "it.next() == null", false),
        ("int f(Iterator<String> it) { return it.next().length(); }", "!it.hasNext()", true),
        ("int f(int[] a, Object o) { return a[o.hashCode()]; }", "o.hashCode() >= a.length", true),
        ("int f(Object o) { return o.toString().length(); }", "o.toString() == null", true),
    ] {
        assert_eq!(score_of(method, wanted).is_some(), is_proposed, "{wanted}");
    }
}

#[test]
fn skipped_command_reporting_success_ranks_last() {
    let method = "boolean f(String s) { int at = names.indexOf(s); if (at < 0) { return false; } \
                  names.remove(at); if (size > 3) { size = 0; } return true; }\n    void g(int n) { size += n; }\n    \
                  void h(int n) { drop(); size += n; }";
    let text = class_with_method(method);
    let tests = |statement: &str| {
        let tests =
            [(true, &[("at", "I0"), ("n", "I0")][..]), (false, &[("at", "I2"), ("n", "I2")])];
        scores_with_observations(&text, statement, &tests)
    };
    let of = |found: &[(String, f64)], wanted: &str| {
        let wanted = without_space(wanted);
        found.iter().find(|(text, _)| text.contains(&wanted)).map(|(_, score)| *score).unwrap()
    };
    let found = tests("names.remove(at)");
    let done = of(&found, "if (at == 0) { return true; } names.remove(at);");
    let refused = of(&found, "if (at == 0) { return false; } names.remove(at);");
    assert!(done < refused / 2.0, "{done} {refused}");
    let is_meant = |(text, _): &&(String, f64)| text.contains("){names.remove(at);}if(size>3)");
    let seldom = found.iter().filter(is_meant).map(|(_, score)| *score).fold(0.0, f64::max);
    assert!(seldom < refused / 2.0, "{seldom} {refused}");
    let [silent, some] = ["g", "h"].map(|name| {
        let found = tests(if name == "g" { "size += n; }\n    void h" } else { "size += n; }\n}" });
        of(&found, "if (n == 0) { return; } size += n;")
    });
    assert!(silent < some, "{silent} {some}");
}

#[test]
fn variable_pair_is_compared_besides_numbers() {
    let text = class_with_method("void f(int at) { size = at; }");
    let tests =
        [(true, &[("at", "I0"), ("size", "I2")][..]), (false, &[("at", "I2"), ("size", "I1")])];
    let found = scores_with_observations(&text, "size = at", &tests);
    for wanted in
        ["if (at == 0) { return; }", "if (at <= 0) { return; }", "if (at < size) { return; }"]
    {
        assert!(found.iter().any(|(text, _)| text.contains(&without_space(wanted))), "{wanted}");
    }
}

#[test]
fn constant_result_is_overfitting() {
    let of = |method: &str, wanted: &str| {
        let found =
            candidates_for_exception(&class_with_method(method), "java.lang.AssertionError");
        let is_meant = |text: &str| without_space(text).contains(&without_space(wanted));
        let evasion = found.iter().find(|(_, text)| is_meant(text)).map(|(one, _)| one.overfitting);
        evasion.unwrap_or_else(|| panic!("no {wanted}"))
    };
    let twice = "int f(int n) { Runnable r = () -> { return; }; return n * 2; }";
    assert_eq!(of(twice, "return 2;"), Some(OverfittingKind::ConstantResult));
    assert_eq!(of(twice, "return n;"), None);
    let some =
        |other: &str| format!("int f(int n) {{ if (n > 9) {{ return {other}; }} return n * 2; }}");
    assert_eq!(
        of(&some("2"), &some("2").replace("n * 2", "2")),
        Some(OverfittingKind::ConstantResult)
    );
    assert_eq!(of(&some("0"), &some("0").replace("n * 2", "2")), None);
    assert_eq!(of("double f() { return 1.5; }", "return 0.0;"), None);
}

#[test]
fn removal_of_failed_statement_is_overfitting() {
    let text = class_with_method("void f(int n) {\n        drop();\n        size = all[n];\n    }");
    let line = |meant: &str| text.lines().position(|line| line.contains(meant)).unwrap() + 1;
    let frame = Frame {
        class: "p.A".into(),
        method: "f".into(),
        file: None,
        line: u32::try_from(line("all[n]")).ok(),
    };
    let exception = "java.lang.ArrayIndexOutOfBoundsException".to_owned();
    let failure = Failure { exception, message: None, frames: vec![frame] };
    let found = candidates_for_failure(&mut shared_server(), &text, &failure);
    let of = |gone: &str| {
        let is_meant = |(one, rest): &&(LocatedCandidate, String)| {
            one.change.operator == FixOperator::Removal && !rest.contains(gone)
        };
        found.iter().find(is_meant).map(|(one, _)| one.overfitting)
    };
    assert_eq!(
        [of("size = all[n];"), of("drop();")],
        [Some(Some(OverfittingKind::RemovesFailure)), Some(None)]
    );
}
