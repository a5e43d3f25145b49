//! Constructor calls: every constructor calls one of its superclass, also implicitly.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::Links;
use crate::dependency_rules::context::node_ref::{At, Hunks, VERSIONS};
use crate::dependency_rules::context::rule_context::World;
use crate::hunk::Rule;
use mend_java::facts::{Role, SymbolKind};

pub(crate) fn couple(world: &World<'_>, links: &mut Links) {
    for version in VERSIONS {
        for at in world.all_nodes(version).filter(|at| world.kind(*at) == "IMPLIED_SUPER") {
            implied(world, at, links);
        }
        for at in world.changed_nodes(version).filter(|at| is_constructor_call(world, *at)) {
            written(world, at, links);
            demanded(world, at, links);
        }
    }
}

fn is_constructor_call(world: &World<'_>, at: At) -> bool {
    world.kind(at) == "METHOD_INVOCATION"
        && world.node(at).symbol.is_some_and(|symbol| {
            world.facts(at.version).symbol(symbol).kind == SymbolKind::Constructor
        })
}

fn implied(world: &World<'_>, at: At, links: &mut Links) {
    let Some(symbol) = world.node(at).symbol else { return };
    let code = presence(world, at);
    let version = at.version;
    let makers = world.makers(version, symbol);
    links.rely(version, &code, &makers, Rule::Constructor);
    links.rely(version, &code, &parameters(world, version, symbol), Rule::Constructor);
    if let Some(class) = world.class_of(at) {
        links.rely(version, &code, &world.supertype_hunks(version, class), Rule::Constructor);
    }
    if code.is_empty() && version == Version::Old {
        let twin = same_routine(world, at).and_then(|other| implied_in(world, other));
        let Some(other) = twin.and_then(|twin| world.node(twin).symbol) else { return };
        if world.twin_symbol(version, symbol) != Some(other) {
            links.need_all(&makers, &world.makers(Version::New, other), Rule::Constructor);
        }
    }
}

/// Returns the hunks that add the first parameters of a constructor, or remove all.
fn parameters(world: &World<'_>, version: Version, symbol: usize) -> Hunks {
    let Some(twin) = world.twin_symbol(version, symbol) else { return Hunks::new() };
    if world.facts(version.other()).symbol(twin).parameters.is_empty() {
        return Hunks::new();
    }
    world.parameter_hunks(version, symbol)
}

/// Returns the hunks that add or remove an implicit call.
fn presence(world: &World<'_>, at: At) -> Hunks {
    let Some(holder) = holder(world, at) else { return Hunks::new() };
    if world.kind(holder) != "METHOD" {
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
        return Hunks::from([owner]);
    }
    let Some(twin) = world.twin(holder) else { return Hunks::new() };
    explicit_in(world, twin).and_then(|call| world.owner_of(call)).into_iter().collect()
}

/// Returns the constructor, or the class without one.
fn holder(world: &World<'_>, at: At) -> Option<At> {
    world.ancestors(at).find(|at| {
        world.kind(*at) == "METHOD"
            || matches!(world.kind(*at), "CLASS" | "ENUM" | "RECORD" | "NEW_CLASS")
    })
}

fn same_routine(world: &World<'_>, at: At) -> Option<At> {
    holder(world, at).and_then(|holder| world.twin(holder))
}

fn implied_in(world: &World<'_>, holder: At) -> Option<At> {
    (holder.node..world.node(holder).end)
        .map(|node| holder.with(node))
        .find(|at| world.kind(*at) == "IMPLIED_SUPER" && self::holder(world, *at) == Some(holder))
}

fn explicit_in(world: &World<'_>, constructor: At) -> Option<At> {
    let body = world.child(constructor, Role::Body)?;
    (body.node..world.node(body).end)
        .map(|node| body.with(node))
        .find(|at| is_constructor_call(world, *at))
}

/// Adds the dependencies of a class whose superclass requires arguments: it needs a constructor, and that constructor
/// the call. A constructor that calls another one of its class leaves the call to that one.
fn demanded(world: &World<'_>, at: At, links: &mut Links) {
    let has_arguments = world.child(at, Role::Argument).is_some();
    let constructor = world.method_of(at);
    let (Some(class), Some(constructor)) = (world.class_of(at), constructor) else { return };
    let own = world.node(at).symbol.and_then(|id| world.facts(at.version).symbol(id).owner);
    let calls_own = own == Some(class);
    if !has_arguments && !calls_own {
        return;
    }
    let set = |owner: Option<usize>| owner.into_iter().collect::<Hunks>();
    let (outer, inner) = (set(world.owner_of(constructor)), set(world.owner_of(at)));
    links.rely(at.version, &outer, &inner, Rule::Constructor);
    if !calls_own {
        let class = world.declaration(at.version, class).and_then(|class| world.owner_of(class));
        links.rely(at.version, &set(class), &outer, Rule::Constructor);
    }
}

/// Adds dependencies of an explicit constructor call, of which there is one; its target depends on the superclass.
fn written(world: &World<'_>, at: At, links: &mut Links) {
    let (Some(owner), Some(class)) = (world.owner_of(at), world.class_of(at)) else { return };
    let code = Hunks::from([owner]);
    let own = world.node(at).symbol.and_then(|id| world.facts(at.version).symbol(id).owner);
    if own != Some(class) {
        let hunks = world.supertype_hunks(at.version, class);
        links.rely(at.version, &code, &hunks, Rule::Constructor);
    }
    if at.version == Version::New {
        let routine = world.method_of(at);
        let Some(twin) = routine.and_then(|at| world.twin(at)) else { return };
        let old = explicit_in(world, twin).and_then(|old| world.owner_of(old));
        links.need_all(&code, &old.into_iter().collect(), Rule::Duplicate);
        links.need_all(&code, &leading(world, twin), Rule::Constructor);
    } else if let Some(twin) = world.method_of(at).and_then(|at| world.twin(at)) {
        links.need_all(&leading(world, twin), &code, Rule::Constructor);
    }
}

/// Returns the hunks that add or remove the first statements of a constructor.
fn leading(world: &World<'_>, constructor: At) -> Hunks {
    let Some(body) = world.child(constructor, Role::Body) else { return Hunks::new() };
    let written = |one: &At| world.kind(*one) != "IMPLIED_SUPER";
    let statements = world.children(body).into_iter().filter(written);
    let owner = |one: At| world.owner(one.version, one.tree, world.node(one).bytes.start);
    statements.map_while(owner).collect()
}
