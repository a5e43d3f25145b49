//! Hunks that change a declaration: its presence, its parts, its type or its modifiers.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{NodeRole, SymbolFlags, SymbolId, SymbolKind};

impl RuleContext<'_> {
    /// Returns the hunks that add (new) or remove (old) a symbol of one version; empty if it remains.
    pub(crate) fn presence_hunks(&self, version: Version, symbol: SymbolId) -> HunkSet {
        let facts = self.facts(version);
        if let Some(position) = facts.symbol(symbol).position {
            if let Some(owner) =
                self.token_owner_or_edited_move(version, position.tree, position.byte)
            {
                return HunkSet::from([owner]);
            }
            return self.class_move_hunks(version, symbol);
        }
        let Some(owner) = facts.symbol(symbol).owner else { return HunkSet::new() };
        if facts.symbol(owner).position.is_none() {
            return HunkSet::new();
        }
        let class = self.presence_hunks(version, owner);
        if !class.is_empty() || self.twin_symbol(version, symbol).is_some() {
            return class;
        }
        match facts.symbol(symbol).kind {
            // The default constructor exists as long as no other one does.
            SymbolKind::Constructor => self.twin_constructor_hunks(version, owner),
            _ => HunkSet::new(),
        }
    }

    /// Returns the hunks that moved a kept member to another class.
    fn class_move_hunks(&self, version: Version, symbol: SymbolId) -> HunkSet {
        let facts = self.facts(version);
        let Some(twin) = self.twin_symbol(version, symbol) else { return HunkSet::new() };
        let other = self.facts(version.opposite()).symbol(twin).owner;
        let is_member = facts.symbol(symbol).kind != SymbolKind::Local;
        let has_other_class = facts.symbol(symbol).owner.is_some_and(|owner| {
            facts.symbol(owner).kind.is_type() && self.twin_symbol(version, owner) != other
        });
        if !(is_member && has_other_class) {
            return HunkSet::new();
        }
        self.declaration(version, symbol)
            .and_then(|at| self.enclosing_move(at))
            .into_iter()
            .collect()
    }

    fn twin_constructor_hunks(&self, version: Version, class: SymbolId) -> HunkSet {
        let other = version.opposite();
        let Some(twin) = self.twin_symbol(version, class) else { return HunkSet::new() };
        let facts = self.facts(other);
        (0..facts.symbols().len())
            .filter(|id| {
                let symbol = facts.symbol(*id);
                symbol.kind == SymbolKind::Constructor
                    && symbol.owner == Some(twin)
                    && symbol.position.is_some()
            })
            .flat_map(|id| self.presence_hunks(other, id))
            .collect()
    }

    /// Returns the declaration of a symbol in the sources.
    pub(crate) fn declaration(&self, version: Version, symbol: SymbolId) -> Option<NodeRef> {
        self.version_index(version).declarations.get(&symbol).copied()
    }

    /// Returns the hunks of both versions in which a part of a declaration differs.
    pub(crate) fn changed_part_hunks(
        &self,
        version: Version,
        symbol: SymbolId,
        roles: &[NodeRole],
    ) -> HunkSet {
        let mut hunks = HunkSet::new();
        let twin = self.twin_symbol(version, symbol);
        let both = [Some((version, symbol)), twin.map(|twin| (version.opposite(), twin))];
        for (version, symbol) in both.into_iter().flatten() {
            let Some(node) = self.declaration(version, symbol) else { continue };
            for part in self.children(node) {
                if roles.contains(&self.node(part).role) {
                    hunks.extend(self.meaning_hunks(part));
                }
            }
        }
        hunks
    }

    /// Returns the hunks that change the supertypes of a kept class.
    pub(crate) fn supertype_hunks(&self, version: Version, class: SymbolId) -> HunkSet {
        self.changed_part_hunks(version, class, &[NodeRole::Extends, NodeRole::Implements])
    }

    /// Returns the hunks that determine what the names in a subtree refer to, including its own tokens.
    pub(crate) fn meaning_hunks(&self, node_ref: NodeRef) -> HunkSet {
        let mut hunks = self.node_owners(node_ref);
        for node in node_ref.node..self.node(node_ref).subtree_end {
            let used = node_ref.with_node(node);
            if let Some(symbol) = self.node(used).symbol {
                hunks.extend(self.bound_hunks(node_ref.version, symbol));
            }
            let (Some(symbol), Some(twin)) = (self.node(used).symbol, self.twin_node(used)) else {
                continue;
            };
            let other = self.node(twin).symbol;
            // Where the name is replaced, the declaration alone changes nothing.
            let is_kept = self.node_owner(used).is_none();
            if is_kept && other != self.twin_symbol(node_ref.version, symbol) {
                hunks.extend(self.presence_hunks(node_ref.version, symbol));
                hunks.extend(
                    other.iter().flat_map(|other| self.presence_hunks(twin.version, *other)),
                );
                hunks.extend(self.import_hunks(used));
                hunks.extend(self.import_hunks(twin));
            }
        }
        hunks
    }

    /// Returns the hunks that change the bounds of a kept type parameter.
    pub(crate) fn bound_hunks(&self, version: Version, symbol: SymbolId) -> HunkSet {
        let facts = self.facts(version);
        let Some(twin) = self.twin_symbol(version, symbol) else { return HunkSet::new() };
        if facts.symbol(symbol).kind != SymbolKind::TypeParameter {
            return HunkSet::new();
        }
        let both = [(version, symbol), (version.opposite(), twin)].into_iter();
        both.filter_map(|(version, symbol)| self.declaration(version, symbol))
            .flat_map(|at| self.node_owners(at))
            .collect()
    }

    /// Returns the hunks that change the type of a kept symbol; empty if its type does not change.
    pub(crate) fn type_change_hunks(&self, version: Version, symbol: SymbolId) -> HunkSet {
        let Some(twin) = self.twin_symbol(version, symbol) else { return HunkSet::new() };
        let (facts, other) = (self.facts(version), self.facts(version.opposite()));
        let (one, two) = (facts.symbol(symbol), other.symbol(twin));
        if one.position.is_none()
            || facts.text(one.ty.parameterised) == other.text(two.ty.parameterised)
                && facts.text(one.ty.erased) == other.text(two.ty.erased)
        {
            return HunkSet::new();
        }
        let hunks = self.changed_part_hunks(version, symbol, &[NodeRole::Type]);
        if hunks.is_empty() && self.has_inferred_type(version, symbol) {
            return self.initialiser_hunks(version, symbol);
        }
        hunks
    }

    /// Returns a symbol and, if the other version has it too, the symbol there.
    fn versions_of_symbol(
        &self,
        version: Version,
        symbol: SymbolId,
    ) -> impl Iterator<Item = (Version, SymbolId)> {
        let twin = self.twin_symbol(version, symbol);
        std::iter::once((version, symbol)).chain(twin.map(|twin| (version.opposite(), twin)))
    }

    fn has_inferred_type(&self, version: Version, symbol: SymbolId) -> bool {
        self.declaration(version, symbol).is_some_and(|at| self.child(at, NodeRole::Type).is_none())
    }

    fn initialiser_hunks(&self, version: Version, symbol: SymbolId) -> HunkSet {
        self.versions_of_symbol(version, symbol)
            .filter_map(|(version, symbol)| self.declaration(version, symbol))
            .filter_map(|at| self.child(at, NodeRole::Value))
            .flat_map(|value| self.node_owners(value))
            .collect()
    }

    /// Returns the hunks that change the number or types of a kept callable's parameters.
    pub(crate) fn parameter_hunks(&self, version: Version, symbol: SymbolId) -> HunkSet {
        let mut hunks = HunkSet::new();
        for (version, symbol) in self.versions_of_symbol(version, symbol) {
            for parameter in &self.facts(version).symbol(symbol).parameters {
                let Some(node) = self.declaration(version, *parameter) else { continue };
                match self.twin_symbol(version, *parameter) {
                    Some(_) => hunks.extend(self.type_change_hunks(version, *parameter)),
                    None => hunks.extend(self.node_owner(node)),
                }
            }
        }
        hunks
    }

    /// Returns the hunks that add or remove one of the modifiers `words`.
    pub(crate) fn modifier_hunks(
        &self,
        version: Version,
        symbol: SymbolId,
        words: &[&str],
    ) -> HunkSet {
        let mut hunks = HunkSet::new();
        for (version, symbol) in self.versions_of_symbol(version, symbol) {
            let Some(node) = self.declaration(version, symbol) else { continue };
            let Some(modifiers) = self.child(node, NodeRole::Modifiers) else { continue };
            let bytes = self.node(modifiers).bytes.clone();
            hunks.extend(self.word_owners_in_range(node, bytes, words));
        }
        hunks
    }

    /// Returns the modifiers of the same symbol in the other version.
    pub(crate) fn twin_flags(&self, version: Version, symbol: SymbolId) -> Option<SymbolFlags> {
        let twin = self.twin_symbol(version, symbol)?;
        Some(self.facts(version.opposite()).symbol(twin).flags)
    }
}
