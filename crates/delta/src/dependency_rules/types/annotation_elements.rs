//! Dependency rule: an annotation sets every element without a default, and no unknown element.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in
            context.all_nodes(version).filter(|node| context.kind(*node) == NodeKind::Annotation)
        {
            let twin = find_twin_annotation(context, node);
            match twin {
                None => add_one_sided_annotation_dependencies(context, node, collector),
                Some(old) if version == Version::New => {
                    add_two_sided_annotation_dependencies(context, node, old, collector);
                }
                Some(_) => {}
            }
        }
    }
}

/// Returns the same annotation on the same declaration of the other version.
fn find_twin_annotation(context: &RuleContext<'_>, node: NodeRef) -> Option<NodeRef> {
    let declaration = context.parent(context.parent(node));
    let modifiers =
        context.twin_node(declaration).and_then(|twin| context.child(twin, NodeRole::Modifiers))?;
    let class = context.twin_symbol(node.version, annotation_class(context, node)?)?;
    let all = context.children(modifiers).into_iter();
    all.filter(|one| context.kind(*one) == NodeKind::Annotation)
        .find(|one| self::annotation_class(context, *one) == Some(class))
}

fn annotation_class(context: &RuleContext<'_>, annotation: NodeRef) -> Option<SymbolId> {
    let name = context.children(annotation).first().copied()?;
    context.node(name).symbol
}

impl RuleContext<'_> {
    /// Returns the element that a part of an annotation sets; `value` if it names none.
    pub(crate) fn assigned_element(&self, part: NodeRef) -> Option<SymbolId> {
        if let Some(target) = self.child(part, NodeRole::Target) {
            return self.node(target).symbol;
        }
        let class = annotation_class(self, self.parent(part))?;
        let facts = self.facts(part.version);
        declared_elements(self, part.version, class)
            .into_iter()
            .find(|one| facts.name(*one) == "value")
    }
}

/// Returns the elements of an annotation declared in the sources.
fn declared_elements(
    context: &RuleContext<'_>,
    version: Version,
    class: SymbolId,
) -> BTreeSet<SymbolId> {
    let Some(node) = context.declaration(version, class) else { return BTreeSet::new() };
    let members =
        context.children(node).into_iter().filter_map(|member| context.node(member).symbol);
    members.filter(|one| context.facts(version).symbol(*one).kind == SymbolKind::Method).collect()
}

fn element_value_hunks(
    context: &RuleContext<'_>,
    annotation: NodeRef,
    element: SymbolId,
) -> HunkSet {
    let parts = context.children(annotation).into_iter().skip(1);
    parts
        .filter(|part| context.assigned_element(*part) == Some(element))
        .flat_map(|part| context.node_owners(part))
        .collect()
}

fn is_required(context: &RuleContext<'_>, version: Version, element: SymbolId) -> bool {
    !context.facts(version).symbol(element).flags.has(SymbolFlags::HAS_DEFAULT)
}

/// Adds the dependencies of an annotation of one version only.
fn add_one_sided_annotation_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(class), Some(owner)) = (annotation_class(context, node), context.node_owner(node))
    else {
        return;
    };
    for element in declared_elements(context, node.version, class) {
        let value = element_value_hunks(context, node, element);
        collector.require_in_version(
            node.version,
            &value,
            &context.presence_hunks(node.version, element),
            DependencyRule::Definition,
        );
        if is_required(context, node.version, element) {
            collector.require_in_version(
                node.version,
                &HunkSet::from([owner]),
                &value,
                DependencyRule::Signature,
            );
        }
    }
}

/// Adds the dependencies of an annotation of both versions.
fn add_two_sided_annotation_dependencies(
    context: &RuleContext<'_>,
    new: NodeRef,
    old: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(class), Some(old_class)) =
        (annotation_class(context, new), annotation_class(context, old))
    else {
        return;
    };
    for element in declared_elements(context, Version::New, class) {
        let value = element_value_hunks(context, new, element);
        let Some(old_element) = context.twin_symbol(Version::New, element) else {
            let presence_hunks = context.presence_hunks(Version::New, element);
            collector.require_all(&value, &presence_hunks, DependencyRule::Definition);
            if is_required(context, Version::New, element) {
                collector.require_all(&presence_hunks, &value, DependencyRule::Signature);
            }
            continue;
        };
        let default_value_hunks =
            context.changed_part_hunks(Version::New, element, &[NodeRole::Value]);
        match [
            is_required(context, Version::Old, old_element),
            is_required(context, Version::New, element),
        ] {
            [false, true] => {
                collector.require_all(&default_value_hunks, &value, DependencyRule::Signature);
            }
            [true, false] => {
                collector.require_all(
                    &element_value_hunks(context, old, old_element),
                    &default_value_hunks,
                    DependencyRule::Signature,
                );
            }
            _ => {}
        }
    }
    for element in declared_elements(context, Version::Old, old_class) {
        if context.twin_symbol(Version::Old, element).is_none() {
            let (value, gone) = (
                element_value_hunks(context, old, element),
                context.presence_hunks(Version::Old, element),
            );
            collector.require_all(&gone, &value, DependencyRule::Use);
            if is_required(context, Version::Old, element) {
                collector.require_all(&value, &gone, DependencyRule::Signature);
            }
        }
    }
}
