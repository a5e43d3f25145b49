//! Dependency rule: an annotation on the result type of a method needs a result, because `void` is no type.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::types::expected_type::symbol_type;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let methods = context.changed_nodes(Version::New);
    for new in methods.filter(|node| context.kind(*node) == NodeKind::Method) {
        let Some(old) = context.twin_node(new) else { continue };
        match [new, old].map(|method| returns_void(context, method)) {
            [true, false] => require_result(context, old, collector),
            [false, true] => require_result(context, new, collector),
            _ => {}
        }
    }
}

fn returns_void(context: &RuleContext<'_>, method: NodeRef) -> bool {
    context.node(method).symbol.is_some_and(|symbol| {
        context.erased_type(symbol_type(context, method.version, symbol)) == "void"
    })
}

/// Adds the dependencies of a method's annotations on its result type. The compiler does not say which of them are for
/// types.
fn require_result(context: &RuleContext<'_>, method: NodeRef, collector: &mut DependencyCollector) {
    let Some(symbol) = context.node(method).symbol else { return };
    let modifiers = context.child(method, NodeRole::Modifiers);
    let annotations = modifiers.into_iter().flat_map(|modifiers| context.children(modifiers));
    let owners: HunkSet = annotations
        .filter(|node| context.kind(*node) == NodeKind::Annotation)
        .filter_map(|annotation| context.node_owner(annotation))
        .collect();
    let result = context.type_change_hunks(method.version, symbol);
    collector.require_in_version(method.version, &owners, &result, DependencyRule::Type);
}
