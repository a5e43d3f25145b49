//! Dependency rule: an operator accepts the types of its operands.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, wrapper_class};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for new in context.changed_nodes(Version::New).filter(|at| is_outermost_operator(context, *at))
    {
        if let Some(old) = find_twin_operand(context, new) {
            add_operator_dependencies(context, new, old, collector);
        }
    }
    for old in context.changed_nodes(Version::Old).filter(|at| is_outermost_operator(context, *at))
    {
        if let Some(new) =
            find_twin_operand(context, old).filter(|new| !is_outermost_operator(context, *new))
        {
            add_operator_dependencies(context, new, old, collector);
        }
    }
}

fn is_outermost_operator(context: &RuleContext<'_>, node: NodeRef) -> bool {
    operator_category(context.kind(node)).is_some()
        && operator_category(context.kind(context.parent(node))).is_none()
}

/// Returns the category of an operator, by the operand and result types.
fn operator_category(kind: NodeKind) -> Option<&'static str> {
    Some(match kind {
        NodeKind::EqualTo | NodeKind::NotEqualTo => "equality",
        kind if kind.is_comparison() => "order",
        kind if kind.is_logical() => "logic",
        NodeKind::Plus => "sum",
        NodeKind::Minus
        | NodeKind::Multiply
        | NodeKind::Divide
        | NodeKind::Remainder
        | NodeKind::UnaryMinus
        | NodeKind::UnaryPlus => "number",
        NodeKind::LeftShift
        | NodeKind::RightShift
        | NodeKind::UnsignedRightShift
        | NodeKind::BitwiseComplement => "shift",
        NodeKind::And | NodeKind::Or | NodeKind::Xor => "bits",
        NodeKind::Parenthesized => "parentheses",
        _ => return None,
    })
}

/// Returns the node at the same position in the other version.
fn find_twin_operand(context: &RuleContext<'_>, node: NodeRef) -> Option<NodeRef> {
    let parent = context.parent(node);
    let role = context.node(node).role;
    let siblings = |parent: NodeRef| {
        let all = context.children(parent).into_iter();
        all.filter(|one| context.node(*one).role == role).collect::<Vec<_>>()
    };
    let twin =
        context.twin_node(parent).filter(|twin| context.kind(*twin) == context.kind(parent))?;
    let index = siblings(parent).iter().position(|one| *one == node)?;
    siblings(twin).get(index).copied()
}

/// An operator or operand of an expression.
struct OperatorPart {
    category: String,
    /// Number of operands; 0 for an operand.
    operand_count: usize,
    hunks: HunkSet,
}

/// Returns the operators and operands of an expression; expressions of one structure have them in the same order.
fn operator_parts(context: &RuleContext<'_>, node: NodeRef) -> Vec<OperatorPart> {
    let mut parts = Vec::new();
    let mut worklist = vec![node];
    while let Some(operand) = worklist.pop() {
        if let Some(moved) = context.move_of_node(operand) {
            // The type of the moved value is the same in both positions.
            let (category, hunks) = (value_category(context, operand), HunkSet::from([moved]));
            parts.push(OperatorPart { category, operand_count: 0, hunks });
        } else if let Some(category) = operator_category(context.kind(operand)) {
            let operands = context.children(operand);
            parts.push(OperatorPart {
                category: category.to_owned(),
                operand_count: operands.len(),
                hunks: context.own_token_hunks(operand),
            });
            worklist.extend(operands);
        } else {
            let start = context.token_owner(
                operand.version,
                operand.tree,
                context.node(operand).bytes.start,
            );
            let hunks = start.into_iter().chain(context.node_owner(operand)).collect();
            let category = value_category(context, operand);
            parts.push(OperatorPart { category, operand_count: 0, hunks });
        }
    }
    parts
}

/// Returns the category of a value: the same operators accept values of one category.
fn value_category(context: &RuleContext<'_>, node: NodeRef) -> String {
    let name = context.erased_type(context.type_of(node));
    let is_type = |primitive: &str| name == primitive || wrapper_class(primitive) == Some(name);
    if is_type("boolean") {
        "boolean".to_owned()
    } else if ["byte", "short", "char", "int", "long"].into_iter().any(is_type) {
        "integer".to_owned()
    } else if ["float", "double"].into_iter().any(is_type) {
        "real".to_owned()
    } else {
        name.to_owned()
    }
}

/// Couples all hunks that make operators or operand types differ.
fn add_operator_dependencies(
    context: &RuleContext<'_>,
    new: NodeRef,
    old: NodeRef,
    collector: &mut DependencyCollector,
) {
    // String concatenation accepts operands of any type.
    let is_text = |at: NodeRef| context.erased_type(context.type_of(at)) == "java.lang.String";
    if is_text(new) && is_text(old) {
        return;
    }
    let (new_parts, old_parts) = (operator_parts(context, new), operator_parts(context, old));
    let pairs = || new_parts.iter().zip(&old_parts);
    let is_same_structure = new_parts.len() == old_parts.len()
        && pairs().all(|(new, old)| new.operand_count == old.operand_count);
    let has_same_category =
        |(new, old): &(&OperatorPart, &OperatorPart)| new.category == old.category;
    if is_same_structure && pairs().all(|pair| has_same_category(&pair)) {
        return;
    }
    // In expressions of one structure, what has the same category fits both.
    let group: HunkSet = if is_same_structure {
        let different = pairs().filter(|pair| !has_same_category(pair));
        different.flat_map(|(new, old)| &new.hunks | &old.hunks).collect()
    } else {
        new_parts.iter().chain(&old_parts).flat_map(|part| part.hunks.clone()).collect()
    };
    collector.require_each_other(&group, DependencyRule::Operand);
    add_operand_type_dependencies(context, new, old, collector);
}

/// Adds dependencies if only the operand types differ, on the hunks that determine the types.
fn add_operand_type_dependencies(
    context: &RuleContext<'_>,
    new: NodeRef,
    old: NodeRef,
    collector: &mut DependencyCollector,
) {
    let operands = |at: NodeRef| -> Vec<NodeRef> {
        let descendants = (at.node..context.node(at).subtree_end).map(|node| at.with_node(node));
        let is_leaf = |one: &NodeRef| {
            operator_category(context.kind(*one)).is_none()
                && operator_category(context.kind(context.parent(*one))).is_some()
        };
        descendants.filter(is_leaf).collect()
    };
    let (new_operands, old_operands) = (operands(new), operands(old));
    if new_operands.len() != old_operands.len() {
        return;
    }
    let mut group = HunkSet::new();
    for (new, old) in new_operands.into_iter().zip(old_operands) {
        if value_category(context, new) != value_category(context, old)
            && context.node(new).role != NodeRole::Type
        {
            group.extend(context.type_causes(new));
            group.extend(context.type_causes(old));
        }
    }
    collector.require_each_other(&group, DependencyRule::Operand);
}
