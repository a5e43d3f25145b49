//! Variables and constants for an expression: extracted, inlined, or replaced by a query.

use crate::refactorings::detectors::call_expansion::{Callee, is_assigned};
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{child, modifier_tokens, named};
use crate::refactorings::sources::token_range::{TokenRange, TokenTexts};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use mend_java::{Definition, DefinitionKind, NodeId};

/// More uses than this are not looked at.
const MOST_USES: usize = 500;

/// Finds all of them.
pub(crate) fn find(scene: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut found = Vec::new();
    for view in scene.ways() {
        for (at, file) in view.to.java_files() {
            for definition in &file.names.definitions {
                if file.partner[definition.token].is_some() {
                    continue;
                }
                match definition.kind {
                    DefinitionKind::Local => {
                        found.extend(variable(&view, at, file, definition));
                        found.extend(temp_with_query(&view, at, file, definition));
                    }
                    DefinitionKind::Field if view.is_forward => {
                        found.extend(constant(&view, at, file, definition));
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

/// A declaration of one variable with its value.
struct VariableDeclaration {
    statement: NodeId,
    value: NodeId,
}

fn declared(file: &FileVersion<'_>, token: usize) -> Option<VariableDeclaration> {
    let declarator = file.parent(token);
    (file.kind(declarator) == "variable_declarator").then_some(())?;
    let statement = file.source.node(declarator).parent;
    let siblings = named(file.source, statement);
    let is_alone =
        siblings.iter().filter(|id| file.kind(**id) == "variable_declarator").count() == 1;
    let value = child(file.source, declarator, "value").filter(|_| is_alone)?;
    Some(VariableDeclaration { statement, value })
}

fn variable(
    view: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    definition: &Definition,
) -> Option<Refactoring> {
    let one = declared(file, definition.token)?;
    if file.kind(one.statement) != "local_variable_declaration" {
        return None;
    }
    let uses = file.resolved.uses(file.resolved.declared(definition.token)?);
    let text = file.texts(file.tokens(one.value));
    if uses.is_empty()
        || uses.len() > MOST_USES
        || !may_move(file, &one, uses)
        || is_elsewhere(view, at, definition)
    {
        return None;
    }
    let statement = TokenRange { file: at, tokens: file.tokens(one.statement) };
    let mut core = TokenChange::default();
    core.add(view, [], statement.spots());
    let mut taken = Vec::new();
    for token in uses {
        if is_assigned(file, *token) {
            return None;
        }
        let unit = TokenRange { file: at, tokens: *token..*token + 1 };
        let old = view.replaced_expression(&unit, &text, &taken)?;
        core.add(view, old.spots(), unit.spots());
        taken.push(old);
    }
    let name = String::from_utf8_lossy(&definition.name);
    let (kind, verb) = if view.is_forward {
        ("extract variable", "extracted")
    } else {
        ("inline temp", "inlined")
    };
    let what = format!("variable {name} {verb}, {}", places(uses.len()));
    Some(Refactoring::new(kind, what, core, TokenChange::default()))
}

/// Returns true if the member already had an unrecognised variable of that name.
fn is_elsewhere(view: &DirectedChange<'_, '_>, at: usize, definition: &Definition) -> bool {
    let member = || {
        let member = view.to.file(at)?.member_around(definition.token)?;
        let name = view.to.partner(TokenRef { file: at, token: member.name })?;
        let (old, other) = (view.from.file(name.file)?, view.from.member(name)?);
        let is_same = |one: &Definition| {
            one.kind == DefinitionKind::Local
                && one.name == definition.name
                && old.partner[one.token].is_none()
        };
        Some(old.definitions_in(&old.tokens(other.node)).iter().any(is_same))
    };
    member().unwrap_or(true)
}

pub(crate) fn places(count: usize) -> String {
    if count == 1 { "1 place".to_owned() } else { format!("{count} places") }
}

/// Returns true if a value is the same at its declaration and at its uses: no code in between can change it, and the
/// time of its evaluation is not observable.
fn may_move(file: &FileVersion<'_>, one: &VariableDeclaration, uses: &[usize]) -> bool {
    let value = file.source.node(one.value);
    let has = |kinds: &[&str]| (one.value..value.end).any(|id| kinds.contains(&file.kind(id)));
    if has(&[
        "assignment_expression",
        "update_expression",
        "lambda_expression",
        "array_initializer",
    ]) {
        return false;
    }
    let next = file.source.node(one.statement).end;
    let is_next = file.source.nodes().get(next).is_some_and(|node| {
        let kind = file.kind(next);
        let is_simple = matches!(
            kind,
            "expression_statement"
                | "local_variable_declaration"
                | "return_statement"
                | "throw_statement"
        );
        let is_plain = !file.has_word(node.tokens.clone(), &["?", "&&", "||", "->"]);
        is_simple && is_plain && uses.iter().all(|token| node.tokens.contains(token))
    });
    let is_heavy = has(&[
        "method_invocation",
        "object_creation_expression",
        "array_creation_expression",
        "explicit_generic_invocation",
    ]);
    if is_heavy {
        return is_next && uses.len() == 1;
    }
    is_next || is_steady(file, one, uses)
}

/// Returns true if the names in a value keep their meaning up to its last use: in between, no assignment changes them,
/// and no call can change a field or fail first.
fn is_steady(file: &FileVersion<'_>, one: &VariableDeclaration, uses: &[usize]) -> bool {
    let start = file.tokens(one.statement).end;
    let Some(last) = uses.last() else { return false };
    let tokens = file.tokens(one.value);
    let words: Vec<&[u8]> = file.texts(tokens.clone());
    let holds_only_locals = tokens.clone().all(|token| {
        let is_use = file.resolved.meaning(token).is_some();
        let meaning = file.definition(token).map(|one| one.kind);
        !is_use || meaning == Some(DefinitionKind::Local)
    }) && !words.iter().any(|word| matches!(*word, b"." | b"["));
    let is_changed = |token: usize| words.contains(&file.text(token)) && is_assigned(file, token);
    holds_only_locals && !(start..*last).any(is_changed) && !is_in_loop_after(file, one, *last)
}

/// Returns true if the last use is in a loop that does not contain the declaration: the value could change there.
fn is_in_loop_after(file: &FileVersion<'_>, one: &VariableDeclaration, last: usize) -> bool {
    let block = file.source.node(one.statement).parent;
    let inner = file.source.ancestors(file.leaf(last)).take_while(|id| *id != block);
    let mut kinds = inner.map(|id| file.kind(id));
    kinds.any(|kind| {
        matches!(kind, "lambda_expression" | "class_body")
            || kind.starts_with("while")
            || kind.starts_with("for")
            || kind.starts_with("do_")
            || kind.starts_with("enhanced_for")
    })
}

fn constant(
    view: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    definition: &Definition,
) -> Option<Refactoring> {
    let one = declared(file, definition.token)?;
    let modifiers = modifier_tokens(file.source, one.statement);
    let is_constant = file.kind(one.statement) == "constant_declaration"
        || (file.has_word(modifiers.clone(), &["static"]) && file.has_word(modifiers, &["final"]));
    if !is_constant || !is_literal(file, one.value) {
        return None;
    }
    let text = file.texts(file.tokens(one.value));
    let owner = file.type_around(definition.token).map(|owner| file.text(owner.name));
    let statement = TokenRange { file: at, tokens: file.tokens(one.statement) };
    let mut sites: Vec<(TokenRange, TokenRange)> = Vec::new();
    let mut taken: Vec<TokenRange> = Vec::new();
    for spot in view.to.uses.get(&definition.name[..])?.iter().take(MOST_USES) {
        let unit = constant_use(view, *spot, at, definition.token, owner);
        if let Some(unit) = unit
            && let Some(old) = view.replaced(&unit, &text, &taken)
        {
            taken.push(old.clone());
            sites.push((old, unit));
        }
    }
    let (mut core, mut rest) = (TokenChange::default(), TokenChange::default());
    let (old, unit) = sites.first()?;
    core.add(view, old.spots(), statement.spots().chain(unit.spots()));
    for (old, unit) in &sites[1..] {
        rest.add(view, old.spots(), unit.spots());
    }
    let name = String::from_utf8_lossy(&definition.name);
    let value = String::from_utf8_lossy(&text.concat()).into_owned();
    let what = format!("{value} replaced with {name}, {}", places(sites.len()));
    Some(Refactoring::new("replace magic number with constant", what, core, rest))
}

/// Returns the tokens of a use of a constant, with the class before it.
fn constant_use(
    view: &DirectedChange<'_, '_>,
    spot: TokenRef,
    at: usize,
    token: usize,
    owner: Option<&[u8]>,
) -> Option<TokenRange> {
    let file = view.to.file(spot.file)?;
    let meaning = file.definition(spot.token).map(|one| one.token);
    if spot.file == at && meaning == Some(token) {
        return Some(TokenRange { file: at, tokens: spot.token..spot.token + 1 });
    }
    let is_qualified = meaning.is_none()
        && spot.token > 1
        && file.text(spot.token - 1) == b"."
        && Some(file.text(spot.token - 2)) == owner
        && file.kind(file.parent(spot.token)) == "field_access";
    is_qualified.then(|| TokenRange { file: spot.file, tokens: spot.token - 2..spot.token + 1 })
}

fn is_literal(file: &FileVersion<'_>, node: NodeId) -> bool {
    let tokens = file.tokens(node);
    let is_literal =
        file.kind(node).ends_with("_literal") || matches!(file.kind(node), "true" | "false");
    is_literal
        || (file.kind(node) == "unary_expression"
            && tokens.len() == 2
            && file.kind(file.leaf(tokens.end - 1)).ends_with("_literal"))
}

/// Detects a removed variable whose uses became calls of a new method.
fn temp_with_query(
    view: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    definition: &Definition,
) -> Option<Refactoring> {
    if view.is_forward {
        return None;
    }
    // The variable is in the old version, which is where this view goes to.
    let one = declared(file, definition.token)?;
    let uses = file.resolved.uses(file.resolved.declared(definition.token)?);
    if file.kind(one.statement) != "local_variable_declaration"
        || uses.is_empty()
        || uses.len() > MOST_USES
        || uses.iter().any(|token| is_assigned(file, *token))
    {
        return None;
    }
    let value = file.texts(file.tokens(one.value));
    let (query, name) = query_for(view, at, &value)?;
    let call: TokenTexts<'_> = vec![name, b"(", b")"];
    let statement = TokenRange { file: at, tokens: file.tokens(one.statement) };
    let mut core = TokenChange::default();
    core.add(view, query.spots(), statement.spots());
    let mut taken = Vec::new();
    for token in uses {
        let unit = TokenRange { file: at, tokens: *token..*token + 1 };
        let new = view.replaced(&unit, &call, &taken)?;
        core.add(view, new.spots(), unit.spots());
        taken.push(new);
    }
    let what = format!(
        "variable {} replaced with method {}, {}",
        String::from_utf8_lossy(&definition.name),
        String::from_utf8_lossy(name),
        places(uses.len())
    );
    Some(Refactoring::new("replace temp with query", what, core, TokenChange::default()))
}

/// Returns the new method without parameters that returns a value.
fn query_for<'a>(
    view: &DirectedChange<'_, 'a>,
    at: usize,
    value: &[&[u8]],
) -> Option<(TokenRange, &'a [u8])> {
    let file = view.from.file(at)?;
    file.outline.members.iter().find_map(|member| {
        let is_new = member.parameters.is_empty() && file.partner[member.name].is_none();
        let callee = is_new.then(|| Callee::from_member(file, member))??;
        let [only] = callee.statements[..] else { return None };
        let tokens = file.tokens(only);
        let text = file.texts(tokens.start + 1..tokens.end - 1);
        (file.text(tokens.start) == b"return" && text == value).then(|| {
            (TokenRange { file: at, tokens: file.tokens(member.node) }, file.text(member.name))
        })
    })
}
