//! Detects edits that make a routine return the same constant for every input.

use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind};
use mend_java::{Edit, apply_edits};

/// Returns true if a routine returns one constant at every exit after an edit, but not before it.
pub(crate) fn makes_result_constant(code: &Code<'_>, statement: NodeIndex, edits: &[Edit]) -> bool {
    let Some(method) = code.enclosing_method(statement) else { return false };
    let returns = code.nodes_within(method, NodeKind::Return);
    let returns: Vec<NodeIndex> =
        returns.filter(|id| is_directly_in_method(code, method, *id)).collect();
    let is_inside = |edit: &Edit, id: NodeIndex| {
        let bytes = code.bytes(id);
        bytes.start <= edit.bytes.0 && edit.bytes.1 <= bytes.end
    };
    let is_outside_returns = |edit: &&Edit| !returns.iter().any(|id| is_inside(edit, *id));
    // Other edits with a `return` may add further results.
    if edits.iter().filter(is_outside_returns).any(|edit| edit.text.contains("return ")) {
        return false;
    }
    let before: Vec<&str> =
        returns.iter().map(|id| returned_value(code.source_text(*id))).collect();
    let after = returns.iter().map(|id| {
        let start = code.bytes(*id).start;
        let relative_edit = |Edit { bytes: (from, to), text }: &Edit| Edit {
            bytes: (from - start, to - start),
            text: text.clone(),
        };
        let own = edits.iter().filter(|edit| is_inside(edit, *id)).map(relative_edit);
        apply_edits(code.source_text(*id), &own.collect::<Vec<_>>()).unwrap_or_default()
    });
    let after: Vec<String> = after.collect();
    is_single_constant(&after.iter().map(|text| returned_value(text)).collect::<Vec<_>>())
        && !is_single_constant(&before)
}

/// Returns the value of a `return` statement; other texts are unchanged.
pub(super) fn returned_value(statement: &str) -> &str {
    let value = statement.strip_prefix("return").and_then(|rest| rest.trim().strip_suffix(';'));
    value.map_or(statement, str::trim)
}

/// Returns true if the node belongs to the routine itself, and not to a nested lambda or class.
fn is_directly_in_method(code: &Code<'_>, method: NodeIndex, id: NodeIndex) -> bool {
    let mut enclosing = code.self_and_ancestors(id).take_while(|holder| *holder != method);
    !enclosing.any(|holder| {
        code.has_kind(holder, NodeKind::LambdaExpression) || code.is_type_declaration(holder)
    })
}

/// Returns true if all values are the same constant.
pub(super) fn is_single_constant(values: &[impl AsRef<str>]) -> bool {
    let mut values = values.iter().map(AsRef::as_ref);
    values.next().is_some_and(|first| is_constant(first) && values.all(|value| value == first))
}

/// Returns true for a literal constant or a newly created empty object.
fn is_constant(value: &str) -> bool {
    let number = value.strip_prefix('-').unwrap_or(value);
    let is_number_char = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
    let is_quoted = |sign: char| {
        value
            .strip_prefix(sign)
            .is_some_and(|rest| rest.find(sign).is_some_and(|at| at + 1 == rest.len()))
    };
    matches!(value, "true" | "false" | "null")
        || number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(is_number_char)
        || is_quoted('"')
        || is_quoted('\'')
        || value.starts_with("new ") && value.ends_with("()")
}

#[cfg(test)]
mod tests {
    use super::is_constant;

    #[test]
    fn constants_are_recognised() {
        for plain in ["0", "-1.5e3", "0x1F", "true", "\"a b\"", "'x'", "new ArrayList<>()"] {
            assert!(is_constant(plain), "{plain}");
        }
        for other in ["1 + 2", "n", "\"a\" + \"b\"", "new ArrayList<>(all)", "-n", "", "\""] {
            assert!(!is_constant(other), "{other}");
        }
    }
}
