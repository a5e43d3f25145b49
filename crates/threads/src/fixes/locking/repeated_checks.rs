//! Double-checked form of a lock on an object that is passed around: the check runs without the lock, as before, and
//! again under the lock that is held for the change.

use super::synchronized::unwrap_inner_locks;
use crate::evidence::calls::{descendants, is_write, starts_or_awaits_threads};
use crate::evidence::locks::{Lock, held_locks};
use crate::evidence::regions::AtomicRegion;
use crate::fixes::layout::{indent_unit, insert_line_before, wrap_nested, wrap_statements};
use mend_java::code::purity::is_pure_text;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::{Code, Edit};

/// A check of an object's state, and the change that depends on it.
#[derive(Clone, Debug)]
pub(crate) struct CheckedChange {
    /// Reads of the state before the change.
    pub(crate) reads: Vec<NodeIndex>,
    /// Last of the reads that a branch or loop depends on.
    pub(crate) last_check: NodeIndex,
    /// Accesses from the first change to the last.
    pub(crate) change: AtomicRegion,
}

impl CheckedChange {
    /// Returns the region from the first check to the last change.
    pub(crate) fn whole_region(&self) -> AtomicRegion {
        let nodes = self.reads.iter().chain(&self.change.nodes).copied().collect();
        AtomicRegion { nodes, ..self.change.clone() }
    }
}

/// Returns the edits that hold a lock for the change and repeat the check under it; `None` if the change follows the
/// check at once, or the check cannot be repeated.
pub(crate) fn repeat_check(
    code: &Code<'_>,
    checked: &CheckedChange,
    lock: &Lock,
) -> Option<Vec<Edit>> {
    let check = RepeatableCheck::find(code, checked)?;
    let (first, last) = checked.change.statement_range(code)?;
    if let Some(block) = locking_block(code, first, lock) {
        // A check in the block is made under the lock already, and a change outside stays unlocked.
        let is_inside = |id: NodeIndex| (block..code.node(block).subtree_end).contains(&id);
        let is_complete =
            !is_inside(check.choice) && checked.change.nodes.iter().all(|id| is_inside(*id));
        return if is_complete { check.repeat_in(code, block) } else { None };
    }
    let last = if check.exits { last } else { *code.children(code.parent(first)).last()? };
    let siblings = code.children(code.parent(first)).into_iter();
    let statements: Vec<NodeIndex> = siblings.filter(|id| (first..=last).contains(id)).collect();
    let can_wait = statements.iter().any(|id| starts_or_awaits_threads(code, *id));
    if can_wait || check.precedes_at_once(code, first) {
        return None;
    }
    let mut inner = unwrap_inner_locks(code, &statements, lock);
    let (before, after) = lock.acquire_and_release();
    let own = (before.as_str(), after.as_str());
    let edit = if check.exits {
        inner.push(insert_line_before(code, first, &check.text(code)));
        wrap_statements(code, (first, last), own, &inner)
    } else {
        let choice = format!("if {} {{", check.text(code));
        wrap_nested(code, (first, last), &[own, (&choice, "}")], &inner)
    };
    Some(vec![edit?])
}

/// An `if` statement whose condition can be evaluated again.
struct RepeatableCheck {
    choice: NodeIndex,
    /// True if the statement leaves the method unless the change may follow; otherwise it contains the change.
    exits: bool,
    /// Uses of a local variable that keeps the checked state.
    copies: Vec<NodeIndex>,
    /// Expression that reads the state.
    read: NodeIndex,
}

impl RepeatableCheck {
    fn find(code: &Code<'_>, checked: &CheckedChange) -> Option<Self> {
        let read = checked.last_check;
        let copies = checked_copy(code, checked.change.routine, read).unwrap_or_default();
        let mut checks = copies.iter().copied().chain([read]);
        let condition = checks.find_map(|id| enclosing_condition(code, id))?;
        let choice = code.parent(condition);
        let then = code.child(choice, NodeRole::Then)?;
        let has_else = code.child(choice, NodeRole::Else).is_some();
        let holds =
            |outer: NodeIndex, id: NodeIndex| (outer..code.node(outer).subtree_end).contains(&id);
        let change = *checked.change.nodes.first()?;
        let exits = !holds(choice, change);
        let is_usable = if exits {
            !has_else && is_exit(code, then) && holds(code.parent(choice), change)
        } else {
            !has_else && code.has_kind(then, NodeKind::Block) && holds(then, change)
        };
        let is_pure = !descendants(code, condition).any(|id| is_write(code, id))
            && is_pure_text(code.facts, code.source_text(condition))
            && is_pure_text(code.facts, code.source_text(read));
        // The expression replaces its copy, where another type would change the arithmetic.
        let is_same_type = copies.iter().all(|id| code.type_of(*id) == code.type_of(read));
        let is_plain = code.has_kind(choice, NodeKind::If)
            && code.has_kind(code.parent(choice), NodeKind::Block);
        (is_usable && is_pure && is_same_type && is_plain).then_some(Self {
            choice,
            exits,
            copies,
            read,
        })
    }

    /// Returns the edits that check again at the start of a block that holds the lock.
    fn repeat_in(&self, code: &Code<'_>, block: NodeIndex) -> Option<Vec<Edit>> {
        let statements = code.children(code.child(block, NodeRole::Body)?);
        let (first, last) = (*statements.first()?, *statements.last()?);
        if self.exits {
            return Some(vec![insert_line_before(code, first, &self.text(code))]);
        }
        let choice = format!("if {} {{", self.text(code));
        Some(vec![wrap_statements(code, (first, last), (&choice, "}"), &[])?])
    }

    /// Returns true if no statement runs between the check and the change.
    fn precedes_at_once(&self, code: &Code<'_>, change: NodeIndex) -> bool {
        let all = code.children(code.parent(change));
        let before = all.iter().rev().find(|id| **id < change).copied();
        let checked = if self.exits { Some(self.choice) } else { None };
        before == checked && (!self.exits || code.parent(self.choice) == code.parent(change))
    }

    /// Returns the source text that checks again: the whole statement if it leaves the method, else the condition.
    fn text(&self, code: &Code<'_>) -> String {
        let part = if self.exits {
            Some(self.choice)
        } else {
            code.child(self.choice, NodeRole::Condition)
        };
        let part = part.unwrap_or(self.choice);
        let bytes = code.bytes(part);
        let mut text = code.source_text(part).to_owned();
        for copy in self.copies.iter().rev().map(|id| code.bytes(*id)) {
            if bytes.start <= copy.start && copy.end <= bytes.end {
                let own = copy.start - bytes.start..copy.end - bytes.start;
                text.replace_range(own, code.source_text(self.read));
            }
        }
        outdent(code, &text, code.indent(self.choice))
    }
}

/// Removes a statement's indentation from its further lines, which are then indented by four spaces for each level.
fn outdent(code: &Code<'_>, text: &str, indent: &str) -> String {
    let unit = indent_unit(code);
    let line = |line: &str| {
        let line = line.strip_prefix(indent).unwrap_or(line);
        let own = line.trim_start_matches(unit);
        format!("{}{own}", "    ".repeat((line.len() - own.len()) / unit.len()))
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the `synchronized` statement that holds a lock for a node.
fn locking_block(code: &Code<'_>, node: NodeIndex, lock: &Lock) -> Option<NodeIndex> {
    let own = held_locks(code, node).into_iter().find(|held| held.lock == *lock)?;
    code.has_kind(own.acquisition, NodeKind::Synchronized).then_some(own.acquisition)
}

/// Returns the uses of a local variable that keeps the value of a read; `None` if the read is used directly.
pub(crate) fn checked_copy(
    code: &Code<'_>,
    routine: NodeIndex,
    read: NodeIndex,
) -> Option<Vec<NodeIndex>> {
    let variable = code.parent(read);
    let is_value =
        code.has_kind(variable, NodeKind::Variable) && code.role(read) == NodeRole::Value;
    let symbol = code.node(variable).symbol.filter(|_| is_value)?;
    let is_use = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::Identifier) && code.node(*id).symbol == Some(symbol)
    };
    let uses: Vec<NodeIndex> = descendants(code, routine).filter(is_use).collect();
    let is_assigned = uses.iter().any(|id| is_write(code, *id));
    (!is_assigned && !uses.is_empty()).then_some(uses)
}

/// Returns the condition of a branch or loop that contains a node, without parentheses around it.
pub(crate) fn enclosing_condition(code: &Code<'_>, node: NodeIndex) -> Option<NodeIndex> {
    let mut enclosing = code.self_and_ancestors(node).take_while(|id| !code.kind(*id).is_routine());
    enclosing.find(|id| code.role(*id) == NodeRole::Condition)
}

/// Returns true if a branch leaves the method.
fn is_exit(code: &Code<'_>, branch: NodeIndex) -> bool {
    let last = if code.has_kind(branch, NodeKind::Block) {
        code.children(branch).last().copied()
    } else {
        Some(branch)
    };
    last.is_some_and(|id| matches!(code.kind(id), NodeKind::Return | NodeKind::Throw))
}
