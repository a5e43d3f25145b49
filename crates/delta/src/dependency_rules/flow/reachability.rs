//! Dependency rule: every statement is reachable, and a method with a result returns one.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::{DependencyRule, HunkId};
use mend_java::facts::{NodeKind, NodeRole};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for node in context.changed_nodes(Version::New) {
        match context.kind(node) {
            NodeKind::Block | NodeKind::Case => add_block_dependencies(context, node, collector),
            NodeKind::Method | NodeKind::LambdaExpression => {
                add_return_dependencies(context, node, collector);
            }
            _ => {}
        }
    }
    for version in VERSIONS {
        for node in context.changed_nodes(version) {
            match context.kind(node) {
                NodeKind::Method => add_own_return_dependencies(context, node, collector),
                NodeKind::Case | NodeKind::Catch => {
                    add_branch_end_dependencies(context, node, collector);
                }
                NodeKind::Switch => add_default_dependencies(context, node, collector),
                NodeKind::WhileLoop | NodeKind::DoWhileLoop | NodeKind::ForLoop => {
                    add_loop_exit_dependencies(context, node, collector);
                }
                _ => {}
            }
        }
    }
}

/// Maximum recursion depth: deeper code is generated.
const MAX_RECURSION_DEPTH: usize = 200;

/// Returns the hunks because of which a statement cannot complete normally; `None` if it can.
pub(crate) fn stops(context: &RuleContext<'_>, node: NodeRef) -> Option<HunkSet> {
    let depth = context.recursion_depth.get();
    if depth > MAX_RECURSION_DEPTH {
        return None;
    }
    context.recursion_depth.set(depth + 1);
    let hunks = abrupt_completion_by_kind(context, node);
    context.recursion_depth.set(depth);
    hunks
}

fn abrupt_completion_by_kind(context: &RuleContext<'_>, node: NodeRef) -> Option<HunkSet> {
    let node_hunks = || context.owner_or_move(node).into_iter().collect::<HunkSet>();
    match context.kind(node) {
        NodeKind::Return
        | NodeKind::Throw
        | NodeKind::Break
        | NodeKind::Continue
        | NodeKind::Yield => Some(node_hunks()),
        NodeKind::Block => {
            let last = child_statements(context, node).last().copied()?;
            stops(context, last)
        }
        NodeKind::If => {
            let branch = |role| context.child(node, role).and_then(|branch| stops(context, branch));
            Some(union(branch(NodeRole::Then)?, branch(NodeRole::Else)?))
        }
        NodeKind::LabeledStatement | NodeKind::Synchronized => {
            context.child(node, NodeRole::Body).and_then(|body| stops(context, body))
        }
        NodeKind::WhileLoop | NodeKind::DoWhileLoop | NodeKind::ForLoop => {
            endless_loop_hunks(context, node)
        }
        NodeKind::Try => abrupt_try_hunks(context, node),
        NodeKind::Switch => abrupt_switch_hunks(context, node),
        _ => None,
    }
}

fn union(mut one: HunkSet, two: HunkSet) -> HunkSet {
    one.extend(two);
    one
}

fn endless_loop_hunks(context: &RuleContext<'_>, node: NodeRef) -> Option<HunkSet> {
    if !is_condition_always_true(context, node) || break_statements(context, node).next().is_some()
    {
        return None;
    }
    let condition =
        context.child(node, NodeRole::Condition).map(|condition| context.node_owners(condition));
    Some(context.owner_or_move(node).into_iter().chain(condition.into_iter().flatten()).collect())
}

/// Returns true if a loop's condition is always true.
fn is_condition_always_true(context: &RuleContext<'_>, node: NodeRef) -> bool {
    match context.child(node, NodeRole::Condition) {
        Some(condition) => {
            let bytes = context.node(condition).bytes.clone();
            let text = context.tree_text(node.version, node.tree).and_then(|text| text.get(bytes));
            matches!(text, Some(b"true" | b"(true)"))
        }
        None => context.kind(node) == NodeKind::ForLoop,
    }
}

fn break_statements<'a>(
    context: &'a RuleContext<'_>,
    node_ref: NodeRef,
) -> impl Iterator<Item = NodeRef> + 'a {
    let descendants = (node_ref.node..context.node(node_ref).subtree_end)
        .map(move |node| node_ref.with_node(node));
    descendants.filter(|one| context.kind(*one) == NodeKind::Break)
}

/// Adds dependencies of a loop of one version that only a `break` ends.
fn add_loop_exit_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    if let Some(owner) =
        context.node_owner(node).filter(|_| is_condition_always_true(context, node))
    {
        let exits: HunkSet =
            break_statements(context, node).filter_map(|one| context.owner_or_move(one)).collect();
        collector.require_in_version(
            node.version,
            &HunkSet::from([owner]),
            &exits,
            DependencyRule::Reach,
        );
    }
}

/// Adds dependencies of a `switch` of one version on its default, without which it can complete normally, and on an
/// exit if it ends the routine.
fn add_default_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(owner) = context.node_owner(node) else { return };
    let cases = context.children(node).into_iter().filter(|case| is_default_case(context, *case));
    let mut parts: HunkSet = cases.filter_map(|case| context.owner_or_move(case)).collect();
    if !parts.is_empty() {
        parts.extend(
            break_statements(context, node).next().and_then(|one| context.owner_or_move(one)),
        );
    }
    collector.require_in_version(
        node.version,
        &HunkSet::from([owner]),
        &parts,
        DependencyRule::Reach,
    );
}

/// Adds dependencies of a branch of one version on the jump that ends it.
fn add_branch_end_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(owner) = context.node_owner(node) else { return };
    let block = if context.kind(node) == NodeKind::Catch {
        context.child(node, NodeRole::Body)
    } else {
        Some(node)
    };
    let last = block.and_then(|block| child_statements(context, block).last().copied());
    if let Some(exit_hunks) = last.and_then(|last| stops(context, last)) {
        collector.require_in_version(
            node.version,
            &HunkSet::from([owner]),
            &exit_hunks,
            DependencyRule::Reach,
        );
    }
}

fn abrupt_try_hunks(context: &RuleContext<'_>, node: NodeRef) -> Option<HunkSet> {
    if let Some(exit_hunks) =
        context.child(node, NodeRole::Finally).and_then(|block| stops(context, block))
    {
        return Some(exit_hunks);
    }
    let mut hunks = stops(context, context.child(node, NodeRole::Body)?)?;
    for catch in
        context.children(node).into_iter().filter(|one| context.kind(*one) == NodeKind::Catch)
    {
        hunks.extend(stops(context, context.child(catch, NodeRole::Body)?)?);
    }
    Some(hunks)
}

fn is_default_case(context: &RuleContext<'_>, node: NodeRef) -> bool {
    let bytes = context.node(node).bytes.clone();
    let text = context.tree_text(node.version, node.tree).and_then(|text| text.get(bytes));
    context.kind(node) == NodeKind::Case && text.is_some_and(|text| text.starts_with(b"default"))
}

/// Returns the hunks of a `switch` with a default whose last group cannot complete, and without a `break` out of it.
fn abrupt_switch_hunks(context: &RuleContext<'_>, node: NodeRef) -> Option<HunkSet> {
    let cases: Vec<NodeRef> = context
        .children(node)
        .into_iter()
        .filter(|one| context.kind(*one) == NodeKind::Case)
        .collect();
    let has_break = break_statements(context, node).next().is_some();
    let has_default = cases.iter().any(|case| is_default_case(context, *case));
    if has_break || !has_default {
        return None;
    }
    let mut hunks = HunkSet::new();
    for case in &cases {
        match child_statements(context, *case).last() {
            Some(last) => match stops(context, *last) {
                Some(stop) => hunks.extend(stop),
                None if Some(case) == cases.last() => return None,
                None => {}
            },
            None if Some(case) == cases.last() => return None,
            None => {}
        }
    }
    Some(hunks)
}

pub(crate) fn child_statements(context: &RuleContext<'_>, node: NodeRef) -> Vec<NodeRef> {
    let is_statement = |one: &NodeRef| {
        let kind = context.kind(*one);
        kind == NodeKind::Block || kind.is_statement() && kind != NodeKind::EmptyStatement
    };
    context.children(node).into_iter().filter(is_statement).collect()
}

/// Adds dependencies of statements after one that cannot complete normally.
fn add_block_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(old) =
        context.twin_node(node).filter(|twin| context.kind(*twin) == context.kind(node))
    else {
        return;
    };
    let (new_statements, old_statements) =
        (child_statements(context, node), child_statements(context, old));
    add_wrapped_jump_dependencies(context, &new_statements, old, collector);
    add_wrapped_jump_dependencies(context, &old_statements, node, collector);
    // Statements that move with the block do not move in it.
    let block_move = context.enclosing_move(node);
    let exit_hunks = |all: &[NodeRef]| {
        let mut hunks = all.last().and_then(|last| stops(context, *last)).unwrap_or_default();
        hunks.retain(|hunk| Some(*hunk) != block_move);
        hunks
    };
    let (new_exit, old_exit) = (exit_hunks(&new_statements), exit_hunks(&old_statements));
    // A moved statement has the position of its own version, before or after the code of the other version.
    let is_last_moved = |all: &[NodeRef]| {
        all.last().is_some_and(|last| is_moved_in_block(context, *last, block_move))
    };
    let (old_comes_first, new_comes_first) = (
        !context.is_new_first(node) || is_last_moved(&old_statements),
        context.is_new_first(node) || is_last_moved(&new_statements),
    );
    // Removing the old exit requires the new one.
    collector.require_all(&old_exit, &new_exit, DependencyRule::Reach);
    for from in
        unreachable_hunks(context, (&old_statements, old_comes_first), &new_statements, block_move)
    {
        collector.require_any(from, &old_exit, DependencyRule::Reach);
    }
    let end: HunkSet = new_exit.into_iter().take(1).collect();
    collector.require_all(
        &end,
        &unreachable_hunks(
            context,
            (&new_statements, new_comes_first),
            &old_statements,
            block_move,
        ),
        DependencyRule::Reach,
    );
}

/// Returns true if a move changes the position of a statement in its block. `block_move` is the move of the block.
fn is_moved_in_block(
    context: &RuleContext<'_>,
    statement: NodeRef,
    block_move: Option<HunkId>,
) -> bool {
    context.enclosing_move(statement).is_some_and(|hunk| Some(hunk) != block_move)
}

/// Returns the hunks of the other version's statements after the end of this version's block. `comes_first` is true if
/// code of this version precedes code of the other. `block_move` is the move of the block, which is not among them.
fn unreachable_hunks(
    context: &RuleContext<'_>,
    (own_statements, comes_first): (&[NodeRef], bool),
    other_statements: &[NodeRef],
    block_move: Option<HunkId>,
) -> HunkSet {
    let last = own_statements.last().copied();
    let last = last.filter(|last| !is_moved_in_block(context, *last, block_move));
    let kept = last.and_then(|last| context.twin_node(last));
    if kept.is_none() && !comes_first {
        return HunkSet::new();
    }
    let first = |one: NodeRef| {
        context.owner_or_move(one).or_else(|| context.node_owners(one).into_iter().next())
    };
    let hunks = statements_after(other_statements, kept).iter().filter_map(|one| first(*one));
    hunks.filter(|hunk| Some(*hunk) != block_move).collect()
}

/// Adds dependencies of a jump that ends one version's block and is nested deeper in the other: code after it there
/// needs the enclosing code.
fn add_wrapped_jump_dependencies(
    context: &RuleContext<'_>,
    own_statements: &[NodeRef],
    other_block: NodeRef,
    collector: &mut DependencyCollector,
) {
    let last = own_statements.last().copied().filter(|last| context.node_owner(*last).is_none());
    let Some(last) = last.filter(|last| stops(context, *last).is_some()) else { return };
    let Some(twin) = context.twin_node(last) else { return };
    let wrappers: Vec<NodeRef> =
        context.ancestors(twin).take_while(|one| *one != other_block).collect();
    let Some(outermost) =
        wrappers.last().copied().filter(|outermost| context.parent(*outermost) == other_block)
    else {
        return;
    };
    let wrapper_hunks: HunkSet =
        wrappers.iter().filter_map(|one| context.node_owner(*one)).collect();
    let following = child_statements(context, other_block);
    let following = statements_after(&following, Some(outermost))
        .iter()
        .filter_map(|one| context.owner_or_move(*one));
    collector.require_in_version(
        other_block.version,
        &following.collect(),
        &wrapper_hunks,
        DependencyRule::Reach,
    );
}

/// Returns the statements after a given one; all statements without one.
fn statements_after(statements: &[NodeRef], last: Option<NodeRef>) -> &[NodeRef] {
    let from =
        last.and_then(|last| statements.iter().position(|one| *one == last)).map_or(0, |at| at + 1);
    &statements[from..]
}

pub(crate) fn block_body(context: &RuleContext<'_>, routine: NodeRef) -> Option<NodeRef> {
    context.child(routine, NodeRole::Body).filter(|body| context.kind(*body) == NodeKind::Block)
}

/// Adds dependencies of the removal of the last return: it needs another return, or a `void` method.
fn add_return_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(old) = context.twin_node(node) else { return };
    let exit_hunks =
        |routine: NodeRef| block_body(context, routine).and_then(|body| stops(context, body));
    let return_type_hunks = || {
        let symbol = context.node(node).symbol;
        symbol.map(|symbol| context.type_change_hunks(node.version, symbol)).unwrap_or_default()
    };
    match (returns_value(context, node), returns_value(context, old)) {
        (false, false) => {}
        (true, false) => {
            collector.require_all(
                &return_type_hunks(),
                &exit_hunks(node).unwrap_or_default(),
                DependencyRule::Reach,
            );
        }
        (false, true) => {
            collector.require_all(
                &exit_hunks(old).unwrap_or_default(),
                &return_type_hunks(),
                DependencyRule::Reach,
            );
        }
        (true, true) => match (exit_hunks(node), exit_hunks(old)) {
            (Some(made), Some(gone)) => collector.require_all(&gone, &made, DependencyRule::Reach),
            // A body of one version only includes its own end.
            (Some(stop), None) | (None, Some(stop)) => {
                for routine in [node, old] {
                    let body =
                        block_body(context, routine).and_then(|body| context.node_owner(body));
                    let body: HunkSet = body.into_iter().collect();
                    collector.require_in_version(
                        routine.version,
                        &body,
                        &stop,
                        DependencyRule::Reach,
                    );
                }
            }
            (None, None) => {}
        },
    }
}

fn returns_value(context: &RuleContext<'_>, node: NodeRef) -> bool {
    context.kind(node) != NodeKind::Method
        || context.node(node).symbol.is_some_and(|symbol| {
            let facts = context.facts(node.version);
            let ty = facts.text(facts.symbol(symbol).ty.erased);
            !matches!(ty, "" | "void")
        })
}

/// Adds dependencies of a method of one version with a result on the statement that returns it.
fn add_own_return_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(owner) = context.node_owner(node).filter(|_| returns_value(context, node)) else {
        return;
    };
    if context.twin_node(node).is_some() {
        return;
    }
    if let Some(exit_hunks) = block_body(context, node).and_then(|body| stops(context, body)) {
        collector.require_in_version(
            node.version,
            &HunkSet::from([owner]),
            &exit_hunks,
            DependencyRule::Reach,
        );
    }
}
