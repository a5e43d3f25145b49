//! What a search starts from: both versions resolved, the subject prepared, the premise checked.

use super::attribution::Attribution;
use super::baseline::Baseline;
use super::bench::{Bench, ScratchPool};
use super::bisect::Run;
use super::history::{History, look_back};
use super::judge::Judge;
use super::notices::notices;
use super::own_code::OwnCode;
use super::repetition::{Repeat, Repetition};
use super::request::GoodRevision;
use super::subject::{Preparation, Subject};
use super::test_code::Overlay;
use super::versions::{Version, resolve};
use crate::engine::OutcomeCache;
use crate::git::{Repository, Store};
use crate::model::{Event, Problem, Result, Symptom};
use crate::trial::Supervisor;
use std::sync::Arc;

/// Everything that judging needs, and the two ends of the search.
pub(super) struct Ready {
    pub(super) judge: Judge,
    pub(super) overlay: Overlay,
    pub(super) attribution: Option<Attribution>,
    pub(super) good: Version,
    pub(super) bad: Version,
}

impl Run<'_> {
    /// Resolves, prepares and checks the premise.
    pub(super) fn ready(&self, store: &Arc<Store>) -> Result<Ready> {
        let request = self.request;
        let resolve = |spec: &str| resolve(spec, &request.dir, self.repository.as_ref(), store);
        let mut bad = resolve(&request.bad)?;
        let good = match &request.good {
            GoodRevision::Named(spec) => Some(resolve(spec)?),
            GoodRevision::Auto => None,
        };
        self.ledger.update(|result| {
            result.bad = Some(bad.told());
            result.good = good.as_ref().map(Version::told);
            result.reproduce = Some(shell_words::join(&request.command_line));
        })?;
        if let Some(repository) = &self.repository {
            for notice in notices(repository, &bad.original, store)? {
                self.ledger.note(notice)?;
            }
        }
        let supervisor = Supervisor::start(self.context.interrupt.clone(), &self.context.program)?;
        let pool = ScratchPool::new(Arc::clone(store), self.ledger.folder.work().join("trees"));
        let subject = self.prepare(&bad, store, &pool, &supervisor)?;
        let Subject { engine, overlay, bad_tree, missing, attribution } = subject;
        bad.tree = bad_tree;
        let jdk = attribution.as_ref().map(|one| one.jdk.full.clone());
        self.ledger.update(|result| result.environment.jdk = jdk)?;
        let good = match good {
            Some(good) => Some(Version { tree: overlay.lay_over(&good.original, store)?, ..good }),
            None => None,
        };
        if good.as_ref().is_some_and(|good| good.tree == bad.tree) {
            return Err(Problem::IdenticalTrees);
        }
        let bench = Bench::new(
            pool,
            engine,
            OutcomeCache::open(&self.home.join("cache.sqlite"))?,
            Arc::clone(&self.ledger),
        );
        let (judge, good) = self.premise(bench, &overlay, good, &bad, store, &missing)?;
        Ok(Ready { judge, overlay, attribution, good, bad })
    }

    fn prepare(
        &self,
        bad: &Version,
        store: &Store,
        pool: &ScratchPool,
        supervisor: &Supervisor,
    ) -> Result<Subject> {
        let work_dir = self.repository.as_ref().and_then(Repository::work_dir);
        let preparation = Preparation {
            request: self.request,
            store,
            pool,
            supervisor,
            ledger: &self.ledger,
            work_dir,
            home: &self.home,
            interrupt: &self.context.interrupt,
        };
        preparation.prepare(bad)
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
        self.ledger.tell(Event::Stage("checking that good passes and bad fails".to_owned()))?;
        let trees: Vec<_> = good.iter().map(|good| &good.tree).chain([&bad.tree]).collect();
        let own_code = OwnCode::of(store, &trees)?;
        let baseline = Baseline {
            request: self.request,
            bench: &bench,
            ledger: &self.ledger,
            own_code: &own_code,
            missing,
        };
        let limits = match &good {
            Some(good) => baseline.good(good, Some(bad))?,
            None => baseline.first_limits(),
        };
        let symptom = baseline.bad(bad, &limits)?;
        self.ledger.tell(Event::Stage(format!("the symptom: {}", symptom.describe())))?;
        let repetition = match (self.request.repeat, &good) {
            (Repeat::Times(times), _) => Repetition::Times(times),
            (Repeat::Auto, Some(good)) => baseline.sampled(good, bad, &limits, &symptom)?,
            (Repeat::Auto, None) => baseline.provisional(bad, &limits, &symptom)?,
        };
        let mut judge = Judge {
            bench,
            ledger: Arc::clone(&self.ledger),
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

    /// `--good auto`.
    fn find_good(
        &self,
        judge: &mut Judge,
        overlay: &Overlay,
        bad: &Version,
        store: &Store,
        missing: &[String],
    ) -> Result<Version> {
        let (Some(repository), Some(commit)) = (&self.repository, &bad.commit) else {
            return Err(Problem::Usage {
                message: "--good auto needs history, and bad is a folder".to_owned(),
                remedy: "name a folder that passes with --good".to_owned(),
            });
        };
        self.ledger.tell(Event::Stage("looking back for a commit that passes".to_owned()))?;
        let good = look_back(
            &History { request: self.request, repository, store, overlay, judge },
            commit,
        )?;
        self.ledger.update(|result| result.good = Some(good.told()))?;
        let baseline = Baseline {
            request: self.request,
            bench: &judge.bench,
            ledger: &self.ledger,
            own_code: &judge.own_code,
            missing,
        };
        let limits = baseline.good(&good, None)?;
        let repetition = (self.request.repeat == Repeat::Auto)
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
