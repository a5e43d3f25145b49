//! Whether a change has a command say that it was done, and not do it.

use super::code::Code;
use super::edit::Edit;
use super::purity::is_pure;
use crate::facts::{NodeIndex, Role, SymbolKind};
use std::ops::Range;

/// Whether a change of a statement skips all that its routine does, which ends as if it had done it: it gives nothing,
/// or `true`.
pub(super) fn skips_all(code: &Code<'_>, statement: NodeIndex, edits: &[Edit]) -> bool {
    let Some(method) = code.method_of(statement) else { return false };
    let Some(skipped) = skipped(code, method, statement, edits) else { return false };
    let mut effects = (method..code.node(method).end).filter(|id| is_effect(code, *id)).peekable();
    effects.peek().is_some() && effects.all(|id| skipped.contains(&code.bytes(id).start))
}

/// What is not done any more, as far as the form of a change tells.
fn skipped(
    code: &Code<'_>,
    method: NodeIndex,
    statement: NodeIndex,
    edits: &[Edit],
) -> Option<Range<usize>> {
    let [Edit { bytes: (from, to), text }] = edits else { return None };
    let own = code.bytes(statement);
    let is_before = from == to && *from == own.start && text.starts_with("if (");
    if is_before {
        let leaves = ["return;", "return true;"].iter().any(|exit| text.contains(exit));
        return leaves.then(|| own.start..code.bytes(method).end);
    }
    let is_whole = *from <= own.start && own.end <= *to && code.is(statement, "EXPRESSION_STATEMENT");
    let is_left_out = text.is_empty() || text.starts_with("if (") && !text.contains(" else ");
    (is_whole && is_left_out && says_done(code, method)).then_some(own)
}

/// Whether a routine gives nothing, or `true` at its end.
fn says_done(code: &Code<'_>, method: NodeIndex) -> bool {
    let body = code.child(method, Role::Body);
    let last = body.and_then(|body| code.children(body).last().copied());
    let given = last.and_then(|last| code.child(last, Role::Value));
    match given.filter(|_| last.is_some_and(|last| code.is(last, "RETURN"))) {
        Some(value) => code.written(value) == "true",
        None => code.symbol(method).is_some_and(|one| code.facts.text(one.ty.erased) == "void"),
    }
}

/// Whether something outside of the routine changes by that.
fn is_effect(code: &Code<'_>, id: NodeIndex) -> bool {
    let kind = code.kind(id);
    let target = match kind {
        "METHOD_INVOCATION" => return !is_pure(code, id),
        _ if kind.ends_with("ASSIGNMENT") => code.child(id, Role::Target),
        _ if kind.ends_with("CREMENT") => code.children(id).first().copied(),
        _ => None,
    };
    let is_local = |id: NodeIndex| code.symbol(id).is_some_and(|one| one.kind == SymbolKind::Local);
    target.is_some_and(|target| !code.is(target, "IDENTIFIER") || !is_local(target))
}
