//! Representative conditions of a place.

use super::*;

/// Returns true if a method's statements run under a condition somewhere.
fn asks(method: &str, condition: &str) -> bool {
    let found = proposed(&class(method), "java.lang.AssertionError");
    let wanted = squeezed(&format!("if ({condition}"));
    found.iter().any(|(_, text)| squeezed(text).contains(&wanted))
}

#[test]
fn a_size_is_asked_about_once_and_a_number_in_all_ways() {
    let method = "void f(List<String> few, int n) { size = few.size() + n; }";
    assert!(asks(method, "few.isEmpty()"));
    for other in ["few.size() == 0", "few.size() <= 0", "few.size() < 0", "few.size() > 0"] {
        assert!(!asks(method, other), "{other}");
    }
    assert!(asks(method, "!few.isEmpty()") && asks(method, "few.size() <= 1"));
    assert!(asks(method, "n == 0") && asks(method, "n <= 0") && asks(method, "n < 0"));
}

#[test]
fn a_size_that_the_project_counts_itself_may_be_anything() {
    let method = "void f(Few few) { size = few.size(); }\n    \
                  static abstract class Few extends AbstractList<String> { }";
    assert!(asks(method, "few.size() < 0") && asks(method, "few.size() <= 0"));
}

/// Returns true if a condition is combined with another one after some statements.
fn asks_after(before: &str, condition: &str) -> bool {
    let method =
        format!("void f(int n, boolean on) {{ {before} if (on) {{ size += n + all.length; }} }}");
    let found = proposed(&class(&method), "java.lang.AssertionError");
    let wanted = squeezed(&format!("if (on || {condition})"));
    found.iter().any(|(_, text)| squeezed(text).contains(&wanted))
}

#[test]
fn what_is_demanded_makes_conditions_the_same_while_it_stands() {
    let asked = |before: &str| ["n == 0", "n <= 0", "n < 0"].map(|one| asks_after(before, one));
    let guard = "if (n < 0) { throw new IllegalStateException(); }";
    assert_eq!(asked(""), [true, true, true]);
    assert_eq!(asked(guard), [true, false, false]);
    assert_eq!(asked(&format!("{guard} n = add(n);")), [true, true, true]);
}

#[test]
fn what_is_demanded_of_an_object_stands_until_something_changes() {
    let asked = |before: &str| {
        ["n == all.length", "n >= all.length", "n > all.length"].map(|one| asks_after(before, one))
    };
    let guard = "if (n > all.length) { throw new IllegalStateException(); }";
    assert_eq!(asked(guard), [true, false, false]);
    assert_eq!(asked(&format!("{guard} drop();")), [true, true, true]);
}

#[test]
fn what_a_guard_asks_itself_is_not_known_to_be_met() {
    let method = "void f(int n) { if (n < 0) { throw new IllegalStateException(); } size = n; }";
    assert!(asks(method, "n < 0 || n == 0") && asks(method, "n < 0 || n <= 0"));
}
