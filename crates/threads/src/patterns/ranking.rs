//! Ranking of access patterns: those that decide the outcome, then by role and by how well they distinguish failing
//! from passing schedules.

use super::operations::patterns_across_operations;
use super::roles::{AccessRole, AccessRoles};
use mend_model::schedules::{Findings, PatternCount, PatternInstance, ScheduleTrace};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the patterns, the best explanation first. `decisive` has the keys of [`decisive_patterns`].
pub fn rank_patterns<'a>(
    findings: &'a Findings,
    decisive: &BTreeSet<&str>,
    roles: &AccessRoles<'_>,
) -> Vec<&'a PatternCount> {
    let across_operations = patterns_across_operations(findings, roles.is_test_class);
    let mut ranked: Vec<&PatternCount> = findings.patterns.iter().collect();
    ranked.sort_by_cached_key(|pattern| {
        // Suspicions are at least zero, so their bits are in the same order.
        let by_suspicion = std::cmp::Reverse(suspicion(pattern).to_bits());
        let role = roles.pattern_role(pattern);
        (
            role == AccessRole::Lock,
            !decisive.contains(pattern.key.as_str()),
            role,
            across_operations.contains(pattern.key.as_str()),
            by_suspicion,
            std::cmp::Reverse(pattern.failing),
            form_rank(pattern),
            &pattern.key,
        )
    });
    ranked
}

/// Returns the keys of the patterns with two steps whose order decides the outcome of a failing schedule.
pub fn decisive_patterns(findings: &Findings) -> BTreeSet<&str> {
    let examples = findings.groups.iter().map(|group| &group.example);
    let keys = examples.flat_map(|example| {
        let is_decisive = |instance: &&PatternInstance| decisive_pair(instance, example).is_some();
        example.patterns.iter().filter(is_decisive).map(|instance| instance.key.as_str())
    });
    keys.collect()
}

/// Returns the steps of a pattern whose order decides the outcome of the schedule.
pub fn decisive_pair(instance: &PatternInstance, example: &ScheduleTrace) -> Option<[usize; 2]> {
    let is_inside = |pair: &&[usize; 2]| pair.iter().all(|step| instance.steps.contains(step));
    example.decisive_pairs.iter().find(is_inside).copied()
}

/// Returns the share of failing schedules among those with the pattern.
pub fn suspicion(pattern: &PatternCount) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    count(pattern.failing) / count(pattern.failing + pattern.passing).max(1.0)
}

/// Ranks equally suspicious patterns: atomicity of one variable, then of several, then order.
fn form_rank(pattern: &PatternCount) -> usize {
    match pattern.sites.len() {
        3 => 0,
        4 => 1,
        _ => 2,
    }
}

/// Returns the pattern that best explains a schedule, and its steps there: one whose order decides the outcome of this
/// schedule, then one whose last access read the missing value, then the first of the ranked patterns.
pub fn best_pattern_in<'a, 'b>(
    ranked: &[&'a PatternCount],
    roles: &AccessRoles<'_>,
    example: &'b ScheduleTrace,
) -> Option<(&'a PatternCount, &'b [usize])> {
    let instances: BTreeMap<&str, &PatternInstance> =
        example.patterns.iter().map(|instance| (instance.key.as_str(), instance)).collect();
    let in_example =
        ranked.iter().filter_map(|pattern| Some((*pattern, *instances.get(pattern.key.as_str())?)));
    let best = in_example.min_by_key(|(pattern, instance)| {
        (
            roles.pattern_role(pattern) == AccessRole::Lock,
            decisive_pair(instance, example).is_none(),
            !reads_missing_value(instance, example),
        )
    });
    best.map(|(pattern, instance)| (pattern, instance.steps.as_slice()))
}

/// Returns true if the failing thread ends a pattern with a read of null, and then throws a `NullPointerException`.
fn reads_missing_value(instance: &PatternInstance, example: &ScheduleTrace) -> bool {
    let last = instance.steps.last().and_then(|step| example.steps.get(*step));
    example.has_exception(&["java.lang.NullPointerException"])
        && last.is_some_and(|step| {
            step.thread == example.thread
                && step.what == "read"
                && step.value.as_deref() == Some("null")
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::{CodeLocation, ScheduleStep};

    fn pattern(form: &str, steps: usize, failing: usize, passing: usize) -> PatternCount {
        let site = CodeLocation {
            class: "A".to_owned(),
            method: "m".to_owned(),
            line: 1,
            turn: 0,
            subject: "A.x".to_owned(),
        };
        PatternCount {
            key: form.to_owned(),
            form: form.to_owned(),
            sites: vec![site; steps],
            failing,
            passing,
        }
    }

    #[test]
    fn failing_only_patterns_and_atomicity_rank_first() {
        let patterns = [
            pattern("RW", 2, 9, 9),
            pattern("WR", 2, 8, 0),
            pattern("RWW", 3, 8, 0),
            pattern("WWW", 3, 2, 0),
        ];
        let findings = Findings { patterns: patterns.to_vec(), ..Findings::default() };
        assert_eq!(rank(&findings, &[]), ["RWW", "WR", "WWW", "RW"]);
        assert_eq!(rank(&findings, &["RW"]), ["RW", "RWW", "WR", "WWW"]);
    }

    /// Returns the forms of patterns in their order. The order of the steps of some decides the outcome.
    fn rank<'a>(findings: &'a Findings, decisive: &[&str]) -> Vec<&'a str> {
        let (lock_classes, decisive) = (BTreeSet::new(), decisive.iter().copied().collect());
        let roles = AccessRoles { lock_classes: &lock_classes, is_test_class: &|_| false };
        let ranked = rank_patterns(findings, &decisive, &roles);
        ranked.iter().map(|one| one.form.as_str()).collect()
    }

    #[test]
    fn schedule_is_explained_by_its_decisive_pattern_or_the_missing_value() {
        let patterns = ["WW", "RW", "RWR"].map(|form| pattern(form, form.len(), 5, 0));
        let ranked: Vec<&PatternCount> = patterns.iter().collect();
        let step = |value: &str| ScheduleStep {
            what: "read".to_owned(),
            value: Some(value.to_owned()),
            ..ScheduleStep::default()
        };
        let instance = |form: &str, steps: &[usize]| PatternInstance {
            key: form.to_owned(),
            steps: steps.to_vec(),
        };
        let example = ScheduleTrace {
            steps: ["1", "2", "null", "3"].map(step).to_vec(),
            patterns: vec![
                instance("RW", &[0, 3]),
                instance("RWR", &[0, 1, 2]),
                instance("WW", &[1, 3]),
            ],
            ..ScheduleTrace::default()
        };
        let lock_classes = BTreeSet::new();
        let roles = AccessRoles { lock_classes: &lock_classes, is_test_class: &|_| false };
        let best = |example: &ScheduleTrace| {
            best_pattern_in(&ranked, &roles, example).map(|(pattern, _)| pattern.form.clone())
        };
        assert_eq!(best(&example).as_deref(), Some("WW"));
        let text = Some("java.lang.NullPointerException: no name".to_owned());
        let missing = ScheduleTrace { text, ..example };
        assert_eq!(best(&missing).as_deref(), Some("RWR"));
        let decisive = ScheduleTrace { decisive_pairs: vec![[0, 3]], ..missing };
        assert_eq!(best(&decisive).as_deref(), Some("RW"));
    }

    #[test]
    fn pattern_is_decisive_if_swapping_two_of_its_steps_decides() {
        let (key, steps) = ("RWW".to_owned(), vec![2, 5, 7]);
        let instance = PatternInstance { key, steps };
        let example = |decisive_pairs| ScheduleTrace { decisive_pairs, ..ScheduleTrace::default() };
        assert_eq!(decisive_pair(&instance, &example(vec![[1, 2], [5, 7]])), Some([5, 7]));
        assert_eq!(decisive_pair(&instance, &example(vec![[1, 2]])), None);
    }
}
