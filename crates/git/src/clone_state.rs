//! State of a clone that lacks history (shallow) or files (partial).

use crate::Git;
use mend_model::{Problem, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Known gaps of a clone.
#[derive(Clone, Debug, Default)]
pub(super) struct CloneState {
    /// Commits whose parents were not fetched.
    shallow_boundary: BTreeSet<String>,
    /// The remotes that promised the objects that a partial clone lacks.
    promisor_remotes: Vec<String>,
}

impl CloneState {
    /// Reads the state from the common git folder of a repository.
    pub(super) fn read(git_dir: &Path) -> Result<Self> {
        let boundary = fs::read_to_string(git_dir.join("shallow")).unwrap_or_default();
        Ok(Self {
            shallow_boundary: boundary.lines().map(str::to_owned).collect(),
            promisor_remotes: read_promisor_remotes(git_dir)?,
        })
    }

    pub(super) fn is_shallow(&self) -> bool {
        !self.shallow_boundary.is_empty()
    }

    /// Returns the remotes that have the objects a partial clone lacks; none for a complete clone.
    pub(super) fn promisor_remotes(&self) -> &[String] {
        &self.promisor_remotes
    }

    /// Returns the commits whose parents were not fetched.
    pub(super) fn shallow_boundary(&self) -> &BTreeSet<String> {
        &self.shallow_boundary
    }

    /// Returns the content of git's `shallow` file: the commits whose parents were not fetched.
    pub(super) fn shallow_file_content(&self) -> String {
        self.shallow_boundary.iter().flat_map(|commit| [commit.as_str(), "\n"]).collect()
    }
}

/// Reads the promisor remotes from the settings, which have two forms.
fn read_promisor_remotes(git_dir: &Path) -> Result<Vec<String>> {
    let pattern = r"^(extensions\.partialclone|remote\..*\.promisor)$";
    let settings = Git::for_git_dir(git_dir).args(["config", "-z", "--get-regexp", pattern]);
    let settings = settings.output()?.stdout;
    let mut remotes = Vec::new();
    for setting in String::from_utf8_lossy(&settings).split('\0') {
        let (key, value) = setting.split_once('\n').unwrap_or((setting, "true"));
        let remote = key.strip_prefix("remote.").and_then(|rest| rest.strip_suffix(".promisor"));
        let remote = match remote {
            Some(remote) if ["true", "yes", "on", "1"].contains(&value) => remote,
            None if key == "extensions.partialclone" => value,
            _ => continue,
        };
        if !remotes.iter().any(|known| known == remote) {
            remotes.push(remote.to_owned());
        }
    }
    Ok(remotes)
}

/// Returns the problem that a shallow clone lacks required history.
pub(super) fn shallow_clone_problem() -> Problem {
    Problem::IncompleteClone {
        kind: "shallow",
        remedy: "add --fetch, or run `git fetch --unshallow`".into(),
    }
}

/// Returns the problem that a partial clone lacks a required object and must not download it.
pub(super) fn partial_clone_problem() -> Problem {
    let remedy = "omit --offline, or run `git fetch --refetch --no-filter`";
    Problem::IncompleteClone { kind: "partial", remedy: remedy.into() }
}
