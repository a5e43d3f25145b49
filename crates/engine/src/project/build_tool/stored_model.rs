//! A model that a build tool gave.

use crate::project::ProjectModelFile;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A model that a build tool gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredModel {
    pub(super) model: ProjectModelFile,
    pub(super) notes: Vec<String>,
    /// Plugin goals or tasks that may generate sources or resources, by module.
    pub(super) generators: BTreeMap<String, Vec<String>>,
    /// Versions of their plugins by `group:artifact`, by module.
    pub(super) plugins: BTreeMap<String, BTreeMap<String, String>>,
    /// The last phase in which one of them runs.
    pub(super) last_phase: Option<String>,
    /// Lines of the build files.
    pub(super) lines: BTreeSet<String>,
    /// Hash of the files that generators read, if the model contains what they generated.
    pub(super) generated_from: Option<String>,
}
