//! Command `git mend fix`: builds the request from arguments and settings, runs it, and applies the best fix on
//! request.

use crate::cli::arguments::{Command, FixArguments, GeneratorArguments, Shared};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::cli::settings::Settings;
use crate::cli::subject_request::{ResumableRun, command_line, read_expected_output};
use crate::run::{
    self, Budget, Context, FinishedRun, FixRequest, GeneratorRequest, GoodRevision, Repeat,
    Technique,
};
use mend_git::{NewCommit, Repository};
use mend_model::{Exit, Problem, Result};
use mend_report::{FixResult, RunGoal};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Time limit for each answer of a generator, unless the user sets one.
const DEFAULT_ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

/// Maximum number of tested patches of a generator, unless the user sets one.
const DEFAULT_MAX_PATCHES: usize = 20;

pub(crate) fn run(
    options: &FixArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
    arguments: &[OsString],
) -> Result<Exit> {
    let (request, apply_mode) = if options.subject.resume && options.subject.test.is_empty() {
        resume_request(options, shared)?
    } else {
        (build_request(options, shared, command_line(arguments))?, ApplyMode::from_options(options))
    };
    let dir = &request.subject.dir;
    if let Some(name) = &apply_mode.branch {
        let repository = Repository::open(dir)?;
        repository.check_new_branch(name)?;
        // A folder has no commit for the branch to start at.
        repository.resolve(&request.subject.bad)?;
    }
    let mut finished_run = run::fix(&request, context)?;
    let applied_fix = apply_mode.apply_best_fix(dir, &finished_run);
    if let Ok(AppliedFix { git_arguments: Some(git_arguments), .. }) = &applied_fix {
        // The fix is already applied.
        let dir_option = (shared.dir != Path::new(".")).then(|| shared.dir.to_string_lossy());
        let dir_option = dir_option.iter().flat_map(|dir| ["-C", dir]);
        let git_arguments = git_arguments.iter().map(String::as_str);
        finished_run.result.next_command =
            Some(shell_words::join(["git"].into_iter().chain(dir_option).chain(git_arguments)));
    }
    let exit = print_run_result(&finished_run, shared, console, arguments)?;
    applied_fix?.messages.iter().for_each(|line| console.print_message(line));
    Ok(exit)
}

/// Options for the best fix: `--apply` and `--branch`.
struct ApplyMode {
    applies_to_work_tree: bool,
    branch: Option<String>,
}

impl ApplyMode {
    fn from_options(options: &FixArguments) -> Self {
        Self { applies_to_work_tree: options.apply, branch: options.branch.clone() }
    }
}

/// Result of applying the best fix: messages, and the next command.
#[derive(Default)]
struct AppliedFix {
    messages: Vec<String>,
    /// Arguments of the `git` command that shows the fix.
    git_arguments: Option<Vec<String>>,
}

impl ApplyMode {
    /// Applies the best fix, or creates the branch, if a fix was found.
    fn apply_best_fix(&self, dir: &Path, finished_run: &FinishedRun) -> Result<AppliedFix> {
        let mut applied_fix = AppliedFix::default();
        let recommended = finished_run.result.fixes.iter().find(|fix| fix.is_recommended());
        let best = recommended.filter(|_| finished_run.exit == Exit::Found);
        let Some((fix, patch)) = best.and_then(|fix| Some((fix, fix.patch.as_ref()?))) else {
            return Ok(applied_fix);
        };
        if let Some(name) = &self.branch {
            create_fix_branch(dir, name, fix, finished_run)?;
            applied_fix.messages.push(format!("created branch {name} with {patch} as a commit"));
            applied_fix.git_arguments = Some(vec!["show".to_owned(), name.clone()]);
        }
        if self.applies_to_work_tree {
            apply_to_work_tree(dir, &finished_run.folder.join(patch))?;
            applied_fix.messages.push(format!("applied {patch} to the work tree"));
            applied_fix.git_arguments = Some(vec!["diff".to_owned()]);
        }
        Ok(applied_fix)
    }
}

/// Creates a branch on bad with the fix as a commit.
fn create_fix_branch(
    dir: &Path,
    name: &str,
    fix: &FixResult,
    finished_run: &FinishedRun,
) -> Result<()> {
    let repository = Repository::open(dir)?;
    let bad = finished_run.result.bad.as_ref().map_or("HEAD", |bad| &bad.revision);
    let base = repository.resolve(bad)?.id;
    let location = fix.location.as_deref().unwrap_or("a failing test");
    let message = format!("Fix {location}\n\n{}", fix.why);
    let patch = finished_run.folder.join(fix.patch.as_deref().unwrap_or_default());
    repository.create_branch_with_patch(
        name,
        &base,
        NewCommit { patch: &patch, message: &message },
        &finished_run.folder,
    )
}

/// Applies a fix to the work tree.
fn apply_to_work_tree(dir: &Path, patch: &Path) -> Result<()> {
    match Repository::open(dir)?.apply_to_work_tree(patch)? {
        None => Ok(()),
        Some(said) => Err(Problem::Usage {
            message: format!("the fix does not apply to the work tree: {said}"),
            remedy: format!("check out the bad version, then: git apply {}", patch.display()),
        }),
    }
}

/// Returns the techniques of `--technique`, or all.
fn selected_techniques(options: &FixArguments, has_good: bool) -> Result<Vec<Technique>> {
    match &options.technique[..] {
        [] => Ok(vec![Technique::Regression, Technique::Concurrency, Technique::Contract]),
        asked if asked.contains(&Technique::Regression) && !has_good => Err(Problem::Usage {
            message: "--technique regression needs a good version".to_owned(),
            remedy: "add `--good REV`, or `--good auto`".to_owned(),
        }),
        asked => Ok(asked.to_vec()),
    }
}

/// Returns the request that continues an unfinished run, and the options for the best fix.
fn resume_request(options: &FixArguments, shared: &Shared) -> Result<(FixRequest, ApplyMode)> {
    let resumable_run =
        ResumableRun::find("fix", &options.subject, shared, "start a run with --test")?;
    let Some(Command::Fix(earlier_arguments)) = resumable_run.parse_command() else {
        return Err(resumable_run.not_resumable_error());
    };
    let request = build_request(&earlier_arguments, shared, resumable_run.command_line.clone())?;
    let request = FixRequest { subject: resumable_run.resume_with(request.subject), ..request };
    let branch = options.branch.clone().or(earlier_arguments.branch);
    Ok((
        request,
        ApplyMode { applies_to_work_tree: earlier_arguments.apply || options.apply, branch },
    ))
}

/// Builds the request from the arguments and the settings.
fn build_request(
    options: &FixArguments,
    shared: &Shared,
    command_line: Vec<String>,
) -> Result<FixRequest> {
    let dir = shared.working_dir()?;
    let settings = Settings::read(&dir)?;
    let oracle =
        options.subject.parse_selectors("add `--test pkg.Class` with the failing tests")?;
    let bad = options.subject.bad.clone().unwrap_or_else(|| "HEAD".to_owned());
    let subject = options.subject.to_request(&settings, &dir, bad, oracle, command_line)?;
    if subject.repeat == Repeat::Auto {
        return Err(Problem::Usage {
            message: "`git mend fix` does not take --repeat auto".to_owned(),
            remedy: "give a number, such as --repeat 5".to_owned(),
        });
    }
    let good = options.good.as_ref().map(|good| match good.as_str() {
        "auto" => GoodRevision::Auto,
        named => GoodRevision::Named(named.to_owned()),
    });
    let techniques = selected_techniques(options, good.is_some())?;
    let is_chosen = !options.technique.is_empty();
    let candidates = options.candidates.and_then(|most| usize::try_from(most).ok());
    let expected = read_expected_output(&dir, options.expect_output.as_deref())?;
    if expected.is_some() && !techniques.contains(&Technique::Concurrency) {
        return Err(Problem::Usage {
            message: "--expect-output needs --technique concurrency".to_owned(),
            remedy: "add `concurrency` to --technique, or omit --technique".to_owned(),
        });
    }
    let (top, budget) =
        (options.top.into(), Budget { time_limit: options.budget, max_candidates: candidates });
    Ok(FixRequest {
        subject,
        good,
        symptom: None,
        first_parent_only: false,
        techniques,
        has_chosen_techniques: is_chosen,
        expected_output: expected,
        max_fixes: top,
        goal: search_goal(options.goal)?,
        generator: options.generator.to_request()?,
        budget,
    })
}

/// Returns the goal of the search for the culprit. The culprit alone is the goal of `git mend bisect`.
fn search_goal(goal: Option<RunGoal>) -> Result<RunGoal> {
    match goal {
        Some(RunGoal::Culprit) => Err(Problem::Usage {
            message: "`git mend fix` does not take --goal culprit".to_owned(),
            remedy: "use `git mend bisect --goal culprit`, or --goal both".to_owned(),
        }),
        goal => Ok(goal.unwrap_or(RunGoal::Fix)),
    }
}

impl GeneratorArguments {
    /// Returns the request of the generator, if there is one.
    pub(super) fn to_request(&self) -> Result<Option<GeneratorRequest>> {
        let parse = |command: &String| {
            GeneratorRequest::parse(
                command,
                self.trust_generator,
                self.generator_timeout.unwrap_or(DEFAULT_ANSWER_TIMEOUT),
                self.generator_candidates.map_or(DEFAULT_MAX_PATCHES, usize::from),
            )
        };
        match self.option_of_generator().filter(|_| self.generator.is_none()) {
            Some(option) => Err(Problem::Usage {
                message: format!("{option} needs a generator"),
                remedy: format!("add --generator CMD, or omit {option}"),
            }),
            None => self.generator.as_ref().map(parse).transpose(),
        }
    }

    /// Returns an option that was given and has no use without a generator. The settings may name the generator, so the
    /// parser of the arguments cannot check this.
    fn option_of_generator(&self) -> Option<&'static str> {
        let options = [
            (self.trust_generator, "--trust-generator"),
            (self.generator_timeout.is_some(), "--generator-timeout"),
            (self.generator_candidates.is_some(), "--generator-candidates"),
        ];
        options.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }
}
