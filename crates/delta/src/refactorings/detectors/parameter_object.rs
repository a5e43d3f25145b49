//! Several parameters that become one.

use crate::refactorings::detectors::extracted_values::places;
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{Member, MemberKind, Parameter, child, named};
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};

/// Finds them.
pub(crate) fn find(scene: &VersionedSources<'_>) -> Vec<Refactoring> {
    let [view, _] = scene.ways();
    let mut found = Vec::new();
    for (at, file) in view.from.java_files() {
        for member in file.outline.members.iter().filter(|one| one.kind != MemberKind::Field) {
            found.extend(introduced(&view, at, file, member));
        }
    }
    found
}

fn introduced(
    view: &DirectedChange<'_, '_>,
    at: usize,
    old: &FileVersion<'_>,
    member: &Member,
) -> Option<Refactoring> {
    let name = view.from.partner(TokenRef { file: at, token: member.name })?;
    let (new, other) = (view.to.file(name.file)?, view.to.member(name)?);
    let text = |file: &FileVersion<'_>, one: &Parameter| file.texts(file.tokens(one.node)).concat();
    let olds: Vec<Vec<u8>> = member.parameters.iter().map(|one| text(old, one)).collect();
    let news: Vec<Vec<u8>> = other.parameters.iter().map(|one| text(new, one)).collect();
    let mut added = other.parameters.iter().zip(&news).filter(|(_, text)| !olds.contains(text));
    let (object, _) = added.next().filter(|_| added.next().is_none())?;
    let gone: Vec<&Parameter> = member
        .parameters
        .iter()
        .zip(&olds)
        .filter(|(_, text)| !news.contains(text))
        .map(|(one, _)| one)
        .collect();
    if gone.len() < 2 {
        return None;
    }
    let mut core = TokenChange::default();
    core.add(view, [], TokenRange { file: name.file, tokens: new.tokens(object.node) }.spots());
    for one in &gone {
        core.add(view, TokenRange { file: at, tokens: old.tokens(one.node) }.spots(), []);
    }
    let read = reads(view, (at, old), (name.file, new), object, &gone, &mut core)?;
    let rest = calls(view, old.text(member.name), new, object, gone.len());
    let what = format!(
        "{} parameters of {} replaced with {}, {}",
        gone.len(),
        String::from_utf8_lossy(old.text(member.name)),
        String::from_utf8_lossy(new.text(object.name)),
        places(read)
    );
    Some(Refactoring::new("introduce parameter object", what, core, rest))
}

/// Counts the places that read a parameter before, and the object now.
fn reads(
    view: &DirectedChange<'_, '_>,
    (at, old): (usize, &FileVersion<'_>),
    (home, new): (usize, &FileVersion<'_>),
    object: &Parameter,
    gone: &[&Parameter],
    core: &mut TokenChange,
) -> Option<usize> {
    let uses = new.resolved.uses(new.resolved.declared(object.name)?);
    let mut taken: Vec<TokenRange> = Vec::new();
    for token in uses {
        (new.text(token + 1) == b".").then_some(())?;
        let is_call = new.text(token + 3) == b"(" && new.text(token + 4) == b")";
        let unit = TokenRange { file: home, tokens: *token..token + if is_call { 5 } else { 3 } };
        let part = new.text(token + 2);
        let one = gone.iter().find(|one| stands_for(part, old.text(one.name)))?;
        let from = view.replaced(&unit, &[old.text(one.name)], &taken)?;
        core.add(view, from.spots(), unit.spots());
        taken.push(from);
    }
    let all = gone.iter().map(|one| {
        let declared = old.resolved.declared(one.name);
        declared.map_or(0, |declared| old.resolved.uses(declared).len())
    });
    let is_all = all.sum::<usize>() == taken.len() && taken.iter().all(|one| one.file == at);
    (is_all && !taken.is_empty()).then_some(taken.len())
}

/// Returns true if a field or a getter has the name of a parameter.
fn stands_for(part: &[u8], name: &[u8]) -> bool {
    let bare = [&b"get"[..], b"is"].iter().find_map(|prefix| part.strip_prefix(*prefix));
    part == name || bare.is_some_and(|bare| bare.eq_ignore_ascii_case(name))
}

/// Collects the calls that create the object from the previous arguments.
fn calls(
    view: &DirectedChange<'_, '_>,
    name: &[u8],
    new: &FileVersion<'_>,
    object: &Parameter,
    gone: usize,
) -> TokenChange {
    let class = child(new.source, object.node, "type").map(|node| new.text(new.tokens(node).start));
    let mut rest = TokenChange::default();
    for from in view.from.uses.get(name).into_iter().flatten() {
        let made = || {
            let to = view.from.partner(*from)?;
            let file = view.to.file(to.file)?;
            let list = child(file.source, file.parent(to.token), "arguments")?;
            let made = named(file.source, list).into_iter().find(|node| {
                file.kind(*node) == "object_creation_expression"
                    && child(file.source, *node, "type")
                        .is_some_and(|node| Some(file.text(file.tokens(node).start)) == class)
            })?;
            let inner = child(file.source, made, "arguments")?;
            let is_all = named(file.source, inner).len() == gone;
            let values = file.tokens(inner).start + 1..file.tokens(inner).end - 1;
            let text = file.texts(values);
            let unit = TokenRange { file: to.file, tokens: file.tokens(made) };
            let old = view.from.file(from.file)?;
            let passed = child(old.source, old.parent(from.token), "arguments")?;
            let tokens = old.tokens(passed);
            let start = (tokens.start..tokens.end).find(|start| {
                let end = start + text.len();
                end <= tokens.end && old.texts(*start..end) == text
            })?;
            let region = TokenRange { file: from.file, tokens: start..start + text.len() };
            is_all.then_some((region, unit))
        };
        if let Some((old, unit)) = made() {
            rest.add(view, old.spots(), unit.spots());
        }
    }
    rest
}
