//! Detects several parameters that are replaced by one object.

use crate::refactorings::detectors::extracted_values::format_place_count;
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{
    Member, MemberKind, Parameter, child_in_field, named_children,
};
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};

/// Detects all of these refactorings.
pub(crate) fn find(sources: &VersionedSources<'_>) -> Vec<Refactoring> {
    let [change, _] = sources.directions();
    let mut refactorings = Vec::new();
    for (at, file) in change.from.java_files() {
        for member in file.outline.members.iter().filter(|one| one.kind != MemberKind::Field) {
            refactorings.extend(detect_parameter_object(&change, at, file, member));
        }
    }
    refactorings
}

fn detect_parameter_object(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    old: &FileVersion<'_>,
    member: &Member,
) -> Option<Refactoring> {
    let name = change.from.partner(TokenRef { file: file_index, token: member.name })?;
    let (new, other) = (change.to.file(name.file)?, change.to.member(name)?);
    let text = |file: &FileVersion<'_>, one: &Parameter| file.texts(file.tokens(one.node)).concat();
    let old_texts: Vec<Vec<u8>> = member.parameters.iter().map(|one| text(old, one)).collect();
    let new_texts: Vec<Vec<u8>> = other.parameters.iter().map(|one| text(new, one)).collect();
    let mut added =
        other.parameters.iter().zip(&new_texts).filter(|(_, text)| !old_texts.contains(text));
    let (object, _) = added.next().filter(|_| added.next().is_none())?;
    let replaced: Vec<&Parameter> = member
        .parameters
        .iter()
        .zip(&old_texts)
        .filter(|(_, text)| !new_texts.contains(text))
        .map(|(one, _)| one)
        .collect();
    if replaced.len() < 2 {
        return None;
    }
    let mut core = TokenChange::default();
    core.add(
        change,
        [],
        TokenRange { file: name.file, tokens: new.tokens(object.node) }.token_refs(),
    );
    for one in &replaced {
        core.add(
            change,
            TokenRange { file: file_index, tokens: old.tokens(one.node) }.token_refs(),
            [],
        );
    }
    let read_count =
        count_reads(change, (file_index, old), (name.file, new), object, &replaced, &mut core)?;
    let rest = collect_call_changes(change, old.text(member.name), new, object, replaced.len());
    let description = format!(
        "{} parameters of {} replaced with {}, {}",
        replaced.len(),
        String::from_utf8_lossy(old.text(member.name)),
        String::from_utf8_lossy(new.text(object.name)),
        format_place_count(read_count)
    );
    Some(Refactoring::new("introduce parameter object", description, core, rest))
}

/// Counts the uses of parameters that now read the object.
fn count_reads(
    change: &DirectedChange<'_, '_>,
    (at, old): (usize, &FileVersion<'_>),
    (home, new): (usize, &FileVersion<'_>),
    object: &Parameter,
    replaced: &[&Parameter],
    core: &mut TokenChange,
) -> Option<usize> {
    let uses = new.resolution.uses_of(new.resolution.definition_at(object.name)?);
    let mut matched: Vec<TokenRange> = Vec::new();
    for token in uses {
        (new.text(token + 1) == b".").then_some(())?;
        let is_call = new.text(token + 3) == b"(" && new.text(token + 4) == b")";
        let unit = TokenRange { file: home, tokens: *token..token + if is_call { 5 } else { 3 } };
        let member_name = new.text(token + 2);
        let one = replaced.iter().find(|one| is_accessor_of(member_name, old.text(one.name)))?;
        let from = change.find_replaced(&unit, &[old.text(one.name)], &matched)?;
        core.add(change, from.token_refs(), unit.token_refs());
        matched.push(from);
    }
    let all = replaced.iter().map(|one| {
        let declared = old.resolution.definition_at(one.name);
        declared.map_or(0, |declared| old.resolution.uses_of(declared).len())
    });
    let are_all_read =
        all.sum::<usize>() == matched.len() && matched.iter().all(|one| one.file == at);
    (are_all_read && !matched.is_empty()).then_some(matched.len())
}

/// Returns true if a field or a getter has the name of a parameter.
fn is_accessor_of(member_name: &[u8], name: &[u8]) -> bool {
    let property_name =
        [&b"get"[..], b"is"].iter().find_map(|prefix| member_name.strip_prefix(*prefix));
    member_name == name
        || property_name.is_some_and(|property_name| property_name.eq_ignore_ascii_case(name))
}

/// Collects the calls that create the object from the previous arguments.
fn collect_call_changes(
    change: &DirectedChange<'_, '_>,
    name: &[u8],
    new: &FileVersion<'_>,
    object: &Parameter,
    replaced_count: usize,
) -> TokenChange {
    let class = child_in_field(new.source, object.node, "type")
        .map(|node| new.text(new.tokens(node).start));
    let mut rest = TokenChange::default();
    for from in change.from.uses.get(name).into_iter().flatten() {
        let find_creation = || {
            let to = change.from.partner(*from)?;
            let file = change.to.file(to.file)?;
            let list = child_in_field(file.source, file.parent(to.token), "arguments")?;
            let creation = named_children(file.source, list).into_iter().find(|node| {
                file.kind(*node) == "object_creation_expression"
                    && child_in_field(file.source, *node, "type")
                        .is_some_and(|node| Some(file.text(file.tokens(node).start)) == class)
            })?;
            let inner = child_in_field(file.source, creation, "arguments")?;
            let has_all_arguments = named_children(file.source, inner).len() == replaced_count;
            let values = file.tokens(inner).start + 1..file.tokens(inner).end - 1;
            let text = file.texts(values);
            let unit = TokenRange { file: to.file, tokens: file.tokens(creation) };
            let old = change.from.file(from.file)?;
            let argument_list = child_in_field(old.source, old.parent(from.token), "arguments")?;
            let tokens = old.tokens(argument_list);
            let start = (tokens.start..tokens.end).find(|start| {
                let end = start + text.len();
                end <= tokens.end && old.texts(*start..end) == text
            })?;
            let region = TokenRange { file: from.file, tokens: start..start + text.len() };
            has_all_arguments.then_some((region, unit))
        };
        if let Some((old, unit)) = find_creation() {
            rest.add(change, old.token_refs(), unit.token_refs());
        }
    }
    rest
}
