//! Change patterns of code that moves or gets other code around it.

use super::{check_all, multi_file_pattern, single_file_pattern};
use mend_engine::test_support::{facts, shared_server};

facts! {
    every_family_is_coupled:
    catch_variable_depends_on_uses,
    protected_members_need_subclass,
    callee_matches_receiver,
    new_class_does_not_need_its_use,
    method_reference_depends_on_class_of_method,
    moved_value_depends_on_its_new_name,
    annotated_result_is_not_void,
    lambda_result_determines_inferred_type,
    conditions_and_selectors_depend_on_type,
    use_depends_on_block_around_variable,
    lambda_around_call_depends_on_its_exceptions,
    simple_name_depends_on_move_into_its_class,
    functional_interface_depends_on_its_method,
    array_length_is_a_number,
    operators_depend_on_operand_types,
    use_depends_on_move_of_renamed_variable,
    use_moves_with_its_variable,
    qualifier_depends_on_move_out_of_nested_class,
    import_does_not_need_the_call_that_uses_it,
    import_of_another_class_needs_its_calls,
    statement_does_not_need_the_move_of_its_method,
}

fn catch_variable_depends_on_uses() {
    check_all(&[
        single_file_pattern(
            "ADD_CATCH_PARAM_INS",
            "class A { void g() { } void f() { g(); } }",
            "class A { void g() { } void f() { try { g(); } catch (RuntimeException e) { e.toString(); } } }",
            &[("+e.toString()", "+try")],
        ),
        single_file_pattern(
            "RM_CATCH_PARAM_DEL",
            "class A { void g() { } void f() { try { g(); } catch (RuntimeException e) { e.toString(); } } }",
            "class A { void g() { } void f() { g(); } }",
            &[("-try", "-e.toString()")],
        ),
        single_file_pattern(
            "CHG_CATCH_PARAM_INS CHG_CATCH_PARAM_REL_D CHG_CATCH_PARAM_REL_I",
            "class A { void g() { } void f() { try { g(); } catch (RuntimeException one) { one.toString(); } } }",
            "class A { void g() { } void f() { try { g(); } catch (RuntimeException two) { two.toString(); two.hashCode(); } } }",
            &[("+two.hashCode()", "+two")],
        ),
        single_file_pattern(
            "ADD_THROWS_ADD_THROW ADD_THROWS_CHG_IVK",
            "class E extends Exception { } class A { void g() { } void h() throws E { } void f() { g(); } void k() { } }",
            "class E extends Exception { } class A { void g() { } void h() throws E { } void f() throws E { h(); } void k() throws E { throw new E(); } }",
            &[("+h", "+throws E"), ("+throw new E", "+throws E")],
        ),
        single_file_pattern(
            "RM_THROWS_RM_THROW RM_THROWS_CHG_IVK",
            "class E extends Exception { } class A { void g() { } void h() throws E { } void f() throws E { h(); } void k() throws E { throw new E(); } }",
            "class E extends Exception { } class A { void g() { } void h() throws E { } void f() { g(); } void k() { } }",
            &[],
        ),
        single_file_pattern(
            "CHG_CATCH_PARAM_DEL",
            "class A { void g() { } void f() { try { g(); } catch (RuntimeException two) { two.toString(); two.hashCode(); } } }",
            "class A { void g() { } void f() { try { g(); } catch (RuntimeException one) { one.toString(); } } }",
            &[],
        ),
    ]);
}

fn protected_members_need_subclass() {
    let user = ("B.java", "package q; class B extends p.A { int g() { return 1; } }");
    let using = ("B.java", "package q; class B extends p.A { int g() { return f(); } }");
    let a = |text| ("p/A.java", text);
    check_all(&[
        multi_file_pattern(
            "CHG_M_PUBLIC_ADD_IVK",
            &[a("package p; public class A { private int f() { return 1; } }"), user],
            &[a("package p; public class A { public int f() { return 1; } }"), using],
            &[("+f()", "+public")],
        ),
        multi_file_pattern(
            "CHG_M_PROTECTED_RM_IVK",
            &[a("package p; public class A { protected int f() { return 1; } }"), using],
            &[a("package p; public class A { private int f() { return 1; } }"), user],
            &[("-protected", "-f()")],
        ),
        multi_file_pattern(
            "ADD_CLASS_CHG_IMPORT",
            &[
                ("p/One.java", "package p; public class One { }"),
                ("q/A.java", "package q; import p.One; class A { One a; }"),
            ],
            &[
                ("p/One.java", "package p; public class One { }"),
                ("p/Two.java", "package p; public class Two { int x; }"),
                ("q/A.java", "package q; import p.Two; class A { Two a; }"),
            ],
            &[("+p.Two", "+p/Two.java")],
        ),
        multi_file_pattern(
            "RM_CLASS_CHG_IMPORT",
            &[
                ("p/One.java", "package p; public class One { }"),
                ("p/Two.java", "package p; public class Two { int x; }"),
                ("q/A.java", "package q; import p.Two; class A { Two a; }"),
            ],
            &[
                ("p/One.java", "package p; public class One { }"),
                ("q/A.java", "package q; import p.One; class A { One a; }"),
            ],
            &[("-p/Two.java", "-p.Two")],
        ),
    ]);
}

fn callee_matches_receiver() {
    check_all(&[
        single_file_pattern(
            "ADD_IVK_CHG_TY CHG_FD_TY_INS",
            "class A { Object x; int f() { return x.hashCode(); } }",
            "class A { String x; int f() { x.length(); return x.hashCode(); } }",
            &[("+x.length()", "+String")],
        ),
        single_file_pattern(
            "CHG_IVK_ADD_VDTOR",
            "class A { String s() { return null; } int f() { return s().hashCode(); } }",
            "class A { String s() { return null; } int f() { String v = s(); return v.length(); } }",
            &[("+v", "+String v")],
        ),
        single_file_pattern(
            "CHG_IVK_RM_VDTOR",
            "class A { String s() { return null; } int f() { String v = s(); return v.length(); } }",
            "class A { String s() { return null; } int f() { return s().hashCode(); } }",
            &[("-String v", "-v")],
        ),
        single_file_pattern(
            "CHG_RETTY_CHG_IVK_D CHG_RETTY_CHG_IVK_I",
            "class A { Object s() { return null; } int f() { return s().hashCode(); } }",
            "class A { String s() { return null; } int f() { return s().length(); } }",
            &[("+length", "+String")],
        ),
        single_file_pattern(
            "a declared type and the result that it is given",
            "class A { Object s() { return null; } void f() { Object o = s(); } }",
            "class A { String s() { return null; } void f() { String o = s(); } }",
            &[],
        ),
        single_file_pattern(
            "a parameter more, and another type of one",
            "class A { int f(Object o) { return 1; } int g() { return f(\"\"); } }",
            "class A { int f(String o, int i) { return o.length() + i; } int g() { return f(\"\", 2); } }",
            &[("+2", "+int i")],
        ),
        single_file_pattern(
            "ADD_PARAM_RM_METH",
            "class A { int f() { return 1; } int f(int x) { return x; } int g() { return f(2); } }",
            "class A { int f(int y) { return y + 1; } int g() { return f(2); } }",
            &[],
        ),
        single_file_pattern(
            "a method that moves to the class of a parameter",
            "class B { } class A { int f(B b) { return g(); } int g() { return 2; } }",
            "class B { int g() { return 2; } } class A { int f(B b) { return b.g(); } }",
            &[],
        ),
        single_file_pattern(
            "operands around an operator",
            "class A { boolean f(int x, int y) { return x < y; } }",
            "class A { boolean f(int x, int y) { return x + 1 < y - 1; } }",
            &[],
        ),
        single_file_pattern(
            "RM_IVK_CHG_TY CHG_FD_TY_DEL",
            "class A { String x; int f() { x.length(); return x.hashCode(); } }",
            "class A { Object x; int f() { return x.hashCode(); } }",
            &[("+Object", "-x.length()")],
        ),
        single_file_pattern(
            "RM_PARAM_ADD_METH",
            "class A { int f(int y) { return y + 1; } int g() { return f(2); } }",
            "class A { int f() { return 1; } int f(int x) { return x; } int g() { return f(2); } }",
            &[],
        ),
    ]);
}

fn new_class_does_not_need_its_use() {
    let pattern = single_file_pattern(
        "a creation of another class moves out of a call",
        "class A { A f(A cur, A next) { cur = new And(new One(cur), next); return cur; } } \
         class And extends A { And(A... all) { } } class One extends A { One(A one) { } }",
        "class A { A f(A cur, A next) { \
         Run run = cur instanceof Run ? (Run) cur : new Run(cur); run.add(next); cur = run; return cur; } } \
         class And extends A { And(A... all) { } } class One extends A { One(A one) { } } \
         class Run extends A { Run(A first) { } void add(A next) { } }",
        &[("+Run", "+class Run")],
    );
    let server = &mut shared_server();
    assert_eq!(pattern.find_fault(server), None);
    pattern.assert_independent(server, "+class Run", "-cur = new And");
    pattern.assert_independent(server, "-One", "-cur = new And");
}

fn method_reference_depends_on_class_of_method() {
    let method = "static boolean isSmall(char c) { return c == 'a' || c == 'b' || c == 'c'; }";
    let with_class = |class: &str| {
        format!(
            "import java.util.function.*; class U {{ boolean f(char c) {{ return {class}.isSmall(c); }} \
             Predicate<Character> g() {{ return {class}::isSmall; }} }}"
        )
    };
    let (one, two) = (format!("class One {{ {method} }}"), format!("class Two {{ {method} }}"));
    let (old_user, new_user) = (with_class("One"), with_class("Two"));
    check_all(&[
        multi_file_pattern(
            "a referenced method moves to another class",
            &[("One.java", &one), ("Two.java", "class Two { }"), ("U.java", &old_user)],
            &[("One.java", "class One { }"), ("Two.java", &two), ("U.java", &new_user)],
            &[],
        ),
        multi_file_pattern(
            "a referenced method moves to a class of another package",
            &[
                (
                    "p/One.java",
                    "package p; public class One { static boolean isSmall(char c) { return c == 'a' || c == 'b' || c == 'c'; } }",
                ),
                ("q/Two.java", "package q; public class Two { }"),
                (
                    "p/U.java",
                    "package p; interface Check { boolean test(char c); } class U { boolean h(Check c) { return true; } boolean g() { return h(One::isSmall); } }",
                ),
            ],
            &[
                ("p/One.java", "package p; public class One { }"),
                (
                    "q/Two.java",
                    "package q; public class Two { public static boolean isSmall(char c) { return c == 'a' || c == 'b' || c == 'c'; } }",
                ),
                (
                    "p/U.java",
                    "package p; import q.Two; interface Check { boolean test(char c); } class U { boolean h(Check c) { return true; } boolean g() { return h(Two::isSmall); } }",
                ),
            ],
            &[],
        ),
        single_file_pattern(
            "a qualifier goes, and the method becomes static",
            "class A { String text(A a) { return \"\"; } static void main(A a) { A b = new A(); b.text(a); } }",
            "class A { static String text(A a) { return \"\"; } static void main(A a) { text(a); } }",
            &[],
        ),
        single_file_pattern(
            "an argument becomes the receiver instead of a class",
            "class B { static void run(A a, B b) { } } class A { void run(B b) { } void f(A a, B b) { B.run(a, b); } }",
            "class B { static void run(A a, B b) { } } class A { void run(B b) { } void f(A a, B b) { a.run(b); } }",
            &[],
        ),
        single_file_pattern(
            "the qualifier of a call goes, and its argument gets a narrower type",
            "class A { static boolean isDigit(char c) { return c == '0'; } boolean f(String s) { return !Character.isDigit(s.codePointAt(0)); } }",
            "class A { static boolean isDigit(char c) { return c == '0'; } boolean f(String s) { return !isDigit(s.charAt(0)); } }",
            &[],
        ),
        single_file_pattern(
            "the receiver of a method reference gets another type",
            "import java.util.*; class A { void f(List<String> l, Map<String, String> m) { for (String s : l) m.get(s); } }",
            "import java.util.*; class A { void f(List<String> l, Set<String> m) { l.forEach(m::add); } }",
            &[("+l.forEach(m::add)", "+Set")],
        ),
    ]);
}

fn moved_value_depends_on_its_new_name() {
    check_all(&[
        single_file_pattern(
            "a method is renamed with its parameters, and a variable of its caller gets the name of one",
            "class A { int f(String s) { int repl = s.length(); return grow(repl) + repl; } \
             int grow(int searchLength) { int perMatch = Math.max(17 - searchLength * 3, 0); return perMatch * 2; } }",
            "class A { int size(int searchLen) { int perMatch = Math.max(17 - searchLen * 3, 0); return perMatch * 2; } \
             int f(String s) { int searchLen = s.length(); return size(searchLen) + searchLen; } }",
            &[],
        ),
        single_file_pattern(
            "a call that moves from a variable to a return calls another method",
            "import java.util.*; class A { List<A> all(String id, A root) { return null; } A first(String id, A root) { return root; } \
         A f(String id) { List<A> found = all(id + id, this); return found.isEmpty() ? null : found.get(0); } }",
            "import java.util.*; class A { List<A> all(String id, A root) { return null; } A first(String id, A root) { return root; } \
         A f(String id) { return first(id + id, this); } }",
            &[],
        ),
    ]);
}

fn annotated_result_is_not_void() {
    let annotation =
        "import java.lang.annotation.*; @Target(ElementType.TYPE_USE) @interface N { }";
    let with_result = format!(
        "{annotation} class A {{ private @N static String f(String s) {{ return s.trim(); }} void g() {{ f(null); }} }}"
    );
    let without_result = format!(
        "{annotation} class A {{ private static void f(String s) {{ s.trim(); }} void g() {{ f(null); }} }}"
    );
    check_all(&[
        single_file_pattern("a method loses its result", &with_result, &without_result, &[]),
        single_file_pattern("a method gets a result", &without_result, &with_result, &[]),
    ]);
}

fn lambda_result_determines_inferred_type() {
    check_all(&[single_file_pattern(
        "the class that a lambda creates changes with the type of the field",
        "import java.lang.ref.*; import java.util.*; class A<T> { final ThreadLocal<SoftReference<Stack<T>>> s; \
         A() { this.s = ThreadLocal.withInitial(() -> new SoftReference<>(new Stack<>())); } }",
        "import java.lang.ref.*; import java.util.*; class A<T> { final ThreadLocal<SoftReference<ArrayDeque<T>>> s; \
         A() { this.s = ThreadLocal.withInitial(() -> new SoftReference<>(new ArrayDeque<>())); } }",
        &[],
    )]);
}

fn conditions_and_selectors_depend_on_type() {
    check_all(&[single_file_pattern(
        "`if` that becomes `switch`",
        "class A { enum T { X } void a() { } void c() { } void f(boolean b) { if (b) { a(); } else { c(); } } void g() { f(true); } }",
        "class A { enum T { X } void a() { } void c() { } void f(T t) { switch (t) { case X: a(); break; default: c(); } } void g() { f(T.X); } }",
        &[("+switch", "+T"), ("+T", "-if")],
    )]);
}

fn use_depends_on_block_around_variable() {
    check_all(&[
        single_file_pattern(
            "removed block",
            "class A { boolean a() { return true; } A next() { return this; } String f(A c) { java.util.List<String> names = new java.util.ArrayList<>(); while (true) { String s = \"\"; while (c.a()) { s = c + s; c = c.next(); } names.add(c + s); A e = c.next(); if (e == null) break; c = e; } return names.get(0); } }",
            "class A { boolean a() { return true; } A next() { return this; } String f(A c) { String s = \"\"; while (c.a()) { s = c + s; c = c.next(); } String name = c + s; return name; } }",
            &[("+String name", "-while (true)")],
        ),
        single_file_pattern(
            "added block",
            "class A { int a() { return 1; } void g(String s) { } void f(String c) { int d = c.lastIndexOf('.'); if (d != -1) g(c.substring(0, d)); } }",
            "class A { int a() { return 1; } void g(String s) { } void f(String c) { if (c == null) { int d = c.lastIndexOf('.'); String p = (d != -1) ? c.substring(0, d) : null; g(p); return; } a(); } }",
            &[("+if (c == null)", "-if")],
        ),
    ]);
}

fn lambda_around_call_depends_on_its_exceptions() {
    check_all(&[single_file_pattern(
        "call moves into a lambda",
        "class A { java.util.List<A> all; void g(int i) { } int build() throws java.io.IOException { for (A a : all) { g(a.build()); } return 1; } }",
        "class A { java.util.List<A> all; void g(int i) { } int build() { all.forEach(v -> g(v.build())); return 1; } }",
        &[("+all.forEach", "-throws")],
    )]);
}

fn simple_name_depends_on_move_into_its_class() {
    check_all(&[single_file_pattern(
        "method moves into the enum",
        "class A { enum M { X, Y; } static M find(int i) { if (i == 1) { return M.X; } if (i == 2) { return M.Y; } return null; } M f() { return find(1); } }",
        "class A { enum M { X, Y; static M get(int i) { if (i == 1) { return X; } if (i == 2) { return Y; } return null; } } M f() { return M.get(1); } }",
        &[("+X", "+if (i == 1)")],
    )]);
}

fn functional_interface_depends_on_its_method() {
    check_all(&[single_file_pattern(
        "annotated interface",
        "class A { interface F { } @FunctionalInterface interface G { int f(); } }",
        "class A { @FunctionalInterface interface F { int f(); } @FunctionalInterface interface G { int g(int i); } }",
        &[("+@FunctionalInterface", "+int f()")],
    )]);
}

fn array_length_is_a_number() {
    check_all(&[single_file_pattern(
        "array with a length",
        "class A { byte[] f(StringBuilder s) { final String e = s.reverse().toString(); final byte[] b = e.getBytes(); return b; } }",
        "class A { byte[] f(StringBuilder s) { final byte[] b = new byte[s.length()]; for (int i = 0; i < b.length; i++) { b[i] = (byte) s.charAt(b.length - 1 - i); } return b; } }",
        &[("+new byte", "+length")],
    )]);
}

fn operators_depend_on_operand_types() {
    check_all(&[
        single_file_pattern(
            "condition",
            "class A { int f(int[] a) { String p = \"\"; g(p); return a.length; } void g(Object o) { } }",
            "class A { int f(int[] a) { int p = 1; g(p); while (p >= 2) { g(a); } return a.length; } void g(Object o) { } }",
            &[("+while", "+int")],
        ),
        single_file_pattern(
            "increment of a renamed variable",
            "class A { int f(int[] a) { String p = \"\"; g(p); return a.length; } void g(Object o) { } }",
            "class A { int f(int[] a) { int w = 1; g(w); w++; return a.length; } void g(Object o) { } }",
            &[("+w++", "+int")],
        ),
    ]);
}

fn use_depends_on_move_of_renamed_variable() {
    check_all(&[single_file_pattern(
        "declaration moves into a block",
        "class A { byte[] f(int bits, byte[] c) { if (bits == 8) { g(c); } final byte[] resized = new byte[bits / 8]; System.arraycopy(c, 0, resized, bits, bits); return resized; } void g(byte[] x) { } }",
        "class A { byte[] f(int bits, byte[] c) { if (bits == 8) { final byte[] tmp = new byte[bits / 8]; System.arraycopy(c, 0, tmp, bits, bits); g(tmp); } return c; } void g(byte[] x) { } }",
        &[("+final byte[] tmp", "+c")],
    )]);
}

fn use_moves_with_its_variable() {
    check_all(&[single_file_pattern(
        "both move within a block",
        "class A { byte[] t; byte pad; boolean eof; int size; byte[] g(int x, A c) { return t; } void f(byte[] in, int p, int n) { for (int i = 0; i < n; i++) { final byte[] buffer = g(size, this); final byte b = in[p++]; if (b == pad) { eof = true; break; } if (b >= 0 && b < t.length) { final int r = t[b]; buffer[0] = 1; } } } }",
        "class A { byte[] t; byte pad; boolean eof; int size; byte[] g(int x, A c) { return t; } void f(byte[] in, int p, int n) { for (int i = 0; i < n; i++) { final int b = in[p++] & 0xff; if (b == (pad & 0xff)) { eof = true; break; } final byte[] buffer = g(size, this); if (b < t.length) { final int r = t[b]; buffer[0] = 1; } } } }",
        &[],
    )]);
}

fn qualifier_depends_on_move_out_of_nested_class() {
    check_all(&[single_file_pattern(
        "condition becomes a method",
        "class A { char start; char end; static class I { A range; boolean has; I(A r) { range = r; if (range.start == Character.MIN_VALUE) { if (range.end == Character.MAX_VALUE) { has = false; } } } } }",
        "class A { char start; char end; static class I { A range; boolean has; I(A r) { range = r; if (range.isEmpty()) { has = false; } } } boolean isEmpty() { return start == Character.MIN_VALUE && end == Character.MAX_VALUE; } }",
        &[],
    )]);
}

fn import_does_not_need_the_call_that_uses_it() {
    let pattern = single_file_pattern(
        "a call of a method of an imported class replaces another call",
        "class A { boolean f(Object one, Object two) { return one.equals(two); } int g(Object one) { return 1; } }",
        "import java.util.Objects; class A { boolean f(Object one, Object two) { return Objects.equals(one, two); } \
         int g(Object one) { Objects.requireNonNull(one); return 1; } }",
        &[("+Objects.requireNonNull(one)", "+import")],
    );
    let server = &mut shared_server();
    assert_eq!(pattern.find_fault(server), None);
    pattern.assert_independent(server, "+import", "-one");
}

fn import_of_another_class_needs_its_calls() {
    let user = |package: &str, arguments: &str| {
        format!(
            "import {package}.T; class A {{ boolean f(int one, String two) {{ return T.is({arguments}); }} }}"
        )
    };
    let class = |package: &str, parameters: &str| {
        format!(
            "package {package}; public class T {{ public static boolean is({parameters}) {{ return true; }} }}"
        )
    };
    let (old_user, new_user) = (user("p", "one, two"), user("q", "two, one, 1"));
    let (one, two) =
        (class("p", "int one, String two"), class("q", "String one, int two, int three"));
    let files = |user| [("A.java", user), ("p/T.java", &*one), ("q/T.java", &*two)];
    check_all(&[multi_file_pattern(
        "an import of another class replaces an import",
        &files(&old_user),
        &files(&new_user),
        &[("+q", "+1")],
    )]);
}

fn statement_does_not_need_the_move_of_its_method() {
    let method = |body: &str| {
        format!(
            "int f(String one, int two) {{ {body} int sum = 0; for (int i = 0; i < two; i++) {{ sum += one.length(); }} return sum; }}"
        )
    };
    let others = "int g() { return 1; } int h(int one, int two, int three) { int all = one * two * three; return all + one + two + three; } \
                  int k(int one, int two, int three) { int all = one - two - three; return all * one * two * three; }";
    let old = format!("class A {{ {} {others} }}", method(""));
    for (statement, member) in
        [("one.hashCode();", ""), ("check(one);", "void check(Object one) { }")]
    {
        let new = format!("class A {{ {others} {} {member} }}", method(statement));
        let pattern = single_file_pattern("a method with a new statement moves", &old, &new, &[]);
        let server = &mut shared_server();
        assert_eq!(pattern.find_fault(server), None);
        pattern.assert_independent(server, &format!("+{statement}"), "+int f(String");
    }
}
