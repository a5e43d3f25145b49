//! Runs the `javac` command.

use super::encoding;
use crate::{ExitInfo, LaunchSpec, Toolchain};
use mend_model::{Problem, Result, is_disk_full};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Option that disables annotation processors.
pub(crate) const NO_PROCESSORS_OPTION: &str = "-proc:none";

/// Parameters of one compilation.
pub(crate) struct Compilation<'a> {
    pub(crate) tools: &'a Toolchain,
    /// Working directory of the compiler; relative options are resolved against it.
    pub(crate) cwd: &'a Path,
    /// Existing folder for the classes; the argument file is written next to it.
    pub(crate) output: &'a Path,
    pub(crate) class_path: &'a [PathBuf],
    /// Folders in which the compiler finds further sources as needed.
    pub(crate) source_path: &'a [PathBuf],
    /// Encoding of the files, if known.
    pub(crate) encoding: Option<&'a str>,
    pub(crate) options: Vec<String>,
    /// True if the compiler may stop at the first error.
    pub(crate) is_fail_fast: bool,
    pub(crate) time_limit: Option<Duration>,
}

/// Result of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CompileResult {
    Ok,
    /// The compiler output.
    Failed(String),
    /// The compiler output up to the time limit.
    TimedOut(String),
}

impl Compilation<'_> {
    pub(crate) fn run(&self, files: &[PathBuf]) -> Result<CompileResult> {
        self.run_with_flags(self.tools.compiler_flags(), files)
    }

    /// Runs the compilation in a JVM with options.
    pub(crate) fn run_with_flags(
        &self,
        flags: Vec<OsString>,
        files: &[PathBuf],
    ) -> Result<CompileResult> {
        let mut argument_file_option = OsString::from("@");
        argument_file_option.push(self.write_argument_file(files)?);
        let command = LaunchSpec::new(self.tools.jdk.javac(), self.cwd)
            .args(flags.into_iter().map(jvm_argument))
            .arg(argument_file_option)
            .with_time_limit(self.time_limit);
        let exit = self.tools.launcher.run(&command)?;
        match exit {
            ExitInfo { has_timed_out: true, output, .. } => Ok(CompileResult::TimedOut(output)),
            _ if exit.is_success() => Ok(CompileResult::Ok),
            ExitInfo { output, .. } => self.failure_result(output),
        }
    }

    /// Writes the arguments to a file next to the output folder, and returns its path.
    pub(crate) fn write_argument_file(&self, files: &[PathBuf]) -> Result<PathBuf> {
        let mut name = self.output.as_os_str().to_owned();
        name.push(".args");
        let file = PathBuf::from(name);
        match std::fs::write(&file, self.arguments(files)) {
            Ok(()) => Ok(file),
            Err(error) => Err(Problem::io(error, file)),
        }
    }

    /// Converts the output of a failed compilation to a result, or to an error if the disk is full.
    pub(crate) fn failure_result(&self, output: String) -> Result<CompileResult> {
        if is_disk_full(self.output) {
            return Err(Problem::DiskFull { path: self.output.to_owned() });
        }
        Ok(CompileResult::Failed(output))
    }

    /// Returns true if only the compiler's own code runs: no annotation processor or plugin.
    pub(crate) fn is_plugin_free(&self) -> bool {
        let is_plugin_option = |option: &String| {
            option != NO_PROCESSORS_OPTION
                && (is_processor_option(option) || option.starts_with("-Xplugin"))
        };
        !self.runs_processors() && !self.options.iter().any(is_plugin_option)
    }

    /// Returns true if annotation processors run.
    pub(crate) fn runs_processors(&self) -> bool {
        !self.options.iter().any(|option| option == NO_PROCESSORS_OPTION)
            && (self.options.iter().any(|option| is_processor_option(option))
                || self.has_processors_on_class_path())
    }

    /// Returns the option that disables annotation processing without processors, or that enables it for releases that
    /// require the option.
    pub(crate) fn processing_option(&self) -> Option<String> {
        let has_processing_option = self.options.iter().any(|option| option.starts_with("-proc:"));
        match self.runs_processors() {
            _ if has_processing_option => None,
            false => Some(NO_PROCESSORS_OPTION.to_owned()),
            // Newer releases only run processors that are requested.
            true => (self.tools.jdk.version >= 21).then(|| "-proc:full".to_owned()),
        }
    }

    /// Returns true if the class path contains annotation processors.
    fn has_processors_on_class_path(&self) -> bool {
        self.class_path.iter().any(|library| self.tools.processors.has_processor(library))
    }

    fn arguments(&self, files: &[PathBuf]) -> String {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let mut arguments = vec![
            "-g".to_owned(),
            "-nowarn".to_owned(),
            "-Xlint:-options".to_owned(),
            "-d".to_owned(),
            path(self.output),
            "-implicit:class".to_owned(),
            "-cp".to_owned(),
            join_class_path(self.class_path),
            // Without a source path, the compiler would search the class path for sources.
            "-sourcepath".to_owned(),
            join_class_path(self.source_path),
        ];
        arguments.extend(self.processing_option());
        if !self.options.iter().any(|option| option == "-encoding") {
            let encoding = self.encoding.unwrap_or_else(|| encoding::detect_encoding(files));
            arguments.extend(["-encoding", encoding].map(str::to_owned));
        }
        arguments.extend(self.options.iter().cloned());
        arguments.extend(files.iter().map(|file| path(file)));
        arguments
            .iter()
            .fold(String::new(), |text, argument| text + &quote_argument(argument) + "\n")
    }
}

fn jvm_argument(option: OsString) -> OsString {
    let mut argument = OsString::from("-J");
    argument.push(option);
    argument
}

/// Returns true if an option configures annotation processors.
pub(crate) fn is_processor_option(option: &str) -> bool {
    ["-proc", "--processor-path"].iter().any(|start| option.starts_with(start))
}

/// Joins paths to one argument.
pub(crate) fn join_class_path(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    paths.join(":")
}

fn quote_argument(argument: &str) -> String {
    format!("\"{}\"", argument.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_spaces_quotes_and_backslashes() {
        assert_eq!(quote_argument(r#"a b\"c"#), r#""a b\\\"c""#);
    }
}
