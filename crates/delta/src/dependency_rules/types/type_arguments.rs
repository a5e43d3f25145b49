//! A generic class and as many type arguments as it has parameters, within their bounds.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::Links;
use crate::dependency_rules::context::node_ref::{At, Hunks, VERSIONS};
use crate::dependency_rules::context::rule_context::World;
use crate::dependency_rules::context::type_causes::Typed;
use crate::hunk::Rule;
use mend_java::facts::{Role, SymbolId};

pub(crate) fn couple(world: &World<'_>, links: &mut Links) {
    for version in VERSIONS {
        for at in world.all_nodes(version).filter(|at| world.kind(*at) == "PARAMETERIZED_TYPE") {
            let arguments = arguments(world, at);
            let named = world.child(at, Role::Type).and_then(|name| world.node(name).symbol);
            let Some(class) = named.filter(|_| !arguments.is_empty()) else { continue };
            counted(world, at, class, &arguments, links);
            for (argument, parameter) in
                arguments.iter().zip(&world.facts(version).symbol(class).type_parameters)
            {
                bounded(world, *argument, *parameter, links);
            }
        }
    }
}

fn arguments(world: &World<'_>, at: At) -> Vec<At> {
    let all = world.children(at).into_iter();
    all.filter(|one| world.node(*one).role == Role::TypeArgument).collect()
}

/// Returns the hunks of both versions that change the number of a kept class's type parameters.
fn counting(world: &World<'_>, version: Version, class: SymbolId) -> Hunks {
    let Some(twin) = world.twin_symbol(version, class) else { return Hunks::new() };
    let both = [(version, class), (version.other(), twin)];
    let number = |(version, class)| world.facts(version).symbol(class).type_parameters.len();
    if number(both[0]) == number(both[1]) {
        return Hunks::new();
    }
    both.into_iter()
        .flat_map(|(version, class)| {
            let parameters = world.facts(version).symbol(class).type_parameters.iter();
            parameters.flat_map(move |parameter| world.makers(version, *parameter))
        })
        .collect()
}

fn counted(world: &World<'_>, at: At, class: SymbolId, arguments: &[At], links: &mut Links) {
    let counting = counting(world, at.version, class);
    if counting.is_empty() {
        return;
    }
    let name = world.child(at, Role::Type);
    let brackets = name.map_or_else(Hunks::new, |name| {
        let bytes = world.node(at).bytes.clone();
        world.owners(at, world.node(name).bytes.end..bytes.end)
    });
    let kept = arguments.iter().any(|one| world.owner_of(*one).is_none());
    if kept {
        links.together(&brackets.into_iter().chain(counting).collect(), Rule::Signature);
    } else {
        links.rely(at.version, &brackets, &counting, Rule::Signature);
    }
}

/// Adds dependencies of a type argument, if the bound of its parameter differs in the other version.
fn bounded(world: &World<'_>, argument: At, parameter: SymbolId, links: &mut Links) {
    let version = argument.version;
    let bounds = world.bound_hunks(version, parameter);
    let twin = world.twin_symbol(version, parameter);
    let (Some(owner), Some(twin)) = (world.owner_of(argument), twin) else { return };
    let other = version.other();
    let bound = Typed { version: other, ty: world.facts(other).symbol(twin).ty };
    if !bounds.is_empty() && !world.is_below_bound(world.type_of(argument), bound) {
        links.rely(version, &Hunks::from([owner]), &bounds, Rule::Type);
    }
}

impl World<'_> {
    fn is_below_bound(&self, from: Typed, bound: Typed) -> bool {
        let class = self.facts(from.version).class_named(self.erased(from));
        class.is_some_and(|class| self.facts(from.version).is_below(class, self.erased(bound)))
    }
}
