//! What one variant costs with each engine, and whether they agree.
//!
//! `cargo bench --bench engine -- CHECKOUT REVISION TEST... [--variants N] [--seed N]`
//!
//! Variants are edits of one main source file each, drawn from the seed: every third one adds a method, the
//! others change an operator or a number in place. Both engines judge each of them in the same folder. CPU seconds
//! are those of this process and all that it started (Linux only).

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may stop")]

use fastrand::Rng;
use git_mend::engine::{
    Engine, EngineChoice, Environment, Execution, Jdk, Limits, LocalRepositories, ProcessEngine,
    Project, ProjectOptions, ResidentEngine, SupervisedLauncher, select,
};
use git_mend::model::{Interrupt, Outcome, TestStatus};
use git_mend::trial::Supervisor;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

/// What `/proc` counts CPU time in.
const TICKS_A_SECOND: f64 = 100.0;

struct Arguments {
    checkout: PathBuf,
    revision: String,
    tests: Vec<String>,
    variants: usize,
    seed: u64,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut plain = Vec::new();
        let (mut variants, mut seed) = (30, 1);
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            match word.as_str() {
                "--variants" => variants = words.next()?.parse().ok()?,
                "--seed" => seed = words.next()?.parse().ok()?,
                _ => plain.push(word),
            }
        }
        let mut plain = plain.into_iter();
        let (checkout, revision) = (plain.next()?.into(), plain.next()?);
        let tests: Vec<_> = plain.collect();
        (!tests.is_empty()).then_some(Self { checkout, revision, tests, variants, seed })
    }

    fn export(&self, to: &Path) {
        let script = "git -C \"$1\" archive \"$2\" | tar -x -C \"$3\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(&self.checkout).arg(&self.revision).arg(to);
        assert!(shell.status().unwrap().success());
    }
}

/// A subject, and both engines at work on it.
struct Subject {
    tree: PathBuf,
    files: Vec<PathBuf>,
    process: ProcessEngine,
    resident: ResidentEngine,
}

impl Subject {
    fn new(arguments: &Arguments, tree: &Path, work: &Path) -> Self {
        let environment = Environment::of_this_process();
        let supervisor = Supervisor::unwatched(Interrupt::default());
        let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: work.to_owned() });
        let jdk = Jdk::find(&environment, &*launcher).unwrap();
        let repositories = LocalRepositories::on_this_machine(&environment);
        let options = ProjectOptions { repositories, ..ProjectOptions::default() };
        let project = Project::discover(tree, &options, &jdk).unwrap();
        let selectors: Vec<_> = arguments.tests.iter().map(|text| text.parse().unwrap()).collect();
        let selections = select(&project, tree, &selectors).unwrap();
        let engine = |work: PathBuf| {
            let (environment, launcher) = (environment.clone(), launcher.clone());
            let (project, selections) = (project.clone(), selections.clone());
            ProcessEngine::new(project, jdk.clone(), selections, environment, launcher, &work)
        };
        let resident = engine(work.join("resident"));
        Self {
            tree: tree.to_owned(),
            files: project.main_files(tree),
            process: engine(work.join("process")),
            resident: ResidentEngine::new(resident, EngineChoice::Resident, arguments.seed),
        }
    }

    fn judge(&self, engine: &dyn Engine) -> (Execution, Cost) {
        let (begun, before) = (Instant::now(), cpu_seconds());
        let execution = engine.run(&self.tree, &Limits::default()).unwrap();
        let cost = Cost { wall: begun.elapsed().as_secs_f64(), cpu: cpu_seconds() - before };
        (execution, cost)
    }
}

/// Seconds.
#[derive(Clone, Copy)]
struct Cost {
    wall: f64,
    cpu: f64,
}

/// The CPU time of this process, of its living descendants and of those that have ended.
fn cpu_seconds() -> f64 {
    let mut parents = HashMap::new();
    let mut ticks = HashMap::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, fields)) = stat.rsplit_once(") ") else { continue };
        let fields: Vec<&str> = fields.split(' ').collect();
        let number = |at: usize| fields[at].parse::<u32>().unwrap_or(0);
        parents.insert(pid, number(1));
        ticks.insert(pid, (11..15).map(number).sum::<u32>());
    }
    let own = std::process::id();
    let is_ours = |pid: &u32| {
        std::iter::successors(Some(*pid), |pid| parents.get(pid).copied().filter(|pid| *pid > 1))
            .any(|pid| pid == own)
    };
    let sum = ticks.iter().filter(|(pid, _)| is_ours(pid)).map(|(_, ticks)| ticks).sum::<u32>();
    f64::from(sum) / TICKS_A_SECOND
}

/// A file with one edit; `None` if there is nothing to edit.
fn edited(text: &str, number: usize, random: &mut Rng) -> Option<String> {
    if number % 3 == 2 {
        let end = text.rfind('}')?;
        let method = format!("static int added{number}() {{ return {number}; }}\n");
        let is_class = text.contains("class ") && !text.contains("interface ");
        return is_class.then(|| format!("{}{method}{}", &text[..end], &text[end..]));
    }
    let edits =
        [(" == ", " != "), (" < ", " <= "), (" && ", " || "), (" + 1", " + 2"), (" > ", " >= ")];
    let mut places: Vec<(usize, &str, &str)> = Vec::new();
    for (old, new) in edits {
        places.extend(text.match_indices(old).map(|(at, _)| (at, old, new)));
    }
    let (at, old, new) = *places.get(random.usize(..places.len().max(1)))?;
    Some(format!("{}{new}{}", &text[..at], &text[at + old.len()..]))
}

/// What both engines must agree on.
fn essence(outcome: &Outcome) -> BTreeMap<String, String> {
    match outcome {
        Outcome::Tests { results } => results
            .iter()
            .map(|result| {
                let how = match &result.status {
                    TestStatus::Failed(failure) => failure.exception.clone(),
                    other => format!("{other:?}"),
                };
                (result.test.clone(), how)
            })
            .collect(),
        other => {
            let kind = format!("{other:?}");
            let kind = kind.split(' ').next().unwrap_or_default().to_owned();
            BTreeMap::from([(String::new(), kind)])
        }
    }
}

fn print(name: &str, costs: &[Cost]) {
    let at = |part: &dyn Fn(&Cost) -> f64, percent: usize| {
        let mut values: Vec<f64> = costs.iter().map(part).collect();
        values.sort_by(f64::total_cmp);
        values
            .get(((values.len() * percent) / 100).min(values.len().saturating_sub(1)))
            .copied()
            .unwrap_or(f64::NAN)
    };
    println!(
        "{name:28} {:4} variants   CPU s median {:6.2} p95 {:6.2}   wall s median {:6.2} p95 {:6.2}",
        costs.len(),
        at(&|cost| cost.cpu, 50),
        at(&|cost| cost.cpu, 95),
        at(&|cost| cost.wall, 50),
        at(&|cost| cost.wall, 95),
    );
}

/// What came of the variants.
#[derive(Default)]
struct Figures {
    fresh: Vec<Cost>,
    /// By rung and by what came out.
    quick: BTreeMap<(&'static str, &'static str), Vec<Cost>>,
    disagreements: usize,
}

impl Figures {
    fn measure(&mut self, subject: &Subject, variant: &str) {
        let (quick, cost) = subject.judge(&subject.resident);
        let (sure, sure_cost) = subject.judge(&subject.process);
        let kind = match quick.outcome {
            Outcome::NotBuilt { .. } => "not built",
            _ if quick.outcome.is_pass() => "passing",
            _ => "failing",
        };
        self.quick.entry((quick.rung.word(), kind)).or_default().push(cost);
        self.fresh.push(sure_cost);
        if essence(&quick.outcome) != essence(&sure.outcome) {
            self.disagreements += 1;
            println!("disagreement in {variant}: {:?} / {:?}", quick.outcome, sure.outcome);
        }
    }

    fn print(&self, subject: &Subject) {
        print("process", &self.fresh);
        let all: Vec<Cost> = self.quick.values().flatten().copied().collect();
        print("resident, checks included", &all);
        for ((rung, kind), costs) in &self.quick {
            print(&format!("  {rung}, {kind}"), costs);
        }
        println!("{} disagreements", self.disagreements);
        subject.resident.notes().iter().for_each(|note| println!("note: {note}"));
    }
}

fn main() {
    let Some(arguments) = Arguments::read() else {
        println!(
            "cargo bench --bench engine -- CHECKOUT REVISION TEST... [--variants N] [--seed N]"
        );
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    std::fs::create_dir(&tree).unwrap();
    arguments.export(&tree);
    let subject = Subject::new(&arguments, &tree, folder.path());
    let mut random = Rng::with_seed(arguments.seed);
    let mut figures = Figures::default();
    let mut number = 0;
    while figures.fresh.len() < arguments.variants {
        let file = &subject.files[random.usize(..subject.files.len())];
        let text = std::fs::read_to_string(file).unwrap();
        number += 1;
        if let Some(variant) = edited(&text, number, &mut random) {
            std::fs::write(file, variant).unwrap();
            figures.measure(&subject, &file.display().to_string());
            std::fs::write(file, text).unwrap();
        }
    }
    figures.print(&subject);
}
