//! Dependency rule: a functional interface has a single abstract method, and its lambdas match the method.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context
            .changed_nodes(version)
            .filter(|node| is_lambda_or_method_reference(context.kind(*node)))
        {
            let Some(owner) = context.node_owner(node) else { continue };
            let Some(method) = context.functional_method(node) else { continue };
            let code = HunkSet::from([owner]);
            collector.require_in_version(
                version,
                &code,
                &context.presence_hunks(version, method),
                DependencyRule::Definition,
            );
            collector.require_in_version(
                version,
                &code,
                &added_abstract_method_hunks(context, node),
                DependencyRule::Override,
            );
            let has_other_count = parameter_count(context, version, method)
                != twin_parameter_count(context, version, method);
            if has_other_count {
                collector.require_in_version(
                    version,
                    &code,
                    &context.parameter_hunks(version, method),
                    DependencyRule::Signature,
                );
            }
        }
    }
    for version in VERSIONS {
        for node in context.changed_nodes(version) {
            add_annotation_dependencies(context, node, collector);
        }
    }
    for node in context
        .changed_nodes(Version::New)
        .filter(|node| context.kind(*node) == NodeKind::LambdaExpression)
    {
        add_parameter_dependencies(context, node, collector);
    }
}

/// Adds dependencies of `@FunctionalInterface` on the method of the interface.
fn add_annotation_dependencies(
    context: &RuleContext<'_>,
    annotation: NodeRef,
    collector: &mut DependencyCollector,
) {
    let is_functional = context.kind(annotation) == NodeKind::Annotation
        && context.erased_type(context.type_of(annotation)) == "java.lang.FunctionalInterface";
    let (true, Some(owner)) = (is_functional, context.node_owner(annotation)) else { return };
    let interface = context.parent(context.parent(annotation));
    let Some(class) = context.node(interface).symbol else { return };
    let method_hunks = context
        .abstract_methods_of(annotation.version, class)
        .into_iter()
        .flat_map(|method| context.presence_hunks(annotation.version, method))
        .collect();
    collector.require_in_version(
        annotation.version,
        &HunkSet::from([owner]),
        &method_hunks,
        DependencyRule::Definition,
    );
}

fn is_lambda_or_method_reference(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::LambdaExpression | NodeKind::MemberReference)
}

fn parameter_count(context: &RuleContext<'_>, version: Version, method: SymbolId) -> usize {
    context.facts(version).symbol(method).parameters.len()
}

fn twin_parameter_count(context: &RuleContext<'_>, version: Version, method: SymbolId) -> usize {
    let twin = context.twin_symbol(version, method);
    twin.map_or(parameter_count(context, version, method), |twin| {
        parameter_count(context, version.opposite(), twin)
    })
}

/// Adds dependencies of a kept lambda, whose parameters must match its method.
fn add_parameter_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(method), Some(old)) = (context.functional_method(node), context.twin_node(node))
    else {
        return;
    };
    if parameter_count(context, Version::New, method)
        == twin_parameter_count(context, Version::New, method)
    {
        return;
    }
    let parameter_owners = |lambda: NodeRef| {
        let all = context.children(lambda).into_iter();
        all.filter(|one| context.node(*one).role == NodeRole::Parameter)
            .flat_map(|one| context.node_owners(one))
    };
    let mut group: HunkSet = parameter_owners(node).chain(parameter_owners(old)).collect();
    group.extend(context.parameter_hunks(Version::New, method));
    collector.require_each_other(&group, DependencyRule::Signature);
}

/// Returns the hunks that give the other version's interface more methods to implement.
fn added_abstract_method_hunks(context: &RuleContext<'_>, node: NodeRef) -> HunkSet {
    let version = node.version;
    let class = context.facts(version).class_of_type(context.node(node).ty.erased);
    let Some(twin) = class.and_then(|class| context.twin_symbol(version, class)) else {
        return HunkSet::new();
    };
    let twin_methods = context.abstract_methods_of(version.opposite(), twin);
    let is_new = |method: &&SymbolId| context.twin_symbol(version.opposite(), **method).is_none();
    twin_methods
        .iter()
        .filter(is_new)
        .flat_map(|method| context.presence_hunks(version.opposite(), *method))
        .collect()
}

impl RuleContext<'_> {
    /// Returns the method that a lambda or a method reference implements.
    pub(crate) fn functional_method(&self, node: NodeRef) -> Option<SymbolId> {
        let class = self.facts(node.version).class_of_type(self.node(node).ty.erased)?;
        let mut methods = self.abstract_methods_of(node.version, class).into_iter();
        methods.next().filter(|_| methods.next().is_none())
    }

    /// Returns the abstract methods that an interface declares in the sources.
    fn abstract_methods_of(&self, version: Version, class: SymbolId) -> BTreeSet<SymbolId> {
        let facts = self.facts(version);
        let supertypes = facts.supertypes_with_self(class);
        let declarations = supertypes.iter().filter_map(|class| self.declaration(version, *class));
        declarations
            .flat_map(|class| self.children(class))
            .filter(|member| self.kind(*member) == NodeKind::Method)
            .filter_map(|method| self.node(method).symbol)
            .filter(|method| {
                let symbol = facts.symbol(*method);
                symbol.kind == SymbolKind::Method && symbol.flags.has(SymbolFlags::ABSTRACT)
            })
            .collect()
    }
}
