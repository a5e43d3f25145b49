//! Running some tests of one version, for a time.

use crate::engine::{EngineChoice, Limits, TestClass, TestOrder};
use crate::git::{Repository, Store};
use crate::model::{Outcome, Result, Selector};
use crate::report::Goal;
use crate::run::repetition::Repeat;
use crate::run::request::{Context, OracleRequest, SubjectRequest};
use crate::run::session::Session;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// A session whose folder goes with it: nobody looks into what a hook let through.
pub(super) struct Passing<'a> {
    pub(super) session: Session<'a>,
    pub(super) store: Arc<Store>,
}

impl<'a> Passing<'a> {
    pub(super) fn open(subject: &'a SubjectRequest, context: &'a Context) -> Result<Self> {
        let repository = Repository::open(&subject.dir)?;
        let session = Session::open("hook", Goal::Culprit, subject, context, Some(repository))?;
        let store = session.store()?;
        Ok(Self { session, store })
    }
}

impl Drop for Passing<'_> {
    fn drop(&mut self) {
        // What stays is swept by the next run.
        drop(std::fs::remove_dir_all(self.session.ledger.folder.path()));
    }
}

/// What came out of a version's tests.
pub(super) struct Ran {
    pub(super) outcome: Outcome,
    /// Libraries that the build names and that are not on this machine.
    pub(super) missing: Vec<String>,
}

/// Builds a version from scratch and runs test classes in this order until a time; none where that is over, so that
/// only the build is tried.
pub(super) fn run(
    subject: &SubjectRequest,
    context: &Context,
    (version, tests): (&str, &[TestClass]),
    (build_end, test_end): (Instant, Instant),
) -> Result<Ran> {
    let selector = |class: &TestClass| Selector { class: class.name.clone(), method: None };
    let subject = SubjectRequest {
        bad: version.to_owned(),
        oracle: OracleRequest::Tests(tests.iter().map(selector).collect()),
        // One build and one JVM: what stays resident would not pay.
        engine: EngineChoice::Process,
        repeat: Repeat::Times(1),
        output: None,
        resume: false,
        ..subject.clone()
    };
    let passing = Passing::open(&subject, context)?;
    let version = passing.session.resolve(&subject.bad, &passing.store)?;
    let prepared = passing.session.prepare(version, &passing.store)?;
    let (bad, bench) = (prepared.bad, prepared.bench);
    let bench = bench.reordered(TestOrder::default().until(SystemTime::now() + left(test_end)));
    let limits = Limits { build: Some(left(build_end)), test: subject.timeout };
    let execution = bench.run(&bad.tree, bad.commit_id(), &limits)?;
    Ok(Ran { outcome: execution.outcome, missing: prepared.missing })
}

/// How much time there is until then.
pub(super) fn left(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now())
}
