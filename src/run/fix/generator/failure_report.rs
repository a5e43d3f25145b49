//! Report of the failure for a generator: tests, culprit, suspicious statements, contracts and sources.

use super::protocol::{
    ContractReport, CulpritReport, FailureReport, LocationReport, MAX_FRAMES, SourceExcerpt,
    TestFailureReport, ValueReport,
};
use super::source_excerpts::SourceExcerpts;
use crate::run::fix::revert::Revert;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::TestOverlay;
use mend_git::{Commit, ObjectStore};
use mend_model::{Outcome, RepoPath, Result, TermValues, TestExpectations, TestResult};
use mend_repair::{MethodContract, SuspiciousLocation};
use std::collections::BTreeMap;

/// Maximum numbers of reported failing tests and suspicious statements.
const MAX_TESTS: usize = 30;
const MAX_LOCATIONS: usize = 25;

/// Failure that is reported to a generator.
pub(in crate::run::fix) struct ReportedFailure<'a> {
    pub(in crate::run::fix) store: &'a ObjectStore,
    pub(in crate::run::fix) bad: &'a ResolvedVersion,
    pub(in crate::run::fix) overlay: &'a TestOverlay,
    /// Outcome of the tests without a patch.
    pub(in crate::run::fix) outcome: &'a Outcome,
    pub(in crate::run::fix) expectations: &'a TestExpectations,
    /// Culprit commit, if it is known.
    pub(in crate::run::fix) culprit: Option<&'a Commit>,
    pub(in crate::run::fix) revert: Option<&'a Revert>,
    /// Suspicious statements, best first.
    pub(in crate::run::fix) locations: &'a [SuspiciousLocation],
    pub(in crate::run::fix) contracts: &'a [MethodContract],
}

impl ReportedFailure<'_> {
    /// Writes the report.
    pub(in crate::run::fix) fn report(&self) -> Result<FailureReport> {
        let version = self.bad.commit_id();
        Ok(FailureReport {
            version: version.map_or_else(|| self.bad.label.clone(), |commit| commit.0.clone()),
            failing_tests: self.failing_tests(),
            passing_tests: self.expectations.passing_tests().len(),
            culprit: self.culprit.map(|commit| report_culprit(commit, self.revert)),
            locations: self.locations.iter().take(MAX_LOCATIONS).map(report_location).collect(),
            contracts: self.contracts.iter().map(report_contract).collect(),
            sources: self.source_excerpts()?,
            schedules: None,
        })
    }

    fn failing_tests(&self) -> Vec<TestFailureReport> {
        let failing = self.expectations.failing_tests().iter().take(MAX_TESTS);
        failing.map(|test| self.report_test(test)).collect()
    }

    fn report_test(&self, test: &str) -> TestFailureReport {
        let result = self.result_of(test);
        let failure = result.and_then(TestResult::failure);
        let frames = failure.map_or(&[][..], |failure| &failure.frames);
        let printed = match self.outcome {
            Outcome::TimedOut { output, .. } => output.clone(),
            _ => result.map_or(String::new(), |result| result.printed.clone()),
        };
        TestFailureReport {
            test: test.to_owned(),
            exception: failure.map(|failure| failure.exception.clone()),
            message: failure.and_then(|failure| failure.message.clone()),
            stack: frames.iter().take(MAX_FRAMES).map(ToString::to_string).collect(),
            printed,
        }
    }

    fn result_of(&self, test: &str) -> Option<&TestResult> {
        let Outcome::Tests { results } = self.outcome else { return None };
        results.iter().find(|result| result.test == test)
    }

    /// Returns the sources of suspicious statements, then those of failing tests.
    fn source_excerpts(&self) -> Result<Vec<SourceExcerpt>> {
        let mut excerpts = SourceExcerpts::default();
        let mut lines: BTreeMap<&RepoPath, Vec<usize>> = BTreeMap::new();
        let locations = self.locations.iter().take(MAX_LOCATIONS);
        for location in locations.clone() {
            let line = usize::try_from(location.line).unwrap_or(usize::MAX);
            lines.entry(&location.path).or_default().push(line);
        }
        for location in locations {
            // Files in the order of their most suspicious statement.
            let Some(lines) = lines.remove(&location.path) else { continue };
            self.add_file(&location.path, &lines, &mut excerpts)?;
        }
        for (path, lines) in self.test_files()? {
            self.add_file(&path, &lines, &mut excerpts)?;
        }
        Ok(excerpts.into_excerpts())
    }

    fn add_file(
        &self,
        path: &RepoPath,
        lines: &[usize],
        excerpts: &mut SourceExcerpts,
    ) -> Result<()> {
        let state = self.store.read_file(&self.bad.overlaid_tree, path)?;
        let text = state.as_ref().and_then(|state| std::str::from_utf8(&state.content).ok());
        if let Some(text) = text {
            excerpts.add_file(&path.to_string(), text, lines, self.overlay.contains(path));
        }
        Ok(())
    }

    /// Returns the files of failing tests, with the lines in their stack traces.
    fn test_files(&self) -> Result<Vec<(RepoPath, Vec<usize>)>> {
        let files = self.store.read_tree(&self.bad.overlaid_tree)?;
        let mut found: Vec<(RepoPath, Vec<usize>)> = Vec::new();
        for test in self.expectations.failing_tests().iter().take(MAX_TESTS) {
            let class = test.split('#').next().unwrap_or(test);
            let class = class.split('$').next().unwrap_or(class);
            let end = format!("{}.java", class.replace('.', "/"));
            let is_source = |path: &&RepoPath| {
                let path = path.to_string();
                path.strip_suffix(&end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            let Some(path) = files.keys().find(is_source) else { continue };
            let failure = self.result_of(test).and_then(TestResult::failure);
            let frames = failure.map_or(&[][..], |failure| &failure.frames).iter();
            let lines = frames.filter(|frame| frame.class.split('$').next() == Some(class));
            let lines = lines.filter_map(|frame| usize::try_from(frame.line?).ok());
            match found.iter_mut().find(|(known, _)| known == path) {
                Some((_, known)) => known.extend(lines),
                None => found.push((path.clone(), lines.collect())),
            }
        }
        Ok(found)
    }
}

/// Reports the commit that broke the tests, with its minimal revert.
pub(in crate::run) fn report_culprit(commit: &Commit, revert: Option<&Revert>) -> CulpritReport {
    let revert = revert.map(|revert| &revert.patch_text);
    CulpritReport {
        commit: commit.id.0.clone(),
        summary: commit.summary.clone(),
        minimal_revert: revert.map(|text| String::from_utf8_lossy(text).into_owned()),
    }
}

fn report_location(location: &SuspiciousLocation) -> LocationReport {
    let value = |TermValues { term, failing, passing }: &TermValues| ValueReport {
        expression: term.clone(),
        failing: failing.clone(),
        passing: passing.clone(),
    };
    LocationReport {
        path: location.path.to_string(),
        line: location.line,
        code: location.code.clone(),
        score: location.score,
        failing_tests: Some(location.failing_tests),
        passing_tests: Some(location.passing_tests),
        values: location.values.iter().map(value).collect(),
    }
}

/// Converts the contract of a method.
pub(in crate::run) fn report_contract(contract: &MethodContract) -> ContractReport {
    let MethodContract { path, line, requires, ensures } = contract.clone();
    ContractReport { path: path.to_string(), line, requires, ensures }
}
