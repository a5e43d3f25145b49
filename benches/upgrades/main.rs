//! Measures `git mend upgrade` on releases of libraries that broke their users.
//!
//! ```sh
//! cargo bench --bench upgrades -- [--only TEXT] [--keep FOLDER]
//! ```
//!
//! Each case of `benches/upgrades/list.toml` is a Maven project of two commits: the second one raises the breaking
//! libraries, a plugin or the Java version, and 10 to 30 other libraries. Maven fetches the libraries. `--keep` writes the projects into a folder that stays.
//!
//! | column | meaning |
//! |---|---|
//! | changed | libraries, plugins and Java versions that differ between the two commits |
//! | set | the answer has the breaking libraries and no other |
//! | version | the first version that fails is right |
//! | declared | direct libraries are distinguished from transitive ones |
//! | runs, limit | test runs until the set is found, and 2·log₂(changed) + 6 for each breaking library |
//! | for versions | test runs of published versions |
//! | fix | libraries that the verified patch of the build file keeps raised |

#![allow(clippy::print_stdout, reason = "a bench prints its result")]
#![allow(clippy::unwrap_used, reason = "a bench stops at the first error")]

#[path = "../shared/answer.rs"]
mod answer;
mod case;
mod measurement;
mod project;
#[allow(dead_code, reason = "other benches use the rest")]
#[path = "../shared/repository.rs"]
mod repository;

use case::Cases;
use measurement::{Measurement, print_table};
use project::write_project;
use std::path::PathBuf;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let option = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1).cloned()
    };
    let only = option("--only").unwrap_or_default();
    let cases = Cases::read();
    let folder = tempfile::tempdir().unwrap();
    let root = option("--keep").map_or_else(|| folder.path().to_owned(), PathBuf::from);
    let mut rows = Vec::new();
    for (number, case) in cases.cases.iter().enumerate() {
        if case.name.contains(&only) {
            let dir = root.join(number.to_string());
            write_project(&dir, case, &cases.choose_harmless(number));
            let row = Measurement::take(&dir, case);
            println!("{}", row.describe());
            rows.push(row);
        }
    }
    print_table(&rows);
}
