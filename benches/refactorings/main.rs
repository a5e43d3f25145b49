//! Compares the refactorings that `git mend delta` recognises in commits with those of RefactoringMiner.
//!
//! ```sh
//! cargo bench --bench refactorings -- CHECKOUT FOLDER [CHECKOUT FOLDER …] [--sample N] [--show] [--no-facts]
//! ```
//!
//! `FOLDER` has a file `COMMIT.json` of RefactoringMiner for each commit of `CHECKOUT`. A finding of one tool agrees
//! with the other tool if that has one of the same kind whose lines overlap, in both versions. `--show` prints all
//! disagreements about kinds that both tools have, without moved code, `--sample N` every k-th of them so that `N` are
//! printed. `--no-facts` takes dependencies by name instead of compiler facts, which is much quicker.
//!
//! | column | meaning |
//! |---|---|
//! | confirmed | git-mend's refactorings that RefactoringMiner also has |
//! | found | RefactoringMiner's refactorings that git-mend also has |
//! | moved code | others of RefactoringMiner for which git-mend moves code from the old place to the new one |

#![allow(clippy::print_stdout, reason = "a bench prints its result")]
#![allow(clippy::unwrap_used, reason = "a bench stops at the first error")]

mod comparison;
mod kinds;
mod mined;
mod places;
mod recognised;
mod table;

use comparison::{Agreement, CommitFindings, Finding};
use git_mend::run::{Context, DeltaRequest, DownloadOptions, VersionDelta, compare_versions};
use mend_delta::{Delta, JavaGranularity};
use mend_engine::{Environment, LocalRepositories, MavenSettings, ProjectOptions};
use mend_model::{Interrupt, NoProgress, Result, TreeId};
use recognised::Change;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Table;

#[derive(Default)]
struct Arguments {
    /// Checkouts, each with its folder of RefactoringMiner's files.
    projects: Vec<(PathBuf, PathBuf)>,
    sample: Option<usize>,
    is_shown: bool,
    has_facts: bool,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut arguments = Self { has_facts: true, ..Self::default() };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            match &*word {
                "--sample" => arguments.sample = Some(words.next()?.parse().ok()?),
                "--show" => arguments.is_shown = true,
                "--no-facts" => arguments.has_facts = false,
                _ => arguments.projects.push((word.into(), words.next()?.into())),
            }
        }
        Some(arguments)
    }
}

/// Result of all commits.
#[derive(Default)]
struct Comparison {
    table: Table,
    commits: usize,
    commits_with_refactorings: usize,
    skipped: usize,
    disagreements: Vec<String>,
    /// Number of findings of kinds that only one tool has, by tool and kind.
    other_kinds: BTreeMap<(&'static str, String), usize>,
}

fn main() {
    let Some(arguments) = Arguments::read().filter(|read| !read.projects.is_empty()) else {
        println!("wrong arguments; see the comment in benches/refactorings/main.rs");
        return;
    };
    let mut comparison = Comparison::default();
    for (checkout, folder) in &arguments.projects {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in &files {
            comparison.add_file(checkout, file, arguments.has_facts);
        }
    }
    comparison.print(&arguments);
}

impl Comparison {
    /// Compares the commit of a file of RefactoringMiner.
    fn add_file(&mut self, checkout: &Path, file: &Path, has_facts: bool) {
        let commit = file.file_stem().unwrap().to_string_lossy().into_owned();
        let Ok(mined) = mined::parse_findings(&fs::read(file).unwrap()) else {
            println!("skipped {commit}: no valid JSON");
            self.skipped += 1;
            return;
        };
        let java = if has_facts { JavaGranularity::Ast } else { JavaGranularity::Text };
        match compare_with_parent(checkout, &commit, java) {
            Ok(VersionDelta { delta, changes, .. }) if has_facts => {
                self.add_commit(&commit, mined, &Change { delta: &delta, files: &changes });
            }
            Ok(VersionDelta { changes, .. }) => {
                let delta = Delta::between(TreeId(String::new()), &changes, JavaGranularity::Ast);
                self.add_commit(&commit, mined, &Change { delta: &delta, files: &changes });
            }
            Err(problem) => {
                println!("skipped {commit}: {problem}");
                self.skipped += 1;
            }
        }
    }

    fn add_commit(&mut self, commit: &str, mined: Vec<(String, Finding)>, change: &Change<'_>) {
        self.commits += 1;
        self.commits_with_refactorings += usize::from(!mined.is_empty());
        let findings = CommitFindings {
            git_mend: self.count_other_kinds("git-mend", change.findings()),
            refactoring_miner: self.count_other_kinds("RefactoringMiner", mined),
            moved_code: change.moved_code(),
        };
        self.table.add_commit(&findings);
        let describe = |tool: &str, finding: &Finding| {
            let (what, place) = (&finding.description, finding.place.describe());
            format!("{commit} only {tool}: {what}\n  {place}")
        };
        let mut add_alone = |tool: &str, (finding, agreement)| {
            if agreement == Agreement::Alone {
                self.disagreements.push(describe(tool, finding));
            }
        };
        findings.compare_git_mend().for_each(|one| add_alone("git-mend", one));
        findings.compare_refactoring_miner().for_each(|one| add_alone("RefactoringMiner", one));
    }

    fn count_other_kinds(
        &mut self,
        tool: &'static str,
        findings: Vec<(String, Finding)>,
    ) -> Vec<Finding> {
        for (name, _) in findings.iter().filter(|(_, finding)| finding.kind.is_none()) {
            *self.other_kinds.entry((tool, name.clone())).or_default() += 1;
        }
        findings.into_iter().map(|(_, finding)| finding).collect()
    }

    fn print(&self, arguments: &Arguments) {
        let count = self.disagreements.len();
        let step = match arguments.sample {
            Some(wanted) => count.checked_div(wanted).unwrap_or(1).max(1),
            None if arguments.is_shown => 1,
            None => usize::MAX,
        };
        let shown = self.disagreements.iter().enumerate().skip(step - 1).step_by(step);
        for (number, text) in shown.take(arguments.sample.unwrap_or(usize::MAX)) {
            println!("{}. {text}", number + 1);
        }
        let Self { commits, commits_with_refactorings, skipped, .. } = self;
        println!(
            "{commits} commits, {commits_with_refactorings} with refactorings of RefactoringMiner"
        );
        println!("{skipped} commits skipped, {count} disagreements\n");
        println!("{}\n", self.table.format());
        for ((tool, name), count) in &self.other_kinds {
            println!("only {tool} has this kind: {name}, {count}");
        }
    }
}

/// Splits the change of a commit as `git mend delta` does.
fn compare_with_parent(
    checkout: &Path,
    commit: &str,
    java: JavaGranularity,
) -> Result<VersionDelta> {
    let environment = Environment::from_process();
    let request = DeltaRequest {
        dir: checkout.to_owned(),
        old: format!("{commit}^"),
        new: commit.to_owned(),
        java,
        project: ProjectOptions {
            is_offline: true,
            repositories: LocalRepositories::from_environment(&environment),
            maven: MavenSettings::from_environment(&environment),
            ..ProjectOptions::default()
        },
        downloads: DownloadOptions { is_offline: true, ..DownloadOptions::default() },
    };
    let context = Context {
        progress: Arc::new(NoProgress),
        interrupt: Interrupt::default(),
        program: env!("CARGO_BIN_EXE_git-mend").into(),
    };
    compare_versions(&request, &context)
}
