//! Measures the size of the culprit if a wrong token hides in a refactoring or migration.
//!
//! `cargo bench --bench hidden_edits -- [--histories N] [--only KIND] [--search] [--program PATH] [--show]` reads pairs
//! of versions from `fixtures/refactorings`, one folder for each kind of refactoring. Each history changes one more
//! token on or beside the lines that the refactoring changes, as a bug. There are `N` histories per kind, 12 without the
//! option.
//!
//! Without `--search`, the culprit is the smallest closed set of components with the changed token, and needs no test.
//! `--search` runs `git mend bisect` on each history with a test of the program's output, and leaves out the histories
//! whose test passes. `--program` names another version of `git-mend` for that. `--show` prints each history.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may panic")]
#![allow(missing_docs)]

mod closed_sets;
mod corpus;
mod searches;

use closed_sets::ClosedSets;
use corpus::{Case, HiddenEdit, read_cases};
use searches::Searches;
use std::path::PathBuf;

/// Number of histories of each kind, so that 28 kinds have more than 300.
const DEFAULT_HISTORIES: usize = 12;

#[derive(Clone)]
struct Arguments {
    histories: usize,
    only: Option<String>,
    is_search: bool,
    program: PathBuf,
    shows_histories: bool,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        let mut arguments = Self {
            histories: DEFAULT_HISTORIES,
            only: None,
            is_search: false,
            program: env!("CARGO_BIN_EXE_git-mend").into(),
            shows_histories: false,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--histories" => arguments.histories = words.next()?.parse().ok()?,
                "--only" => arguments.only = words.next(),
                "--program" => arguments.program = words.next()?.into(),
                "--search" => arguments.is_search = true,
                "--show" => arguments.shows_histories = true,
                _ => return None,
            }
        }
        Some(arguments)
    }
}

/// Result of one history.
#[derive(Clone, Copy, Default)]
struct Measurement {
    culprit: usize,
    /// Size of the smallest revert on the new version.
    fix: usize,
    /// Variants that were compiled, and those of them without errors.
    builds: usize,
    good_builds: usize,
    seconds: f64,
}

fn main() {
    let Some(arguments) = Arguments::read() else {
        println!("unknown arguments; see the comment in benches/hidden_edits/main.rs");
        return;
    };
    let cases = read_cases(arguments.only.as_deref());
    println!("| refactoring | histories | culprit: median, 9 of 10, largest | fix | builds |");
    println!("|---|--:|--:|--:|--:|");
    let mut all = Vec::new();
    if arguments.is_search {
        let searches = Searches::new(arguments.program.clone());
        measure_all(&cases, &arguments, &mut all, |case| {
            let expected = searches.expected_lines(case);
            let searches = &searches;
            move |edit: &HiddenEdit| searches.measure(case, edit, &expected)
        });
    } else {
        let closed_sets = std::cell::RefCell::new(ClosedSets::new());
        measure_all(&cases, &arguments, &mut all, |case| {
            let closed_sets = &closed_sets;
            move |edit: &HiddenEdit| closed_sets.borrow_mut().measure(case, edit)
        });
    }
    print_row("all", &all);
}

/// Measures the histories of all cases. `prepare` returns the function that measures those of one case.
fn measure_all<'a, F: Fn(&HiddenEdit) -> Option<Measurement>>(
    cases: &'a [Case],
    arguments: &Arguments,
    all: &mut Vec<Measurement>,
    prepare: impl Fn(&'a Case) -> F,
) {
    for case in cases {
        let measure = prepare(case);
        let mut row = Vec::new();
        for edit in case.hidden_edits() {
            if row.len() == arguments.histories {
                break;
            }
            let Some(measurement) = measure(&edit) else { continue };
            if arguments.shows_histories {
                println!("  {edit}: culprit {}, fix {}", measurement.culprit, measurement.fix);
            }
            row.push(measurement);
        }
        print_row(&case.kind, &row);
        all.extend(row);
    }
}

fn print_row(name: &str, row: &[Measurement]) {
    let culprit = format_quantiles(row.iter().map(|one| one.culprit).collect());
    let fix = format_quantiles(row.iter().map(|one| one.fix).collect());
    let sum = |count: fn(&Measurement) -> usize| row.iter().map(count).sum::<usize>();
    let (builds, good_builds) = (sum(|one| one.builds), sum(|one| one.good_builds));
    let seconds: f64 = row.iter().map(|one| one.seconds).sum();
    let count = row.len();
    println!(
        "| {name} | {count} | {culprit} | {fix} | {good_builds} of {builds}, {seconds:.0} s |"
    );
}

/// Returns the median, the ninth decile and the maximum.
fn format_quantiles(mut numbers: Vec<usize>) -> String {
    numbers.sort_unstable();
    let Some(last) = numbers.len().checked_sub(1) else { return "-".to_owned() };
    let (median, ninth_decile) = (numbers[last / 2], numbers[(last * 9).div_ceil(10)]);
    format!("{median}, {ninth_decile}, {}", numbers[last])
}
