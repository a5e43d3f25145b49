//! Formats the result of a run for the terminal.

use super::TerminalStyle;
use crate::patch::format;
use crate::reproduce;
use crate::revert_text::describe_revert;
use crate::run_folder::result::{
    CommitInfo, DeltaSize, PatchResult, RunResult, RunStatus, Verification,
};
use crate::sanitize::{sanitise_line, sanitised_copy};
use crate::terminal::output_excerpt::format_output_excerpt;
use crate::threads::result;
use mend_model::{Exit, Problem, Result, format_count, list_first, without_options};
use std::fmt::Write as _;
use std::path::Path;

/// Maximum number of changed lines shown of each patch.
const MAX_PATCH_LINES: usize = 14;

/// Maximum number of entries of each kind: commits, further culprits, gaps.
const MAX_ENTRIES: usize = 8;

/// Maximum number of files or commits named in one line.
const MAX_INLINE_NAMES: usize = 3;

/// Width of the labels at the top (`Test:`, `Culprit:`), in columns.
const TOP_LABEL: usize = 9;

/// Location of a run, as the reader of its result sees it.
#[derive(Clone, Copy, Debug)]
pub struct OutputContext<'a> {
    /// Path of the run folder.
    pub folder: &'a Path,
    /// True if `--resume` finds the run folder without `--output`.
    pub is_default_location: bool,
    /// Folder of the project, if it is not the current folder.
    pub project_folder: Option<&'a Path>,
    /// True if the reader can access the run folder.
    pub can_read_folder: bool,
}

impl<'a> OutputContext<'a> {
    /// Creates the context of a reader in the folder of the project, with a run folder in the default location.
    pub fn new(folder: &'a Path) -> Self {
        Self { folder, is_default_location: true, project_folder: None, can_read_folder: true }
    }

    /// Returns a git command line for the folder of the project.
    fn git_command(&self, args: &[&str]) -> String {
        let project_folder = self.project_folder.map(|dir| dir.to_string_lossy());
        let options = project_folder.iter().flat_map(|dir| ["-C", dir]);
        shell_words::join(["git"].into_iter().chain(options).chain(args.iter().copied()))
    }

    fn resume_command(&self, command: &str) -> String {
        let folder = self.folder.to_string_lossy();
        let output = if self.is_default_location { Vec::new() } else { vec!["--output", &*folder] };
        self.git_command(&[&["mend", command, "--resume"], &output[..]].concat())
    }

    /// Returns the command that applies a patch of the run.
    pub(super) fn apply_command(&self, patch: &str) -> String {
        self.git_command(&["apply", &self.file_path(patch)])
    }

    pub(super) fn file_path(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }
}

/// Formats the result of a run for the terminal.
///
/// # Errors
/// An internal error.
pub fn format_result(
    result: &RunResult,
    culprit: Option<&CommitInfo>,
    context: &OutputContext<'_>,
    style: &TerminalStyle,
) -> Result<String> {
    let result = &sanitised_copy(result)?;
    let culprit = culprit.map(sanitised_copy).transpose()?;
    let mut out = String::new();
    let TerminalStyle { dim, reset, .. } = style;
    write_header(result, culprit.as_ref(), style, &mut out);
    write_patches(result, context.folder, style, &mut out);
    write_other_culprits(result, style, &mut out);
    out.push_str(&fixes::format_fixes(result, context.folder, style));
    out.push_str(&fixes::format_unverified_fixes(result, style));
    out.push_str(&pool_table::format_pool(result, style));
    if let Some(found) = &result.schedules {
        out.push_str(&result::format_schedules(found, style));
    }
    if let Some(line) = verification_line(result) {
        out.push_str(&style.wrap(2, &line));
    }
    let format_gap = |line: &str| format!("{dim}Not checked: {line}{reset}");
    write_entries(&result.not_checked, style, &mut out, |line| format_gap(line), format_gap);
    if !style.is_brief {
        write_cost(result, style, &mut out);
        write_next_command(result, context, style, &mut out);
    }
    Ok(out)
}

/// Writes the first entries, each as one paragraph, and the number of the remaining ones.
fn write_entries<T>(
    entries: &[T],
    style: &TerminalStyle,
    out: &mut String,
    format_entry: impl Fn(&T) -> String,
    format_overflow: impl Fn(&str) -> String,
) {
    entries
        .iter()
        .take(MAX_ENTRIES)
        .for_each(|one| out.push_str(&style.wrap(2, &format_entry(one))));
    let hidden_count = entries.len().saturating_sub(MAX_ENTRIES);
    if hidden_count > 0 {
        out.push_str(
            &style.wrap(2, &format_overflow(&format!("… {hidden_count} more: result.json"))),
        );
    }
}

/// Writes the messages and the culprit commit. If the first message is the symptom, it is the line `Test:`, and the
/// other messages are notes.
fn write_header(
    result: &RunResult,
    culprit: Option<&CommitInfo>,
    style: &TerminalStyle,
    out: &mut String,
) {
    let TerminalStyle { title, dim, reset, .. } = style;
    let all_messages =
        result.messages.iter().chain(result.message.iter().filter(|_| result.messages.is_empty()));
    let messages: Vec<&String> = all_messages.collect();
    let format_labelled = |label: &str, text: &str| {
        let label = format!("{label:TOP_LABEL$}");
        style.wrap(TOP_LABEL, &format!("{title}{label}{reset}{text}"))
    };
    let (notes, unlabelled) = match &messages[..] {
        [first, others @ ..] if result.symptom.as_ref() == Some(first) => {
            out.push_str(&format_labelled("Test:", first));
            (others, &[][..])
        }
        all_messages => (&[][..], all_messages),
    };
    for (at, message) in unlabelled.iter().enumerate() {
        let title = if at == 0 { title } else { "" };
        out.push_str(&style.wrap(2, &format!("{title}{message}{reset}")));
    }
    if let Some(CommitInfo { short_id, author, date, summary }) = culprit {
        out.push_str(&format_labelled(
            "Culprit:",
            &format!("{short_id} {summary} (first bad commit)"),
        ));
        let line = format!("{:TOP_LABEL$}{dim}{author}, {date}{reset}", "");
        out.push_str(&style.wrap(TOP_LABEL, &line));
    }
    if let Some(revert) = result.revert {
        out.push_str(&format_labelled("Revert:", &describe_revert(revert, "bad")));
    }
    for note in notes {
        out.push_str(&format_labelled("Note:", note));
    }
    if result.suspects.len() > 1 {
        write_suspects(result, style, out);
    }
}

fn write_suspects(result: &RunResult, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, reset, .. } = style;
    let number = result.suspects.len();
    let are_all_culprits =
        result.culprit.as_ref().is_some_and(|culprit| culprit.commits == result.suspects);
    let heading = if are_all_culprits {
        format!("{title}Culprits:{reset} {number} commits that break the test only together")
    } else {
        format!(
            "{title}The culprit is one of these {number} commits{reset}; the commits between them could not be tested"
        )
    };
    let _ = write!(out, "\n{}", style.wrap(2, &heading));
    let indent = |text: &str| format!("  {text}");
    write_entries(&result.suspects, style, out, |commit| indent(commit), indent);
}

fn write_patches(result: &RunResult, folder: &Path, style: &TerminalStyle, out: &mut String) {
    let headed_patches = [
        (["Minimal culprit", "Smallest culprit so far"], &result.culprit),
        (["Fix", "Smallest fix so far"], &result.fix),
    ];
    for ([minimal, so_far], patch) in headed_patches {
        let Some(patch) = patch else { continue };
        let heading = if patch.minimal { minimal } else { so_far };
        let size = format!("({})", format_count(patch.tokens, "token"));
        let text = std::fs::read(folder.join(&patch.patch)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        out.push('\n');
        out.push_str(&format::format_titled_patch(
            (heading, &size),
            &text,
            style,
            MAX_PATCH_LINES,
            &patch.patch,
        ));
    }
}

fn write_other_culprits(result: &RunResult, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, reset, .. } = style;
    let format_entry =
        |one: &PatchResult| format!("{title}Another culprit{reset} {}", format_culprit(one, style));
    let format_overflow = |text: &str| format!("{title}Other culprits:{reset} {text}");
    write_entries(&result.others, style, out, format_entry, format_overflow);
}

fn format_culprit(culprit: &PatchResult, style: &TerminalStyle) -> String {
    let TerminalStyle { path, reset, .. } = style;
    let size = format_count(culprit.tokens, "token");
    let kind = if culprit.minimal { "" } else { ", not minimal yet" };
    let files = list_first(&culprit.files, MAX_INLINE_NAMES);
    let short_id = |commit: &String| commit.get(..10).unwrap_or(commit).to_owned();
    let commits: Vec<String> = culprit.commits.iter().map(short_id).collect();
    let origin = if commits.is_empty() {
        String::new()
    } else {
        format!(", from {}", list_first(&commits, MAX_INLINE_NAMES))
    };
    format!("({size}{kind}): {} in {path}{files}{reset}{origin}", culprit.patch)
}

fn write_cost(result: &RunResult, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { dim, reset, .. } = style;
    let cost = &result.cost;
    let commits =
        (result.commits_tested > 0).then(|| format_count(result.commits_tested, "commit"));
    let components = result.delta.as_ref().map(|delta| {
        format!("{} ({})", format_count(delta.components, "component"), format_tokens(delta))
    });
    let searched: Vec<String> = commits.into_iter().chain(components).collect();
    let cached = match cost.cached {
        0 => String::new(),
        count => format!(" ({count} cached)"),
    };
    let runs = match &result.schedules {
        Some(found) => format_count(found.run, "schedule") + &cached,
        None => format_count(cost.tests, "test run") + &cached,
    };
    let time = format_duration(cost.seconds);
    let sentence = match (&searched[..], &result.schedules) {
        ([], Some(_)) => format!("Explored {runs} in {time}"),
        ([], None) => format!("Finished {runs} in {time}"),
        (_, _) => format!("Searched {} in {runs}, {time}", searched.join(" and ")),
    };
    let _ = write!(out, "\n{}", style.wrap(2, &format!("{dim}{sentence}{reset}")));
}

/// Returns the line about the final check of the patches, if there was a check.
pub(super) fn verification_line(result: &RunResult) -> Option<String> {
    let Verification { fresh_build, .. } = result.confirmed.as_ref()?;
    let verified =
        if result.patches.is_empty() { "Verified" } else { "Plausible patches are verified" };
    // A user's command decides itself about builds and processes.
    let build_mode = match (result.environment.jdk.is_some(), *fresh_build) {
        (false, _) => "",
        (true, true) => " with a full build and a fresh JVM",
        (true, false) => " with a fresh JVM",
    };
    Some(format!("{verified} on a clean checkout{build_mode}"))
}

fn write_next_command(
    result: &RunResult,
    context: &OutputContext<'_>,
    style: &TerminalStyle,
    out: &mut String,
) {
    let TerminalStyle { title, dim, reset, .. } = style;
    let mut write_line = |label: &str, command: &str| {
        let label = format!("{label:12}");
        let _ = writeln!(out, "{title}{label}{reset}{command}");
    };
    let command = next_command(result, context);
    if let (Some(repeat_command), Some(_)) =
        (reproduce::same_machine_command(result), &result.next_command)
        && repeat_command.contains("--replay")
    {
        write_line("Replay:", &repeat_command);
    }
    if !command.is_empty() {
        write_line(if is_apply_command(&command) { "Apply:" } else { "Next:" }, &command);
    }
    let _ = writeln!(out, "{dim}Run folder: {}{reset}", context.folder.display());
}

/// Returns true if a git command applies a patch, and does not revert one.
pub(super) fn is_apply_command(command: &str) -> bool {
    let args = shell_words::split(command).unwrap_or_default();
    let args = without_options(&args, &["-C"]);
    matches!(&args[..], [git, apply, patch, ..] if git == "git" && apply == "apply" && patch != "-R")
}

/// Returns the next command for the user, or an empty text if there is none.
pub(super) fn next_command(result: &RunResult, context: &OutputContext<'_>) -> String {
    let best_fix = result.fixes.iter().find(|fix| fix.is_recommended());
    let best_fix_patch = best_fix.and_then(|fix| fix.patch.as_ref());
    let fix = result.fix.as_ref().map(|fix| &fix.patch).or(best_fix_patch);
    match (fix, &result.culprit, result.status) {
        _ if !context.can_read_folder => String::new(),
        (_, _, RunStatus::Interrupted) => context.resume_command(&result.command),
        _ if result.next_command.is_some() => result.next_command.clone().unwrap_or_default(),
        (Some(fix), _, _) => context.apply_command(fix),
        (None, Some(culprit), _) => {
            context.git_command(&["apply", "-R", &context.file_path(&culprit.patch)])
        }
        (None, None, _) => match &result.culprit_commit {
            Some(commit) => context.git_command(&["show", commit.get(..12).unwrap_or(commit)]),
            // Repeating the search with the same seed would give the same result.
            None if matches!(result.command.as_str(), "explore" | "fix" | "test") => String::new(),
            None => reproduce::same_machine_command(result).unwrap_or_default(),
        },
    }
}

/// Formats the size of a change.
pub fn format_delta_size(size: &DeltaSize) -> String {
    let (files, components) =
        (format_count(size.files, "file"), format_count(size.components, "component"));
    format!("{files}, {components}, {}", format_tokens(size))
}

fn format_tokens(size: &DeltaSize) -> String {
    format_count(usize::try_from(size.tokens).unwrap_or(usize::MAX), "token")
}

/// Formats seconds as minutes and seconds.
pub(super) fn format_duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let rounded = seconds.round();
    format!("{:.0} min {:.0} s", (rounded / 60.0).floor(), rounded % 60.0)
}

/// Formats an error with its evidence and its help line. `folder` is the run folder, if there is one.
pub fn format_problem(problem: &Problem, folder: Option<&Path>, style: &TerminalStyle) -> String {
    let TerminalStyle { title, error, dim, reset, .. } = style;
    let mut out =
        style.wrap(2, &format!("{error}error:{reset} {}", sanitise_line(&problem.to_string())));
    if let Some(text) = problem.output() {
        out.push_str(&format_output_excerpt(text, style));
    }
    out.push_str(
        &style.wrap(2, &format!("{title}help:{reset} {}", sanitise_line(&problem.remedy()))),
    );
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
