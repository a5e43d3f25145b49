//! A condition with a part more, or a part less.

use super::predicates::negated;
use super::{Proposals, Site};
use crate::facts::{NodeIndex, Role};
use crate::repair::candidate::Strategy;

pub(super) fn propose(site: &Site<'_>, out: &mut Proposals) {
    for condition in deciding(site) {
        let written = site.code.written(condition);
        for part in site.conditions() {
            // What contradicts itself only turns off what it decides.
            if written.contains(&part.text) || written.contains(&negated(&part.text)) {
                continue;
            }
            let joined = |operator: &str, other: &str| {
                let is_mixed = written.contains(other) || written.contains('?');
                let old = if is_mixed { format!("({written})") } else { written.to_owned() };
                format!("{old} {operator} {}", part.text)
            };
            // What is demanded as well makes a difference where it does not hold.
            if let Some(promise) = part.if_false {
                out.replace(site, condition, &joined("&&", "||"), (Strategy::Condition, promise));
            }
            if let Some(promise) = part.if_true {
                out.replace(site, condition, &joined("||", "&&"), (Strategy::Condition, promise));
            }
        }
    }
}

/// What decides on where the statement goes, without its parentheses.
fn deciding(site: &Site<'_>) -> Vec<NodeIndex> {
    let code = &site.code;
    let own = code.own_nodes(site.statement).into_iter();
    let found = own.filter(|id| {
        let is_returned = code.is(code.parent(*id), "RETURN")
            && code.type_of(*id) == "boolean"
            && code.is_value(*id);
        code.role(*id) == Role::Condition || is_returned
    });
    found.map(|id| unwrapped(site, id)).collect()
}

fn unwrapped(site: &Site<'_>, id: NodeIndex) -> NodeIndex {
    let inner = site.code.children(id);
    if site.code.is(id, "PARENTHESIZED") { inner.first().copied().unwrap_or(id) } else { id }
}
