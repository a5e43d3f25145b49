//! `git mend bisect`, from its request to its result.

use super::change::Change;
use super::history::{History, Narrowed};
use super::judge::Judge;
use super::lineage::Lineage;
use super::patches::Patches;
use super::ready::Ready;
use super::request::{Context, GoodRevision, Request};
use super::session::{Ending, Session};
use super::versions::Version;
use crate::git::{Commit, CommitId, Repository, Store};
use crate::model::{Event, Problem, Result, Verdict, counted};
use crate::report::{Guilty, Status, of_size};
use std::collections::HashMap;

/// Does a bisection.
///
/// # Errors
/// What goes wrong before there is a run folder; later problems are part of the ending.
pub fn bisect(request: &Request, context: &Context) -> Result<Ending> {
    let (subject, repository) = (&request.subject, open_repository(request)?);
    let session = Session::open("bisect", request.goal, subject, context, repository)?;
    let outcome = Run { request, session: &session }.all();
    let commit = session.repository.as_ref().zip(session.ledger.result().culprit_commit);
    let guilty = commit.and_then(|(repository, id)| repository.commit(&CommitId(id)).ok());
    session.end(guilty.as_ref().map(told), outcome.map(|()| Status::Found))
}

/// The repository; none is needed if both versions are folders.
fn open_repository(request: &Request) -> Result<Option<Repository>> {
    let is_folder = |spec: &str| request.subject.dir.join(spec).is_dir();
    match Repository::open(&request.subject.dir) {
        Ok(repository) => Ok(Some(repository)),
        Err(Problem::NotARepository(_))
            if is_folder(&request.subject.bad)
                && matches!(&request.good, GoodRevision::Named(good) if is_folder(good)) =>
        {
            Ok(None)
        }
        Err(problem) => Err(problem),
    }
}

/// A bisection on its way.
pub(super) struct Run<'a> {
    pub(super) request: &'a Request,
    pub(super) session: &'a Session<'a>,
}

/// The change to be split into components and searched.
pub(super) struct Scope {
    pub(super) base: Version,
    pub(super) target: Version,
    /// The commit that brought all of it, where that is clear.
    pub(super) culprit: Option<Commit>,
    /// The commits that brought it, where there are several.
    pub(super) lineage: Option<Lineage>,
    /// What was seen of the commits that could not be judged.
    pub(super) skipped: HashMap<CommitId, Verdict>,
}

impl Scope {
    fn whole(ready: &Ready) -> Self {
        let (base, target) = (ready.good.clone(), ready.bad.clone());
        Self { base, target, culprit: None, lineage: None, skipped: HashMap::new() }
    }
}

impl Run<'_> {
    /// Does all of it.
    pub(super) fn all(&self) -> Result<()> {
        let store = self.session.store()?;
        let ready = self.ready(&store)?;
        if self.request.dry_run {
            return self.plan(&ready, &store);
        }
        let scope = self.scope(&ready, &store)?;
        Patches { run: self, ready: &ready, scope: &scope, store: &store }.all()
    }

    /// `--dry-run`.
    fn plan(&self, ready: &Ready, store: &Store) -> Result<()> {
        let change = self.change(ready, (&ready.good, &ready.bad), None, store)?;
        let (size, commits) = (change.size(), self.commits_between(&ready.good, &ready.bad)?);
        let commits = commits.map(|commits| format!("{}, ", counted(commits, "commit")));
        let between = commits.unwrap_or_default() + &of_size(&size);
        let words = &self.request.subject.command_line;
        let own = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let is_kept = |(at, word): &(usize, &String)| *at > own || *word != "--dry-run";
        let wet = shell_words::join(words.iter().enumerate().filter(is_kept).map(|(_, word)| word));
        self.session.ledger.update(|result| {
            result.message = Some(format!("good passes and bad fails; between them: {between}"));
            result.delta = Some(size);
            result.reproduce = Some(wet);
        })
    }

    /// Returns the number of commits that a search by history would have to bisect.
    fn commits_between(&self, good: &Version, bad: &Version) -> Result<Option<usize>> {
        match (&self.session.repository, good.commit_id(), bad.commit_id()) {
            (Some(repository), Some(good), Some(bad)) if !self.request.no_history => {
                let goods = std::slice::from_ref(good);
                Ok(Some(repository.range(goods, bad, self.request.first_parent)?.len()))
            }
            _ => Ok(None),
        }
    }

    /// The history that good and bad lie in, unless it is not to be looked at.
    pub(super) fn history<'a>(&'a self, ready: &'a Ready, store: &'a Store) -> Option<History<'a>> {
        let repository = self.session.repository.as_ref().filter(|_| !self.request.no_history)?;
        let (overlay, judge) = (&ready.overlay, &ready.judge);
        Some(History { request: self.request, repository, store, overlay, judge })
    }

    /// Narrows the range by commits, where there are any.
    fn scope(&self, ready: &Ready, store: &Store) -> Result<Scope> {
        let whole = || Scope::whole(ready);
        let (Some(history), Some(good), Some(bad)) =
            (self.history(ready, store), &ready.good.commit, &ready.bad.commit)
        else {
            return Ok(whole());
        };
        self.session.ledger.tell(Event::Stage("searching for the culprit commit".to_owned()))?;
        let Some(narrowed) = history.narrow(good, bad)? else {
            self.session.ledger.note(
                "commit history: good and bad have no common ancestor, so the search covers the whole diff"
                    .to_owned(),
            )?;
            return Ok(whole());
        };
        let Narrowed { base, target, suspects, skipped } = narrowed;
        if !self.are_as_taken(&base, &target, &ready.judge)? {
            let lineage = history.lineage(&ready.good, &ready.bad)?;
            return Ok(Scope { lineage, skipped, ..whole() });
        }
        let (culprit, lineage) = match &suspects[..] {
            [one] => (Some(one.clone()), None),
            _ => (None, history.lineage(&base, &target)?),
        };
        self.session.ledger.update(|result| {
            result.culprit_commit = culprit.as_ref().map(|commit| commit.id.0.clone());
            let suspects = suspects.iter().map(|commit| commit.id.0.clone());
            result.suspects = if culprit.is_some() { Vec::new() } else { suspects.collect() };
        })?;
        Ok(Scope { base, target, culprit, lineage, skipped })
    }

    /// Tests both ends of the narrowed range again. Returns false, and notes it, if `base` does not
    /// pass or `target` does not fail.
    fn are_as_taken(&self, base: &Version, target: &Version, judge: &Judge) -> Result<bool> {
        for (version, wanted) in [(base, Verdict::Pass), (target, Verdict::Fail)] {
            let what = format!("{} again", version.label);
            if judge.verdict(&version.tree, version.commit_id(), what.as_str(), None)? != wanted {
                self.session.ledger.note(format!(
                    "{} gave another verdict when tested again, so the search covers the whole range",
                    version.label
                ))?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn change<'a>(
        &'a self,
        ready: &'a Ready,
        ends: (&Version, &Version),
        lineage: Option<&Lineage>,
        store: &'a Store,
    ) -> Result<Change<'a>> {
        let by = (&ready.judge, ready.attribution.as_ref());
        Change::between(ends, lineage, store, by, self.session.subject)
    }
}

fn told(commit: &Commit) -> Guilty {
    Guilty {
        short_id: commit.id.short().to_owned(),
        author: commit.author.clone(),
        date: commit.date.get(..10).unwrap_or(&commit.date).to_owned(),
        summary: commit.summary.clone(),
    }
}
