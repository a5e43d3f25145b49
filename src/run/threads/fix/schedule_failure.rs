//! Report for a generator of a failure that depends on the thread schedule.

use crate::run::fix::generator::failure_report::{report_contract, report_culprit};
use crate::run::fix::generator::protocol::{
    ContractReport, FailureReport, LocationReport, MAX_FRAMES, RaceReport, SchedulesReport,
    TestFailureReport,
};
use crate::run::fix::generator::source_excerpts::SourceExcerpts;
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::Revert;
use crate::run::session::versions::ResolvedVersion;
use crate::run::threads::findings_report::{failure_message, test_name};
use mend_java::Code;
use mend_model::schedules::{CodeLocation, FailureGroup, Findings, ScheduleTrace};
use mend_model::{Frame, RepoPath};
use mend_repair::{Contracts, SuspiciousStatement, describe_contracts};
use mend_report::{RaceResult, ScheduleReport};
use mend_threads::SourceFile;
use mend_threads::patterns::ranking::suspicion;
use serde::Deserialize as _;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Maximum numbers of reported failures, places, explanations and steps.
const MAX_TESTS: usize = 30;
const MAX_LOCATIONS: usize = 25;
const MAX_EXPLANATIONS: usize = 10;
const MAX_STEPS: usize = 200;

/// Suspicion of a place of a data race, relative to the best access pattern.
const RACE_SCORE: f64 = 0.5;

/// Failure that schedules show.
pub(super) struct ScheduleFailure<'a> {
    pub(super) bad: &'a ResolvedVersion,
    pub(super) files: &'a [SourceFile<'a>],
    /// The files without tests.
    pub(super) main: &'a [(RepoPath, Code<'a>)],
    pub(super) contracts: &'a Contracts,
    pub(super) findings: &'a Findings,
    /// Result of the earlier techniques, with the schedules in words.
    pub(super) so_far: &'a Fixes,
    pub(super) revert: Option<&'a Revert>,
}

impl ScheduleFailure<'_> {
    /// Writes the report.
    pub(super) fn report(&self) -> FailureReport {
        let version = self.bad.commit_id();
        let empty = ScheduleReport::default();
        let schedules = self.so_far.schedules.as_ref().unwrap_or(&empty);
        let bisected = self.so_far.bisected.as_ref();
        let culprit = bisected.and_then(|bisected| bisected.culprit_commit.as_ref());
        let locations = self.locations();
        FailureReport {
            version: version.map_or_else(|| self.bad.label.clone(), |commit| commit.0.clone()),
            failing_tests: report_failing_tests(self.findings),
            passing_tests: count_passing_tests(self.findings),
            culprit: culprit.map(|commit| report_culprit(commit, self.revert)),
            sources: self.source_excerpts(&locations).into_excerpts(),
            contracts: self.method_contracts(&locations),
            locations,
            schedules: Some(report_schedules(schedules)),
        }
    }

    /// Returns the places of suspicious access patterns, then those of data races.
    fn locations(&self) -> Vec<LocationReport> {
        let patterns = self.findings.patterns.iter().flat_map(|pattern| {
            let score = suspicion(pattern);
            pattern.sites.iter().map(move |site| (site, score))
        });
        let races = self.findings.races.iter();
        let races = races.flat_map(|race| race.sites.iter().map(|site| (site, RACE_SCORE)));
        let mut locations: Vec<LocationReport> = Vec::new();
        for (site, score) in patterns.chain(races) {
            let Some((file, line)) = self.find_file(site) else { continue };
            if line == 0 {
                // The class file does not name it.
                continue;
            }
            let path = file.path.to_string();
            match locations.iter_mut().find(|one| one.path == path && one.line == line) {
                Some(known) => known.score = known.score.max(score),
                None => locations.push(LocationReport {
                    code: line_text(file.code.text, line),
                    path,
                    line,
                    score,
                    failing_tests: None,
                    passing_tests: None,
                    values: Vec::new(),
                }),
            }
        }
        locations.sort_by(|one, other| other.score.total_cmp(&one.score));
        locations.truncate(MAX_LOCATIONS);
        locations
    }

    /// Returns the contracts of the methods with these places.
    fn method_contracts(&self, locations: &[LocationReport]) -> Vec<ContractReport> {
        let find_statement = |location: &LocationReport| {
            let file = self.main.iter().position(|(path, _)| path.to_string() == location.path)?;
            let (_, code) = self.main.get(file)?;
            let statement = code.statements().find(|one| code.line(*one) == location.line)?;
            Some(SuspiciousStatement { file, statement, score: location.score })
        };
        let statements: Vec<_> = locations.iter().filter_map(find_statement).collect();
        let contracts = describe_contracts(self.main, self.contracts, &statements);
        contracts.iter().map(report_contract).collect()
    }

    /// Returns the source file of a place, with the line.
    fn find_file(&self, site: &CodeLocation) -> Option<(&SourceFile<'_>, u32)> {
        self.find_class(&site.class).map(|file| (file, site.line))
    }

    /// Returns the source file of a class.
    fn find_class(&self, class: &str) -> Option<&SourceFile<'_>> {
        let class = class.split('$').next().unwrap_or(class);
        let end = format!("{}.java", class.replace('.', "/"));
        let is_source = |file: &&SourceFile<'_>| {
            let path = file.path.to_string();
            path.strip_suffix(&end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.files.iter().find(is_source)
    }

    /// Returns the sources of the places, then those of the tests.
    fn source_excerpts(&self, locations: &[LocationReport]) -> SourceExcerpts {
        let mut places: Vec<(&SourceFile<'_>, u32)> = Vec::new();
        for location in locations {
            let file = self.files.iter().find(|file| file.path.to_string() == location.path);
            places.extend(file.map(|file| (file, location.line)));
        }
        for example in failing_examples(self.findings) {
            let name = test_name(example);
            let class = name.split('#').next().unwrap_or(name);
            let Some(test) = self.find_class(class) else { continue };
            // Line 0 is unknown.
            places.push((test, 0));
            let sites = example.sites.iter().filter_map(|site| self.find_file(site));
            places.extend(sites.filter(|(file, _)| file.path == test.path));
        }
        let mut files: Vec<(&SourceFile<'_>, Vec<usize>)> = Vec::new();
        for (file, line) in places {
            let lines = usize::try_from(line).ok().filter(|line| *line > 0);
            match files.iter_mut().find(|(known, _)| known.path == file.path) {
                Some((_, known)) => known.extend(lines),
                None => files.push((file, lines.into_iter().collect())),
            }
        }
        let mut excerpts = SourceExcerpts::default();
        for (file, lines) in files {
            let path = file.path.to_string();
            excerpts.add_file(&path, file.code.text, &lines, file.is_test);
        }
        excerpts
    }
}

/// Returns an example of each failure, the most frequent first, or else of a data race.
fn failing_examples(findings: &Findings) -> Vec<&ScheduleTrace> {
    let mut groups: Vec<&FailureGroup> = findings.groups.iter().collect();
    groups.sort_by_key(|group| (Reverse(group.count), group.first));
    let race = findings.race_example.as_ref().filter(|_| groups.is_empty());
    groups.into_iter().map(|group| &group.example).chain(race).take(MAX_TESTS).collect()
}

/// Returns the failures, each with the test of its example.
fn report_failing_tests(findings: &Findings) -> Vec<TestFailureReport> {
    let report = |example: &ScheduleTrace| {
        let result = example.result.as_ref().filter(|_| example.text.is_none());
        let text_of = |key| result.and_then(|result| result[key].as_str()).map(str::to_owned);
        let exception = text_of("exception").filter(|exception| !exception.is_empty());
        let message = match exception {
            Some(_) => text_of("message"),
            None => Some(failure_message(example)),
        };
        let test = test_name(example).to_owned();
        let frames = result.map(|result| &result["frames"]);
        let frames = frames.and_then(|frames| Vec::<Frame>::deserialize(frames).ok());
        let stack = frames.iter().flatten().take(MAX_FRAMES).map(ToString::to_string).collect();
        TestFailureReport { test, exception, message, stack, printed: String::new() }
    };
    failing_examples(findings).into_iter().map(report).collect()
}

/// Counts the tests that ran and for which no failure is known. A failure of a class counts for all of its tests.
fn count_passing_tests(findings: &Findings) -> usize {
    let examples = findings.groups.iter().map(|group| &group.example);
    let failing: BTreeSet<&str> = examples.chain(&findings.race_example).map(test_name).collect();
    let is_failing = |test: &str| {
        let class = test.split('#').next().unwrap_or(test);
        failing.contains(test) || failing.contains(class)
    };
    findings.tests.iter().filter(|test| !is_failing(test)).count()
}

fn report_schedules(schedules: &ScheduleReport) -> SchedulesReport {
    let report_race = |race: &RaceResult| RaceReport {
        variable: race.variable.clone(),
        sites: race.sites.clone(),
    };
    let explanations = schedules.patterns.iter().map(|pattern| pattern.why.clone());
    SchedulesReport {
        run: schedules.run,
        failing: schedules.failing,
        explanations: explanations.take(MAX_EXPLANATIONS).collect(),
        races: schedules.races.iter().take(MAX_EXPLANATIONS).map(report_race).collect(),
        lock_cycles: schedules.lock_cycles.iter().map(|cycle| cycle.sites.clone()).collect(),
        steps: schedules.steps.iter().take(MAX_STEPS).cloned().collect(),
    }
}

fn line_text(text: &str, line: u32) -> String {
    let at = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    text.lines().nth(at).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_failure_has_its_own_test() {
        let group = |count, example| FailureGroup { count, first: 1, example };
        let frame = json!({"class": "p.A", "method": "a", "file": "A.java", "line": 7});
        let result =
            json!({"test": "p.ATest#a", "exception": "E", "message": "m", "frames": [frame]});
        let thrown = ScheduleTrace { result: Some(result), ..ScheduleTrace::default() };
        let mut blocked =
            ScheduleTrace { text: Some("deadlock".to_owned()), ..ScheduleTrace::default() };
        blocked.schedule.test = "p.BTest\t".to_owned();
        let findings = Findings {
            groups: vec![group(1, thrown), group(2, blocked)],
            tests: ["p.ATest#a", "p.ATest#b", "p.BTest#c"].map(str::to_owned).into(),
            ..Findings::default()
        };
        let failures = report_failing_tests(&findings);
        assert_eq!(failures[1].stack, ["p.A.a(A.java:7)"]);
        let failures: Vec<_> = failures
            .into_iter()
            .map(|one| (one.test, one.exception, one.message.unwrap()))
            .collect();
        let own = |text: &str| text.to_owned();
        assert_eq!(failures[0], (own("p.BTest"), None, own("deadlock")));
        assert_eq!(failures[1], (own("p.ATest#a"), Some(own("E")), own("m")));
        assert_eq!(count_passing_tests(&findings), 1);
    }
}
