//! Checks the properties of the delta on real files.
//!
//! `cargo bench --bench delta_laws -- <checkout> [tag-prefix]` checks every Java file that differs between
//! consecutive tags of a checkout, ordered by commit date, including added and deleted files;
//! `cargo bench --bench delta_laws -- --mutate <folder> [pairs] [seed]` checks files of a folder, each with
//! a randomly edited copy of itself or of another file;
//! `cargo bench --bench delta_laws -- --large <size>` generates files with `size` members, statements,
//! elements or levels.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

#[path = "../crates/delta/src/properties/check.rs"]
mod check;
#[path = "../crates/delta/src/properties/large_files.rs"]
mod large;
#[path = "../crates/delta/src/properties/mutate.rs"]
mod mutate;

use check::{check_properties, delta_between};
use mend_delta::{Delta, DependencyRule, HunkDependency, HunkId, JavaGranularity};
use mend_java::{Grammar, NodeId, ParsedSource};
use mend_model::{FileChange, FileState, RepoPath, TreeId};
use mutate::{SeededRng, mutate_often};
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes of a file; `None` if there is no file.
type Bytes = Option<Vec<u8>>;

struct Pair {
    name: String,
    old: Bytes,
    new: Bytes,
}

#[derive(Default)]
struct Tally {
    pairs: usize,
    unparsed: usize,
    hunks: usize,
    failures: usize,
    times: Vec<(Duration, String)>,
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut tally = Tally::default();
    match words[..] {
        ["--mutate", folder, ref rest @ ..] => {
            let number = |at: usize, default| {
                rest.get(at).map_or(default, |word: &&str| word.parse().expect("a number"))
            };
            check_mutations(folder, number(0, 1_000), number(1, 1), &mut tally);
        }
        ["--large", size] => {
            for (name, old, new) in large::large_file_pairs(size.parse().expect("a number")) {
                let (old, new) = (Some(old.into()), Some(new.into()));
                let pair = Pair { name: name.to_owned(), old, new };
                let start = Instant::now();
                tally.check_pair(&pair, 1);
                println!("{name}: {:.1} s with the laws", start.elapsed().as_secs_f64());
            }
        }
        [checkout, ref rest @ ..] => {
            let prefix = rest.first().copied().unwrap_or_default();
            check_releases(checkout, prefix, &mut tally);
        }
        [] => println!("nothing to check: pass a checkout, or --mutate and a folder"),
    }
    tally.print_summary();
    assert_eq!(tally.failures, 0, "a law is violated");
}

impl Tally {
    fn check_pair(&mut self, pair: &Pair, seed: u64) {
        let mut sides = pair.old.iter().chain(&pair.new);
        if sides.any(|text| ParsedSource::parse(text[..].into()).is_none()) {
            self.unparsed += 1;
            return;
        }
        let start = Instant::now();
        let delta = delta_between(pair.old.as_deref(), pair.new.as_deref());
        self.times.push((start.elapsed(), pair.name.clone()));
        self.pairs += 1;
        self.hunks += delta.hunks().len();
        if let Err(law) = check_properties(pair.old.as_deref(), pair.new.as_deref(), &delta, seed) {
            self.failures += 1;
            println!("FAILED {law}: {} (seed {seed})", pair.name);
            if let Ok(folder) = std::env::var("DELTA_LAWS_KEEP") {
                let save = |name: &str, text: &[u8]| {
                    let name = format!("{}-{name}", self.failures);
                    std::fs::write(Path::new(&folder).join(name), text).expect("a writable folder");
                };
                save("old.java", pair.old.as_deref().unwrap_or_default());
                save("new.java", pair.new.as_deref().unwrap_or_default());
                save("broken.java", law.variant.as_slice());
            }
        }
    }

    fn print_summary(&mut self) {
        self.times.sort();
        let percentile =
            |permille: usize| self.times.get(self.times.len().saturating_sub(1) * permille / 1_000);
        println!(
            "{} pairs, {} hunks, {} failures; {} pairs excluded, because they do not parse",
            self.pairs, self.hunks, self.failures, self.unparsed
        );
        if self.pairs <= 20 {
            for (time, name) in &self.times {
                println!("{:.1} ms ({name})", time.as_secs_f64() * 1e3);
            }
            return;
        }
        for (name, permille) in [("median", 500), ("99 %", 990), ("longest", 1_000)] {
            if let Some((time, file)) = percentile(permille) {
                println!("{name}: {:.1} ms ({file})", time.as_secs_f64() * 1e3);
            }
        }
    }
}

fn check_mutations(folder: &str, rounds: u64, seed: u64, tally: &mut Tally) {
    // The samples have file names that no build compiles.
    let is_java = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        name.ends_with(".java") || name.ends_with(".java.txt")
    };
    let files: Vec<_> = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(is_java)
        .collect();
    assert!(!files.is_empty(), "no Java files in {folder}");
    let mut random = SeededRng(seed);
    let read = |file: &walkdir::DirEntry| std::fs::read(file.path()).expect("a readable file");
    for round in 0..rounds {
        let file = &files[random.number_below(files.len())];
        let old = read(file);
        let other = &files[random.number_below(files.len())];
        let start = if random.number_below(8) == 0 { read(other) } else { old.clone() };
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(round);
        let new = mutate_often(&start, seed, 1 + seed % 24);
        let name = file.path().display().to_string();
        tally.check_pair(&Pair { name, old: Some(old), new: Some(new) }, seed);
    }
}

fn check_releases(checkout: &str, prefix: &str, tally: &mut Tally) {
    let repository = git2::Repository::open(checkout).expect("a git checkout");
    let mut tags: Vec<(i64, git2::Oid, String)> = Vec::new();
    repository
        .tag_foreach(|id, name| {
            let name = String::from_utf8_lossy(name).into_owned();
            let commit = repository.find_object(id, None).and_then(|o| o.peel_to_commit());
            if let (Ok(commit), true) = (commit, name.starts_with(&format!("refs/tags/{prefix}"))) {
                tags.push((commit.time().seconds(), commit.tree_id(), name));
            }
            true
        })
        .expect("readable tags");
    tags.sort();
    for (round, pair) in tags.windows(2).enumerate() {
        let trees = [pair[0].1, pair[1].1].map(|id| repository.find_tree(id).expect("a tree"));
        let mut diff = repository
            .diff_tree_to_tree(Some(&trees[0]), Some(&trees[1]), None)
            .expect("a difference");
        diff.find_similar(None).expect("renames");
        for delta in diff.deltas() {
            let sides = [delta.old_file(), delta.new_file()];
            let path = sides[1].path().or(sides[0].path()).unwrap_or(Path::new(""));
            let is_java = path.extension().is_some_and(|extension| extension == "java");
            let bytes = |side: &git2::DiffFile<'_>| {
                let blob = repository.find_blob(side.id()).ok()?;
                Some(blob.content().to_vec())
            };
            let [old, new] = [bytes(&sides[0]), bytes(&sides[1])];
            if is_java && old != new {
                let name = format!("{} {}", pair[1].2, path.display());
                tally.check_pair(&Pair { name, old, new }, round as u64 + 1);
            }
        }
    }
}
