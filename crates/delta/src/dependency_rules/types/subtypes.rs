//! Subtyping: a value's class is a subtype of the type that its destination requires.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::type_causes::VersionedType;
use crate::dependency_rules::types::expected_type::{ExpectedType, expected_type};
use crate::hunk::DependencyRule;

/// Adds dependencies of a value, its required type, and the value at the same place of the other version.
pub(crate) fn couple(
    world: &RuleContext<'_>,
    (at, here): (NodeRef, &ExpectedType),
    twin: Option<NodeRef>,
    links: &mut DependencyCollector,
) {
    let path = world.subtype_hunks(world.type_of(at), here.ty);
    if path.is_empty() {
        return;
    }
    let owner = world.owner_of(at).or_else(|| world.owner_of(here.holder));
    if let Some(owner) = owner {
        links.rely(at.version, &HunkSet::from([owner]), &path, DependencyRule::Type);
        return;
    }
    let Some((twin, there)) = twin.and_then(|twin| Some((twin, expected_type(world, twin)?)))
    else {
        return;
    };
    let is_same = |one, two| world.is_same_type(one, two);
    let mut deciding = HunkSet::new();
    if !is_same(world.type_of(at), world.type_of(twin)) || !is_same(here.ty, there.ty) {
        deciding.extend(here.causes.iter().chain(&there.causes));
        deciding.extend(world.causes(at));
        deciding.extend(world.causes(twin));
    }
    if at.version == Version::New {
        links.need_all(&deciding, &path, DependencyRule::Type);
    } else {
        deciding.extend(world.subtype_hunks(world.type_of(twin), there.ty));
        links.need_all(&path, &deciding, DependencyRule::Type);
    }
}

impl RuleContext<'_> {
    /// Returns the hunks that make one type's class a subtype of another's.
    pub(crate) fn subtype_hunks(&self, from: VersionedType, to: VersionedType) -> HunkSet {
        let facts = self.facts(from.version);
        let classes = facts.class_named(self.erased(from)).zip(facts.class_named(self.erased(to)));
        classes
            .map(|(from_class, to)| self.path_hunks(from.version, from_class, to))
            .unwrap_or_default()
    }
}
