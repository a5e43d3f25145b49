//! Compares the results of the resident engine with those of fresh JVMs over many variants.

use crate::cost::largest_child_mebibytes;
use crate::rivals::{OutcomeCounts, Rivals};
use crate::subject::{Subject, draw_file, with_edited_file};
use crate::variants::{Kind, Variants};
use fastrand::Rng;
use mend_engine::TestOrder;
use mend_model::{Outcome, TestStatus};
use std::collections::{BTreeMap, BTreeSet};

/// Number of variants between two printed lines.
const VARIANTS_PER_LINE: usize = 50;

/// Execution modes without a fresh JVM.
const WARM_MODES: [&str; 2] = ["warm-jvm", "identical-classes"];

/// Weight of each kind of variant.
const KIND_WEIGHTS: [(Kind, usize); 3] =
    [(Kind::Body, 4), (Kind::Structure, 3), (Kind::Pollution, 3)];

/// Number of consecutive variants with a fresh JVM in the resident engine after which the benchmark stops.
const MAX_CONSECUTIVE_FRESH_JVMS: usize = 200;

/// Runs variants in both engines until `max_variants` of them ran in the warm JVM alone. If the results differ, a clean
/// build decides which one is wrong.
pub(crate) fn run(subject: &Subject, mut rivals: Rivals<'_>, max_variants: usize, seed: u64) {
    let order = TestOrder::default();
    let (resident, process) =
        (subject.resident_engine(&order, seed), subject.process_engine(&order));
    let files = subject.main_files();
    let (mut variants, mut random) = (Variants::new(seed), Rng::with_seed(seed));
    let mut tally = Tally::default();
    while tally.compared_count < max_variants
        && tally.consecutive_fresh_jvms < MAX_CONSECUTIVE_FRESH_JVMS
    {
        let kind = draw_kind(&mut random);
        let Some((file, text)) = draw_file(&files, &mut random) else { continue };
        let Some(edited) = variants.edit(&text, kind) else { continue };
        with_edited_file(file, &edited, || {
            if !rivals.compile_warm(file) {
                tally.uncompilable += 1;
                return;
            }
            let resident_outcome = subject.execute(&resident);
            tally.notes.extend(resident_outcome.notes);
            *tally.variants_by_mode.entry(resident_outcome.mode.name()).or_default() += 1;
            if !WARM_MODES.contains(&resident_outcome.mode.name()) {
                tally.consecutive_fresh_jvms += 1;
                return;
            }
            let resident_outcome = count_outcomes(resident_outcome.outcome);
            let rival_outcome = rivals.run_tests(false);
            tally.consecutive_fresh_jvms = 0;
            tally.compared_count += 1;
            if tally.compared_count.is_multiple_of(VARIANTS_PER_LINE) {
                tally.print_progress();
            }
            *tally
                .variants_by_kind
                .entry((kind.word(), outcome_word(rival_outcome.as_ref())))
                .or_default() += 1;
            if resident_outcome != rival_outcome {
                let reference = count_outcomes(subject.outcome(&process));
                tally.record_disagreement(
                    resident_outcome.as_ref(),
                    reference.as_ref(),
                    &file.display().to_string(),
                    kind,
                );
            }
        });
    }
    tally.print_summary();
    for note in &tally.notes {
        println!("note: {note}");
    }
}

fn draw_kind(random: &mut Rng) -> Kind {
    let all: Vec<Kind> = KIND_WEIGHTS.iter().flat_map(|(kind, many)| vec![*kind; *many]).collect();
    all[random.usize(..all.len())]
}

fn outcome_word(counts: Option<&OutcomeCounts>) -> &'static str {
    match counts {
        None => "ended early",
        Some(counts) if counts.keys().all(|(_, how)| how == "passed") => "passing",
        Some(_) => "failing",
    }
}

/// Returns an outcome in the format of the rivals; `None` also if the variant does not compile.
fn count_outcomes(outcome: Outcome) -> Option<OutcomeCounts> {
    let Outcome::Tests { results } = outcome else { return None };
    let mut counts = OutcomeCounts::new();
    for result in results {
        let end = result.test.find(['(', '[', '{', ' ']).unwrap_or(result.test.len());
        let how = match result.status {
            TestStatus::Passed => "passed".to_owned(),
            TestStatus::Failed(failure) => failure.exception,
            TestStatus::Skipped => continue,
        };
        *counts.entry((result.test[..end].to_owned(), how)).or_default() += 1;
    }
    Some(counts)
}

#[derive(Default)]
struct Tally {
    compared_count: usize,
    /// Variants since the last compared one.
    consecutive_fresh_jvms: usize,
    /// Number of variants that do not compile.
    uncompilable: usize,
    variants_by_kind: BTreeMap<(&'static str, &'static str), usize>,
    /// Number of variants by execution mode of the resident engine.
    variants_by_mode: BTreeMap<&'static str, usize>,
    /// Notes of the resident engine.
    notes: BTreeSet<String>,
    /// Wrong results of the resident engine, and of the fresh JVM with one changed file.
    wrong_results: usize,
    wrong_rival_results: usize,
}

impl Tally {
    fn record_disagreement(
        &mut self,
        resident: Option<&OutcomeCounts>,
        reference: Option<&OutcomeCounts>,
        file: &str,
        kind: Kind,
    ) {
        if resident == reference {
            self.wrong_rival_results += 1;
            return;
        }
        self.wrong_results += 1;
        let only = |one: Option<&OutcomeCounts>, other: Option<&OutcomeCounts>| -> Vec<String> {
            let one = one.into_iter().flatten();
            let is_new = |entry: &(&(String, String), &usize)| {
                other.and_then(|other| other.get(entry.0)) != Some(entry.1)
            };
            one.filter(is_new).take(3).map(|entry| format!("{entry:?}")).collect()
        };
        println!("wrong on a {} edit of {file}:", kind.word());
        println!(
            "  resident {:?}\n  afresh {:?}",
            only(resident, reference),
            only(reference, resident)
        );
    }

    fn print_progress(&self) {
        let Self { compared_count: compared, wrong_results: wrong, .. } = self;
        println!(
            "{compared} variants, {wrong} wrong, {:.0} MiB in the largest JVM",
            largest_child_mebibytes()
        );
    }

    fn print_summary(&self) {
        println!("\n| edits of | outcome | variants |\n|---|---|--:|");
        for ((kind, ending), number) in &self.variants_by_kind {
            println!("| {kind} | {ending} | {number} |");
        }
        let Self {
            compared_count: compared,
            uncompilable: refused,
            wrong_results: wrong,
            wrong_rival_results: rival_wrong,
            ..
        } = self;
        println!("\n{compared} compared; {refused} others do not compile");
        println!(
            "by execution mode, including variants that were not compared: {:?}",
            self.variants_by_mode
        );
        println!("wrong results: resident engine {wrong}, rival {rival_wrong}");
        if *wrong == 0 {
            let compared = u32::try_from(*compared).map_or(f64::INFINITY, f64::from);
            // With n variants and no wrong result, the error rate is at most 1 - 0.05^(1/n) with 95 % confidence.
            let bound = 1.0 - 0.05_f64.powf(1.0 / compared);
            println!("at most {:.3} % are, at 95 %", bound * 100.0);
        }
    }
}
