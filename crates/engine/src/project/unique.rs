//! Removes duplicates from lists.

/// Returns the items without duplicates, in order.
pub(super) fn unique<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    items.into_iter().fold(Vec::new(), |mut unique_items, item| {
        if !unique_items.contains(&item) {
            unique_items.push(item);
        }
        unique_items
    })
}
