//! Start of a search: runs the baseline check on a prepared run.

use crate::run::bisect::change_search::ChangeSearch;
use crate::run::bisect::commit_history::{CommitHistory, look_back};
use crate::run::bisect::commit_range::CommitRange;
use crate::run::judge::SymptomOracle;
use crate::run::judge::baseline_check::BaselineCheck;
use crate::run::judge::repetition::{Repeat, Repetition};
use crate::run::session::request::{BisectRequest, SubjectRequest};
use crate::run::session::run_log::SubjectFact;
use crate::run::session::versions::{ResolvedVersion, VersionPair};
use crate::run::session::{PreparedRun, Session};
use crate::run::subject::project_files::ProjectFiles;
use mend_model::{Problem, ProgressEvent, Result, Symptom};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A prepared run with its oracle, and the good end of the search.
pub(crate) struct SearchSetup<'a> {
    pub(crate) prepared: &'a PreparedRun,
    pub(crate) judge: SymptomOracle<'a>,
    pub(crate) good: ResolvedVersion,
}

impl<'a> SearchSetup<'a> {
    /// Runs the baseline check, and searches for good if the user named none.
    pub(crate) fn new(
        request: &BisectRequest,
        session: &Session<'_>,
        prepared: &'a PreparedRun,
    ) -> Result<Self> {
        if prepared.good.as_ref().is_some_and(|good| good.tree == prepared.bad.tree) {
            return Err(Problem::IdenticalTrees);
        }
        SetupBuilder { request, session, prepared }.check_baseline()
    }

    /// Returns the commit history of good and bad, unless it is disabled or missing.
    pub(crate) fn history<'b>(
        &'b self,
        request: &'b BisectRequest,
        session: &'b Session<'_>,
    ) -> Option<CommitHistory<'b>> {
        let repository = session.repository.as_ref().filter(|_| !request.no_history)?;
        let PreparedRun { overlay, store, .. } = self.prepared;
        Some(CommitHistory { request, repository, store, overlay, judge: &self.judge })
    }

    /// Returns the change between two versions, split into components.
    pub(crate) fn change<'b>(
        &'b self,
        ends: VersionPair<'_>,
        lineage: Option<&CommitRange>,
        subject: &'b SubjectRequest,
    ) -> Result<ChangeSearch<'b>> {
        let PreparedRun { store, attribution, .. } = self.prepared;
        ChangeSearch::new(ends, lineage, store, &self.judge, attribution.as_ref(), subject)
    }
}

/// The inputs of the baseline check.
struct SetupBuilder<'a, 'b> {
    request: &'b BisectRequest,
    session: &'b Session<'b>,
    prepared: &'a PreparedRun,
}

impl<'a> SetupBuilder<'a, '_> {
    fn check_baseline(&self) -> Result<SearchSetup<'a>> {
        let PreparedRun { bench, bad, store, .. } = self.prepared;
        let good = self.prepared.good.as_ref();
        self.session
            .ledger
            .emit(ProgressEvent::Stage("checking that good passes and bad fails".to_owned()))?;
        let trees: Vec<_> = good.iter().map(|good| &good.tree).chain([&bad.tree]).collect();
        let own_code = ProjectFiles::from_trees(store, &trees)?;
        let baseline = self.baseline(&own_code);
        let (baseline, limits) = baseline.good_as_far_as_it_passes(good, bad)?;
        let symptom = baseline.bad(bad, &limits)?;
        let words = symptom.describe();
        self.session.ledger.emit(ProgressEvent::Stage(format!("symptom: {words}")))?;
        self.session.ledger.record(SubjectFact::Symptom(words))?;
        let repetition = match (self.session.subject.repeat, good) {
            (Repeat::Times(times), _) => Repetition::Times(times),
            (Repeat::Auto, Some(good)) => baseline.sampled(good, bad, &limits, &symptom)?,
            (Repeat::Auto, None) => baseline.provisional(bad, &limits, &symptom)?,
        };
        let excluded = baseline.excluded;
        let mut judge = SymptomOracle {
            excluded,
            bench,
            ledger: Arc::clone(&self.session.ledger),
            own_code,
            symptom,
            limits,
            repetition,
        };
        let good = match good {
            Some(good) => good.clone(),
            None => self.find_good(&mut judge)?,
        };
        Ok(SearchSetup { prepared: self.prepared, judge, good })
    }

    fn baseline<'b>(&'b self, own_code: &'b ProjectFiles) -> BaselineCheck<'b> {
        BaselineCheck {
            request: self.session.subject,
            symptom: self.request.symptom.as_ref(),
            bench: &self.prepared.bench,
            ledger: &self.session.ledger,
            own_code,
            missing: &self.prepared.missing,
            excluded: BTreeSet::new(),
        }
    }

    /// `--good auto`.
    fn find_good(&self, judge: &mut SymptomOracle<'_>) -> Result<ResolvedVersion> {
        let PreparedRun { overlay, bad, store, .. } = self.prepared;
        let (Some(repository), Some(commit)) = (&self.session.repository, &bad.commit) else {
            return Err(Problem::Usage {
                message: "--good auto needs history, and bad is a folder".to_owned(),
                remedy: "pass a good folder with --good".to_owned(),
            });
        };
        self.session.ledger.emit(ProgressEvent::Stage(
            "searching backwards for a commit that passes".to_owned(),
        ))?;
        let good = look_back(
            &CommitHistory { request: self.request, repository, store, overlay, judge },
            commit,
        )?;
        self.session.ledger.record(SubjectFact::Good(good.to_report()))?;
        let baseline = self.baseline(&judge.own_code);
        let limits = baseline.good(&good, None)?;
        let repetition = (self.session.subject.repeat == Repeat::Auto)
            .then(|| baseline.sampled(&good, bad, &limits, &judge.symptom))
            .transpose()?;
        if !matches!(judge.symptom, Symptom::TimeOut(_)) {
            judge.limits = limits;
        }
        if let Some(repetition) = repetition {
            judge.repetition = repetition;
        }
        Ok(good)
    }
}
