//! Which locks are held where, as the sources say.

use super::calls::{calls_below, receiver};
use super::layout::has_modifier;
use super::scene::Scene;
use crate::facts::{Flags, NodeIndex, Role, SymbolId};
use crate::repair::code::Code;
use std::collections::BTreeMap;

/// A lock, as one writes it where it is taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lock {
    /// The object's own.
    This,
    /// That of a class, or of an object, as in `synchronized (…)`.
    Monitor(String),
    /// One of `java.util.concurrent`.
    Explicit(String),
}

impl Lock {
    pub(super) fn of_class(name: &str) -> Self {
        Self::Monitor(format!("{name}.class"))
    }

    /// The same lock of another object.
    pub(super) fn of(&self, object: &str) -> Self {
        match self {
            Self::This => Self::Monitor(object.to_owned()),
            Self::Monitor(what) if what.strip_suffix(".class").is_some() => self.clone(),
            Self::Monitor(what) => Self::Monitor(format!("{object}.{what}")),
            Self::Explicit(what) => Self::Explicit(format!("{object}.{what}")),
        }
    }

    /// What comes before and after what is done under it.
    pub(super) fn around(&self) -> (String, String) {
        match self {
            Self::This => ("synchronized (this) {".to_owned(), "}".to_owned()),
            Self::Monitor(what) => (format!("synchronized ({what}) {{"), "}".to_owned()),
            Self::Explicit(what) => (
                format!("{what}.lock();\ntry {{"),
                format!("}} finally {{\n    {what}.unlock();\n}}"),
            ),
        }
    }

    /// In words.
    pub(super) fn told(&self) -> String {
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

/// The simple name of the class that a node lies in, or of the one around that where it has none.
pub(super) fn class_name<'a>(code: &Code<'a>, id: NodeIndex) -> &'a str {
    let classes = code.around(id).skip(1).filter(|node| code.is_type(*node));
    let mut names =
        classes.filter_map(|class| code.symbol(class)).map(|one| code.facts.text(one.name));
    names.find(|name| !name.is_empty()).unwrap_or_default()
}

/// Where a lock is taken, and which.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) lock: Lock,
    /// The method, the `synchronized` statement or the `try`.
    pub(super) by: NodeIndex,
}

/// The locks that are held at a node because of what stands around it in its routine, innermost first.
pub(super) fn held(code: &Code<'_>, id: NodeIndex) -> Vec<Held> {
    let mut all = Vec::new();
    for node in code.around(id).skip(1) {
        match code.kind(node) {
            "LAMBDA_EXPRESSION" => break,
            "SYNCHRONIZED" => {
                let lock = monitor(code, node);
                all.extend(lock.map(|lock| Held { lock, by: node }));
            }
            "TRY" => {
                let lock = released(code, node).map(Lock::Explicit);
                all.extend(lock.map(|lock| Held { lock, by: node }));
            }
            "METHOD" => {
                if has_modifier(code, node, "synchronized") {
                    all.push(Held { lock: own_lock(code, node), by: node });
                }
                break;
            }
            _ => {}
        }
    }
    all
}

/// The lock that a `synchronized` method takes, or would take.
pub(super) fn own_lock(code: &Code<'_>, method: NodeIndex) -> Lock {
    let is_static = code.symbol(method).is_some_and(|symbol| symbol.flags.has(Flags::STATIC));
    if is_static { Lock::of_class(class_name(code, method)) } else { Lock::This }
}

/// The lock of a `synchronized` statement.
pub(super) fn monitor(code: &Code<'_>, block: NodeIndex) -> Option<Lock> {
    let text = code.written(monitor_of(code, block)?);
    Some(if text == "this" { Lock::This } else { Lock::Monitor(text.to_owned()) })
}

/// The expression that a `synchronized` statement takes the lock of.
pub(super) fn monitor_of(code: &Code<'_>, block: NodeIndex) -> Option<NodeIndex> {
    let value = code.child(block, Role::Value)?;
    if code.is(value, "PARENTHESIZED") {
        code.children(value).first().copied()
    } else {
        Some(value)
    }
}

/// The lock that a `try` gives back at its end.
fn released(code: &Code<'_>, attempt: NodeIndex) -> Option<String> {
    let end = code.child(attempt, Role::Finally)?;
    let call = *calls_below(code, end, &["unlock"]).first()?;
    Some(code.written(receiver(code, call)?).to_owned())
}

/// The lock that guards a field at most of the places where one is held, constructors aside.
pub(super) fn policy(scene: &Scene<'_>, variable: SymbolId) -> Option<Lock> {
    let mut counts: BTreeMap<Lock, usize> = BTreeMap::new();
    for (file, node) in scene.uses(variable) {
        let code = scene.code(file);
        for Held { lock, by } in held(code, node) {
            let is_fresh = is_fresh(code, by);
            if !is_fresh {
                *counts.entry(lock).or_default() += 1;
            }
        }
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map(|(lock, _)| lock)
}

/// Whether a `synchronized` statement takes a lock that its own routine has just made.
pub(super) fn is_fresh(code: &Code<'_>, block: NodeIndex) -> bool {
    fresh(code, block).is_some()
}

/// The variable with the lock that its own routine has just made.
pub(super) fn fresh(code: &Code<'_>, block: NodeIndex) -> Option<NodeIndex> {
    let symbol = code.node(monitor_of(code, block)?).symbol?;
    let routine = super::calls::routine(code, block)?;
    let declares = |id: &NodeIndex| {
        code.is(*id, "VARIABLE")
            && code.node(*id).symbol == Some(symbol)
            && code.child(*id, Role::Value).is_some_and(|value| code.is(value, "NEW_CLASS"))
    };
    super::calls::below(code, routine).find(declares)
}
