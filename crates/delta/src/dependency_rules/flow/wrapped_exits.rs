//! Dependency rule: new wrappers around an exit of a routine are applied together.
//!
//! If an `if`, a `try` or a loop is put around a `return` that is kept or moved, all of them together decide whether
//! control leaves the routine. Pairwise dependencies cannot express that, so the hunks are coupled.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::flow::reachability::{block_body, child_statements, stops};
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let routines = context.changed_nodes(Version::New).filter(|at| context.kind(*at).is_routine());
    for routine in routines {
        let Some(old) = context.twin_node(routine) else { continue };
        let mut group = HunkSet::new();
        for routine in [routine, old] {
            for jump in routine_exits(context, routine) {
                group.extend(wrapped_exit_hunks(context, jump));
            }
        }
        if group.is_empty() {
            continue;
        }
        let routine_bodies =
            [routine, old].into_iter().filter_map(|routine| block_body(context, routine));
        group.extend(routine_bodies.filter_map(|body| stops(context, body)).flatten());
        collector.require_each_other(&group, DependencyRule::Reach);
    }
}

fn routine_exits<'a>(
    context: &'a RuleContext<'_>,
    routine: NodeRef,
) -> impl Iterator<Item = NodeRef> + 'a {
    let descendants =
        (routine.node..context.node(routine).subtree_end).map(move |node| routine.with_node(node));
    descendants
        .filter(|at| matches!(context.kind(*at), NodeKind::Return | NodeKind::Throw))
        .filter(move |at| context.enclosing_routine(*at) == Some(routine))
}

/// Returns the hunks of a jump that both versions have, and of the code that only this version has around it.
fn wrapped_exit_hunks(context: &RuleContext<'_>, jump: NodeRef) -> HunkSet {
    if context.node_owner(jump).is_some() {
        return HunkSet::new();
    }
    let wrappers =
        blocked_statements(context, jump).into_iter().filter_map(|at| context.owner_or_move(at));
    wrappers.chain(context.enclosing_move(jump)).collect()
}

/// Returns the statements around a jump, from the inside out, that cannot complete because of it, including the first
/// one that still can.
fn blocked_statements(context: &RuleContext<'_>, jump: NodeRef) -> Vec<NodeRef> {
    let mut blocked = Vec::new();
    let mut child = jump;
    for node in context.ancestors(jump) {
        match context.kind(node) {
            NodeKind::Block | NodeKind::Case
                if child_statements(context, node).last() != Some(&child) =>
            {
                break;
            }
            NodeKind::Method | NodeKind::LambdaExpression | NodeKind::Class => break,
            NodeKind::If if context.child(node, NodeRole::Else).is_none() => {
                blocked.push(node);
                break;
            }
            kind if kind.is_loop() => {
                blocked.push(node);
                break;
            }
            NodeKind::If
            | NodeKind::Try
            | NodeKind::Catch
            | NodeKind::Switch
            | NodeKind::Synchronized
            | NodeKind::LabeledStatement => {
                blocked.push(node);
            }
            _ => {}
        }
        child = node;
    }
    blocked
}
