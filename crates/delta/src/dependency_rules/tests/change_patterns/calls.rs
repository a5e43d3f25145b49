//! Change patterns of parameters and arguments.

use super::{check_all, multi_file_pattern, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    arguments_depend_on_parameters,
    constructors_depend_on_superclass_constructors,
}

fn arguments_depend_on_parameters() {
    check_all(&[
        single_file_pattern(
            "ADD_PARAM_ADD_ARG INS_IVK_ADD_ARG ADD_PARAM_ADD_IVK",
            "class A { int f(int x) { return x; } int g() { return f(1); } }",
            "class A { int f(int x, int y) { return x; } int g() { f(1, 3); return f(1, 2); } }",
            &[("+int y", "+2"), ("+2", "+int y"), ("+f(1, 3)", "+int y")],
        ),
        single_file_pattern(
            "RM_PARAM_RM_ARG CHG_IVK_RM_ARG RM_PARAM_ADD_IVK",
            "class A { int f(int x, int y) { return x; } int g() { return f(1, 2); } }",
            "class A { int f(int x) { return x; } int g() { f(3); return f(1); } }",
            &[("-int y", "-2"), ("-2", "-int y"), ("+f(3)", "-int y")],
        ),
        single_file_pattern(
            "CHG_PARAM_TY_CHG_ARG_TY CHG_PARAM_CHG_ARG INS_PARAM_TY_CHG_ARG DEL_PARAM_TY_CHG_ARG",
            "class A { void f(int x) { } void g() { f(1); } }",
            "class A { void f(String x) { } void g() { f(\"one\"); } }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String")],
        ),
        single_file_pattern(
            "CHG_PARAM_INS_ARG CHG_PARAM_TY_INS CHG_PARAM_TY_DEL",
            "class A { void f(int x) { } void g(Object o) { f(o.hashCode()); } }",
            "class A { void f(Object x) { } void g(Object o) { f(o); f(\"\"); } }",
            &[("+f(\"\")", "+Object")],
        ),
        single_file_pattern(
            "CHG_PARAM_TY_DEL_ARG_CAST",
            "class A { void f(String x) { } void g(Object o) { f((String) o); } }",
            "class A { void f(Object x) { } void g(Object o) { f(o); } }",
            &[("-(String)", "+Object")],
        ),
        single_file_pattern(
            "CHG_PARAM_TY_INS_ARG_CAST CHG_PARAM_TY_ADD_ARG_TY CHG_PARAM_TY_RM_ARG_TY",
            "class A { void f(Object x) { } void g(Object o) { f(o); } }",
            "class A { void f(String x) { } void g(Object o) { f((String) o); } }",
            &[("+String", "+(String)")],
        ),
        single_file_pattern(
            "CHG_IVK_ADD_ARG CHG_IVK_CHG_TY CHG_METH_CHG_ARG",
            "class A { void one() { } void two(int x) { } void g() { one(); } }",
            "class A { void one() { } void two(int x) { } void g() { two(2); } }",
            &[("+two", "+2")],
        ),
        single_file_pattern(
            "CHG_ARG_TY_CHG_IVK CHG_ARG_TY_RM_IVK CHG_ARG_TY_ADD_IVK",
            "class A { int one() { return 1; } void f(int x) { } void g() { f(one()); } }",
            "class A { String two() { return null; } void f(String x) { } void g() { f(two()); } }",
            &[("-1", "+String")],
        ),
        single_file_pattern(
            "ADD_PARAM_ADD_PARAM ADD_IM_PARAM_ADD_M_PARAM",
            "interface I { void f(); } class A implements I { public void f() { } }",
            "interface I { void f(int x); } class A implements I { public void f(int x) { } }",
            &[],
        ),
        single_file_pattern(
            "RM_PARAM_RM_PARAM",
            "interface I { void f(int x); } class A implements I { public void f(int x) { } }",
            "interface I { void f(); } class A implements I { public void f() { } }",
            &[],
        ),
        multi_file_pattern(
            "calls in other files",
            &[
                ("A.java", "class A { static int f(int x) { return x; } }"),
                ("B.java", "class B { int g() { return A.f(1); } }"),
            ],
            &[
                ("A.java", "class A { static int f() { return 1; } }"),
                ("B.java", "class B { int g() { return A.f(); } }"),
            ],
            &[],
        ),
    ]);
}

fn constructors_depend_on_superclass_constructors() {
    check_all(&[
        single_file_pattern(
            "ADD_CTOR_INS_ARG ADD_CTOR_CHG_ARG",
            "class A { A() { } static A g() { return new A(); } static A h() { return null; } }",
            "class A { A(int x) { } static A g() { return new A(1); } static A h() { return new A(2); } }",
            &[("+new A(2)", "+int x")],
        ),
        single_file_pattern(
            "CHG_SUPER_ADD_ARG CHG_SUPER_RM_ARG",
            "class B { B(int x) { } } class C { C(int x, int y) { } } class A extends B { A() { super(1); } }",
            "class B { B(int x) { } } class C { C(int x, int y) { } } class A extends C { A() { super(1, 2); } }",
            &[("+C", "+2"), ("+2", "+C")],
        ),
        single_file_pattern(
            "ADD_CTOR_ADD_INIT",
            "class A { }",
            "class A { final int x; A() { x = 1; } }",
            &[("+final int x", "+x = 1")],
        ),
        single_file_pattern(
            "RM_C_ABST_ADD_DEFAULT_CTOR",
            "abstract class B { B(int x) { } } class A extends B { A() { super(1); } }",
            "class B { B(int x) { } B() { } } class A extends B { A() { } Object o = new B(); }",
            &[("+Object o", "-abstract")],
        ),
    ]);
}
