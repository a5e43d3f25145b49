use super::{delta, descriptions, names, notes_of};

const NO_REFACTORINGS: [&str; 0] = [];

#[test]
fn added_parameter_includes_arguments() {
    let old = "class A { int f(int a) { return a; } int m() { return f(1) + f(2); } }";
    let new = "class A { int f(int a, int b) { return a; } int m() { return f(1, 7) + f(2, 8); } }";
    assert_eq!(descriptions(old, new), ["parameter of f, 3 places"]);
    assert_eq!(names(old, new), ["add parameter"]);
    assert_eq!(names(new, old), ["remove parameter"]);
}

#[test]
fn added_parameter_includes_overrides() {
    let notes = notes_of(&delta(&[
        ("I.java", "interface I { int f(int a); }", "interface I { int f(int a, int b); }"),
        (
            "B.java",
            "class B implements I { public int f(int a) { return a; } }",
            "class B implements I { public int f(int a, int b) { return a; } }",
        ),
    ]));
    assert_eq!(notes, [("add parameter", "parameter of f, 2 places".to_owned())]);
}

#[test]
fn other_method_in_its_place_has_no_added_parameter() {
    let old = "class A { List all; List getAll() { return copy(all); } int size() { return 1; } }";
    let new = "class A { List all; A addAll(T one) { all.add(one); return this; } int size() { return 1; } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
    assert_eq!(names(new, old), NO_REFACTORINGS);
}

#[test]
fn renamed_method_can_have_added_parameter() {
    let old = "class A { int f(int a) { return a; } int m() { return f(1); } }";
    let new = "class A { int g(int a, int b) { return a; } int m() { return g(1, 7); } }";
    assert!(names(old, new).contains(&"add parameter"));
}

#[test]
fn overload_prevents_detection() {
    let old = "class A { int f(int a) { return a; } int f(long b) { return 2; } int m() { return f(1); } }";
    let new = "class A { int f(int a, int b) { return a; } int f(long b) { return 2; } int m() { return f(1, 7); } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}

#[test]
fn existing_method_prevents_detection() {
    let old = "class A { int f(int a, int b) { return a; } int f(int c) { return -c; } int m() { return f(1, 7); } }";
    let new = "class A { int f(int a) { return a; } int m() { return f(1); } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
    assert_eq!(names(new, old), NO_REFACTORINGS);
}

#[test]
fn parameters_are_reordered_with_arguments() {
    let old = "class A { int f(int a, String b) { return a; } int m() { return f(1, null); } }";
    let new = "class A { int f(String b, int a) { return a; } int m() { return f(null, 1); } }";
    assert_eq!(names(old, new), ["reorder parameters"]);
}

#[test]
fn parameters_become_parameter_object() {
    let old = "class A { int f(int from, int to, String s) { log(s); return to - from; } int m() { return f(1, 2, null); } }";
    let new = "class A { int f(Range r, String s) { log(s); return r.to - r.getFrom(); } int m() { return f(new Range(1, 2), null); } }";
    assert!(names(old, new).contains(&"introduce parameter object"));
    let other = "class A { int f(Range r, String s) { log(s); return r.to - r.to; } int m() { return f(new Range(1, 2), null); } }";
    assert_eq!(names(old, other), NO_REFACTORINGS);
}
