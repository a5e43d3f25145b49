//! Contracts found in whole programs, with real compiler facts.

use crate::contracts::Contracts;
use mend_engine::test_support::{shared_server, source_set};
use mend_java::Code;
use mend_java::facts::NodeKind;
use mend_model::RepoPath;

const CHECK_METHODS_SOURCE: &str = "package p; final class Need { \
     static void positive(int value, String name) { \
         if (value <= 0) { throw new IllegalArgumentException(name); } } \
     static <T> T present(T value) { java.util.Objects.requireNonNull(value); return value; } }";

const ANNOTATIONS_SOURCE: &str = "package p; @interface NonNull {} @interface Nullable {} @interface NullMarked {} @interface NullUnmarked {} \
     @interface Min { long value(); } @interface Size { int min() default 0; int max() default 9; } \
     @interface Requires { String[] value(); }";

/// Returns the violated preconditions at the only call of `callee` in `caller`, a method of another class with a
/// variable `a`.
fn violated_preconditions(callee: &str, caller: &str) -> Vec<String> {
    let a = format!("package p; class A {{ int size; int size() {{ return size; }} {callee} }}");
    let b = format!("package p; class B {{ A a; {caller} }}");
    let files = [
        ("p/Need.java", CHECK_METHODS_SOURCE),
        ("p/Types.java", ANNOTATIONS_SOURCE),
        ("p/A.java", &*a),
        ("p/B.java", &*b),
    ];
    let facts = shared_server().analyse(&source_set(&files)).unwrap();
    let paths: Vec<RepoPath> = files.iter().map(|(path, _)| RepoPath::from(*path)).collect();
    let main: Vec<(RepoPath, Code<'_>)> = paths
        .iter()
        .zip(&files)
        .map(|(path, (_, text))| (path.clone(), Code::new(&facts, path, text.as_bytes()).unwrap()))
        .collect();
    let contracts = Contracts::from_files(&main);
    let code = &main[3].1;
    let calls = (0..code.tree.nodes.len()).filter(|id| {
        code.has_kind(*id, NodeKind::MethodInvocation) && code.source_text(*id).contains("take(")
    });
    calls.flat_map(|call| contracts.violation_conditions(code, call)).collect()
}

#[test]
fn preconditions_are_translated_to_the_call() {
    for (callee, call, expected) in [
        (
            "void take(int n) { if (n < 0 || n > size()) { throw new IllegalArgumentException(); } }",
            "void f(int k) { a.take(k - 1); }",
            &["(k - 1) < 0", "(k - 1) > a.size()"][..],
        ),
        ("void take(int n) { assert n > size; }", "void f() { a.take(2); }", &["2 <= a.size"]),
        (
            "void take(Object o) { Need.present(o); }",
            "void f(Object k) { a.take(k); }",
            &["k == null"],
        ),
        (
            "int n; void take(int n) { Need.positive(n, \"n\"); this.n = n; }",
            "void f(int k) { a.take(k); }",
            &["k <= 0"],
        ),
        (
            "int at; void take(int n) { at = java.util.Objects.checkIndex(n, size); }",
            "void f(int k) { a.take(k); }",
            &["k < 0 || k >= a.size"],
        ),
        (
            "/** @throws IllegalArgumentException if {@code n} is negative or greater than m */ void take(int n, int m) { }",
            "void f(int k) { a.take(k, 3); }",
            &["k < 0", "k > 3"],
        ),
        (
            "/** @param o the object, must not be null */ void take(Object o) { }",
            "void f(Object k) { a.take(k); }",
            &["k == null"],
        ),
        ("void take(@NonNull Object o) { }", "void f(Object k) { a.take(k); }", &["k == null"]),
        (
            "@NullMarked static class I { static void take(Object o, @Nullable Object q, int n) { } }",
            "void f(Object k) { A.I.take(k, k, 1); }",
            &["k == null"],
        ),
        (
            "@NullMarked static class I { @NullUnmarked static void take(Object o) { } }",
            "void f(Object k) { A.I.take(k); }",
            &[],
        ),
        (
            "interface T { void take(@NonNull Object o); } \
             static class I implements T { public void take(Object it) { } } I i;",
            "void f(Object k) { a.i.take(k); }",
            &["k == null"],
        ),
        (
            "static class T { void take(int n) { if (n < 0) { throw new IllegalArgumentException(); } } } \
             static class I extends T { void take(int m) { if (m > 9) { throw new IllegalArgumentException(); } } } I i;",
            "void f(int k) { a.i.take(k); }",
            &["k > 9", "k < 0"],
        ),
        ("void take(@Min(3) int n) { }", "void f(int k) { a.take(k); }", &["k < 3"]),
        (
            "void take(@Size(min = 1, max = 4) String s) { }",
            "void f(String k) { a.take(k); }",
            &["!(k == null || k.length() >= 1 && k.length() <= 4)"],
        ),
        (
            "@Requires({\"n > 0\", \"n < size\"}) void take(int n) { }",
            "void f(int k) { a.take(k); }",
            &["k <= 0", "k >= a.size"],
        ),
        (
            "\n//@ requires n > 0 ==> size > 0;\n void take(int n) { }",
            "void f(int k) { a.take(k); }",
            &["k > 0 && (a.size <= 0)"],
        ),
    ] {
        assert_eq!(violated_preconditions(callee, call), expected, "{callee}");
    }
}

/// Returns the postconditions of a method in the last of some files, as text for people.
fn postconditions_of(files: &[(&str, &str)], method: &str) -> Vec<String> {
    let facts = shared_server().analyse(&source_set(files)).unwrap();
    let paths: Vec<RepoPath> = files.iter().map(|(path, _)| RepoPath::from(*path)).collect();
    let main: Vec<(RepoPath, Code<'_>)> = paths
        .iter()
        .zip(files)
        .map(|(path, (_, text))| (path.clone(), Code::new(&facts, path, text.as_bytes()).unwrap()))
        .collect();
    let contracts = Contracts::from_files(&main);
    let code = &main[main.len() - 1].1;
    let is_named_method = |id: &usize| {
        code.has_kind(*id, NodeKind::Method)
            && code.symbol(*id).is_some_and(|one| facts.text(one.name) == method)
    };
    let found = (0..code.tree.nodes.len()).rfind(is_named_method).unwrap();
    let (_, postconditions) = contracts.method_contract(code, found);
    postconditions.into_iter().map(|one| one.condition).collect()
}

#[test]
fn postconditions_include_supertypes_and_invariants() {
    for (package, class, expected) in [
        (
            "",
            "class B { @NonNull String f(int n) { return null; } }",
            &["resultOfGitMend != null"][..],
        ),
        (
            "",
            "@NullMarked class B { String f(int n) { return null; } int g() { return 1; } }",
            &["resultOfGitMend != null"],
        ),
        ("", "@NullMarked class B { @Nullable String f(int n) { return null; } }", &[]),
        ("", "class B { @Min(3) int f(int n) { return 1; } }", &["resultOfGitMend >= 3"]),
        (
            "@p.NullMarked package p;",
            "class B { String f(int n) { return null; } }",
            &["resultOfGitMend != null"],
        ),
        (
            "",
            "interface T {\n//@ ensures \\result > it;\n int f(int it); } class B implements T { public int f(int n) { return 1; } }",
            &["resultOfGitMend > n"],
        ),
        ("", "@Invariant(\"n > 0\") class B { int n; void f(int n) { } }", &["this.n > 0"]),
        ("", "@Invariant(\"n > 0\") class B { int n; private void f(int n) { } }", &[]),
        (
            "",
            "class B { int n; int next() { return n++; }\n//@ ensures next() > 0;\n//@ ensures n++ > 0;\n void f() { } }",
            &[],
        ),
    ] {
        let class = format!("package p; @interface Invariant {{ String[] value(); }} {class}");
        let package = if package.is_empty() { "package p;" } else { package };
        let files = [
            ("p/package-info.java", package),
            ("p/Types.java", ANNOTATIONS_SOURCE),
            ("p/B.java", &*class),
        ];
        assert_eq!(postconditions_of(&files, "f"), expected, "{class}");
    }
}

#[test]
fn inaccessible_or_impure_preconditions_are_dropped() {
    for (callee, call) in [
        (
            "private int left; void take(int n) { if (n > left) { throw new IllegalStateException(); } }",
            "void f() { a.take(1); }",
        ),
        (
            "void take(int n) { if (n > 3) { throw new IllegalStateException(); } }",
            "int i; void f() { a.take(i++); }",
        ),
        (
            "void take(int n) { size = n; if (n > 3) { throw new IllegalStateException(); } }",
            "void f(int k) { a.take(k); }",
        ),
    ] {
        assert_eq!(violated_preconditions(callee, call), Vec::<String>::new(), "{callee}");
    }
}
