//! Delta graph: components as nodes, dependencies as edges. A small change is a list with arcs beside it. A large change
//! is a map of its files, with a list of the components of culprit and fix and their direct dependencies.

mod annotated_delta;
mod component_list;
mod file_map;
mod paths;

pub(super) use crate::page::dependency_graph::annotated_delta::AnnotatedDelta;
pub(super) use crate::page::dependency_graph::component_list::{describe_components, rule};
pub(super) use crate::page::dependency_graph::file_map::FileEdges;
pub(super) use paths::home;

use super::picture::Picture;
use crate::delta::ComponentView;
use crate::page::dependency_graph::annotated_delta::MOST_LISTED;

/// Draws the pictures of a change: a list for a small one; a map and the list of its relevant components for a large
/// one.
pub(super) fn graph(found: &AnnotatedDelta<'_>) -> Vec<Picture> {
    let all: Vec<&ComponentView> = found.delta.components.iter().collect();
    if all.len() <= MOST_LISTED {
        return vec![crate::page::dependency_graph::component_list::list(found, &all, 0, "delta")];
    }
    let near = found.neighbourhood();
    let more = found.marked_and_adjacent().len() - near.len();
    let near = (!near.is_empty()).then(|| {
        crate::page::dependency_graph::component_list::list(found, &near, more, "delta-near")
    });
    near.into_iter().chain([crate::page::dependency_graph::file_map::map(found)]).collect()
}

/// Returns the pairs of files with the most dependencies, and the number of further pairs. Returns none for a small
/// change: its picture shows them.
pub(super) fn bundles(found: &AnnotatedDelta<'_>) -> (Vec<FileEdges>, usize) {
    if found.delta.components.len() <= MOST_LISTED {
        return (Vec::new(), 0);
    }
    let mut bundles = crate::page::dependency_graph::file_map::bundles(found);
    let all = bundles.len();
    bundles.truncate(crate::page::dependency_graph::file_map::MOST_LINES);
    let more = all - bundles.len();
    (bundles, more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delta::{DeltaView, DependencyView};
    use crate::testing::{delta_of, found};
    use crate::{EnvironmentInfo, RunGoal, RunResult};
    use mend_delta::DependencyRule;

    fn delta(count: usize, files: usize) -> DeltaView {
        let home = |id: usize| format!("src/F{:03}.java", id * files / (count + 1));
        delta_of(count, "insert <statement>", home, |id| id - 1)
    }

    fn result(part: usize) -> RunResult {
        let culprit = Some(found(3, "src/F000.java", "culprit.patch", vec![part]));
        let new = RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default());
        RunResult { culprit, ..new }
    }

    #[test]
    fn a_small_change_has_a_node_per_component_and_an_edge_per_dependency() {
        let delta = delta(5, 2);
        let pictures = graph(&AnnotatedDelta::new(&delta, &result(3)));
        let text = pictures[0].inline();
        assert_eq!(pictures.len(), 1);
        assert_eq!(text.matches("<circle class=\"node").count(), 5);
        assert_eq!(text.matches("class=\"edge").count(), 4);
        assert_eq!(text.matches("class=\"edge near").count(), 2);
        assert_eq!(text.matches("node found").count(), 1);
        assert!(text.contains("insert &lt;statement&gt;"));
    }

    #[test]
    fn five_thousand_components_are_a_map_of_files_and_stay_small() {
        let delta = delta(5000, 300);
        let pictures = graph(&AnnotatedDelta::new(&delta, &result(2500)));
        let names: Vec<&str> = pictures.iter().map(Picture::name).collect();
        assert_eq!(names, ["delta-near", "delta"]);
        let size: usize = pictures.iter().map(|one| one.inline().len()).sum();
        assert!(size < 400_000, "{size}");
        assert!(pictures[1].description().contains("5000 components in 300 files"));
    }

    #[test]
    fn dependencies_with_hidden_components_are_not_counted() {
        let delta = delta(100, 3);
        let pictures = graph(&AnnotatedDelta::new(&delta, &result(50)));
        let told = "3 components and 2 dependencies. Marked: 50 (culprit).";
        assert_eq!(pictures[0].description(), told);
        assert_eq!(pictures[0].inline().matches("class=\"edge").count(), 2);
    }

    #[test]
    fn dependencies_between_files_are_listed_with_their_rules() {
        let mut delta = delta(100, 3);
        delta
            .couplings
            .push(DependencyView { rule: DependencyRule::Signature, ..delta.couplings[0].clone() });
        delta.couplings[99].from = 40;
        let found = AnnotatedDelta::new(&delta, &result(34));
        let (shown, more) = bundles(&found);
        assert_eq!(more, 0);
        let told: Vec<String> = shown
            .iter()
            .map(|one| format!("{} {}: {}", one.files.join(" "), one.count, one.rules()))
            .collect();
        assert_eq!(
            told,
            [
                "src/F000.java src/F001.java 2: definition 1, signature 1",
                "src/F001.java src/F002.java 1: definition 1"
            ]
        );
        let map = graph(&found).pop().unwrap().inline();
        let title =
            "2 dependencies between src/F000.java and src/F001.java: definition 1, signature 1";
        assert!(map.contains(title), "{map}");
        assert!(bundles(&AnnotatedDelta::new(&self::delta(60, 3), &result(3))).0.is_empty());
    }

    #[test]
    fn dependencies_of_the_culprit_have_a_box_before_larger_files() {
        let home = |id: usize| {
            if id > 240 { format!("src/Z{id}.java") } else { format!("src/A{}.java", id / 2) }
        };
        let delta = delta_of(300, "insert", home, |id| if id == 300 { 299 } else { 1 });
        let map = graph(&AnnotatedDelta::new(&delta, &result(299))).pop().unwrap().inline();
        assert!(map.contains("src/Z300.java: 1 component"), "{map}");
        assert!(!map.contains("src/Z298.java: 1 component"), "{map}");
    }

    #[test]
    fn a_number_does_not_touch_its_node() {
        let number =
            regex::Regex::new(r#"class="muted end" x="([0-9.]+)"[^>]*>\s*([0-9]+)\s*<"#).unwrap();
        for count in [9, 5000, 17_000] {
            let picture =
                graph(&AnnotatedDelta::new(&delta(count, 2), &result(count))).remove(0).inline();
            let end = |found: &regex::Captures<'_>| (found[1].parse().unwrap(), found[2].len());
            let all: Vec<(f64, usize)> =
                number.captures_iter(&picture).map(|one| end(&one)).collect();
            let (end, digits) = *all.iter().max_by_key(|(_, digits)| *digits).unwrap();
            // Nodes are at 166 and reach to 171.
            assert!(
                end - 7.5 * f64::from(u32::try_from(digits).unwrap()) > 175.0,
                "{count}: {end}"
            );
        }
    }

    #[test]
    fn a_picture_counts_what_it_does_not_show() {
        let mut few = delta(12, 2);
        few.couplings.truncate(4);
        let told = |delta: &DeltaView, part: usize| {
            let pictures = graph(&AnnotatedDelta::new(delta, &result(part)));
            pictures.iter().map(|one| one.description().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(told(&few, 3), ["12 components and 4 dependencies. Marked: 3 (culprit)."]);
        insta::assert_snapshot!(told(&delta(12, 2), 3).join("\n"), @r"
        12 components and 11 dependencies. Marked: 3 (culprit). 0 of 11 edges show their rule.
        ");
        // Each component is in its own file, and all need the first one.
        let wide = delta_of(400, "insert", |id| format!("src/F{id:03}.java"), |_| 1);
        insta::assert_snapshot!(told(&wide, 1).join("\n"), @r"
        60 components and 59 dependencies. Marked: 1 (culprit). 0 of 59 edges show their rule. Not shown: 340 components connected to the marked ones.
        400 components in 400 files with 399 dependencies. Drawn: 120 files. Lines connect 119 of 399 pairs of dependent files.
        ");
    }
}
