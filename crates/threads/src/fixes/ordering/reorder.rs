//! Fix operators that move work before the signal, the release or the thread start that other threads depend on.

use crate::collector::CandidateCollector;
use crate::evidence::bug_context::{BugContext, LocatedPattern};
use crate::evidence::calls::{
    descendants, enclosing_block, is_write, method_name, receiver, starts_or_awaits_threads,
    statement_call,
};
use crate::fixes::layout::{insert_line_after, insert_line_before, remove_statement};
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

/// Maximum number of statements that a thread start moves past.
const MAX_PASSED_STATEMENTS: usize = 6;

/// Calls that let other threads continue.
const SIGNAL_METHODS: [&str; 12] = [
    "start",
    "countDown",
    "release",
    "signal",
    "signalAll",
    "notify",
    "notifyAll",
    "complete",
    "submit",
    "execute",
    "offer",
    "put",
];

/// Calls that allow other threads to enter.
const RELEASE_METHODS: [&str; 2] = ["release", "unlock"];

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let accessed_fields = context.directly_accessed_fields();
    let starts = context.step_locations(|step| step.what == "start");
    let has_early_access = context.patterns.is_empty()
        || context.patterns.iter().any(|one| is_early_access(context, one));
    for (file, code) in context.main_files() {
        for id in 0..code.tree.nodes.len() {
            if code.is_in_statement_list(id) {
                propose_later_release(context, file, id, out);
            }
            if !code.is_in_statement_list(id) || !signals_threads(code, id) {
                continue;
            }
            let is_start = starts.iter().any(|location| {
                location.file == file && (id..code.node(id).subtree_end).contains(&location.node)
            });
            if is_start && has_early_access {
                propose_later_start(code, file, id, out);
            }
            for later in following_statements(code, id) {
                let Some(field) = assigned_field(code, later) else { break };
                let is_relevant = is_start || accessed_fields.contains(&field);
                let is_free = statements_between(code, id, later)
                    .into_iter()
                    .all(|one| can_move_before(code, later, one));
                if !is_relevant || !is_free {
                    continue;
                }
                let edits = vec![
                    insert_line_before(code, id, code.source_text(later)),
                    remove_statement(code, later),
                ];
                let name = code.facts.name(field);
                let signal_text =
                    code.source_text(id).split_whitespace().collect::<Vec<_>>().join(" ");
                let why = format!(
                    "{name} is set before `{}` publishes it to other threads",
                    signal_text.trim_end_matches(';')
                );
                out.add_in(file, ConcurrencyOperator::Move, 0.97, edits, why);
            }
        }
    }
}

/// Returns true if a thread reaches a field before an older thread has written it.
fn is_early_access(context: &BugContext<'_>, located: &LocatedPattern<'_>) -> bool {
    located.locations.len() == 2
        && located.pattern.form.ends_with('W')
        && context.is_older_first(located) != Some(true)
}

/// Moves a thread start after the calls that follow it, if those can run first.
fn propose_later_start(
    code: &Code<'_>,
    file: usize,
    start: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    for later in following_statements(code, start).into_iter().take(MAX_PASSED_STATEMENTS) {
        if starts_or_awaits_threads(code, later)
            || signals_threads(code, later)
            || !are_independent(code, start, later)
        {
            return;
        }
        let inner = code.children(later).first().copied();
        let is_call = code.has_kind(later, NodeKind::ExpressionStatement)
            && inner.is_some_and(|inner| code.has_kind(inner, NodeKind::MethodInvocation));
        if !is_call {
            continue;
        }
        let edits = vec![
            remove_statement(code, start),
            insert_line_after(code, later, code.source_text(start).trim()),
        ];
        let name = inner.map_or("", |inner| method_name(code, inner));
        let why = format!("{name} is called before the start of the thread that needs its effects");
        out.add_in(file, ConcurrencyOperator::Move, 0.9, edits, why);
    }
}

/// Moves a release after the last of the next statements that use the released object.
fn propose_later_release(
    context: &BugContext<'_>,
    file: usize,
    release: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(file);
    let is_meant = |call: &NodeIndex| RELEASE_METHODS.contains(&method_name(code, *call));
    let on = statement_call(code, release).filter(is_meant).and_then(|call| receiver(code, call));
    let rest = following_statements(code, release);
    let last = rest.iter().rposition(|one| context.reaches_access(file, *one));
    let (Some(on), Some(last)) = (on, last) else { return };
    let passed = &rest[..=last];
    if passed.iter().any(|one| starts_or_awaits_threads(code, *one) || has_jump(code, *one)) {
        return;
    }
    let edits = vec![
        remove_statement(code, release),
        insert_line_after(code, rest[last], code.source_text(release)),
    ];
    let why = format!(
        "{} releases {} after its last use",
        routine_title(code, release),
        code.source_text(on)
    );
    out.add_in(file, ConcurrencyOperator::Move, 0.97, edits, why);
}

/// Returns true if a statement lets other threads continue, by a call or by a field that they read.
fn signals_threads(code: &Code<'_>, statement: NodeIndex) -> bool {
    let Some(inner) = code.children(statement).first().copied() else { return false };
    if !code.has_kind(statement, NodeKind::ExpressionStatement) {
        return false;
    }
    match code.kind(inner) {
        NodeKind::MethodInvocation => {
            SIGNAL_METHODS.contains(&method_name(code, inner))
                && (receiver(code, inner).is_some()
                    || method_name(code, inner).starts_with("notify"))
        }
        NodeKind::Assignment => code
            .child(inner, NodeRole::Target)
            .and_then(|target| code.symbol(target))
            .is_some_and(|symbol| symbol.kind == SymbolKind::Field),
        _ => false,
    }
}

/// Returns the statements after one in its block.
fn following_statements(code: &Code<'_>, statement: NodeIndex) -> Vec<NodeIndex> {
    let all =
        enclosing_block(code, statement).map(|(block, _)| code.children(block)).unwrap_or_default();
    all.into_iter().filter(|id| *id > statement).collect()
}

/// Returns the statements of a block between two statements, inclusive.
pub(crate) fn statements_between(
    code: &Code<'_>,
    from: NodeIndex,
    to: NodeIndex,
) -> Vec<NodeIndex> {
    std::iter::once(from)
        .chain(following_statements(code, from))
        .take_while(|id| *id < to)
        .collect()
}

/// Returns the field that a statement sets, if it does nothing else.
fn assigned_field(code: &Code<'_>, statement: NodeIndex) -> Option<SymbolId> {
    let inner = *code.children(statement).first()?;
    let target = code
        .child(inner, NodeRole::Target)
        .filter(|_| code.has_kind(statement, NodeKind::ExpressionStatement))?;
    let symbol = code.node(target).symbol?;
    (code.facts.symbol(symbol).kind == SymbolKind::Field).then_some(symbol)
}

/// Returns true if a statement can run before another one: neither needs the effects of the other.
fn can_move_before(code: &Code<'_>, moved: NodeIndex, other: NodeIndex) -> bool {
    are_independent(code, moved, other) && !assigns_final_field(code, moved)
}

/// Returns true if two statements can be swapped: neither needs the effects of the other, and the second one always
/// continues with the next statement.
pub(crate) fn are_independent(code: &Code<'_>, moved: NodeIndex, other: NodeIndex) -> bool {
    let assigned_symbols = |statement: NodeIndex| -> BTreeSet<SymbolId> {
        let all = statement..code.node(statement).subtree_end;
        let is_made =
            |id: &NodeIndex| code.has_kind(*id, NodeKind::Variable) || is_write(code, *id);
        all.filter(is_made).filter_map(|id| code.node(id).symbol).collect()
    };
    let uses_any = |statement: NodeIndex, of: &BTreeSet<SymbolId>| {
        descendants(code, statement)
            .any(|id| code.node(id).symbol.is_some_and(|one| of.contains(&one)))
    };
    !has_jump(code, other)
        && !uses_any(moved, &assigned_symbols(other))
        && !uses_any(other, &assigned_symbols(moved))
}

/// Returns true if a statement can jump elsewhere than to the next statement.
fn has_jump(code: &Code<'_>, statement: NodeIndex) -> bool {
    (statement..code.node(statement).subtree_end).any(|id| {
        matches!(
            code.kind(id),
            NodeKind::Return | NodeKind::Throw | NodeKind::Break | NodeKind::Continue
        )
    })
}

fn assigns_final_field(code: &Code<'_>, statement: NodeIndex) -> bool {
    let symbol = assigned_field(code, statement).map(|symbol| code.facts.symbol(symbol));
    symbol.is_none_or(|symbol| symbol.flags.has(SymbolFlags::FINAL))
}
