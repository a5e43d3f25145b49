//! Measures `git mend fix` on faults that maintainers of libraries fixed.
//!
//! ```sh
//! cargo bench --bench real_fixes -- LIST CHECKOUTS [--set NAME] [--only TEXT] [--keep FOLDER] [OPTION VALUE]…
//! cargo bench --bench real_fixes -- --counts CHECKOUT…
//! ```
//!
//! Each line of LIST (see `benches/real_fixes/list.txt`) names a repository, the commit of the fix and a test class.
//! CHECKOUTS contains a clone of each repository. The subject is the commit's parent with the tests of the fix.
//! `--budget`, `--candidates` and `--technique` are passed to the search. FOLDER keeps the subjects and their run
//! folders.
//!
//! | column | meaning |
//! |---|---|
//! | place | position of the first candidate that changes what the maintainers changed |
//! | right | position of the candidate with the maintainers' tokens; `–` if it is not among those listed |
//! | tried, passed | candidates that were tested, and those of them that passed the tests |
//! | shown, first right | fixes in the result, and the rank of the one with the maintainers' tokens |
//! | rate | candidates a second on one worker |
//!
//! `--counts` prints the numbers in `crates/repair/src/candidates/edit_priors.rs`.

#![allow(clippy::print_stdout, reason = "a bench prints its result")]
#![allow(clippy::unwrap_used, reason = "a bench stops at the first error")]
#![allow(clippy::cast_precision_loss, reason = "counts and times are far below 2^52")]

#[path = "../shared/answer.rs"]
mod answer;
mod change;
mod edit_priors;
mod repair;
#[path = "../shared/repository.rs"]
mod repository;

use edit_priors::print_counts;
use repair::{Arguments, repair_all};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let Some((_, checkouts)) = words.split_first().filter(|(first, _)| *first == "--counts") {
        print_counts(checkouts);
    } else if let Some(arguments) = Arguments::parse(words) {
        repair_all(&arguments);
    } else {
        println!(
            "cargo bench --bench real_fixes -- LIST CHECKOUTS [--set NAME] [--only TEXT] [--keep FOLDER] [OPTION VALUE]…"
        );
    }
}
