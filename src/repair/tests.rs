//! What is proposed for whole programs, as a compiler knows them.

use super::births::Births;
use super::*;
use crate::engine::facts_testing::{server, sources};
use crate::facts::Refusal;
use crate::java::Source;
use crate::model::{Failure, RepoPath, TestResult, TestStatus};

const PATH: &str = "p/A.java";

/// Everything that is proposed for a file of which every statement is suspected, as the whole file would be.
fn proposed(text: &str, failure: &str) -> Vec<(Candidate, String)> {
    let facts = server().facts(&sources(&[(PATH, text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path, code)];
    let suspects = all_statements(&main);
    let failure = Failure { exception: failure.to_owned(), message: None, frames: Vec::new() };
    let diagnosis = Diagnosis::of([&failure]);
    let found =
        candidates(&main, &Contracts::of(&main), &suspects, &Observed::default(), &diagnosis);
    let whole = |candidate: Candidate| {
        let text = edited(text, &candidate.edits);
        text.map(|text| (candidate, text))
    };
    found.into_iter().filter_map(whole).collect()
}

fn all_statements(main: &[(RepoPath, Code<'_>)]) -> Vec<Suspect> {
    let code = &main[0].1;
    let fields = (0..code.tree.nodes.len()).filter(|id| code.is_initialised_field(*id));
    code.statements()
        .chain(fields)
        .map(|statement| Suspect { file: 0, statement, score: 1.0 })
        .collect()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A class around a method.
fn class(method: &str) -> String {
    format!(
        "package p;\n\nimport java.util.*;\n\nclass A {{\n    int[] all = new int[3];\n    int size;\n    \
         List<String> names = new ArrayList<>();\n    Map<String, String> map;\n\n    \
         void drop() {{\n        size--;\n    }}\n\n    int add(int a) {{\n        return add(a, 1);\n    }}\n\n    \
         int add(int a, int b) {{\n        if (b < 0) {{\n            throw new IllegalArgumentException(\"b\");\n        }}\n        \
         return a + b;\n    }}\n\n    {method}\n}}\n"
    )
}

#[test]
fn what_a_maintainer_would_write_is_among_the_candidates() {
    for (faulty, mended) in [
        ("boolean f(int i, int n) { return i < n; }", "boolean f(int i, int n) { return i <= n; }"),
        ("int f(int i) { return all[i]; }", "int f(int i) { return all[i - 1]; }"),
        ("int f(int i, int j) { return add(i, j); }", "int f(int i, int j) { return add(j, i); }"),
        ("int f(int i, int j) { return add(i); }", "int f(int i, int j) { return add(i, j); }"),
        ("long f(int i, int j) { return i * j; }", "long f(int i, int j) { return (long) i * j; }"),
        (
            "int f(int i, int j, int k) { return i * j / k; }",
            "int f(int i, int j, int k) { return (int) ((long) i * j / k); }",
        ),
        (
            "int f(String s) { return s.length(); }",
            "int f(String s) { if (s == null) { return 0; } return s.length(); }",
        ),
        (
            "boolean f(String s) { return s.isEmpty(); }",
            "boolean f(String s) { return s == null || s.isEmpty(); }",
        ),
        ("void f(String s) { names.remove(s); }", "void f(String s) { names.remove(s); size--; }"),
        (
            "String f(String k) { return map.get(k); }",
            "String f(String k) { if (map == null) { map = new java.util.HashMap<>(); } return map.get(k); }",
        ),
        (
            "void f() { for (String s : names) { names.remove(s); } }",
            "void f() { for (String s : new java.util.ArrayList<>(names)) { names.remove(s); } }",
        ),
        (
            "void f() { for (String s : names) { if (s.isEmpty()) { size++; } size += s.length(); } }",
            "void f() { for (String s : names) { if (s.isEmpty()) { size++; continue; } size += s.length(); } }",
        ),
        (
            "List<Integer> ages;\n    void f(int age) { ages.remove(age); }",
            "List<Integer> ages;\n    void f(int age) { ages.remove(Integer.valueOf(age)); }",
        ),
        (
            "int f(int i) { return all[i]; }",
            "int f(int i) { return all[Math.min(i, all.length - 1)]; }",
        ),
        (
            "void f(String s) { size = names.indexOf(s); }",
            "void f(String s) { if (names.indexOf(s) >= 0) { size = names.indexOf(s); } }",
        ),
        (
            "void f(int by) { size += by; }\n    void g(int step) { drop(); }",
            "void f(int by) { size += by; }\n    void g(int step) { drop(); size += step; }",
        ),
        (
            "void f(int by) { size = by; drop(); size++; }",
            "void f(int by) { size = by; try { drop(); } finally { size++; } }",
        ),
        (
            "Map<String, List<String>> all2;\n    void f(String k) { all2.get(k).add(k); }",
            "Map<String, List<String>> all2;\n    void f(String k) { all2.computeIfAbsent(k, missing -> new java.util.ArrayList<>()).add(k); }",
        ),
        (
            "boolean f(Object o) { return (Boolean) o; }",
            "boolean f(Object o) { return o instanceof Boolean && (Boolean) o; }",
        ),
        (
            "void f(String[] a, String[] b) { for (int i = 0; i < 3; i++) { size = a[i].length() + b[i].length(); } }",
            "void f(String[] a, String[] b) { for (int i = 0; i < 3; i++) { \
             if (a[i] == null || b[i] == null) { continue; } size = a[i].length() + b[i].length(); } }",
        ),
        (
            "void f(int[] a) { size = a[1]; }",
            "void f(int[] a) { if (a.length <= 1) { return; } size = a[1]; }",
        ),
        (
            "void f(String s, int n) { names.add(s.substring(0, n)); }",
            "void f(String s, int n) { if (n > s.length()) { return; } names.add(s.substring(0, n)); }",
        ),
        (
            "int[] f(int n, int[] a) { int[] b = new int[a.length]; for (int i = 0; i < n; i++) { b[i] = 1; } return b; }",
            "int[] f(int n, int[] a) { int[] b = new int[n]; for (int i = 0; i < n; i++) { b[i] = 1; } return b; }",
        ),
        (
            "void f(int b) { size = add(1, b); }",
            "void f(int b) { if (b >= 0) { size = add(1, b); } }",
        ),
        (
            "int first = 0;\n    int f() { return first; }",
            "int first = 1;\n    int f() { return first; }",
        ),
        (
            "int f(int b) { if (b < 0) { throw new IllegalStateException(); } return b; }",
            "int f(int b) { return b; }",
        ),
    ] {
        let wanted = squeezed(&class(mended));
        let found = proposed(&class(faulty), "java.lang.NullPointerException");
        let is_there = found.iter().any(|(_, text)| squeezed(text) == wanted);
        assert!(is_there, "{mended}");
    }
}

#[test]
fn every_candidate_can_be_parsed() {
    let method = "int f(String s, int[] a, int n, Object o, Iterator<String> it) {\n        \
        int sum = 0;\n        for (int i = 0; i < n; i++) {\n            if (a[i] > 0 && s != null) sum += a[i];\n            \
        else {\n                sum--;\n            }\n        }\n        \
        for (String name : names) {\n            names.remove(name);\n        }\n        \
        while (it.hasNext()) it.next();\n        \
        do { n--; } while (n > 0);\n        \
        switch (n) {\n            case 1:\n                sum++;\n                break;\n            default:\n                \
        sum = n / sum;\n        }\n        \
        try {\n            String t = (String) o;\n            sum += t.length();\n        } finally {\n            size = sum;\n        }\n        \
        Runnable r = () -> drop();\n        names.forEach(x -> { size++; });\n        \
        label: for (;;) { break label; }\n        \
        return sum > 0 ? sum : -sum;\n    }";
    let found = proposed(&class(method), "java.lang.NullPointerException");
    assert!(found.len() > 500, "{}", found.len());
    for (candidate, text) in found {
        assert!(Source::is_valid(text.as_bytes()), "{candidate:?}\n{text}");
    }
}

#[test]
fn a_null_check_comes_first_where_null_was_dereferenced() {
    let text = class("int f(String s) { return s.length() + 1; }");
    let (best, _) = &proposed(&text, "java.lang.NullPointerException")[0];
    assert_eq!(best.strategy, Strategy::NullCheck);
}

#[test]
fn look_alikes_are_changed_together() {
    let text = class(
        "int f(String s) { return s.trim().length(); }\n    int g(String s) { return s.trim().length(); }",
    );
    let found = proposed(&text, "java.lang.NullPointerException");
    let twins = found.iter().filter(|(candidate, _)| candidate.strategy == Strategy::Twins);
    let both = "if (s == null)";
    assert!(twins.into_iter().any(|(_, text)| text.matches(both).count() == 2));
}

#[test]
fn probes_stand_before_statements_and_compile() {
    let text = class(
        "A(int n) { this(); size = n; }\n    A() { super(); }\n    int f(int n) { if (n > 0) return 1; else while (n < 0) n++; return n; }",
    );
    let mut server = server();
    let facts = server.facts(&sources(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path, code)];
    let (root, output) = (RepoPath::from(""), std::path::Path::new("/nowhere"));
    let recording = Recording { root: &root, output };
    let probing = Probing { main: &main, tests: &[], recording };
    for probed in [probing.statements(), probing.values(&all_statements(&main))] {
        let files: Vec<(String, String)> =
            probed.files.iter().map(|(path, text)| (path.to_string(), text.clone())).collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (&**path, &**text)).collect();
        assert_eq!(server.errors(&sources(&files)).unwrap().len(), 0, "{files:?}");
        assert!(probed.sites.len() > 8);
    }
}

#[test]
fn generated_tests_compile_and_write_down_what_they_see() {
    let text = "package p;\n\npublic class ATest {\n    @interface Test {\n        long timeout() default 0;\n    }\n\n    \
                int twice(int a) {\n        return 2 * a;\n    }\n\n    \
                static void assertEquals(int a, int b) {\n    }\n\n    \
                @Test(timeout = 5)\n    public void two() {\n        int got = twice(7);\n        assertEquals(2, got);\n    }\n}\n";
    let mut server = server();
    let path = RepoPath::from("p/ATest.java");
    let facts = server.facts(&sources(&[("p/ATest.java", text)])).unwrap();
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let (root, output) = (RepoPath::from(""), std::path::Path::new("/nowhere"));
    let result =
        TestResult { test: "p.ATest#two".to_owned(), status: TestStatus::Passed, millis: 1 };
    let tests_of = |code| [(path.clone(), code)];
    let mut generated = GeneratedTests::of(&tests_of(code), std::slice::from_ref(&result), &root);
    let files = generated.files(output);
    let tests = &files[&path];
    assert!(tests.contains("@Test\n    public void two() { }"), "{tests}");
    assert!(
        tests.contains("int got = twice(8);\n        gitmend.probe.Trace.saw(2, got);"),
        "{tests}"
    );
    assert!(tests.contains("gitmend.probe.Trace.saw(got); gitmend.probe.Trace.end();"), "{tests}");
    let all: Vec<(String, &str)> =
        files.iter().map(|(path, text)| (path.to_string(), &**text)).collect();
    let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (&**path, *text)).collect();
    assert_eq!(server.errors(&sources(&all)).unwrap(), []);

    let (before, byte) = (generated.count(), tests.find("twice(8)").unwrap());
    let (path_of, nothing) = (path.clone(), String::new());
    let refusal = Refusal { path: path_of, line: 1, byte, code: nothing.clone(), message: nothing };
    assert!(generated.without_refused(&[refusal]));
    assert_eq!(generated.count(), before - 1);
    assert!(!generated.files(output)[&path].contains("twice(8)"));

    let slow = TestResult { millis: 4_000, ..result };
    assert_eq!(GeneratedTests::of(&tests_of(code), &[slow], &root).count(), 2);
}

#[test]
fn a_wrong_value_is_followed_back_to_where_it_was_given() {
    let text = class(
        "int find(String s) { return names.indexOf(s); }\n    void tune(String s) { size = find(s); }\n    \
         String f() { return names.get(size); }\n    void other() { all = null; }",
    );
    let facts = server().facts(&sources(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path, code)];
    let at = |written: &str| {
        let found = code.statements().find(|id| code.written(*id) == written);
        (0, found.unwrap())
    };
    let found = Births::of(&main, |_| true).behind(at("return names.get(size);"));
    let weight = |written: &str| {
        let known = found.iter().find(|(place, _)| *place == at(written));
        known.map_or(0.0, |(_, weight)| *weight)
    };
    assert!(weight("size = find(s);") > weight("return names.indexOf(s);"));
    assert!(weight("return names.indexOf(s);") > 0.0);
    assert!(weight("all = null;") <= 0.0);
}
