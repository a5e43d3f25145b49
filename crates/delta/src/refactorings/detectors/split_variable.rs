//! Variables that are used for one thing instead of two.

use crate::refactorings::detectors::call_expansion::is_assigned;
use crate::refactorings::detectors::extracted_values::places;
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::child;
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use mend_java::{Definition, DefinitionKind, NodeId};

/// More uses than this are not looked at.
const MOST_USES: usize = 500;

/// A new variable of the new version.
struct NewVariable<'s, 'a> {
    at: usize,
    file: &'s FileVersion<'a>,
    definition: &'s Definition,
    statement: NodeId,
    uses: &'s [usize],
}

/// Finds split variables, and parameters that keep their value.
pub(crate) fn find(scene: &VersionedSources<'_>) -> Vec<Refactoring> {
    let [view, _] = scene.ways();
    let mut found = Vec::new();
    for (at, file) in view.to.java_files() {
        for definition in &file.names.definitions {
            let is_new = file.partner[definition.token].is_none();
            if definition.kind == DefinitionKind::Local && is_new {
                let fresh = fresh(at, file, definition);
                found.extend(fresh.as_ref().and_then(|one| split(&view, one)));
                found.extend(fresh.as_ref().and_then(|one| copied(&view, one)));
            }
        }
    }
    found
}

fn fresh<'s, 'a>(
    at: usize,
    file: &'s FileVersion<'a>,
    definition: &'s Definition,
) -> Option<NewVariable<'s, 'a>> {
    let declarator = file.parent(definition.token);
    let statement = file.source.node(declarator).parent;
    let uses = file.resolved.uses(file.resolved.declared(definition.token)?);
    let is_one = file.kind(statement) == "local_variable_declaration"
        && child(file.source, declarator, "value").is_some()
        && !uses.is_empty()
        && uses.len() <= MOST_USES;
    is_one.then_some(NewVariable { at, file, definition, statement, uses })
}

impl NewVariable<'_, '_> {
    /// Returns the uses of the new variable, with the replaced uses of another one.
    fn replaced(
        &self,
        view: &DirectedChange<'_, '_>,
        name: &[u8],
    ) -> Option<Vec<(TokenRange, TokenRange)>> {
        let mut taken: Vec<TokenRange> = Vec::new();
        let mut pairs = Vec::new();
        for token in self.uses {
            let unit = TokenRange { file: self.at, tokens: *token..*token + 1 };
            let old = view.replaced(&unit, &[name], &taken)?;
            taken.push(old.clone());
            pairs.push((old, unit));
        }
        Some(pairs)
    }

    fn type_text(&self) -> Option<Vec<&[u8]>> {
        let node = child(self.file.source, self.statement, "type")?;
        Some(self.file.texts(self.file.tokens(node)))
    }
}

/// Returns the text of the type that a variable or parameter is declared with.
fn declared_type<'a>(file: &FileVersion<'a>, token: usize) -> Option<Vec<&'a [u8]>> {
    let mut around = file.source.ancestors(file.leaf(token)).take(2);
    let node = around.find_map(|id| child(file.source, id, "type"))?;
    Some(file.texts(file.tokens(node)))
}

fn found(
    view: &DirectedChange<'_, '_>,
    name: &'static str,
    what: String,
    core: &mut TokenChange,
    pairs: &[(TokenRange, TokenRange)],
) -> Refactoring {
    for (old, unit) in pairs {
        core.add(view, old.spots(), unit.spots());
    }
    Refactoring::new(name, what, std::mem::take(core), TokenChange::default())
}

/// Detects `v = e; f(v);` that became `T w = e; f(w);`.
fn split(view: &DirectedChange<'_, '_>, one: &NewVariable<'_, '_>) -> Option<Refactoring> {
    let tokens = one.file.tokens(one.statement).start..one.definition.token + 1;
    let head = TokenRange { file: one.at, tokens };
    let locals = |spot: TokenRef| {
        let file = view.from.file(spot.file)?;
        file.definition(spot.token).filter(|old| old.kind == DefinitionKind::Local)
    };
    let first = TokenRange { file: one.at, tokens: one.uses[0]..one.uses[0] + 1 };
    let file = view.from.file(one.at)?;
    let member = one.file.member_around(one.definition.token)?;
    let name = view.to.partner(TokenRef { file: one.at, token: member.name })?;
    let inside = file.tokens(view.from.member(name).filter(|_| name.file == one.at)?.node);
    let locals_inside = file.definitions_in(&inside);
    let candidates = locals_inside.iter().filter(|old| {
        let spot = TokenRef { file: one.at, token: old.token };
        old.kind == DefinitionKind::Local
            && view
                .from
                .partner(spot)
                .is_some_and(|new| one.definition.scope.start <= new.token + old.scope.len())
            && view.replaced(&first, &[&old.name], &[]).is_some()
    });
    candidates.take(8).find_map(|old| {
        let target = view.replaced(&head, &[&old.name], &[])?;
        let home = view.from.file(target.file)?;
        let start = target.tokens.start;
        let meant = locals(TokenRef { file: target.file, token: start })?;
        let uses = home.resolved.uses(home.resolved.declared(meant.token)?);
        let pairs = one.replaced(view, &old.name)?;
        let is_all = uses.iter().filter(|token| **token > start).count() == pairs.len();
        let is_same_type = declared_type(home, meant.token)? == one.type_text()?;
        let is_set = is_assigned(home, start) && home.text(start + 1) == b"=";
        let is_straight = !is_in_loop(home, start, meant);
        (is_all && is_same_type && is_set && is_straight).then_some(())?;
        let mut core = TokenChange::default();
        core.add(view, target.spots(), head.spots());
        let what = format!(
            "variable {} split, new variable {}, {}",
            String::from_utf8_lossy(&old.name),
            String::from_utf8_lossy(&one.definition.name),
            places(pairs.len() + 1)
        );
        Some(found(view, "split temporary variable", what, &mut core, &pairs))
    })
}

/// Returns true if a use is in a loop inside the variable's scope.
fn is_in_loop(file: &FileVersion<'_>, token: usize, definition: &Definition) -> bool {
    file.source.ancestors(file.leaf(token)).any(|id| {
        let kind = file.kind(id);
        let is_loop =
            kind.contains("for_statement") || kind == "while_statement" || kind == "do_statement";
        is_loop && !file.tokens(id).contains(&definition.token)
    })
}

/// Detects a reassigned parameter that a variable replaced.
fn copied(view: &DirectedChange<'_, '_>, one: &NewVariable<'_, '_>) -> Option<Refactoring> {
    let value = child(one.file.source, one.file.parent(one.definition.token), "value")?;
    let tokens = one.file.tokens(value);
    let meant = one.file.definition(tokens.start).filter(|_| tokens.len() == 1)?;
    let new = TokenRef { file: one.at, token: meant.token };
    let member = one.file.member_around(meant.token)?;
    member.parameters.iter().find(|parameter| parameter.name == meant.token)?;
    let old = view.to.partner(new)?;
    let home = view.from.file(old.file)?;
    let uses = home.resolved.uses(home.resolved.declared(old.token)?);
    let pairs = one.replaced(view, &meant.name)?;
    let is_all = uses.len() == pairs.len() && uses.iter().any(|token| is_assigned(home, *token));
    let is_same_type = declared_type(home, old.token)? == one.type_text()?;
    (is_all && is_same_type).then_some(())?;
    let mut core = TokenChange::default();
    let statement = TokenRange { file: one.at, tokens: one.file.tokens(one.statement) };
    core.add(view, [], statement.spots());
    let what = format!(
        "parameter {} replaced with variable {}, {}",
        String::from_utf8_lossy(&meant.name),
        String::from_utf8_lossy(&one.definition.name),
        places(pairs.len())
    );
    Some(found(view, "remove assignments to parameters", what, &mut core, &pairs))
}
