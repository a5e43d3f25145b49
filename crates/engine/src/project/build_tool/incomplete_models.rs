//! Models that lack libraries. They are kept only during a run of the program: a later one may get the libraries.

use super::stored_model::StoredModel;
use crate::lock::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Models without some of the libraries that the selected tests need, by key.
#[derive(Clone, Default)]
pub(crate) struct IncompleteModels(Arc<Mutex<HashMap<String, StoredModel>>>);

impl IncompleteModels {
    pub(super) fn get(&self, key: &str) -> Option<StoredModel> {
        lock(&self.0).get(key).cloned()
    }

    pub(super) fn add(&self, key: &str, model: StoredModel) {
        lock(&self.0).insert(key.to_owned(), model);
    }
}
