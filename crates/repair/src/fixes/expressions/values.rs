//! Another value in place of one.

use super::{arithmetic, literals};
use crate::candidates::candidate::FixOperator;
use crate::conditions::terms::ConditionTerm;
use crate::fixes::expressions::{collection_contents, subranges};
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::nearness;
use mend_java::code::scope::Variable;
use mend_java::code::types::{fits, is_whole};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolKind};

/// Maximum number of variables tried in place of one value.
const TRIED: usize = 8;

/// Maximum number of assignment targets tried in place of one.
const TARGETS: usize = 4;

/// Maximum number of expressions tried in place of one value.
const EXPRESSIONS: usize = 6;

/// A value longer than this is not wrapped.
const LONGEST: usize = 80;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    targets(site, out);
    for id in site.code.values(site.statement) {
        // `this.a` deliberately distinguishes a field from a variable, so it is no mistake.
        let is_plain = site.code.is(site.code.parent(id), NodeKind::MemberSelect)
            && site.code.written(id) == "this";
        if site.code.is(id, NodeKind::Parenthesized) || is_plain {
            continue;
        }
        literals::propose(site, id, out);
        if site.code.is_label(id) {
            continue;
        }
        variable(site, id, out);
        arithmetic::propose(site, id, out);
        subranges::propose(site, id, out);
        collection_contents::propose(site, id, out);
        inner(site, id, out);
        bounded(site, id, out);
        called(site, id, out);
    }
}

/// Assigns or increments another variable.
fn targets(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for id in
        code.own_nodes(site.statement).into_iter().filter(|id| code.is(*id, NodeKind::Identifier))
    {
        let is_target = code.role(id) == NodeRole::Target
            && code.kind(code.parent(id)).is_assignment()
            || code.kind(code.parent(id)).is_step();
        if !is_target {
            continue;
        }
        hidden(site, id, out);
        let is_free =
            |one: &&Variable| !code.facts.symbol(one.symbol).flags.has(SymbolFlags::FINAL);
        let others = site.inner_variables_for(code.type_of(id)).filter(is_free);
        for other in others.filter(|one| one.ty == code.type_of(id)).take(TARGETS) {
            out.replace(site, id, &other.name, FixOperator::Value.with_weight(0.35));
        }
    }
}

/// Replaces a local variable with the field that it hides.
fn hidden(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some(local) = code.symbol(id).filter(|symbol| symbol.kind == SymbolKind::Local) else {
        return;
    };
    let class = code.class_of(id).and_then(|class| code.node(class).symbol);
    let is_field = |symbol: &Symbol| {
        symbol.kind == SymbolKind::Field && symbol.owner == class && symbol.name == local.name
    };
    if code.facts.symbols().iter().any(is_field) {
        let field = format!("this.{}", code.written(id));
        out.replace(site, id, &field, FixOperator::Value.with_weight(0.9));
    }
}

/// Proposes another variable, or a field of the same object.
fn variable(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let kind = code.kind(id);
    let is_short = matches!(
        kind,
        NodeKind::Identifier
            | NodeKind::MemberSelect
            | NodeKind::IntLiteral
            | NodeKind::ArrayAccess
    ) || kind == NodeKind::MethodInvocation && code.written(id).len() < LONGEST / 2;
    if !is_short {
        return;
    }
    let others = site.inner_variables_for(code.type_of(id)).take(TRIED);
    for (at, other) in others.enumerate() {
        let is_like = kind == NodeKind::Identifier || is_given_by_the_same(site, id, other);
        let weight = if is_like { 0.6 } else { 0.35 };
        out.replace(
            site,
            id,
            &other.name,
            FixOperator::Value.with_weight(weight * nearness(at, 0.1)),
        );
    }
    if kind == NodeKind::Identifier && is_whole(code.type_of(id)) {
        for constant in ["0", "1"] {
            out.replace(site, id, constant, FixOperator::Value.with_weight(0.15));
        }
    }
    sibling(site, id, out);
    expression(site, id, out);
}

/// Returns true if a variable is initialised by a call of the same method as an expression.
fn is_given_by_the_same(site: &RepairSite<'_>, id: NodeIndex, variable: &Variable) -> bool {
    let code = &site.code;
    let is_call = |id: NodeIndex| code.is(id, NodeKind::MethodInvocation);
    let is_same =
        |first: NodeIndex| is_call(first) && code.node(first).symbol == code.node(id).symbol;
    is_call(id) && site.first_value(variable).is_some_and(is_same)
}

/// Proposes another expression of the routine, or a query of an object in scope. Expressions that contain the value are
/// more likely.
fn expression(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let written = code.written(id);
    let is_fit =
        |term: &&ConditionTerm| term.is_asked && fits(code.facts, &term.ty, code.type_of(id));
    for (at, term) in site.terms.iter().filter(is_fit).take(EXPRESSIONS).enumerate() {
        let weight = if is_made_of(&term.text, written) { 0.6 } else { 0.35 * nearness(at, 0.1) };
        out.replace(site, id, &term.text, FixOperator::Value.with_weight(weight * term.nearness));
    }
}

/// Returns true if an expression extends a value: `a.substring(1)` extends `a`, but not `all`.
fn is_made_of(expression: &str, value: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let rest = expression.strip_prefix(value);
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(is_part))
}

/// Replaces `a.x` with `a.y`.
fn sibling(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let (true, Some(name)) = (code.is(id, NodeKind::MemberSelect), code.node(id).name) else {
        return;
    };
    let Some(owner) = code.symbol(id).and_then(|symbol| symbol.owner) else { return };
    let before = &code.text[code.bytes(id).start..name];
    for symbol in code.facts.symbols() {
        let is_like = symbol.kind == SymbolKind::Field
            && symbol.owner == Some(owner)
            && code.facts.text(symbol.ty.erased) == code.type_of(id);
        if is_like && (symbol.flags.access() > 0 || symbol.place.is_some()) {
            let other = format!("{before}{}", code.facts.text(symbol.name));
            out.replace(site, id, &other, FixOperator::Value.with_weight(0.5));
        }
    }
}

/// Replaces an expression with a part of it.
fn inner(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let ty = code.type_of(id);
    let mut parts = code.children(id);
    // The object that a method is called on.
    if let Some(callee) = code.child(id, NodeRole::Callee) {
        parts.extend(code.children(callee));
    }
    let is_part = |part: &NodeIndex| code.is_value(*part) && code.type_of(*part) == ty;
    if code.operator(id).is_some() {
        return;
    }
    for part in parts.into_iter().filter(is_part) {
        out.replace(site, id, code.written(part), FixOperator::Value.with_weight(0.4));
    }
}

/// Limits the value by another one, from below or above.
fn bounded(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let (ty, written) = (code.type_of(id), code.written(id));
    let is_whole_value = matches!(code.role(id), NodeRole::Value | NodeRole::Argument);
    if !matches!(ty, "int" | "long" | "double") || !is_whole_value || written.len() > LONGEST {
        return;
    }
    let variables = site.inner_variables_for(ty).map(|variable| variable.name.clone());
    for bound in std::iter::once("0".to_owned()).chain(variables).take(TRIED / 2) {
        for method in ["max", "min"] {
            if bound != written && !code.kind(id).is_literal() {
                let other = format!("Math.{method}({bound}, {written})");
                out.replace(site, id, &other, FixOperator::Value.with_weight(0.3));
            }
        }
    }
    if let Some(target) = target_of(site, id) {
        for method in ["max", "min"] {
            let other = format!("Math.{method}({target}, {written})");
            out.replace(site, id, &other, FixOperator::Value.with_weight(0.4));
        }
    }
}

/// Returns the target that a value is assigned to.
fn target_of<'a>(site: &RepairSite<'a>, id: NodeIndex) -> Option<&'a str> {
    let parent = site.code.parent(id);
    let target = site.code.child(parent, NodeRole::Target)?;
    site.code.is(parent, NodeKind::Assignment).then(|| site.code.written(target))
}

/// Passes the value to a method of the same class.
fn called(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_whole_value = matches!(code.role(id), NodeRole::Value | NodeRole::Argument);
    let Some(class) = code.class_of(id).and_then(|class| code.node(class).symbol) else { return };
    if !is_whole_value || code.written(id).len() > LONGEST {
        return;
    }
    let is_static = code
        .method_of(id)
        .and_then(|method| code.symbol(method))
        .is_some_and(|method| method.flags.has(SymbolFlags::STATIC));
    let ty = code.type_of(id);
    let wanted = Some(code.target_of(id)).filter(|wanted| !wanted.is_empty()).unwrap_or(ty);
    for symbol in code.facts.symbols() {
        let &[parameter] = &symbol.parameters[..] else { continue };
        let takes = code.facts.text(code.facts.symbol(parameter).ty.erased);
        let is_fit = symbol.kind == SymbolKind::Method
            && symbol.owner == Some(class)
            && (takes == ty
                || takes == "java.lang.Object" && mend_java::code::types::is_reference(ty))
            && fits(code.facts, code.facts.text(symbol.ty.erased), wanted)
            && (!is_static || symbol.flags.has(SymbolFlags::STATIC));
        if is_fit {
            let other = format!("{}({})", code.facts.text(symbol.name), code.written(id));
            out.replace(site, id, &other, FixOperator::Method.with_weight(0.4));
        }
    }
}
