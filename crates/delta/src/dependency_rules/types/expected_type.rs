//! Expected type of a value at its destination, with the hunks that determine it.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, TypeId};

/// Requirement on the type of a value at one destination.
pub(crate) struct ExpectedType {
    /// The node of the destination, which exists in both versions if the destination does.
    pub(crate) use_site: NodeRef,
    pub(crate) ty: VersionedType,
    /// The hunks that determine the type.
    pub(crate) causes: HunkSet,
    /// The type that the declarations of the other version require.
    pub(crate) twin_type: Option<VersionedType>,
}

pub(crate) fn expected_type(context: &RuleContext<'_>, node: NodeRef) -> Option<ExpectedType> {
    let parent = context.parent(node);
    let role = context.node(node).role;
    match (role, context.kind(parent)) {
        (NodeRole::Value, NodeKind::Variable | NodeKind::EnhancedForLoop) => {
            let variable = match context.child(parent, NodeRole::Target) {
                Some(variable) => variable,
                None => parent,
            };
            let mut expected = expected_for_symbol(context, parent, context.node(variable).symbol?);
            if variable != parent {
                // The loop requires an array or `Iterable`, of any type.
                expected.ty.ty = TypeId::default();
                expected.twin_type = None;
            }
            Some(expected)
        }
        (NodeRole::Value, NodeKind::Return) => expected_for_result(context, node, parent),
        (NodeRole::Body, NodeKind::LambdaExpression) if context.kind(node) != NodeKind::Block => {
            Some(expected_for_symbol(context, parent, context.functional_method(parent)?))
        }
        (NodeRole::Value, NodeKind::Assignment)
            if context.kind(context.parent(parent)) == NodeKind::Annotation =>
        {
            Some(expected_for_symbol(context, parent, context.assigned_element(parent)?))
        }
        (NodeRole::Value, NodeKind::Assignment) => {
            let target = context.child(parent, NodeRole::Target)?;
            let other = context.type_in_other_version(target);
            let causes = context.type_causes(target);
            Some(ExpectedType {
                use_site: parent,
                ty: context.type_of(target),
                causes,
                twin_type: other,
            })
        }
        (NodeRole::Value, NodeKind::Annotation) => {
            Some(expected_for_symbol(context, parent, context.assigned_element(node)?))
        }
        (NodeRole::Argument, _) => expected_for_argument(context, node, parent),
        (_, NodeKind::MemberSelect | NodeKind::MemberReference) => {
            expected_for_receiver(context, node, parent)
        }
        (NodeRole::Condition, _) | (NodeRole::Other, NodeKind::NewArray) => {
            Some(expected_by_construct(context, node, parent))
        }
        (_, NodeKind::ArrayAccess | NodeKind::Switch | NodeKind::SwitchExpression)
            if context.children(parent).first() == Some(&node) =>
        {
            Some(expected_by_construct(context, node, parent))
        }
        _ => None,
    }
}

/// Returns the requirement on a returned value, from the method or the method that a lambda implements.
fn expected_for_result(
    context: &RuleContext<'_>,
    node: NodeRef,
    holder: NodeRef,
) -> Option<ExpectedType> {
    let result = |routine: NodeRef| match context.kind(routine) {
        NodeKind::Method => context.node(routine).symbol,
        _ => context.functional_method(routine),
    };
    let routine = context.enclosing_routine(node)?;
    let mut expected = expected_for_symbol(context, holder, result(routine)?);
    // A `return` that moves to another routine has another required type.
    let other = context.twin_node(holder).and_then(|twin| context.enclosing_routine(twin));
    if let Some(other) = other.filter(|other| context.twin_node(*other) != Some(routine)) {
        expected.causes.extend(context.enclosing_move(holder));
        expected.twin_type =
            result(other).map(|symbol| symbol_type(context, other.version, symbol));
    }
    Some(expected)
}

/// Returns the requirement of a construct of the language that accepts the value: its type.
fn expected_by_construct(
    context: &RuleContext<'_>,
    node: NodeRef,
    construct: NodeRef,
) -> ExpectedType {
    ExpectedType {
        use_site: construct,
        ty: context.type_of(node),
        causes: context.node_owner(construct).into_iter().collect(),
        twin_type: None,
    }
}

fn expected_for_symbol(
    context: &RuleContext<'_>,
    use_site: NodeRef,
    symbol: SymbolId,
) -> ExpectedType {
    let version = use_site.version;
    let ty = VersionedType { version, ty: context.facts(version).symbol(symbol).ty };
    let other = context
        .twin_symbol(version, symbol)
        .map(|twin| symbol_type(context, version.opposite(), twin));
    ExpectedType {
        use_site,
        ty,
        causes: context.type_change_hunks(version, symbol),
        twin_type: other,
    }
}

fn expected_for_argument(
    context: &RuleContext<'_>,
    node_ref: NodeRef,
    call: NodeRef,
) -> Option<ExpectedType> {
    let node = context.node(node_ref);
    if node.parameter_type == TypeId::default() {
        return None;
    }
    let version = node_ref.version;
    let callee = context.node(call).symbol?;
    let parameters = &context.facts(version).symbol(callee).parameters;
    let arguments = context.children(call).into_iter();
    let index = arguments
        .filter(|one| context.node(*one).role == NodeRole::Argument)
        .position(|one| one == node_ref)?;
    let parameter = *parameters.get(index).or(parameters.last())?;
    let twin = context.twin_symbol(version, parameter);
    let mut causes = match twin {
        Some(_) => context.type_change_hunks(version, parameter),
        None => context.parameter_hunks(version, callee),
    };
    causes.extend(context.node_owner(call));
    if let Some(name) = context.child(call, NodeRole::Callee) {
        causes.extend(context.node_owner(name));
        let twin = context.twin_node(name);
        causes.extend(twin.into_iter().flat_map(|twin| context.qualification_hunks(name, twin)));
    }
    let other = twin
        .map(|twin| symbol_type(context, version.opposite(), twin))
        .filter(|_| !context.facts(version).symbol(callee).flags.has(SymbolFlags::VARARGS));
    Some(ExpectedType {
        use_site: call,
        ty: VersionedType { version, ty: node.parameter_type },
        causes,
        twin_type: other,
    })
}

/// Returns the requirement on the receiver of a member selection or method reference: the type must have the member.
fn expected_for_receiver(
    context: &RuleContext<'_>,
    node: NodeRef,
    selection: NodeRef,
) -> Option<ExpectedType> {
    let facts = context.facts(node.version);
    let member = facts.symbol(context.node(selection).symbol?);
    let is_value = context.node(node).symbol.is_none_or(|symbol| {
        let kind = facts.symbol(symbol).kind;
        !kind.is_type() && kind != mend_java::facts::SymbolKind::Other
    });
    if !is_value || member.flags.has(SymbolFlags::STATIC) || member.kind.is_type() {
        return None;
    }
    let class = facts.symbol(member.owner?);
    let ty = TypeId { parameterised: class.full_name, erased: class.full_name };
    let ty = VersionedType { version: node.version, ty };
    let causes = context.node_owner(selection).into_iter().collect();
    Some(ExpectedType { use_site: selection, ty, causes, twin_type: None })
}

pub(crate) fn symbol_type(
    context: &RuleContext<'_>,
    version: Version,
    symbol: SymbolId,
) -> VersionedType {
    VersionedType { version, ty: context.facts(version).symbol(symbol).ty }
}
