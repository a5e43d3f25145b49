//! Bounds of the size of answers. A token counts as four bytes, the usual estimate for English text and code.

use serde_json::Value;
use std::path::Path;

/// Bytes that count as one token.
const BYTES_PER_TOKEN: usize = 4;

/// Limits of list lengths and of text lengths in characters, tried from generous to strict.
const LIST_AND_TEXT_LIMITS: [(usize, usize); 8] =
    [(200, 8000), (60, 4000), (30, 2000), (20, 800), (12, 400), (8, 200), (5, 120), (3, 60)];

/// Maximum size of an answer: of its text, and of its structured content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerSize {
    max_bytes: usize,
}

impl AnswerSize {
    pub(crate) fn from_tokens(tokens: usize) -> Self {
        Self { max_bytes: tokens * BYTES_PER_TOKEN }
    }

    /// Cuts a text after a line, and says where the rest is.
    pub(crate) fn bound_text(self, text: &str, folder: Option<&Path>) -> String {
        if text.len() <= self.max_bytes {
            return text.to_owned();
        }
        let end = (0..=self.max_bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let head = &text[..end];
        let head = head.rfind('\n').map_or(head, |line_end| &head[..=line_end]);
        let rest = text.len() - head.len();
        let place = folder.map_or(String::new(), |folder| format!("; see {}", folder.display()));
        format!("{head}… {rest} more bytes were left out{place}\n")
    }

    /// Cuts the longest lists and texts of a value until it is small enough. Returns true if something was cut. Its
    /// keys and types stay the same, so that it still conforms to its schema.
    pub(crate) fn bound_value(self, value: &mut Value) -> bool {
        if value.to_string().len() <= self.max_bytes {
            return false;
        }
        for (items, characters) in LIST_AND_TEXT_LIMITS {
            cut(value, items, characters);
            if value.to_string().len() <= self.max_bytes {
                break;
            }
        }
        true
    }
}

fn cut(value: &mut Value, max_items: usize, max_characters: usize) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(max_characters) {
                text.truncate(end);
                text.push('…');
            }
        }
        Value::Array(items) => {
            items.truncate(max_items);
            for item in items {
                cut(item, max_items, max_characters);
            }
        }
        Value::Object(fields) => {
            for field in fields.values_mut() {
                cut(field, max_items, max_characters);
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
    fn long_text_is_cut_after_a_line() {
        let size = AnswerSize::from_tokens(3);
        assert_eq!(size.bound_text("short", None), "short");
        let cut = size.bound_text("one\ntwo\nthree is longer\n", Some(Path::new("/run")));
        assert_eq!(cut, "one\ntwo\n… 16 more bytes were left out; see /run\n");
        assert!(size.bound_text(&"ä".repeat(50), None).starts_with("ääääää… 88 more bytes"));
    }

    #[test]
    fn large_value_keeps_its_shape_and_fits() {
        let size = AnswerSize::from_tokens(500);
        let row = json!({"name": "x".repeat(300), "tests": vec!["t".repeat(100); 50], "n": 1});
        let mut value = json!({"rows": vec![row; 100]});
        assert!(size.bound_value(&mut value));
        assert!(value.to_string().len() <= 2000, "{}", value.to_string().len());
        assert_eq!(value["rows"][0]["n"], 1);
        assert!(!size.bound_value(&mut json!({"rows": []})));
    }
}
