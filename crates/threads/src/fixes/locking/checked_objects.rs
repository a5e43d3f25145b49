//! Fix operator for objects that are passed around: methods that check the state of another object and then change it
//! hold that object's lock from the check to the change, or for the change with a second check.

use super::repeated_checks::{CheckedChange, checked_copy, enclosing_condition, repeat_check};
use super::synchronized::{guard_regions, is_under_lock, region_lock, routine_title};
use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{is_constructor, is_write, runs_with};
use crate::evidence::field_effects::{
    FieldAccess, FieldUsers, MethodCallers, ObjectName, method_callers,
};
use crate::evidence::locks::{Lock, guarding_lock};
use crate::evidence::regions::AtomicRegion;
use crate::fixes::locking::synchronized::LockForm;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, SymbolId, SymbolKind};
use mend_model::join_with_and;
use std::collections::BTreeSet;

/// Score of a candidate that guards all methods with a check and a change.
const SCORE: f64 = 0.92;

/// Score of a candidate that guards the changes only and repeats the checks.
const REPEATED_CHECK_SCORE: f64 = 0.86;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let callers = method_callers(context);
    for variable in context.accessed_fields() {
        let lock = guarding_lock(context, variable).unwrap_or(Lock::This);
        if context.is_static(variable) || lock != Lock::This {
            continue;
        }
        let checked = checked_changes(context, &callers, variable);
        propose_whole_regions(context, &checked, variable, &lock, out);
        propose_repeated_checks(context, &checked, variable, &lock, out);
    }
}

/// Proposes the lock from each check to the last change after it.
fn propose_whole_regions(
    context: &BugContext<'_>,
    checked: &[CheckedChange],
    variable: SymbolId,
    lock: &Lock,
    out: &mut CandidateCollector<'_>,
) {
    let regions: Vec<AtomicRegion> = checked.iter().map(CheckedChange::whole_region).collect();
    let Some(guarded) = guard_regions(context, &regions, lock, LockForm::Block) else { return };
    let why = format!(
        "{}, so no other thread changes it in between",
        describe(context, checked, variable)
    );
    out.add(ConcurrencyOperator::Synchronized, SCORE, guarded.edits, why);
}

/// Proposes the lock for each change only, with the check repeated under it, if code runs between the two.
fn propose_repeated_checks(
    context: &BugContext<'_>,
    checked: &[CheckedChange],
    variable: SymbolId,
    lock: &Lock,
    out: &mut CandidateCollector<'_>,
) {
    let mut edits = EditsByFile::new();
    let mut repeating = Vec::new();
    let mut others = Vec::new();
    for one in checked {
        let (region, change) = (one.whole_region(), &one.change);
        let code = context.code(change.file);
        let own = region_lock(change, lock);
        if is_under_lock(code, &region, &own) {
            continue;
        }
        match repeat_check(code, one, &own) {
            Some(added) => {
                edits.entry(change.file).or_default().extend(added);
                repeating.push(routine_title(code, change.routine));
            }
            None => others.push(region),
        }
    }
    if repeating.is_empty() {
        return;
    }
    let Some(guarded) = guard_regions(context, &others, lock, LockForm::Block) else { return };
    for (file, own) in guarded.edits {
        edits.entry(file).or_default().extend(own);
    }
    repeating.dedup();
    let why = format!(
        "{}; {} {} again under the lock, so other code before the change runs without it",
        describe(context, checked, variable),
        join_with_and(&repeating),
        if repeating.len() > 1 { "check" } else { "checks" },
    );
    out.add(ConcurrencyOperator::Synchronized, REPEATED_CHECK_SCORE, edits, why);
}

/// Describes which methods hold the lock, and why.
fn describe(context: &BugContext<'_>, checked: &[CheckedChange], variable: SymbolId) -> String {
    let title =
        |one: &CheckedChange| routine_title(context.code(one.change.file), one.change.routine);
    let mut methods: Vec<String> = checked.iter().map(title).collect();
    methods.dedup();
    let name = context.files[0].code.facts.name(variable);
    let (hold, check) = if methods.len() > 1 {
        ("hold", "they check and then change")
    } else {
        ("holds", "it checks and then changes")
    };
    format!("{} {hold} the lock of the object whose {name} {check}", join_with_and(&methods))
}

/// Returns the checks of an object's field in all methods, with the changes that depend on them.
fn checked_changes(
    context: &BugContext<'_>,
    callers: &MethodCallers,
    variable: SymbolId,
) -> Vec<CheckedChange> {
    let users = FieldUsers::new(context, callers, variable);
    let mut found = Vec::new();
    for (file, routine) in users.methods() {
        let code = context.code(file);
        if context.files[file].is_test || is_constructor(code, routine) {
            continue;
        }
        for object in unassigned_locals(code, routine) {
            let all = users.accesses((file, routine), ObjectName::Local(object));
            let Some(accesses) = CheckedAccesses::find(code, routine, &all) else { continue };
            let change = AtomicRegion {
                file,
                routine,
                nodes: accesses.change,
                object: Some(code.facts.name(object).to_owned()),
                variable: Some(variable),
            };
            let CheckedAccesses { reads, last_check, .. } = accesses;
            found.push(CheckedChange { reads, last_check, change });
        }
    }
    found
}

/// Returns the parameters and local variables of a routine that are never assigned after their declaration.
fn unassigned_locals(code: &Code<'_>, routine: NodeIndex) -> Vec<SymbolId> {
    let inside = routine..code.node(routine).subtree_end;
    let is_local = |symbol: &SymbolId| code.facts.symbol(*symbol).kind == SymbolKind::Local;
    let declared = inside
        .clone()
        .filter(|id| code.has_kind(*id, NodeKind::Variable) && runs_with(code, *id, routine));
    let assigned: BTreeSet<SymbolId> = inside
        .filter(|id| is_write(code, *id) && code.has_kind(*id, NodeKind::Identifier))
        .filter_map(|id| code.node(id).symbol)
        .collect();
    let symbols = declared.filter_map(|id| code.node(id).symbol).filter(is_local);
    symbols.filter(|symbol| !assigned.contains(symbol)).collect()
}

/// Accesses of a routine to a field, from the first check to the last change after it.
struct CheckedAccesses {
    /// Reads before the first change.
    reads: Vec<NodeIndex>,
    /// Last of the reads that a branch or loop depends on.
    last_check: NodeIndex,
    /// Accesses from the first change to the last.
    change: Vec<NodeIndex>,
}

impl CheckedAccesses {
    /// Returns `None` if no change depends on a check.
    fn find(code: &Code<'_>, routine: NodeIndex, accesses: &[FieldAccess]) -> Option<Self> {
        let is_check = |access: &&FieldAccess| {
            !access.effect.has_write
                && (enclosing_condition(code, access.node).is_some()
                    || is_checked_copy(code, routine, access.node))
        };
        let first = accesses.iter().position(|access| is_check(&access))?;
        let last = accesses.iter().rposition(|access| access.effect.has_write)?;
        let range = accesses.get(first..=last)?;
        let change = range.iter().position(|access| access.effect.has_write)?;
        let (reads, change) = range.split_at(change);
        let nodes = |part: &[FieldAccess]| part.iter().map(|access| access.node).collect();
        let last_check = reads.iter().rev().find(is_check)?.node;
        Some(Self { reads: nodes(reads), last_check, change: nodes(change) })
    }
}

/// Returns true if a read is the value of a local variable that a branch or loop depends on.
fn is_checked_copy(code: &Code<'_>, routine: NodeIndex, read: NodeIndex) -> bool {
    checked_copy(code, routine, read)
        .is_some_and(|uses| uses.iter().any(|id| enclosing_condition(code, *id).is_some()))
}
