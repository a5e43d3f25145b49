//! Pictures as Mermaid and as text, for Markdown without SVG: GitHub draws Mermaid, and mail shows the text. Each picture
//! is small, and untrusted text in it is escaped for Mermaid.

use super::model::result_size;
use crate::delta::{ComponentView, DependencyKind, DependencyView};
use crate::page::dependency_graph::{AnnotatedDelta, home, rule};
use crate::page::progress_chart::{ProgressPoint, course, describe_progress as told_of_course};
use crate::sanitize::{harmless, one_line};
use crate::view::RunArtifacts;
use mend_model::cut;
use std::fmt::Write as _;

/// Maximum number of points of a curve.
const MOST_POINTS: usize = 40;
/// Maximum number of test runs that are numbered one by one.
const MOST_NUMBERS: usize = 20;
/// Line colour that is visible on light and dark pages; the default colour is not.
const COLOUR: &str = "%%{init: {'themeVariables': {'xyChart': {'plotColorPalette': '#8250df'}}}}%%";
/// Minimum number of points of a curve.
const LEAST_POINTS: usize = 3;
/// Maximum number of components and dependencies of a graph.
const MOST_NODES: usize = 12;
const MOST_EDGES: usize = 24;
/// Maximum length of a label, in characters.
const MOST_LABEL: usize = 40;

/// Maximum number of rows of a curve as text, and the width of its longest bar.
const MOST_ROWS: usize = 12;
const WIDEST: usize = 24;

/// Picture as Mermaid and as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDiagram {
    /// Mermaid source.
    pub source: String,
    /// Description in words, without untrusted text.
    pub told: String,
    /// Picture in plain characters for a code block; untrusted text in it is not escaped.
    pub text: String,
}

/// Returns the pictures of a bisection: the search curve, and the components around culprit and fix.
pub(crate) fn sketches(material: &RunArtifacts<'_>) -> Vec<TextDiagram> {
    let found = material.delta.as_ref().map(|delta| AnnotatedDelta::new(delta, material.result()));
    curve(material).into_iter().chain(found.as_ref().and_then(graph)).collect()
}

fn curve(material: &RunArtifacts<'_>) -> Option<TextDiagram> {
    let points = course(&material.trials);
    let most = points.iter().map(|point| point.suspected).max()?;
    if points.len() < LEAST_POINTS || most < 2 {
        return None;
    }
    let told = told_of_course(&points, &result_size(material.result()));
    let shown: Vec<String> =
        spread(&points, MOST_POINTS).map(|point| point.suspected.to_string()).collect();
    let source = format!(
        "{COLOUR}\nxychart-beta\n    accDescr: {}\n    title \"Components still suspected\"\n    \
         x-axis \"test runs\" {}\n    y-axis \"components\" 0 --> {most}\n    line [{}]",
        plain_text(&told),
        axis(points.len()),
        shown.join(", ")
    );
    Some(TextDiagram { source, told, text: bars(&points, most) })
}

/// Draws a bar for each test run at which the number of suspected components changed.
fn bars(points: &[ProgressPoint<'_>], most: usize) -> String {
    let is_step = |at: &usize| *at == 0 || points[*at].suspected != points[at - 1].suspected;
    let steps: Vec<usize> = (0..points.len()).filter(is_step).collect();
    let mut text = String::from("  run  components still suspected");
    for at in spread(&steps, MOST_ROWS) {
        let suspected = points[*at].suspected;
        // The numbers are untrusted; the width of a bar is limited.
        let bar = "█".repeat(WIDEST.saturating_mul(suspected).div_ceil(most));
        let _ = write!(text, "\n{:>5}  {suspected:>5}  {bar}", at + 1);
    }
    text
}

/// Returns at most `most` elements, spread evenly, with the first and the last.
fn spread<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let (count, last) = (all.len().min(most), all.len().saturating_sub(1));
    (0..count).map(move |at| &all[at * last / count.saturating_sub(1).max(1)])
}

/// Returns the x-axis: each number if there are few, because Mermaid would add fractions between them.
fn axis(tests: usize) -> String {
    if tests > MOST_NUMBERS {
        return format!("1 --> {tests}");
    }
    let numbers: Vec<String> = (1..=tests).map(|number| number.to_string()).collect();
    format!("[{}]", numbers.join(", "))
}

fn graph(found: &AnnotatedDelta<'_>) -> Option<TextDiagram> {
    let near = if found.delta.components.len() <= MOST_NODES {
        found.delta.components.iter().collect()
    } else {
        found.neighbourhood()
    };
    let shown: Vec<&ComponentView> = near.into_iter().take(MOST_NODES).collect();
    let is_found = shown.iter().any(|one| found.role(one.id).is_some());
    if shown.len() < 2 || !is_found {
        return None;
    }
    let edges = edges(found, &shown);
    let drawn = edges.chunk_by(|(one, _), (other, _)| std::ptr::eq(*one, *other)).count();
    let told = crate::page::dependency_graph::describe_components(found, &shown, Some(drawn));
    let mut source = format!("flowchart LR\n    accDescr: {}", plain_text(&told));
    for component in &shown {
        let class = if found.role(component.id).is_some() { ":::found" } else { "" };
        let _ = write!(source, "\n    c{}[\"{}\"]{class}", component.id, label(found, component));
    }
    for (coupling, to) in &edges {
        let _ = write!(source, "\n    c{} {} c{to}", coupling.from, arrow(coupling));
    }
    source.push_str("\n    classDef found stroke-width:4px,font-weight:bold");
    Some(TextDiagram { source, told, text: rows(found, &shown, &edges) })
}

/// Returns the dependencies between the shown components, each with the needed component.
fn edges<'a>(
    found: &AnnotatedDelta<'a>,
    shown: &[&ComponentView],
) -> Vec<(&'a DependencyView, usize)> {
    let is_shown = |id: &usize| shown.iter().any(|one| one.id == *id);
    let inside = found.couplings().filter(|one| is_shown(&one.from));
    let edges =
        inside.flat_map(|one| one.to.iter().filter(|to| is_shown(to)).map(move |to| (one, *to)));
    edges.take(MOST_EDGES).collect()
}

/// Formats a line for each component, with its dependencies below.
fn rows(
    found: &AnnotatedDelta<'_>,
    shown: &[&ComponentView],
    edges: &[(&DependencyView, usize)],
) -> String {
    let row = |component: &&ComponentView| {
        let (role, what, file) = parts(found, component);
        let own = edges.iter().filter(|(coupling, _)| coupling.from == component.id);
        let needs = own.map(|(one, to)| format!("\n         needs {to} ({})", rule(one)));
        format!("{:>5}  {role}{what} ({file}){}", component.id, needs.collect::<String>())
    };
    shown.iter().map(row).collect::<Vec<_>>().join("\n")
}

/// Returns the role of a component, its description and the name of its file.
fn parts(found: &AnnotatedDelta<'_>, component: &ComponentView) -> (String, String, String) {
    let role = found.role(component.id).map_or(String::new(), |role| format!("{role}: "));
    let home = home(component);
    let file = home.rsplit('/').next().unwrap_or_default();
    (role, cut(&one_line(&component.what), MOST_LABEL), cut(&one_line(file), MOST_LABEL))
}

/// Formats the label of a component: number, role, description and file.
fn label(found: &AnnotatedDelta<'_>, component: &ComponentView) -> String {
    let (role, what, file) = parts(found, component);
    format!("{} {role}{}<br>{}", component.id, text(&what), text(&file))
}

/// Formats the arrow of a dependency with its rule.
fn arrow(coupling: &DependencyView) -> String {
    let line = if coupling.kind == DependencyKind::AnyOf { "-.->" } else { "-->" };
    format!("{line}|\"{}\"|", text(&rule(coupling)))
}

/// Escapes untrusted text for a label: special characters of Mermaid, HTML and Markdown become character references.
fn text(label: &str) -> String {
    let mut out = String::new();
    for c in harmless(label).chars() {
        if c.is_alphanumeric() || " ._-".contains(c) {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}

/// Removes special characters from our own text for a line of Mermaid.
fn plain_text(told: &str) -> String {
    told.chars().filter(|c| c.is_alphanumeric() || " .,:".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_of_many_are_shown() {
        let shown = |count: usize, most: usize| {
            let all: Vec<usize> = (0..count).collect();
            spread(&all, most).copied().collect::<Vec<_>>()
        };
        assert_eq!(shown(14, 12), [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13]);
        assert_eq!(shown(3, 12), [0, 1, 2]);
        assert_eq!((shown(0, 12), shown(1, 12)), (vec![], vec![0]));
    }

    #[test]
    fn no_name_is_more_than_text() {
        assert_eq!(
            text("insert <a>\"]; click c1 `x`"),
            "insert #60;a#62;#34;#93;#59; click c1 #96;x#96;"
        );
        assert_eq!(
            text("a\u{202e}b\n%%{init}"),
            text("a\u{202e}b\n%%{init}").replace(['\n', '%', '{'], "")
        );
        assert_eq!(plain_text("3 components: \"x\"\nend"), "3 components: xend");
    }
}
