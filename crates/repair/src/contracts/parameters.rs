//! Parameters of a method.

use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeRole};

/// Returns the names of a method's parameters.
pub(super) fn parameter_names(code: &Code<'_>, method: NodeIndex) -> Vec<String> {
    let name =
        |id: NodeIndex| code.symbol(id).map(|symbol| code.facts.text(symbol.name).to_owned());
    parameter_nodes(code, method).into_iter().map(|id| name(id).unwrap_or_default()).collect()
}

/// Returns the parameters of a method.
pub(super) fn parameter_nodes(code: &Code<'_>, method: NodeIndex) -> Vec<NodeIndex> {
    let children = code.children(method).into_iter();
    children.filter(|id| code.role(*id) == NodeRole::Parameter).collect()
}
