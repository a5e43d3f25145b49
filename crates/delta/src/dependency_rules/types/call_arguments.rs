//! Dependency rule: a call has as many arguments as its callee has parameters.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeCategory, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeRole, SymbolId, SymbolKind};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in
            context.all_nodes(version).filter(|node| context.category(*node) == NodeCategory::Call)
        {
            match (context.node_owner(node), context.twin_node(node)) {
                (_, Some(twin)) if version == Version::New => {
                    add_kept_call_dependencies(context, node, twin, collector);
                }
                (_, Some(_)) | (None, None) => {}
                (Some(owner), None) => {
                    add_call_dependencies(context, node, &HunkSet::from([owner]), collector);
                }
            }
        }
    }
}

fn arguments(context: &RuleContext<'_>, call: NodeRef) -> Vec<NodeRef> {
    let all = context.children(call).into_iter();
    all.filter(|one| context.node(*one).role == NodeRole::Argument).collect()
}

/// Returns the hunks that add or remove parameters of a kept declaration.
fn parameter_count_hunks(context: &RuleContext<'_>, version: Version, symbol: SymbolId) -> HunkSet {
    let Some(twin) = context.twin_symbol(version, symbol) else { return HunkSet::new() };
    let one = &context.facts(version).symbol(symbol).parameters;
    let two = &context.facts(version.opposite()).symbol(twin).parameters;
    let is_twin = |(one, two): (&SymbolId, &SymbolId)| {
        context.declaration(version, *one).is_none()
            || context.twin_symbol(version, *one) == Some(*two)
    };
    if one.len() == two.len() && one.iter().zip(two).all(is_twin) {
        HunkSet::new()
    } else {
        context.parameter_hunks(version, symbol)
    }
}

/// Returns true if each argument is at the position of its counterpart in the other version.
fn are_arguments_paired(
    context: &RuleContext<'_>,
    new_arguments: &[NodeRef],
    old_arguments: &[NodeRef],
) -> bool {
    let position = |at: NodeRef| (at.tree, context.node(at).bytes.start);
    let twin_position =
        |at: NodeRef| context.twin_position(at.version, at.tree, context.node(at).bytes.start);
    let is_pair =
        |(new, old): (&NodeRef, &NodeRef)| match (twin_position(*new), twin_position(*old)) {
            (None, None) => context.node_owner(*new) == context.node_owner(*old),
            (Some(of_new), _) => of_new == position(*old),
            (None, Some(of_old)) => of_old == position(*new),
        };
    new_arguments.len() == old_arguments.len()
        && new_arguments.iter().zip(old_arguments).all(is_pair)
}

/// Returns the hunks that determine the types of receivers. The import of a name that is in one version only is not
/// among them: the name needs its import, but the import does not need the name.
fn receiver_type_causes(context: &RuleContext<'_>, callees: [NodeRef; 2]) -> HunkSet {
    let receivers = callees.map(|callee| context.children(callee).first().copied());
    let receivers: Vec<NodeRef> = receivers.into_iter().flatten().collect();
    let causes: HunkSet = receivers.iter().flat_map(|one| context.type_causes(*one)).collect();
    let changed = receivers.iter().filter(|one| context.node_owner(**one).is_some());
    let imports: HunkSet = changed.flat_map(|one| context.import_hunks(*one)).collect();
    &causes - &imports
}

fn add_call_dependencies(
    context: &RuleContext<'_>,
    call: NodeRef,
    code: &HunkSet,
    collector: &mut DependencyCollector,
) {
    if let Some(symbol) = context.node(call).symbol {
        collector.require_in_version(
            call.version,
            code,
            &parameter_count_hunks(context, call.version, symbol),
            DependencyRule::Signature,
        );
    }
}

fn add_kept_call_dependencies(
    context: &RuleContext<'_>,
    call: NodeRef,
    old: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (new_arguments, old_arguments) = (arguments(context, call), arguments(context, old));
    let symbols = (context.node(call).symbol, context.node(old).symbol);
    let (Some(symbol), Some(old_symbol)) = symbols else { return };
    let is_same = context.twin_symbol(Version::New, symbol) == Some(old_symbol);
    if !is_same {
        for node in [call, old] {
            add_call_dependencies(
                context,
                node,
                &context.node_owner(node).into_iter().collect(),
                collector,
            );
        }
    }
    if are_arguments_paired(context, &new_arguments, &old_arguments) {
        return;
    }
    let mut group: HunkSet =
        context.node_owner(call).into_iter().chain(context.node_owner(old)).collect();
    for argument in new_arguments.into_iter().chain(old_arguments) {
        group.extend(context.token_owner(
            argument.version,
            argument.tree,
            context.node(argument).bytes.start,
        ));
    }
    let callee = |node: NodeRef| context.child(node, NodeRole::Callee);
    if is_same {
        group.extend(parameter_count_hunks(context, Version::New, symbol));
    } else if let (Some(callee), Some(old_callee)) = (callee(call), callee(old)) {
        group.extend(context.qualification_hunks(callee, old_callee));
        group.extend([callee, old_callee].into_iter().filter_map(|one| context.node_owner(one)));
        group.extend(receiver_type_causes(context, [callee, old_callee]));
        if context.facts(Version::New).symbol(symbol).kind == SymbolKind::Constructor
            && let Some(class) = context.enclosing_class(call)
        {
            group.extend(context.supertype_hunks(Version::New, class));
        }
    }
    collector.require_each_other(&group, DependencyRule::Signature);
}
