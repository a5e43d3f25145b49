//! Locks held at each point of the sources, and the locks that guard fields.

use super::calls::{find_calls, has_modifier, method_name, receiver};
use crate::evidence::bug_context::BugContext;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId};
use std::collections::BTreeMap;

/// Lock, as written where it is acquired.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lock {
    /// Monitor of the current object.
    This,
    /// Monitor of a class or another object, as in `synchronized (…)`.
    Monitor(String),
    /// Lock of `java.util.concurrent`.
    Explicit(String),
}

impl Lock {
    pub(crate) fn from_class(name: &str) -> Self {
        Self::Monitor(format!("{name}.class"))
    }

    /// Returns the same lock of another object.
    pub(crate) fn on_object(&self, object: &str) -> Self {
        match self {
            Self::This => Self::Monitor(object.to_owned()),
            Self::Monitor(expression) if expression.strip_suffix(".class").is_some() => {
                self.clone()
            }
            Self::Monitor(expression) => Self::Monitor(format!("{object}.{expression}")),
            Self::Explicit(expression) => Self::Explicit(format!("{object}.{expression}")),
        }
    }

    /// Returns the code before and after a critical section.
    pub(crate) fn acquire_and_release(&self) -> (String, String) {
        match self {
            Self::This => ("synchronized (this) {".to_owned(), "}".to_owned()),
            Self::Monitor(what) => (format!("synchronized ({what}) {{"), "}".to_owned()),
            Self::Explicit(what) => (
                format!("{what}.lock();\ntry {{"),
                format!("}} finally {{\n    {what}.unlock();\n}}"),
            ),
        }
    }

    /// Describes the lock for people.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::This => "the object's own lock".to_owned(),
            Self::Monitor(what) => match what.strip_suffix(".class") {
                Some(class) => format!("the lock of the class {class}"),
                None => format!("the lock of {what}"),
            },
            Self::Explicit(what) => format!("the lock {what}"),
        }
    }
}

/// Returns the simple name of the class around a node; for an anonymous class, that of its outer class.
pub(crate) fn class_name<'a>(code: &Code<'a>, id: NodeIndex) -> &'a str {
    let classes =
        code.self_and_ancestors(id).skip(1).filter(|node| code.is_type_declaration(*node));
    let mut names =
        classes.filter_map(|class| code.symbol(class)).map(|one| code.facts.text(one.name));
    names.find(|name| !name.is_empty()).unwrap_or_default()
}

/// A lock acquisition: the lock and where it is acquired.
#[derive(Clone, Debug)]
pub(crate) struct LockAcquisition {
    pub(crate) lock: Lock,
    /// The method, the `synchronized` statement or the call that acquires it; the `try` if that is unknown.
    pub(crate) acquisition: NodeIndex,
}

/// A critical section of a lock of `java.util.concurrent`, in one list of statements.
#[derive(Clone, Debug)]
pub(crate) struct CriticalSection {
    pub(crate) lock: Lock,
    /// The statement that acquires the lock.
    pub(crate) acquisition: NodeIndex,
    /// The `try` whose `finally` releases the lock, or the statement that releases it.
    pub(crate) release: NodeIndex,
}

/// Returns the sections among the statements of a block.
pub(crate) fn find_sections(code: &Code<'_>, block: NodeIndex) -> Vec<CriticalSection> {
    let all = code.children(block);
    let section = |taken: &NodeIndex| {
        let lock = plain_call_receiver(code, *taken, "lock")?;
        let releases = |one: &&NodeIndex| {
            plain_call_receiver(code, **one, "unlock") == Some(lock)
                || released_locks(code, **one).contains(&lock)
        };
        let release = *all.iter().filter(|one| *one > taken).find(releases)?;
        Some(CriticalSection {
            lock: Lock::Explicit(lock.to_owned()),
            acquisition: *taken,
            release,
        })
    };
    all.iter().filter_map(section).collect()
}

/// Returns the receiver of a statement's call, if the statement is only a call of the method without arguments.
pub(crate) fn plain_call_receiver<'a>(
    code: &Code<'a>,
    statement: NodeIndex,
    method: &str,
) -> Option<&'a str> {
    let call = *code.children(statement).first()?;
    let is_plain = code.has_kind(statement, NodeKind::ExpressionStatement)
        && code.has_kind(call, NodeKind::MethodInvocation)
        && method_name(code, call) == method
        && super::calls::arguments(code, call).is_empty();
    receiver(code, call).filter(|_| is_plain).map(|on| code.source_text(on))
}

/// Returns the locks held at a node because of enclosing code in its routine, innermost first.
pub(crate) fn held_locks(code: &Code<'_>, id: NodeIndex) -> Vec<LockAcquisition> {
    let mut all = Vec::new();
    let mut inner = id;
    for node in code.self_and_ancestors(id).skip(1) {
        match code.kind(node) {
            NodeKind::LambdaExpression => break,
            NodeKind::Synchronized => {
                let lock = monitor_lock(code, node);
                all.extend(lock.map(|lock| LockAcquisition { lock, acquisition: node }));
            }
            NodeKind::Try => {
                let locks = released_locks(code, node).into_iter();
                let locks = locks.map(|lock| Lock::Explicit(lock.to_owned()));
                let known = find_sections(code, code.parent(node));
                // A lock acquired directly before the `try` is found among the sections of the block.
                let is_acquired_elsewhere =
                    |lock: &Lock| !known.iter().any(|one| one.release == node && one.lock == *lock);
                all.extend(
                    locks
                        .filter(is_acquired_elsewhere)
                        .map(|lock| LockAcquisition { lock, acquisition: node }),
                );
            }
            NodeKind::Block => {
                let enclosing = find_sections(code, node).into_iter().rev();
                let enclosing =
                    enclosing.filter(|one| (one.acquisition + 1..=one.release).contains(&inner));
                all.extend(
                    enclosing.map(|one| LockAcquisition {
                        lock: one.lock,
                        acquisition: one.acquisition,
                    }),
                );
            }
            NodeKind::Method => {
                if has_modifier(code, node, "synchronized") {
                    all.push(LockAcquisition { lock: method_lock(code, node), acquisition: node });
                }
                break;
            }
            _ => {}
        }
        inner = node;
    }
    all
}

/// Returns the lock that a `synchronized` method acquires, or would acquire.
pub(crate) fn method_lock(code: &Code<'_>, method: NodeIndex) -> Lock {
    let is_static = code.symbol(method).is_some_and(|symbol| symbol.flags.has(SymbolFlags::STATIC));
    if is_static { Lock::from_class(class_name(code, method)) } else { Lock::This }
}

/// Returns the lock of a `synchronized` statement.
pub(crate) fn monitor_lock(code: &Code<'_>, block: NodeIndex) -> Option<Lock> {
    let text = code.source_text(monitor_expression(code, block)?);
    Some(if text == "this" { Lock::This } else { Lock::Monitor(text.to_owned()) })
}

/// Returns the expression whose lock a `synchronized` statement acquires.
pub(crate) fn monitor_expression(code: &Code<'_>, block: NodeIndex) -> Option<NodeIndex> {
    let value = code.child(block, NodeRole::Value)?;
    if code.has_kind(value, NodeKind::Parenthesized) {
        code.children(value).first().copied()
    } else {
        Some(value)
    }
}

/// Returns the locks that the `finally` block of a `try` releases.
fn released_locks<'a>(code: &Code<'a>, attempt: NodeIndex) -> Vec<&'a str> {
    let Some(end) =
        code.child(attempt, NodeRole::Finally).filter(|_| code.has_kind(attempt, NodeKind::Try))
    else {
        return Vec::new();
    };
    let calls = find_calls(code, end, &["unlock"]).into_iter();
    calls.filter_map(|call| receiver(code, call)).map(|on| code.source_text(on)).collect()
}

/// Returns true if a section does not release its lock before its end.
pub(crate) fn is_released_once(code: &Code<'_>, section: &CriticalSection) -> bool {
    let is_own = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::MethodInvocation)
            && method_name(code, *id) == "unlock"
            && receiver(code, *id)
                .is_some_and(|on| Lock::Explicit(code.source_text(on).to_owned()) == section.lock)
    };
    (section.acquisition..code.node(section.release).subtree_end).filter(is_own).count() == 1
}

/// Returns true if a `try` only releases one lock in its `finally` block.
pub(crate) fn only_releases_lock(code: &Code<'_>, attempt: NodeIndex) -> bool {
    let Some(end) = code.child(attempt, NodeRole::Finally) else { return false };
    code.children(attempt).len() == 2
        && code.children(end).len() == 1
        && code.children(end).iter().all(|one| plain_call_receiver(code, *one, "unlock").is_some())
}

/// Returns the lock that a `try` acquires first, and releases in its `finally` block and nowhere else.
pub(crate) fn lock_acquired_in_try(code: &Code<'_>, attempt: NodeIndex) -> Option<Lock> {
    let first = *code.children(code.child(attempt, NodeRole::Body)?).first()?;
    let lock = plain_call_receiver(code, first, "lock")?;
    let section = CriticalSection {
        lock: Lock::Explicit(lock.to_owned()),
        acquisition: first,
        release: attempt,
    };
    let is_own = only_releases_lock(code, attempt) && released_locks(code, attempt) == [lock];
    (is_own && is_released_once(code, &section)).then_some(section.lock)
}

/// Returns the lock that guards a field at most places with a lock, ignoring constructors.
pub(crate) fn guarding_lock(context: &BugContext<'_>, variable: SymbolId) -> Option<Lock> {
    let mut counts: BTreeMap<Lock, usize> = BTreeMap::new();
    for (file, node) in context.uses(variable) {
        let code = context.code(file);
        for LockAcquisition { lock, acquisition: by } in held_locks(code, node) {
            if !is_on_new_object(code, by) {
                *counts.entry(relative_to_access(code, node, lock)).or_default() += 1;
            }
        }
    }
    let most_frequent = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most_frequent.map(|(lock, _)| lock)
}

/// Returns the lock of a collection that locks each call, for use around several calls or an iteration.
pub(crate) fn collection_lock(context: &BugContext<'_>, variable: SymbolId) -> Option<Lock> {
    let (file, declared) = context.declaration(variable)?;
    let code = context.code(file);
    let value = code.child(declared, NodeRole::Value)?;
    let factory_class = receiver(code, value).map_or("", |on| code.type_of(on));
    let is_synchronized_wrapper = factory_class == "java.util.Collections"
        && method_name(code, value).starts_with("synchronized");
    is_synchronized_wrapper.then(|| Lock::Monitor(code.facts.name(variable).to_owned()))
}

/// Returns a lock in terms of the accessed object: its own lock if that object is locked.
fn relative_to_access(code: &Code<'_>, access: NodeIndex, lock: Lock) -> Lock {
    let on = code
        .children(access)
        .first()
        .copied()
        .filter(|_| code.has_kind(access, NodeKind::MemberSelect));
    let Some(object) = on.map(|on| code.source_text(on)) else { return lock };
    let member = |what: &str| what.strip_prefix(object)?.strip_prefix('.').map(str::to_owned);
    match &lock {
        Lock::Monitor(what) if what == object => Lock::This,
        Lock::Monitor(what) => member(what).map_or(lock, Lock::Monitor),
        Lock::Explicit(what) => member(what).map_or(lock, Lock::Explicit),
        Lock::This => lock,
    }
}

/// Returns true if a `synchronized` statement acquires a lock that its own routine has just created.
pub(crate) fn is_on_new_object(code: &Code<'_>, block: NodeIndex) -> bool {
    newly_created_lock(code, block).is_some()
}

/// Returns the variable with the lock that its routine has just created.
pub(crate) fn newly_created_lock(code: &Code<'_>, block: NodeIndex) -> Option<NodeIndex> {
    let symbol = code.node(monitor_expression(code, block)?).symbol?;
    let routine = super::calls::enclosing_routine(code, block)?;
    let declares = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::Variable)
            && code.node(*id).symbol == Some(symbol)
            && code
                .child(*id, NodeRole::Value)
                .is_some_and(|value| code.has_kind(value, NodeKind::NewClass))
    };
    super::calls::descendants(code, routine).find(declares)
}
