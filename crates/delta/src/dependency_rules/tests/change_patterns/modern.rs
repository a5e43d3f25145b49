//! Newer parts of the language.

use super::{check_all, family};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    permitted_classes_come_with_their_supertypes,
    elements_of_annotations_come_with_their_uses,
    resources_are_closed_and_what_that_throws_is_handled,
    lambdas_fit_what_is_wanted_of_them,
    type_arguments_fit_type_parameters,
    switch_expressions_have_a_case_for_every_constant,
    components_of_records_come_with_their_uses,
}

fn permitted_classes_come_with_their_supertypes() {
    check_all(&[
        family(
            "sealed",
            "interface I { } final class B implements I { } final class A { }",
            "sealed interface I permits A, B { } final class B implements I { } final class A implements I { }",
            &[("+sealed", "+implements I")],
        ),
        family(
            "permits",
            "sealed interface I permits B { } final class B implements I { } class A { }",
            "sealed interface I permits B, A { } final class B implements I { } final class A implements I { }",
            &[("+implements I", "+A"), ("+implements I", "+final")],
        ),
        family(
            "no more permits",
            "sealed interface I permits B, A { } final class B implements I { } final class A implements I { }",
            "sealed interface I permits B { } final class B implements I { } class A { }",
            &[("-A", "-implements I")],
        ),
        family(
            "unsealed",
            "sealed interface I permits A { } non-sealed class A implements I { }",
            "interface I { } class A implements I { } class C implements I { }",
            &[("+class C", "-sealed"), ("-sealed", "-non-sealed")],
        ),
    ]);
}

fn elements_of_annotations_come_with_their_uses() {
    check_all(&[
        family(
            "a required element",
            "@interface M { } @M class A { @M void f() { } }",
            "@interface M { int value(); } @M(1) class A { @M(2) void f() { } }",
            &[("+int value", "+1"), ("+1", "+int value")],
        ),
        family(
            "an element that goes",
            "@interface M { int value(); } @M(1) class A { @M(2) void f() { } }",
            "@interface M { } @M class A { @M void f() { } }",
            &[("-int value", "-1")],
        ),
        family(
            "an element with a name",
            "@interface M { String name() default \"\"; } @M class A { }",
            "@interface M { String name() default \"\"; int size(); } @M(name = \"a\", size = 2) class A { }",
            &[("+int size", "+size = 2")],
        ),
        family(
            "an element's type",
            "@interface M { int value(); } @M(1) class A { }",
            "@interface M { String value(); } @M(\"one\") class A { }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String")],
        ),
        family(
            "an element's default",
            "@interface M { int value() default 1; } @M class A { }",
            "@interface M { int value(); } @M(3) class A { }",
            &[("-1", "+@M(3)")],
        ),
    ]);
}

fn resources_are_closed_and_what_that_throws_is_handled() {
    check_all(&[
        family(
            "a resource that can be closed",
            "class R { } class A { void f() { R r = new R(); } }",
            "class R implements AutoCloseable { public void close() { } } class A { void f() { try (R r = new R()) { } } }",
            &[("+try", "+implements")],
        ),
        family(
            "close() that throws",
            "class R implements AutoCloseable { public void close() { } } class A { void f() { try (R r = new R()) { } } }",
            "class R implements AutoCloseable { public void close() throws Exception { } } \
             class A { void f() throws Throwable { try (R r = new R()) { } } }",
            &[("+throws Exception", "+throws Throwable")],
        ),
        family(
            "a resource that comes",
            "class R implements AutoCloseable { public void close() throws Exception { } } class A { void f() { } }",
            "class R implements AutoCloseable { public void close() throws Exception { } } \
             class A { void f() throws Exception { try (R r = new R()) { } } }",
            &[("+{ try", "+throws Exception")],
        ),
    ]);
}

fn lambdas_fit_what_is_wanted_of_them() {
    check_all(&[
        family(
            "a lambda's result",
            "interface F { int f(); } class A { F g() { return () -> 1; } }",
            "interface F { String f(); } class A { F g() { return () -> \"one\"; } }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String")],
        ),
        family(
            "a lambda's block",
            "interface F { int f(); } class A { F g() { return () -> { return 1; }; } }",
            "interface F { String f(); } class A { F g() { return () -> { return \"one\"; }; } }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String")],
        ),
        family(
            "a lambda's parameters",
            "interface F { int f(); } class A { F g() { return () -> 1; } }",
            "interface F { int f(int x); } class A { F g() { return x -> 1; } }",
            &[],
        ),
        family(
            "what a lambda captures",
            "class A { Runnable f(int y) { int x = 1; x++; return null; } }",
            "class A { Runnable f(int y) { int x = 1; return () -> f(x); } }",
            &[("+() ->", "-x++")],
        ),
        family(
            "a second method for a lambda",
            "interface F { int f(); } class A { F g() { return () -> 1; } }",
            "interface F { int f(); int h(); } class A { F g() { return null; } }",
            &[("+int h", "-() ->")],
        ),
        family(
            "a lambda that throws",
            "interface F { void f(); } class A { void h() { } F g() { return () -> h(); } }",
            "interface F { void f() throws Exception; } class A { void h() throws Exception { } F g() { return () -> h(); } }",
            &[],
        ),
    ]);
}

fn type_arguments_fit_type_parameters() {
    check_all(&[
        family(
            "a type parameter that comes",
            "class B { } class A { B b; B f() { return null; } }",
            "class B<T> { } class A { B<String> b; B f() { return null; } }",
            &[("+<String>", "+<T>")],
        ),
        family(
            "a type parameter that goes",
            "class B<T> { } class A { B<String> b; }",
            "class B { } class A { B b; }",
            &[("-<T>", "-<String>")],
        ),
        family(
            "a second type parameter",
            "class B<T> { } class A { B<String> b; }",
            "class B<T, U> { } class A { B<String, Long> b; }",
            &[("+U", "+Long"), ("+Long", "+U")],
        ),
        family(
            "a bound",
            "class B<T> { } class A { B<String> b; }",
            "class B<T extends Number> { } class A { B<Integer> b; }",
            &[("+extends Number", "+Integer")],
        ),
        family(
            "a type argument and what it is used for",
            "import java.util.*; class A { List<String> a; String f() { return a.get(0); } }",
            "import java.util.*; class A { List<Integer> a; Integer f() { return a.get(0); } }",
            &[],
        ),
        family(
            "a type parameter of a method",
            "class A { static Object f(Object x) { return x; } Object g() { return f(\"\"); } }",
            "class A { static <T> T f(T x) { return x; } String g() { return f(\"\"); } }",
            &[("+String", "+<T>")],
        ),
        family(
            "bounds and members",
            "class A { <T> int f(T x) { return 1; } }",
            "class A { <T extends String> int f(T x) { return x.length(); } }",
            &[("+x.length()", "+extends String")],
        ),
    ]);
}

fn switch_expressions_have_a_case_for_every_constant() {
    check_all(&[
        family(
            "a constant that comes",
            "enum E { ONE } class A { int f(E e) { return switch (e) { case ONE -> 1; }; } }",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; case TWO -> 2; }; } }",
            &[("+TWO", "+case TWO"), ("+case TWO", "+TWO")],
        ),
        family(
            "a constant that goes",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; case TWO -> 2; }; } }",
            "enum E { ONE } class A { int f(E e) { return switch (e) { case ONE -> 1; }; } }",
            &[("-case TWO", "-TWO"), ("-TWO", "-case TWO")],
        ),
        family(
            "a constant that comes with a default",
            "enum E { ONE } class A { int f(E e) { return switch (e) { case ONE -> 1; }; } }",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; default -> 2; }; } }",
            &[("+TWO", "+default")],
        ),
        family(
            "a default that goes",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; default -> 2; }; } }",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; case TWO -> 3; }; } }",
            &[("-default", "+case TWO")],
        ),
        family(
            "a switch that comes",
            "enum E { ONE } class A { int f(E e) { return 1; } }",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; case TWO -> 2; }; } }",
            &[],
        ),
        family(
            "what a switch yields",
            "class A { int f(int e) { return switch (e) { case 1 -> 1; default -> { yield 2; } }; } }",
            "class A { String f(int e) { return switch (e) { case 1 -> \"one\"; default -> { yield \"two\"; } }; } }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String"), ("+\"two\"", "+String")],
        ),
    ]);
}

fn components_of_records_come_with_their_uses() {
    check_all(&[
        family(
            "a component",
            "record R(int x) { } class A { R f() { return new R(1); } int g(R r) { return r.x(); } }",
            "record R(int x, int y) { } class A { R f() { return new R(1, 2); } int g(R r) { return r.y(); } }",
            &[("+int y", "+2"), ("+2", "+int y"), ("+y", "+int y")],
        ),
        family(
            "a component's type",
            "record R(int x) { } class A { R f() { return new R(1); } int g(R r) { return r.x(); } }",
            "record R(String x) { } class A { R f() { return new R(\"one\"); } String g(R r) { return r.x(); } }",
            &[("+\"one\"", "+String")],
        ),
    ]);
}
