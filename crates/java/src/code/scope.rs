//! Names in scope at a place.

use crate::code::file::Code;
use crate::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolId, SymbolKind};
use mend_model::RepoPath;
use std::collections::HashSet;

/// A variable: a name with a value.
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
pub fn visible(code: &Code<'_>, at: NodeIndex) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    let (mut is_static, mut is_captured) = (false, false);
    let mut inner = at;
    for holder in code.self_and_ancestors(at).skip(1) {
        match code.kind(holder) {
            NodeKind::Method => {
                is_static |= code.symbol(holder).is_some_and(|m| m.flags.has(SymbolFlags::STATIC));
            }
            _ if code.is_type(holder) => {
                fields(code, holder, is_static, &mut found);
                is_static |= code.symbol(holder).is_some_and(|c| c.flags.has(SymbolFlags::STATIC));
            }
            _ => {}
        }
        if !code.is_type(holder) {
            let own = locals(code, holder, inner);
            let assigned =
                if is_captured && !own.is_empty() { code.assigned() } else { HashSet::new() };
            for variable in own.into_iter().filter(|symbol| !assigned.contains(symbol)) {
                add(code, variable, false, &mut found);
            }
        }
        is_captured |= code.is(holder, NodeKind::LambdaExpression) || code.is_type(holder);
        inner = holder;
    }
    found
}

/// Returns the variables that a node declares for `inner`, one of its children, the last one first.
fn locals(code: &Code<'_>, holder: NodeIndex, inner: NodeIndex) -> Vec<SymbolId> {
    let is_for_inner = |child: &NodeIndex| {
        let is_before = code.bytes(*child).start < code.bytes(inner).start && *child != inner;
        // Resources are closed before `catch` and `finally`.
        let is_closed = code.role(*child) == NodeRole::Resource
            && !matches!(code.role(inner), NodeRole::Body | NodeRole::Resource);
        code.is(*child, NodeKind::Variable) && is_before && !is_closed
    };
    let children = code.children(holder).into_iter().rev().filter(is_for_inner);
    children.filter_map(|child| code.node(child).symbol).collect()
}

fn add(code: &Code<'_>, symbol: SymbolId, is_field: bool, found: &mut Vec<Variable>) {
    let name = code.facts.name(symbol);
    let ty = code.facts.text(code.facts.symbol(symbol).ty.erased);
    if !ty.is_empty() && found.iter().all(|known| known.name != name) {
        found.push(Variable { name: name.to_owned(), ty: ty.to_owned(), is_field, symbol });
    }
}

/// Collects the fields of a class, its own first, then the inherited ones.
fn fields(code: &Code<'_>, class: NodeIndex, is_static: bool, found: &mut Vec<Variable>) {
    for member in code.children(class) {
        let is_reachable = |flags: SymbolFlags| !is_static || flags.has(SymbolFlags::STATIC);
        let is_field = code.is(member, NodeKind::Variable) && code.role(member) == NodeRole::Member;
        let symbol = code.node(member).symbol.filter(|_| is_field);
        if let Some(symbol) = symbol.filter(|id| is_reachable(code.facts.symbol(*id).flags)) {
            add(code, symbol, true, found);
        }
    }
    let Some(own) = code.node(class).symbol else { return };
    let above = code.facts.supertypes_with_self(own);
    for (id, symbol) in code.facts.symbols().iter().enumerate() {
        let is_inherited = symbol.kind == SymbolKind::Field
            && symbol.owner.is_some_and(|owner| owner != own && above.contains(&owner))
            && may_be_reached(code, symbol)
            && (!is_static || symbol.flags.has(SymbolFlags::STATIC));
        if is_inherited && symbol.place.is_some() {
            add(code, id, true, found);
        }
    }
}

/// Returns true if an inherited member is accessible: a package-private one only within its package.
fn may_be_reached(code: &Code<'_>, symbol: &Symbol) -> bool {
    let folder = |path: &RepoPath| path.to_fs_path().parent().map(std::path::Path::to_path_buf);
    let place = symbol.place.as_ref().and_then(|place| code.facts.trees().get(place.tree));
    match symbol.flags.access() {
        0 => false,
        1 => place.is_some_and(|tree| folder(&tree.path) == folder(&code.tree.path)),
        _ => true,
    }
}
