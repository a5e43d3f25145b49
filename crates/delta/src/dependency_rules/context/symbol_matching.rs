//! Matching of the symbols of both versions.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{NodeKind, SemanticModel, SymbolId, SymbolKind};
use std::collections::HashMap;

impl RuleContext<'_> {
    pub(crate) fn match_symbols(&mut self) {
        let symbols_sharing_declaration = self.symbols_sharing_declaration();
        let mut pairs = Vec::new();
        for (symbol, at) in &self.old.declarations {
            let Some(twin) = self.twin_node(*at) else { continue };
            let kind = self.old.facts.symbol(*symbol).kind;
            let other = if self.node(*at).symbol == Some(*symbol) {
                self.node(twin).symbol
            } else {
                symbols_sharing_declaration.get(&(twin, kind)).copied()
            };
            if let Some(other) = other
                && kind.is_type() == self.new.facts.symbol(other).kind.is_type()
            {
                pairs.push((*symbol, other));
            }
        }
        for (old, new) in pairs {
            self.old.twin_symbols[old] = Some(new);
            self.new.twin_symbols[new] = Some(old);
        }
        self.match_undeclared_symbols();
    }

    /// Returns the hunks that rename a use together with its declaration.
    pub(crate) fn find_renamed_uses(&self) -> HunkSet {
        let renaming_hunk = |node: NodeRef| {
            let owner = self.node_owner(node)?;
            let twin_symbol = self.twin_symbol(Version::New, self.node(node).symbol?)?;
            let twin = self.twin_node(node)?;
            (self.node(twin).symbol == Some(twin_symbol)).then_some(owner)
        };
        let nodes = self.changed_nodes(Version::New);
        nodes.filter(|node| is_name_or_call(self.kind(*node))).filter_map(renaming_hunk).collect()
    }

    /// Returns the new symbols that share the declaration of another symbol, such as the accessors of a record.
    fn symbols_sharing_declaration(&self) -> HashMap<(NodeRef, SymbolKind), SymbolId> {
        let all = self.new.declarations.iter();
        all.filter(|(symbol, at)| self.node(**at).symbol != Some(**symbol))
            .map(|(symbol, at)| ((*at, self.new.facts.symbol(*symbol).kind), *symbol))
            .collect()
    }

    /// Matches symbols without a declaration in the sources by name, parameters and owner.
    fn match_undeclared_symbols(&mut self) {
        let mut keys = HashMap::new();
        let (old, new) = (self.old.facts, self.new.facts);
        for id in (0..new.symbols().len()).filter(|id| new.symbol(*id).position.is_none()) {
            keys.insert(symbol_key(new, id), id);
        }
        for id in (0..old.symbols().len()).filter(|id| old.symbol(*id).position.is_none()) {
            let mut key = symbol_key(old, id);
            if let Some(owner) = old.symbol(id).owner
                && old.symbol(owner).position.is_some()
            {
                let Some(twin) = self.old.twin_symbols[owner] else { continue };
                new.text(new.symbol(twin).full_name).clone_into(&mut key.0);
            }
            if let Some(other) = keys.get(&key) {
                self.old.twin_symbols[id] = Some(*other);
                self.new.twin_symbols[*other] = Some(id);
            }
        }
    }
}

/// Returns true for an expression whose type is that of a symbol.
pub(super) fn is_name_or_call(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Identifier | NodeKind::MemberSelect | NodeKind::MethodInvocation)
}

/// Returns owner, kind, and name with parameters.
fn symbol_key(facts: &SemanticModel, id: SymbolId) -> (String, SymbolKind, String) {
    let symbol = facts.symbol(id);
    if symbol.kind.is_type() {
        return (String::new(), symbol.kind, facts.text(symbol.full_name).to_owned());
    }
    let owner = symbol.owner.map(|owner| facts.symbol(owner));
    let owner_name = owner.map_or("", |owner| {
        facts.text(if owner.kind.is_type() { owner.full_name } else { owner.name })
    });
    // A class of the sources has one implicit constructor, even if a record's components change.
    let is_sole_constructor = symbol.kind == SymbolKind::Constructor
        && owner.is_some_and(|owner| owner.position.is_some());
    let parameters = if is_sole_constructor { &[][..] } else { &symbol.parameters };
    let types: Vec<_> =
        parameters.iter().map(|one| facts.text(facts.symbol(*one).ty.erased)).collect();
    let name = format!("{}({})", facts.text(symbol.name), types.join(","));
    (owner_name.to_owned(), symbol.kind, name)
}
