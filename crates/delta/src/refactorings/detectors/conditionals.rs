//! Conditionals that are written in another way.

use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{child, named};
use crate::refactorings::sources::token_range::{TokenRange, TokenTexts, is_statement};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, VersionedSources,
};
use mend_java::NodeId;

/// Longer chains of guard clauses are not looked at.
const MOST_GUARDS: usize = 6;

/// Maximum number of statements that are searched in both branches.
const MOST_FRAGMENTS: usize = 3;

/// An `if` of the new version.
struct IfStatement {
    node: NodeId,
    condition: NodeId,
    then: NodeId,
    otherwise: Option<NodeId>,
}

/// Possible old text in place of statements.
struct Rewrite<'a> {
    unit: TokenRange,
    texts: Vec<TokenTexts<'a>>,
    name: &'static str,
}

/// Finds them.
pub(crate) fn find(scene: &VersionedSources<'_>) -> Vec<Refactoring> {
    let [view, _] = scene.ways();
    let mut found = Vec::new();
    for (at, file) in view.to.java_files() {
        for node in 0..file.source.nodes().len() {
            if file.kind(node) == "if_statement" && has_changed(file, node) {
                found
                    .extend(branching(file, node).and_then(|one| rewritten(&view, at, file, &one)));
            }
        }
    }
    found
}

/// Returns true if some code in the statement, or around it, is new.
fn has_changed(file: &FileVersion<'_>, node: NodeId) -> bool {
    let tokens = file.tokens(node);
    let end = (tokens.end + 1).min(file.owner.len());
    file.owner[tokens.start..end].iter().any(Option::is_some)
}

fn branching(file: &FileVersion<'_>, node: NodeId) -> Option<IfStatement> {
    let part = |field| child(file.source, node, field);
    Some(IfStatement {
        node,
        condition: part("condition")?,
        then: part("consequence")?,
        otherwise: part("alternative"),
    })
}

fn rewritten(
    view: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    one: &IfStatement,
) -> Option<Refactoring> {
    let all = [guard_clauses(at, file, one), consolidated(at, file, one), reversed(at, file, one)];
    let common = (0..MOST_FRAGMENTS).map(|count| fragments(at, file, one, count));
    all.into_iter().chain(common).flatten().find_map(|rewriting| {
        let old =
            rewriting.texts.iter().find_map(|text| view.replaced(&rewriting.unit, text, &[]))?;
        let mut core = TokenChange::default();
        core.add(view, old.spots(), rewriting.unit.spots());
        let condition = file.texts(inside(file, one.condition));
        let what = format!("if ({})", String::from_utf8_lossy(&condition.join(&b' ')));
        Some(Refactoring::new(rewriting.name, what, core, TokenChange::default()))
    })
}

/// Returns the tokens between a node's first and last one: brackets or braces.
fn inside(file: &FileVersion<'_>, node: NodeId) -> std::ops::Range<usize> {
    let tokens = file.tokens(node);
    tokens.start + 1..tokens.end.saturating_sub(1).max(tokens.start + 1)
}

/// Returns the statements of a branch, without the braces.
fn content<'a>(file: &FileVersion<'a>, branch: NodeId) -> TokenTexts<'a> {
    let is_block = file.kind(branch) == "block";
    file.texts(if is_block { inside(file, branch) } else { file.tokens(branch) })
}

fn text<'a>(parts: &[&[&'a [u8]]]) -> TokenTexts<'a> {
    parts.concat()
}

/// Returns the statements after one in its block.
fn following(file: &FileVersion<'_>, node: NodeId) -> Vec<NodeId> {
    let parent = file.source.node(node).parent;
    if !matches!(file.kind(parent), "block" | "constructor_body") {
        return Vec::new();
    }
    named(file.source, parent).into_iter().filter(|id| *id > node).collect()
}

fn run(file: &FileVersion<'_>, first: NodeId, last: NodeId) -> std::ops::Range<usize> {
    file.tokens(first).start..file.tokens(last).end
}

/// Returns true if a branch always jumps away.
fn jumps(file: &FileVersion<'_>, branch: NodeId) -> bool {
    let last = if file.kind(branch) == "block" {
        named(file.source, branch).last().copied()
    } else {
        Some(branch)
    };
    last.is_some_and(|id| {
        matches!(
            file.kind(id),
            "return_statement" | "throw_statement" | "break_statement" | "continue_statement"
        )
    })
}

fn is_guard(file: &FileVersion<'_>, one: &IfStatement) -> bool {
    one.otherwise.is_none() && jumps(file, one.then)
}

fn guard_clauses<'a>(at: usize, file: &FileVersion<'a>, one: &IfStatement) -> Option<Rewrite<'a>> {
    let rest = following(file, one.node);
    let (first, last) = (*rest.first()?, *rest.last()?);
    if !is_guard(file, one) || !rest.iter().all(|id| is_statement(file, *id)) {
        return None;
    }
    let body = file.texts(run(file, first, last));
    let mut texts = nested(file, one, &rest, 0);
    let jump = content(file, one.then);
    if leaves_block(file, one.node, &jump) {
        texts.extend(
            negations(file, one.condition)
                .iter()
                .map(|condition| text(&[&[b"if", b"("], condition, &[b")", b"{"], &body, &[b"}"]])),
        );
    }
    let unit = TokenRange { file: at, tokens: run(file, one.node, last) };
    Some(Rewrite { unit, texts, name: "replace nested conditional with guard clauses" })
}

/// Returns the guards as branches of each other, with the rest in the last one.
fn nested<'a>(
    file: &FileVersion<'a>,
    one: &IfStatement,
    rest: &[NodeId],
    depth: usize,
) -> Vec<TokenTexts<'a>> {
    let (Some(first), Some(last)) = (rest.first(), rest.last()) else { return Vec::new() };
    let head = file.texts(file.tokens(one.node));
    let body = file.texts(run(file, *first, *last));
    let mut texts = vec![text(&[&head, &[b"else", b"{"], &body, &[b"}"]])];
    if first == last {
        texts.push(text(&[&head, &[b"else"], &body]));
    }
    let next = branching(file, *first).filter(|next| is_guard(file, next) && depth < MOST_GUARDS);
    for inner in next.iter().flat_map(|next| nested(file, next, &rest[1..], depth + 1)) {
        texts.push(text(&[&head, &[b"else", b"{"], &inner, &[b"}"]]));
        texts.push(text(&[&head, &[b"else"], &inner]));
    }
    texts
}

/// Returns true if a jump has the same target as the end of its block.
fn leaves_block(file: &FileVersion<'_>, node: NodeId, jump: &[&[u8]]) -> bool {
    let block = file.source.node(node).parent;
    let holder = file.kind(file.source.node(block).parent);
    match jump {
        [b"return", b";"] => {
            matches!(holder, "method_declaration" | "lambda_expression")
                || file.kind(block) == "constructor_body"
        }
        [b"continue", b";"] => holder.starts_with("while") || holder.contains("for_statement"),
        _ => false,
    }
}

/// Returns conditions that hold exactly if another one does not.
fn negations<'a>(file: &FileVersion<'a>, condition: NodeId) -> Vec<TokenTexts<'a>> {
    let tokens = inside(file, condition);
    let words = file.texts(tokens.clone());
    let mut texts = vec![text(&[&[b"!", b"("], &words, &[b")"]])];
    if words.len() == 1 {
        texts.push(text(&[&[b"!"], &words]));
    }
    let Some(node) = named(file.source, condition).first().copied() else { return texts };
    if matches!(file.kind(node), "method_invocation" | "field_access") {
        texts.push(text(&[&[b"!"], &words]));
    }
    if file.kind(node) == "unary_expression" && words.first() == Some(&&b"!"[..]) {
        let inner = &words[1..];
        texts.push(inner.to_vec());
        if let [b"(", between @ .., b")"] = inner {
            texts.push(between.to_vec());
        }
    }
    if let Some(operator) = operator(file, node) {
        let other: &[u8] = match file.text(operator) {
            b"==" => b"!=",
            b"!=" => b"==",
            _ => return texts,
        };
        let mut swapped = words;
        swapped[operator - tokens.start] = other;
        texts.push(swapped);
    }
    texts
}

/// Returns the token between the operands of a binary expression.
fn operator(file: &FileVersion<'_>, node: NodeId) -> Option<usize> {
    (file.kind(node) == "binary_expression").then_some(())?;
    let mark = file.source.children(node).find(|id| !file.source.node(*id).named)?;
    Some(file.tokens(mark).start)
}

/// Returns the operands of a chain of one operator, from left to right.
fn operands(file: &FileVersion<'_>, node: NodeId, mark: &[u8]) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut open = node;
    while operator(file, open).is_some_and(|token| file.text(token) == mark) {
        let sides = named(file.source, open);
        let [left, right] = sides[..] else { break };
        found.push(right);
        open = left;
    }
    found.push(open);
    found.reverse();
    found
}

/// Returns a condition's text, without brackets around all of it.
fn bare<'a>(file: &FileVersion<'a>, node: NodeId) -> TokenTexts<'a> {
    let is_bracketed = file.kind(node) == "parenthesized_expression";
    file.texts(if is_bracketed { inside(file, node) } else { file.tokens(node) })
}

fn consolidated<'a>(at: usize, file: &FileVersion<'a>, one: &IfStatement) -> Option<Rewrite<'a>> {
    if one.otherwise.is_some() {
        return None;
    }
    let condition = *named(file.source, one.condition).first()?;
    let body = file.texts(file.tokens(one.then));
    let mut texts = Vec::new();
    let either = operands(file, condition, b"||");
    if either.len() > 1 && jumps(file, one.then) {
        let each =
            either.iter().map(|part| text(&[&[b"if", b"("], &bare(file, *part), &[b")"], &body]));
        texts.push(each.collect::<Vec<_>>().concat());
    }
    if let [first, second] = operands(file, condition, b"&&")[..] {
        let outer = text(&[&[b"if", b"("], &bare(file, first), &[b")"]]);
        let inner = text(&[&[b"if", b"("], &bare(file, second), &[b")"], &body]);
        texts.push(text(&[&outer, &[b"{"], &inner, &[b"}"]]));
        texts.push(text(&[&outer, &inner]));
    }
    let unit = TokenRange { file: at, tokens: file.tokens(one.node) };
    Some(Rewrite { unit, texts, name: "consolidate conditional expression" })
}

/// Returns the first `count` and one more statements after both branches, at the end of each of them.
fn fragments<'a>(
    at: usize,
    file: &FileVersion<'a>,
    one: &IfStatement,
    count: usize,
) -> Option<Rewrite<'a>> {
    let otherwise = one.otherwise.filter(|node| file.kind(*node) == "block")?;
    let last = *following(file, one.node).get(count)?;
    let common = file.texts(file.tokens(one.node).end..file.tokens(last).end);
    let condition = file.texts(file.tokens(one.condition));
    let (then, other) = (content(file, one.then), content(file, otherwise));
    let texts = vec![text(&[
        &[b"if"],
        &condition,
        &[b"{"],
        &then,
        &common,
        &[b"}", b"else", b"{"],
        &other,
        &common,
        &[b"}"],
    ])];
    let unit = TokenRange { file: at, tokens: run(file, one.node, last) };
    Some(Rewrite { unit, texts, name: "consolidate duplicate conditional fragments" })
}

fn reversed<'a>(at: usize, file: &FileVersion<'a>, one: &IfStatement) -> Option<Rewrite<'a>> {
    let otherwise = one.otherwise?;
    let (then, other) = (file.texts(file.tokens(one.then)), file.texts(file.tokens(otherwise)));
    let texts = negations(file, one.condition)
        .iter()
        .map(|condition| text(&[&[b"if", b"("], condition, &[b")"], &other, &[b"else"], &then]))
        .collect();
    let unit = TokenRange { file: at, tokens: file.tokens(one.node) };
    Some(Rewrite { unit, texts, name: "reverse conditional" })
}
