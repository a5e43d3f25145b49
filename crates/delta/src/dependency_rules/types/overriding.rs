//! Methods that override each other.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId};
use std::collections::HashMap;

const ACCESS: [&str; 3] = ["public", "protected", "private"];

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.all_nodes(version).filter(|at| world.kind(*at) == NodeKind::Method) {
            let Some(method) = world.node(at).symbol else { continue };
            if let Some(mark) = override_mark(world, at) {
                marked(world, mark, method, links);
            }
            for other in &world.facts(version).symbol(method).overridden {
                compatible(world, version, method, *other, links);
            }
        }
    }
}

/// Returns the name in a method's `@Override`.
fn override_mark(world: &RuleContext<'_>, method: NodeRef) -> Option<NodeRef> {
    let modifiers = world.child(method, NodeRole::Modifiers)?;
    let marks = world.children(modifiers).into_iter();
    marks.filter_map(|annotation| world.children(annotation).first().copied()).find(|name| {
        world.node(*name).symbol.is_some_and(|symbol| {
            let facts = world.facts(method.version);
            facts.text(facts.symbol(symbol).full_name) == "java.lang.Override"
        })
    })
}

/// Adds dependencies of a method with `@Override`, which must override another one.
fn marked(
    world: &RuleContext<'_>,
    mark: NodeRef,
    method: SymbolId,
    links: &mut DependencyCollector,
) {
    let version = mark.version;
    let support = best_link(world, version, method);
    if let Some(owner) = world.owner_of(mark) {
        links.rely(version, &HunkSet::from([owner]), &support, DependencyRule::Override);
    } else if version == Version::Old
        && let Some(twin) = world.twin_symbol(version, method)
    {
        links.need_all(&support, &best_link(world, Version::New, twin), DependencyRule::Override);
    }
}

/// Returns the hunks of the overridden method that depends on the fewest.
fn best_link(world: &RuleContext<'_>, version: Version, method: SymbolId) -> HunkSet {
    let overridden = &world.facts(version).symbol(method).overridden;
    let links = overridden.iter().map(|other| link(world, version, method, *other));
    links.min_by_key(HunkSet::len).unwrap_or_default()
}

/// Returns the hunks that make one method override another in a version.
fn link(world: &RuleContext<'_>, version: Version, method: SymbolId, other: SymbolId) -> HunkSet {
    let mut hunks = world.makers(version, method);
    hunks.extend(world.makers(version, other));
    let facts = world.facts(version);
    if let (Some(class), Some(above)) = (facts.symbol(method).owner, facts.symbol(other).owner) {
        hunks.extend(world.path_hunks(version, class, above));
    }
    hunks.extend(world.parameter_hunks(version, method));
    hunks.extend(world.parameter_hunks(version, other));
    hunks
}

impl RuleContext<'_> {
    /// Returns the hunks that give a class a supertype in a version; empty if it always has it.
    pub(crate) fn path_hunks(&self, version: Version, class: SymbolId, above: SymbolId) -> HunkSet {
        if class == above || self.declaration(version, class).is_none() {
            return HunkSet::new();
        }
        if let Some(known) = self.paths.borrow().get(&(version, class, above)) {
            return known.clone();
        }
        let hunks = self.find_path(version, class, above);
        self.paths.borrow_mut().insert((version, class, above), hunks.clone());
        hunks
    }

    fn find_path(&self, version: Version, class: SymbolId, above: SymbolId) -> HunkSet {
        let mut best: HashMap<SymbolId, HunkSet> = HashMap::from([(class, HunkSet::new())]);
        let mut open = std::collections::VecDeque::from([class]);
        let facts = self.facts(version);
        while let Some(one) = open.pop_front() {
            if one == above {
                break;
            }
            for parent in &facts.symbol(one).supers {
                if best.contains_key(parent) {
                    continue;
                }
                let mut hunks = best.get(&one).cloned().unwrap_or_default();
                hunks.extend(self.edge_hunks(version, one, *parent));
                best.insert(*parent, hunks);
                open.push_back(*parent);
            }
        }
        best.remove(&above).unwrap_or_default()
    }

    /// Returns the hunks of the tokens with which a class names a direct supertype.
    pub(crate) fn edge_hunks(
        &self,
        version: Version,
        class: SymbolId,
        parent: SymbolId,
    ) -> HunkSet {
        let Some(at) = self.declaration(version, class) else { return HunkSet::new() };
        let named = self.children(at).into_iter().filter(|child| {
            matches!(self.node(*child).role, NodeRole::Extends | NodeRole::Implements)
        });
        for part in named {
            let name = (part.node..self.node(part).end)
                .map(|node| part.with_node(node))
                .find(|at| self.node(*at).symbol == Some(parent));
            if let Some(name) = name {
                return self.owner_of(name).into_iter().collect();
            }
        }
        HunkSet::new()
    }
}

/// Returns true if one method overrides another in both versions.
fn overrides_anyway(
    world: &RuleContext<'_>,
    version: Version,
    method: SymbolId,
    other: SymbolId,
) -> bool {
    let twins = world.twin_symbol(version, method).zip(world.twin_symbol(version, other));
    let facts = world.facts(version.opposite());
    twins.is_some_and(|(method, other)| facts.symbol(method).overridden.contains(&other))
}

/// A method and one that it overrides in a version, each with the hunks that give it its form.
struct OverridePair {
    version: Version,
    lower: SymbolId,
    upper: SymbolId,
    lower_there: HunkSet,
    upper_there: HunkSet,
}

/// Adds dependencies of an overriding method: it needs a compatible result type and access, and the overridden method
/// must not be final.
fn compatible(
    world: &RuleContext<'_>,
    version: Version,
    lower: SymbolId,
    upper: SymbolId,
    links: &mut DependencyCollector,
) {
    let owner = |id| world.facts(version).symbol(id).owner;
    let mut link = match (owner(lower), owner(upper)) {
        (Some(class), Some(above)) => world.path_hunks(version, class, above),
        _ => HunkSet::new(),
    };
    if !overrides_anyway(world, version, lower, upper) {
        link.extend(world.parameter_hunks(version, lower));
        link.extend(world.parameter_hunks(version, upper));
    }
    let there = |id| {
        let own = world.makers(version, id).into_iter().chain(world.retyping(version, id));
        own.chain(link.iter().copied()).collect()
    };
    let (lower_there, upper_there) = (there(lower), there(upper));
    let pair = OverridePair { version, lower, upper, lower_there, upper_there };
    results(world, &pair, links);
    modifiers(world, &pair, links);
}

fn results(world: &RuleContext<'_>, pair: &OverridePair, links: &mut DependencyCollector) {
    let (version, lower, upper) = (pair.version, pair.lower, pair.upper);
    let ty = |version, id| VersionedType { version, ty: world.facts(version).symbol(id).ty };
    let returns = |from, to| world.is_same_type(from, to) || world.fits(from, to);
    if let Some(twin) = world.twin_symbol(version, lower)
        && !returns(ty(version.opposite(), twin), ty(version, upper))
    {
        links.rely(
            version,
            &pair.upper_there,
            &world.retyping(version, lower),
            DependencyRule::Override,
        );
    }
    if let Some(twin) = world.twin_symbol(version, upper)
        && !returns(ty(version, lower), ty(version.opposite(), twin))
    {
        links.rely(
            version,
            &pair.lower_there,
            &world.retyping(version, upper),
            DependencyRule::Override,
        );
    }
}

fn modifiers(world: &RuleContext<'_>, pair: &OverridePair, links: &mut DependencyCollector) {
    let (version, lower, upper) = (pair.version, pair.lower, pair.upper);
    let flags = |id| world.facts(version).symbol(id).flags;
    let with = |hunks: &HunkSet, id, words: &[&str]| -> HunkSet {
        hunks.union(&world.modifier_hunks(version, id, words)).copied().collect()
    };
    if world.twin_flags(version, lower).is_some_and(|twin| twin.access() < flags(upper).access()) {
        let code = with(&pair.upper_there, upper, &ACCESS);
        let on = world.modifier_hunks(version, lower, &ACCESS);
        links.rely(version, &code, &on, DependencyRule::Override);
    }
    let Some(twin) = world.twin_flags(version, upper) else { return };
    let mut words = Vec::new();
    if twin.access() > flags(lower).access() {
        words.extend(ACCESS);
    }
    if twin.has(SymbolFlags::FINAL) {
        words.push("final");
    }
    let code = with(&pair.lower_there, lower, &words);
    let on = world.modifier_hunks(version, upper, &words);
    links.rely(version, &code, &on, DependencyRule::Override);
}
