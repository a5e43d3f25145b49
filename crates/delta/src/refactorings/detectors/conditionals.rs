//! Detects refactorings of conditionals: guard clauses, consolidated or reversed conditions, and common fragments.

use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{child_in_field, named_children};
use crate::refactorings::sources::token_range::{TokenRange, TokenTexts, is_statement};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, VersionedSources,
};
use mend_java::NodeId;

/// Maximum number of guard clauses in a chain.
const MAX_GUARDS: usize = 6;

/// Maximum number of statements that are searched in both branches.
const MAX_COMMON_STATEMENTS: usize = 3;

/// An `if` of the new version.
struct IfStatement {
    node: NodeId,
    condition: NodeId,
    then: NodeId,
    otherwise: Option<NodeId>,
}

/// Possible old texts of rewritten statements.
struct Rewrite<'a> {
    range: TokenRange,
    texts: Vec<TokenTexts<'a>>,
    name: &'static str,
}

/// Detects all refactorings of conditionals.
pub(crate) fn find(sources: &VersionedSources<'_>) -> Vec<Refactoring> {
    let [change, _] = sources.directions();
    let mut refactorings = Vec::new();
    for (at, file) in change.to.java_files() {
        for node in 0..file.source.nodes().len() {
            if file.kind(node) == "if_statement" && has_changed(file, node) {
                refactorings.extend(
                    parse_if_statement(file, node)
                        .and_then(|one| detect_rewrite(&change, at, file, &one)),
                );
            }
        }
    }
    refactorings
}

/// Returns true if some code in the statement, or around it, is new.
fn has_changed(file: &FileVersion<'_>, node: NodeId) -> bool {
    let tokens = file.tokens(node);
    let end = (tokens.end + 1).min(file.owner.len());
    file.owner[tokens.start..end].iter().any(Option::is_some)
}

fn parse_if_statement(file: &FileVersion<'_>, node: NodeId) -> Option<IfStatement> {
    let child_in = |field| child_in_field(file.source, node, field);
    Some(IfStatement {
        node,
        condition: child_in("condition")?,
        then: child_in("consequence")?,
        otherwise: child_in("alternative"),
    })
}

fn detect_rewrite(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    file: &FileVersion<'_>,
    if_statement: &IfStatement,
) -> Option<Refactoring> {
    let rewrites = [
        guard_clause_rewrite(file_index, file, if_statement),
        consolidated_condition_rewrite(file_index, file, if_statement),
        reversed_conditional_rewrite(file_index, file, if_statement),
    ];
    let common = (0..MAX_COMMON_STATEMENTS)
        .map(|count| common_fragment_rewrite(file_index, file, if_statement, count));
    rewrites.into_iter().chain(common).flatten().find_map(|rewriting| {
        let old = rewriting
            .texts
            .iter()
            .find_map(|text| change.find_replaced(&rewriting.range, text, &[]))?;
        let mut core = TokenChange::default();
        core.add(change, old.token_refs(), rewriting.range.token_refs());
        let condition = file.texts(inner_tokens(file, if_statement.condition));
        let description = format!("if ({})", String::from_utf8_lossy(&condition.join(&b' ')));
        Some(Refactoring::new(rewriting.name, description, core, TokenChange::default()))
    })
}

/// Returns the tokens between a node's first and last one: brackets or braces.
fn inner_tokens(file: &FileVersion<'_>, node: NodeId) -> std::ops::Range<usize> {
    let tokens = file.tokens(node);
    tokens.start + 1..tokens.end.saturating_sub(1).max(tokens.start + 1)
}

/// Returns the statements of a branch, without the braces.
fn branch_text<'a>(file: &FileVersion<'a>, branch: NodeId) -> TokenTexts<'a> {
    let is_block = file.kind(branch) == "block";
    file.texts(if is_block { inner_tokens(file, branch) } else { file.tokens(branch) })
}

fn concat_texts<'a>(parts: &[&[&'a [u8]]]) -> TokenTexts<'a> {
    parts.concat()
}

/// Returns the statements after one in its block.
fn following_statements(file: &FileVersion<'_>, node: NodeId) -> Vec<NodeId> {
    let parent = file.source.node(node).parent;
    if !matches!(file.kind(parent), "block" | "constructor_body") {
        return Vec::new();
    }
    named_children(file.source, parent).into_iter().filter(|id| *id > node).collect()
}

fn statement_range(file: &FileVersion<'_>, first: NodeId, last: NodeId) -> std::ops::Range<usize> {
    file.tokens(first).start..file.tokens(last).end
}

/// Returns true if a branch always ends in a jump.
fn ends_in_jump(file: &FileVersion<'_>, branch: NodeId) -> bool {
    let last = if file.kind(branch) == "block" {
        named_children(file.source, branch).last().copied()
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

fn is_guard(file: &FileVersion<'_>, if_statement: &IfStatement) -> bool {
    if_statement.otherwise.is_none() && ends_in_jump(file, if_statement.then)
}

fn guard_clause_rewrite<'a>(
    file_index: usize,
    file: &FileVersion<'a>,
    if_statement: &IfStatement,
) -> Option<Rewrite<'a>> {
    let rest = following_statements(file, if_statement.node);
    let (first, last) = (*rest.first()?, *rest.last()?);
    if !is_guard(file, if_statement) || !rest.iter().all(|id| is_statement(file, *id)) {
        return None;
    }
    let body = file.texts(statement_range(file, first, last));
    let mut texts = nest_guards(file, if_statement, &rest, 0);
    let jump = branch_text(file, if_statement.then);
    if has_same_target(file, if_statement.node, &jump) {
        texts.extend(negations(file, if_statement.condition).iter().map(|condition| {
            concat_texts(&[&[b"if", b"("], condition, &[b")", b"{"], &body, &[b"}"]])
        }));
    }
    let unit =
        TokenRange { file: file_index, tokens: statement_range(file, if_statement.node, last) };
    Some(Rewrite { range: unit, texts, name: "replace nested conditional with guard clauses" })
}

/// Returns the guards as nested branches, with the remaining statements in the last one.
fn nest_guards<'a>(
    file: &FileVersion<'a>,
    if_statement: &IfStatement,
    rest: &[NodeId],
    depth: usize,
) -> Vec<TokenTexts<'a>> {
    let (Some(first), Some(last)) = (rest.first(), rest.last()) else { return Vec::new() };
    let head = file.texts(file.tokens(if_statement.node));
    let body = file.texts(statement_range(file, *first, *last));
    let mut texts = vec![concat_texts(&[&head, &[b"else", b"{"], &body, &[b"}"]])];
    if first == last {
        texts.push(concat_texts(&[&head, &[b"else"], &body]));
    }
    let next =
        parse_if_statement(file, *first).filter(|next| is_guard(file, next) && depth < MAX_GUARDS);
    for inner in next.iter().flat_map(|next| nest_guards(file, next, &rest[1..], depth + 1)) {
        texts.push(concat_texts(&[&head, &[b"else", b"{"], &inner, &[b"}"]]));
        texts.push(concat_texts(&[&head, &[b"else"], &inner]));
    }
    texts
}

/// Returns true if a jump has the same target as the end of its block.
fn has_same_target(file: &FileVersion<'_>, node: NodeId, jump: &[&[u8]]) -> bool {
    let block = file.source.node(node).parent;
    let container = file.kind(file.source.node(block).parent);
    match jump {
        [b"return", b";"] => {
            matches!(container, "method_declaration" | "lambda_expression")
                || file.kind(block) == "constructor_body"
        }
        [b"continue", b";"] => {
            container.starts_with("while") || container.contains("for_statement")
        }
        _ => false,
    }
}

/// Returns conditions that hold exactly if another one does not.
fn negations<'a>(file: &FileVersion<'a>, condition: NodeId) -> Vec<TokenTexts<'a>> {
    let tokens = inner_tokens(file, condition);
    let words = file.texts(tokens.clone());
    let mut texts = vec![concat_texts(&[&[b"!", b"("], &words, &[b")"]])];
    if words.len() == 1 {
        texts.push(concat_texts(&[&[b"!"], &words]));
    }
    let Some(node) = named_children(file.source, condition).first().copied() else { return texts };
    if matches!(file.kind(node), "method_invocation" | "field_access") {
        texts.push(concat_texts(&[&[b"!"], &words]));
    }
    if file.kind(node) == "unary_expression" && words.first() == Some(&&b"!"[..]) {
        let inner = &words[1..];
        texts.push(inner.to_vec());
        if let [b"(", between @ .., b")"] = inner {
            texts.push(between.to_vec());
        }
    }
    if let Some(operator) = operator_token(file, node) {
        let opposite: &[u8] = match file.text(operator) {
            b"==" => b"!=",
            b"!=" => b"==",
            _ => return texts,
        };
        let mut swapped = words;
        swapped[operator - tokens.start] = opposite;
        texts.push(swapped);
    }
    texts
}

/// Returns the token between the operands of a binary expression.
fn operator_token(file: &FileVersion<'_>, node: NodeId) -> Option<usize> {
    (file.kind(node) == "binary_expression").then_some(())?;
    let operator_node = file.source.children(node).find(|id| !file.source.node(*id).is_named)?;
    Some(file.tokens(operator_node).start)
}

/// Returns the operands of a chain of one operator, from left to right.
fn operands(file: &FileVersion<'_>, node: NodeId, operator_text: &[u8]) -> Vec<NodeId> {
    let mut operand_chain = Vec::new();
    let mut remaining = node;
    while operator_token(file, remaining).is_some_and(|token| file.text(token) == operator_text) {
        let operand_pair = named_children(file.source, remaining);
        let [left, right] = operand_pair[..] else { break };
        operand_chain.push(right);
        remaining = left;
    }
    operand_chain.push(remaining);
    operand_chain.reverse();
    operand_chain
}

/// Returns a condition's text, without parentheses around all of it.
fn unparenthesised_text<'a>(file: &FileVersion<'a>, node: NodeId) -> TokenTexts<'a> {
    let is_bracketed = file.kind(node) == "parenthesized_expression";
    file.texts(if is_bracketed { inner_tokens(file, node) } else { file.tokens(node) })
}

fn consolidated_condition_rewrite<'a>(
    file_index: usize,
    file: &FileVersion<'a>,
    if_statement: &IfStatement,
) -> Option<Rewrite<'a>> {
    if if_statement.otherwise.is_some() {
        return None;
    }
    let condition = *named_children(file.source, if_statement.condition).first()?;
    let body = file.texts(file.tokens(if_statement.then));
    let mut texts = Vec::new();
    let disjuncts = operands(file, condition, b"||");
    if disjuncts.len() > 1 && ends_in_jump(file, if_statement.then) {
        let separate_ifs = disjuncts.iter().map(|part| {
            concat_texts(&[&[b"if", b"("], &unparenthesised_text(file, *part), &[b")"], &body])
        });
        texts.push(separate_ifs.collect::<Vec<_>>().concat());
    }
    if let [first, second] = operands(file, condition, b"&&")[..] {
        let outer = concat_texts(&[&[b"if", b"("], &unparenthesised_text(file, first), &[b")"]]);
        let inner =
            concat_texts(&[&[b"if", b"("], &unparenthesised_text(file, second), &[b")"], &body]);
        texts.push(concat_texts(&[&outer, &[b"{"], &inner, &[b"}"]]));
        texts.push(concat_texts(&[&outer, &inner]));
    }
    let unit = TokenRange { file: file_index, tokens: file.tokens(if_statement.node) };
    Some(Rewrite { range: unit, texts, name: "consolidate conditional expression" })
}

/// Returns the rewrite that moves the first `count` + 1 statements after both branches to the end of each branch.
fn common_fragment_rewrite<'a>(
    file_index: usize,
    file: &FileVersion<'a>,
    if_statement: &IfStatement,
    count: usize,
) -> Option<Rewrite<'a>> {
    let otherwise = if_statement.otherwise.filter(|node| file.kind(*node) == "block")?;
    let last = *following_statements(file, if_statement.node).get(count)?;
    let common = file.texts(file.tokens(if_statement.node).end..file.tokens(last).end);
    let condition = file.texts(file.tokens(if_statement.condition));
    let (then, other) = (branch_text(file, if_statement.then), branch_text(file, otherwise));
    let texts = vec![concat_texts(&[
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
    let unit =
        TokenRange { file: file_index, tokens: statement_range(file, if_statement.node, last) };
    Some(Rewrite { range: unit, texts, name: "consolidate duplicate conditional fragments" })
}

fn reversed_conditional_rewrite<'a>(
    file_index: usize,
    file: &FileVersion<'a>,
    if_statement: &IfStatement,
) -> Option<Rewrite<'a>> {
    let otherwise = if_statement.otherwise?;
    let (then, other) =
        (file.texts(file.tokens(if_statement.then)), file.texts(file.tokens(otherwise)));
    let texts = negations(file, if_statement.condition)
        .iter()
        .map(|condition| {
            concat_texts(&[&[b"if", b"("], condition, &[b")"], &other, &[b"else"], &then])
        })
        .collect();
    let unit = TokenRange { file: file_index, tokens: file.tokens(if_statement.node) };
    Some(Rewrite { range: unit, texts, name: "reverse conditional" })
}
