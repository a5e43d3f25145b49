//! Fix operator for calls: calls another method with the same signature, or a commonly confused method of the JDK.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Edit;
use mend_java::code::types::is_assignable;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolId, SymbolKind};

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

/// Prior likelihood of a method with the same parameters and another result type.
const OTHER_RESULT_WEIGHT: f64 = 0.5;

/// Prior likelihood of a method of the superclass.
const SUPER_CALL_WEIGHT: f64 = 0.5;

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
            if !has_same_parameters(site, method, other) {
                continue;
            }
            let other_name = code.facts.text(other.name);
            if other.ty.erased == method.ty.erased {
                replace_method_name(site, callee, name, other_name, 0.5, out);
            } else if fits_as_result(site, call, other) {
                replace_method_name(site, callee, name, other_name, OTHER_RESULT_WEIGHT, out);
            }
        }
        propose_super_call(site, call, callee, method, out);
    }
}

/// Calls the method of the superclass instead of the same one of another object, which the class may wrap.
fn propose_super_call(
    site: &RepairSite<'_>,
    call: NodeIndex,
    callee: NodeIndex,
    method: &Symbol,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let receiver = code.children(callee).first().copied();
    let Some(receiver) = receiver.filter(|_| code.has_kind(callee, NodeKind::MemberSelect)) else {
        return;
    };
    let class = code.enclosing_type(call).and_then(|class| code.symbol(class));
    let is_static = code
        .enclosing_method(call)
        .and_then(|method| code.symbol(method))
        .is_none_or(|method| method.flags.has(SymbolFlags::STATIC));
    let Some(class) = class.filter(|_| !is_static && code.source_text(receiver) != "super") else {
        return;
    };
    let has_method = |supertype: SymbolId| {
        let is_inherited = |other: &Symbol| {
            other.kind == SymbolKind::Method
                && other.name == method.name
                && other.owner == Some(supertype)
                && other.ty.erased == method.ty.erased
                && !other.flags.has(SymbolFlags::ABSTRACT)
                && other.flags.access_level() > 0
                && parameter_types(site, other) == parameter_types(site, method)
        };
        code.facts.symbols().iter().any(is_inherited)
    };
    let supertypes = superclasses(site, class);
    if supertypes.into_iter().any(has_method) {
        out.replace(site, receiver, "super", FixOperator::Method.with_weight(SUPER_CALL_WEIGHT));
    }
}

/// Returns the superclasses of a class, the nearest first.
fn superclasses(site: &RepairSite<'_>, class: &Symbol) -> Vec<SymbolId> {
    let facts = site.code.facts;
    let superclass = |class: &Symbol| {
        let is_class = |id: &SymbolId| facts.symbol(*id).kind == SymbolKind::Class;
        class.supertypes.iter().copied().find(is_class)
    };
    std::iter::successors(superclass(class), |id| superclass(facts.symbol(*id))).collect()
}

/// Returns true if the result of another method fits where a call is.
fn fits_as_result(site: &RepairSite<'_>, call: NodeIndex, other: &Symbol) -> bool {
    let code = &site.code;
    let result = code.facts.text(other.ty.erased);
    !code.has_kind(code.parent(call), NodeKind::ExpressionStatement)
        && result != "void"
        && code.type_of(call) != "boolean"
        && is_assignable(code.facts, result, code.required_type(call))
}

fn parameter_types(site: &RepairSite<'_>, symbol: &Symbol) -> Vec<usize> {
    symbol.parameters.iter().map(|one| site.code.facts.symbol(*one).ty.erased).collect()
}

/// Returns true if two methods of a class have the same parameters, and different names.
fn has_same_parameters(site: &RepairSite<'_>, method: &Symbol, other: &Symbol) -> bool {
    other.kind == SymbolKind::Method
        && other.owner == method.owner
        && other.name != method.name
        && parameter_types(site, other) == parameter_types(site, method)
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
