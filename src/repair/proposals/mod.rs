//! What may be changed in one statement: a file for each kind of change.

mod allocations;
mod arguments;
mod cleanup;
mod conditions;
mod donors;
mod exits;
mod hazards;
mod lookups;
mod methods;
mod operators;
mod order;
mod predicates;
mod values;
mod widening;
mod wrong_guards;

use super::candidate::{Proposal, Strategy};
use super::code::Code;
use super::contracts::Contracts;
use super::edit::Edit;
use super::observed::Place;
use super::scope::{Variable, visible};
use super::terms::{Term, terms};
use crate::facts::{Facts, NodeIndex, widens};
use predicates::Condition;

pub(super) use predicates::negated;

/// A statement that might be at fault, and what can be named there.
pub(super) struct Site<'a> {
    pub(super) code: Code<'a>,
    /// What routines demand of their callers.
    contracts: &'a Contracts,
    pub(super) statement: NodeIndex,
    variables: Vec<Variable>,
    /// What conditions can be about there.
    terms: Vec<Term>,
    /// What may decide there.
    conditions: Vec<Condition>,
    /// What tests found there.
    place: Option<&'a Place>,
    /// Exceptions that failing tests waited for in vain, by their full names.
    awaited: &'a [String],
}

impl<'a> Site<'a> {
    pub(super) fn new(
        code: Code<'a>,
        contracts: &'a Contracts,
        statement: NodeIndex,
        place: Option<&'a Place>,
        awaited: &'a [String],
    ) -> Self {
        let variables = visible(&code, statement);
        let terms = terms(&code, statement, false);
        let conditions = predicates::conditions(&code, &terms, place);
        Self { code, contracts, statement, variables, terms, conditions, place, awaited }
    }

    /// Everything that may be changed here.
    pub(super) fn proposals(&self) -> Vec<Proposal> {
        let mut out = Proposals::default();
        operators::propose(self, &mut out);
        values::propose(self, &mut out);
        arguments::propose(self, &mut out);
        methods::propose(self, &mut out);
        if self.code.is_initialised_field(self.statement) {
            return out.all;
        }
        conditions::propose(self, &mut out);
        hazards::propose(self, &mut out);
        allocations::propose(self, &mut out);
        lookups::propose(self, &mut out);
        exits::propose(self, &mut out);
        exits::at_end(self, &mut out);
        donors::propose(self, &mut out);
        order::propose(self, &mut out);
        cleanup::propose(self, &mut out);
        wrong_guards::propose(self, &mut out);
        widening::propose(self, &mut out);
        out.all
    }

    /// Variables whose value may stand where one of a type is wanted.
    fn variables_for(&self, wanted: &str) -> impl Iterator<Item = &Variable> {
        let (facts, wanted) = (self.code.facts, wanted.to_owned());
        let is_anything = wanted == "java.lang.Object";
        self.variables
            .iter()
            .filter(move |one| one.ty == wanted || !is_anything && fits(facts, &one.ty, &wanted))
    }

    /// Whether a condition is known never to have held in a failing test.
    fn is_refuted(&self, condition: &str) -> bool {
        predicates::is_refuted(&self.terms, self.place, condition)
    }

    /// Conditions that tests saw to make a difference here.
    fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The variables that a statement may read, the nearest first.
    fn variables(&self) -> &[Variable] {
        &self.variables
    }
}

/// Proposals on their way, each change once.
#[derive(Default)]
struct Proposals {
    all: Vec<Proposal>,
}

impl Proposals {
    fn add(&mut self, strategy: Strategy, weight: f64, edits: Vec<Edit>, why: String) {
        if self.all.iter().all(|known| known.edits != edits) {
            self.all.push(Proposal { strategy, edits, why, weight });
        }
    }

    /// An expression becomes another one.
    fn replace(&mut self, site: &Site<'_>, id: NodeIndex, text: &str, how: (Strategy, f64)) {
        let was = site.code.written(id);
        if was == text {
            return;
        }
        let why = format!("`{}` becomes `{}`", brief(was), brief(text));
        let edit = Edit::replace(site.code.bytes(id), site.code.fitted(id, text));
        self.add(how.0, how.1, vec![edit], why);
    }
}

/// The most that is shown of a piece of code in one line.
const BRIEF: usize = 60;

/// Code in one line, and not all of it if it is long.
fn brief(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= BRIEF {
        return line;
    }
    line.chars().take(BRIEF - 1).chain(['…']).collect()
}

/// Whether a value of a type may stand where one of another type is wanted.
fn fits(facts: &Facts, ty: &str, wanted: &str) -> bool {
    let is_below = || facts.class_named(ty).is_some_and(|class| facts.is_below(class, wanted));
    ty == wanted
        || widens(ty, wanted)
        || is_reference(ty) && wanted == "java.lang.Object"
        || is_below()
}

/// Whether a type's values are whole numbers that can be counted with.
fn is_whole(ty: &str) -> bool {
    matches!(ty, "int" | "long" | "short" | "byte")
}

/// Whether a type's values are references.
pub(super) fn is_reference(ty: &str) -> bool {
    !matches!(
        ty,
        "" | "int" | "long" | "short" | "byte" | "char" | "boolean" | "float" | "double" | "void"
    )
}
