//! The control flow graph of routines, with real compiler facts.

use mend_engine::test_support::{facts, server, sources};
use mend_java::Code;
use mend_java::code::control_flow::*;
use mend_java::facts::{NodeIndex, NodeKind};
use mend_model::RepoPath;
use std::collections::HashSet;

facts! {
    control_flows_as_java_says:
    one_statement_follows_another,
    a_branch_is_taken_or_not,
    a_loop_comes_back_to_its_head,
    a_do_loop_asks_behind_its_body,
    a_loop_that_asks_nothing_is_only_left,
    a_label_says_which_loop_is_meant,
    a_case_falls_through_and_an_arrow_does_not,
    a_switch_gives_its_value_to_what_uses_it,
    what_is_thrown_may_be_caught,
    what_leaves_goes_through_finally,
    a_lambda_is_another_routine,
}

/// Returns each step of a routine, by the first letters of its statements; `.` is its end. A statement is named
/// after the method that it calls, others after their first letter.
fn steps(body: &str) -> String {
    let text = format!(
        "class A {{ boolean p; int i; void a() {{}} void b() {{}} void c() {{}} void d() {{}} void e() {{}} \
         int f() {{ {body} }} }}"
    );
    let facts = server().facts(&sources(&[("A.java", &text)])).unwrap();
    let path = RepoPath::from("A.java");
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let is_meant =
        |id: &NodeIndex| code.is(*id, NodeKind::Method) && code.written(*id).starts_with("int f()");
    let routine = (0..code.tree.nodes.len()).find(is_meant).unwrap();
    let flow = ControlFlowGraph::from_routine(&code, routine);
    let name = |stop: &ControlPoint| match stop {
        ControlPoint::Statement(id) => code.written(*id)[..1].to_owned(),
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

fn one_statement_follows_another() {
    assert_eq!(steps("a(); { b(); } c(); return i;"), "ab bc cr r.");
}

fn a_branch_is_taken_or_not() {
    assert_eq!(steps("if (p) a(); else { b(); } c(); throw null;"), "ac bc ct ia ib");
    assert_eq!(steps("if (p) { return i; } c(); throw null;"), "ct ic ir r.");
}

fn a_loop_comes_back_to_its_head() {
    let body = "while (p) { a(); if (p) continue; b(); } d(); throw null;";
    assert_eq!(steps(body), "ai bw cw dt ib ic wa wd");
    let body = "for (int x = 0; x < 9; x++) { a(); if (p) break; } d(); throw null;";
    assert_eq!(steps(body), "ai bd dt fa fd ib if");
    assert_eq!(steps("for (int x : new int[1]) { a(); } throw null;"), "af fa ft");
}

fn a_do_loop_asks_behind_its_body() {
    assert_eq!(steps("a(); do { b(); c(); } while (p); throw null;"), "ab bc cd db dt");
}

fn a_loop_that_asks_nothing_is_only_left() {
    assert_eq!(steps("while (true) { a(); if (p) return i; }"), "ai ir iw r. wa");
    assert_eq!(steps("for (;;) { a(); if (p) break; } throw null;"), "ai bt fa ib if");
}

fn a_label_says_which_loop_is_meant() {
    let body = "x: for (;;) { while (p) { if (p) break x; continue x; } } throw null;";
    assert_eq!(steps(body), "bt cf fw ib ic wf wi xf");
    assert_eq!(steps("x: { a(); if (p) break x; d(); } throw null;"), "ai bt dt ib id xa");
}

fn a_case_falls_through_and_an_arrow_does_not() {
    let body = "switch (i) { case 1: a(); case 2: d(); break; case 3: e(); } throw null;";
    assert_eq!(steps(body), "ad bt db et sa sd se st");
    let body =
        "switch (i) { case 1 -> a(); case 2 -> { d(); break; } default -> e(); } throw null;";
    assert_eq!(steps(body), "at bt db et sa sd se");
}

fn a_switch_gives_its_value_to_what_uses_it() {
    let body = "i = switch (i) { case 1: a(); yield 2; default: yield 3; }; throw null;";
    assert_eq!(steps(body), "ay ia it iy yt yt");
}

fn what_is_thrown_may_be_caught() {
    let body = "try { a(); throw null; } catch (RuntimeException x) { b(); } c(); throw null;";
    assert_eq!(steps(body), "ab at bc ct ta tb");
}

fn what_leaves_goes_through_finally() {
    let body = "try { if (p) return i; a(); } finally { b(); } c(); throw null;";
    assert_eq!(steps(body), "ab b. bc ct ia ib ir rb ti");
}

fn a_lambda_is_another_routine() {
    assert_eq!(steps("Runnable r = () -> { a(); }; b(); throw null;"), "Rb bt");
}

#[test]
fn nearness_falls_with_each_step_and_ends_at_the_farthest_place() {
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
