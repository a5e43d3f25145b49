//! Constructor calls: every constructor calls one of its superclass, also implicitly.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolKind};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.all_nodes(version).filter(|at| world.kind(*at) == NodeKind::ImpliedSuper) {
            implied(world, at, links);
        }
        for at in world.changed_nodes(version).filter(|at| is_constructor_call(world, *at)) {
            written(world, at, links);
            demanded(world, at, links);
        }
    }
}

fn is_constructor_call(world: &RuleContext<'_>, at: NodeRef) -> bool {
    world.kind(at) == NodeKind::MethodInvocation
        && world.node(at).symbol.is_some_and(|symbol| {
            world.facts(at.version).symbol(symbol).kind == SymbolKind::Constructor
        })
}

fn implied(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let Some(symbol) = world.node(at).symbol else { return };
    let code = presence(world, at);
    let version = at.version;
    let makers = world.makers(version, symbol);
    links.rely(version, &code, &makers, DependencyRule::Constructor);
    links.rely(version, &code, &parameters(world, version, symbol), DependencyRule::Constructor);
    if let Some(class) = world.class_of(at) {
        links.rely(
            version,
            &code,
            &world.supertype_hunks(version, class),
            DependencyRule::Constructor,
        );
    }
    if code.is_empty() && version == Version::Old {
        let twin = same_routine(world, at).and_then(|other| implied_in(world, other));
        let Some(other) = twin.and_then(|twin| world.node(twin).symbol) else { return };
        if world.twin_symbol(version, symbol) != Some(other) {
            links.need_all(
                &makers,
                &world.makers(Version::New, other),
                DependencyRule::Constructor,
            );
        }
    }
}

/// Returns the hunks that add the first parameters of a constructor, or remove all.
fn parameters(world: &RuleContext<'_>, version: Version, symbol: usize) -> HunkSet {
    let Some(twin) = world.twin_symbol(version, symbol) else { return HunkSet::new() };
    if world.facts(version.opposite()).symbol(twin).parameters.is_empty() {
        return HunkSet::new();
    }
    world.parameter_hunks(version, symbol)
}

/// Returns the hunks that add or remove an implicit call.
fn presence(world: &RuleContext<'_>, at: NodeRef) -> HunkSet {
    let Some(holder) = holder(world, at) else { return HunkSet::new() };
    if world.kind(holder) != NodeKind::Method {
        let class = world.node(holder).symbol;
        let facts = world.facts(at.version);
        let own = (0..facts.symbols().len()).find(|id| {
            let symbol = facts.symbol(*id);
            symbol.kind == SymbolKind::Constructor && symbol.owner == class
        });
        return own.map_or_else(
            || world.owner_of(holder).into_iter().collect(),
            |own| world.makers(at.version, own),
        );
    }
    if let Some(owner) = world.owner_of(holder) {
        return HunkSet::from([owner]);
    }
    let Some(twin) = world.twin(holder) else { return HunkSet::new() };
    explicit_in(world, twin).and_then(|call| world.owner_of(call)).into_iter().collect()
}

/// Returns the constructor, or the class without one.
fn holder(world: &RuleContext<'_>, at: NodeRef) -> Option<NodeRef> {
    world.ancestors(at).find(|at| {
        world.kind(*at) == NodeKind::Method
            || matches!(
                world.kind(*at),
                NodeKind::Class | NodeKind::Enum | NodeKind::Record | NodeKind::NewClass
            )
    })
}

fn same_routine(world: &RuleContext<'_>, at: NodeRef) -> Option<NodeRef> {
    holder(world, at).and_then(|holder| world.twin(holder))
}

fn implied_in(world: &RuleContext<'_>, holder: NodeRef) -> Option<NodeRef> {
    (holder.node..world.node(holder).end).map(|node| holder.with_node(node)).find(|at| {
        world.kind(*at) == NodeKind::ImpliedSuper && self::holder(world, *at) == Some(holder)
    })
}

fn explicit_in(world: &RuleContext<'_>, constructor: NodeRef) -> Option<NodeRef> {
    let body = world.child(constructor, NodeRole::Body)?;
    (body.node..world.node(body).end)
        .map(|node| body.with_node(node))
        .find(|at| is_constructor_call(world, *at))
}

/// Adds the dependencies of a class whose superclass requires arguments: it needs a constructor, and that constructor
/// the call. A constructor that calls another one of its class leaves the call to that one.
fn demanded(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let has_arguments = world.child(at, NodeRole::Argument).is_some();
    let constructor = world.method_of(at);
    let (Some(class), Some(constructor)) = (world.class_of(at), constructor) else { return };
    let own = world.node(at).symbol.and_then(|id| world.facts(at.version).symbol(id).owner);
    let calls_own = own == Some(class);
    if !has_arguments && !calls_own {
        return;
    }
    let set = |owner: Option<usize>| owner.into_iter().collect::<HunkSet>();
    let (outer, inner) = (set(world.owner_of(constructor)), set(world.owner_of(at)));
    links.rely(at.version, &outer, &inner, DependencyRule::Constructor);
    if !calls_own {
        let class = world.declaration(at.version, class).and_then(|class| world.owner_of(class));
        links.rely(at.version, &set(class), &outer, DependencyRule::Constructor);
    }
}

/// Adds dependencies of an explicit constructor call, of which there is one; its target depends on the superclass.
fn written(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let (Some(owner), Some(class)) = (world.owner_of(at), world.class_of(at)) else { return };
    let code = HunkSet::from([owner]);
    let own = world.node(at).symbol.and_then(|id| world.facts(at.version).symbol(id).owner);
    if own != Some(class) {
        let hunks = world.supertype_hunks(at.version, class);
        links.rely(at.version, &code, &hunks, DependencyRule::Constructor);
    }
    if at.version == Version::New {
        let routine = world.method_of(at);
        let Some(twin) = routine.and_then(|at| world.twin(at)) else { return };
        let old = explicit_in(world, twin).and_then(|old| world.owner_of(old));
        links.need_all(&code, &old.into_iter().collect(), DependencyRule::Duplicate);
        links.need_all(&code, &leading(world, twin), DependencyRule::Constructor);
    } else if let Some(twin) = world.method_of(at).and_then(|at| world.twin(at)) {
        links.need_all(&leading(world, twin), &code, DependencyRule::Constructor);
    }
}

/// Returns the hunks that add or remove the first statements of a constructor.
fn leading(world: &RuleContext<'_>, constructor: NodeRef) -> HunkSet {
    let Some(body) = world.child(constructor, NodeRole::Body) else { return HunkSet::new() };
    let written = |one: &NodeRef| world.kind(*one) != NodeKind::ImpliedSuper;
    let statements = world.children(body).into_iter().filter(written);
    let owner = |one: NodeRef| world.owner(one.version, one.tree, world.node(one).bytes.start);
    statements.map_while(owner).collect()
}
