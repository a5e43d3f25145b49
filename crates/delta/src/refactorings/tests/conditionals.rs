use super::names;

const NOTHING: [&str; 0] = [];

fn in_method(body: &str) -> String {
    format!("class A {{ void m(int a, int b) {{ {body} }} }}")
}

fn found(old: &str, new: &str) -> Vec<&'static str> {
    names(&in_method(old), &in_method(new))
}

#[test]
fn a_condition_around_the_rest_becomes_a_guard() {
    let old = "log(); if (a == b) { f(a); g(b); }";
    let new = "log(); if (a != b) { return; } f(a); g(b);";
    assert_eq!(found(old, new), ["replace nested conditional with guard clauses"]);
    let other = "log(); if (a == b) { return; } f(a); g(b);";
    assert_eq!(found(old, other), NOTHING);
}

#[test]
fn nested_branches_become_guards() {
    let old = "if (a > 1) { throw f(); } else { if (b > 1) { throw g(); } else { h(a); i(b); } }";
    let new = "if (a > 1) { throw f(); } if (b > 1) { throw g(); } h(a); i(b);";
    assert_eq!(found(old, new), ["replace nested conditional with guard clauses"]);
}

#[test]
fn conditions_with_the_same_outcome_become_one() {
    let old = "if (a > 1) { return; } if (b > 1) { return; } f();";
    let new = "if (a > 1 || b > 1) { return; } f();";
    assert_eq!(found(old, new), ["consolidate conditional expression"]);
    assert_eq!(found(old, "if (a > 1 && b > 1) { return; } f();"), NOTHING);
}

#[test]
fn nested_conditions_become_one() {
    let old = "if (a > 1) { if (b > 1) { f(); } } g();";
    let new = "if (a > 1 && b > 1) { f(); } g();";
    assert_eq!(found(old, new), ["consolidate conditional expression"]);
}

#[test]
fn what_both_branches_end_with_comes_behind_them() {
    let old = "if (a > b) { f(1); send(a); } else { f(2); send(a); }";
    let new = "if (a > b) { f(1); } else { f(2); } send(a);";
    assert_eq!(found(old, new), ["consolidate duplicate conditional fragments"]);
    assert_eq!(found(old, "if (a > b) { f(1); } else { f(2); } send(b);"), NOTHING);
}

#[test]
fn branches_change_places_with_the_condition_turned_round() {
    let old = "if (a == b) { f(a); } else { g(b); h(); }";
    let new = "if (a != b) { g(b); h(); } else { f(a); }";
    assert_eq!(found(old, new), ["reverse conditional"]);
    assert_eq!(found(old, "if (a == b) { g(b); h(); } else { f(a); }"), NOTHING);
}
