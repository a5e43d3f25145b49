//! Change patterns of modifiers, types, labels and constructors, with uses that are replaced at the same time.

use super::{check_all, multi_file_pattern, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    call_changes_depend_on_access_changes,
    static_changes_depend_on_names,
    type_changes_depend_on_declarations,
    labels_depend_on_jumps,
    constructor_starts_with_single_call,
    single_slot_holds_one_element,
}

fn call_changes_depend_on_access_changes() {
    let a = |text| ("p/A.java", text);
    let b = |text| ("B.java", text);
    check_all(&[
        multi_file_pattern(
            "CHG_M_PUBLIC_CHG_IVK",
            &[
                a(
                    "package p; public class A { public static int f() { return 1; } private static int h() { return 2; } }",
                ),
                b("package q; class B { int g() { return p.A.f(); } }"),
            ],
            &[
                a(
                    "package p; public class A { public static int f() { return 1; } public static int h() { return 2; } }",
                ),
                b("package q; class B { int g() { return p.A.h(); } }"),
            ],
            &[("+h", "+public")],
        ),
        multi_file_pattern(
            "CHG_M_PROTECTED_CHG_IVK",
            &[
                a(
                    "package p; public class A { public int f() { return 1; } private int h() { return 2; } }",
                ),
                b("package q; class B extends p.A { int g() { return f(); } }"),
            ],
            &[
                a(
                    "package p; public class A { public int f() { return 1; } protected int h() { return 2; } }",
                ),
                b("package q; class B extends p.A { int g() { return h(); } }"),
            ],
            &[("+h", "+protected")],
        ),
        multi_file_pattern(
            "CHG_ACC_ADD_FACC CHG_FROM_FD_PROTECTED_INS",
            &[
                a("package p; public class A { protected int x; }"),
                b("package q; class B { int g(p.A a) { return 1; } }"),
            ],
            &[
                a("package p; public class A { public int x; }"),
                b("package q; class B { int g(p.A a) { int y = a.x; return 1; } }"),
            ],
            &[("+int y", "+public")],
        ),
        multi_file_pattern(
            "CHG_ACC_RM_FACC CHG_TO_FD_PROTECTED_DEL",
            &[
                a("package p; public class A { public int x; }"),
                b("package q; class B { int g(p.A a) { int y = a.x; return 1; } }"),
            ],
            &[
                a("package p; public class A { protected int x; }"),
                b("package q; class B { int g(p.A a) { return 1; } }"),
            ],
            &[("+protected", "-int y")],
        ),
        single_file_pattern(
            "CHG_ACC_RM_FACC",
            "class B { protected int x; } class A { int g(B b) { int y = b.x; return 1; } }",
            "class B { private int x; } class A { int g(B b) { return 1; } }",
            &[("+private", "-int y")],
        ),
    ]);
}

fn static_changes_depend_on_names() {
    check_all(&[
        single_file_pattern(
            "CHG_STATIC_RM_NAME",
            "class A { static int x; static int f() { int y = x; return 1; } }",
            "class A { volatile int x; static int f() { return 1; } }",
            &[("-static", "-int y")],
        ),
        single_file_pattern(
            "CHG_STATIC_ADD_NAME",
            "class A { volatile int x; static int f() { return 1; } }",
            "class A { static int x; static int f() { int y = x; return 1; } }",
            &[("+int y", "+static")],
        ),
        single_file_pattern(
            "CHG_STATIC_CHG_NAME_D",
            "class A { static int x; static int z; static int f() { return x; } }",
            "class A { volatile int x; static int z; static int f() { return z; } }",
            &[("-static", "+z")],
        ),
        single_file_pattern(
            "CHG_STATIC_CHG_NAME_I",
            "class A { volatile int x; static int z; static int f() { return z; } }",
            "class A { static int x; static int z; static int f() { return x; } }",
            &[("+x", "+static")],
        ),
        single_file_pattern(
            "RM_STATIC_CHG_INIT",
            "class A { static int x; static int z; static int y = x; }",
            "class A { int x; static int z; static int y = z; }",
            &[("-static", "+z")],
        ),
        single_file_pattern(
            "ADD_STATIC_CHG_INIT",
            "class A { int x; static int z; static int y = z; }",
            "class A { static int x; static int z; static int y = x; }",
            &[("+x", "+static")],
        ),
        single_file_pattern(
            "RM_STATIC_CHG_INIT of the field that has the value",
            "class A { int x; static int z; int y = x; }",
            "class A { int x; static int z; static int y = z; }",
            &[("+static", "+z")],
        ),
        single_file_pattern(
            "RM_STATIC_CHG_INIT in a block",
            "class A { static int x; static int z; static { x = 1; } }",
            "class A { int x; static int z; static { z = 1; } }",
            &[("-static", "+z")],
        ),
        single_file_pattern(
            "RM_FD_FINAL_RM_FD_STATIC",
            "class A { class I { static @Deprecated final int x = 1; } }",
            "class A { class I { @Deprecated int x = 1; } }",
            &[("-final", "-static")],
        ),
        single_file_pattern(
            "ADD_FD_FINAL_ADD_FD_STATIC",
            "class A { class I { @Deprecated int x = 1; } }",
            "class A { class I { static @Deprecated final int x = 1; } }",
            &[("+static", "+final")],
        ),
    ]);
}

fn type_changes_depend_on_declarations() {
    check_all(&[
        single_file_pattern(
            "CHG_INI_CHG_RETTY",
            "class A { int s() { return 1; } String g() { return \"\"; } void f() { String x = g(); } }",
            "class A { String s() { return null; } String g() { return \"\"; } void f() { String x = s(); } }",
            &[("+s", "+String")],
        ),
        single_file_pattern(
            "RM_LVD_TY_CHG_RETTY",
            "import java.util.*; class A { List<String> g() { return null; } void f() { List<String> x = g(); } }",
            "import java.util.*; class A { List<Integer> g() { return null; } void f() { List x = g(); } }",
            &[("+Integer", "-<String>")],
        ),
        single_file_pattern(
            "ADD_LVD_TY_CHG_RETTY",
            "import java.util.*; class A { List<Integer> g() { return null; } void f() { List x = g(); } }",
            "import java.util.*; class A { List<String> g() { return null; } void f() { List<String> x = g(); } }",
            &[("+<String>", "+String")],
        ),
        single_file_pattern(
            "CHG_IVK_CHG_VDTOR_D CHG_IVK_CHG_VDTOR_I",
            "class A { int f() { Object one = \"\"; return one.hashCode(); } }",
            "class A { int f() { String two = \"\"; return two.length(); } }",
            &[("+length", "+String")],
        ),
        single_file_pattern(
            "RM_PARAM_TY_RM_USE",
            "import java.util.*; class A { void f(List<String> x) { x.get(0).trim(); } }",
            "import java.util.*; class A { void f(List x) { } }",
            &[("-<String>", "-x.get(0)")],
        ),
        single_file_pattern(
            "ADD_PARAM_TY_ADD_USE",
            "import java.util.*; class A { void f(List x) { } }",
            "import java.util.*; class A { void f(List<String> x) { x.get(0).trim(); } }",
            &[("+x.get(0)", "+<String>")],
        ),
        single_file_pattern(
            "parameters that come while methods of one name change places",
            "class A { int f() { return 1; } int f(int x) { return x + 2; } }",
            "class A { int f(int y) { return 1; } int f(String x) { return x.length() + 2; } }",
            &[("+x.length()", "+String x")],
        ),
        single_file_pattern(
            "ADD_PARAM_CHG_TY",
            "import java.util.*; class A { int f() { return 1; } int f(List<String> x) { return x.size() + 2; } }",
            "import java.util.*; class A { int f(List<Integer> y) { return 1; } int f(String x) { return x.length() + 2; } }",
            &[("+List<Integer> y", "-List<String>")],
        ),
        single_file_pattern(
            "RM_PARAM_CHG_TY",
            "import java.util.*; class A { int f(List<Integer> y, int z) { return 1; } int f(List<String> x) { return x.size() + 2; } }",
            "import java.util.*; class A { int f(List<Integer> y) { return 1; } int f(String x) { return x.length() + 2; } }",
            &[("-int z", "-List<String>")],
        ),
        single_file_pattern(
            "parameters that go while methods of one name change places",
            "class A { int f(int x, int y) { return x - 1; } int f(int x) { return x + 2; } }",
            "class A { int f(int x) { return x - 1; } int f(String x) { return x.length() + 2; } }",
            &[("+x.length()", "+String")],
        ),
    ]);
}

fn labels_depend_on_jumps() {
    check_all(&[
        single_file_pattern(
            "RM_LABEL_REL",
            "class A { void f() { out: while (true) { in: while (true) { break out; } } } }",
            "class A { void f() { while (true) { in: while (true) { break in; } } } }",
            &[("-out:", "-break out")],
        ),
        single_file_pattern(
            "ADD_LABEL_REL",
            "class A { void f() { while (true) { in: while (true) { break in; } } } }",
            "class A { void f() { out: while (true) { in: while (true) { break out; } } } }",
            &[("-in", "+out:")],
        ),
        single_file_pattern(
            "RM_LABEL_REL ADD_LABEL_REL of jumps that stay",
            "class A { void f(boolean b) { one: while (b) { two: while (b) { if (b) { break one; } break two; } } } }",
            "class A { void f(boolean b) { one: while (b) { six: while (b) { if (b) { break six; } break one; } } } }",
            &[("-two", "-break two"), ("+break six", "+six")],
        ),
    ]);
}

fn constructor_starts_with_single_call() {
    check_all(&[
        single_file_pattern(
            "ADD_CTOR_IVK_DEL",
            "class A { int y; A() { y = 1; } A(int x) { } }",
            "class A { int y; A() { this(1); } A(int x) { } }",
            &[("+this(1)", "-y = 1")],
        ),
        single_file_pattern(
            "ADD_STMT_RM_THIS_IVK",
            "class A { final int y; A() { this(1); } A(int x) { y = x; } }",
            "class A { final int y; A() { y = 2; } A(int x) { y = x; } }",
            &[("+y = 2", "-this(1)")],
        ),
        single_file_pattern(
            "RM_STMT_ADD_THIS_IVK",
            "class A { final int y; A() { y = 2; } A(int x) { y = x; } }",
            "class A { final int y; A() { this(1); } A(int x) { y = x; } }",
            &[("+this(1)", "-y = 2")],
        ),
        single_file_pattern(
            "RM_DEFAULT_CTOR_RM_DEFAULT_CTOR",
            "class B { B() { } B(int x) { } } class A extends B { A() { } A(int x) { super(x); } }",
            "class B { B(int x) { } } class A extends B { A(int x) { super(x); } }",
            &[("-B()", "-A()")],
        ),
        single_file_pattern(
            "ADD_DEFAULT_CTOR_ADD_DEFAULT_CTOR",
            "class B { B(int x) { } } class A extends B { A(int x) { super(x); } }",
            "class B { B() { } B(int x) { } } class A extends B { A() { } A(int x) { super(x); } }",
            &[("+A()", "+B()")],
        ),
    ]);
}

fn single_slot_holds_one_element() {
    check_all(&[
        single_file_pattern(
            "RM_METH_ADD_METH_3",
            "class A { int g(int x) { return 1; } void k() { } }",
            "class A { void k() { } String g(int z) { return null; } }",
            &[("+String", "+null")],
        ),
        single_file_pattern(
            "MOV_METH_REL_METH",
            "import java.util.*; class A { int g(List<String> x) { return x.size() * 31 + 7; } }",
            "import java.util.*; class A { int h(List<String> x) { return x.size() * 31 + 7; } int g(List<Integer> y) { return 0; } }",
            &[("+return x.size()", "+int h")],
        ),
        single_file_pattern(
            "a body that moves behind another method",
            "class A { int g() { return 1; } int f() { return g(); } }",
            "class A { int g() { return h() + 1; } int h() { return 1; } int f() { return g(); } }",
            &[],
        ),
        single_file_pattern(
            "RM_LN_CHILD_ADD_LN_CHILD",
            "class A { int g(int x) { return 1; } int f(int y) { return y; } }",
            "class A { int g(int x) { return 1; } int f(int y) { return g(3); } }",
            &[],
        ),
        single_file_pattern(
            "ADD_LN_CHILD_RM_LN_CHILD",
            "class A { int g(int x) { return 1; } void f(boolean b) { if (b) g(3); } }",
            "class A { int g(int x) { return 1; } void f(boolean b) { if (b) b = false; } }",
            &[],
        ),
        single_file_pattern(
            "RM_ROP_ADD_ROP",
            "class A { int g(int x) { return 1; } int f(int y) { return y + y * 2; } }",
            "class A { int g(int x) { return 1; } int f(int y) { return y + g(3); } }",
            &[],
        ),
        single_file_pattern(
            "INS_COND_ADD_COND",
            "class A { boolean f(Object o) { return true; } }",
            "class A { boolean f(Object o) { if (o instanceof String && o.hashCode() > 2) { return false; } return true; } }",
            &[("+o.hashCode()", "+if (o")],
        ),
        single_file_pattern(
            "DEL_COND_RM_COND",
            "class A { boolean f(Object o) { if (o instanceof String && o.hashCode() > 2) { return false; } return true; } }",
            "class A { boolean f(Object o) { return true; } }",
            &[("-if (o", "-o.hashCode()")],
        ),
    ]);
}
