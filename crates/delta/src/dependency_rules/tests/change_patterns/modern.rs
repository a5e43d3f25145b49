//! Change patterns of newer language features: sealed classes, annotations, resources, lambdas, generics, `switch`
//! expressions and records.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    permitted_classes_depend_on_supertypes,
    annotation_elements_depend_on_uses,
    resources_need_close_and_handler,
    lambdas_match_functional_interface,
    type_arguments_match_type_parameters,
    switch_expressions_are_exhaustive,
    record_components_depend_on_uses,
}

fn permitted_classes_depend_on_supertypes() {
    check_all(&[
        single_file_pattern(
            "sealed",
            "interface I { } final class B implements I { } final class A { }",
            "sealed interface I permits A, B { } final class B implements I { } final class A implements I { }",
            &[("+sealed", "+implements I")],
        ),
        single_file_pattern(
            "permits",
            "sealed interface I permits B { } final class B implements I { } class A { }",
            "sealed interface I permits B, A { } final class B implements I { } final class A implements I { }",
            &[("+implements I", "+A"), ("+implements I", "+final")],
        ),
        single_file_pattern(
            "no more permits",
            "sealed interface I permits B, A { } final class B implements I { } final class A implements I { }",
            "sealed interface I permits B { } final class B implements I { } class A { }",
            &[("-A", "-implements I")],
        ),
        single_file_pattern(
            "unsealed",
            "sealed interface I permits A { } non-sealed class A implements I { }",
            "interface I { } class A implements I { } class C implements I { }",
            &[("+class C", "-sealed"), ("-sealed", "-non-sealed")],
        ),
    ]);
}

fn annotation_elements_depend_on_uses() {
    check_all(&[
        single_file_pattern(
            "a required element",
            "@interface M { } @M class A { @M void f() { } }",
            "@interface M { int value(); } @M(1) class A { @M(2) void f() { } }",
            &[("+int value", "+1"), ("+1", "+int value")],
        ),
        single_file_pattern(
            "an element that goes",
            "@interface M { int value(); } @M(1) class A { @M(2) void f() { } }",
            "@interface M { } @M class A { @M void f() { } }",
            &[("-int value", "-1")],
        ),
        single_file_pattern(
            "an element with a name",
            "@interface M { String name() default \"\"; } @M class A { }",
            "@interface M { String name() default \"\"; int size(); } @M(name = \"a\", size = 2) class A { }",
            &[("+int size", "+size = 2")],
        ),
        single_file_pattern(
            "an element's type",
            "@interface M { int value(); } @M(1) class A { }",
            "@interface M { String value(); } @M(\"one\") class A { }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String")],
        ),
        single_file_pattern(
            "an element's default",
            "@interface M { int value() default 1; } @M class A { }",
            "@interface M { int value(); } @M(3) class A { }",
            &[("-1", "+@M(3)")],
        ),
    ]);
}

fn resources_need_close_and_handler() {
    check_all(&[
        single_file_pattern(
            "a resource that can be closed",
            "class R { } class A { void f() { R r = new R(); } }",
            "class R implements AutoCloseable { public void close() { } } class A { void f() { try (R r = new R()) { } } }",
            &[("+try", "+implements")],
        ),
        single_file_pattern(
            "close() that throws",
            "class R implements AutoCloseable { public void close() { } } class A { void f() { try (R r = new R()) { } } }",
            "class R implements AutoCloseable { public void close() throws Exception { } } \
             class A { void f() throws Throwable { try (R r = new R()) { } } }",
            &[("+throws Exception", "+throws Throwable")],
        ),
        single_file_pattern(
            "a resource that comes",
            "class R implements AutoCloseable { public void close() throws Exception { } } class A { void f() { } }",
            "class R implements AutoCloseable { public void close() throws Exception { } } \
             class A { void f() throws Exception { try (R r = new R()) { } } }",
            &[("+{ try", "+throws Exception")],
        ),
    ]);
}

fn lambdas_match_functional_interface() {
    check_all(&[
        single_file_pattern(
            "a lambda's result",
            "interface F { int f(); } class A { F g() { return () -> 1; } }",
            "interface F { String f(); } class A { F g() { return () -> \"one\"; } }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String")],
        ),
        single_file_pattern(
            "a lambda's block",
            "interface F { int f(); } class A { F g() { return () -> { return 1; }; } }",
            "interface F { String f(); } class A { F g() { return () -> { return \"one\"; }; } }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String")],
        ),
        single_file_pattern(
            "a lambda's parameters",
            "interface F { int f(); } class A { F g() { return () -> 1; } }",
            "interface F { int f(int x); } class A { F g() { return x -> 1; } }",
            &[],
        ),
        single_file_pattern(
            "what a lambda captures",
            "class A { Runnable f(int y) { int x = 1; x++; return null; } }",
            "class A { Runnable f(int y) { int x = 1; return () -> f(x); } }",
            &[("+() ->", "-x++")],
        ),
        single_file_pattern(
            "a second method for a lambda",
            "interface F { int f(); } class A { F g() { return () -> 1; } }",
            "interface F { int f(); int h(); } class A { F g() { return null; } }",
            &[("+int h", "-() ->")],
        ),
        single_file_pattern(
            "a lambda that throws",
            "interface F { void f(); } class A { void h() { } F g() { return () -> h(); } }",
            "interface F { void f() throws Exception; } class A { void h() throws Exception { } F g() { return () -> h(); } }",
            &[],
        ),
    ]);
}

fn type_arguments_match_type_parameters() {
    check_all(&[
        single_file_pattern(
            "a type parameter that comes",
            "class B { } class A { B b; B f() { return null; } }",
            "class B<T> { } class A { B<String> b; B f() { return null; } }",
            &[("+<String>", "+<T>")],
        ),
        single_file_pattern(
            "a type parameter that goes",
            "class B<T> { } class A { B<String> b; }",
            "class B { } class A { B b; }",
            &[("-<T>", "-<String>")],
        ),
        single_file_pattern(
            "a second type parameter",
            "class B<T> { } class A { B<String> b; }",
            "class B<T, U> { } class A { B<String, Long> b; }",
            &[("+U", "+Long"), ("+Long", "+U")],
        ),
        single_file_pattern(
            "a bound",
            "class B<T> { } class A { B<String> b; }",
            "class B<T extends Number> { } class A { B<Integer> b; }",
            &[("+extends Number", "+Integer")],
        ),
        single_file_pattern(
            "a type argument and what it is used for",
            "import java.util.*; class A { List<String> a; String f() { return a.get(0); } }",
            "import java.util.*; class A { List<Integer> a; Integer f() { return a.get(0); } }",
            &[],
        ),
        single_file_pattern(
            "a type parameter of a method",
            "class A { static Object f(Object x) { return x; } Object g() { return f(\"\"); } }",
            "class A { static <T> T f(T x) { return x; } String g() { return f(\"\"); } }",
            &[("+String", "+<T>")],
        ),
        single_file_pattern(
            "bounds and members",
            "class A { <T> int f(T x) { return 1; } }",
            "class A { <T extends String> int f(T x) { return x.length(); } }",
            &[("+x.length()", "+extends String")],
        ),
    ]);
}

fn switch_expressions_are_exhaustive() {
    check_all(&[
        single_file_pattern(
            "a constant that comes",
            "enum E { ONE } class A { int f(E e) { return switch (e) { case ONE -> 1; }; } }",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; case TWO -> 2; }; } }",
            &[("+TWO", "+case TWO"), ("+case TWO", "+TWO")],
        ),
        single_file_pattern(
            "a constant that goes",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; case TWO -> 2; }; } }",
            "enum E { ONE } class A { int f(E e) { return switch (e) { case ONE -> 1; }; } }",
            &[("-case TWO", "-TWO"), ("-TWO", "-case TWO")],
        ),
        single_file_pattern(
            "a constant that comes with a default",
            "enum E { ONE } class A { int f(E e) { return switch (e) { case ONE -> 1; }; } }",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; default -> 2; }; } }",
            &[("+TWO", "+default")],
        ),
        single_file_pattern(
            "a default that goes",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; default -> 2; }; } }",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; case TWO -> 3; }; } }",
            &[("-default", "+case TWO")],
        ),
        single_file_pattern(
            "a switch that comes",
            "enum E { ONE } class A { int f(E e) { return 1; } }",
            "enum E { ONE, TWO } class A { int f(E e) { return switch (e) { case ONE -> 1; case TWO -> 2; }; } }",
            &[],
        ),
        single_file_pattern(
            "what a switch yields",
            "class A { int f(int e) { return switch (e) { case 1 -> 1; default -> { yield 2; } }; } }",
            "class A { String f(int e) { return switch (e) { case 1 -> \"one\"; default -> { yield \"two\"; } }; } }",
            &[("+String", "+\"one\""), ("+\"one\"", "+String"), ("+\"two\"", "+String")],
        ),
    ]);
}

fn record_components_depend_on_uses() {
    check_all(&[
        single_file_pattern(
            "a component",
            "record R(int x) { } class A { R f() { return new R(1); } int g(R r) { return r.x(); } }",
            "record R(int x, int y) { } class A { R f() { return new R(1, 2); } int g(R r) { return r.y(); } }",
            &[("+int y", "+2"), ("+2", "+int y"), ("+y", "+int y")],
        ),
        single_file_pattern(
            "a component's type",
            "record R(int x) { } class A { R f() { return new R(1); } int g(R r) { return r.x(); } }",
            "record R(String x) { } class A { R f() { return new R(\"one\"); } String g(R r) { return r.x(); } }",
            &[("+\"one\"", "+String")],
        ),
    ]);
}
