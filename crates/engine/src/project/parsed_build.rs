//! Contents of build files.

use super::Module;
use std::collections::BTreeSet;

/// Contents of build files.
#[derive(Debug, Default)]
pub(crate) struct ParsedBuild {
    pub(super) modules: Vec<Module>,
    pub(super) notes: Vec<String>,
    pub(super) variables: BTreeSet<String>,
}
