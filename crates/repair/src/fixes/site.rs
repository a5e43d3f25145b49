//! Suspicious statement with the context that fix operators use.

use super::code_text::describe_replacement;
use crate::candidates::candidate::{CandidateEdit, WeightedOperator};
use crate::candidates::repair_input::RepairInput;
use crate::conditions::compounds::collect_implications;
use crate::conditions::linear::LinearCondition;
use crate::conditions::predicates;
use crate::conditions::snapshots::{ConditionEvidence, ScoredCondition, score_conditions};
use crate::conditions::terms::{ConditionTerm, collect_terms};
use crate::contracts::Contracts;
use crate::contracts::available_facts::find_available_facts;
use crate::localisation::diagnosis::Diagnosis;
use crate::observe::object_model::ObjectModel;
use crate::observe::values::{Observations, ObservedValue, PredicateOutcomes, Visit};
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::scope::{Variable, visible};
use mend_java::code::types::is_assignable;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, NodeRole};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// Suspicious statement with the names in scope, the conditions and the evidence.
pub(crate) struct RepairSite<'a> {
    pub(crate) code: Code<'a>,
    /// Preconditions and postconditions of routines.
    pub(super) contracts: &'a Contracts,
    /// Source files of the donor code.
    pub(super) input: RepairInput<'a>,
    pub(crate) statement: NodeIndex,
    pub(super) variables: Vec<Variable>,
    /// Terms of the conditions at the statement.
    pub(super) terms: Vec<ConditionTerm>,
    /// Conditions that can guard the statement.
    pub(super) conditions: Vec<ScoredCondition>,
    /// Variables and conditions of a loop's head, if the statement is a loop.
    pub(super) loop_head: Option<LoopHead>,
    /// Recorded observations at the statement.
    pub(super) observations: Option<&'a Observations>,
    /// Observed behaviour of objects.
    pub(super) object_model: &'a ObjectModel,
    /// Other failure evidence.
    pub(super) diagnosis: &'a Diagnosis,
    /// Terms of the method whose values may be too large.
    pub(super) overflowing_terms: &'a HashSet<&'a str>,
    /// Postconditions of the routine that failing tests violated.
    pub(super) violated_postconditions: Vec<&'a str>,
}

/// Evidence about a suspicious statement.
#[derive(Clone, Copy)]
pub(crate) struct StatementEvidence<'a> {
    /// Recorded observations at the statement.
    pub(crate) observations: Option<&'a Observations>,
    /// Terms of the method whose values may be too large.
    pub(crate) overflowing_terms: &'a HashSet<&'a str>,
    /// Violated clauses of the routine, each with the nearness of the statement.
    pub(crate) violated_clauses: &'a [(f64, String)],
    /// Observed behaviour of objects.
    pub(crate) object_model: &'a ObjectModel,
}

/// Variables and conditions of a loop's head. Their values are unknown there, because values are recorded only before
/// the first iteration.
pub(super) struct LoopHead {
    variables: Vec<Variable>,
    conditions: Vec<ScoredCondition>,
}

impl LoopHead {
    fn from_loop(
        code: &Code<'_>,
        statement: NodeIndex,
        contracts: &Contracts,
        violated_clauses: &[(f64, String)],
    ) -> Option<Self> {
        let is_repeated =
            code.is_loop(statement) && !code.has_kind(statement, NodeKind::EnhancedForLoop);
        let is_condition_or_body =
            |id: &NodeIndex| matches!(code.role(*id), NodeRole::Condition | NodeRole::Body);
        let inner = code
            .children(statement)
            .into_iter()
            .find(|id| is_repeated && is_condition_or_body(id))?;
        let inner = if code.has_kind(statement, NodeKind::ForLoop) { inner } else { statement };
        let terms = collect_terms(code, inner, &[], false);
        let facts = find_available_facts(code, inner, contracts, None);
        let evidence = ConditionEvidence {
            observations: None,
            violated_clauses,
            implications: &[],
            facts: &facts,
        };
        let conditions = score_conditions(code, inner, &terms, evidence);
        Some(Self { variables: visible(code, inner), conditions })
    }
}

impl<'a> RepairSite<'a> {
    pub(crate) fn new(
        code: Code<'a>,
        input: RepairInput<'a>,
        contracts: &'a Contracts,
        (file, statement): FileNode,
        StatementEvidence {
            observations: place,
            overflowing_terms: overflowing,
            violated_clauses: violated,
            object_model: model,
        }: StatementEvidence<'a>,
        diagnosis: &'a Diagnosis,
    ) -> Self {
        let variables = visible(&code, statement);
        let booleans = diagnosis.violations.conditions_before(file, &code, statement);
        let terms = collect_terms(&code, statement, &booleans, false);
        let implications = collect_implications(&code, statement, contracts);
        let facts = find_available_facts(&code, statement, contracts, place);
        let evidence = ConditionEvidence {
            observations: place,
            violated_clauses: violated,
            implications: &implications,
            facts: &facts,
        };
        let conditions = score_conditions(&code, statement, &terms, evidence);
        let loop_head = LoopHead::from_loop(&code, statement, contracts, violated);
        Self {
            code,
            contracts,
            input,
            statement,
            variables,
            terms,
            conditions,
            loop_head,
            observations: place,
            object_model: model,
            diagnosis,
            overflowing_terms: overflowing,
            violated_postconditions: diagnosis.violations.result_conjuncts(file, &code, statement),
        }
    }

    /// Returns the variables that fit a type before the statement.
    pub(super) fn variables_for(&self, wanted: &str) -> impl Iterator<Item = &Variable> {
        self.fitting_variables(&self.variables, wanted)
    }

    /// Returns the variables that fit a type in the statement's own expressions.
    pub(super) fn inner_variables_for(&self, wanted: &str) -> impl Iterator<Item = &Variable> {
        let variables = self.loop_head.as_ref().map_or(&self.variables, |head| &head.variables);
        self.fitting_variables(variables, wanted)
    }

    fn fitting_variables<'b>(
        &self,
        variables: &'b [Variable],
        wanted: &str,
    ) -> impl Iterator<Item = &'b Variable> {
        let (facts, wanted) = (self.code.facts, wanted.to_owned());
        let is_anything = wanted == "java.lang.Object";
        variables.iter().filter(move |one| {
            one.ty == wanted || !is_anything && is_assignable(facts, &one.ty, &wanted)
        })
    }

    /// Returns true if a condition never held in a failing test.
    pub(super) fn is_refuted(&self, condition: &str) -> bool {
        predicates::is_null_refuted(&self.terms, self.observations, condition)
    }

    /// Returns true if a condition held in a failing test.
    pub(super) fn is_observed(&self, condition: &str) -> bool {
        predicates::is_null_observed(&self.terms, self.observations, condition)
    }

    /// Returns the observations of a linear condition; `None` if no test recorded it.
    pub(super) fn observed_outcomes(&self, condition: &str) -> Option<PredicateOutcomes> {
        let observations = self.observations?;
        let linear = LinearCondition::read(condition)?;
        let number = |visit: &Visit<'_>, term: &str| match visit.value_of(term)? {
            ObservedValue::Number(number) => Some(number),
            _ => None,
        };
        observations.evaluate_condition(|visit| linear.evaluate(|term| number(visit, term)))
    }

    /// Returns the conditions with varying observations here.
    pub(super) fn conditions(&self) -> &[ScoredCondition] {
        &self.conditions
    }

    /// Returns the conditions that separate failing from passing tests, best first.
    pub(super) fn separating_conditions(
        &self,
        score: impl Fn(&ScoredCondition) -> Option<f64>,
    ) -> impl Iterator<Item = &ScoredCondition> {
        let conditions = self.conditions.iter().filter(|_| self.observations.is_some());
        let mut separating: Vec<(f64, &ScoredCondition)> = conditions
            .filter_map(|condition| {
                Some((score(condition).filter(|one| *one > MIN_SEPARATING_SCORE)?, condition))
            })
            .collect();
        separating.sort_by(|one, other| other.0.total_cmp(&one.0));
        separating.into_iter().map(|(_, condition)| condition)
    }

    /// Returns the conditions that can matter in the statement's own expressions.
    pub(super) fn inner_conditions(&self) -> &[ScoredCondition] {
        self.loop_head.as_ref().map_or(&self.conditions, |head| &head.conditions)
    }

    /// Returns the initial value of a variable.
    pub(super) fn initial_value(&self, variable: &Variable) -> Option<NodeIndex> {
        let code = &self.code;
        let is_declared = |id: &NodeIndex| {
            code.has_kind(*id, NodeKind::Variable) && code.node(*id).symbol == Some(variable.symbol)
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
const MIN_SEPARATING_SCORE: f64 = 0.2;

/// Candidate edits without duplicates: of equal edits by one operator, the one with the higher weight is kept.
#[derive(Default)]
pub(crate) struct CandidateEdits {
    pub(super) proposals: Vec<CandidateEdit>,
    /// Index of each candidate, by its edits.
    index_by_edits: HashMap<Vec<Edit>, usize>,
}

impl CandidateEdits {
    pub(super) fn add(
        &mut self,
        WeightedOperator { strategy: operator, weight }: WeightedOperator,
        edits: Vec<Edit>,
        description: String,
    ) {
        let proposal = CandidateEdit { operator, edits, description, weight };
        match self.index_by_edits.entry(proposal.edits.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(self.proposals.len());
                self.proposals.push(proposal);
            }
            Entry::Occupied(entry) => {
                let existing = &mut self.proposals[*entry.get()];
                if existing.operator == operator && existing.weight < weight {
                    *existing = proposal;
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
        operator_and_weight: WeightedOperator,
    ) {
        let old_text = site.code.source_text(id);
        if old_text == text {
            return;
        }
        let why = describe_replacement(old_text, text);
        let replaced = site.code.include_parentheses(id, text);
        let edit = Edit::replace(
            site.code.bytes(replaced),
            site.code.parenthesise_if_needed(replaced, text),
        );
        self.add(operator_and_weight, vec![edit], why);
    }
}
