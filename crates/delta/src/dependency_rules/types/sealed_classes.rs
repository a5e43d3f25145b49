//! Dependency rule: a sealed class permits its subclasses, and these are `final`, `sealed` or `non-sealed`.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeRole, SymbolFlags, SymbolId};

/// Modifiers of a direct subclass of a sealed class.
const SUBCLASS_MODIFIERS: [&str; 3] = ["final", "sealed", "non-sealed"];

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    for version in VERSIONS {
        let facts = context.facts(version);
        let classes = (0..facts.symbols().len()).filter(|id| facts.symbol(*id).kind.is_type());
        for class in classes.filter(|class| context.declaration(version, *class).is_some()) {
            for supertype in &facts.symbol(class).supertypes {
                add_subclass_dependencies(context, version, class, *supertype, collector);
            }
        }
    }
}

fn is_sealed(flags: SymbolFlags) -> bool {
    flags.has(SymbolFlags::SEALED)
}

fn add_subclass_dependencies(
    context: &RuleContext<'_>,
    version: Version,
    class: SymbolId,
    supertype: SymbolId,
    collector: &mut DependencyCollector,
) {
    let Some(declaration) = context.declaration(version, supertype) else { return };
    let extends_hunks = context.supertype_clause_hunks(version, class, supertype);
    let was_sealed = context.twin_flags(version, supertype).map(is_sealed);
    if !is_sealed(context.facts(version).symbol(supertype).flags) {
        if was_sealed == Some(true) {
            let sealed_modifier = context.modifier_hunks(version, supertype, &["sealed"]);
            collector.require_in_version(
                version,
                &extends_hunks,
                &sealed_modifier,
                DependencyRule::Modifier,
            );
            collector.require_in_version(
                version,
                &context.presence_hunks(version, class),
                &sealed_modifier,
                DependencyRule::Modifier,
            );
        }
        return;
    }
    let permits_hunks = permits_entry_hunks(context, declaration, class);
    let subclass_modifiers =
        self::subclass_modifier_hunks(context, version, class, &SUBCLASS_MODIFIERS);
    let non_sealed_modifier =
        self::subclass_modifier_hunks(context, version, class, &["non-sealed"]);
    collector.require_in_version(version, &permits_hunks, &extends_hunks, DependencyRule::Override);
    collector.require_in_version(version, &extends_hunks, &permits_hunks, DependencyRule::Override);
    collector.require_in_version(
        version,
        &extends_hunks,
        &subclass_modifiers,
        DependencyRule::Modifier,
    );
    collector.require_in_version(
        version,
        &non_sealed_modifier,
        &extends_hunks,
        DependencyRule::Modifier,
    );
    if was_sealed == Some(false) {
        let sealed_modifier = context.modifier_hunks(version, supertype, &["sealed"]);
        for needed in [&permits_hunks, &extends_hunks, &subclass_modifiers] {
            collector.require_in_version(
                version,
                &sealed_modifier,
                needed,
                DependencyRule::Modifier,
            );
        }
        collector.require_in_version(
            version,
            &permits_hunks,
            &sealed_modifier,
            DependencyRule::Modifier,
        );
        collector.require_in_version(
            version,
            &non_sealed_modifier,
            &sealed_modifier,
            DependencyRule::Modifier,
        );
    } else if version == Version::Old {
        let twin = context.twin_symbol(version, class);
        let new_modifiers = twin.map(|twin| {
            self::subclass_modifier_hunks(context, Version::New, twin, &SUBCLASS_MODIFIERS)
        });
        collector.require_each_other(
            &subclass_modifiers.into_iter().chain(new_modifiers.unwrap_or_default()).collect(),
            DependencyRule::Modifier,
        );
    }
}

/// Returns the hunks of a class's name in the `permits` clause of a sealed class.
fn permits_entry_hunks(context: &RuleContext<'_>, sealed: NodeRef, class: SymbolId) -> HunkSet {
    let entries = context.children(sealed).into_iter();
    entries
        .filter(|one| {
            context.node(*one).role == NodeRole::Permits && context.node(*one).symbol == Some(class)
        })
        .flat_map(|one| context.node_owners(one))
        .collect()
}

/// Returns the hunks of the modifiers of a class in one version.
fn subclass_modifier_hunks(
    context: &RuleContext<'_>,
    version: Version,
    class: SymbolId,
    words: &[&str],
) -> HunkSet {
    let modifiers = context
        .declaration(version, class)
        .and_then(|class| context.child(class, NodeRole::Modifiers));
    let bytes = modifiers.map(|at| (at, context.node(at).bytes.clone()));
    bytes.map(|(at, bytes)| context.word_owners_in_range(at, bytes, words)).unwrap_or_default()
}
