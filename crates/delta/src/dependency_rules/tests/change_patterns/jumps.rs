//! Change patterns of labels, loops, jumps and initialisers.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    jumps_need_enclosing_loop_or_label,
    initialisers_depend_on_assignments,
}

fn jumps_need_enclosing_loop_or_label() {
    check_all(&[
        single_file_pattern(
            "ADD_LABEL_INS",
            "class A { void f() { while (true) { break; } } }",
            "class A { void f() { out: while (true) { break out; } } }",
            &[("+break out", "+out:")],
        ),
        single_file_pattern(
            "RM_LABEL_DEL",
            "class A { void f() { out: while (true) { break out; } } }",
            "class A { void f() { while (true) { break; } } }",
            &[("-out:", "-break out")],
        ),
        single_file_pattern(
            "ADD_CONT_ADD_LOOP",
            "class A { void g() { } void f(boolean b) { g(); } }",
            "class A { void g() { } void f(boolean b) { for (;;) { if (b) continue; g(); } } }",
            &[("+if (b)", "+for")],
        ),
        single_file_pattern(
            "RM_CONT_RM_LOOP RM_LOOP_RM_CONT",
            "class A { void g() { } void f(boolean b) { for (int i = 0; i < 2; i++) { if (b) continue; g(); } } }",
            "class A { void g() { } void f(boolean b) { g(); } }",
            &[("-for", "-if (b)")],
        ),
        single_file_pattern(
            "ADD_IF_ADD_JUMP ADD_LAST_IF_ADD_JUMP ADD_RET_ADD_IF",
            "class A { int f(boolean b) { return 1; } }",
            "class A { int f(boolean b) { if (b) { return 3; } return 1; } }",
            &[("+return 3", "+if (b)")],
        ),
        single_file_pattern(
            "RM_IF_RM_JUMP RM_LAST_IF_RM_JUMP",
            "class A { int f(boolean b) { if (b) { return 3; } return 1; } }",
            "class A { int f(boolean b) { return 1; } }",
            &[("-if (b)", "-return 3")],
        ),
        single_file_pattern(
            "ADD_RET_RM_STMT",
            "class A { int f(boolean b) { while (b) { b = false; } throw new RuntimeException(); } }",
            "class A { int f(boolean b) { return 1; } }",
            &[("-throw", "+return 1")],
        ),
        single_file_pattern(
            "ADD_METH_ADD_RET ADD_RET_ADD_METH",
            "class A { }",
            "class A { int f() { System.out.println(); return 1; } }",
            &[("+return 1", "+int f()")],
        ),
        single_file_pattern(
            "RM_METH_RM_RET RM_RET_RM_METH",
            "class A { int f() { System.out.println(); return 1; } }",
            "class A { }",
            &[("-int f()", "-return 1")],
        ),
        single_file_pattern(
            "ADD_RET_ADD_EXIT_WRAP_RET",
            "class A { int f(boolean b) { return 1; } }",
            "class A { int f(boolean b) { if (b) { return 1; } throw new RuntimeException(); } }",
            &[],
        ),
        single_file_pattern(
            "RM_RET_ADD_STMT",
            "class A { int f(boolean b) { if (b) { return 1; } throw new RuntimeException(); } }",
            "class A { int f(boolean b) { return 1; } }",
            &[],
        ),
    ]);
}

fn initialisers_depend_on_assignments() {
    check_all(&[
        single_file_pattern(
            "ADD_INIT_ADD_LVAR ADD_ASSIGN_ADD_LVAR",
            "class A { int f() { return 1; } }",
            "class A { int f() { int x = 1; int y; y = x; return y; } }",
            &[("+y = x", "+int x"), ("+y = x", "+int y")],
        ),
        single_file_pattern(
            "RM_INIT_RM_LVAR RM_ASSIGN_RM_LVAR",
            "class A { int f() { int x = 1; int y; y = x; return y; } }",
            "class A { int f() { return 1; } }",
            &[("-int x", "-y = x"), ("-int y", "-y = x")],
        ),
        single_file_pattern(
            "ADD_INIT_RM_ASSIGN RM_RHS_ADD_INI",
            "class A { int f() { int x; x = 2; return x; } }",
            "class A { int f() { int x = 2; return x; } }",
            &[],
        ),
        single_file_pattern(
            "RM_INIT_ADD_ASSIGN",
            "class A { int f() { int x = 2; return x; } }",
            "class A { int f() { int x; x = 2; return x; } }",
            &[],
        ),
        single_file_pattern(
            "ADD_ASSIGN_ADD_FIELD CHG_LHS_ADD_FIELD",
            "class A { int y; void f() { y = 1; } }",
            "class A { int y; int x; void f() { x = 1; x = 2; } }",
            &[("+x = 2", "+int x"), ("+x", "+int x")],
        ),
        single_file_pattern(
            "RM_ASSIGN_RM_FIELD CHG_LHS_RM_FIELD",
            "class A { int y; int x; void f() { x = 1; x = 2; } }",
            "class A { int y; void f() { y = 1; } }",
            &[("-int x", "-x = 2")],
        ),
        single_file_pattern(
            "ADD_LVD_FINAL_RM_ASSIGN",
            "class A { int f() { int x = 1; x = 2; return x; } }",
            "class A { int f() { final int x = 1; return x; } }",
            &[("+final", "-x = 2")],
        ),
        single_file_pattern(
            "RM_LVD_FINAL_ADD_ASSIGN",
            "class A { int f() { final int x = 1; return x; } }",
            "class A { int f() { int x = 1; x = 2; return x; } }",
            &[("+x = 2", "-final")],
        ),
        single_file_pattern(
            "ADD_FD_FINAL_RM_INI",
            "class A { int x = 1; A() { } }",
            "class A { final int x; A() { x = 2; } }",
            &[("+final", "+x = 2")],
        ),
        single_file_pattern(
            "RM_FD_FINAL_ADD_INI",
            "class A { final int x; A() { x = 2; } }",
            "class A { int x = 1; A() { } }",
            &[],
        ),
    ]);
}
