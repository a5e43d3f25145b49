//! Whether a change has a routine give the same whatever it is asked.

use super::code::Code;
use super::edit::{Edit, edited};
use crate::facts::NodeIndex;

/// Whether a routine gives one plain value wherever it ends after a change, and did not before.
pub(super) fn gives_the_same_always(code: &Code<'_>, at: NodeIndex, edits: &[Edit]) -> bool {
    let Some(method) = code.method_of(at) else { return false };
    let returns = (method..code.node(method).end).filter(|id| code.is(*id, "RETURN"));
    let returns: Vec<NodeIndex> = returns.filter(|id| is_own(code, method, *id)).collect();
    let is_inside = |edit: &Edit, id: NodeIndex| {
        let bytes = code.bytes(id);
        bytes.start <= edit.bytes.0 && edit.bytes.1 <= bytes.end
    };
    let is_new = |edit: &&Edit| !returns.iter().any(|id| is_inside(edit, *id));
    // What else the routine may give then is not told by its form.
    if edits.iter().filter(is_new).any(|edit| edit.text.contains("return ")) {
        return false;
    }
    let before: Vec<&str> = returns.iter().map(|id| given(code.written(*id))).collect();
    let after = returns.iter().map(|id| {
        let start = code.bytes(*id).start;
        let within = |Edit { bytes: (from, to), text }: &Edit| Edit {
            bytes: (from - start, to - start),
            text: text.clone(),
        };
        let own = edits.iter().filter(|edit| is_inside(edit, *id)).map(within);
        edited(code.written(*id), &own.collect::<Vec<_>>()).unwrap_or_default()
    });
    let after: Vec<String> = after.collect();
    is_one(&after.iter().map(|text| given(text)).collect::<Vec<_>>()) && !is_one(&before)
}

/// What a statement returns, as far as it does no more than that.
fn given(statement: &str) -> &str {
    let value = statement.strip_prefix("return").and_then(|rest| rest.trim().strip_suffix(';'));
    value.map_or(statement, str::trim)
}

/// Whether it is the routine itself that returns there, and not a part of it with a life of its own.
fn is_own(code: &Code<'_>, method: NodeIndex, id: NodeIndex) -> bool {
    let mut around = code.around(id).take_while(|holder| *holder != method);
    !around.any(|holder| code.is(holder, "LAMBDA_EXPRESSION") || code.is_type(holder))
}

/// Whether all are one plain value.
fn is_one(values: &[&str]) -> bool {
    let first = values.first();
    first.is_some_and(|first| is_plain(first) && values.iter().all(|value| value == first))
}

/// Whether a value is written down as it is, or is something empty that is made there.
fn is_plain(value: &str) -> bool {
    let number = value.strip_prefix('-').unwrap_or(value);
    let is_part = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
    let is_quoted = |sign: char| {
        value
            .strip_prefix(sign)
            .is_some_and(|rest| rest.find(sign).is_some_and(|at| at + 1 == rest.len()))
    };
    matches!(value, "true" | "false" | "null")
        || number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(is_part)
        || is_quoted('"')
        || is_quoted('\'')
        || value.starts_with("new ") && value.ends_with("()")
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn a_plain_value_depends_on_nothing() {
        for plain in ["0", "-1.5e3", "0x1F", "true", "\"a b\"", "'x'", "new ArrayList<>()"] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in ["1 + 2", "n", "\"a\" + \"b\"", "new ArrayList<>(all)", "-n", "", "\""] {
            assert!(!is_plain(other), "{other}");
        }
    }
}
