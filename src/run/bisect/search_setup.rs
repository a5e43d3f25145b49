//! Prepares a search: runs the baseline check on a prepared run.

use crate::run::bisect::change_search::ChangeSearch;
use crate::run::bisect::commit_bisection::{CommitBisection, find_passing_ancestor};
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

/// Prepared run with its oracle and its good version.
pub(crate) struct SearchSetup<'a> {
    pub(crate) prepared: &'a PreparedRun,
    pub(crate) oracle: SymptomOracle<'a>,
    pub(crate) good: ResolvedVersion,
}

impl<'a> SearchSetup<'a> {
    /// Runs the baseline check, and searches for a good version if the user named none.
    pub(crate) fn new(
        request: &BisectRequest,
        session: &Session<'_>,
        prepared: &'a PreparedRun,
    ) -> Result<Self> {
        if prepared
            .good
            .as_ref()
            .is_some_and(|good| good.overlaid_tree == prepared.bad.overlaid_tree)
        {
            return Err(Problem::IdenticalTrees);
        }
        SetupBuilder { request, session, prepared }.check_baseline()
    }

    /// Returns the commit history of good and bad, unless it is disabled or missing.
    pub(crate) fn commit_bisection<'b>(
        &'b self,
        request: &'b BisectRequest,
        session: &'b Session<'_>,
    ) -> Option<CommitBisection<'b>> {
        let repository = session.repository.as_ref().filter(|_| !request.skips_history)?;
        let PreparedRun { overlay, store, .. } = self.prepared;
        Some(CommitBisection { request, repository, store, overlay, oracle: &self.oracle })
    }

    /// Returns the change between two versions, split into components.
    pub(crate) fn change_search<'b>(
        &'b self,
        endpoints: VersionPair<'_>,
        lineage: Option<&CommitRange>,
        subject: &'b SubjectRequest,
    ) -> Result<ChangeSearch<'b>> {
        let PreparedRun { store, attribution, .. } = self.prepared;
        ChangeSearch::new(endpoints, lineage, store, &self.oracle, attribution.as_ref(), subject)
    }
}

/// Inputs of the baseline check.
struct SetupBuilder<'a, 'b> {
    request: &'b BisectRequest,
    session: &'b Session<'b>,
    prepared: &'a PreparedRun,
}

impl<'a> SetupBuilder<'a, '_> {
    fn check_baseline(&self) -> Result<SearchSetup<'a>> {
        let PreparedRun { executor, bad, store, .. } = self.prepared;
        let good = self.prepared.good.as_ref();
        self.session
            .run_log
            .emit(ProgressEvent::Stage("checking that good passes and bad fails".to_owned()))?;
        let trees: Vec<_> =
            good.iter().map(|good| &good.overlaid_tree).chain([&bad.overlaid_tree]).collect();
        let own_code = ProjectFiles::from_trees(store, &trees)?;
        let baseline = self.baseline_check(&own_code);
        let (baseline, limits) = baseline.check_good_without_failing_tests(good, bad)?;
        let symptom = baseline.check_bad(bad, &limits)?.with_reruns_of(bad);
        let description = symptom.current().describe();
        self.session.run_log.emit(ProgressEvent::Stage(format!("symptom: {description}")))?;
        self.session.run_log.record(SubjectFact::Symptom(description))?;
        let repetition = match (self.session.subject.repeat, good) {
            (Repeat::Times(times), _) => Repetition::Times(times),
            (Repeat::Auto, Some(good)) => {
                baseline.sample_failure_rates(good, bad, &limits, &symptom)?
            }
            (Repeat::Auto, None) => baseline.estimate_from_bad(bad, &limits, &symptom)?,
        };
        let excluded = baseline.excluded_tests;
        let mut oracle = SymptomOracle {
            excluded_tests: excluded,
            executor,
            run_log: Arc::clone(&self.session.run_log),
            project_files: own_code,
            symptom,
            accepted_omissions: None,
            limits,
            repetition,
        };
        let good = match good {
            Some(good) => good.clone(),
            None => self.find_good_commit(&mut oracle)?,
        };
        Ok(SearchSetup { prepared: self.prepared, oracle, good })
    }

    fn baseline_check<'b>(&'b self, own_code: &'b ProjectFiles) -> BaselineCheck<'b> {
        BaselineCheck {
            request: self.session.subject,
            symptom: self.request.symptom.as_ref(),
            executor: &self.prepared.executor,
            run_log: &self.session.run_log,
            project_files: own_code,
            missing: &self.prepared.missing,
            excluded_tests: BTreeSet::new(),
            counts_compile_errors: self.request.counts_compile_errors,
        }
    }

    /// Finds a good version for `--good auto`.
    fn find_good_commit(&self, oracle: &mut SymptomOracle<'_>) -> Result<ResolvedVersion> {
        let PreparedRun { overlay, bad, store, .. } = self.prepared;
        let (Some(repository), Some(commit)) = (&self.session.repository, &bad.commit) else {
            return Err(Problem::Usage {
                message: "--good auto needs history, and bad is a folder".to_owned(),
                remedy: "pass a good folder with --good".to_owned(),
            });
        };
        self.session.run_log.emit(ProgressEvent::Stage(
            "searching backwards for a commit that passes".to_owned(),
        ))?;
        let good = find_passing_ancestor(
            &CommitBisection { request: self.request, repository, store, overlay, oracle },
            commit,
        )?;
        self.session.run_log.record(SubjectFact::Good(good.to_report()))?;
        let baseline = self.baseline_check(&oracle.project_files);
        let limits = baseline.check_good(&good, None)?;
        let repetition = (self.session.subject.repeat == Repeat::Auto)
            .then(|| baseline.sample_failure_rates(&good, bad, &limits, &oracle.symptom))
            .transpose()?;
        if !matches!(oracle.symptom.current(), Symptom::TimeOut(_)) {
            oracle.limits = limits;
        }
        if let Some(repetition) = repetition {
            oracle.repetition = repetition;
        }
        Ok(good)
    }
}
