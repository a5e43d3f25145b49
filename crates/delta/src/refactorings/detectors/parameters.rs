//! Added, removed and reordered parameters, with the arguments of the calls.

use crate::refactorings::detectors::extracted_values::places;
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{Member, MemberKind, Parameter, child, named};
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, SourceVersion, TokenRef, VersionedSources,
};
use mend_java::{DefinitionKind, NodeId};
use std::collections::BTreeMap;

/// For each parameter of the second version its place in the first one.
type ParameterMapping = Vec<Option<usize>>;

/// Methods whose parameters change in the same way, by name, number of parameters before, and how.
type ParameterChanges<'a> =
    BTreeMap<(&'a [u8], bool, usize, ParameterMapping), Vec<(TokenRef, TokenRef)>>;

/// Finds them.
pub(crate) fn find(scene: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut found = Vec::new();
    for view in scene.ways() {
        let groups = groups(&view);
        found.extend(groups.into_iter().filter_map(
            |((name, is_method, before, mapping), pairs)| {
                changed(&view, name, is_method, before, &mapping, &pairs)
            },
        ));
    }
    found
}

fn groups<'a>(view: &DirectedChange<'_, 'a>) -> ParameterChanges<'a> {
    let mut groups = ParameterChanges::new();
    for (at, file) in view.from.java_files() {
        for member in file.outline.members.iter().filter(|one| one.kind != MemberKind::Field) {
            let from = TokenRef { file: at, token: member.name };
            let Some(to) = view.from.partner(from) else { continue };
            let Some((other, home)) = view.to.member(to).zip(view.to.file(to.file)) else {
                continue;
            };
            let Some(mapping) = mapping(view, at, file, member, home, other) else { continue };
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

/// Maps old parameters to new ones; `None` for a method with variable arity.
fn mapping(
    view: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    member: &Member,
    home: &FileVersion<'_>,
    other: &Member,
) -> Option<ParameterMapping> {
    let is_fixed = |file: &FileVersion<'_>, member: &Member| {
        let list = child(file.source, member.node, "parameters");
        list.is_some_and(|list| named(file.source, list).len() == member.parameters.len())
    };
    (is_fixed(file, member) && is_fixed(home, other)).then_some(())?;
    let mut free: Vec<usize> = (0..member.parameters.len()).collect();
    let mut mapping = ParameterMapping::new();
    for new in &other.parameters {
        let same = free.iter().position(|place| {
            let old = &member.parameters[*place];
            let partner = view.from.partner(TokenRef { file: at, token: old.name });
            let is_partner = partner.is_some_and(|spot| {
                spot.token == new.name
                    && std::ptr::eq(home, view.to.file(spot.file).unwrap_or(file))
            });
            let is_equal = file.texts(file.tokens(old.node)) == home.texts(home.tokens(new.node));
            let is_renamed = is_partner && file.text(old.name) != home.text(new.name);
            is_equal || (is_renamed && type_text(file, old) == type_text(home, new))
        });
        mapping.push(same.map(|position| free.remove(position)));
    }
    Some(mapping)
}

fn type_text<'a>(file: &FileVersion<'a>, parameter: &Parameter) -> Option<Vec<&'a [u8]>> {
    let node = child(file.source, parameter.node, "type")?;
    Some(file.texts(file.tokens(node)))
}

fn changed(
    view: &DirectedChange<'_, '_>,
    name: &[u8],
    is_method: bool,
    before: usize,
    mapping: &ParameterMapping,
    pairs: &[(TokenRef, TokenRef)],
) -> Option<Refactoring> {
    let kept: Vec<usize> = mapping.iter().flatten().copied().collect();
    let is_in_order = kept.windows(2).all(|pair| pair[0] < pair[1]);
    let is_added = kept.len() == before && is_in_order && mapping.len() > before;
    let is_reordered = kept.len() == before && mapping.len() == before && !is_in_order;
    if !(is_added || (is_reordered && view.is_forward)) {
        return None;
    }
    let after_name = view.to.text(pairs[0].1);
    if !is_only(view.from, name, is_method, before, pairs.iter().map(|pair| pair.0))
        || !is_only(view.to, after_name, is_method, mapping.len(), pairs.iter().map(|pair| pair.1))
    {
        return None;
    }
    let is_taken = pairs.iter().any(|(from, to)| {
        has_other(view.from, *from, mapping.len()) || has_other(view.to, *to, before)
    });
    if is_added && is_taken {
        return None;
    }
    let mut core = TokenChange::default();
    for (from, to) in pairs {
        add_declaration(view, *from, *to, mapping, is_reordered, &mut core)?;
    }
    let (rest, calls) = calls(view, name, before, mapping, is_reordered);
    let kind = match (is_reordered, view.is_forward) {
        (true, _) => "reorder parameters",
        (false, true) => "add parameter",
        (false, false) => "remove parameter",
    };
    let count = mapping.len() - kept.len();
    let what = format!(
        "{} of {}, {}",
        if is_reordered { "parameters".to_owned() } else { counted(count) },
        String::from_utf8_lossy(name),
        places(pairs.len() + calls)
    );
    Some(Refactoring::new(kind, what, core, rest))
}

fn counted(count: usize) -> String {
    if count == 1 { "parameter".to_owned() } else { format!("{count} parameters") }
}

/// Returns true if no other method, or constructor, has the same name and number of parameters.
fn is_only(
    side: &SourceVersion<'_>,
    name: &[u8],
    is_method: bool,
    parameters: usize,
    pairs: impl Iterator<Item = TokenRef>,
) -> bool {
    let known: Vec<TokenRef> = pairs.collect();
    let is_other = |spot: &TokenRef| !known.contains(spot);
    if is_method {
        let all = side.globals.get(name).into_iter().flatten();
        return !all.filter(|spot| is_other(spot)).any(|spot| {
            let kind = side.definition(*spot).map(|one| one.kind);
            matches!(kind, Some(DefinitionKind::Method(count)) if count.is_none_or(|count| count == parameters))
        });
    }
    known.iter().all(|spot| {
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

/// Returns true if another method of the type has this name and number of parameters: calls that seem to follow the
/// change may mean that one.
fn has_other(side: &SourceVersion<'_>, spot: TokenRef, parameters: usize) -> bool {
    let (Some(file), Some(member)) = (side.file(spot.file), side.member(spot)) else { return true };
    file.outline.members.iter().any(|other| {
        other.kind == member.kind
            && other.owner == member.owner
            && other.node != member.node
            && other.parameters.len() == parameters
            && file.text(other.name) == file.text(member.name)
    })
}

fn add_declaration(
    view: &DirectedChange<'_, '_>,
    from: TokenRef,
    to: TokenRef,
    mapping: &ParameterMapping,
    is_reordered: bool,
    core: &mut TokenChange,
) -> Option<()> {
    let (old, new) = (view.from.file(from.file)?, view.to.file(to.file)?);
    let (before, after) = (view.from.member(from)?, view.to.member(to)?);
    let region = |file: usize, side: &FileVersion<'_>, node: NodeId| TokenRange {
        file,
        tokens: side.tokens(node),
    };
    for (parameter, origin) in after.parameters.iter().zip(mapping) {
        if origin.is_none() || is_reordered {
            core.add(view, [], region(to.file, new, parameter.node).spots());
        }
    }
    if is_reordered {
        for parameter in &before.parameters {
            core.add(view, region(from.file, old, parameter.node).spots(), []);
        }
    }
    Some(())
}

/// Collects the changed arguments, and counts the calls.
fn calls(
    view: &DirectedChange<'_, '_>,
    name: &[u8],
    before: usize,
    mapping: &ParameterMapping,
    is_reordered: bool,
) -> (TokenChange, usize) {
    let (mut part, mut count) = (TokenChange::default(), 0);
    for from in view.from.uses.get(name).into_iter().flatten() {
        let one = || {
            let to = view.from.partner(*from)?;
            let (old, new) = (view.from.file(from.file)?, view.to.file(to.file)?);
            let (olds, news) = (arguments(old, from.token)?, arguments(new, to.token)?);
            let is_fitting = olds.len() == before && news.len() == mapping.len();
            let follows = mapping.iter().zip(&news).all(|(origin, node)| {
                let Some(origin) = origin else { return is_plain(new, *node) };
                let same = olds.get(*origin);
                same.is_some_and(|same| {
                    old.texts(old.tokens(*same)) == new.texts(new.tokens(*node))
                })
            });
            (is_fitting && follows).then_some((to, olds, news))
        };
        let Some((to, olds, news)) = one() else { continue };
        count += 1;
        let (Some(old), Some(new)) = (view.from.file(from.file), view.to.file(to.file)) else {
            continue;
        };
        for (origin, node) in mapping.iter().zip(news) {
            if origin.is_none() || is_reordered {
                let region = TokenRange { file: to.file, tokens: new.tokens(node) };
                part.add(view, [], region.spots());
            }
        }
        for node in olds.into_iter().filter(|_| is_reordered) {
            let region = TokenRange { file: from.file, tokens: old.tokens(node) };
            part.add(view, region.spots(), []);
        }
    }
    (part, count)
}

/// Returns the arguments of the call, or of the creation, whose name is at a token.
fn arguments(file: &FileVersion<'_>, token: usize) -> Option<Vec<NodeId>> {
    let leaf = file.leaf(token);
    let call =
        file.source.ancestors(leaf).take(3).find(|id| {
            matches!(file.kind(*id), "method_invocation" | "object_creation_expression")
        })?;
    let list = child(file.source, call, "arguments")?;
    (token < file.tokens(list).start).then(|| named(file.source, list))
}

/// Returns true if an expression has no side effects.
fn is_plain(file: &FileVersion<'_>, node: NodeId) -> bool {
    !(node..file.source.node(node).end).any(|id| {
        matches!(
            file.kind(id),
            "method_invocation"
                | "object_creation_expression"
                | "assignment_expression"
                | "update_expression"
        )
    })
}
