//! Fix operators for conditions: add a conjunct or disjunct, replace a boolean literal, or guard a statement.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::abbreviate;
use crate::fixes::implicit_preconditions::guarded_statement;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Edit;
use mend_java::code::condition::{Condition, Junction};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of the best conditions that guard a statement.
const MAX_GUARD_CONDITIONS: usize = 8;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    propose_guard(site, out);
    for condition in find_deciding_conditions(site) {
        let written = site.code.source_text(condition);
        if site.code.has_kind(condition, NodeKind::BooleanLiteral) {
            replace_boolean_literal(site, condition, out);
            continue;
        }
        let old = Condition::parse(written);
        for part in site.inner_conditions() {
            // Adding a part that is already there, or its negation, has no effect or makes the condition constant.
            let negation = part.condition.negation();
            if [&part.condition, &negation].iter().any(|one| written.contains(one.text())) {
                continue;
            }
            // A further conjunct matters where it is false.
            for (junction, score) in
                [(Junction::And, part.score_if_false), (Junction::Or, part.score_if_true)]
            {
                let Some(score) = score else { continue };
                let parts = vec![old.clone().parenthesize_in(junction), part.condition.clone()];
                let joined = Condition::join(junction, parts);
                let operator = FixOperator::Condition.with_weight(score);
                out.replace(site, condition, joined.text(), operator);
            }
        }
    }
}

/// Runs the statement only under a condition that held in passing tests and not in failing ones.
fn propose_guard(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_unguardable = match code.kind(site.statement) {
        NodeKind::Variable
        | NodeKind::Class
        | NodeKind::LabeledStatement
        | NodeKind::EmptyStatement => true,
        // The statements after an exit would become reachable.
        NodeKind::Return
        | NodeKind::Throw
        | NodeKind::Break
        | NodeKind::Continue
        | NodeKind::Yield => {
            code.children(code.parent(site.statement)).last() == Some(&site.statement)
        }
        _ => false,
    };
    if is_unguardable {
        return;
    }
    for condition in
        site.separating_conditions(|condition| condition.score_if_false).take(MAX_GUARD_CONDITIONS)
    {
        let edit =
            Edit::replace(code.bytes(site.statement), guarded_statement(site, condition.text()));
        let score = condition.score_if_false.unwrap_or(0.0);
        let why = format!("the statement runs only if `{}`", abbreviate(condition.text()));
        out.add(FixOperator::Condition.with_weight(0.6 * score), vec![edit], why);
    }
}

/// Replaces a boolean literal with a condition.
fn replace_boolean_literal(site: &RepairSite<'_>, literal: NodeIndex, out: &mut CandidateEdits) {
    let is_true = site.code.source_text(literal) == "true";
    for part in site.inner_conditions() {
        let opposite = part.condition.negation();
        // A condition has an effect only where it differs from the literal, so the score of the opposite outcome
        // counts.
        let (own_score, negated_score) = if is_true {
            (part.score_if_false, part.score_if_true)
        } else {
            (part.score_if_true, part.score_if_false)
        };
        for (text, score) in [(part.text(), own_score), (opposite.text(), negated_score)] {
            if let Some(score) = score {
                out.replace(site, literal, text, FixOperator::Condition.with_weight(score));
            }
        }
    }
}

/// Returns the conditions that decide whether the statement is executed, without their parentheses.
fn find_deciding_conditions(site: &RepairSite<'_>) -> Vec<NodeIndex> {
    let code = &site.code;
    let own = code.own_nodes(site.statement).into_iter();
    let found = own.filter(|id| {
        let is_returned = code.has_kind(code.parent(*id), NodeKind::Return)
            && code.type_of(*id) == "boolean"
            && code.is_replaceable_value(*id);
        code.role(*id) == NodeRole::Condition || is_returned
    });
    found.map(|id| strip_parentheses(site, id)).collect()
}

fn strip_parentheses(site: &RepairSite<'_>, id: NodeIndex) -> NodeIndex {
    let inner = site.code.children(id);
    if site.code.has_kind(id, NodeKind::Parenthesized) {
        inner.first().copied().unwrap_or(id)
    } else {
        id
    }
}
