//! Puts related accesses under one lock: makes methods `synchronized`, widens blocks or adds them.

use crate::candidate::ConcurrencyOperator;
use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::{BugContext, SourceLocation};
use crate::evidence::calls::{
    body, calls_below, is_constructor, is_run_with, meets_threads, routine,
};
use crate::evidence::locks::{
    Lock, class_name, held, is_given_back_once, of_collection, only_releases, own_lock, policy,
    sections, taken_within,
};
use crate::evidence::regions::{AtomicRegion, threads};
use crate::fixes::check_then_act::asked_and_taken;
use crate::fixes::layout::{removed, unwrapped, with_modifier, wrapped};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, SymbolId};
use std::collections::BTreeSet;

/// Form of the lock around a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LockForm {
    /// A modifier of the method, where that means the same lock.
    Method,
    /// A block around the statements.
    Block,
}

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let base = if scene.fails_by(&["deadlock", "lost_signal"]) { 0.3 } else { 0.0 };
    let mut all = Vec::new();
    for shown in &scene.patterns {
        let regions: Vec<AtomicRegion> = threads(shown)
            .iter()
            .filter_map(|spots| AtomicRegion::from_locations(scene, spots))
            .collect();
        let is_order = shown.spots.len() == 2;
        let weight = if is_order { 0.7 } else { 0.9 } - base;
        propose_guard(scene, &regions, weight, out);
        if !is_order {
            all.extend(regions);
        }
    }
    for (one, other) in &scene.races {
        let both =
            [*one, *other].map(|spot: SourceLocation| AtomicRegion::from_locations(scene, &[spot]));
        let regions: Vec<AtomicRegion> = both.into_iter().flatten().collect();
        propose_guard(scene, &regions, 0.75 - base, out);
        all.extend(regions);
    }
    propose_guard(scene, &all, 0.65 - base, out);
    for variable in scene.variables() {
        propose_guard(scene, &everywhere(scene, variable), 0.6 - base, out);
        propose_guard(scene, &together(scene, variable), 0.68 - base, out);
    }
}

/// Returns all accesses of failing schedules to a field as one step of the routine that reaches them by its calls.
fn together(scene: &BugContext<'_>, variable: SymbolId) -> Vec<AtomicRegion> {
    let mut known = BTreeSet::new();
    let is_first = |spot: &&SourceLocation| {
        let code = scene.code(spot.file);
        let own = routine(code, spot.node).filter(|own| !is_constructor(code, *own));
        spot.variable == Some(variable) && own.is_some_and(|own| known.insert((spot.file, own)))
    };
    let spots: Vec<SourceLocation> = scene.spots().filter(is_first).copied().collect();
    let is_more = spots.len() > 2;
    AtomicRegion::from_locations(scene, &spots).filter(|_| is_more).into_iter().collect()
}

/// Returns all accesses to a field outside constructors.
fn everywhere(scene: &BugContext<'_>, variable: SymbolId) -> Vec<AtomicRegion> {
    let spots = scene.uses(variable).into_iter().map(|(file, node)| {
        let variable = Some(variable);
        SourceLocation { file, node, variable }
    });
    spots.filter_map(|spot| AtomicRegion::from_locations(scene, &[spot])).collect()
}

/// Proposes to do regions under the lock of their variable, in both forms.
fn propose_guard(
    scene: &BugContext<'_>,
    regions: &[AtomicRegion],
    weight: f64,
    out: &mut CandidateCollector<'_>,
) {
    let Some(variable) = regions.iter().find_map(|region| region.variable) else {
        return plain(scene, regions, weight, out);
    };
    // An object's own lock guards nothing of a class.
    let is_static = scene.is_static(variable);
    let own = of_collection(scene, variable);
    let is_guarded = |region: &&AtomicRegion| {
        let code = scene.code(region.file);
        let is_call = |id: &NodeIndex| code.is(*id, NodeKind::MethodInvocation);
        own.is_some() && region.nodes.len() == 1 && region.nodes.iter().all(is_call)
    };
    let regions: Vec<AtomicRegion> =
        regions.iter().filter(|one| !is_guarded(one)).cloned().collect();
    let lock = own.or_else(|| policy(scene, variable));
    let lock = lock.filter(|lock| !is_static || *lock != Lock::This);
    let lock = lock.unwrap_or_else(|| {
        let declared = scene.declaration(variable).filter(|_| is_static);
        declared.map_or(Lock::This, |(file, id)| Lock::of_class(class_name(scene.code(file), id)))
    });
    let name = scene.files[0].code.facts.name(variable).to_owned();
    // Where something races, what does not is not the matter.
    let raced = scene.races.iter().flat_map(|(one, other)| [one.variable, other.variable]);
    let is_beside = !scene.races.is_empty() && !raced.into_iter().any(|one| one == Some(variable));
    let is_volatile = scene.declaration(variable).is_some_and(|(file, id)| {
        crate::fixes::layout::has_modifier(scene.code(file), id, "volatile")
    });
    let less = if is_beside && !is_volatile { 0.3 } else { 0.0 };
    propose_both_forms(scene, &regions, &lock, &name, weight - less, out);
}

/// Uses the lock of the own object if no field is known.
fn plain(
    scene: &BugContext<'_>,
    regions: &[AtomicRegion],
    weight: f64,
    out: &mut CandidateCollector<'_>,
) {
    propose_both_forms(scene, regions, &Lock::This, "the shared state", weight - 0.05, out);
}

fn propose_both_forms(
    scene: &BugContext<'_>,
    regions: &[AtomicRegion],
    lock: &Lock,
    name: &str,
    weight: f64,
    out: &mut CandidateCollector<'_>,
) {
    let alone: Vec<AtomicRegion> =
        regions.iter().filter(|one| !one.is_before_threads(scene)).cloned().collect();
    // A method may be called again when threads that it started are there.
    let reaches = [(&alone[..], 0.0), (regions, 0.02)];
    let ways =
        reaches.iter().flat_map(|reach| [(reach, LockForm::Method), (reach, LockForm::Block)]);
    for ((regions, far), form) in ways {
        let Some(GuardedRegions { edits, places, is_slow }) = guarded(scene, regions, lock, form)
        else {
            continue;
        };
        let is_block = form == LockForm::Block;
        let slow = if is_slow && !is_block { 0.2 } else { 0.0 };
        let less = if is_block { 0.1 } else { slow };
        let more = f64::from(u32::try_from(places.len()).unwrap_or(9)) / 100.0;
        let who = if places.len() > 1 { "their" } else { "its" };
        let why = format!(
            "{}, so no other thread can interleave with {who} accesses to {name}",
            who_holds(&places)
        );
        out.add(ConcurrencyOperator::Synchronized, weight - less - more - far, edits, why);
    }
}

/// Describes the routines that hold locks.
fn who_holds(places: &[(String, String)]) -> String {
    let lock = places.first().map_or("", |(_, lock)| lock);
    if places.len() > 1 && places.iter().all(|(_, own)| own == lock) {
        let names: Vec<&str> = places.iter().map(|(name, _)| name.as_str()).collect();
        return format!("{} hold {lock}", names.join(" and "));
    }
    let each: Vec<String> =
        places.iter().map(|(name, lock)| format!("{name} holds {lock}")).collect();
    each.join(" and ")
}

/// Regions under a lock.
struct GuardedRegions {
    edits: EditsByFile,
    /// The routines and the lock of each, in words.
    places: Vec<(String, String)>,
    /// True if a whole routine would be locked for a small part of it.
    is_slow: bool,
}

/// Puts regions under a lock; nothing where one of them cannot be.
fn guarded(
    scene: &BugContext<'_>,
    regions: &[AtomicRegion],
    lock: &Lock,
    form: LockForm,
) -> Option<GuardedRegions> {
    let mut all = GuardedRegions { edits: EditsByFile::new(), places: Vec::new(), is_slow: false };
    for region in needed(scene, merged(scene, regions, lock), lock) {
        let code = scene.code(region.file);
        let own = lock_for(&region, lock);
        if is_constructor(code, region.routine) || is_under(code, &region, &own) {
            continue;
        }
        if form == LockForm::Method && region.is_in_a_threads_loop(scene) {
            return None;
        }
        let made = placed(code, &region, &own, form)?;
        all.is_slow |= is_slow(code, &region);
        all.edits.entry(region.file).or_default().extend(made);
        all.places.push((title(code, region.routine), own.describe()));
    }
    all.places.dedup();
    Some(all)
}

/// Returns the lock of the object that a region accesses.
fn lock_for(region: &AtomicRegion, lock: &Lock) -> Lock {
    region.of.as_deref().map_or_else(|| lock.clone(), |of| lock.on_object(of))
}

/// Regions of one routine that come under one lock become one.
fn merged(scene: &BugContext<'_>, regions: &[AtomicRegion], lock: &Lock) -> Vec<AtomicRegion> {
    let mut all: Vec<AtomicRegion> = Vec::new();
    for region in regions {
        let is_same = |one: &&mut AtomicRegion| {
            one.file == region.file
                && one.routine == region.routine
                && lock_for(one, lock) == lock_for(region, lock)
        };
        match all.iter_mut().find(is_same) {
            Some(known) => known.nodes.extend(&region.nodes),
            None => all.push(region.clone()),
        }
    }
    all.sort_by_key(|region| (scene.files[region.file].path.clone(), region.routine));
    all
}

/// Regions without those of methods that are only called within others, of the same object and under the same lock.
fn needed(scene: &BugContext<'_>, all: Vec<AtomicRegion>, lock: &Lock) -> Vec<AtomicRegion> {
    let holds = |region: &AtomicRegion, own: &Lock, (file, call): (usize, NodeIndex)| {
        let code = scene.code(region.file);
        let is_inside = || {
            let range = region.statements(code);
            range.is_some_and(|(first, last)| (first..code.node(last).end).contains(&call))
        };
        region.file == file
            && is_run_with(code, call, region.routine)
            && is_inside()
            && lock_for(region, lock) == *own
    };
    let is_needed = |region: &AtomicRegion| {
        let code = scene.code(region.file);
        let own = lock_for(region, lock);
        let symbol =
            code.node(region.routine).symbol.filter(|_| code.is(region.routine, NodeKind::Method));
        let calls = symbol.map_or_else(Vec::new, |symbol| scene.uses(symbol));
        let is_held = |(file, callee): &(usize, NodeIndex)| {
            let is_of_same = scene.code(*file).is(*callee, NodeKind::Identifier);
            let mut others = all.iter().filter(|other| *other != region);
            is_of_same && others.any(|other| holds(other, &own, (*file, *callee)))
        };
        calls.is_empty() || !calls.iter().all(is_held)
    };
    let keep: Vec<bool> = all.iter().map(is_needed).collect();
    all.into_iter().zip(keep).filter_map(|(region, is_kept)| is_kept.then_some(region)).collect()
}

/// Returns true if one block or method holds a lock for a whole region.
fn is_under(code: &Code<'_>, region: &AtomicRegion, lock: &Lock) -> bool {
    let by = |node: &NodeIndex| -> Vec<NodeIndex> {
        let held = held(code, *node).into_iter();
        held.filter(|held| held.lock == *lock).map(|held| held.by).collect()
    };
    let Some(first) = region.nodes.first().map(by) else { return true };
    first.iter().any(|one| region.nodes.iter().all(|node| by(node).contains(one)))
}

/// Returns the edits that put a region under a lock.
fn placed(
    code: &Code<'_>,
    region: &AtomicRegion,
    lock: &Lock,
    form: LockForm,
) -> Option<Vec<Edit>> {
    let is_method = code.is(region.routine, NodeKind::Method);
    if form == LockForm::Method && is_method && own_lock(code, region.routine) == *lock {
        let mut edits = vec![with_modifier(code, region.routine, "synchronized")?];
        let block = body(code, region.routine).filter(|block| !starts_or_joins(code, *block))?;
        edits.extend(inner_blocks(code, block, lock));
        return Some(edits);
    }
    let (first, last) = region.statements(code)?;
    let siblings = code.children(code.parent(first)).into_iter();
    let all: Vec<NodeIndex> = siblings.filter(|id| (first..=last).contains(id)).collect();
    if all.iter().any(|id| starts_or_joins(code, *id)) {
        return asked_and_taken(code, region, first, lock).filter(|_| first == last);
    }
    let inner: Vec<Edit> = all.iter().flat_map(|id| inner_blocks(code, *id, lock)).collect();
    let own = inner_sections(code, &all, lock);
    let (before, after) = lock.acquire_and_release();
    Some(vec![wrapped(code, (first, last), (&before, &after), &[inner, own].concat())?])
}

/// Returns true if a node starts threads or waits for them. A wait for a signal is excluded, as it releases the lock.
fn starts_or_joins(code: &Code<'_>, id: NodeIndex) -> bool {
    meets_threads(code, id) && calls_below(code, id, &["wait", "await"]).is_empty()
}

/// Blocks that take a lock which is held around them then: what stands in them is enough.
fn inner_blocks(code: &Code<'_>, at: NodeIndex, lock: &Lock) -> Vec<Edit> {
    let is_same = |id: &NodeIndex| {
        code.is(*id, NodeKind::Synchronized)
            && crate::evidence::locks::monitor(code, *id) == Some(lock.clone())
    };
    let blocks: Vec<NodeIndex> = (at..code.node(at).end).filter(is_same).collect();
    let outer = blocks
        .iter()
        .filter(|id| !code.self_and_ancestors(**id).skip(1).any(|up| blocks.contains(&up)));
    outer.filter_map(|id| unwrapped(code, *id, 0)).collect()
}

/// Sections of a lock of `java.util.concurrent` that is held around them then: what stands in them is enough.
fn inner_sections(code: &Code<'_>, statements: &[NodeIndex], lock: &Lock) -> Vec<Edit> {
    let Some(first) = statements.first() else { return Vec::new() };
    let all = sections(code, code.parent(*first)).into_iter();
    let own = all.filter(|one| one.lock == *lock && statements.contains(&one.taken));
    let edits = own.filter(|one| is_given_back_once(code, one)).filter_map(|one| {
        let given = match code.kind(one.given) {
            NodeKind::Try if !only_releases(code, one.given) => return None,
            NodeKind::Try => unwrapped(code, one.given, 0)?,
            _ => removed(code, one.given),
        };
        Some([removed(code, one.taken), given])
    });
    let within = statements.iter().filter(|id| taken_within(code, **id).as_ref() == Some(lock));
    edits.flatten().chain(within.filter_map(|id| unwrapped(code, *id, 1))).collect()
}

/// Returns true if a whole method would hold a lock for long because of a small part of it.
fn is_slow(code: &Code<'_>, region: &AtomicRegion) -> bool {
    let Some(block) = body(code, region.routine) else { return false };
    let meant = region.statements(code).map(|(first, last)| first..code.node(last).end);
    let is_beside = |id: &NodeIndex| meant.as_ref().is_none_or(|meant| !meant.contains(id));
    let statements = crate::evidence::calls::below(code, block).filter(|id| code.is_statement(*id));
    statements.filter(is_beside).count() > 12
}

/// Returns the name of a routine for people.
pub(crate) fn title(code: &Code<'_>, routine: NodeIndex) -> String {
    let method = code.self_and_ancestors(routine).find(|id| code.is(*id, NodeKind::Method));
    let name = method.and_then(|id| code.symbol(id)).map_or("", |one| code.facts.text(one.name));
    format!("{}.{name}", class_name(code, routine))
}
