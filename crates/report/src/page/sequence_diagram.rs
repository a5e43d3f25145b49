//! Draws a schedule as a sequence diagram: threads as columns, steps as rows, held locks as bars.

use super::picture::{
    Picture, max_letters, round_to_tenth, svg_group, svg_path, svg_text, to_coordinate, tooltip,
};
use crate::Interleaving;
use crate::threads::interleaving::StepRow;
use crate::view::RunArtifacts;
use mend_model::{format_count, truncate};
use std::collections::BTreeSet;
use svg::node::element::{Circle, Group, Rectangle};

/// Widths of a thread column and of the locations beside the columns.
const COLUMN_WIDTH: f64 = 176.0;
const LOCATION_WIDTH: f64 = 220.0;
const ROW_HEIGHT: f64 = 28.0;
const TOP_MARGIN: f64 = 44.0;
const LEFT_MARGIN: f64 = 30.0;

/// Maximum number of characters in a column, and beside it.
const MAX_STEP_CHARS: usize = 22;
const MAX_LOCATION_CHARS: usize = 28;

/// Maximum total offset of the bars of nested locks, and the usual offset of each.
const MAX_BAR_OFFSET: f64 = 20.0;
const BAR_OFFSET: f64 = 5.0;

/// Maximum number of drawn schedules.
const MAX_DIAGRAMS: usize = 3;

/// Schedule as a picture and as text.
pub(super) struct SequenceDiagram {
    pub(super) picture: Picture,
    /// Steps, one sentence each.
    pub(super) steps: Vec<String>,
}

/// Returns the explained schedule, and those with other failures.
pub(super) fn sequence_diagrams(artifacts: &RunArtifacts<'_>) -> Vec<SequenceDiagram> {
    let failures = artifacts.result().schedules.iter().flat_map(|found| &found.failures);
    let diagrams = failures.filter_map(|failure| {
        let file = artifacts.schedules.get(&failure.schedule)?;
        let name = failure.schedule.strip_suffix(".json").unwrap_or(&failure.schedule);
        let schedule = file.interleaving();
        Some(SequenceDiagram {
            picture: draw_schedule(&schedule, name),
            steps: schedule.to_sentences(),
        })
    });
    diagrams.take(MAX_DIAGRAMS).collect()
}

/// Draws a schedule.
fn draw_schedule(schedule: &Interleaving<'_>, name: &str) -> Picture {
    let (threads, rows) = schedule.threads_and_rows();
    let height = TOP_MARGIN + ROW_HEIGHT * to_coordinate(rows.len() + 1) + 8.0;
    let width = LEFT_MARGIN + COLUMN_WIDTH * to_coordinate(threads.len()) + LOCATION_WIDTH;
    let mut content = draw_lifelines(&threads, height).add(draw_lock_bars(&rows, threads.len()));
    content = content.add(draw_pattern_line(&rows));
    for (at, row) in rows.iter().enumerate() {
        content = content.add(draw_step(at, row, threads.len()));
    }
    let ending = schedule.ending.lines().next().unwrap_or_default();
    let ending_position = (x(schedule.failing_column()) + 14.0, row_y(rows.len()) + 4.0);
    let content = content.add(svg_text(
        "hot-text",
        ending_position,
        &truncate(ending, max_letters(width - ending_position.0)),
    ));
    let description = describe_diagram(&threads, &rows, schedule.relevant_step_count());
    let hidden_threads =
        schedule.omitted_threads_note().map(|hidden_threads| format!("{hidden_threads}."));
    let description: Vec<String> = std::iter::once(description).chain(hidden_threads).collect();
    Picture::new(name, description.join(" "), (width, height), content)
}

fn x(column: usize) -> f64 {
    LEFT_MARGIN + COLUMN_WIDTH * to_coordinate(column)
}

fn row_y(row: usize) -> f64 {
    TOP_MARGIN + ROW_HEIGHT * (to_coordinate(row) + 0.5)
}

/// Draws the name and the lifeline of each thread.
fn draw_lifelines(threads: &[String], height: f64) -> Group {
    let mut lives = svg_group("");
    for (column, thread) in threads.iter().enumerate() {
        let x = x(column);
        lives = lives
            .add(svg_path(
                "life",
                format!("M{x} {:.1}V{:.1}", TOP_MARGIN - 12.0, height - ROW_HEIGHT),
            ))
            .add(svg_text(
                "strong",
                (x - 10.0, TOP_MARGIN - 22.0),
                &truncate(thread, MAX_STEP_CHARS),
            ));
    }
    lives
}

/// Draws a bar for each lock, from the first to the last step at which a thread holds it.
fn draw_lock_bars(rows: &[StepRow], threads: usize) -> Group {
    let mut bars = svg_group("");
    for column in 0..threads {
        let thread_rows: Vec<(usize, &StepRow)> =
            rows.iter().enumerate().filter(|(_, row)| row.column == column).collect();
        let locks: BTreeSet<&String> = thread_rows.iter().flat_map(|(_, row)| &row.locks).collect();
        let bar_offset =
            BAR_OFFSET.min(MAX_BAR_OFFSET / to_coordinate(locks.len().saturating_sub(1).max(1)));
        for (lock_index, lock) in locks.into_iter().enumerate() {
            let offset = bar_offset * to_coordinate(lock_index);
            for run in thread_rows
                .chunk_by(|one, other| one.1.locks.contains(lock) == other.1.locks.contains(lock))
            {
                if let [first, ..] = run
                    && let Some(last) = run.last()
                    && first.1.locks.contains(lock)
                {
                    bars = bars.add(draw_lock_bar(column, offset, (first.0, last.0), lock));
                }
            }
        }
    }
    bars
}

/// Draws a bar with an offset.
fn draw_lock_bar(
    column: usize,
    offset: f64,
    (first, last): (usize, usize),
    lock: &str,
) -> Rectangle {
    Rectangle::new()
        .set("class", "held")
        .set("x", round_to_tenth(x(column) - 7.0 - offset))
        .set("y", row_y(first) - 10.0)
        .set("width", round_to_tenth(14.0 + 2.0 * offset))
        .set("height", row_y(last) - row_y(first) + 20.0)
        .set("rx", 4)
        .add(tooltip(&format!("holds {lock}")))
}

/// Draws a line along the steps of the pattern, in their order.
fn draw_pattern_line(rows: &[StepRow]) -> Group {
    let pattern_rows: Vec<(usize, &StepRow)> =
        rows.iter().enumerate().filter(|(_, row)| row.is_in_pattern).collect();
    let mut order = svg_group("");
    for pair in pattern_rows.windows(2) {
        let ((from, one), (to, other)) = (pair[0], pair[1]);
        let line = format!(
            "M{:.1} {:.1}L{:.1} {:.1}",
            x(one.column),
            row_y(from),
            x(other.column),
            row_y(to)
        );
        order = order.add(svg_path("thread", line));
    }
    order
}

fn draw_step(row_index: usize, row: &StepRow, threads: usize) -> Group {
    let (x, y) = (x(row.column), row_y(row_index));
    let pattern_class = if row.is_in_pattern { " hot" } else { "" };
    let dot = Circle::new()
        .set("class", format!("step{pattern_class}"))
        .set("cx", x)
        .set("cy", y)
        .set("r", if row.is_in_pattern { 5.5 } else { 4.0 });
    let class = if row.is_in_pattern { "said hot-text" } else { "said" };
    let tooltip_text = format!("{}{}", row.text, row.held_locks_clause());
    let beside = LEFT_MARGIN + COLUMN_WIDTH * to_coordinate(threads);
    svg_group("")
        .add(dot.add(tooltip(&tooltip_text)))
        .add(svg_text(class, (x + 14.0, y + 4.5), &truncate(&row.text, MAX_STEP_CHARS)))
        .add(svg_text("muted code", (beside, y + 4.5), &shorten_location(&row.location)))
}

/// Shortens a location: removes the method of a long one.
fn shorten_location(place: &str) -> String {
    if place.chars().count() <= MAX_LOCATION_CHARS {
        return place.to_owned();
    }
    let class = place.split('.').next().unwrap_or_default();
    let line = place.rsplit(':').next().unwrap_or_default();
    truncate(&format!("{class}:{line}"), MAX_LOCATION_CHARS)
}

fn describe_diagram(threads: &[String], rows: &[StepRow], relevant: usize) -> String {
    let pattern_steps: Vec<String> = rows
        .iter()
        .filter(|row| row.is_in_pattern)
        .map(|row| format!("{} {}", threads.get(row.column).map_or("?", String::as_str), row.text))
        .collect();
    let pattern = if pattern_steps.is_empty() {
        String::new()
    } else {
        format!(" Pattern: {}.", pattern_steps.join(", then "))
    };
    let (steps, threads) = (format_count(relevant, "step"), format_count(threads.len(), "thread"));
    let shown_count =
        if rows.len() < relevant { format!("{} of ", rows.len()) } else { String::new() };
    format!("{shown_count}{steps} of {threads}.{pattern}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample_schedule;
    use mend_model::schedules::{ScheduleStep, ScheduleTrace};

    /// Creates a step of a thread that holds some locks.
    fn sample_step(thread: usize, what: &str, locks: &[&str]) -> ScheduleStep {
        let locks = locks.iter().map(|lock| (*lock).to_owned()).collect();
        let name = Some("Till.sum".to_owned());
        ScheduleStep {
            thread,
            what: what.to_owned(),
            site: 0,
            location: Some(1),
            name,
            other: None,
            time: 1,
            stack: None,
            locks,
            value: None,
        }
    }

    /// Draws a schedule of two threads with all locks.
    fn draw_steps(steps: Vec<ScheduleStep>, marked: &[usize]) -> String {
        let example = ScheduleTrace { steps, ..sample_schedule("Till", 1).example };
        draw_schedule(
            &Interleaving { trace: &example, pattern_steps: marked, ending: "blocked" },
            "schedule-1",
        )
        .to_inline_svg()
    }

    /// Returns the positions and lengths of the bars, by lock.
    fn parse_bars(picture: &str) -> Vec<(String, [f64; 3])> {
        let bar = regex::Regex::new(
            r#"(?s)<rect ([^>]*class="held"[^>]*)>\s*<title>\s*holds (.*?)\s*</title>"#,
        );
        let number = |attributes: &str, name: &str| {
            let rest = attributes.split_once(&format!("{name}=\"")).unwrap().1;
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let bars = bar.unwrap();
        let bars = bars.captures_iter(picture).map(|found| {
            let place = [" x", " y", "height"].map(|name| number(&format!(" {}", &found[1]), name));
            (found[2].to_owned(), place)
        });
        bars.collect()
    }

    #[test]
    fn lock_bar_spans_the_steps_that_hold_the_lock() {
        let steps = vec![
            sample_step(0, "lock", &["A"]),
            sample_step(1, "lock", &["B"]),
            sample_step(0, "call", &["A"]),
            sample_step(0, "unlock", &[]),
            sample_step(0, "lock", &["A"]),
        ];
        let bars = parse_bars(&draw_steps(steps, &[]));
        let row =
            |first: usize, last: usize| [row_y(first) - 10.0, row_y(last) - row_y(first) + 20.0];
        let expected = [("A", 0, row(0, 2)), ("A", 0, row(4, 4)), ("B", 1, row(1, 1))];
        let expected = expected.map(|(lock, column, [from, length])| {
            (lock.to_owned(), [x(column) - 7.0, from, length])
        });
        assert_eq!(bars, expected);
    }

    #[test]
    fn bars_of_many_locks_stay_within_the_picture() {
        let names: Vec<String> = (0..9).map(|number| format!("Lock{number}")).collect();
        let locks: Vec<&str> = names.iter().map(String::as_str).collect();
        let bars = parse_bars(&draw_steps(vec![sample_step(0, "lock", &locks)], &[]));
        let found: Vec<&String> = bars.iter().map(|(lock, _)| lock).collect();
        assert_eq!(found, names.iter().collect::<Vec<_>>());
        let begins: Vec<f64> = bars.iter().map(|(_, [x, ..])| *x).collect();
        assert!(begins.iter().all(|x| *x >= 0.0), "{begins:?}");
        assert!(begins.is_sorted_by(|one, other| one > other), "{begins:?}");
    }

    #[test]
    fn pattern_steps_are_marked_and_connected_in_order() {
        let steps = vec![
            sample_step(0, "read", &[]),
            sample_step(1, "write", &[]),
            sample_step(1, "read", &[]),
            sample_step(0, "write", &[]),
        ];
        let picture = draw_steps(steps, &[0, 1, 3]);
        assert_eq!(picture.matches("class=\"step hot\"").count(), 3, "{picture}");
        assert_eq!(picture.matches("class=\"step\"").count(), 1, "{picture}");
        let line = |from: (usize, usize), to: (usize, usize)| {
            format!("M{:.1} {:.1}L{:.1} {:.1}", x(from.0), row_y(from.1), x(to.0), row_y(to.1))
        };
        for joined in [line((0, 0), (1, 1)), line((1, 1), (0, 3))] {
            assert!(picture.contains(&joined), "{joined} in {picture}");
        }
        assert_eq!(picture.matches("class=\"thread\"").count(), 2);
        let expected = "4 steps of 2 threads. Pattern: Till reads sum, then Thread-0 writes sum, then Till writes sum.";
        assert!(picture.contains(expected), "{picture}");
    }

    #[test]
    fn steps_without_a_row_are_counted() {
        let steps = (0..60).map(|at| sample_step(at % 2, "lock", &[])).collect();
        let picture = draw_steps(steps, &[]);
        assert!(picture.contains("24 of 60 steps of 2 threads."), "{picture}");
    }

    #[test]
    fn threads_without_a_column_are_named() {
        let steps = (0..6).map(|thread| sample_step(thread, "lock", &[])).collect();
        let threads = (0..6).map(|number| format!("Thread-{number}")).collect();
        let example = ScheduleTrace { threads, steps, ..sample_schedule("Till", 1).example };
        let interleaving = Interleaving { trace: &example, pattern_steps: &[], ending: "blocked" };
        let description = draw_schedule(&interleaving, "schedule-1").description().to_owned();
        insta::assert_snapshot!(description, @"4 steps of 4 threads. 2 more threads take part and are not shown: Thread-1, Thread-2.");
    }
}
