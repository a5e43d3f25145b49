//! Runs some tests of one version until a deadline, in a temporary session.

use super::repetition::Repeat;
use crate::run::patch::verification::apply_patch;
use crate::run::session::request::{Context, OracleRequest, SubjectRequest};
use crate::run::session::versions::ResolvedVersion;
use crate::run::session::{Session, repository_of};
use mend_engine::{EngineChoice, Limits, TestClass, TestOrder};
use mend_git::{ApplyResult, ObjectStore};
use mend_model::{MissingRequirements, Outcome, Problem, Result, Selector, TestResult, TreeId};
use mend_report::RunGoal;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Session whose run folder is deleted on drop.
pub(crate) struct TemporarySession<'a> {
    pub(crate) session: Session<'a>,
    pub(crate) store: Arc<ObjectStore>,
}

impl<'a> TemporarySession<'a> {
    pub(crate) fn open(subject: &'a SubjectRequest, context: &'a Context) -> Result<Self> {
        let repository = repository_of(subject)?;
        let session = Session::open("hook", RunGoal::Culprit, subject, context, repository)?;
        let store = session.store()?;
        Ok(Self { session, store })
    }

    /// Applies a patch to a version and returns the resulting tree.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the patch does not apply.
    pub(crate) fn apply_patch(&self, version: &ResolvedVersion, patch: &Path) -> Result<TreeId> {
        match apply_patch(patch, version, &self.store)? {
            ApplyResult::Tree(tree) => Ok(tree),
            ApplyResult::Rejected(said) => Err(Problem::Usage {
                message: format!("{}: {}", patch.display(), said.trim()),
                remedy: "pass a unified diff that `git apply` accepts".to_owned(),
            }),
        }
    }
}

impl Drop for TemporarySession<'_> {
    fn drop(&mut self) {
        // The next run removes leftovers.
        drop(std::fs::remove_dir_all(self.session.run_log.folder.path()));
    }
}

/// Result of running the tests of a version.
pub(crate) struct QuickRunOutput {
    pub(crate) outcome: Outcome,
    /// Test classes that were left out because they do not compile.
    pub(crate) left_out: BTreeSet<String>,
    /// What the build needs and this machine lacks.
    pub(crate) missing: MissingRequirements,
}

/// Version and tests to run.
#[derive(Clone, Copy)]
pub(crate) struct QuickRun<'a> {
    /// Version in the user's notation.
    pub(crate) version: &'a str,
    /// Patch to apply first.
    pub(crate) patch: Option<&'a Path>,
    pub(crate) tests: &'a [TestClass],
}

/// Deadlines of the phases of a quick run.
#[derive(Clone, Copy)]
pub(crate) struct QuickRunDeadlines {
    pub(crate) build: Instant,
    pub(crate) test: Instant,
}

impl From<Instant> for QuickRunDeadlines {
    fn from(end: Instant) -> Self {
        Self { build: end, test: end }
    }
}

impl<'a> QuickRun<'a> {
    /// Creates a run of these tests on the unpatched version.
    pub(crate) fn unpatched(version: &'a str, tests: &'a [TestClass]) -> Self {
        Self { version, patch: None, tests }
    }
}

/// Builds a version from scratch and runs test classes in this order until the deadline. If the time suffices only for
/// the build, runs no tests.
pub(crate) fn run_tests(
    subject: &SubjectRequest,
    context: &Context,
    QuickRun { version, patch, tests }: QuickRun<'_>,
    deadlines: QuickRunDeadlines,
) -> Result<QuickRunOutput> {
    let selector = |class: &TestClass| Selector { class: class.name.clone(), method: None };
    let subject = SubjectRequest {
        bad: version.to_owned(),
        oracle: OracleRequest::Tests(tests.iter().map(selector).collect()),
        // There is only one build and one JVM, so a resident engine would not be faster.
        engine: EngineChoice::Process,
        executor: None,
        repeat: Repeat::Times(1),
        output: None,
        is_resumed: false,
        ..subject.clone()
    };
    let temporary_session = TemporarySession::open(&subject, context)?;
    let prepared = temporary_session.session.prepare(None)?;
    let (bad, executor) = (prepared.bad, prepared.executor);
    let patched = patch.map(|patch| temporary_session.apply_patch(&bad, patch)).transpose()?;
    let executor = executor.reordered(
        TestOrder::default().with_deadline(SystemTime::now() + time_until(deadlines.test)),
    );
    let limits = Limits {
        build: Some(time_until(deadlines.build)),
        test: subject.timeout,
        ..Limits::default()
    };
    let execution =
        executor.run(patched.as_ref().unwrap_or(&bad.overlaid_tree), bad.commit_id(), &limits)?;
    Ok(QuickRunOutput {
        outcome: execution.outcome,
        left_out: execution.adaptation.left_out,
        missing: prepared.missing,
    })
}

/// Returns the time until a deadline.
pub(crate) fn time_until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// Returns the test classes of which no test ran.
pub(crate) fn classes_not_run(tests: &[TestClass], results: &[TestResult]) -> Vec<String> {
    let run: BTreeSet<&str> = results.iter().map(|one| outermost_class(&one.test)).collect();
    let missing_classes = tests.iter().filter(|test| !run.contains(test.name.as_str()));
    missing_classes.map(|test| test.name.clone()).collect()
}

/// Returns the outermost class of a test.
pub(crate) fn outermost_class(test: &str) -> &str {
    test.split(['#', '$', '[']).next().unwrap_or(test)
}

/// Returns the first line of a text.
pub(crate) fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}
