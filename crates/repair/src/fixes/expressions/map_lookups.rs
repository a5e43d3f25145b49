//! Fix operator for map lookups: uses a default, or creates the value, if the key is missing.

use crate::candidates::candidate::FixOperator;
use crate::fixes::implicit_preconditions::creation_expression;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::facts::NodeRole;

/// Replaces `get` by `getOrDefault` or `computeIfAbsent`.
pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for id in code.own_nodes(site.statement) {
        let name = code.symbol(id).map_or("", |symbol| code.facts.text(symbol.name));
        let Some(key) = code.child(id, NodeRole::Argument).filter(|_| name == "get") else {
            continue;
        };
        let object =
            code.child(id, NodeRole::Callee).and_then(|id| code.children(id).first().copied());
        let Some(object) = object.filter(|id| code.type_of(*id).ends_with("Map")) else { continue };
        let (map, key) = (code.source_text(object), code.source_text(key));
        let ty = code.type_of(id);
        let default_value = match ty {
            "java.lang.Integer" => Some("0".to_owned()),
            "java.lang.Long" => Some("0L".to_owned()),
            "java.lang.Double" => Some("0.0".to_owned()),
            "java.lang.Boolean" => Some("false".to_owned()),
            "java.lang.String" => Some("\"\"".to_owned()),
            _ => None,
        };
        if let Some(value) = default_value {
            let text = format!("{map}.getOrDefault({key}, {value})");
            out.replace(site, id, &text, FixOperator::NullCheck.with_weight(0.5));
        } else if let Some(creation) = creation_expression(site, ty) {
            let text = format!("{map}.computeIfAbsent({key}, missing -> {creation})");
            out.replace(site, id, &text, FixOperator::NullCheck.with_weight(0.5));
        }
    }
}
