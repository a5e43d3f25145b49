//! Candidates for whole programs, with real compiler facts.

use super::*;
use crate::localisation::changed_statements::find_changed_statements;
use crate::localisation::reaching_definitions::ReachingDefinitions;
use crate::tests::fixed_methods::FAULTY_AND_FIXED_METHODS;
use mend_engine::AttributionServer;
use mend_engine::test_support::{shared_server, source_set};
use mend_java::ParsedSource;
use mend_java::facts::CompileError;
use mend_java::{Code, Edit, apply_edits};
use mend_model::{Failure, Frame, RepoPath, TestResult, TestStatus};
use std::collections::BTreeSet;

mod bounds;
mod call_recording;
mod conditions;
mod control_flow;
mod dependence;
mod external_patches;
mod fixed_methods;
mod generated_tests;
mod javadoc;
mod mutant_schema;
mod postconditions;
mod ranking;
mod related_code;
mod snapshots;
mod state_ending_calls;

const PATH: &str = "p/A.java";

/// Returns all candidates for a file in which every statement is suspicious, as whole files.
fn candidates_for_exception(text: &str, failure: &str) -> Vec<(LocatedCandidate, String)> {
    candidates_with_server(&mut shared_server(), text, failure)
}

fn candidates_with_server(
    server: &mut AttributionServer,
    text: &str,
    failure: &str,
) -> Vec<(LocatedCandidate, String)> {
    let failure = Failure { exception: failure.to_owned(), message: None, frames: Vec::new() };
    candidates_for_failure(server, text, &failure)
}

fn candidates_for_failure(
    server: &mut AttributionServer,
    text: &str,
    failure: &Failure,
) -> Vec<(LocatedCandidate, String)> {
    let facts = server.analyse(&source_set(&[(PATH, text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path, code)];
    let suspects = all_statements(&main);
    let diagnosis = Diagnosis::from_failures([failure], &[]);
    let found = generate_candidates(
        repair_input(&main),
        &Contracts::from_files(&main),
        &suspects,
        &RecordedValues::default(),
        &diagnosis,
    );
    let apply_candidate = |candidate: LocatedCandidate| {
        let text = apply_edits(text, candidate.edits());
        text.map(|text| (candidate, text))
    };
    found.into_iter().filter_map(apply_candidate).collect()
}

fn repair_input<'a>(main: &'a [(RepoPath, Code<'a>)]) -> RepairInput<'a> {
    RepairInput { main, passing_version: &[] }
}

fn all_statements(main: &[(RepoPath, Code<'_>)]) -> Vec<SuspiciousStatement> {
    let code = &main[0].1;
    let fields = (0..code.tree.nodes.len()).filter(|id| code.is_initialised_field(*id));
    code.statements()
        .chain(fields)
        .map(|statement| SuspiciousStatement { file: 0, statement, score: 1.0 })
        .collect()
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns the source of a class with a method.
fn class_with_method(method: &str) -> String {
    format!(
        "package p;\n\nimport java.util.*;\n\nclass A {{\n    int[] all = new int[3];\n    int size;\n    \
         List<String> names = new ArrayList<>();\n    Map<String, String> map;\n\n    \
         void drop() {{\n        size--;\n    }}\n\n    int add(int a) {{\n        return add(a, 1);\n    }}\n\n    \
         int add(int a, int b) {{\n        if (b < 0) {{\n            throw new IllegalArgumentException(\"b\");\n        }}\n        \
         return a + b;\n    }}\n\n    {method}\n}}\n"
    )
}

#[test]
fn developer_fixes_are_among_candidates() {
    let (mut server, mut missing) = (shared_server(), Vec::new());
    for (faulty, fixed) in FAULTY_AND_FIXED_METHODS {
        let wanted = without_space(&class_with_method(fixed));
        let found = candidates_with_server(
            &mut server,
            &class_with_method(faulty),
            "java.lang.NullPointerException",
        );
        let is_proposed = found.iter().any(|(_, text)| without_space(text) == wanted);
        missing.extend((!is_proposed).then_some(*fixed));
    }
    assert_eq!(missing, Vec::<&str>::new());
}

/// Verdict of a test (true if it failed), and its observations.
type TestObservation<'a> = (bool, &'a [(&'a str, &'a str)]);

/// Returns the candidates for observed values before a statement. Each line is a test: its verdict, and the values of
/// terms.
fn candidates_with_observations(
    text: &str,
    statement: &str,
    tests: &[TestObservation<'_>],
) -> Vec<String> {
    candidates_with_exception_and_observations("AssertionError", text, statement, tests)
}

/// Returns the candidates if failing tests threw an exception.
fn candidates_with_exception_and_observations(
    exception: &str,
    text: &str,
    statement: &str,
    tests: &[TestObservation<'_>],
) -> Vec<String> {
    let found = scored_candidates(exception, text, statement, tests).into_iter();
    found.map(|(text, _)| text).collect()
}

/// Returns the candidates if failing tests found wrong results, each with its score.
fn scores_with_observations(
    text: &str,
    statement: &str,
    tests: &[TestObservation<'_>],
) -> Vec<(String, f64)> {
    scored_candidates("java.lang.AssertionError", text, statement, tests)
}

fn scored_candidates(
    exception: &str,
    text: &str,
    statement: &str,
    tests: &[TestObservation<'_>],
) -> Vec<(String, f64)> {
    let facts = shared_server().analyse(&source_set(&[(PATH, text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path, code)];
    let location = (
        0,
        code.statements().find(|id| text[code.bytes(*id).start..].starts_with(statement)).unwrap(),
    );
    let names: Vec<String> = tests[0].1.iter().map(|(name, _)| (*name).to_owned()).collect();
    let row = |(at, (_, values)): (usize, &TestObservation<'_>)| {
        let values: Vec<&str> = values.iter().map(|(_, value)| *value).collect();
        format!("B\nT a#{at}\nV 0 {}\n", values.join(" "))
    };
    let recorded: String = tests.iter().enumerate().map(row).collect();
    let has_failed = |test: &str| Some(tests[test[2..].parse::<usize>().unwrap()].0);
    let observed = RecordedValues::read(&recorded, &[(location, names)], has_failed);
    let suspects = [SuspiciousStatement { file: 0, statement: location.1, score: 1.0 }];
    let failure = Failure { exception: exception.to_owned(), message: None, frames: Vec::new() };
    let diagnosis = Diagnosis::from_failures([&failure], &[]);
    let found = generate_candidates(
        repair_input(&main),
        &Contracts::from_files(&main),
        &suspects,
        &observed,
        &diagnosis,
    );
    let apply_candidate = |one: &LocatedCandidate| {
        Some((without_space(&apply_edits(text, one.edits())?), one.change.score))
    };
    found.iter().filter_map(apply_candidate).collect()
}

#[test]
fn neutral_operands_are_not_proposed() {
    for (value, other, is_proposed) in [
        ("a + 1", "a", true),
        ("a + 1", "a + 0", false),
        ("a - 1", "a - 0", false),
        ("a * 2", "a", true),
        ("a * 2", "a * 1", false),
        ("a / 2", "a / 1", false),
        // These do not equal the operand alone.
        ("1 - a", "0 - a", true),
        ("2 / a", "1 / a", true),
        ("(byte) (b + 1)", "(byte) (b + 0)", true),
        ("(s + 1).length()", "(s + 0).length()", true),
    ] {
        let text =
            class_with_method(&format!("int f(int a, byte b, String s) {{ return {value}; }}"));
        let wanted = text.replace(value, other);
        let all = candidates_for_exception(&text, "java.lang.AssertionError");
        assert_eq!(all.iter().any(|(_, whole)| *whole == wanted), is_proposed, "{value} {other}");
    }
}

#[test]
fn conditions_cover_all_kinds_of_numbers() {
    for (method, statement, tests, wanted) in [
        (
            "double f(double x) { return x; }",
            "return x",
            [(true, &[("x", "DNaN")][..]), (false, &[("x", "D3.5")])],
            "if (Double.isNaN(x)) { return 0; }",
        ),
        (
            "double f(double x) { size = 20; return x; }",
            "return x",
            [(true, &[("x", "D21.5")][..]), (false, &[("x", "D3.5")])],
            "if (x > 20) { return 0; }",
        ),
        (
            "int f(char c) { if (c == '(') { size++; } return size; }",
            "return size",
            [(true, &[("c", "I41")][..]), (false, &[("c", "I40")])],
            "if (c != '(') { return 0; }",
        ),
        (
            "int f(Integer n) { return size; }",
            "return size",
            [(true, &[("n", "I-1")][..]), (false, &[("n", "N")])],
            "if (n < 0) { return 0; }",
        ),
    ] {
        let found = candidates_with_observations(&class_with_method(method), statement, &tests);
        let is_there = found.iter().any(|text| text.contains(&without_space(wanted)));
        assert!(is_there, "{wanted}");
    }
}

#[test]
fn null_argument_is_checked_before_call() {
    let text = class_with_method(
        "String find(int n) { return map.get(\"a\"); }\n    int of(String s) { return s.length(); }\n    \
         String f(int n) { String t = find(n); int size = of(t); return t + size; }",
    );
    let null = "java.lang.NullPointerException";
    let wanted =
        without_space("String t = find(n); if (t == null) { return null; } int size = of(t);");
    let rank = |exception: &str, failing: &str| {
        let tests = [(true, &[("t", failing)][..]), (false, &[("t", "S1:2")])];
        let found =
            candidates_with_exception_and_observations(exception, &text, "int size = of", &tests);
        found.iter().position(|text| text.contains(&wanted))
    };
    assert!(rank(null, "N").is_some_and(|rank| rank < 4), "{:?}", rank(null, "N"));
    assert!(rank("java.lang.AssertionError", "N") > rank(null, "N"));
    assert_eq!(rank(null, "S3:4"), None);
}

#[test]
fn null_field_is_set_in_else_branch() {
    let method =
        "A first, last;\n    void link(A one) { if (last != null) { last.size = 1; } last = one; }";
    let text = class_with_method(method);
    let wanted =
        without_space("if (last != null) { last.size = 1; } else { first = one; } last = one;");
    let rank = |null: &str| {
        let facts = shared_server().analyse(&source_set(&[(PATH, &text)])).unwrap();
        let path = RepoPath::from(PATH);
        let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
        let main = [(path, code)];
        let exception = "java.lang.NullPointerException".to_owned();
        let message = format!("Cannot read field \"size\" because \"this.{null}\" is null");
        let failure = Failure { exception, message: Some(message), frames: Vec::new() };
        let diagnosis = Diagnosis::from_failures([&failure], &[]);
        let (contracts, suspects) = (Contracts::from_files(&main), all_statements(&main));
        let found = generate_candidates(
            repair_input(&main),
            &contracts,
            &suspects,
            &RecordedValues::default(),
            &diagnosis,
        );
        let mut texts = found.iter().filter_map(|one| apply_edits(&text, one.edits()));
        texts.position(|text| without_space(&text).contains(&wanted))
    };
    assert!(rank("first").is_some_and(|rank| rank < 20), "{:?}", rank("first"));
    assert_eq!(rank("size"), None);
}

#[test]
fn observations_before_loop_do_not_constrain_head() {
    let method = "A next;\n    void f(A node) { while (node.next != null) { node = node.next; } }";
    let tests = [(true, &[("node", "O:1")][..]), (false, &[("node", "O:2")])];
    let found = candidates_with_observations(&class_with_method(method), "while", &tests);
    let has = |wanted: &str| found.iter().any(|text| text.contains(&without_space(wanted)));
    assert!(has("while (node != null && node.next != null)"));
    assert!(!has("if (node == null) { return; } while"));
}

#[test]
fn every_candidate_is_valid_java() {
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
    let found =
        candidates_for_exception(&class_with_method(method), "java.lang.NullPointerException");
    assert!(found.len() > 500, "{}", found.len());
    for (candidate, text) in found {
        assert!(ParsedSource::is_valid(text.as_bytes()), "{candidate:?}\n{text}");
    }
}

#[test]
fn null_check_ranks_first_after_null_dereference() {
    let text = class_with_method("int f(String s) { return s.length() + 1; }");
    let (best, _) = &candidates_for_exception(&text, "java.lang.NullPointerException")[0];
    assert_eq!(best.change.operator, FixOperator::NullCheck);
}

#[test]
fn changed_inner_check_is_overfitting_unless_limit_moves() {
    let text = class_with_method(
        "void f(int n) { drop(); if (n > size) { throw new IllegalStateException(); } }",
    );
    let found = candidates_for_exception(&text, "java.lang.IllegalStateException");
    let of = |wanted: &str| {
        let is_meant = |text: &str| without_space(text).contains(&without_space(wanted));
        found.iter().find(|(_, text)| is_meant(text)).map(|(one, _)| one.overfitting.is_some())
    };
    assert_eq!(of("if (n >= size) { throw"), Some(false));
    assert_eq!(of("if (n < size) { throw"), Some(true));
    assert_eq!(of("if (n > n) { throw"), Some(true));
}

#[test]
fn unused_variables_get_likely_updates() {
    for (method, wanted) in [
        (
            "boolean f(Set<String> seen, String s, String t, String u) { if (seen.contains(s)) { return true; } return false; }",
            "seen.add(s);",
        ),
        (
            "boolean f(Object o, String s) { ArrayDeque open = new ArrayDeque(); while (!open.isEmpty()) { names.add(s); } return true; }",
            "open.push(s);",
        ),
        (
            "A next;\n    A f(A node) { A last = null; while (node != null) { node = node.next; } return last; }",
            "last = node;",
        ),
    ] {
        let found =
            candidates_for_exception(&class_with_method(method), "java.lang.AssertionError");
        let is_meant = |one: &LocatedCandidate| {
            one.change.operator == FixOperator::Donor && one.change.description.contains(wanted)
        };
        let best = found.iter().map(|(one, _)| one).find(|one| is_meant(one)).unwrap();
        assert!(best.change.score > 0.3, "{best:?}");
    }
}

#[test]
fn best_score_of_duplicate_edits_counts() {
    for (method, wanted) in [
        // The replacement is also an expression of the method.
        (
            "int f(int[] a) { int last = a.length - 1; return add(a.length, 1) + last; }",
            "add(a.length - 1, 1)",
        ),
        (
            "String f(String s, String t) { String u = t.substring(1); return f(s, t) + u; }",
            "f(s, t.substring(1))",
        ),
        // The statement is under a condition that compares the two.
        ("int f(int k, int n) { if (k >= n) { return add(k, 0); } return n; }", "add(k - n, 0)"),
    ] {
        let found =
            candidates_for_exception(&class_with_method(method), "java.lang.AssertionError");
        let best = found.iter().find(|(_, text)| text.contains(wanted)).unwrap();
        assert!(best.0.change.score > 0.3, "{wanted} {}", best.0.change.score);
    }
}

#[test]
fn similar_code_is_changed_together() {
    let text = class_with_method(
        "int f(String s) { return s.indexOf(\"x\") - 1; }\n    int g(String s) { return s.indexOf(\"x\") - 1; }",
    );
    let found = candidates_for_exception(&text, "java.lang.NullPointerException");
    let twins = found
        .iter()
        .filter(|(candidate, _)| candidate.change.operator == FixOperator::MultiLocation);
    let twins: Vec<&String> = twins.map(|(_, text)| text).collect();
    for both in ["if (s == null)", "s.lastIndexOf(\"x\") - 1", "s.indexOf(\"x\") + 1"] {
        assert!(twins.iter().any(|text| text.matches(both).count() == 2), "{both}");
    }
}

#[test]
fn probed_sources_compile() {
    let text = class_with_method(
        "A(int n) { this(); size = n; }\n    A() { super(); }\n    int f(int n) { if (n > 0) return 1; else while (n < 0) n++; return n; }\n    \
         int arrows(int n) { switch (n) { case 1 -> drop(); case 2 -> { drop(); } default -> throw new Error(); } \
         return switch (n) { case 3 -> n; default -> throw new Error(); }; }\n    \
         void in(List<String> all) { int count = 0; String last = \"\"; count++; \
         all.forEach(one -> { size += one.length() + last.length(); }); \
         Runnable run = new Runnable() { public void run() { size++; } }; size += count; }\n    \
         void read() throws Exception { try (java.io.StringReader reader = new java.io.StringReader(\"\")) { size = reader.read(); } \
         catch (java.io.IOException e) { size = 0; } finally { drop(); } }\n    \
         final int late;\n    { size = 3; late = 4; }\n    \
         static class Spot { int x; Spot own() { return this; } boolean is(Spot other) { return other.own().x == x; } }\n    \
         @SuppressWarnings({\"a\", \"b\"}) static class FooTest extends ArrayList<String> { void testIt() { clear(); } }",
    );
    let mut server = shared_server();
    let facts = server.analyse(&source_set(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path, code)];
    let (root, output) = (RepoPath::from(""), std::path::Path::new("/nowhere"));
    let recording = Recording { source_root: &root, output };
    let endless = ["a.B#c", "a.B#d[\"1\"]"].map(str::to_owned).into();
    let probing = ProbeInput { main: &main, tests: &[], hanging_tests: &endless, recording };
    let tests = ProbeInput { main: &[], tests: &main, hanging_tests: &endless, recording };
    let all = ProbeExclusions::default();
    let announced = tests.probe_statements(&all);
    assert!(
        announced.files[&main[0].0].contains("<String> { { gitmend.probe.Probe.beginTest(); }")
    );
    let steps = "try { gitmend.probe.Probe.beginStep(); clear();  } finally { gitmend.probe.Probe.endTest(); }";
    assert!(without_space(&announced.files[&main[0].0]).contains(&without_space(steps)));
    for probed in [
        probing.probe_statements(&all),
        probing.probe_values(&all_statements(&main), &PostconditionViolations::default(), &all),
        announced,
    ] {
        let files: Vec<(String, String)> =
            probed.files.iter().map(|(path, text)| (path.to_string(), text.clone())).collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (&**path, &**text)).collect();
        assert_eq!(server.compile_errors(&source_set(&files)).unwrap().len(), 0, "{files:?}");
        assert!(probed.sites.len() > 8 || probed.sites.is_empty());
    }
}

#[test]
fn rejected_probe_is_excluded() {
    let text = class_with_method("int f(int n) { n++; return n; }");
    let facts = shared_server().analyse(&source_set(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path.clone(), code)];
    let (root, output) = (RepoPath::from(""), std::path::Path::new("/nowhere"));
    let recording = Recording { source_root: &root, output };
    let probing =
        ProbeInput { main: &main, tests: &[], hanging_tests: &BTreeSet::new(), recording };
    let mut unprobed = ProbeExclusions::default();
    let mut reject_at = |written: &str| {
        let probed = probing.probe_statements(&unprobed);
        let byte = probed.files[&path].find(written).unwrap();
        let (path, code, message) = (path.clone(), String::new(), String::new());
        let refusal = CompileError { path, line: 1, byte, code, message };
        assert!(unprobed.exclude_rejected(&probing, &probed, &[refusal]));
        probing.probe_statements(&unprobed)
    };
    let before = probing.probe_statements(&ProbeExclusions::default()).sites.len();
    let without_one = reject_at("); n++");
    assert!(without_one.files[&path].contains("{ n++; gitmend"), "{}", without_one.files[&path]);
    assert_eq!(without_one.sites.len(), before - 1);
    assert_eq!(reject_at("throw new").sites.len(), before - 4);
    assert!(!reject_at("class A").files.contains_key(&path));
}

/// Returns the candidates if a failing test expected an exception on the line of a statement.
fn expected_exceptions(text: &str, written: &str, exception: &str) -> Vec<String> {
    let facts = shared_server().analyse(&source_set(&[(PATH, text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let byte = text.find(written).unwrap();
    let line = u32::try_from(text[..byte].matches('\n').count() + 1).unwrap();
    let frame = Frame {
        class: "p.A".to_owned(),
        method: "testIt".to_owned(),
        file: None,
        line: Some(line),
    };
    let failure = Failure { exception: exception.to_owned(), message: None, frames: vec![frame] };
    Diagnosis::from_failures([&failure], &[(path, code)]).expected_exceptions
}

#[test]
fn exception_caught_after_fail_is_expected() {
    let test = |call: &str, fail: &str| {
        class_with_method(&format!(
            "void fail(String why) {{ }}\n    void testIt() {{\n        try {{\n            {call}\n            \
             {fail}\n        }} catch (IllegalStateException e) {{\n        }}\n    }}"
        ))
    };
    let text = test("names.clear();", "fail(\"must throw\");");
    let waited = ["java.lang.IllegalStateException"];
    assert_eq!(expected_exceptions(&text, "fail(\"must", "java.lang.AssertionError"), waited);
    // Another exception was thrown first.
    assert_eq!(expected_exceptions(&text, "names.clear", "java.lang.NullPointerException"), waited);
    assert!(expected_exceptions(&text, "names.clear", "java.lang.AssertionError").is_empty());
    let text = test("names.clear();", "drop();");
    assert!(expected_exceptions(&text, "names.clear", "java.lang.NullPointerException").is_empty());
}

#[test]
fn backward_slice_reaches_definitions() {
    let text = class_with_method(
        "int find(String s) { return names.indexOf(s); }\n    void tune(String s) { size = find(s); }\n    \
         String f() { return names.get(size); }\n    void other() { all = null; }\n    \
         static abstract class Shape { abstract int size(); }\n    \
         static class Dot extends Shape { int size() { return 0; } }\n    int share(Shape s) { return 3 / s.size(); }",
    );
    let facts = shared_server().analyse(&source_set(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path, code)];
    let at = |written: &str| {
        let found = code.statements().find(|id| code.source_text(*id) == written);
        (0, found.unwrap())
    };
    let definitions = ReachingDefinitions::from_files(&main, |_| true);
    let found = definitions.backward_slice(at("return names.get(size);"));
    let weight = |written: &str| {
        let known = found.iter().find(|(place, _)| *place == at(written));
        known.map_or(0.0, |(_, weight)| *weight)
    };
    assert!(weight("size = find(s);") > weight("return names.indexOf(s);"));
    assert!(weight("return names.indexOf(s);") > 0.0);
    assert!(weight("all = null;") <= 0.0);
    let overriding = definitions.backward_slice(at("return 3 / s.size();"));
    assert!(overriding.iter().any(|(place, _)| *place == at("return 0;")));
}

#[test]
fn changed_statements_are_those_that_an_edit_overlaps() {
    let text = class_with_method("int f(int x) { if (x > 1) { x = 2; } return x; }");
    let facts = shared_server().analyse(&source_set(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let main = [(path.clone(), Code::new(&facts, &path, text.as_bytes()).unwrap())];
    let found = |edit: Edit, path: &RepoPath| {
        find_changed_statements(&main, path, &[edit])
            .iter()
            .map(|one| main[one.file].1.source_text(one.statement).to_owned())
            .collect::<Vec<_>>()
    };
    let at = text.find("x = 2").unwrap();
    assert_eq!(found(Edit::replace(at..at + 1, "y"), &path), ["x = 2;", "if (x > 1) { x = 2; }"]);
    // An insertion belongs to the statement in which it is.
    let at = text.find("return x").unwrap();
    assert_eq!(found(Edit::replace(at..at, "x++; "), &path), ["return x;"]);
    assert!(found(Edit::replace(at..at, "x++; "), &RepoPath::from("Other.java")).is_empty());
}
