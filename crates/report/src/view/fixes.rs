//! Fixes with their reasons, evidence and confidence.

use crate::run_folder::artifacts::RunArtifacts;
use crate::terminal::fixes::{alike, others_pass, still_pass};
use crate::view::sentence::{Sentence, code, plain, run_prose};
use crate::{FixEvidence, FixResult};
use mend_model::TermValues;
use mend_model::counted;

/// Maximum number of still failing tests named.
const MOST_LEFT: usize = 8;

/// Fix as pages and Markdown show it.
#[derive(Clone, Debug)]
pub(crate) struct FixView {
    pub(crate) rank: usize,
    /// Reason: a sentence with code between backticks.
    pub(crate) why: String,
    /// First changed location.
    pub(crate) location: Option<String>,
    /// Technique and operator.
    pub(crate) way: String,
    /// Number of tokens deleted plus inserted, if known.
    pub(crate) tokens: Option<usize>,
    /// Numbers of tokens and lines, in words.
    pub(crate) size: String,
    pub(crate) confidence: FixConfidence,
    /// Evidence from tests, besides the verification on a clean checkout.
    pub(crate) evidence: Vec<Sentence>,
    /// Patch file in the run folder.
    pub(crate) patch: Option<String>,
    pub(crate) values: Option<RecordedValuesView>,
}

/// Confidence in a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FixConfidence {
    pub(crate) word: &'static str,
    pub(crate) why: &'static str,
}

/// Values that tests observed before the statement that a fix changes.
#[derive(Clone, Debug)]
pub(crate) struct RecordedValuesView {
    pub(crate) place: String,
    pub(crate) failing: String,
    pub(crate) passing: String,
    pub(crate) rows: Vec<TermRow>,
}

/// Values of one expression.
#[derive(Clone, Debug)]
pub(crate) struct TermRow {
    pub(crate) term: String,
    pub(crate) failing: String,
    pub(crate) passing: String,
    /// True if failing and passing tests have no value in common.
    pub(crate) decides: bool,
}

/// Returns the fixes of a run, best first.
pub(crate) fn repairs(material: &RunArtifacts<'_>) -> Vec<FixView> {
    let repair = |fix: &FixResult| {
        let tokens = fix.tokens.map(|tokens| counted(tokens, "token"));
        let lines = fix.lines.map(|lines| counted(lines, "line"));
        let size: Vec<String> = tokens.into_iter().chain(lines).collect();
        FixView {
            rank: fix.rank,
            why: fix.why.clone(),
            location: fix.location.clone(),
            way: format!("{}, {}", fix.technique, fix.operator),
            tokens: fix.tokens,
            size: size.join(", "),
            confidence: confidence(&fix.validated),
            evidence: evidence(&fix.validated),
            patch: fix.patch.clone(),
            values: values(material, fix),
        }
    };
    material.result().fixes.iter().map(repair).collect()
}

/// Rates the confidence by the evidence from tests alone. Tests cannot say how likely it is that an author would write
/// this fix.
fn confidence(validated: &FixEvidence) -> FixConfidence {
    let (word, why) = match validated {
        FixEvidence { still_failing, .. } if !still_failing.is_empty() => {
            ("partial", "some tests still fail")
        }
        FixEvidence { exhaustive: true, .. } => ("high", "exhaustive: no schedule fails"),
        FixEvidence { schedules: Some(count), .. } if *count >= 300 => {
            ("high", "no failure in hundreds of schedules")
        }
        FixEvidence { schedules: Some(_), .. } => ("fair", "no failure in the explored schedules"),
        FixEvidence { generated: Some(count), generated_different, .. }
            if *count >= 10 && generated_different * 20 <= count + generated_different =>
        {
            ("high", "supported by generated tests")
        }
        _ => ("fair", "supported only by the existing tests"),
    };
    FixConfidence { word, why }
}

fn evidence(validated: &FixEvidence) -> Vec<Sentence> {
    let mut all = Vec::new();
    if validated.failing_pass > 0 {
        all.push(vec![plain(format!("fixes {}", counted(validated.failing_pass, "failing test")))]);
    }
    let left = &validated.still_failing;
    for test in left.iter().take(MOST_LEFT) {
        all.push(vec![code(test), plain(" still fails")]);
    }
    if let Some(more @ 1..) = left.len().checked_sub(MOST_LEFT) {
        let fail = if more == 1 { "fails" } else { "fail" };
        all.push(vec![plain(format!("{} still {fail}", counted(more, "more test")))]);
    }
    if validated.passing_kept > 0 {
        all.push(vec![plain(still_pass(validated.passing_kept))]);
    }
    if validated.affected_tests > 0 {
        all.push(vec![plain(others_pass(validated.affected_tests))]);
    }
    if let Some(count) = validated.generated {
        all.push(vec![plain(alike(count, validated))]);
    }
    if let Some(count) = validated.schedules {
        all.push(vec![plain(format!("no failure in {}", counted(count, "schedule")))]);
    }
    all.extend(validated.bound.iter().chain(&validated.checks).map(|words| vec![run_prose(words)]));
    all
}

fn values(material: &RunArtifacts<'_>, fix: &FixResult) -> Option<RecordedValuesView> {
    let seen = material.values.iter().find(|one| Some(&one.patch) == fix.patch.as_ref())?;
    let row = |TermValues { term, failing, passing }: &TermValues| TermRow {
        term: term.clone(),
        failing: failing.join(", "),
        passing: passing.join(", "),
        decides: !failing.is_empty()
            && !passing.is_empty()
            && failing.iter().all(|value| !passing.contains(value)),
    };
    Some(RecordedValuesView {
        place: format!("{}:{}", seen.path, seen.line),
        failing: tests(seen.failing, "failing test"),
        passing: tests(seen.passing, "passing test"),
        rows: seen.terms.iter().map(row).collect(),
    })
}

/// Returns the header of a column of values.
fn tests(count: usize, what: &str) -> String {
    if count == 0 {
        format!("No {what} executes it")
    } else {
        format!("In {}", counted(count, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exhaustive_exploration_gives_high_confidence_like_many_schedules() {
        let word = |exhaustive, schedules| {
            let validated =
                FixEvidence { schedules: Some(schedules), exhaustive, ..FixEvidence::default() };
            confidence(&validated).word
        };
        assert_eq!([word(true, 4), word(false, 1000), word(false, 4)], ["high", "high", "fair"]);
        let left =
            FixEvidence { still_failing: vec!["a.B#c".to_owned()], ..FixEvidence::default() };
        assert_eq!(confidence(&left).word, "partial");
    }
}
