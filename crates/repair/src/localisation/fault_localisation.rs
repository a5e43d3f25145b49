//! Fault localisation: ranks the statements by suspicion.

use super::suspect::SuspiciousStatement;
use crate::contracts::Contracts;
use crate::localisation::postcondition_violations::PostconditionViolations;
use crate::localisation::stack_trace::stack;
use crate::localisation::violated_clauses::ViolatedClauses;
use crate::observe::probes::StatementCoverage;
use crate::test_results::has_failed;
use mend_java::Code;
use mend_java::facts::NodeIndex;
use mend_model::{RepoPath, TestResult};
use std::collections::HashMap;

/// Maximum number of suspicious statements.
const MOST: usize = 80;

/// Factor for the suspicion of a statement that is in no stack frame.
const OFF_THE_STACK: f64 = 0.35;

/// Maximum reduction of suspicion for the statement of a routine that is farthest from the violation.
const DISTANCE: f64 = 0.1;

/// Returns the suspicious statements, best first. Statements that failing tests execute and passing tests do not score
/// high (Ochiai). Those in a stack trace, or in a routine with a violated postcondition, score higher.
pub fn suspects(
    main: &[(RepoPath, Code<'_>)],
    contracts: &Contracts,
    sites: &[(usize, NodeIndex)],
    hits: &StatementCoverage,
    results: &[TestResult],
    breaches: &PostconditionViolations,
) -> Vec<SuspiciousStatement> {
    let spectrum = spectrum(sites, hits, results);
    let mut stack = stack(main, contracts, results, |place| spectrum.contains_key(&place));
    for ((file, method), weight) in breaches.weights() {
        let code = &main[file].1;
        for statement in code.statements().filter(|id| code.method_of(*id) == Some(method)) {
            let known = stack.entry((file, statement)).or_default();
            *known = known.max(weight);
        }
    }
    let failures = results.iter().filter_map(TestResult::failure);
    let clauses = ViolatedClauses::collect(main, contracts, failures, breaches);
    let mut all: Vec<SuspiciousStatement> = Vec::new();
    for (file, (_, code)) in main.iter().enumerate() {
        for statement in code.statements() {
            let Some(seen) = spectrum.get(&(file, statement)).copied() else { continue };
            let weight = if stack.is_empty() {
                1.0
            } else {
                let own = stack.get(&(file, statement)).copied().unwrap_or(0.0).max(OFF_THE_STACK);
                let near = clauses.nearness((file, statement), code);
                own * near.map_or(1.0, |near| 1.0 - DISTANCE + DISTANCE * near)
            };
            all.push(SuspiciousStatement { file, statement, score: seen * weight });
        }
    }
    let fields = fields(main, &all);
    all.extend(fields);
    let most = all.iter().map(|one| one.score).fold(0.0, f64::max);
    all.retain(|one| one.score > 0.0);
    for one in &mut all {
        one.score /= most;
    }
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    all.truncate(MOST);
    all
}

/// Suspicion of a field's initial value, relative to its class.
const INITIAL: f64 = 0.4;

/// Returns the fields of suspicious classes, which are initialised before any statement is executed.
fn fields(
    main: &[(RepoPath, Code<'_>)],
    suspects: &[SuspiciousStatement],
) -> Vec<SuspiciousStatement> {
    let mut classes: HashMap<(usize, Option<NodeIndex>), f64> = HashMap::new();
    for SuspiciousStatement { file, statement, score } in suspects {
        let class = main[*file].1.class_of(*statement);
        let known = classes.entry((*file, class)).or_default();
        *known = known.max(*score);
    }
    let of = |(file, (_, code)): (usize, &(RepoPath, Code<'_>))| -> Vec<SuspiciousStatement> {
        let nodes = (0..code.tree.nodes.len()).filter(|id| code.is_initialised_field(*id));
        let known = nodes.filter_map(|id| {
            let score = classes.get(&(file, code.class_of(id)))?;
            Some(SuspiciousStatement { file, statement: id, score: score * INITIAL })
        });
        known.collect()
    };
    main.iter().enumerate().flat_map(of).collect()
}

/// Returns the Ochiai coefficient of each statement that a failing test executes. Without coverage, all statements are
/// equally suspicious.
fn spectrum(
    sites: &[(usize, NodeIndex)],
    hits: &StatementCoverage,
    results: &[TestResult],
) -> HashMap<(usize, NodeIndex), f64> {
    let mut counts: HashMap<usize, (f64, f64)> = HashMap::new();
    let mut failing = 0.0;
    for (test, numbers) in &hits.by_test {
        let Some(has_failed) = has_failed(test, results) else { continue };
        failing += f64::from(u8::from(has_failed));
        for number in numbers {
            let count = counts.entry(*number).or_default();
            if has_failed { count.0 += 1.0 } else { count.1 += 1.0 }
        }
    }
    if failing == 0.0 {
        return sites.iter().map(|site| (*site, 1.0)).collect();
    }
    let coefficient = |(failed, passed): (f64, f64)| failed / (failing * (failed + passed)).sqrt();
    let known = counts.into_iter().filter(|(_, (failed, _))| *failed > 0.0);
    known.filter_map(|(number, count)| Some((*sites.get(number)?, coefficient(count)))).collect()
}
