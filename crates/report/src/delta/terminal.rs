//! Formats a delta for the terminal.

use super::view::{ComponentView, DeltaView, DependencyKind};
use crate::TerminalStyle;
use crate::sanitize::sanitised_copy;
use mend_model::{RepoPath, Result, format_count};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Formats the components of a delta: refactorings first, then behaviour changes, file by file.
///
/// # Errors
/// An internal error.
pub fn format_delta(view: &DeltaView, style: &TerminalStyle) -> Result<String> {
    let view = &sanitised_copy(view)?;
    let mut out = String::new();
    let TerminalStyle { title, dim, reset, .. } = style;
    let hunks: usize = view.components.iter().map(|component| component.hunks.len()).sum();
    let _ = writeln!(
        out,
        "{title}{}{reset} in {}: {}, {}",
        format_count(view.components.len(), "component"),
        format_count(view.files, "file"),
        format_count(hunks, "hunk"),
        format_count(usize::try_from(view.tokens).unwrap_or(usize::MAX), "token"),
    );
    let needs_by_component = format_needs(view);
    let (refactorings, behaviour): (Vec<_>, Vec<_>) =
        view.components.iter().partition(|component| component.refactoring.is_some());
    for (heading, components) in [("refactoring", refactorings), ("behaviour", behaviour)] {
        if !components.is_empty() {
            let count = format_count(components.len(), "component");
            let _ = writeln!(out, "\n{title}{heading}: {count}{reset}");
            write_components(&components, &needs_by_component, style, &mut out);
        }
    }
    if view.whitespace_hunks > 0 {
        let count = format_count(view.whitespace_hunks, "file");
        let _ = writeln!(out, "\n{dim}only white space or comments changed in {count}{reset}");
    }
    for path in &view.unparsed {
        let _ = writeln!(out, "{dim}cannot parse {path} as Java; split it into line hunks{reset}");
    }
    Ok(out)
}

/// Returns the dependencies of each component as text, with `or` between alternatives.
fn format_needs(view: &DeltaView) -> BTreeMap<usize, Vec<String>> {
    let mut needs: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for dependency in view.couplings.iter().filter(|one| one.kind != DependencyKind::Together) {
        let to: Vec<String> = dependency.to.iter().map(ToString::to_string).collect();
        let list = needs.entry(dependency.from).or_default();
        let text = to.join(" or ");
        if !list.contains(&text) {
            list.push(text);
        }
    }
    needs
}

fn write_components(
    components: &[&ComponentView],
    needs: &BTreeMap<usize, Vec<String>>,
    style: &TerminalStyle,
    out: &mut String,
) {
    let TerminalStyle { path, dim, reset, .. } = style;
    let mut file: Option<&RepoPath> = None;
    for component in components {
        let component_path = component.hunks.first().map(|hunk| &hunk.path);
        if component_path != file {
            file = component_path;
            let _ = writeln!(
                out,
                "  {path}{}{reset}",
                component_path.map_or("?".into(), ToString::to_string)
            );
        }
        let line = component.hunks.iter().find_map(|hunk| hunk.line);
        let line_label = line.map_or_else(|| "whole".to_owned(), |line| format!("line {line}"));
        let needs_text = needs
            .get(&component.id)
            .map_or_else(String::new, |list| format!(" {dim}needs {}{reset}", list.join(", ")));
        let name = component.refactoring.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let ComponentView { id, what, tokens, .. } = component;
        let size = format_count(usize::try_from(*tokens).unwrap_or(usize::MAX), "token");
        let location_columns = format!("{id:>5} {dim}{line_label:<10}{reset}");
        let line = format!("  {location_columns} {name}{what} {dim}({size}){reset}{needs_text}");
        out.push_str(&style.wrap(19, &line));
    }
}
