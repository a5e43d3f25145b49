//! Commands that end what held where something failed, as passing tests saw them do: they are told before anything
//! else.

use super::commands::calls;
use super::donors::first;
use super::exits::left;
use super::predicates::negated;
use super::{Proposals, Site, brief};
use crate::facts::{Flags, SymbolId};
use crate::repair::candidate::Strategy;
use crate::repair::object_model::Claim;

/// How likely it is that a command is missing where the condition holds, and that it is missing in any case.
const MISSING: [f64; 2] = [0.9, 0.7];

/// So many of the most promising conditions are to be ended.
const CONDITIONS: usize = 25;

/// So many commands are tried for one of them.
const COMMANDS: usize = 4;

pub(super) fn propose(site: &Site<'_>, out: &mut Proposals) {
    for condition in site.telling(|one| one.if_true).take(CONDITIONS) {
        end(site, &condition.text, condition.if_true.unwrap_or(0.0), out);
    }
}

/// Proposes what ends a condition.
pub(super) fn end(site: &Site<'_>, condition: &str, promise: f64, out: &mut Proposals) {
    if !site.code.is_in_list(site.statement) {
        return;
    }
    let met = negated(condition);
    let why = |why: &str| format!("{why}; after it `{}` in passing tests", brief(&met));
    let [there, always] = MISSING.map(|missing| missing * promise);
    for call in ending(site, condition).into_iter().take(COMMANDS) {
        let (edit, said) = left(site, condition, &call);
        out.add(Strategy::Setting, there, vec![edit], why(&said));
        let (edit, said) = first(site, &call);
        out.add(Strategy::Setting, always, vec![edit], why(&said));
    }
}

/// The commands after which a condition never held in passing tests, though it did before.
fn ending(site: &Site<'_>, condition: &str) -> Vec<String> {
    let code = &site.code;
    let method = code.method_of(site.statement).and_then(|method| code.node(method).symbol);
    let is_static = method.is_some_and(|method| code.facts.symbol(method).flags.has(Flags::STATIC));
    let own = code.class_of(site.statement).and_then(|class| code.node(class).symbol);
    let itself = own.filter(|_| !is_static).map(|class| (String::new(), class));
    let named = site.variables().iter().filter_map(|one| {
        let class = code.facts.class_named(&one.ty)?;
        Some((format!("{}.", one.name), class))
    });
    let of = |(object, class): (String, SymbolId)| {
        let plain = condition.strip_prefix('!').unwrap_or(condition);
        let said = plain.starts_with(&*object).then(|| condition.replacen(&object, "", 1));
        let claims = said.as_deref().map_or_else(Vec::new, Claim::all);
        let classes = code.facts.above(class);
        let may_be_told = |routine: &SymbolId| {
            let symbol = code.facts.symbol(*routine);
            let is_at_home = symbol.owner == own;
            symbol.owner.is_some_and(|owner| classes.contains(&owner))
                && (is_at_home || symbol.flags.access() > 0)
                && !(object.is_empty() && Some(*routine) == method)
        };
        let routines = site.model.routines().filter(may_be_told);
        let ending =
            routines.filter(|routine| claims.iter().any(|claim| site.model.ends(*routine, claim)));
        ending
            .flat_map(|routine| calls(site, &object, code.facts.symbol(routine)))
            .collect::<Vec<_>>()
    };
    itself.into_iter().chain(named).flat_map(of).collect()
}
