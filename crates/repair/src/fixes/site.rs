//! A statement that might be at fault, with the context that operators use.

use super::text::brief;
use crate::candidates::candidate::{CandidateEdit, WeightedOperator};
use crate::candidates::input::RepairInput;
use crate::conditions::compounds::spoken;
use crate::conditions::predicates;
use crate::conditions::snapshots::{ConditionEvidence, ScoredCondition, conditions};
use crate::conditions::terms::{ConditionTerm, terms};
use crate::contracts::Contracts;
use crate::contracts::available_facts::standing;
use crate::localisation::diagnosis::Diagnosis;
use crate::observe::object_model::ObjectModel;
use crate::observe::values::Observations;
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::scope::{Variable, visible};
use mend_java::code::types::fits;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// A statement that might be at fault, with the names in scope.
pub(crate) struct RepairSite<'a> {
    pub(crate) code: Code<'a>,
    /// Preconditions and postconditions of routines.
    pub(super) contracts: &'a Contracts,
    /// Source files from which statements are copied.
    pub(super) material: RepairInput<'a>,
    pub(crate) statement: NodeIndex,
    pub(super) variables: Vec<Variable>,
    /// Terms of the conditions at the statement.
    pub(super) terms: Vec<ConditionTerm>,
    /// Conditions that can guard the statement.
    pub(super) conditions: Vec<ScoredCondition>,
    /// The values in the head of a loop, which is evaluated once per iteration.
    pub(super) head: Option<LoopHead>,
    /// Recorded observations at the statement.
    pub(super) place: Option<&'a Observations>,
    /// Observed behaviour of objects.
    pub(super) model: &'a ObjectModel,
    /// Other failure evidence.
    pub(super) diagnosis: &'a Diagnosis,
    /// Terms of the method whose values may be too large.
    pub(super) overflowing: &'a HashSet<&'a str>,
    /// Postconditions of the routine that failing tests violated.
    pub(super) broken: Vec<&'a str>,
}

/// Context of a statement besides its code.
#[derive(Clone, Copy)]
pub(crate) struct StatementEvidence<'a> {
    /// Recorded observations at the statement.
    pub(crate) place: Option<&'a Observations>,
    /// Terms of the method whose values may be too large.
    pub(crate) overflowing: &'a HashSet<&'a str>,
    /// Violated clauses of the routine, each with the nearness of the statement.
    pub(crate) violated: &'a [(f64, String)],
    /// Observed behaviour of objects.
    pub(crate) model: &'a ObjectModel,
}

/// Terms and conditions in the head of a loop. They are unknown there, as values are recorded only before the first
/// iteration.
pub(super) struct LoopHead {
    variables: Vec<Variable>,
    conditions: Vec<ScoredCondition>,
}

impl LoopHead {
    fn from_loop(
        code: &Code<'_>,
        statement: NodeIndex,
        contracts: &Contracts,
        violated: &[(f64, String)],
    ) -> Option<Self> {
        let is_repeated = code.is_loop(statement) && !code.is(statement, NodeKind::EnhancedForLoop);
        let is_inside =
            |id: &NodeIndex| matches!(code.role(*id), NodeRole::Condition | NodeRole::Body);
        let at = code.children(statement).into_iter().find(|id| is_repeated && is_inside(id))?;
        let at = if code.is(statement, NodeKind::ForLoop) { at } else { statement };
        let terms = terms(code, at, &[], false);
        let standing = standing(code, at, contracts, None);
        let evidence =
            ConditionEvidence { place: None, violated, spoken: &[], standing: &standing };
        let conditions = conditions(code, at, &terms, evidence);
        Some(Self { variables: visible(code, at), conditions })
    }
}

impl<'a> RepairSite<'a> {
    pub(crate) fn new(
        code: Code<'a>,
        material: RepairInput<'a>,
        contracts: &'a Contracts,
        (file, statement): (usize, NodeIndex),
        StatementEvidence { place, overflowing, violated, model }: StatementEvidence<'a>,
        diagnosis: &'a Diagnosis,
    ) -> Self {
        let variables = visible(&code, statement);
        let truths = diagnosis.breaches.conditions_before(file, &code, statement);
        let terms = terms(&code, statement, &truths, false);
        let spoken = spoken(&code, statement, contracts);
        let standing = standing(&code, statement, contracts, place);
        let evidence = ConditionEvidence { place, violated, spoken: &spoken, standing: &standing };
        let conditions = conditions(&code, statement, &terms, evidence);
        let head = LoopHead::from_loop(&code, statement, contracts, violated);
        Self {
            code,
            contracts,
            material,
            statement,
            variables,
            terms,
            conditions,
            head,
            place,
            model,
            diagnosis,
            overflowing,
            broken: diagnosis.breaches.result_conjuncts(file, &code, statement),
        }
    }

    /// Returns the variables that fit a type before the statement.
    pub(super) fn variables_for(&self, wanted: &str) -> impl Iterator<Item = &Variable> {
        self.fitting(&self.variables, wanted)
    }

    /// Returns the variables that fit a type in the statement's own expressions.
    pub(super) fn inner_variables_for(&self, wanted: &str) -> impl Iterator<Item = &Variable> {
        let variables = self.head.as_ref().map_or(&self.variables, |head| &head.variables);
        self.fitting(variables, wanted)
    }

    fn fitting<'b>(
        &self,
        variables: &'b [Variable],
        wanted: &str,
    ) -> impl Iterator<Item = &'b Variable> {
        let (facts, wanted) = (self.code.facts, wanted.to_owned());
        let is_anything = wanted == "java.lang.Object";
        variables
            .iter()
            .filter(move |one| one.ty == wanted || !is_anything && fits(facts, &one.ty, &wanted))
    }

    /// Returns true if a condition never held in a failing test.
    pub(super) fn is_refuted(&self, condition: &str) -> bool {
        predicates::is_refuted(&self.terms, self.place, condition)
    }

    /// Returns true if a condition held in a failing test.
    pub(super) fn is_seen(&self, condition: &str) -> bool {
        predicates::is_seen(&self.terms, self.place, condition)
    }

    /// Returns the conditions with varying observations here.
    pub(super) fn conditions(&self) -> &[ScoredCondition] {
        &self.conditions
    }

    /// Returns the conditions that separate failing from passing tests, best first.
    pub(super) fn telling(
        &self,
        promise: impl Fn(&ScoredCondition) -> Option<f64>,
    ) -> impl Iterator<Item = &ScoredCondition> {
        let known = self.conditions.iter().filter(|_| self.place.is_some());
        let mut clear: Vec<(f64, &ScoredCondition)> = known
            .filter_map(|condition| {
                Some((promise(condition).filter(|one| *one > CLEAR)?, condition))
            })
            .collect();
        clear.sort_by(|one, other| other.0.total_cmp(&one.0));
        clear.into_iter().map(|(_, condition)| condition)
    }

    /// Returns the conditions that can matter in the statement's own expressions.
    pub(super) fn inner_conditions(&self) -> &[ScoredCondition] {
        self.head.as_ref().map_or(&self.conditions, |head| &head.conditions)
    }

    /// Returns the initial value of a variable.
    pub(super) fn first_value(&self, variable: &Variable) -> Option<NodeIndex> {
        let code = &self.code;
        let is_declared = |id: &NodeIndex| {
            code.is(*id, NodeKind::Variable) && code.node(*id).symbol == Some(variable.symbol)
        };
        let declaration = (0..code.tree.nodes.len()).find(is_declared)?;
        code.child(declaration, NodeRole::Value)
    }

    /// Returns the variables that a statement may read, the nearest first.
    pub(super) fn variables(&self) -> &[Variable] {
        &self.variables
    }
}

/// Minimum score of a condition that separates failing from passing tests.
const CLEAR: f64 = 0.2;

/// Proposals without duplicates: if two operators propose the same edit, the better one counts.
#[derive(Default)]
pub(crate) struct CandidateEdits {
    pub(super) all: Vec<CandidateEdit>,
    /// The place of each among all.
    known: HashMap<Vec<Edit>, usize>,
}

impl CandidateEdits {
    pub(super) fn add(
        &mut self,
        WeightedOperator { strategy, weight }: WeightedOperator,
        edits: Vec<Edit>,
        why: String,
    ) {
        let proposal = CandidateEdit { strategy, edits, why, weight };
        match self.known.entry(proposal.edits.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(self.all.len());
                self.all.push(proposal);
            }
            Entry::Occupied(entry) => {
                let known = &mut self.all[*entry.get()];
                if known.strategy == strategy && known.weight < weight {
                    *known = proposal;
                }
            }
        }
    }

    /// Replaces one expression with another.
    pub(super) fn replace(
        &mut self,
        site: &RepairSite<'_>,
        id: NodeIndex,
        text: &str,
        how: WeightedOperator,
    ) {
        let was = site.code.written(id);
        if was == text {
            return;
        }
        let why = format!("`{}` becomes `{}`", brief(was), brief(text));
        let whole = site.code.with_parentheses(id, text);
        let edit = Edit::replace(site.code.bytes(whole), site.code.fitted(whole, text));
        self.add(how, vec![edit], why);
    }
}
