//! Methods that are extracted from their callers, or inlined into them; and special cases of that.

use crate::refactorings::detectors::call_expansion::{CallRef, Callee};
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{Member, MemberKind, modifier_tokens};
use crate::refactorings::sources::token_range::{TokenRange, nodes_spanning};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use mend_java::{DefinitionKind, ReferenceKind};

/// More calls than this are not looked at.
const MOST_CALLS: usize = 200;

/// A call with what stood in its place.
struct ReplacedCall {
    call: TokenRange,
    old: TokenRange,
}

/// Finds methods that were extracted or inlined.
pub(crate) fn find(scene: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut found = Vec::new();
    for view in scene.ways() {
        for (at, file) in view.to.java_files() {
            for member in &file.outline.members {
                found.extend(method(&view, at, file, member));
            }
        }
    }
    found
}

fn method(
    view: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    member: &Member,
) -> Option<Refactoring> {
    let name = TokenRef { file: at, token: member.name };
    if member.kind != MemberKind::Method || file.partner[member.name].is_some() {
        return None;
    }
    file.owner_type(member)?;
    let callee = Callee::from_member(file, member)?;
    if !is_only_one(view, name) {
        return None;
    }
    let all = view.to.uses.get(file.text(member.name))?;
    let mut sites: Vec<ReplacedCall> = Vec::new();
    let mut taken: Vec<TokenRange> = Vec::new();
    for spot in all.iter().filter(|spot| !is_inside(file, member, at, **spot)).take(MOST_CALLS) {
        if let Some(site) = site(view, &callee, *spot, &taken) {
            taken.push(site.old.clone());
            sites.push(site);
        }
    }
    let first = sites.first()?;
    let mut core = TokenChange::default();
    let declaration = TokenRange { file: at, tokens: file.tokens(member.node) };
    core.add(view, first.old.spots(), declaration.spots().chain(first.call.spots()));
    let mut rest = TokenChange::default();
    for site in &sites[1..] {
        rest.add(view, site.old.spots(), site.call.spots());
    }
    let text = String::from_utf8_lossy(file.text(member.name)).into_owned();
    let (note, what) = described(view, &callee, at, &sites, &text);
    Some(Refactoring::new(note, what, core, rest))
}

fn is_inside(file: &FileVersion<'_>, member: &Member, at: usize, spot: TokenRef) -> bool {
    spot.file == at && file.tokens(member.node).contains(&spot.token)
}

/// Returns true if a call can only mean this method: no other method has its name, before or after. For a private
/// method only its own file counts.
fn is_only_one(view: &DirectedChange<'_, '_>, name: TokenRef) -> bool {
    let word = view.to.text(name);
    let is_private =
        view.to.file(name.file).zip(view.to.member(name)).is_some_and(|(file, one)| {
            file.has_word(modifier_tokens(file.source, one.node), &["private"])
        });
    let methods = |side: &crate::refactorings::sources::versioned_sources::SourceVersion<'_>| {
        let all = side.globals.get(word).into_iter().flatten();
        all.filter(|spot| {
            side.definition(**spot).is_some_and(|one| matches!(one.kind, DefinitionKind::Method(_)))
        })
        .filter(|spot| !is_private || spot.file == name.file)
        .count()
    };
    methods(view.to) == 1 && methods(view.from) == 0
}

fn site(
    view: &DirectedChange<'_, '_>,
    callee: &Callee<'_, '_>,
    spot: TokenRef,
    taken: &[TokenRange],
) -> Option<ReplacedCall> {
    let file = view.to.file(spot.file)?;
    let at = file.names.uses.partition_point(|used| used.token < spot.token);
    let used = file.names.uses.get(at)?;
    let ReferenceKind::Method { arguments: Some(_), qualified } = used.kind else { return None };
    let is_here = std::ptr::eq(file, callee.file);
    if !qualified && !is_here {
        return None;
    }
    let node = file.parent(spot.token);
    let expansions = callee.expansions(view, CallRef { file: spot.file, node })?;
    expansions.into_iter().find_map(|(call, text)| {
        let field = text.strip_prefix(&[&b"this"[..], b"."]);
        let old = view
            .replaced_expression(&call, &text, taken)
            .or_else(|| view.replaced_expression(&call, field?, taken))
            .or_else(|| view.replaced_expression(&call, &of_this(callee, &text)?, taken))?;
        Some(ReplacedCall { call, old })
    })
}

/// Returns the field with `this` before it.
fn of_this<'a>(callee: &Callee<'_, 'a>, text: &[&'a [u8]]) -> Option<Vec<&'a [u8]>> {
    let field = callee.accessed_field()?;
    (text.first() == Some(&field)).then_some(())?;
    Some([&b"this"[..], b"."].into_iter().chain(text.iter().copied()).collect())
}

fn described(
    view: &DirectedChange<'_, '_>,
    callee: &Callee<'_, '_>,
    at: usize,
    sites: &[ReplacedCall],
    name: &str,
) -> (&'static str, String) {
    let calls =
        if sites.len() == 1 { "1 call".to_owned() } else { format!("{} calls", sites.len()) };
    if !view.is_forward {
        return ("inline method", format!("method {name} inlined, {calls}"));
    }
    if let Some(field) = callee.accessed_field() {
        let is_own = sites.iter().all(|site| site.call.file == at);
        let kind = if is_own { "self encapsulate field" } else { "encapsulate field" };
        return (
            kind,
            format!("field {} accessed through {name}, {calls}", String::from_utf8_lossy(field)),
        );
    }
    let owner = callee.file.owner_type(callee.member).map(|owner| callee.file.text(owner.name));
    if callee.is_static() && callee.made_class().is_some_and(|class| Some(class) == owner) {
        return (
            "replace constructor with factory method",
            format!("factory method {name}, {calls}"),
        );
    }
    if sites.iter().any(|site| is_condition(view, &site.old)) {
        return ("decompose conditional", format!("condition extracted to method {name}, {calls}"));
    }
    ("extract method", format!("method {name} extracted, {calls}"))
}

/// Returns true if a region is the whole condition of a branch.
fn is_condition(view: &DirectedChange<'_, '_>, region: &TokenRange) -> bool {
    let Some(file) = view.from.file(region.file) else { return false };
    nodes_spanning(file, &region.tokens).first().is_some_and(|id| {
        let parent = file.source.node(*id).parent;
        let holder = file.source.node(parent).parent;
        file.kind(*id) == "parenthesized_expression" && file.kind(parent) == "if_statement"
            || file.kind(parent) == "parenthesized_expression"
                && file.kind(holder) == "if_statement"
    })
}
