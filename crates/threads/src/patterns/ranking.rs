//! Ranking of access patterns by how well they distinguish failing from passing schedules.

use mend_model::schedules::{PatternCount, ScheduleTrace};

/// Maximum number of patterns in the result.
const MAX_PATTERNS: usize = 10;

/// Returns the most suspicious patterns, best first.
pub fn rank_patterns(patterns: &[PatternCount]) -> Vec<&PatternCount> {
    let mut ranked: Vec<&PatternCount> = patterns.iter().collect();
    ranked.sort_by(|one, other| {
        let by_suspicion = suspicion(other).total_cmp(&suspicion(one));
        let by_count = other.failing.cmp(&one.failing);
        by_suspicion
            .then(by_count)
            .then(form_rank(one).cmp(&form_rank(other)))
            .then(one.key.cmp(&other.key))
    });
    ranked.truncate(MAX_PATTERNS);
    ranked
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

/// Returns the first of the patterns that occurs in a schedule, and its steps.
pub fn first_pattern_in<'a>(
    ranked: &[&'a PatternCount],
    example: &'a ScheduleTrace,
) -> Option<(&'a PatternCount, &'a [usize])> {
    ranked.iter().find_map(|pattern| {
        let instance = example.patterns.iter().find(|instance| instance.key == pattern.key)?;
        Some((*pattern, instance.steps.as_slice()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::CodeLocation;

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
        let names: Vec<&str> =
            rank_patterns(&patterns).iter().map(|one| one.form.as_str()).collect();
        assert_eq!(names, ["RWW", "WR", "WWW", "RW"]);
    }
}
