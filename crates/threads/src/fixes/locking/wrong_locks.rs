//! Replaces a lock that does not exclude the other threads.

use crate::candidate::ConcurrencyOperator;
use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    below, body, called, calls_below, declared_type, is_run_with, is_written, receiver, routine,
};
use crate::evidence::locks::{Lock, class_name, fresh, held, monitor, monitor_of};
use crate::fixes::layout::{field_before, removed, without_modifier, wrapped};
use crate::fixes::locking::synchronized::title;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for variable in scene.variables() {
        let uses: Vec<(usize, NodeIndex)> = scene
            .uses(variable)
            .into_iter()
            .filter(|(file, _)| !scene.files[*file].is_test)
            .collect();
        fresh_locks(scene, &uses, out);
        two_locks(scene, &uses, variable, out);
        two_explicit_locks(scene, &uses, variable, out);
        read_locks(scene, &uses, out);
        if scene.is_static(variable) {
            own_locks(scene, &uses, variable, out);
        }
    }
}

/// Makes a newly created lock a field.
fn fresh_locks(
    scene: &BugContext<'_>,
    uses: &[(usize, NodeIndex)],
    out: &mut CandidateCollector<'_>,
) {
    for (file, node) in uses {
        let code = scene.code(*file);
        for one in held(code, *node) {
            let Some(local) = fresh(code, one.by) else { continue };
            let (Some(method), Some(symbol)) = (code.method_of(local), code.symbol(local)) else {
                continue;
            };
            let name = code.facts.text(symbol.name);
            let is_static =
                code.symbol(method).is_some_and(|one| one.flags.has(SymbolFlags::STATIC));
            let is_static = if is_static { "static " } else { "" };
            let (Some(value), Some(first)) =
                (code.child(local, NodeRole::Value), first_member(code, local))
            else {
                continue;
            };
            let ty = declared_type(code, local).rsplit(['.', '$']).next().unwrap_or_default();
            let value = code.written(value);
            let field = format!("private {is_static}final {ty} {name} = {value};");
            let field = field_before(code, first, &field);
            let edits = vec![field, removed(code, local)];
            let why = format!(
                "{name} in {} becomes one lock for all threads; before, each call created its own",
                title(code, method)
            );
            out.add_in(*file, ConcurrencyOperator::OtherLock, 0.95, edits, why);
        }
    }
}

/// Returns the first field or method of the class around a node.
fn first_member(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    let class = code.class_of(id)?;
    let members = code.children(class).into_iter();
    let mut members = members.filter(|one| code.role(*one) == NodeRole::Member);
    members.find(|one| matches!(code.kind(*one), NodeKind::Variable | NodeKind::Method))
}

/// Uses one lock if several locks guard the accesses to a variable.
fn two_locks(
    scene: &BugContext<'_>,
    uses: &[(usize, NodeIndex)],
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    let mut blocks: BTreeSet<(usize, NodeIndex)> = BTreeSet::new();
    for (file, node) in uses {
        let code = scene.code(*file);
        let held = held(code, *node).into_iter().map(|one| one.by);
        blocks.extend(held.filter(|by| code.is(*by, NodeKind::Synchronized)).map(|by| (*file, by)));
    }
    let locks: BTreeSet<Lock> = blocks
        .iter()
        .filter(|(file, by)| fresh(scene.code(*file), *by).is_none())
        .filter_map(|(file, by)| monitor(scene.code(*file), *by))
        .collect();
    let name = scene.code(0).facts.name(variable);
    for lock in locks.iter().filter(|_| locks.len() > 1) {
        let text = match lock {
            Lock::This => "this",
            Lock::Monitor(text) | Lock::Explicit(text) => text,
        };
        let mut edits = EditsByFile::new();
        let has_it = |code: &Code<'_>, by: NodeIndex| {
            held(code, by).iter().any(|around| around.lock == *lock)
        };
        for (file, by) in blocks.iter().filter(|(file, by)| !has_it(scene.code(*file), *by)) {
            let code = scene.code(*file);
            let at = monitor_of(code, *by).filter(|at| code.written(*at) != text);
            let edit = at.map(|at| Edit::replace(code.bytes(at), text));
            edits.entry(*file).or_default().extend(edit);
        }
        let why = format!("all blocks that guard {name} acquire {}", lock.describe());
        // The one that comes first in the file is what was meant.
        let is_first = blocks.iter().next().and_then(|(file, by)| monitor(scene.code(*file), *by))
            == Some(lock.clone());
        out.add(ConcurrencyOperator::OtherLock, if is_first { 0.95 } else { 0.9 }, edits, why);
    }
}

/// A routine that names one lock of `java.util.concurrent`.
struct LockUse<'a> {
    file: usize,
    routine: NodeIndex,
    lock: &'a str,
    names: Vec<NodeIndex>,
}

/// Uses one lock of `java.util.concurrent` if each routine that accesses a variable uses another one. A routine can
/// also pass the lock to a method that acquires it.
fn two_explicit_locks(
    scene: &BugContext<'_>,
    uses: &[(usize, NodeIndex)],
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    let routines: BTreeSet<(usize, NodeIndex)> = uses
        .iter()
        .filter_map(|(file, node)| Some((*file, routine(scene.code(*file), *node)?)))
        .collect();
    let naming = |(file, routine): (usize, NodeIndex)| {
        let (code, names) = (scene.code(file), explicit_names(scene.code(file), routine));
        let lock = code.written(*names.first()?);
        let is_one = names.iter().all(|id| code.written(*id) == lock);
        is_one.then_some(LockUse { file, routine, lock, names })
    };
    let all: Vec<LockUse<'_>> = routines.into_iter().filter_map(naming).collect();
    let name = scene.code(0).facts.name(variable);
    for LockUse { lock, .. } in &all {
        let others = || all.iter().filter(|other| other.lock != *lock);
        if !others().all(|other| is_there_alone(scene, other, &all)) {
            continue;
        }
        let mut edits = EditsByFile::new();
        for other in others() {
            let code = scene.code(other.file);
            let taken = other.names.iter().map(|id| Edit::replace(code.bytes(*id), *lock));
            edits.entry(other.file).or_default().extend(taken);
        }
        let who = others().map(|other| title(scene.code(other.file), other.routine)).collect();
        let why = format!("{} the lock {lock}, as the other accesses to {name} do", taking(&who));
        // The one that comes first in the file is what was meant.
        let is_first = all.first().is_some_and(|first| first.lock == *lock);
        out.add(ConcurrencyOperator::OtherLock, if is_first { 0.95 } else { 0.9 }, edits, why);
    }
}

/// Describes the routines that acquire a lock.
fn taking(names: &BTreeSet<String>) -> String {
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("{} {}", all.join(" and "), if all.len() == 1 { "acquires" } else { "acquire" })
}

/// Returns true if only these routines and the lock's creation name a lock: one that other code holds has another
/// purpose.
fn is_there_alone(scene: &BugContext<'_>, naming: &LockUse<'_>, all: &[LockUse<'_>]) -> bool {
    let lock = naming.names.first().and_then(|id| scene.code(naming.file).node(*id).symbol);
    lock.is_some_and(|lock| {
        scene.uses(lock).into_iter().all(|(file, id)| {
            let code = scene.code(file);
            let home = routine(code, id);
            let is_home = |one: &LockUse<'_>| one.file == file && Some(one.routine) == home;
            is_written(code, id) || all.iter().any(is_home)
        })
    })
}

/// Returns the uses of `java.util.concurrent` lock fields in a routine that do not name an object.
fn explicit_names(code: &Code<'_>, routine: NodeIndex) -> Vec<NodeIndex> {
    const LOCKS: [&str; 2] =
        ["java.util.concurrent.locks.Lock", "java.util.concurrent.locks.ReentrantLock"];
    let is_lock = |id: &NodeIndex| {
        code.is(*id, NodeKind::Identifier)
            && code.symbol(*id).is_some_and(|one| one.kind == SymbolKind::Field)
            && LOCKS.contains(&code.type_of(*id))
            && is_run_with(code, *id, routine)
    };
    below(code, routine).filter(is_lock).collect()
}

/// Replaces the read lock by the write lock around a write.
fn read_locks(
    scene: &BugContext<'_>,
    uses: &[(usize, NodeIndex)],
    out: &mut CandidateCollector<'_>,
) {
    for (file, node) in uses {
        let code = scene.code(*file);
        let Some(routine) = routine(code, *node).filter(|_| is_written(code, *node)) else {
            continue;
        };
        let calls = below(code, routine).filter(|id| {
            code.is(*id, NodeKind::MethodInvocation) && called(code, *id) == "readLock"
        });
        let edits: Vec<Edit> = calls.filter_map(|call| renamed(code, call, "writeLock")).collect();
        let why =
            format!("{} writes shared state, so it acquires the write lock", title(code, routine));
        out.add_in(*file, ConcurrencyOperator::OtherLock, 0.97, edits, why);
    }
}

/// Calls another method on the same object.
pub(crate) fn renamed(code: &Code<'_>, call: NodeIndex, name: &str) -> Option<Edit> {
    let callee = code.child(call, NodeRole::Callee)?;
    let end = code.bytes(callee).end;
    let start = end.checked_sub(called(code, call).len())?;
    (code.text.get(start..end)? == called(code, call)).then(|| Edit::replace(start..end, name))
}

/// Guards static state with the lock of the class, not with the lock of an object.
fn own_locks(
    scene: &BugContext<'_>,
    uses: &[(usize, NodeIndex)],
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    let (mut fixed, mut blocks) = (EditsByFile::new(), EditsByFile::new());
    let Some((home, declared)) = scene.declaration(variable) else { return };
    let class = class_name(scene.code(home), declared);
    let lock = Lock::of_class(class);
    let mut names = BTreeSet::new();
    for (file, node) in uses {
        let code = scene.code(*file);
        for one in held(code, *node).into_iter().filter(|one| one.lock == Lock::This) {
            names.insert(title(code, one.by));
            if code.is(one.by, NodeKind::Synchronized) {
                let edit = monitor_of(code, one.by)
                    .map(|at| Edit::replace(code.bytes(at), format!("{class}.class")));
                fixed.entry(*file).or_default().extend(edit.clone());
                blocks.entry(*file).or_default().extend(edit);
                continue;
            }
            let is_free = class_name(code, one.by) == class && needs_no_object(scene, code, one.by);
            let block = in_block(code, one.by, &lock).unwrap_or_default();
            let modifier = with_static(code, one.by).filter(|_| is_free);
            let best = modifier.map_or_else(|| block.clone(), |modifier| vec![modifier]);
            fixed.entry(*file).or_default().extend(best);
            blocks.entry(*file).or_default().extend(block);
        }
    }
    let name = scene.code(0).facts.name(variable);
    let why = format!("{} {}, as {name} is static", taking(&names), lock.describe());
    out.add(ConcurrencyOperator::OtherLock, 0.96, fixed, why.clone());
    out.add(ConcurrencyOperator::OtherLock, 0.93, blocks, why);
}

/// Adds `static` before `synchronized`.
fn with_static(code: &Code<'_>, method: NodeIndex) -> Option<Edit> {
    let modifiers = code.bytes(code.child(method, NodeRole::Modifiers)?);
    let at = modifiers.start + code.text.get(modifiers.clone())?.find("synchronized")?;
    Some(Edit::insert(at, "static "))
}

/// Replaces the `synchronized` modifier of a method with a block that acquires another lock.
fn in_block(code: &Code<'_>, method: NodeIndex, lock: &Lock) -> Option<Vec<Edit>> {
    let all = code.children(body(code, method)?);
    let (before, after) = lock.acquire_and_release();
    let block = wrapped(code, (*all.first()?, *all.last()?), (&before, &after), &[])?;
    Some(vec![without_modifier(code, method, "synchronized")?, block])
}

/// Returns true if a method could be static: it uses nothing of an object, and no method overrides it.
fn needs_no_object(scene: &BugContext<'_>, code: &Code<'_>, method: NodeIndex) -> bool {
    let Some(own) = code.node(method).symbol else { return false };
    let symbols = code.facts.symbols();
    let is_related = !code.facts.symbol(own).overridden.is_empty()
        || symbols.iter().any(|other| other.overridden.contains(&own));
    let is_object = |id: NodeIndex| {
        let text = code.written(id);
        let is_member = code.symbol(id).is_some_and(|symbol| {
            matches!(symbol.kind, SymbolKind::Field | SymbolKind::Method)
                && !symbol.flags.has(SymbolFlags::STATIC)
        });
        let is_plain =
            code.is(id, NodeKind::Identifier) && (text == "this" || text == "super" || is_member);
        is_plain || code.is(id, NodeKind::MemberSelect) && text.starts_with("this.")
    };
    let is_referred = scene.files.iter().any(|file| {
        let refers = |id: usize| {
            file.code.is(id, NodeKind::MemberReference) && file.code.node(id).symbol == Some(own)
        };
        (0..file.code.tree.nodes.len()).any(refers)
    });
    !is_related && !is_referred && !below(code, method).any(is_object)
}

/// Returns the acquisition and the release of each `java.util.concurrent` lock in a routine.
pub(crate) fn explicit_locks(code: &Code<'_>, routine: NodeIndex) -> Vec<(NodeIndex, NodeIndex)> {
    let calls = calls_below(code, routine, &["lock"]);
    calls.into_iter().filter_map(|call| Some((call, receiver(code, call)?))).collect()
}
