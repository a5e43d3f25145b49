//! Contents of build files.

use super::Module;
use std::collections::BTreeSet;

/// Contents of build files.
#[derive(Debug, Default)]
pub(crate) struct ParsedBuild {
    pub(super) modules: Vec<Module>,
    pub(super) notes: Vec<String>,
    pub(super) variables: BTreeSet<String>,
    /// The build tool that described the build, with versions; `None` if the build files were read.
    pub(super) tool: Option<String>,
    /// True if the model contains generated sources or resources, which depend on other files than build files.
    pub(super) has_generated_files: bool,
    /// Note for the user if the build tool failed and the model is that of similar build files.
    pub(super) borrowed_model: Option<String>,
}
