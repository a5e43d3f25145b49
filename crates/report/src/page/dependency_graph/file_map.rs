//! Draws a large delta as a map: files as boxes with a dot for each component, and lines between dependent files.

use super::paths::{component_file, truncate_path};
use crate::delta::ComponentView;
use crate::page::dependency_graph::annotated_delta::AnnotatedDelta;
use crate::page::dependency_graph::component_list::{draw_node, rule_name};
use crate::page::picture::{
    Picture, max_letters, svg_group, svg_path, svg_text, to_coordinate, tooltip,
};
use mend_model::format_count;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use svg::node::element::{Group, Rectangle};

const WIDTH: f64 = 720.0;
const DOT_PITCH: f64 = 10.0;
const BOX_GAP: f64 = 14.0;
const BOX_HEADING_HEIGHT: f64 = 22.0;
const MIN_BOX_WIDTH: f64 = 132.0;

/// Maximum number of files with a box; the others are counted.
const MAX_BOXES: usize = 120;

/// Maximum number of file pairs drawn or listed, those with the most dependencies first.
pub(super) const MAX_FILE_EDGES: usize = 150;

/// Components of a file, and the position of its box.
struct FileBox<'a> {
    path: String,
    components: Vec<&'a ComponentView>,
    position: (f64, f64),
    size: (f64, f64),
}

/// Draws a whole change.
pub(super) fn draw_file_map(annotated_delta: &AnnotatedDelta<'_>) -> Picture {
    let mut file_boxes = file_boxes(annotated_delta);
    let files = file_boxes.len();
    let hidden: usize = file_boxes.iter().skip(MAX_BOXES).map(|lot| lot.components.len()).sum();
    file_boxes.truncate(MAX_BOXES);
    let mut height = arrange_boxes(&mut file_boxes);
    let (line_note, [drawn, pairs]) = draw_file_edges(annotated_delta, &file_boxes);
    let mut content = svg_group("").add(line_note);
    for lot in &file_boxes {
        content = content.add(lot.draw(annotated_delta));
    }
    if hidden > 0 {
        let more = format_count(files - file_boxes.len(), "more file");
        let hidden_note = format!("and {more} with {}", format_count(hidden, "component"));
        content = content.add(svg_text("muted", (0.0, height + 12.0), &hidden_note));
        height += 24.0;
    }
    let component_count = format_count(annotated_delta.delta.components.len(), "component");
    let couplings = format_count(annotated_delta.dependencies().count(), "dependency");
    let totals = format!("{component_count} in {} with {couplings}.", format_count(files, "file"));
    let box_note =
        (hidden > 0).then(|| format!("Drawn: {}.", format_count(file_boxes.len(), "file")));
    let line_note = (drawn < pairs)
        .then(|| format!("Lines connect {drawn} of {pairs} pairs of dependent files."));
    let description: Vec<String> =
        std::iter::once(totals).chain(box_note).chain(line_note).collect();
    Picture::new("delta", description.join(" "), (WIDTH, height), content)
}

/// Sorts the files: those of culprit and fix, then those with direct dependencies on them, then the largest.
fn file_boxes<'a>(annotated_delta: &AnnotatedDelta<'a>) -> Vec<FileBox<'a>> {
    let mut files: BTreeMap<String, Vec<&ComponentView>> = BTreeMap::new();
    for component in &annotated_delta.delta.components {
        files.entry(component_file(component)).or_default().push(component);
    }
    let mut boxes: Vec<FileBox<'_>> = files
        .into_iter()
        .map(|(path, components)| {
            let size = box_size(components.len());
            FileBox { path, components, position: (0.0, 0.0), size }
        })
        .collect();
    let relevant_ids: BTreeSet<usize> = annotated_delta.relevant_ids().into_iter().collect();
    boxes.sort_by_cached_key(|lot| {
        let ranks = lot
            .components
            .iter()
            .map(|one| (annotated_delta.is_in_result(one.id), relevant_ids.contains(&one.id)));
        (Reverse(ranks.max()), Reverse(lot.components.len()), lot.path.clone())
    });
    boxes
}

/// Returns the number of dots in a row of a box.
fn column_count(count: usize) -> usize {
    let min_columns = 11;
    let max_columns = 68;
    (min_columns..max_columns).find(|columns| columns * columns >= 4 * count).unwrap_or(max_columns)
}

fn box_size(count: usize) -> (f64, f64) {
    let columns = column_count(count);
    let width = (to_coordinate(columns) * DOT_PITCH + 12.0).max(MIN_BOX_WIDTH);
    (width, BOX_HEADING_HEIGHT + to_coordinate(count.div_ceil(columns)) * DOT_PITCH + 8.0)
}

/// Arranges the boxes in rows, and returns the total height.
fn arrange_boxes(boxes: &mut [FileBox<'_>]) -> f64 {
    let (mut x, mut y, mut tallest) = (1.0, 1.0, 0.0_f64);
    for lot in boxes {
        let (width, height) = lot.size;
        if x + width > WIDTH {
            (x, y, tallest) = (1.0, y + tallest + BOX_GAP, 0.0);
        }
        lot.position = (x, y);
        x += width + BOX_GAP;
        tallest = tallest.max(height);
    }
    y + tallest + 2.0
}

impl FileBox<'_> {
    fn dot_position(&self, index: usize) -> (f64, f64) {
        let columns = column_count(self.components.len());
        let (x, y) = self.position;
        let (column, row) = (to_coordinate(index % columns), to_coordinate(index / columns));
        (x + 11.0 + column * DOT_PITCH, y + BOX_HEADING_HEIGHT + 6.0 + row * DOT_PITCH)
    }

    fn draw(&self, annotated_delta: &AnnotatedDelta<'_>) -> Group {
        let ((x, y), (width, height)) = (self.position, self.size);
        let is_found = self.components.iter().any(|one| annotated_delta.is_in_result(one.id));
        let class = if is_found { "box found" } else { "box" };
        let frame = Rectangle::new().set("class", class).set("x", x).set("y", y).set("rx", 5);
        let frame = frame.set("width", width).set("height", height);
        let tooltip_text =
            format!("{}: {}", self.path, format_count(self.components.len(), "component"));
        let file = self.path.rsplit('/').next().unwrap_or(&self.path);
        let text_class = if is_found { "strong" } else { "muted" };
        let name = svg_text(
            text_class,
            (x + 7.0, y + 15.0),
            &truncate_path(file, max_letters(width - 12.0)),
        );
        let mut lot = svg_group("")
            .add(tooltip(&tooltip_text))
            .add(frame)
            .add(name)
            .add(self.draw_dots(annotated_delta));
        for (at, component) in self.components.iter().enumerate() {
            if annotated_delta.is_in_result(component.id) {
                lot = lot.add(draw_node(annotated_delta, component.id, self.dot_position(at), 3.6));
            }
        }
        lot
    }

    /// Draws all dots except those of culprit and fix, as one path with round caps and zero-length segments.
    fn draw_dots(&self, annotated_delta: &AnnotatedDelta<'_>) -> svg::node::element::Path {
        let mut line = String::new();
        for (at, component) in self.components.iter().enumerate() {
            if !annotated_delta.is_in_result(component.id) {
                let (x, y) = self.dot_position(at);
                let _ = write!(line, "M{x:.0} {y:.0}h0");
            }
        }
        svg_path("dots", line)
    }

    fn centre(&self) -> (f64, f64) {
        (self.position.0 + self.size.0 / 2.0, self.position.1 + self.size.1 / 2.0)
    }
}

/// Dependencies between two files.
pub(crate) struct FileEdges {
    pub(crate) files: [String; 2],
    pub(crate) count: usize,
    /// Rules, each with the number of its dependencies, the most frequent first.
    pub(crate) rules: Vec<(String, usize)>,
    touches_result: bool,
}

impl FileEdges {
    /// Returns the rules in words.
    pub(crate) fn rules(&self) -> String {
        let rules = self.rules.iter().map(|(rule, count)| format!("{rule} {count}"));
        rules.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the dependencies between files: those of culprit and fix first, then the pairs with the most.
pub(super) fn file_edges(annotated_delta: &AnnotatedDelta<'_>) -> Vec<FileEdges> {
    let components = annotated_delta.delta.components.iter();
    let path_by_component: HashMap<usize, String> =
        components.map(|one| (one.id, component_file(one))).collect();
    let mut pairs: BTreeMap<[&String; 2], (bool, BTreeMap<String, usize>)> = BTreeMap::new();
    for dependency in annotated_delta.dependencies() {
        let rule = rule_name(dependency);
        let from = path_by_component.get(&dependency.from);
        let to = dependency.to.iter().filter_map(|to| path_by_component.get(to));
        for (from, to) in from.into_iter().cycle().zip(to).filter(|(from, to)| from != to) {
            let (is_near, rules) = pairs.entry([from.min(to), from.max(to)]).or_default();
            *is_near |= annotated_delta.touches_result(dependency);
            *rules.entry(rule.clone()).or_default() += 1;
        }
    }
    let file_edge = |(files, (is_near, rules)): ([&String; 2], (bool, BTreeMap<String, usize>))| {
        let mut rules: Vec<(String, usize)> = rules.into_iter().collect();
        rules.sort_by_key(|(_, count)| Reverse(*count));
        let count = rules.iter().map(|(_, count)| count).sum();
        FileEdges { files: files.map(Clone::clone), count, rules, touches_result: is_near }
    };
    let mut bundles: Vec<FileEdges> = pairs.into_iter().map(file_edge).collect();
    bundles.sort_by_key(|one| (!one.touches_result, Reverse(one.count)));
    bundles
}

/// Draws lines between the boxes of the files with the most dependencies. Returns the numbers of drawn lines and of all
/// pairs.
fn draw_file_edges(
    annotated_delta: &AnnotatedDelta<'_>,
    boxes: &[FileBox<'_>],
) -> (Group, [usize; 2]) {
    let centres: HashMap<&String, (f64, f64)> =
        boxes.iter().map(|lot| (&lot.path, lot.centre())).collect();
    let bundles = file_edges(annotated_delta);
    let pair_count = bundles.len();
    let paths = bundles.into_iter().filter_map(|bundle| {
        let [(x, y), (to_x, to_y)] =
            [centres.get(&bundle.files[0])?, centres.get(&bundle.files[1])?];
        let class = if bundle.touches_result { "edge near" } else { "edge" };
        let (count, between) =
            (format_count(bundle.count, "dependency"), bundle.files.join(" and "));
        let tooltip_text = format!("{count} between {between}: {}", bundle.rules());
        let line = format!("M{x:.0} {y:.0}L{to_x:.0} {to_y:.0}");
        Some(svg_path(class, line).add(tooltip(&tooltip_text)))
    });
    let paths: Vec<_> = paths.take(MAX_FILE_EDGES).collect();
    let count = paths.len();
    (paths.into_iter().fold(svg_group(""), Group::add), [count, pair_count])
}
