//! Delta that marks the components of the culprit and the fix.

use crate::RunResult;
use crate::delta::{ComponentView, DeltaView, DependencyKind, DependencyView};
use std::collections::BTreeSet;

/// Maximum number of components in a list. Larger changes are drawn as a map.
pub(super) const MAX_LISTED_COMPONENTS: usize = 60;

/// Delta with the components of the culprit and the fix that a run found in it.
pub(crate) struct AnnotatedDelta<'a> {
    pub(crate) delta: &'a DeltaView,
    /// Components of the culprits.
    pub(crate) culprit_ids: BTreeSet<usize>,
    /// Components that the fix reverts.
    pub(crate) reverted_ids: BTreeSet<usize>,
}

impl<'a> AnnotatedDelta<'a> {
    pub(crate) fn new(delta: &'a DeltaView, result: &RunResult) -> Self {
        let culprits = result.culprit.iter().chain(&result.others);
        let culprit_ids = culprits.flat_map(|one| &one.component_ids).copied().collect();
        let reverted_ids = result.fix.iter().flat_map(|one| &one.component_ids).copied().collect();
        Self { delta, culprit_ids, reverted_ids }
    }

    /// Returns the role of a component in words.
    pub(crate) fn role(&self, id: usize) -> Option<&'static str> {
        match (self.culprit_ids.contains(&id), self.reverted_ids.contains(&id)) {
            (true, true) => Some("culprit, reverted by the fix"),
            (true, false) => Some("culprit"),
            (false, true) => Some("reverted by the fix"),
            (false, false) => None,
        }
    }

    pub(super) fn is_in_result(&self, id: usize) -> bool {
        self.culprit_ids.contains(&id) || self.reverted_ids.contains(&id)
    }

    /// Returns the dependencies between components.
    pub(crate) fn dependencies(&self) -> impl Iterator<Item = &'a DependencyView> {
        self.delta.couplings.iter().filter(|one| one.kind != DependencyKind::Together)
    }

    pub(super) fn touches_result(&self, dependency: &DependencyView) -> bool {
        self.is_in_result(dependency.from) || dependency.to.iter().any(|to| self.is_in_result(*to))
    }

    /// Returns the components of culprit and fix, then their direct dependencies in both directions.
    pub(super) fn relevant_ids(&self) -> Vec<usize> {
        let adjacent_dependencies = self.dependencies().filter(|one| self.touches_result(one));
        let adjacent_dependencies =
            adjacent_dependencies.flat_map(|one| one.to.iter().chain([&one.from]));
        let result_ids = self.culprit_ids.iter().chain(&self.reverted_ids);
        let mut seen_ids = BTreeSet::new();
        result_ids.chain(adjacent_dependencies).copied().filter(|id| seen_ids.insert(*id)).collect()
    }

    /// Returns the first of these components, in the order of the change.
    pub(crate) fn relevant_components(&self) -> Vec<&'a ComponentView> {
        let shown_ids: BTreeSet<usize> =
            self.relevant_ids().into_iter().take(MAX_LISTED_COMPONENTS).collect();
        self.delta.components.iter().filter(|one| shown_ids.contains(&one.id)).collect()
    }
}
