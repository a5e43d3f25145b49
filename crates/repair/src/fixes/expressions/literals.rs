//! Fix operators for literals and constants of the JDK: replace them by another value.

use crate::candidates::candidate::FixOperator;
use crate::conditions::numbers::find_numbers;
use crate::fixes::implicit_preconditions::creation_expression;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::code::types::unbox;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of values of one kind.
const MAX_VARIABLES: usize = 8;

/// Maximum number of other values from the same method.
const MAX_METHOD_VALUES: usize = 4;

/// Limits of numeric types.
const TYPE_LIMITS: [(&str, &[&str]); 3] = [
    ("int", &["Integer.MIN_VALUE", "Integer.MAX_VALUE"]),
    ("long", &["Long.MIN_VALUE", "Long.MAX_VALUE"]),
    (
        "double",
        &[
            "Double.NEGATIVE_INFINITY",
            "Double.POSITIVE_INFINITY",
            "Double.NaN",
            "-Double.MAX_VALUE",
            "Double.MAX_VALUE",
        ],
    ),
];

pub(crate) fn propose(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let written = code.source_text(id);
    match code.kind(id) {
        NodeKind::BooleanLiteral => {
            let other = if written == "true" { "false" } else { "true" };
            out.replace(site, id, other, FixOperator::Value.with_weight(0.6));
        }
        NodeKind::IntLiteral => replace_integer(site, id, "", out),
        NodeKind::LongLiteral => replace_integer(site, id, &written[written.len() - 1..], out),
        NodeKind::DoubleLiteral | NodeKind::FloatLiteral => replace_fraction(site, id, out),
        NodeKind::CharLiteral => propose_method_numbers(site, id, out),
        NodeKind::NullLiteral => replace_null(site, id, out),
        NodeKind::StringLiteral => replace_string(site, id, out),
        NodeKind::MemberSelect => replace_limit(site, id, out),
        _ => {}
    }
}

fn replace_integer(site: &RepairSite<'_>, id: NodeIndex, suffix: &str, out: &mut CandidateEdits) {
    let written = site.code.source_text(id);
    let digits = written.strip_suffix(suffix).unwrap_or(written);
    let Ok(value) = digits.parse::<i64>() else { return };
    for (other, weight) in [
        (value.saturating_add(1), 0.7),
        (value.saturating_sub(1), 0.7),
        (0, 0.5),
        (1, 0.5),
        (-1, 0.3),
    ] {
        if !is_neutral_operand(site, id, other) {
            out.replace(
                site,
                id,
                &format!("{other}{suffix}"),
                FixOperator::Value.with_weight(weight),
            );
        }
    }
    if !site.code.is_switch_label(id) {
        propose_limits(site, id, out);
    }
    propose_method_numbers(site, id, out);
}

/// Returns true if a value makes its operator neutral. The other operand alone has the same value and is proposed
/// separately.
fn is_neutral_operand(site: &RepairSite<'_>, id: NodeIndex, value: i64) -> bool {
    let code = &site.code;
    let parent = code.parent(id);
    let Some((left, _, right)) = code.binary_operands(parent) else { return false };
    let other = if id == left { right } else { left };
    let changes_nothing = match (code.kind(parent), value) {
        // `+` also concatenates strings.
        (NodeKind::Plus, 0) => code.type_of(parent) != "java.lang.String",
        (NodeKind::Multiply, 1) => true,
        (NodeKind::Minus, 0) | (NodeKind::Divide, 1) => id == right,
        _ => false,
    };
    changes_nothing && unbox(code.type_of(other)) == code.type_of(parent)
}

fn replace_fraction(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let written = site.code.source_text(id);
    let suffix = if site.code.has_kind(id, NodeKind::FloatLiteral) { "f" } else { "" };
    for (other, weight) in [("0.0", 0.5), ("1.0", 0.5), ("-1.0", 0.3)] {
        out.replace(site, id, &format!("{other}{suffix}"), FixOperator::Value.with_weight(weight));
    }
    if let Ok(value) = written.trim_end_matches(['f', 'F', 'd', 'D']).parse::<f64>() {
        for other in [value + 1.0, value - 1.0, value / 2.0, value * 2.0] {
            out.replace(
                site,
                id,
                &format!("{other:?}{suffix}"),
                FixOperator::Value.with_weight(0.3),
            );
        }
    }
    propose_limits(site, id, out);
    propose_method_numbers(site, id, out);
}

/// Proposes the minimum and maximum values of the type, as initial values of a search for an extreme.
fn propose_limits(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_initial_value = matches!(
        code.kind(code.parent(id)),
        NodeKind::Variable | NodeKind::Assignment | NodeKind::Return
    );
    let wanted = unbox(code.required_type(id));
    let type_limits = TYPE_LIMITS.iter().filter(|(ty, _)| is_initial_value && *ty == wanted);
    for limit in type_limits.flat_map(|(_, limits)| *limits) {
        out.replace(site, id, limit, FixOperator::Value.with_weight(0.3));
    }
}

/// Replaces one limit constant with another.
fn replace_limit(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let written = site.code.source_text(id);
    for (ty, limits) in TYPE_LIMITS {
        if !limits.contains(&written) {
            continue;
        }
        for other in limits.iter().copied().chain([if ty == "double" { "0.0" } else { "0" }]) {
            out.replace(site, id, other, FixOperator::Value.with_weight(0.4));
        }
    }
}

/// Proposes other numbers or characters of the method.
fn propose_method_numbers(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_fit = |text: &String| {
        let is_character = text.starts_with('\'');
        is_character == code.has_kind(id, NodeKind::CharLiteral)
    };
    let method_numbers = find_numbers(code, site.statement).into_iter().map(|number| number.text);
    for other in method_numbers.filter(is_fit).take(MAX_METHOD_VALUES) {
        out.replace(site, id, &other, FixOperator::Value.with_weight(0.25));
    }
}

/// Proposes variables of the required type, and usual new values of it.
fn replace_null(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let wanted = site.code.required_type(id);
    for variable in site.inner_variables_for(wanted).take(MAX_VARIABLES) {
        out.replace(site, id, &variable.name, FixOperator::Value.with_weight(0.3));
    }
    let is_value_position = matches!(site.code.role(id), NodeRole::Value | NodeRole::Argument);
    let creation = match wanted {
        "java.lang.String" => Some("\"\"".to_owned()),
        _ => creation_expression(site, wanted),
    };
    if let Some(creation) = creation.filter(|_| is_value_position) {
        out.replace(site, id, &creation, FixOperator::Value.with_weight(0.4));
    }
}

/// Proposes variables, and other strings of the method.
fn replace_string(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    // A case label must be constant.
    let variables =
        site.inner_variables_for("java.lang.String").filter(|_| !code.is_switch_label(id));
    for variable in variables.take(MAX_VARIABLES) {
        out.replace(site, id, &variable.name, FixOperator::Value.with_weight(0.3));
    }
    let Some(method) = code.enclosing_method(id) else { return };
    let texts = code.nodes_within(method, NodeKind::StringLiteral);
    let empty = std::iter::once("\"\"");
    for other in empty.chain(texts.map(|id| code.source_text(id))).take(MAX_METHOD_VALUES) {
        out.replace(site, id, other, FixOperator::Value.with_weight(0.25));
    }
}
