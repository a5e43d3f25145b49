//! Draws diagrams as Mermaid and as text, for Markdown without SVG. GitHub renders Mermaid, and mails show the text.
//! Each diagram is small, and untrusted text in it is escaped.

use super::model::result_size;
use crate::delta::{ComponentView, DependencyKind, DependencyView};
use crate::page::dependency_graph::{AnnotatedDelta, component_file, rule_name};
use crate::page::progress_chart::{ProgressPoint, describe_progress, progress_points};
use crate::sanitize::{sanitise_line, sanitise_text};
use crate::view::RunArtifacts;
use mend_model::truncate;
use std::fmt::Write as _;

/// Maximum number of points of a curve.
const MAX_CURVE_POINTS: usize = 40;
/// Maximum number of test runs with a number each on the x-axis.
const MAX_NUMBERED_RUNS: usize = 20;
/// Line colour that is visible on light and dark pages; the default colour is not.
const LINE_COLOUR: &str =
    "%%{init: {'themeVariables': {'xyChart': {'plotColorPalette': '#8250df'}}}}%%";
/// Minimum number of points of a curve, and of components at its start. A smaller search needs no picture.
const MIN_CURVE_POINTS: usize = 3;
const MIN_CURVE_COMPONENTS: usize = 5;
/// Maximum number of components and dependencies of a graph.
const MAX_NODES: usize = 12;
const MAX_EDGES: usize = 24;
/// Maximum length of a label, in characters.
const MAX_LABEL_CHARS: usize = 40;

/// Maximum number of rows of a curve as text, and the width of its longest bar.
const MAX_BAR_ROWS: usize = 12;
const MAX_BAR_WIDTH: usize = 24;

/// Picture as Mermaid and as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDiagram {
    /// Mermaid source.
    pub source: String,
    /// Description in words, without untrusted text.
    pub description: String,
    /// Diagram in plain characters, for a code block. Untrusted text in it is not escaped.
    pub text: String,
}

/// Returns the diagrams of a bisection: the search curve, and the components around culprit and fix.
pub(crate) fn text_diagrams(artifacts: &RunArtifacts<'_>) -> Vec<TextDiagram> {
    let annotated_delta =
        artifacts.delta.as_ref().map(|delta| AnnotatedDelta::new(delta, artifacts.result()));
    progress_diagram(artifacts)
        .into_iter()
        .chain(annotated_delta.as_ref().and_then(dependency_diagram))
        .collect()
}

fn progress_diagram(artifacts: &RunArtifacts<'_>) -> Option<TextDiagram> {
    let points = progress_points(&artifacts.trials);
    let max_suspected = points.iter().map(|point| point.suspected).max()?;
    if points.len() < MIN_CURVE_POINTS || max_suspected < MIN_CURVE_COMPONENTS {
        return None;
    }
    let description = describe_progress(&points, &result_size(artifacts.result()));
    let values: Vec<String> =
        evenly_spaced(&points, MAX_CURVE_POINTS).map(|point| point.suspected.to_string()).collect();
    let source = format!(
        "{LINE_COLOUR}\nxychart-beta\n    accDescr: {}\n    title \"Components still suspected\"\n    \
         x-axis \"variants\" {}\n    y-axis \"components\" 0 --> {max_suspected}\n    line [{}]",
        remove_special_characters(&description),
        format_x_axis(points.len()),
        values.join(", ")
    );
    Some(TextDiagram { source, description, text: format_bars(&points, max_suspected) })
}

/// Draws a bar for each test run at which the number of suspected components changed.
fn format_bars(points: &[ProgressPoint<'_>], max_suspected: usize) -> String {
    let is_change =
        |index: &usize| *index == 0 || points[*index].suspected != points[index - 1].suspected;
    let steps: Vec<usize> = (0..points.len()).filter(is_change).collect();
    let mut text = String::from("variant  components still suspected");
    for index in evenly_spaced(&steps, MAX_BAR_ROWS) {
        let suspected = points[*index].suspected;
        // The counts are untrusted, so the width of a bar is limited.
        let bar = "█".repeat(MAX_BAR_WIDTH.saturating_mul(suspected).div_ceil(max_suspected));
        let _ = write!(text, "\n{:>7}  {suspected:>5}  {bar}", index + 1);
    }
    text
}

/// Returns at most `max_items` elements at even distances, including the first and the last.
fn evenly_spaced<T>(items: &[T], max_items: usize) -> impl Iterator<Item = &T> {
    let (count, last) = (items.len().min(max_items), items.len().saturating_sub(1));
    (0..count).map(move |at| &items[at * last / count.saturating_sub(1).max(1)])
}

/// Returns the x-axis. If there are few numbers, it lists each one, because Mermaid would add fractions between them.
fn format_x_axis(run_count: usize) -> String {
    if run_count > MAX_NUMBERED_RUNS {
        return format!("1 --> {run_count}");
    }
    let numbers: Vec<String> = (1..=run_count).map(|number| number.to_string()).collect();
    format!("[{}]", numbers.join(", "))
}

fn dependency_diagram(annotated_delta: &AnnotatedDelta<'_>) -> Option<TextDiagram> {
    let components = if annotated_delta.delta.components.len() <= MAX_NODES {
        annotated_delta.delta.components.iter().collect()
    } else {
        annotated_delta.relevant_components()
    };
    let shown_components: Vec<&ComponentView> = components.into_iter().take(MAX_NODES).collect();
    let shows_result = shown_components.iter().any(|one| annotated_delta.role(one.id).is_some());
    if shown_components.len() < 2 || !shows_result {
        return None;
    }
    let edges = edges_between(annotated_delta, &shown_components);
    // A list of components explains nothing that the patches do not show.
    if edges.is_empty() {
        return None;
    }
    let drawn_edges = edges.chunk_by(|(one, _), (other, _)| std::ptr::eq(*one, *other)).count();
    let description = crate::page::dependency_graph::describe_components(
        annotated_delta,
        &shown_components,
        Some(drawn_edges),
    );
    let mut source =
        format!("flowchart LR\n    accDescr: {}", remove_special_characters(&description));
    for component in &shown_components {
        let class = if annotated_delta.role(component.id).is_some() { ":::found" } else { "" };
        let _ = write!(
            source,
            "\n    c{}[\"{}\"]{class}",
            component.id,
            format_label(annotated_delta, component)
        );
    }
    for (coupling, to) in &edges {
        let _ = write!(source, "\n    c{} {} c{to}", coupling.from, format_arrow(coupling));
    }
    source.push_str("\n    classDef found stroke-width:4px,font-weight:bold");
    Some(TextDiagram {
        source,
        description,
        text: format_rows(annotated_delta, &shown_components, &edges),
    })
}

/// Returns the dependencies between the shown components, each with the needed component.
fn edges_between<'a>(
    annotated_delta: &AnnotatedDelta<'a>,
    components: &[&ComponentView],
) -> Vec<(&'a DependencyView, usize)> {
    let is_shown = |id: &usize| components.iter().any(|one| one.id == *id);
    let shown_dependencies = annotated_delta.dependencies().filter(|one| is_shown(&one.from));
    let edges = shown_dependencies
        .flat_map(|one| one.to.iter().filter(|to| is_shown(to)).map(move |to| (one, *to)));
    edges.take(MAX_EDGES).collect()
}

/// Formats a line for each component, with its dependencies below.
fn format_rows(
    annotated_delta: &AnnotatedDelta<'_>,
    components: &[&ComponentView],
    edges: &[(&DependencyView, usize)],
) -> String {
    let format_row = |component: &&ComponentView| {
        let (role, what, file) = label_parts(annotated_delta, component);
        let own = edges.iter().filter(|(coupling, _)| coupling.from == component.id);
        let needs = own.map(|(one, to)| format!("\n         needs {to} ({})", rule_name(one)));
        format!("{:>5}  {role}{what} ({file}){}", component.id, needs.collect::<String>())
    };
    components.iter().map(format_row).collect::<Vec<_>>().join("\n")
}

/// Returns the role of a component, its description and the name of its file.
fn label_parts(
    annotated_delta: &AnnotatedDelta<'_>,
    component: &ComponentView,
) -> (String, String, String) {
    let role = annotated_delta.role(component.id).map_or(String::new(), |role| format!("{role}: "));
    let home = component_file(component);
    let file = home.rsplit('/').next().unwrap_or_default();
    (
        role,
        truncate(&sanitise_line(&component.what), MAX_LABEL_CHARS),
        truncate(&sanitise_line(file), MAX_LABEL_CHARS),
    )
}

/// Formats the label of a component: number, role, description and file.
fn format_label(annotated_delta: &AnnotatedDelta<'_>, component: &ComponentView) -> String {
    let (role, what, file) = label_parts(annotated_delta, component);
    format!("{} {role}{}<br>{}", component.id, escape_label(&what), escape_label(&file))
}

/// Formats the arrow of a dependency with its rule.
fn format_arrow(dependency: &DependencyView) -> String {
    let line = if dependency.kind == DependencyKind::AnyOf { "-.->" } else { "-->" };
    format!("{line}|\"{}\"|", escape_label(&rule_name(dependency)))
}

/// Escapes untrusted text for a label: special characters of Mermaid, HTML and Markdown become character references.
fn escape_label(label: &str) -> String {
    let mut out = String::new();
    for c in sanitise_text(label).chars() {
        if c.is_alphanumeric() || " ._-".contains(c) {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}

/// Removes special characters from git-mend's own text for a line of Mermaid.
fn remove_special_characters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric() || " .,:".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenly_spaced_items_include_first_and_last() {
        let spaced = |count: usize, most: usize| {
            let all: Vec<usize> = (0..count).collect();
            evenly_spaced(&all, most).copied().collect::<Vec<_>>()
        };
        assert_eq!(spaced(14, 12), [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13]);
        assert_eq!(spaced(3, 12), [0, 1, 2]);
        assert_eq!((spaced(0, 12), spaced(1, 12)), (vec![], vec![0]));
    }

    #[test]
    fn labels_escape_mermaid_syntax() {
        assert_eq!(
            escape_label("insert <a>\"]; click c1 `x`"),
            "insert #60;a#62;#34;#93;#59; click c1 #96;x#96;"
        );
        assert_eq!(
            escape_label("a\u{202e}b\n%%{init}"),
            escape_label("a\u{202e}b\n%%{init}").replace(['\n', '%', '{'], "")
        );
        assert_eq!(remove_special_characters("3 components: \"x\"\nend"), "3 components: xend");
    }
}
