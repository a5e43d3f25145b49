//! Ranking of candidates, and edits that are never proposed.

use super::*;
use mend_model::Frame;

#[test]
fn what_leaves_a_variable_unused_comes_after_its_like() {
    let score = |method: &str| {
        let text = class(&format!("boolean has(String s) {{ return s.isEmpty(); }}\n    {method}"));
        let found = proposed(&text, "java.lang.AssertionError");
        let is_meant = |text: &str| text.contains("names) { if (has(aim))");
        found.iter().find(|(_, text)| is_meant(text)).unwrap().0.score
    };
    let method = "boolean f(String aim) { for (String s : names) { if (has(s)) { return true; } } return false; }";
    assert!(score(method) < 0.2);
    let method = method.replace("return true;", "return s == aim;");
    assert!(score(&method) > 0.2);
}

/// Returns the score of a candidate whose result contains a text.
fn score_of(method: &str, wanted: &str) -> Option<f64> {
    let found = proposed(&class(method), "java.lang.StringIndexOutOfBoundsException");
    let mut all = found.into_iter().filter(|(_, text)| squeezed(text).contains(&squeezed(wanted)));
    all.next().map(|(one, _)| one.score)
}

#[test]
fn what_the_same_method_gave_stands_for_a_call_sooner_than_anything_else() {
    let method = "int of(String s) { return s.length(); }\n    \
                  int f(String s, String t) { int n = of(s); int k = 3; return of(t) * k * n; }";
    assert!(score_of(method, "return n * k * n") > score_of(method, "return k * k * n"));
}

#[test]
fn a_loop_is_seldom_left_after_each_round() {
    let method = "int f(int[] a) { for (int i = 0; i < 3; i++) { size += a[size]; } return size; }";
    let other = score_of(method, "size += a[i]").unwrap();
    assert!(score_of(method, "a[size]; break;").unwrap() < other / 2.0);
    assert_eq!(score_of(method, "a[size]; continue;"), None);
    let inner = "int f(int[] a) { for (int i = 0; i < 3; i++) { if (i > 1) { size += a[size]; } } return size; }";
    let (often, seldom) = (score_of(inner, "a[size]; break;"), score_of(method, "a[size]; break;"));
    assert!(often > seldom, "{often:?} {seldom:?}");
}

#[test]
fn what_a_loop_leaves_is_given_on_before_anything_else_is() {
    let method = "void f(String s, String t) { String k = \"\"; while (s.length() > 3) { k = t; names.add(k); \
                  s = s.substring(3); } drop(); }";
    let [rest, last, other] = ["add(s)", "add(k)", "add(t)"]
        .map(|call| score_of(method, &format!("}} names.{call}; drop()")));
    assert!(rest > last && last > other && other.is_some(), "{rest:?} {last:?} {other:?}");
    let counted = "void f(int n) { int i = 0; while (i < n) { all[i] = n; add(i); i++; } drop(); }";
    assert!(score_of(counted, "} add(i); drop()") < rest.map(|rest| rest / 2.0));
}

#[test]
fn an_index_is_asked_about_rather_than_left_out() {
    let method =
        "String f(String s, int n) { size = s.substring(1).length(); return s.substring(0, n); }";
    let asked = score_of(method, "n > s.length() ? \"\" : s.substring(0, n)").unwrap();
    assert!(score_of(method, "return s.substring(0);").unwrap() < asked / 2.0);
}

#[test]
fn a_loop_seldom_counts_the_wrong_way() {
    let score = |limit: &str| score_of(&format!("int f(int n) {{ {limit} }}"), "i > n").unwrap();
    let of_loop = score("for (int i = 0; i < n; i++) { size += i; } return 0;");
    assert!(of_loop < score("int i = n; if (i < n) { size += i; } return 0;") / 2.0);
}

#[test]
fn an_array_is_seldom_made_too_small_for_a_certain_element() {
    let score = |index: &str| {
        let method =
            format!("int f(int n, int i) {{ int[] few = new int[n]; return few[{index}]; }}");
        let found = proposed(&class(&method), "java.lang.ArrayIndexOutOfBoundsException");
        let made =
            found.into_iter().find(|(one, _)| one.why.ends_with("is allocated with size `n + 1`"));
        made.unwrap().0.score
    };
    assert!(score("1") < score("i") / 2.0);
}

#[test]
fn what_gives_something_else_each_time_is_not_asked_first() {
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
fn a_command_that_does_nothing_and_says_that_it_did_comes_last() {
    let method = "boolean f(String s) { int at = names.indexOf(s); if (at < 0) { return false; } \
                  names.remove(at); if (size > 3) { size = 0; } return true; }\n    void g(int n) { size += n; }\n    \
                  void h(int n) { drop(); size += n; }";
    let text = class(method);
    let tests = |statement: &str| {
        let tests =
            [(true, &[("at", "I0"), ("n", "I0")][..]), (false, &[("at", "I2"), ("n", "I2")])];
        scores_with(&text, statement, &tests)
    };
    let of = |found: &[(String, f64)], wanted: &str| {
        let wanted = squeezed(wanted);
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
fn two_variables_are_compared_beside_one_of_them_with_a_number() {
    let text = class("void f(int at) { size = at; }");
    let tests =
        [(true, &[("at", "I0"), ("size", "I2")][..]), (false, &[("at", "I2"), ("size", "I1")])];
    let found = scores_with(&text, "size = at", &tests);
    for wanted in
        ["if (at == 0) { return; }", "if (at <= 0) { return; }", "if (at < size) { return; }"]
    {
        assert!(found.iter().any(|(text, _)| text.contains(&squeezed(wanted))), "{wanted}");
    }
}

#[test]
fn a_question_is_evaded_where_the_answer_is_always_the_same() {
    let of = |method: &str, wanted: &str| {
        let found = proposed(&class(method), "java.lang.AssertionError");
        let is_meant = |text: &str| squeezed(text).contains(&squeezed(wanted));
        let evasion = found.iter().find(|(_, text)| is_meant(text)).map(|(one, _)| one.evasion);
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
fn to_leave_out_what_failed_is_no_more_than_that() {
    let text = class("void f(int n) {\n        drop();\n        size = all[n];\n    }");
    let line = |meant: &str| text.lines().position(|line| line.contains(meant)).unwrap() + 1;
    let frame = Frame {
        class: "p.A".into(),
        method: "f".into(),
        file: None,
        line: u32::try_from(line("all[n]")).ok(),
    };
    let exception = "java.lang.ArrayIndexOutOfBoundsException".to_owned();
    let failure = Failure { exception, message: None, frames: vec![frame] };
    let found = proposed_after(&mut server(), &text, &failure);
    let of = |gone: &str| {
        let is_meant = |(one, rest): &&(Candidate, String)| {
            one.strategy == FixOperator::Removal && !rest.contains(gone)
        };
        found.iter().find(is_meant).map(|(one, _)| one.evasion)
    };
    assert_eq!(
        [of("size = all[n];"), of("drop();")],
        [Some(Some(OverfittingKind::RemovesFailure)), Some(None)]
    );
}
