//! The clauses that failing tests saw violated, and where in which routine: what was demanded where something was
//! thrown, and what was promised where a routine ends.

use super::diagnosis::null;
use crate::contracts::Contracts;
use crate::localisation::exception_kinds::is_null;
use crate::localisation::postcondition_violations::{
    PostconditionViolations, condition_at_statement,
};
use crate::localisation::reaching_definitions::StatementLocation;
use crate::localisation::stack_trace::located;
use mend_java::Code;
use mend_java::code::control_flow::{ControlFlowGraph, ControlPoint, routine_of};
use mend_java::facts::NodeIndex;
use mend_model::{Failure, RepoPath};
use std::collections::HashMap;

/// A clause that was violated.
#[derive(Debug)]
struct ViolatedClause {
    /// Positions of the violation.
    at: Vec<ControlPoint>,
    /// The clause: a condition, or the expressions that it mentions.
    said: String,
    /// Nearness of each position of the routine to the violation.
    nearness: HashMap<ControlPoint, f64>,
}

/// All of them, by the number of a file and a routine in it.
#[derive(Debug, Default)]
pub(crate) struct ViolatedClauses(HashMap<(usize, NodeIndex), Vec<ViolatedClause>>);

impl ViolatedClauses {
    pub(crate) fn collect<'a>(
        main: &[(RepoPath, Code<'_>)],
        contracts: &Contracts,
        failures: impl IntoIterator<Item = &'a Failure>,
        breaches: &PostconditionViolations,
    ) -> Self {
        let mut places: Vec<((usize, NodeIndex), Vec<ControlPoint>, String)> = Vec::new();
        for failure in failures {
            for frame in &failure.frames {
                let Some((file, on_line)) = located(main, frame) else { continue };
                let code = &main[file].1;
                let check = |id: NodeIndex| contracts.check_of(code, id).unwrap_or(id);
                let failed: Vec<NodeIndex> = on_line.into_iter().map(check).collect();
                let Some(routine) = failed.first().and_then(|id| routine_of(code, *id)) else {
                    continue;
                };
                let said = failed_expressions(code, &failed, failure);
                let at = failed.into_iter().map(ControlPoint::Statement).collect();
                places.push(((file, routine), at, said));
            }
        }
        for breach in &breaches.0 {
            let condition = breach.assurance.condition.clone();
            places.push((breach.place, vec![ControlPoint::NormalExit], condition));
        }
        let mut all = Self::default();
        for (place, at, said) in places {
            let own = all.0.entry(place).or_default();
            if !own.iter().any(|known| known.at == at && known.said == said) {
                let nearness =
                    ControlFlowGraph::from_routine(&main[place.0].1, place.1).nearness(&at);
                own.push(ViolatedClause { at, said, nearness });
            }
        }
        all
    }

    /// Returns the nearness of a statement to the violation in its routine: 0 if no path leads from the statement to
    /// it, `None` if no violation is known there.
    pub(crate) fn nearness(
        &self,
        (file, statement): StatementLocation,
        code: &Code<'_>,
    ) -> Option<f64> {
        let near = |clause: &ViolatedClause| clause.nearness_of(statement);
        self.clauses_of_routine((file, statement), code).map(near).reduce(f64::max)
    }

    /// Returns the violated clauses in a statement's routine, in terms of the statement, each with the statement's
    /// nearness.
    pub(crate) fn clauses_before(
        &self,
        place: StatementLocation,
        code: &Code<'_>,
    ) -> Vec<(f64, String)> {
        let (_, statement) = place;
        let said = |said: &str| {
            condition_at_statement(code, statement, said).unwrap_or_else(|| said.to_owned())
        };
        let own = self.clauses_of_routine(place, code);
        own.map(|clause| (clause.nearness_of(statement), said(&clause.said))).collect()
    }

    fn clauses_of_routine(
        &self,
        (file, statement): StatementLocation,
        code: &Code<'_>,
    ) -> impl Iterator<Item = &ViolatedClause> {
        let routine = routine_of(code, statement);
        let own = routine.and_then(|routine| self.0.get(&(file, routine)));
        own.into_iter().flatten()
    }
}

impl ViolatedClause {
    fn nearness_of(&self, statement: NodeIndex) -> f64 {
        self.nearness.get(&ControlPoint::Statement(statement)).copied().unwrap_or(0.0)
    }
}

/// Returns the expressions of the failed statements: the null value that the JVM reports, otherwise all expressions.
fn failed_expressions(code: &Code<'_>, failed: &[NodeIndex], failure: &Failure) -> String {
    let values = failed.iter().flat_map(|id| code.values(*id));
    let all: Vec<&str> = values.map(|id| code.written(id)).collect();
    let null = failure.message.as_deref().filter(|_| is_null(&failure.exception)).and_then(null);
    match null.filter(|null| all.contains(&&**null)) {
        Some(null) => null,
        None => all.join("\n"),
    }
}
