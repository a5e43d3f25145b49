//! Locks that are held at each place, according to the sources.

use super::calls::{called, calls_below, receiver};
use crate::evidence::bug_context::BugContext;
use crate::fixes::layout::has_modifier;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId};
use std::collections::BTreeMap;

/// A lock, as one writes it where it is taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lock {
    /// The object's own.
    This,
    /// Lock of a class or an object, as in `synchronized (…)`.
    Monitor(String),
    /// One of `java.util.concurrent`.
    Explicit(String),
}

impl Lock {
    pub(crate) fn of_class(name: &str) -> Self {
        Self::Monitor(format!("{name}.class"))
    }

    /// Returns the same lock of another object.
    pub(crate) fn on_object(&self, object: &str) -> Self {
        match self {
            Self::This => Self::Monitor(object.to_owned()),
            Self::Monitor(what) if what.strip_suffix(".class").is_some() => self.clone(),
            Self::Monitor(what) => Self::Monitor(format!("{object}.{what}")),
            Self::Explicit(what) => Self::Explicit(format!("{object}.{what}")),
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

/// Returns the simple name of the class around a node, or of the outer class if that has no name.
pub(crate) fn class_name<'a>(code: &Code<'a>, id: NodeIndex) -> &'a str {
    let classes = code.self_and_ancestors(id).skip(1).filter(|node| code.is_type(*node));
    let mut names =
        classes.filter_map(|class| code.symbol(class)).map(|one| code.facts.text(one.name));
    names.find(|name| !name.is_empty()).unwrap_or_default()
}

/// A lock acquisition: the place and the lock.
#[derive(Clone, Debug)]
pub(crate) struct LockAcquisition {
    pub(crate) lock: Lock,
    /// The method, the `synchronized` statement, the call that takes it, or the `try` where that is not known.
    pub(crate) by: NodeIndex,
}

/// A critical section of a lock of `java.util.concurrent`, in one list of statements.
#[derive(Clone, Debug)]
pub(crate) struct CriticalSection {
    pub(crate) lock: Lock,
    /// The statement that takes it.
    pub(crate) taken: NodeIndex,
    /// The `try` whose `finally` releases the lock, or the statement that releases it.
    pub(crate) given: NodeIndex,
}

/// Returns the sections among the statements of a block.
pub(crate) fn sections(code: &Code<'_>, block: NodeIndex) -> Vec<CriticalSection> {
    let all = code.children(block);
    let section = |taken: &NodeIndex| {
        let lock = on_which(code, *taken, "lock")?;
        let gives_back = |one: &&NodeIndex| {
            on_which(code, **one, "unlock") == Some(lock) || released(code, **one).contains(&lock)
        };
        let given = *all.iter().filter(|one| *one > taken).find(gives_back)?;
        Some(CriticalSection { lock: Lock::Explicit(lock.to_owned()), taken: *taken, given })
    };
    all.iter().filter_map(section).collect()
}

/// Returns the receiver of a statement's call, if the statement is only a call of the method without arguments.
fn on_which<'a>(code: &Code<'a>, statement: NodeIndex, method: &str) -> Option<&'a str> {
    let call = *code.children(statement).first()?;
    let is_plain = code.is(statement, NodeKind::ExpressionStatement)
        && code.is(call, NodeKind::MethodInvocation)
        && called(code, call) == method
        && super::calls::arguments(code, call).is_empty();
    receiver(code, call).filter(|_| is_plain).map(|on| code.written(on))
}

/// Returns the locks held at a node because of enclosing code in its routine, innermost first.
pub(crate) fn held(code: &Code<'_>, id: NodeIndex) -> Vec<LockAcquisition> {
    let mut all = Vec::new();
    let mut inner = id;
    for node in code.self_and_ancestors(id).skip(1) {
        match code.kind(node) {
            NodeKind::LambdaExpression => break,
            NodeKind::Synchronized => {
                let lock = monitor(code, node);
                all.extend(lock.map(|lock| LockAcquisition { lock, by: node }));
            }
            NodeKind::Try => {
                let locks = released(code, node).into_iter();
                let locks = locks.map(|lock| Lock::Explicit(lock.to_owned()));
                let known = sections(code, code.parent(node));
                // One that is taken beside it is found there.
                let is_here =
                    |lock: &Lock| !known.iter().any(|one| one.given == node && one.lock == *lock);
                all.extend(locks.filter(is_here).map(|lock| LockAcquisition { lock, by: node }));
            }
            NodeKind::Block => {
                let around = sections(code, node).into_iter().rev();
                let around = around.filter(|one| (one.taken + 1..=one.given).contains(&inner));
                all.extend(around.map(|one| LockAcquisition { lock: one.lock, by: one.taken }));
            }
            NodeKind::Method => {
                if has_modifier(code, node, "synchronized") {
                    all.push(LockAcquisition { lock: own_lock(code, node), by: node });
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
pub(crate) fn own_lock(code: &Code<'_>, method: NodeIndex) -> Lock {
    let is_static = code.symbol(method).is_some_and(|symbol| symbol.flags.has(SymbolFlags::STATIC));
    if is_static { Lock::of_class(class_name(code, method)) } else { Lock::This }
}

/// Returns the lock of a `synchronized` statement.
pub(crate) fn monitor(code: &Code<'_>, block: NodeIndex) -> Option<Lock> {
    let text = code.written(monitor_of(code, block)?);
    Some(if text == "this" { Lock::This } else { Lock::Monitor(text.to_owned()) })
}

/// Returns the expression whose lock a `synchronized` statement acquires.
pub(crate) fn monitor_of(code: &Code<'_>, block: NodeIndex) -> Option<NodeIndex> {
    let value = code.child(block, NodeRole::Value)?;
    if code.is(value, NodeKind::Parenthesized) {
        code.children(value).first().copied()
    } else {
        Some(value)
    }
}

/// Returns the locks that the `finally` block of a `try` releases.
fn released<'a>(code: &Code<'a>, attempt: NodeIndex) -> Vec<&'a str> {
    let Some(end) =
        code.child(attempt, NodeRole::Finally).filter(|_| code.is(attempt, NodeKind::Try))
    else {
        return Vec::new();
    };
    let calls = calls_below(code, end, &["unlock"]).into_iter();
    calls.filter_map(|call| receiver(code, call)).map(|on| code.written(on)).collect()
}

/// Returns true if a section does not release its lock before its end.
pub(crate) fn is_given_back_once(code: &Code<'_>, section: &CriticalSection) -> bool {
    let is_own = |id: &NodeIndex| {
        code.is(*id, NodeKind::MethodInvocation)
            && called(code, *id) == "unlock"
            && receiver(code, *id)
                .is_some_and(|on| Lock::Explicit(code.written(on).to_owned()) == section.lock)
    };
    (section.taken..code.node(section.given).end).filter(is_own).count() == 1
}

/// Returns true if a `try` only releases one lock in its `finally` block.
pub(crate) fn only_releases(code: &Code<'_>, attempt: NodeIndex) -> bool {
    let Some(end) = code.child(attempt, NodeRole::Finally) else { return false };
    code.children(attempt).len() == 2
        && code.children(end).len() == 1
        && code.children(end).iter().all(|one| on_which(code, *one, "unlock").is_some())
}

/// Returns the lock that a `try` acquires first, and releases in its `finally` block and nowhere else.
pub(crate) fn taken_within(code: &Code<'_>, attempt: NodeIndex) -> Option<Lock> {
    let taken = *code.children(code.child(attempt, NodeRole::Body)?).first()?;
    let lock = on_which(code, taken, "lock")?;
    let section = CriticalSection { lock: Lock::Explicit(lock.to_owned()), taken, given: attempt };
    let is_own = only_releases(code, attempt) && released(code, attempt) == [lock];
    (is_own && is_given_back_once(code, &section)).then_some(section.lock)
}

/// Returns the lock that guards a field at most places with a lock, ignoring constructors.
pub(crate) fn policy(scene: &BugContext<'_>, variable: SymbolId) -> Option<Lock> {
    let mut counts: BTreeMap<Lock, usize> = BTreeMap::new();
    for (file, node) in scene.uses(variable) {
        let code = scene.code(file);
        for LockAcquisition { lock, by } in held(code, node) {
            if !is_fresh(code, by) {
                *counts.entry(seen_from(code, node, lock)).or_default() += 1;
            }
        }
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map(|(lock, _)| lock)
}

/// Returns the lock of a collection that locks each call, for use around several calls or an iteration.
pub(crate) fn of_collection(scene: &BugContext<'_>, variable: SymbolId) -> Option<Lock> {
    let (file, declared) = scene.declaration(variable)?;
    let code = scene.code(file);
    let value = code.child(declared, NodeRole::Value)?;
    let from = receiver(code, value).map_or("", |on| code.type_of(on));
    let is_own = from == "java.util.Collections" && called(code, value).starts_with("synchronized");
    is_own.then(|| Lock::Monitor(code.facts.name(variable).to_owned()))
}

/// Returns a lock in terms of the accessed object: its own lock if that object is locked.
fn seen_from(code: &Code<'_>, access: NodeIndex, lock: Lock) -> Lock {
    let on =
        code.children(access).first().copied().filter(|_| code.is(access, NodeKind::MemberSelect));
    let Some(object) = on.map(|on| code.written(on)) else { return lock };
    let member = |what: &str| what.strip_prefix(object)?.strip_prefix('.').map(str::to_owned);
    match &lock {
        Lock::Monitor(what) if what == object => Lock::This,
        Lock::Monitor(what) => member(what).map_or(lock, Lock::Monitor),
        Lock::Explicit(what) => member(what).map_or(lock, Lock::Explicit),
        Lock::This => lock,
    }
}

/// Returns true if a `synchronized` statement acquires a lock that its own routine has just created.
pub(crate) fn is_fresh(code: &Code<'_>, block: NodeIndex) -> bool {
    fresh(code, block).is_some()
}

/// Returns the variable with the lock that its routine has just created.
pub(crate) fn fresh(code: &Code<'_>, block: NodeIndex) -> Option<NodeIndex> {
    let symbol = code.node(monitor_of(code, block)?).symbol?;
    let routine = super::calls::routine(code, block)?;
    let declares = |id: &NodeIndex| {
        code.is(*id, NodeKind::Variable)
            && code.node(*id).symbol == Some(symbol)
            && code
                .child(*id, NodeRole::Value)
                .is_some_and(|value| code.is(value, NodeKind::NewClass))
    };
    super::calls::below(code, routine).find(declares)
}
