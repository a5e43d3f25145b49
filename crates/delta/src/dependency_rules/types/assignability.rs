//! Assignments: a value, and the type that its destination requires.

use super::subtypes;
use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::types::expected_type::{ExpectedType, expected_type};
use crate::hunk::DependencyRule;
use mend_java::facts::NodeKind;

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    for version in VERSIONS {
        for at in world.all_nodes(version) {
            if world.kind(at) == NodeKind::ImpliedClose {
                closed(world, at, links);
            }
            if let Some(wanted) = expected_type(world, at) {
                couple_one(world, at, &wanted, links);
                wrapped(world, at, &wanted, links);
            }
        }
    }
}

/// Adds the dependencies of a value that remains while code is wrapped around it or unwrapped. The new place can
/// require another type, and the value's type can change as well.
fn wrapped(
    world: &RuleContext<'_>,
    at: NodeRef,
    wanted: &ExpectedType,
    links: &mut DependencyCollector,
) {
    let Some(twin) = world.twin(at).filter(|_| world.owner_of(at).is_none()) else { return };
    let around = world.parent(twin);
    if world.twin(wanted.holder) == Some(around) {
        return;
    }
    let shells: HunkSet =
        [wanted.holder, around].into_iter().filter_map(|one| world.owner_of(one)).collect();
    let causes: HunkSet = world.causes(at).into_iter().chain(world.causes(twin)).collect();
    if shells.is_empty() || causes.is_empty() || world.fits(world.type_of(twin), wanted.ty) {
        return;
    }
    // This version's place needs this version's type.
    links.rely(at.version, &shells, &causes, DependencyRule::Type);
}

/// Adds the dependencies of resources in a `try`, which must be closeable.
fn closed(world: &RuleContext<'_>, at: NodeRef, links: &mut DependencyCollector) {
    let facts = world.facts(at.version);
    let classes =
        facts.class(world.node(at).ty.erased).zip(facts.class_named("java.lang.AutoCloseable"));
    let (Some((class, above)), Some(owner)) = (classes, world.owner_of(at)) else { return };
    let path = world.path_hunks(at.version, class, above);
    links.rely(at.version, &HunkSet::from([owner]), &path, DependencyRule::Type);
}

fn couple_one(
    world: &RuleContext<'_>,
    at: NodeRef,
    wanted: &ExpectedType,
    links: &mut DependencyCollector,
) {
    let source = twin_source(world, at, wanted.holder);
    subtypes::couple(world, (at, wanted), source, links);
    match (world.owner_of(wanted.holder), source) {
        (_, Some(twin)) if at.version == Version::New => {
            add_two_sided_dependencies(world, at, wanted, twin, links);
        }
        (owner, None) if world.is_file_changed(at) => {
            let code: HunkSet = owner.or_else(|| world.owner_of(at)).into_iter().collect();
            add_one_sided_dependencies(world, at, wanted, &code, links);
            if world.kind(wanted.holder) == NodeKind::Return && owner.is_none() {
                links.together(
                    &wanted.causes.iter().chain(&code).copied().collect(),
                    DependencyRule::Type,
                );
            }
        }
        _ => {}
    }
}

/// Returns the value at the same place in the other version.
fn twin_source(world: &RuleContext<'_>, at: NodeRef, holder: NodeRef) -> Option<NodeRef> {
    let twin = world.twin(holder)?;
    if world.kind(twin) != world.kind(holder) {
        return None;
    }
    let position = |holder: NodeRef, wanted: NodeRef| {
        let siblings = world.children(holder);
        siblings
            .iter()
            .filter(|one| world.node(**one).role == world.node(at).role)
            .position(|one| *one == wanted)
    };
    let index = position(holder, at)?;
    let role = world.node(at).role;
    world.children(twin).into_iter().filter(|one| world.node(*one).role == role).nth(index)
}

/// Adds the dependencies of code of one version only.
fn add_one_sided_dependencies(
    world: &RuleContext<'_>,
    at: NodeRef,
    wanted: &ExpectedType,
    code: &HunkSet,
    links: &mut DependencyCollector,
) {
    let causes = world.causes(at);
    if causes.iter().any(|cause| !code.contains(cause)) {
        let fits = world.other_type(at).is_some_and(|other| world.fits(other, wanted.ty));
        if !fits {
            links.rely(at.version, code, &causes, DependencyRule::Type);
        }
    }
    if wanted.causes.iter().any(|cause| !code.contains(cause)) {
        let fits = wanted.other.is_some_and(|other| world.fits(world.type_of(at), other));
        if !fits {
            links.rely(at.version, code, &wanted.causes, DependencyRule::Type);
        }
    }
}

/// Adds the dependencies of a place that both versions have.
fn add_two_sided_dependencies(
    world: &RuleContext<'_>,
    at: NodeRef,
    wanted: &ExpectedType,
    old: NodeRef,
    links: &mut DependencyCollector,
) {
    let Some(old_wanted) = crate::dependency_rules::types::expected_type::expected_type(world, old)
    else {
        return;
    };
    for (source, wanted) in [(at, wanted), (old, &old_wanted)] {
        if let Some(owner) = world.owner_of(source) {
            add_one_sided_dependencies(world, source, wanted, &HunkSet::from([owner]), links);
        }
    }
    // What stays, but with something around it in the other version, goes with that.
    for (source, wanted, other) in [(at, wanted, old), (old, &old_wanted, at)] {
        let is_wrapped = world.twin(source).is_some_and(|twin| twin != other);
        if let (None, true, Some(owner)) =
            (world.owner_of(source), is_wrapped, world.owner_of(other))
        {
            add_one_sided_dependencies(world, source, wanted, &HunkSet::from([owner]), links);
        }
    }
    let (new_type, old_type) = (world.type_of(at), world.type_of(old));
    let is_same =
        world.is_same_type(new_type, old_type) && world.is_same_type(wanted.ty, old_wanted.ty);
    if is_same {
        return;
    }
    let sources: HunkSet = world.causes(at).into_iter().chain(world.causes(old)).collect();
    let targets: HunkSet = wanted.causes.iter().chain(&old_wanted.causes).copied().collect();
    if !world.fits(new_type, old_wanted.ty) {
        links.need_all(&sources, &targets, DependencyRule::Type);
    }
    if !world.fits(old_type, wanted.ty) {
        links.need_all(&targets, &sources, DependencyRule::Type);
    }
}
