//! Interfaces, superclasses and classes that are made of parts of a class, or go into it.

use crate::refactorings::detectors::member_in_version::{MemberInVersion, are_same};
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{Member, MemberKind, TypeDeclaration, child};
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::type_hierarchy::{clause, simple, with_file};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use std::collections::{BTreeSet, HashMap};

/// Finds them.
pub(crate) fn find(scene: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut found = Vec::new();
    for view in scene.ways() {
        let below = if view.is_forward { subtypes(&view) } else { SubtypesByName::new() };
        for (at, file) in view.to.java_files() {
            for one in file.outline.types.iter().filter(|one| file.partner[one.name].is_none()) {
                if view.is_forward {
                    found.extend(supertype(&view, at, file, one, &below));
                }
                found.extend(component(&view, at, file, one));
            }
        }
    }
    found
}

/// The types of the second version that name a supertype, with their files.
type SubtypesByName<'s, 'a> =
    HashMap<&'a [u8], Vec<(usize, &'s FileVersion<'a>, &'s TypeDeclaration)>>;

fn subtypes<'s, 'a>(view: &DirectedChange<'s, 'a>) -> SubtypesByName<'s, 'a> {
    let mut below = SubtypesByName::new();
    for (at, file) in view.to.java_files() {
        for class in &file.outline.types {
            let names: BTreeSet<&[u8]> =
                class.supertypes.iter().map(|token| simple(file.text(*token))).collect();
            for name in names {
                below.entry(name).or_default().push((at, file, class));
            }
        }
    }
    below
}

fn spots(file: usize, tokens: impl IntoIterator<Item = usize>) -> impl Iterator<Item = TokenRef> {
    tokens.into_iter().map(move |token| TokenRef { file, token })
}

/// Detects a new supertype whose members all come from a class that now has it as its supertype.
fn supertype(
    view: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    one: &TypeDeclaration,
    below: &SubtypesByName<'_, '_>,
) -> Option<Refactoring> {
    let name = file.text(one.name);
    let (mut core, mut rest) = (TokenChange::default(), TokenChange::default());
    let mut classes = 0;
    for (home, side, class) in below.get(name).into_iter().flatten() {
        let old = view.to.partner(TokenRef { file: *home, token: class.name });
        let Some(old) = old else { continue };
        let members = from_class(view, at, file, one, old)?;
        core.add(view, members, spots(*home, clause(side, class.node, class.body, name)));
        rest.add(view, [], overrides(file, one, *home, side, class));
        classes += 1;
    }
    if classes == 0 {
        return None;
    }
    core.add(view, [], with_file(view.to, at, one.node)?.spots());
    let kind = if one.is_interface { "extract interface" } else { "extract superclass" };
    let what = format!("{} with {} members", String::from_utf8_lossy(name), one.members.len());
    Some(Refactoring::new(kind, what, core, rest))
}

/// Returns the members that move from the class to its new supertype; `None` if the supertype has a member of its own.
fn from_class(
    view: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    one: &TypeDeclaration,
    old_class: TokenRef,
) -> Option<Vec<TokenRef>> {
    let old = view.from.file(old_class.file)?;
    let class = old.type_around(old_class.token)?;
    let mut leaving = Vec::new();
    for member in one.members.iter().map(|at| &file.outline.members[*at]) {
        let known = class.members.iter().map(|at| &old.outline.members[*at]).find(|other| {
            other.kind == member.kind && signature(old, other) == signature(file, member)
        });
        let partner = view.to.partner(TokenRef { file: at, token: member.name });
        let is_moved = partner.zip(known).is_some_and(|(spot, known)| {
            spot == TokenRef { file: old_class.file, token: known.name }
        });
        if is_moved {
            let one = MemberInVersion { at: old_class.file, file: old, member: known? };
            let two = MemberInVersion { at, file, member };
            are_same(one, two, (&[], &[])).then_some(())?;
            leaving.extend(one.spots());
        } else if member.kind != MemberKind::Method || member.body.is_some() || known.is_none() {
            return None;
        }
    }
    let is_empty = one.members.is_empty();
    let has_moved = one.is_interface || !leaving.is_empty();
    (!is_empty && has_moved).then_some(leaving)
}

/// Returns a member's name, and its parameters and type as they are written.
fn signature<'a>(file: &FileVersion<'a>, member: &Member) -> Vec<&'a [u8]> {
    let mut words = vec![file.text(member.name)];
    for field in ["type", "parameters"] {
        if let Some(node) = child(file.source, member.node, field) {
            let tokens = file.tokens(node);
            words.extend(tokens.map(|token| file.text(token)).filter(|word| *word != b"final"));
        }
    }
    words
}

/// Collects new `@Override` annotations on members that the supertype declares.
fn overrides(
    file: &FileVersion<'_>,
    one: &TypeDeclaration,
    home: usize,
    side: &FileVersion<'_>,
    class: &TypeDeclaration,
) -> Vec<TokenRef> {
    let wanted: Vec<Vec<&[u8]>> =
        one.members.iter().map(|at| signature(file, &file.outline.members[*at])).collect();
    let mut found = Vec::new();
    for member in class.members.iter().map(|at| &side.outline.members[*at]) {
        if wanted.contains(&signature(side, member)) {
            let tokens = side.tokens(member.node).start..member.start;
            let is_mark = |token: &usize| {
                let at = if side.text(*token) == b"@" { token + 1 } else { *token };
                side.text(at) == b"Override" && side.owner[*token].is_some()
            };
            found.extend(spots(home, tokens.filter(is_mark)));
        }
    }
    found
}

/// Detects a new class whose members all come from one class with a new field of it, and the reverse.
fn component(
    view: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    one: &TypeDeclaration,
) -> Option<Refactoring> {
    let members: Vec<&Member> = one.members.iter().map(|at| &file.outline.members[*at]).collect();
    let first = view.to.partner(TokenRef { file: at, token: members.first()?.name })?;
    let old = view.from.file(first.file)?;
    let class = old.owner_type(view.from.member(first)?)?;
    let mut core = TokenChange::default();
    for member in &members {
        let spot = view.to.partner(TokenRef { file: at, token: member.name })?;
        let known = view.from.member(spot).filter(|known| known.owner.is_some())?;
        let is_there = spot.file == first.file && old.owner_type(known)?.name == class.name;
        let stand = MemberInVersion { at: spot.file, file: old, member: known };
        let is_same = is_there && are_same(stand, MemberInVersion { at, file, member }, (&[], &[]));
        is_same.then_some(())?;
        core.add(view, stand.spots(), []);
    }
    core.add(view, [], with_file(view.to, at, one.node)?.spots());
    let home = view.from.partner(TokenRef { file: first.file, token: class.name })?;
    let side = view.to.file(home.file)?;
    let user = side.type_around(home.token)?;
    let name = file.text(one.name);
    let field = user.members.iter().map(|at| &side.outline.members[*at]).find(|member| {
        let has_type = child(side.source, member.node, "type")
            .is_some_and(|node| side.texts(side.tokens(node)) == [name]);
        member.kind == MemberKind::Field && has_type && side.partner[member.name].is_none()
    })?;
    core.add(view, [], spots(home.file, side.tokens(field.node)));
    let mut rest = TokenChange::default();
    delegations(view, home.file, side, side.text(field.name), &mut rest);
    let (kind, verb) =
        if view.is_forward { ("extract class", "from") } else { ("inline class", "into") };
    let what = format!(
        "{} {verb} {}, {} members",
        String::from_utf8_lossy(name),
        String::from_utf8_lossy(old.text(class.name)),
        members.len()
    );
    Some(Refactoring::new(kind, what, core, rest))
}

/// Collects the field of the other class before names of moved members.
fn delegations(
    view: &DirectedChange<'_, '_>,
    at: usize,
    side: &FileVersion<'_>,
    field: &[u8],
    rest: &mut TokenChange,
) {
    for token in 0..side.partner.len().saturating_sub(2) {
        let is_delegation = side.text(token) == field && side.text(token + 1) == b".";
        if !is_delegation || side.owner[token].is_none() {
            continue;
        }
        let unit = TokenRange { file: at, tokens: token..token + 3 };
        let text = [side.text(token + 2)];
        if side.partner[token + 2].is_some() {
            rest.add(view, [], spots(at, token..token + 2));
        } else if let Some(old) = view.replaced(&unit, &text, &[]) {
            rest.add(view, old.spots(), unit.spots());
        }
    }
}
