//! Console: prints the progress line, messages and the result.

use crate::cli::arguments::{ColorWhen, Shared};
use crate::cli::output::progress_line::ProgressLine;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use mend_model::{ProgressEvent, ProgressListener, Verdict};
use mend_report::{TerminalStyle, sanitise_line};
use std::io::{IsTerminal as _, Write as _};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use terminal_size::{Width, terminal_size_of};

/// Width in columns if the terminal does not report one.
const USUAL_WIDTH: usize = 80;

/// Columns before the text of the progress line: the spinner, the elapsed time, and spaces.
const BEFORE: usize = 12;

/// Console of one command: messages go to standard error, the result to standard output.
pub(crate) struct Console {
    bar: Option<ProgressBar>,
    live: Arc<Mutex<ProgressLine>>,
    quiet: bool,
    verbose: bool,
    answer: TerminalStyle,
    talk: TerminalStyle,
}

impl Console {
    pub(crate) fn new(shared: &Shared) -> Self {
        let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
        let live = Arc::new(Mutex::new(ProgressLine::new(Instant::now())));
        let is_moving = stderr.is_terminal() && !is_dumb() && !shared.quiet && !shared.plain;
        Self {
            bar: is_moving.then(|| live_view(Arc::clone(&live))),
            live,
            quiet: shared.quiet,
            verbose: shared.verbose,
            answer: style(shared, &stdout).with_brief(shared.quiet),
            talk: style(shared, &stderr),
        }
    }

    /// Style of the result.
    pub(crate) fn answer_style(&self) -> TerminalStyle {
        self.answer
    }

    /// Style of messages.
    pub(crate) fn talk_style(&self) -> TerminalStyle {
        self.talk
    }

    /// Prints a result for people.
    pub(crate) fn show(&self, text: &str) {
        Self::answer(&self.answer.sanitise(text));
    }

    /// Prints a result for programs. A closed pipe is not an error.
    pub(crate) fn answer(text: &str) {
        drop(std::io::stdout().write_all(text.as_bytes()));
    }

    /// Prints an error.
    pub(crate) fn error(&self, text: &str) {
        Self::log(&self.talk.sanitise(text));
    }

    /// Prints text to standard error as it is; it must contain no untrusted control characters.
    pub(crate) fn log(text: &str) {
        drop(std::io::stderr().write_all(text.as_bytes()));
    }

    /// Prints a message on its own line, unless `--quiet` is set.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            _ if self.quiet => {}
            Some(bar) => bar.println(self.talk.sanitise(line)),
            None => self.error(&format!("{line}\n")),
        }
    }

    /// Removes the progress line.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn live(&self) -> std::sync::MutexGuard<'_, ProgressLine> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressListener for Console {
    fn event(&self, event: ProgressEvent) {
        match event {
            ProgressEvent::Stage(text) => {
                self.live().stage(Instant::now());
                self.say(&sanitise_line(&text));
            }
            ProgressEvent::Note(text) => self.say(&format!("note: {}", sanitise_line(&text))),
            ProgressEvent::TrialStarted { what, left, if_slow } => {
                let what = sanitise_line(&what);
                self.live().trying(what, left, if_slow, Instant::now());
            }
            ProgressEvent::BatchProgress { what, left, if_slow } => {
                let what = sanitise_line(&what);
                self.live().counting(what, left, if_slow, Instant::now());
            }
            // On a terminal the progress line shows the trials, unless the user asks for a line each.
            ProgressEvent::TrialFinished { what, verdict, cached, seconds } => {
                let what = sanitise_line(&what);
                self.live().tried(&what, cached, Instant::now());
                if self.verbose || self.bar.is_none() {
                    let took = (!cached).then_some(seconds);
                    self.say(&tried(&what, verdict, took, &self.talk));
                }
            }
        }
    }
}

/// Formats a trial as one line: verdict, description, and seconds or `cached`.
fn tried(what: &str, verdict: Verdict, seconds: Option<f64>, style: &TerminalStyle) -> String {
    let (start, end) = style.verdict_escapes(verdict);
    let took = seconds.map_or("cached".to_owned(), |seconds| format!("{seconds:.1} s"));
    format!("  {start}{:<10}{end} {what} ({took})", verdict.word())
}

fn live_view(live: Arc<Mutex<ProgressLine>>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let line = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
        let width = width(&std::io::stderr()).unwrap_or(USUAL_WIDTH).saturating_sub(BEFORE);
        let live = live.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_str(&live.line(Instant::now(), width));
    };
    let style = ProgressStyle::with_template("{spinner} {elapsed} {line}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    bar.set_style(style.with_key("line", line));
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn style(shared: &Shared, stream: &(impl AsFd + std::io::IsTerminal)) -> TerminalStyle {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_coloured = match shared.color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => stream.is_terminal() && !is_refused && !is_dumb(),
    };
    let style = match (shared.plain, is_coloured) {
        (true, _) => TerminalStyle::spoken(),
        (false, true) => TerminalStyle::coloured(),
        (false, false) => TerminalStyle::plain(),
    };
    style.with_width(width(stream))
}

/// Returns true if the terminal supports neither colours nor rewriting a line.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// Returns the width of a terminal in columns; `None` for other streams.
fn width(stream: &impl AsFd) -> Option<usize> {
    terminal_size_of(stream).map(|(Width(columns), _)| usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::Phase;

    #[test]
    fn verbose_has_a_line_for_each_trial() {
        let lines = |style: &TerminalStyle| {
            [
                tried("good (v1.4)", Verdict::Pass, Some(1.25), style),
                tried("with 9 of 18 components", Verdict::Fail, None, style),
                tried(
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
