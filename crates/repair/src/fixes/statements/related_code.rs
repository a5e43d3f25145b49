//! Statements from elsewhere: of classes that are akin to that of a statement, and of its routine in a version that
//! passes.

use crate::fixes::copied_code::{LONGEST, may_leave};
use crate::fixes::site::RepairSite;
use crate::fixes::text::reindented;
use mend_java::Code;
use mend_java::code::scope::Variable;
use mend_java::facts::{NodeIndex, NodeKind, Symbol, SymbolFlags, SymbolId, SymbolKind};
use mend_java::{Edit, edited};
use std::collections::{BTreeSet, HashSet};

/// Maximum number of statements taken from related code.
const MOST: usize = 12;

/// Similarity of an overload of the same name to the own routine.
const NAMESAKE: f64 = 0.8;

/// Maximum similarity of a routine with another name.
const OTHER: f64 = 0.5;

/// Returns donors from related routines in the terms of the site, each with the similarity of its routine, most similar
/// first.
pub(crate) fn donors(site: &RepairSite<'_>) -> Vec<(String, f64)> {
    let code = &site.code;
    let Some(method) = code.method_of(site.statement) else { return Vec::new() };
    let Some(own) = code.symbol(method) else { return Vec::new() };
    let mut routines = akin(site, own);
    routines.extend(in_good(site, own));
    // What is as like stays in its order.
    routines.sort_by(|one, other| other.0.total_cmp(&one.0));
    let known: HashSet<String> =
        inside(code, method).into_iter().map(|id| squeezed(code.written(id))).collect();
    let mut found: Vec<(String, f64)> = Vec::new();
    for (likeness, other, routine) in routines {
        let statements = inside(&other, routine)
            .into_iter()
            .filter(|id| other.written(*id).len() <= LONGEST && may_leave(site, &other, *id));
        let texts = statements.filter_map(|id| in_words_of(site, &other, id));
        for text in texts.filter(|text| !known.contains(&squeezed(text))) {
            if found.len() < MOST && found.iter().all(|(known, _)| *known != text) {
                found.push((text, likeness));
            }
        }
    }
    found
}

/// Returns the statements of a routine that may be copied.
fn inside(code: &Code<'_>, routine: NodeIndex) -> Vec<NodeIndex> {
    let is_meant = |id: &NodeIndex| {
        matches!(code.kind(*id), NodeKind::ExpressionStatement | NodeKind::If)
            && code.is_statement(*id)
    };
    (routine..code.node(routine).end).filter(is_meant).collect()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A routine of another file or class, with its similarity to the own one.
type RelatedRoutine<'a> = (f64, Code<'a>, NodeIndex);

/// Returns the routines of superclasses, subclasses, and classes with a common supertype in the project.
fn akin<'a>(site: &RepairSite<'a>, own: &Symbol) -> Vec<RelatedRoutine<'a>> {
    let facts = site.code.facts;
    let Some(class) = own.owner else { return Vec::new() };
    let is_of_project = |id: &SymbolId| facts.symbol(*id).place.is_some();
    let above: BTreeSet<SymbolId> =
        facts.supertypes_with_self(class).into_iter().filter(is_of_project).collect();
    let types = facts.symbols().iter().enumerate();
    let akin: HashSet<SymbolId> = types
        .filter(|(id, one)| *id != class && one.kind.is_type() && one.place.is_some())
        .filter(|(id, _)| facts.supertypes_with_self(*id).intersection(&above).next().is_some())
        .map(|(id, _)| id)
        .collect();
    let places = akin.iter().filter_map(|id| facts.symbol(*id).place.as_ref());
    let files: HashSet<_> = places.map(|place| &facts.trees()[place.tree].path).collect();
    let codes = site.material.main.iter().filter(|(path, _)| files.contains(path));
    let of = |code: &Code<'a>| routines(code, |one| one.owner.is_some_and(|id| akin.contains(&id)));
    let found = codes.flat_map(|(_, code)| of(code).into_iter().map(|(id, one)| (*code, id, one)));
    let like = |(code, id, one): (Code<'a>, NodeIndex, &Symbol)| {
        Some((likeness(site, own, &code, one), code, id)).filter(|(likeness, ..)| *likeness > 0.0)
    };
    found.filter_map(like).collect()
}

/// Returns the same routine in a passing version.
fn in_good<'a>(site: &RepairSite<'a>, own: &Symbol) -> Vec<RelatedRoutine<'a>> {
    let holder = |code: &Code<'_>, one: &Symbol| {
        one.owner.map(|owner| code.facts.text(code.facts.symbol(owner).full_name).to_owned())
    };
    let is_same = |code: &Code<'a>, one: &Symbol| {
        holder(code, one) == holder(&site.code, own) && likeness(site, own, code, one) >= 1.0
    };
    let same_file = site.material.good.iter();
    let same_file = same_file.filter(|(path, _)| *path == site.code.tree.path);
    let of = |code: &Code<'a>| {
        let found = routines(code, |one| is_same(code, one)).into_iter();
        found.map(|(id, _)| (1.0, *code, id)).collect::<Vec<_>>()
    };
    same_file.flat_map(|(_, code)| of(code)).collect()
}

/// Returns the routines of a file that a predicate selects.
fn routines<'a>(
    code: &Code<'a>,
    is_meant: impl Fn(&Symbol) -> bool,
) -> Vec<(NodeIndex, &'a Symbol)> {
    let methods = code.nodes_of_kind(NodeKind::Method);
    let known = methods.filter_map(|id| Some((id, code.symbol(id)?)));
    known.filter(|(_, one)| is_meant(one)).collect()
}

/// Returns the similarity of two routines by names and parameters.
fn likeness(site: &RepairSite<'_>, own: &Symbol, code: &Code<'_>, other: &Symbol) -> f64 {
    let parameters = |code: &Code<'_>, one: &Symbol| {
        let types = one.parameters.iter().map(|id| code.facts.symbol(*id).ty.erased);
        types.map(|ty| code.facts.text(ty).to_owned()).collect::<Vec<_>>()
    };
    let names = (site.code.facts.text(own.name), code.facts.text(other.name));
    if names.0 != names.1 {
        return OTHER * shared(names.0, names.1);
    }
    if parameters(&site.code, own) == parameters(code, other) { 1.0 } else { NAMESAKE }
}

/// Returns the share of words that two names have in common.
fn shared(one: &str, other: &str) -> f64 {
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

/// Returns a statement from elsewhere with the site's names in place of its own: the same name, or the most similar one
/// of the same type; `None` if there is none.
fn in_words_of(site: &RepairSite<'_>, code: &Code<'_>, donor: NodeIndex) -> Option<String> {
    let start = code.bytes(donor).start;
    let inside = donor..code.node(donor).end;
    let declared: HashSet<SymbolId> = inside
        .clone()
        .filter(|id| code.is(*id, NodeKind::Variable))
        .filter_map(|id| code.node(id).symbol)
        .collect();
    let mut edits = Vec::new();
    for id in inside.filter(|id| code.is(*id, NodeKind::Identifier)) {
        let (Some(symbol), name) = (code.symbol(id), code.written(id)) else { continue };
        let is_own = code.node(id).symbol.is_some_and(|id| declared.contains(&id));
        let word = match symbol.kind {
            _ if is_own || matches!(name, "this" | "super") => continue,
            SymbolKind::Local | SymbolKind::Field => {
                let ty = code.facts.text(symbol.ty.erased);
                variable(site, name, ty)?
            }
            SymbolKind::Method => method(site, name)?,
            _ => continue,
        };
        if word != name {
            let bytes = code.bytes(id);
            edits.push(Edit::replace(bytes.start - start..bytes.end - start, word));
        }
    }
    let text = edited(code.written(donor), &edits)?;
    Some(reindented(&text, code.indent(donor), site.code.indent(site.statement)))
}

/// Returns the variable that corresponds to a name of a type.
fn variable<'b>(site: &'b RepairSite<'_>, name: &str, ty: &str) -> Option<&'b str> {
    let known: Vec<&Variable> = site.variables().iter().filter(|one| one.ty == ty).collect();
    let mut same = known.iter().filter(|one| one.name == name);
    // Of what is as like the first one is the nearest.
    let like = || {
        known
            .iter()
            .rev()
            .max_by(|one, other| shared(&one.name, name).total_cmp(&shared(&other.name, name)))
    };
    same.next().or_else(like).map(|one| &*one.name)
}

/// Returns the object's method of the same name.
fn method<'b>(site: &RepairSite<'_>, name: &'b str) -> Option<&'b str> {
    let code = &site.code;
    let class = code.class_of(site.statement).and_then(|class| code.node(class).symbol)?;
    let above = code.facts.supertypes_with_self(class);
    let is_it = |one: &Symbol| {
        one.kind == SymbolKind::Method
            && code.facts.text(one.name) == name
            && one.owner.is_some_and(|owner| {
                owner == class || above.contains(&owner) && !one.flags.has(SymbolFlags::PRIVATE)
            })
    };
    code.facts.symbols().iter().any(is_it).then_some(name)
}
