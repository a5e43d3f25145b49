//! Fix operator that leaves a method or loop before a statement.

use crate::candidates::candidate::{FixOperator, WeightedOperator};
use crate::contracts::checks::is_constructor_delegation;
use crate::fixes::code_text::{
    abbreviate, class_reference, describe_replacement, position_weight, reindent,
};
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Edit;
use mend_java::code::types::is_reference_type;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolKind};

/// Maximum number of variables tried as a return value.
const MAX_RETURNED_VARIABLES: usize = 3;

/// Maximum number of `throw` statements copied from the same file.
const MAX_COPIED_THROWS: usize = 3;

/// Prior likelihood of a `throw` instead of another exit.
const OTHER_EXIT_WEIGHT: f64 = 0.5;

/// Prior likelihood of a constant instead of a calculated result.
const OTHER_RESULT_WEIGHT: f64 = 0.35;

/// Prior likelihood of a constant that a failing test expects as a result.
const EXPECTED_RESULT_WEIGHT: f64 = 0.7;

/// Prior likelihood that a loop should end after its first iteration in any case.
const UNCONDITIONAL_EXIT_WEIGHT: f64 = 0.15;

/// Proposes exits under a condition that held in failing tests.
pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    if site.observations.is_none() && !is_first_statement(site) {
        return;
    }
    let exits = possible_exits(site);
    for condition in site.conditions() {
        let Some(score) = condition.score_if_true else { continue };
        for (at, exit) in exits.iter().enumerate() {
            let weight = score * position_weight(at, 0.1);
            insert_guarded_code(
                site,
                condition.text(),
                exit,
                FixOperator::EarlyExit.with_weight(weight),
                out,
            );
        }
    }
}

/// Proposes exits after the last statement of a block.
pub(crate) fn propose_at_block_end(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let (statement, block) = (site.statement, code.parent(site.statement));
    let is_last = matches!(code.kind(block), NodeKind::Block | NodeKind::Case)
        && code.is_in_statement_list(statement)
        && code.children(block).last() == Some(&statement);
    let is_body = code.has_kind(code.parent(block), NodeKind::Method);
    if !is_last
        || is_body
        || !matches!(code.kind(statement), NodeKind::ExpressionStatement | NodeKind::If)
    {
        return;
    }
    let (indent, end) = (code.indent(statement), code.line_end());
    let is_loop_body = code.is_loop(code.parent(block));
    // A `continue` at the end of an iteration changes nothing.
    let is_pointless =
        |exit: &str| exit.starts_with("throw") || is_loop_body && exit == "continue;";
    let weight = if is_loop_body { UNCONDITIONAL_EXIT_WEIGHT } else { 0.6 };
    for exit in possible_exits(site).iter().filter(|exit| !is_pointless(exit)) {
        let edit = Edit::insert(code.bytes(statement).end, format!("{end}{indent}{exit}"));
        out.add(
            FixOperator::EarlyExit.with_weight(weight),
            vec![edit],
            format!("`{}` is inserted after the statement", abbreviate(exit)),
        );
    }
}

/// Replaces an exit by another one: a returned value by a constant, and a jump by a `throw`.
pub(crate) fn propose_other_exit(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let statement = site.statement;
    match code.kind(statement) {
        NodeKind::Return => propose_other_result(site, out),
        NodeKind::Break | NodeKind::Continue => {}
        _ => return,
    }
    let exits = possible_exits(site);
    let throws = exits.iter().filter(|exit| exit.starts_with("throw "));
    for (at, exit) in throws.enumerate() {
        let weight = OTHER_EXIT_WEIGHT * position_weight(at, 0.2);
        let edit = Edit::replace(code.bytes(statement), exit.as_str());
        let why = describe_replacement(code.source_text(statement), exit);
        out.add(FixOperator::EarlyExit.with_weight(weight), vec![edit], why);
    }
}

/// Returns a constant instead of a calculated value.
fn propose_other_result(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let method = code.enclosing_method(site.statement).and_then(|method| code.symbol(method));
    let (Some(value), Some(method)) = (code.child(site.statement, NodeRole::Value), method) else {
        return;
    };
    let constants = default_values(site, code.facts.text(method.ty.erased));
    for (at, constant) in constants.iter().enumerate() {
        let is_expected = site.diagnosis.expects_result(constant);
        let prior = if is_expected { EXPECTED_RESULT_WEIGHT } else { OTHER_RESULT_WEIGHT };
        let weight = prior * position_weight(at, 0.2);
        out.replace(site, value, constant, FixOperator::Value.with_weight(weight));
    }
}

/// Returns true if the statement is the first one in its method after `super(…)` or `this(…)`.
pub(crate) fn is_first_statement(site: &RepairSite<'_>) -> bool {
    let code = &site.code;
    let block = code.parent(site.statement);
    let is_body =
        code.has_kind(code.parent(block), NodeKind::Method) && code.role(block) == NodeRole::Body;
    let statements = code.children(block);
    let mut own = statements.iter().filter(|id| !is_constructor_delegation(code, **id));
    is_body && own.next() == Some(&site.statement)
}

/// Inserts `if (predicate) { exit }` before the statement.
pub(crate) fn insert_guarded_code(
    site: &RepairSite<'_>,
    predicate: &str,
    guarded: &str,
    operator_and_weight: WeightedOperator,
    out: &mut CandidateEdits,
) {
    if site.code.is_in_statement_list(site.statement) {
        let (edit, why) = guarded_code_edit(site, predicate, guarded);
        out.add(operator_and_weight, vec![edit], why);
    }
}

/// Returns the edit that inserts `if (predicate) { exit }` before a statement in a list, and its description.
pub(crate) fn guarded_code_edit(
    site: &RepairSite<'_>,
    predicate: &str,
    exit: &str,
) -> (Edit, String) {
    let code = &site.code;
    let (indent, end) = (code.indent(site.statement), code.line_end());
    let step = indent_unit(site);
    let text = format!("if ({predicate}) {{{end}{indent}{step}{exit}{end}{indent}}}{end}{indent}");
    let why = format!(
        "`if ({}) {}` is inserted before the statement",
        abbreviate(predicate),
        abbreviate(exit)
    );
    (Edit::insert(code.bytes(site.statement).start, text), why)
}

/// Returns one step of the file's indentation.
pub(crate) fn indent_unit<'a>(site: &RepairSite<'a>) -> &'a str {
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
pub(crate) fn possible_exits(site: &RepairSite<'_>) -> Vec<String> {
    let code = &site.code;
    let mut all = Vec::new();
    let holders = code.self_and_ancestors(site.statement).skip(1);
    let enclosing = holders.take_while(|id| !code.kind(*id).is_routine());
    let enclosing: Vec<NodeIndex> = enclosing.collect();
    if enclosing.iter().any(|id| code.is_loop(*id)) {
        all.extend(["continue;".to_owned(), "break;".to_owned()]);
    } else if enclosing.iter().any(|id| code.has_kind(*id, NodeKind::Switch)) {
        all.push("break;".to_owned());
    }
    // An exception that a test expects is the most likely exit, thrown in the same way as elsewhere.
    let throws: Vec<String> =
        nearby_throws(site).into_iter().map(|id| reindented_code(site, id)).collect();
    all.extend(expected_throws(site));
    let Some(method) = code.enclosing_method(site.statement) else { return all };
    // Exceptions that the method throws elsewhere come next.
    let method_nodes = method..code.node(method).subtree_end;
    let is_own = |id: &NodeIndex| method_nodes.contains(id);
    all.extend(nearby_throws(site).into_iter().filter(is_own).map(|id| reindented_code(site, id)));
    let return_type = code.symbol(method).map_or("", |symbol| code.facts.text(symbol.ty.erased));
    if code.child(method, NodeRole::Type).is_none() || return_type == "void" {
        all.push("return;".to_owned());
    } else {
        let constants = default_values(site, return_type).into_iter();
        let is_static = code.symbol(method).is_some_and(|one| one.flags.has(SymbolFlags::STATIC));
        let variables = site.variables_for(return_type).filter(|one| !one.is_field || !is_static);
        let variables =
            variables.take(MAX_RETURNED_VARIABLES).map(|variable| variable.name.clone());
        let values = constants.chain(variables).chain(own_return_values(site, method));
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
pub(crate) fn reindented_code(site: &RepairSite<'_>, id: NodeIndex) -> String {
    let code = &site.code;
    reindent(code.source_text(id), code.indent(id), code.indent(site.statement))
}

/// Returns default constants of a type, those that a failing test expects as a result first.
pub(crate) fn default_values(site: &RepairSite<'_>, ty: &str) -> Vec<String> {
    let mut values = usual_values(site, ty);
    values.sort_by_key(|value| !site.diagnosis.expects_result(value));
    values
}

/// Returns default constants of a type, the usual ones first.
fn usual_values(site: &RepairSite<'_>, ty: &str) -> Vec<String> {
    let to_strings = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let new_or_null = |class: &str| {
        vec![format!("new {}()", class_reference(&site.code, class)), "null".to_owned()]
    };
    match ty {
        "boolean" | "java.lang.Boolean" => to_strings(&["false", "true"]),
        "int" | "long" | "short" | "byte" => to_strings(&["0", "-1", "1"]),
        "java.lang.Integer" => to_strings(&["0", "null", "-1"]),
        "java.lang.Long" => to_strings(&["0L", "null", "-1L"]),
        "double" => to_strings(&["0", "Double.NaN", "1"]),
        "java.lang.Double" => to_strings(&["0d", "null", "1d"]),
        "float" => to_strings(&["0", "Float.NaN", "1"]),
        "char" => to_strings(&["'\\0'"]),
        "java.lang.String" => to_strings(&["\"\"", "null"]),
        "java.util.List" | "java.util.Collection" | "java.lang.Iterable" => {
            new_or_null("java.util.ArrayList<>")
        }
        "java.util.Set" => new_or_null("java.util.HashSet<>"),
        "java.util.Map" => new_or_null("java.util.HashMap<>"),
        "java.util.Iterator" => {
            vec![format!(
                "{}.emptyIterator()",
                class_reference(&site.code, "java.util.Collections")
            )]
        }
        "java.util.Optional" => {
            vec![format!("{}.empty()", class_reference(&site.code, "java.util.Optional"))]
        }
        _ => match ty.strip_suffix("[]") {
            Some(element) if !element.ends_with(']') => {
                vec![format!("new {}[0]", class_reference(&site.code, element)), "null".to_owned()]
            }
            _ if is_own_type(site, ty) => to_strings(&["this", "null"]),
            _ if is_reference_type(ty) => to_strings(&["null"]),
            _ => Vec::new(),
        },
    }
}

/// Returns true if the current object has a type.
fn is_own_type(site: &RepairSite<'_>, ty: &str) -> bool {
    let code = &site.code;
    let class = code.enclosing_type(site.statement).and_then(|class| code.symbol(class));
    let method = code.enclosing_method(site.statement).and_then(|method| code.symbol(method));
    class.is_some_and(|class| code.facts.text(class.full_name) == ty)
        && method.is_some_and(|method| !method.flags.has(SymbolFlags::STATIC))
}

/// Returns the short return values that the method uses elsewhere.
fn own_return_values(site: &RepairSite<'_>, method: NodeIndex) -> Vec<String> {
    let code = &site.code;
    let inside = method..code.node(method).subtree_end;
    let values = inside.filter(|id| code.has_kind(*id, NodeKind::Return)).filter_map(|id| {
        let value = code.child(id, NodeRole::Value)?;
        Some(code.source_text(value)).filter(|text| text.len() < 40).map(str::to_owned)
    });
    values.collect()
}

/// Returns a `throw` statement for each exception that a test expects: the nearest one of the file that is valid here,
/// or a new one.
fn expected_throws(site: &RepairSite<'_>) -> Vec<String> {
    let code = &site.code;
    let throws = valid_throws(site);
    let find_throw = |class: &String| {
        let is_meant = |id: &&NodeIndex| {
            code.child(**id, NodeRole::Value).is_some_and(|value| code.type_of(value) == class)
        };
        let known = throws.iter().find(is_meant).map(|id| reindented_code(site, *id));
        known.or_else(|| Some(format!("throw {};", new_exception(site, class)?)))
    };
    site.diagnosis.expected_exceptions.iter().filter_map(find_throw).collect()
}

/// Returns the expression that creates an exception without a message, by a constructor or by a factory method; `None`
/// if it needs arguments.
fn new_exception(site: &RepairSite<'_>, class: &str) -> Option<String> {
    let facts = site.code.facts;
    let name = class_reference(&site.code, class);
    let by_constructor = Some(format!("new {name}()"));
    let Some(symbol) = facts.find_class(class) else { return by_constructor };
    let creates = |one: &&Symbol, kind: SymbolKind| {
        one.owner == Some(symbol)
            && one.kind == kind
            && one.parameters.is_empty()
            && one.flags.access_level() > 0
    };
    let members = || facts.symbols().iter();
    let is_factory = |one: &&Symbol| {
        creates(one, SymbolKind::Method)
            && one.flags.has(SymbolFlags::STATIC)
            && facts.text(one.ty.erased) == class
    };
    let knows_constructors =
        members().any(|one| one.owner == Some(symbol) && one.kind == SymbolKind::Constructor);
    if !knows_constructors || members().any(|one| creates(&one, SymbolKind::Constructor)) {
        return by_constructor;
    }
    let factory = members().find(is_factory)?;
    Some(format!("{name}.{}()", facts.text(factory.name)))
}

/// Returns the nearest `throw` statements of the same file that are valid here.
fn nearby_throws(site: &RepairSite<'_>) -> Vec<NodeIndex> {
    let mut nearest = valid_throws(site);
    nearest.truncate(MAX_COPIED_THROWS);
    nearest
}

/// Returns the `throw` statements of the same file that are valid here, the nearest first.
fn valid_throws(site: &RepairSite<'_>) -> Vec<NodeIndex> {
    let code = &site.code;
    let throws = code.nodes_of_kind(NodeKind::Throw);
    let distance =
        |id: &NodeIndex| code.bytes(*id).start.abs_diff(code.bytes(site.statement).start);
    let mut nearest: Vec<NodeIndex> = throws.collect();
    nearest.sort_by_key(distance);
    nearest.retain(|id| has_variables_in_scope(site, *id));
    nearest
}

/// Returns true if every variable in some code is also in scope at the statement.
pub(crate) fn has_variables_in_scope(site: &RepairSite<'_>, id: NodeIndex) -> bool {
    let code = &site.code;
    let inside = id..code.node(id).subtree_end;
    let mut named = inside.filter(|node| code.has_kind(*node, NodeKind::Identifier));
    named.all(|node| {
        let Some(symbol) = code.symbol(node) else { return true };
        if symbol.kind != mend_java::facts::SymbolKind::Local {
            return true;
        }
        let name = code.source_text(node);
        let ty = code.facts.text(symbol.ty.erased);
        let is_declared = |at: &usize| {
            code.node(*at).symbol == code.node(node).symbol
                && code.has_kind(*at, NodeKind::Variable)
        };
        (id..code.node(id).subtree_end).any(|at| is_declared(&at))
            || site.variables().iter().any(|one| one.name == name && one.ty == ty)
    })
}
