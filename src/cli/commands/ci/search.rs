//! Command `git mend ci search`: finds the culprit of a failed build from its test reports, and writes a run folder.

use super::time_limit::run_within;
use crate::cli::arguments::{
    BisectArguments, CiSearchArguments, GeneratorArguments, Shared, SubjectArguments,
};
use crate::cli::commands::bisect;
use crate::cli::commands::report::{REPORT_FILE, write_page};
use crate::cli::github_requests::block_on_request;
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::cli::settings::Settings;
use crate::cli::subject_request::command_line;
use crate::run::{
    self, BisectRequest, Budget, Context, FinishedRun, FixRequest, GeneratorRequest, Technique,
    UpgradeRequest,
};
use mend_bot::SearchClaims;
use mend_bot::actions::{
    CommitOrigin, ReportFolder, SettingsCommit, StepOutputs, TestReports, WorkflowContext,
    last_passing_commit, read_reports,
};
use mend_git::Repository;
use mend_model::{Exit, Problem, Result, format_count, without_options};
use mend_report::github::{
    missing_generator_note, refused_generator_note, skipped_classes_note, time_limit_note,
};
use mend_report::{EnvironmentInfo, RunGoal, RunResult, RunStatus};
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Maximum number of tests of a search; further tests rarely have another cause.
const MAX_SEARCHED_TESTS: usize = 20;

/// Environment variables with tokens of a job.
const TOKEN_VARIABLES: [&str; 4] =
    ["GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"];

/// Options that the equivalent local command sets itself or does not have.
const REPLACED_OPTIONS: [&str; 9] = [
    "--good",
    "--bad",
    "--test",
    "--budget",
    "--output",
    "--reports",
    "--generator",
    "--generator-timeout",
    "--generator-candidates",
];

/// Maximum number of fixes of a search with a generator.
const MAX_FIXES: usize = 3;

pub(super) fn run(
    options: &CiSearchArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
) -> Result<Exit> {
    let workflow = WorkflowContext::from_env()?;
    let dir = shared.working_dir()?;
    let report_folders: Vec<ReportFolder> =
        options.reports.iter().map(|path| ReportFolder::new(&dir, path)).collect::<Result<_>>()?;
    let bad = options.subject.bad.clone().unwrap_or_else(|| "HEAD".to_owned());
    if has_tokens() {
        let good_revision = match &options.good {
            Some(named) => named.clone(),
            None => find_last_green(&workflow, &dir, &bad, console)?,
        };
        return Err(restart_without_tokens(&good_revision));
    }
    let failed_tests = find_failed_tests(options, &dir, &report_folders, console)?;
    if failed_tests.is_empty() {
        return report_no_failures(&workflow, &report_folders);
    }
    let has_failed_before = options.subject.test.is_empty();
    let mut claims = SearchClaims::new(&failed_tests);
    let searched_tests = limit_tests(&failed_tests, &mut claims);
    let search_result = load_settings(&workflow, &dir).and_then(|settings| {
        let choice = GeneratorChoice {
            options,
            settings: &settings,
            workflow: &workflow,
            dir: &dir,
            bad: &bad,
        };
        let generator = choice.choose(&mut claims)?;
        let searches_upgrades = workflow.wants_upgrades();
        let search =
            CiSearch { options, settings: &settings, bad: &bad, generator, searches_upgrades };
        search.run(searched_tests, shared, context, &mut claims)
    });
    let finished_run = match search_result {
        Ok(finished_run) => finished_run,
        Err(problem) => {
            let folder = options.subject.output.as_ref().map(|folder| dir.join(folder));
            claims.add_problem(&problem, has_failed_before);
            return report_failed_start(problem, &claims, folder, &workflow);
        }
    };
    if let Some(problem) = &finished_run.problem {
        claims.add_problem(problem, has_failed_before);
    }
    claims.write(&finished_run.folder)?;
    write_page(&finished_run.folder, &finished_run.folder.join(REPORT_FILE), shared)?;
    step_outputs(&finished_run, &claims).write(&workflow)?;
    Ok(match print_run_result(&finished_run, shared, console, &[])? {
        // The search completed, with or without a culprit.
        Exit::NotFound | Exit::BadBaseline | Exit::Flaky | Exit::Interrupted => Exit::Found,
        exit => exit,
    })
}

/// Returns the settings of the repository, not those of the author of the searched change.
fn load_settings(workflow: &WorkflowContext, dir: &Path) -> Result<Settings> {
    let settings = match workflow.settings_commit() {
        None => Settings::read(dir),
        Some(SettingsCommit::Known(commit)) => Settings::read_commit(dir, &commit),
        Some(SettingsCommit::Unknown) => Ok(Settings::default()),
    };
    // The sandbox of the App has no network.
    settings.map(Settings::without_executor)
}

/// Chooses the generator of a search.
struct GeneratorChoice<'a> {
    options: &'a CiSearchArguments,
    settings: &'a Settings,
    workflow: &'a WorkflowContext,
    dir: &'a Path,
    bad: &'a str,
}

impl GeneratorChoice<'_> {
    /// Returns the generator of the options or of the settings. Commits that may be of a fork get none: their author
    /// must not decide what the generator reads. Without a generator that works, the search goes on.
    fn choose(&self, claims: &mut SearchClaims) -> Result<Option<GeneratorRequest>> {
        let arguments = &self.options.generator;
        let configured = || self.settings.github.generator.clone();
        let Some(command) = arguments.generator.clone().or_else(configured) else {
            return Ok(None);
        };
        let searched = Repository::open(self.dir)?.resolve(self.bad)?.id;
        if self.workflow.commit_origin(&searched) == CommitOrigin::PerhapsFork {
            claims.not_checked.push(refused_generator_note());
            return Ok(None);
        }
        let arguments = GeneratorArguments { generator: Some(command), ..arguments.clone() };
        let Some(generator) = arguments.to_request()? else { return Ok(None) };
        if let Err(problem) = generator.prepare(self.dir) {
            claims.not_checked.push(missing_generator_note(&problem.to_string()));
            return Ok(None);
        }
        Ok(Some(generator))
    }
}

/// Search for the culprit and the fix of failed tests.
struct CiSearch<'a> {
    options: &'a CiSearchArguments,
    settings: &'a Settings,
    bad: &'a str,
    generator: Option<GeneratorRequest>,
    /// True if dependency updates are searched before all other changes.
    searches_upgrades: bool,
}

impl CiSearch<'_> {
    /// Searches for the culprit of these tests, as `git mend bisect` does. With a generator, searches for fixes too, as
    /// `git mend fix` does.
    fn run(
        &self,
        tests: Vec<String>,
        shared: &Shared,
        context: &Context,
        claims: &mut SearchClaims,
    ) -> Result<FinishedRun> {
        let Self { options, settings, bad, generator, searches_upgrades } = self;
        let good = options.good.as_deref().unwrap_or("auto");
        let arguments: Vec<_> = std::env::args_os().collect();
        // HEAD may be another commit on another machine.
        let commit = Repository::open(&shared.dir).and_then(|repository| repository.resolve(bad));
        let bad_commit = commit.map_or_else(|_| (*bad).to_owned(), |commit| commit.id.0);
        let command_line = command_line(&arguments);
        let to_local = |generator: Option<&GeneratorRequest>, command: &str| {
            to_local_command(&command_line, (command, generator), good, &bad_commit, &tests)
        };
        let local_command = to_local(generator.as_ref(), "bisect");
        let upgrade_command = to_local(None, "upgrade");
        let arguments_of_bisect = BisectArguments {
            good: Some(good.to_owned()),
            subject: SubjectArguments {
                bad: Some((*bad).to_owned()),
                test: tests,
                ..options.subject.clone()
            },
            ..BisectArguments::default()
        };
        let request =
            bisect::build_request_with(settings, &arguments_of_bisect, shared, local_command)?;
        let (result, is_timed_out) = run_within(Some(options.budget), context, || {
            if *searches_upgrades {
                let request = self.upgrade_request(&request, upgrade_command);
                let found = run::upgrade(&request, context)?;
                // Otherwise the updates alone do not break the tests, or cannot be searched.
                if matches!(found.exit, Exit::Found | Exit::Interrupted) {
                    return Ok(found);
                }
            }
            match generator {
                None => run::bisect(&request, context),
                Some(generator) => run::fix(&self.fix_request(request, generator), context),
            }
        });
        // An early end keeps the results so far.
        if is_timed_out {
            claims.not_checked.push(time_limit_note(options.budget));
        }
        result
    }

    /// Returns the request that searches the dependency updates among the changes of a bisection.
    fn upgrade_request(
        &self,
        bisection: &BisectRequest,
        command_line: Vec<String>,
    ) -> UpgradeRequest {
        let mut search = BisectRequest { counts_compile_errors: true, ..bisection.clone() };
        search.subject.command_line = command_line;
        UpgradeRequest { search, library_sources: self.options.library_source.clone() }
    }

    fn fix_request(&self, bisection: BisectRequest, generator: &GeneratorRequest) -> FixRequest {
        FixRequest {
            subject: bisection.subject,
            good: Some(bisection.good),
            goal: RunGoal::Both,
            symptom: bisection.symptom,
            first_parent_only: bisection.first_parent_only,
            techniques: vec![Technique::Regression],
            has_chosen_techniques: true,
            expected_output: None,
            max_fixes: MAX_FIXES,
            generator: Some(generator.clone()),
            budget: Budget { time_limit: self.options.budget, max_candidates: None },
        }
    }
}

/// Returns the equivalent command line of a command, or of `git mend fix` with a generator, with all options of the
/// search.
fn to_local_command(
    command_line: &[String],
    (command, generator): (&str, Option<&GeneratorRequest>),
    good: &str,
    bad: &str,
    tests: &[String],
) -> Vec<String> {
    let mut command_line = without_options(command_line, &REPLACED_OPTIONS);
    command_line.retain(|word| word != "--trust-generator");
    if command != "upgrade" {
        command_line = without_options(&command_line, &["--library-source"]);
    }
    if let Some(position) = command_line.windows(2).position(|pair| pair == ["ci", "search"]) {
        let local_command = match generator {
            None => vec![command.to_owned()],
            Some(generator) => {
                let fix = ["fix", "--technique", "regression", "--goal", "both"];
                fix.map(str::to_owned).into_iter().chain(generator.options()).collect()
            }
        };
        command_line.splice(position..position + 2, local_command);
    }
    let test_options = tests.iter().flat_map(|test| ["--test", test]);
    let revision_options = ["--good", good, "--bad", bad].into_iter().chain(test_options);
    command_line.extend(revision_options.map(str::to_owned));
    command_line
}

fn has_tokens() -> bool {
    TOKEN_VARIABLES.iter().any(|name| std::env::var_os(name).is_some())
}

/// Replaces this process by one without the tokens, and passes the good version to it. The run folder contains the
/// output of tests, so tests must not see tokens.
fn restart_without_tokens(good: &str) -> Problem {
    let mut command = match std::env::current_exe() {
        Ok(program) => Command::new(program),
        Err(error) => return anyhow::Error::new(error).context("finding this program").into(),
    };
    command.args(std::env::args_os().skip(1)).arg(format!("--good={good}"));
    for name in TOKEN_VARIABLES {
        command.env_remove(name);
    }
    anyhow::Error::new(command.exec()).context("restarting without tokens").into()
}

/// Writes the error of a search that could not start to the run folder, for `ci publish`.
fn report_failed_start(
    problem: Problem,
    claims: &SearchClaims,
    folder: Option<PathBuf>,
    workflow: &WorkflowContext,
) -> Result<Exit> {
    let Some(folder) = folder else { return Err(problem) };
    let write_result =
        RunResult::write_failed_search(&folder, EnvironmentInfo::default(), problem.to_string());
    if write_result.and_then(|()| claims.write(&folder)).is_err() {
        return Err(problem);
    }
    let mut outputs = StepOutputs::default();
    outputs.add_value("status", "error");
    outputs.add_value("run-folder", folder.to_string_lossy());
    outputs.write(workflow)?;
    Err(problem)
}

/// Returns the tests of `--test`, or the failed tests of the reports.
fn find_failed_tests(
    options: &CiSearchArguments,
    dir: &Path,
    report_folders: &[ReportFolder],
    console: &Console,
) -> Result<Vec<String>> {
    if !options.subject.test.is_empty() {
        return Ok(options.subject.test.clone());
    }
    let TestReports {
        report_count: read,
        unreadable: invalid_reports,
        test_count: tests,
        failed_tests: failed,
    } = read_reports(dir, report_folders)?;
    let (reports, tests) = (format_count(read, "report"), format_count(tests, "test"));
    console.print_message(&format!("read {reports} with {tests}, {} failed", failed.len()));
    for path in invalid_reports {
        console.print_message(&format!("skipped a report that is not valid: {}", path.display()));
    }
    Ok(failed)
}

/// Returns the tests to search for: whole classes if there are many tests.
fn limit_tests(failed: &[String], claims: &mut SearchClaims) -> Vec<String> {
    if failed.len() <= MAX_SEARCHED_TESTS {
        return failed.to_vec();
    }
    let class = |test: &String| test.split('#').next().unwrap_or(test).to_owned();
    let classes: BTreeSet<String> = failed.iter().map(class).collect();
    let omitted = classes.len().saturating_sub(MAX_SEARCHED_TESTS);
    if omitted > 0 {
        claims.not_checked.push(skipped_classes_note(omitted));
    }
    classes.into_iter().take(MAX_SEARCHED_TESTS).collect()
}

/// Reports that no test failed: the build broke before its tests, or its reports are in another folder.
fn report_no_failures(workflow: &WorkflowContext, report_folders: &[ReportFolder]) -> Result<Exit> {
    let usual_folders = ["target/surefire-reports", "build/test-results"].map(str::to_owned);
    let further_folders = report_folders.iter().map(|folder| folder.path().display().to_string());
    let folders: Vec<String> = usual_folders.into_iter().chain(further_folders).collect();
    let text = format!(
        "No test failed in the reports below {}.\n\
         help: run the tests before this step, or name the failing tests with --test, or the folders of their \
         reports with --reports\n",
        folders.join(", ")
    );
    let mut outputs = StepOutputs::default();
    outputs.add_value("status", "none");
    outputs.append_summary(&format!("git-mend: {text}"));
    outputs.write(workflow)?;
    Console::print_raw_result(&text);
    Ok(Exit::Found)
}

/// Returns the newest green commit according to GitHub, or `auto`.
fn find_last_green(
    workflow: &WorkflowContext,
    dir: &Path,
    bad: &str,
    console: &Console,
) -> Result<String> {
    let repository = Repository::open(dir)?;
    let bad = repository.resolve(bad)?.id;
    let last_green_commit = block_on_request(async {
        match workflow.repo()? {
            Some(repo) => last_passing_commit(workflow, &repo, &repository, &bad).await,
            None => Ok(None),
        }
    });
    match last_green_commit {
        Ok(Some(green)) => {
            console.print_message(&format!("this workflow was green on {}", green.short()));
            Ok(green.0)
        }
        Ok(None) => Ok("auto".to_owned()),
        // The search works without the last green commit too.
        Err(problem) => {
            console.print_message(&format!("{problem}; walking back to find a commit that passes"));
            Ok("auto".to_owned())
        }
    }
}

fn step_outputs(finished_run: &FinishedRun, claims: &SearchClaims) -> StepOutputs {
    let mut outputs = StepOutputs::default();
    let result = &finished_run.result;
    // A search with a generator may find the culprit, and no fix.
    let has_culprit = result.culprit_commit.is_some() || result.culprit.is_some();
    let status = match result.status {
        _ if claims.flaky.is_some() => "flaky",
        RunStatus::Found => "found",
        RunStatus::None if has_culprit => "found",
        RunStatus::None => "none",
        RunStatus::Flaky => "flaky",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Error => "error",
    };
    outputs.add_value("status", status);
    outputs.add_value("run-folder", finished_run.folder.to_string_lossy());
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn search_options_are_kept_in_local_command() {
        let typed = "git mend -C core ci search --generator=x --trust-generator --classpath lib/a.jar --budget=20m --timeout 5m --output=run \
                     --javac-option -g --good=v1 --test a.B --bad HEAD --project p.json --source src \
                     --reports out --reports=it";
        let typed: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
        let tests = ["a.B".to_owned(), "c.D".to_owned()];
        let command = to_local_command(&typed, ("bisect", None), "v1", "abc", &tests);
        assert_eq!(
            command.join(" "),
            "git mend -C core bisect --classpath lib/a.jar --timeout 5m --javac-option -g --project p.json --source src \
             --good v1 --bad abc --test a.B --test c.D"
        );
        let minute = Duration::from_secs(60);
        let generator = GeneratorRequest::parse("./x 'a b'", true, minute, 5).unwrap();
        let command = to_local_command(&typed, ("bisect", Some(&generator)), "v1", "abc", &tests);
        assert!(
            command.join(" ").starts_with(
                "git mend -C core fix --technique regression --goal both --generator ./x 'a b' \
                 --generator-timeout 60s --generator-candidates 5 --trust-generator --classpath lib/a.jar"
            ),
            "{command:?}"
        );
    }
}
