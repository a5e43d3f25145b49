//! A schedule as a sequence diagram: threads as columns, steps as rows, locks that are held as bars.

use super::picture::{Picture, float, group, letters, path, text, tip};
use crate::model::{counted, cut};
use crate::report::Interleaving;
use crate::report::interleaving::SceneRow;
use crate::report::shown::Material;
use std::collections::BTreeSet;
use svg::node::element::{Circle, Group, Rectangle};

/// How wide a thread's column is, and what stands beside it.
const COLUMN: f64 = 176.0;
const PLACES: f64 = 220.0;
const ROW: f64 = 28.0;
const TOP: f64 = 44.0;
const LEFT: f64 = 30.0;

/// How many characters fit in a column, and beside it.
const WORDS: usize = 22;
const PLACE: usize = 28;

/// So many schedules are drawn.
const MOST: usize = 3;

/// A schedule twice: for those who see it, and for those who hear it.
pub(super) struct Sequence {
    pub(super) picture: Picture,
    /// A sentence for each step.
    pub(super) steps: Vec<String>,
}

/// The schedule that is explained, and those that fail in other ways.
pub(super) fn sequences(material: &Material<'_>) -> Vec<Sequence> {
    let failures = material.result().schedules.iter().flat_map(|found| &found.failures);
    let drawn = failures.filter_map(|failure| {
        let file = material.schedules.get(&failure.schedule)?;
        let name = failure.schedule.strip_suffix(".json").unwrap_or(&failure.schedule);
        let schedule = file.interleaving();
        Some(Sequence { picture: sequence(&schedule, name), steps: schedule.told() })
    });
    drawn.take(MOST).collect()
}

/// The picture of a schedule.
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
    Picture::new(name, told(&threads, &rows), (width, height), content)
}

fn x(column: usize) -> f64 {
    LEFT + COLUMN * float(column)
}

fn y(row: usize) -> f64 {
    TOP + ROW * (float(row) + 0.5)
}

/// A name and a line down for each thread.
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

/// A bar for each lock, from the first to the last of the steps at which a thread has it.
fn bars(rows: &[SceneRow], threads: usize) -> Group {
    let mut bars = group("");
    for column in 0..threads {
        let own: Vec<(usize, &SceneRow)> =
            rows.iter().enumerate().filter(|(_, row)| row.column == column).collect();
        let locks: BTreeSet<&String> = own.iter().flat_map(|(_, row)| &row.locks).collect();
        for (place, lock) in locks.into_iter().take(3).enumerate() {
            for held in own
                .chunk_by(|one, other| one.1.locks.contains(lock) == other.1.locks.contains(lock))
            {
                if let [first, ..] = held
                    && let Some(last) = held.last()
                    && first.1.locks.contains(lock)
                {
                    bars = bars.add(bar(column, place, (first.0, last.0), lock));
                }
            }
        }
    }
    bars
}

fn bar(column: usize, place: usize, (first, last): (usize, usize), lock: &str) -> Rectangle {
    Rectangle::new()
        .set("class", "held")
        .set("x", x(column) - 7.0 - 5.0 * float(place))
        .set("y", y(first) - 10.0)
        .set("width", 14.0 + 10.0 * float(place))
        .set("height", y(last) - y(first) + 20.0)
        .set("rx", 4)
        .add(tip(&format!("holds {lock}")))
}

/// A line along the steps of the pattern, in their order.
fn order(rows: &[SceneRow]) -> Group {
    let marked: Vec<(usize, &SceneRow)> =
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

fn step(at: usize, row: &SceneRow, threads: usize) -> Group {
    let (x, y) = (x(row.column), y(at));
    let hot = if row.is_marked { " hot" } else { "" };
    let dot = Circle::new()
        .set("class", format!("step{hot}"))
        .set("cx", x)
        .set("cy", y)
        .set("r", if row.is_marked { 5.5 } else { 4.0 });
    let class = if row.is_marked { "hot-text" } else { "" };
    let words = format!("{}{}", row.words, row.held());
    let beside = LEFT + COLUMN * float(threads);
    group("")
        .add(dot.add(tip(&words)))
        .add(text(class, (x + 14.0, y + 4.5), &cut(&row.words, WORDS)))
        .add(text("muted code", (beside, y + 4.5), &place(&row.place)))
}

/// A place that fits; of a long one the method is left out.
fn place(place: &str) -> String {
    if place.chars().count() <= PLACE {
        return place.to_owned();
    }
    let class = place.split('.').next().unwrap_or_default();
    let line = place.rsplit(':').next().unwrap_or_default();
    cut(&format!("{class}:{line}"), PLACE)
}

fn told(threads: &[&str], rows: &[SceneRow]) -> String {
    let marked: Vec<String> = rows
        .iter()
        .filter(|row| row.is_marked)
        .map(|row| format!("{} {}", threads.get(row.column).copied().unwrap_or("?"), row.words))
        .collect();
    let pattern = if marked.is_empty() {
        String::new()
    } else {
        format!(" The pattern: {}.", marked.join(", then "))
    };
    format!("{} of {}.{pattern}", counted(rows.len(), "step"), counted(threads.len(), "thread"))
}
