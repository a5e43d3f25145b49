//! Another method in place of one.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolKind};

/// Methods of the JDK that are taken for one another.
const RIVALS: [&[&str]; 14] = [
    &["min", "max"],
    &["floor", "ceil", "round", "rint"],
    &["indexOf", "lastIndexOf"],
    &["startsWith", "endsWith", "contains"],
    &["first", "last"],
    &["getFirst", "getLast"],
    &["addFirst", "addLast"],
    &["removeFirst", "removeLast"],
    &["pollFirst", "pollLast"],
    &["peek", "poll", "pop"],
    &["equals", "equalsIgnoreCase"],
    &["toLowerCase", "toUpperCase"],
    &["floorKey", "lowerKey", "ceilingKey", "higherKey"],
    &["headMap", "tailMap"],
];

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for call in code.own_nodes(site.statement) {
        if !code.is(call, NodeKind::MethodInvocation) {
            continue;
        }
        let (Some(callee), Some(called)) = (code.child(call, NodeRole::Callee), code.symbol(call))
        else {
            continue;
        };
        let name = code.facts.text(called.name);
        for rival in RIVALS.iter().filter(|rivals| rivals.contains(&name)).copied().flatten() {
            renamed(site, callee, name, rival, 0.6, out);
        }
        for other in code.facts.symbols() {
            if is_like(site, called, other) {
                renamed(site, callee, name, code.facts.text(other.name), 0.5, out);
            }
        }
    }
}

/// Returns true if a method has the same parameters and result as another one of its class.
fn is_like(site: &RepairSite<'_>, called: &Symbol, other: &Symbol) -> bool {
    let facts = site.code.facts;
    let types = |symbol: &Symbol| -> Vec<usize> {
        symbol.parameters.iter().map(|one| facts.symbol(*one).ty.erased).collect()
    };
    other.kind == SymbolKind::Method
        && other.owner == called.owner
        && other.name != called.name
        && other.ty.erased == called.ty.erased
        && types(other) == types(called)
}

fn renamed(
    site: &RepairSite<'_>,
    callee: NodeIndex,
    name: &str,
    other: &str,
    weight: f64,
    out: &mut CandidateEdits,
) {
    let Some(at) = site.code.node(callee).name.filter(|_| name != other) else { return };
    let edit = Edit::replace(at..at + name.len(), other);
    out.add(
        FixOperator::Method.with_weight(weight),
        vec![edit],
        format!("`{name}` becomes `{other}`"),
    );
}
