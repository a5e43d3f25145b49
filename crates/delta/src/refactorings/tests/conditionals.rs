use super::names;

const NO_REFACTORINGS: [&str; 0] = [];

fn in_method(body: &str) -> String {
    format!("class A {{ void m(int a, int b) {{ {body} }} }}")
}

fn detected_names(old: &str, new: &str) -> Vec<&'static str> {
    names(&in_method(old), &in_method(new))
}

#[test]
fn condition_becomes_guard_clause() {
    let old = "log(); if (a == b) { f(a); g(b); }";
    let new = "log(); if (a != b) { return; } f(a); g(b);";
    assert_eq!(detected_names(old, new), ["replace nested conditional with guard clauses"]);
    let other = "log(); if (a == b) { return; } f(a); g(b);";
    assert_eq!(detected_names(old, other), NO_REFACTORINGS);
}

#[test]
fn nested_branches_become_guard_clauses() {
    let old = "if (a > 1) { throw f(); } else { if (b > 1) { throw g(); } else { h(a); i(b); } }";
    let new = "if (a > 1) { throw f(); } if (b > 1) { throw g(); } h(a); i(b);";
    assert_eq!(detected_names(old, new), ["replace nested conditional with guard clauses"]);
}

#[test]
fn conditions_with_same_outcome_are_consolidated() {
    let old = "if (a > 1) { return; } if (b > 1) { return; } f();";
    let new = "if (a > 1 || b > 1) { return; } f();";
    assert_eq!(detected_names(old, new), ["consolidate conditional expression"]);
    assert_eq!(detected_names(old, "if (a > 1 && b > 1) { return; } f();"), NO_REFACTORINGS);
}

#[test]
fn nested_conditions_are_consolidated() {
    let old = "if (a > 1) { if (b > 1) { f(); } } g();";
    let new = "if (a > 1 && b > 1) { f(); } g();";
    assert_eq!(detected_names(old, new), ["consolidate conditional expression"]);
}

#[test]
fn common_branch_endings_are_consolidated() {
    let old = "if (a > b) { f(1); send(a); } else { f(2); send(a); }";
    let new = "if (a > b) { f(1); } else { f(2); } send(a);";
    assert_eq!(detected_names(old, new), ["consolidate duplicate conditional fragments"]);
    assert_eq!(
        detected_names(old, "if (a > b) { f(1); } else { f(2); } send(b);"),
        NO_REFACTORINGS
    );
}

#[test]
fn branches_are_swapped_with_negated_condition() {
    let old = "if (a == b) { f(a); } else { g(b); h(); }";
    let new = "if (a != b) { g(b); h(); } else { f(a); }";
    assert_eq!(detected_names(old, new), ["reverse conditional"]);
    assert_eq!(detected_names(old, "if (a == b) { g(b); h(); } else { f(a); }"), NO_REFACTORINGS);
}
