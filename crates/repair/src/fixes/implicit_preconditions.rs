//! Implicit preconditions of a statement and repairs for their violation. Java forbids null dereferences, indexes out
//! of range, division by zero, removal from an empty collection and invalid casts. Called routines add the
//! preconditions of their contracts.

mod bounds;
mod violations;

use super::site::{CandidateEdits, RepairSite};
use super::text::{named, nearness, reindented};
use crate::candidates::candidate::FixOperator;
pub(super) use crate::fixes::implicit_preconditions::bounds::bounds;
use crate::fixes::implicit_preconditions::violations::{LONGEST, PreconditionViolation, hazards};
use crate::fixes::statements::early_exits::{exits, leave, step};
use crate::fixes::statements::state_ending_calls::end;
use mend_java::Edit;
use mend_java::code::condition::{Condition, Junction};
use mend_java::code::types::is_reference;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolKind};

/// Prior likelihood of a missing command that would satisfy a precondition, if only the precondition is known.
const UNTOLD: f64 = 0.6;

pub(super) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    copied(site, out);
    crate::fixes::implicit_preconditions::bounds::propose(site, out);
    for hazard in hazards(site) {
        instead(site, &hazard, out);
        in_condition(site, &hazard, out);
        if hazard.is_refuted {
            continue;
        }
        avoid(site, &hazard, out);
        for (at, exit) in exits(site).iter().enumerate() {
            let weight = hazard.share * 0.7 * nearness(at, 0.1);
            leave(site, &hazard.broken, exit, hazard.strategy.with_weight(weight), out);
        }
        create(site, &hazard, out);
        end(site, &hazard.broken, UNTOLD * hazard.share, out);
    }
}

/// Iterates over a copy, so that the collection can change during the iteration.
fn copied(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some(walked) = code.child(site.statement, NodeRole::Value) else { return };
    let is_collection = code.is(site.statement, NodeKind::EnhancedForLoop)
        && code
            .facts
            .class_named(code.type_of(walked))
            .is_some_and(|class| code.facts.is_below(class, "java.util.Collection"));
    if is_collection {
        let list = named(code, "java.util.ArrayList");
        let text = format!("new {list}<>({})", code.written(walked));
        out.replace(site, walked, &text, FixOperator::RangeCheck.with_weight(0.8));
    }
}

/// Runs the statement only if the precondition holds.
fn avoid(site: &RepairSite<'_>, hazard: &PreconditionViolation, out: &mut CandidateEdits) {
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
    let met = Condition::parse(&hazard.broken).negation();
    let why = format!("the statement runs only if `{}`", crate::fixes::text::brief(met.text()));
    let edit = Edit::replace(code.bytes(statement), only_where(site, met.text()));
    out.add(hazard.strategy.with_weight(0.8 * hazard.share), vec![edit], why);
}

/// Returns the statement under a condition, in braces if a following `else` could attach to it, or if only a block is
/// allowed.
pub(super) fn only_where(site: &RepairSite<'_>, condition: &str) -> String {
    let code = &site.code;
    let (statement, end, step) = (site.statement, code.line_end(), step(site));
    let is_open = !code.is_in_list(statement);
    let outer = code.indent(statement);
    let indent = if is_open { format!("{outer}{step}") } else { outer.to_owned() };
    let inside = reindented(code.written(statement), outer, &format!("{indent}{step}"));
    let text = format!("if ({condition}) {{{end}{indent}{step}{inside}{end}{indent}}}");
    if is_open { format!("{{{end}{indent}{text}{end}{outer}}}") } else { text }
}

/// Uses another value if the expression cannot be evaluated.
fn instead(site: &RepairSite<'_>, hazard: &PreconditionViolation, out: &mut CandidateEdits) {
    let code = &site.code;
    let fails = hazard.fails;
    if !code.is_value(fails) || code.is(code.parent(fails), NodeKind::ExpressionStatement) {
        return;
    }
    let values: &[&str] = match code.type_of(fails) {
        "boolean" => &["false", "true"],
        "int" | "long" | "double" | "float" | "short" | "byte" | "java.lang.Integer"
        | "java.lang.Long" | "java.lang.Double" => &["0", "1", "-1"],
        "char" => &["'\\0'"],
        "java.lang.String" => &["\"\"", "null"],
        ty if is_reference(ty) => &["null"],
        _ => &[],
    };
    let variables =
        site.inner_variables_for(code.type_of(fails)).take(2).map(|one| one.name.as_str());
    for (at, value) in values.iter().copied().chain(variables).enumerate() {
        let text = format!("{} ? {value} : {}", hazard.broken, code.written(fails));
        let text = code.fitted(fails, &text);
        let why = format!("`{value}` is used if `{}`", crate::fixes::text::brief(&hazard.broken));
        let edit = Edit::replace(code.bytes(fails), text);
        out.add(
            hazard.strategy.with_weight(0.6 * hazard.share * nearness(at, 0.2)),
            vec![edit],
            why,
        );
    }
}

/// Adds the check to the condition that contains the expression.
fn in_condition(site: &RepairSite<'_>, hazard: &PreconditionViolation, out: &mut CandidateEdits) {
    let code = &site.code;
    let inside = code.self_and_ancestors(hazard.fails).take_while(|id| *id != site.statement);
    let is_truth = |id: &NodeIndex| matches!(code.type_of(*id), "boolean" | "java.lang.Boolean");
    let truths = inside.filter(|id| is_truth(id) && code.is_value(*id));
    let broken = Condition::parse(&hazard.broken);
    for whole in truths.filter(|id| !code.is(*id, NodeKind::Parenthesized)) {
        let written = Condition::parse(code.written(whole));
        let both = Condition::join(Junction::And, vec![broken.negation(), written.clone()]);
        out.replace(site, whole, both.text(), hazard.strategy.with_weight(0.8 * hazard.share));
        let parts = vec![broken.clone(), written.parenthesize_in(Junction::Or)];
        let either = Condition::join(Junction::Or, parts);
        out.replace(site, whole, either.text(), hazard.strategy.with_weight(0.7 * hazard.share));
    }
}

/// Creates the null object in the same way as elsewhere in the class.
fn create(site: &RepairSite<'_>, hazard: &PreconditionViolation, out: &mut CandidateEdits) {
    let code = &site.code;
    let Some(object) = hazard.broken.strip_suffix(" == null") else { return };
    let Some(variable) = site.variables().iter().find(|variable| variable.name == object) else {
        return;
    };
    let made = (0..code.tree.nodes.len())
        .filter(|id| code.is(*id, NodeKind::NewClass) && is_made_for(site, *id, &variable.ty));
    let mut texts: Vec<String> = made.map(|id| code.written(id).to_owned()).collect();
    texts.sort();
    texts.dedup();
    texts.extend(usual(site, &variable.ty));
    texts.extend((variable.ty == "java.lang.String").then(|| "\"\"".to_owned()));
    let others = site.variables_for(&variable.ty).filter(|one| one.name != object);
    texts.extend(others.take(1).map(|one| one.name.clone()));
    for text in texts.iter().filter(|text| text.len() <= LONGEST).take(4) {
        leave(
            site,
            &hazard.broken,
            &format!("{object} = {text};"),
            FixOperator::NullCheck.with_weight(0.5 * hazard.share),
            out,
        );
    }
}

/// Returns the expression that usually creates a value of a type.
pub(super) fn usual(site: &RepairSite<'_>, ty: &str) -> Option<String> {
    let of_jdk = |class: &str| named(&site.code, class);
    let class = match ty {
        "java.util.List" | "java.util.Collection" | "java.lang.Iterable" => {
            of_jdk("java.util.ArrayList<>")
        }
        "java.util.Set" => of_jdk("java.util.HashSet<>"),
        "java.util.Map" => of_jdk("java.util.HashMap<>"),
        _ => {
            let class = site.code.facts.class_named(ty)?;
            let symbol = site.code.facts.symbol(class);
            let is_made =
                symbol.kind == SymbolKind::Class && !symbol.flags.has(SymbolFlags::ABSTRACT);
            let name = (is_made && symbol.place.is_some()).then_some(symbol.name)?;
            site.code.facts.text(name).to_owned()
        }
    };
    Some(format!("new {class}()"))
}

fn is_made_for(site: &RepairSite<'_>, id: NodeIndex, wanted: &str) -> bool {
    let facts = site.code.facts;
    let ty = site.code.type_of(id);
    ty == wanted || facts.class_named(ty).is_some_and(|class| facts.is_below(class, wanted))
}
