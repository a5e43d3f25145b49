//! Dependence of statements on conditions and definitions.

use super::*;
use crate::localisation::dependence::{find_controlling_statements, raise_by_dependence};
use crate::localisation::stack_trace_suspicion::suspect_stack_frames;
use mend_java::facts::{FileNode, NodeIndex};
use std::collections::HashMap;

/// Runs a check on a class with a method.
fn with_method(method: &str, check: impl Fn(&[(RepoPath, Code<'_>)])) {
    let text = class_with_method(method);
    let facts = shared_server().analyse(&source_set(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    check(&[(path, code)]);
}

/// Returns the only statement of the method that starts with a text.
fn find(code: &Code<'_>, start: &str) -> NodeIndex {
    let found: Vec<NodeIndex> =
        code.statements().filter(|id| code.source_text(*id).starts_with(start)).collect();
    assert_eq!(found.len(), 1, "{start}");
    found[0]
}

#[test]
fn try_around_a_failed_statement_is_suspicious() {
    let method = "int f(String s) {\n try {\n return s.length();\n } finally {\n drop();\n }\n }";
    with_method(method, |main| {
        let code = &main[0].1;
        let line = Some(code.line(find(code, "return s.length")));
        let frame = Frame { class: "p.A".into(), method: "f".into(), file: None, line };
        let exception = "java.lang.IllegalStateException".to_owned();
        let failure = Failure { exception, message: None, frames: vec![frame] };
        let results = [TestResult::new("a.B#c", TestStatus::Failed(failure))];
        let contracts = Contracts::from_files(main);
        let weights = suspect_stack_frames(main, &contracts, &results, |_| true);
        let weight = |start: &str| weights[&(0, find(code, start))];
        assert!(weight("return s.length") > weight("try"));
        assert!(weight("try") > weight("drop();"));
    });
}

#[test]
fn enclosing_conditions_and_earlier_exits_control_a_statement() {
    for (method, statement, expected) in [
        ("void f(int n) { if (n > 3) { add(n, 7); } }", "add(n, 7)", &["if (n > 3)"][..]),
        ("void f(int n) { while (n > 3) { n--; } add(n, 7); }", "add(n, 7)", &[]),
        (
            "void f(int n) { if (n > 3) { return; } else { n--; } add(n, 7); }",
            "add(n, 7)",
            &["if (n > 3)"],
        ),
        (
            "void f(int n) { for (int i : all) { if (i == n) { return; } } add(n, 7); }",
            "add(n, 7)",
            &["for (int i", "if (i == n)"],
        ),
        (
            "void f(int n) { for (int i : all) { if (i == n) { break; } } add(n, 7); }",
            "add(n, 7)",
            &[],
        ),
        (
            "void f(int n) { for (int i : all) { if (i == n) { continue; } add(n, 7); } }",
            "add(n, 7)",
            &["for (int i", "if (i == n)"],
        ),
        (
            "void f(int n) { switch (n) { case 4: add(n, 7); break; default: n--; } }",
            "add(n, 7)",
            &["switch (n)"],
        ),
        (
            "void f(int n) { int k = switch (n) { default -> { if (n > 3) { yield 1; } yield 2; } }; add(n, 7); }",
            "add(n, 7)",
            &[],
        ),
        (
            "void f(int n) { Runnable r = () -> { if (n > 3) { return; } }; add(n, 7); }",
            "add(n, 7)",
            &[],
        ),
        (
            "void f(int n) { if (n > 3) { Runnable r = () -> { add(n, 7); }; r.run(); } }",
            "add(n, 7)",
            &[],
        ),
    ] {
        with_method(method, |main| {
            let code = &main[0].1;
            let mut found = find_controlling_statements(code, find(code, statement));
            found.sort_unstable();
            let texts: Vec<&str> = found.into_iter().map(|id| code.source_text(id)).collect();
            assert_eq!(texts.len(), expected.len(), "{method}: {texts:?}");
            let starts = texts.iter().zip(expected).all(|(text, start)| text.starts_with(start));
            assert!(starts, "{method}: {texts:?}");
        });
    }
}

/// Returns the raised suspicion of a statement if only another one, with the suspicion 1, is suspicious.
fn raised(method: &str, suspect: &str, other: &str) -> f64 {
    let result = std::cell::Cell::new(0.0);
    with_method(method, |main| {
        let code = &main[0].1;
        let suspicion: HashMap<FileNode, f64> =
            code.statements().map(|id| ((0, id), 0.1)).collect();
        let suspicion = suspicion.into_iter().chain([((0, find(code, suspect)), 1.0)]).collect();
        result.set(raise_by_dependence(main, &suspicion)[&(0, find(code, other))]);
    });
    result.get()
}

#[test]
fn condition_is_suspicious_like_the_statement_inside() {
    let method = "void f(int n) { if (n > 3) { add(n, 7); } drop(); }";
    assert!(raised(method, "add(n, 7)", "if (n > 3)") > 0.7);
    assert!(raised(method, "add(n, 7)", "drop()") < 0.2);
}

#[test]
fn definitions_are_suspicious_like_their_use() {
    let method = "int f(int n) { int low = n; int k = 3; if (n > 5) { low = 0; } return low * 7; }";
    assert!(raised(method, "return low", "int low") > 0.7);
    assert!(raised(method, "return low", "if (n > 5)") > 0.7);
    assert!(raised(method, "return low", "int k") < 0.2);
}

#[test]
fn skipped_statements_stay_unsuspicious() {
    with_method("void f(int n) { if (n > 3) { add(n, 7); } }", |main| {
        let code = &main[0].1;
        let suspicion = HashMap::from([((0, find(code, "add(n, 7)")), 1.0)]);
        assert_eq!(raise_by_dependence(main, &suspicion), suspicion);
    });
}
