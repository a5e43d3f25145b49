//! `git mend bisect`: from what is typed and what is set to a request.

use super::arguments::{Arguments, BisectArguments, Command, Shared, UnitsChoice};
use super::conclude;
use super::console::Console;
use super::settings::Settings;
use crate::engine::Build;
use crate::model::{Exit, Problem, Result, Selector};
use crate::report::Goal;
use crate::run::{
    self, Context, GoodRevision, OracleRequest, Repeat, Request, command_line_of, ends_of_log,
    newest_unfinished, read_log, runs_of,
};
use clap::Parser as _;
use regex::Regex;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) fn run(
    options: &BisectArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
    arguments: &[OsString],
) -> Result<Exit> {
    let words = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    let command_line = ["git".to_owned(), "mend".to_owned()].into_iter().chain(words).collect();
    let request = if options.resume && options.asks_nothing() {
        resumed(options, shared)?
    } else {
        request(options, shared, command_line)?
    };
    conclude(&run::bisect(&request, context)?, shared, console, arguments)
}

impl BisectArguments {
    /// Whether nothing is said of what to bisect.
    fn asks_nothing(&self) -> bool {
        self.good.is_none() && self.test.is_empty() && self.cmd.is_empty() && self.log.is_none()
    }
}

/// The request of an unfinished run, to go on with it.
fn resumed(options: &BisectArguments, shared: &Shared) -> Result<Request> {
    let folder = match &options.output {
        Some(output) => shared.dir.join(output),
        None => newest_unfinished(&runs_of(&shared.dir)).ok_or_else(|| Problem::Usage {
            message: "there is no unfinished run to resume".to_owned(),
            remedy: "start one with --good, --bad and --test".to_owned(),
        })?,
    };
    let command_line = command_line_of(&folder)?;
    let words = std::iter::once("git-mend".to_owned()).chain(command_line.iter().skip(2).cloned());
    let Ok(Arguments { command: Command::Bisect(before), .. }) = Arguments::try_parse_from(words)
    else {
        return Err(Problem::Usage {
            message: format!("{} was not written by this version", folder.display()),
            remedy: "repeat the whole command with --resume".to_owned(),
        });
    };
    let request = request(&before, shared, command_line)?;
    Ok(Request { output: Some(folder), resume: true, ..request })
}

/// What is asked for, from the arguments and the settings.
pub(super) fn request(
    options: &BisectArguments,
    shared: &Shared,
    command_line: Vec<String>,
) -> Result<Request> {
    let dir = std::path::absolute(&shared.dir).map_err(|error| Problem::io(error, &shared.dir))?;
    let settings = Settings::read(&dir)?;
    let (good, bad) = ends(options, &dir)?;
    let symptom = options.symptom.as_deref().or(settings.symptom.as_deref());
    let goal = options.goal.unwrap_or(Goal::Both);
    if options.all && !goal.wants_culprit() {
        return Err(Problem::Usage {
            message: "--all looks for further culprits, and --goal fix for none".to_owned(),
            remedy: "leave --goal out, or say --goal culprit".to_owned(),
        });
    }
    Ok(Request {
        good,
        bad,
        oracle: oracle(options)?,
        goal,
        symptom: symptom.map(pattern).transpose()?,
        no_history: options.no_history,
        first_parent: options.first_parent || settings.first_parent,
        skip: options.skip.clone(),
        log: options.log.clone(),
        all: options.all,
        repeat: options.repeat.or(settings.repeat).unwrap_or(Repeat::Times(1)),
        timeout: options.timeout.or(settings.timeout),
        jobs: options.jobs.or(settings.jobs).map_or_else(half_the_cores, usize::from),
        seed: options.seed.or(settings.seed).unwrap_or(0),
        engine: options.engine.unwrap_or_default(),
        build: options.build.or(settings.build).unwrap_or(Build::Auto),
        sources: first_given(&options.source, &settings.source),
        test_sources: first_given(&options.test_source, &settings.test_source),
        class_path: class_path(options, &settings, &dir)?,
        javac_options: first_given(&options.javac_option, &settings.javac_option),
        java: options.java.unwrap_or_default().mode(),
        with_test_units: options.units == Some(UnitsChoice::All),
        output: options.output.as_ref().map(|output| dir.join(output)),
        resume: options.resume,
        dry_run: options.dry_run,
        command_line,
        dir,
    })
}

fn first_given<T: Clone>(flags: &[T], settings: &[T]) -> Vec<T> {
    if flags.is_empty() { settings } else { flags }.to_vec()
}

/// What libraries are named; a name that leads nowhere would only show as a broken build.
fn class_path(options: &BisectArguments, settings: &Settings, dir: &Path) -> Result<Vec<PathBuf>> {
    let named = first_given(&options.classpath, &settings.classpath);
    // `lib/*` means every jar in `lib`.
    let place = |path: &PathBuf| match path.parent() {
        Some(folder) if path.ends_with("*") => dir.join(folder),
        _ => dir.join(path),
    };
    match named.iter().find(|path| !place(path).exists()) {
        None => Ok(named),
        Some(path) => Err(Problem::Usage {
            message: format!("--classpath names {}, which is not there", path.display()),
            remedy: "name jars and folders from where you are, with `:` between them".to_owned(),
        }),
    }
}

/// Good and bad, from the flags or from a bisect log.
fn ends(options: &BisectArguments, dir: &Path) -> Result<(GoodRevision, String)> {
    let log = options.log.as_ref().map(|path| read_log(&dir.join(path))).transpose()?;
    let (log_good, log_bad) = log.as_deref().map(ends_of_log).unwrap_or_default();
    let bad = options.bad.clone().or(log_bad).unwrap_or_else(|| "HEAD".to_owned());
    match options.good.clone().or(log_good) {
        Some(good) if good == "auto" => Ok((GoodRevision::Auto, bad)),
        Some(good) => Ok((GoodRevision::Named(good), bad)),
        None => Err(Problem::Usage {
            message: "no good version is named".to_owned(),
            remedy: "add `--good REV` with a revision where the test passed, or `--good auto`"
                .to_owned(),
        }),
    }
}

fn oracle(options: &BisectArguments) -> Result<OracleRequest> {
    if !options.cmd.is_empty() {
        return Ok(OracleRequest::Command(options.cmd.clone()));
    }
    if options.test.is_empty() {
        return Err(Problem::Usage {
            message: "no test is named".to_owned(),
            remedy: "add `--test pkg.Class#method`, or a command after `--`".to_owned(),
        });
    }
    let selector = |text: &String| {
        text.parse::<Selector>().map_err(|message| Problem::Usage {
            message,
            remedy: "write --test pkg.Class, --test pkg.Class#method or a glob".to_owned(),
        })
    };
    options.test.iter().map(selector).collect::<Result<_>>().map(OracleRequest::Tests)
}

fn pattern(text: &str) -> Result<Regex> {
    Regex::new(text).map_err(|error| Problem::Usage {
        message: format!("--symptom is no regular expression: {error}"),
        remedy: "put a backslash before characters that are meant literally".to_owned(),
    })
}

fn half_the_cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1))
}
