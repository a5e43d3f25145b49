//! Opens and writes the run folder, which contains all files of a run.

use anyhow::Context as _;
use mend_git::{RunLock, remove_stale_work};
use mend_model::{Problem, Result};
use mend_report::delta::DeltaView;
use mend_report::{ObservedValues, RunResult, RunStatus, is_patch_name};
use serde::Serialize;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const RESULT_FILE: &str = "result.json";
const REQUEST_FILE: &str = "request.json";
const TRIALS_FILE: &str = "trials.jsonl";
const LOG_FILE: &str = "log.txt";
const DELTA_FILE: &str = "delta.json";
const VALUES_FILE: &str = "values.json";
const CANDIDATES_FILE: &str = "candidates.jsonl";
const REPORT_FILE: &str = "report.html";

/// Files that a new run in the same folder replaces, besides patches.
const RUN_FILES: [&str; 7] =
    [RESULT_FILE, TRIALS_FILE, LOG_FILE, DELTA_FILE, VALUES_FILE, CANDIDATES_FILE, REPORT_FILE];

/// Folder of one run. The lock prevents other runs from writing to it.
pub struct RunFolder {
    path: PathBuf,
    _lock: RunLock,
}

impl RunFolder {
    /// Creates the folder of a new run, or opens that of an unfinished run of the command `resume`. Removes leftovers
    /// of killed runs in `runs`, which contains the default folders.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the folder cannot be created, belongs to a run in progress, or if there is no run to
    /// resume.
    pub fn open(runs: &Path, output: Option<&Path>, resume: Option<&str>) -> Result<Self> {
        if runs.is_dir() {
            remove_stale_work(runs)?;
        }
        let path = match (output, resume) {
            (Some(output), _) => output.to_owned(),
            (None, None) => create_run_folder(runs)?,
            (None, Some(command)) => {
                newest_interrupted_run(runs, command).ok_or_else(|| Problem::Usage {
                    message: "there is no unfinished run to resume".to_owned(),
                    remedy: "run the command without --resume".to_owned(),
                })?
            }
        };
        std::fs::create_dir_all(&path).map_err(|error| cannot_create_problem(error, &path))?;
        let path = path.canonicalize().map_err(|error| Problem::io(error, &path))?;
        let lock = RunLock::acquire(&path)?;
        if resume.is_none() {
            // A reused folder must not contain files of an earlier run.
            clear_run_files(&path)?;
        }
        Ok(Self { path, _lock: lock })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the folder for temporary files of the run.
    pub(crate) fn work_dir(&self) -> PathBuf {
        RunLock::work_dir(&self.path)
    }

    /// Writes a file atomically: a reader sees the old or the new content.
    pub(crate) fn write_file(&self, name: &str, content: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
            file.write_all(content)?;
            file.as_file().sync_data()?;
            file.persist(&path).map_err(|error| error.error)
        };
        write().map(drop).map_err(|error| Problem::io(error, &path))
    }

    pub(crate) fn write_result(&self, result: &RunResult) -> Result<()> {
        self.write_json(RESULT_FILE, result)
    }

    pub(crate) fn write_request(&self, command_line: &[String]) -> Result<()> {
        self.write_json(REQUEST_FILE, &command_line)
    }

    /// Writes the delta of the search.
    pub(crate) fn write_delta(&self, delta: &DeltaView) -> Result<()> {
        self.write_file(DELTA_FILE, &serde_json::to_vec(delta).context("writing JSON")?)
    }

    /// Writes the observed values that support the fixes.
    pub(crate) fn write_values(&self, values: &[ObservedValues]) -> Result<()> {
        self.write_json(VALUES_FILE, &values)
    }

    /// Writes the candidates of a search for fixes, one per line.
    pub(crate) fn write_candidates(
        &self,
        candidates: impl Iterator<Item = impl Serialize>,
    ) -> Result<()> {
        let mut text = Vec::new();
        for candidate in candidates {
            serde_json::to_writer(&mut text, &candidate).context("writing a candidate")?;
            text.push(b'\n');
        }
        self.write_file(CANDIDATES_FILE, &text)
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(value).context("writing JSON")?;
        text.push(b'\n');
        self.write_file(name, &text)
    }

    /// Appends a line to the list of trials.
    pub(crate) fn append_trial(&self, line: &impl Serialize) -> Result<()> {
        let line = serde_json::to_string(line).context("writing a trial")?;
        self.append_line(TRIALS_FILE, &line)
    }

    /// Appends a line to the log.
    pub(crate) fn append_log(&self, line: &str) -> Result<()> {
        self.append_line(LOG_FILE, line)
    }

    fn append_line(&self, name: &str, line: &str) -> Result<()> {
        let path = self.path.join(name);
        let open = || File::options().create(true).append(true).open(&path);
        open()
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
            .map_err(|error| Problem::io(error, &path))
    }

    /// Removes the folder of temporary files. If that fails, a later run removes it.
    pub(crate) fn clear_work(&self) {
        drop(std::fs::remove_dir_all(self.work_dir()));
    }
}

/// Removes the files of an earlier run from the folder.
fn clear_run_files(folder: &Path) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(|error| Problem::io(error, folder))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_patch_name(&name) || is_unverified_patch(&name) || RUN_FILES.contains(&&*name) {
            drop(std::fs::remove_file(&path));
        }
    }
    Ok(())
}

/// Returns true for the patch of a fix that was not verified, such as `unverified-1.patch`.
fn is_unverified_patch(name: &str) -> bool {
    let number = name.strip_prefix("unverified-").and_then(|rest| rest.strip_suffix(".patch"));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

fn cannot_create_problem(error: std::io::Error, path: &Path) -> Problem {
    match Problem::io(error, path) {
        Problem::Internal(error) => Problem::Usage {
            message: format!("cannot make the run folder {error:#}"),
            remedy: "choose another folder with --output".to_owned(),
        },
        full => full,
    }
}

/// Creates a new folder for a run, named after the time. Several processes can do that at once.
///
/// # Errors
/// [`Problem::Usage`] if the folder cannot be created.
pub fn create_run_folder(runs: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(runs).map_err(|error| cannot_create_problem(error, runs))?;
    let now = jiff::Zoned::now().strftime("%Y-%m-%dT%H-%M-%S").to_string();
    let mut number = 1;
    loop {
        let name = if number == 1 { now.clone() } else { format!("{now}-{number}") };
        let path = runs.join(name);
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(cannot_create_problem(error, &path)),
        }
    }
}

/// Returns the folder of the newest run.
pub fn newest_run(runs: &Path) -> Option<PathBuf> {
    runs_newest_first(runs).find(|folder| folder.join(RESULT_FILE).is_file())
}

/// Lists the folders of runs, newest first.
fn runs_newest_first(runs: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    folders.into_iter().rev()
}

/// Returns the newest interrupted run of a command.
pub fn newest_interrupted_run(runs: &Path, command: &str) -> Option<PathBuf> {
    runs_newest_first(runs).find(|folder| {
        let text = std::fs::read(folder.join(RESULT_FILE)).unwrap_or_default();
        let result = serde_json::from_slice::<RunResult>(&text);
        result.is_ok_and(|result| {
            result.status == RunStatus::Interrupted && result.command == command
        })
    })
}

/// Reads the command line that started a run.
///
/// # Errors
/// [`Problem::Usage`] if the folder contains no command line.
pub fn read_command_line(folder: &Path) -> Result<Vec<String>> {
    let text = std::fs::read(folder.join(REQUEST_FILE)).unwrap_or_default();
    serde_json::from_slice(&text).map_err(|_| Problem::Usage {
        message: format!("{} contains no run to resume", folder.display()),
        remedy: "run the whole command again and add --resume".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_report::{EnvironmentInfo, RunGoal};

    fn result_with_status(status: RunStatus) -> RunResult {
        let mut result = RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default());
        result.status = status;
        result
    }

    #[test]
    fn newest_interrupted_run_is_resumed() {
        let runs = tempfile::tempdir().unwrap();
        for (name, status) in
            [("1", RunStatus::Interrupted), ("2", RunStatus::Interrupted), ("3", RunStatus::Found)]
        {
            let folder = RunFolder::open(runs.path(), Some(&runs.path().join(name)), None).unwrap();
            folder.write_result(&result_with_status(status)).unwrap();
        }
        assert_eq!(newest_interrupted_run(runs.path(), "bisect"), Some(runs.path().join("2")));
    }

    #[test]
    fn simultaneous_runs_get_distinct_folders() {
        let runs = tempfile::tempdir().unwrap();
        let first = RunFolder::open(runs.path(), None, None).unwrap();
        let second = RunFolder::open(runs.path(), None, None).unwrap();
        assert_ne!(first.path(), second.path());
    }

    #[test]
    fn reused_folder_loses_only_run_files() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("run");
        std::fs::create_dir(&folder).unwrap();
        let of_run = ["culprit.patch", "culprit-2.patch", "unverified-1.patch", "log.txt"];
        let others = ["mine.patch", "fix-it.patch", "unverified-by-me.patch"];
        for name in of_run.iter().chain(&others) {
            std::fs::write(folder.join(name), "").unwrap();
        }
        drop(RunFolder::open(dir.path(), Some(&folder), None).unwrap());
        let exists = |name: &str| folder.join(name).exists();
        assert!(others.into_iter().all(exists));
        assert!(!of_run.into_iter().any(exists));
    }

    #[test]
    fn result_round_trips() {
        let runs = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(runs.path(), None, None).unwrap();
        folder.write_result(&result_with_status(RunStatus::Found)).unwrap();
        let text = std::fs::read(folder.path().join(RESULT_FILE)).unwrap();
        assert_eq!(
            serde_json::from_slice::<RunResult>(&text).unwrap(),
            result_with_status(RunStatus::Found)
        );
    }
}
