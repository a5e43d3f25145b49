//! Moves a statement next to a critical section into it, past independent statements, for which the lock is not held.

use crate::candidate::ConcurrencyOperator;
use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::{BugContext, SourceLocation};
use crate::evidence::calls::{below, meets_threads};
use crate::evidence::locks::{Lock, held, monitor, policy, sections};
use crate::evidence::regions::in_list;
use crate::fixes::layout::{line_after, line_before, removed};
use crate::fixes::locking::synchronized::title;
use crate::fixes::ordering::reorder::{are_apart, statements_between};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// A critical section among the statements of a block.
struct TargetSection {
    lock: Lock,
    /// Its first and its last statement in the block.
    range: (NodeIndex, NodeIndex),
    /// The statement before which statements from above are inserted, or after which if it acquires the lock.
    above: InsertionPoint,
    /// The statement after which statements from below are inserted, or before which if it releases the lock.
    below: InsertionPoint,
}

/// A place beside a statement.
#[derive(Clone, Copy)]
enum InsertionPoint {
    Before(NodeIndex),
    After(NodeIndex),
}

impl InsertionPoint {
    fn edit(self, code: &Code<'_>, text: &str) -> Edit {
        match self {
            Self::Before(id) => line_before(code, id, text),
            Self::After(id) => line_after(code, id, text),
        }
    }
}

/// A statement on its way into a section.
struct SectionMove {
    edits: Vec<Edit>,
    why: String,
    /// True if the lock would otherwise be held during a wait for other threads.
    is_quick: bool,
}

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let patterns = scene.patterns.iter().map(|shown| shown.spots.clone());
    let races = scene.races.iter().map(|(one, other)| vec![*one, *other]);
    let (mut all, mut whys) = (EditsByFile::new(), Vec::new());
    for spots in patterns.chain(races) {
        for spot in spots.into_iter().filter(|spot| !scene.files[spot.file].is_test) {
            let Some(SectionMove { edits, why, is_quick }) = entered(scene, spot) else { continue };
            // Without a wait in between, a wider section is what most would write.
            let weight = if is_quick { 0.92 } else { 0.62 };
            out.add_in(spot.file, ConcurrencyOperator::Move, weight, edits.clone(), why.clone());
            all.entry(spot.file).or_default().extend(edits);
            whys.push(why);
        }
    }
    whys.sort();
    whys.dedup();
    if whys.len() > 1 {
        out.add(ConcurrencyOperator::Move, 0.85, all, whys.join(", and "));
    }
}

/// Moves the statement of an access into the section beside it.
fn entered(scene: &BugContext<'_>, spot: SourceLocation) -> Option<SectionMove> {
    let code = scene.code(spot.file);
    let statement = in_list(code, spot.node)?;
    let wanted = spot.variable.and_then(|variable| policy(scene, variable));
    let is_meant = |inside: &TargetSection| wanted.as_ref().is_none_or(|lock| *lock == inside.lock);
    let is_moved =
        matches!(code.kind(statement), NodeKind::ExpressionStatement | NodeKind::Variable);
    if !is_moved || !held(code, spot.node).is_empty() || meets_threads(code, statement) {
        return None;
    }
    let block = code.parent(statement);
    let all = insides(code, block).into_iter().filter(is_meant);
    let mut found = all.filter_map(|inside| {
        let (passed, edits) = moved(code, statement, &inside)?;
        Some((passed.len(), passed.iter().any(|one| meets_threads(code, *one)), edits, inside))
    });
    let (_, is_quick, edits, inside) = found.by_ref().min_by_key(|(count, ..)| *count)?;
    let what = code.written(statement).split_whitespace().collect::<Vec<_>>().join(" ");
    let why = format!(
        "{} executes `{}` while it holds {}, but not the statements in between",
        title(code, statement),
        what.trim_end_matches(';'),
        inside.lock.describe()
    );
    Some(SectionMove { edits, why, is_quick })
}

/// Returns the critical sections of a block.
fn insides(code: &Code<'_>, block: NodeIndex) -> Vec<TargetSection> {
    let synchronized = |id: NodeIndex| {
        let lock = monitor(code, id).filter(|_| code.is(id, NodeKind::Synchronized))?;
        of_body(code, lock, (id, id), code.child(id, NodeRole::Body)?)
    };
    let monitors = code.children(block).into_iter().filter_map(synchronized);
    let explicit = sections(code, block).into_iter().filter_map(|section| {
        let range = (section.taken, section.given);
        let attempt = Some(section.given).filter(|given| code.is(*given, NodeKind::Try));
        if let Some(body) = attempt.and_then(|attempt| code.child(attempt, NodeRole::Body)) {
            return of_body(code, section.lock, range, body);
        }
        let (above, below) =
            (InsertionPoint::After(section.taken), InsertionPoint::Before(section.given));
        Some(TargetSection { lock: section.lock, range, above, below })
    });
    monitors.chain(explicit).collect()
}

fn of_body(
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
        above: InsertionPoint::Before(first),
        below: InsertionPoint::After(last),
    })
}

/// Returns the edits that move a statement into a section, and the statements that it passes. At least one is required,
/// as otherwise a wider section has the same effect.
fn moved(
    code: &Code<'_>,
    statement: NodeIndex,
    inside: &TargetSection,
) -> Option<(Vec<NodeIndex>, Vec<Edit>)> {
    let (first, last) = inside.range;
    let text = code.written(statement);
    if statement < first {
        let passed: Vec<NodeIndex> =
            statements_between(code, statement, first).into_iter().skip(1).collect();
        let is_free = passed.iter().all(|one| are_apart(code, statement, *one));
        let is_kept =
            code.is(statement, NodeKind::Variable) && is_named_after(code, statement, last);
        let edits = vec![removed(code, statement), inside.above.edit(code, text)];
        return (is_free && !is_kept && !passed.is_empty()).then_some((passed, edits));
    }
    let passed: Vec<NodeIndex> =
        statements_between(code, last, statement).into_iter().skip(1).collect();
    let is_free = passed.iter().all(|one| are_apart(code, statement, *one));
    let leaves = match inside.below {
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
    let mut edits = vec![removed(code, statement)];
    if code.is(statement, NodeKind::Variable) {
        let value = code.child(statement, NodeRole::Value)?;
        let head = code.text.get(code.bytes(statement).start..code.bytes(value).start)?;
        let declared = head.trim_end().strip_suffix('=')?.trim_end();
        let name = code.facts.text(code.symbol(statement)?.name);
        edits.push(line_before(code, first, &format!("{declared};")));
        edits.push(inside.below.edit(code, &format!("{name} = {};", code.written(value))));
    } else {
        edits.push(inside.below.edit(code, text));
    }
    Some((passed, edits))
}

/// Returns true if the variables that a statement declares are used after another statement.
fn is_named_after(code: &Code<'_>, statement: NodeIndex, last: NodeIndex) -> bool {
    let symbol = code.node(statement).symbol;
    let rest = code.node(last).end..below(code, code.parent(statement)).end;
    rest.into_iter().any(|id| code.node(id).symbol == symbol)
}
