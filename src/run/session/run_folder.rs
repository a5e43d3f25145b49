//! The run folder: everything that a run leaves behind.

use anyhow::Context as _;
use mend_git::{RunLock, sweep};
use mend_model::{Problem, Result};
use mend_report::delta::DeltaView;
use mend_report::{ObservedValues, RunResult, RunStatus, is_patch_name};
use serde::Serialize;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const RESULT: &str = "result.json";
const REQUEST: &str = "request.json";
const TRIALS: &str = "trials.jsonl";
const LOG: &str = "log.txt";
const DELTA: &str = "delta.json";
const VALUES: &str = "values.json";
const PAGE: &str = "report.html";

/// The folder of one run; the lock keeps other runs from writing to it.
pub struct RunFolder {
    path: PathBuf,
    _lock: RunLock,
}

impl RunFolder {
    /// Creates the folder of a new run, or opens that of an unfinished run of the command `resume`. `runs` contains the
    /// default folders; leftovers of killed runs there are removed.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the folder cannot be made or belongs to a run that is still going, or there
    /// is none to resume.
    pub fn open(runs: &Path, output: Option<&Path>, resume: Option<&str>) -> Result<Self> {
        if runs.is_dir() {
            sweep(runs)?;
        }
        let path = match (output, resume) {
            (Some(output), _) => output.to_owned(),
            (None, None) => new_name(runs),
            (None, Some(command)) => {
                newest_unfinished(runs, command).ok_or_else(|| Problem::Usage {
                    message: "there is no unfinished run to resume".to_owned(),
                    remedy: "run the command without --resume".to_owned(),
                })?
            }
        };
        std::fs::create_dir_all(&path).map_err(|error| no_folder(error, &path))?;
        let path = path.canonicalize().map_err(|error| Problem::io(error, &path))?;
        let lock = RunLock::take(&path)?;
        if resume.is_none() {
            // A folder that is given again belongs to the new run alone.
            clear(&path)?;
        }
        Ok(Self { path, _lock: lock })
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder for files that are not needed after the run.
    pub(crate) fn work(&self) -> PathBuf {
        RunLock::work_dir(&self.path)
    }

    /// Writes a whole file; a reader sees the old one or the new one.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<()> {
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
        self.write_json(RESULT, result)
    }

    pub(crate) fn write_request(&self, command_line: &[String]) -> Result<()> {
        self.write_json(REQUEST, &command_line)
    }

    /// Writes down the change that is searched.
    pub(crate) fn write_delta(&self, delta: &DeltaView) -> Result<()> {
        self.write(DELTA, &serde_json::to_vec(delta).context("writing JSON")?)
    }

    /// Writes the observed values that fixes are based on.
    pub(crate) fn write_values(&self, values: &[ObservedValues]) -> Result<()> {
        self.write_json(VALUES, &values)
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(value).context("writing JSON")?;
        text.push(b'\n');
        self.write(name, &text)
    }

    /// Adds a line to the list of trials.
    pub(crate) fn append_trial(&self, line: &impl Serialize) -> Result<()> {
        let line = serde_json::to_string(line).context("writing a trial")?;
        self.append(TRIALS, &line)
    }

    /// Adds a line to the log.
    pub(crate) fn append_log(&self, line: &str) -> Result<()> {
        self.append(LOG, line)
    }

    fn append(&self, name: &str, line: &str) -> Result<()> {
        let path = self.path.join(name);
        let open = || File::options().create(true).append(true).open(&path);
        open()
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
            .map_err(|error| Problem::io(error, &path))
    }

    /// Removes the work folder. If that fails, a later run removes it.
    pub(crate) fn clear_work(&self) {
        drop(std::fs::remove_dir_all(self.work()));
    }
}

/// Removes the files of an earlier run from its folder.
fn clear(folder: &Path) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(|error| Problem::io(error, folder))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_patch_name(&name) || [RESULT, TRIALS, LOG, DELTA, VALUES, PAGE].contains(&&*name) {
            drop(std::fs::remove_file(&path));
        }
    }
    Ok(())
}

fn no_folder(error: std::io::Error, path: &Path) -> Problem {
    match Problem::io(error, path) {
        Problem::Internal(error) => Problem::Usage {
            message: format!("cannot make the run folder {error:#}"),
            remedy: "choose another folder with --output".to_owned(),
        },
        full => full,
    }
}

fn new_name(runs: &Path) -> PathBuf {
    let now = jiff::Zoned::now().strftime("%Y-%m-%dT%H-%M-%S").to_string();
    let names = std::iter::once(now.clone()).chain((2..).map(|n| format!("{now}-{n}")));
    names.map(|name| runs.join(name)).find(|path| !path.exists()).unwrap_or_else(|| runs.join(now))
}

/// The newest run.
pub fn newest(runs: &Path) -> Option<PathBuf> {
    by_age(runs).find(|folder| folder.join(RESULT).is_file())
}

/// Lists the folders of runs, newest first.
fn by_age(runs: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    folders.into_iter().rev()
}

/// Returns the newest interrupted run of a command.
pub fn newest_unfinished(runs: &Path, command: &str) -> Option<PathBuf> {
    by_age(runs).find(|folder| {
        let text = std::fs::read(folder.join(RESULT)).unwrap_or_default();
        let result = serde_json::from_slice::<RunResult>(&text);
        result.is_ok_and(|result| {
            result.status == RunStatus::Interrupted && result.command == command
        })
    })
}

/// The command line that a run was started with.
///
/// # Errors
/// [`Problem::Usage`] if the folder holds none.
pub fn command_line_of(folder: &Path) -> Result<Vec<String>> {
    let text = std::fs::read(folder.join(REQUEST)).unwrap_or_default();
    serde_json::from_slice(&text).map_err(|_| Problem::Usage {
        message: format!("{} contains no run to resume", folder.display()),
        remedy: "run the whole command again and add --resume".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_report::{EnvironmentInfo, RunGoal};

    fn result(status: RunStatus) -> RunResult {
        let mut result = RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default());
        result.status = status;
        result
    }

    #[test]
    fn the_newest_interrupted_run_is_the_one_to_resume() {
        let runs = tempfile::tempdir().unwrap();
        for (name, status) in
            [("1", RunStatus::Interrupted), ("2", RunStatus::Interrupted), ("3", RunStatus::Found)]
        {
            let folder = RunFolder::open(runs.path(), Some(&runs.path().join(name)), None).unwrap();
            folder.write_result(&result(status)).unwrap();
        }
        assert_eq!(newest_unfinished(runs.path(), "bisect"), Some(runs.path().join("2")));
    }

    #[test]
    fn two_runs_in_one_second_have_two_folders() {
        let runs = tempfile::tempdir().unwrap();
        let first = RunFolder::open(runs.path(), None, None).unwrap();
        let second = RunFolder::open(runs.path(), None, None).unwrap();
        assert_ne!(first.path(), second.path());
    }

    #[test]
    fn a_folder_that_is_given_again_keeps_only_what_no_run_wrote() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("run");
        std::fs::create_dir(&folder).unwrap();
        for name in ["culprit.patch", "culprit-2.patch", "log.txt", "mine.patch", "fix-it.patch"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        drop(RunFolder::open(dir.path(), Some(&folder), None).unwrap());
        let left = |name: &str| folder.join(name).exists();
        assert!(left("mine.patch") && left("fix-it.patch"));
        assert!(!left("culprit.patch") && !left("culprit-2.patch") && !left("log.txt"));
    }

    #[test]
    fn a_result_is_read_back_as_it_was_written() {
        let runs = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(runs.path(), None, None).unwrap();
        folder.write_result(&result(RunStatus::Found)).unwrap();
        let text = std::fs::read(folder.path().join(RESULT)).unwrap();
        assert_eq!(serde_json::from_slice::<RunResult>(&text).unwrap(), result(RunStatus::Found));
    }
}
