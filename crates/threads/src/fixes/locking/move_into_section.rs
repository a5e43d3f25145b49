//! Fix operator that moves a statement into a nearby critical section, past independent statements that stay outside.

use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::{BugContext, SourceLocation};
use crate::evidence::calls::{descendants, starts_or_awaits_threads};
use crate::evidence::locks::{Lock, find_sections, guarding_lock, held_locks, monitor_lock};
use crate::evidence::regions::statement_in_block;
use crate::fixes::layout::{insert_line_after, insert_line_before, remove_statement};
use crate::fixes::locking::synchronized::routine_title;
use crate::fixes::ordering::reorder::{are_independent, statements_between};
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// A critical section among the statements of a block.
struct TargetSection {
    lock: Lock,
    /// Its first and its last statement in the block.
    range: (NodeIndex, NodeIndex),
    /// The statement before which statements from above are inserted, or after which if it acquires the lock.
    entry: InsertionPoint,
    /// The statement after which statements from below are inserted, or before which if it releases the lock.
    exit: InsertionPoint,
}

/// Position next to a statement.
#[derive(Clone, Copy)]
enum InsertionPoint {
    Before(NodeIndex),
    After(NodeIndex),
}

impl InsertionPoint {
    fn insertion_edit(self, code: &Code<'_>, text: &str) -> Edit {
        match self {
            Self::Before(id) => insert_line_before(code, id, text),
            Self::After(id) => insert_line_after(code, id, text),
        }
    }
}

/// The move of a statement into a section.
struct SectionMove {
    edits: Vec<Edit>,
    description: String,
    /// True if the lock would otherwise be held during a wait for other threads.
    avoids_blocking: bool,
}

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let patterns = context.patterns.iter().map(|located| located.locations.clone());
    let races = context.races.iter().map(|(one, other)| vec![*one, *other]);
    let (mut all, mut descriptions) = (EditsByFile::new(), Vec::new());
    for locations in patterns.chain(races) {
        for location in
            locations.into_iter().filter(|location| !context.files[location.file].is_test)
        {
            let Some(SectionMove { edits, description: why, avoids_blocking: is_quick }) =
                move_into_adjacent_section(context, location)
            else {
                continue;
            };
            // Without a wait in between, widening the section is the usual fix.
            let weight = if is_quick { 0.92 } else { 0.62 };
            out.add_in(
                location.file,
                ConcurrencyOperator::Move,
                weight,
                edits.clone(),
                why.clone(),
            );
            all.entry(location.file).or_default().extend(edits);
            descriptions.push(why);
        }
    }
    descriptions.sort();
    descriptions.dedup();
    if descriptions.len() > 1 {
        out.add(ConcurrencyOperator::Move, 0.85, all, descriptions.join(", and "));
    }
}

/// Moves the statement of an access into the section beside it.
fn move_into_adjacent_section(
    context: &BugContext<'_>,
    location: SourceLocation,
) -> Option<SectionMove> {
    let code = context.code(location.file);
    let statement = statement_in_block(code, location.node)?;
    let wanted_lock = location.variable.and_then(|variable| guarding_lock(context, variable));
    let has_wanted_lock =
        |inside: &TargetSection| wanted_lock.as_ref().is_none_or(|lock| *lock == inside.lock);
    let is_movable =
        matches!(code.kind(statement), NodeKind::ExpressionStatement | NodeKind::Variable);
    if !is_movable
        || !held_locks(code, location.node).is_empty()
        || starts_or_awaits_threads(code, statement)
    {
        return None;
    }
    let block = code.parent(statement);
    let all = find_target_sections(code, block).into_iter().filter(has_wanted_lock);
    let mut found = all.filter_map(|inside| {
        let (passed, edits) = move_edits(code, statement, &inside)?;
        Some((
            passed.len(),
            passed.iter().any(|one| starts_or_awaits_threads(code, *one)),
            edits,
            inside,
        ))
    });
    let (_, is_quick, edits, inside) = found.by_ref().min_by_key(|(count, ..)| *count)?;
    let statement_text =
        code.source_text(statement).split_whitespace().collect::<Vec<_>>().join(" ");
    let why = format!(
        "{} executes `{}` while it holds {}, but not the statements in between",
        routine_title(code, statement),
        statement_text.trim_end_matches(';'),
        inside.lock.describe()
    );
    Some(SectionMove { edits, description: why, avoids_blocking: is_quick })
}

/// Returns the critical sections of a block.
fn find_target_sections(code: &Code<'_>, block: NodeIndex) -> Vec<TargetSection> {
    let synchronized = |id: NodeIndex| {
        let lock = monitor_lock(code, id).filter(|_| code.has_kind(id, NodeKind::Synchronized))?;
        section_with_body(code, lock, (id, id), code.child(id, NodeRole::Body)?)
    };
    let monitors = code.children(block).into_iter().filter_map(synchronized);
    let explicit = find_sections(code, block).into_iter().filter_map(|section| {
        let range = (section.acquisition, section.release);
        let attempt = Some(section.release).filter(|given| code.has_kind(*given, NodeKind::Try));
        if let Some(body) = attempt.and_then(|attempt| code.child(attempt, NodeRole::Body)) {
            return section_with_body(code, section.lock, range, body);
        }
        let (above, below) =
            (InsertionPoint::After(section.acquisition), InsertionPoint::Before(section.release));
        Some(TargetSection { lock: section.lock, range, entry: above, exit: below })
    });
    monitors.chain(explicit).collect()
}

fn section_with_body(
    code: &Code<'_>,
    lock: Lock,
    range: (NodeIndex, NodeIndex),
    body: NodeIndex,
) -> Option<TargetSection> {
    let all = code.children(body);
    let (first, last) = (*all.first()?, *all.last()?);
    Some(TargetSection {
        lock,
        range,
        entry: InsertionPoint::Before(first),
        exit: InsertionPoint::After(last),
    })
}

/// Returns the edits that move a statement into a section, and the statements that it passes. At least one is required,
/// as otherwise a wider section has the same effect.
fn move_edits(
    code: &Code<'_>,
    statement: NodeIndex,
    section: &TargetSection,
) -> Option<(Vec<NodeIndex>, Vec<Edit>)> {
    let (first, last) = section.range;
    let text = code.source_text(statement);
    if statement < first {
        let passed: Vec<NodeIndex> =
            statements_between(code, statement, first).into_iter().skip(1).collect();
        let is_free = passed.iter().all(|one| are_independent(code, statement, *one));
        let is_used_later =
            code.has_kind(statement, NodeKind::Variable) && is_used_after(code, statement, last);
        let edits =
            vec![remove_statement(code, statement), section.entry.insertion_edit(code, text)];
        return (is_free && !is_used_later && !passed.is_empty()).then_some((passed, edits));
    }
    let passed: Vec<NodeIndex> =
        statements_between(code, last, statement).into_iter().skip(1).collect();
    let is_free = passed.iter().all(|one| are_independent(code, statement, *one));
    let leaves = match section.exit {
        InsertionPoint::After(end) => {
            matches!(
                code.kind(end),
                NodeKind::Return | NodeKind::Throw | NodeKind::Break | NodeKind::Continue
            )
        }
        InsertionPoint::Before(_) => false,
    };
    if statement < last || leaves || !is_free || passed.is_empty() {
        return None;
    }
    let mut edits = vec![remove_statement(code, statement)];
    if code.has_kind(statement, NodeKind::Variable) {
        let value = code.child(statement, NodeRole::Value)?;
        let head = code.text.get(code.bytes(statement).start..code.bytes(value).start)?;
        let declared = head.trim_end().strip_suffix('=')?.trim_end();
        let name = code.facts.text(code.symbol(statement)?.name);
        edits.push(insert_line_before(code, first, &format!("{declared};")));
        edits.push(
            section.exit.insertion_edit(code, &format!("{name} = {};", code.source_text(value))),
        );
    } else {
        edits.push(section.exit.insertion_edit(code, text));
    }
    Some((passed, edits))
}

/// Returns true if the variables that a statement declares are used after another statement.
fn is_used_after(code: &Code<'_>, statement: NodeIndex, last: NodeIndex) -> bool {
    let symbol = code.node(statement).symbol;
    let rest = code.node(last).subtree_end..descendants(code, code.parent(statement)).end;
    rest.into_iter().any(|id| code.node(id).symbol == symbol)
}
