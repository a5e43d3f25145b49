//! Measures the cost of splitting a diff into components, as a function of its size.
//!
//! `cargo bench --bench delta_cost -- CHECKOUT TAGS SOURCE_FOLDER [--plot FILE] [--class-path PATHS]
//! [--release N] [--encoding NAME]`
//!
//! TAGS is a prefix of tag names, ordered by commit date, or a comma-separated list of names. Each is compared with the
//! one before it. `--plot` draws an SVG.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[path = "shared/checkout.rs"]
mod checkout;
#[path = "shared/plot.rs"]
mod plot;

use checkout::{Checkout, file_changes};
use mend_delta::{Delta, JavaGranularity};
use mend_engine::{AttributionServer, Environment, Jdk, SupervisedLauncher, Toolchain};
use mend_java::ParsedSource;
use mend_model::{FileChange, FileState, Interrupt, RepoPath, TreeId};
use mend_process::Supervisor;
use plot::{Chart, Line};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Cost of one pair of versions, in seconds.
struct Cost {
    name: String,
    files: usize,
    tokens: u32,
    hunks: usize,
    seconds_without_facts: f64,
    facts_seconds: f64,
    seconds_with_facts: f64,
}

impl Cost {
    fn print(&self) {
        let Self {
            name,
            files,
            tokens,
            hunks,
            seconds_without_facts: without_facts,
            facts_seconds: asking,
            seconds_with_facts: with_facts,
        } = self;
        println!(
            "| {name} | {files} | {tokens} | {hunks} | {without_facts:.2} | {asking:.2} | {with_facts:.2} | {} |",
            peak_mebibytes().map_or("?".to_owned(), |peak| peak.to_string())
        );
    }
}

fn main() {
    let Some((checkout, tags)) = read_arguments() else {
        println!("missing arguments: CHECKOUT TAGS SOURCE_FOLDER");
        return;
    };
    let work = std::env::temp_dir().join("git-mend-bench");
    let supervisor = Supervisor::without_watchdog(Interrupt::default());
    let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: work.clone() });
    let jdk = Jdk::find(&Environment::from_process(), &*launcher).expect("a JDK");
    let tools = Toolchain::new(jdk, launcher, &work);
    let mut server = AttributionServer::start(&tools).expect("the facts server");
    println!(
        "| versions | files | tokens | hunks | s without facts | s for facts | s with facts | peak MiB |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let costs: Vec<Cost> = tags
        .windows(2)
        .filter_map(|pair| measure_cost(&checkout, &mut server, pair))
        .inspect(Cost::print)
        .collect();
    if let Some(file) = checkout.flags.get("plot") {
        draw_chart(Path::new(file), &costs);
    }
}

fn read_arguments() -> Option<(Checkout, Vec<String>)> {
    let mut positional = Vec::new();
    let mut flags = BTreeMap::new();
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("--") {
            Some(name) => drop(flags.insert(name.to_owned(), arguments.next()?)),
            None => positional.push(argument),
        }
    }
    let [path, tags, folder] = <[String; 3]>::try_from(positional).ok()?;
    let checkout = Checkout { path: path.into(), folder, flags };
    if tags.contains(',') {
        return Some((checkout, tags.split(',').map(str::to_owned).collect()));
    }
    let output = checkout.git(&["tag", "--sort=creatordate", "--list", &format!("{tags}*")]);
    let tags = String::from_utf8_lossy(&output).lines().map(str::to_owned).collect();
    Some((checkout, tags))
}

/// Returns the cost; `None` if no Java file differs.
fn measure_cost(
    checkout: &Checkout,
    server: &mut AttributionServer,
    pair: &[String],
) -> Option<Cost> {
    let [old, new] = [0, 1].map(|side| checkout.files_of(&pair[side]));
    let changes = file_changes(&old, &new, &checkout.detect_renames(&pair[0], &pair[1]));
    if changes.is_empty() {
        return None;
    }
    let tree = TreeId(String::new());
    let (delta, without_facts) =
        measure_time(|| Delta::between(tree.clone(), &changes, JavaGranularity::Ast));
    let hunks = delta.hunks().len();
    drop(delta);
    let (facts, asking) = measure_time(|| {
        [&old, &new].map(|files| server.analyse(&checkout.source_set(files)).expect("facts"))
    });
    let facts = (&facts[0], &facts[1]);
    let (_, with_facts) =
        measure_time(|| Delta::with_facts(tree, &changes, JavaGranularity::Ast, Some(facts)));
    Some(Cost {
        name: pair.join(" "),
        files: changes.len(),
        tokens: changes.iter().map(count_tokens).sum(),
        hunks,
        seconds_without_facts: without_facts,
        facts_seconds: asking,
        seconds_with_facts: with_facts,
    })
}

fn measure_time<T>(action: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let result = action();
    (result, started.elapsed().as_secs_f64())
}

/// Returns the tokens of both versions of a file; 0 for one that does not parse.
fn count_tokens(change: &FileChange) -> u32 {
    let side = |(_, state): &(RepoPath, FileState)| {
        ParsedSource::parse(Arc::clone(&state.content)).map_or(0, |source| source.tokens().len())
    };
    let count: usize = change.old.iter().chain(&change.new).map(side).sum();
    u32::try_from(count).expect("no file is so large")
}

/// Returns the peak memory of this process, without the JVM.
fn peak_mebibytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024)
}

fn draw_chart(file: &Path, costs: &[Cost]) {
    let line = |name: &str, of: &dyn Fn(&Cost) -> f64, joined| Line {
        name: name.to_owned(),
        points: costs.iter().map(|cost| (f64::from(cost.tokens), of(cost))).collect(),
        is_joined: joined,
    };
    let rate = costs.iter().map(|cost| cost.seconds_without_facts).sum::<f64>()
        / costs.iter().map(|cost| f64::from(cost.tokens)).sum::<f64>();
    let lines = [
        line("without facts", &|cost| cost.seconds_without_facts, false),
        line("with available facts", &|cost| cost.seconds_with_facts, false),
        line(
            "with facts, including the compiler",
            &|cost| cost.seconds_with_facts + cost.facts_seconds,
            false,
        ),
        line("linear", &|cost| f64::from(cost.tokens) * rate, true),
    ];
    let chart = Chart {
        caption: "Seconds to split the diff of two versions",
        x_label: "tokens of both versions of the changed files",
        y_label: "seconds",
        is_logarithmic: true,
    };
    plot::draw_chart(file, &chart, &lines).unwrap();
}
