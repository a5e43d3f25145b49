//! Fix operators for violated preconditions of a statement. Java itself forbids null dereferences, indexes out of
//! range, division by zero, removal from an empty collection and invalid casts; callees add the preconditions of their
//! contracts.

mod bounds;
mod violations;

use super::code_text::{class_reference, position_weight, reindent};
use super::site::{CandidateEdits, RepairSite};
use crate::candidates::candidate::FixOperator;
pub(super) use crate::fixes::implicit_preconditions::bounds::index_bounds;
pub(super) use crate::fixes::implicit_preconditions::violations::MAX_REPEATED_LEN;
use crate::fixes::implicit_preconditions::violations::{PreconditionViolation, find_violations};
use crate::fixes::statements::early_exits::{indent_unit, insert_guarded_code, possible_exits};
use crate::fixes::statements::state_ending_calls::propose_ending_commands;
use mend_java::Edit;
use mend_java::code::condition::{Condition, Junction};
use mend_java::code::types::is_reference_type;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolKind};

/// Prior likelihood of a missing command that would satisfy a precondition, if only the precondition is known.
const MISSING_COMMAND_WEIGHT: f64 = 0.6;

pub(super) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    propose_iteration_copy(site, out);
    crate::fixes::implicit_preconditions::bounds::propose(site, out);
    for violation in find_violations(site) {
        propose_default_value(site, &violation, out);
        propose_condition_check(site, &violation, out);
        if violation.is_refuted {
            continue;
        }
        propose_guard(site, &violation, out);
        for (at, exit) in possible_exits(site).iter().enumerate() {
            let weight = violation.likelihood * 0.7 * position_weight(at, 0.1);
            insert_guarded_code(
                site,
                &violation.condition,
                exit,
                violation.operator.with_weight(weight),
                out,
            );
        }
        propose_creation(site, &violation, out);
        propose_ending_commands(
            site,
            &violation.condition,
            MISSING_COMMAND_WEIGHT * violation.likelihood,
            out,
        );
    }
}

/// Iterates over a copy, so that the collection can change during the iteration.
fn propose_iteration_copy(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some(iterated) = code.child(site.statement, NodeRole::Value) else { return };
    let is_collection = code.has_kind(site.statement, NodeKind::EnhancedForLoop)
        && code
            .facts
            .find_class(code.type_of(iterated))
            .is_some_and(|class| code.facts.is_subtype_of(class, "java.util.Collection"));
    if is_collection {
        let list = class_reference(code, "java.util.ArrayList");
        let text = format!("new {list}<>({})", code.source_text(iterated));
        out.replace(site, iterated, &text, FixOperator::RangeCheck.with_weight(0.8));
    }
}

/// Runs the statement only if the precondition holds.
fn propose_guard(
    site: &RepairSite<'_>,
    violation: &PreconditionViolation,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let statement = site.statement;
    if matches!(
        code.kind(statement),
        NodeKind::Variable
            | NodeKind::Return
            | NodeKind::Throw
            | NodeKind::Break
            | NodeKind::Continue
    ) {
        return;
    }
    let precondition = Condition::parse(&violation.condition).negation();
    let why = format!(
        "the statement runs only if `{}`",
        crate::fixes::code_text::abbreviate(precondition.text())
    );
    let edit = Edit::replace(code.bytes(statement), guarded_statement(site, precondition.text()));
    out.add(violation.operator.with_weight(0.8 * violation.likelihood), vec![edit], why);
}

/// Returns the statement under a condition, in braces if a following `else` could attach to it, or if only a block is
/// allowed.
pub(super) fn guarded_statement(site: &RepairSite<'_>, condition: &str) -> String {
    let code = &site.code;
    let (statement, end, step) = (site.statement, code.line_end(), indent_unit(site));
    let is_open = !code.is_in_statement_list(statement);
    let outer = code.indent(statement);
    let indent = if is_open { format!("{outer}{step}") } else { outer.to_owned() };
    let body = reindent(code.source_text(statement), outer, &format!("{indent}{step}"));
    let text = format!("if ({condition}) {{{end}{indent}{step}{body}{end}{indent}}}");
    if is_open { format!("{{{end}{indent}{text}{end}{outer}}}") } else { text }
}

/// Uses another value if the expression cannot be evaluated.
fn propose_default_value(
    site: &RepairSite<'_>,
    violation: &PreconditionViolation,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let failing = violation.failing;
    if !code.is_replaceable_value(failing)
        || code.has_kind(code.parent(failing), NodeKind::ExpressionStatement)
    {
        return;
    }
    let values: &[&str] = match code.type_of(failing) {
        "boolean" => &["false", "true"],
        "int" | "long" | "double" | "float" | "short" | "byte" | "java.lang.Integer"
        | "java.lang.Long" | "java.lang.Double" => &["0", "1", "-1"],
        "char" => &["'\\0'"],
        "java.lang.String" => &["\"\"", "null"],
        ty if is_reference_type(ty) => &["null"],
        _ => &[],
    };
    let variables =
        site.inner_variables_for(code.type_of(failing)).take(2).map(|one| one.name.as_str());
    for (at, value) in values.iter().copied().chain(variables).enumerate() {
        let text = format!("{} ? {value} : {}", violation.condition, code.source_text(failing));
        let text = code.parenthesise_if_needed(failing, &text);
        let why = format!(
            "`{value}` is used if `{}`",
            crate::fixes::code_text::abbreviate(&violation.condition)
        );
        let edit = Edit::replace(code.bytes(failing), text);
        out.add(
            violation.operator.with_weight(0.6 * violation.likelihood * position_weight(at, 0.2)),
            vec![edit],
            why,
        );
    }
}

/// Adds the check to the condition that contains the expression.
fn propose_condition_check(
    site: &RepairSite<'_>,
    violation: &PreconditionViolation,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let enclosing =
        code.self_and_ancestors(violation.failing).take_while(|id| *id != site.statement);
    let is_boolean = |id: &NodeIndex| matches!(code.type_of(*id), "boolean" | "java.lang.Boolean");
    let booleans = enclosing.filter(|id| is_boolean(id) && code.is_replaceable_value(*id));
    let broken = Condition::parse(&violation.condition);
    for condition in booleans.filter(|id| !code.has_kind(*id, NodeKind::Parenthesized)) {
        let written = Condition::parse(code.source_text(condition));
        let both = Condition::join(Junction::And, vec![broken.negation(), written.clone()]);
        out.replace(
            site,
            condition,
            both.text(),
            violation.operator.with_weight(0.8 * violation.likelihood),
        );
        let parts = vec![broken.clone(), written.parenthesize_in(Junction::Or)];
        let either = Condition::join(Junction::Or, parts);
        out.replace(
            site,
            condition,
            either.text(),
            violation.operator.with_weight(0.7 * violation.likelihood),
        );
    }
}

/// Creates the null object in the same way as elsewhere in the class.
fn propose_creation(
    site: &RepairSite<'_>,
    violation: &PreconditionViolation,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let Some(object) = violation.condition.strip_suffix(" == null") else { return };
    let Some(variable) = site.variables().iter().find(|variable| variable.name == object) else {
        return;
    };
    let creations = (0..code.tree.nodes.len()).filter(|id| {
        code.has_kind(*id, NodeKind::NewClass) && creates_type(site, *id, &variable.ty)
    });
    let mut texts: Vec<String> = creations.map(|id| code.source_text(id).to_owned()).collect();
    texts.sort();
    texts.dedup();
    texts.extend(creation_expression(site, &variable.ty));
    texts.extend((variable.ty == "java.lang.String").then(|| "\"\"".to_owned()));
    let others = site.variables_for(&variable.ty).filter(|one| one.name != object);
    texts.extend(others.take(1).map(|one| one.name.clone()));
    for text in texts.iter().filter(|text| text.len() <= MAX_REPEATED_LEN).take(4) {
        insert_guarded_code(
            site,
            &violation.condition,
            &format!("{object} = {text};"),
            FixOperator::NullCheck.with_weight(0.5 * violation.likelihood),
            out,
        );
    }
}

/// Returns the expression that usually creates a value of a type.
pub(super) fn creation_expression(site: &RepairSite<'_>, ty: &str) -> Option<String> {
    let class_reference_of = |class: &str| class_reference(&site.code, class);
    let class = match ty {
        "java.util.List" | "java.util.Collection" | "java.lang.Iterable" => {
            class_reference_of("java.util.ArrayList<>")
        }
        "java.util.Set" => class_reference_of("java.util.HashSet<>"),
        "java.util.Map" => class_reference_of("java.util.HashMap<>"),
        _ => {
            let class = site.code.facts.find_class(ty)?;
            let symbol = site.code.facts.symbol(class);
            let is_made =
                symbol.kind == SymbolKind::Class && !symbol.flags.has(SymbolFlags::ABSTRACT);
            let name = (is_made && symbol.position.is_some()).then_some(symbol.name)?;
            site.code.facts.text(name).to_owned()
        }
    };
    Some(format!("new {class}()"))
}

fn creates_type(site: &RepairSite<'_>, id: NodeIndex, wanted: &str) -> bool {
    let facts = site.code.facts;
    let ty = site.code.type_of(id);
    ty == wanted || facts.find_class(ty).is_some_and(|class| facts.is_subtype_of(class, wanted))
}
