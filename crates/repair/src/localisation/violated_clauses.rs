//! Violated clauses of routines, and the nearness of statements to them: the failed expressions where an exception was
//! thrown, and postconditions at exit.

use super::diagnosis::parse_null_expression;
use crate::contracts::Contracts;
use crate::localisation::exception_kinds::is_null_dereference;
use crate::localisation::postcondition_violations::{
    PostconditionViolations, condition_at_statement,
};
use crate::localisation::stack_trace_suspicion::locate_frame;
use mend_java::Code;
use mend_java::code::control_flow::{ControlFlowGraph, ControlPoint, enclosing_routine};
use mend_java::facts::{FileNode, NodeIndex};
use mend_model::{Failure, RepoPath};
use std::collections::HashMap;

/// A violated clause.
#[derive(Debug)]
struct ViolatedClause {
    /// Positions of the violation.
    positions: Vec<ControlPoint>,
    /// The clause: a condition, or the expressions that it mentions.
    clause: String,
    /// Nearness of each position of the routine to the violation.
    nearness: HashMap<ControlPoint, f64>,
}

/// Violated clauses, by index of the file and routine.
#[derive(Debug, Default)]
pub(crate) struct ViolatedClauses(HashMap<FileNode, Vec<ViolatedClause>>);

impl ViolatedClauses {
    pub(crate) fn collect<'a>(
        main: &[(RepoPath, Code<'_>)],
        contracts: &Contracts,
        failures: impl IntoIterator<Item = &'a Failure>,
        violations: &PostconditionViolations,
    ) -> Self {
        let mut collected: Vec<(FileNode, Vec<ControlPoint>, String)> = Vec::new();
        for failure in failures {
            for frame in &failure.frames {
                let Some((file, statements_on_line)) = locate_frame(main, frame) else { continue };
                let code = &main[file].1;
                let check = |id: NodeIndex| contracts.enclosing_check(code, id).unwrap_or(id);
                let failed: Vec<NodeIndex> = statements_on_line.into_iter().map(check).collect();
                let Some(routine) = failed.first().and_then(|id| enclosing_routine(code, *id))
                else {
                    continue;
                };
                let clause = failed_expressions(code, &failed, failure);
                let positions = failed.into_iter().map(ControlPoint::Statement).collect();
                collected.push(((file, routine), positions, clause));
            }
        }
        for violation in &violations.0 {
            let condition = violation.postcondition.condition.clone();
            collected.push((violation.routine, vec![ControlPoint::NormalExit], condition));
        }
        let mut all = Self::default();
        for (place, positions, clause) in collected {
            let routine_clauses = all.0.entry(place).or_default();
            if !routine_clauses
                .iter()
                .any(|known| known.positions == positions && known.clause == clause)
            {
                let nearness =
                    ControlFlowGraph::from_routine(&main[place.0].1, place.1).nearness(&positions);
                routine_clauses.push(ViolatedClause { positions, clause, nearness });
            }
        }
        all
    }

    /// Returns the nearness of a statement to the violation in its routine: 0 if no path leads from the statement to
    /// it, `None` if no violation is known there.
    pub(crate) fn nearness(&self, (file, statement): FileNode, code: &Code<'_>) -> Option<f64> {
        let near = |clause: &ViolatedClause| clause.nearness_of(statement);
        self.clauses_of_routine((file, statement), code).map(near).reduce(f64::max)
    }

    /// Returns the violated clauses in a statement's routine, in terms of the statement, each with the statement's
    /// nearness.
    pub(crate) fn clauses_before(&self, location: FileNode, code: &Code<'_>) -> Vec<(f64, String)> {
        let (_, statement) = location;
        let in_terms_of_statement = |clause: &str| {
            condition_at_statement(code, statement, clause).unwrap_or_else(|| clause.to_owned())
        };
        let clauses = self.clauses_of_routine(location, code);
        clauses
            .map(|violated| {
                (violated.nearness_of(statement), in_terms_of_statement(&violated.clause))
            })
            .collect()
    }

    fn clauses_of_routine(
        &self,
        (file, statement): FileNode,
        code: &Code<'_>,
    ) -> impl Iterator<Item = &ViolatedClause> {
        let routine = enclosing_routine(code, statement);
        let clauses = routine.and_then(|routine| self.0.get(&(file, routine)));
        clauses.into_iter().flatten()
    }
}

impl ViolatedClause {
    fn nearness_of(&self, statement: NodeIndex) -> f64 {
        self.nearness.get(&ControlPoint::Statement(statement)).copied().unwrap_or(0.0)
    }
}

/// Returns the expressions of the failed statements: the null value that the JVM reports, otherwise all expressions.
fn failed_expressions(code: &Code<'_>, failed: &[NodeIndex], failure: &Failure) -> String {
    let values = failed.iter().flat_map(|id| code.replaceable_values(*id));
    let all: Vec<&str> = values.map(|id| code.source_text(id)).collect();
    let null = failure
        .message
        .as_deref()
        .filter(|_| is_null_dereference(&failure.exception))
        .and_then(parse_null_expression);
    match null.filter(|null| all.contains(&&**null)) {
        Some(null) => null,
        None => all.join("\n"),
    }
}
