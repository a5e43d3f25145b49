//! Measures how many tests the minimiser needs for synthetic changes, compared with other algorithms: `cargo bench
//! --bench minimiser -- [units ...] [--plot FILE]`. The file is an SVG chart of tests against units.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may panic")]

mod ddmin;
mod flaky;
#[path = "../shared/plot.rs"]
mod plot;
mod prober;
mod subject;

use mend_model::{Phase, Result, Verdict};
use mend_search::{
    Algorithm, MinimisationGoal, Minimiser, Oracle, OracleAnswer, SearchLimits, Subset,
};
use plot::{Chart, Line};
use std::cell::Cell;
use std::path::Path;
use std::time::Instant;
use subject::{Kind, Subject, Truth};

const SEED_COUNT: u64 = 20;
const DEFAULT_KIND: Kind = Kind {
    units: 0,
    culprits: 0,
    unresolved: 0,
    hidden_percent: 0,
    is_staged: false,
    has_heavy_culprits: false,
};
/// Number of seeds that distinguishes differences below one percent.
const WEIGHT_SEED_COUNT: u64 = 200;
/// Number of culprits, and percentage of unresolved sets.
const CULPRITS_AND_UNRESOLVED: [(usize, u64); 6] =
    [(1, 0), (3, 0), (10, 0), (1, 5), (3, 5), (10, 5)];

/// Oracle for a synthetic change.
struct Judge<'a> {
    subject: &'a Subject,
    jobs: usize,
    has_lessons: bool,
    rounds: Cell<usize>,
}

impl Oracle for Judge<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>> {
        self.rounds.set(self.rounds.get() + 1);
        let answer = |set| match self.subject.judge(set) {
            Truth::Fails(true) => Verdict::Fail.into(),
            Truth::Fails(false) => Verdict::Pass.into(),
            Truth::Unresolved(lesson) => OracleAnswer {
                verdict: Verdict::Unresolved(Phase::NotCompiled),
                learned_implications: lesson
                    .filter(|_| self.has_lessons)
                    .into_iter()
                    .cloned()
                    .collect(),
            },
        };
        Ok(sets.iter().map(answer).collect())
    }

    fn parallelism(&self) -> usize {
        self.jobs
    }
}

/// Cost of a search.
struct SearchCost {
    tests: usize,
    size: usize,
    rounds: usize,
}

/// Search algorithm.
#[derive(Clone, Copy)]
enum SearchAlgorithm {
    Ddmin,
    Ours { method: Algorithm, jobs: usize, teaches: bool },
}

const BINARY_REDUCTION: SearchAlgorithm =
    SearchAlgorithm::Ours { method: Algorithm::BinaryReduction, jobs: 1, teaches: false };
const COUNTER_BASED: SearchAlgorithm =
    SearchAlgorithm::Ours { method: Algorithm::CounterBased, jobs: 1, teaches: false };
const LEARNING_REDUCTION: SearchAlgorithm =
    SearchAlgorithm::Ours { method: Algorithm::BinaryReduction, jobs: 1, teaches: true };

fn run_search(subject: &Subject, way: SearchAlgorithm) -> SearchCost {
    match way {
        SearchAlgorithm::Ddmin => {
            let rule = |set: &Subset| match subject.judge(set) {
                Truth::Fails(fails) => Some(fails),
                Truth::Unresolved(_) => None,
            };
            let (minimised, tests) = ddmin::ddmin(&subject.units, &rule);
            SearchCost { tests, size: minimised.count_ones(..), rounds: tests }
        }
        SearchAlgorithm::Ours { method, jobs, teaches } => {
            let judge = Judge { subject, jobs, has_lessons: teaches, rounds: Cell::new(0) };
            let mut minimiser = Minimiser::new(subject.units.clone(), SearchLimits::default())
                .with_algorithm(method);
            let minimised =
                minimiser.minimise(MinimisationGoal::Culprit, &judge, &mut |_| ()).unwrap();
            SearchCost {
                tests: minimised.tests,
                size: minimised.subset.count_ones(..),
                rounds: judge.rounds.get(),
            }
        }
    }
}

/// Formats mean and maximum tests, and the size as a multiple of the true minimum.
fn format_cell(kind: Kind, way: SearchAlgorithm) -> String {
    let (mut tests, mut worst, mut size, mut least) = (0, 0, 0, 0);
    for seed in 0..SEED_COUNT {
        let subject = Subject::new(kind, seed);
        let cost = run_search(&subject, way);
        tests += cost.tests;
        worst = worst.max(cost.tests);
        size += cost.size;
        least += subject.culprit.count_ones(..);
    }
    format!("{} / {worst} / {:.2}", mean(tests), to_f64(size) / to_f64(least))
}

fn mean(sum: usize) -> usize {
    let seeds = usize::try_from(SEED_COUNT).unwrap();
    (sum + seeds / 2) / seeds
}

fn to_f64(number: usize) -> f64 {
    u32::try_from(number).unwrap().into()
}

fn print_row(kind: Kind, ways: &[(Kind, SearchAlgorithm)]) {
    let cells: Vec<_> = ways.iter().map(|(kind, way)| format_cell(*kind, *way)).collect();
    println!(
        "| {} | {} | {} | {} |",
        kind.units,
        kind.culprits,
        kind.unresolved,
        cells.join(" | ")
    );
}

fn main() {
    let sizes_given: Vec<usize> =
        std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes_given.is_empty() { vec![165, 634, 1317, 4320] } else { sizes_given };
    println!("Tests, mean / maximum of {SEED_COUNT} seeds / size relative to the true minimum\n");
    println!(
        "| units | culprits | % unresolved | reduction | weighted, staged | counting | ddmin |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    for units in &sizes {
        for (culprits, unresolved) in CULPRITS_AND_UNRESOLVED {
            let kind = Kind { units: *units, culprits, unresolved, ..DEFAULT_KIND };
            let staged = Kind { is_staged: true, ..kind };
            print_row(
                kind,
                &[
                    (kind, BINARY_REDUCTION),
                    (staged, BINARY_REDUCTION),
                    (kind, COUNTER_BASED),
                    (kind, SearchAlgorithm::Ddmin),
                ],
            );
        }
    }
    print_weights(&sizes);
    println!(
        "\n| units | culprits | % dependencies unknown | without learning | with learning | ddmin |"
    );
    println!("|--:|--:|--:|--:|--:|--:|");
    for (culprits, hidden) in [(1, 2), (3, 2), (3, 10), (3, 30)] {
        let kind =
            Kind { units: 218, culprits, hidden_percent: hidden, is_staged: true, ..DEFAULT_KIND };
        let cells = [BINARY_REDUCTION, LEARNING_REDUCTION, SearchAlgorithm::Ddmin]
            .map(|way| format_cell(kind, way));
        println!("| 218 | {culprits} | {hidden} | {} |", cells.join(" | "));
    }
    print_rounds_by_jobs();
    flaky::print_flaky_results(Kind { units: 634, culprits: 3, ..DEFAULT_KIND });
    let lines = measure_scaling();
    let mut arguments = std::env::args().skip_while(|argument| argument != "--plot").skip(1);
    if let Some(file) = arguments.next() {
        let caption = "Tests against units, mean of 20 synthetic changes";
        let chart = Chart { caption, x_label: "units", y_label: "tests", is_logarithmic: true };
        plot::draw_chart(Path::new(&file), &chart, &lines).unwrap();
    }
}

/// Prints the effect of weights and stages over all mixes.
fn print_weights(sizes: &[usize]) {
    println!("\n| culprits are | unit weights, one stage | weighted, staged |\n|---|--:|--:|");
    for (heavy, word) in [(false, "any units"), (true, "mostly heavy units")] {
        let mean = |staged| {
            let kinds = sizes.iter().flat_map(|units| {
                let kind = Kind {
                    units: *units,
                    is_staged: staged,
                    has_heavy_culprits: heavy,
                    ..DEFAULT_KIND
                };
                CULPRITS_AND_UNRESOLVED.map(|(culprits, unresolved)| Kind {
                    culprits,
                    unresolved,
                    ..kind
                })
            });
            let all: Vec<usize> = kinds
                .flat_map(|kind| (0..WEIGHT_SEED_COUNT).map(move |seed| (kind, seed)))
                .map(|(kind, seed)| run_search(&Subject::new(kind, seed), BINARY_REDUCTION).tests)
                .collect();
            to_f64(all.iter().sum()) / to_f64(all.len())
        };
        println!("| {word} | {:.2} | {:.2} |", mean(false), mean(true));
    }
}

/// Prints the number of rounds of tests by number of jobs.
fn print_rounds_by_jobs() {
    println!(
        "\n| units | culprits | rounds at 1 job | 2 | 4 | 8 | 16 |\n|--:|--:|--:|--:|--:|--:|--:|"
    );
    for (units, culprits) in [(1317, 10), (4320, 3)] {
        let kind = Kind { units, culprits, ..DEFAULT_KIND };
        let rounds = [1, 2, 4, 8, 16].map(|jobs| {
            let way =
                SearchAlgorithm::Ours { method: Algorithm::BinaryReduction, jobs, teaches: false };
            let taken =
                (0..SEED_COUNT).map(|seed| run_search(&Subject::new(kind, seed), way).rounds);
            mean(taken.sum()).to_string()
        });
        println!("| {units} | {culprits} | {} |", rounds.join(" | "));
    }
}

/// Numbers of units for the scaling measurement.
const SCALING_UNITS: [usize; 7] = [100, 300, 1000, 3000, 10_000, 30_000, 100_000];
/// Maximum number of units for ddmin; larger changes take too long.
const MAX_DDMIN_UNITS: usize = 3000;

fn measure_scaling() -> Vec<Line> {
    println!("\n| units | tests for 1 culprit | 3 | 10 | seconds for 3 | ddmin for 3 |");
    println!("|--:|--:|--:|--:|--:|--:|");
    let names = ["1 culprit", "3 culprits", "10 culprits", "3 culprits, ddmin"];
    let line = |name: &str| Line { name: name.to_owned(), points: Vec::new(), is_joined: true };
    let mut lines = names.map(line);
    for units in SCALING_UNITS {
        let [one, three, ten] =
            [1, 3, 10].map(|culprits| mean_cost(units, culprits, BINARY_REDUCTION));
        let ddmin =
            (units <= MAX_DDMIN_UNITS).then(|| mean_cost(units, 3, SearchAlgorithm::Ddmin).tests);
        let ddmin_tests = ddmin.map_or(String::new(), |tests| tests.to_string());
        let seconds = three.seconds;
        println!(
            "| {units} | {} | {} | {} | {seconds:.3} | {ddmin_tests} |",
            one.tests, three.tests, ten.tests
        );
        let tests = [Some(one.tests), Some(three.tests), Some(ten.tests), ddmin];
        for (line, tests) in lines.iter_mut().zip(tests) {
            line.points.extend(tests.map(|tests| (to_f64(units), to_f64(tests))));
        }
    }
    lines.into()
}

/// Mean cost over all seeds.
struct Grown {
    tests: usize,
    seconds: f64,
}

fn mean_cost(units: usize, culprits: usize, way: SearchAlgorithm) -> Grown {
    let kind = Kind { units, culprits, ..DEFAULT_KIND };
    let subjects: Vec<_> = (0..SEED_COUNT).map(|seed| Subject::new(kind, seed)).collect();
    let started = Instant::now();
    let tests = subjects.iter().map(|subject| run_search(subject, way).tests).sum();
    Grown { tests: mean(tests), seconds: started.elapsed().as_secs_f64() / to_f64(subjects.len()) }
}
