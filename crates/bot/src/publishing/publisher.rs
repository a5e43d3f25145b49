//! Publisher of a run: orders the steps, from the check of the commit to the comment.

use super::comment::MatrixJobComment;
use super::comment_marker::{CommentMarker, CommentOrigin};
use super::culprit::CulpritLookup;
use super::digest::digest;
use super::fix_pull::{FixPull, is_job_account};
use super::marker::TextMarker;
use crate::RepoSettings;
use crate::buttons::check_actions;
use crate::publishing::applied_patch::{AppliedPatch, PatchedCommit};
use crate::publishing::build_failure::BuildFailure;
use crate::publishing::obsolete_reason::BranchTip;
use crate::publishing::path_policy::PathPolicy;
use crate::publishing::publish_result::{PublishResult, PublishedRun};
use crate::publishing::settle::settle_branch;
use mend_github::{
    Annotation, AnnotationLevel, ApiError, ApiResult, CheckRunStatus, Conclusion, NewCheckRun,
    Pull, Repo, Suggestion,
};
use mend_model::CommitId;
use mend_report::SavedRun;
use mend_report::github;
use mend_report::github::{
    Button, FailureAnnotation, FixRefusal, GitHubReport, MAX_ANNOTATIONS, NoPullReason, OutputKind,
    Replacement, SearchOutcome, SkippedOutput, TextContext, fix_annotations, format_check_title,
};

/// Name of git-mend check runs.
pub(crate) const CHECK_NAME: &str = "git-mend";

/// Identity of a search: each search has one check run.
#[derive(Clone, Debug)]
pub enum SearchIdentity {
    /// Search that can publish several failures, with one check run each.
    Named(String),
    /// Search that has had one check run, with this external id, since its start.
    CheckRun(String),
}

impl SearchIdentity {
    fn external_id(&self, report: &GitHubReport) -> String {
        match self {
            Self::Named(name) => format!("{name}/{}", digest(report.subject())),
            Self::CheckRun(id) => id.clone(),
        }
    }
}

/// Publisher of one run.
pub struct Publisher<'a> {
    /// Repository to publish to.
    pub repo: &'a Repo,
    /// Failure to report.
    pub failure: &'a BuildFailure,
    /// Settings of the repository.
    pub settings: RepoSettings,
    /// Identity of the search.
    pub search: SearchIdentity,
    /// Matrix job, if several publish results for one commit.
    pub matrix_job: Option<String>,
}

impl Publisher<'_> {
    /// Publishes the result of a run. Items for which the token lacks a permission are skipped and reported. Returns the
    /// reason if nothing is published, because the run is for a different commit.
    ///
    /// # Errors
    /// GitHub's error, except for a missing permission. Items published before the error remain, and the next call
    /// continues from there.
    pub async fn publish(&self, run: &SavedRun) -> ApiResult<Result<PublishedRun, SkippedOutput>> {
        let mut published = match self.publish_fix(run).await? {
            Ok(published) => published,
            Err(reason) => return Ok(Err(reason)),
        };
        let PublishedRun { report, context, annotations, result } = &mut published;
        self.publish_check_run(report, context, annotations, result).await?;
        self.publish_comment(report, context, result).await?;
        self.settle_earlier_failures(result).await;
        Ok(Ok(published))
    }

    /// Ends the output about earlier failures of the branch whose culprit was reverted: the current failure has another
    /// cause. An error does not fail the run, because the next publishing job does the rest.
    async fn settle_earlier_failures(&self, result: &mut PublishResult) {
        let Some((repo, branch)) = self.failure.branch_name(self.repo.name()) else { return };
        let tip = BranchTip { repo, branch, commit: &self.failure.head, passing_checks: None };
        match settle_branch(self.repo, tip).await {
            Ok(settled) => {
                let denied =
                    |(kind, error): (_, &ApiError)| SkippedOutput::Denied(kind, error.to_string());
                result.skipped.extend(settled.errors().map(denied));
                result.settled = settled;
            }
            Err(error) => {
                result.skipped.push(SkippedOutput::Denied(OutputKind::Closing, error.to_string()));
            }
        }
    }

    /// Publishes only the fix of a run. Returns the reason if the run is for a different commit.
    ///
    /// # Errors
    /// Errors of [`Self::publish`].
    pub async fn publish_fix(
        &self,
        run: &SavedRun,
    ) -> ApiResult<Result<PublishedRun, SkippedOutput>> {
        let mut result = PublishResult::default();
        let mut report = GitHubReport::from_run(run);
        self.failure.claims.apply_to(&mut report);
        if let Err(reason) = self.check_run_commit(&report).await? {
            return Ok(Err(reason));
        }
        let culprit = CulpritLookup { repo: self.repo, failure: self.failure };
        result.culprit_pull = culprit.add_details(&mut report, &mut result).await?;
        let mut context = TextContext {
            report_url: self.failure.details_url.clone(),
            failing_pull: self.failure.pull.as_ref().map(|pull| pull.number.0),
            ..TextContext::default()
        };
        let applied = match self.apply_fix(&report, run).await? {
            Some(Ok(applied)) => Some(applied),
            Some(Err(refusal)) => {
                context.no_pull_reason = Some(NoPullReason::UnsuitableFix(refusal));
                None
            }
            None => None,
        };
        if let Some(applied) = &applied {
            context.changes_tests = applied.changes_tests();
            self.propose_fix(&report, applied, &mut context, &mut result).await?;
        }
        let replacements = applied.map(|one| one.replacements).unwrap_or_default();
        let remarks = fix_annotations(&report, &replacements);
        Ok(Ok(PublishedRun { report, context, annotations: remarks, result }))
    }

    /// Applies the patch of a run, if the run has a verified one.
    async fn apply_fix(
        &self,
        report: &GitHubReport,
        run: &SavedRun,
    ) -> ApiResult<Option<Result<AppliedPatch, FixRefusal>>> {
        let is_publishable = report.is_verified && report.outcome == SearchOutcome::Found;
        let Some(fix) = report.fix.as_ref().filter(|_| is_publishable) else {
            return Ok(None);
        };
        let patch = run.patch(&fix.patch.file).unwrap_or_default();
        let base = self.failure.update_base(self.repo.name());
        let policy = PathPolicy {
            allows_tests: self.settings.allow_tests,
            allows_version_edits: base.is_some(),
        };
        let commits = PatchedCommit { head: &self.failure.head, base };
        AppliedPatch::apply(self.repo, commits, patch, policy).await.map(Some)
    }

    /// Returns `Ok` if the run is for this commit, or for the merge commit that GitHub made of it.
    async fn check_run_commit(
        &self,
        report: &GitHubReport,
    ) -> ApiResult<Result<(), SkippedOutput>> {
        let head = &self.failure.head;
        let Some(run_commit) = report.bad.as_deref() else {
            let has_no_patch = report.fix.is_none() && report.culprit.is_none();
            return Ok(if has_no_patch { Ok(()) } else { Err(SkippedOutput::NoRunCommit) });
        };
        if run_commit == head.0 {
            return Ok(Ok(()));
        }
        let parents = self.fetch_parents(run_commit).await?;
        if self.failure.pull.is_some() && parents.contains(head) {
            return Ok(Ok(()));
        }
        Ok(Err(SkippedOutput::OtherRunCommit(head.short().to_owned())))
    }

    /// Returns the parents of a commit id, or none if the id is invalid or unknown.
    async fn fetch_parents(&self, id: &str) -> ApiResult<Vec<CommitId>> {
        if !CommitId::is_full_id(id) {
            return Ok(Vec::new());
        }
        match self.repo.get_commit(&CommitId(id.to_owned())).await {
            Ok(commit) => Ok(commit.parents),
            Err(ApiError::NotFound(_) | ApiError::Invalid(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Proposes the fix: as suggested changes on the failing pull request if it fits the changed lines, or else as a
    /// fix pull request if the repository has a branch for it.
    async fn propose_fix(
        &self,
        report: &GitHubReport,
        patched: &AppliedPatch,
        context: &mut TextContext,
        result: &mut PublishResult,
    ) -> ApiResult<()> {
        if let Some(pull) = self.failure.pull.as_ref().filter(|_| self.settings.suggestions) {
            context.is_suggested = self.suggest_changes(report, pull, patched, result).await?;
            if context.is_suggested {
                return Ok(());
            }
        }
        self.open_fix_pull(report, patched, context, result).await
    }

    /// Opens a fix pull request, or records the reason for its absence.
    async fn open_fix_pull(
        &self,
        report: &GitHubReport,
        patched: &AppliedPatch,
        context: &mut TextContext,
        result: &mut PublishResult,
    ) -> ApiResult<()> {
        if result.culprit_pull.is_some() {
            context.no_pull_reason = Some(NoPullReason::CombinedPulls);
            return Ok(());
        }
        let Some(base) = &self.failure.branch else {
            context.no_pull_reason = Some(NoPullReason::NoBranch);
            return Ok(());
        };
        if !self.settings.fix_pull_requests {
            context.no_pull_reason = Some(NoPullReason::Disabled);
            return Ok(());
        }
        let fix = FixPull {
            repo: self.repo,
            failure: self.failure,
            base_branch: base,
            report,
            applied_patch: patched,
        };
        let set = match fix.publish(context).await {
            // Continues to publish the other items.
            Err(ApiError::Invalid(why) | ApiError::Conflict(why)) => {
                Ok(Err(NoPullReason::GitHub(why)))
            }
            Err(error @ ApiError::NotFound(_)) => Ok(Err(NoPullReason::GitHub(error.to_string()))),
            set => set,
        };
        match result.record_denied(OutputKind::FixPull, set)? {
            Some(Ok(pull)) => {
                context.fix_pull = Some(pull.number.0);
                context.needs_workflow_trigger = pull.author.as_ref().is_some_and(is_job_account);
                self.add_labels(&pull, result).await?;
                result.fix_pull = Some(pull);
            }
            Some(Err(why)) => context.no_pull_reason = Some(why),
            None => context.no_pull_reason = Some(NoPullReason::NoPermission),
        }
        Ok(())
    }

    /// Adds the labels of the settings to a fix pull request that has none, unless a user maintains it.
    async fn add_labels(&self, pull: &Pull, result: &mut PublishResult) -> ApiResult<()> {
        let labels = &self.settings.labels;
        if labels.is_empty() || !pull.labels.is_empty() || TextMarker::is_settled(&pull.body) {
            return Ok(());
        }
        let added = self.repo.add_labels(pull.number, labels).await;
        result.record_denied(OutputKind::Labels, added).map(drop)
    }

    /// Returns true if the fix was suggested on lines that the pull request shows.
    async fn suggest_changes(
        &self,
        report: &GitHubReport,
        pull: &Pull,
        patched: &AppliedPatch,
        result: &mut PublishResult,
    ) -> ApiResult<bool> {
        let suggestion = |one: &Replacement| Suggestion {
            path: one.path.clone(),
            first_line: one.first_line,
            last_line: one.last_line,
            body: github::format_suggestion(report, one),
        };
        // A created or deleted file has no lines to replace.
        if pull.head != self.failure.head
            || patched.replacements.is_empty()
            || patched.has_created_or_deleted_files
        {
            return Ok(false);
        }
        let suggestions: Vec<_> = patched.replacements.iter().map(suggestion).collect();
        let marker = TextMarker::suggestion(&self.failure.head, report).to_string();
        let body = github::format_suggestion_intro(report, &marker);
        match self.repo.create_suggestions(pull, &marker, &body, &suggestions).await {
            // The pull request does not show one of the lines.
            Err(ApiError::Invalid(_)) => Ok(false),
            answer => Ok(result.record_denied(OutputKind::Suggestions, answer)?.is_some()),
        }
    }

    async fn publish_check_run(
        &self,
        report: &GitHubReport,
        context: &TextContext,
        remarks: &[FailureAnnotation],
        result: &mut PublishResult,
    ) -> ApiResult<()> {
        let to_annotation = |remark: &FailureAnnotation| Annotation {
            path: remark.path.clone(),
            start_line: remark.first_line,
            end_line: remark.last_line,
            annotation_level: AnnotationLevel::Failure,
            title: remark.title.clone(),
            message: remark.message.clone(),
        };
        let unannotated_count = remarks.len().saturating_sub(MAX_ANNOTATIONS);
        let context = &TextContext { unannotated_count, ..context.clone() };
        // The check of the tests blocks the merge. This check run only explains.
        let run = NewCheckRun {
            name: self
                .matrix_job
                .as_deref()
                .map_or_else(|| CHECK_NAME.to_owned(), matrix_check_name),
            head: self.failure.head.clone(),
            state: CheckRunStatus::Completed(Conclusion::Neutral),
            started_at: None,
            title: format_check_title(report),
            summary: github::format_summary(report, context),
            annotations: remarks.iter().take(MAX_ANNOTATIONS).map(to_annotation).collect(),
            external_id: self.search.external_id(report),
            details_url: self.failure.details_url.clone(),
            actions: self.result_buttons(context).map(|buttons| check_actions(&buttons)),
        };
        result.check_run =
            result.record_denied(OutputKind::CheckRun, self.repo.set_check_run(&run).await)?;
        Ok(())
    }

    /// Returns the buttons of a check run with a result. Check runs of jobs have none, because GitHub notifies only
    /// Apps.
    fn result_buttons(&self, context: &TextContext) -> Option<Vec<Button>> {
        match self.search {
            SearchIdentity::Named(_) => None,
            SearchIdentity::CheckRun(_)
                if context.no_pull_reason == Some(NoPullReason::Disabled) =>
            {
                Some(vec![Button::Retry, Button::Fix])
            }
            SearchIdentity::CheckRun(_) => Some(vec![Button::Retry]),
        }
    }

    /// Comments on the failing pull request or, if several are merged together, on the one with the culprit. Without a
    /// finding there is no comment.
    async fn publish_comment(
        &self,
        report: &GitHubReport,
        context: &TextContext,
        result: &mut PublishResult,
    ) -> ApiResult<()> {
        // A suspect may be innocent: its pull request gets no comment.
        let culprit_pull = result.culprit_pull.as_ref().filter(|_| report.is_culprit_confirmed);
        let failing_pull = self.failure.pull.as_ref().filter(|_| self.failure.queue.is_none());
        let wants_comment = report.outcome == SearchOutcome::Found && self.settings.comment;
        let Some(pull) = culprit_pull.or(failing_pull).filter(|_| wants_comment) else {
            return Ok(());
        };
        let origin = CommentOrigin {
            repo: self.repo.name(),
            failure: self.failure,
            matrix_job: self.matrix_job.as_deref(),
            combined_target: culprit_pull.map(|pull| pull.base_branch.as_str()),
        };
        let marker = CommentMarker::new(&origin, report);
        let number = pull.number;
        let comment = MatrixJobComment { repo: self.repo, pull: number, marker, report, context };
        result.comment = result.record_denied(OutputKind::Comment, comment.publish().await)?;
        Ok(())
    }
}

/// Returns the name of a matrix job's check run.
fn matrix_check_name(matrix_job: &str) -> String {
    github::one_line_title(&format!("{CHECK_NAME} ({matrix_job})"))
}
