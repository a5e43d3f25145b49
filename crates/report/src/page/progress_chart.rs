//! Search curve: components still suspected before each test run, and the number of tested components.

use super::picture::{Picture, float, group, mark, path, round, text, tip};
use crate::{SearchGoal, TrialLine};
use mend_model::counted;
use std::fmt::Write as _;
use svg::node::element::Group;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 296.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 44.0;

/// Maximum number of marks; of more test runs, only some have one.
const MOST_MARKS: usize = 3000;

/// Test run of a part of a change.
pub(super) struct ProgressPoint<'a> {
    trial: &'a TrialLine,
    goal: SearchGoal,
    tried: usize,
    /// Number of components still suspected.
    pub(super) suspected: usize,
}

/// Returns the test runs of all searches, in their order.
pub(super) fn course(trials: &[TrialLine]) -> Vec<ProgressPoint<'_>> {
    trials.iter().filter_map(point).collect()
}

/// Draws the curve of all searches. `left` returns the number of components that the search for a goal found. Returns
/// `None` if the trials have no search progress.
pub(super) fn curve(
    trials: &[TrialLine],
    left: impl Fn(SearchGoal) -> Option<usize>,
) -> Option<Picture> {
    let points = course(trials);
    let most = points.iter().map(|point| point.suspected.max(point.tried)).max()?;
    let scale = ChartScale { tests: points.len(), most: most.max(2) };
    let mut content = group("").add(scale.axes());
    for search in searches(&points) {
        content = content.add(scale.search(&points, search.clone(), &left));
    }
    let each = points.len().div_ceil(MOST_MARKS);
    for (at, point) in points.iter().enumerate().step_by(each) {
        content = content.add(scale.mark(at, point));
    }
    let told = describe_progress(&points, &left);
    Some(Picture::new("search", told, (WIDTH, HEIGHT), content))
}

fn point(trial: &TrialLine) -> Option<ProgressPoint<'_>> {
    let standing = trial.search?;
    let (tried, suspected) = (standing.tried, standing.suspected);
    Some(ProgressPoint { trial, goal: standing.goal, tried, suspected })
}

/// Splits the test runs into searches. A new search starts with another goal, or if more components are suspected.
fn searches(points: &[ProgressPoint<'_>]) -> Vec<std::ops::Range<usize>> {
    let is_start = |at: &usize| {
        *at == 0
            || points[*at].goal != points[at - 1].goal
            || points[*at].suspected > points[at - 1].suspected
    };
    let starts: Vec<usize> = (0..points.len()).filter(is_start).collect();
    let ends = starts.iter().copied().skip(1).chain([points.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Scale of the diagram: test runs on the x-axis, components on the logarithmic y-axis.
struct ChartScale {
    tests: usize,
    most: usize,
}

impl ChartScale {
    fn x(&self, test: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * test / float(self.tests).max(1.0)
    }

    fn y(&self, components: usize) -> f64 {
        // Zero is drawn a little below one.
        let height = (float(components).max(0.7).ln() - 0.7_f64.ln())
            / (float(self.most).ln() - 0.7_f64.ln());
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * height
    }

    fn axes(&self) -> Group {
        let mut axes = group("");
        for count in self.ticks() {
            let y = self.y(count);
            let line = format!("M{LEFT} {y:.1}H{:.1}", WIDTH - RIGHT);
            axes = axes.add(path("grid", line));
            axes = axes.add(text("muted end", (LEFT - 8.0, y + 4.0), &count.to_string()));
        }
        let floor = HEIGHT - BOTTOM;
        axes = axes.add(path("axis", format!("M{LEFT} {floor}H{:.1}", WIDTH - RIGHT)));
        for test in steps(self.tests) {
            let x = self.x(float(test));
            axes = axes.add(path("axis", format!("M{x:.1} {floor}v4")));
            axes = axes.add(text("muted middle", (x, floor + 18.0), &test.to_string()));
        }
        axes.add(text("muted end", (WIDTH - RIGHT, HEIGHT - 6.0), "test runs")).add(text(
            "muted",
            (0.0, 14.0),
            "components",
        ))
    }

    /// Draws the number of suspected components, from the first test run of a search to its result.
    fn search(
        &self,
        points: &[ProgressPoint<'_>],
        search: std::ops::Range<usize>,
        left: &impl Fn(SearchGoal) -> Option<usize>,
    ) -> Group {
        let (start, end) = (search.start, search.end);
        let mut line =
            format!("M{:.1} {:.1}", self.x(float(start)), self.y(points[start].suspected));
        for (at, point) in search.clone().zip(&points[search]).skip(1) {
            if point.suspected != points[at - 1].suspected {
                let _ = write!(line, "H{:.1}V{:.1}", self.x(float(at)), self.y(point.suspected));
            }
        }
        let _ = write!(line, "H{:.1}", self.x(float(end)));
        let goal = points[start].goal;
        let is_last = points[end..].iter().all(|point| point.goal != goal);
        if let Some(left) = left(goal).filter(|_| is_last) {
            let _ = write!(line, "V{:.1}", self.y(left));
        }
        let sought = match goal {
            SearchGoal::Culprit => "culprit search",
            SearchGoal::Fix => "fix search",
        };
        let drawn = group("").add(path("curve", line));
        let (x, to) = (self.x(float(start)), self.x(float(end)));
        if to - x > 100.0 {
            return drawn.add(text("strong", (x + 4.0, TOP - 8.0), sought));
        }
        let is_at_the_edge = end == points.len() && x > 2.0 * LEFT + 100.0;
        let words = text("strong end", (to, TOP - 8.0), sought);
        if is_at_the_edge { drawn.add(words) } else { drawn }
    }

    /// Returns round counts and the largest count, without overlapping labels.
    fn ticks(&self) -> Vec<usize> {
        let gap = |tick: &usize| self.y(*tick) - self.y(self.most) > 15.0;
        let round = ticks(self.most).into_iter().filter(gap);
        round.chain([self.most]).collect()
    }

    fn mark(&self, at: usize, point: &ProgressPoint<'_>) -> svg::node::element::Path {
        let place = (round(self.x(float(at) + 0.5)), self.y(point.tried));
        let words = format!("test run {}: {} {}", at + 1, point.trial.verdict, point.trial.what);
        let size = if self.tests > 150 { 0.6 } else { 1.0 };
        mark(&point.trial.verdict, place, size).add(tip(&words))
    }
}

/// Returns round counts below `most`.
fn ticks(most: usize) -> Vec<usize> {
    let decades = std::iter::successors(Some(1_usize), |tick| tick.checked_mul(10));
    let decades = decades.take_while(|tick| *tick <= most);
    let is_near = most < 30;
    decades
        .flat_map(|tick| if is_near { vec![tick, 2 * tick, 5 * tick] } else { vec![tick] })
        .filter(|tick| *tick < most)
        .collect()
}

/// Returns about four round numbers of test runs.
fn steps(tests: usize) -> Vec<usize> {
    let rough = tests.div_ceil(5).max(1);
    let decade = 10_usize.pow(rough.ilog10());
    let nice = [1, 2, 5, 10].into_iter().map(|one| one * decade).find(|one| *one >= rough);
    let step = nice.unwrap_or(rough);
    (0..=tests).step_by(step).collect()
}

/// Describes the curve in words.
pub(super) fn describe_progress(
    points: &[ProgressPoint<'_>],
    left: &impl Fn(SearchGoal) -> Option<usize>,
) -> String {
    let count = |verdict: &str| points.iter().filter(|one| one.trial.verdict == verdict).count();
    let (pass, fail) = (count("pass"), count("fail"));
    let unresolved = points.len() - pass - fail;
    let mut told = format!(
        "Search in {}: {pass} passed, {fail} failed, {unresolved} unresolved.",
        counted(points.len(), "test run")
    );
    for (goal, words) in [(SearchGoal::Culprit, "Culprit"), (SearchGoal::Fix, "Fix")] {
        let first = points.iter().find(|point| point.goal == goal);
        if let (Some(first), Some(left)) = (first, left(goal)) {
            let from = counted(first.suspected, "component");
            let _ = write!(told, " {words}: reduced from {from} to {left}.");
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SearchProgress;

    fn trial(goal: SearchGoal, verdict: &str, tried: usize, suspected: usize) -> TrialLine {
        let search = Some(SearchProgress { goal, tried, suspected, tokens: 9 });
        TrialLine { verdict: verdict.to_owned(), search, ..TrialLine::default() }
    }

    fn run() -> Vec<TrialLine> {
        vec![
            trial(SearchGoal::Culprit, "pass", 9, 18),
            TrialLine { verdict: "fail".to_owned(), ..TrialLine::default() },
            trial(SearchGoal::Culprit, "fail", 4, 9),
            trial(SearchGoal::Fix, "unresolved", 1, 18),
        ]
    }

    #[test]
    fn each_test_run_has_a_mark_and_each_search_a_line() {
        let picture = curve(&run(), |_| Some(1)).unwrap();
        let text = picture.inline();
        assert_eq!(text.matches("class=\"mark ").count(), 3);
        assert_eq!(text.matches("class=\"curve\"").count(), 2);
        assert_eq!(
            picture.description(),
            "Search in 3 test runs: 1 passed, 1 failed, 1 unresolved. Culprit: reduced from 18 components to 1. \
             Fix: reduced from 18 components to 1."
        );
    }

    #[test]
    fn trials_without_search_progress_have_no_curve() {
        let old = [TrialLine { what: "with 9 components".to_owned(), ..TrialLine::default() }];
        assert!(curve(&old, |_| None).is_none());
    }

    #[test]
    fn ticks_are_round_and_do_not_crowd() {
        let ticks = |most: usize| ChartScale { tests: 1, most }.ticks();
        assert_eq!(ticks(18), [1, 2, 5, 10, 18]);
        assert_eq!(ticks(1531), [1, 10, 100, 1531]);
        assert_eq!(ticks(4300), [1, 10, 100, 1000, 4300]);
        assert_eq!(ticks(2), [1, 2]);
        assert_eq!(steps(13), [0, 5, 10]);
    }
}
