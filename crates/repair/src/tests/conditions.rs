//! Selection of one representative among equivalent conditions at a statement.

use super::*;

/// Returns true if a candidate for a method contains an `if` with a condition.
fn proposes_condition(method: &str, condition: &str) -> bool {
    let found = candidates_for_exception(&class_with_method(method), "java.lang.AssertionError");
    let wanted = without_space(&format!("if ({condition}"));
    found.iter().any(|(_, text)| without_space(text).contains(&wanted))
}

#[test]
fn equivalent_size_conditions_are_proposed_once() {
    let method = "void f(List<String> few, int n) { size = few.size() + n; }";
    assert!(proposes_condition(method, "few.isEmpty()"));
    for other in ["few.size() == 0", "few.size() <= 0", "few.size() < 0", "few.size() > 0"] {
        assert!(!proposes_condition(method, other), "{other}");
    }
    assert!(
        proposes_condition(method, "!few.isEmpty()")
            && proposes_condition(method, "few.size() <= 1")
    );
    assert!(
        proposes_condition(method, "n == 0")
            && proposes_condition(method, "n <= 0")
            && proposes_condition(method, "n < 0")
    );
}

#[test]
fn project_defined_size_may_be_negative() {
    let method = "void f(Few few) { size = few.size(); }\n    \
                  static abstract class Few extends AbstractList<String> { }";
    assert!(
        proposes_condition(method, "few.size() < 0")
            && proposes_condition(method, "few.size() <= 0")
    );
}

/// Returns true if a condition is combined with another one after some statements.
fn proposes_condition_after(before: &str, condition: &str) -> bool {
    let method =
        format!("void f(int n, boolean on) {{ {before} if (on) {{ size += n + all.length; }} }}");
    let found = candidates_for_exception(&class_with_method(&method), "java.lang.AssertionError");
    let wanted = without_space(&format!("if (on || {condition})"));
    found.iter().any(|(_, text)| without_space(text).contains(&wanted))
}

#[test]
fn valid_precondition_merges_equivalent_conditions() {
    let asked = |before: &str| {
        ["n == 0", "n <= 0", "n < 0"].map(|one| proposes_condition_after(before, one))
    };
    let guard = "if (n < 0) { throw new IllegalStateException(); }";
    assert_eq!(asked(""), [true, true, true]);
    assert_eq!(asked(guard), [true, false, false]);
    assert_eq!(asked(&format!("{guard} n = add(n);")), [true, true, true]);
}

#[test]
fn object_precondition_holds_until_state_changes() {
    let asked = |before: &str| {
        ["n == all.length", "n >= all.length", "n > all.length"]
            .map(|one| proposes_condition_after(before, one))
    };
    let guard = "if (n > all.length) { throw new IllegalStateException(); }";
    assert_eq!(asked(guard), [true, false, false]);
    assert_eq!(asked(&format!("{guard} drop();")), [true, true, true]);
}

#[test]
fn precondition_is_unknown_in_its_own_guard() {
    let method = "void f(int n) { if (n < 0) { throw new IllegalStateException(); } size = n; }";
    assert!(
        proposes_condition(method, "n < 0 || n == 0")
            && proposes_condition(method, "n < 0 || n <= 0")
    );
}
