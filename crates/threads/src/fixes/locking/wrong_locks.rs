//! Fix operators for locks that do not exclude the other threads: use a common, permanent or class-wide lock.

use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    block_body, declared_type, descendants, enclosing_routine, find_calls, is_write, method_name,
    receiver, runs_with,
};
use crate::evidence::locks::{
    Lock, class_name, held_locks, monitor_expression, monitor_lock, newly_created_lock,
};
use crate::fixes::layout::{
    insert_field_before, remove_modifier, remove_statement, wrap_statements,
};
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{
    FileNode, NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind,
};
use mend_model::join_with_and;
use std::collections::BTreeSet;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for variable in context.accessed_fields() {
        let uses: Vec<FileNode> = context
            .uses(variable)
            .into_iter()
            .filter(|(file, _)| !context.files[*file].is_test)
            .collect();
        propose_lock_field(context, &uses, out);
        propose_common_monitor(context, &uses, variable, out);
        propose_common_explicit_lock(context, &uses, variable, out);
        propose_write_locks(context, &uses, out);
        if context.is_static(variable) {
            propose_class_lock(context, &uses, variable, out);
        }
    }
}

/// Makes a newly created lock a field.
fn propose_lock_field(
    context: &BugContext<'_>,
    uses: &[FileNode],
    out: &mut CandidateCollector<'_>,
) {
    for (file, node) in uses {
        let code = context.code(*file);
        for one in held_locks(code, *node) {
            let Some(local) = newly_created_lock(code, one.acquisition) else { continue };
            let (Some(method), Some(symbol)) = (code.enclosing_method(local), code.symbol(local))
            else {
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
            let value = code.source_text(value);
            let field = format!("private {is_static}final {ty} {name} = {value};");
            let field = insert_field_before(code, first, &field);
            let edits = vec![field, remove_statement(code, local)];
            let why = format!(
                "{name} in {} becomes one lock for all threads; before, each call created its own",
                routine_title(code, method)
            );
            out.add_in(*file, ConcurrencyOperator::OtherLock, 0.95, edits, why);
        }
    }
}

/// Returns the first field or method of the class around a node.
fn first_member(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    let class = code.enclosing_type(id)?;
    let members = code.children(class).into_iter();
    let mut members = members.filter(|one| code.role(*one) == NodeRole::Member);
    members.find(|one| matches!(code.kind(*one), NodeKind::Variable | NodeKind::Method))
}

/// Uses one lock if several locks guard the accesses to a variable.
fn propose_common_monitor(
    context: &BugContext<'_>,
    uses: &[FileNode],
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    let mut blocks: BTreeSet<FileNode> = BTreeSet::new();
    for (file, node) in uses {
        let code = context.code(*file);
        let held = held_locks(code, *node).into_iter().map(|one| one.acquisition);
        blocks.extend(
            held.filter(|by| code.has_kind(*by, NodeKind::Synchronized)).map(|by| (*file, by)),
        );
    }
    let locks: BTreeSet<Lock> = blocks
        .iter()
        .filter(|(file, by)| newly_created_lock(context.code(*file), *by).is_none())
        .filter_map(|(file, by)| monitor_lock(context.code(*file), *by))
        .collect();
    let name = context.code(0).facts.name(variable);
    for lock in locks.iter().filter(|_| locks.len() > 1) {
        let text = match lock {
            Lock::This => "this",
            Lock::Monitor(text) | Lock::Explicit(text) => text,
        };
        let mut edits = EditsByFile::new();
        let holds_lock = |code: &Code<'_>, by: NodeIndex| {
            held_locks(code, by).iter().any(|around| around.lock == *lock)
        };
        for (file, by) in blocks.iter().filter(|(file, by)| !holds_lock(context.code(*file), *by)) {
            let code = context.code(*file);
            let at = monitor_expression(code, *by).filter(|at| code.source_text(*at) != text);
            let edit = at.map(|at| Edit::replace(code.bytes(at), text));
            edits.entry(*file).or_default().extend(edit);
        }
        let why = format!("all blocks that guard {name} acquire {}", lock.describe());
        // The lock that comes first in the file is the most likely one.
        let is_first_lock =
            blocks.iter().next().and_then(|(file, by)| monitor_lock(context.code(*file), *by))
                == Some(lock.clone());
        out.add(ConcurrencyOperator::OtherLock, if is_first_lock { 0.95 } else { 0.9 }, edits, why);
    }
}

/// A routine that uses exactly one lock of `java.util.concurrent`.
struct LockUse<'a> {
    file: usize,
    routine: NodeIndex,
    lock: &'a str,
    uses: Vec<NodeIndex>,
}

/// Uses one lock of `java.util.concurrent` if each routine that accesses a variable uses another one. A routine can
/// also pass the lock to a method that acquires it.
fn propose_common_explicit_lock(
    context: &BugContext<'_>,
    uses: &[FileNode],
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    let routines: BTreeSet<FileNode> = uses
        .iter()
        .filter_map(|(file, node)| Some((*file, enclosing_routine(context.code(*file), *node)?)))
        .collect();
    let lock_use = |(file, routine): FileNode| {
        let (code, names) = (context.code(file), explicit_lock_uses(context.code(file), routine));
        let lock = code.source_text(*names.first()?);
        let is_one = names.iter().all(|id| code.source_text(*id) == lock);
        is_one.then_some(LockUse { file, routine, lock, uses: names })
    };
    let all: Vec<LockUse<'_>> = routines.into_iter().filter_map(lock_use).collect();
    let name = context.code(0).facts.name(variable);
    for LockUse { lock, .. } in &all {
        let others = || all.iter().filter(|other| other.lock != *lock);
        if !others().all(|other| is_used_only_in(context, other, &all)) {
            continue;
        }
        let mut edits = EditsByFile::new();
        for other in others() {
            let code = context.code(other.file);
            let taken = other.uses.iter().map(|id| Edit::replace(code.bytes(*id), *lock));
            edits.entry(other.file).or_default().extend(taken);
        }
        let other_routines =
            others().map(|other| routine_title(context.code(other.file), other.routine)).collect();
        let why = format!(
            "{} the lock {lock}, as the other accesses to {name} do",
            describe_acquirers(&other_routines)
        );
        // The lock that comes first in the file is the most likely one.
        let is_first_lock = all.first().is_some_and(|first| first.lock == *lock);
        out.add(ConcurrencyOperator::OtherLock, if is_first_lock { 0.95 } else { 0.9 }, edits, why);
    }
}

/// Describes the routines that acquire a lock.
fn describe_acquirers(names: &BTreeSet<String>) -> String {
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("{} {}", join_with_and(&all), if all.len() == 1 { "acquires" } else { "acquire" })
}

/// Returns true if a lock is used only in these routines and in its creation: a lock that other code uses has another
/// purpose.
fn is_used_only_in(context: &BugContext<'_>, lock_use: &LockUse<'_>, all: &[LockUse<'_>]) -> bool {
    let lock = lock_use.uses.first().and_then(|id| context.code(lock_use.file).node(*id).symbol);
    lock.is_some_and(|lock| {
        context.uses(lock).into_iter().all(|(file, id)| {
            let code = context.code(file);
            let home = enclosing_routine(code, id);
            let is_home = |one: &LockUse<'_>| one.file == file && Some(one.routine) == home;
            is_write(code, id) || all.iter().any(is_home)
        })
    })
}

/// Returns the uses of `java.util.concurrent` lock fields in a routine that do not name an object.
fn explicit_lock_uses(code: &Code<'_>, routine: NodeIndex) -> Vec<NodeIndex> {
    const LOCK_CLASSES: [&str; 2] =
        ["java.util.concurrent.locks.Lock", "java.util.concurrent.locks.ReentrantLock"];
    let is_lock = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::Identifier)
            && code.symbol(*id).is_some_and(|one| one.kind == SymbolKind::Field)
            && LOCK_CLASSES.contains(&code.type_of(*id))
            && runs_with(code, *id, routine)
    };
    descendants(code, routine).filter(is_lock).collect()
}

/// Replaces the read lock by the write lock around a write.
fn propose_write_locks(
    context: &BugContext<'_>,
    uses: &[FileNode],
    out: &mut CandidateCollector<'_>,
) {
    for (file, node) in uses {
        let code = context.code(*file);
        let Some(routine) = enclosing_routine(code, *node).filter(|_| is_write(code, *node)) else {
            continue;
        };
        let calls = descendants(code, routine).filter(|id| {
            code.has_kind(*id, NodeKind::MethodInvocation) && method_name(code, *id) == "readLock"
        });
        let edits: Vec<Edit> =
            calls.filter_map(|call| replace_method_name(code, call, "writeLock")).collect();
        let why = format!(
            "{} writes shared state, so it acquires the write lock",
            routine_title(code, routine)
        );
        out.add_in(*file, ConcurrencyOperator::OtherLock, 0.97, edits, why);
    }
}

/// Replaces the method of a call, on the same object.
pub(crate) fn replace_method_name(code: &Code<'_>, call: NodeIndex, name: &str) -> Option<Edit> {
    let callee = code.child(call, NodeRole::Callee)?;
    let end = code.bytes(callee).end;
    let start = end.checked_sub(method_name(code, call).len())?;
    (code.text.get(start..end)? == method_name(code, call)).then(|| Edit::replace(start..end, name))
}

/// Guards static state with the lock of the class instead of the lock of an object.
fn propose_class_lock(
    context: &BugContext<'_>,
    uses: &[FileNode],
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    let (mut preferred, mut blocks) = (EditsByFile::new(), EditsByFile::new());
    let Some((home, declared)) = context.declaration(variable) else { return };
    let class = class_name(context.code(home), declared);
    let lock = Lock::from_class(class);
    let mut names = BTreeSet::new();
    for (file, node) in uses {
        let code = context.code(*file);
        for one in held_locks(code, *node).into_iter().filter(|one| one.lock == Lock::This) {
            names.insert(routine_title(code, one.acquisition));
            if code.has_kind(one.acquisition, NodeKind::Synchronized) {
                let edit = monitor_expression(code, one.acquisition)
                    .map(|at| Edit::replace(code.bytes(at), format!("{class}.class")));
                preferred.entry(*file).or_default().extend(edit.clone());
                blocks.entry(*file).or_default().extend(edit);
                continue;
            }
            let is_free = class_name(code, one.acquisition) == class
                && can_be_static(context, code, one.acquisition);
            let block = move_lock_into_block(code, one.acquisition, &lock).unwrap_or_default();
            let modifier = add_static(code, one.acquisition).filter(|_| is_free);
            let best = modifier.map_or_else(|| block.clone(), |modifier| vec![modifier]);
            preferred.entry(*file).or_default().extend(best);
            blocks.entry(*file).or_default().extend(block);
        }
    }
    let name = context.code(0).facts.name(variable);
    let why = format!("{} {}, as {name} is static", describe_acquirers(&names), lock.describe());
    out.add(ConcurrencyOperator::OtherLock, 0.96, preferred, why.clone());
    out.add(ConcurrencyOperator::OtherLock, 0.93, blocks, why);
}

/// Adds `static` before `synchronized`.
fn add_static(code: &Code<'_>, method: NodeIndex) -> Option<Edit> {
    let modifiers = code.bytes(code.child(method, NodeRole::Modifiers)?);
    let at = modifiers.start + code.text.get(modifiers.clone())?.find("synchronized")?;
    Some(Edit::insert(at, "static "))
}

/// Replaces the `synchronized` modifier of a method with a block that acquires another lock.
fn move_lock_into_block(code: &Code<'_>, method: NodeIndex, lock: &Lock) -> Option<Vec<Edit>> {
    let all = code.children(block_body(code, method)?);
    let (before, after) = lock.acquire_and_release();
    let block = wrap_statements(code, (*all.first()?, *all.last()?), (&before, &after), &[])?;
    Some(vec![remove_modifier(code, method, "synchronized")?, block])
}

/// Returns true if a method could be static: it uses nothing of an object, and no method overrides it.
fn can_be_static(context: &BugContext<'_>, code: &Code<'_>, method: NodeIndex) -> bool {
    let Some(own) = code.node(method).symbol else { return false };
    let symbols = code.facts.symbols();
    let is_related = !code.facts.symbol(own).overridden.is_empty()
        || symbols.iter().any(|other| other.overridden.contains(&own));
    let is_object = |id: NodeIndex| {
        let text = code.source_text(id);
        let is_member = code.symbol(id).is_some_and(|symbol| {
            matches!(symbol.kind, SymbolKind::Field | SymbolKind::Method)
                && !symbol.flags.has(SymbolFlags::STATIC)
        });
        let is_plain = code.has_kind(id, NodeKind::Identifier)
            && (text == "this" || text == "super" || is_member);
        is_plain || code.has_kind(id, NodeKind::MemberSelect) && text.starts_with("this.")
    };
    let is_referred = context.files.iter().any(|file| {
        let refers = |id: usize| {
            file.code.has_kind(id, NodeKind::MemberReference)
                && file.code.node(id).symbol == Some(own)
        };
        (0..file.code.tree.nodes.len()).any(refers)
    });
    !is_related && !is_referred && !descendants(code, method).any(is_object)
}

/// Returns the acquisition and the release of each `java.util.concurrent` lock in a routine.
pub(crate) fn explicit_acquisitions(
    code: &Code<'_>,
    routine: NodeIndex,
) -> Vec<(NodeIndex, NodeIndex)> {
    let calls = find_calls(code, routine, &["lock"]);
    calls.into_iter().filter_map(|call| Some((call, receiver(code, call)?))).collect()
}
