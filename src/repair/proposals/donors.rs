//! A statement like one that stands elsewhere, or a command of the object, before or after a statement; and a
//! statement that is not needed.

use super::exits::{is_nameable, leave};
use super::predicates::Condition;
use super::{Proposals, Site, brief, fits, is_whole};
use crate::facts::{Flags, NodeIndex, Role, SymbolKind};
use crate::repair::candidate::Strategy;
use crate::repair::edit::{Edit, edited};
use crate::repair::scope::Variable;

/// A donor longer than this stays where it is.
const LONGEST: usize = 160;

/// A condition more promising than this tells failing from passing tests.
const CLEAR: f64 = 0.2;

/// So many donors are tried in one place.
const TRIED: usize = 25;

pub(super) fn propose(site: &Site<'_>, out: &mut Proposals) {
    let code = &site.code;
    if !code.is_in_list(site.statement) {
        return;
    }
    removal(site, out);
    let commands = commands(site);
    for command in &commands {
        where_it_holds(site, command, out);
    }
    for (at, donor) in donors(site).into_iter().take(TRIED).enumerate() {
        let nearness = f64::from(u32::try_from(at).unwrap_or(u32::MAX));
        // A neighbour that leaves before it comes to the same point knows why.
        let weight = if is_guard(&donor) { 0.9 } else { 0.5 };
        beside(site, &donor, (Strategy::Donor, weight / (1.0 + nearness * 0.05)), out);
    }
    for command in &commands {
        beside(site, command, (Strategy::Donor, 0.5), out);
    }
}

/// Does something only where a condition holds that failing tests saw and passing ones did not; or always, which is
/// simpler and may be what is meant.
fn where_it_holds(site: &Site<'_>, command: &str, out: &mut Proposals) {
    if site.place.is_none() {
        return;
    }
    let clear = |condition: &&Condition| condition.if_true.is_some_and(|one| one > CLEAR);
    for condition in site.conditions().iter().filter(clear) {
        if let Some(promise) = condition.if_true {
            beside(site, command, (Strategy::Setting, 0.5 * promise), out);
            leave(site, &condition.text, command, (Strategy::Setting, 0.5 * promise), out);
        }
    }
}

/// Takes the statement out.
fn removal(site: &Site<'_>, out: &mut Proposals) {
    let code = &site.code;
    if code.is(site.statement, "VARIABLE") {
        return;
    }
    let edit = Edit::replace(code.whole_lines(site.statement), "");
    let why = format!("`{}` is left out", brief(code.written(site.statement)));
    out.add(Strategy::Removal, 0.5, vec![edit], why);
}

fn beside(site: &Site<'_>, text: &str, (strategy, weight): (Strategy, f64), out: &mut Proposals) {
    let code = &site.code;
    let (indent, end) = (code.indent(site.statement), code.line_end());
    let bytes = code.bytes(site.statement);
    let before = Edit::insert(bytes.start, format!("{text}{end}{indent}"));
    out.add(strategy, weight, vec![before], format!("`{}` comes first", brief(text)));
    if !matches!(code.kind(site.statement), "RETURN" | "THROW" | "BREAK" | "CONTINUE") {
        let after = Edit::insert(bytes.end, format!("{end}{indent}{text}"));
        out.add(strategy, weight, vec![after], format!("`{}` follows", brief(text)));
    }
}

/// Whether a statement leaves under a condition, and does nothing else.
fn is_guard(text: &str) -> bool {
    let rest = text.strip_prefix("if (").and_then(|rest| rest.split_once(") {"));
    let inside = rest.map_or("", |(_, inside)| inside.trim_start());
    ["return", "throw", "continue"].iter().any(|exit| inside.starts_with(exit))
        && !text.contains("else")
}

/// Statements of the same class that can stand here, the nearest first.
fn donors(site: &Site<'_>) -> Vec<String> {
    let code = &site.code;
    let start = code.bytes(site.statement).start;
    let class = code.class_of(site.statement);
    let mut found: Vec<NodeIndex> = code
        .statements()
        .filter(|id| *id != site.statement && code.class_of(*id) == class)
        .filter(|id| matches!(code.kind(*id), "EXPRESSION_STATEMENT" | "IF"))
        .filter(|id| code.written(*id).len() <= LONGEST && may_leave(site, *id))
        .collect();
    let method = code.method_of(site.statement);
    found.sort_by_key(|id| (code.method_of(*id) != method, code.bytes(*id).start.abs_diff(start)));
    let mut texts: Vec<String> = Vec::new();
    for id in found {
        let text = if is_nameable(site, id) {
            Some(code.written(id).to_owned())
        } else {
            with_other_names(site, id)
        };
        texts.extend(text.filter(|text| !texts.contains(text)));
    }
    texts
}

/// Whether a donor leaves, if it does, with what may be left with here.
fn may_leave(site: &Site<'_>, donor: NodeIndex) -> bool {
    let code = &site.code;
    let method = code.method_of(site.statement).and_then(|method| code.symbol(method));
    let returned = method.map_or("void", |method| code.facts.text(method.ty.erased));
    let is_in_loop = code.around(site.statement).skip(1).any(|id| code.is_loop(id));
    (donor..code.node(donor).end).all(|id| match code.kind(id) {
        "RETURN" => code.child(id, Role::Value).map_or(returned == "void", |value| {
            let is_null = code.is(value, "NULL_LITERAL") && super::is_reference(returned);
            is_null || fits(code.facts, code.type_of(value), returned)
        }),
        "CONTINUE" => is_in_loop,
        _ => true,
    })
}

/// A donor with the nearest variables of the same types in place of those that are not known here; nothing if there
/// are none.
fn with_other_names(site: &Site<'_>, donor: NodeIndex) -> Option<String> {
    let code = &site.code;
    let start = code.bytes(donor).start;
    let mut edits = Vec::new();
    for id in (donor..code.node(donor).end).filter(|id| code.is(*id, "IDENTIFIER")) {
        let Some(symbol) = code.symbol(id).filter(|symbol| symbol.kind == SymbolKind::Local) else {
            continue;
        };
        let (name, ty) = (code.written(id), code.facts.text(symbol.ty.erased));
        let is_known = |one: &&Variable| one.ty == ty && !one.is_field;
        let known: Vec<&Variable> = site.variables().iter().filter(is_known).collect();
        if known.iter().all(|one| one.name != name) {
            let bytes = code.bytes(id);
            edits
                .push(Edit::replace(bytes.start - start..bytes.end - start, &*known.first()?.name));
        }
    }
    edited(code.written(donor), &edits)
}

/// Commands that change the object, or a number that is at hand.
fn commands(site: &Site<'_>) -> Vec<String> {
    let code = &site.code;
    let is_free = |one: &&Variable| !code.facts.symbol(one.symbol).flags.has(Flags::FINAL);
    let variables: Vec<&Variable> = site.variables().iter().filter(is_free).collect();
    let numbers = variables.iter().filter(|variable| is_whole(&variable.ty));
    let mut all: Vec<String> = numbers
        .take(4)
        .flat_map(|variable| [format!("{}++;", variable.name), format!("{}--;", variable.name)])
        .collect();
    let truths = variables.iter().filter(|variable| variable.ty == "boolean");
    all.extend(truths.take(2).flat_map(|variable| {
        [format!("{} = true;", variable.name), format!("{} = false;", variable.name)]
    }));
    let references = variables.iter().filter(|one| super::is_reference(&one.ty) && one.is_field);
    all.extend(references.take(3).map(|variable| format!("{} = null;", variable.name)));
    let class = code.class_of(site.statement).and_then(|class| code.node(class).symbol);
    let method = code.method_of(site.statement).and_then(|method| code.symbol(method));
    let is_static = method.is_some_and(|method| method.flags.has(Flags::STATIC));
    let own = method.map(|method| method.name);
    for symbol in code.facts.symbols() {
        let is_command = symbol.kind == SymbolKind::Method
            && symbol.owner == class
            && symbol.parameters.is_empty()
            && Some(symbol.name) != own
            && code.facts.text(symbol.ty.erased) == "void"
            && (!is_static || symbol.flags.has(Flags::STATIC));
        if is_command {
            all.push(format!("{}();", code.facts.text(symbol.name)));
        }
    }
    all
}
