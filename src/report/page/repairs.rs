//! Repairs side by side: why, what speaks for each, and how sure that is.

use super::diff::PatchView;
use super::material::Material;
use crate::model::counted;
use crate::repair::TermValues;
use crate::report::human::Scene;
use crate::report::{FixResult, RunResult, Validated};

/// A repair.
pub(super) struct FixView {
    pub(super) id: String,
    pub(super) apply_id: String,
    pub(super) rank: usize,
    /// Words, and what is code among them.
    pub(super) why: Vec<Word>,
    /// How it was found.
    pub(super) way: String,
    pub(super) size: String,
    pub(super) confidence: Confidence,
    pub(super) evidence: Vec<String>,
    pub(super) patch: Option<PatchView>,
    pub(super) command: Option<String>,
    pub(super) values: Option<ValuesView>,
}

/// A stretch of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) is_code: bool,
}

/// A sentence with code between backticks.
fn words(sentence: &str) -> Vec<Word> {
    let parts = sentence.split('`').enumerate();
    let word = |(at, text): (usize, &str)| Word { text: text.to_owned(), is_code: at % 2 == 1 };
    parts.map(word).filter(|word| !word.text.is_empty()).collect()
}

/// How sure a repair is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Confidence {
    pub(super) word: &'static str,
    pub(super) why: &'static str,
}

/// What tests found before the statement that a repair changes.
pub(super) struct ValuesView {
    pub(super) place: String,
    pub(super) failing: String,
    pub(super) passing: String,
    pub(super) rows: Vec<TermRow>,
}

/// One term.
pub(super) struct TermRow {
    pub(super) term: String,
    pub(super) failing: String,
    pub(super) passing: String,
    /// Whether no value was seen in both.
    pub(super) decides: bool,
}

/// A patch of a pool.
pub(super) struct PoolRow {
    pub(super) name: String,
    pub(super) verdict: String,
    pub(super) phase: &'static str,
    pub(super) tokens: String,
    pub(super) seconds: String,
    pub(super) reason: String,
}

/// The repairs of a run, the best first.
pub(super) fn repairs(material: &Material<'_>, scene: &Scene<'_>) -> Vec<FixView> {
    let view = |fix: &FixResult| {
        let tokens = fix.tokens.map(|tokens| counted(tokens, "token"));
        let lines = fix.lines.map(|lines| counted(lines, "line"));
        let size: Vec<String> = tokens.into_iter().chain(lines).collect();
        FixView {
            id: format!("fix-{}", fix.rank),
            apply_id: format!("apply-{}", fix.rank),
            rank: fix.rank,
            why: words(&fix.why),
            way: format!("{}, {}", fix.technique, fix.strategy),
            size: size.join(", "),
            confidence: confidence(&fix.validated),
            evidence: evidence(&fix.validated),
            patch: fix.patch.as_deref().map(|file| PatchView::of(material.run, file)),
            // The first one's is what to do next.
            command: fix.patch.as_deref().filter(|_| fix.rank > 1).map(|file| scene.apply(file)),
            values: values(material, fix),
        }
    };
    material.result().fixes.iter().map(view).collect()
}

/// By what was tested alone; how likely a repair is what its author would write, tests do not say.
fn confidence(validated: &Validated) -> Confidence {
    let (word, why) = match validated {
        Validated { still_failing, .. } if !still_failing.is_empty() => {
            ("a part", "tests still fail with it")
        }
        Validated { schedules: Some(count), .. } if *count >= 300 => {
            ("high", "clean under hundreds of schedules")
        }
        Validated { schedules: Some(_), .. } => ("fair", "clean under the schedules that were run"),
        Validated { generated: Some(count), .. } if *count >= 10 => {
            ("high", "generated tests around those at hand bear it out")
        }
        _ => ("fair", "only the tests at hand speak for it"),
    };
    Confidence { word, why }
}

fn evidence(validated: &Validated) -> Vec<String> {
    let mut all = Vec::new();
    if validated.failing_pass > 0 {
        all.push(format!("mends {}", counted(validated.failing_pass, "failing test")));
    }
    for test in &validated.still_failing {
        all.push(format!("leaves {test} failing"));
    }
    if validated.passing_kept > 0 {
        all.push(format!("keeps {}", counted(validated.passing_kept, "passing test")));
    }
    if let Some(count) = validated.generated {
        all.push(format!("behaves alike in {}", counted(count, "generated test")));
    }
    if let Some(count) = validated.schedules {
        all.push(format!("clean in {}", counted(count, "schedule")));
    }
    all.extend(validated.bound.clone());
    all.push("applied to a clean checkout, built from scratch and tested".to_owned());
    all
}

fn values(material: &Material<'_>, fix: &FixResult) -> Option<ValuesView> {
    let seen = material.values.iter().find(|one| Some(&one.patch) == fix.patch.as_ref())?;
    let row = |TermValues { term, failing, passing }: &TermValues| TermRow {
        term: term.clone(),
        failing: failing.join(", "),
        passing: passing.join(", "),
        decides: !failing.is_empty()
            && !passing.is_empty()
            && failing.iter().all(|value| !passing.contains(value)),
    };
    Some(ValuesView {
        place: format!("{}:{}", seen.path, seen.line),
        failing: tests(seen.failing, "failing test"),
        passing: tests(seen.passing, "passing test"),
        rows: seen.terms.iter().map(row).collect(),
    })
}

/// The head of a column of values.
fn tests(count: usize, what: &str) -> String {
    if count == 0 { format!("No {what} came by") } else { format!("In {}", counted(count, what)) }
}

/// The patches of a pool, the plausible ones first.
pub(super) fn pool(result: &RunResult) -> Vec<PoolRow> {
    let rank = |name: &str| {
        let found = result.fixes.iter().find(|fix| fix.strategy == name);
        found.map_or(usize::MAX, |fix| fix.rank)
    };
    let mut patches: Vec<_> = result.patches.iter().collect();
    patches.sort_by_key(|patch| (patch.verdict != "pass", rank(&patch.name)));
    let row = |patch: &crate::report::PooledPatch| PoolRow {
        name: patch.name.clone(),
        verdict: patch.verdict.clone(),
        phase: patch.phase.map_or("", crate::model::Phase::words),
        tokens: patch.tokens.map_or(String::new(), |tokens| tokens.to_string()),
        seconds: format!("{:.1}", patch.seconds),
        reason: patch.reason.clone(),
    };
    patches.into_iter().map(row).collect()
}
