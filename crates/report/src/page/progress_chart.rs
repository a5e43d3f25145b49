//! Draws the search curve: the number of suspected components before each test run, and the number of tested
//! components.

use super::picture::{
    Picture, round_to_tenth, svg_group, svg_path, svg_text, to_coordinate, tooltip, verdict_mark,
};
use crate::{SearchGoal, TrialLine};
use mend_model::format_count;
use std::fmt::Write as _;
use svg::node::element::Group;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 296.0;
const LEFT_MARGIN: f64 = 52.0;
const RIGHT_MARGIN: f64 = 22.0;
const TOP_MARGIN: f64 = 46.0;
const BOTTOM_MARGIN: f64 = 44.0;

/// Maximum number of marks. If there are more test runs, only some have a mark.
const MAX_MARKS: usize = 3000;

/// Test run of a part of a change.
pub(super) struct ProgressPoint<'a> {
    trial: &'a TrialLine,
    goal: SearchGoal,
    tested: usize,
    /// Number of components still suspected.
    pub(super) suspected: usize,
}

/// Returns the test runs of all searches, in their order.
pub(super) fn progress_points(trials: &[TrialLine]) -> Vec<ProgressPoint<'_>> {
    trials.iter().filter_map(progress_point).collect()
}

/// Draws the curves of all searches. `result_size` returns the number of components that the search for a goal found.
/// Returns `None` if the trials have no search progress.
pub(super) fn draw_progress_chart(
    trials: &[TrialLine],
    result_size: impl Fn(SearchGoal) -> Option<usize>,
) -> Option<Picture> {
    let points = progress_points(trials);
    let max_components = points.iter().map(|point| point.suspected.max(point.tested)).max()?;
    let scale = ChartScale { run_count: points.len(), max_components: max_components.max(2) };
    let mut content = svg_group("").add(scale.draw_axes());
    for search in search_ranges(&points) {
        content = content.add(scale.draw_search(&points, search.clone(), &result_size));
    }
    let mark_interval = points.len().div_ceil(MAX_MARKS);
    for (at, point) in points.iter().enumerate().step_by(mark_interval) {
        content = content.add(scale.draw_mark(at, point));
    }
    let description = describe_progress(&points, &result_size);
    Some(Picture::new("search", description, (WIDTH, HEIGHT), content))
}

fn progress_point(trial: &TrialLine) -> Option<ProgressPoint<'_>> {
    let progress = trial.search?;
    let (tried, suspected) = (progress.tried, progress.suspected);
    Some(ProgressPoint { trial, goal: progress.goal, tested: tried, suspected })
}

/// Splits the test runs into searches. A new search starts with another goal, or if more components are suspected.
fn search_ranges(points: &[ProgressPoint<'_>]) -> Vec<std::ops::Range<usize>> {
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
    run_count: usize,
    max_components: usize,
}

impl ChartScale {
    fn x_position(&self, test: f64) -> f64 {
        LEFT_MARGIN
            + (WIDTH - LEFT_MARGIN - RIGHT_MARGIN) * test / to_coordinate(self.run_count).max(1.0)
    }

    fn y_position(&self, components: usize) -> f64 {
        // Zero is drawn slightly below one.
        let height = (to_coordinate(components).max(0.7).ln() - 0.7_f64.ln())
            / (to_coordinate(self.max_components).ln() - 0.7_f64.ln());
        HEIGHT - BOTTOM_MARGIN - (HEIGHT - TOP_MARGIN - BOTTOM_MARGIN) * height
    }

    fn draw_axes(&self) -> Group {
        let mut axes = svg_group("");
        for count in self.y_ticks() {
            let y = self.y_position(count);
            let line = format!("M{LEFT_MARGIN} {y:.1}H{:.1}", WIDTH - RIGHT_MARGIN);
            axes = axes.add(svg_path("grid", line));
            axes =
                axes.add(svg_text("muted end", (LEFT_MARGIN - 8.0, y + 4.0), &count.to_string()));
        }
        let x_axis_y = HEIGHT - BOTTOM_MARGIN;
        axes = axes.add(svg_path(
            "axis",
            format!("M{LEFT_MARGIN} {x_axis_y}H{:.1}", WIDTH - RIGHT_MARGIN),
        ));
        for test in x_ticks(self.run_count) {
            let x = self.x_position(to_coordinate(test));
            axes = axes.add(svg_path("axis", format!("M{x:.1} {x_axis_y}v4")));
            axes = axes.add(svg_text("muted middle", (x, x_axis_y + 18.0), &test.to_string()));
        }
        axes.add(svg_text("muted end", (WIDTH - RIGHT_MARGIN, HEIGHT - 6.0), "variants"))
            .add(svg_text("muted", (0.0, 14.0), "components"))
    }

    /// Draws the number of suspected components, from the first test run of a search to its result.
    fn draw_search(
        &self,
        points: &[ProgressPoint<'_>],
        search: std::ops::Range<usize>,
        result_size: &impl Fn(SearchGoal) -> Option<usize>,
    ) -> Group {
        let (start, end) = (search.start, search.end);
        let mut line = format!(
            "M{:.1} {:.1}",
            self.x_position(to_coordinate(start)),
            self.y_position(points[start].suspected)
        );
        for (at, point) in search.clone().zip(&points[search]).skip(1) {
            if point.suspected != points[at - 1].suspected {
                let _ = write!(
                    line,
                    "H{:.1}V{:.1}",
                    self.x_position(to_coordinate(at)),
                    self.y_position(point.suspected)
                );
            }
        }
        let _ = write!(line, "H{:.1}", self.x_position(to_coordinate(end)));
        let goal = points[start].goal;
        let is_last = points[end..].iter().all(|point| point.goal != goal);
        if let Some(result_size) = result_size(goal).filter(|_| is_last) {
            let _ = write!(line, "V{:.1}", self.y_position(result_size));
        }
        let goal_label = match goal {
            SearchGoal::Culprit => "culprit search",
            SearchGoal::Fix => "fix search",
        };
        let curve = svg_group("").add(svg_path("curve", line));
        let (x, to) = (self.x_position(to_coordinate(start)), self.x_position(to_coordinate(end)));
        if to - x > 100.0 {
            return curve.add(svg_text("strong", (x + 4.0, TOP_MARGIN - 8.0), goal_label));
        }
        let has_room_on_the_left = end == points.len() && x > 2.0 * LEFT_MARGIN + 100.0;
        let label = svg_text("strong end", (to, TOP_MARGIN - 8.0), goal_label);
        if has_room_on_the_left { curve.add(label) } else { curve }
    }

    /// Returns round counts and the largest count, without overlapping labels.
    fn y_ticks(&self) -> Vec<usize> {
        let is_clear_of_top =
            |tick: &usize| self.y_position(*tick) - self.y_position(self.max_components) > 15.0;
        let round_ticks = round_counts(self.max_components).into_iter().filter(is_clear_of_top);
        round_ticks.chain([self.max_components]).collect()
    }

    fn draw_mark(&self, at: usize, point: &ProgressPoint<'_>) -> svg::node::element::Path {
        let position = (
            round_to_tenth(self.x_position(to_coordinate(at) + 0.5)),
            self.y_position(point.tested),
        );
        let tooltip_text =
            format!("variant {}: {} {}", at + 1, point.trial.verdict, point.trial.what);
        let size = if self.run_count > 150 { 0.6 } else { 1.0 };
        verdict_mark(&point.trial.verdict, position, size).add(tooltip(&tooltip_text))
    }
}

/// Returns round counts below `max_count`.
fn round_counts(max_count: usize) -> Vec<usize> {
    let decades = std::iter::successors(Some(1_usize), |tick| tick.checked_mul(10));
    let decades = decades.take_while(|tick| *tick <= max_count);
    let is_short = max_count < 30;
    decades
        .flat_map(|tick| if is_short { vec![tick, 2 * tick, 5 * tick] } else { vec![tick] })
        .filter(|tick| *tick < max_count)
        .collect()
}

/// Returns about four round numbers of test runs.
fn x_ticks(run_count: usize) -> Vec<usize> {
    let rough = run_count.div_ceil(5).max(1);
    let decade = 10_usize.pow(rough.ilog10());
    let round_step = [1, 2, 5, 10].into_iter().map(|one| one * decade).find(|one| *one >= rough);
    let step = round_step.unwrap_or(rough);
    (0..=run_count).step_by(step).collect()
}

/// Describes the curve in words.
pub(super) fn describe_progress(
    points: &[ProgressPoint<'_>],
    result_size: &impl Fn(SearchGoal) -> Option<usize>,
) -> String {
    let count = |verdict: &str| points.iter().filter(|one| one.trial.verdict == verdict).count();
    let (pass, fail) = (count("pass"), count("fail"));
    let unresolved = points.len() - pass - fail;
    let mut description = format!(
        "Search in {}: {pass} passed, {fail} failed, {unresolved} unresolved.",
        format_count(points.len(), "variant")
    );
    for (goal, words) in [(SearchGoal::Culprit, "Culprit"), (SearchGoal::Fix, "Fix")] {
        let first = points.iter().find(|point| point.goal == goal);
        if let (Some(first), Some(result_size)) = (first, result_size(goal)) {
            let from = format_count(first.suspected, "component");
            let _ = write!(description, " {words}: reduced from {from} to {result_size}.");
        }
    }
    description
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SearchProgress;

    fn trial(goal: SearchGoal, verdict: &str, tried: usize, suspected: usize) -> TrialLine {
        let search = Some(SearchProgress { goal, tried, suspected, tokens: 9 });
        TrialLine { verdict: verdict.to_owned(), search, ..TrialLine::default() }
    }

    fn sample_trials() -> Vec<TrialLine> {
        vec![
            trial(SearchGoal::Culprit, "pass", 9, 18),
            TrialLine { verdict: "fail".to_owned(), ..TrialLine::default() },
            trial(SearchGoal::Culprit, "fail", 4, 9),
            trial(SearchGoal::Fix, "unresolved", 1, 18),
        ]
    }

    #[test]
    fn test_runs_have_marks_and_searches_have_lines() {
        let picture = draw_progress_chart(&sample_trials(), |_| Some(1)).unwrap();
        let text = picture.to_inline_svg();
        assert_eq!(text.matches("class=\"mark ").count(), 3);
        assert_eq!(text.matches("class=\"curve\"").count(), 2);
        assert_eq!(
            picture.description(),
            "Search in 3 variants: 1 passed, 1 failed, 1 unresolved. Culprit: reduced from 18 components to 1. \
             Fix: reduced from 18 components to 1."
        );
    }

    #[test]
    fn trials_without_progress_have_no_chart() {
        let old = [TrialLine { what: "with 9 components".to_owned(), ..TrialLine::default() }];
        assert!(draw_progress_chart(&old, |_| None).is_none());
    }

    #[test]
    fn ticks_are_round_and_do_not_overlap() {
        let ticks = |most: usize| ChartScale { run_count: 1, max_components: most }.y_ticks();
        assert_eq!(ticks(18), [1, 2, 5, 10, 18]);
        assert_eq!(ticks(1531), [1, 10, 100, 1531]);
        assert_eq!(ticks(4300), [1, 10, 100, 1000, 4300]);
        assert_eq!(ticks(2), [1, 2]);
        assert_eq!(x_ticks(13), [0, 5, 10]);
    }
}
