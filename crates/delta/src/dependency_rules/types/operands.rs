//! Dependency rule: an operator accepts the types of its operands.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, wrapper_class};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        let is_operator = |node: &NodeRef| is_outermost_operator(context, *node);
        for expression in context.changed_nodes(version).filter(is_operator) {
            if find_twin_operand(context, expression).is_none() {
                add_one_sided_dependencies(context, expression, collector);
            }
        }
    }
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
        kind if kind.is_step() => "number",
        NodeKind::Plus | NodeKind::PlusAssignment => "sum",
        NodeKind::Minus
        | NodeKind::MinusAssignment
        | NodeKind::Multiply
        | NodeKind::MultiplyAssignment
        | NodeKind::Divide
        | NodeKind::DivideAssignment
        | NodeKind::Remainder
        | NodeKind::RemainderAssignment
        | NodeKind::UnaryMinus
        | NodeKind::UnaryPlus => "number",
        NodeKind::LeftShift
        | NodeKind::LeftShiftAssignment
        | NodeKind::RightShift
        | NodeKind::RightShiftAssignment
        | NodeKind::UnsignedRightShift
        | NodeKind::UnsignedRightShiftAssignment
        | NodeKind::BitwiseComplement => "shift",
        NodeKind::And
        | NodeKind::AndAssignment
        | NodeKind::Or
        | NodeKind::OrAssignment
        | NodeKind::Xor
        | NodeKind::XorAssignment => "bits",
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
    node: NodeRef,
    category: String,
    /// Number of operands; 0 for an operand.
    operand_count: usize,
    hunks: HunkSet,
}

impl OperatorPart {
    /// Returns the hunks of the part, and those that determine the type of an operand.
    fn typed_hunks(&self, context: &RuleContext<'_>) -> HunkSet {
        let has_type = self.operand_count == 0 && context.node(self.node).role != NodeRole::Type;
        if has_type { &self.hunks | &context.type_causes(self.node) } else { self.hunks.clone() }
    }
}

/// What counts as an operand.
#[derive(Clone, Copy)]
enum OperandSize {
    /// The smallest operands.
    Smallest,
    /// Calculations with numbers: they accept each mixture of both versions, also if it groups the operands in another
    /// way.
    Calculations,
}

/// Returns the operators and operands of an expression; expressions of one structure have them in the same order.
fn operator_parts(
    context: &RuleContext<'_>,
    expression: NodeRef,
    size: OperandSize,
) -> Vec<OperatorPart> {
    let mut parts = Vec::new();
    let mut worklist = vec![(expression, false)];
    while let Some((node, is_compared)) = worklist.pop() {
        let whole_calculation = match size {
            OperandSize::Calculations => calculation(context, node),
            OperandSize::Smallest => None,
        };
        if let Some(calculation) = whole_calculation {
            parts.push(calculation);
        } else if let Some(moved) = context.move_of_node(node) {
            // The type of the moved value is the same in both positions.
            let (category, hunks) =
                (value_category(context, node, is_compared), HunkSet::from([moved]));
            parts.push(OperatorPart { node, category, operand_count: 0, hunks });
        } else if let Some(category) = operator_category(context.kind(node)) {
            let operands = context.children(node);
            parts.push(OperatorPart {
                node,
                category: category.to_owned(),
                operand_count: operands.len(),
                hunks: context.own_token_hunks(node),
            });
            let is_equality = category == "equality";
            worklist.extend(operands.into_iter().map(|operand| (operand, is_equality)));
        } else {
            let start =
                context.token_owner(node.version, node.tree, context.node(node).bytes.start);
            let hunks = start.into_iter().chain(context.node_owner(node)).collect();
            let category = value_category(context, node, is_compared);
            parts.push(OperatorPart { node, category, operand_count: 0, hunks });
        }
    }
    parts
}

/// Returns a calculation with numbers as one operand; `None` for other expressions.
fn calculation(context: &RuleContext<'_>, expression: NodeRef) -> Option<OperatorPart> {
    let is_arithmetic = |category: &str| ["sum", "number", "parentheses"].contains(&category);
    let parts = operator_parts(context, expression, OperandSize::Smallest);
    let (operators, operands): (Vec<_>, Vec<_>) =
        parts.iter().partition(|part| part.operand_count > 0);
    let is_number = |part: &&OperatorPart| part.category == "integer" || part.category == "real";
    let is_calculation = !operators.is_empty()
        && operators.iter().all(|part| is_arithmetic(&part.category))
        && operands.iter().all(is_number);
    let is_real = operands.iter().any(|part| part.category == "real");
    is_calculation.then(|| OperatorPart {
        node: expression,
        category: if is_real { "real" } else { "integer" }.to_owned(),
        operand_count: 0,
        hunks: parts.iter().flat_map(|part| part.typed_hunks(context)).collect(),
    })
}

fn value_category(context: &RuleContext<'_>, node: NodeRef, is_compared: bool) -> String {
    type_category(context, context.type_of(node), is_compared)
}

/// Returns the category of a type: the same operators accept values of one category. Values that are compared for
/// equality are not always unboxed.
fn type_category(context: &RuleContext<'_>, ty: VersionedType, is_compared: bool) -> String {
    let name = context.erased_type(ty);
    let is_type = |primitive: &str| {
        name == primitive || !is_compared && wrapper_class(primitive) == Some(name)
    };
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

/// Adds the dependencies of operators of one version only on the types of their operands.
fn add_one_sided_dependencies(
    context: &RuleContext<'_>,
    expression: NodeRef,
    collector: &mut DependencyCollector,
) {
    let parts = operator_parts(context, expression, OperandSize::Smallest);
    for operand in parts.iter().filter(|part| part.operand_count == 0).map(|part| part.node) {
        let operator = context.own_token_hunks(context.parent(operand));
        let causes = &context.type_causes(operand) - &operator;
        if operator.is_empty() || causes.is_empty() {
            continue;
        }
        let category = |ty| type_category(context, ty, false);
        let is_accepted = context
            .type_in_other_version(operand)
            .is_some_and(|other| category(other) == category(context.type_of(operand)));
        if !is_accepted {
            collector.require_in_version(
                expression.version,
                &operator,
                &causes,
                DependencyRule::Operand,
            );
        }
    }
}

/// Couples all hunks that make operators or operand types differ.
fn add_operator_dependencies(
    context: &RuleContext<'_>,
    new: NodeRef,
    old: NodeRef,
    collector: &mut DependencyCollector,
) {
    let parts = |size| (operator_parts(context, new, size), operator_parts(context, old, size));
    let (new_parts, old_parts) = parts(OperandSize::Smallest);
    if [(new, &new_parts), (old, &old_parts)]
        .into_iter()
        .all(|(node, parts)| is_concatenation(parts) && context.has_kept_string_operand(node))
    {
        return;
    }
    let group = differing_hunks(context, &new_parts, &old_parts).unwrap_or_else(|| {
        let (new_parts, old_parts) = parts(OperandSize::Calculations);
        differing_hunks(context, &new_parts, &old_parts)
            .unwrap_or_else(|| restructuring_hunks(context, &new_parts, &old_parts))
    });
    collector.require_each_other(&group, DependencyRule::Operand);
}

/// Returns the hunks of the parts whose category differs; `None` if the expressions have different structures. In
/// expressions of one structure, parts of one category are valid in both.
fn differing_hunks(
    context: &RuleContext<'_>,
    new_parts: &[OperatorPart],
    old_parts: &[OperatorPart],
) -> Option<HunkSet> {
    let hunks = new_parts
        .iter()
        .zip(old_parts)
        .filter(|(new, old)| new.category != old.category)
        .flat_map(|(new, old)| &new.typed_hunks(context) | &old.typed_hunks(context));
    have_same_structure(new_parts, old_parts).then(|| hunks.collect())
}

/// Returns the hunks of two expressions with different structures.
fn restructuring_hunks(
    context: &RuleContext<'_>,
    new_parts: &[OperatorPart],
    old_parts: &[OperatorPart],
) -> HunkSet {
    let hunks = |parts: &[OperatorPart], others: &[OperatorPart]| -> HunkSet {
        let lacks_category =
            |part: &OperatorPart| others.iter().all(|other| other.category != part.category);
        let part_hunks = |part: &OperatorPart| {
            if lacks_category(part) { part.typed_hunks(context) } else { part.hunks.clone() }
        };
        let changed = parts.iter().filter(|part| !is_kept_operand(context, part, others));
        changed.flat_map(part_hunks).collect()
    };
    &hunks(new_parts, old_parts) | &hunks(old_parts, new_parts)
}

/// Returns true for an operand of one category in both versions: each operator accepts each mixture of them.
fn is_kept_operand(
    context: &RuleContext<'_>,
    part: &OperatorPart,
    other_parts: &[OperatorPart],
) -> bool {
    let is_kept_as = |other: &OperatorPart| {
        other.operand_count == 0
            && other.category == part.category
            && context.twin_node(part.node) == Some(other.node)
    };
    part.operand_count == 0 && other_parts.iter().any(is_kept_as)
}

fn have_same_structure(new: &[OperatorPart], old: &[OperatorPart]) -> bool {
    let pairs = || new.iter().zip(old);
    new.len() == old.len() && pairs().all(|(new, old)| new.operand_count == old.operand_count)
}

/// Returns true if all operators are `+`. With a string among the operands, it accepts all types.
fn is_concatenation(parts: &[OperatorPart]) -> bool {
    parts.iter().all(|part| part.operand_count == 0 || part.category == "sum")
}
