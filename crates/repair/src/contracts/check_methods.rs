//! Recognises project methods that only check their arguments.

use super::parameters::parameter_names;
use crate::contracts::library_checks;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags};

/// Returns true if a static method only checks its arguments, and returns at most one of them.
pub(super) fn only_checks_arguments(code: &Code<'_>, method: NodeIndex) -> bool {
    let is_static = code.symbol(method).is_some_and(|symbol| symbol.flags.has(SymbolFlags::STATIC));
    let Some(body) = code.child(method, NodeRole::Body).filter(|_| is_static) else { return false };
    let names = parameter_names(code, method);
    let returns_parameter = |id: NodeIndex| {
        let value = code.child(id, NodeRole::Value).filter(|_| code.has_kind(id, NodeKind::Return));
        value.is_some_and(|value| names.iter().any(|name| name == code.source_text(value)))
    };
    let statements = code.children(body);
    let (guards, rest): (Vec<_>, Vec<_>) = statements
        .into_iter()
        .partition(|id| code.is_guard(*id) || library_checks::is_called(code, *id));
    !guards.is_empty() && rest.len() <= 1 && rest.into_iter().all(returns_parameter)
}
