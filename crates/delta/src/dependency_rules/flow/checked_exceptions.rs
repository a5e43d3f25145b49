//! Checked exceptions: they must be handled, and caught exceptions must be possible.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeCategory, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::{DependencyRule, HunkId};
use mend_java::facts::{NodeKind, NodeRole, SymbolId};
use std::collections::BTreeSet;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.all_nodes(version) {
            match world.kind(at) {
                kind if is_thrower(kind) => thrower(world, at, links),
                NodeKind::Catch => catcher(world, at, links),
                NodeKind::Method => overriding(world, at, links),
                _ => {}
            }
        }
    }
}

fn is_thrower(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::MethodInvocation | NodeKind::NewClass | NodeKind::Throw | NodeKind::ImpliedClose
    )
}

impl RuleContext<'_> {
    /// Returns true for a checked exception.
    pub(crate) fn is_checked(&self, version: Version, name: &str) -> bool {
        let facts = self.facts(version);
        facts.class_named(name).is_some_and(|class| {
            facts.is_below(class, "java.lang.Throwable")
                && !facts.is_below(class, "java.lang.RuntimeException")
                && !facts.is_below(class, "java.lang.Error")
        })
    }
}

/// Returns the checked exceptions that a node throws.
fn thrown(world: &RuleContext<'_>, at: NodeRef) -> BTreeSet<String> {
    let facts = world.facts(at.version);
    let names: Vec<&str> = if world.kind(at) == NodeKind::Throw {
        world
            .child(at, NodeRole::Value)
            .map(|value| world.erased(world.type_of(value)))
            .into_iter()
            .collect()
    } else {
        let symbol = world.node(at).symbol.map(|symbol| facts.symbol(symbol));
        symbol.iter().flat_map(|symbol| &symbol.thrown).map(|id| facts.text(*id)).collect()
    };
    let checked = names.into_iter().filter(|name| world.is_checked(at.version, name));
    checked.map(str::to_owned).collect()
}

fn is_below(world: &RuleContext<'_>, version: Version, name: &str, above: &str) -> bool {
    let facts = world.facts(version);
    facts.class_named(name).is_some_and(|class| facts.is_below(class, above))
}

/// Returns the hunks of all handlers of an exception at a node, innermost first; `None` inside if it is unknown.
fn handlers(world: &RuleContext<'_>, at: NodeRef, name: &str) -> Vec<HunkSet> {
    let mut found = Vec::new();
    let mut child = at;
    for holder in world.ancestors(at) {
        match world.kind(holder) {
            NodeKind::Try
                if matches!(world.node(child).role, NodeRole::Body | NodeRole::Resource) =>
            {
                found.extend(catching(world, holder, name));
            }
            NodeKind::Method => {
                found.extend(declaring(world, holder, name));
                return found;
            }
            NodeKind::LambdaExpression => {
                let method = world.functional_method(holder);
                let method = method.and_then(|method| world.declaration(at.version, method));
                found.extend(method.into_iter().flat_map(|method| declaring(world, method, name)));
                return found;
            }
            NodeKind::Class | NodeKind::Enum | NodeKind::Interface | NodeKind::Record => {
                return found;
            }
            _ => {}
        }
        child = holder;
    }
    found
}

/// Returns the types that a `catch` names.
fn caught(world: &RuleContext<'_>, catch: NodeRef) -> Vec<NodeRef> {
    let parameter = world.child(catch, NodeRole::Parameter);
    let Some(ty) = parameter.and_then(|parameter| world.child(parameter, NodeRole::Type)) else {
        return Vec::new();
    };
    if world.kind(ty) == NodeKind::UnionType { world.children(ty) } else { vec![ty] }
}

fn catching(world: &RuleContext<'_>, attempt: NodeRef, name: &str) -> Vec<HunkSet> {
    let catches = world.children(attempt).into_iter();
    catches
        .filter(|catch| world.kind(*catch) == NodeKind::Catch)
        .flat_map(|catch| caught(world, catch))
        .filter(|ty| is_below(world, ty.version, name, world.erased(world.type_of(*ty))))
        .map(|ty| world.owner_of(ty).into_iter().collect())
        .collect()
}

fn declaring(world: &RuleContext<'_>, method: NodeRef, name: &str) -> Vec<HunkSet> {
    let entries = world.children(method).into_iter();
    entries
        .filter(|entry| world.node(*entry).role == NodeRole::Throws)
        .filter(|entry| is_below(world, entry.version, name, world.erased(world.type_of(*entry))))
        .map(|entry| world.owner_of(entry).into_iter().collect())
        .collect()
}

/// Returns the hunks that an exception's handling needs; empty if it is always handled.
fn handling(world: &RuleContext<'_>, at: NodeRef, name: &str) -> HunkSet {
    let found = handlers(world, at, name);
    if found.iter().any(HunkSet::is_empty) {
        return HunkSet::new();
    }
    found.into_iter().next().unwrap_or_default()
}

/// Returns the hunks that make a kept callable throw an exception in a version.
fn throwing(world: &RuleContext<'_>, version: Version, symbol: SymbolId, name: &str) -> HunkSet {
    let twin = world.twin_symbol(version, symbol);
    let other = version.opposite();
    let throws_there = twin.is_some_and(|twin| {
        let facts = world.facts(other);
        facts.symbol(twin).thrown.iter().any(|id| facts.text(*id) == name)
    });
    let Some(at) = world.declaration(version, symbol).filter(|_| !throws_there) else {
        return HunkSet::new();
    };
    declaring_exactly(world, at, name)
}

fn declaring_exactly(world: &RuleContext<'_>, method: NodeRef, name: &str) -> HunkSet {
    let entries = world.children(method).into_iter();
    entries
        .filter(|entry| world.node(*entry).role == NodeRole::Throws)
        .filter(|entry| world.erased(world.type_of(*entry)) == name)
        .filter_map(|entry| world.owner_of(entry))
        .collect()
}

fn thrower(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let version = at.version;
    let names = thrown(world, at);
    if let Some(owner) = world.owner_of(at) {
        let code = HunkSet::from([owner]);
        for name in &names {
            links.rely(version, &code, &handling(world, at, name), DependencyRule::Exception);
        }
        differently_declared(world, at, &code, &names, links);
        return;
    }
    let Some(twin) = world.twin(at).filter(|twin| world.sort(*twin) == world.sort(at)) else {
        return;
    };
    let others = thrown(world, twin);
    for name in &names {
        let handled = handling(world, at, name);
        if others.contains(name) {
            if version == Version::Old {
                links.need_all(&handled, &handling(world, twin, name), DependencyRule::Exception);
            }
            continue;
        }
        let mut causes = HunkSet::new();
        if let Some(symbol) = world.node(at).symbol {
            causes = throwing(world, version, symbol, name);
        }
        if causes.is_empty() {
            causes = world.causes(at);
            causes.extend(world.causes(twin));
        }
        links.rely(version, &causes, &handled, DependencyRule::Exception);
    }
}

/// Adds dependencies of a call of one version to a method that throws more exceptions in the other one.
fn differently_declared(
    world: &RuleContext<'_>,
    at: NodeRef,
    code: &HunkSet,
    names: &BTreeSet<String>,
    links: &mut DependencyCollector,
) {
    let Some(symbol) = world
        .node(at)
        .symbol
        .filter(|_| matches!(world.sort(at), NodeCategory::Call | NodeCategory::ImplicitClose))
    else {
        return;
    };
    let other = at.version.opposite();
    let Some(twin) = world.twin_symbol(at.version, symbol) else { return };
    let facts = world.facts(other);
    for id in &facts.symbol(twin).thrown {
        let name = facts.text(*id);
        if !names.contains(name)
            && world.is_checked(other, name)
            && !handlers(world, at, name).iter().any(HunkSet::is_empty)
        {
            let hunks = throwing(world, other, twin, name);
            links.rely(at.version, code, &hunks, DependencyRule::Exception);
        }
    }
}

/// Adds dependencies of a `catch` of a checked exception on code that throws it.
fn catcher(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    for ty in caught(world, at) {
        let name = world.erased(world.type_of(ty)).to_owned();
        let is_special = matches!(name.as_str(), "java.lang.Exception" | "java.lang.Throwable");
        if is_special || !world.is_checked(at.version, &name) {
            continue;
        }
        let throwers = throwers(world, at, &name);
        if throwers.is_empty() || throwers.iter().any(Vec::is_empty) {
            continue;
        }
        // Where several places may throw it, one is enough, and for each its own presence stands.
        let any: HunkSet = throwers.iter().filter_map(|place| place.first()).copied().collect();
        let all: HunkSet = throwers.iter().flatten().copied().collect();
        match (world.owner_of(ty), world.twin(ty)) {
            (Some(owner), _) if at.version == Version::New => {
                if throwers.len() == 1 {
                    links.need_all(&HunkSet::from([owner]), &all, DependencyRule::Exception);
                } else {
                    links.need_any(owner, &any, DependencyRule::Exception);
                }
            }
            (Some(owner), _) => {
                links.need_all(&all, &HunkSet::from([owner]), DependencyRule::Exception);
            }
            (None, Some(twin)) if at.version == Version::Old => {
                let catch = world.ancestors(twin).find(|at| world.kind(*at) == NodeKind::Catch);
                let others = catch.map(|catch| self::throwers(world, catch, &name));
                let others = others.unwrap_or_default();
                if !others.iter().any(Vec::is_empty) {
                    let others = others.into_iter().flatten().collect();
                    for hunk in all {
                        links.need_any(hunk, &others, DependencyRule::Exception);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the hunks that each throwing place in a `try` depends on; the hunk of the place itself comes first.
fn throwers(world: &RuleContext<'_>, catch: NodeRef, name: &str) -> Vec<Vec<HunkId>> {
    let attempt = world.parent(catch);
    let parts = world.children(attempt).into_iter();
    let bodies =
        parts.filter(|part| matches!(world.node(*part).role, NodeRole::Body | NodeRole::Resource));
    let mut found = Vec::new();
    for body in bodies {
        for node in body.node..world.node(body).end {
            let at = body.with_node(node);
            if !is_thrower(world.kind(at)) {
                continue;
            }
            let fitting = |thrown: &&String| {
                is_below(world, at.version, thrown, name)
                    || is_below(world, at.version, name, thrown)
            };
            for thrown in thrown(world, at).iter().filter(fitting) {
                if stopped(world, at, attempt, thrown).is_none_or(|inner| !inner.is_empty()) {
                    continue;
                }
                let mut hunks: Vec<HunkId> = world.placer(at).into_iter().collect();
                if let Some(symbol) = world.node(at).symbol {
                    hunks.extend(throwing(world, at.version, symbol, thrown));
                }
                if let Some(twin) = world.twin(at) {
                    if !self::thrown(world, twin).contains(thrown) {
                        hunks.extend(world.causes(at));
                    }
                    let there = world.twin(attempt);
                    let there = there.and_then(|there| stopped(world, twin, there, thrown));
                    hunks.extend(there.into_iter().flatten().flatten());
                }
                found.push(hunks);
            }
        }
    }
    found
}

/// Returns the handlers that stop an exception between a node and an enclosing `try`; `None` if a routine in between
/// does.
fn stopped(
    world: &RuleContext<'_>,
    at: NodeRef,
    attempt: NodeRef,
    name: &str,
) -> Option<Vec<HunkSet>> {
    let mut found = Vec::new();
    let mut child = at;
    for holder in world.ancestors(at) {
        if holder == attempt {
            return Some(found);
        }
        match world.kind(holder) {
            NodeKind::Try
                if matches!(world.node(child).role, NodeRole::Body | NodeRole::Resource) =>
            {
                found.extend(catching(world, holder, name));
            }
            NodeKind::Method | NodeKind::LambdaExpression | NodeKind::Class => return None,
            _ => {}
        }
        child = holder;
    }
    None
}

/// Adds the dependencies of overriding methods, which must not declare more exceptions than the overridden ones.
fn overriding(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(method) = world.node(at).symbol else { return };
    let facts = world.facts(at.version);
    for entry in world.children(at) {
        let name = world.erased(world.type_of(entry));
        let is_entry = world.node(entry).role == NodeRole::Throws;
        if !is_entry || !world.is_checked(at.version, name) {
            continue;
        }
        for other in &facts.symbol(method).overridden {
            let Some(above) = world.declaration(at.version, *other) else { continue };
            let entries = declaring(world, above, name);
            if entries.iter().any(HunkSet::is_empty) {
                continue;
            }
            let needed: HunkSet = entries.into_iter().flatten().take(1).collect();
            let code: HunkSet = world.owner_of(entry).into_iter().collect();
            links.rely(at.version, &code, &needed, DependencyRule::Exception);
        }
    }
}
