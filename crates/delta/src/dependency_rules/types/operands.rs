//! An operator and the sorts of values that it takes.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, boxed};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for new in world.changed_nodes(Version::New).filter(|at| is_outermost(world, *at)) {
        if let Some(old) = counterpart(world, new) {
            compare(world, new, old, links);
        }
    }
    for old in world.changed_nodes(Version::Old).filter(|at| is_outermost(world, *at)) {
        if let Some(new) = counterpart(world, old).filter(|new| !is_outermost(world, *new)) {
            compare(world, new, old, links);
        }
    }
}

fn is_outermost(world: &RuleContext<'_>, at: NodeRef) -> bool {
    operator(world.kind(at)).is_some() && operator(world.kind(world.parent(at))).is_none()
}

/// Returns the class of an operator, by the values that it takes and returns.
fn operator(kind: NodeKind) -> Option<&'static str> {
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
fn counterpart(world: &RuleContext<'_>, at: NodeRef) -> Option<NodeRef> {
    let parent = world.parent(at);
    let role = world.node(at).role;
    let siblings = |parent: NodeRef| {
        let all = world.children(parent).into_iter();
        all.filter(|one| world.node(*one).role == role).collect::<Vec<_>>()
    };
    let twin = world.twin(parent).filter(|twin| world.kind(*twin) == world.kind(parent))?;
    let index = siblings(parent).iter().position(|one| *one == at)?;
    siblings(twin).get(index).copied()
}

/// The operators of an expression and the sorts of their operands, with the hunks of both.
#[derive(Default)]
struct OperatorShape {
    sorts: Vec<String>,
    hunks: Vec<HunkSet>,
}

impl OperatorShape {
    fn from_expression(world: &RuleContext<'_>, at: NodeRef) -> Self {
        let mut shape = Self::default();
        let mut open = vec![at];
        while let Some(one) = open.pop() {
            if let Some(sort) = operator(world.kind(one)) {
                shape.sorts.push(sort.to_owned());
                shape.hunks.push(world.gaps(one));
                open.extend(world.children(one));
            } else {
                shape.sorts.push(value(world, one));
                let start = world.owner(one.version, one.tree, world.node(one).bytes.start);
                shape.hunks.push(start.into_iter().chain(world.owner_of(one)).collect());
            }
        }
        shape
    }
}

/// Returns the sort of a value: values that the same operators accept have the same sort.
fn value(world: &RuleContext<'_>, at: NodeRef) -> String {
    let name = world.erased(world.type_of(at));
    let is = |primitive: &str| name == primitive || boxed(primitive) == Some(name);
    if is("boolean") {
        "boolean".to_owned()
    } else if ["byte", "short", "char", "int", "long"].into_iter().any(is) {
        "integer".to_owned()
    } else if ["float", "double"].into_iter().any(is) {
        "real".to_owned()
    } else {
        name.to_owned()
    }
}

/// Couples all hunks that make operators or operand types differ.
fn compare(world: &RuleContext<'_>, new: NodeRef, old: NodeRef, links: &mut DependencyCollector) {
    // Anything can be part of a text.
    let is_text = |at: NodeRef| world.erased(world.type_of(at)) == "java.lang.String";
    if is_text(new) && is_text(old) {
        return;
    }
    let (one, two) =
        (OperatorShape::from_expression(world, new), OperatorShape::from_expression(world, old));
    if one.sorts == two.sorts {
        return;
    }
    let group: HunkSet = one.hunks.into_iter().chain(two.hunks).flatten().collect();
    links.together(&group, DependencyRule::Operand);
    typed(world, new, old, links);
}

/// Adds dependencies if only the operand types differ, on the hunks that determine the types.
fn typed(world: &RuleContext<'_>, new: NodeRef, old: NodeRef, links: &mut DependencyCollector) {
    let leaves = |at: NodeRef| -> Vec<NodeRef> {
        let inside = (at.node..world.node(at).end).map(|node| at.with_node(node));
        let is_leaf = |one: &NodeRef| {
            operator(world.kind(*one)).is_none()
                && operator(world.kind(world.parent(*one))).is_some()
        };
        inside.filter(is_leaf).collect()
    };
    let (news, olds) = (leaves(new), leaves(old));
    if news.len() != olds.len() {
        return;
    }
    let mut group = HunkSet::new();
    for (new, old) in news.into_iter().zip(olds) {
        if value(world, new) != value(world, old) && world.node(new).role != NodeRole::Type {
            group.extend(world.causes(new));
            group.extend(world.causes(old));
        }
    }
    links.together(&group, DependencyRule::Operand);
}
