//! `git mend ci search`: finds the culprit of a failed build from its test reports, and writes a run folder.

use crate::cli::arguments::{BisectArguments, CiSearchArguments, Shared, SubjectArguments};
use crate::cli::commands::bisect;
use crate::cli::commands::report::{PAGE, write_page};
use crate::cli::github_requests::waited;
use crate::cli::output::console::Console;
use crate::cli::output::run_result::conclude;
use crate::cli::settings::Settings;
use crate::cli::subject_request::command_line;
use crate::run::{self, Context, FinishedRun};
use mend_bot::SearchClaims;
use mend_bot::actions::{
    SettingsCommit, StepOutputs, TestReports, WorkflowContext, last_passing_commit, read_reports,
};
use mend_git::Repository;
use mend_model::{Exit, Problem, Result, counted, without_options};
use mend_report::github::{skipped_classes_note, time_limit_note};
use mend_report::{EnvironmentInfo, RunResult, RunStatus};
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Maximum number of tests of a search; further tests rarely have another cause.
const MOST_TESTS: usize = 20;

/// Environment variables with tokens of a job.
const TOKENS: [&str; 4] =
    ["GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"];

/// Options that the equivalent `git mend bisect` command gets with other values, or not at all.
const REPLACED: [&str; 5] = ["--good", "--bad", "--test", "--budget", "--output"];

pub(super) fn run(
    options: &CiSearchArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
) -> Result<Exit> {
    let workflow = WorkflowContext::from_env()?;
    let dir = std::path::absolute(&shared.dir).map_err(|error| Problem::io(error, &shared.dir))?;
    let bad = options.subject.bad.clone().unwrap_or_else(|| "HEAD".to_owned());
    if has_tokens() {
        let good = match &options.good {
            Some(named) => named.clone(),
            None => good(&workflow, &dir, &bad, console)?,
        };
        return Err(again_without_tokens(&good));
    }
    let failed = failed(options, &dir, console)?;
    if failed.is_empty() {
        return nothing_failed(&workflow);
    }
    let mut claims = SearchClaims::new(&failed);
    let tests = tests(&failed, &mut claims);
    let searched = settings(&workflow, &dir).and_then(|settings| {
        searched(options, &settings, &bad, tests, shared, context, &mut claims)
    });
    let ending = match searched {
        Ok(ending) => ending,
        Err(problem) => {
            let folder = options.subject.output.as_ref().map(|folder| dir.join(folder));
            return unsearched(problem, claims, folder, &workflow);
        }
    };
    if let Some(problem) = &ending.problem {
        claims.add_problem(problem);
    }
    claims.write(&ending.folder)?;
    write_page(&ending.folder, &ending.folder.join(PAGE), shared)?;
    outputs(&ending, &claims).write(&workflow)?;
    Ok(match conclude(&ending, shared, console, &[])? {
        // The search completed, whatever it found.
        Exit::NotFound | Exit::BadBaseline | Exit::Flaky | Exit::Interrupted => Exit::Found,
        exit => exit,
    })
}

/// Returns the settings of the repository, not those of the author of the searched change.
fn settings(workflow: &WorkflowContext, dir: &Path) -> Result<Settings> {
    match workflow.settings_commit() {
        None => Settings::read(dir),
        Some(SettingsCommit::Known(commit)) => Settings::read_in(dir, &commit),
        Some(SettingsCommit::Unknown) => Ok(Settings::default()),
    }
}

/// Searches for the culprit of these tests, as `git mend bisect` does.
fn searched(
    options: &CiSearchArguments,
    settings: &Settings,
    bad: &str,
    tests: Vec<String>,
    shared: &Shared,
    context: &Context,
    claims: &mut SearchClaims,
) -> Result<FinishedRun> {
    let good = options.good.as_deref().unwrap_or("auto");
    let arguments: Vec<_> = std::env::args_os().collect();
    // On another machine, HEAD is another commit.
    let commit = Repository::open(&shared.dir).and_then(|repository| repository.resolve(bad));
    let meant = commit.map_or_else(|_| bad.to_owned(), |commit| commit.id.0);
    let words = as_bisect(&command_line(&arguments), good, &meant, &tests);
    let asked = BisectArguments {
        good: Some(good.to_owned()),
        subject: SubjectArguments {
            bad: Some(bad.to_owned()),
            test: tests,
            ..options.subject.clone()
        },
        ..BisectArguments::default()
    };
    let request = bisect::request_under(settings, &asked, shared, words)?;
    run_within_budget(options.budget, context, claims, || run::bisect(&request, context))
}

/// Returns the equivalent `git mend bisect` command line, with all options of the search.
fn as_bisect(words: &[String], good: &str, bad: &str, tests: &[String]) -> Vec<String> {
    let mut words = without_options(words, &REPLACED);
    if let Some(at) = words.windows(2).position(|pair| pair == ["ci", "search"]) {
        words.splice(at..at + 2, ["bisect".to_owned()]);
    }
    let named = tests.iter().flat_map(|test| ["--test", test]);
    let asked = ["--good", good, "--bad", bad].into_iter().chain(named);
    words.extend(asked.map(str::to_owned));
    words
}

fn has_tokens() -> bool {
    TOKENS.iter().any(|name| std::env::var_os(name).is_some())
}

/// Replaces this process by one without the tokens, with the good version that was found. The run folder contains the
/// output of tests, so tests must not see tokens.
fn again_without_tokens(good: &str) -> Problem {
    let mut command = match std::env::current_exe() {
        Ok(program) => Command::new(program),
        Err(error) => return anyhow::Error::new(error).context("finding this program").into(),
    };
    command.args(std::env::args_os().skip(1)).arg(format!("--good={good}"));
    for name in TOKENS {
        command.env_remove(name);
    }
    anyhow::Error::new(command.exec()).context("restarting without tokens").into()
}

/// Writes the error of a search that could not start to the run folder, for `ci publish`.
fn unsearched(
    problem: Problem,
    mut claims: SearchClaims,
    folder: Option<PathBuf>,
    workflow: &WorkflowContext,
) -> Result<Exit> {
    let Some(folder) = folder else { return Err(problem) };
    claims.add_problem(&problem);
    let is_left =
        RunResult::write_failed_search(&folder, EnvironmentInfo::default(), problem.to_string());
    if is_left.and_then(|()| claims.write(&folder)).is_err() {
        return Err(problem);
    }
    let mut outputs = StepOutputs::default();
    outputs.add_value("status", "error");
    outputs.add_value("run-folder", folder.to_string_lossy());
    outputs.write(workflow)?;
    Err(problem)
}

/// Returns the tests of `--test`, or the failed tests of the reports.
fn failed(options: &CiSearchArguments, dir: &Path, console: &Console) -> Result<Vec<String>> {
    if !options.subject.test.is_empty() {
        return Ok(options.subject.test.clone());
    }
    let TestReports {
        report_count: read,
        unreadable: broken,
        test_count: tests,
        failed_tests: failed,
    } = read_reports(dir)?;
    let (reports, tests) = (counted(read, "report"), counted(tests, "test"));
    console.say(&format!("read {reports} with {tests}, {} failed", failed.len()));
    for path in broken {
        console.say(&format!("skipped a report that is not valid: {}", path.display()));
    }
    Ok(failed)
}

/// Returns the tests to search for: whole classes if there are many tests.
fn tests(failed: &[String], claims: &mut SearchClaims) -> Vec<String> {
    if failed.len() <= MOST_TESTS {
        return failed.to_vec();
    }
    let class = |test: &String| test.split('#').next().unwrap_or(test).to_owned();
    let classes: BTreeSet<String> = failed.iter().map(class).collect();
    let left = classes.len().saturating_sub(MOST_TESTS);
    if left > 0 {
        claims.not_checked.push(skipped_classes_note(left));
    }
    classes.into_iter().take(MOST_TESTS).collect()
}

/// Reports that no test failed: the build broke before its tests, or its reports are in another folder.
fn nothing_failed(workflow: &WorkflowContext) -> Result<Exit> {
    let text = "No test failed in the reports below target/surefire-reports and build/test-results.\n\
                help: run the tests before this step, or name the failing tests with --test\n";
    let mut outputs = StepOutputs::default();
    outputs.add_value("status", "none");
    outputs.append_summary(&format!("git-mend: {text}"));
    outputs.write(workflow)?;
    Console::answer(text);
    Ok(Exit::Found)
}

/// Returns the newest green commit according to GitHub, or `auto`.
fn good(workflow: &WorkflowContext, dir: &Path, bad: &str, console: &Console) -> Result<String> {
    let repository = Repository::open(dir)?;
    let bad = repository.resolve(bad)?.id;
    let asked = waited(async {
        match workflow.repo()? {
            Some(repo) => last_passing_commit(workflow, &repo, &repository, &bad).await,
            None => Ok(None),
        }
    });
    match asked {
        Ok(Some(green)) => {
            console.say(&format!("this workflow was green on {}", green.short()));
            Ok(green.0)
        }
        Ok(None) => Ok("auto".to_owned()),
        // The search also works without it.
        Err(problem) => {
            console.say(&format!("{problem}; walking back to find a commit that passes"));
            Ok("auto".to_owned())
        }
    }
}

/// Runs the search until the budget is used up; results found by then are kept.
fn run_within_budget<T>(
    budget: Duration,
    context: &Context,
    claims: &mut SearchClaims,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let (done, is_done) = channel::<()>();
    std::thread::scope(|scope| {
        let clock = scope.spawn(move || is_over(&is_done, budget, context));
        let worked = work();
        drop(done);
        if clock.join().unwrap_or(false) {
            claims.not_checked.push(time_limit_note(budget));
        }
        worked
    })
}

/// Waits until the work ends or the budget is used up; then requests the work to stop. Returns true in that case.
fn is_over(is_done: &Receiver<()>, budget: Duration, context: &Context) -> bool {
    let is_over = is_done.recv_timeout(budget) == Err(RecvTimeoutError::Timeout);
    if is_over {
        context.interrupt.request();
    }
    is_over
}

fn outputs(ending: &FinishedRun, claims: &SearchClaims) -> StepOutputs {
    let mut outputs = StepOutputs::default();
    let status = match ending.result.status {
        _ if claims.flaky.is_some() => "flaky",
        RunStatus::Found => "found",
        RunStatus::None => "none",
        RunStatus::Flaky => "flaky",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Error => "error",
    };
    outputs.add_value("status", status);
    outputs.add_value("run-folder", ending.folder.to_string_lossy());
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_of_how_to_search_stays() {
        let typed = "git mend -C core ci search --classpath lib/a.jar --budget=20m --timeout 5m --output=run \
                     --javac-option -g --good=v1 --test a.B --bad HEAD --project p.json --source src";
        let typed: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
        let words = as_bisect(&typed, "v1", "abc", &["a.B".to_owned(), "c.D".to_owned()]);
        assert_eq!(
            words.join(" "),
            "git mend -C core bisect --classpath lib/a.jar --timeout 5m --javac-option -g --project p.json --source src \
             --good v1 --bad abc --test a.B --test c.D"
        );
    }
}
