//! Fix pull request: one for each version and test. It is created once, updated, and closed when it is no longer
//! needed.

use super::marker::{FixMetadata, TextMarker, digest};
use crate::own_branches::{OWN_BRANCHES, is_own_branch};
use crate::publishing::applied_patch::AppliedPatch;
use crate::publishing::build_failure::BuildFailure;
use crate::reverts::taken_back_by;
use mend_github::{
    ApiError, ApiResult, GitHubCommit, Login, NewCommit, NewPull, Pull, PullState, Repo,
};
use mend_model::CommitId;
use mend_report::github::{
    GitHubReport, NoPullReason, TextContext, commit_message, pull_body, pull_title,
};

/// Fix pull request to publish.
pub(super) struct FixPull<'a> {
    pub(super) repo: &'a Repo,
    pub(super) failing: &'a BuildFailure,
    /// The branch that fails.
    pub(super) base: &'a str,
    pub(super) story: &'a GitHubReport,
    pub(super) patched: &'a AppliedPatch,
    pub(super) labels: &'a [String],
}

impl FixPull<'_> {
    /// Creates or updates the pull request. Returns `Err` with the reason if there must be none.
    pub(super) async fn publish(
        &self,
        words: &TextContext,
    ) -> ApiResult<Result<Pull, NoPullReason>> {
        // The second name is for where an earlier attempt, or one that is just being made, has another patch on the
        // first.
        let [usual, other] = [self.branch(), format!("{}-{}", self.branch(), self.version())];
        match self.set_on(&usual, words).await {
            Err(ApiError::Conflict(_)) => self.set_on(&other, words).await,
            set => set,
        }
    }

    async fn set_on(
        &self,
        branch: &str,
        words: &TextContext,
    ) -> ApiResult<Result<Pull, NoPullReason>> {
        let known: Vec<Pull> = self.repo.pulls_from(branch).await?;
        let is_settled = |pull: &Pull| {
            let is_by_us =
                TextMarker::is_settled(&pull.body) || TextMarker::is_settling(&pull.body);
            pull.state != PullState::Open && is_by_us
        };
        let known: Vec<Pull> = known.into_iter().filter(|pull| !is_settled(pull)).collect();
        let state = |state| known.iter().find(|pull| pull.state == state);
        if let Some(open) = state(PullState::Open) {
            return self.kept(open, words).await;
        }
        if let Some(merged) = state(PullState::Merged) {
            return Ok(Err(NoPullReason::Merged(merged.number.0)));
        }
        if let Some(closed) = state(PullState::Closed) {
            return Ok(Err(NoPullReason::Closed(closed.number.0)));
        }
        if let Some(first) = self.of_same_culprit().await?.into_iter().next() {
            return Ok(self.left_to(first));
        }
        if let Some(why) = self.is_taken_back().await? {
            return Ok(Err(why));
        }
        let made = self.make(branch, words).await?;
        self.kept(&made, words).await
    }

    /// Returns the reason if there is nothing left to fix: the branch reverted the culprit in the meantime, or a forced
    /// push replaced its history.
    async fn is_taken_back(&self) -> ApiResult<Option<NoPullReason>> {
        let (Some(culprit), Some(tip)) = (self.culprit(), self.repo.branch(self.base).await?)
        else {
            return Ok(None);
        };
        if tip == self.failing.head {
            return Ok(None);
        }
        match taken_back_by(self.repo, &culprit, (&self.failing.head, &tip)).await {
            Ok(by) => Ok(by.map(|by| NoPullReason::CulpritReverted(by.id.short().to_owned()))),
            Err(ApiError::NotFound(_)) => Ok(Some(NoPullReason::NoBranch)),
            Err(error) => Err(error),
        }
    }

    fn culprit(&self) -> Option<CommitId> {
        let blame = self.story.blame.as_ref()?;
        CommitId::is_id(&blame.commit).then(|| CommitId(blame.commit.clone()))
    }

    /// Updates an existing pull request, or closes it in favour of an earlier one: another job may have created one at
    /// the same time, and all jobs see them in the same order.
    async fn kept(
        &self,
        pull: &Pull,
        words: &TextContext,
    ) -> ApiResult<Result<Pull, NoPullReason>> {
        if TextMarker::is_settled(&pull.body) {
            // A user reopened it and maintains it.
            return Ok(Ok(pull.clone()));
        }
        match self.of_same_culprit().await?.into_iter().next() {
            Some(first) if first.number < pull.number => {
                settle(self.repo, pull).await?;
                Ok(self.left_to(first))
            }
            _ => self.retold(pull, words).await.map(Ok),
        }
    }

    /// Creates the branch with the commit, and the pull request.
    async fn make(&self, branch: &str, words: &TextContext) -> ApiResult<Pull> {
        let (headline, body) = commit_message(self.story);
        let commit = NewCommit {
            branch: branch.to_owned(),
            parent: self.failing.head.clone(),
            headline,
            body,
            changes: self.patched.changes.clone(),
        };
        let commit = self.repo.commit_on_branch(&commit).await?;
        let words = with_maker(words, &commit, commit.login.as_ref());
        let new = NewPull {
            title: pull_title(self.story),
            body: pull_body(self.story, &self.marker(Some(&commit.id)), &words),
            head: branch.to_owned(),
            base: self.base.to_owned(),
            draft: false,
        };
        self.repo.create_pull(&new).await
    }

    /// Returns the open fix pull requests for the same branch with the same culprit or the same patch, oldest first.
    async fn of_same_culprit(&self) -> ApiResult<Vec<Pull>> {
        let culprit =
            self.story.blame.as_ref().map(|one| format!("{OWN_BRANCHES}{}-", one.short()));
        let is_it = |pull: &Pull| {
            let is_ours = is_ours(self.repo, pull, self.base);
            let is_of_culprit =
                culprit.as_ref().is_some_and(|culprit| pull.head_branch.starts_with(culprit));
            is_ours
                && !TextMarker::is_settling(&pull.body)
                && (is_of_culprit || self.has_patch(pull))
        };
        let mut all: Vec<Pull> = self.repo.open_pulls().await?.into_iter().filter(is_it).collect();
        all.sort_by_key(|pull| pull.number);
        Ok(all)
    }

    /// Returns the existing pull request, or the reason to leave it unchanged.
    fn left_to(&self, first: Pull) -> Result<Pull, NoPullReason> {
        if self.has_patch(&first) {
            Ok(first)
        } else {
            Err(NoPullReason::SameCulprit(first.number.0))
        }
    }

    /// Returns true if the marker of a pull request names this patch for this version.
    fn has_patch(&self, pull: &Pull) -> bool {
        let is_it = |one: &FixMetadata| one.bad == self.failing.head && one.is_patch(self.patch());
        TextMarker::mended(&pull.body).as_ref().is_some_and(is_it)
    }

    /// Updates labels, title and text if necessary. A pull request with another patch keeps its text, which describes
    /// that patch.
    async fn retold(&self, open: &Pull, words: &TextContext) -> ApiResult<Pull> {
        if open.labels.is_empty() && !self.labels.is_empty() {
            self.repo.label(open.number, self.labels).await?;
        }
        let mended = TextMarker::mended(&open.body).filter(|mended| mended.is_patch(self.patch()));
        let Some(mended) = mended else { return Ok(open.clone()) };
        let words = with_maker(words, &self.repo.commit(&open.head).await?, open.author.as_ref());
        let marker = self.marker(mended.head.as_ref());
        let (title, body) = (pull_title(self.story), pull_body(self.story, &marker, &words));
        if open.title == title && open.body.trim() == body.trim() {
            return Ok(open.clone());
        }
        self.repo.retell_pull(open.number, &title, &body).await
    }

    fn marker(&self, head: Option<&CommitId>) -> String {
        let workflow = self.failing.workflow.as_deref();
        let culprit = self.culprit();
        let of = (&self.failing.head, culprit.as_ref());
        TextMarker::fix(of, (self.patch(), head), workflow).to_string()
    }

    fn patch(&self) -> &str {
        self.story.mending.as_ref().map_or("", |mending| mending.part.text.as_str())
    }

    /// Returns a digest of the patch and the failing commit.
    fn version(&self) -> String {
        digest(&format!("{}\n{}", self.failing.head, self.patch()))[..6].to_owned()
    }

    /// Returns the branch name, which consists of the culprit and the test, so that each combination has one branch.
    fn branch(&self) -> String {
        let culprit =
            self.story.blame.as_ref().map_or(self.failing.head.short(), |one| one.short());
        branch_name(culprit, self.story.subject(), self.base)
    }
}

/// Adds notes about the author of the commit and of the pull request. GitHub signs commits of Apps and of its own
/// pages, but not all others.
fn with_maker(words: &TextContext, commit: &GitHubCommit, maker: Option<&Login>) -> TextContext {
    let starts_nothing = maker.is_some_and(is_job);
    TextContext { starts_nothing, is_unverified: !commit.is_verified, ..words.clone() }
}

/// Returns true for the account of a job's token. GitHub starts no workflows for its pull requests.
pub(super) fn is_job(maker: &Login) -> bool {
    maker.0 == "github-actions[bot]"
}

/// Returns a branch name that git and every shell accept: `git-mend/87914ddf3a-bakery-TillTest-dozen-a1b2c3`. The
/// digits at the end are a digest of the test and the failing branch.
fn branch_name(culprit: &str, subject: &str, base: &str) -> String {
    let words = subject.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug: String = words.collect::<Vec<_>>().join("-").chars().take(60).collect();
    format!(
        "{OWN_BRANCHES}{culprit}-{}-{}",
        slug.trim_end_matches('-'),
        &digest(&format!("{subject}\n{base}"))[..6]
    )
}

/// Closes a pull request that is no longer needed, so that git-mend may open it again later; one that a user closed
/// stays closed. The marker is written first. Then the branch is deleted, which closes the pull request too, so it
/// never looks closed by a user. A branch with pushes from other users is kept.
pub(super) async fn settle(repo: &Repo, pull: &Pull) -> ApiResult<()> {
    let [settling, settled] = TextMarker::settle(&pull.body);
    if !TextMarker::is_settling(&pull.body) {
        repo.retell_pull(pull.number, &pull.title, &settling).await?;
    }
    let pushed = TextMarker::mended(&pull.body).and_then(|mended| mended.head);
    if pushed.is_some() && repo.branch(&pull.head_branch).await? == pushed {
        repo.delete_branch(&pull.head_branch).await?;
    }
    repo.close_pull(pull.number, &settled).await
}

/// Returns true for a git-mend pull request for this branch: only users with write access can create branches with that
/// prefix.
pub(super) fn is_ours(repo: &Repo, pull: &Pull, base: &str) -> bool {
    pull.base_branch == base
        && is_own_branch(&pull.head_branch)
        && pull.head_repo.as_ref() == Some(repo.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_has_a_name_that_nothing_misreads() {
        let name = branch_name("87914ddf3a", "a.B#c[1] $(rm -rf ~)\n@{-1}..", "main");
        assert!(name.starts_with("git-mend/87914ddf3a-a-B-c-1-rm-rf-1-"), "{name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-/".contains(c)), "{name}");
        assert_ne!(branch_name("x", "a.B#c", "main"), branch_name("x", "a.B.c", "main"));
        assert_ne!(branch_name("x", "a.B#c", "main"), branch_name("x", "a.B#c", "next"));
    }
}
