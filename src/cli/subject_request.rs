//! Builds the request for a version and its tests from arguments and settings, and finds unfinished runs.

use super::arguments::{Arguments, Command, Shared, SubjectArguments};
use super::settings::Settings;
use crate::run::{
    OracleRequest, Repeat, SubjectRequest, newest_interrupted_run, read_command_line,
    runs_folder_of,
};
use clap::Parser as _;
use mend_engine::BuildKind;
use mend_model::{Problem, Result, Selector};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl SubjectArguments {
    /// Builds the request. `oracle` and `bad` may have other sources than these arguments.
    pub(super) fn to_request(
        &self,
        settings: &Settings,
        dir: &Path,
        bad: String,
        oracle: OracleRequest,
        command_line: Vec<String>,
    ) -> Result<SubjectRequest> {
        let downloads = self.downloads.to_options(settings.offline);
        let local_jobs = default_jobs(&oracle);
        let executor = self.executor.to_request(settings, dir, local_jobs)?;
        let default_jobs = executor.as_ref().map_or(local_jobs, |executor| executor.workers);
        Ok(SubjectRequest {
            ignores_git_environment: false,
            downloads,
            extra_objects: None,
            bad,
            jobs: self.jobs.or(settings.jobs).map_or(default_jobs, usize::from),
            oracle,
            repeat: self.repeat.or(settings.repeat).unwrap_or(Repeat::Times(1)),
            schedules: None,
            timeout: self.timeout.or(settings.timeout),
            seed: self.seed.or(settings.seed).unwrap_or(0),
            engine: self.engine.unwrap_or_default(),
            executor,
            build: self.build.or(settings.build).unwrap_or(BuildKind::Auto),
            model: self.model.or(settings.model).unwrap_or_default(),
            is_build_offline: downloads.is_offline,
            sources: first_nonempty(&self.source, &settings.source),
            test_sources: first_nonempty(&self.test_source, &settings.test_source),
            class_path: resolve_class_path(self, settings, dir)?,
            javac_options: first_nonempty(&self.javac_option, &settings.javac_option),
            project: self
                .project
                .as_ref()
                .map(|file| dir.join(file))
                .or_else(|| settings.project.clone()),
            java: self.java.unwrap_or_default().granularity(),
            skips_uncompilable_tests: false,
            includes_test_code: false,
            output: self.output.as_ref().map(|output| dir.join(output)),
            is_resumed: self.resume,
            dir: dir.to_owned(),
            command_line,
        })
    }

    /// Parses the tests of `--test`. `remedy` is the help line of the error if there are none.
    pub(super) fn parse_selectors(&self, remedy: &str) -> Result<OracleRequest> {
        if self.test.is_empty() {
            return Err(Problem::Usage {
                message: "no test given".to_owned(),
                remedy: remedy.to_owned(),
            });
        }
        let selector = |text: &String| {
            text.parse::<Selector>().map_err(|message| Problem::Usage {
                message,
                remedy: "use --test pkg.Class, --test pkg.Class#method or a quoted glob".to_owned(),
            })
        };
        self.test.iter().map(selector).collect::<Result<_>>().map(OracleRequest::Tests)
    }
}

/// Reads the expected output of the test, if `--expect-output` names a file.
pub(super) fn read_expected_output(dir: &Path, file: Option<&Path>) -> Result<Option<Arc<str>>> {
    let usage = |file: &Path, why: String| Problem::Usage {
        message: format!("--expect-output {}: {why}", file.display()),
        remedy: "give a text file with the output that the test should print".to_owned(),
    };
    let read_text = |file: &Path| {
        let text = std::fs::read(dir.join(file))
            .map_err(|error| usage(file, Problem::io_error_reason(&error)))?;
        let text =
            String::from_utf8(text).map_err(|_| usage(file, "it is not UTF-8".to_owned()))?;
        Ok(Arc::from(text))
    };
    file.map(read_text).transpose()
}

/// Returns the words of a command line, as stored in the run folder.
pub(super) fn command_line(arguments: &[OsString]) -> Vec<String> {
    let words = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    ["git".to_owned(), "mend".to_owned()].into_iter().chain(words).collect()
}

/// Unfinished run of a command.
pub(super) struct ResumableRun {
    folder: PathBuf,
    /// Command line that started the run.
    pub(super) command_line: Vec<String>,
}

impl ResumableRun {
    /// Finds the run in `--output`, or else the newest run. `remedy` is the help line of the error if there is none.
    pub(super) fn find(
        command: &str,
        options: &SubjectArguments,
        shared: &Shared,
        remedy: &str,
    ) -> Result<Self> {
        let folder =
            match &options.output {
                Some(output) => shared.dir.join(output),
                None => newest_interrupted_run(&runs_folder_of(&shared.dir), command).ok_or_else(
                    || Problem::Usage {
                        message: "there is no unfinished run to resume".to_owned(),
                        remedy: remedy.to_owned(),
                    },
                )?,
            };
        let command_line = read_command_line(&folder)?;
        Ok(Self { folder, command_line })
    }

    /// Parses the command line of the run. Returns `None` if this version cannot parse it.
    pub(super) fn parse_command(&self) -> Option<Command> {
        let words = self.command_line.iter().skip(2).cloned();
        let words = std::iter::once("git-mend".to_owned()).chain(words);
        Arguments::try_parse_from(words).ok().map(|arguments| arguments.command)
    }

    /// Returns the error for a run of another command or version.
    pub(super) fn not_resumable_error(&self) -> Problem {
        Problem::Usage {
            message: format!(
                "{} was written by another command or another version of git mend",
                self.folder.display()
            ),
            remedy: "run the whole command again with --resume".to_owned(),
        }
    }

    /// Returns the request that continues in the folder of the run.
    pub(super) fn resume_with(self, request: SubjectRequest) -> SubjectRequest {
        SubjectRequest { output: Some(self.folder), is_resumed: true, ..request }
    }
}

fn first_nonempty<T: Clone>(options: &[T], settings: &[T]) -> Vec<T> {
    if options.is_empty() { settings } else { options }.to_vec()
}

/// Returns the class path. A missing entry is an error, because it would look like a broken build later.
fn resolve_class_path(
    options: &SubjectArguments,
    settings: &Settings,
    dir: &Path,
) -> Result<Vec<PathBuf>> {
    let entries = first_nonempty(&options.classpath, &settings.classpath);
    // `lib/*` stands for every jar in `lib`.
    let resolve_entry = |path: &PathBuf| match path.parent() {
        Some(folder) if path.ends_with("*") => dir.join(folder),
        _ => dir.join(path),
    };
    match entries.iter().find(|path| !resolve_entry(path).exists()) {
        None => Ok(entries),
        Some(path) => Err(Problem::Usage {
            message: format!("--classpath: {} does not exist", path.display()),
            remedy: "give jars and folders relative to the current folder, separated by `:`"
                .to_owned(),
        }),
    }
}

/// Returns half the number of cores; 1 for a command, which may use a port or another resource of the machine.
fn default_jobs(oracle: &OracleRequest) -> usize {
    match oracle {
        OracleRequest::Command(_) => 1,
        OracleRequest::Tests(_) => {
            std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1))
        }
    }
}
