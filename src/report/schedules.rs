//! What many schedules of a test's threads came to: for `result.json`, and for people.

use super::Style;
use super::style::Marks;
use crate::model::counted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many races, circles and guarded variables fit on the screen.
const MOST: usize = 5;

/// A smaller chance to have seen a fault says little.
const WORTH_TELLING: f64 = 0.95;

/// What schedules came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schedules {
    /// How many were run.
    pub run: usize,
    /// How many of them failed.
    pub failing: usize,
    /// How many came to no end.
    pub inconclusive: usize,
    /// The seed of their samplers.
    pub seed: u64,
    /// By sampler, how many were run, and how many of those failed.
    pub strategies: BTreeMap<String, [usize; 2]>,
    /// The ways in which they failed, the most frequent first.
    pub failures: Vec<FailedSchedules>,
    /// What the failing ones have in common, the most suspicious first.
    pub patterns: Vec<PatternResult>,
    /// Accesses that nothing orders.
    pub races: Vec<RaceResult>,
    /// Locks that threads take in circles.
    pub lock_cycles: Vec<LockCycle>,
    /// Which lock guards which variable.
    pub policy: Vec<SchedulePolicy>,
    /// What follows where none failed.
    pub certificate: Option<Certificate>,
    /// The sequence picture of one, as it is shown.
    pub picture: Option<String>,
    /// The same step by step.
    #[serde(default)]
    pub steps: Vec<String>,
}

/// Schedules that failed alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSchedules {
    /// `test`, `exception`, `deadlock`, `lost_signal`, `livelock`, `exit`; `output` for one that passes and
    /// prints something else than is expected, `race` for one that shows a race and does not fail.
    pub kind: String,
    /// What is told of it.
    pub message: String,
    /// How many.
    pub count: usize,
    /// The number of the first one, from 1.
    pub first: usize,
    /// The file in the run folder that `--replay` takes.
    pub schedule: String,
}

/// A pattern of accesses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternResult {
    /// Who does what in which order, such as `Ra Wb Wa`.
    pub pattern: String,
    /// The share of failing schedules among those that show it.
    pub suspicion: f64,
    /// Failing schedules that show it.
    pub failing: usize,
    /// Passing ones.
    pub passing: usize,
    /// Where, step by step: `pkg.Class.method:line`.
    pub sites: Vec<String>,
    /// The variable of each step.
    pub variables: Vec<String>,
    /// What it means, in one sentence.
    pub why: String,
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceResult {
    /// The variable.
    pub variable: String,
    /// Both places.
    pub sites: Vec<String>,
    /// In how many schedules it was seen.
    pub schedules: usize,
}

/// Locks taken in a circle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockCycle {
    /// Where each is taken while another one is held.
    pub sites: Vec<String>,
    /// In how many schedules it was seen.
    pub schedules: usize,
}

/// How a variable is guarded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedulePolicy {
    /// The variable.
    pub variable: String,
    /// The lock that is held most often, if any is; `this` is the object's own.
    pub lock: Option<String>,
    /// At how many accesses.
    pub held: usize,
    /// Of how many, constructors aside.
    pub accesses: usize,
}

/// What schedules without a failure say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// How many there were.
    pub schedules: usize,
    /// What sampled them.
    pub samplers: Vec<String>,
    /// With 95 % certainty, at most this share of schedules fails, as they are sampled.
    pub bound: f64,
    /// With at least this chance they would have shown a fault that takes two orderings of steps; left out where it says
    /// little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_two: Option<f64>,
    /// Whether these are all orders of steps that can make a difference, each of them once.
    #[serde(default)]
    pub proved: bool,
    /// Of all orders: whether time-outs or the clock might make another difference.
    #[serde(default)]
    pub timed: bool,
}

impl Schedules {
    /// The pattern that explains the failure in the picture, if it is seen much more often where schedules fail than
    /// where they pass.
    pub(super) fn blamed(&self) -> Option<&PatternResult> {
        let passing = self.run.saturating_sub(self.failing + self.inconclusive);
        let first = self.patterns.first();
        first.filter(|one| tells_apart([one.failing, one.passing], [self.failing, passing]))
    }
}

/// Whether what so many failing and passing schedules show, of so many that there are, says why some of them fail: its
/// share of those is at least twice that of these.
pub(crate) fn tells_apart([failing, passing]: [usize; 2], [failed, passed]: [usize; 2]) -> bool {
    passing == 0 || failing.saturating_mul(passed) >= (2 * passing).saturating_mul(failed)
}

impl Certificate {
    /// What so many schedules say of which none failed, and which show a fault of depth 2 with this chance.
    pub fn of(schedules: usize, samplers: Vec<String>, depth_two: f64) -> Option<Self> {
        let count = f64::from(u32::try_from(schedules).ok().filter(|count| *count > 0)?);
        let bound = 1.0 - 0.05_f64.powf(1.0 / count);
        let depth_two = Some(depth_two).filter(|chance| *chance >= WORTH_TELLING);
        Some(Self { schedules, samplers, bound, depth_two, proved: false, timed: false })
    }

    /// What all orders of steps say of which none failed.
    pub fn of_all(schedules: usize, timed: bool) -> Self {
        let samplers = vec!["all".to_owned()];
        Self { schedules, samplers, bound: 0.0, depth_two: None, proved: true, timed }
    }

    /// In words.
    pub fn told(&self) -> String {
        if self.proved {
            let timed = if self.timed { ", as long as no time-out passes early" } else { "" };
            let all = match self.schedules {
                1 => "the only order of steps does not fail".to_owned(),
                count => format!(
                    "none of {count} orders of steps fails, which are all that can make a difference"
                ),
            };
            return format!("proved under sequential consistency: {all}{timed}");
        }
        let (percent, samplers) = (self.bound * 100.0, self.samplers.join(", "));
        let depth_two = self.depth_two.map_or(String::new(), |chance| {
            let percent = (chance * 1000.0).floor() / 10.0;
            format!("; a fault that takes two orderings of steps would have shown itself with {percent} %")
        });
        format!(
            "with 95 % certainty at most {percent:.2} % of schedules fail, as sampled here ({samplers}){depth_two}"
        )
    }
}

/// The parts of it that a person wants to see.
pub(super) fn show(found: &Schedules, style: &Style) -> String {
    let Style { title, dim, reset, .. } = style;
    let mut out = String::new();
    if let Some(pattern) = found.blamed() {
        let PatternResult { failing, passing, why, .. } = pattern;
        let _ = write!(out, "\n{}", style.prose(5, &format!("{title}Why:{reset} {why}")));
        let _ =
            writeln!(out, "     {dim}in {failing} failing and {passing} passing schedules{reset}");
    }
    if let Some(picture) = &found.picture {
        let _ = writeln!(out);
        let widest = picture.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        if style.marks == Marks::Signs && style.width.is_none_or(|width| widest <= width) {
            let _ = writeln!(out, "{picture}");
        } else {
            steps(found, style, &mut out);
        }
    }
    races(found, style, &mut out);
    cycles(found, style, &mut out);
    policy(found, style, &mut out);
    if let Some(certificate) = &found.certificate {
        let told = certificate.told();
        out.push_str(&style.prose(2, &capitalised(&told)));
    }
    out
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

fn steps(found: &Schedules, style: &Style, out: &mut String) {
    for (at, step) in found.steps.iter().enumerate() {
        out.push_str(&style.prose(5, &format!("{:>3}. {step}", at + 1)));
    }
}

fn races(found: &Schedules, style: &Style, out: &mut String) {
    let Style { title, reset, .. } = style;
    for RaceResult { variable, sites, .. } in found.races.iter().take(MOST) {
        let sites = sites.join(" and ");
        let what = format!("nothing orders the accesses to {variable} at {sites}");
        out.push_str(&style.prose(2, &format!("{title}Data race:{reset} {what}")));
    }
    more(found.races.len(), "race", out);
}

fn cycles(found: &Schedules, style: &Style, out: &mut String) {
    let Style { title, reset, .. } = style;
    for LockCycle { sites, .. } in found.lock_cycles.iter().take(MOST) {
        let sites = sites.join(", ");
        let what = format!("threads can block each other at {sites}");
        out.push_str(&style.prose(2, &format!("{title}Lock-order cycle:{reset} {what}")));
    }
    more(found.lock_cycles.len(), "lock-order cycle", out);
}

/// Only of variables that a lock guards now and then: the others say nothing.
fn policy(found: &Schedules, style: &Style, out: &mut String) {
    let Style { dim, reset, .. } = style;
    let told = found.policy.iter().filter(|one| one.lock.is_some());
    for SchedulePolicy { variable, lock, held, accesses } in told.take(MOST) {
        let lock = lock.as_deref().unwrap_or_default();
        let often = format!("{held} of {}", accesses_of(*accesses));
        out.push_str(
            &style.prose(2, &format!("{dim}Guarded: {variable} by {lock} at {often}{reset}")),
        );
    }
}

fn accesses_of(count: usize) -> String {
    if count == 1 { "1 access".to_owned() } else { format!("{count} accesses") }
}

fn more(count: usize, thing: &str, out: &mut String) {
    if count > MOST {
        let _ = writeln!(out, "and {} more", counted(count - MOST, thing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_clean_schedules_leave_three_in_a_thousand() {
        let bound = Certificate::of(1000, Vec::new(), 0.0).unwrap().bound;
        assert!((bound - 0.003).abs() < 0.0001, "{bound}");
        assert_eq!(Certificate::of(0, Vec::new(), 0.0), None);
    }

    #[test]
    fn a_chance_to_have_seen_a_fault_is_told_if_it_says_something() {
        let told = |chance| Certificate::of(1000, vec!["pct".to_owned()], chance).unwrap().told();
        let clean = "with 95 % certainty at most 0.30 % of schedules fail, as sampled here (pct)";
        assert_eq!(told(0.94), clean);
        let seen =
            "; a fault that takes two orderings of steps would have shown itself with 98.7 %";
        assert_eq!(told(0.9876), format!("{clean}{seen}"));
    }

    #[test]
    fn what_passing_schedules_show_as_often_explains_nothing() {
        assert!(tells_apart([30, 0], [30, 0]));
        assert!(tells_apart([5, 10], [5, 300]));
        assert!(!tells_apart([30, 30], [30, 40]));
        assert!(!tells_apart([20, 81], [20, 81]));
    }

    #[test]
    fn what_a_person_wants_to_see_fits_on_a_screen() {
        let sites = vec!["shop.Till.add:7".to_owned(), "shop.Till.sum:12".to_owned()];
        let pattern = PatternResult {
            pattern: "Ra Wb Wa".to_owned(),
            suspicion: 1.0,
            failing: 12,
            passing: 0,
            sites: sites.clone(),
            variables: vec!["Till.sum".to_owned()],
            why: "`main` reads Till.sum, then `Thread-0` writes it, and `main` writes over that"
                .to_owned(),
        };
        let (variable, lock) = ("Till.sum".to_owned(), Some("this".to_owned()));
        let found = Schedules {
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
            policy: vec![SchedulePolicy { variable, lock, held: 3, accesses: 4 }],
            certificate: Certificate::of(1000, vec!["pos".to_owned(), "pct".to_owned()], 0.0),
            ..Schedules::default()
        };
        insta::assert_snapshot!(show(&found, &Style::plain()), @r"

        Why: `main` reads Till.sum, then `Thread-0` writes it, and `main` writes over that
             in 12 failing and 0 passing schedules

          main        Thread-0
        > reads sum
        >             writes sum
        Data race: nothing orders the accesses to Till.sum at shop.Till.add:7 and shop.Till.sum:12
        Lock-order cycle: threads can block each other at shop.Till.add:7, shop.Till.sum:12
        Guarded: Till.sum by this at 3 of 4 accesses
        With 95 % certainty at most 0.30 % of schedules fail, as sampled here (pos, pct)
        ");
    }

    #[test]
    fn all_orders_are_told_by_their_number_and_one_as_the_only_one() {
        let told = |count| Certificate::of_all(count, false).told();
        let many = "proved under sequential consistency: none of 6 orders of steps fails, which are all that can make a \
                    difference";
        assert_eq!(told(6), many);
        let one = "proved under sequential consistency: the only order of steps does not fail";
        assert_eq!(told(1), one);
    }

    #[test]
    fn a_picture_that_does_not_fit_is_told_step_by_step() {
        let picture = Some(format!("main{:60}Thread-0", ""));
        let steps = vec!["main reads sum".to_owned(), "Thread-0 writes sum".to_owned()];
        let found = Schedules { picture, steps, ..Schedules::default() };
        assert!(show(&found, &Style::plain()).contains("main     "));
        let told = "\n  1. main reads sum\n  2. Thread-0 writes sum\n";
        assert_eq!(show(&found, &Style::plain().within(Some(60))), told);
        assert_eq!(show(&found, &Style::spoken()), told);
    }

    #[test]
    fn a_variable_without_a_lock_is_no_policy_to_show() {
        let guarded = |lock: Option<&str>| SchedulePolicy {
            variable: "Till.sum".to_owned(),
            lock: lock.map(str::to_owned),
            held: 3,
            accesses: 4,
        };
        let policy = vec![guarded(None), guarded(Some("this"))];
        let found = Schedules { policy, ..Schedules::default() };
        let shown = show(&found, &Style::plain());
        assert_eq!(shown, "Guarded: Till.sum by this at 3 of 4 accesses\n");
    }
}
