//! `git mend hook`: installs, uninstalls and runs git hooks.

use crate::cli::arguments::{
    Format, HookAction, HookArguments, HookNames, HookRunArguments, Shared, SubjectArguments,
    parse_time,
};
use crate::cli::output::console::Console;
use crate::cli::settings::Settings;
use crate::cli::subject_request::command_line;
use crate::run::{
    Context, HookCheckRequest, HookResult, OracleRequest, SubjectRequest, gate, runs_of, warm,
};
use anyhow::Context as _;
use mend_git::{
    Git, GitHook, HooksFolder, InstallAction, InstallResult, PendingMerge, PushedBranch,
    Repository, place_of_hook,
};
use mend_model::{Exit, Problem, Result};
use mend_report::{GateReport, OutputContext, RunResult};
use serde::Serialize;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Default time limit for the tests of a hook.
const BUDGET: Duration = Duration::from_secs(60);

pub(crate) fn run(
    options: &HookArguments,
    shared: &Shared,
    context: &Context,
    console: &Console,
    arguments: &[OsString],
) -> Result<Exit> {
    let dir = std::path::absolute(&shared.dir).map_err(|error| Problem::io(error, &shared.dir))?;
    match &options.action {
        HookAction::Install(names) => {
            place(names, &GitHook::USUAL, &dir, shared, console, HooksFolder::install)
        }
        HookAction::Uninstall(names) => {
            place(names, &GitHook::ALL, &dir, shared, console, HooksFolder::uninstall)
        }
        HookAction::Run(options) => {
            let dir = place_of_hook(&dir);
            HookRunner { options, dir, shared, context, console, arguments }.answer()
        }
    }
}

/// Installs or uninstalls hooks, and reports the changes.
fn place(
    names: &HookNames,
    usual: &[GitHook],
    dir: &Path,
    shared: &Shared,
    console: &Console,
    act: fn(&HooksFolder, &[GitHook]) -> Result<Vec<InstallResult>>,
) -> Result<Exit> {
    let folder = HooksFolder::find(&Repository::open(dir)?, dir)?;
    let placed = act(&folder, if names.names.is_empty() { usual } else { &names.names })?;
    console.finish();
    if let Some(notice) = folder.notice() {
        console.say(&format!("note: {notice}"));
    }
    for InstallResult { path, .. } in placed.iter().filter(|placed| !placed.is_executable) {
        console.say(&format!(
            "note: git does not run {0}, which is not executable: chmod +x {0}",
            path.display()
        ));
    }
    match shared.format {
        Format::Human | Format::Dot => {
            console.show(&placed.iter().map(action_line).collect::<String>());
        }
        Format::Json => {
            Console::answer(&json(
                &placed.iter().map(HookFileJson::from_result).collect::<Vec<_>>(),
            )?);
        }
    }
    Ok(Exit::Found)
}

fn action_line(placed: &InstallResult) -> String {
    let (hook, path) = (placed.hook, placed.path.display());
    match placed.done {
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
    fn from_result(placed: &'a InstallResult) -> Self {
        let path = placed.path.to_string_lossy().into_owned();
        Self { hook: placed.hook.name(), path, action: placed.done.word() }
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

fn json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value).context("writing JSON")? + "\n")
}

/// Runner of one hook call.
struct HookRunner<'a> {
    options: &'a HookRunArguments,
    /// Folder of the repository.
    dir: PathBuf,
    shared: &'a Shared,
    context: &'a Context,
    console: &'a Console,
    arguments: &'a [OsString],
}

/// Versions to compare before a push or merge.
#[derive(Debug, PartialEq, Eq)]
struct VersionsToCompare {
    good: String,
    bad: String,
    objects: Option<PathBuf>,
}

impl HookRunner<'_> {
    fn answer(&self) -> Result<Exit> {
        match self.options.name {
            GitHook::PrePush => self.pre_push(),
            GitHook::PreMergeCommit => self.pre_merge_commit(),
            GitHook::PostCheckout => {
                // Errors of the warm-up are not reported.
                drop(warm(&self.dir, self.context));
                self.console.finish();
                Ok(Exit::Found)
            }
        }
    }

    fn pre_push(&self) -> Result<Exit> {
        let repository = Repository::open(&self.dir)?;
        let end = self.end()?;
        let mut candidates: Vec<VersionsToCompare> = Vec::new();
        for push in pushes()? {
            let candidate = self.candidate(&repository, push);
            candidates.extend(candidate.filter(|one| !candidates.contains(one)));
        }
        for candidate in candidates {
            if self.judge(candidate, end)? == Exit::NotFound {
                return Ok(Exit::NotFound);
            }
        }
        Ok(Exit::Found)
    }

    /// Returns the pushed commit and the commit to compare it with, if there is one.
    fn candidate(&self, repository: &Repository, push: PushedBranch) -> Option<VersionsToCompare> {
        let named = self.options.arguments.first().cloned();
        let remote = named.or_else(|| variable("PRE_COMMIT_REMOTE_NAME"));
        let remote = remote.unwrap_or_else(|| "origin".to_owned());
        let start = repository.start_of_push(&push, &remote);
        let short = push.local.short();
        match start {
            Ok(Some(start)) => {
                return Some(VersionsToCompare { good: start.0, bad: push.local.0, objects: None });
            }
            Ok(None) => {
                self.skip(&format!(
                    "{short}: there is no commit of {remote} here to compare it with"
                ));
            }
            Err(problem) => self.skip(&format!("{short}: {problem}")),
        }
        None
    }

    fn pre_merge_commit(&self) -> Result<Exit> {
        let repository = Repository::open(&self.dir)?;
        let end = self.end()?;
        let pending = PendingMerge::from_index(&repository, &self.dir);
        let good = repository.resolve("HEAD");
        match (pending, good) {
            (Ok(merge), Ok(good)) => {
                let objects = Some(merge.objects());
                self.judge(
                    VersionsToCompare { good: good.id.0, bad: merge.commit.0.clone(), objects },
                    end,
                )
            }
            (Err(problem), _) | (_, Err(problem)) => {
                self.skip(&format!("the merge: {problem}"));
                Ok(Exit::Found)
            }
        }
    }

    /// Prints what is not checked, in one line.
    fn skip(&self, what: &str) {
        self.console.finish();
        self.console.error(&format!("git-mend: Not checked: {what}\n"));
    }

    /// Allows or blocks a push or merge.
    fn judge(&self, candidate: VersionsToCompare, end: Instant) -> Result<Exit> {
        let is_pending = candidate.objects.is_some();
        let request = HookCheckRequest {
            good: candidate.good.clone(),
            subject: self.subject(candidate)?,
            end,
        };
        let gate = gate(&request, self.context)?;
        self.console.finish();
        for gap in gate.report.format_gaps() {
            self.console.error(&format!("{gap}\n"));
        }
        if let Some(summary) = gate.report.format_summary() {
            self.console.say(&summary);
        }
        match self.shared.format {
            Format::Human | Format::Dot => self.console.show(&self.human(&gate, is_pending)?),
            Format::Json => Console::answer(&self.json(&gate)?),
        }
        Ok(if gate.report.allows_change() { Exit::Found } else { Exit::NotFound })
    }

    fn subject(&self, candidate: VersionsToCompare) -> Result<SubjectRequest> {
        let VersionsToCompare { bad, objects, .. } = candidate;
        let settings = Settings::read(&self.dir)?;
        let oracle = OracleRequest::Tests(Vec::new());
        let words = command_line(self.arguments);
        let subject =
            SubjectArguments::default().request(&settings, &self.dir, bad, oracle, words)?;
        Ok(SubjectRequest { objects, ..subject })
    }

    fn human(&self, gate: &HookResult, is_pending: bool) -> Result<String> {
        if gate.report.allows_change() {
            return Ok(String::new());
        }
        let style = self.console.answer_style();
        let mut text = gate.report.format_objections(&style);
        if let Some(ending) = gate.search_to_show(is_pending) {
            let is_found = ending.folder.starts_with(runs_of(&self.dir));
            let scene = OutputContext {
                folder: &ending.folder,
                is_default_location: is_found,
                project_folder: None,
                can_read_folder: true,
            };
            text += "\n";
            text += &mend_report::format_result(
                &ending.result,
                ending.guilty.as_ref(),
                &scene,
                &style,
            )?;
        }
        let verb = if self.options.name == GitHook::PrePush { "push" } else { "merge" };
        Ok([text, format!("\nTo {verb} anyway: git {verb} --no-verify\n")].concat())
    }

    fn json(&self, gate: &HookResult) -> Result<String> {
        json(&HookResultJson {
            schema: "git-mend/hook/1",
            hook: self.options.name.name(),
            allowed: gate.report.allows_change(),
            report: &gate.report,
            search: gate.search.as_ref().map(|ending| &ending.result),
        })
    }

    /// Returns the deadline for tests, from `--budget`, the user's git config or the project's settings.
    fn end(&self) -> Result<Instant> {
        let said =
            Git::with_user_settings(&self.dir).args(["config", "--get", "mend.budget"]).answer()?;
        let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        let configured = (!said.is_empty()).then(|| parse_time(&said)).transpose();
        let configured = configured.map_err(|message| Problem::Usage {
            message: format!("mend.budget in git config is `{said}`, which is not a time"),
            remedy: format!("run `git config mend.budget TIME`: {message}"),
        })?;
        let set = Settings::read(&self.dir)?.hook_budget;
        let budget = self.options.budget.or(configured).or(set).unwrap_or(BUDGET);
        Ok(Instant::now() + budget)
    }
}

/// Returns the pushed commits, from the input that git gives its hooks or from the variables of pre-commit.
fn pushes() -> Result<Vec<PushedBranch>> {
    let commit = |name: &str| variable(name).filter(|id| !id.is_empty());
    if let Some(to) = commit("PRE_COMMIT_TO_REF") {
        let from = commit("PRE_COMMIT_FROM_REF").unwrap_or_else(|| "0".to_owned());
        return Ok(PushedBranch::parse(&format!("refs/heads/- {to} refs/heads/- {from}")));
    }
    let mut lines = Vec::new();
    std::io::stdin().read_to_end(&mut lines).context("reading what is pushed")?;
    Ok(PushedBranch::parse(&String::from_utf8_lossy(&lines)))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_to_each_file_is_one_line() {
        let all = [
            InstallAction::Created,
            InstallAction::Added,
            InstallAction::Updated,
            InstallAction::Unchanged,
            InstallAction::Removed,
            InstallAction::Deleted,
        ];
        let placed = |done| InstallResult {
            hook: GitHook::PrePush,
            path: ".git/hooks/pre-push".into(),
            done,
            is_executable: true,
        };
        insta::assert_snapshot!(all.map(|done| action_line(&placed(done))).concat(), @r"
        pre-push: created .git/hooks/pre-push
        pre-push: added to .git/hooks/pre-push
        pre-push: updated in .git/hooks/pre-push
        pre-push: nothing to do
        pre-push: removed from .git/hooks/pre-push
        pre-push: deleted .git/hooks/pre-push
        ");
    }
}
