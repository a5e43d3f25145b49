//! Moves a late wait before the code that needs the thread's results, or moves that code after the wait. If another
//! thread needs the results, it is started after the wait. These are the join moves in *Understanding and generating
//! high quality patches for concurrency bugs* (Liu, Chen and Lu, FSE 2016), section 4.

use super::joins::is_late;
use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{arguments, call_of, called, calls_below, is_wait, listed, receiver};
use crate::fixes::layout::removed;
use crate::fixes::ordering::reorder::{are_apart, statements_between};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of statements before which a wait is tried.
const MOST: u32 = 4;

/// Calls that wait for the end of what was started.
const WAITING: [&str; 3] = ["join", "awaitTermination", "get"];

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let (is_late, is_overtaken) = (is_late(scene), is_overtaken(scene));
    for (file, code) in scene.main() {
        for wait in (0..code.tree.nodes.len()).filter(|id| code.is_in_list(*id)) {
            if is_late && only_waits(code, wait) {
                moved(scene, file, wait, out);
            }
            if is_overtaken {
                before_start(code, file, wait, out);
            }
        }
    }
}

/// Returns true if a started thread reaches an access before an older one of these threads has made its own.
fn is_overtaken(scene: &BugContext<'_>) -> bool {
    let threads = scene.patterns.first().filter(|shown| shown.spots.len() == 2);
    let threads = threads.and_then(|shown| scene.threads(shown));
    threads.is_some_and(|(first, second)| first > second && second > 0)
}

/// Joins a thread before another thread is started, not after.
fn before_start(code: &Code<'_>, file: usize, wait: NodeIndex, out: &mut CandidateCollector<'_>) {
    let Some(thread) = called_on(code, wait, "join") else { return };
    let Some((block, _)) = listed(code, wait) else { return };
    let before: Vec<NodeIndex> =
        code.children(block).into_iter().rev().filter(|id| *id < wait).collect();
    let own = before.iter().position(|one| called_on(code, *one, "start") == Some(thread));
    let passed = own.map_or(&[][..], |own| &before[..own]);
    for other in passed.iter().take_while(|one| are_apart(code, wait, **one)) {
        let Some(started) = called_on(code, *other, "start") else { continue };
        let (end, indent) = (code.line_end(), code.indent(wait));
        let text = format!("{}{end}{indent}", code.written(wait));
        let edits = vec![Edit::insert(code.bytes(*other).start, text), removed(code, wait)];
        let why = format!(
            "{started} starts only after {thread} has ended, as it needs the results of {thread}"
        );
        // The threads no longer run concurrently, so any other fix is better.
        out.add_in(file, ConcurrencyOperator::Move, 0.36, edits, why);
    }
}

/// Returns the receiver of a statement's call, if the statement is only a call of the method without arguments.
fn called_on<'a>(code: &Code<'a>, statement: NodeIndex, method: &str) -> Option<&'a str> {
    let call = call_of(code, statement).filter(|call| called(code, *call) == method)?;
    receiver(code, call).filter(|_| arguments(code, call).is_empty()).map(|on| code.written(on))
}

/// Returns true if a statement only waits for a thread or task.
fn only_waits(code: &Code<'_>, statement: NodeIndex) -> bool {
    let all_wait = |block: NodeIndex| {
        let inner =
            if code.is(block, NodeKind::Block) { code.children(block) } else { vec![block] };
        !inner.is_empty() && inner.iter().all(|one| only_waits(code, *one))
    };
    if code.is_loop(statement) || code.is(statement, NodeKind::Try) {
        return code.child(statement, NodeRole::Body).is_some_and(all_wait);
    }
    call_of(code, statement).is_some_and(|call| {
        let joins = called(code, call) == "join" && arguments(code, call).is_empty();
        joins || WAITING.contains(&called(code, call)) && is_wait(code, call)
    })
}

/// Moves a wait before the code that needs it, as late as possible, or moves that code after the wait.
fn moved(scene: &BugContext<'_>, file: usize, wait: NodeIndex, out: &mut CandidateCollector<'_>) {
    let code = scene.code(file);
    let Some((block, _)) = listed(code, wait) else { return };
    let before: Vec<NodeIndex> =
        code.children(block).into_iter().rev().filter(|id| *id < wait).collect();
    let passed = before.into_iter().take_while(|one| goes_on(code, *one, wait));
    let about = passed.filter(|one| scene.is_about(file, *one));
    for (number, early) in (0..MOST).zip(about) {
        let (line, end, indent) = (code.line(early), code.line_end(), code.indent(wait));
        let weight = 0.965 - f64::from(number) * 0.01;
        let up =
            Edit::insert(code.bytes(early).start, format!("{}{end}{indent}", code.written(wait)));
        let why = format!(
            "line {line} runs after the wait for the results that it needs, not before that wait"
        );
        out.add_in(
            file,
            ConcurrencyOperator::Move,
            weight,
            vec![up, removed(code, wait)],
            why.clone(),
        );
        let others = statements_between(code, early, wait);
        if others.iter().skip(1).all(|other| may_swap(code, early, *other)) {
            let text = format!("{end}{indent}{}", code.written(early));
            let down = Edit::insert(code.bytes(wait).end, text);
            out.add_in(
                file,
                ConcurrencyOperator::Move,
                weight - 0.005,
                vec![removed(code, early), down],
                why,
            );
        }
    }
}

/// Returns true if a wait can move before a statement. A statement that starts a thread is excluded, as that thread
/// would no longer run concurrently.
fn goes_on(code: &Code<'_>, statement: NodeIndex, wait: NodeIndex) -> bool {
    calls_below(code, statement, &["start", "execute", "submit"]).is_empty()
        && are_apart(code, wait, statement)
}

fn may_swap(code: &Code<'_>, one: NodeIndex, other: NodeIndex) -> bool {
    are_apart(code, one, other) && are_apart(code, other, one)
}
