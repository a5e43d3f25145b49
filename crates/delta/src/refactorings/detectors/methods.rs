//! Detects extracted and inlined methods, and their special cases: encapsulated fields, factory methods and decomposed
//! conditionals.

use crate::refactorings::detectors::call_expansion::{CallRef, Callee};
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{Member, MemberKind, modifier_tokens};
use crate::refactorings::sources::token_range::{TokenRange, nodes_spanning};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use mend_java::{DefinitionKind, ReferenceKind};

/// Maximum number of calls of a method.
const MAX_CALLS: usize = 200;

/// A call, and the old code that it replaces.
struct ReplacedCall {
    call: TokenRange,
    old: TokenRange,
}

/// Finds methods that were extracted or inlined.
pub(crate) fn find(sources: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut refactorings = Vec::new();
    for change in sources.directions() {
        for (at, file) in change.to.java_files() {
            for member in &file.outline.members {
                refactorings.extend(detect_method(&change, at, file, member));
            }
        }
    }
    refactorings
}

fn detect_method(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    file: &FileVersion<'_>,
    member: &Member,
) -> Option<Refactoring> {
    let name = TokenRef { file: file_index, token: member.name };
    if member.kind != MemberKind::Method || file.partner[member.name].is_some() {
        return None;
    }
    file.owner_type(member)?;
    let callee = Callee::from_member(file, member)?;
    if !is_unambiguous(change, name) {
        return None;
    }
    let uses = change.to.uses.get(file.text(member.name))?;
    let mut sites: Vec<ReplacedCall> = Vec::new();
    let mut matched: Vec<TokenRange> = Vec::new();
    for token_ref in uses
        .iter()
        .filter(|token_ref| !is_in_member(file, member, file_index, **token_ref))
        .take(MAX_CALLS)
    {
        if let Some(site) = find_replaced_call(change, &callee, *token_ref, &matched) {
            matched.push(site.old.clone());
            sites.push(site);
        }
    }
    let first = sites.first()?;
    let mut core = TokenChange::default();
    let declaration = TokenRange { file: file_index, tokens: file.tokens(member.node) };
    core.add(
        change,
        first.old.token_refs(),
        declaration.token_refs().chain(first.call.token_refs()),
    );
    let mut rest = TokenChange::default();
    for site in &sites[1..] {
        rest.add(change, site.old.token_refs(), site.call.token_refs());
    }
    let text = String::from_utf8_lossy(file.text(member.name)).into_owned();
    let (note, what) = describe(change, &callee, file_index, &sites, &text);
    Some(Refactoring::new(note, what, core, rest))
}

fn is_in_member(
    file: &FileVersion<'_>,
    member: &Member,
    file_index: usize,
    token_ref: TokenRef,
) -> bool {
    token_ref.file == file_index && file.tokens(member.node).contains(&token_ref.token)
}

/// Returns true if a call can only refer to this method: no other method has its name, in either version. For a private
/// method only its own file counts.
fn is_unambiguous(change: &DirectedChange<'_, '_>, name: TokenRef) -> bool {
    let method_name = change.to.text(name);
    let is_private =
        change.to.file(name.file).zip(change.to.member(name)).is_some_and(|(file, one)| {
            file.contains_token(modifier_tokens(file.source, one.node), &["private"])
        });
    let count_methods = |side: &crate::refactorings::sources::versioned_sources::SourceVersion<
        '_,
    >| {
        let all = side.declarations.get(method_name).into_iter().flatten();
        all.filter(|spot| {
            side.definition(**spot).is_some_and(|one| matches!(one.kind, DefinitionKind::Method(_)))
        })
        .filter(|spot| !is_private || spot.file == name.file)
        .count()
    };
    count_methods(change.to) == 1 && count_methods(change.from) == 0
}

fn find_replaced_call(
    change: &DirectedChange<'_, '_>,
    callee: &Callee<'_, '_>,
    token_ref: TokenRef,
    matched: &[TokenRange],
) -> Option<ReplacedCall> {
    let file = change.to.file(token_ref.file)?;
    let use_index =
        file.symbol_index.references.partition_point(|reference| reference.token < token_ref.token);
    let reference = file.symbol_index.references.get(use_index)?;
    let ReferenceKind::Method { arguments: Some(_), qualified } = reference.kind else {
        return None;
    };
    let is_same_file = std::ptr::eq(file, callee.file);
    if !qualified && !is_same_file {
        return None;
    }
    let node = file.parent(token_ref.token);
    let expansions = callee.expand_call(change, CallRef { file: token_ref.file, node })?;
    expansions.into_iter().find_map(|(call, text)| {
        let field = text.strip_prefix(&[&b"this"[..], b"."]);
        let old = change
            .find_replaced_expression(&call, &text, matched)
            .or_else(|| change.find_replaced_expression(&call, field?, matched))
            .or_else(|| {
                change.find_replaced_expression(&call, &qualify_with_this(callee, &text)?, matched)
            })?;
        Some(ReplacedCall { call, old })
    })
}

/// Returns the field qualified with `this`.
fn qualify_with_this<'a>(callee: &Callee<'_, 'a>, text: &[&'a [u8]]) -> Option<Vec<&'a [u8]>> {
    let field = callee.accessed_field()?;
    (text.first() == Some(&field)).then_some(())?;
    Some([&b"this"[..], b"."].into_iter().chain(text.iter().copied()).collect())
}

fn describe(
    change: &DirectedChange<'_, '_>,
    callee: &Callee<'_, '_>,
    file_index: usize,
    sites: &[ReplacedCall],
    name: &str,
) -> (&'static str, String) {
    let calls =
        if sites.len() == 1 { "1 call".to_owned() } else { format!("{} calls", sites.len()) };
    if !change.is_forward {
        return ("inline method", format!("method {name} inlined, {calls}"));
    }
    if let Some(field) = callee.accessed_field() {
        let is_own = sites.iter().all(|site| site.call.file == file_index);
        let kind = if is_own { "self encapsulate field" } else { "encapsulate field" };
        return (
            kind,
            format!("field {} accessed through {name}, {calls}", String::from_utf8_lossy(field)),
        );
    }
    let owner = callee.file.owner_type(callee.member).map(|owner| callee.file.text(owner.name));
    if callee.is_static() && callee.created_class().is_some_and(|class| Some(class) == owner) {
        return (
            "replace constructor with factory method",
            format!("factory method {name}, {calls}"),
        );
    }
    if sites.iter().any(|site| is_condition(change, &site.old)) {
        return ("decompose conditional", format!("condition extracted to method {name}, {calls}"));
    }
    ("extract method", format!("method {name} extracted, {calls}"))
}

/// Returns true if a range is the whole condition of a branch.
fn is_condition(change: &DirectedChange<'_, '_>, region: &TokenRange) -> bool {
    let Some(file) = change.from.file(region.file) else { return false };
    nodes_spanning(file, &region.tokens).first().is_some_and(|id| {
        let parent = file.source.node(*id).parent;
        let grandparent = file.source.node(parent).parent;
        file.kind(*id) == "parenthesized_expression" && file.kind(parent) == "if_statement"
            || file.kind(parent) == "parenthesized_expression"
                && file.kind(grandparent) == "if_statement"
    })
}
