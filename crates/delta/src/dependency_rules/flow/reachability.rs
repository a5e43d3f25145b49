//! No statement is beyond reach, and a method that has a result returns one.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::Links;
use crate::dependency_rules::context::node_ref::{At, Hunks, VERSIONS};
use crate::dependency_rules::context::rule_context::World;
use crate::hunk::Rule;
use mend_java::facts::Role;

pub(crate) fn couple(world: &World<'_>, links: &mut Links) {
    for at in world.changed_nodes(Version::New) {
        match world.kind(at) {
            "BLOCK" | "CASE" => block(world, at, links),
            "METHOD" | "LAMBDA_EXPRESSION" => result(world, at, links),
            _ => {}
        }
    }
    for version in VERSIONS {
        for at in world.changed_nodes(version) {
            match world.kind(at) {
                "METHOD" => own_result(world, at, links),
                "CASE" | "CATCH" => own_end(world, at, links),
                "SWITCH" => own_default(world, at, links),
                "WHILE_LOOP" | "DO_WHILE_LOOP" | "FOR_LOOP" => own_exits(world, at, links),
                _ => {}
            }
        }
    }
}

/// Deeper than this code is generated, and the walk is recursive.
const DEEPEST: usize = 200;

/// Returns the hunks that keep a statement from completing normally; `None` if it can complete.
pub(crate) fn stops(world: &World<'_>, at: At) -> Option<Hunks> {
    let depth = world.depth.get();
    if depth > DEEPEST {
        return None;
    }
    world.depth.set(depth + 1);
    let hunks = stops_by_kind(world, at);
    world.depth.set(depth);
    hunks
}

fn stops_by_kind(world: &World<'_>, at: At) -> Option<Hunks> {
    let own = || world.placer(at).into_iter().collect::<Hunks>();
    match world.kind(at) {
        "RETURN" | "THROW" | "BREAK" | "CONTINUE" | "YIELD" => Some(own()),
        "BLOCK" => {
            let last = statements(world, at).last().copied()?;
            stops(world, last)
        }
        "IF" => {
            let branch = |role| world.child(at, role).and_then(|branch| stops(world, branch));
            Some(joined(branch(Role::Then)?, branch(Role::Else)?))
        }
        "LABELED_STATEMENT" | "SYNCHRONIZED" => {
            world.child(at, Role::Body).and_then(|body| stops(world, body))
        }
        "WHILE_LOOP" | "DO_WHILE_LOOP" | "FOR_LOOP" => endless(world, at),
        "TRY" => attempt(world, at),
        "SWITCH" => branches(world, at),
        _ => None,
    }
}

fn joined(mut one: Hunks, two: Hunks) -> Hunks {
    one.extend(two);
    one
}

fn endless(world: &World<'_>, at: At) -> Option<Hunks> {
    if !runs_on(world, at) || breaks(world, at).next().is_some() {
        return None;
    }
    let condition = world.child(at, Role::Condition).map(|condition| world.owners_of(condition));
    Some(world.placer(at).into_iter().chain(condition.into_iter().flatten()).collect())
}

/// Returns true if a loop's condition is always true.
fn runs_on(world: &World<'_>, at: At) -> bool {
    match world.child(at, Role::Condition) {
        Some(condition) => {
            let bytes = world.node(condition).bytes.clone();
            let text = world.text_of(at.version, at.tree).and_then(|text| text.get(bytes));
            matches!(text, Some(b"true" | b"(true)"))
        }
        None => world.kind(at) == "FOR_LOOP",
    }
}

fn breaks<'a>(world: &'a World<'_>, at: At) -> impl Iterator<Item = At> + 'a {
    let inside = (at.node..world.node(at).end).map(move |node| at.with(node));
    inside.filter(|one| world.kind(*one) == "BREAK")
}

/// Adds dependencies of a loop of one version that only a `break` ends.
fn own_exits(world: &World<'_>, at: At, links: &mut Links) {
    if let Some(owner) = world.owner_of(at).filter(|_| runs_on(world, at)) {
        let exits: Hunks = breaks(world, at).filter_map(|one| world.placer(one)).collect();
        links.rely(at.version, &Hunks::from([owner]), &exits, Rule::Reach);
    }
}

/// Adds dependencies of a `switch` of one version on its default, without which it may do nothing, and on an exit if it
/// ends the routine.
fn own_default(world: &World<'_>, at: At, links: &mut Links) {
    let Some(owner) = world.owner_of(at) else { return };
    let cases = world.children(at).into_iter().filter(|case| is_default(world, *case));
    let mut parts: Hunks = cases.filter_map(|case| world.placer(case)).collect();
    if !parts.is_empty() {
        parts.extend(breaks(world, at).next().and_then(|one| world.placer(one)));
    }
    links.rely(at.version, &Hunks::from([owner]), &parts, Rule::Reach);
}

/// Adds dependencies of a branch of one version on the jump that ends it.
fn own_end(world: &World<'_>, at: At, links: &mut Links) {
    let Some(owner) = world.owner_of(at) else { return };
    let holder = if world.kind(at) == "CATCH" { world.child(at, Role::Body) } else { Some(at) };
    let last = holder.and_then(|holder| statements(world, holder).last().copied());
    if let Some(stop) = last.and_then(|last| stops(world, last)) {
        links.rely(at.version, &Hunks::from([owner]), &stop, Rule::Reach);
    }
}

fn attempt(world: &World<'_>, at: At) -> Option<Hunks> {
    if let Some(stop) = world.child(at, Role::Finally).and_then(|block| stops(world, block)) {
        return Some(stop);
    }
    let mut hunks = stops(world, world.child(at, Role::Body)?)?;
    for catch in world.children(at).into_iter().filter(|one| world.kind(*one) == "CATCH") {
        hunks.extend(stops(world, world.child(catch, Role::Body)?)?);
    }
    Some(hunks)
}

fn is_default(world: &World<'_>, at: At) -> bool {
    let bytes = world.node(at).bytes.clone();
    let text = world.text_of(at.version, at.tree).and_then(|text| text.get(bytes));
    world.kind(at) == "CASE" && text.is_some_and(|text| text.starts_with(b"default"))
}

/// Returns the hunks of a `switch` with a default whose last group cannot complete, and without a `break` out of it.
fn branches(world: &World<'_>, at: At) -> Option<Hunks> {
    let cases: Vec<At> =
        world.children(at).into_iter().filter(|one| world.kind(*one) == "CASE").collect();
    let breaks = breaks(world, at).next().is_some();
    let has_default = cases.iter().any(|case| is_default(world, *case));
    if breaks || !has_default {
        return None;
    }
    let mut hunks = Hunks::new();
    for case in &cases {
        match statements(world, *case).last() {
            Some(last) => match stops(world, *last) {
                Some(stop) => hunks.extend(stop),
                None if Some(case) == cases.last() => return None,
                None => {}
            },
            None if Some(case) == cases.last() => return None,
            None => {}
        }
    }
    Some(hunks)
}

pub(crate) fn statements(world: &World<'_>, at: At) -> Vec<At> {
    let is_statement = |one: &At| {
        let kind = world.kind(*one);
        matches!(
            kind,
            "EXPRESSION_STATEMENT"
                | "RETURN"
                | "THROW"
                | "BREAK"
                | "CONTINUE"
                | "YIELD"
                | "BLOCK"
                | "IF"
                | "LABELED_STATEMENT"
                | "SYNCHRONIZED"
                | "WHILE_LOOP"
                | "DO_WHILE_LOOP"
                | "FOR_LOOP"
                | "ENHANCED_FOR_LOOP"
                | "TRY"
                | "SWITCH"
                | "VARIABLE"
                | "CLASS"
                | "ASSERT"
        )
    };
    world.children(at).into_iter().filter(is_statement).collect()
}

/// Adds dependencies of statements after one that cannot complete normally.
fn block(world: &World<'_>, at: At, links: &mut Links) {
    let Some(old) = world.twin(at).filter(|twin| world.kind(*twin) == world.kind(at)) else {
        return;
    };
    let (news, olds) = (statements(world, at), statements(world, old));
    wrapped(world, &news, old, links);
    wrapped(world, &olds, at, links);
    let stop = |all: &[At]| all.last().and_then(|last| stops(world, *last)).unwrap_or_default();
    let (new_stop, old_stop) = (stop(&news), stop(&olds));
    // What moves stands where it stands in its own version, before or after what the other one has.
    let moves = |all: &[At]| all.last().is_some_and(|last| world.mover(*last).is_some());
    let (old_comes_first, new_comes_first) =
        (!world.new_comes_first(at) || moves(&olds), world.new_comes_first(at) || moves(&news));
    // What takes the old end away needs the new one.
    links.need_all(&old_stop, &new_stop, Rule::Reach);
    for from in behind(world, &olds, old_comes_first, &news) {
        links.need_any(from, &old_stop, Rule::Reach);
    }
    let end: Hunks = new_stop.into_iter().take(1).collect();
    links.need_all(&end, &behind(world, &news, new_comes_first, &olds), Rule::Reach);
}

/// Returns the hunks of the other version's statements after the end of this one's block. `comes_first` is true if code
/// of this version precedes code of the other.
fn behind(world: &World<'_>, own: &[At], comes_first: bool, others: &[At]) -> Hunks {
    let last = own.last().copied().filter(|last| world.mover(*last).is_none());
    let kept = last.and_then(|last| world.twin(last));
    if kept.is_none() && !comes_first {
        return Hunks::new();
    }
    let first = |one: At| world.placer(one).or_else(|| world.owners_of(one).into_iter().next());
    after(others, kept).iter().filter_map(|one| first(*one)).collect()
}

/// Adds dependencies of a jump that ends one version's block and is nested deeper in the other: code after it there
/// needs the enclosing code.
fn wrapped(world: &World<'_>, all: &[At], other: At, links: &mut Links) {
    let last = all.last().copied().filter(|last| world.owner_of(*last).is_none());
    let Some(last) = last.filter(|last| stops(world, *last).is_some()) else { return };
    let Some(twin) = world.twin(last) else { return };
    let around: Vec<At> = world.ancestors(twin).take_while(|one| *one != other).collect();
    let Some(top) = around.last().copied().filter(|top| world.parent(*top) == other) else {
        return;
    };
    let shells: Hunks = around.iter().filter_map(|one| world.owner_of(*one)).collect();
    let following = statements(world, other);
    let following = after(&following, Some(top)).iter().filter_map(|one| world.placer(*one));
    links.rely(other.version, &following.collect(), &shells, Rule::Reach);
}

/// Returns the statements after one of them; all from the last kept one on if there is none.
fn after(all: &[At], last: Option<At>) -> &[At] {
    let from = last.and_then(|last| all.iter().position(|one| *one == last)).map_or(0, |at| at + 1);
    &all[from..]
}

pub(crate) fn body_of(world: &World<'_>, routine: At) -> Option<At> {
    world.child(routine, Role::Body).filter(|body| world.kind(*body) == "BLOCK")
}

/// Adds dependencies of the removal of the last return: it needs another return, or a `void` method.
fn result(world: &World<'_>, at: At, links: &mut Links) {
    let Some(old) = world.twin(at) else { return };
    let end = |routine: At| body_of(world, routine).and_then(|body| stops(world, body));
    let retyping = || {
        let symbol = world.node(at).symbol;
        symbol.map(|symbol| world.retyping(at.version, symbol)).unwrap_or_default()
    };
    match (has_result(world, at), has_result(world, old)) {
        (false, false) => {}
        (true, false) => {
            links.need_all(&retyping(), &end(at).unwrap_or_default(), Rule::Reach);
        }
        (false, true) => {
            links.need_all(&end(old).unwrap_or_default(), &retyping(), Rule::Reach);
        }
        (true, true) => match (end(at), end(old)) {
            (Some(made), Some(gone)) => links.need_all(&gone, &made, Rule::Reach),
            // A body that only one version has comes with its own end.
            (Some(stop), None) | (None, Some(stop)) => {
                for routine in [at, old] {
                    let body = body_of(world, routine).and_then(|body| world.owner_of(body));
                    let body: Hunks = body.into_iter().collect();
                    links.rely(routine.version, &body, &stop, Rule::Reach);
                }
            }
            (None, None) => {}
        },
    }
}

fn has_result(world: &World<'_>, at: At) -> bool {
    world.kind(at) != "METHOD"
        || world.node(at).symbol.is_some_and(|symbol| {
            let facts = world.facts(at.version);
            let ty = facts.text(facts.symbol(symbol).ty.erased);
            !matches!(ty, "" | "void")
        })
}

/// Adds dependencies of a method of one version with a result on the statement that returns it.
fn own_result(world: &World<'_>, at: At, links: &mut Links) {
    let Some(owner) = world.owner_of(at).filter(|_| has_result(world, at)) else { return };
    if world.twin(at).is_some() {
        return;
    }
    if let Some(stop) = body_of(world, at).and_then(|body| stops(world, body)) {
        links.rely(at.version, &Hunks::from([owner]), &stop, Rule::Reach);
    }
}
