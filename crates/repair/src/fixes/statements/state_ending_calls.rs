//! Fix operator that calls commands which end the object state of the failure, as learned from passing tests. These
//! rank first.

use super::commands::calls_with_arguments;
use super::donors::insert_before_statement;
use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::abbreviate;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::{guarded_code_edit, indent_unit};
use crate::observe::object_model::StateCondition;
use mend_java::code::condition::Condition;
use mend_java::facts::{SymbolFlags, SymbolId};

/// Prior likelihoods that a command is missing under the condition, and that it is missing unconditionally.
const MISSING_COMMAND_WEIGHTS: [f64; 2] = [0.9, 0.7];

/// Maximum number of the best conditions for which commands are searched.
const MAX_CONDITIONS: usize = 25;

/// Maximum number of commands, or pairs of commands, for one condition.
const MAX_COMMANDS: usize = 4;

/// Factor for the prior likelihood of two missing commands relative to one.
const COMMAND_PAIR_FACTOR: f64 = 0.5;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    for condition in site.separating_conditions(|one| one.score_if_true).take(MAX_CONDITIONS) {
        propose_ending_commands(
            site,
            condition.text(),
            condition.score_if_true.unwrap_or(0.0),
            out,
        );
    }
}

/// Proposes commands that end a condition.
pub(crate) fn propose_ending_commands(
    site: &RepairSite<'_>,
    condition: &str,
    score: f64,
    out: &mut CandidateEdits,
) {
    if !site.code.is_in_statement_list(site.statement) {
        return;
    }
    let ended = Condition::parse(condition).negation();
    let why = |why: &str| {
        format!("{why}; in passing tests, `{}` holds afterwards", abbreviate(ended.text()))
    };
    let [conditional, always] = MISSING_COMMAND_WEIGHTS.map(|missing| missing * score);
    for (calls, likelihood) in find_ending_commands(site, condition).into_iter().take(MAX_COMMANDS)
    {
        let (edit, description) =
            guarded_code_edit(site, condition, &join_lines(site, &calls, indent_unit(site)));
        out.add(
            FixOperator::Assignment.with_weight(conditional * likelihood),
            vec![edit],
            why(&description),
        );
        let (edit, description) = insert_before_statement(site, &join_lines(site, &calls, ""));
        out.add(
            FixOperator::Assignment.with_weight(always * likelihood),
            vec![edit],
            why(&description),
        );
    }
}

/// Joins calls on separate lines. The first line is already indented; `indentation` is added to the indentation of the
/// others.
fn join_lines(site: &RepairSite<'_>, calls: &[String], indentation: &str) -> String {
    let (indent, end) = (site.code.indent(site.statement), site.code.line_end());
    calls.join(&format!("{end}{indent}{indentation}"))
}

/// Returns the commands after which a condition never held in passing tests although it held before, each with its
/// likelihood. If no single command does that, pairs of commands of one object are returned.
fn find_ending_commands(site: &RepairSite<'_>, condition: &str) -> Vec<(Vec<String>, f64)> {
    let objects = find_receivers(site).into_iter();
    let mut all: Vec<_> = objects
        .flat_map(|(object, class)| ending_commands_of(site, condition, &object, class))
        .collect();
    // Single commands come first, on any object.
    all.sort_by_key(|(calls, _)| calls.len());
    all
}

/// Returns the objects that can receive a command: the text before the call, and the class.
fn find_receivers(site: &RepairSite<'_>) -> Vec<(String, SymbolId)> {
    let code = &site.code;
    let method = code.enclosing_method(site.statement).and_then(|method| code.symbol(method));
    let is_static = method.is_some_and(|method| method.flags.has(SymbolFlags::STATIC));
    let own = code.enclosing_type(site.statement).and_then(|class| code.node(class).symbol);
    let own_object = own.filter(|_| !is_static).map(|class| (String::new(), class));
    let named = site.variables().iter().filter_map(|one| {
        let class = code.facts.find_class(&one.ty)?;
        Some((format!("{}.", one.name), class))
    });
    own_object.into_iter().chain(named).collect()
}

/// Returns the commands of one object that end a condition, each with its likelihood.
fn ending_commands_of(
    site: &RepairSite<'_>,
    condition: &str,
    object: &str,
    class: SymbolId,
) -> Vec<(Vec<String>, f64)> {
    let positive = condition.strip_prefix('!').unwrap_or(condition);
    let own_condition = positive.starts_with(object).then(|| condition.replacen(object, "", 1));
    let state_conditions =
        own_condition.as_deref().map_or_else(Vec::new, StateCondition::parse_all);
    let is_any_ended =
        |ends: &dyn Fn(&StateCondition<'_>) -> bool| state_conditions.iter().any(ends);
    let routines = callable_routines(site, object, class);
    let calls_of =
        |routine: SymbolId| calls_with_arguments(site, object, site.code.facts.symbol(routine));
    let ends =
        |one: &&SymbolId| is_any_ended(&|claim| site.object_model.ends_condition(**one, claim));
    let single_calls = routines.iter().filter(ends).flat_map(|one| calls_of(*one));
    let single_calls: Vec<_> = single_calls.map(|call| (vec![call], 1.0)).collect();
    if !single_calls.is_empty() {
        return single_calls;
    }
    let pairs = routines.iter().flat_map(|one| routines.iter().map(|next| [*one, *next]));
    let ends = |pair: &[SymbolId; 2]| {
        is_any_ended(&|claim| site.object_model.pair_ends_condition(*pair, claim))
    };
    let call_pair = |pair: [SymbolId; 2]| {
        pair.into_iter().map(|one| calls_of(one).into_iter().next()).collect()
    };
    let call_pairs = pairs.filter(ends).filter_map(call_pair);
    call_pairs.map(|calls: Vec<String>| (calls, COMMAND_PAIR_FACTOR)).collect()
}

/// Returns the routines of a class that can be called on an object and were observed in passing tests.
fn callable_routines(site: &RepairSite<'_>, object: &str, class: SymbolId) -> Vec<SymbolId> {
    let code = &site.code;
    let method = code.enclosing_method(site.statement).and_then(|method| code.node(method).symbol);
    let own = code.enclosing_type(site.statement).and_then(|class| code.node(class).symbol);
    let classes = code.facts.supertypes_with_self(class);
    let is_callable = |routine: &SymbolId| {
        let symbol = code.facts.symbol(*routine);
        let is_own_class = symbol.owner == own;
        symbol.owner.is_some_and(|owner| classes.contains(&owner))
            && (is_own_class || symbol.flags.access_level() > 0)
            && !(object.is_empty() && Some(*routine) == method)
    };
    site.object_model.routines().filter(is_callable).collect()
}
