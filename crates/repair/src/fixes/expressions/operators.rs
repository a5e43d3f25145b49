//! Another operator in place of one, an operand left out, or a condition turned around.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::named;
use mend_java::Edit;
use mend_java::code::condition::Condition;
use mend_java::code::types::{is_ordered, unboxed};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::{Code, closed};

/// Alternatives of each operator, with their prior likelihoods.
const ALTERNATIVES: [(&str, &[(&str, f64)]); 19] = [
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

/// Compound assignments, and those that each may be taken for.
const ASSIGNMENTS: [(NodeKind, &str, &[&str]); 11] = [
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

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    for id in site.code.own_nodes(site.statement) {
        binary(site, id, out);
        assignment(site, id, out);
        step(site, id, out);
        negation(site, id, out);
    }
}

fn binary(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some((left, at, right)) = code.binary(id) else { return };
    let operator = &code.text[at.clone()];
    let is_text = code.type_of(id) == "java.lang.String";
    let known = ALTERNATIVES.iter().find(|(one, _)| *one == operator);
    for (other, weight) in known.map_or(&[][..], |(_, others)| others) {
        if is_text || !fits(site, left, right, operator, other) {
            continue;
        }
        let why = format!(
            "`{operator}` becomes `{other}` in `{}`",
            crate::fixes::text::brief(code.written(id))
        );
        let edits = vec![Edit::replace(at.clone(), *other)];
        let share = if is_turned(code, id, operator, other) { TURNED } else { 1.0 };
        out.add(FixOperator::Operator.with_weight(weight * share), edits, why);
    }
    for side in [left, right] {
        if unboxed(code.type_of(side)) == code.type_of(id) {
            let is_constant = |id: NodeIndex| code.kind(id).is_literal();
            let weight = if is_constant(left) || is_constant(right) { 0.5 } else { 0.3 };
            out.replace(site, id, code.written(side), FixOperator::Operator.with_weight(weight));
        }
    }
    if matches!(operator, "-" | "/" | "%") || operator == "+" && is_text {
        let (first, second) = (closed(code.written(right)), closed(code.written(left)));
        let swapped = format!("{first} {operator} {second}");
        out.replace(
            site,
            id,
            &swapped,
            FixOperator::Operator.with_weight(if is_text { 0.5 } else { 0.3 }),
        );
    }
    equality(site, id, left, right, out);
}

/// Prior likelihood of a reversed loop comparison: most such loops are never entered.
const TURNED: f64 = 0.2;

/// Returns true if the new operator would make the loop count away from its limit.
fn is_turned(code: &Code<'_>, id: NodeIndex, operator: &str, other: &str) -> bool {
    let is_limit =
        code.is(code.parent(id), NodeKind::ForLoop) && code.role(id) == NodeRole::Condition;
    let sides = (operator.chars().next(), other.chars().next());
    is_limit && matches!(sides, (Some('<'), Some('>')) | (Some('>'), Some('<')))
}

/// Returns true if another operator accepts the types of two operands.
fn fits(
    site: &RepairSite<'_>,
    left: NodeIndex,
    right: NodeIndex,
    operator: &str,
    other: &str,
) -> bool {
    let is_order = |operator: &str| matches!(operator, "<" | "<=" | ">" | ">=");
    let ty = |side: NodeIndex| unboxed(site.code.type_of(side));
    match other {
        "&&" | "||" if operator.len() == 1 => ty(left) == "boolean",
        _ if is_order(other) && !is_order(operator) => {
            is_ordered(ty(left)) && is_ordered(ty(right))
        }
        _ => true,
    }
}

/// Replaces identity comparisons of objects with `equals`.
fn equality(
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
        mend_java::code::types::is_reference(code.type_of(side))
            && !code.is(side, NodeKind::NullLiteral)
    };
    if !is_object(left) || !is_object(right) || code.written(left) == "this" {
        return;
    }
    let (one, other) = (code.written(left), code.written(right));
    let asked = format!("{not}{}.equals({other})", closed(one));
    out.replace(site, id, &asked, FixOperator::Operator.with_weight(0.8));
    let either = format!("{not}{}.equals({one}, {other})", named(code, "java.util.Objects"));
    out.replace(site, id, &either, FixOperator::Operator.with_weight(0.5));
}

fn assignment(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let kind = code.kind(id);
    let Some((_, operator, others)) = ASSIGNMENTS.iter().find(|(one, ..)| *one == kind) else {
        return plain_assignment(site, id, out);
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
fn plain_assignment(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let &[target, value] = &code.children(id)[..] else { return };
    let is_number =
        mend_java::code::types::is_whole(code.type_of(target)) || code.type_of(target) == "double";
    if !code.is(id, NodeKind::Assignment) || !is_number {
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

fn step(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let kind = code.kind(id);
    if !kind.is_step() {
        return;
    }
    let Some(&operand) = code.children(id).first() else { return };
    let (written, name) = (code.written(id), code.written(operand));
    let (same, other) = if kind.is_increment() { ("++", "--") } else { ("--", "++") };
    out.replace(site, id, &written.replace(same, other), FixOperator::Operator.with_weight(0.5));
    if !code.is(code.parent(id), NodeKind::ExpressionStatement) {
        let turned = if written.starts_with(same) {
            format!("{name}{same}")
        } else {
            format!("{same}{name}")
        };
        out.replace(site, id, &turned, FixOperator::Operator.with_weight(0.5));
    }
}

fn negation(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    if code.type_of(id) != "boolean" || !code.is_value(id) {
        return;
    }
    match code.kind(id) {
        NodeKind::LogicalComplement => {
            if let Some(&inner) = code.children(id).first() {
                out.replace(site, id, code.written(inner), FixOperator::Operator.with_weight(0.6));
            }
        }
        NodeKind::MethodInvocation
        | NodeKind::Identifier
        | NodeKind::MemberSelect
        | NodeKind::InstanceOf => {
            let negated = Condition::parse(code.written(id)).negation();
            out.replace(site, id, negated.text(), FixOperator::Operator.with_weight(0.5));
        }
        _ => {}
    }
}
