//! Dependency rule: every constructor calls one of its superclass, explicitly or implicitly.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolKind};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        for node in
            context.all_nodes(version).filter(|node| context.kind(*node) == NodeKind::ImpliedSuper)
        {
            add_implicit_call_dependencies(context, node, collector);
        }
        for node in
            context.changed_nodes(version).filter(|node| is_constructor_call(context, *node))
        {
            add_explicit_call_dependencies(context, node, collector);
            add_required_constructor_dependencies(context, node, collector);
        }
    }
}

fn is_constructor_call(context: &RuleContext<'_>, node: NodeRef) -> bool {
    context.kind(node) == NodeKind::MethodInvocation
        && context.node(node).symbol.is_some_and(|symbol| {
            context.facts(node.version).symbol(symbol).kind == SymbolKind::Constructor
        })
}

fn add_implicit_call_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let Some(symbol) = context.node(node).symbol else { return };
    let code = implicit_call_hunks(context, node);
    let version = node.version;
    let presence_hunks = context.presence_hunks(version, symbol);
    collector.require_in_version(version, &code, &presence_hunks, DependencyRule::Constructor);
    collector.require_in_version(
        version,
        &code,
        &added_parameter_hunks(context, version, symbol),
        DependencyRule::Constructor,
    );
    if let Some(class) = context.enclosing_class(node) {
        collector.require_in_version(
            version,
            &code,
            &context.supertype_hunks(version, class),
            DependencyRule::Constructor,
        );
    }
    if code.is_empty() && version == Version::Old {
        let twin =
            twin_constructor(context, node).and_then(|other| implicit_call_in(context, other));
        let Some(other) = twin.and_then(|twin| context.node(twin).symbol) else { return };
        if context.twin_symbol(version, symbol) != Some(other) {
            collector.require_all(
                &presence_hunks,
                &context.presence_hunks(Version::New, other),
                DependencyRule::Constructor,
            );
        }
    }
}

/// Returns the hunks that add the first parameters of a constructor, or remove all.
fn added_parameter_hunks(context: &RuleContext<'_>, version: Version, symbol: usize) -> HunkSet {
    let Some(twin) = context.twin_symbol(version, symbol) else { return HunkSet::new() };
    if context.facts(version.opposite()).symbol(twin).parameters.is_empty() {
        return HunkSet::new();
    }
    context.parameter_hunks(version, symbol)
}

/// Returns the hunks that add or remove an implicit call.
fn implicit_call_hunks(context: &RuleContext<'_>, node: NodeRef) -> HunkSet {
    let Some(container) = enclosing_constructor_or_class(context, node) else {
        return HunkSet::new();
    };
    if context.kind(container) != NodeKind::Method {
        let class = context.node(container).symbol;
        let facts = context.facts(node.version);
        let constructor = (0..facts.symbols().len()).find(|id| {
            let symbol = facts.symbol(*id);
            symbol.kind == SymbolKind::Constructor && symbol.owner == class
        });
        return constructor.map_or_else(
            || context.node_owner(container).into_iter().collect(),
            |constructor| context.presence_hunks(node.version, constructor),
        );
    }
    if let Some(owner) = context.node_owner(container) {
        return HunkSet::from([owner]);
    }
    let Some(twin) = context.twin_node(container) else { return HunkSet::new() };
    explicit_call_in(context, twin).and_then(|call| context.node_owner(call)).into_iter().collect()
}

/// Returns the enclosing constructor, or the class if there is none.
fn enclosing_constructor_or_class(context: &RuleContext<'_>, node: NodeRef) -> Option<NodeRef> {
    context.ancestors(node).find(|node| {
        context.kind(*node) == NodeKind::Method
            || matches!(
                context.kind(*node),
                NodeKind::Class | NodeKind::Enum | NodeKind::Record | NodeKind::NewClass
            )
    })
}

fn twin_constructor(context: &RuleContext<'_>, node: NodeRef) -> Option<NodeRef> {
    enclosing_constructor_or_class(context, node).and_then(|holder| context.twin_node(holder))
}

fn implicit_call_in(context: &RuleContext<'_>, container: NodeRef) -> Option<NodeRef> {
    (container.node..context.node(container).subtree_end)
        .map(|node| container.with_node(node))
        .find(|at| {
            context.kind(*at) == NodeKind::ImpliedSuper
                && self::enclosing_constructor_or_class(context, *at) == Some(container)
        })
}

fn explicit_call_in(context: &RuleContext<'_>, constructor: NodeRef) -> Option<NodeRef> {
    let body = context.child(constructor, NodeRole::Body)?;
    (body.node..context.node(body).subtree_end)
        .map(|node| body.with_node(node))
        .find(|at| is_constructor_call(context, *at))
}

/// Adds the dependencies of a class whose superclass requires arguments: it needs a constructor, and that constructor
/// the call. A constructor that calls another one of its class leaves the call to that one.
fn add_required_constructor_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let has_arguments = context.child(node, NodeRole::Argument).is_some();
    let constructor = context.enclosing_method(node);
    let (Some(class), Some(constructor)) = (context.enclosing_class(node), constructor) else {
        return;
    };
    let callee_class =
        context.node(node).symbol.and_then(|id| context.facts(node.version).symbol(id).owner);
    let calls_own_class = callee_class == Some(class);
    if !has_arguments && !calls_own_class {
        return;
    }
    let hunk_set = |owner: Option<usize>| owner.into_iter().collect::<HunkSet>();
    let (outer, inner) =
        (hunk_set(context.node_owner(constructor)), hunk_set(context.node_owner(node)));
    collector.require_in_version(node.version, &outer, &inner, DependencyRule::Constructor);
    if !calls_own_class {
        let class =
            context.declaration(node.version, class).and_then(|class| context.node_owner(class));
        collector.require_in_version(
            node.version,
            &hunk_set(class),
            &outer,
            DependencyRule::Constructor,
        );
    }
}

/// Adds dependencies of an explicit constructor call, of which there is one; its target depends on the superclass.
fn add_explicit_call_dependencies(
    context: &RuleContext<'_>,
    node: NodeRef,
    collector: &mut DependencyCollector,
) {
    let (Some(owner), Some(class)) = (context.node_owner(node), context.enclosing_class(node))
    else {
        return;
    };
    let code = HunkSet::from([owner]);
    let callee_class =
        context.node(node).symbol.and_then(|id| context.facts(node.version).symbol(id).owner);
    if callee_class != Some(class) {
        let hunks = context.supertype_hunks(node.version, class);
        collector.require_in_version(node.version, &code, &hunks, DependencyRule::Constructor);
    }
    if node.version == Version::New {
        let routine = context.enclosing_method(node);
        let Some(twin) = routine.and_then(|node| context.twin_node(node)) else { return };
        if let Some(old) = explicit_call_in(context, twin) {
            add_replaced_call_dependencies(context, node, old, collector);
        }
        collector.require_all(
            &code,
            &leading_statement_hunks(context, twin),
            DependencyRule::Constructor,
        );
    } else if let Some(twin) =
        context.enclosing_method(node).and_then(|node| context.twin_node(node))
    {
        collector.require_all(
            &leading_statement_hunks(context, twin),
            &code,
            DependencyRule::Constructor,
        );
    }
}

/// Couples two calls of which each version has one. Without arguments, the old one can be absent alone.
fn add_replaced_call_dependencies(
    context: &RuleContext<'_>,
    new: NodeRef,
    old: NodeRef,
    collector: &mut DependencyCollector,
) {
    let [new_owner, old_owner] = [new, old].map(|call| context.node_owner(call));
    let (Some(new_owner), Some(old_owner)) = (new_owner, old_owner) else { return };
    collector.require(new_owner, old_owner, DependencyRule::Duplicate);
    if context.child(new, NodeRole::Argument).is_some() {
        collector.require(old_owner, new_owner, DependencyRule::Constructor);
    }
}

/// Returns the hunks that add or remove the first statements of a constructor.
fn leading_statement_hunks(context: &RuleContext<'_>, constructor: NodeRef) -> HunkSet {
    let Some(body) = context.child(constructor, NodeRole::Body) else { return HunkSet::new() };
    let is_explicit = |one: &NodeRef| context.kind(*one) != NodeKind::ImpliedSuper;
    let statements = context.children(body).into_iter().filter(is_explicit);
    let owner =
        |one: NodeRef| context.token_owner(one.version, one.tree, context.node(one).bytes.start);
    statements.map_while(owner).collect()
}
