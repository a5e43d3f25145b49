//! Exits of a routine inside new wrappers.
//!
//! If an `if`, a `try` or a loop is put around a `return` that remains or moves, all of them together decide whether
//! control leaves the routine. Pairwise dependencies cannot express that, so they are coupled.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::flow::reachability::{body_of, statements, stops};
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    let routines = world.changed_nodes(Version::New).filter(|at| world.kind(*at).is_routine());
    for routine in routines {
        let Some(old) = world.twin(routine) else { continue };
        let mut group = HunkSet::new();
        for routine in [routine, old] {
            for jump in jumps(world, routine) {
                group.extend(tangle(world, jump));
            }
        }
        if group.is_empty() {
            continue;
        }
        let bodies = [routine, old].into_iter().filter_map(|routine| body_of(world, routine));
        group.extend(bodies.filter_map(|body| stops(world, body)).flatten());
        links.together(&group, DependencyRule::Reach);
    }
}

fn jumps<'a>(world: &'a RuleContext<'_>, routine: NodeRef) -> impl Iterator<Item = NodeRef> + 'a {
    let inside = (routine.node..world.node(routine).end).map(move |node| routine.with_node(node));
    inside
        .filter(|at| matches!(world.kind(*at), NodeKind::Return | NodeKind::Throw))
        .filter(move |at| world.routine_of(*at) == Some(routine))
}

/// Returns the hunks of a jump that both versions have, and of the code that only this version has around it.
fn tangle(world: &RuleContext<'_>, jump: NodeRef) -> HunkSet {
    if world.owner_of(jump).is_some() {
        return HunkSet::new();
    }
    let around = ended(world, jump).into_iter().filter_map(|at| world.placer(at));
    around.chain(world.mover(jump)).collect()
}

/// Returns the statements around a jump, from the inside out, that cannot complete because of it, including the first
/// one that still can.
fn ended(world: &RuleContext<'_>, jump: NodeRef) -> Vec<NodeRef> {
    let mut found = Vec::new();
    let mut inner = jump;
    for at in world.ancestors(jump) {
        match world.kind(at) {
            NodeKind::Block | NodeKind::Case if statements(world, at).last() != Some(&inner) => {
                break;
            }
            NodeKind::Method | NodeKind::LambdaExpression | NodeKind::Class => break,
            NodeKind::If if world.child(at, NodeRole::Else).is_none() => {
                found.push(at);
                break;
            }
            kind if kind.is_loop() => {
                found.push(at);
                break;
            }
            NodeKind::If
            | NodeKind::Try
            | NodeKind::Catch
            | NodeKind::Switch
            | NodeKind::Synchronized
            | NodeKind::LabeledStatement => {
                found.push(at);
            }
            _ => {}
        }
        inner = at;
    }
    found
}
