//! A value and the type that is wanted where it goes.

use super::cause::Typed;
use super::links::Links;
use super::subtypes;
use super::world::{At, Hunks, VERSIONS, World};
use crate::delta::couplings::Version;
use crate::delta::hunk::Rule;
use crate::facts::{Flags, Role, SymbolId, TypeId};

/// What is wanted in one place.
pub(super) struct Wanted {
    /// The node that is there in both versions if the place is.
    pub(super) holder: At,
    pub(super) ty: Typed,
    /// The hunks that decide the type.
    pub(super) causes: Hunks,
    /// The type that is wanted under the other version's declarations.
    other: Option<Typed>,
}

pub(super) fn couple(world: &World<'_>, links: &mut Links) {
    for version in VERSIONS {
        for at in world.all_nodes(version) {
            if world.kind(at) == "IMPLIED_CLOSE" {
                closed(world, at, links);
            }
            if let Some(wanted) = wanted(world, at) {
                couple_one(world, at, &wanted, links);
                wrapped(world, at, &wanted, links);
            }
        }
    }
}

/// A value that stays, while something is put around it or taken from around it: the one place wants
/// another type than the other, and the value may have another type by then.
fn wrapped(world: &World<'_>, at: At, wanted: &Wanted, links: &mut Links) {
    let Some(twin) = world.twin(at).filter(|_| world.owner_of(at).is_none()) else { return };
    let around = world.parent(twin);
    if world.twin(wanted.holder) == Some(around) {
        return;
    }
    let shells: Hunks =
        [wanted.holder, around].into_iter().filter_map(|one| world.owner_of(one)).collect();
    let causes: Hunks = world.causes(at).into_iter().chain(world.causes(twin)).collect();
    if shells.is_empty() || causes.is_empty() || world.fits(world.type_of(twin), wanted.ty) {
        return;
    }
    // This version's place needs this version's type.
    links.rely(at.version, &shells, &causes, Rule::Type);
}

/// What is closed at the end of a `try` must be something that can be.
fn closed(world: &World<'_>, at: At, links: &mut Links) {
    let facts = world.facts(at.version);
    let classes =
        facts.class(world.node(at).ty.erased).zip(facts.class_named("java.lang.AutoCloseable"));
    let (Some((class, above)), Some(owner)) = (classes, world.owner_of(at)) else { return };
    let path = world.path_hunks(at.version, class, above);
    links.rely(at.version, &Hunks::from([owner]), &path, Rule::Type);
}

fn couple_one(world: &World<'_>, at: At, wanted: &Wanted, links: &mut Links) {
    let source = twin_source(world, at, wanted.holder);
    subtypes::couple(world, (at, wanted), source, links);
    match (world.owner_of(wanted.holder), source) {
        (_, Some(twin)) if at.version == Version::New => {
            both(world, (at, wanted), twin, links);
        }
        (owner, None) if world.is_file_changed(at) => {
            let code: Hunks = owner.or_else(|| world.owner_of(at)).into_iter().collect();
            one(world, at, wanted, &code, links);
            if world.kind(wanted.holder) == "RETURN" && owner.is_none() {
                links.together(&wanted.causes.iter().chain(&code).copied().collect(), Rule::Type);
            }
        }
        _ => {}
    }
}

/// The value that stands in the same place in the other version.
fn twin_source(world: &World<'_>, at: At, holder: At) -> Option<At> {
    let twin = world.twin(holder)?;
    if world.kind(twin) != world.kind(holder) {
        return None;
    }
    let position = |holder: At, wanted: At| {
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

/// Code of one version only.
fn one(world: &World<'_>, at: At, wanted: &Wanted, code: &Hunks, links: &mut Links) {
    let causes = world.causes(at);
    if causes.iter().any(|cause| !code.contains(cause)) {
        let fits = world.other_type(at).is_some_and(|other| world.fits(other, wanted.ty));
        if !fits {
            links.rely(at.version, code, &causes, Rule::Type);
        }
    }
    if wanted.causes.iter().any(|cause| !code.contains(cause)) {
        let fits = wanted.other.is_some_and(|other| world.fits(world.type_of(at), other));
        if !fits {
            links.rely(at.version, code, &wanted.causes, Rule::Type);
        }
    }
}

/// A place that both versions have.
fn both(world: &World<'_>, (at, wanted): (At, &Wanted), old: At, links: &mut Links) {
    let Some(old_wanted) = self::wanted(world, old) else { return };
    for (source, wanted) in [(at, wanted), (old, &old_wanted)] {
        if let Some(owner) = world.owner_of(source) {
            one(world, source, wanted, &Hunks::from([owner]), links);
        }
    }
    // What stays, but with something around it in the other version, goes with that.
    for (source, wanted, other) in [(at, wanted, old), (old, &old_wanted, at)] {
        let is_wrapped = world.twin(source).is_some_and(|twin| twin != other);
        if let (None, true, Some(owner)) =
            (world.owner_of(source), is_wrapped, world.owner_of(other))
        {
            one(world, source, wanted, &Hunks::from([owner]), links);
        }
    }
    let (new_type, old_type) = (world.type_of(at), world.type_of(old));
    let is_same =
        world.is_same_type(new_type, old_type) && world.is_same_type(wanted.ty, old_wanted.ty);
    if is_same {
        return;
    }
    let sources: Hunks = world.causes(at).into_iter().chain(world.causes(old)).collect();
    let targets: Hunks = wanted.causes.iter().chain(&old_wanted.causes).copied().collect();
    if !world.fits(new_type, old_wanted.ty) {
        links.need_all(&sources, &targets, Rule::Type);
    }
    if !world.fits(old_type, wanted.ty) {
        links.need_all(&targets, &sources, Rule::Type);
    }
}

pub(super) fn wanted(world: &World<'_>, at: At) -> Option<Wanted> {
    let holder = world.parent(at);
    let role = world.node(at).role;
    match (role, world.kind(holder)) {
        (Role::Value, "VARIABLE" | "ENHANCED_FOR_LOOP") => {
            let variable = match world.child(holder, Role::Target) {
                Some(variable) => variable,
                None => holder,
            };
            let mut wanted = of_symbol(world, holder, world.node(variable).symbol?);
            if variable != holder {
                // What is wanted is something that holds such values, of whatever type.
                wanted.ty.ty = TypeId::default();
                wanted.other = None;
            }
            Some(wanted)
        }
        (Role::Value, "RETURN") => of_result(world, at, holder),
        (Role::Body, "LAMBDA_EXPRESSION") if world.kind(at) != "BLOCK" => {
            Some(of_symbol(world, holder, world.functional_method(holder)?))
        }
        (Role::Value, "ASSIGNMENT") if world.kind(world.parent(holder)) == "ANNOTATION" => {
            Some(of_symbol(world, holder, world.element_given(holder)?))
        }
        (Role::Value, "ASSIGNMENT") => {
            let target = world.child(holder, Role::Target)?;
            let other = world.other_type(target);
            let causes = world.causes(target);
            Some(Wanted { holder, ty: world.type_of(target), causes, other })
        }
        (Role::Value, "ANNOTATION") => Some(of_symbol(world, holder, world.element_given(at)?)),
        (Role::Argument, _) => of_argument(world, at, holder),
        (_, "MEMBER_SELECT") => of_member(world, at, holder),
        (_, "ARRAY_ACCESS") if world.children(holder).first() == Some(&at) => {
            let causes = world.owner_of(holder).into_iter().collect();
            Some(Wanted { holder, ty: world.type_of(at), causes, other: None })
        }
        _ => None,
    }
}

/// What a method, or the one that a lambda implements, gives back.
fn of_result(world: &World<'_>, at: At, holder: At) -> Option<Wanted> {
    let result = |routine: At| match world.kind(routine) {
        "METHOD" => world.node(routine).symbol,
        _ => world.functional_method(routine),
    };
    let routine = world.routine_of(at)?;
    let mut wanted = of_symbol(world, holder, result(routine)?);
    // A `return` that moves to another routine has another result to give.
    let other = world.twin(holder).and_then(|twin| world.routine_of(twin));
    if let Some(other) = other.filter(|other| world.twin(*other) != Some(routine)) {
        wanted.causes.extend(world.mover(holder));
        wanted.other = result(other).map(|symbol| typed(world, other.version, symbol));
    }
    Some(wanted)
}

fn of_symbol(world: &World<'_>, holder: At, symbol: SymbolId) -> Wanted {
    let version = holder.version;
    let ty = Typed { version, ty: world.facts(version).symbol(symbol).ty };
    let other = world.twin_symbol(version, symbol).map(|twin| typed(world, version.other(), twin));
    Wanted { holder, ty, causes: world.retyping(version, symbol), other }
}

fn typed(world: &World<'_>, version: Version, symbol: SymbolId) -> Typed {
    Typed { version, ty: world.facts(version).symbol(symbol).ty }
}

fn of_argument(world: &World<'_>, at: At, holder: At) -> Option<Wanted> {
    let node = world.node(at);
    if node.target == TypeId::default() {
        return None;
    }
    let version = at.version;
    let callee = world.node(holder).symbol?;
    let parameters = &world.facts(version).symbol(callee).parameters;
    let arguments = world.children(holder).into_iter();
    let index = arguments
        .filter(|one| world.node(*one).role == Role::Argument)
        .position(|one| one == at)?;
    let parameter = *parameters.get(index).or(parameters.last())?;
    let twin = world.twin_symbol(version, parameter);
    let mut causes = match twin {
        Some(_) => world.retyping(version, parameter),
        None => world.parameter_hunks(version, callee),
    };
    causes.extend(world.owner_of(holder));
    causes.extend(world.child(holder, Role::Callee).and_then(|name| world.owner_of(name)));
    let other = twin
        .map(|twin| typed(world, version.other(), twin))
        .filter(|_| !world.facts(version).symbol(callee).flags.has(Flags::VARARGS));
    Some(Wanted { holder, ty: Typed { version, ty: node.target }, causes, other })
}

/// What a member is selected of must have that member.
fn of_member(world: &World<'_>, at: At, holder: At) -> Option<Wanted> {
    let facts = world.facts(at.version);
    let member = facts.symbol(world.node(holder).symbol?);
    let is_value = world.node(at).symbol.is_none_or(|symbol| {
        let kind = facts.symbol(symbol).kind;
        !kind.is_type() && kind != crate::facts::SymbolKind::Other
    });
    if !is_value || member.flags.has(Flags::STATIC) || member.kind.is_type() {
        return None;
    }
    let class = facts.symbol(member.owner?);
    let ty = TypeId { written: class.full_name, erased: class.full_name };
    let ty = Typed { version: at.version, ty };
    let causes = world.owner_of(holder).into_iter().collect();
    Some(Wanted { holder, ty, causes, other: None })
}
