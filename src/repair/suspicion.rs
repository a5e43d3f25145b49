//! Which statements are likely to be at fault.

use super::breaches::Breaches;
use super::clauses::Clauses;
use super::code::Code;
use super::contracts::Contracts;
use super::probes::Hits;
use super::stack::stack;
use super::suspect::Suspect;
use super::test_results::has_failed;
use crate::facts::NodeIndex;
use crate::model::{RepoPath, TestResult};
use std::collections::HashMap;

/// So many statements are looked at.
const MOST: usize = 80;

/// How much of its suspicion keeps what is in no frame.
const OFF_THE_STACK: f64 = 0.35;

/// How much less the statement of a routine is suspected that is farthest from what was violated there.
const DISTANCE: f64 = 0.1;

/// The statements that may be at fault, the likeliest first: those that failing tests come upon and passing ones
/// do not (Ochiai's coefficient), more so if they are on the stack of what was thrown, or in a routine that broke what it
/// promises.
pub fn suspects(
    main: &[(RepoPath, Code<'_>)],
    contracts: &Contracts,
    sites: &[(usize, NodeIndex)],
    hits: &Hits,
    results: &[TestResult],
    breaches: &Breaches,
) -> Vec<Suspect> {
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
    let clauses = Clauses::of(main, contracts, failures, breaches);
    let mut all: Vec<Suspect> = Vec::new();
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
            all.push(Suspect { file, statement, score: seen * weight });
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

/// How much the value that a field begins with is suspected, of what its class is.
const INITIAL: f64 = 0.4;

/// The fields of suspected classes: they have their first values before any statement is come upon.
fn fields(main: &[(RepoPath, Code<'_>)], suspects: &[Suspect]) -> Vec<Suspect> {
    let mut classes: HashMap<(usize, Option<NodeIndex>), f64> = HashMap::new();
    for Suspect { file, statement, score } in suspects {
        let class = main[*file].1.class_of(*statement);
        let known = classes.entry((*file, class)).or_default();
        *known = known.max(*score);
    }
    let of = |(file, (_, code)): (usize, &(RepoPath, Code<'_>))| -> Vec<Suspect> {
        let nodes = (0..code.tree.nodes.len()).filter(|id| code.is_initialised_field(*id));
        let known = nodes.filter_map(|id| {
            let score = classes.get(&(file, code.class_of(id)))?;
            Some(Suspect { file, statement: id, score: score * INITIAL })
        });
        known.collect()
    };
    main.iter().enumerate().flat_map(of).collect()
}

/// Ochiai's coefficient of each statement that a failing test comes upon. Where no test says what it came upon, all
/// statements are as suspicious as any.
fn spectrum(
    sites: &[(usize, NodeIndex)],
    hits: &Hits,
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
