//! Downloads of history that a shallow clone lacks.

use crate::program::summarize_errors;
use crate::{Git, Repository};
use mend_model::{Problem, Result};

/// Number of commits of the first download; each further one doubles it.
const FIRST_STEP: u32 = 64;

/// Number of commits that git interprets as the whole history.
const INFINITE_DEPTH: u32 = i32::MAX.unsigned_abs();

impl Repository {
    /// Runs an action that may need more history than a shallow clone has. If the user agreed, deepens the clone until
    /// the action succeeds.
    pub(super) fn with_enough_history<T>(&self, action: impl Fn() -> Result<T>) -> Result<T> {
        let mut step = FIRST_STEP;
        loop {
            match action() {
                Err(Problem::IncompleteClone { kind: "shallow", .. })
                    if self.download_policy().deepens_history && self.deepen(step)? =>
                {
                    step = step.saturating_mul(2);
                }
                result => return result,
            }
        }
    }

    /// Downloads older commits. Returns false if there was nothing to download.
    ///
    /// # Errors
    /// [`Problem::DownloadFailed`], [`Problem::Interrupted`].
    fn deepen(&self, commits: u32) -> Result<bool> {
        let state = self.clone_state();
        if !state.is_shallow() {
            return Ok(false);
        }
        let remote = self.default_remote()?;
        let git = Git::for_git_dir(self.work_tree_git_dir()).with_network();
        let depth = if commits >= INFINITE_DEPTH / 2 { INFINITE_DEPTH } else { commits };
        let options = [
            "--quiet",
            "--no-auto-maintenance",
            "--no-write-fetch-head",
            "--recurse-submodules=no",
        ];
        let deepen = format!("--deepen={depth}");
        let output = git.arg("fetch").args(options).args([&deepen, &remote]);
        let output = self.download_policy().run(output)?;
        if !output.is_success() {
            let reason = summarize_errors(&output.stderr);
            return Err(Problem::DownloadFailed { remote, reason });
        }
        self.reload_clone_state()?;
        Ok(self.clone_state().shallow_boundary() != state.shallow_boundary())
    }

    /// Returns the remote of the branch that is checked out, or else `origin`, or else the only remote.
    fn default_remote(&self) -> Result<String> {
        let branch = self.git().args(["symbolic-ref", "--quiet", "--short", "HEAD"]).output()?;
        let branch = String::from_utf8_lossy(&branch.stdout).trim().to_owned();
        if let Some(remote) = self.read_setting(&format!("branch.{branch}.remote"))? {
            return Ok(remote);
        }
        let remotes = self.git().arg("remote").output()?.stdout;
        let remotes = String::from_utf8_lossy(&remotes);
        let mut remotes = remotes.lines();
        Ok(match (remotes.next(), remotes.next()) {
            (Some(remote), None) => remote.to_owned(),
            _ => "origin".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::DownloadPolicy;
    use crate::testing::TestRepository;

    /// Git downloads a tag with its commit, so similar tags near the branch say nothing about older ones.
    #[test]
    fn clone_is_deepened_until_a_tag_is_there() {
        let origin = TestRepository::new();
        origin.write("file", b"1").commit("first");
        origin.git(&["tag", "release-1"]);
        for _ in 0..70 {
            origin.git(&["commit", "--allow-empty", "-m", "later"]);
        }
        origin.git(&["tag", "release-2"]);
        let clone = origin.clone_with(&["--depth=1"]);
        assert!(clone.open().resolve("release-1").is_err());
        let policy = DownloadPolicy { deepens_history: true, ..DownloadPolicy::default() };
        let repository = clone.open().with_downloads(policy, clone.path());
        assert_eq!(repository.resolve("release-1").unwrap().summary, "first");
    }
}
