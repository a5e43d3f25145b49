//! Variables in scope at a node.

use crate::code::file::Code;
use crate::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolId, SymbolKind};
use mend_model::RepoPath;
use std::collections::HashSet;

/// A variable: a field, local variable or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type without type arguments.
    pub ty: String,
    /// True for a field, false for a local variable or parameter.
    pub is_field: bool,
    /// Its symbol in the compiler facts.
    pub symbol: SymbolId,
}

/// Returns the variables in scope directly before a node, the nearest first. They include local variables without a
/// value, which the compiler rejects. Variables that a lambda or inner class must not read, because they are not
/// effectively final, are excluded.
pub fn visible(code: &Code<'_>, node: NodeIndex) -> Vec<Variable> {
    let mut variables: Vec<Variable> = Vec::new();
    let (mut is_static, mut is_captured) = (false, false);
    let mut child = node;
    for ancestor in code.self_and_ancestors(node).skip(1) {
        match code.kind(ancestor) {
            NodeKind::Method => {
                is_static |=
                    code.symbol(ancestor).is_some_and(|m| m.flags.has(SymbolFlags::STATIC));
            }
            _ if code.is_type_declaration(ancestor) => {
                collect_fields(code, ancestor, is_static, &mut variables);
                is_static |=
                    code.symbol(ancestor).is_some_and(|c| c.flags.has(SymbolFlags::STATIC));
            }
            _ => {}
        }
        if !code.is_type_declaration(ancestor) {
            let declared = declared_locals(code, ancestor, child);
            let assigned = if is_captured && !declared.is_empty() {
                code.assigned_variables()
            } else {
                HashSet::new()
            };
            for variable in declared.into_iter().filter(|symbol| !assigned.contains(symbol)) {
                add_variable(code, variable, false, &mut variables);
            }
        }
        is_captured |= code.has_kind(ancestor, NodeKind::LambdaExpression)
            || code.is_type_declaration(ancestor);
        child = ancestor;
    }
    variables
}

/// Returns the variables that a node declares for `inner`, one of its children, the last one first.
fn declared_locals(code: &Code<'_>, holder: NodeIndex, inner: NodeIndex) -> Vec<SymbolId> {
    let is_in_scope = |child: &NodeIndex| {
        let is_before = code.bytes(*child).start < code.bytes(inner).start && *child != inner;
        // Resources are closed before `catch` and `finally`.
        let is_closed_resource = code.role(*child) == NodeRole::Resource
            && !matches!(code.role(inner), NodeRole::Body | NodeRole::Resource);
        code.has_kind(*child, NodeKind::Variable) && is_before && !is_closed_resource
    };
    let children = code.children(holder).into_iter().rev().filter(is_in_scope);
    children.filter_map(|child| code.node(child).symbol).collect()
}

fn add_variable(code: &Code<'_>, symbol: SymbolId, is_field: bool, variables: &mut Vec<Variable>) {
    let name = code.facts.name(symbol);
    let ty = code.facts.text(code.facts.symbol(symbol).ty.erased);
    if !ty.is_empty() && variables.iter().all(|known| known.name != name) {
        variables.push(Variable { name: name.to_owned(), ty: ty.to_owned(), is_field, symbol });
    }
}

/// Collects the fields of a class, its own first, then the inherited ones.
fn collect_fields(
    code: &Code<'_>,
    class: NodeIndex,
    is_static: bool,
    variables: &mut Vec<Variable>,
) {
    for member in code.children(class) {
        let is_usable = |flags: SymbolFlags| !is_static || flags.has(SymbolFlags::STATIC);
        let is_field =
            code.has_kind(member, NodeKind::Variable) && code.role(member) == NodeRole::Member;
        let symbol = code.node(member).symbol.filter(|_| is_field);
        if let Some(symbol) = symbol.filter(|id| is_usable(code.facts.symbol(*id).flags)) {
            add_variable(code, symbol, true, variables);
        }
    }
    let Some(class_symbol) = code.node(class).symbol else { return };
    let supertypes = code.facts.supertypes_with_self(class_symbol);
    for (id, symbol) in code.facts.symbols().iter().enumerate() {
        let is_inherited = symbol.kind == SymbolKind::Field
            && symbol
                .owner
                .is_some_and(|owner| owner != class_symbol && supertypes.contains(&owner))
            && is_accessible(code, symbol)
            && (!is_static || symbol.flags.has(SymbolFlags::STATIC));
        if is_inherited && symbol.position.is_some() {
            add_variable(code, id, true, variables);
        }
    }
}

/// Returns true if an inherited member is accessible: a package-private one only within its package.
fn is_accessible(code: &Code<'_>, symbol: &Symbol) -> bool {
    let folder = |path: &RepoPath| path.to_fs_path().parent().map(std::path::Path::to_path_buf);
    let declaring_tree =
        symbol.position.as_ref().and_then(|position| code.facts.trees().get(position.tree));
    match symbol.flags.access_level() {
        0 => false,
        1 => declaring_tree.is_some_and(|tree| folder(&tree.path) == folder(&code.tree.path)),
        _ => true,
    }
}
