//! Fault localisation: ranks the statements by suspicion.

use super::suspect::SuspiciousStatement;
use crate::contracts::Contracts;
use crate::localisation::dependence::raise_by_dependence;
use crate::localisation::diagnosis::Diagnosis;
use crate::localisation::expected_guards::guards_expected_exception;
use crate::localisation::stack_trace_suspicion::suspect_stack_frames;
use crate::localisation::violated_clauses::ViolatedClauses;
use crate::observe::probes::StatementCoverage;
use crate::test_results::has_failed;
use mend_java::Code;
use mend_java::facts::{FileNode, NodeIndex};
use mend_model::{RepoPath, TestResult};
use std::collections::HashMap;

/// Minimum suspicion relative to the most suspicious statement.
const MIN_SUSPICION: f64 = 0.1;

/// Maximum number of suspicious statements. It only limits the time for generating candidates if coverage is unknown.
const MAX_SUSPECTS: usize = 400;

/// Factor for the suspicion of a statement that is in no stack frame.
const OFF_STACK_FACTOR: f64 = 0.35;

/// Factor for the suspicion of a guard that throws the exception which a failing test expects. The test executed it, so
/// it may be too lenient.
const EXPECTED_GUARD_FACTOR: f64 = 1.6;

/// Maximum reduction of suspicion for the statement of a routine that is farthest from the violation.
const MAX_DISTANCE_PENALTY: f64 = 0.1;

/// Returns the suspicious statements, best first. Statements that failing tests execute and passing tests do not score
/// high (Ochiai), and higher shortly before the failure. Those in a stack trace, in a routine with a violated
/// postcondition, or that guard an expected exception, score higher.
pub fn rank_suspects(
    main: &[(RepoPath, Code<'_>)],
    contracts: &Contracts,
    sites: &[FileNode],
    coverage: &StatementCoverage,
    results: &[TestResult],
    diagnosis: &Diagnosis,
) -> Vec<SuspiciousStatement> {
    let ochiai_scores = spectrum(sites, coverage, results);
    let recency = recency_factors(sites, coverage, results);
    let mut stack_weights =
        suspect_stack_frames(main, contracts, results, |place| ochiai_scores.contains_key(&place));
    for ((file, method), weight) in diagnosis.violations.routine_weights() {
        let code = &main[file].1;
        for statement in code.statements().filter(|id| code.enclosing_method(*id) == Some(method)) {
            let weight_entry = stack_weights.entry((file, statement)).or_default();
            *weight_entry = weight_entry.max(weight);
        }
    }
    let failures = results.iter().filter_map(TestResult::failure);
    let clauses = ViolatedClauses::collect(main, contracts, failures, &diagnosis.violations);
    let mut suspicion: HashMap<FileNode, f64> = HashMap::new();
    for (file, (_, code)) in main.iter().enumerate() {
        for statement in code.statements() {
            let Some(ochiai) = ochiai_scores.get(&(file, statement)).copied() else { continue };
            let weight = if stack_weights.is_empty() {
                1.0
            } else {
                let own = stack_weights
                    .get(&(file, statement))
                    .copied()
                    .unwrap_or(0.0)
                    .max(OFF_STACK_FACTOR);
                let nearness = clauses.nearness((file, statement), code);
                own * nearness.map_or(1.0, |nearness| {
                    1.0 - MAX_DISTANCE_PENALTY + MAX_DISTANCE_PENALTY * nearness
                })
            };
            let recency = recency.get(&(file, statement)).copied().unwrap_or(1.0);
            let is_expected = guards_expected_exception(code, statement, diagnosis);
            let guard_factor = if is_expected { EXPECTED_GUARD_FACTOR } else { 1.0 };
            suspicion.insert((file, statement), ochiai * weight * recency * guard_factor);
        }
    }
    let mut all: Vec<SuspiciousStatement> = raise_by_dependence(main, &suspicion)
        .into_iter()
        .map(|((file, statement), score)| SuspiciousStatement { file, statement, score })
        .collect();
    let fields = suspicious_fields(main, &all);
    all.extend(fields);
    let max_score = all.iter().map(|one| one.score).fold(0.0, f64::max);
    all.retain(|one| one.score > max_score * MIN_SUSPICION);
    for one in &mut all {
        one.score /= max_score;
    }
    let position = |one: &SuspiciousStatement| (one.file, one.statement);
    all.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then(position(one).cmp(&position(other)))
    });
    all.truncate(MAX_SUSPECTS);
    all
}

/// Suspicion of a field's initial value, relative to its class.
const INITIAL_VALUE_FACTOR: f64 = 0.4;

/// Returns the fields of suspicious classes, which are initialised before any statement is executed.
fn suspicious_fields(
    main: &[(RepoPath, Code<'_>)],
    suspects: &[SuspiciousStatement],
) -> Vec<SuspiciousStatement> {
    let mut classes: HashMap<(usize, Option<NodeIndex>), f64> = HashMap::new();
    for SuspiciousStatement { file, statement, score } in suspects {
        let class = main[*file].1.enclosing_type(*statement);
        let class_score = classes.entry((*file, class)).or_default();
        *class_score = class_score.max(*score);
    }
    let fields_of_file =
        |(file, (_, code)): (usize, &(RepoPath, Code<'_>))| -> Vec<SuspiciousStatement> {
            let nodes = (0..code.tree.nodes.len()).filter(|id| code.is_initialised_field(*id));
            let class_score = nodes.filter_map(|id| {
                let score = classes.get(&(file, code.enclosing_type(id)))?;
                Some(SuspiciousStatement {
                    file,
                    statement: id,
                    score: score * INITIAL_VALUE_FACTOR,
                })
            });
            class_score.collect()
        };
    main.iter().enumerate().flat_map(fields_of_file).collect()
}

/// Number of steps of a test before a failure that are as suspicious as the last one: a result is often asserted in the
/// steps after its calculation.
const RECENT_STEPS: u32 = 2;

/// Suspicion that each earlier step subtracts.
const STEP_PENALTY: f64 = 0.1;

/// Minimum factor of early steps, which create the objects of a test.
const MIN_RECENCY: f64 = 0.5;

/// Returns the factor of each statement for the steps of a failing test between its last execution and the failure.
/// Earlier assertions passed, so the statements that only they needed are less suspicious.
fn recency_factors(
    sites: &[FileNode],
    coverage: &StatementCoverage,
    results: &[TestResult],
) -> HashMap<FileNode, f64> {
    let mut factors: HashMap<FileNode, f64> = HashMap::new();
    for (test, numbers) in &coverage.probes_by_test {
        if has_failed(test, results) != Some(true) {
            continue;
        }
        let steps = coverage.steps_by_test.get(test);
        for number in numbers {
            let Some(site) = sites.get(*number) else { continue };
            let earlier = steps.and_then(|steps| steps.get(number)).copied().unwrap_or(0);
            let earlier = f64::from(earlier.saturating_sub(RECENT_STEPS));
            let factor = factors.entry(*site).or_default();
            *factor = factor.max((1.0 - STEP_PENALTY * earlier).max(MIN_RECENCY));
        }
    }
    factors
}

/// Returns the Ochiai coefficient of each statement that a failing test executes. Without coverage, all statements are
/// equally suspicious.
fn spectrum(
    sites: &[FileNode],
    coverage: &StatementCoverage,
    results: &[TestResult],
) -> HashMap<FileNode, f64> {
    let mut counts_by_probe: HashMap<usize, (f64, f64)> = HashMap::new();
    let mut failing = 0.0;
    for (test, numbers) in &coverage.probes_by_test {
        let Some(has_failed) = has_failed(test, results) else { continue };
        failing += f64::from(u8::from(has_failed));
        for number in numbers {
            let count = counts_by_probe.entry(*number).or_default();
            if has_failed { count.0 += 1.0 } else { count.1 += 1.0 }
        }
    }
    if failing == 0.0 {
        return sites.iter().map(|site| (*site, 1.0)).collect();
    }
    let coefficient = |(failed, passed): (f64, f64)| failed / (failing * (failed + passed)).sqrt();
    let executed_by_failing = counts_by_probe.into_iter().filter(|(_, (failed, _))| *failed > 0.0);
    executed_by_failing
        .filter_map(|(number, count)| Some((*sites.get(number)?, coefficient(count))))
        .collect()
}
