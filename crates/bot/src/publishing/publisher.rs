//! Publisher of a run.

use super::comment::MatrixJobComment;
use super::culprit::CulpritLookup;
use super::fix_pull::{FixPull, is_job};
use super::marker::{CommentMarker, TextMarker, digest};
use crate::RepoSettings;
use crate::buttons::check_actions;
use crate::publishing::applied_patch::AppliedPatch;
use crate::publishing::build_failure::BuildFailure;
use crate::publishing::obsolete_pulls::{BranchTip, ObsoletePulls, close_unneeded};
use crate::publishing::path_policy::PathPolicy;
use crate::publishing::publish_result::{PublishResult, PublishedRun};
use mend_github::{
    Annotation, AnnotationLevel, ApiError, ApiResult, CheckRunStatus, Conclusion, NewCheckRun,
    Pull, Repo, Suggestion,
};
use mend_model::CommitId;
use mend_report::SavedRun;
use mend_report::github;
use mend_report::github::{
    Button, FailureAnnotation, FixRefusal, GitHubReport, MOST_REMARKS, NoPullReason, OutputKind,
    Replacement, SearchOutcome, SkippedOutput, TextContext, check_title, remarks,
};

/// Name of git-mend check runs.
pub(crate) const CHECK: &str = "git-mend";

/// Identity of a search: each search has one check run.
#[derive(Clone, Debug)]
pub enum SearchIdentity {
    /// A search that can publish several failures, with one check run each.
    Named(String),
    /// Search whose check run has had this external id since its start.
    CheckRun(String),
}

impl SearchIdentity {
    fn external_id(&self, story: &GitHubReport) -> String {
        match self {
            Self::Named(name) => format!("{name}/{}", digest(story.subject())),
            Self::CheckRun(id) => id.clone(),
        }
    }
}

/// Publisher of one run.
pub struct Publisher<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// The failure.
    pub failing: &'a BuildFailure,
    /// The repository's settings.
    pub settings: RepoSettings,
    /// The identity of the search.
    pub search: SearchIdentity,
    /// The matrix job, if several publish results for one commit.
    pub leg: Option<String>,
}

impl Publisher<'_> {
    /// Publishes the result of a run. Items for which the token lacks a permission are skipped and reported.
    ///
    /// # Errors
    /// GitHub's error, except for a missing permission. Items published before the error remain, and the next call
    /// continues from there.
    pub async fn publish(&self, run: &SavedRun) -> ApiResult<PublishedRun> {
        let mut published = match self.propose(run).await? {
            Ok(published) => published,
            Err(refused) => return Ok(refused),
        };
        let PublishedRun { story, words, remarks, told } = &mut published;
        self.check_run(story, words, remarks, told).await?;
        self.comment(story, words, told).await?;
        self.close_unneeded(told).await;
        Ok(published)
    }

    /// Closes fix pull requests of the failing branch whose culprit was reverted: the current failure has another
    /// cause. An error here does not fail the run. The next publishing job closes them.
    async fn close_unneeded(&self, told: &mut PublishResult) {
        let Some(branch) = &self.failing.branch else { return };
        let tip = BranchTip { branch, commit: &self.failing.head, green: None };
        let stuck = match close_unneeded(self.repo, tip).await {
            Ok(ObsoletePulls { closed, stuck }) => {
                told.closed = closed;
                stuck
            }
            Err(error) => Some(error),
        };
        let left_out =
            stuck.map(|error| SkippedOutput::Denied(OutputKind::Closing, error.to_string()));
        told.left_out.extend(left_out);
    }

    /// Publishes only the fix of a run. Returns `Err` with a run for a different commit.
    ///
    /// # Errors
    /// Those of [`Self::publish`].
    pub async fn propose(&self, run: &SavedRun) -> ApiResult<Result<PublishedRun, PublishedRun>> {
        let mut told = PublishResult::default();
        let mut story = GitHubReport::from_run(run);
        self.failing.claims.shape(&mut story);
        if let Err(why) = self.is_of_this_commit(&story).await? {
            return Ok(Err(PublishedRun::refused(story, why)));
        }
        let culprit = CulpritLookup { repo: self.repo, failing: self.failing };
        told.brought = culprit.add_details(&mut story, &mut told).await?;
        let mut words = TextContext {
            report: self.failing.details_url.clone(),
            failing_pull: self.failing.pull.as_ref().map(|pull| pull.number.0),
            ..TextContext::default()
        };
        let patched = match self.patched(&story, run).await? {
            Some(Ok(patched)) => Some(patched),
            Some(Err(refusal)) => {
                words.withheld = Some(NoPullReason::UnsuitableFix(refusal));
                None
            }
            None => None,
        };
        if let Some(patched) = &patched {
            self.offer(&story, patched, &mut words, &mut told).await?;
        }
        let replacements = patched.map(|one| one.replacements).unwrap_or_default();
        let remarks = remarks(&story, &replacements);
        Ok(Ok(PublishedRun { story, words, remarks, told }))
    }

    /// Applies the patch of a run, if the run has a verified one.
    async fn patched(
        &self,
        story: &GitHubReport,
        run: &SavedRun,
    ) -> ApiResult<Option<Result<AppliedPatch, FixRefusal>>> {
        let is_offered = story.is_proved && story.outcome == SearchOutcome::Found;
        let Some(mending) = story.mending.as_ref().filter(|_| is_offered) else {
            return Ok(None);
        };
        let patch = run.patch(&mending.part.file).unwrap_or_default();
        let allowed = PathPolicy { tests: self.settings.allow_tests };
        AppliedPatch::apply(self.repo, &self.failing.head, patch, allowed).await.map(Some)
    }

    /// Returns `Ok` if the run is for this commit, or for the merge commit that GitHub made of it.
    async fn is_of_this_commit(
        &self,
        story: &GitHubReport,
    ) -> ApiResult<Result<(), SkippedOutput>> {
        let head = &self.failing.head;
        let Some(bad) = story.bad.as_deref() else {
            let is_empty = story.mending.is_none() && story.culprit.is_none();
            return Ok(if is_empty { Ok(()) } else { Err(SkippedOutput::NoRunCommit) });
        };
        if bad == head.0 {
            return Ok(Ok(()));
        }
        let parents = self.parents(bad).await?;
        if self.failing.pull.is_some() && parents.contains(head) {
            return Ok(Ok(()));
        }
        Ok(Err(SkippedOutput::OtherRunCommit(head.short().to_owned())))
    }

    /// Returns the parents of a commit id, or none if the id is invalid or unknown.
    async fn parents(&self, id: &str) -> ApiResult<Vec<CommitId>> {
        if !CommitId::is_id(id) {
            return Ok(Vec::new());
        }
        match self.repo.commit(&CommitId(id.to_owned())).await {
            Ok(commit) => Ok(commit.parents),
            Err(ApiError::NotFound(_) | ApiError::Invalid(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Proposes the fix: as suggested changes on the failing pull request if it fits the changed lines, or else as a
    /// fix pull request if the repository has a branch for it.
    async fn offer(
        &self,
        story: &GitHubReport,
        patched: &AppliedPatch,
        words: &mut TextContext,
        told: &mut PublishResult,
    ) -> ApiResult<()> {
        if let Some(pull) = self.failing.pull.as_ref().filter(|_| self.settings.suggestions) {
            words.is_suggested = self.suggest(story, pull, patched, told).await?;
            if words.is_suggested {
                return Ok(());
            }
        }
        self.offer_pull(story, patched, words, told).await
    }

    /// Opens a fix pull request, or records the reason for its absence.
    async fn offer_pull(
        &self,
        story: &GitHubReport,
        patched: &AppliedPatch,
        words: &mut TextContext,
        told: &mut PublishResult,
    ) -> ApiResult<()> {
        if told.brought.is_some() {
            words.withheld = Some(NoPullReason::CombinedPulls);
            return Ok(());
        }
        let Some(base) = &self.failing.branch else {
            words.withheld = Some(NoPullReason::NoBranch);
            return Ok(());
        };
        if !self.settings.fix_pull_requests {
            words.withheld = Some(NoPullReason::Disabled);
            return Ok(());
        }
        let (failing, labels) = (self.failing, &self.settings.labels);
        let fix = FixPull { repo: self.repo, failing, base, story, patched, labels };
        let set = match fix.publish(words).await {
            // The other items are still published.
            Err(ApiError::Invalid(why) | ApiError::Conflict(why)) => {
                Ok(Err(NoPullReason::GitHub(why)))
            }
            set => set,
        };
        match told.allowed(OutputKind::FixPull, set)? {
            Some(Ok(pull)) => {
                words.fix_pull = Some(pull.number.0);
                words.starts_nothing = pull.author.as_ref().is_some_and(is_job);
                told.pull = Some(pull);
            }
            Some(Err(why)) => words.withheld = Some(why),
            None => words.withheld = Some(NoPullReason::NoPermission),
        }
        Ok(())
    }

    /// Returns true if the fix was suggested on lines that the pull request shows.
    async fn suggest(
        &self,
        story: &GitHubReport,
        pull: &Pull,
        patched: &AppliedPatch,
        told: &mut PublishResult,
    ) -> ApiResult<bool> {
        let suggestion = |one: &Replacement| Suggestion {
            path: one.path.clone(),
            first: one.first,
            last: one.last,
            body: github::suggestion(story, one),
        };
        // A file that comes or goes has no lines to be replaced.
        if pull.head != self.failing.head
            || patched.replacements.is_empty()
            || patched.has_whole_files
        {
            return Ok(false);
        }
        let suggestions: Vec<_> = patched.replacements.iter().map(suggestion).collect();
        let marker = TextMarker::suggestion(&self.failing.head, story).to_string();
        let body = github::suggestion_intro(story, &marker);
        match self.repo.suggest(pull, &marker, &body, &suggestions).await {
            // A line that the pull request does not show.
            Err(ApiError::Invalid(_)) => Ok(false),
            answer => Ok(told.allowed(OutputKind::Suggestions, answer)?.is_some()),
        }
    }

    async fn check_run(
        &self,
        story: &GitHubReport,
        words: &TextContext,
        remarks: &[FailureAnnotation],
        told: &mut PublishResult,
    ) -> ApiResult<()> {
        let annotation = |remark: &FailureAnnotation| Annotation {
            path: remark.path.clone(),
            start_line: remark.first,
            end_line: remark.last,
            annotation_level: AnnotationLevel::Failure,
            title: remark.title.clone(),
            message: remark.message.clone(),
        };
        let unmarked = remarks.len().saturating_sub(MOST_REMARKS);
        let words = &TextContext { unmarked, ..words.clone() };
        // The tests' own check is the one that blocks; this one explains.
        let run = NewCheckRun {
            name: self.leg.as_deref().map_or_else(|| CHECK.to_owned(), check_of_leg),
            head: self.failing.head.clone(),
            state: CheckRunStatus::Completed(Conclusion::Neutral),
            started_at: None,
            title: check_title(story),
            summary: github::summary(story, words),
            annotations: remarks.iter().take(MOST_REMARKS).map(annotation).collect(),
            external_id: self.search.external_id(story),
            details_url: self.failing.details_url.clone(),
            actions: self.buttons(words).map(|buttons| check_actions(&buttons)),
        };
        told.check_run = told.allowed(OutputKind::CheckRun, self.repo.set_check_run(&run).await)?;
        Ok(())
    }

    /// Returns the buttons of a check run with a result. Check runs of jobs have none, because GitHub notifies only
    /// Apps.
    fn buttons(&self, words: &TextContext) -> Option<Vec<Button>> {
        match self.search {
            SearchIdentity::Named(_) => None,
            SearchIdentity::CheckRun(_) if words.withheld == Some(NoPullReason::Disabled) => {
                Some(vec![Button::Retry, Button::Fix])
            }
            SearchIdentity::CheckRun(_) => Some(vec![Button::Retry]),
        }
    }

    /// Comments on the failing pull request or, if several are merged together, on the one with the culprit. Without a
    /// finding there is no comment.
    async fn comment(
        &self,
        story: &GitHubReport,
        words: &TextContext,
        told: &mut PublishResult,
    ) -> ApiResult<()> {
        let failing = self.failing.pull.as_ref().map(|pull| pull.number);
        let number =
            if self.failing.queue.is_some() { told.brought } else { told.brought.or(failing) };
        let is_to_be = story.outcome == SearchOutcome::Found && self.settings.comment;
        let Some(number) = number.filter(|_| is_to_be) else {
            return Ok(());
        };
        let teller = (self.failing.workflow.as_deref(), self.leg.as_deref());
        let marker = CommentMarker::new(teller, &self.failing.head, story);
        let comment = MatrixJobComment { repo: self.repo, pull: number, marker, story, words };
        told.comment = told.allowed(OutputKind::Comment, comment.publish().await)?;
        Ok(())
    }
}

/// Returns the name of a matrix job's check run.
fn check_of_leg(leg: &str) -> String {
    github::title(&format!("{CHECK} ({leg})"))
}
