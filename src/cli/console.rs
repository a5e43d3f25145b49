//! The one place that prints: the live view, the log lines and the answer.

use super::arguments::{ColorWhen, Shared};
use crate::model::{Event, Progress, Verdict};
use crate::report::Palette;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

/// Talks to the user on standard error, and answers on standard output.
pub(super) struct Console {
    bar: Option<ProgressBar>,
    quiet: bool,
    verbose: bool,
    answer: Palette,
    talk: Palette,
}

impl Console {
    pub(super) fn new(shared: &Shared) -> Self {
        let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
        let bar = (stderr.is_terminal() && !shared.quiet).then(live_view);
        Self {
            bar,
            quiet: shared.quiet,
            verbose: shared.verbose,
            answer: palette(shared.color, stdout.is_terminal()),
            talk: palette(shared.color, stderr.is_terminal()),
        }
    }

    /// The colours of the answer.
    pub(super) fn answer_palette(&self) -> Palette {
        self.answer
    }

    /// The colours of everything else.
    pub(super) fn talk_palette(&self) -> Palette {
        self.talk
    }

    /// Writes the answer. Nobody reading it is no error.
    pub(super) fn answer(text: &str) {
        drop(std::io::stdout().write_all(text.as_bytes()));
    }

    /// Writes what went wrong.
    pub(super) fn error(text: &str) {
        drop(std::io::stderr().write_all(text.as_bytes()));
    }

    /// Says something on a line of its own.
    pub(super) fn say(&self, line: &str) {
        match &self.bar {
            _ if self.quiet => {}
            Some(bar) => bar.println(line),
            None => Self::error(&format!("{line}\n")),
        }
    }

    /// Takes the live view away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn word(&self, verdict: Verdict) -> String {
        let (start, end) = self.talk.verdict(verdict);
        format!("{start}{:<10}{end}", verdict.word())
    }
}

impl Progress for Console {
    fn event(&self, event: Event) {
        match event {
            Event::Stage(text) => self.say(&text),
            Event::Note(text) => self.say(&format!("note: {text}")),
            Event::Trying { what, left } => {
                if let Some(bar) = &self.bar {
                    let left = left.map_or(String::new(), |left| format!(" (about {left} more)"));
                    bar.set_message(format!("{what}{left}"));
                }
            }
            // On a terminal the live view is enough, unless the user wants to see each.
            Event::Tried { what, verdict, cached, seconds } => {
                if self.verbose || self.bar.is_none() {
                    let took = if cached { "known".to_owned() } else { format!("{seconds:.1} s") };
                    self.say(&format!("  {} {what} ({took})", self.word(verdict)));
                }
            }
        }
    }
}

fn live_view() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn palette(when: ColorWhen, is_terminal: bool) -> Palette {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_coloured = match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => is_terminal && !is_refused,
    };
    if is_coloured { Palette::coloured() } else { Palette::plain() }
}
