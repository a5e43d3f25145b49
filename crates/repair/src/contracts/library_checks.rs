//! Preconditions from the check methods of well-known libraries: `Objects`, Guava's `Preconditions` and `Verify`,
//! Commons' `Validate`, Spring's `Assert`.

use super::statement_call::find_statement_call;
use mend_java::code::types::is_reference_type;
use mend_java::facts::{NodeIndex, NodeRole};
use mend_java::{Code, parenthesise};

/// Classes whose methods check their arguments.
const CHECK_CLASSES: [&str; 5] = ["Objects", "Preconditions", "Verify", "Validate", "Assert"];

/// Returns true if a statement calls a library check.
pub(super) fn is_called(code: &Code<'_>, statement: NodeIndex) -> bool {
    find_statement_call(code, statement).is_some_and(|call| is_check(code, call))
}

/// Returns true if a call is a library check.
pub(super) fn is_check(code: &Code<'_>, call: NodeIndex) -> bool {
    required_condition(code, call).is_some()
}

/// Returns the condition that a library check requires of its arguments, in terms of the call.
pub(super) fn required_condition(code: &Code<'_>, call: NodeIndex) -> Option<String> {
    let symbol = code.symbol(call)?;
    let owner = code.facts.text(code.facts.symbol(symbol.owner?).full_name);
    let is_checker = symbol.position.is_none()
        && owner.rsplit('.').next().is_some_and(|simple| CHECK_CLASSES.contains(&simple));
    if !is_checker {
        return None;
    }
    let arguments: Vec<NodeIndex> =
        code.children(call).into_iter().filter(|id| code.role(*id) == NodeRole::Argument).collect();
    let argument = |at: usize| arguments.get(at).map(|id| parenthesise(code.source_text(*id)));
    let first = argument(0)?;
    Some(match code.facts.text(symbol.name) {
        "requireNonNull" | "checkNotNull" | "notNull" | "verifyNotNull" => {
            format!("{first} != null")
        }
        "checkArgument" | "checkState" | "verify" | "isTrue" | "validState" | "state" => {
            code.source_text(arguments[0]).to_owned()
        }
        "checkIndex" | "checkElementIndex" => range_condition(&first, "<", &argument(1)?),
        "checkPositionIndex" => range_condition(&first, "<=", &argument(1)?),
        "notEmpty" | "hasLength" => {
            let ty = code.type_of(arguments[0]);
            let size = if ty.ends_with("[]") { ".length != 0" } else { ".isEmpty()" };
            let not = if ty.ends_with("[]") || !is_reference_type(ty) { "" } else { "!" };
            format!("{first} != null && {not}{first}{size}")
        }
        "notBlank" | "hasText" => format!("{first} != null && !{first}.trim().isEmpty()"),
        "inclusiveBetween" => {
            let value = argument(2)?;
            format!("{value} >= {first} && {value} <= {}", argument(1)?)
        }
        _ => return None,
    })
}

fn range_condition(index: &str, operator: &str, size: &str) -> String {
    format!("{index} >= 0 && {index} {operator} {size}")
}
