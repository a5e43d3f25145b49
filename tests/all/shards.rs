//! Tests of `git mend ci plan`, `ci shard` and `ci merge`: several jobs share a run.

use crate::support::{CommandOutput, commit, git, repository, run_mend, write};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Jobs of a workflow. Each starts with a fresh clone in the same folder, merges outcomes of earlier jobs, and leaves its
/// own.
struct Jobs {
    dir: TempDir,
    outcomes: TempDir,
}

impl Jobs {
    fn new(dir: TempDir) -> Self {
        Self { dir, outcomes: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Removes everything that an earlier job left in the clone.
    fn start_fresh(&self) {
        drop(std::fs::remove_dir_all(self.path().join(".git/mend")));
    }

    fn outcomes_of(&self, job: &str) -> PathBuf {
        self.outcomes.path().join(job).join("cache.sqlite")
    }

    /// Runs a job that first merges the outcomes of those `sources`.
    fn run(&self, job: &str, sources: &[&str], arguments: &[&str]) -> CommandOutput {
        self.start_fresh();
        for source in sources {
            let folder = self.outcomes.path().join(source);
            let output = run_mend(self.path(), &["ci", "merge", folder.to_str().unwrap()]);
            output.assert_exit_and_stderr(0, &[]);
        }
        let output = run_mend(self.path(), arguments);
        let own = self.outcomes_of(job);
        std::fs::create_dir_all(own.parent().unwrap()).unwrap();
        std::fs::copy(self.path().join(".git/mend/cache.sqlite"), own).unwrap();
        output
    }

    /// Runs the command alone, without the outcomes of other jobs.
    fn run_alone(&self, command: &[&str]) -> Value {
        self.start_fresh();
        let output = run_mend(self.path(), &[command, &["--format", "json"]].concat());
        assert_eq!(output.code, 0, "{}", output.stderr);
        output.json()
    }

    /// Plans the command, and returns the names of the shards.
    fn plan(&self, shards: &str, command: &[&str]) -> Vec<String> {
        let output = self.run(
            "plan",
            &["."],
            &[&["ci", "plan", "--shards", shards, "--"], command].concat(),
        );
        output.assert_exit_and_stderr(0, &[]);
        assert_eq!(output.stdout.lines().count(), 1, "{}", output.stdout);
        serde_json::from_value(output.json()["shard"].clone()).unwrap()
    }

    fn run_shard(&self, shard: &str, options: &[&str], command: &[&str]) -> CommandOutput {
        let arguments = [&["ci", "shard", shard], options, &["--"], command].concat();
        let output = self.run(shard, &["plan", shard], &arguments);
        output.assert_exit_and_stderr(0, &[]);
        output
    }

    /// Runs the command with the outcomes of all jobs.
    fn run_last(&self, command: &[&str]) -> Value {
        let run = self.outcomes.path().join("run");
        let options = ["--format", "json", "--resume", "--output", run.to_str().unwrap()];
        let options_at = command.iter().position(|word| *word == "--").unwrap_or(command.len());
        let (before, after) = command.split_at(options_at);
        let output = self.run("last", &["."], &[before, &options, after].concat());
        assert_eq!(output.code, 0, "{}", output.stderr);
        output.json()
    }
}

/// Creates a repository whose test fails and takes some time, and a pool of five patches, of which two fix it.
fn pool_case(test_millis: u32) -> (Jobs, TempDir) {
    let (dir, pool) = (repository(), tempfile::tempdir().unwrap());
    let source = |body: &str| {
        format!(
            "class Adder {{\n    int add(int a, int b) {{\n        return {body};\n    }}\n}}\n"
        )
    };
    let test = format!(
        "class AdderTest {{\n    public static void main(String[] x) throws Exception {{\n        \
         long end = System.nanoTime() + {test_millis}_000_000L;\n        \
         while (System.nanoTime() < end) {{}}\n        \
         if (new Adder().add(2, 3) != 5) throw new IllegalStateException();\n    }}\n}}\n"
    );
    let path = "src/main/java/Adder.java";
    commit(dir.path(), "Add", &[(path, source("a - b")), ("src/test/java/AdderTest.java", test)]);
    for (name, body) in [("1", "a + b"), ("2", "a * b"), ("3", "a + ;"), ("4", "b + a"), ("5", "a")]
    {
        write(dir.path(), path, source(body));
        write(pool.path(), &format!("{name}.patch"), git(dir.path(), &["diff"]) + "\n");
    }
    git(dir.path(), &["reset", "-q", "--hard"]);
    (Jobs::new(dir), pool)
}

/// Returns name, verdict and reason of the patches.
fn verdicts(result: &Value) -> Vec<Value> {
    let patches = result["patches"].as_array().unwrap().iter();
    patches.map(|patch| json!([patch["name"], patch["verdict"], patch["reason"]])).collect()
}

#[test]
fn patches_tested_by_shards_are_not_tested_again() {
    let (jobs, pool) = pool_case(0);
    let command = ["validate", "--pool", pool.path().to_str().unwrap(), "--test", "AdderTest"];
    let alone = jobs.run_alone(&command);
    let shards = jobs.plan("3", &command);
    assert_eq!(shards, ["1-of-3", "2-of-3", "3-of-3"]);
    for shard in &shards {
        let output = jobs.run_shard(shard, &[], &command);
        let tested = if shard.starts_with('3') { 1 } else { 2 };
        assert_eq!(output.stdout.trim(), format!("shard {shard}: tested {tested} of 5 patches"));
    }
    let last = jobs.run_last(&command);
    assert_eq!(verdicts(&last), verdicts(&alone));
    assert_eq!(last["fixes"], alone["fixes"]);
    let tests = |result: &Value| result["cost"]["tests"].as_u64().unwrap();
    assert!(tests(&alone) >= 6, "{}", alone["cost"]);
    assert_eq!(tests(&last), 0, "{}", last["cost"]);
}

#[test]
fn shard_that_was_cut_off_goes_on_and_a_missing_one_costs_only_time() {
    let (jobs, pool) = pool_case(1500);
    let command = ["validate", "--pool", pool.path().to_str().unwrap(), "--test", "AdderTest"];
    let shards = jobs.plan("2", &command);
    let output = jobs.run_shard(&shards[0], &["--budget", "1s"], &command);
    assert!(output.stdout.contains("time limit reached after 0 test runs"), "{}", output.stdout);
    let output = jobs.run_shard(&shards[0], &[], &command);
    assert!(output.stdout.contains("tested 3 of 5 patches"), "{}", output.stdout);
    let last = jobs.run_last(&command);
    let expected = ["pass", "fail", "unresolved", "pass", "fail"];
    let patches = last["patches"].as_array().unwrap();
    assert_eq!(patches.iter().map(|patch| &patch["verdict"]).collect::<Vec<_>>(), expected);
    // The last job tests the two patches of the other shard, one of them in a clean build too.
    assert_eq!(last["cost"]["tests"], 3, "{}", last["cost"]);
}

/// Creates a repository with 16 commits, of which the eleventh breaks the check. Each check adds a letter to a log.
fn history_case() -> (Jobs, PathBuf) {
    let jobs = Jobs::new(repository());
    let log = jobs.outcomes.path().join("log");
    let check = format!("printf x >>'{}'\ntest \"$(cat number)\" -lt 11\n", log.display());
    for number in 1..=16 {
        let files = [("number", format!("{number}\n")), ("check.sh", check.clone())];
        commit(jobs.path(), &format!("Change {number}"), &files);
    }
    (jobs, log)
}

/// Returns the number of checks so far, and starts to count anew.
fn take_count(log: &Path) -> usize {
    let count = std::fs::read(log).unwrap_or_default().len();
    drop(std::fs::remove_file(log));
    count
}

#[test]
fn commits_tested_by_shards_are_not_tested_again() {
    let (jobs, log) = history_case();
    let command =
        ["bisect", "--good", "HEAD~15", "--goal", "culprit", "--jobs", "1", "--", "sh", "check.sh"];
    jobs.start_fresh();
    let mut alone_command = command.to_vec();
    alone_command.splice(7..7, ["--format", "json"]);
    let alone = run_mend(jobs.path(), &alone_command).json();
    let alone_count = take_count(&log);
    let shards = jobs.plan("3", &command);
    assert_eq!((shards.len(), take_count(&log)), (3, 2));
    for shard in &shards {
        jobs.run_shard(shard, &[], &command);
        assert_eq!(take_count(&log), 1);
    }
    let last = jobs.run_last(&command);
    let keys = ["status", "message", "culprit_commit", "suspects", "culprit", "commits_tested"];
    for key in keys {
        assert_eq!(last[key], alone[key], "{key}");
    }
    // Good, bad, and the first two commits of the bisection.
    assert_eq!(take_count(&log) + 4, alone_count);
}

#[test]
fn second_wave_of_shards_tests_the_next_commits() {
    let (jobs, log) = history_case();
    let command =
        ["bisect", "--good", "HEAD~15", "--goal", "culprit", "--jobs", "1", "--", "sh", "check.sh"];
    for expected in [3, 3, 1] {
        let shards = jobs.plan("3", &command);
        assert_eq!(shards.len(), expected);
        for shard in &shards {
            jobs.run_shard(shard, &[], &command);
        }
    }
    assert_eq!(take_count(&log), 2 + 3 + 3);
}

#[test]
fn unusable_shards_are_usage_errors() {
    let (jobs, _) = history_case();
    for (arguments, words) in [
        (&["ci", "plan", "--shards", "2", "--", "fix", "--test", "A"][..], "only `bisect` and"),
        (&["ci", "plan", "--shards", "2", "--", "validate", "--nonsense"], "--nonsense"),
        (&["ci", "plan", "--shards", "2", "--", "bisect", "-C", "x", "--good", "a"], "-C is an"),
        (&["ci", "shard", "3-of-2", "--", "validate"], "write K-of-N"),
        (
            &[
                "ci",
                "shard",
                "1-of-2",
                "--",
                "bisect",
                "--good",
                "HEAD~15",
                "--no-history",
                "--",
                "sh",
                "check.sh",
            ],
            "this bisection has none",
        ),
    ] {
        run_mend(jobs.path(), arguments).assert_exit_and_stderr(2, &[words]);
    }
}

#[test]
fn files_of_other_programs_are_not_merged() {
    let (jobs, _) = history_case();
    write(jobs.outcomes.path(), "a/cache.sqlite", "text".repeat(100));
    let folder = jobs.outcomes.path().to_str().unwrap();
    let output = run_mend(jobs.path(), &["ci", "merge", folder]);
    output.assert_exit_and_stderr(0, &["not of this version"]);
    assert_eq!(output.stdout, "merged 0 outcomes from 0 files\n");
    let output = run_mend(jobs.path(), &["ci", "merge", "missing"]);
    output.assert_exit_and_stderr(0, &[]);
}
