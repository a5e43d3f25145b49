//! Sanitising of untrusted text for terminals and pages.

use anyhow::Context as _;
use mend_model::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Field whose line breaks are kept: git-mend drew it.
const DRAWN: &str = "picture";

/// Replaces control characters other than tab and line break, and characters that change the writing direction.
pub(super) fn harmless(text: &str) -> String {
    let is_turn = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_obeyed = |c: char| c.is_control() && c != '\t' && c != '\n' || is_turn(c);
    let kept = text.chars().filter(|c| *c != '\r');
    kept.map(|c| if is_obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// Sanitises a name or sentence and escapes its line breaks, so that it cannot forge a line of our output.
pub fn one_line(text: &str) -> String {
    harmless(text.trim_end()).replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns a copy in which every text is sanitised.
///
/// # Errors
/// An internal error if the value does not survive serialisation.
pub(super) fn harmless_copy<T: Serialize + DeserializeOwned>(value: &T) -> Result<T> {
    let mut copy = serde_json::to_value(value).context("serialising the result for display")?;
    clean(&mut copy);
    Ok(serde_json::from_value(copy).context("deserialising the result for display")?)
}

fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = one_line(text),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if name == DRAWN => *text = harmless(text),
                    field => clean(field),
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
    fn characters_that_change_the_writing_direction_are_replaced() {
        assert_eq!(harmless("a\u{202e}b\u{2066}c\r"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn names_and_sentences_have_one_line_and_pictures_keep_theirs() {
        let value = json!({ "messages": ["a\nNext: rm\x1b[2J"], "picture": "a\nb\x1b", "runs": 2 });
        let clean = harmless_copy(&value).unwrap();
        assert_eq!(
            clean,
            json!({ "messages": ["a\\nNext: rm\u{fffd}[2J"], "picture": "a\nb\u{fffd}", "runs": 2 })
        );
    }
}
