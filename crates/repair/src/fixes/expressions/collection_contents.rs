//! A collection that is made empty has something in it.

use crate::candidates::candidate::FixOperator;
use crate::fixes::implicit_preconditions::usual;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::{named, nearness};
use mend_java::Code;
use mend_java::code::types::element_of;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of variables tried as content.
const TRIED: usize = 3;

/// Prior likelihood of initial content, relative to any other value.
const LIKELY: f64 = 0.4;

/// Collections that can be made of another one, by their full names.
const FILLED: [&str; 4] =
    ["java.util.ArrayList", "java.util.LinkedList", "java.util.HashSet", "java.util.LinkedHashSet"];

pub(crate) fn propose(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let made = code.type_of(id);
    let is_empty =
        code.children(id).into_iter().all(|child| code.role(child) != NodeRole::Argument);
    if !code.is(id, NodeKind::NewClass) || !FILLED.contains(&made) || !is_empty {
        return;
    }
    let Some(element) = element_of(expected_type(code, id)) else { return };
    let (class, arrays) = (named(code, made), named(code, "java.util.Arrays"));
    let variables = site.inner_variables_for(element).take(TRIED).map(|one| one.name.clone());
    for (at, content) in variables.chain(empty(site, element)).enumerate() {
        let filled = format!("new {class}<>({arrays}.asList({content}))");
        out.replace(site, id, &filled, FixOperator::Value.with_weight(LIKELY * nearness(at, 0.1)));
    }
}

/// Returns another empty collection with the same element type.
fn empty(site: &RepairSite<'_>, element: &str) -> Option<String> {
    if FILLED.contains(&element) {
        return Some(format!("new {}<>()", named(&site.code, element)));
    }
    let is_collection =
        matches!(element, "java.util.List" | "java.util.Set" | "java.util.Collection");
    usual(site, element).filter(|_| is_collection)
}

/// Returns the required type with its type arguments, or the type of the expression if those are unknown.
fn expected_type<'a>(code: &Code<'a>, id: NodeIndex) -> &'a str {
    let parent = code.parent(id);
    let of_symbol = |id: NodeIndex| code.symbol(id).map(|symbol| symbol.ty);
    let wanted = match code.kind(parent) {
        NodeKind::Variable => of_symbol(parent),
        NodeKind::Return => code.method_of(id).and_then(of_symbol),
        NodeKind::Assignment => {
            code.child(parent, NodeRole::Target).map(|target| code.node(target).ty)
        }
        _ => Some(code.node(id).target),
    };
    let written = wanted.map_or("", |ty| code.facts.text(ty.written));
    if written.contains('<') { written } else { code.facts.text(code.node(id).ty.written) }
}
