use super::{delta, descriptions, names, notes_of};

const NO_REFACTORINGS: [&str; 0] = [];

#[test]
fn statements_are_extracted_to_method() {
    let old = "class A { int s; void m(int a) { start(); s = s + a; log(s); end(); } }";
    let new = "class A { int s; void m(int a) { start(); add(a); end(); }
               private void add(int b) { s = s + b; log(s); } }";
    assert_eq!(descriptions(old, new), ["method add extracted, 1 call"]);
}

#[test]
fn expression_is_extracted_from_all_places() {
    let old = "class A { int m(int a) { return a * (a + 1) / 2; } int n(int k) { return 1 - k * (k + 1) / 2; } }";
    let new = "class A { int m(int a) { return sum(a); } int n(int k) { return 1 - sum(k); }
               static int sum(int i) { return i * (i + 1) / 2; } }";
    assert_eq!(descriptions(old, new), ["method sum extracted, 2 calls"]);
}

#[test]
fn variable_computation_is_extracted() {
    let old =
        "class A { int m(int a) { int t = a * 3; t += 5; log(); int r = t - a; return r * r; } }";
    let new = "class A { int m(int a) { int r = part(a); return r * r; }
               int part(int a) { int t = a * 3; t += 5; log(); return t - a; } }";
    assert_eq!(names(old, new), ["extract method"]);
}

#[test]
fn method_is_inlined_into_caller() {
    let old =
        "class A { int m(int a) { return 1 + twice(a); } int twice(int b) { return b * 2; } }";
    let new = "class A { int m(int a) { return 1 + a * 2; } }";
    assert_eq!(descriptions(old, new), ["method twice inlined, 1 call"]);
}

#[test]
fn different_method_is_not_extracted() {
    let old = "class A { int m(int a) { return a * 2 + 1; } }";
    let new = "class A { int m(int a) { return f(a) + 1; } int f(int b) { return b * 3; } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}

#[test]
fn extraction_respects_precedence() {
    let old = "class A { int m(int a, int b) { return a + b * 2; } }";
    let new = "class A { int m(int a, int b) { return f(a, b) * 2; } int f(int c, int d) { return c + d; } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}

#[test]
fn reassigned_parameter_is_not_caller_variable() {
    let old = "class A { void m(int a) { a = a + 1; log(a); use(a); } }";
    let new =
        "class A { void m(int a) { inc(a); use(a); } void inc(int a) { a = a + 1; log(a); } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}

#[test]
fn field_with_own_getter_is_self_encapsulated() {
    let old = "class A { int f; int m() { return this.f + f; } }";
    let new = "class A { int f; int m() { return getF() + getF(); } int getF() { return f; } }";
    assert_eq!(descriptions(old, new), ["field f accessed through getF, 2 calls"]);
    assert_eq!(names(old, new), ["self encapsulate field"]);
}

#[test]
fn field_with_accessors_is_encapsulated() {
    let notes = notes_of(&delta(&[
        (
            "A.java",
            "class A { int f; }",
            "class A { int f; int getF() { return f; } void setF(int v) { this.f = v; } }",
        ),
        (
            "B.java",
            "class B { int m(A a) { a.f = 3; log(a); return a.f; } }",
            "class B { int m(A a) { a.setF(3); log(a); return a.getF(); } }",
        ),
    ]));
    let names: Vec<_> = notes.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["encapsulate field", "encapsulate field"]);
}

#[test]
fn constructor_becomes_factory_method() {
    let old = "class A { A(int i) {} A m() { return new A(3); } }";
    let new = "class A { A(int i) {} A m() { return A.create(3); } static A create(int k) { return new A(k); } }";
    assert_eq!(names(old, new), ["replace constructor with factory method"]);
}

#[test]
fn condition_is_decomposed_to_method() {
    let old = "class A { int d; void m() { if (d < 3 || d > 9) { f(); } } }";
    let new = "class A { int d; void m() { if (isOff()) { f(); } } boolean isOff() { return d < 3 || d > 9; } }";
    assert_eq!(names(old, new), ["decompose conditional"]);
}

#[test]
fn removed_check_without_its_call_is_not_extracted_method() {
    let check = "if (d == 0) { throw new E(\"zero\"); }";
    let old = format!(
        "class A {{ void f(int d) {{ {check} a(); }} void g(int d) {{ {check} b(); }} void h(int d) {{ c(); }} }}"
    );
    let new = format!(
        "class A {{ void check(int d) {{ {check} }} void f(int d) {{ check(d); a(); }}
         void g(int d) {{ check(d); b(); }} void h(int d) {{ c(); check(d); }} }}"
    );
    let delta = delta(&[("A.java", &old, &new)]);
    let named = (0..delta.components().len()).filter(|at| delta.refactoring_of(*at).is_some());
    for component in named {
        let variant = delta.render_components(&|other| other == component, false);
        for state in variant.changes.values().flatten() {
            let text = String::from_utf8_lossy(&state.content);
            let places = text.matches(check).count() + text.matches("check(d);").count();
            assert!(places >= 2, "{text}");
        }
    }
}
