//! Dependency rule: a value is assignable to the type that its destination requires.

use super::subtypes;
use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::dependency_rules::types::expected_type::{ExpectedType, expected_type};
use crate::hunk::DependencyRule;
use mend_java::facts::NodeKind;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context.all_nodes(version) {
            if context.kind(node) == NodeKind::ImpliedClose {
                add_resource_dependencies(context, node, collector);
            }
            if let Some(expected) = expected_type(context, node) {
                add_value_dependencies(context, node, &expected, collector);
                add_wrapped_value_dependencies(context, node, &expected, collector);
            }
        }
    }
}

/// Adds the dependencies of a kept value that code is wrapped around or unwrapped from. The new destination can require
/// another type, and the value's type can change as well.
fn add_wrapped_value_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    expected: &ExpectedType,
    collector: &mut DependencyCollector,
) {
    let Some(twin) = context.twin_node(node).filter(|_| context.node_owner(node).is_none()) else {
        return;
    };
    let twin_parent = context.parent(twin);
    if context.twin_node(expected.use_site) == Some(twin_parent) {
        return;
    }
    let wrapper_hunks: HunkSet = [expected.use_site, twin_parent]
        .into_iter()
        .filter_map(|one| context.node_owner(one))
        .collect();
    let causes: HunkSet =
        context.type_causes(node).into_iter().chain(context.type_causes(twin)).collect();
    if wrapper_hunks.is_empty()
        || causes.is_empty()
        || context.is_assignable(context.type_of(twin), expected.ty)
    {
        return;
    }
    // This version's destination needs this version's type.
    collector.require_in_version(node.version, &wrapper_hunks, &causes, DependencyRule::Type);
}

/// Adds the dependencies of resources in a `try`, which must be closeable.
fn add_resource_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let facts = context.facts(node.version);
    let classes = facts
        .class_of_type(context.node(node).ty.erased)
        .zip(facts.find_class("java.lang.AutoCloseable"));
    let (Some((class, closeable)), Some(owner)) = (classes, context.node_owner(node)) else {
        return;
    };
    let path = context.path_hunks(node.version, class, closeable);
    collector.require_in_version(
        node.version,
        &HunkSet::from([owner]),
        &path,
        DependencyRule::Type,
    );
}

fn add_value_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    expected: &ExpectedType,
    collector: &mut DependencyCollector,
) {
    let twin_value = find_twin_value(context, node, expected.use_site);
    subtypes::add_dependencies(context, (node, expected), twin_value, collector);
    match (context.node_owner(expected.use_site), twin_value) {
        (_, Some(twin)) if node.version == Version::New => {
            add_two_sided_dependencies(context, node, expected, twin, collector);
        }
        (owner, None) if context.is_file_changed(node) => {
            let code: HunkSet = owner.or_else(|| context.node_owner(node)).into_iter().collect();
            add_one_sided_dependencies(context, node, expected, &code, collector);
            if context.kind(expected.use_site) == NodeKind::Return && owner.is_none() {
                collector.require_each_other(
                    &expected.causes.iter().chain(&code).copied().collect(),
                    DependencyRule::Type,
                );
            }
        }
        _ => {}
    }
}

/// Returns the value at the same position in the other version.
fn find_twin_value(context: &RuleContext<'_>, node: NodeRef, use_site: NodeRef) -> Option<NodeRef> {
    let twin = context.twin_node(use_site)?;
    if context.kind(twin) != context.kind(use_site) {
        return None;
    }
    let position = |use_site: NodeRef, wanted: NodeRef| {
        let siblings = context.children(use_site);
        siblings
            .iter()
            .filter(|one| context.node(**one).role == context.node(node).role)
            .position(|one| *one == wanted)
    };
    let index = position(use_site, node)?;
    let role = context.node(node).role;
    context.children(twin).into_iter().filter(|one| context.node(*one).role == role).nth(index)
}

/// Adds the dependencies of code of one version only.
fn add_one_sided_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    expected: &ExpectedType,
    code: &HunkSet,
    collector: &mut DependencyCollector,
) {
    let causes = context.type_causes(node);
    if causes.iter().any(|cause| !code.contains(cause)) {
        let accepts = |ty: VersionedType| context.is_assignable(ty, expected.ty);
        let is_assignable = context.type_in_other_version(node).is_some_and(accepts)
            // The other version can have another name here.
            && context.twin_node(node).is_none_or(|twin| accepts(context.type_of(twin)));
        if !is_assignable {
            collector.require_in_version(node.version, code, &causes, DependencyRule::Type);
        }
    }
    if expected.causes.iter().any(|cause| !code.contains(cause)) {
        let is_assignable = expected
            .twin_type
            .is_some_and(|other| context.is_assignable(context.type_of(node), other));
        if !is_assignable {
            collector.require_in_version(
                node.version,
                code,
                &expected.causes,
                DependencyRule::Type,
            );
        }
    }
}

/// Adds the dependencies of a destination that both versions have.
fn add_two_sided_dependencies(
    context: &RuleContext<'_>,
    at: NodeRef,
    expected: &ExpectedType,
    old: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(old_expected) =
        crate::dependency_rules::types::expected_type::expected_type(context, old)
    else {
        return;
    };
    for (source, expected, other) in [(at, expected, old), (old, &old_expected, at)] {
        // A kept value that is wrapped in the other version depends on the wrapper.
        let is_wrapped = context.twin_node(source).is_some_and(|twin| twin != other);
        let owner = context
            .move_of_node(source)
            .or_else(|| context.node_owner(source))
            .filter(|owner| !context.is_type_neutral(*owner))
            .or_else(|| context.node_owner(other).filter(|_| is_wrapped));
        if let Some(owner) = owner {
            let hunks = HunkSet::from([owner]);
            add_one_sided_dependencies(context, source, expected, &hunks, collector);
        }
    }
    let (new_type, old_type) = (context.type_of(at), context.type_of(old));
    let is_same = context.is_same_type(new_type, old_type)
        && context.is_same_type(expected.ty, old_expected.ty);
    if is_same {
        return;
    }
    let sources: HunkSet =
        context.type_causes(at).into_iter().chain(context.type_causes(old)).collect();
    let targets: HunkSet = expected.causes.iter().chain(&old_expected.causes).copied().collect();
    if !context.is_assignable(new_type, old_expected.ty) {
        collector.require_all(&sources, &targets, DependencyRule::Type);
    }
    if !context.is_assignable(old_type, expected.ty) {
        collector.require_all(&targets, &sources, DependencyRule::Type);
    }
}
