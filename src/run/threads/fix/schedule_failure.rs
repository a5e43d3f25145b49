//! Report for a generator of a failure that depends on the thread schedule.

use crate::run::fix::generator::protocol::{
    CulpritReport, FailureReport, LocationReport, RaceReport, SchedulesReport, TestFailureReport,
};
use crate::run::fix::generator::source_excerpts::SourceExcerpts;
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::Revert;
use crate::run::session::versions::ResolvedVersion;
use mend_model::schedules::{CodeLocation, Findings};
use mend_report::{RaceResult, ScheduleReport};
use mend_threads::SourceFile;
use mend_threads::patterns::ranking::suspicion;
use std::collections::BTreeMap;

/// Maximum numbers of reported places, explanations and steps.
const MAX_LOCATIONS: usize = 25;
const MAX_EXPLANATIONS: usize = 10;
const MAX_STEPS: usize = 200;

/// Suspicion of a place of a data race, relative to the best access pattern.
const RACE_SCORE: f64 = 0.5;

/// Failure that schedules show.
pub(super) struct ScheduleFailure<'a> {
    pub(super) bad: &'a ResolvedVersion,
    pub(super) files: &'a [SourceFile<'a>],
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
            failing_tests: self.failing_tests(schedules),
            passing_tests: 0,
            culprit: culprit.map(|commit| CulpritReport {
                commit: commit.id.0.clone(),
                summary: commit.summary.clone(),
                minimal_revert: self
                    .revert
                    .map(|revert| String::from_utf8_lossy(&revert.patch_text).into_owned()),
            }),
            sources: self.source_excerpts(&locations).into_excerpts(),
            locations,
            contracts: Vec::new(),
            schedules: Some(report_schedules(schedules)),
        }
    }

    /// Returns the kinds of failure, each with the test of an example.
    fn failing_tests(&self, schedules: &ScheduleReport) -> Vec<TestFailureReport> {
        let names =
            self.findings.groups.iter().map(|group| test_name(&group.example.schedule.test));
        let name = names.into_iter().next().unwrap_or_default();
        let report = |failure: &mend_report::FailedSchedules| TestFailureReport {
            test: name.clone(),
            exception: None,
            message: Some(failure.message.clone()),
            stack: Vec::new(),
            printed: String::new(),
        };
        schedules.failures.iter().map(report).collect()
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
            let path = file.path.to_string();
            match locations.iter_mut().find(|one| one.path == path && one.line == line) {
                Some(known) => known.score = known.score.max(score),
                None => locations.push(LocationReport {
                    code: line_text(file.code.text, line),
                    path,
                    line,
                    score,
                    failing_tests: 1,
                    passing_tests: 0,
                    values: Vec::new(),
                }),
            }
        }
        locations.sort_by(|one, other| other.score.total_cmp(&one.score));
        locations.truncate(MAX_LOCATIONS);
        locations
    }

    /// Returns the source file of a place, with the line.
    fn find_file(&self, site: &CodeLocation) -> Option<(&SourceFile<'_>, u32)> {
        let class = site.class.split('$').next().unwrap_or(&site.class);
        let end = format!("{}.java", class.replace('.', "/"));
        let is_source = |file: &&SourceFile<'_>| {
            let path = file.path.to_string();
            path.strip_suffix(&end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.files.iter().find(is_source).map(|file| (file, site.line))
    }

    /// Returns the sources of the places, then those of the tests.
    fn source_excerpts(&self, locations: &[LocationReport]) -> SourceExcerpts {
        let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for location in locations {
            let line = usize::try_from(location.line).unwrap_or(usize::MAX);
            lines.entry(&location.path).or_default().push(line);
        }
        let mut excerpts = SourceExcerpts::default();
        let find = |path: &str| self.files.iter().find(|file| file.path.to_string() == path);
        for location in locations {
            let Some(lines) = lines.remove(&*location.path) else { continue };
            let Some(file) = find(&location.path) else { continue };
            excerpts.add_file(&location.path, file.code.text, &lines, file.is_test);
        }
        excerpts
    }
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

/// Returns the name of a test in the form that the runner reads: class and method, separated by a tab.
fn test_name(test: &str) -> String {
    let mut parts = test.split('\t');
    let class = parts.next().unwrap_or_default();
    let method = parts.next().filter(|method| !method.is_empty());
    method.map_or_else(|| class.to_owned(), |method| format!("{class}#{method}"))
}

fn line_text(text: &str, line: u32) -> String {
    let at = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    text.lines().nth(at).unwrap_or_default().trim().to_owned()
}
