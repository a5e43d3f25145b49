//! List of components by file, with an arc for each dependency.

use super::paths::{cut_path, home};
use crate::delta::{ComponentView, DependencyKind, DependencyView};
use crate::page::dependency_graph::annotated_delta::AnnotatedDelta;
use crate::page::picture::{Picture, float, group, path, text, tip};
use mend_model::counted;
use mend_model::cut;
use std::collections::HashMap;
use svg::node::element::{Circle, Group, Rectangle};

const WIDTH: f64 = 720.0;
const NODES: f64 = 166.0;
const ROW: f64 = 24.0;
const HEAD: f64 = 30.0;
const WORDS: usize = 56;

/// Maximum width of a digit.
const DIGIT: f64 = 8.0;

/// Maximum number of edges with a visible rule; otherwise only the tooltip shows it.
const MOST_RULES: usize = 10;

/// Draws some components; `more` is the number of further relevant ones.
pub(super) fn list(
    found: &AnnotatedDelta<'_>,
    some: &[&ComponentView],
    more: usize,
    name: &str,
) -> Picture {
    let mut rows = group("");
    let mut places: HashMap<usize, f64> = HashMap::new();
    let (mut y, mut file) = (6.0, None);
    for component in some {
        let home = home(component);
        if file.as_ref() != Some(&home) {
            rows = rows.add(text("muted code", (NODES - 8.0, y + 18.0), &cut_path(&home, 76)));
            file = Some(home);
            y += HEAD;
        }
        rows = rows.add(row(found, component, y + ROW / 2.0));
        places.insert(component.id, y + ROW / 2.0);
        y += ROW;
    }
    let (edges, rules) = edges(found, &places);
    let content = group("").add(rows.add(edges));
    let of_rules = rules.map(|[written, all]| format!("{written} of {all} edges show their rule."));
    let of_more = (more > 0).then(|| {
        format!("Not shown: {} connected to the marked ones.", counted(more, "component"))
    });
    let told: Vec<String> = std::iter::once(describe_components(found, some, None))
        .chain(of_rules)
        .chain(of_more)
        .collect();
    Picture::new(name, told.join(" "), (WIDTH, y + 6.0), content)
}

fn row(found: &AnnotatedDelta<'_>, component: &ComponentView, y: f64) -> Group {
    let (role, id) = (found.role(component.id), component.id);
    let numbers = 14.0 + DIGIT * float(found.delta.components.len().to_string().len());
    let mut row = group("row");
    if role.is_some() {
        let glow =
            Rectangle::new().set("class", "glow").set("x", NODES - 12.0).set("y", y - ROW / 2.0);
        row = row.add(glow.set("width", WIDTH - NODES + 12.0).set("height", ROW).set("rx", 4));
    }
    let words = match role {
        Some(role) => format!("{}: {}", role, component.what),
        None => component.what.clone(),
    };
    let strong = if role.is_some() { "strong" } else { "" };
    let tokens = counted(usize::try_from(component.tokens).unwrap_or(usize::MAX), "token");
    row.add(node(found, id, (NODES, y), 5.0))
        .add(text("muted end", (NODES + numbers, y + 4.5), &id.to_string()))
        .add(text(strong, (NODES + numbers + 10.0, y + 4.5), &cut(&words, WORDS)))
        .add(text("muted end", (WIDTH - 4.0, y + 4.5), &tokens))
}

/// Draws the node of a component.
pub(super) fn node(
    found: &AnnotatedDelta<'_>,
    id: usize,
    (x, y): (f64, f64),
    radius: f64,
) -> Circle {
    let class = match (found.breaks.contains(&id), found.mends.contains(&id)) {
        (true, _) => "node found",
        (false, true) => "node reverted",
        (false, false) => "node",
    };
    let what = found.delta.components.get(id - 1).map_or("", |one| &one.what);
    let circle = Circle::new().set("class", class).set("cx", x).set("cy", y).set("r", radius);
    circle.add(tip(&format!("{id} {what}")))
}

/// Draws the dependencies between the shown components. If some rules are hidden, returns the number of visible rules and
/// of edges.
fn edges(found: &AnnotatedDelta<'_>, places: &HashMap<usize, f64>) -> (Group, Option<[usize; 2]>) {
    let is_shown = |id: &usize| places.contains_key(id);
    let all: Vec<&DependencyView> =
        found.couplings().filter(|one| is_between(one, is_shown)).collect();
    let has_rules = all.len() <= MOST_RULES;
    let longest = all.iter().flat_map(|one| spans(one, places)).fold(1.0, f64::max);
    let (mut edges, mut labels, mut count) = (group(""), Vec::new(), 0);
    for coupling in all {
        let from = places[&coupling.from];
        for to in coupling.to.iter().filter_map(|to| places.get(to)) {
            let reach = 16.0 + 80.0 * ((to - from).abs() / longest).sqrt();
            count += 1;
            edges = edges.add(arc(found, coupling, (from, *to), reach));
            let height = f64::midpoint(from, *to) + 4.0;
            let is_free = labels.iter().all(|other: &f64| (other - height).abs() > 13.0);
            if has_rules && is_free {
                labels.push(height);
                let place = (NODES - 14.0 - reach * 0.75, height);
                edges = edges.add(text("muted end", place, &rule(coupling)));
            }
        }
    }
    (edges, (labels.len() < count).then_some([labels.len(), count]))
}

/// Returns true if a dependency connects shown components.
fn is_between(coupling: &DependencyView, is_shown: impl Fn(&usize) -> bool) -> bool {
    is_shown(&coupling.from) && coupling.to.iter().any(is_shown)
}

fn spans(coupling: &DependencyView, places: &HashMap<usize, f64>) -> Vec<f64> {
    let from = places[&coupling.from];
    coupling.to.iter().filter_map(|to| Some((places.get(to)? - from).abs())).collect()
}

/// Draws an arrow from a component to one that it needs.
fn arc(
    found: &AnnotatedDelta<'_>,
    coupling: &DependencyView,
    (from, to): (f64, f64),
    reach: f64,
) -> svg::node::element::Path {
    let (start, end) = (NODES - 6.0, NODES - 8.0);
    let bend = start - reach;
    let line = format!(
        "M{start} {from:.1}C{bend:.1} {from:.1} {bend:.1} {to:.1} {end} {to:.1}m-6 -3.5l6 3.5l-6 3.5"
    );
    let any = if coupling.kind == DependencyKind::AnyOf { " any" } else { "" };
    let near = if found.is_near(coupling) { " near" } else { "" };
    let to: Vec<String> = coupling.to.iter().map(ToString::to_string).collect();
    let words = format!("{} needs {}: {}", coupling.from, to.join(" or "), rule(coupling));
    path(&format!("edge{near}{any}"), line).add(tip(&words))
}

/// Returns the name of a rule as in JSON.
pub(crate) fn rule(coupling: &DependencyView) -> String {
    let name = serde_json::to_value(coupling.rule).ok();
    let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
    name.replace('_', " ")
}

/// Describes a picture of some components in words. `drawn` is the number of drawn dependencies; without it, all are
/// drawn.
pub(crate) fn describe_components(
    found: &AnnotatedDelta<'_>,
    some: &[&ComponentView],
    drawn: Option<usize>,
) -> String {
    let shown = counted(some.len(), "component");
    let is_shown = |id: &usize| some.iter().any(|shown| shown.id == *id);
    let all = found.couplings().filter(|one| is_between(one, is_shown)).count();
    let part = drawn.filter(|drawn| *drawn < all);
    let of_all = part.map_or(String::new(), |drawn| format!("{drawn} of "));
    let found = some.iter().filter_map(|one| Some(format!("{} ({})", one.id, found.role(one.id)?)));
    let found: Vec<String> = found.collect();
    let marked = match found.len() {
        0 => String::new(),
        1..=4 => format!(" Marked: {}.", found.join(", ")),
        many => format!(" Marked: {many} components."),
    };
    format!("{shown} and {of_all}{}.{marked}", counted(all, "dependency"))
}
