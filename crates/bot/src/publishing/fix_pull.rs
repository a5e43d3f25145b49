//! Fix pull requests: one for each failing branch, test and culprit. Creates, updates and closes them.

use super::digest::digest;
use super::failure_metadata::FailureMetadata;
use super::marker::{FixMetadata, TextMarker};
use crate::own_branches::{OWN_BRANCH_PREFIX, is_own_branch};
use crate::publishing::applied_patch::AppliedPatch;
use crate::publishing::build_failure::BuildFailure;
use crate::reverts::find_revert;
use mend_github::{
    ApiError, ApiResult, GitHubCommit, Login, NewCommit, NewPull, Pull, PullState, Repo,
};
use mend_model::CommitId;
use mend_report::github::{
    GitHubReport, NoPullReason, TextContext, format_commit_message, format_pull_body,
    format_pull_title,
};

/// Fix pull request to publish.
pub(super) struct FixPull<'a> {
    pub(super) repo: &'a Repo,
    pub(super) failure: &'a BuildFailure,
    /// Failing branch.
    pub(super) base_branch: &'a str,
    pub(super) report: &'a GitHubReport,
    pub(super) applied_patch: &'a AppliedPatch,
}

impl FixPull<'_> {
    /// Creates or updates the pull request. Returns `Err` with the reason if there must be no pull request.
    pub(super) async fn publish(
        &self,
        context: &TextContext,
    ) -> ApiResult<Result<Pull, NoPullReason>> {
        // The second name is used if the first branch has another patch, from an earlier or concurrent job.
        let [branch, other] =
            [self.branch_name(), format!("{}-{}", self.branch_name(), self.patch_digest())];
        match self.publish_on(&branch, context).await {
            Err(ApiError::Conflict(_)) => self.publish_on(&other, context).await,
            set => set,
        }
    }

    async fn publish_on(
        &self,
        branch: &str,
        context: &TextContext,
    ) -> ApiResult<Result<Pull, NoPullReason>> {
        let pulls: Vec<Pull> = self.repo.list_pulls_from(branch).await?;
        let was_closed_by_us = |pull: &Pull| {
            let is_by_us =
                TextMarker::is_settled(&pull.body) || TextMarker::is_settling(&pull.body);
            pull.state != PullState::Open && is_by_us
        };
        let pulls: Vec<Pull> = pulls.into_iter().filter(|pull| !was_closed_by_us(pull)).collect();
        let find_state = |find_state| pulls.iter().find(|pull| pull.state == find_state);
        if let Some(open) = find_state(PullState::Open) {
            return self.update_or_defer(open, context).await;
        }
        if let Some(merged) = find_state(PullState::Merged) {
            return Ok(Err(NoPullReason::Merged(merged.number.0)));
        }
        if let Some(closed) = find_state(PullState::Closed) {
            return Ok(Err(NoPullReason::Closed(closed.number.0)));
        }
        if let Some(first) = self.similar_open_pulls().await?.into_iter().next() {
            return Ok(self.defer_to(first));
        }
        if let Some(reason) = self.nothing_to_fix_reason().await? {
            return Ok(Err(reason));
        }
        let created = self.create(branch, context).await?;
        self.update_or_defer(&created, context).await
    }

    /// Returns the reason if there is nothing left to fix: a commit reverted the culprit, or a forced push replaced the
    /// history of the branch.
    async fn nothing_to_fix_reason(&self) -> ApiResult<Option<NoPullReason>> {
        let (Some(culprit), Some(tip)) =
            (self.culprit_id(), self.repo.get_branch_head(self.base_branch).await?)
        else {
            return Ok(None);
        };
        if tip == self.failure.head {
            return Ok(None);
        }
        match find_revert(self.repo, &culprit, (&self.failure.head, &tip)).await {
            Ok(by) => Ok(by.map(|by| NoPullReason::CulpritReverted(by.id.short().to_owned()))),
            Err(ApiError::NotFound(_)) => Ok(Some(NoPullReason::NoBranch)),
            Err(error) => Err(error),
        }
    }

    fn culprit_id(&self) -> Option<CommitId> {
        let culprit = self.report.culprit_commit.as_ref()?;
        CommitId::is_full_id(&culprit.commit).then(|| CommitId(culprit.commit.clone()))
    }

    /// Updates an existing pull request, or closes it in favour of an earlier one: another job may have created one at
    /// the same time, and all jobs see them in the same order.
    async fn update_or_defer(
        &self,
        pull: &Pull,
        context: &TextContext,
    ) -> ApiResult<Result<Pull, NoPullReason>> {
        if TextMarker::is_settled(&pull.body) {
            // A user reopened the pull request and maintains it.
            return Ok(Ok(pull.clone()));
        }
        match self.similar_open_pulls().await?.into_iter().next() {
            Some(first) if first.number < pull.number => {
                close_settled(self.repo, pull).await?;
                Ok(self.defer_to(first))
            }
            _ => self.update(pull, context).await.map(Ok),
        }
    }

    /// Creates the branch with the commit, and the pull request.
    async fn create(&self, branch: &str, context: &TextContext) -> ApiResult<Pull> {
        let (headline, body) = format_commit_message(self.report);
        let commit = NewCommit {
            branch: branch.to_owned(),
            parent: self.failure.head.clone(),
            headline,
            body,
            changes: self.applied_patch.changes.clone(),
        };
        let commit = self.repo.create_commit(&commit).await?;
        let context = with_author_notes(context, &commit, commit.login.as_ref());
        let new = NewPull {
            title: format_pull_title(self.report),
            body: format_pull_body(self.report, &self.format_marker(Some(&commit.id)), &context),
            head: branch.to_owned(),
            base: self.base_branch.to_owned(),
            draft: false,
        };
        self.repo.create_pull(&new).await
    }

    /// Returns the open fix pull requests for the same branch with the same culprit or the same patch, oldest first.
    async fn similar_open_pulls(&self) -> ApiResult<Vec<Pull>> {
        let branch_prefix = self
            .report
            .culprit_commit
            .as_ref()
            .map(|one| format!("{OWN_BRANCH_PREFIX}{}-", one.short_id()));
        let is_similar = |pull: &Pull| {
            let is_own = is_own_pull(self.repo, pull, self.base_branch);
            let is_for_culprit = branch_prefix
                .as_ref()
                .is_some_and(|branch_prefix| pull.head_branch.starts_with(branch_prefix));
            is_own
                && !TextMarker::is_settling(&pull.body)
                && (is_for_culprit || self.has_same_patch(pull))
        };
        let mut pulls: Vec<Pull> =
            self.repo.list_open_pulls().await?.into_iter().filter(is_similar).collect();
        pulls.sort_by_key(|pull| pull.number);
        Ok(pulls)
    }

    /// Returns the existing pull request, or the reason to leave it unchanged.
    fn defer_to(&self, first: Pull) -> Result<Pull, NoPullReason> {
        if self.has_same_patch(&first) {
            Ok(first)
        } else {
            Err(NoPullReason::SameCulprit(first.number.0))
        }
    }

    /// Returns true if the marker of a pull request names this patch for this version.
    fn has_same_patch(&self, pull: &Pull) -> bool {
        let is_same_fix = |one: &FixMetadata| {
            one.failure.failing_commit == self.failure.head && one.is_patch(self.patch_text())
        };
        TextMarker::parse_fix(&pull.body).as_ref().is_some_and(is_same_fix)
    }

    /// Updates title and text if necessary. A pull request with another patch keeps its text, which describes
    /// that patch.
    async fn update(&self, pull: &Pull, context: &TextContext) -> ApiResult<Pull> {
        let metadata = TextMarker::parse_fix(&pull.body)
            .filter(|metadata| metadata.is_patch(self.patch_text()));
        let Some(metadata) = metadata else { return Ok(pull.clone()) };
        let context = with_author_notes(
            context,
            &self.repo.get_commit(&pull.head).await?,
            pull.author.as_ref(),
        );
        let marker = self.format_marker(metadata.pushed_head.as_ref());
        let (title, body) =
            (format_pull_title(self.report), format_pull_body(self.report, &marker, &context));
        if pull.title == title && pull.body.trim() == body.trim() {
            return Ok(pull.clone());
        }
        self.repo.update_pull(pull.number, &title, &body).await
    }

    fn format_marker(&self, head: Option<&CommitId>) -> String {
        let workflow = self.failure.workflow.as_deref();
        let culprit = self.culprit_id();
        let failure = FailureMetadata::new(&self.failure.head, culprit.as_ref(), workflow);
        TextMarker::fix(&failure, self.patch_text(), head).to_string()
    }

    fn patch_text(&self) -> &str {
        self.report.fix.as_ref().map_or("", |mending| mending.patch.text.as_str())
    }

    /// Returns a digest of the patch and the failing commit.
    fn patch_digest(&self) -> String {
        digest(&format!("{}\n{}", self.failure.head, self.patch_text()))[..6].to_owned()
    }

    /// Returns the branch name, which consists of the culprit and the test, so that each combination has one branch.
    fn branch_name(&self) -> String {
        let culprit = self
            .report
            .culprit_commit
            .as_ref()
            .map_or(self.failure.head.short(), |one| one.short_id());
        format_branch_name(culprit, self.report.subject(), self.base_branch)
    }
}

/// Adds notes about the author of the commit and of the pull request. GitHub signs commits of Apps and of its own
/// pages, but not all others.
fn with_author_notes(
    context: &TextContext,
    commit: &GitHubCommit,
    author: Option<&Login>,
) -> TextContext {
    let needs_workflow_trigger = author.is_some_and(is_job_account);
    TextContext { needs_workflow_trigger, is_unverified: !commit.is_verified, ..context.clone() }
}

/// Returns true for the account of a job's token. GitHub starts no workflows for its pull requests.
pub(super) fn is_job_account(login: &Login) -> bool {
    login.0 == "github-actions[bot]"
}

/// Returns a branch name that git and every shell accept: `git-mend/87914ddf3a-bakery-TillTest-dozen-a1b2c3`. The
/// digits at the end are a digest of the test and the failing branch.
fn format_branch_name(culprit: &str, subject: &str, base: &str) -> String {
    let name_parts =
        subject.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug: String = name_parts.collect::<Vec<_>>().join("-").chars().take(60).collect();
    format!(
        "{OWN_BRANCH_PREFIX}{culprit}-{}-{}",
        slug.trim_end_matches('-'),
        &digest(&format!("{subject}\n{base}"))[..6]
    )
}

/// Closes a pull request that is no longer needed, so that git-mend may open it again later; one that a user closed
/// stays closed. The marker is written first. Then the branch is deleted, which closes the pull request too, so it
/// never looks closed by a user. A branch with pushes from other users is kept.
pub(super) async fn close_settled(repo: &Repo, pull: &Pull) -> ApiResult<()> {
    let [settling_body, settled_body] = TextMarker::settling_and_settled(&pull.body);
    if !TextMarker::is_settling(&pull.body) {
        repo.update_pull(pull.number, &pull.title, &settling_body).await?;
    }
    let pushed_head = TextMarker::parse_fix(&pull.body).and_then(|marker| marker.pushed_head);
    if pushed_head.is_some() && repo.get_branch_head(&pull.head_branch).await? == pushed_head {
        repo.delete_branch(&pull.head_branch).await?;
    }
    repo.close_pull(pull.number, &settled_body).await
}

/// Returns true for a git-mend pull request for this branch: only users with write access can create branches with that
/// prefix.
pub(super) fn is_own_pull(repo: &Repo, pull: &Pull, base: &str) -> bool {
    pull.base_branch == base
        && is_own_branch(&pull.head_branch)
        && pull.head_repo.as_ref() == Some(repo.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_name_is_safe_and_unique() {
        let name = format_branch_name("87914ddf3a", "a.B#c[1] $(rm -rf ~)\n@{-1}..", "main");
        assert!(name.starts_with("git-mend/87914ddf3a-a-B-c-1-rm-rf-1-"), "{name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-/".contains(c)), "{name}");
        assert_ne!(
            format_branch_name("x", "a.B#c", "main"),
            format_branch_name("x", "a.B.c", "main")
        );
        assert_ne!(
            format_branch_name("x", "a.B#c", "main"),
            format_branch_name("x", "a.B#c", "next")
        );
    }
}
