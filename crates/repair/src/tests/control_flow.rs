//! Control flow graphs of routines, with real compiler facts.

use mend_engine::test_support::{facts, shared_server, source_set};
use mend_java::Code;
use mend_java::code::control_flow::*;
use mend_java::facts::{NodeIndex, NodeKind};
use mend_model::RepoPath;
use std::collections::HashSet;

facts! {
    control_flows_as_java_says:
    statements_run_in_sequence,
    branch_may_be_taken_or_not,
    loop_returns_to_its_head,
    do_loop_checks_after_body,
    endless_loop_ends_only_by_jump,
    label_selects_loop,
    case_falls_through_but_arrow_does_not,
    yield_leads_to_enclosing_statement,
    thrown_exception_may_be_caught,
    jump_runs_finally,
    lambda_body_is_separate,
}

/// Returns each step of a routine, by the first letters of its statements; `.` is its end. A statement is named
/// after the method that it calls, others after their first letter.
fn edges_of(body: &str) -> String {
    let text = format!(
        "class A {{ boolean p; int i; void a() {{}} void b() {{}} void c() {{}} void d() {{}} void e() {{}} \
         int f() {{ {body} }} }}"
    );
    let facts = shared_server().analyse(&source_set(&[("A.java", &text)])).unwrap();
    let path = RepoPath::from("A.java");
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let is_tested_method = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::Method) && code.source_text(*id).starts_with("int f()")
    };
    let routine = (0..code.tree.nodes.len()).find(is_tested_method).unwrap();
    let flow = ControlFlowGraph::from_routine(&code, routine);
    let name = |stop: &ControlPoint| match stop {
        ControlPoint::Statement(id) => code.source_text(*id)[..1].to_owned(),
        ControlPoint::NormalExit => ".".to_owned(),
        ControlPoint::ExceptionalExit => "!".to_owned(),
    };
    let of = |(to, from): (&ControlPoint, &HashSet<ControlPoint>)| {
        from.iter().map(|from| format!("{}{}", name(from), name(to))).collect::<Vec<_>>()
    };
    let mut steps: Vec<String> = flow.predecessors.iter().flat_map(of).collect();
    steps.sort();
    steps.join(" ")
}

fn statements_run_in_sequence() {
    assert_eq!(edges_of("a(); { b(); } c(); return i;"), "ab bc cr r.");
}

fn branch_may_be_taken_or_not() {
    assert_eq!(edges_of("if (p) a(); else { b(); } c(); throw null;"), "ac bc ct ia ib");
    assert_eq!(edges_of("if (p) { return i; } c(); throw null;"), "ct ic ir r.");
}

fn loop_returns_to_its_head() {
    let body = "while (p) { a(); if (p) continue; b(); } d(); throw null;";
    assert_eq!(edges_of(body), "ai bw cw dt ib ic wa wd");
    let body = "for (int x = 0; x < 9; x++) { a(); if (p) break; } d(); throw null;";
    assert_eq!(edges_of(body), "ai bd dt fa fd ib if");
    assert_eq!(edges_of("for (int x : new int[1]) { a(); } throw null;"), "af fa ft");
}

fn do_loop_checks_after_body() {
    assert_eq!(edges_of("a(); do { b(); c(); } while (p); throw null;"), "ab bc cd db dt");
}

fn endless_loop_ends_only_by_jump() {
    assert_eq!(edges_of("while (true) { a(); if (p) return i; }"), "ai ir iw r. wa");
    assert_eq!(edges_of("for (;;) { a(); if (p) break; } throw null;"), "ai bt fa ib if");
}

fn label_selects_loop() {
    let body = "x: for (;;) { while (p) { if (p) break x; continue x; } } throw null;";
    assert_eq!(edges_of(body), "bt cf fw ib ic wf wi xf");
    assert_eq!(edges_of("x: { a(); if (p) break x; d(); } throw null;"), "ai bt dt ib id xa");
}

fn case_falls_through_but_arrow_does_not() {
    let body = "switch (i) { case 1: a(); case 2: d(); break; case 3: e(); } throw null;";
    assert_eq!(edges_of(body), "ad bt db et sa sd se st");
    let body =
        "switch (i) { case 1 -> a(); case 2 -> { d(); break; } default -> e(); } throw null;";
    assert_eq!(edges_of(body), "at bt db et sa sd se");
}

fn yield_leads_to_enclosing_statement() {
    let body = "i = switch (i) { case 1: a(); yield 2; default: yield 3; }; throw null;";
    assert_eq!(edges_of(body), "ay ia it iy yt yt");
}

fn thrown_exception_may_be_caught() {
    let body = "try { a(); throw null; } catch (RuntimeException x) { b(); } c(); throw null;";
    assert_eq!(edges_of(body), "ab at bc ct ta tb");
}

fn jump_runs_finally() {
    let body = "try { if (p) return i; a(); } finally { b(); } c(); throw null;";
    assert_eq!(edges_of(body), "ab b. bc ct ia ib ir rb ti");
}

fn lambda_body_is_separate() {
    assert_eq!(edges_of("Runnable r = () -> { a(); }; b(); throw null;"), "Rb bt");
}

#[test]
fn nearness_falls_with_distance() {
    let at = ControlPoint::Statement;
    let before = [(at(2), at(1)), (at(3), at(2)), (at(3), at(1)), (at(4), at(3)), (at(9), at(3))];
    let mut flow = ControlFlowGraph::default();
    for (to, from) in before {
        flow.predecessors.entry(to).or_default().insert(from);
    }
    let near = flow.nearness(&[at(4)]);
    let tenths = |near: &f64| format!("{near:.1}");
    let found = [4, 3, 2, 1].map(|id| tenths(&near[&at(id)]));
    assert_eq!(found, ["1.0", "0.5", "0.0", "0.0"]);
    assert_eq!(near.get(&at(9)), None);
    assert_eq!(tenths(&flow.nearness(&[at(1)])[&at(1)]), "1.0");
}
