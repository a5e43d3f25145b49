//! Detects edits that make a command skip its effects.

use mend_java::Code;
use mend_java::Edit;
use mend_java::code::purity::is_pure;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};
use std::ops::Range;

/// Effect of an edit that makes a routine do nothing, under a condition or always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SkippedEffect {
    /// It skips no effect.
    Nothing,
    /// It skips all effects and returns nothing.
    Silently,
    /// It skips all effects and returns `true`.
    ReportingSuccess,
}

/// Classifies an edit by the effects of the routine that it skips.
pub(crate) fn classify_skipped_effect(
    code: &Code<'_>,
    statement: NodeIndex,
    edits: &[Edit],
) -> SkippedEffect {
    let method = code.enclosing_method(statement);
    let Some((skipped_range, effect)) =
        method.and_then(|id| skipped_code(code, id, statement, edits))
    else {
        return SkippedEffect::Nothing;
    };
    let inside = method.map_or(0..0, |method| method..code.node(method).subtree_end);
    let all = inside.filter(|id| has_external_effect(code, *id)).collect::<Vec<NodeIndex>>();
    // Unconditional effects are the purpose of a command; only if there are none, all effects count.
    let is_unconditional_effect = |id: &&NodeIndex| is_unconditional(code, **id);
    let unconditional =
        all.iter().filter(is_unconditional_effect).copied().collect::<Vec<NodeIndex>>();
    let effects = if unconditional.is_empty() { all } else { unconditional };
    let is_skipped = |id: &NodeIndex| skipped_range.contains(&code.bytes(*id).start);
    if !effects.is_empty() && effects.iter().all(is_skipped) {
        effect
    } else {
        SkippedEffect::Nothing
    }
}

/// Returns true for a node whose statement is directly in the body of its routine.
fn is_unconditional(code: &Code<'_>, id: NodeIndex) -> bool {
    let statement = code.self_and_ancestors(id).find(|holder| code.is_statement(*holder));
    statement.is_some_and(|statement| {
        code.has_kind(code.parent(code.parent(statement)), NodeKind::Method)
    })
}

/// Returns the skipped code and the routine's result in that case, judged by the syntax of the edit.
fn skipped_code(
    code: &Code<'_>,
    method: NodeIndex,
    statement: NodeIndex,
    edits: &[Edit],
) -> Option<(Range<usize>, SkippedEffect)> {
    let [Edit { bytes: (from, to), text }] = edits else { return None };
    let own = code.bytes(statement);
    let is_before = from == to && *from == own.start && text.starts_with("if (");
    if is_before {
        let exits = [
            ("return true;", SkippedEffect::ReportingSuccess),
            ("return;", SkippedEffect::Silently),
        ];
        let (_, effect) = exits.into_iter().find(|(exit, _)| text.contains(exit))?;
        return Some((own.start..code.bytes(method).end, effect));
    }
    let covers_statement = *from <= own.start
        && own.end <= *to
        && code.has_kind(statement, NodeKind::ExpressionStatement);
    let removes_or_guards = text.is_empty() || text.starts_with("if (") && !text.contains(" else ");
    let effect =
        effect_of_skipping(code, method).filter(|_| covers_statement && removes_or_guards)?;
    // A patch may remove several statements at once.
    let skipped = if text.is_empty() { *from..*to } else { own };
    Some((skipped, effect))
}

/// Returns the effect of skipping a routine, judged by its last statement; `None` if its result is anything but `true`.
fn effect_of_skipping(code: &Code<'_>, method: NodeIndex) -> Option<SkippedEffect> {
    let last = code.children(code.child(method, NodeRole::Body)?).last().copied()?;
    let returned =
        code.child(last, NodeRole::Value).filter(|_| code.has_kind(last, NodeKind::Return));
    match returned.map(|value| code.source_text(value)) {
        Some("true") => Some(SkippedEffect::ReportingSuccess),
        Some(_) => None,
        None => Some(SkippedEffect::Silently),
    }
}

/// Returns true if a node has an effect outside its routine.
pub(crate) fn has_external_effect(code: &Code<'_>, id: NodeIndex) -> bool {
    let kind = code.kind(id);
    let target = match kind {
        NodeKind::MethodInvocation => return !is_pure(code, id),
        _ if kind.is_assignment() => code.child(id, NodeRole::Target),
        _ if kind.is_step() => code.children(id).first().copied(),
        _ => None,
    };
    let is_local = |id: NodeIndex| code.symbol(id).is_some_and(|one| one.kind == SymbolKind::Local);
    target.is_some_and(|target| !code.has_kind(target, NodeKind::Identifier) || !is_local(target))
}
