use super::names;

const NOTHING: [&str; 0] = [];

#[test]
fn a_variable_for_two_things_is_split() {
    let old = "class A { void m(int h, int w) { int t = h + w; log(t); t = h * w; log(t); } }";
    let new =
        "class A { void m(int h, int w) { int t = h + w; log(t); final int a = h * w; log(a); } }";
    assert_eq!(names(old, new), ["split temporary variable"]);
    let other =
        "class A { void m(int h, int w) { int t = h + w; log(t); final int a = h * w; log(t); } }";
    assert_eq!(names(old, other), NOTHING);
}

#[test]
fn a_parameter_keeps_its_value() {
    let old = "class A { int m(int p) { log(); if (p > 9) { p -= 3; } return p; } }";
    let new = "class A { int m(int p) { int r = p; log(); if (r > 9) { r -= 3; } return r; } }";
    assert_eq!(names(old, new), ["remove assignments to parameters"]);
}
