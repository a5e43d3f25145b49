//! Candidates for violated postconditions, and checks of postconditions.

use super::*;
use crate::observe::postcondition_checks::{PostconditionChecks, PostconditionFailures};
use std::path::Path;

/// Source with routines of every kind, each with a postcondition.
pub(super) const ALL_ROUTINE_KINDS: &str = "package p;\n\nimport java.util.*;\n\nclass A<T extends Comparable<T>> {\n    \
    @interface Ensures { String[] value(); }\n    @interface Requires { String[] value(); }\n    \
    @interface Invariant { String[] value(); }\n    @interface NonNull { }\n    \
    private int size;\n    private List<T> all = new ArrayList<>();\n    //@ invariant size >= 0 && all != null;\n\n    \
    A(int size) { this.size = size; }\n    A() { this(0); }\n    A(T one) { throw new IllegalStateException(); }\n    \
    //@ ensures \\result == size;\n    final int size() { return size; }\n    \
    /*@ requires one != null;\n      @ ensures size() == \\old(size()) + 1 && all.contains(one);\n      @ ensures \\old(one) == one;\n      @*/\n    \
    public synchronized void add(final T one) throws IllegalStateException { size++; all.add(one); one = null; }\n    \
    @Requires(\"at >= 0\") @Ensures({\"result != null\", \"old(all) == all\"})\n    \
    @Deprecated public <S extends T> List<? super S> some(int at, S... more) { int size = 7; if (at > size) return null; return all; }\n    \
    //@ ensures \\result.length() > 1;\n    static String text(long[] of) { for (;;) { if (of == null) { return \"\"; } } }\n    \
    interface Shape { @NonNull String name(); default @NonNull String twice() { return name() + name(); } }\n    \
    enum Kind implements Shape { ROUND { @Override public String name2() { return null; } };\n        \
    //@ ensures \\result != null;\n        String name2() { return \"\"; } }\n    \
    record Pair(int a, int b) { //@ invariant a <= b;\n        Pair { } int both() { return a + b; } }\n    \
    Shape one() { return new Shape() { public String name() { return \"one\"; } }; }\n}\n";

/// Runs an action on a compiled file.
pub(super) fn with_code<T>(
    text: &str,
    action: impl Fn(&mut AttributionServer, &[(RepoPath, Code<'_>)]) -> T,
) -> T {
    let mut server = shared_server();
    let facts = server.analyse(&source_set(&[(PATH, text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    action(&mut server, &[(path, code)])
}

pub(super) fn compile_errors(
    server: &mut AttributionServer,
    files: &std::collections::BTreeMap<RepoPath, String>,
) -> Vec<CompileError> {
    let files: Vec<(String, &str)> =
        files.iter().map(|(path, text)| (path.to_string(), &**text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    server.compile_errors(&source_set(&files)).unwrap()
}

#[test]
fn all_kinds_of_routines_get_checks() {
    let text = ALL_ROUTINE_KINDS
        .replace(" one = null;", "")
        .replace("A(T one) { throw new Ill", "A(T one) { if (size == 0) throw new Ill");
    with_code(&text, |server, main| {
        let assured = PostconditionChecks::from_files(main, &Contracts::from_files(main));
        let (root, nothing) = (RepoPath::from(""), BTreeSet::new());
        let recording = Recording { source_root: &root, output: Path::new("/nowhere") };
        let probing = ProbeInput { main, tests: &[], hanging_tests: &nothing, recording };
        let probed = probing.probe_postconditions(&assured, &ProbeExclusions::default());
        assert_eq!(compile_errors(server, &probed.files), [], "{}", probed.files[&main[0].0]);
        let whole = &probed.files[&main[0].0];
        for question in [
            "if (!(resultOfGitMend == size))",
            "private <S extends T> List<? super S> insideOfGitMend",
            "if (!(this.size >= 0 && all != null))",
            "if (!(size >= 0 && all != null))",
            "if (!(resultOfGitMend.length() > 1))",
            "default @NonNull",
        ] {
            assert!(whole.contains(question), "{question}\n{whole}");
        }
        // The same checks apply to a candidate.
        let edits = [Edit::replace(text.find("size++").map(|at| at..at + 6).unwrap(), "size--")];
        let files = assured.instrumented_files().files(&[(&main[0].0, &edits)]);
        assert!(files[&main[0].0].contains("{ size--; all.add(one);"));
    });
}

#[test]
fn only_rejected_postcondition_is_removed() {
    let text = "package p;\n\nclass A {\n    //@ ensures \\result > nothing;\n    //@ ensures \\result > 2;\n    \
                int f() { return 3; }\n    //@ ensures \\result > 1;\n    int g() { return 3; }\n}\n";
    with_code(text, |_, main| {
        let mut assured = PostconditionChecks::from_files(main, &Contracts::from_files(main));
        let path = &main[0].0;
        let whole = assured.instrumented_files().files(&[])[path].clone();
        let byte = whole.find("resultOfGitMend > nothing").unwrap();
        let (code, message) = (String::new(), String::new());
        let refusal = CompileError { path: path.clone(), line: 1, byte, code, message };
        assert!(assured.remove_rejected(&[refusal]));
        let files = assured.instrumented_files().files(&[]);
        let whole = &files[path];
        assert!(!whole.contains("if (!(resultOfGitMend > nothing"), "{whole}");
        assert!(whole.contains("resultOfGitMend > 2") && whole.contains("resultOfGitMend > 1"));
    });
}

/// Returns the candidates if a failing test violated the first postcondition of a file, best first.
fn candidates_for_violation(text: &str) -> Vec<(LocatedCandidate, String)> {
    with_code(text, |_, main| {
        let contracts = Contracts::from_files(main);
        let status = TestStatus::Failed(Failure {
            exception: "java.lang.AssertionError".to_owned(),
            message: None,
            frames: Vec::new(),
        });
        let result = TestResult::new("a.B#c", status);
        let unkept = PostconditionFailures::read("B\nT a.B#c\nP 0\n");
        let violations =
            PostconditionChecks::from_files(main, &contracts).violations(&unkept, &[result]);
        let diagnosis = Diagnosis::default().with_violations(violations);
        let suspects = all_statements(main);
        let found = generate_candidates(
            repair_input(main),
            &contracts,
            &suspects,
            &RecordedValues::default(),
            &diagnosis,
        );
        let whole = |one: LocatedCandidate| Some((apply_edits(text, one.edits())?, one));
        found.into_iter().filter_map(whole).map(|(text, one)| (one, without_space(&text))).collect()
    })
}

#[test]
fn violated_postconditions_are_established() {
    for (method, wanted) in [
        (
            "//@ ensures \\result >= 0;\n    int f(int a, int b) { return a - b; }",
            "return Math.max(a - b, 0);",
        ),
        (
            "//@ ensures \\result >= 0 && \\result <= size;\n    int f(int a) { return a * 3; }",
            "return Math.min(a * 3, size);",
        ),
        (
            "//@ ensures \\result != null;\n    String f(String k) { return map.get(k); }",
            "return map.get(k) == null ? \"\" : map.get(k);",
        ),
        ("//@ ensures \\result == size;\n    int f(int a) { return a; }", "return size;"),
        (
            "//@ ensures size <= all.length;\n    void f(int a) { size += a; }",
            "size += a; size = Math.min(size, all.length);",
        ),
        (
            "//@ ensures size == a;\n    boolean f(int a) { return a > 0; }",
            "size = a; return a > 0;",
        ),
    ] {
        let found = candidates_for_violation(&class_with_method(method));
        let is_there = found.iter().any(|(_, text)| text.contains(&without_space(wanted)));
        assert!(is_there, "{wanted}");
    }
}

#[test]
fn violated_postconditions_are_recorded_in_their_routine() {
    let text = class_with_method(
        "//@ ensures names.size() <= 3 && size > \\old(size);\n    //@ ensures \\result <= 3;\n    \
                      int f(int a) { size++; return a; }\n    int g(int a) { return a; }",
    );
    with_code(&text, |_, main| {
        let status = TestStatus::Failed(Failure {
            exception: "java.lang.AssertionError".to_owned(),
            message: None,
            frames: Vec::new(),
        });
        let result = TestResult::new("a.B#c", status);
        let assured = PostconditionChecks::from_files(main, &Contracts::from_files(main));
        let violations =
            assured.violations(&PostconditionFailures::read("B\nT a.B#c\nP 0\nP 1\n"), &[result]);
        let (root, nothing) = (RepoPath::from(""), BTreeSet::new());
        let recording = Recording { source_root: &root, output: Path::new("/nowhere") };
        let probing = ProbeInput { main, tests: &[], hanging_tests: &nothing, recording };
        let probed =
            probing.probe_values(&all_statements(main), &violations, &ProbeExclusions::default());
        let asked = |statement: &str| {
            let is_meant = |(_, id): &(usize, usize)| main[0].1.source_text(*id) == statement;
            let sites: Vec<usize> =
                (0..probed.sites.len()).filter(|at| is_meant(&probed.sites[*at])).collect();
            sites
                .iter()
                .filter(|at| probed.recorded_terms[**at].contains(&"a <= 3".to_owned()))
                .count()
        };
        // Two routines have the name, and one of them has no postcondition.
        assert_eq!((asked("return a;"), asked("size++;")), (1, 0));
    });
}

#[test]
fn hidden_names_are_not_confused() {
    let method = "//@ ensures size >= 0;\n    void f() { int size = 3; drop(); this.size = size; }";
    let found = candidates_for_violation(&class_with_method(method));
    let is_there =
        |wanted: &str| found.iter().any(|(_, text)| text.contains(&without_space(wanted)));
    assert!(!is_there("size = Math.max(size, 0);"));
    assert!(
        !found.iter().any(|(one, _)| one.change.description.contains("size < 0") && one.line > 30)
    );
}
