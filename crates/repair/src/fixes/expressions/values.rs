//! Fix operators for values: replace one by another variable or expression, clamp it, or pass it to a method.

use super::{arithmetic, literals};
use crate::candidates::candidate::FixOperator;
use crate::conditions::terms::ConditionTerm;
use crate::fixes::code_text::position_weight;
use crate::fixes::expressions::{collection_contents, subranges};
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::code::scope::Variable;
use mend_java::code::types::{is_assignable, is_whole};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolKind};

/// Maximum number of variables that replace one value.
const MAX_VARIABLES: usize = 8;

/// Maximum number of other targets of one assignment.
const MAX_TARGETS: usize = 4;

/// Maximum number of expressions that replace one value.
const MAX_EXPRESSIONS: usize = 6;

/// Maximum length of a value that is passed to a method.
const MAX_WRAPPED_LEN: usize = 80;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    replace_targets(site, out);
    for id in site.code.replaceable_values(site.statement) {
        // An explicit `this.a` distinguishes a field from a variable, so it is deliberate.
        let is_explicit_this = site.code.has_kind(site.code.parent(id), NodeKind::MemberSelect)
            && site.code.source_text(id) == "this";
        if site.code.has_kind(id, NodeKind::Parenthesized) || is_explicit_this {
            continue;
        }
        literals::propose(site, id, out);
        if site.code.is_switch_label(id) {
            continue;
        }
        replace_with_variable(site, id, out);
        arithmetic::propose(site, id, out);
        subranges::propose(site, id, out);
        collection_contents::propose(site, id, out);
        replace_with_inner_value(site, id, out);
        clamp_value(site, id, out);
        wrap_in_call(site, id, out);
    }
}

/// Assigns or increments another variable.
fn replace_targets(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for id in code
        .own_nodes(site.statement)
        .into_iter()
        .filter(|id| code.has_kind(*id, NodeKind::Identifier))
    {
        let is_target = code.role(id) == NodeRole::Target
            && code.kind(code.parent(id)).is_assignment()
            || code.kind(code.parent(id)).is_step();
        if !is_target {
            continue;
        }
        replace_with_hidden_field(site, id, out);
        let is_assignable =
            |one: &&Variable| !code.facts.symbol(one.symbol).flags.has(SymbolFlags::FINAL);
        let others = site.inner_variables_for(code.type_of(id)).filter(is_assignable);
        for other in others.filter(|one| one.ty == code.type_of(id)).take(MAX_TARGETS) {
            out.replace(site, id, &other.name, FixOperator::Value.with_weight(0.35));
        }
    }
}

/// Replaces a local variable by the field that it hides.
fn replace_with_hidden_field(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some(local) = code.symbol(id).filter(|symbol| symbol.kind == SymbolKind::Local) else {
        return;
    };
    let class = code.enclosing_type(id).and_then(|class| code.node(class).symbol);
    let is_field = |symbol: &Symbol| {
        symbol.kind == SymbolKind::Field && symbol.owner == class && symbol.name == local.name
    };
    if code.facts.symbols().iter().any(is_field) {
        let field = format!("this.{}", code.source_text(id));
        out.replace(site, id, &field, FixOperator::Value.with_weight(0.9));
    }
}

/// Proposes another variable, or a field of the same object.
fn replace_with_variable(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let kind = code.kind(id);
    let is_short = matches!(
        kind,
        NodeKind::Identifier
            | NodeKind::MemberSelect
            | NodeKind::IntLiteral
            | NodeKind::ArrayAccess
    ) || kind == NodeKind::MethodInvocation
        && code.source_text(id).len() < MAX_WRAPPED_LEN / 2;
    if !is_short {
        return;
    }
    let others = site.inner_variables_for(code.type_of(id)).take(MAX_VARIABLES);
    for (at, other) in others.enumerate() {
        let is_likely = kind == NodeKind::Identifier || is_result_of_same_method(site, id, other);
        let weight = if is_likely { 0.6 } else { 0.35 };
        out.replace(
            site,
            id,
            &other.name,
            FixOperator::Value.with_weight(weight * position_weight(at, 0.1)),
        );
    }
    if kind == NodeKind::Identifier && is_whole(code.type_of(id)) {
        for constant in ["0", "1"] {
            out.replace(site, id, constant, FixOperator::Value.with_weight(0.15));
        }
    }
    replace_with_sibling_field(site, id, out);
    replace_with_expression(site, id, out);
}

/// Returns true if a variable is initialised by a call of the same method as an expression.
fn is_result_of_same_method(site: &RepairSite<'_>, id: NodeIndex, variable: &Variable) -> bool {
    let code = &site.code;
    let is_call = |id: NodeIndex| code.has_kind(id, NodeKind::MethodInvocation);
    let is_same =
        |first: NodeIndex| is_call(first) && code.node(first).symbol == code.node(id).symbol;
    is_call(id) && site.initial_value(variable).is_some_and(is_same)
}

/// Proposes another expression of the routine, or a query of an object in scope. Expressions that contain the value are
/// more likely.
fn replace_with_expression(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let written = code.source_text(id);
    let is_fit = |term: &&ConditionTerm| {
        term.can_throw && is_assignable(code.facts, &term.ty, code.type_of(id))
    };
    for (at, term) in site.terms.iter().filter(is_fit).take(MAX_EXPRESSIONS).enumerate() {
        let weight = if extends_expression(&term.text, written) {
            0.6
        } else {
            0.35 * position_weight(at, 0.1)
        };
        out.replace(site, id, &term.text, FixOperator::Value.with_weight(weight * term.nearness));
    }
}

/// Returns true if an expression extends a value: `a.substring(1)` extends `a`, but not `all`.
fn extends_expression(expression: &str, value: &str) -> bool {
    let is_identifier_char = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let rest = expression.strip_prefix(value);
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(is_identifier_char))
}

/// Replaces `a.x` by `a.y`.
fn replace_with_sibling_field(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let (true, Some(name)) = (code.has_kind(id, NodeKind::MemberSelect), code.node(id).name) else {
        return;
    };
    let Some(owner) = code.symbol(id).and_then(|symbol| symbol.owner) else { return };
    let prefix = &code.text[code.bytes(id).start..name];
    for symbol in code.facts.symbols() {
        let is_sibling = symbol.kind == SymbolKind::Field
            && symbol.owner == Some(owner)
            && code.facts.text(symbol.ty.erased) == code.type_of(id);
        if is_sibling && (symbol.flags.access_level() > 0 || symbol.position.is_some()) {
            let other = format!("{prefix}{}", code.facts.text(symbol.name));
            out.replace(site, id, &other, FixOperator::Value.with_weight(0.5));
        }
    }
}

/// Replaces an expression by a subexpression of the same type, such as its receiver.
fn replace_with_inner_value(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let ty = code.type_of(id);
    let mut inner_values = code.children(id);
    // The receiver of the call.
    if let Some(callee) = code.child(id, NodeRole::Callee) {
        inner_values.extend(code.children(callee));
    }
    let is_part = |part: &NodeIndex| code.is_replaceable_value(*part) && code.type_of(*part) == ty;
    if code.binary_operator(id).is_some() {
        return;
    }
    for part in inner_values.into_iter().filter(is_part) {
        out.replace(site, id, code.source_text(part), FixOperator::Value.with_weight(0.4));
    }
}

/// Limits the value by another one, with `Math.max` or `Math.min`.
fn clamp_value(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let (ty, written) = (code.type_of(id), code.source_text(id));
    let is_whole_value = matches!(code.role(id), NodeRole::Value | NodeRole::Argument);
    if !matches!(ty, "int" | "long" | "double")
        || !is_whole_value
        || written.len() > MAX_WRAPPED_LEN
    {
        return;
    }
    let variables = site.inner_variables_for(ty).map(|variable| variable.name.clone());
    for bound in std::iter::once("0".to_owned()).chain(variables).take(MAX_VARIABLES / 2) {
        for method in ["max", "min"] {
            if bound != written && !code.kind(id).is_literal() {
                let other = format!("Math.{method}({bound}, {written})");
                out.replace(site, id, &other, FixOperator::Value.with_weight(0.3));
            }
        }
    }
    if let Some(target) = assignment_target(site, id) {
        for method in ["max", "min"] {
            let other = format!("Math.{method}({target}, {written})");
            out.replace(site, id, &other, FixOperator::Value.with_weight(0.4));
        }
    }
}

/// Returns the target that a value is assigned to.
fn assignment_target<'a>(site: &RepairSite<'a>, id: NodeIndex) -> Option<&'a str> {
    let parent = site.code.parent(id);
    let target = site.code.child(parent, NodeRole::Target)?;
    site.code.has_kind(parent, NodeKind::Assignment).then(|| site.code.source_text(target))
}

/// Passes the value to a method of the same class.
fn wrap_in_call(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_whole_value = matches!(code.role(id), NodeRole::Value | NodeRole::Argument);
    let Some(class) = code.enclosing_type(id).and_then(|class| code.node(class).symbol) else {
        return;
    };
    if !is_whole_value || code.source_text(id).len() > MAX_WRAPPED_LEN {
        return;
    }
    let is_static = code
        .enclosing_method(id)
        .and_then(|method| code.symbol(method))
        .is_some_and(|method| method.flags.has(SymbolFlags::STATIC));
    let ty = code.type_of(id);
    let wanted = Some(code.parameter_type_of(id)).filter(|wanted| !wanted.is_empty()).unwrap_or(ty);
    for symbol in code.facts.symbols() {
        let &[parameter] = &symbol.parameters[..] else { continue };
        let parameter_type = code.facts.text(code.facts.symbol(parameter).ty.erased);
        let is_fit = symbol.kind == SymbolKind::Method
            && symbol.owner == Some(class)
            && (parameter_type == ty
                || parameter_type == "java.lang.Object"
                    && mend_java::code::types::is_reference_type(ty))
            && is_assignable(code.facts, code.facts.text(symbol.ty.erased), wanted)
            && (!is_static || symbol.flags.has(SymbolFlags::STATIC));
        if is_fit {
            let other = format!("{}({})", code.facts.text(symbol.name), code.source_text(id));
            out.replace(site, id, &other, FixOperator::Method.with_weight(0.4));
        }
    }
}
