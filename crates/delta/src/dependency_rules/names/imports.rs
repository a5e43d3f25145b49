//! Dependency rule: a simple name needs its import, and a class its package.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, SymbolId, SymbolKind};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context
            .changed_nodes(version)
            .filter(|node| context.kind(*node) == NodeKind::Identifier)
        {
            if let Some(owner) = context.node_owner_or_edited_move(node) {
                collector.require_in_version(
                    version,
                    &HunkSet::from([owner]),
                    &context.import_hunks(node),
                    DependencyRule::Import,
                );
            }
        }
    }
    for node in
        context.all_nodes(Version::Old).filter(|node| context.kind(*node) == NodeKind::Identifier)
    {
        if context.node_owner_or_edited_move(node).is_some() {
            continue;
        }
        let Some(twin) = context.twin_node(node) else { continue };
        let (old_import_hunks, new_import_hunks) =
            (required_import_hunks(context, node), required_import_hunks(context, twin));
        collector.require_all(&old_import_hunks, &new_import_hunks, DependencyRule::Import);
        add_package_dependencies(context, node, twin, collector);
    }
    add_import_conflicts(context, collector);
    for version in VERSIONS {
        add_static_import_dependencies(context, version, collector);
    }
}

/// Adds dependencies of a static import, which needs a member of its name.
fn add_static_import_dependencies(
    context: &RuleContext<'_>,
    version: Version,
    collector: &mut DependencyCollector,
) {
    for import in context.changed_nodes(version).filter(|at| context.kind(*at) == NodeKind::Import)
    {
        let Some(name) = import_name(context, import) else { continue };
        let Some(owner) = context.node_owner(name) else { continue };
        let presence_hunks: Vec<HunkSet> = context
            .imported_members(name)
            .into_iter()
            .map(|member| context.presence_hunks(version, member))
            .collect();
        if presence_hunks.iter().any(HunkSet::is_empty) {
            continue;
        }
        let presence_hunks: HunkSet = presence_hunks.into_iter().flatten().collect();
        match version {
            Version::New => collector.require_any(owner, &presence_hunks, DependencyRule::Import),
            Version::Old => {
                collector.require_all(
                    &presence_hunks,
                    &HunkSet::from([owner]),
                    DependencyRule::Import,
                );
            }
        }
    }
}

/// Adds the mutual exclusion of two imports of one simple name.
fn add_import_conflicts(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for new in
        context.changed_nodes(Version::New).filter(|at| context.kind(*at) == NodeKind::Import)
    {
        let Some(name) = import_name(context, new) else { continue };
        let Some(from) = context.node_owner(name) else { continue };
        for old in context.imports(context.twin_root(new)) {
            let Some(other) = import_name(context, old) else { continue };
            let Some(to) = context.node_owner(other) else { continue };
            if context.simple_name(name) == context.simple_name(other)
                && context.simple_name(name) != "*"
            {
                collector.require(from, to, DependencyRule::Duplicate);
            }
        }
    }
}

/// Adds dependencies of a kept name if only its import differs.
fn add_package_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    twin: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(symbol), Some(other)) = (context.node(node).symbol, context.node(twin).symbol) else {
        return;
    };
    if context.twin_symbol(Version::Old, symbol) == Some(other) {
        let packages = context.package_hunks(Version::Old, symbol);
        collector.require_all(&packages, &context.import_hunks(twin), DependencyRule::Package);
    }
}

/// Returns the hunks that make a simple name visible in a version: an import, or the package of the class.
fn required_import_hunks(context: &RuleContext<'_>, node: NodeRef) -> HunkSet {
    context.import_hunks(node)
}

fn import_name(context: &RuleContext<'_>, import: NodeRef) -> Option<NodeRef> {
    context
        .children(import)
        .into_iter()
        .find(|child| context.kind(*child) == NodeKind::MemberSelect)
}

impl RuleContext<'_> {
    fn twin_root(&self, node_ref: NodeRef) -> Option<NodeRef> {
        let tree = self.twin_tree(node_ref.version, node_ref.tree)?;
        Some(NodeRef { version: node_ref.version.opposite(), tree, node: 0 })
    }

    fn imports(&self, tree: Option<NodeRef>) -> Vec<NodeRef> {
        let Some(root) = tree else { return Vec::new() };
        self.children(root)
            .into_iter()
            .filter(|child| self.kind(*child) == NodeKind::Import)
            .collect()
    }

    /// Returns the members that a static import names; empty for an import of a class.
    fn imported_members(&self, name: NodeRef) -> Vec<SymbolId> {
        let facts = self.facts(name.version);
        let is_class = |id: SymbolId| facts.symbol(id).kind.is_type();
        let declaring_class =
            self.children(name).first().and_then(|first| self.node(*first).symbol);
        let Some(declaring_class) = declaring_class.filter(|id| is_class(*id)) else {
            return Vec::new();
        };
        if self.node(name).symbol.is_some_and(is_class) {
            return Vec::new();
        }
        let imported_name = self.simple_name(name);
        let is_imported = |id: &SymbolId| {
            facts.symbol(*id).owner == Some(declaring_class) && facts.name(*id) == imported_name
        };
        (0..facts.symbols().len()).filter(is_imported).collect()
    }

    /// Returns the last component of a qualified name.
    fn simple_name(&self, node_ref: NodeRef) -> String {
        let node = self.node(node_ref);
        match (node.name, self.tree_text(node_ref.version, node_ref.tree)) {
            (Some(name), Some(text)) => {
                String::from_utf8_lossy(text.get(name..node.bytes.end).unwrap_or_default())
                    .into_owned()
            }
            _ => String::new(),
        }
    }

    /// Returns the hunks of the import that a simple name depends on; empty if that import remains or there is none.
    pub(crate) fn import_hunks(&self, node: NodeRef) -> HunkSet {
        let Some(symbol) = self.node(node).symbol else { return HunkSet::new() };
        if self.kind(node) != NodeKind::Identifier || !self.is_file_changed(node) {
            return HunkSet::new();
        }
        let facts = self.facts(node.version);
        let kind = facts.symbol(symbol).kind;
        let is_importable = kind.is_type()
            || matches!(kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::EnumConstant);
        if !is_importable || self.is_visible_without_import(node, symbol) {
            return HunkSet::new();
        }
        let mut on_demand_owners = HunkSet::new();
        let mut has_kept_on_demand_import = false;
        for import in self.imports(Some(node.with_node(0))) {
            let Some(name) = import_name(self, import) else { continue };
            let imported_name = self.simple_name(name);
            if imported_name == facts.name(symbol) && self.can_import(name, symbol) {
                return self.node_owner(name).into_iter().collect();
            }
            if imported_name == "*" && self.imports_on_demand(name, symbol) {
                match self.node_owner(name) {
                    Some(owner) => drop(on_demand_owners.insert(owner)),
                    None => has_kept_on_demand_import = true,
                }
            }
        }
        if has_kept_on_demand_import {
            HunkSet::new()
        } else {
            on_demand_owners.into_iter().take(1).collect()
        }
    }

    fn can_import(&self, import: NodeRef, symbol: SymbolId) -> bool {
        let facts = self.facts(import.version);
        match self.node(import).symbol {
            Some(imported) if facts.symbol(imported).kind.is_type() => {
                imported == symbol || !facts.symbol(symbol).kind.is_type()
            }
            _ => true,
        }
    }

    /// Returns true if an on-demand import includes a symbol.
    fn imports_on_demand(&self, import: NodeRef, symbol: SymbolId) -> bool {
        let facts = self.facts(import.version);
        let container = self.children(import).first().and_then(|first| self.node(*first).symbol);
        container.is_some() && facts.symbol(symbol).owner == container
    }

    /// Returns true if a symbol is declared in the same file or package, inherited, or in `java.lang`.
    fn is_visible_without_import(&self, node: NodeRef, symbol: SymbolId) -> bool {
        let facts = self.facts(node.version);
        let Some(owner) = facts.symbol(symbol).owner else { return true };
        if facts.symbol(owner).kind.is_type() {
            let enclosing_classes = std::iter::successors(self.enclosing_class(node), |class| {
                facts.enclosing_symbols(*class).find(|owner| facts.symbol(*owner).kind.is_type())
            });
            return enclosing_classes
                .flat_map(|class| facts.supertypes_with_self(class))
                .any(|class| class == owner);
        }
        let package = facts.name(owner);
        package == "java.lang" || self.package_of_tree(node) == package
    }

    /// Returns the package that a file declares.
    fn package_of_tree(&self, node: NodeRef) -> String {
        let root = node.with_node(0);
        let facts = self.facts(node.version);
        self.children(root)
            .into_iter()
            .filter_map(|child| self.node(child).symbol)
            .find(|symbol| facts.symbol(*symbol).kind.is_type())
            .and_then(|class| facts.symbol(class).owner)
            .map_or(String::new(), |package| facts.name(package).to_owned())
    }

    /// Returns the hunks that put a class into another package.
    pub(crate) fn package_hunks(&self, version: Version, class: SymbolId) -> HunkSet {
        let Some(twin) = self.twin_symbol(version, class) else { return HunkSet::new() };
        let (facts, other) = (self.facts(version), self.facts(version.opposite()));
        if facts.text(facts.symbol(class).full_name) == other.text(other.symbol(twin).full_name) {
            return HunkSet::new();
        }
        [(version, class), (version.opposite(), twin)]
            .into_iter()
            .filter_map(|(version, class)| self.declaration(version, class))
            .filter_map(|at| {
                let children = self.children(at.with_node(0));
                children.into_iter().find(|child| self.kind(*child) == NodeKind::Package)
            })
            .flat_map(|package| self.node_owners(package))
            .collect()
    }
}
