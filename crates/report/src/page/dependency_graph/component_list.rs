//! Draws the components of a delta as a list by file, with an arc for each dependency.

use super::paths::{component_file, truncate_path};
use crate::delta::{ComponentView, DependencyKind, DependencyView};
use crate::page::dependency_graph::annotated_delta::AnnotatedDelta;
use crate::page::picture::{Picture, svg_group, svg_path, svg_text, to_coordinate, tooltip};
use mend_model::format_count;
use mend_model::truncate;
use std::collections::HashMap;
use svg::node::element::{Circle, Group, Rectangle};

const WIDTH: f64 = 720.0;
const NODE_X: f64 = 166.0;
const ROW_HEIGHT: f64 = 24.0;
const FILE_HEADING_HEIGHT: f64 = 30.0;
const MAX_LABEL_CHARS: usize = 56;

/// Maximum width of a digit.
const DIGIT_WIDTH: f64 = 8.0;

/// Maximum number of edges with a visible rule; otherwise only the tooltip shows it.
const MAX_LABELLED_EDGES: usize = 10;

/// Draws some components. `hidden_count` is the number of further relevant components.
pub(super) fn draw_component_list(
    annotated_delta: &AnnotatedDelta<'_>,
    components: &[&ComponentView],
    hidden_count: usize,
    name: &str,
) -> Picture {
    let mut rows = svg_group("");
    let mut y_by_component: HashMap<usize, f64> = HashMap::new();
    let (mut y, mut file) = (6.0, None);
    for component in components {
        let file_path = component_file(component);
        if file.as_ref() != Some(&file_path) {
            rows = rows.add(svg_text(
                "muted code",
                (NODE_X - 8.0, y + 18.0),
                &truncate_path(&file_path, 76),
            ));
            file = Some(file_path);
            y += FILE_HEADING_HEIGHT;
        }
        rows = rows.add(draw_row(annotated_delta, component, y + ROW_HEIGHT / 2.0));
        y_by_component.insert(component.id, y + ROW_HEIGHT / 2.0);
        y += ROW_HEIGHT;
    }
    let (edges, rules) = draw_edges(annotated_delta, &y_by_component);
    let content = svg_group("").add(rows.add(edges));
    let rules_note =
        rules.map(|[written, all]| format!("{written} of {all} edges show their rule."));
    let hidden_note = (hidden_count > 0).then(|| {
        format!(
            "Not shown: {} connected to the marked ones.",
            format_count(hidden_count, "component")
        )
    });
    let description: Vec<String> =
        std::iter::once(describe_components(annotated_delta, components, None))
            .chain(rules_note)
            .chain(hidden_note)
            .collect();
    Picture::new(name, description.join(" "), (WIDTH, y + 6.0), content)
}

fn draw_row(annotated_delta: &AnnotatedDelta<'_>, component: &ComponentView, y: f64) -> Group {
    let (role, id) = (annotated_delta.role(component.id), component.id);
    let number_width = 14.0
        + DIGIT_WIDTH * to_coordinate(annotated_delta.delta.components.len().to_string().len());
    let mut row = svg_group("row");
    if role.is_some() {
        let glow = Rectangle::new()
            .set("class", "glow")
            .set("x", NODE_X - 12.0)
            .set("y", y - ROW_HEIGHT / 2.0);
        row = row
            .add(glow.set("width", WIDTH - NODE_X + 12.0).set("height", ROW_HEIGHT).set("rx", 4));
    }
    let label = match role {
        Some(role) => format!("{}: {}", role, component.what),
        None => component.what.clone(),
    };
    let strong = if role.is_some() { "strong" } else { "" };
    let tokens = format_count(usize::try_from(component.tokens).unwrap_or(usize::MAX), "token");
    row.add(draw_node(annotated_delta, id, (NODE_X, y), 5.0))
        .add(svg_text("muted end", (NODE_X + number_width, y + 4.5), &id.to_string()))
        .add(svg_text(
            strong,
            (NODE_X + number_width + 10.0, y + 4.5),
            &truncate(&label, MAX_LABEL_CHARS),
        ))
        .add(svg_text("muted end", (WIDTH - 4.0, y + 4.5), &tokens))
}

/// Draws the node of a component.
pub(super) fn draw_node(
    annotated_delta: &AnnotatedDelta<'_>,
    id: usize,
    (x, y): (f64, f64),
    radius: f64,
) -> Circle {
    let class = match (
        annotated_delta.culprit_ids.contains(&id),
        annotated_delta.reverted_ids.contains(&id),
    ) {
        (true, _) => "node found",
        (false, true) => "node reverted",
        (false, false) => "node",
    };
    let description = annotated_delta.delta.components.get(id - 1).map_or("", |one| &one.what);
    let circle = Circle::new().set("class", class).set("cx", x).set("cy", y).set("r", radius);
    circle.add(tooltip(&format!("{id} {description}")))
}

/// Draws the dependencies between the shown components. If some rules are hidden, returns the number of visible rules and
/// of edges.
fn draw_edges(
    annotated_delta: &AnnotatedDelta<'_>,
    y_by_component: &HashMap<usize, f64>,
) -> (Group, Option<[usize; 2]>) {
    let is_shown = |id: &usize| y_by_component.contains_key(id);
    let dependencies: Vec<&DependencyView> =
        annotated_delta.dependencies().filter(|one| connects_shown(one, is_shown)).collect();
    let has_rules = dependencies.len() <= MAX_LABELLED_EDGES;
    let longest_span =
        dependencies.iter().flat_map(|one| edge_lengths(one, y_by_component)).fold(1.0, f64::max);
    let (mut edges, mut labels, mut count) = (svg_group(""), Vec::new(), 0);
    for dependency in dependencies {
        let from = y_by_component[&dependency.from];
        for to in dependency.to.iter().filter_map(|to| y_by_component.get(to)) {
            let reach = 16.0 + 80.0 * ((to - from).abs() / longest_span).sqrt();
            count += 1;
            edges = edges.add(draw_arc(annotated_delta, dependency, (from, *to), reach));
            let label_y = f64::midpoint(from, *to) + 4.0;
            let is_free = labels.iter().all(|other: &f64| (other - label_y).abs() > 13.0);
            if has_rules && is_free {
                labels.push(label_y);
                let label_position = (NODE_X - 14.0 - reach * 0.75, label_y);
                edges = edges.add(svg_text("muted end", label_position, &rule_name(dependency)));
            }
        }
    }
    (edges, (labels.len() < count).then_some([labels.len(), count]))
}

/// Returns true if a dependency connects shown components.
fn connects_shown(dependency: &DependencyView, is_shown: impl Fn(&usize) -> bool) -> bool {
    is_shown(&dependency.from) && dependency.to.iter().any(is_shown)
}

fn edge_lengths(dependency: &DependencyView, y_by_component: &HashMap<usize, f64>) -> Vec<f64> {
    let from = y_by_component[&dependency.from];
    dependency.to.iter().filter_map(|to| Some((y_by_component.get(to)? - from).abs())).collect()
}

/// Draws an arrow from a component to one that it needs.
fn draw_arc(
    annotated_delta: &AnnotatedDelta<'_>,
    dependency: &DependencyView,
    (from, to): (f64, f64),
    width: f64,
) -> svg::node::element::Path {
    let (start, end) = (NODE_X - 6.0, NODE_X - 8.0);
    let bend = start - width;
    let line = format!(
        "M{start} {from:.1}C{bend:.1} {from:.1} {bend:.1} {to:.1} {end} {to:.1}m-6 -3.5l6 3.5l-6 3.5"
    );
    let any_class = if dependency.kind == DependencyKind::AnyOf { " any" } else { "" };
    let near_class = if annotated_delta.touches_result(dependency) { " near" } else { "" };
    let to: Vec<String> = dependency.to.iter().map(ToString::to_string).collect();
    let tooltip_text =
        format!("{} needs {}: {}", dependency.from, to.join(" or "), rule_name(dependency));
    svg_path(&format!("edge{near_class}{any_class}"), line).add(tooltip(&tooltip_text))
}

/// Returns the name of a rule as in JSON.
pub(crate) fn rule_name(dependency: &DependencyView) -> String {
    let name = serde_json::to_value(dependency.rule).ok();
    let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
    name.replace('_', " ")
}

/// Describes a picture of some components in words. `drawn_edges` is the number of drawn dependencies, or `None` if all
/// are drawn.
pub(crate) fn describe_components(
    marked_ids: &AnnotatedDelta<'_>,
    components: &[&ComponentView],
    drawn_edges: Option<usize>,
) -> String {
    let component_count = format_count(components.len(), "component");
    let is_shown = |id: &usize| components.iter().any(|component_count| component_count.id == *id);
    let edge_count = marked_ids.dependencies().filter(|one| connects_shown(one, is_shown)).count();
    let partial_count = drawn_edges.filter(|drawn_edges| *drawn_edges < edge_count);
    let of_all = partial_count.map_or(String::new(), |drawn_edges| format!("{drawn_edges} of "));
    let marked_ids = components
        .iter()
        .filter_map(|one| Some(format!("{} ({})", one.id, marked_ids.role(one.id)?)));
    let marked_ids: Vec<String> = marked_ids.collect();
    let marked_note = match marked_ids.len() {
        0 => String::new(),
        1..=4 => format!(" Marked: {}.", marked_ids.join(", ")),
        many => format!(" Marked: {many} components."),
    };
    format!(
        "{component_count} and {of_all}{}.{marked_note}",
        format_count(edge_count, "dependency")
    )
}
