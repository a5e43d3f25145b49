//! Change patterns of nested code that the grammar requires.

use super::{check_all, single_file_pattern};

#[test]
fn nested_code_needs_enclosing_code() {
    check_all(&[
        single_file_pattern(
            "INS INS_C INS_INS INS_SIBLINGS INS_MOVINS MOVINS_INS_0 MOVINS_INS_1 DEL_INS_MOV",
            "class A { void g() { } void f() { g(); } }",
            "class A { void g() { } void f() { if (true) { g(); f(); } } }",
            &[("+f()", "+if (true)")],
        ),
        single_file_pattern(
            "DEL DEL_C DEL_DEL DEL_SIBLINGS DEL_MOVDEL MOVDEL_DEL_0 MOVDEL_DEL_1",
            "class A { void g() { } void f() { if (true) { g(); f(); } } }",
            "class A { void g() { } void f() { g(); } }",
            &[("-if (true)", "-f()")],
        ),
        single_file_pattern(
            "REL MOV MOVREL MOV_REL MOV_REL_EX MOV_REL_EX2 MOVINSREL MOV_MOVREL_NAME",
            "class A { int one() { return 1; } int two() { return 2; } int f() { return one(); } }",
            "class A { int two() { return 2; } int f() { return ones(); } int ones() { return 1; } }",
            &[],
        ),
        single_file_pattern(
            "REL_DEL REL_INS INS_REL DEL_REL DEL_INS_U DEL_INS_L DEL_INS_LN",
            "class A { int f(int x) { return x + 1; } String g() { return \"\"; } }",
            "class A { int f(int x) { return -x; } String g() { return (\"\" + 2).trim(); } }",
            &[],
        ),
    ]);
}
