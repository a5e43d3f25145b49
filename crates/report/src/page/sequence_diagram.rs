//! Sequence diagram of a schedule: threads as columns, steps as rows, held locks as bars.

use super::picture::{Picture, float, group, letters, path, round, text, tip};
use crate::Interleaving;
use crate::threads::interleaving::StepRow;
use crate::view::RunArtifacts;
use mend_model::{counted, cut};
use std::collections::BTreeSet;
use svg::node::element::{Circle, Group, Rectangle};

/// Widths of a thread column and of the locations beside the columns.
const COLUMN: f64 = 176.0;
const PLACES: f64 = 220.0;
const ROW: f64 = 28.0;
const TOP: f64 = 44.0;
const LEFT: f64 = 30.0;

/// Maximum number of characters in a column, and beside it.
const WORDS: usize = 22;
const PLACE: usize = 28;

/// Maximum total offset of the bars of nested locks, and the usual offset of each.
const WIDEST: f64 = 20.0;
const STEP: f64 = 5.0;

/// Maximum number of schedules drawn.
const MOST: usize = 3;

/// Schedule as a picture and as text.
pub(super) struct SequenceDiagram {
    pub(super) picture: Picture,
    /// Steps, one sentence each.
    pub(super) steps: Vec<String>,
}

/// Returns the explained schedule, and those with other failures.
pub(super) fn sequences(material: &RunArtifacts<'_>) -> Vec<SequenceDiagram> {
    let failures = material.result().schedules.iter().flat_map(|found| &found.failures);
    let drawn = failures.filter_map(|failure| {
        let file = material.schedules.get(&failure.schedule)?;
        let name = failure.schedule.strip_suffix(".json").unwrap_or(&failure.schedule);
        let schedule = file.interleaving();
        Some(SequenceDiagram { picture: sequence(&schedule, name), steps: schedule.to_sentences() })
    });
    drawn.take(MOST).collect()
}

/// Draws a schedule.
fn sequence(schedule: &Interleaving<'_>, name: &str) -> Picture {
    let (threads, rows) = schedule.scene();
    let height = TOP + ROW * float(rows.len() + 1) + 8.0;
    let width = LEFT + COLUMN * float(threads.len()) + PLACES;
    let mut content = lives(&threads, height).add(bars(&rows, threads.len()));
    content = content.add(order(&rows));
    for (at, row) in rows.iter().enumerate() {
        content = content.add(step(at, row, threads.len()));
    }
    let ending = schedule.ending.lines().next().unwrap_or_default();
    let last = (x(schedule.last_column()) + 14.0, y(rows.len()) + 4.0);
    let content = content.add(text("hot-text", last, &cut(ending, letters(width - last.0))));
    let told = describe_diagram(&threads, &rows, schedule.relevant());
    let left = schedule.threads_left_out().map(|left| format!("{left}."));
    let told: Vec<String> = std::iter::once(told).chain(left).collect();
    Picture::new(name, told.join(" "), (width, height), content)
}

fn x(column: usize) -> f64 {
    LEFT + COLUMN * float(column)
}

fn y(row: usize) -> f64 {
    TOP + ROW * (float(row) + 0.5)
}

/// Draws the name and the lifeline of each thread.
fn lives(threads: &[&str], height: f64) -> Group {
    let mut lives = group("");
    for (column, thread) in threads.iter().enumerate() {
        let x = x(column);
        lives = lives
            .add(path("life", format!("M{x} {:.1}V{:.1}", TOP - 12.0, height - ROW)))
            .add(text("strong", (x - 10.0, TOP - 22.0), &cut(thread, WORDS)));
    }
    lives
}

/// Draws a bar for each lock, from the first to the last step at which a thread holds it.
fn bars(rows: &[StepRow], threads: usize) -> Group {
    let mut bars = group("");
    for column in 0..threads {
        let own: Vec<(usize, &StepRow)> =
            rows.iter().enumerate().filter(|(_, row)| row.column == column).collect();
        let locks: BTreeSet<&String> = own.iter().flat_map(|(_, row)| &row.locks).collect();
        let apart = STEP.min(WIDEST / float(locks.len().saturating_sub(1).max(1)));
        for (place, lock) in locks.into_iter().enumerate() {
            let out = apart * float(place);
            for held in own
                .chunk_by(|one, other| one.1.locks.contains(lock) == other.1.locks.contains(lock))
            {
                if let [first, ..] = held
                    && let Some(last) = held.last()
                    && first.1.locks.contains(lock)
                {
                    bars = bars.add(bar(column, out, (first.0, last.0), lock));
                }
            }
        }
    }
    bars
}

/// Draws a bar with an offset.
fn bar(column: usize, out: f64, (first, last): (usize, usize), lock: &str) -> Rectangle {
    Rectangle::new()
        .set("class", "held")
        .set("x", round(x(column) - 7.0 - out))
        .set("y", y(first) - 10.0)
        .set("width", round(14.0 + 2.0 * out))
        .set("height", y(last) - y(first) + 20.0)
        .set("rx", 4)
        .add(tip(&format!("holds {lock}")))
}

/// Draws a line along the steps of the pattern, in their order.
fn order(rows: &[StepRow]) -> Group {
    let marked: Vec<(usize, &StepRow)> =
        rows.iter().enumerate().filter(|(_, row)| row.is_marked).collect();
    let mut order = group("");
    for pair in marked.windows(2) {
        let ((from, one), (to, other)) = (pair[0], pair[1]);
        let line =
            format!("M{:.1} {:.1}L{:.1} {:.1}", x(one.column), y(from), x(other.column), y(to));
        order = order.add(path("thread", line));
    }
    order
}

fn step(at: usize, row: &StepRow, threads: usize) -> Group {
    let (x, y) = (x(row.column), y(at));
    let hot = if row.is_marked { " hot" } else { "" };
    let dot = Circle::new()
        .set("class", format!("step{hot}"))
        .set("cx", x)
        .set("cy", y)
        .set("r", if row.is_marked { 5.5 } else { 4.0 });
    let class = if row.is_marked { "said hot-text" } else { "said" };
    let words = format!("{}{}", row.words, row.held());
    let beside = LEFT + COLUMN * float(threads);
    group("")
        .add(dot.add(tip(&words)))
        .add(text(class, (x + 14.0, y + 4.5), &cut(&row.words, WORDS)))
        .add(text("muted code", (beside, y + 4.5), &place(&row.place)))
}

/// Shortens a location: removes the method of a long one.
fn place(place: &str) -> String {
    if place.chars().count() <= PLACE {
        return place.to_owned();
    }
    let class = place.split('.').next().unwrap_or_default();
    let line = place.rsplit(':').next().unwrap_or_default();
    cut(&format!("{class}:{line}"), PLACE)
}

fn describe_diagram(threads: &[&str], rows: &[StepRow], relevant: usize) -> String {
    let marked: Vec<String> = rows
        .iter()
        .filter(|row| row.is_marked)
        .map(|row| format!("{} {}", threads.get(row.column).copied().unwrap_or("?"), row.words))
        .collect();
    let pattern = if marked.is_empty() {
        String::new()
    } else {
        format!(" Pattern: {}.", marked.join(", then "))
    };
    let (steps, threads) = (counted(relevant, "step"), counted(threads.len(), "thread"));
    let part = if rows.len() < relevant { format!("{} of ", rows.len()) } else { String::new() };
    format!("{part}{steps} of {threads}.{pattern}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::schedule;
    use mend_model::schedules::{ScheduleStep, ScheduleTrace};

    /// Creates a step of a thread that holds some locks.
    fn step(thread: usize, what: &str, locks: &[&str]) -> ScheduleStep {
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
        }
    }

    /// Draws a schedule of two threads with all locks.
    fn drawn(steps: Vec<ScheduleStep>, marked: &[usize]) -> String {
        let example = ScheduleTrace { steps, ..schedule("Till", 1).example };
        sequence(&Interleaving { example: &example, marked, ending: "blocked" }, "schedule-1")
            .inline()
    }

    /// Returns the positions and lengths of the bars, by lock.
    fn bars_of(picture: &str) -> Vec<(String, [f64; 3])> {
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
    fn a_lock_is_a_bar_from_the_first_to_the_last_step_at_which_its_thread_holds_it() {
        let steps = vec![
            step(0, "lock", &["A"]),
            step(1, "lock", &["B"]),
            step(0, "call", &["A"]),
            step(0, "unlock", &[]),
            step(0, "lock", &["A"]),
        ];
        let bars = bars_of(&drawn(steps, &[]));
        let row = |first: usize, last: usize| [y(first) - 10.0, y(last) - y(first) + 20.0];
        let expected = [("A", 0, row(0, 2)), ("A", 0, row(4, 4)), ("B", 1, row(1, 1))];
        let expected = expected.map(|(lock, column, [from, length])| {
            (lock.to_owned(), [x(column) - 7.0, from, length])
        });
        assert_eq!(bars, expected);
    }

    #[test]
    fn each_of_many_locks_has_a_bar_within_the_picture() {
        let names: Vec<String> = (0..9).map(|number| format!("Lock{number}")).collect();
        let locks: Vec<&str> = names.iter().map(String::as_str).collect();
        let bars = bars_of(&drawn(vec![step(0, "lock", &locks)], &[]));
        let found: Vec<&String> = bars.iter().map(|(lock, _)| lock).collect();
        assert_eq!(found, names.iter().collect::<Vec<_>>());
        let begins: Vec<f64> = bars.iter().map(|(_, [x, ..])| *x).collect();
        assert!(begins.iter().all(|x| *x >= 0.0), "{begins:?}");
        assert!(begins.is_sorted_by(|one, other| one > other), "{begins:?}");
    }

    #[test]
    fn the_steps_of_the_pattern_are_marked_and_joined_in_their_order() {
        let steps = vec![
            step(0, "read", &[]),
            step(1, "write", &[]),
            step(1, "read", &[]),
            step(0, "write", &[]),
        ];
        let picture = drawn(steps, &[0, 1, 3]);
        assert_eq!(picture.matches("class=\"step hot\"").count(), 3, "{picture}");
        assert_eq!(picture.matches("class=\"step\"").count(), 1, "{picture}");
        let line = |from: (usize, usize), to: (usize, usize)| {
            format!("M{:.1} {:.1}L{:.1} {:.1}", x(from.0), y(from.1), x(to.0), y(to.1))
        };
        for joined in [line((0, 0), (1, 1)), line((1, 1), (0, 3))] {
            assert!(picture.contains(&joined), "{joined} in {picture}");
        }
        assert_eq!(picture.matches("class=\"thread\"").count(), 2);
        let told = "4 steps of 2 threads. Pattern: Till reads sum, then Thread-0 writes sum, then Till writes sum.";
        assert!(picture.contains(told), "{picture}");
    }

    #[test]
    fn steps_that_have_no_row_are_counted() {
        let steps = (0..60).map(|at| step(at % 2, "lock", &[])).collect();
        let picture = drawn(steps, &[]);
        assert!(picture.contains("24 of 60 steps of 2 threads."), "{picture}");
    }

    #[test]
    fn threads_that_have_no_column_are_named() {
        let steps = (0..6).map(|thread| step(thread, "lock", &[])).collect();
        let threads = (0..6).map(|number| format!("Thread-{number}")).collect();
        let example = ScheduleTrace { threads, steps, ..schedule("Till", 1).example };
        let shown = Interleaving { example: &example, marked: &[], ending: "blocked" };
        let told = sequence(&shown, "schedule-1").description().to_owned();
        insta::assert_snapshot!(told, @"4 steps of 4 threads. 2 more threads take part and are not shown: Thread-1, Thread-2.");
    }
}
