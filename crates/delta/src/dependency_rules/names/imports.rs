//! A simple name needs the import that makes it known, and a class its package.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, SymbolId, SymbolKind};

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.changed_nodes(version).filter(|at| world.kind(*at) == NodeKind::Identifier)
        {
            if let Some(owner) = world.bearer_of(at) {
                links.rely(
                    version,
                    &HunkSet::from([owner]),
                    &world.import_hunks(at),
                    DependencyRule::Import,
                );
            }
        }
    }
    for at in world.all_nodes(Version::Old).filter(|at| world.kind(*at) == NodeKind::Identifier) {
        if world.bearer_of(at).is_some() {
            continue;
        }
        let Some(twin) = world.twin(at) else { continue };
        let (gone, made) = (support(world, at), support(world, twin));
        links.need_all(&gone, &made, DependencyRule::Import);
        clash(world, at, twin, links);
    }
    conflicts(world, links);
    for version in VERSIONS {
        members(world, version, links);
    }
}

/// Adds dependencies of a static import, which needs a member of its name.
fn members(world: &RuleContext<'_>, version: Version, links: &mut DependencyCollector) {
    for import in world.changed_nodes(version).filter(|at| world.kind(*at) == NodeKind::Import) {
        let Some(name) = import_name(world, import) else { continue };
        let Some(owner) = world.owner_of(name) else { continue };
        let makers: Vec<HunkSet> = world
            .imported_members(name)
            .into_iter()
            .map(|member| world.makers(version, member))
            .collect();
        if makers.iter().any(HunkSet::is_empty) {
            continue;
        }
        let makers: HunkSet = makers.into_iter().flatten().collect();
        match version {
            Version::New => links.need_any(owner, &makers, DependencyRule::Import),
            Version::Old => {
                links.need_all(&makers, &HunkSet::from([owner]), DependencyRule::Import);
            }
        }
    }
}

/// Adds the mutual exclusion of two imports of one simple name.
fn conflicts(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for new in world.changed_nodes(Version::New).filter(|at| world.kind(*at) == NodeKind::Import) {
        let Some(name) = import_name(world, new) else { continue };
        let Some(from) = world.owner_of(name) else { continue };
        for old in world.imports(world.other_tree(new)) {
            let Some(other) = import_name(world, old) else { continue };
            let Some(to) = world.owner_of(other) else { continue };
            if world.simple_name(name) == world.simple_name(other) && world.simple_name(name) != "*"
            {
                links.need(from, to, DependencyRule::Duplicate);
            }
        }
    }
}

/// Adds dependencies of a kept name if only its import differs.
fn clash(world: &RuleContext<'_>, at: NodeRef, twin: NodeRef, links: &mut DependencyCollector) {
    let (Some(symbol), Some(other)) = (world.node(at).symbol, world.node(twin).symbol) else {
        return;
    };
    if world.twin_symbol(Version::Old, symbol) == Some(other) {
        let packages = world.package_hunks(Version::Old, symbol);
        links.need_all(&packages, &world.import_hunks(twin), DependencyRule::Package);
    }
}

/// Returns the hunks that make a simple name known in a version: an import, or the package of the class.
fn support(world: &RuleContext<'_>, at: NodeRef) -> HunkSet {
    world.import_hunks(at)
}

fn import_name(world: &RuleContext<'_>, import: NodeRef) -> Option<NodeRef> {
    world.children(import).into_iter().find(|child| world.kind(*child) == NodeKind::MemberSelect)
}

impl RuleContext<'_> {
    fn other_tree(&self, at: NodeRef) -> Option<NodeRef> {
        let tree = self.paired_tree(at.version, at.tree)?;
        Some(NodeRef { version: at.version.opposite(), tree, node: 0 })
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
        let holder = self.children(name).first().and_then(|first| self.node(*first).symbol);
        let Some(holder) = holder.filter(|id| is_class(*id)) else { return Vec::new() };
        if self.node(name).symbol.is_some_and(is_class) {
            return Vec::new();
        }
        let word = self.simple_name(name);
        let is_meant =
            |id: &SymbolId| facts.symbol(*id).owner == Some(holder) && facts.name(*id) == word;
        (0..facts.symbols().len()).filter(is_meant).collect()
    }

    /// Returns the last part of a qualified name.
    fn simple_name(&self, at: NodeRef) -> String {
        let node = self.node(at);
        match (node.name, self.text_of(at.version, at.tree)) {
            (Some(name), Some(text)) => {
                String::from_utf8_lossy(text.get(name..node.bytes.end).unwrap_or_default())
                    .into_owned()
            }
            _ => String::new(),
        }
    }

    /// Returns the hunks of the import that a simple name depends on; empty if that import remains or there is none.
    pub(crate) fn import_hunks(&self, at: NodeRef) -> HunkSet {
        let Some(symbol) = self.node(at).symbol else { return HunkSet::new() };
        if self.kind(at) != NodeKind::Identifier || !self.is_file_changed(at) {
            return HunkSet::new();
        }
        let facts = self.facts(at.version);
        let kind = facts.symbol(symbol).kind;
        let is_importable = kind.is_type()
            || matches!(kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::EnumConstant);
        if !is_importable || self.is_known_without_import(at, symbol) {
            return HunkSet::new();
        }
        let mut by_package = HunkSet::new();
        let mut by_package_kept = false;
        for import in self.imports(Some(at.with_node(0))) {
            let Some(name) = import_name(self, import) else { continue };
            let word = self.simple_name(name);
            if word == facts.name(symbol) && self.may_mean(name, symbol) {
                return self.owner_of(name).into_iter().collect();
            }
            if word == "*" && self.is_star_of(name, symbol) {
                match self.owner_of(name) {
                    Some(owner) => drop(by_package.insert(owner)),
                    None => by_package_kept = true,
                }
            }
        }
        if by_package_kept { HunkSet::new() } else { by_package.into_iter().take(1).collect() }
    }

    fn may_mean(&self, import: NodeRef, symbol: SymbolId) -> bool {
        let facts = self.facts(import.version);
        match self.node(import).symbol {
            Some(meant) if facts.symbol(meant).kind.is_type() => {
                meant == symbol || !facts.symbol(symbol).kind.is_type()
            }
            _ => true,
        }
    }

    /// Returns true if an on-demand import includes a symbol.
    fn is_star_of(&self, import: NodeRef, symbol: SymbolId) -> bool {
        let facts = self.facts(import.version);
        let holder = self.children(import).first().and_then(|first| self.node(*first).symbol);
        holder.is_some() && facts.symbol(symbol).owner == holder
    }

    /// Returns true if a symbol is declared in the same file or package, inherited, or in `java.lang`.
    fn is_known_without_import(&self, at: NodeRef, symbol: SymbolId) -> bool {
        let facts = self.facts(at.version);
        let Some(owner) = facts.symbol(symbol).owner else { return true };
        if facts.symbol(owner).kind.is_type() {
            let around = std::iter::successors(self.class_of(at), |class| {
                facts.owners(*class).find(|owner| facts.symbol(*owner).kind.is_type())
            });
            return around
                .flat_map(|class| facts.supertypes_with_self(class))
                .any(|class| class == owner);
        }
        let package = facts.name(owner);
        package == "java.lang" || self.package_of_tree(at) == package
    }

    /// Returns the package that a file declares.
    fn package_of_tree(&self, at: NodeRef) -> String {
        let root = at.with_node(0);
        let facts = self.facts(at.version);
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
            .flat_map(|package| self.owners_of(package))
            .collect()
    }
}
