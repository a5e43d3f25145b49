//! Dependency rule: a use needs the declaration that it refers to.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeCategory, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::dependency_rules::types::expected_type::{expected_type, symbol_type};
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, Symbol, SymbolFlags, SymbolId, SymbolKind};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in context.changed_nodes(version) {
            if context.is_use(node) {
                add_definition_dependencies(context, node, collector);
                add_qualifier_dependencies(context, node, collector);
                add_inheritance_dependencies(context, node, collector);
            }
        }
    }
    // A name in an unchanged file can also change its meaning.
    for node in context.all_nodes(Version::Old) {
        if context.is_use(node) && context.node_owner_or_edited_move(node).is_none() {
            add_kept_name_dependencies(context, node, collector);
        }
    }
}

impl RuleContext<'_> {
    /// Returns true if a node refers to a declaration elsewhere.
    pub(crate) fn is_use(&self, node_ref: NodeRef) -> bool {
        let node = self.node(node_ref);
        let is_named = match self.category(node_ref) {
            NodeCategory::Reference => true,
            NodeCategory::Call => self.kind(node_ref) == NodeKind::NewClass,
            _ => false,
        };
        is_named && node.symbol.is_some()
    }
}

/// Adds dependencies of a replaced name on its qualifier.
fn add_qualifier_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(owner), Some(twin)) = (context.node_owner(node), context.twin_node(node)) else {
        return;
    };
    let mut group = context.qualification_hunks(node, twin);
    group.extend(receiver_class_hunks(context, node, twin));
    if !group.is_empty() {
        group.insert(owner);
        collector.require_each_other(&group, DependencyRule::Definition);
    }
}

/// Returns the hunks that select a static member from another class than before, or from a value.
fn receiver_class_hunks(context: &RuleContext<'_>, node: NodeRef, twin: NodeRef) -> HunkSet {
    let receivers = [node, twin].map(|node| context.children(node).first().copied());
    let is_class = |node: &NodeRef| {
        let symbol = context.node(*node).symbol;
        symbol.is_some_and(|symbol| context.facts(node.version).symbol(symbol).kind.is_type())
    };
    let [Some(receiver), Some(other)] = receivers else { return HunkSet::new() };
    if !is_class(&receiver) && !is_class(&other) {
        return HunkSet::new();
    }
    [receiver, other].into_iter().filter_map(|node| context.node_owner(node)).collect()
}

fn add_definition_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(owner), Some(symbol)) =
        (context.node_owner_or_edited_move(node), context.node(node).symbol)
    else {
        return;
    };
    let presence_hunks = context.presence_hunks(node.version, symbol);
    let rule =
        if node.version == Version::New { DependencyRule::Definition } else { DependencyRule::Use };
    collector.require_in_version(node.version, &HunkSet::from([owner]), &presence_hunks, rule);
    collector.require_in_version(
        node.version,
        &HunkSet::from([owner]),
        &qualified_package_hunks(context, node),
        DependencyRule::Package,
    );
}

/// Adds dependencies of an inherited member on its class being a supertype.
fn add_inheritance_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let path = context.inheritance_path(node);
    if let Some(owner) = context.node_owner_or_edited_move(node) {
        collector.require_in_version(
            node.version,
            &HunkSet::from([owner]),
            &path,
            DependencyRule::Definition,
        );
    } else if node.version == Version::Old
        && let (Some(twin), Some(symbol)) = (context.twin_node(node), context.node(node).symbol)
        && context.twin_symbol(Version::Old, symbol) == context.node(twin).symbol
    {
        collector.require_all(&path, &context.inheritance_path(twin), DependencyRule::Definition);
    }
}

impl RuleContext<'_> {
    /// Returns the hunks that make the class of a name inherit the member that it refers to.
    fn inheritance_path(&self, node: NodeRef) -> HunkSet {
        let Some(symbol) = self.node(node).symbol else { return HunkSet::new() };
        let facts = self.facts(node.version);
        let is_member = matches!(facts.symbol(symbol).kind, SymbolKind::Field | SymbolKind::Method);
        let Some(owner) = facts.symbol(symbol).owner.filter(|_| is_member) else {
            return HunkSet::new();
        };
        let class = match self.children(node).first() {
            Some(receiver) => facts.class_of_type(self.node(*receiver).ty.erased),
            None => std::iter::successors(self.enclosing_class(node), |class| {
                facts.enclosing_symbols(*class).find(|owner| facts.symbol(*owner).kind.is_type())
            })
            .find(|class| *class == owner || facts.supertypes_with_self(*class).contains(&owner)),
        };
        class.map(|class| self.path_hunks(node.version, class, owner)).unwrap_or_default()
    }
}

/// Returns the hunks that put a class into the package of a qualified name.
fn qualified_package_hunks(context: &RuleContext<'_>, node: NodeRef) -> HunkSet {
    let Some(symbol) = context.node(node).symbol else { return HunkSet::new() };
    let facts = context.facts(node.version);
    let is_qualified =
        context.kind(node) == NodeKind::MemberSelect && facts.symbol(symbol).kind.is_type();
    let qualifier = context.children(node).first().and_then(|first| context.node(*first).symbol);
    let is_package_qualified =
        qualifier.is_none_or(|qualifier| facts.symbol(qualifier).kind == SymbolKind::Other);
    if !is_qualified || !is_package_qualified {
        return HunkSet::new();
    }
    context.package_hunks(node.version, symbol)
}

/// Adds dependencies of a kept name that may refer to different declarations.
fn add_kept_name_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(symbol), Some(twin)) = (context.node(node).symbol, context.twin_node(node)) else {
        return;
    };
    let Some(other) = context.node(twin).symbol else { return };
    if context.twin_symbol(Version::Old, symbol) == Some(other) {
        add_moved_member_dependencies(context, (node, symbol), (twin, other), collector);
        return;
    }
    let mut old_presence = context.presence_hunks(Version::Old, symbol);
    let mut new_presence = context.presence_hunks(Version::New, other);
    let mut causes = context.resolution_hunks(node);
    causes.extend(context.enclosing_move(node));
    let causes: HunkSet = causes
        .into_iter()
        .filter(|hunk| !old_presence.contains(hunk) && !new_presence.contains(hunk))
        .collect();
    if !is_compatible_with_all_types(context, node, twin, (symbol, other)) {
        for (version, symbol, presence) in
            [(Version::Old, symbol, &mut old_presence), (Version::New, other, &mut new_presence)]
        {
            let signature = signature_hunks(context, version, symbol);
            collector.require_in_version(version, presence, &signature, DependencyRule::Definition);
            presence.extend(signature);
        }
    }
    if causes.is_empty() || is_local(context, symbol) {
        collector.require_all(&old_presence, &new_presence, DependencyRule::Definition);
    }
    collector.require_all(&causes, &new_presence, DependencyRule::Definition);
    collector.require_all(&old_presence, &causes, DependencyRule::Use);
}

/// Couples the class before the name of a member with the move of the member to another class.
fn add_moved_member_dependencies(
    context: &RuleContext<'_>,
    (node, symbol): (NodeRef, SymbolId),
    (twin, other): (NodeRef, SymbolId),
    collector: &mut DependencyCollector,
) {
    let class = |version, symbol| context.facts(version).symbol(symbol).owner;
    let (old_class, new_class) = (class(Version::Old, symbol), class(Version::New, other));
    if old_class.and_then(|class| context.twin_symbol(Version::Old, class)) == new_class {
        return;
    }
    let mut group = context.qualification_hunks(node, twin);
    group.extend(receiver_class_hunks(context, node, twin));
    if !group.is_empty() {
        group.extend(context.presence_hunks(Version::Old, symbol));
        collector.require_each_other(&group, DependencyRule::Definition);
    }
}

/// Returns true if a kept name compiles with every type of its two variables: one of the types that the name has, or one
/// that its destination accepts.
fn is_compatible_with_all_types(
    context: &RuleContext<'_>,
    name: NodeRef,
    twin: NodeRef,
    (old, new): (SymbolId, SymbolId),
) -> bool {
    let symbols = [(Version::Old, old), (Version::New, new)];
    let is_variable = |(version, symbol): (Version, SymbolId)| {
        let kind = context.facts(version).symbol(symbol).kind;
        matches!(kind, SymbolKind::Local | SymbolKind::Field)
    };
    if !symbols.into_iter().all(is_variable) {
        return false;
    }
    let own_types = symbols.map(|(version, symbol)| symbol_type(context, version, symbol));
    let mut other_types = symbols.into_iter().filter_map(|(version, symbol)| {
        let twin = context.twin_symbol(version, symbol)?;
        let ty = symbol_type(context, version.opposite(), twin);
        let is_own = own_types.iter().any(|own| context.is_same_type(*own, ty));
        (!is_own).then_some(ty)
    });
    other_types.all(|ty| [name, twin].into_iter().all(|name| is_accepted(context, name, ty)))
}

/// Returns true if the destination of a name accepts values of a type, and its own type does not depend on the type.
fn is_accepted(context: &RuleContext<'_>, name: NodeRef, ty: VersionedType) -> bool {
    let Some(expected) = expected_type(context, name) else { return false };
    let is_independent = match context.node(name).role {
        // The type of a receiver also determines that of the result.
        _ if context.kind(expected.use_site) == NodeKind::MemberSelect => false,
        NodeRole::Argument => has_single_overload(context, expected.use_site),
        _ => true,
    };
    is_independent && context.is_assignable(ty, expected.ty)
}

/// Returns true if the name of a call certainly belongs to one method only, whose type has no type variables.
fn has_single_overload(context: &RuleContext<'_>, call: NodeRef) -> bool {
    let facts = context.facts(call.version);
    let Some(callee) = context.node(call).symbol.map(|symbol| facts.symbol(symbol)) else {
        return false;
    };
    let Some(owner) = callee.owner.filter(|_| callee.position.is_some()) else { return false };
    let classes = facts.supertypes_with_self(owner);
    let is_known = |class: &SymbolId| {
        let class = facts.symbol(*class);
        class.position.is_some() || facts.text(class.full_name) == "java.lang.Object"
    };
    let is_overload = |other: &&Symbol| {
        other.kind == callee.kind
            && other.name == callee.name
            && other.owner.is_some_and(|owner| classes.contains(&owner))
    };
    !callee.flags.has(SymbolFlags::GENERIC)
        && classes.iter().all(is_known)
        && facts.symbols().iter().filter(is_overload).count() == 1
}

/// Returns the hunks of the signature: both declarations can differ in type and parameters.
fn signature_hunks(context: &RuleContext<'_>, version: Version, symbol: SymbolId) -> HunkSet {
    &context.type_change_hunks(version, symbol) | &context.parameter_hunks(version, symbol)
}

fn is_local(context: &RuleContext<'_>, symbol: usize) -> bool {
    context.facts(Version::Old).symbol(symbol).kind == SymbolKind::Local
}
