//! One screen for a person with no time.

use super::evidence::evidence;
use super::harmless::{harmless_copy, one_line};
use super::result::{DeltaSize, Guilty, PatchResult, RunResult, Status};
use super::{Style, again, fixes, patch_view, pool_table, schedules};
use crate::model::{Exit, Problem, Result, counted, first_of};
use std::fmt::Write as _;
use std::path::Path;

/// How many changed lines of each patch fit on the screen.
const MOST_LINES: usize = 14;

/// How many of one kind are named: commits, further culprits, gaps.
const MOST_NAMED: usize = 8;

/// How many files or commits are named in one line.
const MOST_IN_LINE: usize = 3;

/// Where a run took place.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The run folder.
    pub folder: &'a Path,
    /// Whether `--resume` finds that by itself.
    pub is_found: bool,
    /// The folder of the subject, where that is not the current one.
    pub elsewhere: Option<&'a Path>,
    /// Whether the run folder is still there for who reads, and with it the machine of the run.
    pub is_kept: bool,
}

impl Scene<'_> {
    /// A call of git as it is to be typed.
    fn git(&self, words: &[&str]) -> String {
        let place = self.elsewhere.map(|dir| dir.to_string_lossy());
        let options = place.iter().flat_map(|dir| ["-C", dir]);
        shell_words::join(["git"].into_iter().chain(options).chain(words.iter().copied()))
    }

    fn resume(&self, command: &str) -> String {
        let folder = self.folder.to_string_lossy();
        let output = if self.is_found { Vec::new() } else { vec!["--output", &*folder] };
        self.git(&[&["mend", command, "--resume"], &output[..]].concat())
    }

    /// The command that applies a patch of the run.
    pub(super) fn apply(&self, patch: &str) -> String {
        self.git(&["apply", &self.file(patch)])
    }

    pub(super) fn file(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }
}

/// What a run found, on one screen.
///
/// # Errors
/// Our own fault.
pub fn human(
    result: &RunResult,
    guilty: Option<&Guilty>,
    scene: &Scene<'_>,
    style: &Style,
) -> Result<String> {
    let result = &harmless_copy(result)?;
    let guilty = guilty.map(harmless_copy).transpose()?;
    let mut out = String::new();
    let Style { title, dim, reset, .. } = style;
    let said = result.said.iter().chain(result.message.iter().filter(|_| result.said.is_empty()));
    for (at, words) in said.enumerate() {
        let title = if at == 0 { title } else { "" };
        out.push_str(&style.prose(2, &format!("{title}{words}{reset}")));
    }
    commit(result, guilty.as_ref(), style, &mut out);
    patches(result, scene.folder, style, &mut out);
    others(result, style, &mut out);
    out.push_str(&fixes::show(result, scene.folder, style));
    out.push_str(&pool_table::show(result, style));
    if let Some(found) = &result.schedules {
        out.push_str(&schedules::show(found, style));
    }
    let not_checked = |line: &str| format!("{dim}not checked: {line}{reset}");
    named(&result.not_checked, style, &mut out, |line| not_checked(line), not_checked);
    if !style.is_brief {
        cost(result, style, &mut out);
        next(result, scene, style, &mut out);
    }
    Ok(out)
}

/// The first of many, each as one paragraph, and how many more there are.
fn named<T>(
    all: &[T],
    style: &Style,
    out: &mut String,
    show: impl Fn(&T) -> String,
    around: impl Fn(&str) -> String,
) {
    all.iter().take(MOST_NAMED).for_each(|one| out.push_str(&style.prose(2, &show(one))));
    let more = all.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        out.push_str(&style.prose(2, &around(&format!("… {more} more: result.json"))));
    }
}

fn commit(result: &RunResult, guilty: Option<&Guilty>, style: &Style, out: &mut String) {
    let Style { title, dim, reset, .. } = style;
    if let Some(guilty) = guilty {
        let Guilty { short_id, author, date, summary } = guilty;
        let line = format!("{title}Broken by{reset} {short_id} {summary}");
        let _ = write!(out, "\n{}", style.prose(10, &line));
        out.push_str(&style.prose(10, &format!("          {dim}{author}, {date}{reset}")));
    }
    if result.suspects.len() > 1 {
        suspects(result, style, out);
    }
}

fn suspects(result: &RunResult, style: &Style, out: &mut String) {
    let Style { title, reset, .. } = style;
    let number = result.suspects.len();
    let is_of_all =
        result.culprit.as_ref().is_some_and(|culprit| culprit.commits == result.suspects);
    let heading = if is_of_all {
        format!("{title}Broken by these {number} commits{reset}, each of which brought a part:")
    } else {
        format!(
            "{title}One of these {number} commits{reset} broke it; those between could not be tested:"
        )
    };
    let _ = write!(out, "\n{}", style.prose(2, &heading));
    let indented = |words: &str| format!("  {words}");
    named(&result.suspects, style, out, |commit| indented(commit), indented);
}

fn patches(result: &RunResult, folder: &Path, style: &Style, out: &mut String) {
    let Style { title, reset, .. } = style;
    let both =
        [("The change that breaks it", &result.culprit), ("The patch that mends it", &result.fix)];
    for (heading, patch) in both {
        let Some(patch) = patch else { continue };
        let size = counted(patch.tokens, "token");
        let kind = if patch.minimal { "" } else { ", smallest so far" };
        let _ = writeln!(out, "\n{title}{heading}{reset} ({size}{kind})");
        if let Ok(text) = std::fs::read(folder.join(&patch.patch)) {
            out.push_str(&patch_view::show(
                &String::from_utf8_lossy(&text),
                style,
                MOST_LINES,
                &patch.patch,
            ));
        }
    }
}

fn others(result: &RunResult, style: &Style, out: &mut String) {
    let Style { title, reset, .. } = style;
    let around = |words: &str| format!("{title}Breaks it as well:{reset} {words}");
    named(&result.others, style, out, |one| around(&other(one, style)), around);
}

fn other(other: &PatchResult, style: &Style) -> String {
    let Style { path, reset, .. } = style;
    let size = counted(other.tokens, "token");
    let kind = if other.minimal { "" } else { ", smallest so far" };
    let files = first_of(&other.files, MOST_IN_LINE);
    let short = |commit: &String| commit.get(..10).unwrap_or(commit).to_owned();
    let commits: Vec<String> = other.commits.iter().map(short).collect();
    let by = if commits.is_empty() {
        String::new()
    } else {
        format!(", by {}", first_of(&commits, MOST_IN_LINE))
    };
    format!("{} ({size}{kind}) in {path}{files}{reset}{by}", other.patch)
}

fn cost(result: &RunResult, style: &Style, out: &mut String) {
    let Style { dim, reset, .. } = style;
    let cost = &result.cost;
    let mut parts = Vec::new();
    if result.commits_tested > 0 {
        parts.push(counted(result.commits_tested, "commit"));
    }
    if let Some(delta) = &result.delta {
        let components = counted(delta.components, "component");
        parts.push(format!("a change of {components} ({})", tokens(delta)));
    }
    parts.push(match &result.schedules {
        Some(found) => counted(found.run, "schedule"),
        None => counted(cost.tests, "test"),
    });
    if cost.cached > 0 {
        parts.push(format!("{} known from before", cost.cached));
    }
    let line = format!("{dim}Tried {} in {}{reset}", parts.join(", "), duration(cost.seconds));
    let _ = write!(out, "\n{}", style.prose(2, &line));
}

fn next(result: &RunResult, scene: &Scene<'_>, style: &Style, out: &mut String) {
    let Style { title, dim, reset, .. } = style;
    let command = next_command(result, scene);
    if let (Some(again), Some(_)) = (again::here(result), &result.next)
        && again.contains("--replay")
    {
        let _ = writeln!(out, "{title}Again:{reset} {again}");
    }
    if !command.is_empty() {
        let _ = writeln!(out, "{title}Next:{reset} {command}");
    }
    let _ = writeln!(out, "{dim}Everything about this run: {}{reset}", scene.folder.display());
}

/// What to type next; empty where nothing is known.
pub(super) fn next_command(result: &RunResult, scene: &Scene<'_>) -> String {
    let best = result.fixes.first().and_then(|fix| fix.patch.as_ref());
    let fix = result.fix.as_ref().map(|fix| &fix.patch).or(best);
    match (fix, &result.culprit, result.status) {
        _ if !scene.is_kept => String::new(),
        (_, _, Status::Interrupted) => scene.resume(&result.command),
        _ if result.next.is_some() => result.next.clone().unwrap_or_default(),
        (Some(fix), _, _) => scene.apply(fix),
        (None, Some(culprit), _) => scene.git(&["apply", "-R", &scene.file(&culprit.patch)]),
        (None, None, _) => match &result.culprit_commit {
            Some(commit) => scene.git(&["show", commit.get(..12).unwrap_or(commit)]),
            // What was to be tried was tried, and the same seed comes to the same end.
            None if matches!(result.command.as_str(), "explore" | "fix") => String::new(),
            None => again::here(result).unwrap_or_default(),
        },
    }
}

/// How large a change is, in words.
pub fn of_size(size: &DeltaSize) -> String {
    let (files, components) = (counted(size.files, "file"), counted(size.components, "component"));
    format!("{files}, {components}, {}", tokens(size))
}

fn tokens(size: &DeltaSize) -> String {
    counted(usize::try_from(size.tokens).unwrap_or(usize::MAX), "token")
}

/// Seconds as people say them.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round();
    format!("{:.0} min {:.0} s", (whole / 60.0).floor(), whole % 60.0)
}

/// What went wrong, the evidence, and what to do next. `folder` is the run folder, if there is one.
pub fn problem(problem: &Problem, folder: Option<&Path>, style: &Style) -> String {
    let Style { title, error, dim, reset, .. } = style;
    let mut out =
        style.prose(2, &format!("{error}error:{reset} {}", one_line(&problem.to_string())));
    if let Some(text) = problem.output() {
        out.push_str(&evidence(text, style));
    }
    out.push_str(&style.prose(2, &format!("{title}next:{reset} {}", one_line(&problem.remedy()))));
    if let (Some(folder), Exit::Internal | Exit::Environment | Exit::Premise) =
        (folder, problem.exit())
    {
        let _ = writeln!(out, "{dim}log: {}{reset}", folder.join("log.txt").display());
    }
    out
}

#[cfg(test)]
mod tests;
