//! Fix operators that move a late wait before the code that needs the thread's results, or that code after the wait.
//! Another thread that needs the results is started after the wait. These are the join moves in *Understanding and
//! generating high quality patches for concurrency bugs* (Liu, Chen and Lu, FSE 2016), section 4.

use super::joins::may_run_late;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, enclosing_block, find_calls, is_wait, method_name, statement_call,
};
use crate::evidence::locks::plain_call_receiver;
use crate::fixes::layout::remove_statement;
use crate::fixes::ordering::reorder::{are_independent, statements_between};
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of statements before which a wait is tried.
const MAX_TARGETS: u32 = 4;

/// Calls that wait for a thread, a pool or a future.
const WAIT_METHODS: [&str; 3] = ["join", "awaitTermination", "get"];

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let (may_run_late, is_thread_overtaken) = (may_run_late(context), is_thread_overtaken(context));
    for (file, code) in context.main_files() {
        for wait in (0..code.tree.nodes.len()).filter(|id| code.is_in_statement_list(*id)) {
            if may_run_late && is_only_wait(code, wait) {
                propose_moved_wait(context, file, wait, out);
            }
            if is_thread_overtaken {
                propose_join_before_start(code, file, wait, out);
            }
        }
    }
}

/// Returns true if a thread reaches an access before an older started thread does.
fn is_thread_overtaken(context: &BugContext<'_>) -> bool {
    let threads = context.patterns.first().filter(|located| located.locations.len() == 2);
    let threads = threads.and_then(|located| context.thread_pair(located));
    threads.is_some_and(|(first, second)| first > second && second > 0)
}

/// Joins a thread before another thread is started, not after.
fn propose_join_before_start(
    code: &Code<'_>,
    file: usize,
    wait: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let Some(thread) = plain_call_receiver(code, wait, "join") else { return };
    let Some((block, _)) = enclosing_block(code, wait) else { return };
    let before: Vec<NodeIndex> =
        code.children(block).into_iter().rev().filter(|id| *id < wait).collect();
    let own =
        before.iter().position(|one| plain_call_receiver(code, *one, "start") == Some(thread));
    let passed = own.map_or(&[][..], |own| &before[..own]);
    for other in passed.iter().take_while(|one| are_independent(code, wait, **one)) {
        let Some(started) = plain_call_receiver(code, *other, "start") else { continue };
        let (end, indent) = (code.line_end(), code.indent(wait));
        let text = format!("{}{end}{indent}", code.source_text(wait));
        let edits =
            vec![Edit::insert(code.bytes(*other).start, text), remove_statement(code, wait)];
        let why = format!(
            "{started} starts only after {thread} has ended, as it needs the results of {thread}"
        );
        // The threads no longer run concurrently, so any other fix is better.
        out.add_in(file, ConcurrencyOperator::Move, 0.36, edits, why);
    }
}

/// Returns true if a statement only waits for a thread or task.
fn is_only_wait(code: &Code<'_>, statement: NodeIndex) -> bool {
    let all_wait = |block: NodeIndex| {
        let inner =
            if code.has_kind(block, NodeKind::Block) { code.children(block) } else { vec![block] };
        !inner.is_empty() && inner.iter().all(|one| is_only_wait(code, *one))
    };
    if code.is_loop(statement) || code.has_kind(statement, NodeKind::Try) {
        return code.child(statement, NodeRole::Body).is_some_and(all_wait);
    }
    statement_call(code, statement).is_some_and(|call| {
        let joins = method_name(code, call) == "join" && arguments(code, call).is_empty();
        joins || WAIT_METHODS.contains(&method_name(code, call)) && is_wait(code, call)
    })
}

/// Moves a wait before the code that needs it, as late as possible, or moves that code after the wait.
fn propose_moved_wait(
    context: &BugContext<'_>,
    file: usize,
    wait: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(file);
    let Some((block, _)) = enclosing_block(code, wait) else { return };
    let before: Vec<NodeIndex> =
        code.children(block).into_iter().rev().filter(|id| *id < wait).collect();
    let passed = before.into_iter().take_while(|one| can_follow_wait(code, *one, wait));
    let dependent = passed.filter(|one| context.reaches_access(file, *one));
    for (number, early) in (0..MAX_TARGETS).zip(dependent) {
        let (line, end, indent) = (code.line(early), code.line_end(), code.indent(wait));
        let weight = 0.965 - f64::from(number) * 0.01;
        let up = Edit::insert(
            code.bytes(early).start,
            format!("{}{end}{indent}", code.source_text(wait)),
        );
        let why = format!(
            "line {line} runs after the wait for the results that it needs, not before that wait"
        );
        out.add_in(
            file,
            ConcurrencyOperator::Move,
            weight,
            vec![up, remove_statement(code, wait)],
            why.clone(),
        );
        let others = statements_between(code, early, wait);
        if others.iter().skip(1).all(|other| can_swap(code, early, *other)) {
            let text = format!("{end}{indent}{}", code.source_text(early));
            let down = Edit::insert(code.bytes(wait).end, text);
            out.add_in(
                file,
                ConcurrencyOperator::Move,
                weight - 0.005,
                vec![remove_statement(code, early), down],
                why,
            );
        }
    }
}

/// Returns true if a wait can move before a statement. A statement that starts a thread is excluded, as that thread
/// would no longer run concurrently.
fn can_follow_wait(code: &Code<'_>, statement: NodeIndex, wait: NodeIndex) -> bool {
    find_calls(code, statement, &["start", "execute", "submit"]).is_empty()
        && are_independent(code, wait, statement)
}

fn can_swap(code: &Code<'_>, one: NodeIndex, other: NodeIndex) -> bool {
    are_independent(code, one, other) && are_independent(code, other, one)
}
