//! White space and comments that differ where tokens do not.

use crate::java_file::fragment_builder::TokenOwners;
use crate::template::variant_template::VariantTemplate;

/// Returns true if white space or comments differ between tokens that are neighbours in both versions.
pub(crate) fn differs_in_layout(merged: &VariantTemplate, owners: &TokenOwners) -> bool {
    let (old_len, new_len) = (merged.old.tokens.len(), merged.new.tokens.len());
    let kept = |old: usize| if old == old_len { Some(new_len) } else { owners.kept[old] };
    (0..=old_len).any(|next| {
        let Some(new_next) = kept(next) else { return false };
        let before = next.checked_sub(1).map(kept);
        let are_neighbours = match before {
            None => new_next == 0,
            Some(before) => before.is_some_and(|before| before + 1 == new_next),
        };
        are_neighbours && merged.old.gap_before(next) != merged.new.gap_before(new_next)
    })
}
