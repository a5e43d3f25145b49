//! View of fixes with their rationale, evidence and confidence.

use crate::run_folder::artifacts::RunArtifacts;
use crate::terminal::fixes::{
    affected_passing_text, fixed_tests_text, same_results_text, still_passing_text,
};
use crate::view::sentence::{Sentence, code_text, own_text, run_prose};
use crate::{FixEvidence, FixResult};
use mend_model::TermValues;
use mend_model::format_count;

/// Maximum number of still failing tests named.
const MAX_STILL_FAILING: usize = 8;

/// Fix in pages and Markdown.
#[derive(Clone, Debug)]
pub(crate) struct FixView {
    pub(crate) rank: usize,
    /// Rationale: a sentence with code between backticks.
    pub(crate) rationale: String,
    /// First changed location.
    pub(crate) location: Option<String>,
    /// Technique and operator.
    pub(crate) method: String,
    /// Number of tokens deleted plus inserted, if known.
    pub(crate) tokens: Option<usize>,
    /// Numbers of tokens and lines, in words.
    pub(crate) size: String,
    /// True unless the confidence is low.
    pub(crate) is_recommended: bool,
    pub(crate) confidence: Option<ConfidenceView>,
    /// Evidence from tests, in addition to the verification on a clean checkout.
    pub(crate) evidence: Vec<Sentence>,
    /// Patch file in the run folder.
    pub(crate) patch: Option<String>,
    pub(crate) values: Option<RecordedValuesView>,
}

/// Confidence in a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfidenceView {
    pub(crate) level: &'static str,
    pub(crate) reason: String,
}

/// Values that tests observed before the statement that a fix changes.
#[derive(Clone, Debug)]
pub(crate) struct RecordedValuesView {
    pub(crate) location: String,
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
    pub(crate) is_decisive: bool,
}

/// Returns the fixes of a run, best first.
pub(crate) fn fix_views(artifacts: &RunArtifacts<'_>) -> Vec<FixView> {
    let fix_view = |fix: &FixResult| {
        let tokens = fix.tokens.map(|tokens| format_count(tokens, "token"));
        let lines = fix.lines.map(|lines| format_count(lines, "line"));
        let size: Vec<String> = tokens.into_iter().chain(lines).collect();
        FixView {
            rank: fix.rank,
            rationale: fix.why.clone(),
            location: fix.location.clone(),
            method: format!("{}, {}", fix.technique, fix.operator),
            tokens: fix.tokens,
            size: size.join(", "),
            is_recommended: fix.is_recommended(),
            confidence: fix.confidence.map(|confidence| ConfidenceView {
                level: confidence.name(),
                reason: fix.confidence_reason.clone().unwrap_or_default(),
            }),
            evidence: evidence_sentences(&fix.validated),
            patch: fix.patch.clone(),
            values: recorded_values(artifacts, fix),
        }
    };
    artifacts.result().fixes.iter().map(fix_view).collect()
}

/// Describes how many failing tests a fix fixes, and which it does not fix.
pub(crate) fn fixed_test_sentences(failing_pass: usize, still_failing: &[String]) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    if failing_pass > 0 {
        sentences.push(vec![own_text(fixed_tests_text(failing_pass, still_failing.len()))]);
    }
    for test in still_failing.iter().take(MAX_STILL_FAILING) {
        sentences.push(vec![code_text(test), own_text(" still fails")]);
    }
    if let Some(more @ 1..) = still_failing.len().checked_sub(MAX_STILL_FAILING) {
        let verb = if more == 1 { "fails" } else { "fail" };
        sentences.push(vec![own_text(format!("{} still {verb}", format_count(more, "more test")))]);
    }
    sentences
}

fn evidence_sentences(validated: &FixEvidence) -> Vec<Sentence> {
    let mut sentences = fixed_test_sentences(validated.failing_pass, &validated.still_failing);
    if validated.passing_kept > 0 {
        sentences.push(vec![own_text(still_passing_text(validated.passing_kept))]);
    }
    if validated.affected_tests > 0 {
        sentences.push(vec![own_text(affected_passing_text(validated.affected_tests))]);
    }
    if let Some(count) = validated.generated {
        sentences.push(vec![own_text(same_results_text(count, validated))]);
    }
    if let Some(count) = validated.schedules {
        sentences
            .push(vec![own_text(format!("no failure in {}", format_count(count, "schedule")))]);
    }
    sentences.extend(
        validated.bound.iter().chain(&validated.checks).map(|words| vec![run_prose(words)]),
    );
    sentences
}

fn recorded_values(artifacts: &RunArtifacts<'_>, fix: &FixResult) -> Option<RecordedValuesView> {
    let observed = artifacts.values.iter().find(|one| Some(&one.patch) == fix.patch.as_ref())?;
    let row = |TermValues { term, failing, passing }: &TermValues| TermRow {
        term: term.clone(),
        failing: failing.join(", "),
        passing: passing.join(", "),
        is_decisive: !failing.is_empty()
            && !passing.is_empty()
            && failing.iter().all(|value| !passing.contains(value)),
    };
    Some(RecordedValuesView {
        location: format!("{}:{}", observed.path, observed.line),
        failing: column_header(observed.failing, "failing test"),
        passing: column_header(observed.passing, "passing test"),
        rows: observed.terms.iter().map(row).collect(),
    })
}

/// Returns the header of a column of values.
fn column_header(count: usize, what: &str) -> String {
    if count == 0 {
        format!("No {what} executes it")
    } else {
        format!("In {}", format_count(count, what))
    }
}
