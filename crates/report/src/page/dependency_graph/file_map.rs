//! Map of a large change: files as boxes with a dot for each component, and lines between files with dependencies.

use super::paths::{cut_path, home};
use crate::delta::ComponentView;
use crate::page::dependency_graph::annotated_delta::AnnotatedDelta;
use crate::page::dependency_graph::component_list::{node, rule};
use crate::page::picture::{Picture, float, group, letters, path, text, tip};
use mend_model::counted;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use svg::node::element::{Group, Rectangle};

const WIDTH: f64 = 720.0;
const PITCH: f64 = 10.0;
const GAP: f64 = 14.0;
const HEAD: f64 = 22.0;
const LEAST: f64 = 132.0;

/// Maximum number of files with a box; the others are counted.
const MOST_FILES: usize = 120;

/// Maximum number of file pairs drawn or listed, those with the most dependencies first.
pub(super) const MOST_LINES: usize = 150;

/// Components of a file, and the position of its box.
struct FileBox<'a> {
    path: String,
    components: Vec<&'a ComponentView>,
    place: (f64, f64),
    size: (f64, f64),
}

/// Draws a whole change.
pub(super) fn map(found: &AnnotatedDelta<'_>) -> Picture {
    let mut lots = lots(found);
    let files = lots.len();
    let hidden: usize = lots.iter().skip(MOST_FILES).map(|lot| lot.components.len()).sum();
    lots.truncate(MOST_FILES);
    let mut height = arrange(&mut lots);
    let (lines, [drawn, pairs]) = lines(found, &lots);
    let mut content = group("").add(lines);
    for lot in &lots {
        content = content.add(lot.drawn(found));
    }
    if hidden > 0 {
        let more = counted(files - lots.len(), "more file");
        let words = format!("and {more} with {}", counted(hidden, "component"));
        content = content.add(text("muted", (0.0, height + 12.0), &words));
        height += 24.0;
    }
    let shown = counted(found.delta.components.len(), "component");
    let couplings = counted(found.couplings().count(), "dependency");
    let all = format!("{shown} in {} with {couplings}.", counted(files, "file"));
    let boxes = (hidden > 0).then(|| format!("Drawn: {}.", counted(lots.len(), "file")));
    let lines = (drawn < pairs)
        .then(|| format!("Lines connect {drawn} of {pairs} pairs of dependent files."));
    let told: Vec<String> = std::iter::once(all).chain(boxes).chain(lines).collect();
    Picture::new("delta", told.join(" "), (WIDTH, height), content)
}

/// Sorts the files: those of culprit and fix, then those with direct dependencies on them, then the largest.
fn lots<'a>(found: &AnnotatedDelta<'a>) -> Vec<FileBox<'a>> {
    let mut files: BTreeMap<String, Vec<&ComponentView>> = BTreeMap::new();
    for component in &found.delta.components {
        files.entry(home(component)).or_default().push(component);
    }
    let mut lots: Vec<FileBox<'_>> = files
        .into_iter()
        .map(|(path, components)| {
            let size = size_of(components.len());
            FileBox { path, components, place: (0.0, 0.0), size }
        })
        .collect();
    let near: BTreeSet<usize> = found.marked_and_adjacent().into_iter().collect();
    lots.sort_by_cached_key(|lot| {
        let ranks =
            lot.components.iter().map(|one| (found.is_found(one.id), near.contains(&one.id)));
        (Reverse(ranks.max()), Reverse(lot.components.len()), lot.path.clone())
    });
    lots
}

/// Returns the number of dots in a row of a box.
fn columns(count: usize) -> usize {
    let least = 11;
    let most = 68;
    (least..most).find(|columns| columns * columns >= 4 * count).unwrap_or(most)
}

fn size_of(count: usize) -> (f64, f64) {
    let columns = columns(count);
    let width = (float(columns) * PITCH + 12.0).max(LEAST);
    (width, HEAD + float(count.div_ceil(columns)) * PITCH + 8.0)
}

/// Arranges the boxes in rows, and returns the total height.
fn arrange(lots: &mut [FileBox<'_>]) -> f64 {
    let (mut x, mut y, mut tallest) = (1.0, 1.0, 0.0_f64);
    for lot in lots {
        let (width, height) = lot.size;
        if x + width > WIDTH {
            (x, y, tallest) = (1.0, y + tallest + GAP, 0.0);
        }
        lot.place = (x, y);
        x += width + GAP;
        tallest = tallest.max(height);
    }
    y + tallest + 2.0
}

impl FileBox<'_> {
    fn dot(&self, at: usize) -> (f64, f64) {
        let columns = columns(self.components.len());
        let (x, y) = self.place;
        let (column, row) = (float(at % columns), float(at / columns));
        (x + 11.0 + column * PITCH, y + HEAD + 6.0 + row * PITCH)
    }

    fn drawn(&self, found: &AnnotatedDelta<'_>) -> Group {
        let ((x, y), (width, height)) = (self.place, self.size);
        let is_found = self.components.iter().any(|one| found.is_found(one.id));
        let class = if is_found { "box found" } else { "box" };
        let frame = Rectangle::new().set("class", class).set("x", x).set("y", y).set("rx", 5);
        let frame = frame.set("width", width).set("height", height);
        let words = format!("{}: {}", self.path, counted(self.components.len(), "component"));
        let file = self.path.rsplit('/').next().unwrap_or(&self.path);
        let strong = if is_found { "strong" } else { "muted" };
        let name = text(strong, (x + 7.0, y + 15.0), &cut_path(file, letters(width - 12.0)));
        let mut lot = group("").add(tip(&words)).add(frame).add(name).add(self.dots(found));
        for (at, component) in self.components.iter().enumerate() {
            if found.is_found(component.id) {
                lot = lot.add(node(found, component.id, self.dot(at), 3.6));
            }
        }
        lot
    }

    /// Draws all dots except those of culprit and fix, as one path with round caps and zero-length segments.
    fn dots(&self, found: &AnnotatedDelta<'_>) -> svg::node::element::Path {
        let mut line = String::new();
        for (at, component) in self.components.iter().enumerate() {
            if !found.is_found(component.id) {
                let (x, y) = self.dot(at);
                let _ = write!(line, "M{x:.0} {y:.0}h0");
            }
        }
        path("dots", line)
    }

    fn middle(&self) -> (f64, f64) {
        (self.place.0 + self.size.0 / 2.0, self.place.1 + self.size.1 / 2.0)
    }
}

/// Dependencies between two files.
pub(crate) struct FileEdges {
    pub(crate) files: [String; 2],
    pub(crate) count: usize,
    /// Rules, each with the number of its dependencies, the most frequent first.
    pub(crate) rules: Vec<(String, usize)>,
    is_near: bool,
}

impl FileEdges {
    /// Returns the rules in words.
    pub(crate) fn rules(&self) -> String {
        let rules = self.rules.iter().map(|(rule, count)| format!("{rule} {count}"));
        rules.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the dependencies between files: those of culprit and fix first, then the pairs with the most.
pub(super) fn bundles(found: &AnnotatedDelta<'_>) -> Vec<FileEdges> {
    let components = found.delta.components.iter();
    let homes: HashMap<usize, String> = components.map(|one| (one.id, home(one))).collect();
    let mut pairs: BTreeMap<[&String; 2], (bool, BTreeMap<String, usize>)> = BTreeMap::new();
    for coupling in found.couplings() {
        let rule = rule(coupling);
        let from = homes.get(&coupling.from);
        let to = coupling.to.iter().filter_map(|to| homes.get(to));
        for (from, to) in from.into_iter().cycle().zip(to).filter(|(from, to)| from != to) {
            let (is_near, rules) = pairs.entry([from.min(to), from.max(to)]).or_default();
            *is_near |= found.is_near(coupling);
            *rules.entry(rule.clone()).or_default() += 1;
        }
    }
    let bundle = |(files, (is_near, rules)): ([&String; 2], (bool, BTreeMap<String, usize>))| {
        let mut rules: Vec<(String, usize)> = rules.into_iter().collect();
        rules.sort_by_key(|(_, count)| Reverse(*count));
        let count = rules.iter().map(|(_, count)| count).sum();
        FileEdges { files: files.map(Clone::clone), count, rules, is_near }
    };
    let mut bundles: Vec<FileEdges> = pairs.into_iter().map(bundle).collect();
    bundles.sort_by_key(|one| (!one.is_near, Reverse(one.count)));
    bundles
}

/// Draws lines between the boxes of the files with the most dependencies. Returns the numbers of drawn lines and of all
/// pairs.
fn lines(found: &AnnotatedDelta<'_>, lots: &[FileBox<'_>]) -> (Group, [usize; 2]) {
    let middles: HashMap<&String, (f64, f64)> =
        lots.iter().map(|lot| (&lot.path, lot.middle())).collect();
    let bundles = bundles(found);
    let all = bundles.len();
    let drawn = bundles.into_iter().filter_map(|bundle| {
        let [(x, y), (to_x, to_y)] =
            [middles.get(&bundle.files[0])?, middles.get(&bundle.files[1])?];
        let class = if bundle.is_near { "edge near" } else { "edge" };
        let (count, between) = (counted(bundle.count, "dependency"), bundle.files.join(" and "));
        let words = format!("{count} between {between}: {}", bundle.rules());
        let line = format!("M{x:.0} {y:.0}L{to_x:.0} {to_y:.0}");
        Some(path(class, line).add(tip(&words)))
    });
    let drawn: Vec<_> = drawn.take(MOST_LINES).collect();
    let count = drawn.len();
    (drawn.into_iter().fold(group(""), Group::add), [count, all])
}
