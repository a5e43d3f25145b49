//! Command `git mend hook`: installs, uninstalls and runs git hooks.

use crate::cli::arguments::{
    Format, HookAction, HookArguments, HookNames, HookRunArguments, Shared, SubjectArguments,
    parse_duration,
};
use crate::cli::output::console::Console;
use crate::cli::settings::Settings;
use crate::cli::subject_request::command_line;
use crate::run::{
    Context, HookCheckRequest, HookResult, OracleRequest, SubjectRequest, check_change,
    runs_folder_of, warm_runtime,
};
use anyhow::Context as _;
use mend_git::{
    GitHook, HooksFolder, InstallAction, InstallResult, PendingMerge, PushedBranch, Repository,
};
use mend_model::{Exit, Problem, Result};
use mend_report::{GateReport, OutputContext, RunResult};
use serde::Serialize;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Default time limit for the tests of a hook.
const DEFAULT_BUDGET: Duration = Duration::from_secs(60);

pub(crate) fn run(
    options: &HookArguments,
    shared: &Shared,
    context: &Context,
    console: &Console,
    arguments: &[OsString],
) -> Result<Exit> {
    let dir = shared.working_dir()?;
    match &options.action {
        HookAction::Install(names) => {
            change_hooks(names, &GitHook::DEFAULT, &dir, shared, console, HooksFolder::install)
        }
        HookAction::Uninstall(names) => {
            change_hooks(names, &GitHook::ALL, &dir, shared, console, HooksFolder::uninstall)
        }
        HookAction::Run(options) => {
            HookRunner { options, dir, shared, context, console, arguments }.run()
        }
    }
}

/// Installs or uninstalls hooks, and reports the changes.
fn change_hooks(
    names: &HookNames,
    default_hooks: &[GitHook],
    dir: &Path,
    shared: &Shared,
    console: &Console,
    change: fn(&HooksFolder, &[GitHook]) -> Result<Vec<InstallResult>>,
) -> Result<Exit> {
    let folder = HooksFolder::find(&Repository::open(dir)?, dir)?;
    let install_results =
        change(&folder, if names.names.is_empty() { default_hooks } else { &names.names })?;
    console.clear_progress();
    if let Some(notice) = folder.notice() {
        console.print_message(&format!("note: {notice}"));
    }
    for InstallResult { path, .. } in install_results.iter().filter(|result| !result.is_executable)
    {
        console.print_message(&format!(
            "note: git does not run {0}, which is not executable: chmod +x {0}",
            path.display()
        ));
    }
    match shared.format {
        Format::Human | Format::Dot => {
            console.print_human_result(
                &install_results.iter().map(format_install_result).collect::<String>(),
            );
        }
        Format::Json => {
            Console::print_raw_result(&to_json(
                &install_results.iter().map(HookFileJson::from_result).collect::<Vec<_>>(),
            )?);
        }
    }
    Ok(Exit::Found)
}

fn format_install_result(install_result: &InstallResult) -> String {
    let (hook, path) = (install_result.hook, install_result.path.display());
    match install_result.action {
        InstallAction::Created => format!("{hook}: created {path}\n"),
        InstallAction::Added => format!("{hook}: added to {path}\n"),
        InstallAction::Updated => format!("{hook}: updated in {path}\n"),
        InstallAction::Unchanged => format!("{hook}: nothing to do\n"),
        InstallAction::Removed => format!("{hook}: removed from {path}\n"),
        InstallAction::Deleted => format!("{hook}: deleted {path}\n"),
    }
}

/// JSON object for a hook file.
#[derive(Serialize)]
struct HookFileJson<'a> {
    hook: &'a str,
    path: String,
    action: &'a str,
}

impl<'a> HookFileJson<'a> {
    fn from_result(install_result: &'a InstallResult) -> Self {
        let path = install_result.path.to_string_lossy().into_owned();
        Self { hook: install_result.hook.name(), path, action: install_result.action.name() }
    }
}

/// JSON object for the result of a hook.
#[derive(Serialize)]
struct HookResultJson<'a> {
    schema: &'a str,
    hook: &'a str,
    allowed: bool,
    #[serde(flatten)]
    report: &'a GateReport,
    search: Option<&'a RunResult>,
}

fn to_json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value).context("writing JSON")? + "\n")
}

/// Runner of one hook call.
struct HookRunner<'a> {
    options: &'a HookRunArguments,
    /// Path of the repository's folder.
    dir: PathBuf,
    shared: &'a Shared,
    context: &'a Context,
    console: &'a Console,
    arguments: &'a [OsString],
}

/// Versions before and after a push or merge.
#[derive(Debug, PartialEq, Eq)]
struct VersionsToCompare {
    good: String,
    bad: String,
    objects: Option<PathBuf>,
}

impl HookRunner<'_> {
    fn run(&self) -> Result<Exit> {
        match self.options.name {
            GitHook::PrePush => self.check_push(),
            GitHook::PreMergeCommit => self.check_merge(),
            GitHook::PostCheckout => {
                // Ignores errors of the warm-up.
                drop(warm_runtime(&self.dir, self.context));
                self.console.clear_progress();
                Ok(Exit::Found)
            }
        }
    }

    fn check_push(&self) -> Result<Exit> {
        let repository = Repository::open(&self.dir)?;
        let deadline = self.deadline(&repository)?;
        let mut candidates: Vec<VersionsToCompare> = Vec::new();
        for push in read_pushed_branches()? {
            let candidate = self.versions_of_push(&repository, push);
            candidates.extend(candidate.filter(|one| !candidates.contains(one)));
        }
        for candidate in candidates {
            if self.check_candidate(candidate, deadline)? == Exit::NotFound {
                return Ok(Exit::NotFound);
            }
        }
        Ok(Exit::Found)
    }

    /// Returns the pushed commit and the commit to compare it with, if there is one.
    fn versions_of_push(
        &self,
        repository: &Repository,
        push: PushedBranch,
    ) -> Option<VersionsToCompare> {
        let named_remote = self.options.arguments.first().cloned();
        let remote = named_remote.or_else(|| environment_variable("PRE_COMMIT_REMOTE_NAME"));
        let remote = remote.unwrap_or_else(|| "origin".to_owned());
        let start = repository.push_base(&push, &remote);
        let short = push.local.short();
        match start {
            Ok(Some(start)) => {
                return Some(VersionsToCompare { good: start.0, bad: push.local.0, objects: None });
            }
            Ok(None) => {
                self.report_unchecked(&format!(
                    "{short}: there is no commit of {remote} here to compare it with"
                ));
            }
            Err(problem) => self.report_unchecked(&format!("{short}: {problem}")),
        }
        None
    }

    fn check_merge(&self) -> Result<Exit> {
        let repository = Repository::open(&self.dir)?;
        let deadline = self.deadline(&repository)?;
        let pending = PendingMerge::from_index(&repository, &self.dir);
        let good = repository.resolve("HEAD");
        match (pending, good) {
            (Ok(merge), Ok(good)) => {
                let objects = Some(merge.objects_dir());
                self.check_candidate(
                    VersionsToCompare { good: good.id.0, bad: merge.commit.0.clone(), objects },
                    deadline,
                )
            }
            (Err(problem), _) | (_, Err(problem)) => {
                self.report_unchecked(&format!("the merge: {problem}"));
                Ok(Exit::Found)
            }
        }
    }

    /// Prints the reason for a skipped check, on one line.
    fn report_unchecked(&self, reason: &str) {
        self.console.clear_progress();
        self.console.print_error(&format!("git-mend: Not checked: {reason}\n"));
    }

    /// Allows or blocks a push or merge.
    fn check_candidate(&self, candidate: VersionsToCompare, deadline: Instant) -> Result<Exit> {
        let is_pending = candidate.objects.is_some();
        let request = HookCheckRequest {
            good: candidate.good.clone(),
            subject: self.subject_request(candidate)?,
            deadline,
        };
        let hook_result = check_change(&request, self.context)?;
        self.console.clear_progress();
        for gap in hook_result.report.format_gaps() {
            self.console.print_error(&format!("{gap}\n"));
        }
        if let Some(summary) = hook_result.report.format_summary() {
            self.console.print_message(&summary);
        }
        match self.shared.format {
            Format::Human | Format::Dot => {
                self.console.print_human_result(&self.format_human(&hook_result, is_pending)?);
            }
            Format::Json => Console::print_raw_result(&self.format_json(&hook_result)?),
        }
        Ok(if hook_result.report.allows_change() { Exit::Found } else { Exit::NotFound })
    }

    fn subject_request(&self, candidate: VersionsToCompare) -> Result<SubjectRequest> {
        let VersionsToCompare { bad, objects, .. } = candidate;
        let settings = Settings::read(&self.dir)?.without_executor();
        let oracle = OracleRequest::Tests(Vec::new());
        let command_line = command_line(self.arguments);
        let subject = SubjectArguments::default().to_request(
            &settings,
            &self.dir,
            bad,
            oracle,
            command_line,
        )?;
        // Downloads could take longer than a hook may.
        Ok(SubjectRequest { extra_objects: objects, is_build_offline: true, ..subject })
    }

    fn format_human(&self, hook_result: &HookResult, is_pending: bool) -> Result<String> {
        if hook_result.report.allows_change() {
            return Ok(String::new());
        }
        let style = self.console.result_style();
        let mut text = hook_result.report.format_objections(&style);
        if let Some(finished_run) = hook_result.search_to_show(is_pending) {
            let is_found = finished_run.folder.starts_with(runs_folder_of(&self.dir));
            let output_context = OutputContext {
                is_default_location: is_found,
                ..OutputContext::new(&finished_run.folder)
            };
            text += "\n";
            text += &mend_report::format_result(
                &finished_run.result,
                finished_run.culprit_commit.as_ref(),
                &output_context,
                &style,
            )?;
        }
        let verb = if self.options.name == GitHook::PrePush { "push" } else { "merge" };
        Ok([text, format!("\nTo {verb} anyway: git {verb} --no-verify\n")].concat())
    }

    fn format_json(&self, hook_result: &HookResult) -> Result<String> {
        to_json(&HookResultJson {
            schema: "git-mend/hook/1",
            hook: self.options.name.name(),
            allowed: hook_result.report.allows_change(),
            report: &hook_result.report,
            search: hook_result.search.as_ref().map(|finished_run| &finished_run.result),
        })
    }

    /// Returns the deadline for tests, from `--budget`, the user's git config or the project's settings.
    fn deadline(&self, repository: &Repository) -> Result<Instant> {
        let configured = repository.read_setting("mend.budget")?.map(|value| {
            parse_duration(&value).map_err(|message| Problem::Usage {
                message: format!("mend.budget in git config is `{value}`, which is not a time"),
                remedy: format!("run `git config mend.budget TIME`: {message}"),
            })
        });
        let configured = configured.transpose()?;
        let budget_from_settings = Settings::read(&self.dir)?.hook_budget;
        let budget =
            self.options.budget.or(configured).or(budget_from_settings).unwrap_or(DEFAULT_BUDGET);
        Ok(Instant::now() + budget)
    }
}

/// Returns the pushed commits, from git's input to its hooks or from the variables of pre-commit.
fn read_pushed_branches() -> Result<Vec<PushedBranch>> {
    let commit = |name: &str| environment_variable(name).filter(|id| !id.is_empty());
    if let Some(to) = commit("PRE_COMMIT_TO_REF") {
        let from = commit("PRE_COMMIT_FROM_REF").unwrap_or_else(|| "0".to_owned());
        return Ok(PushedBranch::parse(&format!("refs/heads/- {to} refs/heads/- {from}")));
    }
    let mut lines = Vec::new();
    std::io::stdin().read_to_end(&mut lines).context("reading what is pushed")?;
    Ok(PushedBranch::parse(&String::from_utf8_lossy(&lines)))
}

fn environment_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hook_change_is_reported_on_one_line() {
        let all = [
            InstallAction::Created,
            InstallAction::Added,
            InstallAction::Updated,
            InstallAction::Unchanged,
            InstallAction::Removed,
            InstallAction::Deleted,
        ];
        let install_result = |done| InstallResult {
            hook: GitHook::PrePush,
            path: ".git/hooks/pre-push".into(),
            action: done,
            is_executable: true,
        };
        insta::assert_snapshot!(all.map(|done| format_install_result(&install_result(done))).concat(), @r"
        pre-push: created .git/hooks/pre-push
        pre-push: added to .git/hooks/pre-push
        pre-push: updated in .git/hooks/pre-push
        pre-push: nothing to do
        pre-push: removed from .git/hooks/pre-push
        pre-push: deleted .git/hooks/pre-push
        ");
    }
}
