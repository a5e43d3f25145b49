//! Detects added, removed and reordered parameters, with the arguments of the calls.

use crate::refactorings::detectors::extracted_values::format_place_count;
use crate::refactorings::detectors::renames;
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{
    Member, MemberKind, Parameter, child_in_field, named_children,
};
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, SourceVersion, TokenRef, VersionedSources,
};
use mend_java::{DefinitionKind, NodeId};
use std::collections::BTreeMap;

/// For each new parameter, its index in the old version.
type ParameterMapping = Vec<Option<usize>>;

/// Methods whose parameters change in the same way, by name, number of old parameters, and mapping.
type ParameterChanges<'a> =
    BTreeMap<(&'a [u8], bool, usize, ParameterMapping), Vec<(TokenRef, TokenRef)>>;

/// Detects all of these refactorings.
pub(crate) fn find(sources: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut refactorings = Vec::new();
    for change in sources.directions() {
        let changes = group_changes(&change);
        refactorings.extend(changes.into_iter().filter_map(
            |((name, is_method, before, mapping), pairs)| {
                detect_change(&change, name, is_method, before, &mapping, &pairs)
            },
        ));
    }
    refactorings
}

fn group_changes<'a>(change: &DirectedChange<'_, 'a>) -> ParameterChanges<'a> {
    let mut groups = ParameterChanges::new();
    for (at, file) in change.from.java_files() {
        for member in file.outline.members.iter().filter(|one| one.kind != MemberKind::Field) {
            let from = TokenRef { file: at, token: member.name };
            let Some(to) = change.from.partner(from) else { continue };
            let Some((other, new_file)) = change.to.member(to).zip(change.to.file(to.file)) else {
                continue;
            };
            if !is_same_method(change, member, (from, to)) {
                continue;
            }
            let Some(mapping) = map_parameters(change, at, file, member, new_file, other) else {
                continue;
            };
            let is_same = mapping.len() == member.parameters.len()
                && mapping.iter().enumerate().all(|(place, one)| *one == Some(place));
            if !is_same {
                let is_method = member.kind == MemberKind::Method;
                let key = (file.text(member.name), is_method, member.parameters.len(), mapping);
                groups.entry(key).or_default().push((from, to));
            }
        }
    }
    groups
}

/// Returns true unless a method with another name is too different to be the renamed one.
fn is_same_method(
    change: &DirectedChange<'_, '_>,
    member: &Member,
    (from, to): (TokenRef, TokenRef),
) -> bool {
    member.kind == MemberKind::Constructor
        || change.from.text(from) == change.to.text(to)
        || renames::are_similar_methods((change.from, change.to), (from, to))
}

/// Maps old parameters to new ones; `None` for a method with variable arity.
fn map_parameters(
    change: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    member: &Member,
    home: &FileVersion<'_>,
    other: &Member,
) -> Option<ParameterMapping> {
    let has_fixed_arity = |file: &FileVersion<'_>, member: &Member| {
        let list = child_in_field(file.source, member.node, "parameters");
        list.is_some_and(|list| named_children(file.source, list).len() == member.parameters.len())
    };
    (has_fixed_arity(file, member) && has_fixed_arity(home, other)).then_some(())?;
    let mut unmapped: Vec<usize> = (0..member.parameters.len()).collect();
    let mut mapping = ParameterMapping::new();
    for new in &other.parameters {
        let same = unmapped.iter().position(|place| {
            let old = &member.parameters[*place];
            let partner = change.from.partner(TokenRef { file: at, token: old.name });
            let is_partner = partner.is_some_and(|spot| {
                spot.token == new.name
                    && std::ptr::eq(home, change.to.file(spot.file).unwrap_or(file))
            });
            let is_equal = file.texts(file.tokens(old.node)) == home.texts(home.tokens(new.node));
            let is_renamed = is_partner && file.text(old.name) != home.text(new.name);
            is_equal || (is_renamed && type_text(file, old) == type_text(home, new))
        });
        mapping.push(same.map(|position| unmapped.remove(position)));
    }
    Some(mapping)
}

fn type_text<'a>(file: &FileVersion<'a>, parameter: &Parameter) -> Option<Vec<&'a [u8]>> {
    let node = child_in_field(file.source, parameter.node, "type")?;
    Some(file.texts(file.tokens(node)))
}

fn detect_change(
    change: &DirectedChange<'_, '_>,
    name: &[u8],
    is_method: bool,
    old_count: usize,
    mapping: &ParameterMapping,
    pairs: &[(TokenRef, TokenRef)],
) -> Option<Refactoring> {
    let kept: Vec<usize> = mapping.iter().flatten().copied().collect();
    let is_in_order = kept.windows(2).all(|pair| pair[0] < pair[1]);
    let is_added = kept.len() == old_count && is_in_order && mapping.len() > old_count;
    let is_reordered = kept.len() == old_count && mapping.len() == old_count && !is_in_order;
    if !(is_added || (is_reordered && change.is_forward)) {
        return None;
    }
    let after_name = change.to.text(pairs[0].1);
    if !is_unambiguous(change.from, name, is_method, old_count, pairs.iter().map(|pair| pair.0))
        || !is_unambiguous(
            change.to,
            after_name,
            is_method,
            mapping.len(),
            pairs.iter().map(|pair| pair.1),
        )
    {
        return None;
    }
    let has_conflict = pairs.iter().any(|(from, to)| {
        has_overload(change.from, *from, mapping.len()) || has_overload(change.to, *to, old_count)
    });
    if is_added && has_conflict {
        return None;
    }
    let mut core = TokenChange::default();
    for (from, to) in pairs {
        add_declaration(change, *from, *to, mapping, is_reordered, &mut core)?;
    }
    let (rest, calls) = collect_call_changes(change, name, old_count, mapping, is_reordered);
    let kind = match (is_reordered, change.is_forward) {
        (true, _) => "reorder parameters",
        (false, true) => "add parameter",
        (false, false) => "remove parameter",
    };
    let count = mapping.len() - kept.len();
    let description = format!(
        "{} of {}, {}",
        if is_reordered { "parameters".to_owned() } else { format_parameter_count(count) },
        String::from_utf8_lossy(name),
        format_place_count(pairs.len() + calls)
    );
    Some(Refactoring::new(kind, description, core, rest))
}

fn format_parameter_count(count: usize) -> String {
    if count == 1 { "parameter".to_owned() } else { format!("{count} parameters") }
}

/// Returns true if no other method, or constructor, has the same name and number of parameters.
fn is_unambiguous(
    side: &SourceVersion<'_>,
    name: &[u8],
    is_method: bool,
    parameters: usize,
    pairs: impl Iterator<Item = TokenRef>,
) -> bool {
    let expected: Vec<TokenRef> = pairs.collect();
    let is_other = |spot: &TokenRef| !expected.contains(spot);
    if is_method {
        let all = side.declarations.get(name).into_iter().flatten();
        return !all.filter(|spot| is_other(spot)).any(|spot| {
            let kind = side.definition(*spot).map(|one| one.kind);
            matches!(kind, Some(DefinitionKind::Method(count)) if count.is_none_or(|count| count == parameters))
        });
    }
    expected.iter().all(|spot| {
        let file = side.file(spot.file);
        file.is_some_and(|file| {
            !file.outline.members.iter().any(|member| {
                member.kind == MemberKind::Constructor
                    && file.text(member.name) == name
                    && member.parameters.len() == parameters
                    && is_other(&TokenRef { file: spot.file, token: member.name })
            })
        })
    })
}

/// Returns true if another method of the type has this name and number of parameters: a call that seems to follow the
/// change may refer to that one.
fn has_overload(side: &SourceVersion<'_>, token_ref: TokenRef, parameters: usize) -> bool {
    let (Some(file), Some(member)) = (side.file(token_ref.file), side.member(token_ref)) else {
        return true;
    };
    file.outline.members.iter().any(|other| {
        other.kind == member.kind
            && other.owner == member.owner
            && other.node != member.node
            && other.parameters.len() == parameters
            && file.text(other.name) == file.text(member.name)
    })
}

fn add_declaration(
    change: &DirectedChange<'_, '_>,
    from: TokenRef,
    to: TokenRef,
    mapping: &ParameterMapping,
    is_reordered: bool,
    core: &mut TokenChange,
) -> Option<()> {
    let (old, new) = (change.from.file(from.file)?, change.to.file(to.file)?);
    let (before, after) = (change.from.member(from)?, change.to.member(to)?);
    let region = |file: usize, side: &FileVersion<'_>, node: NodeId| TokenRange {
        file,
        tokens: side.tokens(node),
    };
    for (parameter, origin) in after.parameters.iter().zip(mapping) {
        if origin.is_none() || is_reordered {
            core.add(change, [], region(to.file, new, parameter.node).token_refs());
        }
    }
    if is_reordered {
        for parameter in &before.parameters {
            core.add(change, region(from.file, old, parameter.node).token_refs(), []);
        }
    }
    Some(())
}

/// Collects the changed arguments, and counts the calls.
fn collect_call_changes(
    change: &DirectedChange<'_, '_>,
    name: &[u8],
    old_count: usize,
    mapping: &ParameterMapping,
    is_reordered: bool,
) -> (TokenChange, usize) {
    let (mut changed_tokens, mut count) = (TokenChange::default(), 0);
    for from in change.from.uses.get(name).into_iter().flatten() {
        let matched_call = || {
            let to = change.from.partner(*from)?;
            let (old, new) = (change.from.file(from.file)?, change.to.file(to.file)?);
            let (old_arguments, new_arguments) =
                (call_arguments(old, from.token)?, call_arguments(new, to.token)?);
            let has_matching_counts =
                old_arguments.len() == old_count && new_arguments.len() == mapping.len();
            let follows_mapping = mapping.iter().zip(&new_arguments).all(|(origin, node)| {
                let Some(origin) = origin else { return is_pure(new, *node) };
                let same = old_arguments.get(*origin);
                same.is_some_and(|same| {
                    old.texts(old.tokens(*same)) == new.texts(new.tokens(*node))
                })
            });
            (has_matching_counts && follows_mapping).then_some((to, old_arguments, new_arguments))
        };
        let Some((to, old_arguments, new_arguments)) = matched_call() else { continue };
        count += 1;
        let (Some(old), Some(new)) = (change.from.file(from.file), change.to.file(to.file)) else {
            continue;
        };
        for (origin, node) in mapping.iter().zip(new_arguments) {
            if origin.is_none() || is_reordered {
                let region = TokenRange { file: to.file, tokens: new.tokens(node) };
                changed_tokens.add(change, [], region.token_refs());
            }
        }
        for node in old_arguments.into_iter().filter(|_| is_reordered) {
            let region = TokenRange { file: from.file, tokens: old.tokens(node) };
            changed_tokens.add(change, region.token_refs(), []);
        }
    }
    (changed_tokens, count)
}

/// Returns the arguments of the call or creation whose name is at a token.
fn call_arguments(file: &FileVersion<'_>, token: usize) -> Option<Vec<NodeId>> {
    let leaf = file.innermost_node(token);
    let call =
        file.source.ancestors(leaf).take(3).find(|id| {
            matches!(file.kind(*id), "method_invocation" | "object_creation_expression")
        })?;
    let list = child_in_field(file.source, call, "arguments")?;
    (token < file.tokens(list).start).then(|| named_children(file.source, list))
}

/// Returns true if an expression has no side effects.
fn is_pure(file: &FileVersion<'_>, node: NodeId) -> bool {
    !(node..file.source.node(node).subtree_end).any(|id| {
        matches!(
            file.kind(id),
            "method_invocation"
                | "object_creation_expression"
                | "assignment_expression"
                | "update_expression"
        )
    })
}
