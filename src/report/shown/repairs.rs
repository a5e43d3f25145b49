//! Repairs: why each is one, what speaks for it, and how sure that is.

use super::material::Material;
use super::words::{Sentence, code, plain, said};
use crate::model::counted;
use crate::repair::TermValues;
use crate::report::fixes::{alike, others_pass};
use crate::report::{FixResult, Validated};

/// So many of the tests that a repair leaves are named.
const MOST_LEFT: usize = 8;

/// A repair.
#[derive(Clone, Debug)]
pub(in crate::report) struct Repair {
    pub(in crate::report) rank: usize,
    /// A sentence with code between backticks.
    pub(in crate::report) why: String,
    /// The first place that it changes.
    pub(in crate::report) location: Option<String>,
    /// How it was found.
    pub(in crate::report) way: String,
    /// Tokens deleted plus inserted, where that is known.
    pub(in crate::report) tokens: Option<usize>,
    /// The same and its lines, in words.
    pub(in crate::report) size: String,
    pub(in crate::report) confidence: Confidence,
    /// What was tested, besides that it applies to a clean checkout.
    pub(in crate::report) evidence: Vec<Sentence>,
    /// Its file in the run folder.
    pub(in crate::report) patch: Option<String>,
    pub(in crate::report) values: Option<ValuesView>,
}

/// How sure a repair is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) struct Confidence {
    pub(in crate::report) word: &'static str,
    pub(in crate::report) why: &'static str,
}

/// What tests found before the statement that a repair changes.
#[derive(Clone, Debug)]
pub(in crate::report) struct ValuesView {
    pub(in crate::report) place: String,
    pub(in crate::report) failing: String,
    pub(in crate::report) passing: String,
    pub(in crate::report) rows: Vec<TermRow>,
}

/// One term.
#[derive(Clone, Debug)]
pub(in crate::report) struct TermRow {
    pub(in crate::report) term: String,
    pub(in crate::report) failing: String,
    pub(in crate::report) passing: String,
    /// Whether no value was seen in both.
    pub(in crate::report) decides: bool,
}

/// The repairs of a run, the best first.
pub(in crate::report) fn repairs(material: &Material<'_>) -> Vec<Repair> {
    let repair = |fix: &FixResult| {
        let tokens = fix.tokens.map(|tokens| counted(tokens, "token"));
        let lines = fix.lines.map(|lines| counted(lines, "line"));
        let size: Vec<String> = tokens.into_iter().chain(lines).collect();
        Repair {
            rank: fix.rank,
            why: fix.why.clone(),
            location: fix.location.clone(),
            way: format!("{}, {}", fix.technique, fix.strategy),
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

/// By what was tested alone; how likely a repair is what its author would write, tests do not say.
fn confidence(validated: &Validated) -> Confidence {
    let (word, why) = match validated {
        Validated { still_failing, .. } if !still_failing.is_empty() => {
            ("a part", "tests still fail with it")
        }
        Validated { proved: true, .. } => {
            ("high", "clean in all orders that can make a difference")
        }
        Validated { schedules: Some(count), .. } if *count >= 300 => {
            ("high", "clean under hundreds of schedules")
        }
        Validated { schedules: Some(_), .. } => ("fair", "clean under the schedules that were run"),
        Validated { generated: Some(count), generated_changed, .. }
            if *count >= 10 && generated_changed * 20 <= count + generated_changed =>
        {
            ("high", "generated tests around those at hand bear it out")
        }
        _ => ("fair", "only the tests at hand speak for it"),
    };
    Confidence { word, why }
}

fn evidence(validated: &Validated) -> Vec<Sentence> {
    let mut all = Vec::new();
    if validated.failing_pass > 0 {
        all.push(vec![plain(format!("mends {}", counted(validated.failing_pass, "failing test")))]);
    }
    let left = &validated.still_failing;
    for test in left.iter().take(MOST_LEFT) {
        all.push(vec![plain("leaves "), code(test), plain(" failing")]);
    }
    if let Some(more @ 1..) = left.len().checked_sub(MOST_LEFT) {
        all.push(vec![plain(format!("leaves {} failing", counted(more, "more test")))]);
    }
    if validated.passing_kept > 0 {
        all.push(vec![plain(format!("keeps {}", counted(validated.passing_kept, "passing test")))]);
    }
    if validated.others > 0 {
        all.push(vec![plain(others_pass(validated.others))]);
    }
    if let Some(count) = validated.generated {
        all.push(vec![plain(alike(count, validated))]);
    }
    if let Some(count) = validated.schedules {
        all.push(vec![plain(format!("clean in {}", counted(count, "schedule")))]);
    }
    all.extend(validated.bound.iter().chain(&validated.asked).map(|words| vec![said(words)]));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_counts_for_more_than_few_schedules_and_as_much_as_many() {
        let word = |proved, schedules| {
            let validated =
                Validated { schedules: Some(schedules), proved, ..Validated::default() };
            confidence(&validated).word
        };
        assert_eq!([word(true, 4), word(false, 1000), word(false, 4)], ["high", "high", "fair"]);
        let left = Validated { still_failing: vec!["a.B#c".to_owned()], ..Validated::default() };
        assert_eq!(confidence(&left).word, "a part");
    }
}
