//! Measures the cost of splitting a diff into components, against its size.
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

use checkout::{Checkout, changes};
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
    without_facts: f64,
    asking: f64,
    with_facts: f64,
}

impl Cost {
    fn print(&self) {
        let Self { name, files, tokens, hunks, without_facts, asking, with_facts } = self;
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
    let supervisor = Supervisor::unwatched(Interrupt::default());
    let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: work.clone() });
    let jdk = Jdk::find(&Environment::of_this_process(), &*launcher).expect("a JDK");
    let tools = Toolchain::new(jdk, launcher, &work);
    let mut server = AttributionServer::start(&tools).expect("the facts server");
    println!(
        "| versions | files | tokens | hunks | s without facts | s for facts | s with facts | peak MiB |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let costs: Vec<Cost> = tags
        .windows(2)
        .filter_map(|pair| cost(&checkout, &mut server, pair))
        .inspect(Cost::print)
        .collect();
    if let Some(file) = checkout.flags.get("plot") {
        draw(Path::new(file), &costs);
    }
}

fn read_arguments() -> Option<(Checkout, Vec<String>)> {
    let mut plain = Vec::new();
    let mut flags = BTreeMap::new();
    let mut arguments = std::env::args().skip(1).filter(|one| one != "--bench");
    while let Some(one) = arguments.next() {
        match one.strip_prefix("--") {
            Some(name) => drop(flags.insert(name.to_owned(), arguments.next()?)),
            None => plain.push(one),
        }
    }
    let [path, tags, folder] = <[String; 3]>::try_from(plain).ok()?;
    let checkout = Checkout { path: path.into(), folder, flags };
    if tags.contains(',') {
        return Some((checkout, tags.split(',').map(str::to_owned).collect()));
    }
    let said = checkout.git(&["tag", "--sort=creatordate", "--list", &format!("{tags}*")]);
    let tags = String::from_utf8_lossy(&said).lines().map(str::to_owned).collect();
    Some((checkout, tags))
}

/// Returns the cost; `None` if no Java file differs.
fn cost(checkout: &Checkout, server: &mut AttributionServer, pair: &[String]) -> Option<Cost> {
    let [old, new] = [0, 1].map(|side| checkout.files(&pair[side]));
    let changes = changes(&old, &new, &checkout.renames(&pair[0], &pair[1]));
    if changes.is_empty() {
        return None;
    }
    let tree = TreeId(String::new());
    let (delta, without_facts) =
        timed(|| Delta::between(tree.clone(), &changes, JavaGranularity::Ast));
    let hunks = delta.hunks().len();
    drop(delta);
    let (facts, asking) =
        timed(|| [&old, &new].map(|files| server.facts(&checkout.sources(files)).expect("facts")));
    let facts = (&facts[0], &facts[1]);
    let (_, with_facts) =
        timed(|| Delta::with_facts(tree, &changes, JavaGranularity::Ast, Some(facts)));
    Some(Cost {
        name: pair.join(" "),
        files: changes.len(),
        tokens: changes.iter().map(tokens).sum(),
        hunks,
        without_facts,
        asking,
        with_facts,
    })
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64())
}

/// Returns the tokens of both versions of a file; 0 for one that does not parse.
fn tokens(change: &FileChange) -> u32 {
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

fn draw(file: &Path, costs: &[Cost]) {
    let line = |name: &str, of: &dyn Fn(&Cost) -> f64, joined| Line {
        name: name.to_owned(),
        points: costs.iter().map(|cost| (f64::from(cost.tokens), of(cost))).collect(),
        joined,
    };
    let rate = costs.iter().map(|cost| cost.without_facts).sum::<f64>()
        / costs.iter().map(|cost| f64::from(cost.tokens)).sum::<f64>();
    let lines = [
        line("without facts", &|cost| cost.without_facts, false),
        line("with available facts", &|cost| cost.with_facts, false),
        line("with facts, including the compiler", &|cost| cost.with_facts + cost.asking, false),
        line("linear", &|cost| f64::from(cost.tokens) * rate, true),
    ];
    let words = Chart {
        caption: "Seconds to split the diff of two versions",
        x: "tokens of both versions of the changed files",
        y: "seconds",
        is_logarithmic: true,
    };
    plot::draw(file, &words, &lines).unwrap();
}
