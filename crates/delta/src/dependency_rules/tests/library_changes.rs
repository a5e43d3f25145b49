//! Change patterns from real libraries.

use super::check_all_subsets;
use crate::DependencyRule;
use mend_engine::test_support::facts;

facts! {
    every_shape_is_coupled:
    return_moved_to_method_leaves_return_behind,
    swapped_branches_still_return,
    array_has_dimensions_or_elements,
    moved_return_has_new_return_type,
    wrapped_value_changes_type,
    replaced_exception_has_other_arguments,
    argument_follows_replaced_parameter,
    local_moved_to_method_takes_its_uses,
    new_constructor_with_moved_code_sets_final_field,
    return_moved_out_of_handler_ends_method,
    condition_around_kept_return_needs_later_return,
    handler_ending_method_is_not_empty,
    static_call_becomes_instance_call,
    field_is_qualified_while_parameter_shadows_it,
    new_endless_loop_has_exit,
    endless_condition_needs_removal_of_following_code,
    new_branch_has_jump,
    new_body_returns_value,
    removed_return_type_needs_removal_of_value,
    removed_final_field_is_initialised_until_removal,
    constructor_in_new_file_calls_existing_one,
    handler_is_removed_with_last_throwing_call,
    variable_keeps_value_while_statements_move,
    new_switch_keeps_default,
    handler_in_new_file_has_throwing_call,
    pulled_up_method_resolves_names_in_both_classes,
    method_moved_to_file_assigns_before_reading,
    class_moved_to_own_file_is_edited,
    value_moved_to_method_leaves_no_reads,
    field_made_final_is_set_by_every_constructor,
    exception_and_its_handler_are_removed_together,
    final_variable_is_initialised_by_assignment,
    method_made_final_excludes_override_by_lost_parameter,
    method_made_final_loses_shared_parameter,
    final_and_subclass_method_swap_parameters,
    method_with_new_return_type_takes_inherited_parameters,
    class_made_abstract_implements_missing_method,
    class_made_abstract_implements_inherited_method,
    class_made_abstract_leaves_method_to_subclasses,
    interface_gains_method_while_class_becomes_abstract,
    interface_gains_method_while_class_leaves_it,
    class_gains_interface_with_renamed_method,
    label_is_renamed_with_its_jumps,
    labels_are_swapped,
    abstract_method_is_renamed_while_implementation_is_added,
    abstract_method_is_renamed_while_class_implements_it,
    abstract_method_is_renamed_with_repeated_override,
}

fn return_moved_to_method_leaves_return_behind() {
    let old = "class A { int size; double spars() { return (double) size / (double) total(); } int total() { return 3; } }";
    let new = "class A { int size; double spars() { return sparsity(); } double sparsity() { return (double) size / (double) total(); } int total() { return 3; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn swapped_branches_still_return() {
    let old = "class A { int m(int[] x, int[] y) { if (x.length > 1) { add(x, y); return get(); } else { throw new IllegalStateException(); } } void add(int[] x, int[] y) {} int get() { return 1; } }";
    let new = "class A { int m(int[] x, int[] y) { if (x.length < 2) { throw new RuntimeException(); } else { add(x, y); return get(); } } void add(int[] x, int[] y) {} int get() { return 1; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn array_has_dimensions_or_elements() {
    let old = "class A { Object[] m(Object o) { return new Object[0]; } }";
    let new = "class A { Object[] m(Object o) { return new Object[] { o }; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Inside);
}

fn moved_return_has_new_return_type() {
    let old = "class A { String pattern; String get() { return this.pattern.trim(); } }";
    let new = "class A { Object pattern; String get() { return pattern.toString(); } Object general() { return this.pattern; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Type);
}

fn wrapped_value_changes_type() {
    let old = "class A { int[][] matrix; int m() { return matrix[0][1]; } }";
    let new = "class A { B matrix; int m() { return matrix.data()[0][1]; } } class B { int[][] data() { return null; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Type);
}

fn replaced_exception_has_other_arguments() {
    let old = "class A { void m(int a) { throw new IllegalStateException(\"no \" + a); } static class Wrong extends RuntimeException { Wrong(int a, int b) {} } }";
    let new = "class A { void m(int a) { throw new Wrong(3, a); } static class Wrong extends RuntimeException { Wrong(int a, int b) {} } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Signature);
}

fn argument_follows_replaced_parameter() {
    let old = "class A { int m(int a) { return f(a, \"text\"); } int f(int a, String message) { return a; } }";
    let new = "class A { int m(int a) { return f(a, Thread.State.NEW); } int f(int a, Enum<?> pattern) { return a; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Type);
}

fn local_moved_to_method_takes_its_uses() {
    let old = "class A { int m(int n) { int[] interval = {0, n - 1, n}; int left = interval[0] + interval[1]; return left; } }";
    let new = "class A { int m(int n) { return m(n, n); } int m(int n, int k) { int[] interval = {0, n - 1, n}; int left = interval[0] + interval[1]; return left; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Inside);
}

fn new_constructor_with_moved_code_sets_final_field() {
    let old = "class A extends Exception { final int most; A(int most, String text) { super(text.trim() + most); this.most = Math.max(most, 0); } }";
    let new = "class A extends Exception { final int most; A(int most, String text) { this(most, text, 1); } A(int most, String text, int k) { super(text.trim() + most); this.most = Math.max(most, 0); } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn return_moved_out_of_handler_ends_method() {
    let old = "class A { boolean m(Object o) { try { A a = (A) o; return a.f(); } catch (ClassCastException e) { return Boolean.parseBoolean(\"false\"); } } boolean f() { return true; } }";
    let new = "class A { boolean m(Object o) { if (o instanceof A) { A a = (A) o; return a.f(); } return Boolean.parseBoolean(\"false\"); } boolean f() { return true; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn condition_around_kept_return_needs_later_return() {
    let old = "class A { String m(Object o) { return String.valueOf(o.hashCode()); } }";
    let new = "class A { String m(Object o) { if (o != null) { return String.valueOf(o.hashCode()); } return \"\"; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn handler_ending_method_is_not_empty() {
    let old = "class A { int m(String s) { int root; try { root = Integer.parseInt(s); } catch (NumberFormatException e) { throw new IllegalStateException(e); } return root; } }";
    let new = "class A { int m(String s) { int root; try { root = Integer.parseInt(s); } catch (NumberFormatException e) { System.out.println(s); return 0; } return root; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn static_call_becomes_instance_call() {
    let old = "import java.util.*; class A { List<String> all; Collection<String> m() { return Collections.unmodifiableCollection(all); } Collection<String> own() { return all; } }";
    let new = "import java.util.*; class A { List<String> all; Collection<String> m() { return all.subList(0, 1); } Collection<String> own() { return all; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Definition);
}

fn field_is_qualified_while_parameter_shadows_it() {
    let old =
        "class A { double scale; void m(final double scale) { int k = 1; this.scale = scale; } }";
    let new = "class A { double scale; void m(final double step) { int k = 1; scale = step; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Definition);
}

fn new_endless_loop_has_exit() {
    let old = "class A { int m(int n) { int k = n; return k; } }";
    let new =
        "class A { int m(int n) { int k = n; for (;;) { k++; if (k > 9) { break; } } return k; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn endless_condition_needs_removal_of_following_code() {
    let old = "class A { int m(int n) { int k = n; while (k < n) { k++; } throw new IllegalStateException(); } }";
    let new = "class A { int m(int n) { int k = n; while (true) { k++; } } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn new_branch_has_jump() {
    let old = "class A { int m(int n) { final int k; switch (n) { case 1: k = 2; break; default: k = 0; } return k; } }";
    let new = "class A { int m(int n) { final int k; switch (n) { case 1: k = 2; break; case 3: k = 4; break; default: k = 0; } return k; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn new_body_returns_value() {
    let old = "abstract class A { abstract int m(int n); }";
    let new = "abstract class A { int m(int n) { int k = n; return k + 1; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn removed_return_type_needs_removal_of_value() {
    let old = "class A { int size; int m() { size++; return size; } }";
    let new = "class A { int size; void m() { size++; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn removed_final_field_is_initialised_until_removal() {
    let old = "class A { final int size; final int most; A(int size) { this.size = size; this.most = 3; } }";
    let new = "class A { final int most; A(int size) { this.most = 3; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn constructor_in_new_file_calls_existing_one() {
    let above = (
        "B.java",
        "class B extends RuntimeException { B(int a, String... b) { super(\"b\" + a); } }",
    );
    let new = "class A extends B { A() { super(3, \"x\", \"y\"); } }";
    check_all_subsets(&[above], &[above, ("A.java", new)], DependencyRule::Constructor);
}

fn handler_is_removed_with_last_throwing_call() {
    let old = "class A { void m() { try { f(); } catch (java.io.IOException e) { throw new IllegalStateException(e); } } void f() throws java.io.IOException {} void g() throws java.io.IOException { } }";
    let new = "class A { void m() { } void f() throws java.io.IOException {} void g() throws java.io.IOException { f(); } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Exception);
}

fn variable_keeps_value_while_statements_move() {
    let old = "class A { int m(int n) { final int edge; if (n > 3) { edge = n; } else { edge = 2 * n; } double d = Math.abs(1.0 / (edge - n)); return (int) d; } }";
    let new = "class A { int m(int n) { return m(n, 1); } int m(int n, int k) { final int edge; if (n > 3) { edge = n; } else { edge = 2 * n; } double d = Math.abs(1.0 / (edge - n)); return (int) d + k; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Inside);
}

fn new_switch_keeps_default() {
    let old = "class A { int m(int n) { return n; } }";
    let new = "class A { int m(int n) { final int k; switch (n) { case 1: k = 2; break; default: throw new IllegalStateException(); } return k; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Reach);
}

fn handler_in_new_file_has_throwing_call() {
    let given = (
        "E.java",
        "class E extends Exception {} class C { static final C ADD = null; C fix(double d) { return this; } int eval(C c) throws E { return 1; } }",
    );
    let new = "class A extends C { A m(double d) { try { return n(C.ADD.fix(d)); } catch (E e) { throw new IllegalArgumentException(e); } } A n(C c) throws E { return this; } }";
    check_all_subsets(&[given], &[given, ("A.java", new)], DependencyRule::Exception);
}

fn pulled_up_method_resolves_names_in_both_classes() {
    let low = "import java.util.List; class Low extends High { List<Integer> all; int most() { int most = 0; for (Integer one : all) { if (one > most) { most = one; } } return most; } }";
    let high = "abstract class High { }";
    let new_low = "import java.util.List; class Low extends High { List<Integer> all; List<Integer> all() { return all; } }";
    let new_high = "import java.util.List; abstract class High { abstract List<Integer> all(); int most() { int most = -1; for (Integer one : all()) { if (one > most) { most = one; log(); } } return most; } void log() {} }";
    check_all_subsets(
        &[("Low.java", low), ("High.java", high)],
        &[("Low.java", new_low), ("High.java", new_high)],
        DependencyRule::Definition,
    );
}

fn method_moved_to_file_assigns_before_reading() {
    let old = "class A { static int m(int n) { int a; if (n > 1) { a = 1; } else { a = 2; } return a * n + a; } }";
    let new = "class B { static int m(int n) { int a = 0; int c = 3; if (n > 2) { c = 4; } return a * n + c; } }";
    check_all_subsets(
        &[("A.java", old), ("B.java", "class B { }")],
        &[("A.java", "class A { }"), ("B.java", new)],
        DependencyRule::Initialisation,
    );
}

fn class_moved_to_own_file_is_edited() {
    let old = "package a; import java.util.*; class A { List<String> m() { return new Inner().go(); } static class Inner { private final List<String> list = new ArrayList<>(); List<String> go() { list.add(\"a\"); return list; } } }";
    let new =
        "package a; import java.util.*; class A { List<String> m() { return new Inner().go(1); } }";
    let inner = "package a; import java.util.List; import java.util.LinkedList; class Inner { private final List<String> list = new LinkedList<>(); List<String> go(int n) { list.add(\"b\"); return list; } }";
    check_all_subsets(
        &[("a/A.java", old)],
        &[("a/A.java", new), ("a/Inner.java", inner)],
        DependencyRule::Definition,
    );
}

fn value_moved_to_method_leaves_no_reads() {
    let old = "class A { int m(int[] x, int i) { final int edge; if (x[i] - x[0] > x[1] - x[i]) { edge = 0; } else { edge = 1; } double d = Math.abs(1.0 / x[edge]); return (int) d; } }";
    let new = "class A { int m(int[] x, int i) { return m(x, i, 2); } int m(int[] x, int i, int w) { final int edge; if (x[i] - x[0] > x[1] - x[i]) { edge = 0; } else { edge = 1; } double d = 1.0 / x[edge]; return (int) (d * w); } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn field_made_final_is_set_by_every_constructor() {
    let old = "class A { private double a = 5; private Object data = new Object(); private int b = 7; A() { } A(Object data) { super(); this.data = data; } Object get() { return data; } }";
    let new = "class A { private double a; private int b; private final Object data; A() { a = 5; b = 7; data = new Object(); } A(Object data) { this.data = data; } Object get() { return data; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn exception_and_its_handler_are_removed_together() {
    let old = "class A { static class F extends Exception { F(Exception e) { super(e); } } static class D extends Exception { } int g() throws D { return 1; } interface V { int value() throws F; } int m() throws D { try { V v = new V() { public int value() throws F { try { return g(); } catch (D e) { throw new F(e); } } }; return v.value(); } catch (F e) { throw (D) e.getCause(); } } }";
    let new = "class A { static class F extends Exception { F(Exception e) { super(e); } } static class D extends Exception { } static class E extends RuntimeException { D d; E(D d) { this.d = d; } } int g() throws D { return 1; } interface V { int value() throws F; } int m() throws D { try { V v = new V() { public int value() { try { return g(); } catch (D e) { throw new E(e); } } }; try { return v.value(); } catch (F e) { throw new D(); } } catch (E e) { throw e.d; } } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Exception);
}

fn final_variable_is_initialised_by_assignment() {
    let old = "class A { int m(int n) { final int a = n + 1; int b = 2; return a + b; } }";
    let new =
        "class A { int m(int n) { final int a; a = n + 1; final int b; b = 2; return a + b; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Initialisation);
}

fn method_made_final_excludes_override_by_lost_parameter() {
    let old = "class B { void f(int x) { } } class A extends B { void f(int x) { } }";
    let new = "class B { final void f(int x) { } } class A extends B { void f() { } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn method_made_final_loses_shared_parameter() {
    let old = "class B { void f(int x) { } } class A extends B { void f(int x) { } }";
    let new = "class B { final void f() { } } class A extends B { void f(int x) { } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn final_and_subclass_method_swap_parameters() {
    let old = "class B { void f(int x) { } } class A extends B { void f() { } }";
    let new = "class B { final void f() { } } class A extends B { void f(int x) { } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn method_with_new_return_type_takes_inherited_parameters() {
    let old =
        "class B { String f(int x) { return null; } } class A extends B { int f() { return 1; } }";
    let new =
        "class B { String f() { return null; } } class A extends B { int f(int x) { return 1; } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
}

fn class_made_abstract_implements_missing_method() {
    let old = "interface I { void g(); } class A { }";
    let new = "interface I { void g(); } abstract class A implements I { }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn class_made_abstract_implements_inherited_method() {
    let old = "class A { }";
    let new = "abstract class A implements Comparable<A>, Runnable { public void run() { } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn class_made_abstract_leaves_method_to_subclasses() {
    let old = "interface I { void g(); } interface J { void h(); } class A implements I { public void g() { } } class C extends A implements J { public void h() { } }";
    let new = "interface I { void g(); } interface J { void h(); } abstract class A implements I, J { } class C extends A { public void h() { } public void g() { } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn interface_gains_method_while_class_becomes_abstract() {
    let old = "interface I { void one(); } class A implements I { public void one() { } }";
    let new = "interface I { void two(); void g(); } abstract class A implements I { }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn interface_gains_method_while_class_leaves_it() {
    let old = "interface I { } class A implements I { }";
    let new = "interface I { void g(); } class A { }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn class_gains_interface_with_renamed_method() {
    let old = "interface I { void one(); } class A { public void two() { } }";
    let new = "interface I { void two(); } class A implements I { public void two() { } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn label_is_renamed_with_its_jumps() {
    let old = "class A { void f(boolean b) { one: while (b) { while (b) { if (b) { continue one; } break one; } } } }";
    let new = "class A { void f(boolean b) { two: while (b) { while (b) { if (b) { continue two; } break two; } } } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Definition);
}

fn labels_are_swapped() {
    let old = "class A { void f(boolean b) { one: while (b) { two: while (b) { if (b) { break one; } break two; } } } }";
    let new = "class A { void f(boolean b) { two: while (b) { one: while (b) { if (b) { break one; } break two; } } } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Definition);
}

fn abstract_method_is_renamed_while_implementation_is_added() {
    let old = "abstract class B { abstract void one(); } class A extends B { void one() { } }";
    let new = "abstract class B { abstract void two(); } class A extends B { void one() { } void two() { } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn abstract_method_is_renamed_while_class_implements_it() {
    let old = "interface I { void one(int x); } abstract class M implements I { } class A extends M { @Override public void one(int x) { } }";
    let new = "interface I { void two(int x, int y); } abstract class M implements I { @Override public void two(int x, int y) { } } class A extends M { public void one(int x) { } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}

fn abstract_method_is_renamed_with_repeated_override() {
    let old = "interface I { void one(); } class A implements I { public void one() { } } class C extends A { @Override public void one() { } }";
    let new = "interface I { void two(); } class A implements I { public void two() { } } class C extends A { @Override public void two() { } public void one() { } }";
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], DependencyRule::Override);
    check_all_subsets(&[("A.java", new)], &[("A.java", old)], DependencyRule::Override);
}
