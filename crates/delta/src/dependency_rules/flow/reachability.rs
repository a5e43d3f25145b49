//! No statement is beyond reach, and a method that has a result returns one.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for at in world.changed_nodes(Version::New) {
        match world.kind(at) {
            NodeKind::Block | NodeKind::Case => block(world, at, links),
            NodeKind::Method | NodeKind::LambdaExpression => result(world, at, links),
            _ => {}
        }
    }
    for version in VERSIONS {
        for at in world.changed_nodes(version) {
            match world.kind(at) {
                NodeKind::Method => own_result(world, at, links),
                NodeKind::Case | NodeKind::Catch => own_end(world, at, links),
                NodeKind::Switch => own_default(world, at, links),
                NodeKind::WhileLoop | NodeKind::DoWhileLoop | NodeKind::ForLoop => {
                    own_exits(world, at, links);
                }
                _ => {}
            }
        }
    }
}

/// Deeper than this code is generated, and the walk is recursive.
const DEEPEST: usize = 200;

/// Returns the hunks that keep a statement from completing normally; `None` if it can complete.
pub(crate) fn stops(world: &RuleContext<'_>, at: NodeRef) -> Option<HunkSet> {
    let depth = world.depth.get();
    if depth > DEEPEST {
        return None;
    }
    world.depth.set(depth + 1);
    let hunks = stops_by_kind(world, at);
    world.depth.set(depth);
    hunks
}

fn stops_by_kind(world: &RuleContext<'_>, at: NodeRef) -> Option<HunkSet> {
    let own = || world.placer(at).into_iter().collect::<HunkSet>();
    match world.kind(at) {
        NodeKind::Return
        | NodeKind::Throw
        | NodeKind::Break
        | NodeKind::Continue
        | NodeKind::Yield => Some(own()),
        NodeKind::Block => {
            let last = statements(world, at).last().copied()?;
            stops(world, last)
        }
        NodeKind::If => {
            let branch = |role| world.child(at, role).and_then(|branch| stops(world, branch));
            Some(joined(branch(NodeRole::Then)?, branch(NodeRole::Else)?))
        }
        NodeKind::LabeledStatement | NodeKind::Synchronized => {
            world.child(at, NodeRole::Body).and_then(|body| stops(world, body))
        }
        NodeKind::WhileLoop | NodeKind::DoWhileLoop | NodeKind::ForLoop => endless(world, at),
        NodeKind::Try => attempt(world, at),
        NodeKind::Switch => branches(world, at),
        _ => None,
    }
}

fn joined(mut one: HunkSet, two: HunkSet) -> HunkSet {
    one.extend(two);
    one
}

fn endless(world: &RuleContext<'_>, at: NodeRef) -> Option<HunkSet> {
    if !runs_on(world, at) || breaks(world, at).next().is_some() {
        return None;
    }
    let condition =
        world.child(at, NodeRole::Condition).map(|condition| world.owners_of(condition));
    Some(world.placer(at).into_iter().chain(condition.into_iter().flatten()).collect())
}

/// Returns true if a loop's condition is always true.
fn runs_on(world: &RuleContext<'_>, at: NodeRef) -> bool {
    match world.child(at, NodeRole::Condition) {
        Some(condition) => {
            let bytes = world.node(condition).bytes.clone();
            let text = world.text_of(at.version, at.tree).and_then(|text| text.get(bytes));
            matches!(text, Some(b"true" | b"(true)"))
        }
        None => world.kind(at) == NodeKind::ForLoop,
    }
}

fn breaks<'a>(world: &'a RuleContext<'_>, at: NodeRef) -> impl Iterator<Item = NodeRef> + 'a {
    let inside = (at.node..world.node(at).end).map(move |node| at.with_node(node));
    inside.filter(|one| world.kind(*one) == NodeKind::Break)
}

/// Adds dependencies of a loop of one version that only a `break` ends.
fn own_exits(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    if let Some(owner) = world.owner_of(at).filter(|_| runs_on(world, at)) {
        let exits: HunkSet = breaks(world, at).filter_map(|one| world.placer(one)).collect();
        links.rely(at.version, &HunkSet::from([owner]), &exits, DependencyRule::Reach);
    }
}

/// Adds dependencies of a `switch` of one version on its default, without which it may do nothing, and on an exit if it
/// ends the routine.
fn own_default(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(owner) = world.owner_of(at) else { return };
    let cases = world.children(at).into_iter().filter(|case| is_default(world, *case));
    let mut parts: HunkSet = cases.filter_map(|case| world.placer(case)).collect();
    if !parts.is_empty() {
        parts.extend(breaks(world, at).next().and_then(|one| world.placer(one)));
    }
    links.rely(at.version, &HunkSet::from([owner]), &parts, DependencyRule::Reach);
}

/// Adds dependencies of a branch of one version on the jump that ends it.
fn own_end(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(owner) = world.owner_of(at) else { return };
    let holder =
        if world.kind(at) == NodeKind::Catch { world.child(at, NodeRole::Body) } else { Some(at) };
    let last = holder.and_then(|holder| statements(world, holder).last().copied());
    if let Some(stop) = last.and_then(|last| stops(world, last)) {
        links.rely(at.version, &HunkSet::from([owner]), &stop, DependencyRule::Reach);
    }
}

fn attempt(world: &RuleContext<'_>, at: NodeRef) -> Option<HunkSet> {
    if let Some(stop) = world.child(at, NodeRole::Finally).and_then(|block| stops(world, block)) {
        return Some(stop);
    }
    let mut hunks = stops(world, world.child(at, NodeRole::Body)?)?;
    for catch in world.children(at).into_iter().filter(|one| world.kind(*one) == NodeKind::Catch) {
        hunks.extend(stops(world, world.child(catch, NodeRole::Body)?)?);
    }
    Some(hunks)
}

fn is_default(world: &RuleContext<'_>, at: NodeRef) -> bool {
    let bytes = world.node(at).bytes.clone();
    let text = world.text_of(at.version, at.tree).and_then(|text| text.get(bytes));
    world.kind(at) == NodeKind::Case && text.is_some_and(|text| text.starts_with(b"default"))
}

/// Returns the hunks of a `switch` with a default whose last group cannot complete, and without a `break` out of it.
fn branches(world: &RuleContext<'_>, at: NodeRef) -> Option<HunkSet> {
    let cases: Vec<NodeRef> =
        world.children(at).into_iter().filter(|one| world.kind(*one) == NodeKind::Case).collect();
    let breaks = breaks(world, at).next().is_some();
    let has_default = cases.iter().any(|case| is_default(world, *case));
    if breaks || !has_default {
        return None;
    }
    let mut hunks = HunkSet::new();
    for case in &cases {
        match statements(world, *case).last() {
            Some(last) => match stops(world, *last) {
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

pub(crate) fn statements(world: &RuleContext<'_>, at: NodeRef) -> Vec<NodeRef> {
    let is_statement = |one: &NodeRef| {
        let kind = world.kind(*one);
        kind == NodeKind::Block || kind.is_statement() && kind != NodeKind::EmptyStatement
    };
    world.children(at).into_iter().filter(is_statement).collect()
}

/// Adds dependencies of statements after one that cannot complete normally.
fn block(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(old) = world.twin(at).filter(|twin| world.kind(*twin) == world.kind(at)) else {
        return;
    };
    let (news, olds) = (statements(world, at), statements(world, old));
    wrapped(world, &news, old, links);
    wrapped(world, &olds, at, links);
    let stop =
        |all: &[NodeRef]| all.last().and_then(|last| stops(world, *last)).unwrap_or_default();
    let (new_stop, old_stop) = (stop(&news), stop(&olds));
    // What moves stands where it stands in its own version, before or after what the other one has.
    let moves = |all: &[NodeRef]| all.last().is_some_and(|last| world.mover(*last).is_some());
    let (old_comes_first, new_comes_first) =
        (!world.new_comes_first(at) || moves(&olds), world.new_comes_first(at) || moves(&news));
    // What takes the old end away needs the new one.
    links.need_all(&old_stop, &new_stop, DependencyRule::Reach);
    for from in unreachable_hunks(world, &olds, old_comes_first, &news) {
        links.need_any(from, &old_stop, DependencyRule::Reach);
    }
    let end: HunkSet = new_stop.into_iter().take(1).collect();
    links.need_all(
        &end,
        &unreachable_hunks(world, &news, new_comes_first, &olds),
        DependencyRule::Reach,
    );
}

/// Returns the hunks of the other version's statements after the end of this one's block. `comes_first` is true if code
/// of this version precedes code of the other.
fn unreachable_hunks(
    world: &RuleContext<'_>,
    own: &[NodeRef],
    comes_first: bool,
    others: &[NodeRef],
) -> HunkSet {
    let last = own.last().copied().filter(|last| world.mover(*last).is_none());
    let kept = last.and_then(|last| world.twin(last));
    if kept.is_none() && !comes_first {
        return HunkSet::new();
    }
    let first =
        |one: NodeRef| world.placer(one).or_else(|| world.owners_of(one).into_iter().next());
    statements_after(others, kept).iter().filter_map(|one| first(*one)).collect()
}

/// Adds dependencies of a jump that ends one version's block and is nested deeper in the other: code after it there
/// needs the enclosing code.
fn wrapped(
    world: &RuleContext<'_>,
    all: &[NodeRef],
    other: NodeRef,
    links: &mut DependencyCollector,
) {
    let last = all.last().copied().filter(|last| world.owner_of(*last).is_none());
    let Some(last) = last.filter(|last| stops(world, *last).is_some()) else { return };
    let Some(twin) = world.twin(last) else { return };
    let around: Vec<NodeRef> = world.ancestors(twin).take_while(|one| *one != other).collect();
    let Some(top) = around.last().copied().filter(|top| world.parent(*top) == other) else {
        return;
    };
    let shells: HunkSet = around.iter().filter_map(|one| world.owner_of(*one)).collect();
    let following = statements(world, other);
    let following =
        statements_after(&following, Some(top)).iter().filter_map(|one| world.placer(*one));
    links.rely(other.version, &following.collect(), &shells, DependencyRule::Reach);
}

/// Returns the statements after one of them; all from the last kept one on if there is none.
fn statements_after(all: &[NodeRef], last: Option<NodeRef>) -> &[NodeRef] {
    let from = last.and_then(|last| all.iter().position(|one| *one == last)).map_or(0, |at| at + 1);
    &all[from..]
}

pub(crate) fn body_of(world: &RuleContext<'_>, routine: NodeRef) -> Option<NodeRef> {
    world.child(routine, NodeRole::Body).filter(|body| world.kind(*body) == NodeKind::Block)
}

/// Adds dependencies of the removal of the last return: it needs another return, or a `void` method.
fn result(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(old) = world.twin(at) else { return };
    let end = |routine: NodeRef| body_of(world, routine).and_then(|body| stops(world, body));
    let retyping = || {
        let symbol = world.node(at).symbol;
        symbol.map(|symbol| world.retyping(at.version, symbol)).unwrap_or_default()
    };
    match (has_result(world, at), has_result(world, old)) {
        (false, false) => {}
        (true, false) => {
            links.need_all(&retyping(), &end(at).unwrap_or_default(), DependencyRule::Reach);
        }
        (false, true) => {
            links.need_all(&end(old).unwrap_or_default(), &retyping(), DependencyRule::Reach);
        }
        (true, true) => match (end(at), end(old)) {
            (Some(made), Some(gone)) => links.need_all(&gone, &made, DependencyRule::Reach),
            // A body that only one version has comes with its own end.
            (Some(stop), None) | (None, Some(stop)) => {
                for routine in [at, old] {
                    let body = body_of(world, routine).and_then(|body| world.owner_of(body));
                    let body: HunkSet = body.into_iter().collect();
                    links.rely(routine.version, &body, &stop, DependencyRule::Reach);
                }
            }
            (None, None) => {}
        },
    }
}

fn has_result(world: &RuleContext<'_>, at: NodeRef) -> bool {
    world.kind(at) != NodeKind::Method
        || world.node(at).symbol.is_some_and(|symbol| {
            let facts = world.facts(at.version);
            let ty = facts.text(facts.symbol(symbol).ty.erased);
            !matches!(ty, "" | "void")
        })
}

/// Adds dependencies of a method of one version with a result on the statement that returns it.
fn own_result(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(owner) = world.owner_of(at).filter(|_| has_result(world, at)) else { return };
    if world.twin(at).is_some() {
        return;
    }
    if let Some(stop) = body_of(world, at).and_then(|body| stops(world, body)) {
        links.rely(at.version, &HunkSet::from([owner]), &stop, DependencyRule::Reach);
    }
}
