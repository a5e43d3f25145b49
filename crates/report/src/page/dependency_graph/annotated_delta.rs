//! Change with the components of the culprit and the fix that a run found in it.

use crate::RunResult;
use crate::delta::{ComponentView, DeltaView, DependencyKind, DependencyView};
use std::collections::BTreeSet;

/// Maximum number of components in a list; larger changes are a map.
pub(super) const MOST_LISTED: usize = 60;

/// Change with the culprit and the fix that a run found in it.
pub(crate) struct AnnotatedDelta<'a> {
    pub(crate) delta: &'a DeltaView,
    /// Components of the culprits.
    pub(crate) breaks: BTreeSet<usize>,
    /// Components that the fix reverts.
    pub(crate) mends: BTreeSet<usize>,
}

impl<'a> AnnotatedDelta<'a> {
    pub(crate) fn new(delta: &'a DeltaView, result: &RunResult) -> Self {
        let culprits = result.culprit.iter().chain(&result.others);
        let breaks = culprits.flat_map(|one| &one.component_ids).copied().collect();
        let mends = result.fix.iter().flat_map(|one| &one.component_ids).copied().collect();
        Self { delta, breaks, mends }
    }

    /// Returns the role of a component in words.
    pub(crate) fn role(&self, id: usize) -> Option<&'static str> {
        match (self.breaks.contains(&id), self.mends.contains(&id)) {
            (true, true) => Some("culprit, reverted by the fix"),
            (true, false) => Some("culprit"),
            (false, true) => Some("reverted by the fix"),
            (false, false) => None,
        }
    }

    pub(super) fn is_found(&self, id: usize) -> bool {
        self.breaks.contains(&id) || self.mends.contains(&id)
    }

    /// Returns the dependencies between components.
    pub(crate) fn couplings(&self) -> impl Iterator<Item = &'a DependencyView> {
        self.delta.couplings.iter().filter(|one| one.kind != DependencyKind::Together)
    }

    pub(super) fn is_near(&self, coupling: &DependencyView) -> bool {
        self.is_found(coupling.from) || coupling.to.iter().any(|to| self.is_found(*to))
    }

    /// Returns the components of culprit and fix, then their direct dependencies in both directions.
    pub(super) fn marked_and_adjacent(&self) -> Vec<usize> {
        let coupled = self.couplings().filter(|one| self.is_near(one));
        let coupled = coupled.flat_map(|one| one.to.iter().chain([&one.from]));
        let found = self.breaks.iter().chain(&self.mends);
        let mut is_seen = BTreeSet::new();
        found.chain(coupled).copied().filter(|id| is_seen.insert(*id)).collect()
    }

    /// Returns the first of these components, in the order of the change.
    pub(crate) fn neighbourhood(&self) -> Vec<&'a ComponentView> {
        let near: BTreeSet<usize> =
            self.marked_and_adjacent().into_iter().take(MOST_LISTED).collect();
        self.delta.components.iter().filter(|one| near.contains(&one.id)).collect()
    }
}
