//! Fix operator for calls: calls another method with the same signature, or a commonly confused method of the JDK.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolKind};

/// Methods of the JDK that are commonly confused.
const CONFUSABLE_METHODS: [&[&str]; 14] = [
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
        if !code.has_kind(call, NodeKind::MethodInvocation) {
            continue;
        }
        let (Some(callee), Some(method)) = (code.child(call, NodeRole::Callee), code.symbol(call))
        else {
            continue;
        };
        let name = code.facts.text(method.name);
        for rival in
            CONFUSABLE_METHODS.iter().filter(|rivals| rivals.contains(&name)).copied().flatten()
        {
            replace_method_name(site, callee, name, rival, 0.6, out);
        }
        for other in code.facts.symbols() {
            if has_same_signature(site, method, other) {
                replace_method_name(site, callee, name, code.facts.text(other.name), 0.5, out);
            }
        }
    }
}

/// Returns true if two methods of a class have the same parameters and result, and different names.
fn has_same_signature(site: &RepairSite<'_>, method: &Symbol, other: &Symbol) -> bool {
    let facts = site.code.facts;
    let types = |symbol: &Symbol| -> Vec<usize> {
        symbol.parameters.iter().map(|one| facts.symbol(*one).ty.erased).collect()
    };
    other.kind == SymbolKind::Method
        && other.owner == method.owner
        && other.name != method.name
        && other.ty.erased == method.ty.erased
        && types(other) == types(method)
}

fn replace_method_name(
    site: &RepairSite<'_>,
    callee: NodeIndex,
    name: &str,
    other: &str,
    weight: f64,
    out: &mut CandidateEdits,
) {
    let Some(name_offset) = site.code.node(callee).name.filter(|_| name != other) else { return };
    let edit = Edit::replace(name_offset..name_offset + name.len(), other);
    out.add(
        FixOperator::Method.with_weight(weight),
        vec![edit],
        format!("`{name}` becomes `{other}`"),
    );
}
