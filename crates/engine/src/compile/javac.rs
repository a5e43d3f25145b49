//! Running `javac`.

use super::encoding;
use crate::{ExitInfo, LaunchSpec, Toolchain};
use mend_model::{Problem, Result, is_full};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The option that keeps annotation processors out.
pub(crate) const NO_PROCESSORS: &str = "-proc:none";

/// One call of the compiler.
pub(crate) struct Compilation<'a> {
    pub(crate) tools: &'a Toolchain,
    /// Working directory of the compiler; relative options are resolved against it.
    pub(crate) cwd: &'a Path,
    /// An existing folder for the classes; the argument file is written beside it.
    pub(crate) output: &'a Path,
    pub(crate) class_path: &'a [PathBuf],
    /// Folders in which the compiler finds further sources as needed.
    pub(crate) source_path: &'a [PathBuf],
    /// Encoding of the files, if known.
    pub(crate) encoding: Option<&'a str>,
    pub(crate) options: Vec<String>,
    /// True if the compiler may stop at the first error.
    pub(crate) is_hasty: bool,
    pub(crate) limit: Option<Duration>,
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
        self.run_in(self.tools.compiler_flags(), files)
    }

    /// Runs it in a JVM with options.
    pub(crate) fn run_in(&self, flags: Vec<OsString>, files: &[PathBuf]) -> Result<CompileResult> {
        let mut at_arguments = OsString::from("@");
        at_arguments.push(self.argument_file(files)?);
        let command = LaunchSpec::new(self.tools.jdk.javac(), self.cwd)
            .args(flags.into_iter().map(for_its_jvm))
            .arg(at_arguments)
            .limit(self.limit);
        let ended = self.tools.launcher.run(&command)?;
        match ended {
            ExitInfo { timed_out: true, output, .. } => Ok(CompileResult::TimedOut(output)),
            _ if ended.is_success() => Ok(CompileResult::Ok),
            ExitInfo { output, .. } => self.refused(output),
        }
    }

    /// Writes down, beside the output, what it is called with.
    pub(crate) fn argument_file(&self, files: &[PathBuf]) -> Result<PathBuf> {
        let mut name = self.output.as_os_str().to_owned();
        name.push(".args");
        let file = PathBuf::from(name);
        match std::fs::write(&file, self.arguments(files)) {
            Ok(()) => Ok(file),
            Err(error) => Err(Problem::io(error, file)),
        }
    }

    /// Converts the output of a failed compilation to a result, or to an error if the disk is full.
    pub(crate) fn refused(&self, said: String) -> Result<CompileResult> {
        if is_full(self.output) {
            return Err(Problem::DiskFull { path: self.output.to_owned() });
        }
        Ok(CompileResult::Failed(said))
    }

    /// Returns true if only the compiler's own code runs: no annotation processor or plugin.
    pub(crate) fn is_plain(&self) -> bool {
        let is_foreign = |option: &String| {
            option != NO_PROCESSORS
                && (is_about_processors(option) || option.starts_with("-Xplugin"))
        };
        let runs_none = self.options.iter().any(|option| option == NO_PROCESSORS);
        (runs_none || !self.finds_processors()) && !self.options.iter().any(is_foreign)
    }

    /// Says whether annotation processors run, where the compiler would take it otherwise.
    fn processing(&self) -> Option<String> {
        let is_told = self.options.iter().any(|option| option.starts_with("-proc:"));
        let has_any = self.options.iter().any(|option| is_about_processors(option))
            || self.finds_processors();
        match has_any {
            _ if is_told => None,
            false => Some(NO_PROCESSORS.to_owned()),
            // Later ones run none that are not asked for.
            true => (self.tools.jdk.version >= 21).then(|| "-proc:full".to_owned()),
        }
    }

    /// Returns true if the class path contains annotation processors.
    fn finds_processors(&self) -> bool {
        self.class_path.iter().any(|library| self.tools.processors.are_in(library))
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
            joined(self.class_path),
            // Without one, sources would be looked for on the class path.
            "-sourcepath".to_owned(),
            joined(self.source_path),
        ];
        arguments.extend(self.processing());
        if !self.options.iter().any(|option| option == "-encoding") {
            let encoding = self.encoding.unwrap_or_else(|| encoding::of_sources(files));
            arguments.extend(["-encoding", encoding].map(str::to_owned));
        }
        arguments.extend(self.options.iter().cloned());
        arguments.extend(files.iter().map(|file| path(file)));
        arguments.iter().fold(String::new(), |text, argument| text + &quoted(argument) + "\n")
    }
}

fn for_its_jvm(option: OsString) -> OsString {
    let mut passed = OsString::from("-J");
    passed.push(option);
    passed
}

/// Returns true if an option configures annotation processors.
pub(crate) fn is_about_processors(option: &str) -> bool {
    ["-proc", "--processor-path"].iter().any(|start| option.starts_with(start))
}

/// The paths as one argument.
pub(crate) fn joined(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    paths.join(":")
}

fn quoted(argument: &str) -> String {
    format!("\"{}\"", argument.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_spaces_quotes_and_backslashes() {
        assert_eq!(quoted(r#"a b\"c"#), r#""a b\\\"c""#);
    }
}
