//! Running Maven with the extension that writes the project model.

use super::download_monitor::DownloadMonitor;
use super::library_repository_kind::RepositoryKind;
use super::maven_program::MavenProgram;
use super::maven_report::MavenReport;
use super::stored_model::StoredModel;
use super::tool_failure::ToolFailure;
use super::tool_report::{BuildTool, ToolReport, parse_answer, plugin_argument};
use super::wrapper::tool_call;
use crate::jdk::source_level::SourceLevel;
use crate::jvm::java_program::{JavaProgram, create_folder, program_sources};
use crate::project::ProjectOptions;
use crate::project::needed_modules::NeededModules;
use crate::{Environment, Toolchain};
use mend_model::Problem;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Java packages of the extension.
const PACKAGES: [&str; 2] = ["wire", "maven"];

/// Class of the extension that Maven instantiates.
const EXTENSION_CLASS: &str = "gitmend.maven.ModelSpy";

/// File by which Maven finds the classes of an extension.
const EXTENSION_INDEX: &str = "META-INF/sisu/javax.inject.Named";

/// JVM option for calls in which no plugin runs. They end before the optimising compiler pays off.
const SHORT_CALL_OPTION: &str = "-XX:TieredStopAtLevel=1";

/// Time limit of one call of Maven, which may download libraries.
const MAVEN_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Published versions of libraries in ascending order, by `group:artifact`; and files by coordinates.
#[derive(Debug, Default, Deserialize)]
pub(super) struct LibraryAnswers {
    pub(super) versions: BTreeMap<String, Vec<String>>,
    pub(super) files: BTreeMap<String, Option<PathBuf>>,
}

/// Phase up to which a build with several modules runs: only then do modules see each other's classes.
const LAST_PHASE_BEFORE_TESTS: &str = "process-test-classes";

/// Maven with the extension.
pub(super) struct MavenQuery<'a> {
    pub(super) program: MavenProgram,
    pub(super) options: &'a ProjectOptions,
    pub(super) tools: &'a Toolchain,
    /// Versions of plugins that replace those of the build files, by `group:artifact`.
    pub(super) plugins: &'a BTreeMap<String, String>,
}

impl BuildTool for MavenQuery<'_> {
    fn read_model(&self, root: &Path) -> Result<ToolReport, ToolFailure> {
        self.describe(root, Some(SHORT_CALL_OPTION), &["validate".into()])
    }

    fn generate(
        &self,
        copy: &Path,
        basic: &StoredModel,
        modules: &NeededModules,
        omitted: &[&str],
    ) -> Result<ToolReport, ToolFailure> {
        let omitted = format!("-Dgit-mend.omitted={}", omitted.join(","));
        let arguments =
            ["-Dgit-mend.generate=true", &omitted, "-fae", generation_phase(basic, modules)];
        let mut arguments: Vec<_> = arguments.map(OsString::from).into();
        if let Some(names) = &modules.names {
            // Other modules may have the parents and the plugins.
            let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(",");
            arguments.extend(["-pl", &names, "-am"].map(OsString::from));
        }
        self.describe(copy, None, &arguments)
    }
}

impl MavenQuery<'_> {
    /// Looks up libraries in repositories of the project in a folder: `group:artifact` for the published versions, longer
    /// coordinates for a file, which is downloaded.
    pub(super) fn look_up_libraries(
        &self,
        root: &Path,
        kind: RepositoryKind,
        requests: &[&str],
    ) -> Result<LibraryAnswers, ToolFailure> {
        let requests = format!("-Dgit-mend.libraries={}", requests.join(","));
        let kind = format!("-Dgit-mend.plugin-repositories={}", kind == RepositoryKind::Plugins);
        let arguments = [requests.into(), kind.into(), "validate".into()];
        let json = self.run(root, Some(SHORT_CALL_OPTION), &arguments)?;
        parse_answer(String::from_utf8_lossy(&json).into_owned(), root)
    }

    fn describe(
        &self,
        root: &Path,
        jvm_option: Option<&str>,
        arguments: &[OsString],
    ) -> Result<ToolReport, ToolFailure> {
        let report = MavenReport::parse(&self.run(root, jvm_option, arguments)?, root)?;
        report.into_tool_report(root, self.options, &self.tools.jdk)
    }

    /// Runs Maven with the extension, and with a JVM option before those in `MAVEN_OPTS`. Returns what the extension
    /// wrote.
    fn run(
        &self,
        root: &Path,
        jvm_option: Option<&str>,
        arguments: &[OsString],
    ) -> Result<Vec<u8>, ToolFailure> {
        let extension = self.compile_extension()?;
        let folder = tempfile::tempdir_in(&self.tools.program_cache)
            .map_err(|error| Problem::io(error, &self.tools.program_cache))?;
        let output = folder.path().join("model.json");
        let property = |name: &str, value: &Path| {
            let mut property = OsString::from(format!("-D{name}="));
            property.push(value);
            property
        };
        let mut spec = tool_call(&self.program.command, root, self.tools)
            .args(["-B", "-q", "-Dstyle.color=never", "-DskipTests"])
            .args(self.options.is_offline.then_some("-o"))
            .arg(property("maven.ext.class.path", &extension))
            .arg(property("git-mend.output", &output))
            .args(plugin_argument(self.plugins))
            .args(arguments)
            .with_time_limit(Some(MAVEN_TIMEOUT));
        if let Some(option) = jvm_option {
            let mut options = OsString::from(option);
            if let Some(user_options) = Environment::from_process().get("MAVEN_OPTS") {
                options.push(" ");
                options.push(user_options);
            }
            spec.env.push(("MAVEN_OPTS".into(), options));
        }
        let list = folder.path().join("model.json.downloads");
        let mut monitor = DownloadMonitor::new(list, "Maven", &*self.tools.progress);
        let exit = self.tools.launcher.run_until(&spec, &mut || {
            monitor.poll();
            false
        })?;
        monitor.finish();
        match std::fs::read(&output) {
            Ok(json) => Ok(json),
            Err(_) if exit.has_timed_out => {
                Err(ToolFailure::Failed("Maven did not finish in time".to_owned()))
            }
            Err(_) => Err(ToolFailure::Failed(error_in(&exit.output))),
        }
    }

    /// Compiles the extension against the libraries of this Maven. Old versions of Maven skip newer class files than those
    /// of Java 8.
    fn compile_extension(&self) -> Result<PathBuf, ToolFailure> {
        let level = SourceLevel { version: 8, is_release: true };
        let options = level.javac_options(&self.tools.jdk);
        let program = JavaProgram {
            sources: &program_sources(&PACKAGES),
            class_path: &self.program.libraries(),
            options: &options,
            tools: self.tools,
        };
        let classes = program.compile_into(&self.tools.program_cache)?.map_err(|output| {
            ToolFailure::Failed(format!("cannot extend this Maven: {}", error_in(&output)))
        })?;
        let index = classes.join(EXTENSION_INDEX);
        if !index.is_file() {
            create_folder(index.parent().unwrap_or(&classes).to_owned())?;
            std::fs::write(&index, EXTENSION_CLASS).map_err(|error| Problem::io(error, &index))?;
        }
        Ok(classes)
    }
}

/// Returns the phase up to which a build runs to generate everything.
fn generation_phase<'a>(basic: &'a StoredModel, modules: &NeededModules) -> &'a str {
    let module_count = modules.names.as_ref().map_or(basic.model.module_count(), BTreeSet::len);
    let artifacts: BTreeSet<&str> =
        basic.generators.keys().filter_map(|module| module.rsplit(':').next()).collect();
    // A module may be the plugin of another one.
    let has_own_plugin = modules
        .select(&basic.generators)
        .iter()
        .any(|goal| goal.split(':').next().is_some_and(|plugin| artifacts.contains(plugin)));
    let is_single = module_count == 1 && !has_own_plugin;
    let last_phase = basic.last_phase.as_deref().filter(|_| is_single);
    last_phase.unwrap_or(LAST_PHASE_BEFORE_TESTS)
}

/// Returns the first error in an output, or else its first line.
pub(super) fn error_in(output: &str) -> String {
    let lines = || output.lines().map(str::trim);
    let message_after = |mark: &'static str| {
        let messages = lines().filter_map(move |line| line.strip_prefix(mark)).map(str::trim);
        let mut messages = messages.filter(|text| !text.is_empty() && !text.starts_with('['));
        messages.next()
    };
    let message = message_after("[FATAL]").or_else(|| message_after("[ERROR]"));
    let message = message.or_else(|| lines().find(|line| !line.is_empty()));
    let message = message.unwrap_or("it printed no reason");
    message.split(" -> [Help").next().unwrap_or(message).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_specific_error_is_the_reason() {
        let output = "[ERROR] [ERROR] Some problems were encountered while processing the POMs:\n\
            [FATAL] Non-resolvable parent POM for a:b:1\n[ERROR] The build could not read 1 project -> [Help 1]\n";
        assert_eq!(error_in(output), "Non-resolvable parent POM for a:b:1");
        let output = "[ERROR] \n[ERROR] Unknown lifecycle phase \"x\" -> [Help 1]\n";
        assert_eq!(error_in(output), "Unknown lifecycle phase \"x\"");
        assert_eq!(error_in("sh: mvn: broken\n"), "sh: mvn: broken");
        assert_eq!(error_in(""), "it printed no reason");
    }
}
