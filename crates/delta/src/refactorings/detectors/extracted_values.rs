//! Detects extracted and inlined variables and constants, and variables replaced by a query.

use crate::refactorings::detectors::call_expansion::{Callee, is_assigned};
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{child_in_field, modifier_tokens, named_children};
use crate::refactorings::sources::token_range::{TokenRange, TokenTexts};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use mend_java::{Definition, DefinitionKind, NodeId, SyntaxNode};

/// Maximum number of uses of a variable.
const MAX_USES: usize = 500;

/// Detects all of these refactorings.
pub(crate) fn find(sources: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut refactorings = Vec::new();
    for change in sources.directions() {
        for (at, file) in change.to.java_files() {
            for definition in &file.symbol_index.definitions {
                if file.partner[definition.token].is_some() {
                    continue;
                }
                match definition.kind {
                    DefinitionKind::Local => {
                        refactorings.extend(detect_variable(&change, at, file, definition));
                        refactorings
                            .extend(detect_temp_replaced_with_query(&change, at, file, definition));
                    }
                    DefinitionKind::Field if change.is_forward => {
                        refactorings.extend(detect_constant(&change, at, file, definition));
                    }
                    _ => {}
                }
            }
        }
    }
    refactorings
}

/// A declaration of one variable with its value.
struct VariableDeclaration {
    statement: NodeId,
    value: NodeId,
}

fn find_single_declaration(file: &FileVersion<'_>, token: usize) -> Option<VariableDeclaration> {
    let declarator = file.parent(token);
    (file.kind(declarator) == "variable_declarator").then_some(())?;
    let statement = file.source.node(declarator).parent;
    let siblings = named_children(file.source, statement);
    let is_single =
        siblings.iter().filter(|id| file.kind(**id) == "variable_declarator").count() == 1;
    let value = child_in_field(file.source, declarator, "value").filter(|_| is_single)?;
    Some(VariableDeclaration { statement, value })
}

fn detect_variable(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    file: &FileVersion<'_>,
    definition: &Definition,
) -> Option<Refactoring> {
    let declaration = find_single_declaration(file, definition.token)?;
    if file.kind(declaration.statement) != "local_variable_declaration" {
        return None;
    }
    let uses = file.resolution.uses_of(file.resolution.definition_at(definition.token)?);
    let text = file.texts(file.tokens(declaration.value));
    if uses.is_empty()
        || uses.len() > MAX_USES
        || !can_move_to_uses(file, &declaration, uses)
        || existed_before(change, file_index, definition)
    {
        return None;
    }
    let statement = TokenRange { file: file_index, tokens: file.tokens(declaration.statement) };
    let mut core = TokenChange::default();
    core.add(change, [], statement.token_refs());
    let mut matched = Vec::new();
    for token in uses {
        if is_assigned(file, *token) {
            return None;
        }
        let unit = TokenRange { file: file_index, tokens: *token..*token + 1 };
        let old = change.find_replaced_expression(&unit, &text, &matched)?;
        core.add(change, old.token_refs(), unit.token_refs());
        matched.push(old);
    }
    let name = String::from_utf8_lossy(&definition.name);
    let (kind, verb) = if change.is_forward {
        ("extract variable", "extracted")
    } else {
        ("inline temp", "inlined")
    };
    let description = format!("variable {name} {verb}, {}", format_place_count(uses.len()));
    Some(Refactoring::new(kind, description, core, TokenChange::default()))
}

/// Returns true if the member already had a variable of that name, which was not matched.
fn existed_before(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    definition: &Definition,
) -> bool {
    let member = || {
        let member = change.to.file(file_index)?.enclosing_member(definition.token)?;
        let name = change.to.partner(TokenRef { file: file_index, token: member.name })?;
        let (old, other) = (change.from.file(name.file)?, change.from.member(name)?);
        let is_same = |one: &Definition| {
            one.kind == DefinitionKind::Local
                && one.name == definition.name
                && old.partner[one.token].is_none()
        };
        Some(old.definitions_in(&old.tokens(other.node)).iter().any(is_same))
    };
    member().unwrap_or(true)
}

pub(crate) fn format_place_count(count: usize) -> String {
    if count == 1 { "1 place".to_owned() } else { format!("{count} places") }
}

/// Returns true if a value is the same at its declaration and at its uses: no code in between can change it, and the
/// time of its evaluation is not observable.
fn can_move_to_uses(
    file: &FileVersion<'_>,
    declaration: &VariableDeclaration,
    uses: &[usize],
) -> bool {
    let value = file.source.node(declaration.value);
    let contains_kind = |kinds: &[&str]| {
        (declaration.value..value.subtree_end).any(|id| kinds.contains(&file.kind(id)))
    };
    if contains_kind(&[
        "assignment_expression",
        "update_expression",
        "lambda_expression",
        "array_initializer",
    ]) {
        return false;
    }
    let next = next_kept_statement(file, declaration.statement);
    let is_used_in_next_statement = file.source.nodes().get(next).is_some_and(|node| {
        let kind = file.kind(next);
        let is_simple = matches!(
            kind,
            "expression_statement"
                | "local_variable_declaration"
                | "return_statement"
                | "throw_statement"
        );
        let is_plain = !file.contains_token(node.tokens.clone(), &["?", "&&", "||", "->"]);
        is_simple && is_plain && uses.iter().all(|token| node.tokens.contains(token))
    });
    let has_calls = contains_kind(&[
        "method_invocation",
        "object_creation_expression",
        "array_creation_expression",
        "explicit_generic_invocation",
    ]);
    if has_calls {
        return is_used_in_next_statement && uses.len() == 1;
    }
    is_used_in_next_statement || is_unchanged_until_last_use(file, declaration, uses)
}

/// Returns the node after a statement, without the statements that only this version has: they are changes of their own.
fn next_kept_statement(file: &FileVersion<'_>, statement: NodeId) -> NodeId {
    let is_added = |node: &SyntaxNode| {
        let mut tokens = node.tokens.clone();
        node.parent == file.source.node(statement).parent
            && tokens.all(|token| file.owner[token].is_some() && file.partner[token].is_none())
    };
    let mut next = file.source.node(statement).subtree_end;
    while let Some(node) = file.source.nodes().get(next).filter(|node| is_added(node)) {
        next = node.subtree_end;
    }
    next
}

/// Returns true if the names in a value keep their meaning up to its last use: in between, no assignment changes them,
/// and no call can change a field or fail first.
fn is_unchanged_until_last_use(
    file: &FileVersion<'_>,
    declaration: &VariableDeclaration,
    uses: &[usize],
) -> bool {
    let start = file.tokens(declaration.statement).end;
    let Some(last) = uses.last() else { return false };
    let tokens = file.tokens(declaration.value);
    let words: Vec<&[u8]> = file.texts(tokens.clone());
    let has_only_locals = tokens.clone().all(|token| {
        let is_use = file.resolution.definition_of(token).is_some();
        let meaning = file.definition(token).map(|declaration| declaration.kind);
        !is_use || meaning == Some(DefinitionKind::Local)
    }) && !words.iter().any(|word| matches!(*word, b"." | b"["));
    let is_changed = |token: usize| words.contains(&file.text(token)) && is_assigned(file, token);
    has_only_locals
        && !(start..*last).any(is_changed)
        && !is_last_use_in_loop(file, declaration, *last)
}

/// Returns true if the last use is in a loop that does not contain the declaration: the value could change there.
fn is_last_use_in_loop(
    file: &FileVersion<'_>,
    declaration: &VariableDeclaration,
    last: usize,
) -> bool {
    let block = file.source.node(declaration.statement).parent;
    let inner = file.source.ancestors(file.innermost_node(last)).take_while(|id| *id != block);
    let mut kinds = inner.map(|id| file.kind(id));
    kinds.any(|kind| {
        matches!(kind, "lambda_expression" | "class_body")
            || kind.starts_with("while")
            || kind.starts_with("for")
            || kind.starts_with("do_")
            || kind.starts_with("enhanced_for")
    })
}

fn detect_constant(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    file: &FileVersion<'_>,
    definition: &Definition,
) -> Option<Refactoring> {
    let declaration = find_single_declaration(file, definition.token)?;
    let modifiers = modifier_tokens(file.source, declaration.statement);
    let is_constant = file.kind(declaration.statement) == "constant_declaration"
        || (file.contains_token(modifiers.clone(), &["static"])
            && file.contains_token(modifiers, &["final"]));
    if !is_constant || !is_literal(file, declaration.value) {
        return None;
    }
    let text = file.texts(file.tokens(declaration.value));
    let owner = file.enclosing_type(definition.token).map(|owner| file.text(owner.name));
    let statement = TokenRange { file: file_index, tokens: file.tokens(declaration.statement) };
    let mut sites: Vec<(TokenRange, TokenRange)> = Vec::new();
    let mut matched: Vec<TokenRange> = Vec::new();
    for token_ref in change.to.uses.get(&definition.name[..])?.iter().take(MAX_USES) {
        let unit = constant_use_range(change, *token_ref, file_index, definition.token, owner);
        if let Some(unit) = unit
            && let Some(old) = change.find_replaced(&unit, &text, &matched)
        {
            matched.push(old.clone());
            sites.push((old, unit));
        }
    }
    let (mut core, mut rest) = (TokenChange::default(), TokenChange::default());
    let (old, unit) = sites.first()?;
    core.add(change, old.token_refs(), statement.token_refs().chain(unit.token_refs()));
    for (old, unit) in &sites[1..] {
        rest.add(change, old.token_refs(), unit.token_refs());
    }
    let name = String::from_utf8_lossy(&definition.name);
    let value = String::from_utf8_lossy(&text.concat()).into_owned();
    let description = format!("{value} replaced with {name}, {}", format_place_count(sites.len()));
    Some(Refactoring::new("replace magic number with constant", description, core, rest))
}

/// Returns the tokens of a use of a constant, with the class before it.
fn constant_use_range(
    change: &DirectedChange<'_, '_>,
    token_ref: TokenRef,
    file_index: usize,
    token: usize,
    owner: Option<&[u8]>,
) -> Option<TokenRange> {
    let file = change.to.file(token_ref.file)?;
    let meaning = file.definition(token_ref.token).map(|one| one.token);
    if token_ref.file == file_index && meaning == Some(token) {
        return Some(TokenRange { file: file_index, tokens: token_ref.token..token_ref.token + 1 });
    }
    let is_qualified = meaning.is_none()
        && token_ref.token > 1
        && file.text(token_ref.token - 1) == b"."
        && Some(file.text(token_ref.token - 2)) == owner
        && file.kind(file.parent(token_ref.token)) == "field_access";
    is_qualified.then(|| TokenRange {
        file: token_ref.file,
        tokens: token_ref.token - 2..token_ref.token + 1,
    })
}

fn is_literal(file: &FileVersion<'_>, node: NodeId) -> bool {
    let tokens = file.tokens(node);
    let is_literal =
        file.kind(node).ends_with("_literal") || matches!(file.kind(node), "true" | "false");
    is_literal
        || (file.kind(node) == "unary_expression"
            && tokens.len() == 2
            && file.kind(file.innermost_node(tokens.end - 1)).ends_with("_literal"))
}

/// Detects a removed variable whose uses became calls of a new method.
fn detect_temp_replaced_with_query(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    file: &FileVersion<'_>,
    definition: &Definition,
) -> Option<Refactoring> {
    if change.is_forward {
        return None;
    }
    // The removed variable is in the old version, which is the second one of the reversed change.
    let declaration = find_single_declaration(file, definition.token)?;
    let uses = file.resolution.uses_of(file.resolution.definition_at(definition.token)?);
    if file.kind(declaration.statement) != "local_variable_declaration"
        || uses.is_empty()
        || uses.len() > MAX_USES
        || uses.iter().any(|token| is_assigned(file, *token))
    {
        return None;
    }
    let value = file.texts(file.tokens(declaration.value));
    let (query, name) = find_query_method(change, file_index, &value)?;
    let call: TokenTexts<'_> = vec![name, b"(", b")"];
    let statement = TokenRange { file: file_index, tokens: file.tokens(declaration.statement) };
    let mut core = TokenChange::default();
    core.add(change, query.token_refs(), statement.token_refs());
    let mut matched = Vec::new();
    for token in uses {
        let unit = TokenRange { file: file_index, tokens: *token..*token + 1 };
        let new = change.find_replaced(&unit, &call, &matched)?;
        core.add(change, new.token_refs(), unit.token_refs());
        matched.push(new);
    }
    let description = format!(
        "variable {} replaced with method {}, {}",
        String::from_utf8_lossy(&definition.name),
        String::from_utf8_lossy(name),
        format_place_count(uses.len())
    );
    Some(Refactoring::new("replace temp with query", description, core, TokenChange::default()))
}

/// Returns the new method without parameters that returns a value.
fn find_query_method<'a>(
    change: &DirectedChange<'_, 'a>,
    file_index: usize,
    value: &[&[u8]],
) -> Option<(TokenRange, &'a [u8])> {
    let file = change.from.file(file_index)?;
    file.outline.members.iter().find_map(|member| {
        let is_new = member.parameters.is_empty() && file.partner[member.name].is_none();
        let callee = is_new.then(|| Callee::from_member(file, member))??;
        let [only] = callee.statements[..] else { return None };
        let tokens = file.tokens(only);
        let text = file.texts(tokens.start + 1..tokens.end - 1);
        (file.text(tokens.start) == b"return" && text == value).then(|| {
            (
                TokenRange { file: file_index, tokens: file.tokens(member.node) },
                file.text(member.name),
            )
        })
    })
}
