//! Detects changes of white space and comments between unchanged tokens.

use crate::java_file::fragment_builder::TokenOwners;
use crate::template::variant_template::VariantTemplate;

/// Returns true if white space or comments differ between tokens that are neighbours in both versions.
pub(crate) fn has_layout_change(template: &VariantTemplate, owners: &TokenOwners) -> bool {
    let (old_len, new_len) = (template.old.tokens.len(), template.new.tokens.len());
    let new_index =
        |old: usize| if old == old_len { Some(new_len) } else { owners.kept_tokens[old] };
    (0..=old_len).any(|next| {
        let Some(new_next) = new_index(next) else { return false };
        let previous = next.checked_sub(1).map(new_index);
        let are_neighbours = match previous {
            None => new_next == 0,
            Some(previous) => previous.is_some_and(|previous| previous + 1 == new_next),
        };
        are_neighbours && template.old.gap_before(next) != template.new.gap_before(new_next)
    })
}
