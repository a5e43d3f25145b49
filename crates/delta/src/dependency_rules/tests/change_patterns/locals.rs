//! Change patterns of local variables that are captured, constant, initialised, renamed or moved.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    captured_variables_are_effectively_final,
    constant_expressions_need_final_variables,
    variables_are_unique_in_scope,
    uses_need_initial_values,
    parameters_shadow_fields,
    renamed_uses_need_catch_variable,
}

fn captured_variables_are_effectively_final() {
    check_all(&[
        single_file_pattern(
            "RM_LVAR_INS_METH",
            "class A { void f() { int x = 1; x = 2; new Object() { int y; }; } }",
            "class A { void f() { int x = 1; new Object() { int y; int g() { return x; } }; } }",
            &[("+int g()", "-x = 2")],
        ),
        single_file_pattern(
            "ADD_LVAR_DEL_METH",
            "class A { void f() { int x = 1; new Object() { int y; int g() { return x; } }; } }",
            "class A { void f() { int x = 1; x = 2; new Object() { int y; }; } }",
            &[("+x = 2", "-int g()")],
        ),
    ]);
}

fn constant_expressions_need_final_variables() {
    check_all(&[
        single_file_pattern(
            "RM_LV_FINAL_RM_LVAR",
            "class A { void g() { } void f(int y) { final int one = 1; switch (y) { case one: g(); break; case 2: g(); } } }",
            "class A { void g() { } void f(int y) { int one = 1; switch (y) { case 2: g(); } } }",
            &[("-final", "-case one")],
        ),
        single_file_pattern(
            "RM_LV_FINAL_CHG_LVAR",
            "class A { void g() { } void f(int y) { final int one = 1; switch (y) { case one: g(); } } }",
            "class A { void g() { } void f(int y) { int one = 1; switch (y) { case 3: g(); } } }",
            &[("-final", "+3")],
        ),
        single_file_pattern(
            "ADD_LV_FINAL_ADD_LVAR",
            "class A { void f() { int one = 1; } }",
            "class A { void f() { final int one = 1; byte b = one; } }",
            &[("+byte b", "+final")],
        ),
        single_file_pattern(
            "ADD_LV_FINAL_CHG_LVAR",
            "class A { void f() { int one = 1; byte b = 3; } }",
            "class A { void f() { final int one = 1; byte b = one; } }",
            &[("+one", "+final")],
        ),
        single_file_pattern(
            "constants that are fields",
            "class A { static int X = 1; @SuppressWarnings(\"\") void f() { } static String Y = \"\"; }",
            "class A { static final int X = 1; @SuppressWarnings(Y) void f() { byte b = X; } static final String Y = \"\"; }",
            &[("+Y", "+final"), ("+byte b", "+final")],
        ),
    ]);
}

fn variables_are_unique_in_scope() {
    check_all(&[
        single_file_pattern(
            "RM_BLOCK_ADD_VDTOR",
            "class A { void g(int y) { } void f() { { int x = 1; g(x); } } }",
            "class A { void g(int y) { } void f() { int x = hashCode() + 2; g(x); } }",
            &[("+int x", "-int x")],
        ),
        single_file_pattern(
            "ADD_BLOCK_RM_VDTOR",
            "class A { void g(int y) { } void f() { int x = hashCode() + 2; g(x); } }",
            "class A { void g(int y) { } void f() { { int x = 1; g(x); } } }",
            &[("+int x", "-int x")],
        ),
        single_file_pattern(
            "MOVREL_V",
            "class B { static int size = 1 + 2 * 3; } class A { static int y; int f() { return y; } }",
            "class B { } class A { static int y; static int size = 1 + 2 * 3; int f() { return size; } }",
            &[("+size", "+static int size")],
        ),
        single_file_pattern(
            "variables that come before those that are used",
            "class A { void g(int z) { } void f(boolean b) { int y = 1; if (b) { int x = 2 + y; g(x); } g(y); } }",
            "class A { void g(int z) { } void f(boolean b) { int y = 1; int x = 2 + y; if (b) { g(x); } g(x); } }",
            &[],
        ),
    ]);
}

fn uses_need_initial_values() {
    check_all(&[
        single_file_pattern(
            "RM_INIT_CHG_LVAR",
            "class A { int f(int y) { int x = 1; return x; } }",
            "class A { int f(int y) { int x; return y; } }",
            &[("-1", "+y")],
        ),
        single_file_pattern(
            "ADD_INIT_CHG_LVAR",
            "class A { int f(int y) { int x; return y; } }",
            "class A { int f(int y) { int x = 1; return x; } }",
            &[("+x", "+1")],
        ),
        single_file_pattern(
            "RM_FIELD_INI_ADD_FIELD_INI",
            "class A { final int x = 1; }",
            "class A { final int x; { x = 2; } }",
            &[("-1", "+x = 2")],
        ),
        single_file_pattern(
            "CHG_TY_RM_INIT",
            "class A { int x = 1; void f() { int y = 1; } }",
            "class A { String x; void f() { String y; } }",
            &[("+String", "-1")],
        ),
        single_file_pattern(
            "CHG_RHS_TY_RM_LHS",
            "class A { int g() { return 1; } int x; void f() { x = g(); } }",
            "class A { String g() { return \"\"; } int x; void f() { g(); } }",
            &[("+String", "-x =")],
        ),
    ]);
}

fn parameters_shadow_fields() {
    check_all(&[
        single_file_pattern(
            "CHG_PARAM_ADD_THIS",
            "class A { int x; void f(int y) { x = y; } }",
            "class A { int x; void f(int x) { this.x = x; } }",
            &[("+x", "+this.")],
        ),
        single_file_pattern(
            "CHG_PARAM_RM_THIS",
            "class A { int x; void f(int x) { this.x = x; } }",
            "class A { int x; void f(int y) { x = y; } }",
            &[("-this.", "+y")],
        ),
    ]);
}

fn renamed_uses_need_catch_variable() {
    check_all(&[
        single_file_pattern(
            "ADD_CATCH_PARAM_REL",
            "class A { Object o; void h() { } void g(Object p, int x, int y) { } void f() { h(); g(o, 1, 2); } }",
            "class A { Object o; void h() { } void g(Object p, int x, int y) { } void f() { try { h(); } catch (RuntimeException e) { g(e, 1, 2); } } }",
            &[("+g(e", "+try")],
        ),
        single_file_pattern(
            "ADD_CATCH_PARAM_REL in another handler",
            "class A { Object o; void g(Object p) { } void f() { try { g(o); } finally { g(o); } } }",
            "class A { Object o; void g(Object p) { } void f() { try { g(o); } catch (RuntimeException e) { g(e); } } }",
            &[("+g(e)", "+catch")],
        ),
        single_file_pattern(
            "RM_CATCH_PARAM_REL",
            "class A { Object o; void h() { } void g(Object p, int x, int y) { } void f() { try { h(); } catch (RuntimeException e) { g(e, 1, 2); } } }",
            "class A { Object o; void h() { } void g(Object p, int x, int y) { } void f() { h(); g(o, 1, 2); } }",
            &[("-try", "-e")],
        ),
    ]);
}
