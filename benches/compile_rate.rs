//! Measures how often a random closed subset of a delta compiles.
//!
//! `cargo bench --bench compile_rate -- CHECKOUT OLD NEW SOURCE_FOLDER [--commits N] [--class-path PATHS] [--subsets N]
//! [--seed N] [--release N] [--encoding NAME] [--no-facts] [--sweep] [--show N] [--prove N] [--seconds N]
//! [--lessons N]`
//!
//! The size of the closed set is uniformly distributed. `--commits N` measures the newest N commits of `OLD..NEW` that
//! have at least two components, each by itself, instead of the whole range. `--sweep` tries every component alone and
//! the delta without each component, with all dependencies. `--show N` prints N failures of a delta with their errors.
//! `--prove N` lets the delta learn until N subsets in a row compile, for at most `--seconds N`. `--lessons N` prints N
//! errors of each subset that it learns from.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[path = "shared/checkout.rs"]
mod checkout;

use checkout::{Checkout, Files, file_changes};
use fastrand::Rng;
use mend_delta::{Delta, JavaGranularity};
use mend_engine::{AttributionServer, Environment, Jdk, SupervisedLauncher, Toolchain};
use mend_java::facts::{CompileError, SemanticModel};
use mend_model::{FileChange, Interrupt, TreeEdit, TreeId};
use mend_process::Supervisor;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// Number of lines shown before an error; half as many are shown after it.
const CONTEXT_LINES: usize = 12;

struct Options {
    checkout: Checkout,
    old: String,
    new: String,
}

impl Options {
    fn read() -> Option<Self> {
        let mut positional = Vec::new();
        let mut flags = BTreeMap::new();
        let mut arguments =
            std::env::args().skip(1).filter(|argument| argument != "--bench").peekable();
        while let Some(argument) = arguments.next() {
            match argument.strip_prefix("--") {
                Some(name @ ("no-facts" | "sweep")) => {
                    drop(flags.insert(name.into(), String::new()));
                }
                Some(name) => drop(flags.insert(name.into(), arguments.next()?)),
                None => positional.push(argument),
            }
        }
        let [checkout, old, new, folder] = <[String; 4]>::try_from(positional).ok()?;
        let checkout = Checkout { path: checkout.into(), folder, flags };
        Some(Self { checkout, old, new })
    }

    fn number(&self, name: &str, default: usize) -> usize {
        self.checkout.flags.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }
}

/// Components and their dependencies.
struct Graph<'a> {
    delta: &'a Delta,
    dependencies: Vec<Vec<Vec<usize>>>,
}

impl<'a> Graph<'a> {
    fn from_delta(delta: &'a Delta) -> Self {
        let mut needs = vec![Vec::new(); delta.components().len()];
        for (from, to) in delta.component_dependencies() {
            needs[from].push(to);
        }
        Self { delta, dependencies: needs }
    }

    fn add_with_dependencies(&self, active: &mut BTreeSet<usize>, component: usize) {
        let mut pending = vec![component];
        while let Some(one) = pending.pop() {
            if active.insert(one) {
                for to in &self.dependencies[one] {
                    if !to.iter().any(|to| active.contains(to)) {
                        pending.push(to[0]);
                    }
                }
            }
        }
    }

    /// Returns all components except a component and its dependents.
    fn without_dependents(&self, component: usize) -> BTreeSet<usize> {
        let mut active: BTreeSet<usize> =
            (0..self.dependencies.len()).filter(|c| *c != component).collect();
        loop {
            let unsatisfied = active.iter().copied().find(|one| {
                self.dependencies[*one].iter().any(|to| !to.iter().any(|to| active.contains(to)))
            });
            match unsatisfied {
                Some(unsatisfied) => drop(active.remove(&unsatisfied)),
                None => return active,
            }
        }
    }

    fn draw_subset(&self, random: &mut Rng) -> BTreeSet<usize> {
        let min_size = random.usize(..=self.dependencies.len());
        let mut active = BTreeSet::new();
        while active.len() < min_size {
            self.add_with_dependencies(&mut active, random.usize(..self.dependencies.len()));
        }
        active
    }

    fn render(&self, base: &Files, active: &BTreeSet<usize>) -> Files {
        apply_edit(base, &self.delta.render_components(&|one| active.contains(&one), false))
    }

    fn describe_component(&self, component: usize) -> String {
        let hunks = &self.delta.components()[component].hunks;
        let shown = hunks.iter().take(12).map(|id| {
            let hunk = &self.delta.hunks()[*id];
            let format_range = |range: &Option<std::ops::Range<usize>>| {
                range
                    .as_ref()
                    .map_or("-".to_owned(), |range| format!("{}-{}", range.start, range.end))
            };
            let (old, new) = (format_range(&hunk.old), format_range(&hunk.new));
            format!("{id}:{:?} {} {} [{old} > {new}]", hunk.kind, hunk.node_kind, hunk.path)
        });
        format!("({}) {}", hunks.len(), shown.collect::<Vec<_>>().join("\n      "))
    }
}

fn print_statistics(delta: &Delta) {
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    for coupling in delta.dependencies() {
        *rules.entry(format!("{:?}", coupling.rule)).or_default() += 1;
    }
    let hunks = delta.hunks().len();
    let components = delta.components();
    let largest = (0..components.len()).max_by_key(|one| components[*one].hunks.len());
    let size = largest.map_or(0, |one| components[one].hunks.len());
    println!("{hunks} hunks, {} components, largest {size}", components.len());
    println!("rules: {rules:?}");
    let mut rules_in_largest: BTreeMap<String, usize> = BTreeMap::new();
    let is_within = |hunk: usize| delta.component_of(hunk) == largest;
    for one in delta.dependencies() {
        if is_within(one.from) && one.to.len() == 1 && is_within(one.to[0]) {
            *rules_in_largest.entry(format!("{:?}", one.rule)).or_default() += 1;
        }
    }
    println!("rules within the largest: {rules_in_largest:?}");
}

/// Number of drawn subsets, and of those that compile.
#[derive(Clone, Copy, Default)]
struct CompileRate {
    compiling: usize,
    drawn: usize,
}

struct Bench<'a> {
    options: &'a Options,
    server: &'a mut AttributionServer,
    graph: Graph<'a>,
    base: Files,
    shown_count: usize,
    reported_errors: BTreeSet<String>,
}

impl Bench<'_> {
    fn check_compiles(
        &mut self,
        active: &BTreeSet<usize>,
        what: &str,
        subject: Option<usize>,
    ) -> bool {
        let files = self.graph.render(&self.base, active);
        let errors = self
            .server
            .compile_errors(&self.options.checkout.source_set(&files))
            .expect("an answer");
        let mut fresh: Vec<&CompileError> = Vec::new();
        for error in &errors {
            if self.reported_errors.insert(error_key(error)) {
                fresh.push(error);
            }
        }
        if !fresh.is_empty() && self.shown_count < self.options.number("show", 0) {
            self.shown_count += 1;
            println!("\nFAILS {what} with {} of {}", active.len(), self.graph.dependencies.len());
            for error in fresh {
                println!("  {error}\n{}", error_context(&files, error));
            }
            if let Some(subject) = subject {
                println!("  {subject}: {}", self.graph.describe_component(subject));
                for one in active.iter().filter(|one| active.len() < 10 && **one != subject) {
                    println!("    with {one}: {}", self.graph.describe_component(*one));
                }
            }
        }
        errors.is_empty()
    }

    fn compile_each(&mut self) {
        let count = self.graph.dependencies.len();
        let (mut alone, mut without) = (0, 0);
        for one in 0..count {
            let mut on = BTreeSet::new();
            self.graph.add_with_dependencies(&mut on, one);
            alone += usize::from(self.check_compiles(&on, "alone", Some(one)));
            let on = self.graph.without_dependents(one);
            without += usize::from(self.check_compiles(&on, "without", Some(one)));
        }
        println!("alone {alone} of {count}, all without one {without} of {count}");
    }

    fn sample_subsets(&mut self) -> CompileRate {
        let mut random = Rng::with_seed(self.options.number("seed", 1) as u64);
        let drawn = self.options.number("subsets", 100);
        let compiling = (0..drawn)
            .filter(|_| {
                let active = self.graph.draw_subset(&mut random);
                self.check_compiles(&active, "subset", None)
            })
            .count();
        CompileRate { compiling, drawn }
    }
}

/// Returns an error without its line number.
fn error_key(error: &CompileError) -> String {
    format!("{}:{}", error.path, error.message)
}

fn source_line(files: &Files, error: &CompileError) -> String {
    let text = files.get(&error.path).map(|text| String::from_utf8_lossy(text).into_owned());
    text.and_then(|text| text.lines().nth(error.line.saturating_sub(1)).map(str::to_owned))
        .unwrap_or_default()
}

/// Returns the lines around an error.
fn error_context(files: &Files, error: &CompileError) -> String {
    let Some(text) = files.get(&error.path) else { return String::new() };
    let text = String::from_utf8_lossy(text);
    let first = error.line.saturating_sub(CONTEXT_LINES);
    let lines = text.lines().enumerate().skip(first).take(CONTEXT_LINES + CONTEXT_LINES / 2);
    let marked = lines.map(|(at, line)| {
        let mark = if at + 1 == error.line { '>' } else { '|' };
        format!("  {mark} {line}\n")
    });
    marked.collect()
}

/// Returns the delta; with `--prove N` it learns until N subsets in a row compile.
fn compute_delta(
    options: &Options,
    server: &mut AttributionServer,
    base: &Files,
    changes: &[FileChange],
    facts: (&SemanticModel, &SemanticModel),
) -> Delta {
    let tree = TreeId(String::new());
    let patience = options.number("prove", 0);
    if options.checkout.flags.contains_key("no-facts") {
        return Delta::between(tree, changes, JavaGranularity::Ast);
    }
    if patience == 0 {
        return Delta::with_facts(tree, changes, JavaGranularity::Ast, Some(facts));
    }
    let started = Instant::now();
    let (mut rounds, mut failed) = (0, 0);
    let limit = options.number("seconds", 3600) as u64;
    let delta = Delta::with_learned_dependencies(tree, changes, facts, patience, &mut |edit| {
        if started.elapsed().as_secs() >= limit {
            return None;
        }
        let files = apply_edit(base, edit);
        let errors =
            server.compile_errors(&options.checkout.source_set(&files)).expect("an answer");
        rounds += 1;
        failed += usize::from(!errors.is_empty());
        for error in errors.iter().take(options.number("lessons", 0)) {
            println!("LESSON {rounds}: {error}\n  > {}", source_line(&files, error).trim());
        }
        Some(errors)
    });
    let seconds = started.elapsed().as_secs_f64();
    println!("{failed} of {rounds} subsets added dependencies, {seconds:.1} s with the delta");
    delta
}

fn apply_edit(base: &Files, edit: &TreeEdit) -> Files {
    let mut files = base.clone();
    for (path, state) in &edit.changes {
        match state {
            Some(state) => drop(files.insert(path.clone(), state.content.clone())),
            None => drop(files.remove(path)),
        }
    }
    files
}

fn start_server() -> AttributionServer {
    let work = std::env::temp_dir().join("git-mend-bench");
    let supervisor = Supervisor::without_watchdog(Interrupt::default());
    let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: work.clone() });
    let jdk = Jdk::find(&Environment::from_process(), &*launcher).expect("a JDK");
    let tools = Toolchain::new(jdk, launcher, &work);
    AttributionServer::start(&tools).expect("the facts server")
}

/// Reads a version, and its facts; an error where it does not compile.
fn read_version(
    options: &Options,
    server: &mut AttributionServer,
    revision: &str,
) -> Result<(Files, SemanticModel), CompileError> {
    let files = options.checkout.files_of(revision);
    let sources = options.checkout.source_set(&files);
    match server.compile_errors(&sources).expect("an answer").into_iter().next() {
        Some(error) => Err(error),
        None => Ok((files, server.analyse(&sources).expect("facts"))),
    }
}

/// Measures the change between two versions; nothing if it has less than two components.
fn measure_change(
    options: &Options,
    server: &mut AttributionServer,
    (old_revision, new_revision): (&str, &str),
) -> Result<CompileRate, CompileError> {
    let (old, old_facts) = read_version(options, server, old_revision)?;
    let (new, new_facts) = read_version(options, server, new_revision)?;
    let renames = options.checkout.detect_renames(old_revision, new_revision);
    let changes = file_changes(&old, &new, &renames);
    let delta = compute_delta(options, server, &old, &changes, (&old_facts, &new_facts));
    let graph = Graph::from_delta(&delta);
    if graph.dependencies.len() < 2 {
        return Ok(CompileRate::default());
    }
    print_statistics(&delta);
    let mut bench = Bench {
        options,
        server,
        graph,
        base: old,
        shown_count: 0,
        reported_errors: BTreeSet::new(),
    };
    if options.checkout.flags.contains_key("sweep") {
        bench.compile_each();
    }
    Ok(bench.sample_subsets())
}

/// Measures the newest commits of a range, each by itself.
fn measure_commits(options: &Options, server: &mut AttributionServer, count: usize) {
    let range = format!("{}..{}", options.old, options.new);
    let commits =
        options.checkout.git(&["rev-list", "--no-merges", &range, "--", &options.checkout.folder]);
    let commits = String::from_utf8(commits).expect("hexadecimal digits");
    let (mut measured, mut total) = (0, CompileRate::default());
    for commit in commits.lines() {
        if measured == count {
            break;
        }
        println!("\ncommit {commit}");
        match measure_change(options, server, (&format!("{commit}^"), commit)) {
            Err(error) => println!("skipped, because it does not compile: {error}"),
            Ok(CompileRate { drawn: 0, .. }) => println!("skipped: less than two components"),
            Ok(rate) => {
                println!("{} of {} subsets compile", rate.compiling, rate.drawn);
                measured += 1;
                total.compiling += rate.compiling;
                total.drawn += rate.drawn;
            }
        }
    }
    println!("\n{measured} commits: {} of {} subsets compile", total.compiling, total.drawn);
}

fn main() {
    let Some(options) = Options::read() else {
        println!("missing arguments: CHECKOUT OLD NEW SOURCE_FOLDER");
        return;
    };
    let mut server = start_server();
    let commits = options.number("commits", 0);
    if commits > 0 {
        return measure_commits(&options, &mut server, commits);
    }
    match measure_change(&options, &mut server, (&options.old, &options.new)) {
        Ok(rate) => println!("{} of {} subsets compile", rate.compiling, rate.drawn),
        Err(error) => println!("a version does not compile: {error}"),
    }
}
