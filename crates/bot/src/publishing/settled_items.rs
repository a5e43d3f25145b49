//! Items on GitHub that are changed one by one, with the error that left one of them unchanged.

use mend_github::{ApiError, ApiResult};

/// Changed items of one kind.
#[derive(Debug)]
pub struct SettledItems<T> {
    /// Changed items, with the reasons.
    pub changed: Vec<T>,
    /// The error that left one of them unchanged. The others were still processed if the error may concern only this
    /// one.
    pub error: Option<ApiError>,
}

impl<T> Default for SettledItems<T> {
    fn default() -> Self {
        Self { changed: Vec::new(), error: None }
    }
}

impl<T> SettledItems<T> {
    /// Creates a result without a changed item.
    pub(super) fn from_error(error: ApiError) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    /// Records the result for one item. Returns false if the error concerns the next items too.
    pub(super) fn record(&mut self, result: ApiResult<Option<T>>) -> bool {
        match result {
            Ok(changed) => {
                self.changed.extend(changed);
                true
            }
            Err(error) => {
                let is_local = concerns_one_item(&error);
                self.error.get_or_insert(error);
                is_local
            }
        }
    }
}

/// Returns true if an error may concern a single item, for example a locked pull request or one with a protected
/// branch.
fn concerns_one_item(error: &ApiError) -> bool {
    use ApiError::{Conflict, Forbidden, Invalid, NotFound};
    matches!(error, Conflict(_) | Forbidden(_) | Invalid(_) | NotFound(_))
}
