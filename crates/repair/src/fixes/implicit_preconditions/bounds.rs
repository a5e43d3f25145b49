//! Fix operators for integers with a lower or upper bound: set the number, or a variable in it, to the bound, or clamp
//! it (`AutoFix`, section 4.3.4).

use crate::candidates::candidate::FixOperator;
use crate::conditions::linear::{Bounds, LinearCondition};
use crate::conditions::snapshots::ScoredCondition;
use crate::contracts::unqualified_names;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::commands::assignable_variables;
use crate::fixes::statements::donors::{insert_before, insert_if_else};
use crate::fixes::statements::early_exits::insert_guarded_code;
use mend_java::code::condition::Condition;
use mend_java::code::purity::is_pure;
use mend_java::code::types::is_whole;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::{Code, parenthesise};

/// Placeholder for a number in the text of a precondition.
const NUMBER_PLACEHOLDER: &str = "numberOfGitMend";

/// Prior likelihood that a number should equal a bound of the valid range, or be clamped to it.
const BOUND_WEIGHT: f64 = 0.8;

/// Prior likelihood that a value out of range is clamped.
const CLAMP_WEIGHT: f64 = 0.5;

/// Prior likelihoods that a variable is set to a bound if it is out of range, always, or instead of the statement.
const ASSIGNMENT_WEIGHTS: [f64; 3] = [0.6, 0.3, 0.3];

/// Prior likelihood that a variable moves one step back, under a condition about it, if it was observed out of range.
const STEP_BACK_WEIGHT: f64 = 0.8;

/// Factor for all of these if no test recorded whether the number was out of range.
const UNOBSERVED_FACTOR: f64 = 0.4;

/// Maximum number of variables set per precondition.
const MAX_ASSIGNED_VARIABLES: usize = 2;

/// Maximum number of conditions under which a variable moves one step back.
const MAX_STEP_CONDITIONS: usize = 2;

/// An integer expression with its preconditions.
struct BoundedNumber {
    number: NodeIndex,
    preconditions: Vec<String>,
}

pub(super) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let invariants = site.contracts.invariants_at(code, site.statement);
    let mut preconditions: Vec<String> = Vec::new();
    for id in code.own_nodes(site.statement) {
        for bounded in find_bounded_numbers(site, id)
            .into_iter()
            .filter(|bounded| is_whole(code.required_type(bounded.number)))
        {
            let number_preconditions = bounded.preconditions_in_code(code);
            propose_bound_values(site, &bounded, &number_preconditions, &invariants, out);
            preconditions.extend(number_preconditions);
        }
    }
    preconditions.extend(site.contracts.conditions_if_check(code, site.statement));
    preconditions.dedup();
    for demand in &preconditions {
        assign_bound_to_variable(site, demand, &invariants, out);
    }
}

impl BoundedNumber {
    /// Returns the precondition in terms of the code; empty if the number must not be evaluated twice.
    fn preconditions_in_code(&self, code: &Code<'_>) -> Vec<String> {
        let written = code.source_text(self.number);
        if !is_pure(code, self.number) || written.contains('\n') {
            return Vec::new();
        }
        let is_sum = matches!(code.binary_operator(self.number), Some("+" | "-" | "*" | "/" | "%"));
        let write_precondition = |demand: &String| match demand.strip_prefix(NUMBER_PLACEHOLDER) {
            Some(rest) if is_sum && rest.starts_with(' ') => {
                format!("{written}{}", rest.replace(NUMBER_PLACEHOLDER, &parenthesise(written)))
            }
            _ => demand.replace(NUMBER_PLACEHOLDER, &parenthesise(written)),
        };
        self.preconditions.iter().map(write_precondition).collect()
    }
}

/// Returns the bounded numbers that an expression takes.
fn find_bounded_numbers(site: &RepairSite<'_>, id: NodeIndex) -> Vec<BoundedNumber> {
    let code = &site.code;
    let index_number = |(number, last): (NodeIndex, String)| BoundedNumber {
        number,
        preconditions: vec![
            format!("{NUMBER_PLACEHOLDER} >= 0"),
            format!("{NUMBER_PLACEHOLDER} {last}"),
        ],
    };
    let indexes = index_bounds(site, id);
    let mut all = start_end_constraints(code, id, &indexes);
    all.extend(indexes.into_iter().map(index_number));
    let is_size = |child: &NodeIndex| {
        code.role(*child) == NodeRole::Other && code.is_replaceable_value(*child)
    };
    let sizes = code
        .children(id)
        .into_iter()
        .filter(|_| code.has_kind(id, NodeKind::NewArray))
        .filter(is_size);
    all.extend(sizes.map(|number| BoundedNumber {
        number,
        preconditions: vec![format!("{NUMBER_PLACEHOLDER} >= 0")],
    }));
    let argument_preconditions =
        site.contracts.preconditions_by_argument(code, id, NUMBER_PLACEHOLDER).into_iter();
    all.extend(
        argument_preconditions
            .map(|(number, demands)| BoundedNumber { number, preconditions: demands }),
    );
    all
}

/// Returns the constraints that the start of a subrange does not exceed its end.
fn start_end_constraints(
    code: &Code<'_>,
    id: NodeIndex,
    indexes: &[(NodeIndex, String)],
) -> Vec<BoundedNumber> {
    let name = code.symbol(id).map_or("", |symbol| code.facts.text(symbol.name));
    let &[(start, _), (end, _)] = indexes else { return Vec::new() };
    if !matches!(name, "substring" | "subList") {
        return Vec::new();
    }
    let constraint = |number, operator, other| {
        let demands = vec![format!(
            "{NUMBER_PLACEHOLDER} {operator} {}",
            parenthesise(code.source_text(other))
        )];
        BoundedNumber { number, preconditions: demands }
    };
    vec![constraint(start, "<=", end), constraint(end, ">=", start)]
}

/// Returns the index arguments of an expression, each with the condition for its upper bound.
pub(crate) fn index_bounds(site: &RepairSite<'_>, id: NodeIndex) -> Vec<(NodeIndex, String)> {
    let code = &site.code;
    if let (NodeKind::ArrayAccess, &[array, index]) = (code.kind(id), &code.children(id)[..]) {
        return vec![(index, format!("< {}.length", code.source_text(array)))];
    }
    let callee =
        code.child(id, NodeRole::Callee).filter(|_| code.has_kind(id, NodeKind::MethodInvocation));
    let Some(callee) = callee.filter(|callee| code.has_kind(*callee, NodeKind::MemberSelect))
    else {
        return Vec::new();
    };
    let Some(&object) = code.children(callee).first() else { return Vec::new() };
    let name = code.symbol(id).map_or("", |symbol| code.facts.text(symbol.name));
    let owner = code.source_text(object);
    let is_list = code
        .facts
        .find_class(code.type_of(object))
        .is_some_and(|class| code.facts.is_subtype_of(class, "java.util.List"));
    let last = match name {
        "charAt" => format!("< {owner}.length()"),
        "substring" => format!("<= {owner}.length()"),
        "get" | "set" if is_list => format!("< {owner}.size()"),
        "subList" if is_list => format!("<= {owner}.size()"),
        _ => return Vec::new(),
    };
    let arguments = code.children(id).into_iter().filter(|id| code.role(*id) == NodeRole::Argument);
    let indexes = arguments.filter(|id| code.type_of(*id) == "int");
    indexes.map(|index| (index, last.clone())).collect()
}

/// Replaces a number that may be out of range.
fn propose_bound_values(
    site: &RepairSite<'_>,
    bounded: &BoundedNumber,
    preconditions: &[String],
    invariants: &[String],
    out: &mut CandidateEdits,
) {
    let conjunction = bounded
        .preconditions
        .iter()
        .map(|demand| parenthesise(demand))
        .collect::<Vec<_>>()
        .join(" && ");
    let Some(Bounds { least, largest }) = LinearCondition::read(&conjunction).and_then(|bounded| {
        bounded.with_known_conditions(invariants).bounds_of(NUMBER_PLACEHOLDER)
    }) else {
        return;
    };
    let written = site.code.source_text(bounded.number);
    let is_literal = site.code.kind(bounded.number).is_literal();
    let likelihood = preconditions
        .iter()
        .filter_map(|demand| violation_likelihood(site, demand))
        .reduce(f64::max);
    for (bound, method) in [(largest, "min"), (least, "max")] {
        let Some(bound) = bound.map(|bound| bound.to_string()) else { continue };
        if let Some(likelihood) = likelihood {
            out.replace(
                site,
                bounded.number,
                &bound,
                FixOperator::Value.with_weight(BOUND_WEIGHT * likelihood),
            );
        }
        if !is_literal {
            let clamped = format!("Math.{method}({written}, {bound})");
            out.replace(
                site,
                bounded.number,
                &clamped,
                FixOperator::RangeCheck.with_weight(CLAMP_WEIGHT),
            );
        }
    }
}

/// Sets a variable of a precondition to a value that satisfies it.
fn assign_bound_to_variable(
    site: &RepairSite<'_>,
    precondition: &str,
    invariants: &[String],
    out: &mut CandidateEdits,
) {
    let Some(likelihood) = violation_likelihood(site, precondition)
        .filter(|_| site.code.is_in_statement_list(site.statement))
    else {
        return;
    };
    let Some(linear) = LinearCondition::read(precondition) else { return };
    let linear = linear.with_known_conditions(invariants);
    let named = unqualified_names(precondition).unwrap_or_default();
    let is_assignable = |name: &str, ty: &str| is_whole(ty) && named.contains(&name);
    let variables = assignable_variables(site)
        .filter(|one| is_assignable(&one.name, &one.ty))
        .take(MAX_ASSIGNED_VARIABLES);
    for name in variables.map(|one| &one.name) {
        let Some(Bounds { least, largest }) = linear.bounds_of(name) else { continue };
        for (bound, operator, back) in [(&largest, "<=", "--"), (&least, ">=", "++")] {
            let in_range = bound.as_ref().map(|bound| format!("{name} {operator} {bound}"));
            if in_range.is_some_and(|in_range| is_observed_violated(site, &in_range)) {
                propose_step_back(site, name, &format!("{name}{back};"), out);
            }
        }
        let violation = Condition::parse(precondition).negation().to_string();
        for bound in [largest, least].into_iter().flatten() {
            let text = format!("{name} = {bound};");
            let [where_broken, always, instead] =
                ASSIGNMENT_WEIGHTS.map(|likely| likely * likelihood);
            insert_guarded_code(
                site,
                &violation,
                &text,
                FixOperator::Assignment.with_weight(where_broken),
                out,
            );
            insert_before(site, &text, FixOperator::Assignment.with_weight(always), out);
            insert_if_else(
                site,
                &violation,
                &text,
                FixOperator::Assignment.with_weight(instead),
                out,
            );
        }
    }
}

/// Moves an index one step back if a condition compares it with another value. An index is off by one after an element
/// before it was removed or added.
fn propose_step_back(site: &RepairSite<'_>, name: &str, step: &str, out: &mut CandidateEdits) {
    let compares = |condition: &&ScoredCondition| {
        unqualified_names(condition.text()).is_some_and(|all| all.len() == 2 && all.contains(&name))
    };
    let separating = site
        .separating_conditions(|one| one.score_if_true)
        .filter(compares)
        .take(MAX_STEP_CONDITIONS);
    for condition in separating {
        let weight = STEP_BACK_WEIGHT * condition.score_if_true.unwrap_or_default();
        insert_guarded_code(
            site,
            condition.text(),
            step,
            FixOperator::Assignment.with_weight(weight),
            out,
        );
    }
}

/// Returns true if a failing test observed a violated precondition.
fn is_observed_violated(site: &RepairSite<'_>, precondition: &str) -> bool {
    site.observed_outcomes(precondition).is_some_and(|truths| truths.false_counts.failing > 0)
}

/// Returns the likelihood that a linear precondition is violated; `None` if all failing tests observed it to hold.
fn violation_likelihood(site: &RepairSite<'_>, precondition: &str) -> Option<f64> {
    LinearCondition::read(precondition)?;
    match site.observed_outcomes(precondition) {
        Some(truths) if truths.false_counts.failing > 0 => Some(1.0),
        // A later iteration can still violate it.
        Some(_) if site.loop_head.is_none() => None,
        _ => Some(UNOBSERVED_FACTOR),
    }
}
