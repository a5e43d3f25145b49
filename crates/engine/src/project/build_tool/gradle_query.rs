//! Running Gradle with the init script that writes the project model.

use super::generated_files::{COPY_FOLDER, copy_tree};
use super::gradle_program::{GradleProgram, WRAPPER_SCRIPT};
use super::gradle_report::GradleReport;
use super::stored_model::StoredModel;
use super::tool_failure::ToolFailure;
use super::tool_report::{BuildTool, ToolReport, plugin_argument};
use super::wrapper::tool_call;
use crate::jvm::java_program::create_folder;
use crate::project::needed_modules::NeededModules;
use crate::{Jdk, LaunchSpec, Toolchain};
use mend_model::Problem;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// Adds the tasks `gitMendModel` and `gitMendGenerate` to all projects of a build.
const INIT_SCRIPT: &str = include_str!("model.init.gradle");

/// Time limit of one call of Gradle, which may download libraries.
const GRADLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Options of all calls. The added tasks need access to all projects; no server gets a report.
const OPTIONS: [&str; 8] = [
    "--no-daemon",
    "--console=plain",
    "--quiet",
    "--no-scan",
    "--no-build-cache",
    "-Dorg.gradle.configureondemand=false",
    "-Dorg.gradle.configuration-cache=false",
    "-Dorg.gradle.unsafe.configuration-cache=false",
];

/// Gradle with the init script.
pub(super) struct GradleQuery<'a> {
    pub(super) program: GradleProgram,
    pub(super) tools: &'a Toolchain,
    pub(super) is_offline: bool,
    /// Versions of plugins that replace those of the scripts, by `group:artifact`.
    pub(super) plugins: &'a BTreeMap<String, String>,
}

impl BuildTool for GradleQuery<'_> {
    fn read_model(&self, root: &Path) -> Result<ToolReport, ToolFailure> {
        // Gradle compiles the sources of the build itself into the tree.
        let scratch = self.scratch_folder()?;
        let copy = create_folder(scratch.path().join(COPY_FOLDER))?;
        copy_tree(root, &copy)?;
        let report = self.run(&copy, &["gitMendModel".into()])?;
        match report.problems.first() {
            Some(problem) => Err(ToolFailure::Failed(problem.clone())),
            None => Ok(report),
        }
    }

    fn generate(
        &self,
        copy: &Path,
        _basic: &StoredModel,
        modules: &NeededModules,
        omitted: &[&str],
    ) -> Result<ToolReport, ToolFailure> {
        let options = ["--continue", "gitMendModel"].map(OsString::from);
        let tasks = generation_tasks(modules).into_iter().map(OsString::from);
        let omitted = omitted.iter().flat_map(|task| ["-x".into(), OsString::from(task)]);
        self.run(copy, &options.into_iter().chain(tasks).chain(omitted).collect::<Vec<_>>())
    }
}

impl GradleQuery<'_> {
    /// Runs tasks of the project in a folder, which Gradle may change.
    fn run(&self, root: &Path, tasks: &[OsString]) -> Result<ToolReport, ToolFailure> {
        let folder = self.scratch_folder()?;
        let script = folder.path().join("model.init.gradle");
        std::fs::write(&script, INIT_SCRIPT).map_err(|error| Problem::io(error, &script))?;
        let output = create_folder(folder.path().join("projects"))?;
        let mut property = OsString::from("-Dgit-mend.output=");
        property.push(&output);
        let spec = self
            .call_in(root)
            .args(OPTIONS)
            .args(self.is_offline.then_some("--offline"))
            .arg("--init-script")
            .arg(script)
            .arg(property)
            .args(plugin_argument(self.plugins))
            .args(tasks)
            .with_time_limit(Some(GRADLE_TIMEOUT));
        let exit = self.tools.launcher.run(&spec)?;
        if exit.has_timed_out {
            return Err(ToolFailure::Failed("Gradle did not finish in time".to_owned()));
        }
        let problems: Vec<_> =
            (!exit.is_success()).then(|| self.explain(&exit.output)).into_iter().collect();
        let jdk: &Jdk = &self.tools.jdk;
        match (GradleReport::read(&output, root)?, problems.first()) {
            (Some(report), _) => Ok(report.to_tool_report(root, jdk, problems)),
            (None, Some(problem)) => Err(ToolFailure::Failed(problem.clone())),
            (None, None) => Err(ToolFailure::Failed("it describes no project".to_owned())),
        }
    }

    /// Returns a call of Gradle in a folder, with the wrapper of that folder.
    fn call_in(&self, root: &Path) -> LaunchSpec {
        match &self.program {
            GradleProgram::Wrapper => {
                tool_call(Path::new("sh"), root, self.tools).arg(root.join(WRAPPER_SCRIPT))
            }
            GradleProgram::Installed { command, .. } => tool_call(command, root, self.tools),
        }
    }

    /// Returns the reason of a failure, with the version that the project asks for if another one ran.
    fn explain(&self, output: &str) -> String {
        let error = error_in(output);
        match &self.program {
            GradleProgram::Installed { wanted: Some(wanted), .. } => {
                format!("{error} (the project's wrapper for {wanted} does not work)")
            }
            _ => error,
        }
    }

    fn scratch_folder(&self) -> Result<tempfile::TempDir, Problem> {
        let parent = create_folder(self.tools.program_cache.clone())?;
        tempfile::tempdir_in(&parent).map_err(|error| Problem::io(error, &parent))
    }
}

/// Returns the tasks that generate the files of some modules, which are named `PROJECT` or `PROJECT (SET)`.
fn generation_tasks(modules: &NeededModules) -> BTreeSet<String> {
    let Some(names) = &modules.names else { return BTreeSet::from(["gitMendGenerate".to_owned()]) };
    let project = |name: &String| match name.split_once('(') {
        Some((project, _)) => project.trim_end().to_owned(),
        None => name.clone(),
    };
    let task = |project: String| match &*project {
        "" => ":gitMendGenerate".to_owned(),
        _ => format!(":{project}:gitMendGenerate"),
    };
    names.iter().map(project).map(task).collect()
}

/// Returns what went wrong according to an output, or else its first line.
fn error_in(output: &str) -> String {
    let lines = || output.lines().map(str::trim);
    let after = lines().skip_while(|line| *line != "* What went wrong:").skip(1);
    let reasons = after.take_while(|line| !line.is_empty() && !line.starts_with("* "));
    let reasons: Vec<_> = reasons.map(|line| line.trim_start_matches("> ")).collect();
    match lines().find(|line| !line.is_empty()) {
        _ if !reasons.is_empty() => reasons.join(" "),
        Some(line) => line.to_owned(),
        None => "it printed no reason".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_needed_projects_generate() {
        let names = ["", "(slow)", "core", "core:io (it)"].map(str::to_owned);
        let modules = NeededModules { names: Some(names.into()) };
        let tasks: Vec<String> = generation_tasks(&modules).into_iter().collect();
        assert_eq!(
            tasks,
            [":core:gitMendGenerate", ":core:io:gitMendGenerate", ":gitMendGenerate"]
        );
        let all = NeededModules { names: None };
        assert_eq!(generation_tasks(&all), BTreeSet::from(["gitMendGenerate".to_owned()]));
    }

    #[test]
    fn reason_of_a_failed_build_is_found() {
        let output = "\nFAILURE: Build failed with an exception.\n\n* Where:\nBuild file '/p/build.gradle' line: 3\n\n\
            * What went wrong:\nExecution failed for task ':core:generate'.\n> no network\n   > for a\n\n* Try:\nRun with\n";
        assert_eq!(
            error_in(output),
            "Execution failed for task ':core:generate'. no network for a"
        );
        assert_eq!(error_in("sh: java: not found\n"), "sh: java: not found");
        assert_eq!(error_in(""), "it printed no reason");
    }
}
