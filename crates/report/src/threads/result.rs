//! Result of schedule exploration: types for `result.json`, and its formatting for the terminal.

use crate::TerminalStyle;
use crate::terminal::style::LineMarks;
use mend_model::{format_count, join_with_and, without_packages};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Maximum number of data races, lock-order cycles and guarded variables shown.
const MAX_FINDINGS: usize = 5;

/// Minimum detection probability worth reporting.
const MIN_REPORTED_PROBABILITY: f64 = 0.95;

/// Result of an exploration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScheduleReport {
    /// Number of executed schedules.
    pub run: usize,
    /// Number of failing schedules.
    pub failing: usize,
    /// Number of schedules that did not finish.
    pub inconclusive: usize,
    /// Seed of the schedulers.
    pub seed: u64,
    /// Number of executed and of failing schedules, by scheduler.
    pub schedulers: BTreeMap<String, [usize; 2]>,
    /// Kinds of failure, the most frequent first.
    pub failures: Vec<FailedSchedules>,
    /// Access patterns of the failing schedules, the most suspicious first.
    pub patterns: Vec<PatternResult>,
    /// Data races.
    pub races: Vec<RaceResult>,
    /// Lock-order cycles.
    pub lock_cycles: Vec<LockCycle>,
    /// Lock that guards each variable.
    pub policy: Vec<LockUsage>,
    /// Guarantee if no schedule failed.
    pub certificate: Option<Certificate>,
    /// Sequence diagram of one schedule as text.
    pub picture: Option<String>,
    /// Steps of that schedule, one sentence each.
    #[serde(default)]
    pub steps: Vec<String>,
}

/// Schedules with the same failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSchedules {
    /// `test`, `exception`, `deadlock`, `lost_signal`, `livelock`, `exit`; `output` if the test passes with unexpected
    /// output, `race` if it passes with a data race.
    pub kind: String,
    /// Failure message.
    pub message: String,
    /// Number of these schedules.
    pub count: usize,
    /// Number of the first of these schedules, from 1.
    pub first: usize,
    /// Path of the schedule file in the run folder, for `--replay`.
    pub schedule: String,
}

/// Access pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternResult {
    /// Reads and writes by thread, such as `Ra Wb Wa`.
    pub pattern: String,
    /// Share of failing schedules among those with the pattern.
    pub suspiciousness: f64,
    /// Number of failing schedules with the pattern.
    pub failing: usize,
    /// Number of passing schedules with the pattern.
    pub passing: usize,
    /// Location of each step: `pkg.Class.method:line`.
    pub sites: Vec<String>,
    /// Variable of each step.
    pub variables: Vec<String>,
    /// True if the recorded schedule passes when two of the steps are swapped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decisive: bool,
    /// Explanation, one or two sentences.
    pub why: String,
}

/// Data race: two conflicting accesses that happens-before does not order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceResult {
    /// Variable of the race.
    pub variable: String,
    /// Locations of both accesses.
    pub sites: Vec<String>,
    /// Number of schedules with the race.
    pub schedules: usize,
}

/// Lock-order cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockCycle {
    /// Locations where a lock is acquired while another one is held.
    pub sites: Vec<String>,
    /// Number of schedules with the cycle.
    pub schedules: usize,
}

/// Lock discipline of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockUsage {
    /// Name of the variable.
    pub variable: String,
    /// Lock that is held most often, if any. `this` is the monitor of the object.
    pub lock: Option<String>,
    /// Number of accesses with that lock held.
    pub held: usize,
    /// Number of all accesses outside constructors.
    pub accesses: usize,
}

/// Guarantee that follows from schedules without a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Number of schedules.
    pub schedules: usize,
    /// Schedulers that chose the schedules.
    pub schedulers: Vec<String>,
    /// Upper bound of the failure rate at 95 % confidence, for schedules chosen this way.
    pub failure_rate_bound: f64,
    /// Minimum probability with which these schedules detect a concurrency bug of depth 2 (PCT, theorem 9). Absent
    /// below 0.95.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pct_depth2_probability: Option<f64>,
    /// True if every order of steps that can affect the result ran exactly once.
    #[serde(default)]
    pub exhaustive: bool,
    /// True if timeouts or the clock could cause orders that an exhaustive exploration did not run.
    #[serde(default)]
    pub time_dependent: bool,
}

impl ScheduleReport {
    /// Returns the pattern that explains the failure, if its order decides the outcome or it is much more frequent in
    /// failing than in passing schedules.
    pub(crate) fn explaining_pattern(&self) -> Option<&PatternResult> {
        let passing = self.run.saturating_sub(self.failing + self.inconclusive);
        let first = self.patterns.first();
        first.filter(|one| {
            one.decisive || is_explanatory([one.failing, one.passing], [self.failing, passing])
        })
    }

    /// Returns the lock discipline of the variables of the explanation and of the data races.
    pub(crate) fn relevant_policy(&self) -> impl Iterator<Item = &LockUsage> {
        let explained = self.explaining_pattern().map_or(&[][..], |pattern| &pattern.variables);
        let raced = self.races.iter().map(|race| &race.variable);
        let relevant: Vec<String> =
            explained.iter().chain(raced).map(|name| name.replace('$', ".")).collect();
        self.policy.iter().filter(move |usage| {
            relevant.iter().any(|name| {
                name.strip_suffix(&usage.variable)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            })
        })
    }
}

/// Returns true if a pattern explains failures: its share of the failing schedules is at least twice its share of the
/// passing ones.
pub fn is_explanatory([failing, passing]: [usize; 2], [failed, passed]: [usize; 2]) -> bool {
    passing == 0 || failing.saturating_mul(passed) >= (2 * passing).saturating_mul(failed)
}

impl Certificate {
    /// Creates the guarantee of `schedules` sampled schedules without a failure. `depth_two` is the probability to
    /// detect a bug of depth 2.
    pub fn from_sampling(
        schedules: usize,
        schedulers: Vec<String>,
        depth_two: f64,
    ) -> Option<Self> {
        let count = f64::from(u32::try_from(schedules).ok().filter(|count| *count > 0)?);
        Some(Self {
            schedules,
            schedulers,
            failure_rate_bound: 1.0 - 0.05_f64.powf(1.0 / count),
            pct_depth2_probability: Some(depth_two)
                .filter(|chance| *chance >= MIN_REPORTED_PROBABILITY),
            exhaustive: false,
            time_dependent: false,
        })
    }

    /// Creates the guarantee of an exhaustive exploration without a failure.
    pub fn exhaustive(schedules: usize, time_dependent: bool) -> Self {
        Self {
            schedules,
            schedulers: vec!["dpor".to_owned()],
            failure_rate_bound: 0.0,
            pct_depth2_probability: None,
            exhaustive: true,
            time_dependent,
        }
    }

    /// Formats the guarantee.
    pub fn to_text(&self) -> String {
        if self.exhaustive {
            let timeout_note =
                if self.time_dependent { ", unless a timeout expires early" } else { "" };
            let result = match self.schedules {
                1 => "the only schedule does not fail".to_owned(),
                count => format!("none of the {count} inequivalent schedules fails"),
            };
            return format!("exhaustive under sequential consistency: {result}{timeout_note}");
        }
        let (percent, scheduler_names) =
            (self.failure_rate_bound * 100.0, self.schedulers.join(", "));
        let depth_two = self.pct_depth2_probability.map_or(String::new(), |chance| {
            let percent = (chance * 1000.0).floor() / 10.0;
            format!(
                "; a bug of depth 2 would have been detected with at least {percent} % probability"
            )
        });
        format!(
            "with 95 % confidence, at most {percent:.2} % of schedules sampled by {scheduler_names} fail{depth_two}"
        )
    }
}

/// Formats the result for the terminal.
pub(crate) fn format_schedules(report: &ScheduleReport, style: &TerminalStyle) -> String {
    let TerminalStyle { title, dim, reset, .. } = style;
    let mut out = String::new();
    if let Some(pattern) = report.explaining_pattern() {
        let PatternResult { failing, passing, why, .. } = pattern;
        let _ = write!(out, "\n{}", style.wrap(5, &format!("{title}Why:{reset} {why}")));
        let _ =
            writeln!(out, "     {dim}in {failing} failing and {passing} passing schedules{reset}");
    }
    if let Some(picture) = &report.picture {
        let _ = writeln!(out);
        let max_width = picture.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        if style.marks == LineMarks::Signs && style.width.is_none_or(|width| max_width <= width) {
            let _ = writeln!(out, "{picture}");
        } else {
            write_steps(report, style, &mut out);
        }
    }
    write_races(report, style, &mut out);
    write_lock_cycles(report, style, &mut out);
    write_lock_usage(report, style, &mut out);
    if let Some(certificate) = &report.certificate {
        let guarantee = certificate.to_text();
        out.push_str(&style.wrap(2, &capitalise(&guarantee)));
    }
    out
}

fn capitalise(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

fn write_steps(report: &ScheduleReport, style: &TerminalStyle, out: &mut String) {
    for (at, step) in report.steps.iter().enumerate() {
        out.push_str(&style.wrap(5, &format!("{:>3}. {step}", at + 1)));
    }
}

fn write_races(report: &ScheduleReport, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, reset, .. } = style;
    for RaceResult { variable, sites, .. } in report.races.iter().take(MAX_FINDINGS) {
        let sites = join_with_and(sites);
        let description = without_packages(&format!("unordered accesses to {variable} at {sites}"));
        out.push_str(&style.wrap(2, &format!("{title}Data race:{reset} {description}")));
    }
    write_hidden_count(report.races.len(), "race", out);
}

fn write_lock_cycles(report: &ScheduleReport, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { title, reset, .. } = style;
    for LockCycle { sites, .. } in report.lock_cycles.iter().take(MAX_FINDINGS) {
        let sites = sites.join(", ");
        let description = without_packages(&format!("threads can deadlock at {sites}"));
        out.push_str(&style.wrap(2, &format!("{title}Lock-order cycle:{reset} {description}")));
    }
    write_hidden_count(report.lock_cycles.len(), "lock-order cycle", out);
}

/// Formats the lock discipline of the explained variables that a lock guards at some accesses.
fn write_lock_usage(report: &ScheduleReport, style: &TerminalStyle, out: &mut String) {
    let TerminalStyle { dim, reset, .. } = style;
    let guarded = report.relevant_policy().filter(|one| one.lock.is_some());
    for LockUsage { variable, lock, held, accesses } in guarded.take(MAX_FINDINGS) {
        let lock = lock.as_deref().unwrap_or_default();
        let frequency = format!("{held} of {}", count_accesses(*accesses));
        let description = without_packages(&format!("{variable} by {lock}"));
        out.push_str(&style.wrap(2, &format!("{dim}Guarded: {description} at {frequency}{reset}")));
    }
}

fn count_accesses(count: usize) -> String {
    if count == 1 { "1 access".to_owned() } else { format!("{count} accesses") }
}

fn write_hidden_count(count: usize, noun: &str, out: &mut String) {
    if count > MAX_FINDINGS {
        let _ = writeln!(out, "and {} more", format_count(count - MAX_FINDINGS, noun));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_rate_bound_follows_rule_of_three() {
        let bound = Certificate::from_sampling(1000, Vec::new(), 0.0).unwrap().failure_rate_bound;
        assert!((bound - 0.003).abs() < 0.0001, "{bound}");
        assert_eq!(Certificate::from_sampling(0, Vec::new(), 0.0), None);
    }

    #[test]
    fn high_detection_probability_is_reported() {
        let guarantee = |chance| {
            Certificate::from_sampling(1000, vec!["pct".to_owned()], chance).unwrap().to_text()
        };
        let clean = "with 95 % confidence, at most 0.30 % of schedules sampled by pct fail";
        assert_eq!(guarantee(0.94), clean);
        let detection_note =
            "; a bug of depth 2 would have been detected with at least 98.7 % probability";
        assert_eq!(guarantee(0.9876), format!("{clean}{detection_note}"));
    }

    #[test]
    fn pattern_frequent_in_passing_schedules_explains_nothing() {
        assert!(is_explanatory([30, 0], [30, 0]));
        assert!(is_explanatory([5, 10], [5, 300]));
        assert!(!is_explanatory([30, 30], [30, 40]));
        assert!(!is_explanatory([20, 81], [20, 81]));
    }

    #[test]
    fn schedule_report_fits_on_a_screen() {
        let sites = vec!["shop.Till.add:7".to_owned(), "shop.Till.sum:12".to_owned()];
        let pattern = PatternResult {
            pattern: "Ra Wb Wa".to_owned(),
            suspiciousness: 1.0,
            failing: 12,
            passing: 0,
            sites: sites.clone(),
            variables: vec!["shop.Till.sum".to_owned()],
            decisive: false,
            why: "`main` reads Till.sum, then `Thread-0` writes it, and `main` writes over that"
                .to_owned(),
        };
        let (variable, lock) = ("Till.sum".to_owned(), Some("this".to_owned()));
        let report = ScheduleReport {
            patterns: vec![pattern],
            picture: Some(
                "  main        Thread-0\n> reads sum\n>             writes sum".to_owned(),
            ),
            races: vec![RaceResult {
                variable: variable.clone(),
                sites: sites.clone(),
                schedules: 3,
            }],
            lock_cycles: vec![LockCycle { sites, schedules: 1 }],
            policy: vec![LockUsage { variable, lock, held: 3, accesses: 4 }],
            certificate: Certificate::from_sampling(
                1000,
                vec!["pos".to_owned(), "pct".to_owned()],
                0.0,
            ),
            ..ScheduleReport::default()
        };
        insta::assert_snapshot!(format_schedules(&report, &TerminalStyle::plain()), @r"

        Why: `main` reads Till.sum, then `Thread-0` writes it, and `main` writes over that
             in 12 failing and 0 passing schedules

          main        Thread-0
        > reads sum
        >             writes sum
        Data race: unordered accesses to Till.sum at Till.add:7 and Till.sum:12
        Lock-order cycle: threads can deadlock at Till.add:7, Till.sum:12
        Guarded: Till.sum by this at 3 of 4 accesses
        With 95 % confidence, at most 0.30 % of schedules sampled by pos, pct fail
        ");
    }

    #[test]
    fn exhaustive_guarantee_names_the_schedule_count() {
        let guarantee = |count| Certificate::exhaustive(count, false).to_text();
        let many =
            "exhaustive under sequential consistency: none of the 6 inequivalent schedules fails";
        assert_eq!(guarantee(6), many);
        let one = "exhaustive under sequential consistency: the only schedule does not fail";
        assert_eq!(guarantee(1), one);
    }

    #[test]
    fn too_wide_diagram_is_shown_step_by_step() {
        let picture = Some(format!("main{:60}Thread-0", ""));
        let steps = vec!["main reads sum".to_owned(), "Thread-0 writes sum".to_owned()];
        let report = ScheduleReport { picture, steps, ..ScheduleReport::default() };
        assert!(format_schedules(&report, &TerminalStyle::plain()).contains("main     "));
        let steps = "\n  1. main reads sum\n  2. Thread-0 writes sum\n";
        assert_eq!(format_schedules(&report, &TerminalStyle::plain().with_width(Some(60))), steps);
        assert_eq!(format_schedules(&report, &TerminalStyle::spoken()), steps);
    }

    #[test]
    fn only_guarded_variables_of_the_explanation_are_shown() {
        let lock_usage = |variable: &str, lock: Option<&str>| LockUsage {
            variable: variable.to_owned(),
            lock: lock.map(str::to_owned),
            held: 3,
            accesses: 4,
        };
        let policy = vec![
            lock_usage("Till.sum", None),
            lock_usage("Till.Item.price", Some("this")),
            lock_usage("Other.price", Some("this")),
        ];
        let race = |variable: &str| RaceResult {
            variable: variable.to_owned(),
            sites: Vec::new(),
            schedules: 1,
        };
        let races = vec![race("shop.Till.sum"), race("shop.Till$Item.price")];
        let report = ScheduleReport { races, policy, ..ScheduleReport::default() };
        let text = format_schedules(&report, &TerminalStyle::plain());
        assert!(
            text.ends_with("\nGuarded: Till.Item.price by this at 3 of 4 accesses\n"),
            "{text}"
        );
        assert_eq!(text.matches("Guarded").count(), 1, "{text}");
    }
}
