//! Sanitises untrusted text for terminals and pages.

use anyhow::Context as _;
use mend_model::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Field that keeps its line breaks, because git-mend drew it.
const MULTILINE_FIELD: &str = "picture";

/// Replaces control characters other than tab and line break, and characters that change the writing direction.
pub(super) fn sanitise_text(text: &str) -> String {
    let is_direction_mark = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_control = |c: char| c.is_control() && c != '\t' && c != '\n' || is_direction_mark(c);
    let characters = text.chars().filter(|c| *c != '\r');
    characters.map(|c| if is_control(c) { '\u{fffd}' } else { c }).collect()
}

/// Sanitises a name or sentence and escapes its line breaks, so that it cannot forge a line of git-mend's output.
pub fn sanitise_line(text: &str) -> String {
    sanitise_text(text.trim_end()).replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns a copy of a value with all its texts sanitised.
///
/// # Errors
/// An internal error if the value changes its type by serialisation.
pub(super) fn sanitised_copy<T: Serialize + DeserializeOwned>(value: &T) -> Result<T> {
    let mut copy = serde_json::to_value(value).context("serialising the result for display")?;
    sanitise_value(&mut copy);
    Ok(serde_json::from_value(copy).context("deserialising the result for display")?)
}

fn sanitise_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = sanitise_line(text),
        Value::Array(items) => items.iter_mut().for_each(sanitise_value),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if name == MULTILINE_FIELD => *text = sanitise_text(text),
                    field => sanitise_value(field),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn direction_marks_are_replaced() {
        assert_eq!(sanitise_text("a\u{202e}b\u{2066}c\r"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn texts_become_one_line_except_pictures() {
        let value = json!({ "messages": ["a\nNext: rm\x1b[2J"], "picture": "a\nb\x1b", "runs": 2 });
        let clean = sanitised_copy(&value).unwrap();
        assert_eq!(
            clean,
            json!({ "messages": ["a\\nNext: rm\u{fffd}[2J"], "picture": "a\nb\u{fffd}", "runs": 2 })
        );
    }
}
