use super::{descriptions, names};

const NO_REFACTORINGS: [&str; 0] = [];

#[test]
fn variable_is_extracted() {
    let old = "class A { int m(int a, int b) { log(); return (a + b) * (a + b); } }";
    let new = "class A { int m(int a, int b) { log(); int s = a + b; return s * s; } }";
    assert_eq!(descriptions(old, new), ["variable s extracted, 2 places"]);
}

#[test]
fn call_is_extracted_only_to_preceding_statement() {
    let old = "class A { int m(int a) { log(); return 1 + f(a); } }";
    let near = "class A { int m(int a) { log(); int s = f(a); return 1 + s; } }";
    let far = "class A { int m(int a) { int s = f(a); log(); return 1 + s; } }";
    assert_eq!(names(old, near), ["extract variable"]);
    assert_eq!(names(old, far), NO_REFACTORINGS);
}

#[test]
fn statement_may_be_inserted_before_use_of_extracted_variable() {
    let old = "class A { int m(int a) { log(); return f(a); } }";
    let new = "class A { int m(int a) { log(); int s = f(a); g(); return s; } }";
    assert_eq!(descriptions(old, new), ["variable s extracted, 1 place"]);
    assert_eq!(descriptions(new, old), ["variable s inlined, 1 place"]);
    let moved = "class A { int m(int a) { int s = f(a); log(); return s; } }";
    assert_eq!(names(old, moved), NO_REFACTORINGS);
}

#[test]
fn variable_is_inlined() {
    let old = "class A { int m(int a, int b) { int s = a - b; return 3 * s; } }";
    let new = "class A { int m(int a, int b) { return 3 * (a - b); } }";
    assert_eq!(descriptions(old, new), ["variable s inlined, 1 place"]);
}

#[test]
fn different_expression_is_not_extracted() {
    let old = "class A { int m(int a, int b) { return a + b; } }";
    let new = "class A { int m(int a, int b) { int s = a - b; return s; } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}

#[test]
fn changing_value_is_not_extracted() {
    let old = "class A { int m(int a, int b) { a = 3; return a + b; } }";
    let new = "class A { int m(int a, int b) { int s = a + b; a = 3; return s; } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}

#[test]
fn magic_number_becomes_constant() {
    let old = "class A { int m(int a) { return a * 37; } int n() { return f(37) + 1; } }";
    let new = "class A { static final int K = 37; int m(int a) { return a * K; } int n() { return f(A.K) + 1; } }";
    assert_eq!(descriptions(old, new), ["37 replaced with K, 2 places"]);
}

#[test]
fn different_number_is_not_constant() {
    let old = "class A { int m(int a) { return a * 37; } }";
    let new = "class A { static final int K = 38; int m(int a) { return a * K; } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}

#[test]
fn temp_becomes_query() {
    let old = "class A { int p, q; int m() { int b = p * q; if (b > 9) { return b; } return 0; } }";
    let new = "class A { int p, q; int m() { if (base() > 9) { return base(); } return 0; }
               int base() { return p * q; } }";
    assert!(names(old, new).contains(&"replace temp with query"));
}

#[test]
fn kept_variable_is_neither_extracted_nor_inlined() {
    let old = "class A { int m(int a) { int s = f(a); return s; } }";
    let new = "class A { int m(int a) { try { int s = f(a); return s; } finally { g(); } } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}
