//! Memory of the warm JVMs over many variants in one run.

use crate::cost::largest_child;
use crate::plot::{self, Chart, Line};
use crate::subject::{Subject, drawn, with_edit};
use crate::variants::{Kind, Variants};
use fastrand::Rng;
use mend_engine::TestOrder;
use mend_model::Outcome;
use std::collections::BTreeMap;
use std::path::Path;

/// Number of variants between two measurements.
const PACE: u32 = 50;
/// Number of variants between two printed lines.
const LINE: u32 = 500;

/// Tests variants in the resident engine without cross-checks in fresh JVMs. Edits alternate between bodies and
/// structure; edits of the state of the JVM are omitted, because they may restart it.
pub(crate) fn run(subject: &Subject, wanted: usize, seed: u64, plot: Option<&Path>) {
    let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
    let engine = subject.resident(&TestOrder::default(), seed);
    let files = subject.main_files();
    let (mut variants, mut random) = (Variants::new(seed), Rng::with_seed(seed));
    let mut rungs: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut done, mut refused) = (0, 0);
    let mut memory: Vec<(f64, f64)> = Vec::new();
    while done < wanted {
        let kind = if done % 2 == 0 { Kind::Body } else { Kind::Structure };
        let Some((file, text)) = drawn(&files, &mut random) else { continue };
        let Some(edited) = variants.edited(&text, kind) else { continue };
        let watched = with_edit(file, &edited, || subject.watched(&engine));
        if let Outcome::NotBuilt { .. } = watched.outcome {
            refused += 1;
            continue;
        }
        done += 1;
        *rungs.entry(watched.rung.word()).or_default() += 1;
        if done % PACE == 0 {
            memory.push((f64::from(done), largest_child()));
        }
        if done % LINE == 0 {
            println!("{done} variants, {:.0} MiB in the largest JVM", largest_child());
        }
    }
    println!("\n{done} variants, {refused} others do not compile; by rung {rungs:?}");
    if let Some(file) = plot {
        draw(file, memory);
    }
}

fn draw(file: &Path, memory: Vec<(f64, f64)>) {
    let words = Chart {
        caption: "Memory of the largest JVM",
        x: "variants",
        y: "MiB",
        is_logarithmic: false,
    };
    let line = Line { name: "resident".to_owned(), points: memory, joined: true };
    plot::draw(file, &words, &[line]).unwrap();
}
