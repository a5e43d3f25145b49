//! A variable has a value before it is read, a final one gets it once, and what is captured never changes.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::{DependencyRule, HunkId};
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::HashMap;

/// Assignments and reads of a variable in one version.
#[derive(Default)]
struct VariableAccesses {
    declared: Option<NodeRef>,
    writes: Vec<NodeRef>,
    reads: Vec<NodeRef>,
}

type AccessesByVariable = HashMap<SymbolId, VariableAccesses>;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    let [old, new] = VERSIONS.map(|version| lives(world, version));
    for (version, lives) in VERSIONS.into_iter().zip([&old, &new]) {
        for (symbol, life) in lives {
            let symbol = world.facts(version).symbol(*symbol);
            if symbol.kind == SymbolKind::Local {
                captured(world, version, life, links);
                in_branches(world, life, links);
                moving(world, life, links);
            }
        }
    }
    departures(world, &old, links);
    arrivals(world, &old, &new, links);
}

/// Adds the dependencies of code that only the old version has.
fn departures(world: &RuleContext<'_>, old: &AccessesByVariable, links: &mut DependencyCollector) {
    for (symbol, life) in old {
        if world.twin_symbol(Version::Old, *symbol).is_some() {
            continue;
        }
        let symbol = world.facts(Version::Old).symbol(*symbol);
        if symbol.kind == SymbolKind::Local {
            gone(world, life, links);
            beside_final(world, life, links);
        } else if symbol.flags.has(SymbolFlags::FINAL) {
            // Without a value it can only go.
            let declared = owners(world, life.declared.iter());
            links.need_all(&owners(world, &life.writes), &declared, DependencyRule::Initialisation);
        }
    }
}

/// Adds the dependencies of code that only the new version has.
fn arrivals(
    world: &RuleContext<'_>,
    old: &AccessesByVariable,
    new: &AccessesByVariable,
    links: &mut DependencyCollector,
) {
    for (symbol, life) in new {
        let before = world.twin_symbol(Version::New, *symbol).and_then(|symbol| old.get(&symbol));
        let flags = world.facts(Version::New).symbol(*symbol).flags;
        let kind = world.facts(Version::New).symbol(*symbol).kind;
        match before {
            Some(before) if kind == SymbolKind::Local => {
                lasting(world, before, life, links);
                last_final(world, *symbol, before, life, links);
            }
            None if kind == SymbolKind::Local => fresh(world, life, links),
            Some(before) => {
                let is_final = last_final(world, *symbol, before, life, links);
                for life in [before, life].into_iter().filter(|_| is_final) {
                    in_constructors(world, life, links);
                }
            }
            None if flags.has(SymbolFlags::FINAL) => {
                fresh_final(world, life, links);
                in_constructors(world, life, links);
            }
            None => {}
        }
    }
}

fn lives(world: &RuleContext<'_>, version: Version) -> AccessesByVariable {
    let mut lives = AccessesByVariable::new();
    let facts = world.facts(version);
    for at in world.changed_nodes(version) {
        let Some(id) = world.node(at).symbol else { continue };
        let symbol = facts.symbol(id);
        if symbol.place.is_none() || !matches!(symbol.kind, SymbolKind::Local | SymbolKind::Field) {
            continue;
        }
        let life = lives.entry(id).or_default();
        match world.kind(at) {
            NodeKind::Variable => life.declared = Some(at),
            NodeKind::Identifier | NodeKind::MemberSelect if is_written(world, at) => {
                life.writes.push(at);
            }
            NodeKind::Identifier | NodeKind::MemberSelect => life.reads.push(at),
            _ => {}
        }
    }
    lives
}

fn is_written(world: &RuleContext<'_>, at: NodeRef) -> bool {
    world.node(at).role == NodeRole::Target && world.kind(world.parent(at)) == NodeKind::Assignment
}

fn is_changed(world: &RuleContext<'_>, at: NodeRef) -> bool {
    is_written(world, at)
        || world.node(at).role == NodeRole::Target
        || world.kind(world.parent(at)).is_step()
}

fn value(world: &RuleContext<'_>, life: &VariableAccesses) -> Option<NodeRef> {
    life.declared.and_then(|at| world.child(at, NodeRole::Value))
}

fn owners<'a>(world: &RuleContext<'_>, nodes: impl IntoIterator<Item = &'a NodeRef>) -> HunkSet {
    nodes.into_iter().filter_map(|at| world.placer(*at)).collect()
}

/// Returns true for parameters and the variables of loops, patterns and `catch`, which always have a value.
fn has_value_from_the_start(world: &RuleContext<'_>, life: &VariableAccesses) -> bool {
    life.declared.is_none_or(|at| {
        value(world, life).is_some()
            || matches!(
                world.node(at).role,
                NodeRole::Parameter | NodeRole::Target | NodeRole::Resource
            )
            || !matches!(world.kind(world.parent(at)), NodeKind::Block | NodeKind::Case)
    })
}

/// Adds the dependencies of a new variable: its reads need the assignments before them.
fn fresh(world: &RuleContext<'_>, life: &VariableAccesses, links: &mut DependencyCollector) {
    if has_value_from_the_start(world, life) {
        return;
    }
    for read in &life.reads {
        let Some(owner) = world.placer(*read) else { continue };
        let before = life.writes.iter().filter(|write| write.node < read.node);
        links.need_all(
            &HunkSet::from([owner]),
            &owners(world, before),
            DependencyRule::Initialisation,
        );
    }
    // Reads that are kept meant another variable before.
    if life.reads.iter().any(|read| world.placer(*read).is_none()) {
        let made = owners(world, life.declared.iter());
        links.need_all(&made, &owners(world, &life.writes), DependencyRule::Initialisation);
    }
}

/// Adds the dependencies of a removed variable: removing an assignment requires removing the reads after it.
fn gone(world: &RuleContext<'_>, life: &VariableAccesses, links: &mut DependencyCollector) {
    if has_value_from_the_start(world, life) {
        return;
    }
    for write in &life.writes {
        let Some(owner) = world.placer(*write) else { continue };
        let after: Vec<NodeRef> =
            life.reads.iter().copied().filter(|read| write.node < read.node).collect();
        links.need_all(
            &HunkSet::from([owner]),
            &owners(world, &after),
            DependencyRule::Initialisation,
        );
        // Kept reads get another meaning when this variable is removed.
        if after.iter().any(|read| world.placer(*read).is_none()) {
            let gone = owners(world, life.declared.iter());
            links.need_all(&HunkSet::from([owner]), &gone, DependencyRule::Initialisation);
        }
    }
}

/// Adds dependencies of `final`, which applies to all variables of one declaration, including removed ones.
fn beside_final(world: &RuleContext<'_>, life: &VariableAccesses, links: &mut DependencyCollector) {
    let Some(declared) = life.declared else { return };
    let start = |at: NodeRef| world.child(at, NodeRole::Type).map(|ty| world.node(ty).bytes.start);
    for other in world.children(world.parent(declared)) {
        let is_beside = world.kind(other) == NodeKind::Variable && start(other) == start(declared);
        let Some(symbol) = world.node(other).symbol.filter(|_| is_beside) else { continue };
        let becomes_final = world
            .twin_flags(Version::Old, symbol)
            .is_some_and(|flags| flags.has(SymbolFlags::FINAL));
        if becomes_final {
            let marks = world.modifier_hunks(Version::Old, symbol, &["final"]);
            links.need_all(&marks, &owners(world, [&declared]), DependencyRule::Initialisation);
        }
    }
}

/// Adds the dependencies of a variable of both versions: removing an assignment needs the new assignment.
fn lasting(
    world: &RuleContext<'_>,
    old: &VariableAccesses,
    new: &VariableAccesses,
    links: &mut DependencyCollector,
) {
    let initial = |life: &VariableAccesses| {
        value(world, life)
            .and_then(|value| world.owner(value.version, value.tree, world.node(value).bytes.start))
    };
    let (had, has) = (value(world, old).is_some(), value(world, new).is_some());
    if had && has || has_value_from_the_start(world, old) && has_value_from_the_start(world, new) {
        return;
    }
    let mut given = owners(world, &new.writes);
    given.extend(initial(new));
    let mut taken = owners(world, &old.writes);
    taken.extend(initial(old));
    let has_kept_read = old.reads.iter().any(|read| world.owner_of(*read).is_none());
    if has_kept_read {
        links.need_all(&taken, &given, DependencyRule::Initialisation);
    }
    if !has {
        links.need_all(&owners(world, &new.reads), &given, DependencyRule::Initialisation);
    }
    if !had {
        links.need_all(&taken, &owners(world, &old.reads), DependencyRule::Initialisation);
    }
    // Until a kept assignment, all depends on the value that only one version's declaration has.
    for (one, version) in [(old, Version::Old), (new, Version::New)] {
        let first: HunkSet = initial(one).into_iter().collect();
        let is_kept = |write: &&NodeRef| world.placer(**write).is_none();
        let until = one.writes.iter().filter(is_kept).map(|write| write.node).min();
        let reads = one.reads.iter().filter(|read| until.is_none_or(|until| read.node < until));
        links.rely(version, &owners(world, reads), &first, DependencyRule::Initialisation);
    }
}

/// Adds dependencies of a new final field on its assignments.
fn fresh_final(world: &RuleContext<'_>, life: &VariableAccesses, links: &mut DependencyCollector) {
    let made = owners(world, life.declared.iter());
    links.need_all(&made, &owners(world, &life.writes), DependencyRule::Initialisation);
    if let Some(declared) = life.declared.filter(|_| value(world, life).is_none()) {
        links.need_all(&made, &delegations(world, declared), DependencyRule::Initialisation);
    }
}

/// Returns the hunks of calls of a class's own constructors, which assign the fields instead.
fn delegations(world: &RuleContext<'_>, field: NodeRef) -> HunkSet {
    let class = world.parent(field);
    let constructors =
        world.children(class).into_iter().filter(|at| world.kind(*at) == NodeKind::Method);
    let bodies = constructors.filter_map(|at| world.child(at, NodeRole::Body));
    bodies
        .filter_map(|body| world.children(body).first().copied())
        .filter_map(|statement| world.children(statement).first().copied())
        .filter(|call| {
            let symbol = world.node(*call).symbol.map(|one| world.facts(call.version).symbol(one));
            world.kind(*call) == NodeKind::MethodInvocation
                && symbol.is_some_and(|one| {
                    one.kind == SymbolKind::Constructor && one.owner == world.node(class).symbol
                })
        })
        .filter_map(|call| world.owner_of(call))
        .collect()
}

/// Adds dependencies of a variable that is final in one of the versions and assigned once in each. Returns true if it
/// is one.
fn last_final(
    world: &RuleContext<'_>,
    symbol: SymbolId,
    old: &VariableAccesses,
    new: &VariableAccesses,
    links: &mut DependencyCollector,
) -> bool {
    let is_final = world.facts(Version::New).symbol(symbol).flags.has(SymbolFlags::FINAL);
    let was_final =
        world.twin_flags(Version::New, symbol).is_some_and(|flags| flags.has(SymbolFlags::FINAL));
    if !is_final && !was_final {
        return false;
    }
    let values = [value(world, old), value(world, new)];
    let initial = values
        .into_iter()
        .flatten()
        .filter_map(|value| world.owner(value.version, value.tree, world.node(value).bytes.start));
    let initial: HunkSet =
        if values.iter().all(Option::is_some) { HunkSet::new() } else { initial.collect() };
    let marks = world.modifier_hunks(Version::New, symbol, &["final"]);
    let (gone, mut made) = (owners(world, &old.writes), owners(world, &new.writes));
    if !gone.is_empty() || !made.is_empty() {
        let fields = [old.declared, new.declared];
        made.extend(fields.into_iter().flatten().flat_map(|field| delegations(world, field)));
    }
    if is_final && was_final {
        let all: HunkSet = initial.into_iter().chain(gone).chain(made).collect();
        links.together(&all, DependencyRule::Initialisation);
    } else if is_final {
        let all: HunkSet = initial.into_iter().chain(gone).chain(made).collect();
        links.need_all(&marks, &all, DependencyRule::Initialisation);
    } else {
        let all: HunkSet = initial.into_iter().chain(gone).chain(made).collect();
        links.need_all(&all, &marks, DependencyRule::Initialisation);
    }
    true
}

/// Adds dependencies of a branch of one version on the assignment of a variable in it.
fn in_branches(world: &RuleContext<'_>, life: &VariableAccesses, links: &mut DependencyCollector) {
    if has_value_from_the_start(world, life) {
        return;
    }
    for write in &life.writes {
        let around = world.ancestors(*write);
        let mut around =
            around.take_while(|at| !matches!(world.kind(*at), NodeKind::Method | NodeKind::Class));
        let branch = around.find(|at| matches!(world.kind(*at), NodeKind::Case | NodeKind::Catch));
        let owner = branch.and_then(|branch| world.owner_of(branch));
        let (Some(owner), Some(placer)) = (owner, world.placer(*write)) else { continue };
        comes_with(write.version, owner, placer, links);
    }
}

/// Adds the dependencies of assignments that move together with the reads of their variable.
fn moving(world: &RuleContext<'_>, life: &VariableAccesses, links: &mut DependencyCollector) {
    if has_value_from_the_start(world, life) {
        return;
    }
    let kept = life.writes.iter().chain(&life.reads).filter(|at| world.owner_of(**at).is_none());
    let movers: HunkSet = kept.filter_map(|at| world.mover(*at)).collect();
    links.together(&movers, DependencyRule::Initialisation);
}

fn comes_with(version: Version, owner: HunkId, part: HunkId, links: &mut DependencyCollector) {
    links.rely(
        version,
        &HunkSet::from([owner]),
        &HunkSet::from([part]),
        DependencyRule::Initialisation,
    );
}

/// Adds dependencies of a constructor of one version on the assignment of a final field in it.
fn in_constructors(
    world: &RuleContext<'_>,
    life: &VariableAccesses,
    links: &mut DependencyCollector,
) {
    for write in &life.writes {
        let routine = world.routine_of(*write).and_then(|routine| world.owner_of(routine));
        let (Some(owner), Some(placer)) = (routine, world.placer(*write)) else { continue };
        comes_with(write.version, owner, placer, links);
    }
}

/// Adds dependencies of a local variable that a lambda or an inner class uses, which must be effectively final.
fn captured(
    world: &RuleContext<'_>,
    version: Version,
    life: &VariableAccesses,
    links: &mut DependencyCollector,
) {
    let Some(declared) = life.declared else { return };
    let home = home(world, declared);
    let inside = |at: &&NodeRef| self::home(world, **at) != home;
    let captures: Vec<NodeRef> = life.reads.iter().filter(inside).copied().collect();
    if captures.is_empty() {
        return;
    }
    let Some(symbol) = world.node(declared).symbol else { return };
    let Some(other) = world.twin_symbol(version, symbol) else { return };
    let has_value = value(world, life).is_some();
    let changes: Vec<NodeRef> = world
        .changed_nodes(version.opposite())
        .filter(|at| world.node(*at).symbol == Some(other) && is_changed(world, *at))
        .collect();
    let other_captured = world.changed_nodes(version.opposite()).any(|at| {
        world.node(at).symbol == Some(other)
            && world.is_use(at)
            && world.twin(at).is_none_or(|twin| !captures.contains(&twin))
            && world
                .declaration(version.opposite(), other)
                .is_some_and(|declared| self::home(world, at) != self::home(world, declared))
    });
    if changes.is_empty() || (!has_value && changes.len() == 1) || other_captured {
        return;
    }
    links.rely(
        version,
        &owners(world, &captures),
        &owners(world, &changes),
        DependencyRule::Initialisation,
    );
}

/// Returns the innermost lambda, method or class around a node.
fn home(world: &RuleContext<'_>, at: NodeRef) -> Option<NodeRef> {
    world.ancestors(at).find(|at| {
        matches!(
            world.kind(*at),
            NodeKind::LambdaExpression
                | NodeKind::Method
                | NodeKind::Class
                | NodeKind::Enum
                | NodeKind::Record
        )
    })
}
