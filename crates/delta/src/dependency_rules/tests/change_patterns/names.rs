//! Change patterns of declarations and their uses.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::{facts, shared_server};

facts! {
    every_family_is_coupled:
    method_uses_need_declarations,
    class_uses_need_declarations,
    field_uses_need_declarations,
    constant_uses_need_declarations,
    variable_uses_need_declarations,
    switch_labels_are_unique,
    renamed_parameter_is_independent_of_its_type_argument,
    operator_is_independent_of_renamed_operands,
    operator_depends_on_types_of_renamed_operands,
    operator_that_regroups_numbers_is_independent,
    operator_is_independent_of_replaced_number,
    number_is_independent_of_restructured_concatenation,
    new_variable_of_kept_name_needs_its_type,
    compared_operands_are_not_unboxed,
}

fn method_uses_need_declarations() {
    check_all(&[
        single_file_pattern(
            "ADD_METH_ADD_IVK ADD_METH_CHG_IVK ADD_METH_ADD_ARG ADD_METH_CHG_ARG INS_METH_LN_INS \
             INS_METH_REL ADD_METH_REL",
            "class A { void h(int x) { } int k() { return 0; } void f() { h(1); k(); } }",
            "class A { void h(int x) { } int g() { return 3; } int k() { return 0; } \
             void f() { h(g()); g(); int z = g(); } }",
            &[("+g()", "+int g()"), ("+int z", "+int g()")],
        ),
        single_file_pattern(
            "RM_METH_RM_IVK RM_METH_REL RM_METH_RM_ARG RM_METH_CHG_ARG RM_METH_CHG_IVK \
             DEL_METH_LN_DEL RM_METH_ADD_ARG",
            "class A { void h(int x) { } int g() { return 3; } int k() { return 0; } \
             void f() { h(g()); g(); int z = g(); } }",
            "class A { void h(int x) { } int k() { return 0; } void f() { h(1); k(); } }",
            &[("-int g()", "-g()"), ("-int g()", "-int z")],
        ),
        single_file_pattern(
            "CHG_METH_REL CHG_METH_CHG_ARG CHG_METH_INS CHG_METH_ADD_ARG CHG_METH_ADD_IVK \
             CHG_METH_RM_IVK",
            "class A { void h(int x) { } int gap() { return 3; } void f() { h(gap()); gap(); } }",
            "class A { void h(int x) { } int gaps() { return 3; } void f() { h(gaps()); int z = gaps(); } }",
            &[("+gaps", "+gaps"), ("+int z", "+gaps")],
        ),
        single_file_pattern(
            "CHG_METH_INS_METH DEL_METH_INS_METH DEL_METH_CHG_METH RM_METH_ADD_METH \
             RM_METH_ADD_METH_2 RM_METH_CHG_METH",
            "class A { int g(int x) { return 3; } void k() { } int h() { return g(1); } }",
            "class A { String s() { return null; } int h() { return g(1); } long l; int g(int y) { l = y; return y + 4; } }",
            &[],
        ),
        single_file_pattern(
            "RM_ACC_RM_METH ADD_ACC_ADD_METH MOVDEL_METH_DEL",
            "class A { int x; int getX() { return x; } int f() { return getX(); } }",
            "class A { int y; int getY() { return y; } int f() { return getY(); } }",
            &[],
        ),
    ]);
}

fn class_uses_need_declarations() {
    check_all(&[
        single_file_pattern(
            "ADD_CLASS_INS ADD_CLASS_REL INS_INS INS_LN_INS INS_LN_INS_2 D_INS_INS MOV_INS",
            "class A { Object f() { return null; } }",
            "class B { } class A { B b; Object f() { return new B(); } }",
            &[("+B b", "+class B"), ("+new B", "+class B")],
        ),
        single_file_pattern(
            "RM_CLASS_DEL RM_CLASS_REL DEL_LN_DEL DEL_LN_DEL_2 D_DEL_DEL MOV_DEL",
            "class B { } class A { B b; Object f() { return new B(); } }",
            "class A { Object f() { return null; } }",
            &[("-class B", "-B b"), ("-class B", "-new B")],
        ),
        single_file_pattern(
            "CHG_CLASS_REL CHG_CLASS_CHG_CTOR CHG_CLASS_DEL CHG_CLASS_RM_CTOR CHG_CLASS_INS \
             CHG_CLASS_ADD_CTOR",
            "class Bee { Bee() { } } class A { Bee b; Bee c = new Bee(); }",
            "class Wasp { Wasp() { } } class A { Wasp b; Object d = new Wasp(); }",
            &[("+Wasp", "+Wasp")],
        ),
    ]);
}

fn field_uses_need_declarations() {
    check_all(&[
        single_file_pattern(
            "ADD_FIELD_INS ADD_FIELD_REL ADD_FIELD_ADD_ASSIGN CHG_ADD_FIELD CHG_ADD",
            "class A { int f() { return 1; } }",
            "class A { int x; int f() { x = 2; return x; } }",
            &[("+x", "+int x")],
        ),
        single_file_pattern(
            "RM_FIELD_DEL RM_FIELD_REL RM_FIELD_RM_ASSIGN CHG_RM",
            "class A { int x; int f() { x = 2; return x; } }",
            "class A { int f() { return 1; } }",
            &[("-int x", "-x")],
        ),
        single_file_pattern(
            "CHG_FIELD_INS CHG_FIELD_DEL CHG_FIELD_REL0 CHG_FIELD_REL1 CHG_VDTOR_REL \
             CHG_FIELD_RM_ASSIGN CHG_FIELD_ADD_ASSIGN",
            "class A { int old; int f() { old = 3; return old; } }",
            "class A { int fresh; int f() { int z = fresh; return fresh; } }",
            &[("+fresh", "-old"), ("+int z", "+fresh")],
        ),
        single_file_pattern(
            "RM_FIELD_ADD_FIELD RM_FIELD_ADD_FIELD_MOV RM_VDTOR_ADD_VDTOR RM_VDTOR_ADD_VDTOR_MOV \
             RM_ADD_VDTOR",
            "class A { int x = 1; void k() { } int f() { return x; } }",
            "class A { void k() { } int f() { return x; } static int x, y; }",
            &[],
        ),
        single_file_pattern(
            "RM_FIELD_ADD_OBJ RM_FIELD_CHG_OBJ RM_FIELD_INS_CAST ADD_FIELD_RM_OBJ",
            "class B { int x; } class A extends B { int x; int f() { return x; } }",
            "class B { int x; } class A extends B { int f() { return ((B) this).x; } }",
            &[],
        ),
        single_file_pattern(
            "CHG_SUPERTY_ADD_FIELD CHG_SUPERTY_RM_FACC RM_SUPERTY_REL ADD_SUPERTY_REL",
            "class B { int x; } class C { } class A extends B { int f() { return x; } }",
            "class B { int x; } class C { } class A extends C { int f() { return y; } int y; }",
            &[("+C", "-x"), ("+y", "+int y")],
        ),
    ]);
}

fn constant_uses_need_declarations() {
    check_all(&[
        single_file_pattern(
            "ADD_ENUMCONST_INS ADD_ENUMCONST_REL",
            "enum E { ONE } class A { E f() { return E.ONE; } }",
            "enum E { ONE, TWO } class A { E g = E.TWO; E f() { return E.TWO; } }",
            &[("+E g", "+TWO")],
        ),
        single_file_pattern(
            "RM_ENUMCONST_DEL RM_ENUMCONST_REL",
            "enum E { ONE, TWO } class A { E g = E.TWO; E f() { return E.TWO; } }",
            "enum E { ONE } class A { E f() { return E.ONE; } }",
            &[],
        ),
        single_file_pattern(
            "CHG_ENUMCONST_REL",
            "enum E { ONE, TWO } class A { E f() { return E.TWO; } }",
            "enum E { ONE, THREE } class A { E f() { return E.THREE; } }",
            &[("-TWO", "+THREE")],
        ),
    ]);
}

fn variable_uses_need_declarations() {
    check_all(&[
        single_file_pattern(
            "ADD_VDTOR_INS ADD_VDTOR_REL CHG_LVD_INS INS_METH_ADD_VDTOR ADD_USE_ADD_INI",
            "class A { int g() { return 1; } int f() { return 1; } }",
            "class A { int g() { return 1; } int f() { int x = 1; x++; return x; } }",
            &[("+x++", "+int x"), ("+x", "+int x")],
        ),
        single_file_pattern(
            "RM_VDTOR_DEL RM_VDTOR_REL CHG_LVD_DEL",
            "class A { int f() { int x = 1; x++; return x; } }",
            "class A { int f() { return 1; } }",
            &[("-int x", "-x")],
        ),
        single_file_pattern(
            "CHG_VDTOR_INS CHG_VDTOR_DEL",
            "class A { int f() { int one = 1; one++; return one; } }",
            "class A { int f() { int two = 1; two--; return two; } }",
            &[("+two", "-one")],
        ),
        single_file_pattern(
            "RM_LVD_ADD_PARAM ADD_PARAM_INS ADD_PARAM_REL INS_PARAM_REL",
            "class A { int f() { int x = 1; return x; } int g() { return f(); } }",
            "class A { int f(int x) { return x; } int g() { return f(1); } }",
            &[("+int x", "-int x")],
        ),
        single_file_pattern(
            "ADD_LVD_RM_PARAM ADD_LVD_CHG_PARAM RM_PARAM_DEL RM_PARAM_REL",
            "class A { int f(int x) { return x; } int g() { return f(1); } }",
            "class A { int f() { int x = 1; return x; } int g() { return f(); } }",
            &[("-int x", "+int x")],
        ),
        single_file_pattern(
            "CHG_PARAM_INS CHG_PARAM_DEL CHG_PARAM_CHG_USE_D CHG_PARAM_CHG_USE_I CHG_PARAM_REL",
            "class A { int f(int one) { one++; return one; } }",
            "class A { int f(int two) { --two; return two; } }",
            &[("+two", "-one"), ("+--two", "+two")],
        ),
        single_file_pattern(
            "RM_FOR_INIT_RM_LVD ADD_FOR_INIT_ADD_LVD",
            "class A { void f() { for (int i = 0; i < 3; i++) { } } }",
            "class A { void f() { int i; for (i = 0; i < 3; i++) { } } }",
            &[],
        ),
        single_file_pattern(
            "variables of parameters that come",
            "class A { int f() { return 1; } }",
            "class A { int f() { return 1; } int g(int y) { return y + f(); } }",
            &[],
        ),
    ]);
}

fn switch_labels_are_unique() {
    check_all(&[single_file_pattern(
        "MOVE_SWITCH_LABEL",
        "class A { void g() { } void f(int x) { switch (x) { case 1: g(); break; case 2: f(1); break; } } }",
        "class A { void g() { } void f(int x) { switch (x) { case 2: g(); break; case 1: f(2); break; } } }",
        &[],
    )]);
}

fn renamed_parameter_is_independent_of_its_type_argument() {
    let pattern = single_file_pattern(
        "type parameters added to a class, and a constructor's parameter renamed in part",
        "class A { A data; A(B data) { f(data); this.data.add(data.get(0)); } \
         void f(Object x) { } void add(Comparable x) { } } \
         class B { Comparable get(int x) { return null; } }",
        "class A<K extends Comparable<K>> { A<K> data; A(B<K> source) { f(data); \
         this.data.add(source.get(0)); } void f(Object x) { } void add(K x) { } } \
         class B<K extends Comparable<K>> { K get(int x) { return null; } }",
        &[],
    );
    let server = &mut shared_server();
    assert_eq!(pattern.find_fault(server), None);
    for type_argument in ["+B<K>", "+A<K>", "+<K"] {
        pattern.assert_independent(server, "+source", type_argument);
    }
}

fn operator_is_independent_of_renamed_operands() {
    let pattern = single_file_pattern(
        "an operator and the names of its operands",
        "class A { int s; int f(int n) { s = s + n % 3; return s; } }",
        "class A { int sum; int f(int next) { sum = sum - next % 3; return sum; } }",
        &[],
    );
    let server = &mut shared_server();
    assert_eq!(pattern.find_fault(server), None);
    for name in ["+sum", "+next"] {
        pattern.assert_independent(server, "-+", name);
        pattern.assert_independent(server, name, "-+");
    }
}

fn operator_depends_on_types_of_renamed_operands() {
    check_all(&[
        single_file_pattern(
            "an operator, and the name and type of its operand",
            "class A { void g(Object o) { } void f(int n) { g(n - 1); } }",
            "class A { void g(Object o) { } void f(String s) { g(s + 1); } }",
            &[],
        ),
        single_file_pattern(
            "an operator and the type of its operand",
            "class A { void g(Object o) { } void f(int n) { g(n - 1); } }",
            "class A { void g(Object o) { } void f(String n) { g(n + 1); } }",
            &[],
        ),
        single_file_pattern(
            "an operator within a concatenation",
            "class A { String f(String s, int a, int b) { return \"\" + (a - b); } }",
            "class A { String f(String s, int a, int b) { return \"\" + (s + b); } }",
            &[],
        ),
        single_file_pattern(
            "an operator that regroups the operands, and the type of one",
            "class A { void g(Object o) { } void f(int n, int m) { g(1 + n * m); } }",
            "class A { void g(Object o) { } void f(int n, String m) { g(1 + n + m); } }",
            &[],
        ),
        single_file_pattern(
            "an operator that regroups the operands, and a real number",
            "class A { int f(int n, int m) { return 1 + n * m; } }",
            "class A { int f(int n, int m) { return (int) (1 + n + 2.5); } }",
            &[],
        ),
    ]);
}

fn operator_that_regroups_numbers_is_independent() {
    let pattern = single_file_pattern(
        "an operator that regroups numbers, and the names of operands",
        "class A { int s; boolean f(int n) { s = s * 19 / n; return s % 7 + n > 2; } }",
        "class A { int sum; boolean f(int next) { sum = sum + 19 / next; return sum + 7 + next > 2; } }",
        &[],
    );
    let server = &mut shared_server();
    assert_eq!(pattern.find_fault(server), None);
    for name in ["+sum", "+next"] {
        for operator in ["-*", "-%"] {
            pattern.assert_independent(server, operator, name);
            pattern.assert_independent(server, name, operator);
        }
    }
}

fn operator_is_independent_of_replaced_number() {
    let pattern = single_file_pattern(
        "an operator, and a call instead of a number",
        "class A { int x; int f(int n) { return x * n; } }",
        "class A { int x; int getX() { return x; } int f(int n) { return getX() + n; } }",
        &[("+getX() +", "+int getX"), ("+getX()", "+int getX")],
    );
    pattern.assert_independent(&mut shared_server(), "-*", "-x");
    check_all(&[
        single_file_pattern(
            "an operator, and a wider type of its operand and result",
            "class A { int x; int f(int n) { return x * n; } }",
            "class A { long x; long f(int n) { return x + n; } }",
            &[],
        ),
        single_file_pattern(
            "an operator, and a text instead of a number",
            "class A { int x; int f(int n) { return x * n; } }",
            "class A { String x; String f(int n) { return x + n; } }",
            &[],
        ),
    ]);
}

fn number_is_independent_of_restructured_concatenation() {
    let pattern = single_file_pattern(
        "a number in a concatenation, and a variable for a part of it",
        "class A { String f(String a, int n) { return a.trim() + n + a + n * 2; } }",
        "class A { String f(String a, int n) { String h = a.trim() + n; return h + a + n * 3; } }",
        &[("+h", "+String h")],
    );
    let server = &mut shared_server();
    assert_eq!(pattern.find_fault(server), None);
    pattern.assert_independent(server, "-2", "+String h");
}

fn new_variable_of_kept_name_needs_its_type() {
    check_all(&[
        single_file_pattern(
            "a parameter gets the name of a field",
            "class A { int x; void g(String y) { int r = x; } }",
            "class A { int x; void g(int x) { int r = x; } }",
            &[],
        ),
        single_file_pattern(
            "a name of an overloaded method's argument gets another variable",
            "import java.util.*; class A { boolean f(List<Integer> l, Object k, int n) { return l.remove(k); } }",
            "import java.util.*; class A { boolean f(List<Integer> l, Object m, Integer k) { return l.remove(k); } }",
            &[],
        ),
    ]);
}

fn compared_operands_are_not_unboxed() {
    check_all(&[
        single_file_pattern(
            "a comparison with null becomes one with a number",
            "class A { Integer x; int y; boolean f() { return this.x == null; } }",
            "class A { Integer x; int y; boolean f() { return this.y == 0; } }",
            &[],
        ),
        single_file_pattern(
            "a boxed variable that is compared becomes a number",
            "class A { boolean f(Integer c) { return c == null; } }",
            "class A { boolean f(int c) { return c == 0; } }",
            &[],
        ),
    ]);
}
