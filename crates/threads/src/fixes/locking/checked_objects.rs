//! Fix operator for objects that are passed around: methods that check the state of another object and then change it
//! hold that object's lock from the check to the change.

use super::synchronized::{guard_regions, routine_title};
use crate::collector::CandidateCollector;
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
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use std::collections::BTreeSet;

/// Score of a candidate that guards all methods with a check and a change.
const SCORE: f64 = 0.92;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let callers = method_callers(context);
    for variable in context.accessed_fields() {
        let lock = guarding_lock(context, variable).unwrap_or(Lock::This);
        if context.is_static(variable) || lock != Lock::This {
            continue;
        }
        let regions = check_then_change_regions(context, &callers, variable);
        let Some(guarded) = guard_regions(context, &regions, &lock, LockForm::Block) else {
            continue;
        };
        let mut methods: Vec<String> = regions
            .iter()
            .map(|region| routine_title(context.code(region.file), region.routine))
            .collect();
        methods.dedup();
        let name = context.files[0].code.facts.name(variable);
        let (hold, check) = if methods.len() > 1 {
            ("hold", "they check and then change")
        } else {
            ("holds", "it checks and then changes")
        };
        let why = format!(
            "{} {hold} the lock of the object whose {name} {check}, so no other thread changes it in between",
            methods.join(" and ")
        );
        out.add(ConcurrencyOperator::Synchronized, SCORE, guarded.edits, why);
    }
}

/// Returns the regions of all methods from the check of an object's field to its last change.
fn check_then_change_regions(
    context: &BugContext<'_>,
    callers: &MethodCallers,
    variable: SymbolId,
) -> Vec<AtomicRegion> {
    let users = FieldUsers::new(context, callers, variable);
    let mut regions = Vec::new();
    for (file, routine) in users.methods() {
        let code = context.code(file);
        if context.files[file].is_test || is_constructor(code, routine) {
            continue;
        }
        for object in unassigned_locals(code, routine) {
            let all = users.accesses((file, routine), ObjectName::Local(object));
            let Some(nodes) = check_and_change(code, routine, &all) else { continue };
            regions.push(AtomicRegion {
                file,
                routine,
                nodes,
                object: Some(code.facts.name(object).to_owned()),
                variable: Some(variable),
            });
        }
    }
    regions
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

/// Returns the accesses from the first check to the last change after it; `None` if no change depends on a check.
fn check_and_change(
    code: &Code<'_>,
    routine: NodeIndex,
    accesses: &[FieldAccess],
) -> Option<Vec<NodeIndex>> {
    let is_check = |access: &FieldAccess| {
        access.effect.has_read
            && !access.effect.has_write
            && is_in_condition(code, routine, access.node)
    };
    let first = accesses.iter().position(is_check)?;
    let last = accesses.iter().rposition(|access| access.effect.has_write)?;
    let range = accesses.get(first..=last).filter(|range| range.len() > 1)?;
    Some(range.iter().map(|access| access.node).collect())
}

/// Returns true if a node is part of the condition of a branch or loop.
fn is_in_condition(code: &Code<'_>, routine: NodeIndex, node: NodeIndex) -> bool {
    let mut enclosing = code.self_and_ancestors(node).take_while(|id| *id != routine);
    enclosing.any(|id| {
        code.role(id) == NodeRole::Condition
            || code.has_kind(code.parent(id), NodeKind::Parenthesized)
                && code.role(code.parent(id)) == NodeRole::Condition
    })
}
