//! Change patterns of class hierarchies: `final` and `abstract` methods, overriding and return types.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    final_methods_differ_in_parameters_from_subclass,
    methods_replace_inherited_ones,
    abstract_methods_are_renamed_with_implementations,
    return_types_depend_on_supertypes_and_annotations,
}

fn final_methods_differ_in_parameters_from_subclass() {
    check_all(&[
        single_file_pattern(
            "ADD_M_FINAL_RM_PARAM",
            "class B { void f(int x) { } } class A extends B { void f(int x) { } }",
            "class B { final void f(int x) { } } class A extends B { void f() { } }",
            &[("+final", "-int x")],
        ),
        single_file_pattern(
            "RM_M_FINAL_ADD_PARAM",
            "class B { final void f(int x) { } } class A extends B { void f() { } }",
            "class B { void f(int x) { } } class A extends B { void f(int x) { } }",
            &[("+int x", "-final")],
        ),
    ]);
}

fn methods_replace_inherited_ones() {
    check_all(&[
        single_file_pattern(
            "ADD_METH_RM_SUPERTY",
            "class B { final void f() { } } class A extends B { }",
            "class B { final void f() { } } class A { void f() { } }",
            &[("+void f()", "-extends B")],
        ),
        single_file_pattern(
            "RM_METH_ADD_SUPERTY",
            "class B { final void f() { } } class A { void f() { } }",
            "class B { final void f() { } } class A extends B { }",
            &[("+extends B", "-void f()")],
        ),
        single_file_pattern(
            "ADD_METH_RM_PTY",
            "class B { int f() { return 1; } } class A<T extends B> extends B { int g() { return f(); } }",
            "class B { int f() { return 1; } } class A<T extends B> { int f() { return 2; } int g() { return f(); } }",
            &[("-extends B", "+int f()")],
        ),
        single_file_pattern(
            "RM_METH_ADD_PTY",
            "class B { int f() { return 1; } } class A { int f() { return 2; } int g() { return f(); } }",
            "class B { int f() { return 1; } } class A extends B { int g() { return f(); } }",
            &[("-int f()", "+extends B")],
        ),
        single_file_pattern(
            "CHG_SUPERTY_ADD_FACC",
            "class B { } class C { int x; } class A extends B { }",
            "class B { } class C { int x; } class A extends C { int y = x; }",
            &[("+int y", "+C")],
        ),
        single_file_pattern(
            "CHG_MOD_ADD_METH",
            "class B { public void f() { } } class A extends B { }",
            "class B { protected void f() { } } class A extends B { protected void f() { } }",
            &[("+protected void f()", "+protected")],
        ),
        single_file_pattern(
            "CHG_MOD_RM_METH",
            "class B { protected void f() { } } class A extends B { protected void f() { } }",
            "class B { public void f() { } } class A extends B { }",
            &[("+public", "-protected void f()")],
        ),
    ]);
}

fn abstract_methods_are_renamed_with_implementations() {
    check_all(&[
        single_file_pattern(
            "CHG_ABS_METH_ADD_METH",
            "abstract class B { abstract void one(); } class A extends B { void one() { } }",
            "abstract class B { abstract void two(); } class A extends B { void one() { } void two() { } }",
            &[("+two", "+void two()")],
        ),
        single_file_pattern(
            "CHG_ABS_METH_ADD_METH with what overrides above and below",
            "abstract class B { abstract void one(); } abstract class M extends B { } class A extends M { void one() { } }",
            "abstract class B { abstract void two(); } abstract class M extends B { void two() { } } class A extends M { void one() { } }",
            &[("+two", "+void two()")],
        ),
        single_file_pattern(
            "CHG_ABS_METH_ADD_METH with marks",
            "abstract class B { abstract void one(); } class A extends B { @Override void one() { } }",
            "abstract class B { abstract void two(); } class A extends B { void one() { } @Override void two() { } }",
            &[("+two", "+void two()")],
        ),
        single_file_pattern(
            "CHG_ABS_METH_RM_METH",
            "abstract class B { abstract void one(); } class A extends B { void one() { } void two() { } }",
            "abstract class B { abstract void two(); } class A extends B { void two() { } }",
            &[("-void one()", "+two")],
        ),
        single_file_pattern(
            "CHG_ABS_METH_RM_METH in an interface",
            "interface B { void one(); } class A implements B { public void one() { } public void two() { } }",
            "interface B { void two(); } class A implements B { public void two() { } }",
            &[("-public void one()", "+two")],
        ),
    ]);
}

fn return_types_depend_on_supertypes_and_annotations() {
    check_all(&[
        single_file_pattern(
            "ADD_SUPERTY_ADD_RETTY",
            "interface I { } class A { static void f() { } }",
            "interface I { } class A implements I { static I f() { return new A(); } }",
            &[("+I", "+implements I")],
        ),
        single_file_pattern(
            "RM_SUPERTY_RM_RETTY",
            "interface I { } class A implements I { static I f() { return new A(); } }",
            "interface I { } class A { static void f() { } }",
            &[("-implements I", "+void")],
        ),
        single_file_pattern(
            "RM_OVERRIDE_CHG_RETTY",
            "class B { int f() { return 1; } } class A extends B { @Override int f() { return 1; } }",
            "class B { } class A extends B { String f() { return \"\"; } }",
            &[("+String", "-@Override")],
        ),
        single_file_pattern(
            "ADD_OVERRIDE_CHG_RETTY",
            "class B { } class A extends B { String f() { return \"\"; } }",
            "class B { int f() { return 1; } } class A extends B { @Override int f() { return 1; } }",
            &[("+@Override", "+int")],
        ),
        single_file_pattern(
            "ADD_C_ABST_CHG_SUPERTY",
            "class B { } abstract class C { abstract void f(); } class A extends B { }",
            "class B { } abstract class C { abstract void f(); } abstract class A extends C { }",
            &[("+C", "+abstract")],
        ),
    ]);
}
