//! Dependency rule: a generic type has one type argument per parameter, within its bounds.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolId};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context
            .all_nodes(version)
            .filter(|node| context.kind(*node) == NodeKind::ParameterizedType)
        {
            let arguments = type_arguments(context, node);
            let class_symbol =
                context.child(node, NodeRole::Type).and_then(|name| context.node(name).symbol);
            let Some(class) = class_symbol.filter(|_| !arguments.is_empty()) else { continue };
            add_count_dependencies(context, node, class, &arguments, collector);
            add_class_dependencies(context, node, &arguments, collector);
            for (argument, parameter) in
                arguments.iter().zip(&context.facts(version).symbol(class).type_parameters)
            {
                add_bound_dependencies(context, *argument, *parameter, collector);
            }
        }
    }
}

fn type_arguments(context: &RuleContext<'_>, node: NodeRef) -> Vec<NodeRef> {
    let all = context.children(node).into_iter();
    all.filter(|one| context.node(*one).role == NodeRole::TypeArgument).collect()
}

/// Returns the hunks of both versions that change the number of a kept class's type parameters.
fn parameter_count_hunks(context: &RuleContext<'_>, version: Version, class: SymbolId) -> HunkSet {
    let Some(twin) = context.twin_symbol(version, class) else { return HunkSet::new() };
    let both = [(version, class), (version.opposite(), twin)];
    let parameter_count =
        |(version, class)| context.facts(version).symbol(class).type_parameters.len();
    if parameter_count(both[0]) == parameter_count(both[1]) {
        return HunkSet::new();
    }
    both.into_iter()
        .flat_map(|(version, class)| {
            let parameters = context.facts(version).symbol(class).type_parameters.iter();
            parameters.flat_map(move |parameter| context.presence_hunks(version, *parameter))
        })
        .collect()
}

fn add_count_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    class: SymbolId,
    arguments: &[NodeRef],
    collector: &mut DependencyCollector,
) {
    let count_hunks = parameter_count_hunks(context, node.version, class);
    if count_hunks.is_empty() {
        return;
    }
    let name = context.child(node, NodeRole::Type);
    let brackets = name.map_or_else(HunkSet::new, |name| {
        let bytes = context.node(node).bytes.clone();
        context.owners_in_range(node, context.node(name).bytes.end..bytes.end)
    });
    let has_kept_argument = arguments.iter().any(|one| context.node_owner(*one).is_none());
    if has_kept_argument {
        collector.require_each_other(
            &brackets.into_iter().chain(count_hunks).collect(),
            DependencyRule::Signature,
        );
    } else {
        collector.require_in_version(
            node.version,
            &brackets,
            &count_hunks,
            DependencyRule::Signature,
        );
    }
}

/// Couples all arguments whose number changes, and the name of a class with another number of type parameters.
fn add_class_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    arguments: &[NodeRef],
    collector: &mut DependencyCollector,
) {
    let twin = context.twin_node(node).filter(|twin| context.kind(*twin) == context.kind(node));
    let Some(twin_arguments) = twin.map(|twin| type_arguments(context, twin)) else { return };
    if arguments.len() == twin_arguments.len() {
        return;
    }
    let name = context.child(node, NodeRole::Type).filter(|_| !twin_arguments.is_empty());
    let parts = arguments.iter().chain(&twin_arguments).copied().chain(name);
    let hunks = parts.filter_map(|part| context.node_owner(part)).collect();
    collector.require_each_other(&hunks, DependencyRule::Signature);
}

/// Adds dependencies of a type argument, if the bound of its parameter differs in the other version.
fn add_bound_dependencies(
    context: &RuleContext<'_>,
    argument: NodeRef,
    parameter: SymbolId,
    collector: &mut DependencyCollector,
) {
    let version = argument.version;
    let bounds = context.bound_hunks(version, parameter);
    let twin = context.twin_symbol(version, parameter);
    let (Some(owner), Some(twin)) = (context.node_owner(argument), twin) else { return };
    let other = version.opposite();
    let bound = VersionedType { version: other, ty: context.facts(other).symbol(twin).ty };
    if !bounds.is_empty() && !context.is_within_bound(context.type_of(argument), bound) {
        collector.require_in_version(
            version,
            &HunkSet::from([owner]),
            &bounds,
            DependencyRule::Type,
        );
    }
}

impl RuleContext<'_> {
    fn is_within_bound(&self, from: VersionedType, bound: VersionedType) -> bool {
        let class = self.facts(from.version).find_class(self.erased_type(from));
        class.is_some_and(|class| {
            self.facts(from.version).is_subtype_of(class, self.erased_type(bound))
        })
    }
}
