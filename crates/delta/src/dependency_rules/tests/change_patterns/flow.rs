//! Change patterns of assignments before reads, and of returns.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    initialisation_precedes_reads,
    block_ends_at_return,
}

fn initialisation_precedes_reads() {
    check_all(&[
        single_file_pattern(
            "ADD_USE_ADD_ASSIGN",
            "class A { int f(boolean b) { return 1; } }",
            "class A { int f(boolean b) { int x; x = 2; return x; } }",
            &[("+x = 2", "+int x"), ("-1", "+x = 2")],
        ),
        single_file_pattern(
            "RM_USE_RM_ASSIGN",
            "class A { int f(boolean b) { int x; x = 2; return x; } }",
            "class A { int f(boolean b) { int x; return 1; } }",
            &[("-x = 2", "-x")],
        ),
        single_file_pattern(
            "RM_ASSIGN_ADD_ASSIGN MOVE_ASSIGN",
            "class A { int f(boolean b) { int x; x = 2; b = !b; return x; } }",
            "class A { int f(boolean b) { int x; b = !b; x = 3 + 1; return x; } }",
            &[("-x = 2", "+x = 3")],
        ),
        single_file_pattern(
            "RM_BR_ADD_BR RM_BR_ADD_NON_BR",
            "class A { int f(boolean b) { int x; if (b) { x = 1; } else { x = 2; } return x; } }",
            "class A { int f(boolean b) { int x; x = 3; return x; } }",
            &[],
        ),
    ]);
}

fn block_ends_at_return() {
    check_all(&[
        single_file_pattern(
            "WRAP_RET_ADD_EXIT RM_IF_ADD_IF",
            "class A { int f(boolean b) { return 1; } }",
            "class A { int f(boolean b) { if (b) { return 1; } return 2; } }",
            &[],
        ),
        single_file_pattern(
            "UNWRAP_RET_RM_EXIT",
            "class A { int f(boolean b) { if (b) { return 1; } return 2; } }",
            "class A { int f(boolean b) { return 1; } }",
            &[],
        ),
        single_file_pattern(
            "ADD_STMT_ADD_RET DEL_STMT_INS_STMT",
            "class A { int f(boolean b) { System.out.println(b); throw new RuntimeException(); } }",
            "class A { int f(boolean b) { b = false; System.out.println(b); return 2; } }",
            &[],
        ),
        single_file_pattern(
            "returns before other statements",
            "class A { void f(boolean b) { g(); return; } void g() { } }",
            "class A { void f(boolean b) { g(); g(); f(true); } void g() { } }",
            &[],
        ),
    ]);
}
