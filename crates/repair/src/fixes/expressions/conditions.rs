//! A condition with a part more, or a part less.

use crate::candidates::candidate::FixOperator;
use crate::fixes::implicit_preconditions::only_where;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::brief;
use mend_java::Edit;
use mend_java::code::condition::{Condition, Junction};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of the best conditions that guard a statement.
const DECIDING: usize = 8;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    only_sometimes(site, out);
    for condition in deciding(site) {
        let written = site.code.written(condition);
        if site.code.is(condition, NodeKind::BooleanLiteral) {
            decided(site, condition, out);
            continue;
        }
        let old = Condition::parse(written);
        for part in site.inner_conditions() {
            // What contradicts itself only turns off what it decides.
            let negation = part.condition.negation();
            if [&part.condition, &negation].iter().any(|one| written.contains(one.text())) {
                continue;
            }
            let joined = |junction: Junction| {
                let parts = vec![old.clone().parenthesize_in(junction), part.condition.clone()];
                Condition::join(junction, parts)
            };
            // What is demanded as well makes a difference where it does not hold.
            if let Some(promise) = part.if_false {
                let both = joined(Junction::And);
                out.replace(
                    site,
                    condition,
                    both.text(),
                    FixOperator::Condition.with_weight(promise),
                );
            }
            if let Some(promise) = part.if_true {
                let either = joined(Junction::Or);
                out.replace(
                    site,
                    condition,
                    either.text(),
                    FixOperator::Condition.with_weight(promise),
                );
            }
        }
    }
}

/// Runs the statement only under a condition that held in passing tests and not in failing ones.
fn only_sometimes(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_needed = match code.kind(site.statement) {
        NodeKind::Variable
        | NodeKind::Class
        | NodeKind::LabeledStatement
        | NodeKind::EmptyStatement => true,
        // Something has to follow a statement that leaves.
        NodeKind::Return
        | NodeKind::Throw
        | NodeKind::Break
        | NodeKind::Continue
        | NodeKind::Yield => {
            code.children(code.parent(site.statement)).last() == Some(&site.statement)
        }
        _ => false,
    };
    if is_needed {
        return;
    }
    for condition in site.telling(|condition| condition.if_false).take(DECIDING) {
        let edit = Edit::replace(code.bytes(site.statement), only_where(site, condition.text()));
        let promise = condition.if_false.unwrap_or(0.0);
        let why = format!("the statement runs only if `{}`", brief(condition.text()));
        out.add(FixOperator::Condition.with_weight(0.6 * promise), vec![edit], why);
    }
}

/// Replaces a boolean literal with a condition.
fn decided(site: &RepairSite<'_>, literal: NodeIndex, out: &mut CandidateEdits) {
    let is_true = site.code.written(literal) == "true";
    for part in site.inner_conditions() {
        let opposite = part.condition.negation();
        // Where the condition is what the literal was, nothing changes.
        let (itself, turned) =
            if is_true { (part.if_false, part.if_true) } else { (part.if_true, part.if_false) };
        for (text, promise) in [(part.text(), itself), (opposite.text(), turned)] {
            if let Some(promise) = promise {
                out.replace(site, literal, text, FixOperator::Condition.with_weight(promise));
            }
        }
    }
}

/// Returns the conditions that decide whether the statement is executed, without their parentheses.
fn deciding(site: &RepairSite<'_>) -> Vec<NodeIndex> {
    let code = &site.code;
    let own = code.own_nodes(site.statement).into_iter();
    let found = own.filter(|id| {
        let is_returned = code.is(code.parent(*id), NodeKind::Return)
            && code.type_of(*id) == "boolean"
            && code.is_value(*id);
        code.role(*id) == NodeRole::Condition || is_returned
    });
    found.map(|id| unwrapped(site, id)).collect()
}

fn unwrapped(site: &RepairSite<'_>, id: NodeIndex) -> NodeIndex {
    let inner = site.code.children(id);
    if site.code.is(id, NodeKind::Parenthesized) {
        inner.first().copied().unwrap_or(id)
    } else {
        id
    }
}
