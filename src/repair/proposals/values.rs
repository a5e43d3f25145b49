//! Another value in place of one.

use super::{Proposals, Site, fits, is_whole};
use crate::facts::{Flags, NodeIndex, Role, SymbolKind};
use crate::repair::candidate::Strategy;

/// So many variables are tried in place of one value.
const TRIED: usize = 8;

/// A value longer than this is not wrapped.
const LONGEST: usize = 80;

pub(super) fn propose(site: &Site<'_>, out: &mut Proposals) {
    for id in site.code.values(site.statement) {
        if site.code.is(id, "PARENTHESIZED") {
            continue;
        }
        literal(site, id, out);
        variable(site, id, out);
        stepped(site, id, out);
        inner(site, id, out);
        bounded(site, id, out);
        called(site, id, out);
    }
}

fn literal(site: &Site<'_>, id: NodeIndex, out: &mut Proposals) {
    let code = &site.code;
    let written = code.written(id);
    match code.kind(id) {
        "BOOLEAN_LITERAL" => {
            let other = if written == "true" { "false" } else { "true" };
            out.replace(site, id, other, (Strategy::Value, 0.6));
        }
        "INT_LITERAL" => {
            let Ok(value) = written.parse::<i64>() else { return };
            for (other, weight) in
                [(value + 1, 0.7), (value - 1, 0.7), (0, 0.5), (1, 0.5), (-1, 0.3)]
            {
                out.replace(site, id, &other.to_string(), (Strategy::Value, weight));
            }
        }
        "NULL_LITERAL" | "STRING_LITERAL" => {
            for variable in site.variables_for("java.lang.String").take(TRIED) {
                out.replace(site, id, &variable.name, (Strategy::Value, 0.3));
            }
        }
        _ => {}
    }
}

/// Another variable, or a field of the same object.
fn variable(site: &Site<'_>, id: NodeIndex, out: &mut Proposals) {
    let code = &site.code;
    let kind = code.kind(id);
    let is_short = matches!(kind, "IDENTIFIER" | "MEMBER_SELECT" | "INT_LITERAL" | "ARRAY_ACCESS")
        || kind == "METHOD_INVOCATION" && code.written(id).len() < LONGEST / 2;
    if !is_short {
        return;
    }
    let weight = if kind == "IDENTIFIER" { 0.6 } else { 0.35 };
    let others = site.variables_for(code.type_of(id)).take(TRIED);
    for (at, other) in others.enumerate() {
        let nearness = 1.0 / (1.0 + f64::from(u32::try_from(at).unwrap_or(u32::MAX)) * 0.1);
        out.replace(site, id, &other.name, (Strategy::Value, weight * nearness));
    }
    if kind == "IDENTIFIER" && is_whole(code.type_of(id)) {
        for constant in ["0", "1"] {
            out.replace(site, id, constant, (Strategy::Value, 0.15));
        }
    }
    sibling(site, id, out);
}

/// `a.x` becomes `a.y`.
fn sibling(site: &Site<'_>, id: NodeIndex, out: &mut Proposals) {
    let code = &site.code;
    let (true, Some(name)) = (code.is(id, "MEMBER_SELECT"), code.node(id).name) else { return };
    let Some(owner) = code.symbol(id).and_then(|symbol| symbol.owner) else { return };
    let before = &code.text[code.bytes(id).start..name];
    for symbol in code.facts.symbols() {
        let is_like = symbol.kind == SymbolKind::Field
            && symbol.owner == Some(owner)
            && code.facts.text(symbol.ty.erased) == code.type_of(id);
        if is_like && (symbol.flags.access() > 0 || symbol.place.is_some()) {
            let other = format!("{before}{}", code.facts.text(symbol.name));
            out.replace(site, id, &other, (Strategy::Value, 0.5));
        }
    }
}

/// One more, or one less.
fn stepped(site: &Site<'_>, id: NodeIndex, out: &mut Proposals) {
    let code = &site.code;
    if !is_whole(code.type_of(id)) || code.kind(id).ends_with("_LITERAL") {
        return;
    }
    let parent = code.parent(id);
    let is_summand = matches!(code.operator(parent), Some("+" | "-"));
    if is_summand || matches!(code.kind(parent), "TYPE_CAST") {
        return;
    }
    let is_edge = matches!(code.role(id), Role::Argument | Role::Value)
        || matches!(code.kind(parent), "ARRAY_ACCESS" | "RETURN" | "NEW_ARRAY")
        || code.operator(parent).is_some();
    let weight = if is_edge { 0.6 } else { 0.3 };
    for sign in ["+", "-"] {
        let other = format!("{} {sign} 1", code.fitted(id, code.written(id)));
        out.replace(site, id, &other, (Strategy::Value, weight));
    }
}

/// A part of the expression stands for all of it.
fn inner(site: &Site<'_>, id: NodeIndex, out: &mut Proposals) {
    let code = &site.code;
    let ty = code.type_of(id);
    let mut parts = code.children(id);
    // The object that a method is called on.
    if let Some(callee) = code.child(id, Role::Callee) {
        parts.extend(code.children(callee));
    }
    let is_part = |part: &NodeIndex| code.is_value(*part) && code.type_of(*part) == ty;
    if code.operator(id).is_some() {
        return;
    }
    for part in parts.into_iter().filter(is_part) {
        out.replace(site, id, code.written(part), (Strategy::Value, 0.4));
    }
}

/// The value, or another one where that is larger or smaller.
fn bounded(site: &Site<'_>, id: NodeIndex, out: &mut Proposals) {
    let code = &site.code;
    let (ty, written) = (code.type_of(id), code.written(id));
    let is_whole_value = matches!(code.role(id), Role::Value | Role::Argument);
    if !matches!(ty, "int" | "long" | "double") || !is_whole_value || written.len() > LONGEST {
        return;
    }
    let variables = site.variables_for(ty).map(|variable| variable.name.clone());
    for bound in std::iter::once("0".to_owned()).chain(variables).take(TRIED / 2) {
        for method in ["max", "min"] {
            if bound != written && !code.kind(id).ends_with("_LITERAL") {
                let other = format!("Math.{method}({bound}, {written})");
                out.replace(site, id, &other, (Strategy::Value, 0.3));
            }
        }
    }
    if let Some(target) = target_of(site, id) {
        for method in ["max", "min"] {
            let other = format!("Math.{method}({target}, {written})");
            out.replace(site, id, &other, (Strategy::Value, 0.4));
        }
    }
}

/// What a value is assigned to.
fn target_of<'a>(site: &Site<'a>, id: NodeIndex) -> Option<&'a str> {
    let parent = site.code.parent(id);
    let target = site.code.child(parent, Role::Target)?;
    site.code.is(parent, "ASSIGNMENT").then(|| site.code.written(target))
}

/// What a method of the same class makes of the value.
fn called(site: &Site<'_>, id: NodeIndex, out: &mut Proposals) {
    let code = &site.code;
    let is_whole_value = matches!(code.role(id), Role::Value | Role::Argument);
    let Some(class) = code.class_of(id).and_then(|class| code.node(class).symbol) else { return };
    if !is_whole_value || code.written(id).len() > LONGEST {
        return;
    }
    let is_static = code
        .method_of(id)
        .and_then(|method| code.symbol(method))
        .is_some_and(|method| method.flags.has(Flags::STATIC));
    let ty = code.type_of(id);
    let wanted = Some(code.target_of(id)).filter(|wanted| !wanted.is_empty()).unwrap_or(ty);
    for symbol in code.facts.symbols() {
        let &[parameter] = &symbol.parameters[..] else { continue };
        let takes = code.facts.text(code.facts.symbol(parameter).ty.erased);
        let is_fit = symbol.kind == SymbolKind::Method
            && symbol.owner == Some(class)
            && (takes == ty || takes == "java.lang.Object" && super::is_reference(ty))
            && fits(code.facts, code.facts.text(symbol.ty.erased), wanted)
            && (!is_static || symbol.flags.has(Flags::STATIC));
        if is_fit {
            let other = format!("{}({})", code.facts.text(symbol.name), code.written(id));
            out.replace(site, id, &other, (Strategy::Method, 0.4));
        }
    }
}
