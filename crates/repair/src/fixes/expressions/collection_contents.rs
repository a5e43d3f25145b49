//! Fix operator for empty new collections: creates them with an initial element.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::{class_reference, position_weight};
use crate::fixes::implicit_preconditions::creation_expression;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Code;
use mend_java::code::types::element_type;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of variables tried as content.
const MAX_CONTENT_VARIABLES: usize = 3;

/// Prior likelihood of initial content, relative to any other value.
const CONTENT_WEIGHT: f64 = 0.4;

/// Collections with a copy constructor, by full name.
const COPYABLE_COLLECTIONS: [&str; 4] =
    ["java.util.ArrayList", "java.util.LinkedList", "java.util.HashSet", "java.util.LinkedHashSet"];

pub(crate) fn propose(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let class_name = code.type_of(id);
    let is_empty =
        code.children(id).into_iter().all(|child| code.role(child) != NodeRole::Argument);
    if !code.has_kind(id, NodeKind::NewClass)
        || !COPYABLE_COLLECTIONS.contains(&class_name)
        || !is_empty
    {
        return;
    }
    let Some(element) = element_type(required_type(code, id)) else { return };
    let (class, arrays) =
        (class_reference(code, class_name), class_reference(code, "java.util.Arrays"));
    let variables =
        site.inner_variables_for(element).take(MAX_CONTENT_VARIABLES).map(|one| one.name.clone());
    for (at, content) in variables.chain(empty_element_collection(site, element)).enumerate() {
        let filled = format!("new {class}<>({arrays}.asList({content}))");
        out.replace(
            site,
            id,
            &filled,
            FixOperator::Value.with_weight(CONTENT_WEIGHT * position_weight(at, 0.1)),
        );
    }
}

/// Returns another empty collection with the same element type.
fn empty_element_collection(site: &RepairSite<'_>, element: &str) -> Option<String> {
    if COPYABLE_COLLECTIONS.contains(&element) {
        return Some(format!("new {}<>()", class_reference(&site.code, element)));
    }
    let is_collection =
        matches!(element, "java.util.List" | "java.util.Set" | "java.util.Collection");
    creation_expression(site, element).filter(|_| is_collection)
}

/// Returns the required type with its type arguments, or the type of the expression if those are unknown.
fn required_type<'a>(code: &Code<'a>, id: NodeIndex) -> &'a str {
    let parent = code.parent(id);
    let type_of_symbol = |id: NodeIndex| code.symbol(id).map(|symbol| symbol.ty);
    let wanted = match code.kind(parent) {
        NodeKind::Variable => type_of_symbol(parent),
        NodeKind::Return => code.enclosing_method(id).and_then(type_of_symbol),
        NodeKind::Assignment => {
            code.child(parent, NodeRole::Target).map(|target| code.node(target).ty)
        }
        _ => Some(code.node(id).parameter_type),
    };
    let written = wanted.map_or("", |ty| code.facts.text(ty.parameterised));
    if written.contains('<') { written } else { code.facts.text(code.node(id).ty.parameterised) }
}
