//! Change patterns of values and the types that their destinations require.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    return_types_depend_on_returned_values,
    declared_types_depend_on_values,
    type_arguments_appear_together,
}

fn return_types_depend_on_returned_values() {
    check_all(&[
        single_file_pattern(
            "ADD_RET_REL ADD_RET_ADD_EXPR ADD_RETTY_ADD_RETVAL ADD_RETTY_CHG_RETVAL \
             CHG_RETTY_ADD_RETVAL CHG_RETVAL_INS_RETTY CHG_RETTY_ADD",
            "class A { void f() { return; } }",
            "class A { int f() { return 1; } }",
            &[("+int", "+1"), ("+1", "+int")],
        ),
        single_file_pattern(
            "RM_RET_REL RM_RETTY_RM_RETVAL CHG_RETTY_RM_RETVAL RM_RETTY_CHG_RETVAL \
             CHG_RETVAL_DEL_RETTY CHG_RETTY_RM",
            "class A { int f() { return 1; } }",
            "class A { void f() { return; } }",
            &[("+void", "-1"), ("-1", "+void")],
        ),
        single_file_pattern(
            "CHG_RETVAL_REL CHG_RETTY_CHG_RETVAL",
            "class A { int f() { return 1; } }",
            "class A { String f() { return \"one\"; } }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String")],
        ),
        single_file_pattern(
            "CHG_LVD_TY_CHG_RETTY CHG_RETTY_CHG_LVD_TY CHG_LHS_TY_CHG_RETTY CHG_RETTY_DEL",
            "class A { int f() { return 1; } void g() { int x = f(); } }",
            "class A { String f() { return \"one\"; } void g() { String x = f(); } }",
            &[("-int", "+\"one\"")],
        ),
        single_file_pattern(
            "CHG_RETTY_CHG_FIELD_TY",
            "class A { int x; int f() { return x; } }",
            "class A { String x; String f() { return x; } }",
            &[],
        ),
        single_file_pattern(
            "CHG_RETTY_ADD_CAST",
            "class A { String g() { return \"\"; } String f() { return g(); } }",
            "class A { Object g() { return \"\"; } String f() { return (String) g(); } }",
            &[("+Object", "+(String)")],
        ),
        single_file_pattern(
            "CHG_RETTY_RM_CAST",
            "class A { Object g() { return \"\"; } String f() { return (String) g(); } }",
            "class A { String g() { return \"\"; } String f() { return g(); } }",
            &[("-(String)", "+String")],
        ),
        single_file_pattern(
            "CHG_RETTY_ADD",
            "class A { Object g() { return null; } void f() { } }",
            "class A { String g() { return null; } void f() { g().length(); } }",
            &[("+g().length()", "+String")],
        ),
    ]);
}

fn declared_types_depend_on_values() {
    check_all(&[
        single_file_pattern(
            "CHG_LVD_TY_CHG_INI CHG_LVD_TY_REL RM_LVD_TY_REL",
            "class A { void f() { int x = 1; } }",
            "class A { void f() { String x = \"one\"; } }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String")],
        ),
        single_file_pattern(
            "CHG_LVD_TY_INS CHG_LVD_TY_INS_P CHG_LVD_TY_DEL_P RM_LVD_INI_REL",
            "class A { void f(Object o) { Object x = o; } }",
            "class A { void f(Object o) { String x = (String) o; x.length(); } }",
            &[("+x.length()", "+String")],
        ),
        single_file_pattern(
            "CHG_FD_TY_CHG_RHS CHG_FD_TY_INS_RHS CHG_FD_TY_DEL_RHS RM_FIELD_TY_REL ADD_FIELD_TY_REL",
            "class A { int x; void f(String s) { x = s.length(); } }",
            "class A { String x; void f(String s) { x = s; } }",
            &[],
        ),
        single_file_pattern(
            "CHG_FD_TY_CHG_FA_TY CHG_FIELD_TY_CHG_LVD_TY",
            "class A { int x; void f() { int y = x; } }",
            "class A { String x; void f() { String y = x; } }",
            &[],
        ),
        single_file_pattern(
            "CHG_FD_TY_CHG_PARAM_TY",
            "class A { int x; A(int y) { x = y; } }",
            "class A { String x; A(String y) { x = y; } }",
            &[],
        ),
        single_file_pattern(
            "CHG_FD_TY_ADD_FACC_CTX CHG_FD_TY_RM_FACC_CTX",
            "class A { Object x; void f() { x.hashCode(); } }",
            "class A { String x; void f() { x.length(); } }",
            &[("+length", "+String")],
        ),
        single_file_pattern(
            "CHG_FOR_PARAM_TY_CHG_TY",
            "class A { void f(int[] all) { for (int one : all) { } } }",
            "class A { void f(String[] all) { for (String one : all) { } } }",
            &[],
        ),
        single_file_pattern(
            "CHG_LHS_REL CHG_LHS_INS CHG_LHS_DEL",
            "class A { int x; String y; void f(String s) { x = s.length(); } }",
            "class A { int x; String y; void f(String s) { y = s; } }",
            &[("+y", "-s.length()")],
        ),
        single_file_pattern(
            "CHG_EQ_OPERAND_REL CHG_EQ_OPERAND_INS RM_EXPR_REL_EXPR",
            "class A { int x; boolean f(int y) { return x == y; } }",
            "class A { String x; boolean f(String y) { return x == y.trim(); } }",
            &[],
        ),
        single_file_pattern(
            "ADD_TY_INS_EXPR ADD_TY_REL_EXPR RM_TY_DEL_EXPR RM_TY_REL_EXPR",
            "import java.util.*; class A { List f() { return new ArrayList(); } Object g() { return f().get(0); } }",
            "import java.util.*; class A { List<String> f() { return new ArrayList<String>(); } String g() { return f().get(0); } }",
            &[],
        ),
        single_file_pattern(
            "CHG_SUPER_INS_TY CHG_SUPER_DEL_TY",
            "class B<T> { T x; } class A extends B { Object f() { return x; } }",
            "class B<T> { T x; } class A extends B<String> { String f() { return x; } }",
            &[],
        ),
    ]);
}

fn type_arguments_appear_together() {
    check_all(&[single_file_pattern(
        "diamond",
        "class A { java.util.Map<String, Integer> f() { return new java.util.LinkedHashMap<String, Integer>(); } }",
        "class A { java.util.Map<String, Integer> f() { return new java.util.LinkedHashMap<>(); } }",
        &[("-String", "-Integer"), ("-Integer", "-String")],
    )]);
}
