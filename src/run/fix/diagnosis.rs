//! From what fails to candidates: what the compiler knows, which statements the tests come upon, and what repairs
//! make of it.

use super::watched::Watched;
use crate::engine::SourceSet;
use crate::facts::Facts;
use crate::git::Store;
use crate::model::{Event, Outcome, RepoPath, Result, TestResult};
use crate::repair::{
    Candidate, Code, Contracts, Diagnosis, GeneratedTests, Hits, Observed, Probed, Probing,
    Recording, candidates, has_failed, suspects,
};
use crate::run::attribution::Attribution;
use crate::run::bench::Bench;
use crate::run::premise::Before;
use crate::run::session::Session;
use crate::run::test_code::Overlay;
use crate::run::versions::Version;
use std::path::{Path, PathBuf};

/// The version that is to be repaired.
pub(super) struct Ward<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) store: &'a Store,
    pub(super) bad: &'a Version,
    pub(super) overlay: &'a Overlay,
}

/// What is known once the version was looked at.
pub(super) struct Examined {
    /// Changes that might mend it, the most promising first.
    pub(super) candidates: Vec<Candidate>,
    /// The values that tests found.
    pub(super) observed: Observed,
    /// Tests that tell those apart that mend it.
    pub(super) generated: GeneratedTests,
    /// Where these write.
    pub(super) output: PathBuf,
}

impl Ward<'_> {
    /// Looks for statements at fault, and for what might mend them.
    pub(super) fn examined(
        &self,
        bench: &Bench,
        attribution: &Attribution,
        roots: &[RepoPath],
        before: &Before,
    ) -> Result<Examined> {
        self.tell("reading what the compiler knows", 2)?;
        let (facts, sources) = attribution.of_one(&bench.pool, &self.bad.tree)?;
        let (tests, main) = self.files(&facts, &sources);
        let results = match &before.outcome {
            Outcome::Tests { results } => &results[..],
            _ => &[],
        };
        let root = roots.first().cloned().unwrap_or_else(|| RepoPath::new(Vec::new()));
        let output = self.session.ledger.folder.work().join("recorded");
        let recording = Recording { root: &root, output: &output };
        let probing = Probing { main: &main, tests: &tests, recording };
        let watch = |probed: Probed| self.watched(probed, bench, before, &output);
        self.tell("running the tests with a probe before each statement", 1)?;
        let probed = probing.statements();
        let sites = probed.sites.clone();
        let hits = Hits::read(&watch(probed)?);
        if hits.by_test.is_empty() {
            let what = "which statements each test comes upon: the stack alone says where to look";
            self.session.ledger.note(what.to_owned())?;
        }
        let contracts = Contracts::of(&main);
        let suspects = suspects(&main, &contracts, &sites, &hits, results);
        self.tell("running the tests with the values before each suspect written down", 0)?;
        let probed = probing.values(&suspects);
        let places: Vec<_> = probed.sites.iter().copied().zip(probed.names.clone()).collect();
        let recorded = watch(probed)?;
        let observed = Observed::read(&recorded, &places, |test| has_failed(test, results));
        let diagnosis = Diagnosis::of(results.iter().filter_map(TestResult::failure));
        let candidates = candidates(&main, &contracts, &suspects, &observed, &diagnosis);
        let generated = GeneratedTests::of(&tests, results, &root);
        Ok(Examined { candidates, observed, generated, output })
    }

    /// Tells which step is next, and how many there are after it.
    fn tell(&self, what: &str, left: usize) -> Result<()> {
        let if_slow = Some("slow, as everything is compiled once more".to_owned());
        let what = what.to_owned();
        self.session.ledger.tell(Event::Counting { what, left: Some(left), if_slow })
    }

    /// Runs the tests on a copy with probes, and gives what these wrote; nothing if it does not build.
    fn watched(
        &self,
        probed: Probed,
        bench: &Bench,
        before: &Before,
        output: &Path,
    ) -> Result<String> {
        let watched = Watched { files: probed.files, output };
        let version = (&self.bad.tree, self.bad.commit_id());
        let (execution, text) = watched.run(self.store, version, bench, &before.limits)?;
        if let Outcome::NotBuilt { diagnostics } = &execution.outcome {
            let said = format!("the probes do not compile: {diagnostics}");
            self.session.ledger.folder.append_log(&said)?;
        }
        Ok(text)
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
