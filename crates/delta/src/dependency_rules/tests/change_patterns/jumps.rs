//! Labels, loops and jumps, and values that come first.

use super::{check_all, family};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    jumps_have_a_loop_or_label_around_them,
    first_values_come_and_go_with_assignments,
}

fn jumps_have_a_loop_or_label_around_them() {
    check_all(&[
        family(
            "ADD_LABEL_INS",
            "class A { void f() { while (true) { break; } } }",
            "class A { void f() { out: while (true) { break out; } } }",
            &[("+break out", "+out:")],
        ),
        family(
            "RM_LABEL_DEL",
            "class A { void f() { out: while (true) { break out; } } }",
            "class A { void f() { while (true) { break; } } }",
            &[("-out:", "-break out")],
        ),
        family(
            "ADD_CONT_ADD_LOOP",
            "class A { void g() { } void f(boolean b) { g(); } }",
            "class A { void g() { } void f(boolean b) { for (;;) { if (b) continue; g(); } } }",
            &[("+if (b)", "+for")],
        ),
        family(
            "RM_CONT_RM_LOOP RM_LOOP_RM_CONT",
            "class A { void g() { } void f(boolean b) { for (int i = 0; i < 2; i++) { if (b) continue; g(); } } }",
            "class A { void g() { } void f(boolean b) { g(); } }",
            &[("-for", "-if (b)")],
        ),
        family(
            "ADD_IF_ADD_JUMP ADD_LAST_IF_ADD_JUMP ADD_RET_ADD_IF",
            "class A { int f(boolean b) { return 1; } }",
            "class A { int f(boolean b) { if (b) { return 3; } return 1; } }",
            &[("+return 3", "+if (b)")],
        ),
        family(
            "RM_IF_RM_JUMP RM_LAST_IF_RM_JUMP",
            "class A { int f(boolean b) { if (b) { return 3; } return 1; } }",
            "class A { int f(boolean b) { return 1; } }",
            &[("-if (b)", "-return 3")],
        ),
        family(
            "ADD_RET_RM_STMT",
            "class A { int f(boolean b) { while (b) { b = false; } throw new RuntimeException(); } }",
            "class A { int f(boolean b) { return 1; } }",
            &[("-throw", "+return 1")],
        ),
        family(
            "ADD_METH_ADD_RET ADD_RET_ADD_METH",
            "class A { }",
            "class A { int f() { System.out.println(); return 1; } }",
            &[("+return 1", "+int f()")],
        ),
        family(
            "RM_METH_RM_RET RM_RET_RM_METH",
            "class A { int f() { System.out.println(); return 1; } }",
            "class A { }",
            &[("-int f()", "-return 1")],
        ),
        family(
            "ADD_RET_ADD_EXIT_WRAP_RET",
            "class A { int f(boolean b) { return 1; } }",
            "class A { int f(boolean b) { if (b) { return 1; } throw new RuntimeException(); } }",
            &[],
        ),
        family(
            "RM_RET_ADD_STMT",
            "class A { int f(boolean b) { if (b) { return 1; } throw new RuntimeException(); } }",
            "class A { int f(boolean b) { return 1; } }",
            &[],
        ),
    ]);
}

fn first_values_come_and_go_with_assignments() {
    check_all(&[
        family(
            "ADD_INIT_ADD_LVAR ADD_ASSIGN_ADD_LVAR",
            "class A { int f() { return 1; } }",
            "class A { int f() { int x = 1; int y; y = x; return y; } }",
            &[("+y = x", "+int x"), ("+y = x", "+int y")],
        ),
        family(
            "RM_INIT_RM_LVAR RM_ASSIGN_RM_LVAR",
            "class A { int f() { int x = 1; int y; y = x; return y; } }",
            "class A { int f() { return 1; } }",
            &[("-int x", "-y = x"), ("-int y", "-y = x")],
        ),
        family(
            "ADD_INIT_RM_ASSIGN RM_RHS_ADD_INI",
            "class A { int f() { int x; x = 2; return x; } }",
            "class A { int f() { int x = 2; return x; } }",
            &[],
        ),
        family(
            "RM_INIT_ADD_ASSIGN",
            "class A { int f() { int x = 2; return x; } }",
            "class A { int f() { int x; x = 2; return x; } }",
            &[],
        ),
        family(
            "ADD_ASSIGN_ADD_FIELD CHG_LHS_ADD_FIELD",
            "class A { int y; void f() { y = 1; } }",
            "class A { int y; int x; void f() { x = 1; x = 2; } }",
            &[("+x = 2", "+int x"), ("+x", "+int x")],
        ),
        family(
            "RM_ASSIGN_RM_FIELD CHG_LHS_RM_FIELD",
            "class A { int y; int x; void f() { x = 1; x = 2; } }",
            "class A { int y; void f() { y = 1; } }",
            &[("-int x", "-x = 2")],
        ),
        family(
            "ADD_LVD_FINAL_RM_ASSIGN",
            "class A { int f() { int x = 1; x = 2; return x; } }",
            "class A { int f() { final int x = 1; return x; } }",
            &[("+final", "-x = 2")],
        ),
        family(
            "RM_LVD_FINAL_ADD_ASSIGN",
            "class A { int f() { final int x = 1; return x; } }",
            "class A { int f() { int x = 1; x = 2; return x; } }",
            &[("+x = 2", "-final")],
        ),
        family(
            "ADD_FD_FINAL_RM_INI",
            "class A { int x = 1; A() { } }",
            "class A { final int x; A() { x = 2; } }",
            &[("+final", "+x = 2")],
        ),
        family(
            "RM_FD_FINAL_ADD_INI",
            "class A { final int x; A() { x = 2; } }",
            "class A { int x = 1; A() { } }",
            &[],
        ),
    ]);
}
