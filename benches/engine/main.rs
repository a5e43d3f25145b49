//! Measures the cost of a variant in the resident engine and in three rivals, and checks the engine's results.
//!
//! `cargo bench --bench engine -- CHECKOUT REVISION TEST... [--variants N] [--seed N] [--launcher JAR:JAR]`
//! tests edits of one main source file each, alternating between bodies and structure, with the test order and the
//! fail-fast mode of `validate`. The rivals are a full build and a fresh JVM, with the JVM defaults as in a build tool
//! and with the flags of the engine; `javac` of the changed file and a fresh JVM; and the tests alone in a warm JVM.
//! With `--others N` the rivals run only every Nth variant of a row, so that the warm JVM runs as long as in real use.
//! Test classes that fail without any edit are excluded.
//!
//! With `--agree`, all tests run on every variant, some edits change the state of the JVM, and each outcome is compared
//! with the outcome in a fresh JVM.
//!
//! With `--memory`, only the resident engine runs, and the bench prints the memory of its largest JVM; `--plot FILE`
//! draws it. `--limit SECONDS` is the time limit for the tests of a variant.
//!
//! `--launcher` names the jars that start the `JUnit` platform, for tests that need it.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a bench prints and may panic"
)]

mod agreement;
mod cost;
mod memory;
#[path = "../shared/plot.rs"]
mod plot;
mod rivals;
mod subject;
mod variants;

use cost::{Cost, measure, percentile};
use fastrand::Rng;
use mend_model::Outcome;
use rivals::Rivals;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;
use subject::{Subject, draw_file, with_edited_file};
use variants::{Kind, Variants};

/// Maximum number and time of measurements of the floor; the first half is warm-up.
const MAX_FLOOR_REPETITIONS: usize = 20;
const FLOOR_TIME_LIMIT: Duration = Duration::from_secs(120);

/// Arguments of the bench.
enum Question {
    Cost,
    Agreement,
    Memory,
}

struct Arguments {
    positional: Vec<String>,
    variants: usize,
    /// The rivals run one of this many variants of a row.
    rival_interval: usize,
    seed: u64,
    launcher: Vec<PathBuf>,
    limit: Duration,
    mode: Question,
    plot: Option<PathBuf>,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut arguments = Self {
            positional: Vec::new(),
            variants: 30,
            rival_interval: 1,
            seed: 1,
            launcher: Vec::new(),
            limit: Duration::from_secs(20),
            mode: Question::Cost,
            plot: None,
        };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            match word.as_str() {
                "--variants" => arguments.variants = words.next()?.parse().ok()?,
                "--others" => {
                    arguments.rival_interval =
                        words.next()?.parse().ok().filter(|others| *others > 0)?;
                }
                "--seed" => arguments.seed = words.next()?.parse().ok()?,
                "--launcher" => {
                    arguments.launcher = words.next()?.split(':').map(PathBuf::from).collect();
                }
                "--limit" => arguments.limit = Duration::from_secs(words.next()?.parse().ok()?),
                "--agree" => arguments.mode = Question::Agreement,
                "--memory" => arguments.mode = Question::Memory,
                "--plot" => arguments.plot = Some(words.next()?.into()),
                _ => arguments.positional.push(word),
            }
        }
        (arguments.positional.len() > 2).then_some(arguments)
    }
}

fn main() {
    let Some(arguments) = Arguments::read() else {
        println!(
            "cargo bench --bench engine -- CHECKOUT REVISION TEST... [--variants N] [--others N] [--seed N]"
        );
        println!("    [--launcher JAR:JAR] [--limit SECONDS] [--agree | --memory [--plot FILE]]");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let [checkout, revision, tests @ ..] = &arguments.positional[..] else { return };
    let mut subject =
        Subject::new((checkout.as_ref(), revision), tests, arguments.limit, folder.path());
    for class in subject.exclude_failing() {
        println!("excluded, because it fails without any edit: {class}");
    }
    println!("{} test classes", subject.test_classes().len());
    let Arguments { variants, rival_interval: others, seed, .. } = arguments;
    let rivals = || {
        assert!(
            !subject.needs_platform() || !arguments.launcher.is_empty(),
            "these tests need the JUnit platform: pass its jars, with launcher and engines, in --launcher"
        );
        Rivals::new(&subject, &folder.path().join("rivals"), &arguments.launcher)
    };
    match arguments.mode {
        Question::Cost => measure_costs(&subject, &rivals(), (variants, others), seed),
        Question::Agreement => agreement::run(&subject, rivals(), variants, seed),
        Question::Memory => memory::run(&subject, variants, seed, arguments.plot.as_deref()),
    }
}

/// Costs of one variant.
struct Costs {
    /// Costs of the rivals, if they ran it.
    rival_interval: Option<Others>,
    resident_cost: Cost,
    /// Wall seconds of the build.
    build_seconds: f64,
    /// True if the resident engine started no fresh process.
    is_alone: bool,
}

/// Costs of one variant with a full build and JVM defaults, in the process engine, and with `javac` of the file.
struct Others {
    full_build_defaults: Cost,
    full_build_fast: Cost,
    changed_file_cost: Cost,
}

/// Measures `max_variants` variants; the rivals run one of every `others` variants of a row.
fn measure_costs(
    subject: &Subject,
    rivals: &Rivals<'_>,
    (max_variants, others): (usize, usize),
    seed: u64,
) {
    let order = subject.learnt_order();
    let (resident, process) =
        (subject.resident_engine(&order, seed), subject.process_engine(&order));
    let files = subject.main_files();
    let (mut variants, mut random) = (Variants::new(seed), Rng::with_seed(seed));
    let mut all: BTreeMap<(Kind, bool), Vec<Costs>> = BTreeMap::new();
    let (mut done, mut notes) = (0, BTreeSet::new());
    while done < max_variants {
        let kind = if done % 2 == 0 { Kind::Body } else { Kind::Structure };
        let Some((file, text)) = draw_file(&files, &mut random) else { continue };
        let Some(edited) = variants.edit(&text, kind) else { continue };
        let costs = with_edited_file(file, &edited, || {
            let (quick, resident) = measure(|| subject.execute(&resident));
            notes.extend(quick.notes.iter().cloned());
            if let Outcome::NotBuilt { .. } = quick.outcome {
                return None;
            }
            let is_plausible = quick.outcome.is_pass();
            let measured_count = all.get(&(kind, is_plausible)).map_or(0, Vec::len);
            let others = measured_count.is_multiple_of(others).then(|| Others {
                full_build_defaults: measure(|| rivals.run_full_build()).1,
                full_build_fast: measure(|| subject.outcome(&process)).1,
                changed_file_cost: measure(|| {
                    rivals.compile_changed(file).then(|| rivals.run_tests(true))
                })
                .1,
            });
            let is_alone = quick.mode.name() == "warm-jvm";
            let build = quick.build.map_or(0.0, |build| build.as_secs_f64());
            Some((
                is_plausible,
                Costs {
                    rival_interval: others,
                    resident_cost: resident,
                    build_seconds: build,
                    is_alone,
                },
            ))
        });
        let Some((is_plausible, costs)) = costs else { continue };
        done += 1;
        all.entry((kind, is_plausible)).or_default().push(costs);
    }
    print_table(&all);
    let floor = rivals.measure_floor(MAX_FLOOR_REPETITIONS, FLOOR_TIME_LIMIT);
    let warm = floor.iter().copied().skip(floor.len() / 2);
    println!("\nthe tests alone in a warm JVM: {:.3} CPU s, median", percentile(warm, 50));
    for note in &notes {
        println!("note: {note}");
    }
}

fn print_table(all: &BTreeMap<(Kind, bool), Vec<Costs>>) {
    println!("\nCPU seconds per variant, median / 95th percentile (wall seconds, median)\n");
    println!(
        "| edits of | variants (with rivals) | full build, JVM defaults | full build, fast flags | changed file, fresh JVM | resident with cross-checks | resident alone |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for ((kind, is_plausible), costs) in all {
        let ending = if *is_plausible { "plausible" } else { "killed" };
        let cell = |costs: &mut dyn Iterator<Item = Cost>| {
            let costs: Vec<Cost> = costs.collect();
            let cpu = |percent| percentile(costs.iter().map(|cost| cost.cpu_seconds), percent);
            let wall = percentile(costs.iter().map(|cost| cost.wall_seconds), 50);
            format!("{:.3} / {:.3} ({wall:.2})", cpu(50), cpu(95))
        };
        let others = || costs.iter().filter_map(|costs| costs.rival_interval.as_ref());
        let alone = || costs.iter().filter(|costs| costs.is_alone);
        println!(
            "| {}, {ending} | {} ({}) | {} | {} | {} | {} | {} | ({:.2}) |",
            kind.word(),
            costs.len(),
            others().count(),
            cell(&mut others().map(|others| others.full_build_defaults)),
            cell(&mut others().map(|others| others.full_build_fast)),
            cell(&mut others().map(|others| others.changed_file_cost)),
            cell(&mut costs.iter().map(|costs| costs.resident_cost)),
            cell(&mut alone().map(|costs| costs.resident_cost)),
            percentile(alone().map(|costs| costs.build_seconds), 50),
        );
    }
}
