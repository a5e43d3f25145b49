//! Whole numbers with a lower or upper bound from Java or from a called routine. They are set or clamped to the bound,
//! or a variable in their expression is (`AutoFix`, section 4.3.4).

use crate::candidates::candidate::FixOperator;
use crate::conditions::linear::{Bounds, LinearCondition};
use crate::conditions::snapshots::ScoredCondition;
use crate::contracts::names;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::commands::free;
use crate::fixes::statements::donors::{either, insert_before};
use crate::fixes::statements::early_exits::leave;
use crate::observe::values::{ObservedValue, PredicateOutcomes, Visit};
use mend_java::code::condition::Condition;
use mend_java::code::purity::is_pure;
use mend_java::code::types::is_whole;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::{Code, closed};

/// Placeholder for a number in the text of a precondition.
const NUMBER: &str = "numberOfGitMend";

/// Prior likelihood that a number should equal a bound of the valid range, or be clamped to it.
const AT_END: f64 = 0.8;

/// Prior likelihood that a value out of range is clamped.
const INSIDE: f64 = 0.5;

/// Prior likelihoods that a variable is set to a bound if it is out of range, always, or instead of the statement.
const SET: [f64; 3] = [0.6, 0.3, 0.3];

/// Prior likelihood that a variable moves one step back, under a condition about it, if it was observed out of range.
const STEPPED: f64 = 0.8;

/// Factor for all of these if no test recorded whether the number was out of range.
const UNSEEN: f64 = 0.4;

/// Maximum number of variables set per precondition.
const VARIABLES: usize = 2;

/// Maximum number of conditions under which a variable moves one step back.
const CONDITIONS: usize = 2;

/// A whole number, and all that is demanded of it.
struct BoundedNumber {
    number: NodeIndex,
    demands: Vec<String>,
}

pub(super) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    let invariants = site.contracts.invariants_at(code, site.statement);
    let mut all: Vec<String> = Vec::new();
    for id in code.own_nodes(site.statement) {
        for one in limited(site, id).into_iter().filter(|one| is_whole(code.wanted_for(one.number)))
        {
            let said = one.preconditions_in_code(code);
            replaced(site, &one, &said, &invariants, out);
            all.extend(said);
        }
    }
    all.extend(site.contracts.checked(code, site.statement));
    all.dedup();
    for demand in &all {
        assign_bound(site, demand, &invariants, out);
    }
}

impl BoundedNumber {
    /// Returns the precondition in terms of the code; empty if the number must not be evaluated twice.
    fn preconditions_in_code(&self, code: &Code<'_>) -> Vec<String> {
        let written = code.written(self.number);
        if !is_pure(code, self.number) || written.contains('\n') {
            return Vec::new();
        }
        let is_sum = matches!(code.operator(self.number), Some("+" | "-" | "*" | "/" | "%"));
        let say = |demand: &String| match demand.strip_prefix(NUMBER) {
            Some(rest) if is_sum && rest.starts_with(' ') => {
                format!("{written}{}", rest.replace(NUMBER, &closed(written)))
            }
            _ => demand.replace(NUMBER, &closed(written)),
        };
        self.demands.iter().map(say).collect()
    }
}

/// Returns the bounded numbers that an expression takes.
fn limited(site: &RepairSite<'_>, id: NodeIndex) -> Vec<BoundedNumber> {
    let code = &site.code;
    let inside = |(number, last): (NodeIndex, String)| BoundedNumber {
        number,
        demands: vec![format!("{NUMBER} >= 0"), format!("{NUMBER} {last}")],
    };
    let indexes = bounds(site, id);
    let mut all = crossing(code, id, &indexes);
    all.extend(indexes.into_iter().map(inside));
    let is_size = |child: &NodeIndex| code.role(*child) == NodeRole::Other && code.is_value(*child);
    let sizes =
        code.children(id).into_iter().filter(|_| code.is(id, NodeKind::NewArray)).filter(is_size);
    all.extend(
        sizes.map(|number| BoundedNumber { number, demands: vec![format!("{NUMBER} >= 0")] }),
    );
    let said = site.contracts.demands_on(code, id, NUMBER).into_iter();
    all.extend(said.map(|(number, demands)| BoundedNumber { number, demands }));
    all
}

/// Returns the start of a part, which must not exceed its end.
fn crossing(code: &Code<'_>, id: NodeIndex, indexes: &[(NodeIndex, String)]) -> Vec<BoundedNumber> {
    let name = code.symbol(id).map_or("", |symbol| code.facts.text(symbol.name));
    let &[(start, _), (end, _)] = indexes else { return Vec::new() };
    if !matches!(name, "substring" | "subList") {
        return Vec::new();
    }
    let of = |number, operator, other| {
        let demands = vec![format!("{NUMBER} {operator} {}", closed(code.written(other)))];
        BoundedNumber { number, demands }
    };
    vec![of(start, "<=", end), of(end, ">=", start)]
}

/// Indexes that an expression takes, each with what the largest one is not above.
pub(crate) fn bounds(site: &RepairSite<'_>, id: NodeIndex) -> Vec<(NodeIndex, String)> {
    let code = &site.code;
    if let (NodeKind::ArrayAccess, &[array, index]) = (code.kind(id), &code.children(id)[..]) {
        return vec![(index, format!("< {}.length", code.written(array)))];
    }
    let callee =
        code.child(id, NodeRole::Callee).filter(|_| code.is(id, NodeKind::MethodInvocation));
    let Some(callee) = callee.filter(|callee| code.is(*callee, NodeKind::MemberSelect)) else {
        return Vec::new();
    };
    let Some(&object) = code.children(callee).first() else { return Vec::new() };
    let name = code.symbol(id).map_or("", |symbol| code.facts.text(symbol.name));
    let owner = code.written(object);
    let is_list = code
        .facts
        .class_named(code.type_of(object))
        .is_some_and(|class| code.facts.is_below(class, "java.util.List"));
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
fn replaced(
    site: &RepairSite<'_>,
    one: &BoundedNumber,
    said: &[String],
    invariants: &[String],
    out: &mut CandidateEdits,
) {
    let whole = one.demands.iter().map(|demand| closed(demand)).collect::<Vec<_>>().join(" && ");
    let Some(Bounds { least, largest }) =
        LinearCondition::read(&whole).and_then(|one| one.strengthened(invariants).extremes(NUMBER))
    else {
        return;
    };
    let written = site.code.written(one.number);
    let is_literal = site.code.kind(one.number).is_literal();
    let chance = said.iter().filter_map(|demand| chance(site, demand)).reduce(f64::max);
    for (end, method) in [(largest, "min"), (least, "max")] {
        let Some(end) = end.map(|end| end.to_string()) else { continue };
        if let Some(chance) = chance {
            out.replace(site, one.number, &end, FixOperator::Value.with_weight(AT_END * chance));
        }
        if !is_literal {
            let inside = format!("Math.{method}({written}, {end})");
            out.replace(site, one.number, &inside, FixOperator::RangeCheck.with_weight(INSIDE));
        }
    }
}

/// Sets a variable of a precondition to a value that satisfies it.
fn assign_bound(
    site: &RepairSite<'_>,
    demand: &str,
    invariants: &[String],
    out: &mut CandidateEdits,
) {
    let Some(chance) = chance(site, demand).filter(|_| site.code.is_in_list(site.statement)) else {
        return;
    };
    let Some(linear) = LinearCondition::read(demand) else { return };
    let linear = linear.strengthened(invariants);
    let named = names(demand).unwrap_or_default();
    let is_meant = |name: &str, ty: &str| is_whole(ty) && named.contains(&name);
    let meant = free(site).filter(|one| is_meant(&one.name, &one.ty)).take(VARIABLES);
    for name in meant.map(|one| &one.name) {
        let Some(Bounds { least, largest }) = linear.extremes(name) else { continue };
        for (end, inside, back) in [(&largest, "<=", "--"), (&least, ">=", "++")] {
            let inside = end.as_ref().map(|end| format!("{name} {inside} {end}"));
            if inside.is_some_and(|inside| is_seen_broken(site, &inside)) {
                stepped(site, name, &format!("{name}{back};"), out);
            }
        }
        let broken = Condition::parse(demand).negation().to_string();
        for end in [largest, least].into_iter().flatten() {
            let text = format!("{name} = {end};");
            let [where_broken, always, instead] = SET.map(|likely| likely * chance);
            leave(site, &broken, &text, FixOperator::Assignment.with_weight(where_broken), out);
            insert_before(site, &text, FixOperator::Assignment.with_weight(always), out);
            either(site, &broken, &text, FixOperator::Assignment.with_weight(instead), out);
        }
    }
}

/// Moves an index one step back if a condition compares it with another value. An index is off by one after an element
/// before it was removed or added.
fn stepped(site: &RepairSite<'_>, name: &str, step: &str, out: &mut CandidateEdits) {
    let compares = |condition: &&ScoredCondition| {
        names(condition.text()).is_some_and(|all| all.len() == 2 && all.contains(&name))
    };
    let telling = site.telling(|one| one.if_true).filter(compares).take(CONDITIONS);
    for condition in telling {
        let likely = STEPPED * condition.if_true.unwrap_or_default();
        leave(site, condition.text(), step, FixOperator::Assignment.with_weight(likely), out);
    }
}

/// Returns the observations of a linear precondition; `None` if no test recorded it.
fn observed_outcomes(site: &RepairSite<'_>, demand: &str) -> Option<PredicateOutcomes> {
    let linear = LinearCondition::read(demand)?;
    let number = |row: &Visit<'_>, term: &str| match row.value(term)? {
        ObservedValue::Number(number) => Some(number),
        _ => None,
    };
    site.place?.truths(|row| linear.evaluate(|term| number(row, term)))
}

/// Returns true if a failing test observed a violated precondition.
fn is_seen_broken(site: &RepairSite<'_>, demand: &str) -> bool {
    observed_outcomes(site, demand).is_some_and(|truths| truths.seen_false.failing > 0)
}

/// Returns the likelihood that a linear precondition is violated; `None` if all failing tests observed it to hold.
fn chance(site: &RepairSite<'_>, demand: &str) -> Option<f64> {
    LinearCondition::read(demand)?;
    match observed_outcomes(site, demand) {
        Some(truths) if truths.seen_false.failing > 0 => Some(1.0),
        // A loop comes to its head again.
        Some(_) if site.head.is_none() => None,
        _ => Some(UNSEEN),
    }
}
