//! Commands that end the object state in which a failure happened, learnt from passing tests. They are ranked first.

use super::commands::calls;
use super::donors::first;
use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::{guarded_exit_edit, step};
use crate::fixes::text::brief;
use crate::observe::object_model::StateCondition;
use mend_java::code::condition::Condition;
use mend_java::facts::{SymbolFlags, SymbolId};

/// Prior likelihoods that a command is missing under the condition, and that it is missing unconditionally.
const MISSING: [f64; 2] = [0.9, 0.7];

/// Maximum number of the best conditions for which commands are searched.
const CONDITIONS: usize = 25;

/// Maximum number of commands, or pairs of commands, for one condition.
const COMMANDS: usize = 4;

/// Factor for the prior likelihood of two missing commands relative to one.
const TWO: f64 = 0.5;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    for condition in site.telling(|one| one.if_true).take(CONDITIONS) {
        end(site, condition.text(), condition.if_true.unwrap_or(0.0), out);
    }
}

/// Proposes what ends a condition.
pub(crate) fn end(site: &RepairSite<'_>, condition: &str, promise: f64, out: &mut CandidateEdits) {
    if !site.code.is_in_list(site.statement) {
        return;
    }
    let met = Condition::parse(condition).negation();
    let why =
        |why: &str| format!("{why}; in passing tests, `{}` holds afterwards", brief(met.text()));
    let [there, always] = MISSING.map(|missing| missing * promise);
    for (calls, likely) in ending(site, condition).into_iter().take(COMMANDS) {
        let (edit, said) = guarded_exit_edit(site, condition, &lines(site, &calls, step(site)));
        out.add(FixOperator::Assignment.with_weight(there * likely), vec![edit], why(&said));
        let (edit, said) = first(site, &lines(site, &calls, ""));
        out.add(FixOperator::Assignment.with_weight(always * likely), vec![edit], why(&said));
    }
}

/// Joins calls on separate lines. The first line is already indented; `further` is added to the indentation of the
/// others.
fn lines(site: &RepairSite<'_>, calls: &[String], further: &str) -> String {
    let (indent, end) = (site.code.indent(site.statement), site.code.line_end());
    calls.join(&format!("{end}{indent}{further}"))
}

/// Returns the commands after which a condition never held in passing tests although it held before, each with its
/// likelihood. If no single command does that, pairs of commands of one object are returned.
fn ending(site: &RepairSite<'_>, condition: &str) -> Vec<(Vec<String>, f64)> {
    let objects = objects(site).into_iter();
    let mut all: Vec<_> = objects
        .flat_map(|(object, class)| ending_commands_of(site, condition, &object, class))
        .collect();
    // Single commands come first, on any object.
    all.sort_by_key(|(calls, _)| calls.len());
    all
}

/// Returns the objects that can receive a command: the text before the call, and the class.
fn objects(site: &RepairSite<'_>) -> Vec<(String, SymbolId)> {
    let code = &site.code;
    let method = code.method_of(site.statement).and_then(|method| code.symbol(method));
    let is_static = method.is_some_and(|method| method.flags.has(SymbolFlags::STATIC));
    let own = code.class_of(site.statement).and_then(|class| code.node(class).symbol);
    let itself = own.filter(|_| !is_static).map(|class| (String::new(), class));
    let named = site.variables().iter().filter_map(|one| {
        let class = code.facts.class_named(&one.ty)?;
        Some((format!("{}.", one.name), class))
    });
    itself.into_iter().chain(named).collect()
}

/// Returns the commands of one object that end a condition, each with its likelihood.
fn ending_commands_of(
    site: &RepairSite<'_>,
    condition: &str,
    object: &str,
    class: SymbolId,
) -> Vec<(Vec<String>, f64)> {
    let plain = condition.strip_prefix('!').unwrap_or(condition);
    let said = plain.starts_with(object).then(|| condition.replacen(object, "", 1));
    let claims = said.as_deref().map_or_else(Vec::new, StateCondition::parse_all);
    let is_any = |ends: &dyn Fn(&StateCondition<'_>) -> bool| claims.iter().any(ends);
    let routines = routines(site, object, class);
    let told = |routine: SymbolId| calls(site, object, site.code.facts.symbol(routine));
    let ends = |one: &&SymbolId| is_any(&|claim| site.model.ends(**one, claim));
    let alone = routines.iter().filter(ends).flat_map(|one| told(*one));
    let alone: Vec<_> = alone.map(|call| (vec![call], 1.0)).collect();
    if !alone.is_empty() {
        return alone;
    }
    let pairs = routines.iter().flat_map(|one| routines.iter().map(|next| [*one, *next]));
    let ends = |pair: &[SymbolId; 2]| is_any(&|claim| site.model.ends_after(*pair, claim));
    let both =
        |pair: [SymbolId; 2]| pair.into_iter().map(|one| told(one).into_iter().next()).collect();
    let together = pairs.filter(ends).filter_map(both);
    together.map(|calls: Vec<String>| (calls, TWO)).collect()
}

/// Returns the routines of a class that can be called on an object and were observed in passing tests.
fn routines(site: &RepairSite<'_>, object: &str, class: SymbolId) -> Vec<SymbolId> {
    let code = &site.code;
    let method = code.method_of(site.statement).and_then(|method| code.node(method).symbol);
    let own = code.class_of(site.statement).and_then(|class| code.node(class).symbol);
    let classes = code.facts.supertypes_with_self(class);
    let may_be_told = |routine: &SymbolId| {
        let symbol = code.facts.symbol(*routine);
        let is_at_home = symbol.owner == own;
        symbol.owner.is_some_and(|owner| classes.contains(&owner))
            && (is_at_home || symbol.flags.access() > 0)
            && !(object.is_empty() && Some(*routine) == method)
    };
    site.model.routines().filter(may_be_told).collect()
}
