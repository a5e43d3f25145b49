//! Completeness of a locking policy: the accesses of a field in the whole project that a lock does not guard.

use super::calls::{declared_type, enclosing_routine, has_modifier, is_constructor};
use super::locks::{Lock, held_locks};
use super::regions::AtomicRegion;
use crate::evidence::bug_context::{BugContext, SourceLocation};
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId};

/// Maximum depth of callers.
const MAX_CALLER_DEPTH: usize = 3;

/// Returns all accesses to a field outside constructors.
pub(crate) fn all_access_regions(
    context: &BugContext<'_>,
    variable: SymbolId,
) -> Vec<AtomicRegion> {
    let locations = context.uses(variable).into_iter().map(|(file, node)| {
        let variable = Some(variable);
        SourceLocation { file, node, variable }
    });
    locations.filter_map(|location| AtomicRegion::from_locations(context, &[location])).collect()
}

/// Returns the accesses to a field that hold no lock of its policy, neither themselves nor in all their callers.
pub(crate) fn unguarded_regions(
    context: &BugContext<'_>,
    variable: SymbolId,
    lock: &Lock,
) -> Vec<AtomicRegion> {
    let is_unguarded = |region: &AtomicRegion| {
        let code = context.code(region.file);
        let own = region.object.as_deref().map_or_else(|| lock.clone(), |of| lock.on_object(of));
        let is_array_length = region.nodes.iter().all(|node| is_array_length(code, *node));
        !is_constructor(code, region.routine)
            && !is_array_length
            && !region.nodes.iter().all(|node| holds_lock(code, *node, &own))
            && !is_called_under_lock(context, region.file, region.routine, &own, MAX_CALLER_DEPTH)
    };
    all_access_regions(context, variable).into_iter().filter(is_unguarded).collect()
}

fn holds_lock(code: &Code<'_>, node: NodeIndex, lock: &Lock) -> bool {
    held_locks(code, node).iter().any(|held| held.lock == *lock)
}

/// Returns true for the array in `array.length`, which never changes.
fn is_array_length(code: &Code<'_>, node: NodeIndex) -> bool {
    let parent = code.parent(node);
    code.has_kind(parent, NodeKind::MemberSelect)
        && code.source_text(parent).ends_with(".length")
        && code.type_of(node).ends_with("[]")
}

/// Returns true if a routine is a private method that only constructors and code that holds the lock call.
fn is_called_under_lock(
    context: &BugContext<'_>,
    file: usize,
    routine: NodeIndex,
    lock: &Lock,
    depth: usize,
) -> bool {
    let code = context.code(file);
    let method = code.symbol(routine).filter(|_| code.has_kind(routine, NodeKind::Method));
    if depth == 0 || method.is_none_or(|method| method.flags.access_level() > 0) {
        return false;
    }
    let calls = code.node(routine).symbol.map_or_else(Vec::new, |own| context.uses(own));
    let is_guarded = |(file, callee): &(usize, NodeIndex)| {
        let code = context.code(*file);
        let caller = enclosing_routine(code, *callee);
        holds_lock(code, *callee, lock)
            || caller.is_some_and(|caller| {
                is_constructor(code, caller)
                    || is_called_under_lock(context, *file, caller, lock, depth - 1)
            })
    };
    !calls.is_empty() && calls.iter().all(is_guarded)
}

/// Returns true if single accesses to a field need no lock: it is volatile or an object of `java.util.concurrent`.
pub(crate) fn is_thread_safe(context: &BugContext<'_>, variable: SymbolId) -> bool {
    let Some((file, declared)) = context.declaration(variable) else { return false };
    let code = context.code(file);
    let created = code.child(declared, NodeRole::Value).map_or("", |value| code.type_of(value));
    let is_concurrent = [declared_type(code, declared), created]
        .iter()
        .any(|class| class.starts_with("java.util.concurrent."));
    is_concurrent || has_modifier(code, declared, "volatile")
}
