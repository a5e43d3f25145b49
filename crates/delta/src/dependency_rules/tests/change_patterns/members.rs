//! Change patterns of static and inherited members, constructors and abstract methods.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    static_methods_need_static_members,
    inherited_members_need_superclass,
    abstract_methods_depend_on_overrides,
    constructors_depend_on_calls,
    supertypes_depend_on_required_methods,
    methods_become_abstract_with_overrides,
}

fn static_methods_need_static_members() {
    check_all(&[
        single_file_pattern(
            "ADD_STATIC_ADD_IVK ADD_STATIC_ADD_NAME",
            "class A { int x; void g() { } static void f() { } }",
            "class A { static int x; static void g() { } static void f() { g(); x = 1; } }",
            &[("+g()", "+static"), ("+x = 1", "+static")],
        ),
        single_file_pattern(
            "RM_STATIC_RM_IVK RM_STATIC_RM_NAME",
            "class A { static int x; static void g() { } static void f() { g(); x = 1; } }",
            "class A { int x; void g() { } static void f() { } }",
            &[],
        ),
        single_file_pattern(
            "ADD_STATIC_CHG_NAME_I",
            "class A { int x; static int z; static int f() { return z; } }",
            "class A { static int x; static int z; static int f() { return x; } }",
            &[("+x", "+static")],
        ),
        single_file_pattern(
            "RM_STATIC_CHG_NAME_D",
            "class A { static int x; static int z; static int f() { return x; } }",
            "class A { int x; static int z; static int f() { return z; } }",
            &[("-static", "-x")],
        ),
    ]);
}

fn inherited_members_need_superclass() {
    check_all(&[
        single_file_pattern(
            "ADD_SUPERTY_ADD_FACC ADD_SUPERTY_ADD_IVK ADD_IVK_ADD_SUPERTY",
            "class B { int x; int g() { return 1; } } class A { }",
            "class B { int x; int g() { return 1; } } class A extends B { int y = x; void f() { g(); } }",
            &[("+int y", "+extends B"), ("+g();", "+extends B")],
        ),
        single_file_pattern(
            "RM_SUPERTY_RM_FACC RM_SUPERTY_RM_IVK RM_IVK_RM_SUPERTY",
            "class B { int x; int g() { return 1; } } class A extends B { int y = x; void f() { g(); } }",
            "class B { int x; int g() { return 1; } } class A { }",
            &[("-extends B", "-int y"), ("-extends B", "-g();")],
        ),
        single_file_pattern(
            "ADD_SUPERTY_CHG_FACC ADD_SUPERTY_CHG_IVK",
            "class B { int x; int g() { return 1; } } class A { int z; int h() { return z; } int f() { return h(); } }",
            "class B { int x; int g() { return 1; } } class A extends B { int z; int h() { return x; } int f() { return g(); } }",
            &[("+x", "+extends B"), ("+g", "+extends B")],
        ),
        single_file_pattern(
            "RM_SUPERTY_CHG_FACC RM_SUPERTY_CHG_IVK",
            "class B { int x; int g() { return 1; } } class A extends B { int z; int h() { return x; } int f() { return g(); } }",
            "class B { int x; int g() { return 1; } } class A { int z; int h() { return z; } int f() { return h(); } }",
            &[("-extends B", "-x"), ("-extends B", "-g")],
        ),
        single_file_pattern(
            "CHG_SUPERTY_CHG_FACC_D CHG_SUPERTY_CHG_FACC_I",
            "class B { int x; } class C { int y; } class A extends B { int f() { return x; } }",
            "class B { int x; } class C { int y; } class A extends C { int f() { return y; } }",
            &[("+y", "+C"), ("+C", "+y")],
        ),
        single_file_pattern(
            "RM_FIELD_ADD_SUPERTY",
            "class B { int x; } class A { int x; int f() { return x; } }",
            "class B { int x; } class A extends B { int f() { return x; } }",
            &[("-int x", "+extends B")],
        ),
        single_file_pattern(
            "ADD_FIELD_RM_SUPERTY",
            "class B { int x; } class A extends B { int f() { return x; } }",
            "class B { int x; } class A { int x; int f() { return x; } }",
            &[("-extends B", "+int x")],
        ),
        single_file_pattern(
            "ADD_EXTENDS_RM_METH",
            "class B { int g() { return 1; } } class A { int g() { return 1; } int f() { return g(); } }",
            "class B { int g() { return 1; } } class A extends B { int f() { return g(); } }",
            &[("-int g()", "+extends B")],
        ),
        single_file_pattern(
            "RM_EXTENDS_ADD_METH",
            "class B { int g() { return 1; } } class A extends B { int f() { return g(); } }",
            "class B { int g() { return 1; } } class A { int g() { return 2; } int f() { return g(); } }",
            &[("-extends B", "+int g()")],
        ),
    ]);
}

fn abstract_methods_depend_on_overrides() {
    check_all(&[
        single_file_pattern(
            "ADD_ABS_METH_ADD_METH",
            "abstract class B { } class A extends B { }",
            "abstract class B { abstract void f(); } class A extends B { void f() { } }",
            &[("+abstract void f()", "+void f()")],
        ),
        single_file_pattern(
            "RM_ABS_METH_RM_METH",
            "abstract class B { abstract void f(); } class A extends B { void f() { } }",
            "abstract class B { } class A extends B { }",
            &[("-void f()", "-abstract void f()")],
        ),
        single_file_pattern(
            "ADD_ABS_METH_CHG_METH",
            "abstract class B { } class A extends B { void one() { } }",
            "abstract class B { abstract void two(); } class A extends B { void two() { } }",
            &[],
        ),
        single_file_pattern(
            "RM_ABS_METH_CHG_METH",
            "abstract class B { abstract void two(); } class A extends B { void two() { } }",
            "abstract class B { } class A extends B { void one() { } }",
            &[],
        ),
        single_file_pattern(
            "CHG_ABS_METH_CHG_METH_D CHG_ABS_METH_CHG_METH_I",
            "interface B { void one(); } class A implements B { public void one() { } }",
            "interface B { void two(); } class A implements B { public void two() { } }",
            &[],
        ),
        single_file_pattern(
            "CHG_METH_ADD_SUPERTY",
            "interface B { void two(); } class A { public void one() { } }",
            "interface B { void two(); } class A implements B { public void two() { } }",
            &[("+implements B", "+two")],
        ),
        single_file_pattern(
            "CHG_METH_RM_SUPERTY",
            "interface B { void two(); } class A implements B { public void two() { } }",
            "interface B { void two(); } class A { public void one() { } }",
            &[("-two", "-implements B")],
        ),
        single_file_pattern(
            "ADD_M_FINAL_RM_METH",
            "class B { void f() { } } class A extends B { void f() { } }",
            "class B { final void f() { } } class A extends B { }",
            &[("+final", "-void f()")],
        ),
        single_file_pattern(
            "RM_M_FINAL_ADD_METH",
            "class B { final void f() { } } class A extends B { }",
            "class B { void f() { } } class A extends B { void f() { } }",
            &[("+void f()", "-final")],
        ),
        single_file_pattern(
            "ADD_OVERRIDE_ADD_METH",
            "class B { } class A extends B { }",
            "class B { void f() { } } class A extends B { @Override void f() { } }",
            &[("+@Override", "+void f()")],
        ),
        single_file_pattern(
            "RM_OVERRIDE_RM_METH",
            "class B { void f() { } } class A extends B { @Override void f() { } }",
            "class B { } class A extends B { }",
            &[("-void f()", "-@Override")],
        ),
        single_file_pattern(
            "ADD_OVERRIDE_CHG_METH",
            "class B { void two() { } } class A extends B { void one() { } }",
            "class B { void two() { } } class A extends B { @Override void two() { } }",
            &[("+@Override", "+two")],
        ),
        single_file_pattern(
            "RM_OVERRIDE_CHG_METH RM_OVERRIDE_RENAME_METH",
            "class B { void two() { } } class A extends B { @Override void two() { } }",
            "class B { void two() { } } class A extends B { void one() { } }",
            &[("+one", "-@Override")],
        ),
    ]);
}

fn constructors_depend_on_calls() {
    check_all(&[
        single_file_pattern(
            "ADD_SUPER_IVK_ADD_CTOR ADD_CTOR_BODY_ADD_CTOR ADD_ARG_ADD_CTOR",
            "class B { B() { } } class A extends B { A() { } }",
            "class B { B() { } B(int x) { } } class A extends B { A() { super(1); } }",
            &[("+super(1)", "+B(int x)")],
        ),
        single_file_pattern(
            "RM_SUPER_IVK_RM_CTOR RM_CTOR_BODY_RM_CTOR RM_ARG_RM_CTOR",
            "class B { B() { } B(int x) { } } class A extends B { A() { super(1); } }",
            "class B { B() { } } class A extends B { A() { } }",
            &[("-B(int x)", "-super(1)")],
        ),
        single_file_pattern(
            "ADD_SUPER_IVK_ADD_SUPERTY",
            "class B { B(int x) { } } class A { A() { } }",
            "class B { B(int x) { } } class A extends B { A() { super(1); } }",
            &[("+super(1)", "+extends B"), ("+extends B", "+super(1)")],
        ),
        single_file_pattern(
            "RM_SUPER_IVK_RM_SUPERTY",
            "class B { B(int x) { } } class A extends B { A() { super(1); } }",
            "class B { B(int x) { } } class A { A() { } }",
            &[("-super(1)", "-extends B"), ("-extends B", "-super(1)")],
        ),
        single_file_pattern(
            "ADD_THIS_IVK_ADD_CTOR",
            "class A { A() { } }",
            "class A { A() { this(1); } A(int x) { } }",
            &[("+this(1)", "+A(int x)")],
        ),
        single_file_pattern(
            "RM_THIS_IVK_RM_CTOR",
            "class A { A() { this(1); } A(int x) { } }",
            "class A { A() { } }",
            &[("-A(int x)", "-this(1)")],
        ),
        single_file_pattern(
            "ADD_THIS_IVK_ADD_FIELD",
            "class A { A() { } A(int x) { } }",
            "class A { static int y; A() { this(y); } A(int x) { } }",
            &[("+this(y)", "+static int y")],
        ),
        single_file_pattern(
            "RM_THIS_IVK_RM_FIELD",
            "class A { static int y; A() { this(y); } A(int x) { } }",
            "class A { A() { } A(int x) { } }",
            &[("-static int y", "-this(y)")],
        ),
        single_file_pattern(
            "ADD_ASSIGN_ADD_CTOR",
            "class A { int x; }",
            "class A { int x; A() { x = 1; } }",
            &[("+x = 1", "+A()")],
        ),
        single_file_pattern(
            "ADD_CTOR_RM_SUPER_IVK",
            "class B { B(int x) { } } class A extends B { A() { super(1); } }",
            "class B { B(int x) { } B() { } } class A extends B { A() { } }",
            &[("-super(1)", "+B()")],
        ),
        single_file_pattern(
            "RM_CTOR_ADD_SUPER_IVK",
            "class B { B(int x) { } B() { } } class A extends B { A() { } }",
            "class B { B(int x) { } } class A extends B { A() { super(1); } }",
            &[("-B()", "+super(1)")],
        ),
        single_file_pattern(
            "RM_ASSIGN_RM_CTOR",
            "class A { int x; A() { x = 1; } }",
            "class A { int x; }",
            &[("-A()", "-x = 1")],
        ),
    ]);
}

fn supertypes_depend_on_required_methods() {
    check_all(&[
        single_file_pattern(
            "ADD_METH_ADD_SUPERTY",
            "interface B { void two(); } interface C { void one(); } interface D { } class A { }",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements B { public void two() { } }",
            &[("+implements B", "+public void two")],
        ),
        single_file_pattern(
            "RM_METH_RM_SUPERTY",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements B { public void two() { } }",
            "interface B { void two(); } interface C { void one(); } interface D { } class A { }",
            &[("-public void two", "-implements B")],
        ),
        single_file_pattern(
            "ADD_METH_CHG_SUPERTY",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements D { }",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements B { public void two() { } }",
            &[],
        ),
        single_file_pattern(
            "RM_METH_CHG_SUPERTY",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements B { public void two() { } }",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements D { }",
            &[],
        ),
        single_file_pattern(
            "CHG_METH_CHG_SUPERTY_I",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements C { public void one() { } }",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements B { public void two() { } }",
            &[],
        ),
        single_file_pattern(
            "CHG_METH_CHG_SUPERTY_D",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements B { public void two() { } }",
            "interface B { void two(); } interface C { void one(); } interface D { } class A implements C { public void one() { } }",
            &[],
        ),
        single_file_pattern(
            "ADD_M_FINAL_CHG_SUPERTY",
            "class B { void f() { } } class C { } class A extends B { void f() { } }",
            "class B { final void f() { } } class C { } class A extends C { void f() { } }",
            &[],
        ),
        single_file_pattern(
            "RM_M_FINAL_CHG_SUPERTY",
            "class B { final void f() { } } class C { } class A extends C { void f() { } }",
            "class B { void f() { } } class C { } class A extends B { void f() { } }",
            &[],
        ),
        single_file_pattern(
            "ADD_SUPER_IVK_CHG_SUPERTY",
            "class B { B(int x) { } } class C { } class A extends C { A() { } }",
            "class B { B(int x) { } } class C { } class A extends B { A() { super(1); } }",
            &[],
        ),
        single_file_pattern(
            "RM_SUPER_IVK_CHG_SUPERTY CHG_SUPER_RM_SUPERIVK",
            "class B { B(int x) { } } class C { } class A extends B { A() { super(1); } }",
            "class B { B(int x) { } } class C { } class A extends C { A() { } }",
            &[],
        ),
        single_file_pattern(
            "ADD_OVERRIDED_METH_ADD_SUPERTY",
            "class B { void f() { } } class A { void f() { } }",
            "class B { void f() { } } class A extends B { @Override void f() { } }",
            &[],
        ),
        single_file_pattern(
            "RM_OVERRIDED_METH_RM_SUPERTY",
            "class B { void f() { } } class A extends B { @Override void f() { } }",
            "class B { void f() { } } class A { void f() { } }",
            &[],
        ),
    ]);
}

fn methods_become_abstract_with_overrides() {
    check_all(&[
        single_file_pattern(
            "ADD_M_ABST_ADD_METH",
            "abstract class B { void f() { } } class A extends B { }",
            "abstract class B { abstract void f(); } class A extends B { void f() { } }",
            &[],
        ),
        single_file_pattern(
            "RM_M_ABST_RM_METH",
            "abstract class B { abstract void f(); } class A extends B { void f() { } }",
            "abstract class B { void f() { } } class A extends B { }",
            &[],
        ),
        single_file_pattern(
            "ADD_M_ABST_CHG_METH",
            "abstract class B { void f() { } } class A extends B { void g() { } }",
            "abstract class B { abstract void f(); } class A extends B { void f() { } }",
            &[],
        ),
        single_file_pattern(
            "RM_M_ABST_CHG_METH",
            "abstract class B { abstract void f(); } class A extends B { void f() { } }",
            "abstract class B { void f() { } } class A extends B { void g() { } }",
            &[],
        ),
    ]);
}
