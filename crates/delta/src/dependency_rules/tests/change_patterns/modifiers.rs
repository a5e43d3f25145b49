//! Change patterns of modifiers, and the uses that they allow or forbid.

use super::{check_all, multi_file_pattern, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    field_access_depends_on_uses,
    final_fields_are_assigned_once,
    method_and_class_access_depends_on_uses,
    abstract_members_have_no_body_or_instances,
}

fn field_access_depends_on_uses() {
    let user = ("B.java", "package q; class B extends p.A { int g() { return 1; } }");
    let using = ("B.java", "package q; class B extends p.A { int g() { return x; } }");
    let a = |text| ("p/A.java", text);
    check_all(&[
        multi_file_pattern(
            "ADD_FD_PUBLIC_INS ADD_FD_PUBLIC_REL",
            &[a("package p; public class A { int x; }"), user],
            &[a("package p; public class A { public int x; }"), using],
            &[("+x", "+public")],
        ),
        multi_file_pattern(
            "RM_FD_PUBLIC_DEL RM_FD_PUBLIC_REL",
            &[a("package p; public class A { public int x; }"), using],
            &[a("package p; public class A { int x; }"), user],
            &[("-public", "-x")],
        ),
        multi_file_pattern(
            "CHG_FD_PUBLIC_INS CHG_FD_PUBLIC_REL",
            &[a("package p; public class A { private int x; }"), user],
            &[a("package p; public class A { public int x; }"), using],
            &[("+x", "+public")],
        ),
        multi_file_pattern(
            "CHG_FD_PROTECTED_INS CHG_FD_PROTECTED_REL",
            &[a("package p; public class A { private int x; }"), user],
            &[a("package p; public class A { protected int x; }"), using],
            &[("+x", "+protected")],
        ),
        single_file_pattern(
            "RM_FD_PRIVATE_INS",
            "class B { private int x; } class A { int f(B b) { return 1; } }",
            "class B { int x; } class A { int f(B b) { return b.x; } }",
            &[("+b.x", "-private")],
        ),
        single_file_pattern(
            "ADD_FD_PRIVATE_DEL",
            "class B { int x; } class A { int f(B b) { return b.x; } }",
            "class B { private int x; } class A { int f(B b) { return 1; } }",
            &[("+private", "-b.x")],
        ),
        single_file_pattern(
            "CHG_FD_PRIVATE_INS",
            "class B { private int x; } class A { int f(B b) { return 1; } }",
            "class B { protected int x; } class A { int f(B b) { return b.x; } }",
            &[("+b.x", "+protected")],
        ),
        single_file_pattern(
            "CHG_FD_PRIVATE_DEL",
            "class B { protected int x; } class A { int f(B b) { return b.x; } }",
            "class B { private int x; } class A { int f(B b) { return 1; } }",
            &[("+private", "-b.x")],
        ),
    ]);
}

fn final_fields_are_assigned_once() {
    check_all(&[
        single_file_pattern(
            "ADD_FD_FINAL_ADD_ASSIGN",
            "class A { int x; A() { } }",
            "class A { final int x; A() { x = 1; } }",
            &[("+final", "+x = 1")],
        ),
        single_file_pattern(
            "ADD_FD_FINAL_RM_ASSIGN",
            "class A { int x = 1; void f() { x = 2; } }",
            "class A { final int x = 1; void f() { } }",
            &[("+final", "-x = 2")],
        ),
        single_file_pattern(
            "ADD_FD_FINAL_CHG_ASSIGN",
            "class A { int x = 1; int y; void f() { x = 2; } }",
            "class A { final int x = 1; int y; void f() { y = 2; } }",
            &[("+final", "+y")],
        ),
        single_file_pattern(
            "RM_FD_FINAL_RM_ASSIGN",
            "class A { final int x; A() { x = 1; } }",
            "class A { int x; A() { } }",
            &[("-x = 1", "-final")],
        ),
        single_file_pattern(
            "RM_FD_FINAL_ADD_ASSIGN RM_FD_FINAL_CHG_ASSIGN",
            "class A { final int x = 1; int y; void f() { } void g() { y = 2; } }",
            "class A { int x = 1; int y; void f() { x = 2; } void g() { x = 2; } }",
            &[("+x = 2", "-final"), ("+x", "-final")],
        ),
    ]);
}

fn method_and_class_access_depends_on_uses() {
    let user = ("B.java", "package q; class B { void g() { } }");
    let using = ("B.java", "package q; class B { void g() { new p.A().f(); } }");
    let a = |text| ("p/A.java", text);
    check_all(&[
        multi_file_pattern(
            "ADD_MC_PUBLIC_INS ADD_TD_PUBLIC_INS ADD_MC_PUBLIC_ADD_MC_PUBLIC",
            &[a("package p; class A { A() { } void f() { } }"), user],
            &[a("package p; public class A { public A() { } public void f() { } }"), using],
            &[("+new p.A", "+public")],
        ),
        multi_file_pattern(
            "RM_TD_PUBLIC_DEL RM_MC_PUBLIC_RM_MC_PUBLIC",
            &[a("package p; public class A { public A() { } public void f() { } }"), using],
            &[a("package p; class A { A() { } void f() { } }"), user],
            &[("-public", "-new p.A")],
        ),
        multi_file_pattern(
            "ADD_MC_PUBLIC_REL ADD_MC_PUBLIC_CHG_AC",
            &[
                a("package p; public class A { public static void f() { } static void h() { } }"),
                ("B.java", "package q; class B { void g() { p.A.f(); } }"),
            ],
            &[
                a(
                    "package p; public class A { public static void f() { } public static void h() { } }",
                ),
                ("B.java", "package q; class B { void g() { p.A.h(); } }"),
            ],
            &[("+h", "+public")],
        ),
        single_file_pattern(
            "RM_M_PRIVATE_INS",
            "class B { private void f() { } } class A { void g(B b) { } }",
            "class B { void f() { } } class A { void g(B b) { b.f(); } }",
            &[("+b.f()", "-private")],
        ),
        single_file_pattern(
            "ADD_M_PRIVATE_DEL",
            "class B { void f() { } } class A { void g(B b) { b.f(); } }",
            "class B { private void f() { } } class A { void g(B b) { } }",
            &[("+private", "-b.f()")],
        ),
        single_file_pattern(
            "CHG_M_PRIVATE_INS CHG_M_MOD_CHG_METH",
            "class B { private void f() { } } class A { void g(B b) { } }",
            "class B { public void f() { } } class A { void g(B b) { b.f(); } }",
            &[("+b.f()", "+public")],
        ),
        single_file_pattern(
            "ADD_MC_PUBLIC_ADD_MC_PUBLIC ADD_MC_PROTECTED_ADD_MC_PUBLIC",
            "class B { void f() { } void g() { } } class A extends B { void f() { } void g() { } }",
            "class B { public void f() { } protected void g() { } } \
             class A extends B { public void f() { } public void g() { } }",
            &[],
        ),
        single_file_pattern(
            "RM_MC_PUBLIC_RM_MC_PUBLIC RM_MC_PUBLIC_RM_MC_PROTECTED",
            "class B { public void f() { } protected void g() { } } \
             class A extends B { public void f() { } public void g() { } }",
            "class B { void f() { } void g() { } } class A extends B { void f() { } void g() { } }",
            &[],
        ),
    ]);
}

fn abstract_members_have_no_body_or_instances() {
    check_all(&[
        single_file_pattern(
            "RM_M_ABST_INS_BODY",
            "abstract class A { abstract void f(); }",
            "abstract class A { void f() { } }",
            &[("+void f() { }", "-abstract")],
        ),
        single_file_pattern(
            "ADD_M_ABST_DEL_BODY",
            "abstract class A { void f() { } }",
            "abstract class A { abstract void f(); }",
            &[("-void f() { }", "+abstract")],
        ),
        single_file_pattern(
            "CHG_M_ABST_INS_BODY",
            "abstract class A { abstract void f(); }",
            "abstract class A { final void f() { } }",
            &[("+final void f() { }", "-abstract")],
        ),
        single_file_pattern(
            "CHG_M_ABST_DEL_BODY",
            "abstract class A { final void f() { } }",
            "abstract class A { abstract void f(); }",
            &[("-final void f() { }", "+abstract")],
        ),
        single_file_pattern(
            "RM_C_ABST_RM_M_ABST",
            "abstract class A { abstract void f(); }",
            "class A { void f() { } }",
            &[],
        ),
        single_file_pattern(
            "ADD_C_ABST_ADD_M_ABST",
            "class A { void f() { } }",
            "abstract class A { void f() { } abstract void g(); }",
            &[("+abstract void g", "+abstract")],
        ),
        single_file_pattern(
            "RM_C_ABST_CHG_NEW",
            "abstract class A { static Object f() { return new Object(); } }",
            "class A { static Object f() { return new A(); } }",
            &[("+A", "-abstract")],
        ),
        single_file_pattern(
            "ADD_C_ABST_CHG_NEW",
            "class A { static Object f() { return new A(); } }",
            "abstract class A { static Object f() { return new Object(); } }",
            &[("+abstract", "-A")],
        ),
        single_file_pattern(
            "static members",
            "class A { int x; void f() { x = 1; } static void g() { } }",
            "class A { static int x; void f() { x = 1; } static void g() { x = 2; } }",
            &[("+x = 2", "+static")],
        ),
    ]);
}
