//! Edits that cannot change the type of an expression.

use crate::dependencies::name_dependencies::{IndexedFile, Version};
use crate::dependency_rules::context::node_ref::HunkSet;
use crate::hunk::{Hunk, HunkKind};
use mend_model::RepoPath;
use std::collections::HashMap;

/// Operators that take operands of the same types, with results of the same type. `+` also concatenates strings, and
/// shifts do not depend on the type of the second operand.
const OPERATORS_OF_SAME_TYPES: [&[&[u8]]; 4] =
    [&[b"-", b"*", b"/", b"%"], &[b"<", b"<=", b">", b">="], &[b"==", b"!="], &[b"&&", b"||"]];

/// Returns the hunks that replace a literal or operator by another one of the same types.
pub(crate) fn find_type_neutral_hunks(files: &[IndexedFile], hunks: &[Hunk]) -> HunkSet {
    let mut texts: [HashMap<&RepoPath, &[u8]>; 2] = Default::default();
    for version in [Version::Old, Version::New] {
        let sides = files.iter().filter_map(|file| file.indexed_version(version));
        texts[version as usize].extend(sides.map(|side| (&side.path, &*side.text)));
    }
    let is_neutral = |hunk: &Hunk| {
        let (Some(old), Some(new)) = (&hunk.old, &hunk.new) else { return false };
        let old_path = hunk.old_path.as_ref().unwrap_or(&hunk.path);
        let old = texts[0].get(old_path).and_then(|text| text.get(old.clone()));
        let new = texts[1].get(&hunk.path).and_then(|text| text.get(new.clone()));
        hunk.kind == HunkKind::Relabel
            && old.zip(new).is_some_and(|(old, new)| are_of_same_types(old, new))
    };
    (0..hunks.len()).filter(|hunk| is_neutral(&hunks[*hunk])).collect()
}

fn are_of_same_types(old: &[u8], new: &[u8]) -> bool {
    let is_boolean = |text: &[u8]| matches!(text, b"true" | b"false");
    let is_integer = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_string =
        |text: &[u8]| text.len() >= 2 && text.starts_with(b"\"") && text.ends_with(b"\"");
    let are_operators = |set: &&[&[u8]]| set.contains(&old) && set.contains(&new);
    (is_boolean(old) && is_boolean(new))
        || (is_integer(old) && is_integer(new))
        || (is_string(old) && is_string(new))
        || OPERATORS_OF_SAME_TYPES.iter().any(are_operators)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_operators_of_same_types_are_neutral() {
        for (old, new) in [("1", "2"), ("<", ">="), ("true", "false"), ("\"a\"", "\"\"")] {
            assert!(are_of_same_types(old.as_bytes(), new.as_bytes()), "{old} {new}");
        }
        for (old, new) in [("1", "2L"), ("+", "-"), ("1", "true"), ("a", "b"), ("<", "==")] {
            assert!(!are_of_same_types(old.as_bytes(), new.as_bytes()), "{old} {new}");
        }
    }
}
