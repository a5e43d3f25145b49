//! Shapes that changes of real libraries took.

use super::check;
use crate::delta::Rule;

#[test]
fn a_return_that_moves_to_another_method_leaves_one_behind() {
    let old = "class A { int size; double spars() { return (double) size / (double) total(); } int total() { return 3; } }";
    let new = "class A { int size; double spars() { return sparsity(); } double sparsity() { return (double) size / (double) total(); } int total() { return 3; } }";
    check(&[("A.java", old)], &[("A.java", new)], Rule::Reach);
}

#[test]
fn branches_that_change_places_still_return() {
    let old = "class A { int m(int[] x, int[] y) { if (x.length > 1) { add(x, y); return get(); } else { throw new IllegalStateException(); } } void add(int[] x, int[] y) {} int get() { return 1; } }";
    let new = "class A { int m(int[] x, int[] y) { if (x.length < 2) { throw new RuntimeException(); } else { add(x, y); return get(); } } void add(int[] x, int[] y) {} int get() { return 1; } }";
    check(&[("A.java", old)], &[("A.java", new)], Rule::Reach);
}

#[test]
fn an_array_has_either_dimensions_or_elements() {
    let old = "class A { Object[] m(Object o) { return new Object[0]; } }";
    let new = "class A { Object[] m(Object o) { return new Object[] { o }; } }";
    check(&[("A.java", old)], &[("A.java", new)], Rule::Inside);
}

#[test]
fn a_return_that_moves_has_another_result_to_give() {
    let old = "class A { String pattern; String get() { return this.pattern.trim(); } }";
    let new = "class A { Object pattern; String get() { return pattern.toString(); } Object general() { return this.pattern; } }";
    check(&[("A.java", old)], &[("A.java", new)], Rule::Type);
}

#[test]
fn a_value_that_is_wrapped_while_its_type_changes() {
    let old = "class A { int[][] matrix; int m() { return matrix[0][1]; } }";
    let new = "class A { B matrix; int m() { return matrix.data()[0][1]; } } class B { int[][] data() { return null; } }";
    check(&[("A.java", old)], &[("A.java", new)], Rule::Type);
}

#[test]
fn another_exception_with_other_arguments() {
    let old = "class A { void m(int a) { throw new IllegalStateException(\"no \" + a); } static class Wrong extends RuntimeException { Wrong(int a, int b) {} } }";
    let new = "class A { void m(int a) { throw new Wrong(3, a); } static class Wrong extends RuntimeException { Wrong(int a, int b) {} } }";
    check(&[("A.java", old)], &[("A.java", new)], Rule::Signature);
}

#[test]
fn an_argument_for_a_parameter_that_is_another_one() {
    let old = "class A { int m(int a) { return f(a, \"text\"); } int f(int a, String message) { return a; } }";
    let new = "class A { int m(int a) { return f(a, Thread.State.NEW); } int f(int a, Enum<?> pattern) { return a; } }";
    check(&[("A.java", old)], &[("A.java", new)], Rule::Type);
}

#[test]
fn a_local_variable_that_moves_to_another_method_takes_its_uses_along() {
    let old = "class A { int m(int n) { int[] interval = {0, n - 1, n}; int left = interval[0] + interval[1]; return left; } }";
    let new = "class A { int m(int n) { return m(n, n); } int m(int n, int k) { int[] interval = {0, n - 1, n}; int left = interval[0] + interval[1]; return left; } }";
    check(&[("A.java", old)], &[("A.java", new)], Rule::Inside);
}
