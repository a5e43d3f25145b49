//! Formats a delta as a Graphviz graph.

use super::view::{DeltaView, DependencyKind, DependencyView};
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, NodeIndex};

/// Formats components as nodes and dependencies as edges in the DOT language. An edge to one of several alternatives is
/// dashed.
pub fn format_dot(view: &DeltaView) -> String {
    let mut graph = DiGraph::<String, &DependencyView>::new();
    let nodes: Vec<NodeIndex> = view
        .components
        .iter()
        .map(|component| {
            let file = component.files.first().map(ToString::to_string).unwrap_or_default();
            graph.add_node(format!("{}: {}\n{file}", component.id, component.what))
        })
        .collect();
    for dependency in view.couplings.iter().filter(|one| one.kind != DependencyKind::Together) {
        for to in &dependency.to {
            graph.add_edge(nodes[dependency.from - 1], nodes[to - 1], dependency);
        }
    }
    let edge_attributes = |_: &_, edge: petgraph::graph::EdgeReference<'_, &DependencyView>| {
        let coupling = edge.weight();
        let style = if coupling.kind == DependencyKind::AnyOf { "dashed" } else { "solid" };
        format!("label = {:?} style = {style}", rule_name(coupling))
    };
    let node_attributes =
        |_: &_, (_, label): (NodeIndex, &String)| format!("label = {label:?} shape = box");
    let config = [Config::NodeNoLabel, Config::EdgeNoLabel];
    format!("{:?}", Dot::with_attr_getters(&graph, &config, &edge_attributes, &node_attributes))
}

fn rule_name(dependency: &DependencyView) -> String {
    let name = serde_json::to_value(dependency.rule).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}
