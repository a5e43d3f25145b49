//! What readers of build files hand back.

use super::Module;
use std::collections::BTreeSet;

/// What a reader of build files hands back.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(super) modules: Vec<Module>,
    pub(super) notes: Vec<String>,
    pub(super) variables: BTreeSet<String>,
}
