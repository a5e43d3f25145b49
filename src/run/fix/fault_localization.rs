//! Fault localization: from failing tests to candidates, with compiler facts, statement coverage
//! and recorded values.

use crate::run::fix::instrumented_tree::Watched;
use crate::run::judge::executor::Bench;
use crate::run::judge::patch_baseline::Before;
use crate::run::session::Session;
use crate::run::session::versions::Version;
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::Overlay;
use mend_engine::{Execution, SourceSet};
use mend_git::Store;
use mend_java::Code;
use mend_java::facts::Facts;
use mend_model::{Event, Failure, Outcome, RepoPath, Result, TestResult, TestStatus, TreeId};
use mend_repair::{
    Assured, Breaches, Calls, Candidate, Contracts, Diagnosis, GeneratedTests, Hits, Material,
    Observed, Probed, Probing, Recording, Unkept, Unprobed, candidates, has_failed, suspects,
};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The version that is to be repaired.
pub(super) struct Ward<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) store: &'a Store,
    pub(super) bad: &'a Version,
    pub(super) overlay: &'a Overlay,
}

/// What is known once the version was looked at.
pub(super) struct Examined {
    /// Candidates, the most promising first.
    pub(super) candidates: Vec<Candidate>,
    /// The values that tests found.
    pub(super) observed: Observed,
    /// Tests that distinguish candidates which fix the failing tests.
    pub(super) generated: GeneratedTests,
    /// What routines promise.
    pub(super) assured: Assured,
    /// Of which routines the calls may be written down.
    pub(super) calls: Calls,
    /// Where these write.
    pub(super) output: PathBuf,
    /// Tests that hang with the probes as they did before.
    pub(super) endless: BTreeSet<String>,
}

impl Ward<'_> {
    /// Locates suspicious statements and generates candidates for them.
    pub(super) fn examined(
        &self,
        bench: &Bench,
        attribution: &Attribution,
        roots: &[RepoPath],
        before: &Before,
    ) -> Result<Examined> {
        self.tell("analysing the code with the compiler", 2)?;
        let (facts, sources) = attribution.of_one(&bench.pool, &self.bad.tree)?;
        let (tests, main) = self.files(&facts, &sources);
        let good = self.good()?.map(|tree| attribution.of_one(&bench.pool, &tree)).transpose()?;
        let good =
            good.as_ref().map_or_else(Vec::new, |(facts, sources)| self.files(facts, sources).1);
        let root = roots.first().cloned().unwrap_or_else(|| RepoPath::new(Vec::new()));
        let output = self.session.ledger.folder.work().join("recorded");
        let recording = Recording { root: &root, output: &output };
        let given_up = before.given_up();
        let probing = Probing { main: &main, tests: &tests, endless: &given_up, recording };
        let watch = Watch { bench, before, probing: &probing };
        self.tell("recording which statements each test executes", 1)?;
        let Seen { probed, recorded, failed } =
            self.watched(&watch, |unprobed| probing.statements(unprobed))?;
        let endless = given_up.intersection(&failed).cloned().collect();
        let sites = probed.sites;
        let hits = Hits::read(&recorded);
        let results = &endings(&before.outcome, &hits)[..];
        if hits.by_test.is_empty() {
            let what =
                "which statements each test executes: fault localization uses stack traces only";
            self.session.ledger.note(what.to_owned())?;
        }
        let contracts = Contracts::of(&main);
        let (assured, breaches) = self.promises(&watch, Assured::of(&main, &contracts), results)?;
        let suspects = suspects(&main, &contracts, &sites, &hits, results, &breaches);
        self.tell("recording variable values before each suspicious statement", 0)?;
        let Seen { probed, recorded, .. } =
            self.watched(&watch, |unprobed| probing.values(&suspects, &breaches, unprobed))?;
        let places: Vec<_> = probed.sites.into_iter().zip(probed.names).collect();
        if recorded.is_empty() && !places.is_empty() {
            let what =
                "variable values at suspicious statements: they ruled out no candidate condition";
            self.session.ledger.note(what.to_owned())?;
        }
        let observed = Observed::read(&recorded, &places, |test| has_failed(test, results));
        let failures = results.iter().filter_map(TestResult::failure);
        let diagnosis = Diagnosis::of(failures, &tests).with(breaches);
        let material = Material { main: &main, good: &good };
        let candidates = candidates(material, &contracts, &suspects, &observed, &diagnosis);
        let calls = Calls::of(&main, &candidates);
        // A copy of a test that hangs would hang too.
        let has_end = |result: &&TestResult| {
            !is_endless(&before.outcome, result) && !given_up.contains(&result.test)
        };
        let ended: Vec<TestResult> = results.iter().filter(has_end).cloned().collect();
        let generated = GeneratedTests::of(&tests, &ended, &root);
        Ok(Examined { candidates, observed, generated, assured, calls, output, endless })
    }

    /// Returns the checkable postconditions that hold in all passing tests, and the violations seen
    /// in failing tests.
    fn promises(
        &self,
        watch: &Watch<'_>,
        mut assured: Assured,
        results: &[TestResult],
    ) -> Result<(Assured, Breaches)> {
        let unprobed = Unprobed::default();
        for _ in 0..ROUNDS {
            if assured.is_empty() {
                break;
            }
            self.tell("checking the postconditions of methods", 1)?;
            let probed = watch.probing.assurances(&assured, &unprobed);
            let (execution, recorded) = self.copied(watch, &probed)?;
            if let Outcome::NotBuilt { diagnostics } = &execution.outcome {
                let said = format!("the postcondition checks do not compile: {diagnostics}");
                self.session.ledger.folder.append_log(&said)?;
                if assured.without_refused(&execution.refusals) {
                    continue;
                }
                break;
            }
            let unkept = Unkept::read(&recorded);
            assured.without_broken_by_passing(&unkept, results);
            let breaches = assured.breaches(&unkept, results);
            return Ok((assured, breaches));
        }
        Ok((Assured::default(), Breaches::default()))
    }

    /// Runs the tests on a copy with probes, and gives what these wrote.
    fn copied(&self, watch: &Watch<'_>, probed: &Probed) -> Result<(Execution, String)> {
        let output = watch.probing.recording.output;
        let watched = Watched { files: probed.files.clone(), output };
        let (limits, head) = (&watch.before.limits, self.bad.commit_id());
        watched.run(self.store, &self.bad.tree, |tree| watch.bench.watch(tree, head, limits))
    }

    /// What passes, with bad's tests, if it is known.
    pub(super) fn good(&self) -> Result<Option<TreeId>> {
        let good = self.session.ledger.result().good.map(|good| TreeId(good.tree));
        good.map(|tree| self.overlay.lay_over(&tree, self.store)).transpose()
    }

    /// Reports the next step, and how many steps come after it.
    fn tell(&self, what: &str, left: usize) -> Result<()> {
        let if_slow = Some("slow because everything is compiled again".to_owned());
        let what = what.to_owned();
        self.session.ledger.tell(Event::Counting { what, left: Some(left), if_slow })
    }

    /// Runs the tests on a copy with probes but for those that the compiler refuses, and gives what these saw;
    /// nothing if it cannot be built all the same.
    fn watched(&self, watch: &Watch<'_>, probe: impl Fn(&Unprobed) -> Probed) -> Result<Seen> {
        let mut unprobed = Unprobed::default();
        let mut rounds = 0..ROUNDS;
        loop {
            let probed = probe(&unprobed);
            let (execution, recorded) = self.copied(watch, &probed)?;
            let Outcome::NotBuilt { diagnostics } = &execution.outcome else {
                let failed =
                    execution.outcome.tests(|status| matches!(status, TestStatus::Failed(_)));
                return Ok(Seen { probed, recorded, failed });
            };
            let said = format!("the probes do not compile: {diagnostics}");
            self.session.ledger.folder.append_log(&said)?;
            let is_less = unprobed.add(watch.probing, &probed, &execution.refusals);
            if rounds.next().is_none() || !is_less {
                return Ok(Seen { probed, recorded: String::new(), failed: BTreeSet::new() });
            }
        }
    }

    /// The files of tests, and those of everything else.
    fn files<'a>(&self, facts: &'a Facts, sources: &'a SourceSet) -> (Files<'a>, Files<'a>) {
        let files = sources
            .files
            .iter()
            .filter_map(|(path, content)| Some((path.clone(), Code::new(facts, path, content)?)));
        files.partition(|(path, _)| self.overlay.contains(path))
    }
}

type Files<'a> = Vec<(RepoPath, Code<'a>)>;

/// What probes saw.
struct Seen {
    probed: Probed,
    /// As they wrote it down.
    recorded: String,
    /// The tests that failed with them.
    failed: BTreeSet<String>,
}

/// So often probes are taken out that the compiler refuses.
const ROUNDS: usize = 4;

/// How a copy with probes is run.
struct Watch<'a> {
    bench: &'a Bench,
    before: &'a Before,
    probing: &'a Probing<'a>,
}

/// Returns how the tests ended. If one hung, the others that executed a probe before it have
/// passed.
fn endings(outcome: &Outcome, hits: &Hits) -> Vec<TestResult> {
    match outcome {
        Outcome::Tests { results } => results.clone(),
        Outcome::TimedOut { test: Some(endless), .. } => {
            let nothing = Failure { exception: String::new(), message: None, frames: Vec::new() };
            let status = TestStatus::Failed(nothing);
            let endless = TestResult::new(endless.clone(), status);
            let others = hits.by_test.keys().filter(|test| **test != endless.test);
            let status = TestStatus::Passed;
            let passed = others.map(|test| TestResult::new(test.clone(), status.clone()));
            passed.chain([endless.clone()]).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns true if this is the test that hung.
fn is_endless(outcome: &Outcome, result: &TestResult) -> bool {
    matches!(outcome, Outcome::TimedOut { test: Some(endless), .. } if *endless == result.test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_before_a_test_without_end_tells_it_apart() {
        let hits = Hits::read("B\nT a.B#c\nH 2\nB\nT a.B#d\nH 1\n");
        let outcome = Outcome::TimedOut { test: Some("a.B#d".to_owned()), output: String::new() };
        let results = endings(&outcome, &hits);
        assert_eq!(has_failed("a.B#c", &results), Some(false));
        assert_eq!(has_failed("a.B#d", &results), Some(true));
        assert_eq!(has_failed("a.B#e", &results), None);
        assert!(results.iter().filter(|one| is_endless(&outcome, one)).count() == 1);
    }
}
