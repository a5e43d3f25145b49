//! Fix operators that put related accesses under one lock: make methods `synchronized`, or add or widen blocks.

use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::{BugContext, SourceLocation};
use crate::evidence::calls::{
    block_body, enclosing_routine, find_calls, has_modifier, is_constructor, receiver, runs_with,
    starts_or_awaits_threads,
};
use crate::evidence::locks::{
    Lock, class_name, collection_lock, find_sections, guarding_lock, held_locks, is_released_once,
    lock_acquired_in_try, method_lock, only_releases_lock,
};
use crate::evidence::policy::{all_access_regions, is_thread_safe, unguarded_regions};
use crate::evidence::regions::{AtomicRegion, steps_by_thread};
use crate::fixes::check_then_act::make_check_atomic;
use crate::fixes::layout::{add_modifier, remove_statement, unwrap_block, wrap_statements};
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, SymbolFlags, SymbolId};
use mend_model::{join_with_and, list_first};
use std::collections::BTreeSet;

/// Form of the lock around a region.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockForm {
    /// A modifier of the method, if it acquires the same lock.
    Method,
    /// A block around the statements.
    Block,
}

/// Penalty of a lock that leaves accesses in other methods unguarded.
const INCOMPLETE_PENALTY: f64 = 0.35;

/// Penalty of a lock on a public method that uses a variable made for access without locks.
const LOCKED_HOT_PATH_PENALTY: f64 = 0.3;

/// Maximum number of methods that are named.
const MAX_NAMED_METHODS: usize = 3;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let penalty = if context.has_failure_kind(&["deadlock", "lost_signal"]) { 0.3 } else { 0.0 };
    let mut all = Vec::new();
    for located in &context.patterns {
        let regions: Vec<AtomicRegion> = steps_by_thread(located)
            .iter()
            .filter_map(|locations| AtomicRegion::from_locations(context, locations))
            .collect();
        let is_order = located.locations.len() == 2;
        let weight = if is_order { 0.7 } else { 0.9 } - penalty;
        propose_guard(context, &regions, weight, out);
        if !is_order {
            all.extend(regions);
        }
    }
    for (one, other) in &context.races {
        let both = [*one, *other]
            .map(|location: SourceLocation| AtomicRegion::from_locations(context, &[location]));
        let regions: Vec<AtomicRegion> = both.into_iter().flatten().collect();
        propose_guard(context, &regions, 0.75 - penalty, out);
        all.extend(regions);
    }
    propose_guard(context, &all, 0.65 - penalty, out);
    for variable in context.accessed_fields() {
        propose_guard(context, &all_access_regions(context, variable), 0.6 - penalty, out);
        propose_guard(context, &combined_region(context, variable), 0.68 - penalty, out);
    }
}

/// Lock for the accesses to a field.
#[derive(Clone, Copy)]
struct Guard<'a> {
    lock: &'a Lock,
    /// Name of the field.
    name: &'a str,
    /// True if no access holds the lock yet.
    is_new: bool,
    /// True if single accesses to the field need no lock, so its users may expect not to wait.
    is_thread_safe: bool,
}

/// Returns all accesses of failing schedules to a field as one step of the routine that reaches them by its calls.
fn combined_region(context: &BugContext<'_>, variable: SymbolId) -> Vec<AtomicRegion> {
    let mut known_routines = BTreeSet::new();
    let is_first = |location: &&SourceLocation| {
        let code = context.code(location.file);
        let own = enclosing_routine(code, location.node).filter(|own| !is_constructor(code, *own));
        location.variable == Some(variable)
            && own.is_some_and(|own| known_routines.insert((location.file, own)))
    };
    let locations: Vec<SourceLocation> = context.locations().filter(is_first).copied().collect();
    let has_several = locations.len() > 2;
    AtomicRegion::from_locations(context, &locations).filter(|_| has_several).into_iter().collect()
}

/// Proposes the lock that guards the regions' variable, in both forms.
fn propose_guard(
    context: &BugContext<'_>,
    regions: &[AtomicRegion],
    weight: f64,
    out: &mut CandidateCollector<'_>,
) {
    let Some(variable) = regions.iter().find_map(|region| region.variable) else {
        return propose_own_lock(context, regions, weight, out);
    };
    // The monitor of an object does not guard static state.
    let is_static = context.is_static(variable);
    let own = collection_lock(context, variable);
    let is_atomic_call = |region: &&AtomicRegion| {
        let code = context.code(region.file);
        let is_call = |id: &NodeIndex| code.has_kind(*id, NodeKind::MethodInvocation);
        own.is_some() && region.nodes.len() == 1 && region.nodes.iter().all(is_call)
    };
    let regions: Vec<AtomicRegion> =
        regions.iter().filter(|one| !is_atomic_call(one)).cloned().collect();
    let has_own_lock = own.is_some();
    let lock = own.or_else(|| guarding_lock(context, variable));
    let lock = lock.filter(|lock| !is_static || *lock != Lock::This);
    let is_new = lock.is_none();
    let lock = lock.unwrap_or_else(|| {
        let declared = context.declaration(variable).filter(|_| is_static);
        declared
            .map_or(Lock::This, |(file, id)| Lock::from_class(class_name(context.code(file), id)))
    });
    let is_thread_safe = is_thread_safe(context, variable);
    let guard = Guard {
        lock: &lock,
        name: context.files[0].code.facts.name(variable),
        is_new,
        is_thread_safe,
    };
    let weight = weight - unlikely_cause_penalty(context, variable);
    let unguarded = if is_thread_safe || has_own_lock || regions.is_empty() {
        Vec::new()
    } else {
        unguarded_regions(context, variable, &lock)
    };
    propose_completed_guard(context, &regions, &unguarded, guard, weight, out);
}

/// Proposes a lock for all accesses, and at a lower rank one that leaves out the accesses that no schedule showed.
fn propose_completed_guard(
    context: &BugContext<'_>,
    regions: &[AtomicRegion],
    unguarded: &[AtomicRegion],
    guard: Guard<'_>,
    weight: f64,
    out: &mut CandidateCollector<'_>,
) {
    let is_other = |one: &&AtomicRegion| {
        !one.precedes_thread_starts(context)
            && !regions.iter().any(|known| known.file == one.file && known.routine == one.routine)
    };
    let others: Vec<AtomicRegion> = unguarded.iter().filter(is_other).cloned().collect();
    let all: Vec<AtomicRegion> = regions.iter().chain(unguarded).cloned().collect();
    propose_both_forms(context, &all, guard, weight, "", out);
    if !others.is_empty() {
        let left = describe_unguarded(context, &others, guard.name);
        propose_both_forms(context, regions, guard, weight - INCOMPLETE_PENALTY, &left, out);
    }
}

/// Returns the penalty of a variable without data races if other variables have some: it is less likely the cause.
fn unlikely_cause_penalty(context: &BugContext<'_>, variable: SymbolId) -> f64 {
    let raced = context.races.iter().flat_map(|(one, other)| [one.variable, other.variable]);
    let is_unraced =
        !context.races.is_empty() && !raced.into_iter().any(|one| one == Some(variable));
    let is_volatile = context
        .declaration(variable)
        .is_some_and(|(file, id)| has_modifier(context.code(file), id, "volatile"));
    if is_unraced && !is_volatile { 0.3 } else { 0.0 }
}

/// Names the methods that access a field without its lock.
fn describe_unguarded(context: &BugContext<'_>, regions: &[AtomicRegion], name: &str) -> String {
    let title = |region: &AtomicRegion| routine_title(context.code(region.file), region.routine);
    let titles: BTreeSet<String> = regions.iter().map(title).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let verb = if titles.len() > 1 { "access" } else { "accesses" };
    format!("; {} still {verb} {name} without this lock", join_with_and(&titles))
}

/// Uses the monitor of the current object, or of the class in static methods, if no field is known.
fn propose_own_lock(
    context: &BugContext<'_>,
    regions: &[AtomicRegion],
    weight: f64,
    out: &mut CandidateCollector<'_>,
) {
    let method_lock = |region: &AtomicRegion| {
        let code = context.code(region.file);
        code.enclosing_method(region.routine).map(|method| method_lock(code, method))
    };
    let mut locks = regions.iter().filter_map(method_lock);
    let lock = locks.find(|lock| *lock != Lock::This).unwrap_or(Lock::This);
    let guard =
        Guard { lock: &lock, name: "the shared state", is_new: false, is_thread_safe: false };
    let all = regions_of_private_getter(context, regions);
    let limitation =
        if all.is_some() { "" } else { "; other code may still access it without this lock" };
    let regions = all.as_deref().unwrap_or(regions);
    propose_both_forms(context, regions, guard, weight - 0.05, limitation, out);
}

/// Returns all calls on the object that a private method returns, if regions make such calls. Returns `None` if other
/// code may get the object.
fn regions_of_private_getter(
    context: &BugContext<'_>,
    regions: &[AtomicRegion],
) -> Option<Vec<AtomicRegion>> {
    let getter_of = |region: &AtomicRegion| {
        let code = context.code(region.file);
        region.nodes.iter().find_map(|call| code.node(receiver(code, *call)?).symbol)
    };
    let getter = regions.iter().find_map(getter_of)?;
    if !context.flags(getter)?.has(SymbolFlags::PRIVATE) {
        return None;
    }
    let region_of = |(file, name): FileNode| {
        let code = context.code(file);
        let call = code
            .self_and_ancestors(name)
            .find(|id| code.has_kind(*id, NodeKind::MethodInvocation))?;
        let node = code.parent(code.parent(call));
        receiver(code, node).filter(|on| *on == call)?;
        AtomicRegion::from_locations(context, &[SourceLocation { file, node, variable: None }])
    };
    context.uses(getter).into_iter().map(region_of).collect()
}

fn propose_both_forms(
    context: &BugContext<'_>,
    regions: &[AtomicRegion],
    Guard { lock, name, is_new, is_thread_safe }: Guard<'_>,
    weight: f64,
    limitation: &str,
    out: &mut CandidateCollector<'_>,
) {
    let concurrent_regions: Vec<AtomicRegion> =
        regions.iter().filter(|one| !one.precedes_thread_starts(context)).cloned().collect();
    // A method may be called again while threads that it started still run.
    let region_sets = [(&concurrent_regions[..], 0.0), (regions, 0.02)];
    let forms =
        region_sets.iter().flat_map(|reach| [(reach, LockForm::Method), (reach, LockForm::Block)]);
    for ((regions, far), form) in forms {
        let Some(guarded) = guard_regions(context, regions, lock, form) else { continue };
        let GuardedRegions { edits, holders: places, is_coarse: is_slow, public_holders } = guarded;
        let is_block = form == LockForm::Block;
        let coarse_penalty = if is_slow && !is_block { 0.2 } else { 0.0 };
        let form_penalty = if is_block { 0.1 } else { coarse_penalty };
        let size_penalty = f64::from(u32::try_from(places.len()).unwrap_or(9)) / 100.0;
        let hot_path_penalty = if is_thread_safe && !public_holders.is_empty() {
            LOCKED_HOT_PATH_PENALTY
        } else {
            0.0
        };
        let who = if places.len() > 1 { "their" } else { "its" };
        let waiting = describe_waiting_calls(&public_holders, is_new);
        let why = format!(
            "{}, so no other thread can interleave with {who} accesses to {name}{waiting}{limitation}",
            describe_holders(&places)
        );
        out.add(
            ConcurrencyOperator::Synchronized,
            weight - form_penalty - size_penalty - far - hot_path_penalty,
            edits,
            why,
        );
    }
}

/// Describes which calls a new lock makes wait; empty for a lock that is in use already.
fn describe_waiting_calls(methods: &[String], is_new: bool) -> String {
    if methods.is_empty() || !is_new {
        return String::new();
    }
    let count = methods.len();
    let names = if count > MAX_NAMED_METHODS {
        format!("{count} public methods")
    } else {
        join_with_and(methods)
    };
    format!("; calls of {names} then wait for each other")
}

/// Describes the routines that hold locks.
fn describe_holders(holders: &[(String, String)]) -> String {
    let mut by_lock: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, lock) in holders {
        match by_lock.iter_mut().find(|(known, _)| known == lock) {
            Some((_, names)) => names.push(name.clone()),
            None => by_lock.push((lock, vec![name.clone()])),
        }
    }
    let describe = |(lock, names): &(&str, Vec<String>)| match &names[..] {
        [name] => format!("{name} holds {lock}"),
        names if names.len() <= MAX_NAMED_METHODS => {
            format!("{} hold {lock}", join_with_and(names))
        }
        names => format!("{} methods hold {lock}", list_first(names, MAX_NAMED_METHODS)),
    };
    join_with_and(&by_lock.iter().map(describe).collect::<Vec<_>>())
}

/// Edits that put regions under a lock.
pub(crate) struct GuardedRegions {
    pub(crate) edits: EditsByFile,
    /// Titles of the routines with descriptions of their locks.
    holders: Vec<(String, String)>,
    /// True if a whole routine would be locked for a small part of it.
    is_coarse: bool,
    /// Names of the public methods that hold the lock.
    public_holders: Vec<String>,
}

/// Puts regions under a lock; `None` if this fails for one of them.
pub(crate) fn guard_regions(
    context: &BugContext<'_>,
    regions: &[AtomicRegion],
    lock: &Lock,
    form: LockForm,
) -> Option<GuardedRegions> {
    let mut all = GuardedRegions {
        edits: EditsByFile::new(),
        holders: Vec::new(),
        is_coarse: false,
        public_holders: Vec::new(),
    };
    for region in drop_nested_regions(context, merge_regions(context, regions, lock), lock) {
        let code = context.code(region.file);
        let own = region_lock(&region, lock);
        if is_constructor(code, region.routine) || is_under_lock(code, &region, &own) {
            continue;
        }
        if form == LockForm::Method && region.is_in_thread_loop(context) {
            return None;
        }
        let region_edits = guard_region(code, &region, &own, form)?;
        all.is_coarse |= is_coarse(code, &region);
        all.edits.entry(region.file).or_default().extend(region_edits);
        let title = routine_title(code, region.routine);
        if is_public_method(code, region.routine) {
            all.public_holders.push(title.clone());
        }
        all.holders.push((title, own.describe()));
    }
    all.holders.dedup();
    Some(all)
}

fn is_public_method(code: &Code<'_>, routine: NodeIndex) -> bool {
    let symbol = code.symbol(routine).filter(|_| code.has_kind(routine, NodeKind::Method));
    symbol.is_some_and(|symbol| symbol.flags.has(SymbolFlags::PUBLIC))
}

/// Returns the lock of the object that a region accesses.
pub(crate) fn region_lock(region: &AtomicRegion, lock: &Lock) -> Lock {
    region.object.as_deref().map_or_else(|| lock.clone(), |of| lock.on_object(of))
}

/// Merges the regions of one routine that get the same lock.
fn merge_regions(
    context: &BugContext<'_>,
    regions: &[AtomicRegion],
    lock: &Lock,
) -> Vec<AtomicRegion> {
    let mut all: Vec<AtomicRegion> = Vec::new();
    for region in regions {
        let is_same = |one: &&mut AtomicRegion| {
            one.file == region.file
                && one.routine == region.routine
                && region_lock(one, lock) == region_lock(region, lock)
        };
        match all.iter_mut().find(is_same) {
            Some(known) => known.nodes.extend(&region.nodes),
            None => all.push(region.clone()),
        }
    }
    all.sort_by_key(|region| (context.files[region.file].path.clone(), region.routine));
    all
}

/// Removes the regions of methods that are only called within other regions, on the same object and under the same
/// lock.
fn drop_nested_regions(
    context: &BugContext<'_>,
    all: Vec<AtomicRegion>,
    lock: &Lock,
) -> Vec<AtomicRegion> {
    let holds = |region: &AtomicRegion, own: &Lock, (file, call): FileNode| {
        let code = context.code(region.file);
        let is_inside = || {
            let range = region.statement_range(code);
            range.is_some_and(|(first, last)| (first..code.node(last).subtree_end).contains(&call))
        };
        region.file == file
            && runs_with(code, call, region.routine)
            && is_inside()
            && region_lock(region, lock) == *own
    };
    let is_needed = |region: &AtomicRegion| {
        let code = context.code(region.file);
        let own = region_lock(region, lock);
        let symbol = code
            .node(region.routine)
            .symbol
            .filter(|_| code.has_kind(region.routine, NodeKind::Method));
        let calls = symbol.map_or_else(Vec::new, |symbol| context.uses(symbol));
        let is_called_under_lock = |(file, callee): &FileNode| {
            let is_of_same = context.code(*file).has_kind(*callee, NodeKind::Identifier);
            let mut others = all.iter().filter(|other| *other != region);
            is_of_same && others.any(|other| holds(other, &own, (*file, *callee)))
        };
        calls.is_empty() || !calls.iter().all(is_called_under_lock)
    };
    let keep: Vec<bool> = all.iter().map(is_needed).collect();
    all.into_iter().zip(keep).filter_map(|(region, is_kept)| is_kept.then_some(region)).collect()
}

/// Returns true if one block or method holds a lock for a whole region.
pub(crate) fn is_under_lock(code: &Code<'_>, region: &AtomicRegion, lock: &Lock) -> bool {
    let acquisitions_of = |node: &NodeIndex| -> Vec<NodeIndex> {
        let held = held_locks(code, *node).into_iter();
        held.filter(|held| held.lock == *lock).map(|held| held.acquisition).collect()
    };
    let Some(first) = region.nodes.first().map(acquisitions_of) else { return true };
    first.iter().any(|one| region.nodes.iter().all(|node| acquisitions_of(node).contains(one)))
}

/// Returns the edits that put a region under a lock.
fn guard_region(
    code: &Code<'_>,
    region: &AtomicRegion,
    lock: &Lock,
    form: LockForm,
) -> Option<Vec<Edit>> {
    let is_method = code.has_kind(region.routine, NodeKind::Method);
    if form == LockForm::Method && is_method && method_lock(code, region.routine) == *lock {
        let mut edits = vec![add_modifier(code, region.routine, "synchronized")?];
        let block =
            block_body(code, region.routine).filter(|block| !starts_or_joins(code, *block))?;
        edits.extend(unwrap_inner_blocks(code, block, lock));
        return Some(edits);
    }
    let (first, last) = region.statement_range(code)?;
    let siblings = code.children(code.parent(first)).into_iter();
    let all: Vec<NodeIndex> = siblings.filter(|id| (first..=last).contains(id)).collect();
    if all.iter().any(|id| starts_or_joins(code, *id)) {
        return make_check_atomic(code, region, first, lock).filter(|_| first == last);
    }
    let inner = unwrap_inner_locks(code, &all, lock);
    let (before, after) = lock.acquire_and_release();
    Some(vec![wrap_statements(code, (first, last), (&before, &after), &inner)?])
}

/// Returns edits that remove the acquisitions of a lock in statements that then hold it as a whole.
pub(crate) fn unwrap_inner_locks(
    code: &Code<'_>,
    statements: &[NodeIndex],
    lock: &Lock,
) -> Vec<Edit> {
    let blocks = statements.iter().flat_map(|id| unwrap_inner_blocks(code, *id, lock));
    blocks.chain(unwrap_inner_sections(code, statements, lock)).collect()
}

/// Returns true if a node starts threads or waits for them. A wait for a signal is excluded, as it releases the lock.
fn starts_or_joins(code: &Code<'_>, id: NodeIndex) -> bool {
    starts_or_awaits_threads(code, id) && find_calls(code, id, &["wait", "await"]).is_empty()
}

/// Returns edits that unwrap `synchronized` blocks of a lock that is then held around them.
fn unwrap_inner_blocks(code: &Code<'_>, at: NodeIndex, lock: &Lock) -> Vec<Edit> {
    let is_same = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::Synchronized)
            && crate::evidence::locks::monitor_lock(code, *id) == Some(lock.clone())
    };
    let blocks: Vec<NodeIndex> = (at..code.node(at).subtree_end).filter(is_same).collect();
    let outer = blocks
        .iter()
        .filter(|id| !code.self_and_ancestors(**id).skip(1).any(|up| blocks.contains(&up)));
    outer.filter_map(|id| unwrap_block(code, *id, 0)).collect()
}

/// Returns edits that unwrap sections of a `java.util.concurrent` lock that is then held around them.
fn unwrap_inner_sections(code: &Code<'_>, statements: &[NodeIndex], lock: &Lock) -> Vec<Edit> {
    let Some(first) = statements.first() else { return Vec::new() };
    let all = find_sections(code, code.parent(*first)).into_iter();
    let own = all.filter(|one| one.lock == *lock && statements.contains(&one.acquisition));
    let edits = own.filter(|one| is_released_once(code, one)).filter_map(|one| {
        let given = match code.kind(one.release) {
            NodeKind::Try if !only_releases_lock(code, one.release) => return None,
            NodeKind::Try => unwrap_block(code, one.release, 0)?,
            _ => remove_statement(code, one.release),
        };
        Some([remove_statement(code, one.acquisition), given])
    });
    let acquired_in_try =
        statements.iter().filter(|id| lock_acquired_in_try(code, **id).as_ref() == Some(lock));
    edits.flatten().chain(acquired_in_try.filter_map(|id| unwrap_block(code, *id, 1))).collect()
}

/// Returns true if a whole method would hold a lock for long because of a small part of it.
fn is_coarse(code: &Code<'_>, region: &AtomicRegion) -> bool {
    let Some(block) = block_body(code, region.routine) else { return false };
    let region_nodes =
        region.statement_range(code).map(|(first, last)| first..code.node(last).subtree_end);
    let is_outside_region = |id: &NodeIndex| {
        region_nodes.as_ref().is_none_or(|region_nodes| !region_nodes.contains(id))
    };
    let statements =
        crate::evidence::calls::descendants(code, block).filter(|id| code.is_statement(*id));
    statements.filter(is_outside_region).count() > 12
}

/// Returns the name of a routine for people.
pub(crate) fn routine_title(code: &Code<'_>, routine: NodeIndex) -> String {
    let method = code.self_and_ancestors(routine).find(|id| code.has_kind(*id, NodeKind::Method));
    let name = method.and_then(|id| code.symbol(id)).map_or("", |one| code.facts.text(one.name));
    format!("{}.{name}", class_name(code, routine))
}
