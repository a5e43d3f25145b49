use super::names;

const NO_REFACTORINGS: [&str; 0] = [];

#[test]
fn reused_variable_is_split() {
    let old = "class A { void m(int h, int w) { int t = h + w; log(t); t = h * w; log(t); } }";
    let new =
        "class A { void m(int h, int w) { int t = h + w; log(t); final int a = h * w; log(a); } }";
    assert_eq!(names(old, new), ["split temporary variable"]);
    let other =
        "class A { void m(int h, int w) { int t = h + w; log(t); final int a = h * w; log(t); } }";
    assert_eq!(names(old, other), NO_REFACTORINGS);
}

#[test]
fn parameter_assignment_is_removed() {
    let old = "class A { int m(int p) { log(); if (p > 9) { p -= 3; } return p; } }";
    let new = "class A { int m(int p) { int r = p; log(); if (r > 9) { r -= 3; } return r; } }";
    assert_eq!(names(old, new), ["remove assignments to parameters"]);
}
