//! Draws a delta: components as nodes, dependencies as edges. A small change is a list with arcs beside it. A large
//! change is a map of its files, with a list of the components of culprit and fix and their direct dependencies.

mod annotated_delta;
mod component_list;
mod file_map;
mod paths;

pub(super) use crate::page::dependency_graph::annotated_delta::AnnotatedDelta;
pub(super) use crate::page::dependency_graph::component_list::{describe_components, rule_name};
pub(super) use crate::page::dependency_graph::file_map::FileEdges;
pub(super) use paths::component_file;

use super::picture::Picture;
use crate::delta::ComponentView;
use crate::page::dependency_graph::annotated_delta::MAX_LISTED_COMPONENTS;

/// Draws the pictures of a change: a list for a small one; a map and the list of its relevant components for a large
/// one.
pub(super) fn draw_delta(annotated_delta: &AnnotatedDelta<'_>) -> Vec<Picture> {
    let components: Vec<&ComponentView> = annotated_delta.delta.components.iter().collect();
    if components.len() <= MAX_LISTED_COMPONENTS {
        return vec![crate::page::dependency_graph::component_list::draw_component_list(
            annotated_delta,
            &components,
            0,
            "delta",
        )];
    }
    let shown_components = annotated_delta.relevant_components();
    let hidden_count = annotated_delta.relevant_ids().len() - shown_components.len();
    let shown_components = (!shown_components.is_empty()).then(|| {
        crate::page::dependency_graph::component_list::draw_component_list(
            annotated_delta,
            &shown_components,
            hidden_count,
            "delta-near",
        )
    });
    shown_components
        .into_iter()
        .chain([crate::page::dependency_graph::file_map::draw_file_map(annotated_delta)])
        .collect()
}

/// Returns the pairs of files with the most dependencies, and the number of further pairs. Returns none for a small
/// change: its picture shows them.
pub(super) fn most_coupled_files(annotated_delta: &AnnotatedDelta<'_>) -> (Vec<FileEdges>, usize) {
    if annotated_delta.delta.components.len() <= MAX_LISTED_COMPONENTS {
        return (Vec::new(), 0);
    }
    let mut file_edges = crate::page::dependency_graph::file_map::file_edges(annotated_delta);
    let edge_count = file_edges.len();
    file_edges.truncate(crate::page::dependency_graph::file_map::MAX_FILE_EDGES);
    let hidden_count = edge_count - file_edges.len();
    (file_edges, hidden_count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delta::{DeltaView, DependencyView};
    use crate::testing::{build_delta, patch_result};
    use crate::{EnvironmentInfo, RunGoal, RunResult};
    use mend_delta::DependencyRule;

    fn sample_delta(count: usize, files: usize) -> DeltaView {
        let home = |id: usize| format!("src/F{:03}.java", id * files / (count + 1));
        build_delta(count, "insert <statement>", home, |id| id - 1)
    }

    fn sample_result(component_id: usize) -> RunResult {
        let culprit = Some(patch_result(3, "src/F000.java", "culprit.patch", vec![component_id]));
        let new = RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default());
        RunResult { culprit, ..new }
    }

    #[test]
    fn small_delta_has_a_node_per_component_and_all_edges() {
        let delta = sample_delta(5, 2);
        let pictures = draw_delta(&AnnotatedDelta::new(&delta, &sample_result(3)));
        let text = pictures[0].to_inline_svg();
        assert_eq!(pictures.len(), 1);
        assert_eq!(text.matches("<circle class=\"node").count(), 5);
        assert_eq!(text.matches("class=\"edge").count(), 4);
        assert_eq!(text.matches("class=\"edge near").count(), 2);
        assert_eq!(text.matches("node found").count(), 1);
        assert!(text.contains("insert &lt;statement&gt;"));
    }

    #[test]
    fn large_delta_is_a_small_file_map() {
        let delta = sample_delta(5000, 300);
        let pictures = draw_delta(&AnnotatedDelta::new(&delta, &sample_result(2500)));
        let names: Vec<&str> = pictures.iter().map(Picture::name).collect();
        assert_eq!(names, ["delta-near", "delta"]);
        let size: usize = pictures.iter().map(|one| one.to_inline_svg().len()).sum();
        assert!(size < 400_000, "{size}");
        assert!(pictures[1].description().contains("5000 components in 300 files"));
    }

    #[test]
    fn dependencies_of_hidden_components_are_not_counted() {
        let delta = sample_delta(100, 3);
        let pictures = draw_delta(&AnnotatedDelta::new(&delta, &sample_result(50)));
        let expected = "3 components and 2 dependencies. Marked: 50 (culprit).";
        assert_eq!(pictures[0].description(), expected);
        assert_eq!(pictures[0].to_inline_svg().matches("class=\"edge").count(), 2);
    }

    #[test]
    fn file_dependencies_are_listed_with_their_rules() {
        let mut delta = sample_delta(100, 3);
        delta
            .couplings
            .push(DependencyView { rule: DependencyRule::Signature, ..delta.couplings[0].clone() });
        delta.couplings[99].from = 40;
        let annotated_delta = AnnotatedDelta::new(&delta, &sample_result(34));
        let (shown, more) = most_coupled_files(&annotated_delta);
        assert_eq!(more, 0);
        let lines: Vec<String> = shown
            .iter()
            .map(|one| format!("{} {}: {}", one.files.join(" "), one.count, one.rules()))
            .collect();
        assert_eq!(
            lines,
            [
                "src/F000.java src/F001.java 2: definition 1, signature 1",
                "src/F001.java src/F002.java 1: definition 1"
            ]
        );
        let map = draw_delta(&annotated_delta).pop().unwrap().to_inline_svg();
        let title =
            "2 dependencies between src/F000.java and src/F001.java: definition 1, signature 1";
        assert!(map.contains(title), "{map}");
        assert!(
            most_coupled_files(&AnnotatedDelta::new(&self::sample_delta(60, 3), &sample_result(3)))
                .0
                .is_empty()
        );
    }

    #[test]
    fn files_near_the_culprit_are_drawn_before_larger_files() {
        let home = |id: usize| {
            if id > 240 { format!("src/Z{id}.java") } else { format!("src/A{}.java", id / 2) }
        };
        let delta = build_delta(300, "insert", home, |id| if id == 300 { 299 } else { 1 });
        let map = draw_delta(&AnnotatedDelta::new(&delta, &sample_result(299)))
            .pop()
            .unwrap()
            .to_inline_svg();
        assert!(map.contains("src/Z300.java: 1 component"), "{map}");
        assert!(!map.contains("src/Z298.java: 1 component"), "{map}");
    }

    #[test]
    fn component_number_does_not_touch_its_node() {
        let number =
            regex::Regex::new(r#"class="muted end" x="([0-9.]+)"[^>]*>\s*([0-9]+)\s*<"#).unwrap();
        for count in [9, 5000, 17_000] {
            let picture =
                draw_delta(&AnnotatedDelta::new(&sample_delta(count, 2), &sample_result(count)))
                    .remove(0)
                    .to_inline_svg();
            let end = |found: &regex::Captures<'_>| (found[1].parse().unwrap(), found[2].len());
            let label_ends: Vec<(f64, usize)> =
                number.captures_iter(&picture).map(|one| end(&one)).collect();
            let (end, digits) = *label_ends.iter().max_by_key(|(_, digits)| *digits).unwrap();
            // Nodes are centred at 166 and extend to 171.
            assert!(
                end - 7.5 * f64::from(u32::try_from(digits).unwrap()) > 175.0,
                "{count}: {end}"
            );
        }
    }

    #[test]
    fn picture_counts_hidden_components_and_edges() {
        let mut few = sample_delta(12, 2);
        few.couplings.truncate(4);
        let describe = |delta: &DeltaView, part: usize| {
            let pictures = draw_delta(&AnnotatedDelta::new(delta, &sample_result(part)));
            pictures.iter().map(|one| one.description().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(describe(&few, 3), ["12 components and 4 dependencies. Marked: 3 (culprit)."]);
        insta::assert_snapshot!(describe(&sample_delta(12, 2), 3).join("\n"), @r"
        12 components and 11 dependencies. Marked: 3 (culprit). 0 of 11 edges show their rule.
        ");
        // Each component is in its own file, and all need the first one.
        let wide = build_delta(400, "insert", |id| format!("src/F{id:03}.java"), |_| 1);
        insta::assert_snapshot!(describe(&wide, 1).join("\n"), @r"
        60 components and 59 dependencies. Marked: 1 (culprit). 0 of 59 edges show their rule. Not shown: 340 components connected to the marked ones.
        400 components in 400 files with 399 dependencies. Drawn: 120 files. Lines connect 119 of 399 pairs of dependent files.
        ");
    }
}
