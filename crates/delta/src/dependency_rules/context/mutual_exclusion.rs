//! Mutual exclusion: code that is valid in either version alone, but not together.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::Links;
use crate::dependency_rules::context::node_ref::Hunks;
use crate::dependency_rules::context::rule_context::World;
use crate::hunk::Rule;
use mend_java::facts::SymbolId;

/// Things that are as they are in a version: the hunks that have to be on for it, and those that have to be off.
#[derive(Default)]
pub(crate) struct Meeting {
    on: Hunks,
    off: Hunks,
}

impl Meeting {
    /// Adds hunks that make code of one version differ.
    pub(crate) fn add(&mut self, version: Version, hunks: Hunks) {
        match version {
            Version::Old => self.off.extend(hunks),
            Version::New => self.on.extend(hunks),
        }
    }

    /// Adds dependencies: hunks that bring conflicting code together need the hunks that resolve or avoid the conflict.
    pub(crate) fn exclude(&self, reasons: &Self, links: &mut Links) {
        if self.on.is_empty() && self.off.is_empty() {
            return;
        }
        let one: Hunks = self.on.iter().take(1).copied().collect();
        for from in if one.is_empty() { &reasons.on } else { &one } {
            if self.off.is_empty() {
                links.need_all(&Hunks::from([*from]), &reasons.off, Rule::Override);
            } else {
                links.need_any(*from, &self.off, Rule::Override);
            }
        }
    }
}

impl World<'_> {
    /// Returns a callable's name and parameter types.
    pub(crate) fn signature(&self, version: Version, id: SymbolId) -> String {
        let facts = self.facts(version);
        let parameters = &facts.symbol(id).parameters;
        let types: Vec<_> =
            parameters.iter().map(|one| facts.text(facts.symbol(*one).ty.erased)).collect();
        format!("{}({})", facts.name(id), types.join(","))
    }

    /// Returns the hunks that give a method its name and parameters in a version only.
    pub(crate) fn presence(&self, version: Version, id: SymbolId) -> Hunks {
        let mut hunks = self.makers(version, id);
        let same = |twin| self.signature(version.other(), twin) == self.signature(version, id);
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
    ) -> Hunks {
        let Some((class, above)) = class.zip(above) else { return Hunks::new() };
        let other = version.other();
        let is_there =
            |(class, above): (_, SymbolId)| self.facts(other).above(class).contains(&above);
        let twins = self.twin_symbol(version, class).zip(self.twin_symbol(version, above));
        if !self.facts(version).above(class).contains(&above) || twins.is_some_and(is_there) {
            return Hunks::new();
        }
        self.path_hunks(version, class, above)
    }
}
