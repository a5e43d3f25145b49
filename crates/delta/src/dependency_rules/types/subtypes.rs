//! Dependency rule: the class of a value is a subtype of the required type.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::dependency_rules::types::expected_type::{ExpectedType, expected_type};
use crate::hunk::DependencyRule;

/// Adds dependencies of a value, its required type, and the value at the same position of the other version.
pub(crate) fn add_dependencies(
    context: &RuleContext<'_>,
    (at, expected): (NodeRef, &ExpectedType),
    twin: Option<NodeRef>,
    collector: &mut DependencyCollector,
) {
    let path = context.subtype_hunks(context.type_of(at), expected.ty);
    if path.is_empty() {
        return;
    }
    let owner = context.node_owner(at).or_else(|| context.node_owner(expected.use_site));
    if let Some(owner) = owner {
        collector.require_in_version(
            at.version,
            &HunkSet::from([owner]),
            &path,
            DependencyRule::Type,
        );
        return;
    }
    let Some((twin, twin_expected)) =
        twin.and_then(|twin| Some((twin, expected_type(context, twin)?)))
    else {
        return;
    };
    let is_same = |one, two| context.is_same_type(one, two);
    let mut type_hunks = HunkSet::new();
    if !is_same(context.type_of(at), context.type_of(twin))
        || !is_same(expected.ty, twin_expected.ty)
    {
        type_hunks.extend(expected.causes.iter().chain(&twin_expected.causes));
        type_hunks.extend(context.type_causes(at));
        type_hunks.extend(context.type_causes(twin));
    }
    if at.version == Version::New {
        collector.require_all(&type_hunks, &path, DependencyRule::Type);
    } else {
        type_hunks.extend(context.subtype_hunks(context.type_of(twin), twin_expected.ty));
        collector.require_all(&path, &type_hunks, DependencyRule::Type);
    }
}

impl RuleContext<'_> {
    /// Returns the hunks that make the class of one type a subtype of another.
    pub(crate) fn subtype_hunks(&self, from: VersionedType, to: VersionedType) -> HunkSet {
        let facts = self.facts(from.version);
        let classes =
            facts.find_class(self.erased_type(from)).zip(facts.find_class(self.erased_type(to)));
        classes
            .map(|(from_class, to)| self.path_hunks(from.version, from_class, to))
            .unwrap_or_default()
    }
}
