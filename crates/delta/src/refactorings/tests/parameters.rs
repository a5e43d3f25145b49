use super::{delta, names, notes_of, whats};

const NOTHING: [&str; 0] = [];

#[test]
fn a_parameter_comes_with_its_arguments() {
    let old = "class A { int f(int a) { return a; } int m() { return f(1) + f(2); } }";
    let new = "class A { int f(int a, int b) { return a; } int m() { return f(1, 7) + f(2, 8); } }";
    assert_eq!(whats(old, new), ["parameter of f, 3 places"]);
    assert_eq!(names(old, new), ["add parameter"]);
    assert_eq!(names(new, old), ["remove parameter"]);
}

#[test]
fn a_parameter_comes_to_all_that_override() {
    let found = notes_of(&delta(&[
        ("I.java", "interface I { int f(int a); }", "interface I { int f(int a, int b); }"),
        (
            "B.java",
            "class B implements I { public int f(int a) { return a; } }",
            "class B implements I { public int f(int a, int b) { return a; } }",
        ),
    ]));
    assert_eq!(found, [("add parameter", "parameter of f, 2 places".to_owned())]);
}

#[test]
fn another_method_of_the_same_form_makes_it_unsure() {
    let old = "class A { int f(int a) { return a; } int f(long b) { return 2; } int m() { return f(1); } }";
    let new = "class A { int f(int a, int b) { return a; } int f(long b) { return 2; } int m() { return f(1, 7); } }";
    assert_eq!(names(old, new), NOTHING);
}

#[test]
fn a_method_that_stood_there_already_makes_it_unsure() {
    let old = "class A { int f(int a, int b) { return a; } int f(int c) { return -c; } int m() { return f(1, 7); } }";
    let new = "class A { int f(int a) { return a; } int m() { return f(1); } }";
    assert_eq!(names(old, new), NOTHING);
    assert_eq!(names(new, old), NOTHING);
}

#[test]
fn parameters_change_places_with_their_arguments() {
    let old = "class A { int f(int a, String b) { return a; } int m() { return f(1, null); } }";
    let new = "class A { int f(String b, int a) { return a; } int m() { return f(null, 1); } }";
    assert_eq!(names(old, new), ["reorder parameters"]);
}

#[test]
fn parameters_become_an_object() {
    let old = "class A { int f(int from, int to, String s) { log(s); return to - from; } int m() { return f(1, 2, null); } }";
    let new = "class A { int f(Range r, String s) { log(s); return r.to - r.getFrom(); } int m() { return f(new Range(1, 2), null); } }";
    assert!(names(old, new).contains(&"introduce parameter object"));
    let other = "class A { int f(Range r, String s) { log(s); return r.to - r.to; } int m() { return f(new Range(1, 2), null); } }";
    assert_eq!(names(old, other), NOTHING);
}
