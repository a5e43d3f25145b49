//! Components: sets of hunks that only apply together.

use crate::hunk::{Hunk, HunkDependency, HunkId};
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use std::collections::BTreeSet;

/// A set of hunks that only apply together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Hunks in the order of the files.
    pub hunks: Vec<HunkId>,
    /// Tokens deleted plus inserted.
    pub tokens: u64,
}

/// All components, and the component of each hunk.
#[derive(Debug)]
pub(crate) struct Components {
    components: Vec<Component>,
    component_by_hunk: Vec<Option<usize>>,
}

impl Components {
    pub(crate) fn from_dependencies(hunks: &[Hunk], dependencies: &[HunkDependency]) -> Self {
        let mut graph = DiGraph::<(), (), usize>::default();
        let nodes: Vec<_> = hunks.iter().map(|_| graph.add_node(())).collect();
        for coupling in dependencies {
            if let [to] = coupling.to[..] {
                graph.add_edge(nodes[coupling.from], nodes[to], ());
            }
        }
        let mut components: Vec<Component> = tarjan_scc(&graph)
            .into_iter()
            .map(|nodes| {
                let mut members: Vec<HunkId> =
                    nodes.into_iter().map(petgraph::graph::NodeIndex::index).collect();
                members.sort_unstable();
                let tokens = members.iter().map(|hunk| hunks[*hunk].tokens).sum();
                Component { hunks: members, tokens }
            })
            .filter(|component| component.hunks.iter().any(|hunk| !hunks[*hunk].is_layout))
            .collect();
        components.sort_by_key(|component| component.hunks.first().copied());
        let mut component_by_hunk = vec![None; hunks.len()];
        for (at, component) in components.iter().enumerate() {
            for hunk in &component.hunks {
                component_by_hunk[*hunk] = Some(at);
            }
        }
        Self { components, component_by_hunk }
    }

    pub(crate) fn components(&self) -> &[Component] {
        &self.components
    }

    pub(crate) fn component_of_hunk(&self, hunk: HunkId) -> Option<usize> {
        self.component_by_hunk[hunk]
    }
}

/// Returns dependencies between components, without those inside one and without duplicates.
pub(crate) fn lift_to_components(
    components: &Components,
    dependencies: &[HunkDependency],
) -> Vec<(usize, Vec<usize>)> {
    let lifted: BTreeSet<_> = dependencies
        .iter()
        .filter_map(|coupling| {
            let from = components.component_of_hunk(coupling.from)?;
            let to: BTreeSet<usize> =
                coupling.to.iter().filter_map(|hunk| components.component_of_hunk(*hunk)).collect();
            (!to.contains(&from) && !to.is_empty()).then(|| (from, to.into_iter().collect()))
        })
        .collect();
    lifted.into_iter().collect()
}
