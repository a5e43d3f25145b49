//! Measures how often a random closed subset of a delta compiles.
//!
//! `cargo bench --bench compile_rate -- CHECKOUT OLD NEW SOURCE_FOLDER [--class-path PATHS] [--subsets N]
//! [--seed N] [--release N] [--encoding NAME] [--no-facts] [--sweep] [--show N] [--prove N] [--seconds N]
//! [--lessons N]`
//!
//! The size of the closed set is uniformly distributed. `--sweep` tries every component alone and the delta without
//! each component, with all dependencies. `--show N` prints N failures with their errors. `--prove N` lets the delta
//! learn until N subsets in a row compile, for at most `--seconds N`. `--lessons N` prints N errors of each subset that
//! it learns from.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[path = "shared/checkout.rs"]
mod checkout;

use checkout::{Checkout, Files, changes};
use fastrand::Rng;
use mend_delta::{Delta, JavaGranularity};
use mend_engine::{AttributionServer, Environment, Jdk, SourceSet, SupervisedLauncher, Toolchain};
use mend_java::facts::{CompileError, SemanticModel};
use mend_model::{FileChange, Interrupt, TreeEdit, TreeId};
use mend_process::Supervisor;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// Number of lines shown before an error; half as many are shown after it.
const AROUND: usize = 12;

struct Options {
    checkout: Checkout,
    old: String,
    new: String,
}

impl Options {
    fn read() -> Option<Self> {
        let mut plain = Vec::new();
        let mut flags = BTreeMap::new();
        let mut arguments = std::env::args().skip(1).filter(|one| one != "--bench").peekable();
        while let Some(one) = arguments.next() {
            match one.strip_prefix("--") {
                Some(name @ ("no-facts" | "sweep")) => {
                    drop(flags.insert(name.into(), String::new()));
                }
                Some(name) => drop(flags.insert(name.into(), arguments.next()?)),
                None => plain.push(one),
            }
        }
        let [checkout, old, new, folder] = <[String; 4]>::try_from(plain).ok()?;
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
    needs: Vec<Vec<Vec<usize>>>,
}

impl<'a> Graph<'a> {
    fn of(delta: &'a Delta) -> Self {
        let mut needs = vec![Vec::new(); delta.components().len()];
        for (from, to) in delta.component_couplings() {
            needs[from].push(to);
        }
        Self { delta, needs }
    }

    fn add(&self, on: &mut BTreeSet<usize>, component: usize) {
        let mut open = vec![component];
        while let Some(one) = open.pop() {
            if on.insert(one) {
                for to in &self.needs[one] {
                    if !to.iter().any(|to| on.contains(to)) {
                        open.push(to[0]);
                    }
                }
            }
        }
    }

    /// Returns all components that do not depend on a component.
    fn without(&self, component: usize) -> BTreeSet<usize> {
        let mut on: BTreeSet<usize> = (0..self.needs.len()).filter(|c| *c != component).collect();
        loop {
            let gone = on
                .iter()
                .copied()
                .find(|one| self.needs[*one].iter().any(|to| !to.iter().any(|to| on.contains(to))));
            match gone {
                Some(gone) => drop(on.remove(&gone)),
                None => return on,
            }
        }
    }

    fn draw(&self, random: &mut Rng) -> BTreeSet<usize> {
        let wanted = random.usize(..=self.needs.len());
        let mut on = BTreeSet::new();
        while on.len() < wanted {
            self.add(&mut on, random.usize(..self.needs.len()));
        }
        on
    }

    fn render(&self, base: &Files, on: &BTreeSet<usize>) -> Files {
        applied(base, &self.delta.render_components(&|one| on.contains(&one), false))
    }

    fn describe(&self, component: usize) -> String {
        let hunks = &self.delta.components()[component].hunks;
        let shown = hunks.iter().take(12).map(|id| {
            let hunk = &self.delta.hunks()[*id];
            let place = |range: &Option<std::ops::Range<usize>>| {
                range
                    .as_ref()
                    .map_or("-".to_owned(), |range| format!("{}-{}", range.start, range.end))
            };
            let (old, new) = (place(&hunk.old), place(&hunk.new));
            format!("{id}:{:?} {} {} [{old} > {new}]", hunk.kind, hunk.node, hunk.path)
        });
        format!("({}) {}", hunks.len(), shown.collect::<Vec<_>>().join("\n      "))
    }
}

fn facts(server: &mut AttributionServer, sources: &SourceSet, name: &str) -> SemanticModel {
    let begun = Instant::now();
    let facts = server.facts(sources).expect("facts");
    let nodes: usize = facts.trees().iter().map(|tree| tree.nodes.len()).sum();
    println!(
        "facts of {name}: {} files, {nodes} nodes, {} symbols in {:.2} s",
        facts.trees().len(),
        facts.symbols().len(),
        begun.elapsed().as_secs_f64()
    );
    facts
}

fn report(delta: &Delta) {
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    for coupling in delta.couplings() {
        *rules.entry(format!("{:?}", coupling.rule)).or_default() += 1;
    }
    let hunks = delta.hunks().len();
    let components = delta.components();
    let largest = (0..components.len()).max_by_key(|one| components[*one].hunks.len());
    let size = largest.map_or(0, |one| components[one].hunks.len());
    println!("{hunks} hunks, {} components, largest {size}", components.len());
    println!("rules: {rules:?}");
    let mut within: BTreeMap<String, usize> = BTreeMap::new();
    let is_within = |hunk: usize| delta.component_of(hunk) == largest;
    for one in delta.couplings() {
        if is_within(one.from) && one.to.len() == 1 && is_within(one.to[0]) {
            *within.entry(format!("{:?}", one.rule)).or_default() += 1;
        }
    }
    println!("rules within the largest: {within:?}");
}

struct Bench<'a> {
    options: &'a Options,
    server: AttributionServer,
    graph: Graph<'a>,
    base: Files,
    shown: usize,
    seen: BTreeSet<String>,
}

impl Bench<'_> {
    fn compiles(&mut self, on: &BTreeSet<usize>, what: &str, subject: Option<usize>) -> bool {
        let files = self.graph.render(&self.base, on);
        let errors = self.server.errors(&self.options.checkout.sources(&files)).expect("an answer");
        let mut fresh: Vec<&CompileError> = Vec::new();
        for error in &errors {
            if self.seen.insert(kind(error)) {
                fresh.push(error);
            }
        }
        if !fresh.is_empty() && self.shown < self.options.number("show", 0) {
            self.shown += 1;
            println!("\nFAILS {what} with {} of {}", on.len(), self.graph.needs.len());
            for error in fresh {
                println!("  {error}\n{}", context(&files, error));
            }
            if let Some(subject) = subject {
                println!("  {subject}: {}", self.graph.describe(subject));
                for one in on.iter().filter(|one| on.len() < 10 && **one != subject) {
                    println!("    with {one}: {}", self.graph.describe(*one));
                }
            }
        }
        errors.is_empty()
    }

    fn sweep(&mut self) {
        let count = self.graph.needs.len();
        let (mut alone, mut without) = (0, 0);
        for one in 0..count {
            let mut on = BTreeSet::new();
            self.graph.add(&mut on, one);
            alone += usize::from(self.compiles(&on, "alone", Some(one)));
            let on = self.graph.without(one);
            without += usize::from(self.compiles(&on, "without", Some(one)));
        }
        println!("alone {alone} of {count}, all without one {without} of {count}");
    }

    fn draw(&mut self) {
        let mut random = Rng::with_seed(self.options.number("seed", 1) as u64);
        let count = self.options.number("subsets", 100);
        let mut tenths = vec![(0, 0); 11];
        let mut good = 0;
        let begun = Instant::now();
        for _ in 0..count {
            let on = self.graph.draw(&mut random);
            let compiles = self.compiles(&on, "subset", None);
            let tenth = on.len() * 10 / self.graph.needs.len().max(1);
            tenths[tenth].0 += usize::from(compiles);
            tenths[tenth].1 += 1;
            good += usize::from(compiles);
        }
        let seconds = begun.elapsed().as_secs_f64();
        println!("{good} of {count} subsets compile, {seconds:.0} s; by tenths: {tenths:?}");
    }
}

/// Returns an error without its line number.
fn kind(error: &CompileError) -> String {
    format!("{}:{}", error.path, error.message)
}

fn line(files: &Files, error: &CompileError) -> String {
    let text = files.get(&error.path).map(|text| String::from_utf8_lossy(text).into_owned());
    text.and_then(|text| text.lines().nth(error.line.saturating_sub(1)).map(str::to_owned))
        .unwrap_or_default()
}

/// Returns the lines around an error.
fn context(files: &Files, error: &CompileError) -> String {
    let Some(text) = files.get(&error.path) else { return String::new() };
    let text = String::from_utf8_lossy(text);
    let first = error.line.saturating_sub(AROUND);
    let lines = text.lines().enumerate().skip(first).take(AROUND + AROUND / 2);
    let marked = lines.map(|(at, line)| {
        let mark = if at + 1 == error.line { '>' } else { '|' };
        format!("  {mark} {line}\n")
    });
    marked.collect()
}

/// Returns the delta; with `--prove N` it learns until N subsets in a row compile.
fn delta(
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
    let begun = Instant::now();
    let (mut rounds, mut failed) = (0, 0);
    let limit = options.number("seconds", 3600) as u64;
    let delta = Delta::proved(tree, changes, facts, patience, &mut |edit| {
        if begun.elapsed().as_secs() >= limit {
            return None;
        }
        let files = applied(base, edit);
        let errors = server.errors(&options.checkout.sources(&files)).expect("an answer");
        rounds += 1;
        failed += usize::from(!errors.is_empty());
        for error in errors.iter().take(options.number("lessons", 0)) {
            println!("LESSON {rounds}: {error}\n  > {}", line(&files, error).trim());
        }
        Some(errors)
    });
    let seconds = begun.elapsed().as_secs_f64();
    println!("{failed} of {rounds} subsets added dependencies, {seconds:.1} s with the delta");
    delta
}

fn applied(base: &Files, edit: &TreeEdit) -> Files {
    let mut files = base.clone();
    for (path, state) in &edit.changes {
        match state {
            Some(state) => drop(files.insert(path.clone(), state.content.clone())),
            None => drop(files.remove(path)),
        }
    }
    files
}

fn main() {
    let Some(options) = Options::read() else {
        println!("missing arguments: CHECKOUT OLD NEW SOURCE_FOLDER");
        return;
    };
    let (old, new) = (options.checkout.files(&options.old), options.checkout.files(&options.new));
    let changes = changes(&old, &new, &options.checkout.renames(&options.old, &options.new));
    let work = std::env::temp_dir().join("git-mend-bench");
    let supervisor = Supervisor::unwatched(Interrupt::default());
    let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: work.clone() });
    let jdk = Jdk::find(&Environment::of_this_process(), &*launcher).expect("a JDK");
    let tools = Toolchain::new(jdk, launcher, &work);
    let mut server = AttributionServer::start(&tools).expect("the facts server");
    for files in [&old, &new] {
        let errors = server.errors(&options.checkout.sources(files)).expect("an answer");
        println!("{} errors in {} files {:?}", errors.len(), files.len(), errors.first());
    }
    let old_facts = facts(&mut server, &options.checkout.sources(&old), &options.old);
    let new_facts = facts(&mut server, &options.checkout.sources(&new), &options.new);
    let begun = Instant::now();
    let delta = delta(&options, &mut server, &old, &changes, (&old_facts, &new_facts));
    println!("delta of {} files in {:.2} s", changes.len(), begun.elapsed().as_secs_f64());
    report(&delta);
    let graph = Graph::of(&delta);
    let mut bench =
        Bench { options: &options, server, graph, base: old, shown: 0, seen: BTreeSet::new() };
    if options.checkout.flags.contains_key("sweep") {
        bench.sweep();
    }
    bench.draw();
}
