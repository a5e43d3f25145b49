//! Shapes that changes of real libraries took.

use super::check;
use crate::DependencyRule;
use mend_engine::test_support::facts;

facts! {
    every_shape_is_coupled:
    a_return_that_moves_to_another_method_leaves_one_behind,
    branches_that_change_places_still_return,
    an_array_has_either_dimensions_or_elements,
    a_return_that_moves_has_another_result_to_give,
    a_value_that_is_wrapped_while_its_type_changes,
    another_exception_with_other_arguments,
    an_argument_for_a_parameter_that_is_another_one,
    a_local_variable_that_moves_to_another_method_takes_its_uses_along,
    a_constructor_that_comes_with_moved_statements_sets_the_final_field,
    a_return_that_leaves_a_handler_ends_the_method,
    a_condition_around_a_return_that_stays_needs_the_return_after_it,
    a_handler_that_ends_the_method_is_not_left_empty,
    a_static_call_that_becomes_one_on_a_value,
    a_field_is_not_named_alone_while_a_parameter_has_its_name,
    an_endless_loop_that_comes_has_its_way_out,
    a_condition_that_becomes_endless_needs_what_follows_to_go,
    a_branch_that_comes_has_its_end,
    a_body_that_comes_returns_a_result,
    a_result_that_is_no_longer_wanted_is_not_given,
    a_final_field_that_goes_has_its_value_until_then,
    a_constructor_that_comes_with_its_file_calls_the_one_that_there_is,
    a_handler_goes_with_the_last_call_that_throws,
    a_variable_whose_statements_move_one_by_one_keeps_its_value,
    a_switch_that_comes_keeps_its_default,
    a_handler_that_comes_with_its_file_has_something_to_handle,
    a_method_that_is_pulled_up_and_changed_finds_what_it_names_in_either_class,
    a_method_that_moves_to_another_file_assigns_before_it_reads,
    a_class_that_gets_a_file_of_its_own_changes_on_the_way,
    a_value_that_moves_to_another_method_leaves_nothing_that_reads_it,
    a_field_that_becomes_final_gets_its_value_from_every_constructor,
    an_exception_that_is_no_longer_thrown_inside_a_handler_that_goes,
    a_final_variable_gets_its_first_value_by_an_assignment,
    a_method_that_becomes_final_is_not_overridden_by_what_loses_a_parameter,
    a_method_that_becomes_final_loses_the_parameter_that_it_shared,
    a_final_method_and_one_below_exchange_their_parameters,
    a_method_with_another_result_takes_the_parameters_of_one_above,
    a_class_that_becomes_abstract_implements_what_it_did_not_have,
    a_class_that_becomes_abstract_implements_what_others_wrote,
    a_class_that_becomes_abstract_leaves_a_method_to_those_below,
    an_interface_gains_a_method_while_a_class_becomes_abstract,
    an_interface_gains_a_method_while_a_class_leaves_it,
    a_class_gets_an_interface_whose_method_is_renamed,
    a_label_is_renamed_with_its_jumps,
    labels_change_places,
    an_abstract_method_is_renamed_while_an_implementation_comes,
    an_abstract_method_is_renamed_while_another_class_implements_it,
    an_abstract_method_is_renamed_with_one_that_overrides_it_again,
}

fn a_return_that_moves_to_another_method_leaves_one_behind() {
    let old = "class A { int size; double spars() { return (double) size / (double) total(); } int total() { return 3; } }";
    let new = "class A { int size; double spars() { return sparsity(); } double sparsity() { return (double) size / (double) total(); } int total() { return 3; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn branches_that_change_places_still_return() {
    let old = "class A { int m(int[] x, int[] y) { if (x.length > 1) { add(x, y); return get(); } else { throw new IllegalStateException(); } } void add(int[] x, int[] y) {} int get() { return 1; } }";
    let new = "class A { int m(int[] x, int[] y) { if (x.length < 2) { throw new RuntimeException(); } else { add(x, y); return get(); } } void add(int[] x, int[] y) {} int get() { return 1; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn an_array_has_either_dimensions_or_elements() {
    let old = "class A { Object[] m(Object o) { return new Object[0]; } }";
    let new = "class A { Object[] m(Object o) { return new Object[] { o }; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Inside);
}

fn a_return_that_moves_has_another_result_to_give() {
    let old = "class A { String pattern; String get() { return this.pattern.trim(); } }";
    let new = "class A { Object pattern; String get() { return pattern.toString(); } Object general() { return this.pattern; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Type);
}

fn a_value_that_is_wrapped_while_its_type_changes() {
    let old = "class A { int[][] matrix; int m() { return matrix[0][1]; } }";
    let new = "class A { B matrix; int m() { return matrix.data()[0][1]; } } class B { int[][] data() { return null; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Type);
}

fn another_exception_with_other_arguments() {
    let old = "class A { void m(int a) { throw new IllegalStateException(\"no \" + a); } static class Wrong extends RuntimeException { Wrong(int a, int b) {} } }";
    let new = "class A { void m(int a) { throw new Wrong(3, a); } static class Wrong extends RuntimeException { Wrong(int a, int b) {} } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Signature);
}

fn an_argument_for_a_parameter_that_is_another_one() {
    let old = "class A { int m(int a) { return f(a, \"text\"); } int f(int a, String message) { return a; } }";
    let new = "class A { int m(int a) { return f(a, Thread.State.NEW); } int f(int a, Enum<?> pattern) { return a; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Type);
}

fn a_local_variable_that_moves_to_another_method_takes_its_uses_along() {
    let old = "class A { int m(int n) { int[] interval = {0, n - 1, n}; int left = interval[0] + interval[1]; return left; } }";
    let new = "class A { int m(int n) { return m(n, n); } int m(int n, int k) { int[] interval = {0, n - 1, n}; int left = interval[0] + interval[1]; return left; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Inside);
}

fn a_constructor_that_comes_with_moved_statements_sets_the_final_field() {
    let old = "class A extends Exception { final int most; A(int most, String text) { super(text.trim() + most); this.most = Math.max(most, 0); } }";
    let new = "class A extends Exception { final int most; A(int most, String text) { this(most, text, 1); } A(int most, String text, int k) { super(text.trim() + most); this.most = Math.max(most, 0); } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn a_return_that_leaves_a_handler_ends_the_method() {
    let old = "class A { boolean m(Object o) { try { A a = (A) o; return a.f(); } catch (ClassCastException e) { return Boolean.parseBoolean(\"false\"); } } boolean f() { return true; } }";
    let new = "class A { boolean m(Object o) { if (o instanceof A) { A a = (A) o; return a.f(); } return Boolean.parseBoolean(\"false\"); } boolean f() { return true; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn a_condition_around_a_return_that_stays_needs_the_return_after_it() {
    let old = "class A { String m(Object o) { return String.valueOf(o.hashCode()); } }";
    let new = "class A { String m(Object o) { if (o != null) { return String.valueOf(o.hashCode()); } return \"\"; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn a_handler_that_ends_the_method_is_not_left_empty() {
    let old = "class A { int m(String s) { int root; try { root = Integer.parseInt(s); } catch (NumberFormatException e) { throw new IllegalStateException(e); } return root; } }";
    let new = "class A { int m(String s) { int root; try { root = Integer.parseInt(s); } catch (NumberFormatException e) { System.out.println(s); return 0; } return root; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn a_static_call_that_becomes_one_on_a_value() {
    let old = "import java.util.*; class A { List<String> all; Collection<String> m() { return Collections.unmodifiableCollection(all); } Collection<String> own() { return all; } }";
    let new = "import java.util.*; class A { List<String> all; Collection<String> m() { return all.subList(0, 1); } Collection<String> own() { return all; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Definition);
}

fn a_field_is_not_named_alone_while_a_parameter_has_its_name() {
    let old =
        "class A { double scale; void m(final double scale) { int k = 1; this.scale = scale; } }";
    let new = "class A { double scale; void m(final double step) { int k = 1; scale = step; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Definition);
}

fn an_endless_loop_that_comes_has_its_way_out() {
    let old = "class A { int m(int n) { int k = n; return k; } }";
    let new =
        "class A { int m(int n) { int k = n; for (;;) { k++; if (k > 9) { break; } } return k; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn a_condition_that_becomes_endless_needs_what_follows_to_go() {
    let old = "class A { int m(int n) { int k = n; while (k < n) { k++; } throw new IllegalStateException(); } }";
    let new = "class A { int m(int n) { int k = n; while (true) { k++; } } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn a_branch_that_comes_has_its_end() {
    let old = "class A { int m(int n) { final int k; switch (n) { case 1: k = 2; break; default: k = 0; } return k; } }";
    let new = "class A { int m(int n) { final int k; switch (n) { case 1: k = 2; break; case 3: k = 4; break; default: k = 0; } return k; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn a_body_that_comes_returns_a_result() {
    let old = "abstract class A { abstract int m(int n); }";
    let new = "abstract class A { int m(int n) { int k = n; return k + 1; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn a_result_that_is_no_longer_wanted_is_not_given() {
    let old = "class A { int size; int m() { size++; return size; } }";
    let new = "class A { int size; void m() { size++; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn a_final_field_that_goes_has_its_value_until_then() {
    let old = "class A { final int size; final int most; A(int size) { this.size = size; this.most = 3; } }";
    let new = "class A { final int most; A(int size) { this.most = 3; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn a_constructor_that_comes_with_its_file_calls_the_one_that_there_is() {
    let above = (
        "B.java",
        "class B extends RuntimeException { B(int a, String... b) { super(\"b\" + a); } }",
    );
    let new = "class A extends B { A() { super(3, \"x\", \"y\"); } }";
    check(&[above], &[above, ("A.java", new)], DependencyRule::Constructor);
}

fn a_handler_goes_with_the_last_call_that_throws() {
    let old = "class A { void m() { try { f(); } catch (java.io.IOException e) { throw new IllegalStateException(e); } } void f() throws java.io.IOException {} void g() throws java.io.IOException { } }";
    let new = "class A { void m() { } void f() throws java.io.IOException {} void g() throws java.io.IOException { f(); } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Exception);
}

fn a_variable_whose_statements_move_one_by_one_keeps_its_value() {
    let old = "class A { int m(int n) { final int edge; if (n > 3) { edge = n; } else { edge = 2 * n; } double d = Math.abs(1.0 / (edge - n)); return (int) d; } }";
    let new = "class A { int m(int n) { return m(n, 1); } int m(int n, int k) { final int edge; if (n > 3) { edge = n; } else { edge = 2 * n; } double d = Math.abs(1.0 / (edge - n)); return (int) d + k; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Inside);
}

fn a_switch_that_comes_keeps_its_default() {
    let old = "class A { int m(int n) { return n; } }";
    let new = "class A { int m(int n) { final int k; switch (n) { case 1: k = 2; break; default: throw new IllegalStateException(); } return k; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn a_handler_that_comes_with_its_file_has_something_to_handle() {
    let given = (
        "E.java",
        "class E extends Exception {} class C { static final C ADD = null; C fix(double d) { return this; } int eval(C c) throws E { return 1; } }",
    );
    let new = "class A extends C { A m(double d) { try { return n(C.ADD.fix(d)); } catch (E e) { throw new IllegalArgumentException(e); } } A n(C c) throws E { return this; } }";
    check(&[given], &[given, ("A.java", new)], DependencyRule::Exception);
}

fn a_method_that_is_pulled_up_and_changed_finds_what_it_names_in_either_class() {
    let low = "import java.util.List; class Low extends High { List<Integer> all; int most() { int most = 0; for (Integer one : all) { if (one > most) { most = one; } } return most; } }";
    let high = "abstract class High { }";
    let new_low = "import java.util.List; class Low extends High { List<Integer> all; List<Integer> all() { return all; } }";
    let new_high = "import java.util.List; abstract class High { abstract List<Integer> all(); int most() { int most = -1; for (Integer one : all()) { if (one > most) { most = one; log(); } } return most; } void log() {} }";
    check(
        &[("Low.java", low), ("High.java", high)],
        &[("Low.java", new_low), ("High.java", new_high)],
        DependencyRule::Definition,
    );
}

fn a_method_that_moves_to_another_file_assigns_before_it_reads() {
    let old = "class A { static int m(int n) { int a; if (n > 1) { a = 1; } else { a = 2; } return a * n + a; } }";
    let new = "class B { static int m(int n) { int a = 0; int c = 3; if (n > 2) { c = 4; } return a * n + c; } }";
    check(
        &[("A.java", old), ("B.java", "class B { }")],
        &[("A.java", "class A { }"), ("B.java", new)],
        DependencyRule::Initialisation,
    );
}

fn a_class_that_gets_a_file_of_its_own_changes_on_the_way() {
    let old = "package a; import java.util.*; class A { List<String> m() { return new Inner().go(); } static class Inner { private final List<String> list = new ArrayList<>(); List<String> go() { list.add(\"a\"); return list; } } }";
    let new =
        "package a; import java.util.*; class A { List<String> m() { return new Inner().go(1); } }";
    let inner = "package a; import java.util.List; import java.util.LinkedList; class Inner { private final List<String> list = new LinkedList<>(); List<String> go(int n) { list.add(\"b\"); return list; } }";
    check(
        &[("a/A.java", old)],
        &[("a/A.java", new), ("a/Inner.java", inner)],
        DependencyRule::Definition,
    );
}

fn a_value_that_moves_to_another_method_leaves_nothing_that_reads_it() {
    let old = "class A { int m(int[] x, int i) { final int edge; if (x[i] - x[0] > x[1] - x[i]) { edge = 0; } else { edge = 1; } double d = Math.abs(1.0 / x[edge]); return (int) d; } }";
    let new = "class A { int m(int[] x, int i) { return m(x, i, 2); } int m(int[] x, int i, int w) { final int edge; if (x[i] - x[0] > x[1] - x[i]) { edge = 0; } else { edge = 1; } double d = 1.0 / x[edge]; return (int) (d * w); } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn a_field_that_becomes_final_gets_its_value_from_every_constructor() {
    let old = "class A { private double a = 5; private Object data = new Object(); private int b = 7; A() { } A(Object data) { super(); this.data = data; } Object get() { return data; } }";
    let new = "class A { private double a; private int b; private final Object data; A() { a = 5; b = 7; data = new Object(); } A(Object data) { this.data = data; } Object get() { return data; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn an_exception_that_is_no_longer_thrown_inside_a_handler_that_goes() {
    let old = "class A { static class F extends Exception { F(Exception e) { super(e); } } static class D extends Exception { } int g() throws D { return 1; } interface V { int value() throws F; } int m() throws D { try { V v = new V() { public int value() throws F { try { return g(); } catch (D e) { throw new F(e); } } }; return v.value(); } catch (F e) { throw (D) e.getCause(); } } }";
    let new = "class A { static class F extends Exception { F(Exception e) { super(e); } } static class D extends Exception { } static class E extends RuntimeException { D d; E(D d) { this.d = d; } } int g() throws D { return 1; } interface V { int value() throws F; } int m() throws D { try { V v = new V() { public int value() { try { return g(); } catch (D e) { throw new E(e); } } }; try { return v.value(); } catch (F e) { throw new D(); } } catch (E e) { throw e.d; } } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Exception);
}

fn a_final_variable_gets_its_first_value_by_an_assignment() {
    let old = "class A { int m(int n) { final int a = n + 1; int b = 2; return a + b; } }";
    let new =
        "class A { int m(int n) { final int a; a = n + 1; final int b; b = 2; return a + b; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn a_method_that_becomes_final_is_not_overridden_by_what_loses_a_parameter() {
    let old = "class B { void f(int x) { } } class A extends B { void f(int x) { } }";
    let new = "class B { final void f(int x) { } } class A extends B { void f() { } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn a_method_that_becomes_final_loses_the_parameter_that_it_shared() {
    let old = "class B { void f(int x) { } } class A extends B { void f(int x) { } }";
    let new = "class B { final void f() { } } class A extends B { void f(int x) { } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn a_final_method_and_one_below_exchange_their_parameters() {
    let old = "class B { void f(int x) { } } class A extends B { void f() { } }";
    let new = "class B { final void f() { } } class A extends B { void f(int x) { } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn a_method_with_another_result_takes_the_parameters_of_one_above() {
    let old =
        "class B { String f(int x) { return null; } } class A extends B { int f() { return 1; } }";
    let new =
        "class B { String f() { return null; } } class A extends B { int f(int x) { return 1; } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
}

fn a_class_that_becomes_abstract_implements_what_it_did_not_have() {
    let old = "interface I { void g(); } class A { }";
    let new = "interface I { void g(); } abstract class A implements I { }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn a_class_that_becomes_abstract_implements_what_others_wrote() {
    let old = "class A { }";
    let new = "abstract class A implements Comparable<A>, Runnable { public void run() { } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn a_class_that_becomes_abstract_leaves_a_method_to_those_below() {
    let old = "interface I { void g(); } interface J { void h(); } class A implements I { public void g() { } } class C extends A implements J { public void h() { } }";
    let new = "interface I { void g(); } interface J { void h(); } abstract class A implements I, J { } class C extends A { public void h() { } public void g() { } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn an_interface_gains_a_method_while_a_class_becomes_abstract() {
    let old = "interface I { void one(); } class A implements I { public void one() { } }";
    let new = "interface I { void two(); void g(); } abstract class A implements I { }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn an_interface_gains_a_method_while_a_class_leaves_it() {
    let old = "interface I { } class A implements I { }";
    let new = "interface I { void g(); } class A { }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn a_class_gets_an_interface_whose_method_is_renamed() {
    let old = "interface I { void one(); } class A { public void two() { } }";
    let new = "interface I { void two(); } class A implements I { public void two() { } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn a_label_is_renamed_with_its_jumps() {
    let old = "class A { void f(boolean b) { one: while (b) { while (b) { if (b) { continue one; } break one; } } } }";
    let new = "class A { void f(boolean b) { two: while (b) { while (b) { if (b) { continue two; } break two; } } } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Definition);
}

fn labels_change_places() {
    let old = "class A { void f(boolean b) { one: while (b) { two: while (b) { if (b) { break one; } break two; } } } }";
    let new = "class A { void f(boolean b) { two: while (b) { one: while (b) { if (b) { break one; } break two; } } } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Definition);
}

fn an_abstract_method_is_renamed_while_an_implementation_comes() {
    let old = "abstract class B { abstract void one(); } class A extends B { void one() { } }";
    let new = "abstract class B { abstract void two(); } class A extends B { void one() { } void two() { } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn an_abstract_method_is_renamed_while_another_class_implements_it() {
    let old = "interface I { void one(int x); } abstract class M implements I { } class A extends M { @Override public void one(int x) { } }";
    let new = "interface I { void two(int x, int y); } abstract class M implements I { @Override public void two(int x, int y) { } } class A extends M { public void one(int x) { } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn an_abstract_method_is_renamed_with_one_that_overrides_it_again() {
    let old = "interface I { void one(); } class A implements I { public void one() { } } class C extends A { @Override public void one() { } }";
    let new = "interface I { void two(); } class A implements I { public void two() { } } class C extends A { @Override public void two() { } public void one() { } }";
    check(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}
