//! `git mend fix`: builds the request from arguments and settings, runs it, and applies the best fix if asked to.

use crate::cli::arguments::{Command, FixArguments, Shared};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::conclude;
use crate::cli::settings::Settings;
use crate::cli::subject_request::{ResumableRun, command_line, expected_output};
use crate::run::{self, Budget, Context, FinishedRun, FixRequest, GoodRevision, Repeat, Technique};
use mend_git::{NewCommit, Repository};
use mend_model::{Exit, Problem, Result};
use mend_report::FixResult;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(
    options: &FixArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
    arguments: &[OsString],
) -> Result<Exit> {
    let (request, wish) = if options.subject.resume && options.subject.test.is_empty() {
        resumed(options, shared)?
    } else {
        (request(options, shared, command_line(arguments))?, ApplyMode::from_options(options))
    };
    let dir = &request.subject.dir;
    if let Some(name) = &wish.branch {
        let repository = Repository::open(dir)?;
        repository.check_new_branch(name)?;
        // A folder has no commit that the branch could begin at.
        repository.resolve(&request.subject.bad)?;
    }
    let mut ending = run::fix(&request, context)?;
    let taken = wish.done(dir, &ending);
    if let Ok(AppliedFix { next: Some(words), .. }) = &taken {
        // The fix is applied already.
        let place = (shared.dir != Path::new(".")).then(|| shared.dir.to_string_lossy());
        let place = place.iter().flat_map(|dir| ["-C", dir]);
        let words = words.iter().map(String::as_str);
        ending.result.next_command =
            Some(shell_words::join(["git"].into_iter().chain(place).chain(words)));
    }
    let exit = conclude(&ending, shared, console, arguments)?;
    taken?.said.iter().for_each(|line| console.say(line));
    Ok(exit)
}

/// Options for the best fix: `--apply` and `--branch`.
struct ApplyMode {
    is_applied: bool,
    branch: Option<String>,
}

impl ApplyMode {
    fn from_options(options: &FixArguments) -> Self {
        Self { is_applied: options.apply, branch: options.branch.clone() }
    }
}

/// Messages about the best fix, and the next command.
#[derive(Default)]
struct AppliedFix {
    said: Vec<String>,
    /// Arguments of the `git` command that shows it.
    next: Option<Vec<String>>,
}

impl ApplyMode {
    /// Applies the best fix, or creates the branch, if a fix was found.
    fn done(&self, dir: &Path, ending: &FinishedRun) -> Result<AppliedFix> {
        let mut taken = AppliedFix::default();
        let best = ending.result.fixes.first().filter(|_| ending.exit == Exit::Found);
        let Some((fix, patch)) = best.and_then(|fix| Some((fix, fix.patch.as_ref()?))) else {
            return Ok(taken);
        };
        if let Some(name) = &self.branch {
            branch(dir, name, fix, ending)?;
            taken.said.push(format!("created branch {name} with {patch} as a commit"));
            taken.next = Some(vec!["show".to_owned(), name.clone()]);
        }
        if self.is_applied {
            apply(dir, &ending.folder.join(patch))?;
            taken.said.push(format!("applied {patch} to the work tree"));
            taken.next = Some(vec!["diff".to_owned()]);
        }
        Ok(taken)
    }
}

/// Creates a branch on bad with the fix as a commit.
fn branch(dir: &Path, name: &str, fix: &FixResult, ending: &FinishedRun) -> Result<()> {
    let repository = Repository::open(dir)?;
    let bad = ending.result.bad.as_ref().map_or("HEAD", |bad| &bad.revision);
    let base = repository.resolve(bad)?.id;
    let place = fix.location.as_deref().unwrap_or("a failing test");
    let message = format!("Fix {place}\n\n{}", fix.why);
    let patch = ending.folder.join(fix.patch.as_deref().unwrap_or_default());
    repository.branch_with(
        name,
        &base,
        NewCommit { patch: &patch, message: &message },
        &ending.folder,
    )
}

/// Applies a fix to the work tree.
fn apply(dir: &Path, patch: &Path) -> Result<()> {
    match Repository::open(dir)?.apply_to_work_tree(patch)? {
        None => Ok(()),
        Some(said) => Err(Problem::Usage {
            message: format!("the fix does not apply to the work tree: {said}"),
            remedy: format!("check out the bad version, then: git apply {}", patch.display()),
        }),
    }
}

/// Returns the techniques of `--technique`, or all.
fn techniques(options: &FixArguments, has_good: bool) -> Result<Vec<Technique>> {
    match &options.technique[..] {
        [] => Ok(vec![Technique::Regression, Technique::Concurrency, Technique::Contract]),
        asked if asked.contains(&Technique::Regression) && !has_good => Err(Problem::Usage {
            message: "--technique regression needs a good version".to_owned(),
            remedy: "add `--good REV`, or `--good auto`".to_owned(),
        }),
        asked => Ok(asked.to_vec()),
    }
}

/// Returns the request of an unfinished run, to continue it, and the options for its best fix.
fn resumed(options: &FixArguments, shared: &Shared) -> Result<(FixRequest, ApplyMode)> {
    let unfinished =
        ResumableRun::find("fix", &options.subject, shared, "start a run with --test")?;
    let Some(Command::Fix(before)) = unfinished.command() else {
        return Err(unfinished.foreign());
    };
    let request = request(&before, shared, unfinished.command_line.clone())?;
    let request = FixRequest { subject: unfinished.taken_up(request.subject), ..request };
    let branch = options.branch.clone().or(before.branch);
    Ok((request, ApplyMode { is_applied: before.apply || options.apply, branch }))
}

/// Builds the request from the arguments and the settings.
fn request(
    options: &FixArguments,
    shared: &Shared,
    command_line: Vec<String>,
) -> Result<FixRequest> {
    let dir = std::path::absolute(&shared.dir).map_err(|error| Problem::io(error, &shared.dir))?;
    let settings = Settings::read(&dir)?;
    let oracle = options.subject.tests("add `--test pkg.Class` with the failing tests")?;
    let bad = options.subject.bad.clone().unwrap_or_else(|| "HEAD".to_owned());
    let subject = options.subject.request(&settings, &dir, bad, oracle, command_line)?;
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
    let techniques = techniques(options, good.is_some())?;
    let is_chosen = !options.technique.is_empty();
    let candidates = options.candidates.and_then(|most| usize::try_from(most).ok());
    let expected = expected_output(&dir, options.expect_output.as_deref())?;
    if expected.is_some() && !techniques.contains(&Technique::Concurrency) {
        return Err(Problem::Usage {
            message: "--expect-output needs --technique concurrency".to_owned(),
            remedy: "add `concurrency` to --technique, or omit --technique".to_owned(),
        });
    }
    let (top, budget) = (options.top.into(), Budget { time: options.budget, candidates });
    Ok(FixRequest { subject, good, techniques, is_chosen, expected, top, budget })
}
