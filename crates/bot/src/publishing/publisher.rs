//! Publisher of a run.

use super::comment::LegComment;
use super::culprit::CulpritSource;
use super::fix_pull::{FixPull, is_job};
use super::marker::{CommentMarker, Marker, digest};
use crate::RepoSettings;
use crate::buttons::check_actions;
use crate::publishing::applied_patch::Patched;
use crate::publishing::build_failure::Failing;
use crate::publishing::obsolete_pulls::{Tip, Unneeded, close_unneeded};
use crate::publishing::path_policy::Allowed;
use crate::publishing::publish_result::{Published, Told};
use mend_github::{
    Annotation, AnnotationLevel, CheckState, Conclusion, ForgeError, ForgeResult, NewCheckRun,
    Pull, Repo, Suggestion,
};
use mend_model::CommitId;
use mend_report::ReadRun;
use mend_report::github;
use mend_report::github::{
    Button, LeftOut, MOST_REMARKS, Outcome, Refusal, Remark, Replacement, Story, Telling, Withheld,
    Words, check_title, remarks,
};

/// Name of git-mend check runs.
pub(crate) const CHECK: &str = "git-mend";

/// Identity of a search: each search has one check run.
#[derive(Clone, Debug)]
pub enum Search {
    /// A search that can publish several failures, with one check run each.
    Named(String),
    /// One whose check run has this external id since it began.
    Begun(String),
}

impl Search {
    fn external_id(&self, story: &Story) -> String {
        match self {
            Self::Named(name) => format!("{name}/{}", digest(story.subject())),
            Self::Begun(id) => id.clone(),
        }
    }
}

/// Publisher of one run.
pub struct Publisher<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// The failure.
    pub failing: &'a Failing,
    /// The repository's settings.
    pub settings: RepoSettings,
    /// The identity of the search.
    pub search: Search,
    /// The matrix job, if several publish results for one commit.
    pub leg: Option<String>,
}

impl Publisher<'_> {
    /// Publishes the result of a run. Items for which the token lacks a permission are skipped and reported.
    ///
    /// # Errors
    /// GitHub's error, except for a missing permission. Items published before the error remain, and the next call
    /// continues from there.
    pub async fn publish(&self, run: &ReadRun) -> ForgeResult<Published> {
        let mut published = match self.propose(run).await? {
            Ok(published) => published,
            Err(refused) => return Ok(refused),
        };
        let Published { story, words, remarks, told } = &mut published;
        self.check_run(story, words, remarks, told).await?;
        self.comment(story, words, told).await?;
        self.close_unneeded(told).await;
        Ok(published)
    }

    /// Closes fix pull requests of the failing branch whose culprit was reverted: the current failure has another
    /// cause. An error here does not fail the run. The next publishing job closes them.
    async fn close_unneeded(&self, told: &mut Told) {
        let Some(branch) = &self.failing.branch else { return };
        let tip = Tip { branch, commit: &self.failing.head, green: None };
        let stuck = match close_unneeded(self.repo, tip).await {
            Ok(Unneeded { closed, stuck }) => {
                told.closed = closed;
                stuck
            }
            Err(error) => Some(error),
        };
        let left_out = stuck.map(|error| LeftOut::Denied(Telling::Closing, error.to_string()));
        told.left_out.extend(left_out);
    }

    /// Publishes only the fix of a run. Returns `Err` with a run for a different commit.
    ///
    /// # Errors
    /// As [`Self::publish`].
    pub async fn propose(&self, run: &ReadRun) -> ForgeResult<Result<Published, Published>> {
        let mut told = Told::default();
        let mut story = Story::of(run);
        self.failing.claims.shape(&mut story);
        if let Err(why) = self.is_of_this_commit(&story).await? {
            return Ok(Err(Published::refused(story, why)));
        }
        let culprit = CulpritSource { repo: self.repo, failing: self.failing };
        told.brought = culprit.add_details(&mut story, &mut told).await?;
        let mut words = Words {
            report: self.failing.details_url.clone(),
            failing_pull: self.failing.pull.as_ref().map(|pull| pull.number.0),
            ..Words::default()
        };
        let patched = match self.patched(&story, run).await? {
            Some(Ok(patched)) => Some(patched),
            Some(Err(refusal)) => {
                words.withheld = Some(Withheld::Refused(refusal));
                None
            }
            None => None,
        };
        if let Some(patched) = &patched {
            self.offer(&story, patched, &mut words, &mut told).await?;
        }
        let replacements = patched.map(|one| one.replacements).unwrap_or_default();
        let remarks = remarks(&story, &replacements);
        Ok(Ok(Published { story, words, remarks, told }))
    }

    /// Applies the patch of a run, if the run has a verified one.
    async fn patched(
        &self,
        story: &Story,
        run: &ReadRun,
    ) -> ForgeResult<Option<Result<Patched, Refusal>>> {
        let is_offered = story.is_proved && story.outcome == Outcome::Found;
        let Some(mending) = story.mending.as_ref().filter(|_| is_offered) else {
            return Ok(None);
        };
        let patch = run.patch(&mending.part.file).unwrap_or_default();
        let allowed = Allowed { tests: self.settings.allow_tests };
        Patched::on(self.repo, &self.failing.head, patch, allowed).await.map(Some)
    }

    /// Returns `Ok` if the run is for this commit, or for the merge commit that GitHub made of it.
    async fn is_of_this_commit(&self, story: &Story) -> ForgeResult<Result<(), LeftOut>> {
        let head = &self.failing.head;
        let Some(bad) = story.bad.as_deref() else {
            let is_empty = story.mending.is_none() && story.culprit.is_none();
            return Ok(if is_empty { Ok(()) } else { Err(LeftOut::RunUnnamed) });
        };
        if bad == head.0 {
            return Ok(Ok(()));
        }
        let parents = self.parents(bad).await?;
        if self.failing.pull.is_some() && parents.contains(head) {
            return Ok(Ok(()));
        }
        Ok(Err(LeftOut::RunElsewhere(head.short().to_owned())))
    }

    /// The parents of what may be a commit.
    async fn parents(&self, id: &str) -> ForgeResult<Vec<CommitId>> {
        if !CommitId::is_id(id) {
            return Ok(Vec::new());
        }
        match self.repo.commit(&CommitId(id.to_owned())).await {
            Ok(commit) => Ok(commit.parents),
            Err(ForgeError::NotFound(_) | ForgeError::Invalid(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Proposes the fix: as suggested changes on the failing pull request if it fits the changed lines, or else as a
    /// fix pull request if the repository has a branch for it.
    async fn offer(
        &self,
        story: &Story,
        patched: &Patched,
        words: &mut Words,
        told: &mut Told,
    ) -> ForgeResult<()> {
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
        story: &Story,
        patched: &Patched,
        words: &mut Words,
        told: &mut Told,
    ) -> ForgeResult<()> {
        if told.brought.is_some() {
            words.withheld = Some(Withheld::PutTogether);
            return Ok(());
        }
        let Some(base) = &self.failing.branch else {
            words.withheld = Some(Withheld::NoBranch);
            return Ok(());
        };
        if !self.settings.fix_pull_requests {
            words.withheld = Some(Withheld::NotWanted);
            return Ok(());
        }
        let (failing, labels) = (self.failing, &self.settings.labels);
        let fix = FixPull { repo: self.repo, failing, base, story, patched, labels };
        let set = match fix.set(words).await {
            // The other items are still published.
            Err(ForgeError::Invalid(why) | ForgeError::Conflict(why)) => {
                Ok(Err(Withheld::Forge(why)))
            }
            set => set,
        };
        match told.allowed(Telling::FixPull, set)? {
            Some(Ok(pull)) => {
                words.fix_pull = Some(pull.number.0);
                words.starts_nothing = pull.author.as_ref().is_some_and(is_job);
                told.pull = Some(pull);
            }
            Some(Err(why)) => words.withheld = Some(why),
            None => words.withheld = Some(Withheld::NotAllowed),
        }
        Ok(())
    }

    /// Returns true if the fix was suggested on lines that the pull request shows.
    async fn suggest(
        &self,
        story: &Story,
        pull: &Pull,
        patched: &Patched,
        told: &mut Told,
    ) -> ForgeResult<bool> {
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
        let marker = Marker::suggestion(&self.failing.head, story).to_string();
        let body = github::suggestion_intro(story, &marker);
        match self.repo.suggest(pull, &marker, &body, &suggestions).await {
            // A line that the pull request does not show.
            Err(ForgeError::Invalid(_)) => Ok(false),
            answer => Ok(told.allowed(Telling::Suggestions, answer)?.is_some()),
        }
    }

    async fn check_run(
        &self,
        story: &Story,
        words: &Words,
        remarks: &[Remark],
        told: &mut Told,
    ) -> ForgeResult<()> {
        let annotation = |remark: &Remark| Annotation {
            path: remark.path.clone(),
            start_line: remark.first,
            end_line: remark.last,
            annotation_level: AnnotationLevel::Failure,
            title: remark.title.clone(),
            message: remark.message.clone(),
        };
        let unmarked = remarks.len().saturating_sub(MOST_REMARKS);
        let words = &Words { unmarked, ..words.clone() };
        // The tests' own check is the one that blocks; this one explains.
        let run = NewCheckRun {
            name: self.leg.as_deref().map_or_else(|| CHECK.to_owned(), check_of_leg),
            head: self.failing.head.clone(),
            state: CheckState::Completed(Conclusion::Neutral),
            started_at: None,
            title: check_title(story),
            summary: github::summary(story, words),
            annotations: remarks.iter().take(MOST_REMARKS).map(annotation).collect(),
            external_id: self.search.external_id(story),
            details_url: self.failing.details_url.clone(),
            actions: self.buttons(words).map(|buttons| check_actions(&buttons)),
        };
        told.check_run = told.allowed(Telling::CheckRun, self.repo.set_check_run(&run).await)?;
        Ok(())
    }

    /// Returns the buttons of a check run with a result. Check runs of jobs have none, because GitHub notifies only
    /// Apps.
    fn buttons(&self, words: &Words) -> Option<Vec<Button>> {
        match self.search {
            Search::Named(_) => None,
            Search::Begun(_) if words.withheld == Some(Withheld::NotWanted) => {
                Some(vec![Button::Retry, Button::Fix])
            }
            Search::Begun(_) => Some(vec![Button::Retry]),
        }
    }

    /// Comments on the failing pull request or, if several are merged together, on the one with the culprit. Without a
    /// finding there is no comment.
    async fn comment(&self, story: &Story, words: &Words, told: &mut Told) -> ForgeResult<()> {
        let failing = self.failing.pull.as_ref().map(|pull| pull.number);
        let number =
            if self.failing.queue.is_some() { told.brought } else { told.brought.or(failing) };
        let is_to_be = story.outcome == Outcome::Found && self.settings.comment;
        let Some(number) = number.filter(|_| is_to_be) else {
            return Ok(());
        };
        let teller = (self.failing.workflow.as_deref(), self.leg.as_deref());
        let marker = CommentMarker::new(teller, &self.failing.head, story);
        let comment = LegComment { repo: self.repo, pull: number, marker, story, words };
        told.comment = told.allowed(Telling::Comment, comment.set().await)?;
        Ok(())
    }
}

/// Returns the name of a matrix job's check run.
fn check_of_leg(leg: &str) -> String {
    github::title(&format!("{CHECK} ({leg})"))
}
