//! Donor code from related routines: those of related classes, and the same routine in a passing version.

use crate::fixes::code_text::reindent;
use crate::fixes::donor_restrictions::{MAX_DONOR_LEN, has_valid_exits};
use crate::fixes::site::RepairSite;
use mend_java::Code;
use mend_java::code::scope::Variable;
use mend_java::facts::{NodeIndex, NodeKind, Symbol, SymbolFlags, SymbolId, SymbolKind};
use mend_java::{Edit, apply_edits};
use std::collections::{BTreeSet, HashSet};

/// Maximum number of statements taken from related code.
const MAX_DONORS: usize = 12;

/// Similarity of an overload of the same name.
const OVERLOAD_SIMILARITY: f64 = 0.8;

/// Maximum similarity of a routine with another name.
const MAX_OTHER_SIMILARITY: f64 = 0.5;

/// Returns donors from related routines, adapted to the site, each with the similarity of its routine, most similar
/// first.
pub(crate) fn find_related_donors(site: &RepairSite<'_>) -> Vec<(String, f64)> {
    let code = &site.code;
    let Some(method) = code.enclosing_method(site.statement) else { return Vec::new() };
    let Some(own) = code.symbol(method) else { return Vec::new() };
    let mut routines = related_class_routines(site, own);
    routines.extend(same_routine_in_passing_version(site, own));
    // The stable sort keeps the order of equally similar routines.
    routines.sort_by(|one, other| other.0.total_cmp(&one.0));
    let own_statements: HashSet<String> = copyable_statements(code, method)
        .into_iter()
        .map(|id| without_space(code.source_text(id)))
        .collect();
    let mut found: Vec<(String, f64)> = Vec::new();
    for (similarity, other, routine) in routines {
        let statements = copyable_statements(&other, routine).into_iter().filter(|id| {
            other.source_text(*id).len() <= MAX_DONOR_LEN && has_valid_exits(site, &other, *id)
        });
        let texts = statements.filter_map(|id| adapt_names(site, &other, id));
        for text in texts.filter(|text| !own_statements.contains(&without_space(text))) {
            if found.len() < MAX_DONORS && found.iter().all(|(known, _)| *known != text) {
                found.push((text, similarity));
            }
        }
    }
    found
}

/// Returns the statements of a routine that may be copied.
fn copyable_statements(code: &Code<'_>, routine: NodeIndex) -> Vec<NodeIndex> {
    let is_copyable = |id: &NodeIndex| {
        matches!(code.kind(*id), NodeKind::ExpressionStatement | NodeKind::If)
            && code.is_statement(*id)
    };
    (routine..code.node(routine).subtree_end).filter(is_copyable).collect()
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A routine of another file or class, with its similarity to the routine of the site.
type RelatedRoutine<'a> = (f64, Code<'a>, NodeIndex);

/// Returns the routines of superclasses, subclasses, and classes with a common supertype in the project.
fn related_class_routines<'a>(site: &RepairSite<'a>, own: &Symbol) -> Vec<RelatedRoutine<'a>> {
    let facts = site.code.facts;
    let Some(class) = own.owner else { return Vec::new() };
    let is_of_project = |id: &SymbolId| facts.symbol(*id).position.is_some();
    let supertypes: BTreeSet<SymbolId> =
        facts.supertypes_with_self(class).into_iter().filter(is_of_project).collect();
    let types = facts.symbols().iter().enumerate();
    let related_classes: HashSet<SymbolId> = types
        .filter(|(id, one)| *id != class && one.kind.is_type() && one.position.is_some())
        .filter(|(id, _)| {
            facts.supertypes_with_self(*id).intersection(&supertypes).next().is_some()
        })
        .map(|(id, _)| id)
        .collect();
    let places = related_classes.iter().filter_map(|id| facts.symbol(*id).position.as_ref());
    let files: HashSet<_> = places.map(|place| &facts.trees()[place.tree].path).collect();
    let codes = site.input.main.iter().filter(|(path, _)| files.contains(path));
    let routines_of = |code: &Code<'a>| {
        find_routines(code, |one| one.owner.is_some_and(|id| related_classes.contains(&id)))
    };
    let found =
        codes.flat_map(|(_, code)| routines_of(code).into_iter().map(|(id, one)| (*code, id, one)));
    let with_similarity = |(code, id, one): (Code<'a>, NodeIndex, &Symbol)| {
        Some((routine_similarity(site, own, &code, one), code, id))
            .filter(|(likeness, ..)| *likeness > 0.0)
    };
    found.filter_map(with_similarity).collect()
}

/// Returns the same routine in a passing version.
fn same_routine_in_passing_version<'a>(
    site: &RepairSite<'a>,
    own: &Symbol,
) -> Vec<RelatedRoutine<'a>> {
    let holder = |code: &Code<'_>, one: &Symbol| {
        one.owner.map(|owner| code.facts.text(code.facts.symbol(owner).full_name).to_owned())
    };
    let is_same = |code: &Code<'a>, one: &Symbol| {
        holder(code, one) == holder(&site.code, own)
            && routine_similarity(site, own, code, one) >= 1.0
    };
    let same_file = site.input.passing_version.iter();
    let same_file = same_file.filter(|(path, _)| *path == site.code.tree.path);
    let routines_of = |code: &Code<'a>| {
        let found = find_routines(code, |one| is_same(code, one)).into_iter();
        found.map(|(id, _)| (1.0, *code, id)).collect::<Vec<_>>()
    };
    same_file.flat_map(|(_, code)| routines_of(code)).collect()
}

/// Returns the routines of a file that a predicate selects.
fn find_routines<'a>(
    code: &Code<'a>,
    is_selected: impl Fn(&Symbol) -> bool,
) -> Vec<(NodeIndex, &'a Symbol)> {
    let methods = code.nodes_of_kind(NodeKind::Method);
    let with_symbols = methods.filter_map(|id| Some((id, code.symbol(id)?)));
    with_symbols.filter(|(_, one)| is_selected(one)).collect()
}

/// Returns the similarity of two routines by names and parameters.
fn routine_similarity(site: &RepairSite<'_>, own: &Symbol, code: &Code<'_>, other: &Symbol) -> f64 {
    let parameters = |code: &Code<'_>, one: &Symbol| {
        let types = one.parameters.iter().map(|id| code.facts.symbol(*id).ty.erased);
        types.map(|ty| code.facts.text(ty).to_owned()).collect::<Vec<_>>()
    };
    let names = (site.code.facts.text(own.name), code.facts.text(other.name));
    if names.0 != names.1 {
        return MAX_OTHER_SIMILARITY * shared_word_ratio(names.0, names.1);
    }
    if parameters(&site.code, own) == parameters(code, other) { 1.0 } else { OVERLOAD_SIMILARITY }
}

/// Returns the share of words that two names have in common.
fn shared_word_ratio(one: &str, other: &str) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let (one, other) = (name_words(one), name_words(other));
    let all = one.union(&other).count();
    if all == 0 { 0.0 } else { number(one.intersection(&other).count()) / number(all) }
}

/// Returns the words of a name.
fn name_words(name: &str) -> BTreeSet<String> {
    let mut all: Vec<String> = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            all.push(String::new());
        }
        if let Some(last) = all.last_mut().filter(|_| c != '_') {
            last.extend(c.to_lowercase());
        }
    }
    all.into_iter().filter(|word| !word.is_empty()).collect()
}

/// Adapts a donor by replacing each of its names by the same name, or the most similar one of the same type, at the
/// site; `None` if there is none.
fn adapt_names(site: &RepairSite<'_>, code: &Code<'_>, donor: NodeIndex) -> Option<String> {
    let start = code.bytes(donor).start;
    let donor_nodes = donor..code.node(donor).subtree_end;
    let declared: HashSet<SymbolId> = donor_nodes
        .clone()
        .filter(|id| code.has_kind(*id, NodeKind::Variable))
        .filter_map(|id| code.node(id).symbol)
        .collect();
    let mut edits = Vec::new();
    for id in donor_nodes.filter(|id| code.has_kind(*id, NodeKind::Identifier)) {
        let (Some(symbol), name) = (code.symbol(id), code.source_text(id)) else { continue };
        let is_own = code.node(id).symbol.is_some_and(|id| declared.contains(&id));
        let new_name = match symbol.kind {
            _ if is_own || matches!(name, "this" | "super") => continue,
            SymbolKind::Local | SymbolKind::Field => {
                let ty = code.facts.text(symbol.ty.erased);
                corresponding_variable(site, name, ty)?
            }
            SymbolKind::Method => corresponding_method(site, name)?,
            _ => continue,
        };
        if new_name != name {
            let bytes = code.bytes(id);
            edits.push(Edit::replace(bytes.start - start..bytes.end - start, new_name));
        }
    }
    let text = apply_edits(code.source_text(donor), &edits)?;
    Some(reindent(&text, code.indent(donor), site.code.indent(site.statement)))
}

/// Returns the variable that corresponds to a name of a type.
fn corresponding_variable<'b>(site: &'b RepairSite<'_>, name: &str, ty: &str) -> Option<&'b str> {
    let same_type: Vec<&Variable> = site.variables().iter().filter(|one| one.ty == ty).collect();
    let mut same = same_type.iter().filter(|one| one.name == name);
    // Of equally similar variables, the nearest one is used.
    let most_similar = || {
        same_type.iter().rev().max_by(|one, other| {
            shared_word_ratio(&one.name, name).total_cmp(&shared_word_ratio(&other.name, name))
        })
    };
    same.next().or_else(most_similar).map(|one| &*one.name)
}

/// Returns the object's method of the same name.
fn corresponding_method<'b>(site: &RepairSite<'_>, name: &'b str) -> Option<&'b str> {
    let code = &site.code;
    let class = code.enclosing_type(site.statement).and_then(|class| code.node(class).symbol)?;
    let supertypes = code.facts.supertypes_with_self(class);
    let is_callable = |one: &Symbol| {
        one.kind == SymbolKind::Method
            && code.facts.text(one.name) == name
            && one.owner.is_some_and(|owner| {
                owner == class
                    || supertypes.contains(&owner) && !one.flags.has(SymbolFlags::PRIVATE)
            })
    };
    code.facts.symbols().iter().any(is_callable).then_some(name)
}
