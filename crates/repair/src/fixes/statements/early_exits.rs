//! Leaving a method or a loop before a statement.

use crate::candidates::candidate::{FixOperator, WeightedOperator};
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::{brief, named, nearness, reindented};
use mend_java::Edit;
use mend_java::code::types::is_reference;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags};

/// Maximum number of variables tried as a return value.
const RETURNED: usize = 3;

/// Maximum number of `throw` statements copied from the same file.
const COPIED: usize = 3;

/// Prior likelihood that a loop should end after its first iteration in any case.
const ONCE: f64 = 0.15;

/// Tries to leave where a condition holds that failing tests saw.
pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    if site.place.is_none() && !is_first(site) {
        return;
    }
    let ways = exits(site);
    for condition in site.conditions() {
        let Some(promise) = condition.if_true else { continue };
        for (at, exit) in ways.iter().enumerate() {
            let weight = promise * nearness(at, 0.1);
            leave(site, condition.text(), exit, FixOperator::EarlyExit.with_weight(weight), out);
        }
    }
}

/// Tries to leave after the last statement of a block.
pub(crate) fn at_end(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let (statement, block) = (site.statement, code.parent(site.statement));
    let is_last = matches!(code.kind(block), NodeKind::Block | NodeKind::Case)
        && code.is_in_list(statement)
        && code.children(block).last() == Some(&statement);
    let is_body = code.is(code.parent(block), NodeKind::Method);
    if !is_last
        || is_body
        || !matches!(code.kind(statement), NodeKind::ExpressionStatement | NodeKind::If)
    {
        return;
    }
    let (indent, end) = (code.indent(statement), code.line_end());
    let is_round = code.is_loop(code.parent(block));
    // A `continue` at the end of an iteration changes nothing.
    let is_idle = |exit: &str| exit.starts_with("throw") || is_round && exit == "continue;";
    let weight = if is_round { ONCE } else { 0.6 };
    for exit in exits(site).iter().filter(|exit| !is_idle(exit)) {
        let edit = Edit::insert(code.bytes(statement).end, format!("{end}{indent}{exit}"));
        out.add(
            FixOperator::EarlyExit.with_weight(weight),
            vec![edit],
            format!("`{}` is inserted after the statement", brief(exit)),
        );
    }
}

/// Returns true if the statement is the first one in its method.
fn is_first(site: &RepairSite<'_>) -> bool {
    let code = &site.code;
    let block = code.parent(site.statement);
    let is_body =
        code.is(code.parent(block), NodeKind::Method) && code.role(block) == NodeRole::Body;
    is_body && code.children(block).first() == Some(&site.statement)
}

/// Puts `if (predicate) { exit }` before the statement.
pub(crate) fn leave(
    site: &RepairSite<'_>,
    predicate: &str,
    exit: &str,
    how: WeightedOperator,
    out: &mut CandidateEdits,
) {
    if site.code.is_in_list(site.statement) {
        let (edit, why) = guarded_exit_edit(site, predicate, exit);
        out.add(how, vec![edit], why);
    }
}

/// Returns the edit that inserts `if (predicate) { exit }` before a statement in a list, and its description.
pub(crate) fn guarded_exit_edit(
    site: &RepairSite<'_>,
    predicate: &str,
    exit: &str,
) -> (Edit, String) {
    let code = &site.code;
    let (indent, end) = (code.indent(site.statement), code.line_end());
    let step = step(site);
    let text = format!("if ({predicate}) {{{end}{indent}{step}{exit}{end}{indent}}}{end}{indent}");
    let why =
        format!("`if ({}) {}` is inserted before the statement", brief(predicate), brief(exit));
    (Edit::insert(code.bytes(site.statement).start, text), why)
}

/// Returns one step of the file's indentation.
pub(crate) fn step<'a>(site: &RepairSite<'a>) -> &'a str {
    let code = &site.code;
    let own = code.indent(site.statement);
    let outer = code
        .self_and_ancestors(site.statement)
        .skip(1)
        .map(|holder| code.indent(holder))
        .find(|outer| outer.len() < own.len());
    outer.map_or("    ", |outer| own.strip_prefix(outer).unwrap_or("    "))
}

/// Returns the possible exits at a statement, the more likely ones first.
pub(crate) fn exits(site: &RepairSite<'_>) -> Vec<String> {
    let code = &site.code;
    let mut all = Vec::new();
    let holders = code.self_and_ancestors(site.statement).skip(1);
    let inside = holders.take_while(|id| !code.kind(*id).is_routine());
    let inside: Vec<NodeIndex> = inside.collect();
    if inside.iter().any(|id| code.is_loop(*id)) {
        all.extend(["continue;".to_owned(), "break;".to_owned()]);
    } else if inside.iter().any(|id| code.is(*id, NodeKind::Switch)) {
        all.push("break;".to_owned());
    }
    // What a test waits for is wanted more than anything else, in the words that others have for it.
    let throws: Vec<String> = copied(site).into_iter().map(|id| fitted_in(site, id)).collect();
    for class in &site.diagnosis.awaited {
        let made = format!("throw new {}(", named(code, class));
        let mut told = throws.iter().filter(|throw| throw.starts_with(&made)).peekable();
        let silent = told.peek().is_none().then(|| format!("{made});"));
        all.extend(silent.or_else(|| told.next().cloned()));
    }
    let Some(method) = code.method_of(site.statement) else { return all };
    // What the method throws elsewhere is its own way to say that something does not fit.
    let own = method..code.node(method).end;
    let is_own = |id: &NodeIndex| own.contains(id);
    all.extend(copied(site).into_iter().filter(is_own).map(|id| fitted_in(site, id)));
    let returned = code.symbol(method).map_or("", |symbol| code.facts.text(symbol.ty.erased));
    if code.child(method, NodeRole::Type).is_none() || returned == "void" {
        all.push("return;".to_owned());
    } else {
        let constants = constants(site, returned).into_iter();
        let is_static = code.symbol(method).is_some_and(|one| one.flags.has(SymbolFlags::STATIC));
        let variables = site.variables_for(returned).filter(|one| !one.is_field || !is_static);
        let variables = variables.take(RETURNED).map(|variable| variable.name.clone());
        let values = constants.chain(variables).chain(own_returns(site, method));
        let mut returns: Vec<String> = values.map(|value| format!("return {value};")).collect();
        returns.dedup();
        all.extend(returns);
    }
    for throw in throws {
        if !all.contains(&throw) {
            all.push(throw);
        }
    }
    all
}

/// Returns a statement's code with the indentation of its new place.
pub(crate) fn fitted_in(site: &RepairSite<'_>, id: NodeIndex) -> String {
    let code = &site.code;
    reindented(code.written(id), code.indent(id), code.indent(site.statement))
}

/// Returns default constants of a type.
fn constants(site: &RepairSite<'_>, ty: &str) -> Vec<String> {
    let listed = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let made = |class: &str| vec![format!("new {}()", named(&site.code, class)), "null".to_owned()];
    match ty {
        "boolean" | "java.lang.Boolean" => listed(&["false", "true"]),
        "int" | "long" | "short" | "byte" => listed(&["0", "-1", "1"]),
        "java.lang.Integer" => listed(&["0", "null", "-1"]),
        "double" => listed(&["0", "Double.NaN"]),
        "float" => listed(&["0", "Float.NaN"]),
        "char" => listed(&["'\\0'"]),
        "java.lang.String" => listed(&["\"\"", "null"]),
        "java.util.List" | "java.util.Collection" | "java.lang.Iterable" => {
            made("java.util.ArrayList<>")
        }
        "java.util.Set" => made("java.util.HashSet<>"),
        "java.util.Map" => made("java.util.HashMap<>"),
        "java.util.Iterator" => {
            vec![format!("{}.emptyIterator()", named(&site.code, "java.util.Collections"))]
        }
        "java.util.Optional" => {
            vec![format!("{}.empty()", named(&site.code, "java.util.Optional"))]
        }
        _ => match ty.strip_suffix("[]") {
            Some(element) if !element.ends_with(']') => {
                vec![format!("new {}[0]", named(&site.code, element)), "null".to_owned()]
            }
            _ if is_own(site, ty) => listed(&["this", "null"]),
            _ if is_reference(ty) => listed(&["null"]),
            _ => Vec::new(),
        },
    }
}

/// Returns true if the own object has a type.
fn is_own(site: &RepairSite<'_>, ty: &str) -> bool {
    let code = &site.code;
    let class = code.class_of(site.statement).and_then(|class| code.symbol(class));
    let method = code.method_of(site.statement).and_then(|method| code.symbol(method));
    class.is_some_and(|class| code.facts.text(class.full_name) == ty)
        && method.is_some_and(|method| !method.flags.has(SymbolFlags::STATIC))
}

/// Returns the short return values that the method uses elsewhere.
fn own_returns(site: &RepairSite<'_>, method: NodeIndex) -> Vec<String> {
    let code = &site.code;
    let inside = method..code.node(method).end;
    let values = inside.filter(|id| code.is(*id, NodeKind::Return)).filter_map(|id| {
        let value = code.child(id, NodeRole::Value)?;
        Some(code.written(value)).filter(|text| text.len() < 40).map(str::to_owned)
    });
    values.collect()
}

/// Returns the nearest throws of the same file that can stand here.
fn copied(site: &RepairSite<'_>) -> Vec<NodeIndex> {
    let code = &site.code;
    let written = code.nodes_of_kind(NodeKind::Throw);
    let near = |id: &NodeIndex| code.bytes(*id).start.abs_diff(code.bytes(site.statement).start);
    let mut copied: Vec<NodeIndex> = written.collect();
    copied.sort_by_key(near);
    copied.retain(|id| is_nameable(site, *id));
    copied.truncate(COPIED);
    copied
}

/// Returns true if every variable named in some code is the same one at the statement.
pub(crate) fn is_nameable(site: &RepairSite<'_>, id: NodeIndex) -> bool {
    let code = &site.code;
    let inside = id..code.node(id).end;
    let mut named = inside.filter(|node| code.is(*node, NodeKind::Identifier));
    named.all(|node| {
        let Some(symbol) = code.symbol(node) else { return true };
        if symbol.kind != mend_java::facts::SymbolKind::Local {
            return true;
        }
        let name = code.written(node);
        let ty = code.facts.text(symbol.ty.erased);
        let is_declared = |at: &usize| {
            code.node(*at).symbol == code.node(node).symbol && code.is(*at, NodeKind::Variable)
        };
        (id..code.node(id).end).any(|at| is_declared(&at))
            || site.variables().iter().any(|one| one.name == name && one.ty == ty)
    })
}
