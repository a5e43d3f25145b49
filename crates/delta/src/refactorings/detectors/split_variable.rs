//! Detects split variables, and removed assignments to parameters.

use crate::refactorings::detectors::call_expansion::is_assigned;
use crate::refactorings::detectors::extracted_values::format_place_count;
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::child_in_field;
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use mend_java::{Definition, DefinitionKind, NodeId};

/// Maximum number of uses of a variable.
const MAX_USES: usize = 500;

/// A variable that only the new version has.
struct NewVariable<'s, 'a> {
    file_index: usize,
    file: &'s FileVersion<'a>,
    definition: &'s Definition,
    statement: NodeId,
    uses: &'s [usize],
}

/// Detects all of these refactorings.
pub(crate) fn find(sources: &VersionedSources<'_>) -> Vec<Refactoring> {
    let [change, _] = sources.directions();
    let mut refactorings = Vec::new();
    for (at, file) in change.to.java_files() {
        for definition in &file.symbol_index.definitions {
            let is_new = file.partner[definition.token].is_none();
            if definition.kind == DefinitionKind::Local && is_new {
                let new_variable = find_new_variable(at, file, definition);
                refactorings.extend(
                    new_variable.as_ref().and_then(|one| detect_split_variable(&change, one)),
                );
                refactorings.extend(
                    new_variable.as_ref().and_then(|one| detect_reassigned_parameter(&change, one)),
                );
            }
        }
    }
    refactorings
}

fn find_new_variable<'s, 'a>(
    file_index: usize,
    file: &'s FileVersion<'a>,
    definition: &'s Definition,
) -> Option<NewVariable<'s, 'a>> {
    let declarator = file.parent(definition.token);
    let statement = file.source.node(declarator).parent;
    let uses = file.resolution.uses_of(file.resolution.definition_at(definition.token)?);
    let is_candidate = file.kind(statement) == "local_variable_declaration"
        && child_in_field(file.source, declarator, "value").is_some()
        && !uses.is_empty()
        && uses.len() <= MAX_USES;
    is_candidate.then_some(NewVariable { file_index, file, definition, statement, uses })
}

impl NewVariable<'_, '_> {
    /// Returns the uses of the new variable, with the replaced uses of another one.
    fn replaced_uses(
        &self,
        change: &DirectedChange<'_, '_>,
        name: &[u8],
    ) -> Option<Vec<(TokenRange, TokenRange)>> {
        let mut matched: Vec<TokenRange> = Vec::new();
        let mut pairs = Vec::new();
        for token in self.uses {
            let unit = TokenRange { file: self.file_index, tokens: *token..*token + 1 };
            let old = change.find_replaced(&unit, &[name], &matched)?;
            matched.push(old.clone());
            pairs.push((old, unit));
        }
        Some(pairs)
    }

    fn type_text(&self) -> Option<Vec<&[u8]>> {
        let node = child_in_field(self.file.source, self.statement, "type")?;
        Some(self.file.texts(self.file.tokens(node)))
    }
}

/// Returns the text of the declared type of a variable or parameter.
fn declared_type<'a>(file: &FileVersion<'a>, token: usize) -> Option<Vec<&'a [u8]>> {
    let mut enclosing = file.source.ancestors(file.innermost_node(token)).take(2);
    let node = enclosing.find_map(|id| child_in_field(file.source, id, "type"))?;
    Some(file.texts(file.tokens(node)))
}

fn create_refactoring(
    change: &DirectedChange<'_, '_>,
    name: &'static str,
    description: String,
    core: &mut TokenChange,
    pairs: &[(TokenRange, TokenRange)],
) -> Refactoring {
    for (old, unit) in pairs {
        core.add(change, old.token_refs(), unit.token_refs());
    }
    Refactoring::new(name, description, std::mem::take(core), TokenChange::default())
}

/// Detects `v = e; f(v);` that became `T w = e; f(w);`.
fn detect_split_variable(
    change: &DirectedChange<'_, '_>,
    new_variable: &NewVariable<'_, '_>,
) -> Option<Refactoring> {
    let tokens =
        new_variable.file.tokens(new_variable.statement).start..new_variable.definition.token + 1;
    let head = TokenRange { file: new_variable.file_index, tokens };
    let find_local = |token_ref: TokenRef| {
        let file = change.from.file(token_ref.file)?;
        file.definition(token_ref.token).filter(|old| old.kind == DefinitionKind::Local)
    };
    let first = TokenRange {
        file: new_variable.file_index,
        tokens: new_variable.uses[0]..new_variable.uses[0] + 1,
    };
    let file = change.from.file(new_variable.file_index)?;
    let member = new_variable.file.enclosing_member(new_variable.definition.token)?;
    let name = change.to.partner(TokenRef { file: new_variable.file_index, token: member.name })?;
    let member_tokens = file
        .tokens(change.from.member(name).filter(|_| name.file == new_variable.file_index)?.node);
    let member_definitions = file.definitions_in(&member_tokens);
    let candidates = member_definitions.iter().filter(|old| {
        let token_ref = TokenRef { file: new_variable.file_index, token: old.token };
        old.kind == DefinitionKind::Local
            && change.from.partner(token_ref).is_some_and(|new| {
                new_variable.definition.scope.start <= new.token + old.scope.len()
            })
            && change.find_replaced(&first, &[&old.name], &[]).is_some()
    });
    candidates.take(8).find_map(|old| {
        let target = change.find_replaced(&head, &[&old.name], &[])?;
        let old_file = change.from.file(target.file)?;
        let start = target.tokens.start;
        let target_definition = find_local(TokenRef { file: target.file, token: start })?;
        let uses = old_file
            .resolution
            .uses_of(old_file.resolution.definition_at(target_definition.token)?);
        let pairs = new_variable.replaced_uses(change, &old.name)?;
        let are_all_uses_replaced =
            uses.iter().filter(|token| **token > start).count() == pairs.len();
        let is_same_type =
            declared_type(old_file, target_definition.token)? == new_variable.type_text()?;
        let is_assignment = is_assigned(old_file, start) && old_file.text(start + 1) == b"=";
        let is_outside_loop = !is_in_loop(old_file, start, target_definition);
        (are_all_uses_replaced && is_same_type && is_assignment && is_outside_loop).then_some(())?;
        let mut core = TokenChange::default();
        core.add(change, target.token_refs(), head.token_refs());
        let description = format!(
            "variable {} split, new variable {}, {}",
            String::from_utf8_lossy(&old.name),
            String::from_utf8_lossy(&new_variable.definition.name),
            format_place_count(pairs.len() + 1)
        );
        Some(create_refactoring(change, "split temporary variable", description, &mut core, &pairs))
    })
}

/// Returns true if a use is in a loop inside the variable's scope.
fn is_in_loop(file: &FileVersion<'_>, token: usize, definition: &Definition) -> bool {
    file.source.ancestors(file.innermost_node(token)).any(|id| {
        let kind = file.kind(id);
        let is_loop =
            kind.contains("for_statement") || kind == "while_statement" || kind == "do_statement";
        is_loop && !file.tokens(id).contains(&definition.token)
    })
}

/// Detects a reassigned parameter that is replaced by a variable.
fn detect_reassigned_parameter(
    change: &DirectedChange<'_, '_>,
    new_variable: &NewVariable<'_, '_>,
) -> Option<Refactoring> {
    let value = child_in_field(
        new_variable.file.source,
        new_variable.file.parent(new_variable.definition.token),
        "value",
    )?;
    let tokens = new_variable.file.tokens(value);
    let parameter_definition =
        new_variable.file.definition(tokens.start).filter(|_| tokens.len() == 1)?;
    let new = TokenRef { file: new_variable.file_index, token: parameter_definition.token };
    let member = new_variable.file.enclosing_member(parameter_definition.token)?;
    member.parameters.iter().find(|parameter| parameter.name == parameter_definition.token)?;
    let old = change.to.partner(new)?;
    let old_file = change.from.file(old.file)?;
    let uses = old_file.resolution.uses_of(old_file.resolution.definition_at(old.token)?);
    let pairs = new_variable.replaced_uses(change, &parameter_definition.name)?;
    let are_all_uses_replaced =
        uses.len() == pairs.len() && uses.iter().any(|token| is_assigned(old_file, *token));
    let is_same_type = declared_type(old_file, old.token)? == new_variable.type_text()?;
    (are_all_uses_replaced && is_same_type).then_some(())?;
    let mut core = TokenChange::default();
    let statement = TokenRange {
        file: new_variable.file_index,
        tokens: new_variable.file.tokens(new_variable.statement),
    };
    core.add(change, [], statement.token_refs());
    let description = format!(
        "parameter {} replaced with variable {}, {}",
        String::from_utf8_lossy(&parameter_definition.name),
        String::from_utf8_lossy(&new_variable.definition.name),
        format_place_count(pairs.len())
    );
    Some(create_refactoring(
        change,
        "remove assignments to parameters",
        description,
        &mut core,
        &pairs,
    ))
}
