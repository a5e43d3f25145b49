//! The result screen on the terminal.

use super::TerminalStyle;
use crate::patch::format;
use crate::reproduce;
use crate::run_folder::result::{
    CommitInfo, DeltaSize, PatchResult, RunResult, RunStatus, Verification,
};
use crate::sanitize::{harmless_copy, one_line};
use crate::terminal::output_excerpt::evidence;
use crate::threads::result;
use mend_model::{Exit, Problem, Result, counted, first_of, without_options};
use std::fmt::Write as _;
use std::path::Path;

/// Maximum number of changed lines shown of each patch.
const MOST_LINES: usize = 14;

/// Maximum number of entries shown of one kind: commits, further culprits, gaps.
const MOST_NAMED: usize = 8;

/// Maximum number of files or commits named in one line.
const MOST_IN_LINE: usize = 3;

/// Width of the labels at the top (`Test:`, `Culprit:`), in columns.
const TOP_LABEL: usize = 9;

/// Location of a run, as the reader of its result sees it.
#[derive(Clone, Copy, Debug)]
pub struct OutputContext<'a> {
    /// The run folder.
    pub folder: &'a Path,
    /// True if `--resume` finds the run folder without `--output`.
    pub is_found: bool,
    /// The folder of the project, if it is not the current folder.
    pub elsewhere: Option<&'a Path>,
    /// True if the reader can access the run folder.
    pub is_kept: bool,
}

impl OutputContext<'_> {
    /// Returns a git command line for the folder of the project.
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

    /// Returns the command that applies a patch of the run.
    pub(super) fn apply(&self, patch: &str) -> String {
        self.git(&["apply", &self.file(patch)])
    }

    pub(super) fn file(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }
}

/// Formats the result of a run for the terminal.
///
/// # Errors
/// An internal error.
pub fn human(
    result: &RunResult,
    guilty: Option<&CommitInfo>,
    scene: &OutputContext<'_>,
    style: &TerminalStyle,
) -> Result<String> {
    let result = &harmless_copy(result)?;
    let guilty = guilty.map(harmless_copy).transpose()?;
    let mut out = String::new();
    let TerminalStyle { dim, reset, .. } = style;
    top(result, guilty.as_ref(), style, &mut out);
    patches(result, scene.folder, style, &mut out);
    write_other_culprits(result, style, &mut out);
    out.push_str(&fixes::show(result, scene.folder, style));
    out.push_str(&pool_table::show(result, style));
    if let Some(found) = &result.schedules {
        out.push_str(&result::show(found, style));
    }
    if let Some(line) = verified(result) {
        out.push_str(&style.prose(2, &line));
    }
    let not_checked = |line: &str| format!("{dim}Not checked: {line}{reset}");
    named(&result.not_checked, style, &mut out, |line| not_checked(line), not_checked);
    if !style.is_brief {
        cost(result, style, &mut out);
        next(result, scene, style, &mut out);
    }
    Ok(out)
}

/// Writes the first entries, each as one paragraph, and the number of the others.
fn named<T>(
    all: &[T],
    style: &TerminalStyle,
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

/// Writes the messages and the culprit commit. If the first message is the symptom, it is the line `Test:`, and the other
/// messages are notes.
fn top(result: &RunResult, guilty: Option<&CommitInfo>, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, dim, reset, .. } = style;
    let all =
        result.messages.iter().chain(result.message.iter().filter(|_| result.messages.is_empty()));
    let messages: Vec<&String> = all.collect();
    let labelled = |label: &str, text: &str| {
        let label = format!("{label:TOP_LABEL$}");
        style.prose(TOP_LABEL, &format!("{title}{label}{reset}{text}"))
    };
    let (notes, plain) = match &messages[..] {
        [first, others @ ..] if result.symptom.as_ref() == Some(first) => {
            out.push_str(&labelled("Test:", first));
            (others, &[][..])
        }
        all => (&[][..], all),
    };
    for (at, message) in plain.iter().enumerate() {
        let title = if at == 0 { title } else { "" };
        out.push_str(&style.prose(2, &format!("{title}{message}{reset}")));
    }
    if let Some(CommitInfo { short_id, author, date, summary }) = guilty {
        out.push_str(&labelled("Culprit:", &format!("{short_id} {summary} (first bad commit)")));
        let line = format!("{:TOP_LABEL$}{dim}{author}, {date}{reset}", "");
        out.push_str(&style.prose(TOP_LABEL, &line));
    }
    for note in notes {
        out.push_str(&labelled("Note:", note));
    }
    if result.suspects.len() > 1 {
        suspects(result, style, out);
    }
}

fn suspects(result: &RunResult, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, reset, .. } = style;
    let number = result.suspects.len();
    let is_of_all =
        result.culprit.as_ref().is_some_and(|culprit| culprit.commits == result.suspects);
    let heading = if is_of_all {
        format!("{title}Culprits:{reset} {number} commits that break the test only together")
    } else {
        format!(
            "{title}The culprit is one of these {number} commits{reset}; the commits between them could not be tested"
        )
    };
    let _ = write!(out, "\n{}", style.prose(2, &heading));
    let indented = |words: &str| format!("  {words}");
    named(&result.suspects, style, out, |commit| indented(commit), indented);
}

fn patches(result: &RunResult, folder: &Path, style: &TerminalStyle, out: &mut String) {
    let both = [
        (["Minimal culprit", "Smallest culprit so far"], &result.culprit),
        (["Fix", "Smallest fix so far"], &result.fix),
    ];
    for ([minimal, so_far], patch) in both {
        let Some(patch) = patch else { continue };
        let heading = if patch.minimal { minimal } else { so_far };
        let size = format!("({})", counted(patch.tokens, "token"));
        let text = std::fs::read(folder.join(&patch.patch)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        out.push('\n');
        out.push_str(&format::show_titled(
            (heading, &size),
            &text,
            style,
            MOST_LINES,
            &patch.patch,
        ));
    }
}

fn write_other_culprits(result: &RunResult, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, reset, .. } = style;
    let another =
        |one: &PatchResult| format!("{title}Another culprit{reset} {}", format_culprit(one, style));
    let more = |words: &str| format!("{title}Other culprits:{reset} {words}");
    named(&result.others, style, out, another, more);
}

fn format_culprit(other: &PatchResult, style: &TerminalStyle) -> String {
    let TerminalStyle { path, reset, .. } = style;
    let size = counted(other.tokens, "token");
    let kind = if other.minimal { "" } else { ", not minimal yet" };
    let files = first_of(&other.files, MOST_IN_LINE);
    let short = |commit: &String| commit.get(..10).unwrap_or(commit).to_owned();
    let commits: Vec<String> = other.commits.iter().map(short).collect();
    let by = if commits.is_empty() {
        String::new()
    } else {
        format!(", from {}", first_of(&commits, MOST_IN_LINE))
    };
    format!("({size}{kind}): {} in {path}{files}{reset}{by}", other.patch)
}

fn cost(result: &RunResult, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { dim, reset, .. } = style;
    let cost = &result.cost;
    let commits = (result.commits_tested > 0).then(|| counted(result.commits_tested, "commit"));
    let components = result
        .delta
        .as_ref()
        .map(|delta| format!("{} ({})", counted(delta.components, "component"), tokens(delta)));
    let searched: Vec<String> = commits.into_iter().chain(components).collect();
    let cached = match cost.cached {
        0 => String::new(),
        count => format!(" ({count} cached)"),
    };
    let runs = match &result.schedules {
        Some(found) => counted(found.run, "schedule") + &cached,
        None => counted(cost.tests, "test run") + &cached,
    };
    let time = duration(cost.seconds);
    let words = match (&searched[..], &result.schedules) {
        ([], Some(_)) => format!("Explored {runs} in {time}"),
        ([], None) => format!("Finished {runs} in {time}"),
        (_, _) => format!("Searched {} in {runs}, {time}", searched.join(" and ")),
    };
    let _ = write!(out, "\n{}", style.prose(2, &format!("{dim}{words}{reset}")));
}

/// Returns the line about the final check of the patches, if there was one.
pub(super) fn verified(result: &RunResult) -> Option<String> {
    let Verification { fresh_build, .. } = result.confirmed.as_ref()?;
    let verified =
        if result.patches.is_empty() { "Verified" } else { "Plausible patches are verified" };
    // A command of the user's decides by itself what it builds and starts.
    let how = match (result.environment.jdk.is_some(), *fresh_build) {
        (false, _) => "",
        (true, true) => " with a full build and a fresh JVM",
        (true, false) => " with a fresh JVM",
    };
    Some(format!("{verified} on a clean checkout{how}"))
}

fn next(result: &RunResult, scene: &OutputContext<'_>, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, dim, reset, .. } = style;
    let mut line = |label: &str, command: &str| {
        let label = format!("{label:12}");
        let _ = writeln!(out, "{title}{label}{reset}{command}");
    };
    let command = next_command(result, scene);
    if let (Some(again), Some(_)) = (reproduce::same_machine_command(result), &result.next_command)
        && again.contains("--replay")
    {
        line("Replay:", &again);
    }
    if !command.is_empty() {
        line(if applies(&command) { "Apply:" } else { "Next:" }, &command);
    }
    let _ = writeln!(out, "{dim}Run folder: {}{reset}", scene.folder.display());
}

/// Returns true if a git command applies a patch, and does not revert one.
pub(super) fn applies(command: &str) -> bool {
    let words = shell_words::split(command).unwrap_or_default();
    let words = without_options(&words, &["-C"]);
    matches!(&words[..], [git, apply, patch, ..] if git == "git" && apply == "apply" && patch != "-R")
}

/// Returns the command to type next; an empty text if there is none.
pub(super) fn next_command(result: &RunResult, scene: &OutputContext<'_>) -> String {
    let best = result.fixes.first().and_then(|fix| fix.patch.as_ref());
    let fix = result.fix.as_ref().map(|fix| &fix.patch).or(best);
    match (fix, &result.culprit, result.status) {
        _ if !scene.is_kept => String::new(),
        (_, _, RunStatus::Interrupted) => scene.resume(&result.command),
        _ if result.next_command.is_some() => result.next_command.clone().unwrap_or_default(),
        (Some(fix), _, _) => scene.apply(fix),
        (None, Some(culprit), _) => scene.git(&["apply", "-R", &scene.file(&culprit.patch)]),
        (None, None, _) => match &result.culprit_commit {
            Some(commit) => scene.git(&["show", commit.get(..12).unwrap_or(commit)]),
            // The same search with the same seed gives the same result.
            None if matches!(result.command.as_str(), "explore" | "fix") => String::new(),
            None => reproduce::same_machine_command(result).unwrap_or_default(),
        },
    }
}

/// Formats the size of a change.
pub fn of_size(size: &DeltaSize) -> String {
    let (files, components) = (counted(size.files, "file"), counted(size.components, "component"));
    format!("{files}, {components}, {}", tokens(size))
}

fn tokens(size: &DeltaSize) -> String {
    counted(usize::try_from(size.tokens).unwrap_or(usize::MAX), "token")
}

/// Formats seconds as minutes and seconds.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round();
    format!("{:.0} min {:.0} s", (whole / 60.0).floor(), whole % 60.0)
}

/// Formats an error with its evidence and its help line. `folder` is the run folder, if there is one.
pub fn problem(problem: &Problem, folder: Option<&Path>, style: &TerminalStyle) -> String {
    let TerminalStyle { title, error, dim, reset, .. } = style;
    let mut out =
        style.prose(2, &format!("{error}error:{reset} {}", one_line(&problem.to_string())));
    if let Some(text) = problem.output() {
        out.push_str(&evidence(text, style));
    }
    out.push_str(&style.prose(2, &format!("{title}help:{reset} {}", one_line(&problem.remedy()))));
    if let (Some(folder), Exit::Internal | Exit::Environment | Exit::BadBaseline) =
        (folder, problem.exit())
    {
        let _ = writeln!(out, "{dim}log: {}{reset}", folder.join("log.txt").display());
    }
    out
}

pub(crate) mod fixes;
pub(crate) mod output_excerpt;
pub(crate) mod pool_table;
pub(crate) mod style;
#[cfg(test)]
mod tests;
