//! Change patterns of overriding methods and supertypes.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    abstract_methods_depend_on_implementations,
    override_annotations_depend_on_supertypes,
}

fn abstract_methods_depend_on_implementations() {
    check_all(&[
        single_file_pattern(
            "CHG_ABS_METH_CHG_METH",
            "abstract class B { abstract void one(); } class A extends B { void one() { } }",
            "abstract class B { abstract void two(); } class A extends B { void two() { } }",
            &[],
        ),
        single_file_pattern(
            "CHG_ABS_METH_RETTY_CHG_METH_RETTY_D CHG_ABS_METH_RETTY_CHG_METH_RETTY_I \
             CHG_RETTY_CHG_RETTY_D CHG_RETTY_CHG_RETTY_I CHG_RETTY_CHG_RETTY RM_RETTY_CHG_RETTY \
             ADD_RETTY_CHG_RETTY",
            "abstract class B { abstract int f(); } class A extends B { int f() { return 1; } }",
            "abstract class B { abstract void f(); } class A extends B { void f() { return; } }",
            &[],
        ),
        single_file_pattern(
            "RM_SUPERTY_ADD_METH ADD_SUPERTY_RM_METH",
            "class B { void f() { } } class A extends B { void g() { f(); } }",
            "class B { void f() { } } class A { void f() { } void g() { f(); } }",
            &[("-extends B", "+void f()")],
        ),
        single_file_pattern(
            "CHG_SUPERTY_REL CHG_SUPERTY_CHG_IVK",
            "class B { void one() { } } class C { void two() { } } class A extends B { void g() { one(); } }",
            "class B { void one() { } } class C { void two() { } } class A extends C { void g() { two(); } }",
            &[("+two", "+C"), ("+C", "+two")],
        ),
        single_file_pattern(
            "ADD_METH_CHG_SUPER",
            "class B { } class C extends B { } class A extends C { void g() { } }",
            "class B { } class C extends B { void f() { } } class A extends C { void g() { super.f(); } }",
            &[("+super.f()", "+void f()")],
        ),
        single_file_pattern(
            "CHG_RETTY_ADD_SUPERTY CHG_RETTY_CHG_SUPERTY_I",
            "interface I { } class A { A f() { return this; } }",
            "interface I { } class A implements I { I f() { return this; } }",
            &[("+I", "+implements I")],
        ),
        single_file_pattern(
            "CHG_RETTY_RM_SUPERTY CHG_RETTY_CHG_SUPERTY_D",
            "interface I { } class A implements I { I f() { return this; } }",
            "interface I { } class A { A f() { return this; } }",
            &[("-implements I", "+A")],
        ),
    ]);
}

fn override_annotations_depend_on_supertypes() {
    check_all(&[
        single_file_pattern(
            "ADD_OVERRIDE_ADD_SUPERTY CHG_OVERRIDE_ADD_SUPERTY",
            "class B { void f() { } } class A { void f() { } }",
            "class B { void f() { } } class A extends B { @Override void f() { } }",
            &[("+@Override", "+extends B")],
        ),
        single_file_pattern(
            "RM_OVERRIDE_RM_SUPERTY CHG_OVERRIDE_RM_SUPERTY",
            "class B { void f() { } } class A extends B { @Override void f() { } }",
            "class B { void f() { } } class A { void f() { } }",
            &[("-extends B", "-@Override")],
        ),
        single_file_pattern(
            "ADD_OVERRIDE_CHG_SUPERTY CHG_OVERRIDE_CHG_SUPERTY_I",
            "class B { } class C { void f() { } } class A extends B { void f() { } }",
            "class B { } class C { void f() { } } class A extends C { @Override void f() { } }",
            &[("+@Override", "+C")],
        ),
        single_file_pattern(
            "RM_OVERRIDE_CHG_SUPERTY CHG_OVERRIDE_CHG_SUPERTY_D",
            "class B { } class C { void f() { } } class A extends C { @Override void f() { } }",
            "class B { } class C { void f() { } } class A extends B { void f() { } }",
            &[("+B", "-@Override")],
        ),
    ]);
}
