//! Selects and describes what explains failing schedules: access patterns, or the accesses of a data race.

use mend_model::schedules::{
    CodeLocation, DataRace, Findings, PatternCount, ScheduleStep, ScheduleTrace,
};
use mend_model::without_packages;
use mend_report::{PatternResult, RaceResult, is_explanatory};
use mend_threads::patterns::description::{
    describe_pattern, format_location, format_notation, format_short_location,
};
use mend_threads::patterns::ranking::{
    best_pattern_in, decisive_pair, decisive_patterns, rank_patterns, suspicion,
};
use mend_threads::patterns::roles::{AccessRole, AccessRoles};
use std::collections::BTreeSet;

/// Maximum number of patterns in the result.
const MAX_PATTERNS: usize = 10;

/// Selects and describes the access patterns and data races of an exploration.
pub(super) struct ScheduleExplainer<'a> {
    pub(super) findings: &'a Findings,
    roles: &'a AccessRoles<'a>,
    /// Patterns, the best explanation first.
    ranked_patterns: Vec<&'a PatternCount>,
    /// Keys of the patterns with two steps whose order decides the outcome.
    decisive: BTreeSet<&'a str>,
}

impl<'a> ScheduleExplainer<'a> {
    pub(super) fn new(findings: &'a Findings, roles: &'a AccessRoles<'a>) -> Self {
        let decisive = decisive_patterns(findings);
        let ranked_patterns = rank_patterns(findings, &decisive, roles);
        Self { findings, roles, ranked_patterns, decisive }
    }

    /// Returns the steps to mark in a schedule: those of the pattern, or of a data race if no schedule fails.
    pub(super) fn steps_to_mark(&self, example: &ScheduleTrace) -> Vec<usize> {
        match self.pattern_to_mark(example) {
            Some((_, steps)) => steps.to_vec(),
            None if self.findings.failing == 0 => self.race_steps(example),
            None => Vec::new(),
        }
    }

    /// Returns the best patterns, the one in the diagram of the main example first.
    pub(super) fn to_pattern_results(
        &self,
        main_example: Option<&ScheduleTrace>,
    ) -> Vec<PatternResult> {
        let first = main_example.and_then(|example| self.pattern_to_mark(example));
        let first = first.map(|(pattern, _)| pattern);
        let all = self.ranked_patterns.iter().copied();
        let others = all.filter(|one| first.is_none_or(|first| first.key != one.key));
        let patterns = first.into_iter().chain(others);
        let patterns = patterns.take(MAX_PATTERNS);
        patterns.map(|pattern| self.to_pattern_result(pattern, main_example)).collect()
    }

    /// Returns the data races, those of product code first. Merges races that differ only in the accesses within one
    /// line.
    pub(super) fn to_race_results(&self) -> Vec<RaceResult> {
        let mut races: Vec<RaceResult> = Vec::new();
        for race in self.ranked_races() {
            let mut sites: Vec<String> = race.sites.iter().map(format_location).collect();
            sites.sort();
            let known_race =
                races.iter_mut().find(|one| one.variable == race.variable && one.sites == sites);
            match known_race {
                Some(known_race) => {
                    known_race.schedules = known_race.schedules.max(race.schedules);
                }
                None => races.push(RaceResult {
                    variable: race.variable.clone(),
                    sites,
                    schedules: race.schedules,
                }),
            }
        }
        races
    }

    fn ranked_races(&self) -> Vec<&'a DataRace> {
        let mut races: Vec<&DataRace> = self.findings.races.iter().collect();
        let role = |site: &CodeLocation| self.roles.access_role(site);
        races.sort_by_key(|race| race.sites.iter().map(role).max().unwrap_or(AccessRole::Product));
        races
    }

    /// Returns the pattern to mark in a schedule, and its steps. Returns `None` for blocked threads, whose locks and
    /// signals are marked instead, unless a pattern distinguishes failing schedules.
    fn pattern_to_mark<'b>(
        &self,
        example: &'b ScheduleTrace,
    ) -> Option<(&'a PatternCount, &'b [usize])> {
        let findings = self.findings;
        let passed = findings.run.saturating_sub(findings.failing + findings.inconclusive);
        best_pattern_in(&self.ranked_patterns, self.roles, example).filter(|(one, _)| {
            !example.is_blocked()
                || self.decisive.contains(one.key.as_str())
                || is_explanatory([one.failing, one.passing], [findings.failing, passed])
        })
    }

    /// Returns the two accesses of the first data race that a schedule shows.
    fn race_steps(&self, example: &ScheduleTrace) -> Vec<usize> {
        let steps = &example.steps;
        let is_at = |at: usize, site: &CodeLocation| {
            steps.get(at).is_some_and(|step| example.sites.get(step.site) == Some(site))
        };
        let is_conflict = |one: usize, other: usize| {
            steps[one].location == steps[other].location && steps[one].thread != steps[other].thread
        };
        let find_race = |race: &DataRace| {
            let [first, second] = &race.sites[..] else { return None };
            let later = (0..steps.len()).filter(|at| is_at(*at, first) || is_at(*at, second));
            later.clone().find_map(|other| {
                let other_site = if is_at(other, first) { second } else { first };
                let earlier = later.clone().take_while(|one| *one < other);
                let mut earlier = earlier.filter(|one| is_at(*one, other_site));
                earlier.find(|one| is_conflict(*one, other)).map(|one| vec![one, other])
            })
        };
        self.ranked_races().into_iter().find_map(find_race).unwrap_or_default()
    }

    /// Returns the accessed object of each step of a pattern in a schedule, the value that it read or wrote, and the
    /// product code that called into its class.
    fn step_details(&self, pattern: &PatternCount, example: &ScheduleTrace) -> Vec<Option<String>> {
        let details = |step: &usize| {
            let step = example.steps.get(*step)?;
            let object = accessed_object(step, example).map(|name| format!("on {name}"));
            let value = step.value.as_ref().map(|value| format!("value {value}"));
            let caller = outer_caller(step, example)
                .filter(|frame| !(self.roles.is_test_class)(frame_class(frame)))
                .map(|frame| format!("called at {}", without_packages(frame)));
            let parts: Vec<String> = object.into_iter().chain(value).chain(caller).collect();
            (!parts.is_empty()).then(|| parts.join(", "))
        };
        pattern_steps(pattern, example).unwrap_or_default().iter().map(details).collect()
    }

    fn to_pattern_result(
        &self,
        pattern: &PatternCount,
        main_example: Option<&ScheduleTrace>,
    ) -> PatternResult {
        let (a, b) = thread_names(pattern, main_example);
        let details =
            main_example.map_or_else(Vec::new, |example| self.step_details(pattern, example));
        let swap = main_example.and_then(|example| describe_swap(pattern, example));
        let why = describe_pattern(pattern, &details, &a, &b);
        PatternResult {
            pattern: format_notation(pattern),
            suspiciousness: suspicion(pattern),
            failing: pattern.failing,
            passing: pattern.passing,
            sites: pattern.sites.iter().map(format_location).collect(),
            variables: pattern.sites.iter().map(|site| site.subject.clone()).collect(),
            decisive: self.decisive.contains(pattern.key.as_str()),
            why: swap.map_or_else(|| why.clone(), |swap| format!("{why}. {swap}")),
        }
    }
}

/// Returns the steps of a pattern in a schedule.
fn pattern_steps<'a>(pattern: &PatternCount, example: &'a ScheduleTrace) -> Option<&'a [usize]> {
    let instance = example.patterns.iter().find(|instance| instance.key == pattern.key)?;
    Some(&instance.steps)
}

/// Returns the name of the collection or array that a step accesses; `None` for a field or an object without a name.
fn accessed_object<'a>(step: &'a ScheduleStep, example: &ScheduleTrace) -> Option<&'a str> {
    let subject = &example.sites.get(step.site)?.subject;
    let is_object = subject.starts_with("java.") || subject == "[]";
    step.name.as_deref().filter(|name| is_object && !name.contains('#'))
}

/// Returns the location that called into the class of a step, such as the caller of a getter.
fn outer_caller<'a>(step: &ScheduleStep, example: &'a ScheduleTrace) -> Option<&'a str> {
    let site = example.sites.get(step.site)?;
    let frames = example.stacks.get(step.stack?)?;
    let is_outside = |frame: &&String| frame_class(frame) != site.class;
    frames.iter().find(is_outside).map(String::as_str)
}

/// Returns the class of a stack frame `pkg.Class.method:line`.
fn frame_class(frame: &str) -> &str {
    frame.rsplit_once('.').map_or("", |(class, _)| class)
}

/// Describes the two accesses of a pattern whose order decides the outcome.
fn describe_swap(pattern: &PatternCount, example: &ScheduleTrace) -> Option<String> {
    let instance = example.patterns.iter().find(|instance| instance.key == pattern.key)?;
    let pair = decisive_pair(instance, example)?;
    let access = |step: usize| {
        let step = example.steps.get(step)?;
        let location = format_short_location(example.sites.get(step.site)?);
        Some(format!("{location} in {}", example.threads.get(step.thread)?))
    };
    let (first, second) = (access(pair[0])?, access(pair[1])?);
    Some(format!("The schedule passes if {second} runs before {first}"))
}

/// Returns the names of a pattern's threads in an example schedule.
fn thread_names(pattern: &PatternCount, main_example: Option<&ScheduleTrace>) -> (String, String) {
    let names = main_example.and_then(|example| {
        let steps = pattern_steps(pattern, example)?;
        let name = |at: usize| {
            let thread = example.steps.get(*steps.get(at)?)?.thread;
            example.threads.get(thread).cloned()
        };
        Some((name(0)?, name(1)?))
    });
    names.unwrap_or_else(|| ("one thread".to_owned(), "another".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::PatternInstance;

    #[test]
    fn pattern_of_the_main_example_comes_first_however_many_rank_before_it() {
        let pattern = |key: String, passing: usize| PatternCount {
            key,
            form: "RW".to_owned(),
            sites: Vec::new(),
            failing: 5,
            passing,
        };
        let others = (0..2 * MAX_PATTERNS).map(|number| pattern(format!("other {number}"), 0));
        let patterns = others.chain([pattern("own".to_owned(), 1)]).collect();
        let example = ScheduleTrace {
            patterns: vec![PatternInstance { key: "own".to_owned(), steps: vec![1, 2] }],
            ..ScheduleTrace::default()
        };
        let findings = Findings { run: 20, failing: 10, patterns, ..Findings::default() };
        let lock_classes = BTreeSet::new();
        let roles = AccessRoles { lock_classes: &lock_classes, is_test_class: &|_| false };
        let explainer = ScheduleExplainer::new(&findings, &roles);
        let results = explainer.to_pattern_results(Some(&example));
        assert_eq!((results.len(), results[0].passing), (MAX_PATTERNS, 1));
        assert_eq!(explainer.steps_to_mark(&example), [1, 2]);
    }
}
