//! The clauses that failing tests saw violated, and where in which routine: what was demanded where something was
//! thrown, and what was promised where a routine ends.

use super::diagnosis::null;
use crate::contracts::Contracts;
use crate::localization::exception_kinds::is_null;
use crate::localization::postcondition_violations::{Breaches, asked};
use crate::localization::reaching_definitions::Place;
use crate::localization::stack_trace::located;
use mend_java::Code;
use mend_java::code::control_flow::{Flow, Stop, routine_of};
use mend_java::facts::NodeIndex;
use mend_model::{Failure, RepoPath};
use std::collections::HashMap;

/// A clause that was violated.
#[derive(Debug)]
struct Clause {
    /// Positions of the violation.
    at: Vec<Stop>,
    /// The clause: a condition, or the expressions that it mentions.
    said: String,
    /// Nearness of each position of the routine to the violation.
    nearness: HashMap<Stop, f64>,
}

/// All of them, by the number of a file and a routine in it.
#[derive(Debug, Default)]
pub(crate) struct Clauses(HashMap<(usize, NodeIndex), Vec<Clause>>);

impl Clauses {
    pub(crate) fn of<'a>(
        main: &[(RepoPath, Code<'_>)],
        contracts: &Contracts,
        failures: impl IntoIterator<Item = &'a Failure>,
        breaches: &Breaches,
    ) -> Self {
        let mut places: Vec<((usize, NodeIndex), Vec<Stop>, String)> = Vec::new();
        for failure in failures {
            for frame in &failure.frames {
                let Some((file, on_line)) = located(main, frame) else { continue };
                let code = &main[file].1;
                let check = |id: NodeIndex| contracts.check_of(code, id).unwrap_or(id);
                let failed: Vec<NodeIndex> = on_line.into_iter().map(check).collect();
                let Some(routine) = failed.first().and_then(|id| routine_of(code, *id)) else {
                    continue;
                };
                let said = said(code, &failed, failure);
                let at = failed.into_iter().map(Stop::At).collect();
                places.push(((file, routine), at, said));
            }
        }
        for breach in &breaches.0 {
            let condition = breach.assurance.condition.clone();
            places.push((breach.place, vec![Stop::End], condition));
        }
        let mut all = Self::default();
        for (place, at, said) in places {
            let own = all.0.entry(place).or_default();
            if !own.iter().any(|known| known.at == at && known.said == said) {
                let nearness = Flow::of(&main[place.0].1, place.1).nearness(&at);
                own.push(Clause { at, said, nearness });
            }
        }
        all
    }

    /// Returns the nearness of a statement to the violation in its routine: 0 if no path leads from the statement to
    /// it, `None` if no violation is known there.
    pub(crate) fn nearness(&self, (file, statement): Place, code: &Code<'_>) -> Option<f64> {
        let near = |clause: &Clause| clause.nearness_of(statement);
        self.beside((file, statement), code).map(near).reduce(f64::max)
    }

    /// Returns the violated clauses in a statement's routine, in terms of the statement, each with the statement's
    /// nearness.
    pub(crate) fn before(&self, place: Place, code: &Code<'_>) -> Vec<(f64, String)> {
        let (_, statement) = place;
        let said = |said: &str| asked(code, statement, said).unwrap_or_else(|| said.to_owned());
        let own = self.beside(place, code);
        own.map(|clause| (clause.nearness_of(statement), said(&clause.said))).collect()
    }

    fn beside(&self, (file, statement): Place, code: &Code<'_>) -> impl Iterator<Item = &Clause> {
        let routine = routine_of(code, statement);
        let own = routine.and_then(|routine| self.0.get(&(file, routine)));
        own.into_iter().flatten()
    }
}

impl Clause {
    fn nearness_of(&self, statement: NodeIndex) -> f64 {
        self.nearness.get(&Stop::At(statement)).copied().unwrap_or(0.0)
    }
}

/// Returns the expressions of the failed statements: the null value that the JVM reports, otherwise all expressions.
fn said(code: &Code<'_>, failed: &[NodeIndex], failure: &Failure) -> String {
    let values = failed.iter().flat_map(|id| code.values(*id));
    let all: Vec<&str> = values.map(|id| code.written(id)).collect();
    let null = failure.message.as_deref().filter(|_| is_null(&failure.exception)).and_then(null);
    match null.filter(|null| all.contains(&&**null)) {
        Some(null) => null,
        None => all.join("\n"),
    }
}
