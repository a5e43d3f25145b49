//! A use needs the declaration that it means.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeCategory, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, SymbolId, SymbolKind};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.changed_nodes(version) {
            if world.is_use(at) {
                owned(world, at, links);
                selected(world, at, links);
                beside_moved(world, at, links);
                inherited(world, at, links);
            }
        }
    }
    // A name in an unchanged file can get another meaning too.
    for at in world.all_nodes(Version::Old) {
        if world.is_use(at) && world.bearer_of(at).is_none() {
            kept(world, at, links);
        }
    }
}

impl RuleContext<'_> {
    /// Returns true if a node names something that is declared elsewhere.
    pub(crate) fn is_use(&self, at: NodeRef) -> bool {
        let node = self.node(at);
        let is_named = match self.sort(at) {
            NodeCategory::Reference => true,
            NodeCategory::Call => self.kind(at) == NodeKind::NewClass,
            _ => false,
        };
        is_named && node.symbol.is_some()
    }
}

/// Adds dependencies of a local variable that moves to another body: its uses move with it.
fn beside_moved(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(symbol) = world.node(at).symbol else { return };
    if world.facts(at.version).symbol(symbol).kind != SymbolKind::Local {
        return;
    }
    let Some(declared) = world.declaration(at.version, symbol) else { return };
    let Some(mover) = world.mover(declared).filter(|_| world.owner_of(declared).is_none()) else {
        return;
    };
    let Some(twin) = world.twin(declared) else { return };
    if world.twin(world.parent(declared)) == Some(world.parent(twin)) {
        return;
    }
    if let Some(placer) = world.placer(at).filter(|placer| *placer != mover) {
        let code = HunkSet::from([placer]);
        if world.owner_of(at).is_some() {
            links.rely(at.version, &code, &HunkSet::from([mover]), DependencyRule::Definition);
        } else {
            links.together(&HunkSet::from([placer, mover]), DependencyRule::Definition);
        }
    }
}

/// Adds dependencies of a replaced name on its qualifier.
fn selected(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let (Some(owner), Some(twin)) = (world.owner_of(at), world.twin(at)) else { return };
    let mut group = world.selection(at, twin);
    group.extend(class_receivers(world, at, twin));
    if !group.is_empty() {
        group.insert(owner);
        links.together(&group, DependencyRule::Definition);
    }
}

/// Returns the hunks that select a static member from another class than before, or from a value.
fn class_receivers(world: &RuleContext<'_>, at: NodeRef, twin: NodeRef) -> HunkSet {
    let receivers = [at, twin].map(|at| world.children(at).first().copied());
    let is_class = |at: &NodeRef| {
        let symbol = world.node(*at).symbol;
        symbol.is_some_and(|symbol| world.facts(at.version).symbol(symbol).kind.is_type())
    };
    let [Some(receiver), Some(other)] = receivers else { return HunkSet::new() };
    if !is_class(&receiver) && !is_class(&other) {
        return HunkSet::new();
    }
    [receiver, other].into_iter().filter_map(|at| world.owner_of(at)).collect()
}

fn owned(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let (Some(owner), Some(symbol)) = (world.bearer_of(at), world.node(at).symbol) else { return };
    let makers = world.makers(at.version, symbol);
    let rule =
        if at.version == Version::New { DependencyRule::Definition } else { DependencyRule::Use };
    links.rely(at.version, &HunkSet::from([owner]), &makers, rule);
    links.rely(
        at.version,
        &HunkSet::from([owner]),
        &qualification(world, at),
        DependencyRule::Package,
    );
}

/// Adds dependencies of an inherited member on its class being a supertype.
fn inherited(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let path = world.inheritance_path(at);
    if let Some(owner) = world.bearer_of(at) {
        links.rely(at.version, &HunkSet::from([owner]), &path, DependencyRule::Definition);
    } else if at.version == Version::Old
        && let (Some(twin), Some(symbol)) = (world.twin(at), world.node(at).symbol)
        && world.twin_symbol(Version::Old, symbol) == world.node(twin).symbol
    {
        links.need_all(&path, &world.inheritance_path(twin), DependencyRule::Definition);
    }
}

impl RuleContext<'_> {
    /// Returns the hunks that make a name's class inherit the member that it means.
    fn inheritance_path(&self, at: NodeRef) -> HunkSet {
        let Some(symbol) = self.node(at).symbol else { return HunkSet::new() };
        let facts = self.facts(at.version);
        let is_member = matches!(facts.symbol(symbol).kind, SymbolKind::Field | SymbolKind::Method);
        let Some(owner) = facts.symbol(symbol).owner.filter(|_| is_member) else {
            return HunkSet::new();
        };
        let class = match self.children(at).first() {
            Some(receiver) => facts.class(self.node(*receiver).ty.erased),
            None => std::iter::successors(self.class_of(at), |class| {
                facts.owners(*class).find(|owner| facts.symbol(*owner).kind.is_type())
            })
            .find(|class| *class == owner || facts.supertypes_with_self(*class).contains(&owner)),
        };
        class.map(|class| self.path_hunks(at.version, class, owner)).unwrap_or_default()
    }
}

/// Returns the hunks that put a class into the package of a qualified name.
fn qualification(world: &RuleContext<'_>, at: NodeRef) -> HunkSet {
    let Some(symbol) = world.node(at).symbol else { return HunkSet::new() };
    let facts = world.facts(at.version);
    let is_qualified =
        world.kind(at) == NodeKind::MemberSelect && facts.symbol(symbol).kind.is_type();
    let qualifier = world.children(at).first().and_then(|first| world.node(*first).symbol);
    let by_package =
        qualifier.is_none_or(|qualifier| facts.symbol(qualifier).kind == SymbolKind::Other);
    if !is_qualified || !by_package {
        return HunkSet::new();
    }
    world.package_hunks(at.version, symbol)
}

/// Adds dependencies of a name that both versions have, and that may have different meanings.
fn kept(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let (Some(symbol), Some(twin)) = (world.node(at).symbol, world.twin(at)) else { return };
    let Some(other) = world.node(twin).symbol else { return };
    if world.twin_symbol(Version::Old, symbol) == Some(other) {
        return;
    }
    let gone = world.makers(Version::Old, symbol);
    let made = world.makers(Version::New, other);
    let mut causes = world.resolution(at);
    causes.extend(world.mover(at));
    let causes: HunkSet =
        causes.into_iter().filter(|hunk| !gone.contains(hunk) && !made.contains(hunk)).collect();
    let made = with_signature(world, Version::New, other, made);
    let gone = with_signature(world, Version::Old, symbol, gone);
    if causes.is_empty() || is_local(world, symbol) {
        links.need_all(&gone, &made, DependencyRule::Definition);
    }
    links.need_all(&causes, &made, DependencyRule::Definition);
    links.need_all(&gone, &causes, DependencyRule::Use);
}

/// Adds the hunks of the signature: one meaning can have another type and other parameters than the other.
fn with_signature(
    world: &RuleContext<'_>,
    version: Version,
    symbol: SymbolId,
    mut hunks: HunkSet,
) -> HunkSet {
    hunks.extend(world.retyping(version, symbol));
    hunks.extend(world.parameter_hunks(version, symbol));
    hunks
}

fn is_local(world: &RuleContext<'_>, symbol: usize) -> bool {
    world.facts(Version::Old).symbol(symbol).kind == SymbolKind::Local
}
