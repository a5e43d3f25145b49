//! The type that is wanted where a value is used.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, TypeId};

/// Requirement on the type at one place.
pub(crate) struct ExpectedType {
    /// The node that exists in both versions if the place does.
    pub(crate) holder: NodeRef,
    pub(crate) ty: VersionedType,
    /// The hunks that decide the type.
    pub(crate) causes: HunkSet,
    /// The type that is wanted under the other version's declarations.
    pub(crate) other: Option<VersionedType>,
}

pub(crate) fn expected_type(world: &RuleContext<'_>, at: NodeRef) -> Option<ExpectedType> {
    let holder = world.parent(at);
    let role = world.node(at).role;
    match (role, world.kind(holder)) {
        (NodeRole::Value, NodeKind::Variable | NodeKind::EnhancedForLoop) => {
            let variable = match world.child(holder, NodeRole::Target) {
                Some(variable) => variable,
                None => holder,
            };
            let mut wanted = of_symbol(world, holder, world.node(variable).symbol?);
            if variable != holder {
                // What is wanted is something that holds such values, of whatever type.
                wanted.ty.ty = TypeId::default();
                wanted.other = None;
            }
            Some(wanted)
        }
        (NodeRole::Value, NodeKind::Return) => of_result(world, at, holder),
        (NodeRole::Body, NodeKind::LambdaExpression) if world.kind(at) != NodeKind::Block => {
            Some(of_symbol(world, holder, world.functional_method(holder)?))
        }
        (NodeRole::Value, NodeKind::Assignment)
            if world.kind(world.parent(holder)) == NodeKind::Annotation =>
        {
            Some(of_symbol(world, holder, world.element_given(holder)?))
        }
        (NodeRole::Value, NodeKind::Assignment) => {
            let target = world.child(holder, NodeRole::Target)?;
            let other = world.other_type(target);
            let causes = world.causes(target);
            Some(ExpectedType { holder, ty: world.type_of(target), causes, other })
        }
        (NodeRole::Value, NodeKind::Annotation) => {
            Some(of_symbol(world, holder, world.element_given(at)?))
        }
        (NodeRole::Argument, _) => of_argument(world, at, holder),
        (_, NodeKind::MemberSelect) => of_member(world, at, holder),
        (_, NodeKind::ArrayAccess) if world.children(holder).first() == Some(&at) => {
            let causes = world.owner_of(holder).into_iter().collect();
            Some(ExpectedType { holder, ty: world.type_of(at), causes, other: None })
        }
        _ => None,
    }
}

/// Returns the requirement of a result, for a method or the method that a lambda implements.
fn of_result(world: &RuleContext<'_>, at: NodeRef, holder: NodeRef) -> Option<ExpectedType> {
    let result = |routine: NodeRef| match world.kind(routine) {
        NodeKind::Method => world.node(routine).symbol,
        _ => world.functional_method(routine),
    };
    let routine = world.routine_of(at)?;
    let mut wanted = of_symbol(world, holder, result(routine)?);
    // A `return` that moves to another routine has another result to give.
    let other = world.twin(holder).and_then(|twin| world.routine_of(twin));
    if let Some(other) = other.filter(|other| world.twin(*other) != Some(routine)) {
        wanted.causes.extend(world.mover(holder));
        wanted.other = result(other).map(|symbol| typed(world, other.version, symbol));
    }
    Some(wanted)
}

fn of_symbol(world: &RuleContext<'_>, holder: NodeRef, symbol: SymbolId) -> ExpectedType {
    let version = holder.version;
    let ty = VersionedType { version, ty: world.facts(version).symbol(symbol).ty };
    let other =
        world.twin_symbol(version, symbol).map(|twin| typed(world, version.opposite(), twin));
    ExpectedType { holder, ty, causes: world.retyping(version, symbol), other }
}

fn of_argument(world: &RuleContext<'_>, at: NodeRef, holder: NodeRef) -> Option<ExpectedType> {
    let node = world.node(at);
    if node.target == TypeId::default() {
        return None;
    }
    let version = at.version;
    let callee = world.node(holder).symbol?;
    let parameters = &world.facts(version).symbol(callee).parameters;
    let arguments = world.children(holder).into_iter();
    let index = arguments
        .filter(|one| world.node(*one).role == NodeRole::Argument)
        .position(|one| one == at)?;
    let parameter = *parameters.get(index).or(parameters.last())?;
    let twin = world.twin_symbol(version, parameter);
    let mut causes = match twin {
        Some(_) => world.retyping(version, parameter),
        None => world.parameter_hunks(version, callee),
    };
    causes.extend(world.owner_of(holder));
    causes.extend(world.child(holder, NodeRole::Callee).and_then(|name| world.owner_of(name)));
    let other = twin
        .map(|twin| typed(world, version.opposite(), twin))
        .filter(|_| !world.facts(version).symbol(callee).flags.has(SymbolFlags::VARARGS));
    Some(ExpectedType { holder, ty: VersionedType { version, ty: node.target }, causes, other })
}

/// Returns the requirement of a member selection: the type must have the member.
fn of_member(world: &RuleContext<'_>, at: NodeRef, holder: NodeRef) -> Option<ExpectedType> {
    let facts = world.facts(at.version);
    let member = facts.symbol(world.node(holder).symbol?);
    let is_value = world.node(at).symbol.is_none_or(|symbol| {
        let kind = facts.symbol(symbol).kind;
        !kind.is_type() && kind != mend_java::facts::SymbolKind::Other
    });
    if !is_value || member.flags.has(SymbolFlags::STATIC) || member.kind.is_type() {
        return None;
    }
    let class = facts.symbol(member.owner?);
    let ty = TypeId { written: class.full_name, erased: class.full_name };
    let ty = VersionedType { version: at.version, ty };
    let causes = world.owner_of(holder).into_iter().collect();
    Some(ExpectedType { holder, ty, causes, other: None })
}

pub(crate) fn typed(world: &RuleContext<'_>, version: Version, symbol: SymbolId) -> VersionedType {
    VersionedType { version, ty: world.facts(version).symbol(symbol).ty }
}
