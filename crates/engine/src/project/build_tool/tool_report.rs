//! What a build tool says about a project.

use super::stored_model::StoredModel;
use super::tool_failure::ToolFailure;
use crate::project::BuildKind;
use crate::project::needed_modules::NeededModules;
use crate::project::parsed_build::ParsedBuild;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A build tool that describes projects.
pub(super) trait BuildTool {
    /// Describes the project in a folder, without running its generators.
    fn read_model(&self, root: &Path) -> Result<ToolReport, ToolFailure>;

    /// Runs the generators of some modules in a scratch copy, except some, and describes at least these modules with
    /// what was added.
    fn generate(
        &self,
        copy: &Path,
        basic: &StoredModel,
        modules: &NeededModules,
        omitted: &[&str],
    ) -> Result<ToolReport, ToolFailure>;
}

/// What a build tool says about a project. Paths are relative to the folder that it ran in.
pub(super) struct ToolReport {
    pub(super) kind: BuildKind,
    /// The tool with its version and that of Java.
    pub(super) tool: String,
    /// Plugin goals or tasks that may generate sources or resources, by module.
    pub(super) generators: BTreeMap<String, Vec<String>>,
    /// Versions of the Maven plugins of these goals, or of the plugins of a Gradle project, by `group:artifact`, by module.
    pub(super) plugins: BTreeMap<String, BTreeMap<String, String>>,
    /// The last phase of Maven in which one of them runs.
    pub(super) last_phase: Option<String>,
    /// Errors of a run of generators.
    pub(super) problems: Vec<String>,
    pub(super) build: ParsedBuild,
    /// Outputs of the modules, in their order.
    pub(super) outputs: Vec<ModuleOutputs>,
}

/// Folders to which a build writes the classes or resources of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ModuleOutputs {
    /// Name of the folder for all that is built.
    pub(super) build_folder: PathBuf,
    /// Output of the main sources or resources.
    pub(super) main: PathBuf,
    /// Output of the tests or their resources.
    pub(super) test: PathBuf,
    /// True if the build changes main resources while it copies them, in ways that only the tool knows.
    pub(super) has_changed_resources: bool,
}

/// Returns the argument that tells the extension of a build tool the versions of plugins.
pub(super) fn plugin_argument(plugins: &BTreeMap<String, String>) -> Option<String> {
    let versions = plugins.iter().map(|(name, version)| format!("{name}:{version}"));
    let versions = versions.collect::<Vec<_>>().join(",");
    (!versions.is_empty()).then(|| format!("-Dgit-mend.plugins={versions}"))
}

/// Reads the answer of a build tool about the project in a folder. Build tools resolve links in the path of the folder.
pub(super) fn parse_answer<T: DeserializeOwned>(
    json: String,
    root: &Path,
) -> Result<T, ToolFailure> {
    let json = match root.canonicalize() {
        Ok(real_root) if real_root != root => {
            json.replace(&*real_root.to_string_lossy(), &root.to_string_lossy())
        }
        _ => json,
    };
    serde_json::from_str(&json)
        .map_err(|error| ToolFailure::Failed(format!("its answer cannot be read: {error}")))
}
