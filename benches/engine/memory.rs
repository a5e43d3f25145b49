//! Measures the memory of the warm JVMs over many variants in one run.

use crate::cost::largest_child_mebibytes;
use crate::plot::{self, Chart, Line};
use crate::subject::{Subject, draw_file, with_edited_file};
use crate::variants::{Kind, Variants};
use fastrand::Rng;
use mend_engine::TestOrder;
use mend_model::Outcome;
use std::collections::BTreeMap;
use std::path::Path;

/// Number of variants between two measurements.
const VARIANTS_PER_MEASUREMENT: u32 = 50;
/// Number of variants between two printed lines.
const VARIANTS_PER_LINE: u32 = 500;

/// Tests variants in the resident engine without cross-checks in fresh JVMs. Edits alternate between bodies and
/// structure; edits of the state of the JVM are omitted, because they may restart it.
pub(crate) fn run(subject: &Subject, max_variants: usize, seed: u64, plot: Option<&Path>) {
    let max_variants = u32::try_from(max_variants).unwrap_or(u32::MAX);
    let engine = subject.resident_engine(&TestOrder::default(), seed);
    let files = subject.main_files();
    let (mut variants, mut random) = (Variants::new(seed), Rng::with_seed(seed));
    let mut modes: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut tested, mut uncompilable) = (0, 0);
    let mut memory: Vec<(f64, f64)> = Vec::new();
    while tested < max_variants {
        let kind = if tested % 2 == 0 { Kind::Body } else { Kind::Structure };
        let Some((file, text)) = draw_file(&files, &mut random) else { continue };
        let Some(edited) = variants.edit(&text, kind) else { continue };
        let execution = with_edited_file(file, &edited, || subject.execute_instrumented(&engine));
        if let Outcome::NotBuilt { .. } = execution.outcome {
            uncompilable += 1;
            continue;
        }
        tested += 1;
        *modes.entry(execution.mode.name()).or_default() += 1;
        if tested % VARIANTS_PER_MEASUREMENT == 0 {
            memory.push((f64::from(tested), largest_child_mebibytes()));
        }
        if tested % VARIANTS_PER_LINE == 0 {
            println!("{tested} variants, {:.0} MiB in the largest JVM", largest_child_mebibytes());
        }
    }
    println!(
        "\n{tested} variants, {uncompilable} others do not compile; by execution mode {modes:?}"
    );
    if let Some(file) = plot {
        draw_chart(file, memory);
    }
}

fn draw_chart(file: &Path, memory: Vec<(f64, f64)>) {
    let chart = Chart {
        caption: "Memory of the largest JVM",
        x_label: "variants",
        y_label: "MiB",
        is_logarithmic: false,
    };
    let line = Line { name: "resident".to_owned(), points: memory, is_joined: true };
    plot::draw_chart(file, &chart, &[line]).unwrap();
}
