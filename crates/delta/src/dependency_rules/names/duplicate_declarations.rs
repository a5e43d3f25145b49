//! Two declarations of one name in one place exclude each other.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, SymbolId, SymbolKind};
use std::collections::{BTreeMap, HashMap};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    members(world, links);
    overloads(world, links);
    locals(world, links);
    labels(world, links);
}

/// Finds members of one class, by their distinguishing keys.
fn members(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    type MemberKey = (SymbolId, u8, String);
    let key = |version: Version, id: SymbolId, class: SymbolId| -> MemberKey {
        let facts = world.facts(version);
        let symbol = facts.symbol(id);
        let sort = match symbol.kind {
            kind if kind.is_type() => 0,
            SymbolKind::Method => 1,
            SymbolKind::Constructor => 2,
            SymbolKind::TypeParameter => 3,
            _ => 4,
        };
        (class, sort, world.signature(version, id))
    };
    let mut old: HashMap<MemberKey, SymbolId> = HashMap::new();
    for id in declared_members(world, Version::Old) {
        let owner = world.facts(Version::Old).symbol(id).owner;
        if let Some(class) = owner.and_then(|owner| world.twin_symbol(Version::Old, owner)) {
            old.insert(key(Version::Old, id, class), id);
        }
    }
    for id in declared_members(world, Version::New) {
        let Some(class) = world.facts(Version::New).symbol(id).owner else { continue };
        let Some(other) = old.get(&key(Version::New, id, class)) else { continue };
        if world.twin_symbol(Version::Old, *other) == Some(id) {
            continue;
        }
        let mut coming = world.makers(Version::New, id);
        if coming.is_empty() {
            coming = world.parameter_hunks(Version::New, id);
        }
        let mut going = world.makers(Version::Old, *other);
        if going.is_empty() {
            going = world.parameter_hunks(Version::Old, *other);
        }
        links.need_all(&coming, &going.into_iter().take(1).collect(), DependencyRule::Duplicate);
    }
}

fn declared_members(world: &RuleContext<'_>, version: Version) -> Vec<SymbolId> {
    let facts = world.facts(version);
    (0..facts.symbols().len())
        .filter(|id| {
            let symbol = facts.symbol(*id);
            symbol.place.is_some() && symbol.kind != SymbolKind::Local
        })
        .collect()
}

/// Adds dependencies of overloads: while only some parameters have changed, a method must not have the signature of
/// another one.
fn overloads(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    let mut named: HashMap<(Option<SymbolId>, &str), Vec<SymbolId>> = HashMap::new();
    let facts = world.facts(Version::New);
    for id in declared_members(world, Version::New) {
        if facts.symbol(id).kind.is_callable() {
            named.entry((facts.symbol(id).owner, facts.name(id))).or_default().push(id);
        }
    }
    for all in named.values().filter(|all| all.len() > 1) {
        for id in all {
            let others = all.iter().filter(|other| *other != id);
            if others.into_iter().any(|other| may_become(world, *id, *other)) {
                links
                    .together(&world.parameter_hunks(Version::New, *id), DependencyRule::Duplicate);
            }
        }
    }
}

/// Returns true if a method of the new version can, in a variant, have the parameters of another one.
fn may_become(world: &RuleContext<'_>, id: SymbolId, other: SymbolId) -> bool {
    let Some(twin) = world.twin_symbol(Version::New, id) else { return false };
    let types = |version: Version, id| -> Vec<&str> {
        let facts = world.facts(version);
        let parameters = facts.symbol(id).parameters.iter();
        parameters.map(|one| facts.text(facts.symbol(*one).ty.erased)).collect()
    };
    let (new, old) = (types(Version::New, id), types(Version::Old, twin));
    let wanted = types(Version::New, other);
    new != old
        && wanted.len() <= new.len() + old.len()
        && wanted.iter().all(|ty| new.contains(ty) || old.contains(ty))
}

/// Adds dependencies of variables of one routine whose scopes may overlap.
fn locals(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    let mut old: BTreeMap<(usize, usize, &str), Vec<NodeRef>> = BTreeMap::new();
    let facts = world.facts(Version::Old);
    for (at, symbol) in variables(world, Version::Old) {
        if let Some(routine) = outer(world, at).and_then(|routine| world.twin(routine)) {
            old.entry((routine.tree, routine.node, facts.name(symbol))).or_default().push(at);
        }
    }
    for (at, symbol) in variables(world, Version::New) {
        let Some(from) = world.owner_of(at) else { continue };
        let Some(routine) = outer(world, at) else { continue };
        let key = (routine.tree, routine.node, world.facts(Version::New).name(symbol));
        for other in old.get(&key).into_iter().flatten() {
            if let Some(to) = world.owner_of(*other)
                && may_overlap(world, *other, at)
            {
                links.need(from, to, DependencyRule::Duplicate);
            }
        }
    }
}

fn variables<'a>(
    world: &'a RuleContext<'_>,
    version: Version,
) -> impl Iterator<Item = (NodeRef, SymbolId)> + 'a {
    world.changed_nodes(version).filter_map(move |at| {
        let symbol = world.node(at).symbol?;
        let is_local = world.kind(at) == NodeKind::Variable
            && world.facts(version).symbol(symbol).kind == SymbolKind::Local;
        is_local.then_some((at, symbol))
    })
}

/// Returns the outermost method that contains a variable, below the innermost class.
fn outer(world: &RuleContext<'_>, at: NodeRef) -> Option<NodeRef> {
    world.method_of(at)
}

/// Returns true if the nearest kept nodes around two variables contain each other.
fn may_overlap(world: &RuleContext<'_>, old: NodeRef, new: NodeRef) -> bool {
    let around = |at: NodeRef| {
        world.ancestors(at).find(|holder| {
            world.kind(*holder) != NodeKind::ExpressionStatement
                && world.owner_of(*holder).is_none()
                && world.twin(*holder).is_some()
        })
    };
    let (Some(old), Some(new)) = (around(old).and_then(|at| world.twin(at)), around(new)) else {
        return true;
    };
    let holds =
        |outer: NodeRef, inner: NodeRef| (outer.node..world.node(outer).end).contains(&inner.node);
    holds(old, new) || holds(new, old)
}

/// Labels of one `switch`.
fn labels(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for at in world.changed_nodes(Version::New).filter(|at| world.kind(*at) == NodeKind::Case) {
        let Some(from) = world.owner_of(at) else { continue };
        let Some(old) = world.twin(world.parent(at)) else { continue };
        for other in
            world.children(old).into_iter().filter(|one| world.kind(*one) == NodeKind::Case)
        {
            if let Some(to) = world.owner_of(other)
                && label(world, at) == label(world, other)
            {
                links.need_all(
                    &HunkSet::from([from]),
                    &HunkSet::from([to]),
                    DependencyRule::Duplicate,
                );
            }
        }
    }
}

/// Returns the text from `case` to its colon or arrow.
fn label(world: &RuleContext<'_>, case: NodeRef) -> Vec<u8> {
    let bytes = world.node(case).bytes.clone();
    let text = world.text_of(case.version, case.tree).and_then(|text| text.get(bytes));
    let text = text.unwrap_or_default();
    let end = text.iter().position(|byte| matches!(byte, b':' | b'-')).unwrap_or(text.len());
    text[..end].iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect()
}
