//! Compares the results of the resident engine with those of fresh JVMs over many variants.

use crate::cost::largest_child;
use crate::rivals::{Rivals, Told};
use crate::subject::{Subject, drawn, with_edit};
use crate::variants::{Kind, Variants};
use fastrand::Rng;
use mend_engine::TestOrder;
use mend_model::{Outcome, TestStatus};
use std::collections::{BTreeMap, BTreeSet};

/// Number of variants between two printed lines.
const PACE: usize = 50;

/// Rungs without a fresh JVM.
const ALONE: [&str; 2] = ["warm-jvm", "identical-classes"];

/// Weight of each kind of variant.
const MIX: [(Kind, usize); 3] = [(Kind::Body, 4), (Kind::Structure, 3), (Kind::Pollution, 3)];

/// Number of consecutive variants with a fresh JVM in the resident engine after which the bench stops.
const PATIENCE: usize = 200;

/// Runs variants in both until `wanted` of them ran in the warm JVM alone. If they disagree, a clean build decides
/// which one is wrong.
pub(crate) fn run(subject: &Subject, mut rivals: Rivals<'_>, wanted: usize, seed: u64) {
    let order = TestOrder::default();
    let (resident, process) = (subject.resident(&order, seed), subject.process(&order));
    let files = subject.main_files();
    let (mut variants, mut random) = (Variants::new(seed), Rng::with_seed(seed));
    let mut tally = Tally::default();
    while tally.compared < wanted && tally.in_vain < PATIENCE {
        let kind = drawn_kind(&mut random);
        let Some((file, text)) = drawn(&files, &mut random) else { continue };
        let Some(edited) = variants.edited(&text, kind) else { continue };
        with_edit(file, &edited, || {
            if !rivals.compile_warm(file) {
                tally.refused += 1;
                return;
            }
            let quick = subject.execution(&resident);
            tally.notes.extend(quick.notes);
            *tally.rungs.entry(quick.rung.word()).or_default() += 1;
            if !ALONE.contains(&quick.rung.word()) {
                tally.in_vain += 1;
                return;
            }
            let quick = told(quick.outcome);
            let fresh = rivals.run(false);
            tally.in_vain = 0;
            tally.compared += 1;
            if tally.compared.is_multiple_of(PACE) {
                tally.tell();
            }
            *tally.kinds.entry((kind.word(), ending(fresh.as_ref()))).or_default() += 1;
            if quick != fresh {
                let sure = told(subject.outcome(&process));
                tally.settle(quick.as_ref(), sure.as_ref(), &file.display().to_string(), kind);
            }
        });
    }
    tally.print();
    for note in &tally.notes {
        println!("note: {note}");
    }
}

fn drawn_kind(random: &mut Rng) -> Kind {
    let all: Vec<Kind> = MIX.iter().flat_map(|(kind, many)| vec![*kind; *many]).collect();
    all[random.usize(..all.len())]
}

fn ending(told: Option<&Told>) -> &'static str {
    match told {
        None => "ended early",
        Some(told) if told.keys().all(|(_, how)| how == "passed") => "passing",
        Some(_) => "failing",
    }
}

/// Returns an outcome in the format of the rivals; `None` also if the variant does not compile.
fn told(outcome: Outcome) -> Option<Told> {
    let Outcome::Tests { results } = outcome else { return None };
    let mut told = Told::new();
    for result in results {
        let end = result.test.find(['(', '[', '{', ' ']).unwrap_or(result.test.len());
        let how = match result.status {
            TestStatus::Passed => "passed".to_owned(),
            TestStatus::Failed(failure) => failure.exception,
            TestStatus::Skipped => continue,
        };
        *told.entry((result.test[..end].to_owned(), how)).or_default() += 1;
    }
    Some(told)
}

#[derive(Default)]
struct Tally {
    compared: usize,
    /// Variants since the last compared one.
    in_vain: usize,
    /// Number of variants that do not compile.
    refused: usize,
    kinds: BTreeMap<(&'static str, &'static str), usize>,
    /// Number of variants by rung of the resident engine.
    rungs: BTreeMap<&'static str, usize>,
    /// Notes of the resident engine.
    notes: BTreeSet<String>,
    /// Wrong results of the resident engine, and of the fresh JVM with one changed file.
    wrong: usize,
    rival_wrong: usize,
}

impl Tally {
    fn settle(&mut self, quick: Option<&Told>, sure: Option<&Told>, file: &str, kind: Kind) {
        if quick == sure {
            self.rival_wrong += 1;
            return;
        }
        self.wrong += 1;
        let only = |one: Option<&Told>, other: Option<&Told>| -> Vec<String> {
            let one = one.into_iter().flatten();
            let is_new = |entry: &(&(String, String), &usize)| {
                other.and_then(|other| other.get(entry.0)) != Some(entry.1)
            };
            one.filter(is_new).take(3).map(|entry| format!("{entry:?}")).collect()
        };
        println!("wrong on a {} edit of {file}:", kind.word());
        println!("  resident {:?}\n  afresh {:?}", only(quick, sure), only(sure, quick));
    }

    fn tell(&self) {
        let Self { compared, wrong, .. } = self;
        println!(
            "{compared} variants, {wrong} wrong, {:.0} MiB in the largest JVM",
            largest_child()
        );
    }

    fn print(&self) {
        println!("\n| edits of | outcome | variants |\n|---|---|--:|");
        for ((kind, ending), number) in &self.kinds {
            println!("| {kind} | {ending} | {number} |");
        }
        let Self { compared, refused, wrong, rival_wrong, .. } = self;
        println!("\n{compared} compared; {refused} others do not compile");
        println!("by rung, including variants that were not compared: {:?}", self.rungs);
        println!("wrong results: resident engine {wrong}, rival {rival_wrong}");
        if *wrong == 0 {
            let compared = u32::try_from(*compared).map_or(f64::INFINITY, f64::from);
            // With n variants and no wrong result, the error rate is at most 1 - 0.05^(1/n) with 95 % confidence.
            let bound = 1.0 - 0.05_f64.powf(1.0 / compared);
            println!("at most {:.3} % are, at 95 %", bound * 100.0);
        }
    }
}
