//! Mutual exclusion: code that is valid in either version alone, but not together.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::HunkSet;
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::SymbolId;

/// Things that are as they are in a version: the hunks that have to be on for it, and those that have to be off.
#[derive(Default)]
pub(crate) struct MutualExclusion {
    on: HunkSet,
    off: HunkSet,
}

impl MutualExclusion {
    /// Adds hunks that make code of one version differ.
    pub(crate) fn add(&mut self, version: Version, hunks: HunkSet) {
        match version {
            Version::Old => self.off.extend(hunks),
            Version::New => self.on.extend(hunks),
        }
    }

    /// Adds dependencies: hunks that bring conflicting code together need the hunks that resolve or avoid the conflict.
    pub(crate) fn exclude(&self, reasons: &Self, links: &mut DependencyCollector) {
        if self.on.is_empty() && self.off.is_empty() {
            return;
        }
        let one: HunkSet = self.on.iter().take(1).copied().collect();
        for from in if one.is_empty() { &reasons.on } else { &one } {
            if self.off.is_empty() {
                links.need_all(&HunkSet::from([*from]), &reasons.off, DependencyRule::Override);
            } else {
                links.need_any(*from, &self.off, DependencyRule::Override);
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

    /// Returns the hunks that give a method its name and parameters in a version only.
    pub(crate) fn presence(&self, version: Version, id: SymbolId) -> HunkSet {
        let mut hunks = self.makers(version, id);
        let same = |twin| self.signature(version.opposite(), twin) == self.signature(version, id);
        if !self.twin_symbol(version, id).is_none_or(same) {
            hunks.extend(self.parameter_hunks(version, id));
        }
        hunks
    }

    /// Returns the hunks that make a class a subtype of another in a version only.
    pub(crate) fn only_path(
        &self,
        version: Version,
        class: Option<SymbolId>,
        above: Option<SymbolId>,
    ) -> HunkSet {
        let Some((class, above)) = class.zip(above) else { return HunkSet::new() };
        let other = version.opposite();
        let is_there = |(class, above): (_, SymbolId)| {
            self.facts(other).supertypes_with_self(class).contains(&above)
        };
        let twins = self.twin_symbol(version, class).zip(self.twin_symbol(version, above));
        if !self.facts(version).supertypes_with_self(class).contains(&above)
            || twins.is_some_and(is_there)
        {
            return HunkSet::new();
        }
        self.path_hunks(version, class, above)
    }
}
