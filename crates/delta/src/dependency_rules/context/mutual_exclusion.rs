//! Mutual exclusion of code of both versions: each is valid in its own version, but not together.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::HunkSet;
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::SymbolId;

/// Code of both versions that excludes each other: the applied and the unapplied hunks that bring it together.
#[derive(Default)]
pub(crate) struct MutualExclusion {
    enabled: HunkSet,
    disabled: HunkSet,
}

impl MutualExclusion {
    /// Adds hunks that make code of one version differ from the other version.
    pub(crate) fn add(&mut self, version: Version, hunks: HunkSet) {
        match version {
            Version::Old => self.disabled.extend(hunks),
            Version::New => self.enabled.extend(hunks),
        }
    }

    /// Adds dependencies: hunks that bring conflicting code together need the hunks that resolve or avoid the conflict.
    pub(crate) fn add_exclusion_dependencies(
        &self,
        causes: &Self,
        collector: &mut DependencyCollector,
    ) {
        if self.enabled.is_empty() && self.disabled.is_empty() {
            return;
        }
        let first_enabled: HunkSet = self.enabled.iter().take(1).copied().collect();
        for from in if first_enabled.is_empty() { &causes.enabled } else { &first_enabled } {
            if self.disabled.is_empty() {
                collector.require_all(
                    &HunkSet::from([*from]),
                    &causes.disabled,
                    DependencyRule::Override,
                );
            } else {
                collector.require_any(*from, &self.disabled, DependencyRule::Override);
            }
        }
    }
}

impl RuleContext<'_> {
    /// Returns a callable's name and parameter types.
    pub(crate) fn signature(&self, version: Version, id: SymbolId) -> String {
        let facts = self.facts(version);
        let parameters = &facts.symbol(id).parameters;
        let types: Vec<_> =
            parameters.iter().map(|one| facts.text(facts.symbol(*one).ty.erased)).collect();
        format!("{}({})", facts.name(id), types.join(","))
    }

    /// Returns the hunks that give a method its name and parameters in one version only.
    pub(crate) fn signature_hunks(&self, version: Version, id: SymbolId) -> HunkSet {
        let mut hunks = self.presence_hunks(version, id);
        let has_same_signature =
            |twin| self.signature(version.opposite(), twin) == self.signature(version, id);
        if !self.twin_symbol(version, id).is_none_or(has_same_signature) {
            hunks.extend(self.parameter_hunks(version, id));
        }
        hunks
    }

    /// Returns the hunks that make a class a subtype of another in one version only.
    pub(crate) fn version_only_path_hunks(
        &self,
        version: Version,
        class: Option<SymbolId>,
        supertype: Option<SymbolId>,
    ) -> HunkSet {
        let Some((class, supertype)) = class.zip(supertype) else { return HunkSet::new() };
        let other = version.opposite();
        let is_subtype = |(class, supertype): (_, SymbolId)| {
            self.facts(other).supertypes_with_self(class).contains(&supertype)
        };
        let twins = self.twin_symbol(version, class).zip(self.twin_symbol(version, supertype));
        if !self.facts(version).supertypes_with_self(class).contains(&supertype)
            || twins.is_some_and(is_subtype)
        {
            return HunkSet::new();
        }
        self.path_hunks(version, class, supertype)
    }
}
