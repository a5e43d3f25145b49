//! Fix operators for operator expressions: replace the operator, drop or swap operands, or negate a condition.

use crate::candidates::candidate::FixOperator;
use crate::conditions::terms::ConditionTerm;
use crate::fixes::code_text::{class_reference, position_weight};
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::localisation::expected_guards::guards_expected_exception;
use mend_java::Edit;
use mend_java::code::condition::Condition;
use mend_java::code::types::{is_ordered_type, is_whole, unbox};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::{Code, parenthesise};

/// Alternatives of each operator, with their prior likelihoods.
const OPERATOR_ALTERNATIVES: [(&str, &[(&str, f64)]); 19] = [
    ("<", &[("<=", 1.0), (">", 0.5), (">=", 0.4), ("!=", 0.3)]),
    ("<=", &[("<", 1.0), (">=", 0.5), (">", 0.4), ("==", 0.2)]),
    (">", &[(">=", 1.0), ("<", 0.5), ("<=", 0.4), ("!=", 0.3)]),
    (">=", &[(">", 1.0), ("<=", 0.5), ("<", 0.4), ("==", 0.2)]),
    ("==", &[("!=", 0.6), ("<=", 0.4), (">=", 0.4)]),
    ("!=", &[("==", 0.6), ("<", 0.4), (">", 0.4)]),
    ("&&", &[("||", 0.8)]),
    ("||", &[("&&", 0.8)]),
    ("+", &[("-", 0.8), ("*", 0.3)]),
    ("-", &[("+", 0.8), ("/", 0.2)]),
    ("*", &[("/", 0.5), ("+", 0.4)]),
    ("/", &[("*", 0.5), ("%", 0.4)]),
    ("%", &[("/", 0.6)]),
    ("&", &[("&&", 1.0), ("|", 0.7), ("^", 0.4)]),
    ("|", &[("||", 1.0), ("&", 0.7), ("^", 0.4)]),
    ("^", &[("&", 0.7), ("|", 0.5)]),
    ("<<", &[(">>", 0.7)]),
    (">>", &[(">>>", 0.7), ("<<", 0.5)]),
    (">>>", &[(">>", 0.7)]),
];

/// Prior likelihood of `!=` in a guard that should have thrown: it throws in more cases than an order comparison.
const UNEQUAL_GUARD_WEIGHT: f64 = 0.8;

/// Compound assignments, with the operators that may replace each.
const ASSIGNMENT_ALTERNATIVES: [(NodeKind, &str, &[&str]); 11] = [
    (NodeKind::PlusAssignment, "+=", &["-=", "="]),
    (NodeKind::MinusAssignment, "-=", &["+=", "="]),
    (NodeKind::MultiplyAssignment, "*=", &["/=", "+="]),
    (NodeKind::DivideAssignment, "/=", &["*=", "%="]),
    (NodeKind::RemainderAssignment, "%=", &["/="]),
    (NodeKind::XorAssignment, "^=", &["|=", "&="]),
    (NodeKind::LeftShiftAssignment, "<<=", &[">>="]),
    (NodeKind::RightShiftAssignment, ">>=", &[">>>=", "<<="]),
    (NodeKind::UnsignedRightShiftAssignment, ">>>=", &[">>="]),
    (NodeKind::AndAssignment, "&=", &["|="]),
    (NodeKind::OrAssignment, "|=", &["&=", "="]),
];

/// Maximum number of other steps.
const MAX_STEPS: usize = 8;

/// Prior likelihood of a step by more than one.
const STEP_WEIGHT: f64 = 0.4;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    for id in site.code.own_nodes(site.statement) {
        replace_binary_operator(site, id, out);
        replace_assignment_operator(site, id, out);
        replace_increment(site, id, out);
        toggle_negation(site, id, out);
    }
}

fn replace_binary_operator(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some((left, operator_bytes, right)) = code.binary_operands(id) else { return };
    let operator = &code.text[operator_bytes.clone()];
    let is_text = code.type_of(id) == "java.lang.String";
    let is_lenient = guards_expected_exception(code, site.statement, site.diagnosis);
    let alternatives = OPERATOR_ALTERNATIVES.iter().find(|(one, _)| *one == operator);
    for (other, weight) in alternatives.map_or(&[][..], |(_, others)| others) {
        if is_text || !accepts_operands(site, left, right, operator, other) {
            continue;
        }
        let why = format!(
            "`{operator}` becomes `{other}` in `{}`",
            crate::fixes::code_text::abbreviate(code.source_text(id))
        );
        let edits = vec![Edit::replace(operator_bytes.clone(), *other)];
        let weight = if is_lenient && *other == "!=" { UNEQUAL_GUARD_WEIGHT } else { *weight };
        let share =
            if reverses_loop(code, id, operator, other) { REVERSED_LOOP_FACTOR } else { 1.0 };
        out.add(FixOperator::Operator.with_weight(weight * share), edits, why);
    }
    for operand in [left, right] {
        if unbox(code.type_of(operand)) == code.type_of(id) {
            let is_constant = |id: NodeIndex| code.kind(id).is_literal();
            let weight = if is_constant(left) || is_constant(right) { 0.5 } else { 0.3 };
            out.replace(
                site,
                id,
                code.source_text(operand),
                FixOperator::Operator.with_weight(weight),
            );
        }
    }
    if matches!(operator, "-" | "/" | "%") || operator == "+" && is_text {
        let (first, second) =
            (parenthesise(code.source_text(right)), parenthesise(code.source_text(left)));
        let swapped = format!("{first} {operator} {second}");
        out.replace(
            site,
            id,
            &swapped,
            FixOperator::Operator.with_weight(if is_text { 0.5 } else { 0.3 }),
        );
    }
    replace_identity_comparison(site, id, left, right, out);
}

/// Prior likelihood of a reversed loop comparison: most such loops are never entered.
const REVERSED_LOOP_FACTOR: f64 = 0.2;

/// Returns true if the new operator would make the loop count away from its limit.
fn reverses_loop(code: &Code<'_>, id: NodeIndex, operator: &str, other: &str) -> bool {
    let is_limit =
        code.has_kind(code.parent(id), NodeKind::ForLoop) && code.role(id) == NodeRole::Condition;
    let sides = (operator.chars().next(), other.chars().next());
    is_limit && matches!(sides, (Some('<'), Some('>')) | (Some('>'), Some('<')))
}

/// Returns true if another operator accepts the types of two operands.
fn accepts_operands(
    site: &RepairSite<'_>,
    left: NodeIndex,
    right: NodeIndex,
    operator: &str,
    replacement: &str,
) -> bool {
    let is_order = |operator: &str| matches!(operator, "<" | "<=" | ">" | ">=");
    let ty = |side: NodeIndex| unbox(site.code.type_of(side));
    match replacement {
        "&&" | "||" if operator.len() == 1 => ty(left) == "boolean",
        _ if is_order(replacement) && !is_order(operator) => {
            is_ordered_type(ty(left)) && is_ordered_type(ty(right))
        }
        _ => true,
    }
}

/// Replaces identity comparisons of objects with `equals`.
fn replace_identity_comparison(
    site: &RepairSite<'_>,
    id: NodeIndex,
    left: NodeIndex,
    right: NodeIndex,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let not = match code.kind(id) {
        NodeKind::EqualTo => "",
        NodeKind::NotEqualTo => "!",
        _ => return,
    };
    let is_object = |side: NodeIndex| {
        mend_java::code::types::is_reference_type(code.type_of(side))
            && !code.has_kind(side, NodeKind::NullLiteral)
    };
    if !is_object(left) || !is_object(right) || code.source_text(left) == "this" {
        return;
    }
    let (one, other) = (code.source_text(left), code.source_text(right));
    let equals_call = format!("{not}{}.equals({other})", parenthesise(one));
    out.replace(site, id, &equals_call, FixOperator::Operator.with_weight(0.8));
    let null_safe_call =
        format!("{not}{}.equals({one}, {other})", class_reference(code, "java.util.Objects"));
    out.replace(site, id, &null_safe_call, FixOperator::Operator.with_weight(0.5));
}

fn replace_assignment_operator(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let kind = code.kind(id);
    let Some((_, operator, others)) = ASSIGNMENT_ALTERNATIVES.iter().find(|(one, ..)| *one == kind)
    else {
        return replace_plain_assignment(site, id, out);
    };
    let [target, value] = code.children(id)[..] else { return };
    let (from, to) = (code.bytes(target).end, code.bytes(value).start);
    let Some(at) = code.text.get(from..to).and_then(|between| between.find(operator)) else {
        return;
    };
    for other in *others {
        let edit = Edit::replace(from + at..from + at + operator.len(), *other);
        let why = format!("`{operator}` becomes `{other}`");
        out.add(FixOperator::Operator.with_weight(0.5), vec![edit], why);
    }
}

/// Replaces `=` with `+=` or `-=`.
fn replace_plain_assignment(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let &[target, value] = &code.children(id)[..] else { return };
    let is_number =
        mend_java::code::types::is_whole(code.type_of(target)) || code.type_of(target) == "double";
    if !code.has_kind(id, NodeKind::Assignment) || !is_number {
        return;
    }
    let (from, to) = (code.bytes(target).end, code.bytes(value).start);
    let Some(at) = code.text.get(from..to).and_then(|between| between.find('=')) else { return };
    for other in ["+=", "-="] {
        let edit = Edit::replace(from + at..from + at + 1, other);
        out.add(
            FixOperator::Operator.with_weight(0.3),
            vec![edit],
            format!("`=` becomes `{other}`"),
        );
    }
}

fn replace_increment(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let kind = code.kind(id);
    if !kind.is_step() {
        return;
    }
    let Some(&operand) = code.children(id).first() else { return };
    let (written, name) = (code.source_text(id), code.source_text(operand));
    let (same, other) = if kind.is_increment() { ("++", "--") } else { ("--", "++") };
    out.replace(site, id, &written.replace(same, other), FixOperator::Operator.with_weight(0.5));
    if !code.has_kind(code.parent(id), NodeKind::ExpressionStatement) {
        let moved = if written.starts_with(same) {
            format!("{name}{same}")
        } else {
            format!("{same}{name}")
        };
        out.replace(site, id, &moved, FixOperator::Operator.with_weight(0.5));
    } else if matches!(code.kind(operand), NodeKind::Identifier | NodeKind::MemberSelect) {
        replace_step(site, id, name, if kind.is_increment() { "+=" } else { "-=" }, out);
    }
}

/// Changes a variable by more than one.
fn replace_step(
    site: &RepairSite<'_>,
    id: NodeIndex,
    name: &str,
    operator: &str,
    out: &mut CandidateEdits,
) {
    let is_step = |term: &&ConditionTerm| {
        is_whole(unbox(&term.ty)) && term.text != name && !term.text.starts_with('-')
    };
    let terms = site.terms.iter().filter(is_step).map(|term| (term.text.as_str(), term.nearness));
    for (at, (step, nearness)) in [("2", 1.0)].into_iter().chain(terms).take(MAX_STEPS).enumerate()
    {
        let text = format!("{name} {operator} {step}");
        let weight = STEP_WEIGHT * nearness * position_weight(at, 0.1);
        out.replace(site, id, &text, FixOperator::Operator.with_weight(weight));
    }
}

fn toggle_negation(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    if code.type_of(id) != "boolean" || !code.is_replaceable_value(id) {
        return;
    }
    match code.kind(id) {
        NodeKind::LogicalComplement => {
            if let Some(&inner) = code.children(id).first() {
                out.replace(
                    site,
                    id,
                    code.source_text(inner),
                    FixOperator::Operator.with_weight(0.6),
                );
            }
        }
        NodeKind::MethodInvocation
        | NodeKind::Identifier
        | NodeKind::MemberSelect
        | NodeKind::InstanceOf => {
            let negated = Condition::parse(code.source_text(id)).negation();
            out.replace(site, id, negated.text(), FixOperator::Operator.with_weight(0.5));
        }
        _ => {}
    }
}
