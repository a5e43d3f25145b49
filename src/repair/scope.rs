//! What can be named where.

use super::code::Code;
use crate::facts::{Flags, NodeIndex, Role, SymbolId, SymbolKind};

/// Something with a name and a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    /// Without its arguments.
    pub(super) ty: String,
    pub(super) is_field: bool,
    pub(super) symbol: SymbolId,
}

/// The variables that may be read right before a node, the nearest first. A local variable without a value yet is
/// among them: that is for the compiler to say.
pub(super) fn visible(code: &Code<'_>, at: NodeIndex) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    let mut is_static = false;
    let mut inner = at;
    for holder in code.around(at).skip(1) {
        match code.kind(holder) {
            "METHOD" => {
                is_static |= code.symbol(holder).is_some_and(|m| m.flags.has(Flags::STATIC));
            }
            _ if code.is_type(holder) => {
                fields(code, holder, is_static, &mut found);
                is_static |= code.symbol(holder).is_some_and(|c| c.flags.has(Flags::STATIC));
            }
            _ => {}
        }
        if !code.is_type(holder) {
            locals(code, holder, inner, &mut found);
        }
        inner = holder;
    }
    found
}

/// The variables that a node declares for `inner`, one of its children.
fn locals(code: &Code<'_>, holder: NodeIndex, inner: NodeIndex, found: &mut Vec<Variable>) {
    for child in code.children(holder).into_iter().rev() {
        let is_before = code.bytes(child).start < code.bytes(inner).start && child != inner;
        if code.is(child, "VARIABLE") && is_before {
            declared(code, child, false, found);
        }
    }
}

fn declared(code: &Code<'_>, variable: NodeIndex, is_field: bool, found: &mut Vec<Variable>) {
    if let Some(symbol) = code.node(variable).symbol {
        add(code, symbol, is_field, found);
    }
}

fn add(code: &Code<'_>, symbol: SymbolId, is_field: bool, found: &mut Vec<Variable>) {
    let name = code.facts.name(symbol);
    let ty = code.facts.text(code.facts.symbol(symbol).ty.erased);
    if !ty.is_empty() && found.iter().all(|known| known.name != name) {
        found.push(Variable { name: name.to_owned(), ty: ty.to_owned(), is_field, symbol });
    }
}

/// The fields of a class, its own first, then what its supertypes hand down.
fn fields(code: &Code<'_>, class: NodeIndex, is_static: bool, found: &mut Vec<Variable>) {
    for member in code.children(class) {
        let is_reachable = |flags: Flags| !is_static || flags.has(Flags::STATIC);
        let is_field = code.is(member, "VARIABLE") && code.role(member) == Role::Member;
        if is_field && code.symbol(member).is_some_and(|symbol| is_reachable(symbol.flags)) {
            declared(code, member, true, found);
        }
    }
    let Some(own) = code.node(class).symbol else { return };
    let above = code.facts.above(own);
    for (id, symbol) in code.facts.symbols().iter().enumerate() {
        let is_inherited = symbol.kind == SymbolKind::Field
            && symbol.owner.is_some_and(|owner| owner != own && above.contains(&owner))
            && symbol.flags.access() > 0
            && (!is_static || symbol.flags.has(Flags::STATIC));
        if is_inherited && symbol.place.is_some() {
            add(code, id, true, found);
        }
    }
}
