//! Start of a search: resolves both versions, prepares the subject and runs the baseline check.

use crate::run::bisect::change_search::Change;
use crate::run::bisect::commit_history::{History, look_back};
use crate::run::bisect::commit_range::Lineage;
use crate::run::judge::Judge;
use crate::run::judge::baseline_check::Baseline;
use crate::run::judge::executor::Bench;
use crate::run::judge::repetition::{Repeat, Repetition};
use crate::run::session::request::{GoodRevision, Request, SubjectRequest};
use crate::run::session::versions::Version;
use crate::run::session::{Prepared, Session};
use crate::run::subject::attribution::Attribution;
use crate::run::subject::project_files::OwnCode;
use crate::run::subject::test_overlay::Overlay;
use mend_git::Store;
use mend_model::{Event, Problem, Result, Symptom};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Everything that judging needs, and the two ends of the search.
pub(crate) struct Ready {
    pub(crate) judge: Judge,
    pub(crate) overlay: Overlay,
    pub(crate) attribution: Option<Attribution>,
    pub(crate) good: Version,
    pub(crate) bad: Version,
}

impl Ready {
    /// Resolves and prepares both versions, and runs the baseline check.
    pub(crate) fn new(
        request: &Request,
        session: &Session<'_>,
        store: &Arc<Store>,
    ) -> Result<Self> {
        Start { request, session }.ready(store)
    }

    /// Returns the history that good and bad lie in, unless it is not to be looked at.
    pub(crate) fn history<'a>(
        &'a self,
        request: &'a Request,
        session: &'a Session<'_>,
        store: &'a Store,
    ) -> Option<History<'a>> {
        let repository = session.repository.as_ref().filter(|_| !request.no_history)?;
        let (overlay, judge) = (&self.overlay, &self.judge);
        Some(History { request, repository, store, overlay, judge })
    }

    /// Returns the change between two versions, split into components.
    pub(crate) fn change<'a>(
        &'a self,
        ends: (&Version, &Version),
        lineage: Option<&Lineage>,
        subject: &'a SubjectRequest,
        store: &'a Store,
    ) -> Result<Change<'a>> {
        Change::between(ends, lineage, store, (&self.judge, self.attribution.as_ref()), subject)
    }
}

/// The inputs of the preparation.
struct Start<'a> {
    request: &'a Request,
    session: &'a Session<'a>,
}

impl Start<'_> {
    fn ready(&self, store: &Arc<Store>) -> Result<Ready> {
        let session = self.session;
        let bad = session.resolve(&session.subject.bad, store)?;
        let good = match &self.request.good {
            GoodRevision::Named(spec) => Some(session.resolve(spec, store)?),
            GoodRevision::Auto => None,
        };
        session.ledger.update(|result| {
            result.bad = Some(bad.told());
            result.good = good.as_ref().map(Version::told);
        })?;
        let Prepared { bench, overlay, attribution, bad, missing, .. } =
            session.prepare(bad, store)?;
        let good = match good {
            Some(good) => Some(Version { tree: overlay.lay_over(&good.original, store)?, ..good }),
            None => None,
        };
        if good.as_ref().is_some_and(|good| good.tree == bad.tree) {
            return Err(Problem::IdenticalTrees);
        }
        let (judge, good) = self.premise(bench, &overlay, good, &bad, store, &missing)?;
        Ok(Ready { judge, overlay, attribution, good, bad })
    }

    /// Judges both ends, and gives what judges from then on, and good.
    fn premise(
        &self,
        bench: Bench,
        overlay: &Overlay,
        good: Option<Version>,
        bad: &Version,
        store: &Arc<Store>,
        missing: &[String],
    ) -> Result<(Judge, Version)> {
        self.session
            .ledger
            .tell(Event::Stage("checking that good passes and bad fails".to_owned()))?;
        let trees: Vec<_> = good.iter().map(|good| &good.tree).chain([&bad.tree]).collect();
        let own_code = OwnCode::of(store, &trees)?;
        let baseline = self.baseline(&bench, &own_code, missing);
        let (baseline, limits) = baseline.good_as_far_as_it_passes(good.as_ref(), bad)?;
        let symptom = baseline.bad(bad, &limits)?;
        let words = symptom.describe();
        self.session.ledger.tell(Event::Stage(format!("symptom: {words}")))?;
        self.session.ledger.update(|result| result.symptom = Some(words))?;
        let repetition = match (self.session.subject.repeat, &good) {
            (Repeat::Times(times), _) => Repetition::Times(times),
            (Repeat::Auto, Some(good)) => baseline.sampled(good, bad, &limits, &symptom)?,
            (Repeat::Auto, None) => baseline.provisional(bad, &limits, &symptom)?,
        };
        let excluded = baseline.excluded;
        let mut judge = Judge {
            excluded,
            bench,
            ledger: Arc::clone(&self.session.ledger),
            own_code,
            symptom,
            limits,
            repetition,
        };
        let good = match good {
            Some(good) => good,
            None => self.find_good(&mut judge, overlay, bad, store, missing)?,
        };
        Ok((judge, good))
    }

    fn baseline<'b>(
        &'b self,
        bench: &'b Bench,
        own_code: &'b OwnCode,
        missing: &'b [String],
    ) -> Baseline<'b> {
        Baseline {
            request: self.session.subject,
            symptom: self.request.symptom.as_ref(),
            bench,
            ledger: &self.session.ledger,
            own_code,
            missing,
            excluded: BTreeSet::new(),
        }
    }

    /// `--good auto`.
    fn find_good(
        &self,
        judge: &mut Judge,
        overlay: &Overlay,
        bad: &Version,
        store: &Store,
        missing: &[String],
    ) -> Result<Version> {
        let (Some(repository), Some(commit)) = (&self.session.repository, &bad.commit) else {
            return Err(Problem::Usage {
                message: "--good auto needs history, and bad is a folder".to_owned(),
                remedy: "pass a good folder with --good".to_owned(),
            });
        };
        self.session
            .ledger
            .tell(Event::Stage("searching backwards for a commit that passes".to_owned()))?;
        let good = look_back(
            &History { request: self.request, repository, store, overlay, judge },
            commit,
        )?;
        self.session.ledger.update(|result| result.good = Some(good.told()))?;
        let baseline = self.baseline(&judge.bench, &judge.own_code, missing);
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
