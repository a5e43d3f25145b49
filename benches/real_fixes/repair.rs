//! Searches for the fixes of a list, and compares the candidates with what the maintainers did.

use crate::answer::{Answer, last_run, read_json_lines, run_command};
use crate::change::Change;
use crate::repository::{clone_shared, commit_all, git, git_text};
use mend_java::{Edit, apply_edits};
use serde_json::Value;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) struct Arguments {
    list: PathBuf,
    checkouts: PathBuf,
    set: Option<String>,
    only: Option<String>,
    /// Folder in which the subjects stay, each with its run folder.
    keep: Option<PathBuf>,
    /// Options for each search.
    options: Vec<String>,
}

impl Arguments {
    pub(crate) fn parse(words: Vec<String>) -> Option<Self> {
        let mut words = words.into_iter();
        let (list, checkouts) = (words.next()?.into(), words.next()?.into());
        let (set, only, keep, options) = (None, None, None, Vec::new());
        let mut arguments = Self { list, checkouts, set, only, keep, options };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--set" => arguments.set = words.next(),
                "--only" => arguments.only = words.next(),
                "--keep" => arguments.keep = words.next().map(PathBuf::from),
                "--budget" | "--candidates" | "--technique" => {
                    arguments.options.extend([word, words.next()?]);
                }
                _ => return None,
            }
        }
        Some(arguments)
    }

    fn entries(&self) -> Vec<Entry> {
        let text = fs::read_to_string(&self.list).unwrap();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let is_meant = |entry: &Entry| {
            self.set.as_ref().is_none_or(|set| *set == entry.set)
                && self.only.as_ref().is_none_or(|text| entry.label().contains(text))
        };
        lines.map(Entry::parse).filter(is_meant).collect()
    }
}

/// Fix of a maintainer, with a test class that fails without it.
struct Entry {
    set: String,
    /// Owner and name of the repository.
    repository: String,
    commit: String,
    test: String,
}

impl Entry {
    fn parse(line: &str) -> Self {
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut next = || words.next().unwrap();
        Self { set: next(), repository: next(), commit: next(), test: next() }
    }

    /// Returns the name of the clone.
    fn project(&self) -> &str {
        self.repository.rsplit('/').next().unwrap()
    }

    fn label(&self) -> String {
        format!("{} {}", self.project(), self.commit)
    }
}

/// Repairs all subjects of the list, and prints a table.
pub(crate) fn repair_all(arguments: &Arguments) {
    println!(
        "| fix | place | right | tried | passed | shown | first right | seconds | rate | answer |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    let rows: Vec<Row> = arguments.entries().iter().map(|entry| repair(entry, arguments)).collect();
    let count = |is_meant: fn(&Row) -> bool| rows.iter().filter(|row| is_meant(row)).count();
    println!(
        "\n{} fixes: {} with the right candidate among the first 100, {} among the first 1000, {} at any listed position; \
         {} with the right fix shown, {} first",
        rows.len(),
        count(|row| row.right.is_some_and(|at| at <= 100)),
        count(|row| row.right.is_some_and(|at| at <= 1000)),
        count(|row| row.right.is_some()),
        count(|row| row.right_rank.is_some()),
        count(|row| row.right_rank == Some(1)),
    );
}

struct Row {
    /// Position of the right candidate, from 1.
    right: Option<usize>,
    /// Rank of the right fix among those shown, from 1.
    right_rank: Option<usize>,
}

fn repair(entry: &Entry, arguments: &Arguments) -> Row {
    let clone = tempfile::tempdir().unwrap();
    let kept = arguments.keep.as_ref().map(|keep| keep.join(entry.label().replace(' ', "-")));
    let root = kept.as_deref().unwrap_or(clone.path());
    clone_shared(&arguments.checkouts.join(entry.project()), root);
    let human_fix = prepare_subject(root, &entry.commit);
    let mut words = vec!["fix", "--test", &entry.test];
    words.extend(arguments.options.iter().map(String::as_str));
    let answer = run_command(root, &words);
    let candidates = read_json_lines(root, "candidates.jsonl");
    let listed: Vec<Vec<Edit>> =
        candidates.iter().filter(|one| one["file"] == human_fix.file).map(read_edits).collect();
    let all_of_file: Vec<usize> = (1..)
        .zip(&candidates)
        .filter_map(|(at, one)| (one["file"] == human_fix.file).then_some(at))
        .collect();
    let position = |is_meant: &dyn Fn(&[Edit]) -> bool| {
        listed.iter().position(|edits| is_meant(edits)).map(|index| all_of_file[index])
    };
    let right = position(&|edits| human_fix.is_equal(edits));
    let place = position(&|edits| human_fix.touches(edits));
    let right_rank = rank_of_right_fix(root, &answer.result, &human_fix);
    print_row(entry, &answer, [place, right, right_rank]);
    Row { right, right_rank }
}

/// Checks out the parent of the fix with the tests of the fix, and returns the fix.
fn prepare_subject(root: &Path, commit: &str) -> HumanFix {
    git(root, &["checkout", "-q", "--detach", &format!("{commit}^")]);
    let changed = git_text(root, &["diff", "--name-only", &format!("{commit}^"), commit]);
    let is_test = |file: &&str| file.contains("src/test/");
    for file in changed.lines().filter(is_test) {
        git(root, &["checkout", "-q", commit, "--", file]);
    }
    commit_all(root, "Tests of the fix");
    let is_java = |file: &str| Path::new(file).extension().is_some_and(|end| end == "java");
    let mut sources = changed.lines().filter(|file| !is_test(file) && is_java(file));
    let file = sources.next().unwrap();
    let fixed = git(root, &["show", &format!("{commit}:{file}")]).stdout;
    let faulty = fs::read(root.join(file)).unwrap();
    let change = Change::new(&faulty, &fixed).unwrap();
    HumanFix { file: file.to_owned(), faulty: String::from_utf8(faulty).unwrap(), change }
}

/// Fix of the maintainers in one file.
struct HumanFix {
    file: String,
    faulty: String,
    change: Change,
}

impl HumanFix {
    /// Returns true if edits change the same tokens to the same ones.
    fn is_equal(&self, edits: &[Edit]) -> bool {
        let own = Edit::replace(self.change.bytes.clone(), self.change.new_tokens.concat());
        let all = || edits.iter().chain([&own]).map(|edit| edit.bytes);
        let (Some(from), Some(to)) = (all().map(|one| one.0).min(), all().map(|one| one.1).max())
        else {
            return false;
        };
        let compact = |edits: &[Edit]| {
            let shifted = edits.iter().map(|edit| {
                let (start, end) = edit.bytes;
                Edit { bytes: (start - from, end - from), text: edit.text.clone() }
            });
            let window = self.faulty.get(from..to)?;
            let text = apply_edits(window, &shifted.collect::<Vec<_>>())?;
            Some(text.split_whitespace().collect::<String>())
        };
        self.touches(edits) && compact(edits) == compact(std::slice::from_ref(&own))
    }

    /// Returns true if an edit overlaps the changed tokens, or inserts beside them.
    fn touches(&self, edits: &[Edit]) -> bool {
        let Range { start, end } = self.change.bytes;
        let from = self.faulty[..start].trim_end().len();
        let to = self.faulty.len() - self.faulty[end..].trim_start().len();
        edits.iter().any(|edit| edit.bytes.0 <= to && from <= edit.bytes.1)
    }
}

fn read_edits(candidate: &Value) -> Vec<Edit> {
    let edits = candidate["edits"].as_array().unwrap().iter();
    let offset = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let read = |edit: &Value| Edit {
        bytes: (offset(&edit["bytes"][0]), offset(&edit["bytes"][1])),
        text: edit["text"].as_str().unwrap().to_owned(),
    };
    edits.map(read).collect()
}

/// Returns the rank of the fix with the maintainers' tokens among those shown, from 1.
fn rank_of_right_fix(root: &Path, result: &Value, human_fix: &HumanFix) -> Option<usize> {
    let run = last_run(root)?;
    let fixes = result["fixes"].as_array()?;
    let is_right = |fix: &Value| {
        let Some(patch) = fix["patch"].as_str() else { return false };
        git(root, &["checkout", "-q", "--force", "HEAD"]);
        git(root, &["apply", run.join(patch).to_str().unwrap()]);
        let fixed = fs::read(root.join(&human_fix.file)).unwrap();
        let change = Change::new(human_fix.faulty.as_bytes(), &fixed);
        let place = |change: &Change| (change.bytes.clone(), change.new_tokens.clone());
        change.is_some_and(|change| place(&change) == place(&human_fix.change))
    };
    fixes.iter().position(is_right).map(|at| at + 1)
}

fn print_row(entry: &Entry, answer: &Answer, positions: [Option<usize>; 3]) {
    let Answer { code, message, result, trials, seconds } = answer;
    let is_candidate = |trial: &&Value| {
        let is_clean = trial["rung"].as_str().is_none_or(|rung| rung == "clean-build");
        !is_clean && trial["cached"] != true
    };
    let tried: Vec<&Value> = trials.iter().filter(is_candidate).collect();
    let passed = tried.iter().filter(|trial| trial["verdict"] == "pass").count();
    let time: u64 = tried.iter().filter_map(|trial| trial["milliseconds"].as_u64()).sum();
    let rate = 1000.0 * tried.len() as f64 / time.max(1) as f64;
    let shown = result["fixes"].as_array().map_or(0, Vec::len);
    let [place, right, rank] =
        positions.map(|at| at.map_or_else(|| "–".to_owned(), |at| at.to_string()));
    println!(
        "| {} | {place} | {right} | {} | {passed} | {shown} | {rank} | {seconds:.0} | {rate:.1} | {code}: {message} |",
        entry.label(),
        tried.len(),
    );
}
