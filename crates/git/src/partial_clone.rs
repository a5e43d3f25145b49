//! Objects that a partial clone lacks, downloaded from the remote that promised them.

use crate::download_policy::DownloadPolicy;
use crate::program::{join_paths, summarize_errors};
use crate::{Git, clone_state};
use mend_model::{Problem, Result};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Settings for a download: no negotiation, because the remote cannot know which objects are missing, and nothing
/// else than a download.
const DOWNLOAD_SETTINGS: [&str; 2] =
    ["fetch.negotiationAlgorithm=noop", "fetch.writeCommitGraph=false"];

/// Options of a download by object id. A folder comes with all folders below it, but without files.
const DOWNLOAD_OPTIONS: [&str; 8] = [
    "--quiet",
    "--no-tags",
    "--no-prune",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--recurse-submodules=no",
    "--filter=blob:none",
    "--stdin",
];

/// A clone without some objects, which its promisor remotes have.
#[derive(Clone, Debug)]
pub(super) struct PartialClone {
    pub(super) git_dir: PathBuf,
    /// Names of the promisor remotes.
    pub(super) remotes: Vec<String>,
    /// Folder for downloaded objects, outside the user's own objects.
    pub(super) objects_dir: PathBuf,
    pub(super) policy: DownloadPolicy,
}

impl PartialClone {
    /// Returns the folder of downloaded objects.
    pub(super) fn objects_dir(&self) -> &Path {
        &self.objects_dir
    }

    /// Creates the folder of downloaded objects: libgit2 ignores one that comes later.
    ///
    /// # Errors
    /// [`Problem::DiskFull`] and other failures to write.
    pub(super) fn create_objects_dir(&self) -> Result<()> {
        let packs = self.objects_dir.join("pack");
        fs::create_dir_all(&packs).map_err(|error| Problem::io(error, packs))
    }

    /// Downloads objects in one request.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if downloads are forbidden, [`Problem::DownloadFailed`],
    /// [`Problem::Interrupted`].
    pub(super) fn download(&self, ids: &BTreeSet<git2::Oid>) -> Result<()> {
        if self.policy.is_offline {
            return Err(clone_state::partial_clone_problem());
        }
        let mut failure = clone_state::partial_clone_problem();
        for remote in &self.remotes {
            let output = self.policy.run(self.fetch_command(remote, ids)?)?;
            if output.is_success() {
                return Ok(());
            }
            failure = download_failure(remote, &output.stderr);
        }
        Err(failure)
    }

    /// Adds the downloaded objects to a call of git, which may download further ones to the same folder.
    pub(super) fn lend_objects(&self, git: Git, extra_objects: Option<&Path>) -> Git {
        let own_objects = self.git_dir.join("objects");
        if self.policy.is_offline || self.create_objects_dir().is_err() {
            let borrowed = std::iter::once(&*self.objects_dir).chain(extra_objects);
            return git.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", join_paths(borrowed));
        }
        let borrowed = std::iter::once(&*own_objects).chain(extra_objects);
        git.with_network()
            .env("GIT_OBJECT_DIRECTORY", &self.objects_dir)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", join_paths(borrowed))
    }

    /// Returns the problem behind git's message about a failed download.
    pub(super) fn download_problem(&self, stderr: &str) -> Problem {
        if self.policy.is_offline {
            return clone_state::partial_clone_problem();
        }
        download_failure(&self.remotes.join(", "), stderr)
    }

    fn fetch_command(&self, remote: &str, ids: &BTreeSet<git2::Oid>) -> Result<Git> {
        self.create_objects_dir()?;
        let git = self.lend_objects(Git::for_git_dir(&self.git_dir), None);
        // Fetch itself must not download by git's own means, one object at a time.
        let git = git.env("GIT_NO_LAZY_FETCH", "1");
        // Without a filter in the settings, fetch would write one there.
        let filter = format!("remote.{remote}.partialclonefilter=blob:none");
        let settings = DOWNLOAD_SETTINGS.into_iter().chain([&*filter]);
        let git = settings.fold(git, |git, setting| git.args(["-c", setting]));
        let git = git.arg("fetch").args(DOWNLOAD_OPTIONS).arg(remote);
        let input = tempfile::tempfile().and_then(|mut file| {
            ids.iter().try_for_each(|id| writeln!(file, "{id}"))?;
            file.rewind()?;
            Ok(file)
        });
        Ok(git.stdin(input.map_err(|error| Problem::io(error, std::env::temp_dir()))?))
    }
}

fn download_failure(remote: &str, stderr: &str) -> Problem {
    Problem::DownloadFailed { remote: remote.to_owned(), reason: summarize_errors(stderr) }
}
