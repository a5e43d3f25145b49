//! Console: prints the progress line, messages and the result.

use crate::cli::arguments::{ColorWhen, Shared};
use crate::cli::output::progress_line::ProgressLine;
use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use mend_model::{ProgressEvent, ProgressListener, Result, Verdict};
use mend_report::{TerminalStyle, sanitise_line};
use serde::Serialize;
use std::io::{IsTerminal as _, Write as _};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use terminal_size::{Width, terminal_size_of};

/// Width in columns if the terminal does not report one.
const DEFAULT_WIDTH: usize = 80;

/// Columns before the text of the progress line: the spinner, the elapsed time, and spaces.
const PROGRESS_PREFIX_WIDTH: usize = 12;

/// Console of one command: messages go to standard error, the result to standard output.
pub(crate) struct Console {
    progress_bar: Option<ProgressBar>,
    progress_line: Arc<Mutex<ProgressLine>>,
    is_quiet: bool,
    is_verbose: bool,
    result_style: TerminalStyle,
    message_style: TerminalStyle,
}

impl Console {
    pub(crate) fn new(shared: &Shared) -> Self {
        let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
        let progress_line = Arc::new(Mutex::new(ProgressLine::new(Instant::now())));
        let shows_progress =
            stderr.is_terminal() && !is_dumb_terminal() && !shared.quiet && !shared.plain;
        Self {
            progress_bar: shows_progress.then(|| start_progress_bar(Arc::clone(&progress_line))),
            progress_line,
            is_quiet: shared.quiet,
            is_verbose: shared.verbose,
            result_style: choose_style(shared, &stdout).with_brief(shared.quiet),
            message_style: choose_style(shared, &stderr),
        }
    }

    /// Returns the style of the result.
    pub(crate) fn result_style(&self) -> TerminalStyle {
        self.result_style
    }

    /// Returns the style of messages.
    pub(crate) fn message_style(&self) -> TerminalStyle {
        self.message_style
    }

    /// Prints a result for people.
    pub(crate) fn print_human_result(&self, text: &str) {
        Self::print_raw_result(&self.result_style.sanitise(text));
    }

    /// Prints a result for programs. Ignores a closed pipe.
    pub(crate) fn print_raw_result(text: &str) {
        drop(std::io::stdout().write_all(text.as_bytes()));
    }

    /// Prints a result as JSON.
    pub(crate) fn print_json_result(value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(value).context("writing JSON")?;
        Self::print_raw_result(&format!("{text}\n"));
        Ok(())
    }

    /// Prints an error.
    pub(crate) fn print_error(&self, text: &str) {
        Self::print_raw_message(&self.message_style.sanitise(text));
    }

    /// Prints text to standard error unchanged. The text must not contain untrusted control characters.
    pub(crate) fn print_raw_message(text: &str) {
        drop(std::io::stderr().write_all(text.as_bytes()));
    }

    /// Prints a message on its own line, unless `--quiet` is set.
    pub(crate) fn print_message(&self, line: &str) {
        match &self.progress_bar {
            _ if self.is_quiet => {}
            Some(bar) => bar.println(self.message_style.sanitise(line)),
            None => self.print_error(&format!("{line}\n")),
        }
    }

    /// Removes the progress line.
    pub(crate) fn clear_progress(&self) {
        if let Some(bar) = &self.progress_bar {
            bar.finish_and_clear();
        }
    }

    fn lock_progress_line(&self) -> std::sync::MutexGuard<'_, ProgressLine> {
        self.progress_line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressListener for Console {
    fn handle(&self, event: ProgressEvent) {
        match event {
            ProgressEvent::Stage(text) => {
                self.lock_progress_line().start_stage(Instant::now());
                self.print_message(&sanitise_line(&text));
            }
            ProgressEvent::Note(text) => {
                self.print_message(&format!("note: {}", sanitise_line(&text)));
            }
            ProgressEvent::TrialStarted { description, remaining: left, slow_hint: if_slow } => {
                let description = sanitise_line(&description);
                self.lock_progress_line().start_trial(description, left, if_slow, Instant::now());
            }
            ProgressEvent::BatchProgress { description, remaining: left, slow_hint: if_slow } => {
                let description = sanitise_line(&description);
                self.lock_progress_line().show_count(description, left, if_slow, Instant::now());
            }
            // On a terminal, the progress line shows the trials, unless the user requests a line for each trial.
            ProgressEvent::TrialFinished { description, verdict, is_cached: cached, seconds } => {
                let description = sanitise_line(&description);
                self.lock_progress_line().finish_trial(&description, cached, Instant::now());
                if self.is_verbose || self.progress_bar.is_none() {
                    let seconds_taken = (!cached).then_some(seconds);
                    self.print_message(&format_trial(
                        &description,
                        verdict,
                        seconds_taken,
                        &self.message_style,
                    ));
                }
            }
        }
    }
}

/// Formats a trial as one line: verdict, description, and seconds or `cached`.
fn format_trial(
    what: &str,
    verdict: Verdict,
    seconds: Option<f64>,
    style: &TerminalStyle,
) -> String {
    let (start, end) = style.verdict_escapes(verdict);
    let took = seconds.map_or("cached".to_owned(), |seconds| format!("{seconds:.1} s"));
    format!("  {start}{:<10}{end} {what} ({took})", verdict.name())
}

fn start_progress_bar(progress_line: Arc<Mutex<ProgressLine>>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let line = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
        let width = terminal_width(&std::io::stderr())
            .unwrap_or(DEFAULT_WIDTH)
            .saturating_sub(PROGRESS_PREFIX_WIDTH);
        let progress_line = progress_line.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_str(&progress_line.format(Instant::now(), width));
    };
    let style = ProgressStyle::with_template("{spinner} {elapsed} {line}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    bar.set_style(style.with_key("line", line));
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn choose_style(shared: &Shared, stream: &(impl AsFd + std::io::IsTerminal)) -> TerminalStyle {
    let is_colour_disabled = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_coloured = match shared.color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => stream.is_terminal() && !is_colour_disabled && !is_dumb_terminal(),
    };
    let style = match (shared.plain, is_coloured) {
        (true, _) => TerminalStyle::spoken(),
        (false, true) => TerminalStyle::coloured(),
        (false, false) => TerminalStyle::plain(),
    };
    style.with_width(terminal_width(stream))
}

/// Returns true if the terminal supports neither colours nor rewriting a line.
fn is_dumb_terminal() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// Returns the width of a terminal in columns; `None` for other streams.
fn terminal_width(stream: &impl AsFd) -> Option<usize> {
    terminal_size_of(stream).map(|(Width(columns), _)| usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::Phase;

    #[test]
    fn verbose_prints_one_line_per_trial() {
        let lines = |style: &TerminalStyle| {
            [
                format_trial("good (v1.4)", Verdict::Pass, Some(1.25), style),
                format_trial("with 9 of 18 components", Verdict::Fail, None, style),
                format_trial(
                    "with 4 components",
                    Verdict::Unresolved(Phase::NotCompiled),
                    Some(0.04),
                    style,
                ),
            ]
            .join("\n")
        };
        insta::assert_snapshot!(lines(&TerminalStyle::plain()), @r"
        pass       good (v1.4) (1.2 s)
        fail       with 9 of 18 components (cached)
        unresolved with 4 components (0.0 s)
        ");
        let coloured = lines(&TerminalStyle::coloured()).replace('\u{1b}', "");
        insta::assert_snapshot!(coloured, @r"
        [32mpass      [0m good (v1.4) (1.2 s)
        [31mfail      [0m with 9 of 18 components (cached)
        [2munresolved[0m with 4 components (0.0 s)
        ");
    }
}
