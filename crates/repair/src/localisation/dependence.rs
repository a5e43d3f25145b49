//! Dependence within a routine: the statements that decide whether a statement is executed, or define its values.

use crate::localisation::reaching_definitions::ReachingDefinitions;
use mend_java::Code;
use mend_java::code::control_flow::enclosing_routine;
use mend_java::facts::{FileNode, NodeIndex, NodeKind};
use mend_model::RepoPath;
use std::collections::{BTreeSet, HashMap};

/// Suspicion of a statement on which another one depends, relative to that one.
const DEPENDENCE_FACTOR: f64 = 0.75;

/// Raises the suspicion of the statements on which suspicious ones depend in the same routine: of conditions, loops and
/// switches that decide whether these are executed, and of definitions that they use. A wrong condition is often
/// executed by passing tests too, so that coverage alone blames the statements inside.
pub(crate) fn raise_by_dependence(
    main: &[(RepoPath, Code<'_>)],
    suspicion: &HashMap<FileNode, f64>,
) -> HashMap<FileNode, f64> {
    let definitions = ReachingDefinitions::from_files(main, |_| true);
    let mut raised = suspicion.clone();
    for (location, score) in suspicion {
        let (file, _) = *location;
        for dependence in find_dependences(&main[file].1, &definitions, *location) {
            // A statement that no failing test executes has no effect on it.
            if let Some(other) = raised.get_mut(&(file, dependence)) {
                *other = other.max(score * DEPENDENCE_FACTOR);
            }
        }
    }
    raised
}

/// Returns the statements of the routine on which a statement depends. A definition that was skipped counts through the
/// conditions that skipped it.
fn find_dependences(
    code: &Code<'_>,
    definitions: &ReachingDefinitions<'_>,
    location: FileNode,
) -> BTreeSet<NodeIndex> {
    let (file, statement) = location;
    let routine = enclosing_routine(code, statement);
    let mut found: BTreeSet<NodeIndex> =
        find_controlling_statements(code, statement).into_iter().collect();
    let used = definitions.definitions_used_by(location).into_iter();
    let is_near = |(other_file, other): &FileNode| {
        *other_file == file && enclosing_routine(code, *other) == routine
    };
    for (_, definition) in used.filter(is_near) {
        found.insert(definition);
        found.extend(enclosing_conditions(code, definition));
    }
    found.remove(&statement);
    found
}

/// Returns the statements that decide in a routine whether a statement is executed: enclosing conditions, loops and
/// switches, and earlier ones that may leave the block.
pub(crate) fn find_controlling_statements(code: &Code<'_>, statement: NodeIndex) -> Vec<NodeIndex> {
    let mut found = Vec::new();
    for holder in within_routine(code, statement) {
        found.extend(is_condition(code, holder).then_some(holder).filter(|id| *id != statement));
        if code.is_in_statement_list(holder) {
            let siblings = code.children(code.parent(holder)).into_iter();
            let earlier = siblings.take_while(|sibling| *sibling < holder);
            found.extend(earlier.flat_map(|sibling| find_exit_conditions(code, sibling)));
        }
    }
    found
}

/// Returns the conditions in a statement that decide whether it is left by a jump.
fn find_exit_conditions(code: &Code<'_>, statement: NodeIndex) -> BTreeSet<NodeIndex> {
    let inside = statement..code.node(statement).subtree_end;
    let jumps = inside.filter(|id| {
        code.is_statement(*id) && code.kind(*id).is_jump() && leaves(code, *id, statement)
    });
    let holders = jumps.flat_map(|jump| {
        code.self_and_ancestors(jump).take_while(|holder| *holder >= statement).collect::<Vec<_>>()
    });
    holders.filter(|holder| is_condition(code, *holder)).collect()
}

/// Returns true if a jump in a statement ends that statement early.
fn leaves(code: &Code<'_>, jump: NodeIndex, statement: NodeIndex) -> bool {
    if enclosing_routine(code, jump) != enclosing_routine(code, statement) {
        return false;
    }
    let is_target = |id: NodeIndex| match code.kind(jump) {
        NodeKind::Break => code.is_loop(id) || code.has_kind(id, NodeKind::Switch),
        NodeKind::Continue => code.is_loop(id),
        NodeKind::Yield => code.has_kind(id, NodeKind::SwitchExpression),
        _ => false,
    };
    let has_label =
        code.kind(jump) != NodeKind::Yield && code.source_text(jump).split_whitespace().count() > 1;
    let mut holders = code.self_and_ancestors(jump).take_while(|holder| *holder >= statement);
    has_label || !holders.any(is_target)
}

/// Returns the conditions, loops and switches around a statement, in its routine.
fn enclosing_conditions(code: &Code<'_>, statement: NodeIndex) -> Vec<NodeIndex> {
    let around = within_routine(code, statement).into_iter().skip(1);
    around.filter(|holder| is_condition(code, *holder)).collect()
}

/// Returns a statement and the nodes around it, in its routine.
fn within_routine(code: &Code<'_>, statement: NodeIndex) -> Vec<NodeIndex> {
    let routine = enclosing_routine(code, statement);
    code.self_and_ancestors(statement).take_while(|holder| Some(*holder) != routine).collect()
}

fn is_condition(code: &Code<'_>, id: NodeIndex) -> bool {
    code.is_statement(id)
        && (code.is_loop(id) || matches!(code.kind(id), NodeKind::If | NodeKind::Switch))
}
