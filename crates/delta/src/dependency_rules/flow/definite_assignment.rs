//! Dependency rule: variables are definitely assigned before use, final ones exactly once, and captured ones are
//! effectively final.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::flow::final_fields;
use crate::dependency_rules::flow::variable_accesses::{
    AccessesByVariable, VariableAccesses, collect_accesses, initialiser, is_assignment_target,
    owners_or_moves,
};
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let [old, new] = VERSIONS.map(|version| collect_accesses(context, version));
    for (version, accesses_by_variable) in VERSIONS.into_iter().zip([&old, &new]) {
        for (symbol, accesses) in accesses_by_variable {
            let symbol = context.facts(version).symbol(*symbol);
            if symbol.kind == SymbolKind::Local {
                add_capture_dependencies(context, version, accesses, collector);
                add_branch_dependencies(context, accesses, collector);
                add_move_dependencies(context, accesses, collector);
            }
        }
    }
    add_removed_code_dependencies(context, &old, collector);
    add_new_code_dependencies(context, &old, &new, collector);
}

/// Adds the dependencies of code that only the old version has.
fn add_removed_code_dependencies(
    context: &RuleContext<'_>,
    old: &AccessesByVariable,
    collector: &mut DependencyCollector,
) {
    for (symbol, accesses) in old {
        if context.twin_symbol(Version::Old, *symbol).is_some() {
            continue;
        }
        let symbol = context.facts(Version::Old).symbol(*symbol);
        if symbol.kind == SymbolKind::Local {
            add_removed_variable_dependencies(context, accesses, collector);
            add_shared_final_dependencies(context, accesses, collector);
        } else if symbol.flags.has(SymbolFlags::FINAL) {
            final_fields::add_field_dependencies(context, accesses, collector);
        }
    }
}

/// Adds the dependencies of code that only the new version has.
fn add_new_code_dependencies(
    context: &RuleContext<'_>,
    old: &AccessesByVariable,
    new: &AccessesByVariable,
    collector: &mut DependencyCollector,
) {
    for (symbol, accesses) in new {
        let old_accesses =
            context.twin_symbol(Version::New, *symbol).and_then(|symbol| old.get(&symbol));
        let flags = context.facts(Version::New).symbol(*symbol).flags;
        let kind = context.facts(Version::New).symbol(*symbol).kind;
        match old_accesses {
            Some(old_accesses) if kind == SymbolKind::Local => {
                add_kept_variable_dependencies(context, old_accesses, accesses, collector);
                add_kept_final_dependencies(context, *symbol, old_accesses, accesses, collector);
            }
            None if kind == SymbolKind::Local => {
                add_new_variable_dependencies(context, accesses, collector);
            }
            Some(old_accesses) => {
                let is_final = add_kept_final_dependencies(
                    context,
                    *symbol,
                    old_accesses,
                    accesses,
                    collector,
                );
                for accesses in [old_accesses, accesses].into_iter().filter(|_| is_final) {
                    final_fields::add_constructor_dependencies(context, accesses, collector);
                }
            }
            None if flags.has(SymbolFlags::FINAL) => {
                final_fields::add_field_dependencies(context, accesses, collector);
                final_fields::add_constructor_dependencies(context, accesses, collector);
            }
            None => {}
        }
    }
}

fn is_modified(context: &RuleContext<'_>, node: NodeRef) -> bool {
    is_assignment_target(context, node)
        || context.node(node).role == NodeRole::Target
        || context.kind(context.parent(node)).is_step()
}

/// Returns true for parameters and the variables of loops, patterns and `catch`, which always have a value.
fn is_always_initialised(context: &RuleContext<'_>, accesses: &VariableAccesses) -> bool {
    accesses.declaration.is_none_or(|at| {
        initialiser(context, accesses).is_some()
            || matches!(
                context.node(at).role,
                NodeRole::Parameter | NodeRole::Target | NodeRole::Resource
            )
            || !matches!(context.kind(context.parent(at)), NodeKind::Block | NodeKind::Case)
    })
}

/// Adds the dependencies of a new variable: its reads need the assignments before them.
fn add_new_variable_dependencies(
    context: &RuleContext<'_>,
    accesses: &VariableAccesses,
    collector: &mut DependencyCollector,
) {
    if is_always_initialised(context, accesses) {
        return;
    }
    for read in &accesses.reads {
        let Some(owner) = context.owner_or_move(*read) else { continue };
        let writes_before = accesses.writes.iter().filter(|write| write.node < read.node);
        collector.require_all(
            &HunkSet::from([owner]),
            &owners_or_moves(context, writes_before),
            DependencyRule::Initialisation,
        );
    }
    // Kept reads refer to another variable in the old version.
    if accesses.reads.iter().any(|read| context.owner_or_move(*read).is_none()) {
        let declaration_owners = owners_or_moves(context, accesses.declaration.iter());
        collector.require_all(
            &declaration_owners,
            &owners_or_moves(context, &accesses.writes),
            DependencyRule::Initialisation,
        );
    }
}

/// Adds the dependencies of a removed variable: removing an assignment requires removing the reads after it.
fn add_removed_variable_dependencies(
    context: &RuleContext<'_>,
    accesses: &VariableAccesses,
    collector: &mut DependencyCollector,
) {
    if is_always_initialised(context, accesses) {
        return;
    }
    for write in &accesses.writes {
        let Some(owner) = context.owner_or_move(*write) else { continue };
        let reads_after: Vec<NodeRef> =
            accesses.reads.iter().copied().filter(|read| write.node < read.node).collect();
        collector.require_all(
            &HunkSet::from([owner]),
            &owners_or_moves(context, &reads_after),
            DependencyRule::Initialisation,
        );
        // Kept reads refer to another variable in the new version.
        if reads_after.iter().any(|read| context.owner_or_move(*read).is_none()) {
            let declaration_owners = owners_or_moves(context, accesses.declaration.iter());
            collector.require_all(
                &HunkSet::from([owner]),
                &declaration_owners,
                DependencyRule::Initialisation,
            );
        }
    }
}

/// Adds dependencies of `final`, which applies to all variables of one declaration, including removed ones.
fn add_shared_final_dependencies(
    context: &RuleContext<'_>,
    accesses: &VariableAccesses,
    collector: &mut DependencyCollector,
) {
    let Some(declared) = accesses.declaration else { return };
    let start =
        |at: NodeRef| context.child(at, NodeRole::Type).map(|ty| context.node(ty).bytes.start);
    for other in context.children(context.parent(declared)) {
        let shares_declaration =
            context.kind(other) == NodeKind::Variable && start(other) == start(declared);
        let Some(symbol) = context.node(other).symbol.filter(|_| shares_declaration) else {
            continue;
        };
        let becomes_final = context
            .twin_flags(Version::Old, symbol)
            .is_some_and(|flags| flags.has(SymbolFlags::FINAL));
        if becomes_final {
            let final_modifier_hunks = context.modifier_hunks(Version::Old, symbol, &["final"]);
            collector.require_all(
                &final_modifier_hunks,
                &owners_or_moves(context, [&declared]),
                DependencyRule::Initialisation,
            );
        }
    }
}

/// Adds the dependencies of a variable of both versions: removing an assignment needs the new assignment.
fn add_kept_variable_dependencies(
    context: &RuleContext<'_>,
    old: &VariableAccesses,
    new: &VariableAccesses,
    collector: &mut DependencyCollector,
) {
    let initialiser_owner = |life: &VariableAccesses| {
        initialiser(context, life).and_then(|value| {
            context.token_owner(value.version, value.tree, context.node(value).bytes.start)
        })
    };
    let (had_initialiser, has_initialiser) =
        (initialiser(context, old).is_some(), initialiser(context, new).is_some());
    if had_initialiser && has_initialiser
        || is_always_initialised(context, old) && is_always_initialised(context, new)
    {
        return;
    }
    let mut added_values = owners_or_moves(context, &new.writes);
    added_values.extend(initialiser_owner(new));
    let mut removed_values = owners_or_moves(context, &old.writes);
    removed_values.extend(initialiser_owner(old));
    let has_kept_read = old.reads.iter().any(|read| context.node_owner(*read).is_none());
    if has_kept_read {
        collector.require_all(&removed_values, &added_values, DependencyRule::Initialisation);
    }
    if !has_initialiser {
        collector.require_all(
            &owners_or_moves(context, &new.reads),
            &added_values,
            DependencyRule::Initialisation,
        );
    }
    if !had_initialiser {
        collector.require_all(
            &removed_values,
            &owners_or_moves(context, &old.reads),
            DependencyRule::Initialisation,
        );
    }
    // Before the first kept assignment, all reads depend on the initialiser.
    for (one, version) in [(old, Version::Old), (new, Version::New)] {
        let initialiser_owners: HunkSet = initialiser_owner(one).into_iter().collect();
        let is_kept = |write: &&NodeRef| context.owner_or_move(**write).is_none();
        let first_kept_write = one.writes.iter().filter(is_kept).map(|write| write.node).min();
        let reads = one.reads.iter().filter(|read| {
            first_kept_write.is_none_or(|first_kept_write| read.node < first_kept_write)
        });
        collector.require_in_version(
            version,
            &owners_or_moves(context, reads),
            &initialiser_owners,
            DependencyRule::Initialisation,
        );
    }
}

/// Adds dependencies of a variable that is final in one of the versions and assigned once in each. Returns true if it
/// is one.
fn add_kept_final_dependencies(
    context: &RuleContext<'_>,
    symbol: SymbolId,
    old: &VariableAccesses,
    new: &VariableAccesses,
    collector: &mut DependencyCollector,
) -> bool {
    let is_final = context.facts(Version::New).symbol(symbol).flags.has(SymbolFlags::FINAL);
    let was_final =
        context.twin_flags(Version::New, symbol).is_some_and(|flags| flags.has(SymbolFlags::FINAL));
    if !is_final && !was_final {
        return false;
    }
    let values = [initialiser(context, old), initialiser(context, new)];
    let initialiser_owners = values.into_iter().flatten().filter_map(|value| {
        context.token_owner(value.version, value.tree, context.node(value).bytes.start)
    });
    let initialiser_owners: HunkSet = if values.iter().all(Option::is_some) {
        HunkSet::new()
    } else {
        initialiser_owners.collect()
    };
    let final_modifier_hunks = context.modifier_hunks(Version::New, symbol, &["final"]);
    let (removed_writes, mut added_writes) =
        (owners_or_moves(context, &old.writes), owners_or_moves(context, &new.writes));
    if !removed_writes.is_empty() || !added_writes.is_empty() {
        let fields = [old.declaration, new.declaration];
        added_writes.extend(
            fields
                .into_iter()
                .flatten()
                .flat_map(|field| final_fields::constructor_delegation_hunks(context, field)),
        );
    }
    if is_final && was_final {
        let all: HunkSet =
            initialiser_owners.into_iter().chain(removed_writes).chain(added_writes).collect();
        collector.require_each_other(&all, DependencyRule::Initialisation);
    } else if is_final {
        let all: HunkSet =
            initialiser_owners.into_iter().chain(removed_writes).chain(added_writes).collect();
        collector.require_all(&final_modifier_hunks, &all, DependencyRule::Initialisation);
    } else {
        let all: HunkSet =
            initialiser_owners.into_iter().chain(removed_writes).chain(added_writes).collect();
        collector.require_all(&all, &final_modifier_hunks, DependencyRule::Initialisation);
    }
    true
}

/// Adds dependencies of a branch of one version on the assignment of a variable in it.
fn add_branch_dependencies(
    context: &RuleContext<'_>,
    accesses: &VariableAccesses,
    collector: &mut DependencyCollector,
) {
    if is_always_initialised(context, accesses) {
        return;
    }
    for write in &accesses.writes {
        let ancestors = context.ancestors(*write);
        let mut ancestors = ancestors
            .take_while(|at| !matches!(context.kind(*at), NodeKind::Method | NodeKind::Class));
        let branch =
            ancestors.find(|at| matches!(context.kind(*at), NodeKind::Case | NodeKind::Catch));
        let owner = branch.and_then(|branch| context.node_owner(branch));
        let (Some(owner), Some(placer)) = (owner, context.owner_or_move(*write)) else { continue };
        collector.require_in_version(
            write.version,
            &HunkSet::from([owner]),
            &HunkSet::from([placer]),
            DependencyRule::Initialisation,
        );
    }
}

/// Adds the dependencies of assignments that move together with the reads of their variable.
fn add_move_dependencies(
    context: &RuleContext<'_>,
    accesses: &VariableAccesses,
    collector: &mut DependencyCollector,
) {
    if is_always_initialised(context, accesses) {
        return;
    }
    let kept = accesses
        .writes
        .iter()
        .chain(&accesses.reads)
        .filter(|at| context.node_owner(**at).is_none());
    let movers: HunkSet = kept.filter_map(|at| context.enclosing_move(*at)).collect();
    collector.require_each_other(&movers, DependencyRule::Initialisation);
}

/// Adds dependencies of a local variable that a lambda or an inner class uses, which must be effectively final.
fn add_capture_dependencies(
    context: &RuleContext<'_>,
    version: Version,
    accesses: &VariableAccesses,
    collector: &mut DependencyCollector,
) {
    let Some(declared) = accesses.declaration else { return };
    let declaration_scope = enclosing_scope(context, declared);
    let is_captured = |at: &&NodeRef| self::enclosing_scope(context, **at) != declaration_scope;
    let captures: Vec<NodeRef> = accesses.reads.iter().filter(is_captured).copied().collect();
    if captures.is_empty() {
        return;
    }
    let Some(symbol) = context.node(declared).symbol else { return };
    let Some(other) = context.twin_symbol(version, symbol) else { return };
    let has_value = initialiser(context, accesses).is_some();
    let changes: Vec<NodeRef> = context
        .changed_nodes(version.opposite())
        .filter(|at| context.node(*at).symbol == Some(other) && is_modified(context, *at))
        .collect();
    let is_captured_in_twin = context.changed_nodes(version.opposite()).any(|at| {
        context.node(at).symbol == Some(other)
            && context.is_use(at)
            && context.twin_node(at).is_none_or(|twin| !captures.contains(&twin))
            && context.declaration(version.opposite(), other).is_some_and(|declared| {
                self::enclosing_scope(context, at) != self::enclosing_scope(context, declared)
            })
    });
    if changes.is_empty() || (!has_value && changes.len() == 1) || is_captured_in_twin {
        return;
    }
    collector.require_in_version(
        version,
        &owners_or_moves(context, &captures),
        &owners_or_moves(context, &changes),
        DependencyRule::Initialisation,
    );
}

/// Returns the innermost lambda, method or class around a node.
fn enclosing_scope(context: &RuleContext<'_>, node: NodeRef) -> Option<NodeRef> {
    context.ancestors(node).find(|node| {
        matches!(
            context.kind(*node),
            NodeKind::LambdaExpression
                | NodeKind::Method
                | NodeKind::Class
                | NodeKind::Enum
                | NodeKind::Record
        )
    })
}
