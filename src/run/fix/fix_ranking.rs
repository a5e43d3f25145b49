//! Ranks plausible fixes by their behaviour in generated tests: fixes that leave faults or change correct results rank
//! lower, and fixes that behave like a better one last.

use super::plausible::PlausibleFix;
use super::simpler_fixes::{FixForm, simplest_first};
use crate::run::patch::behaviour_comparison::{
    BehaviourComparison, ComparedPatch, MIN_DISTINGUISHING_TESTS, PatchBehaviour,
};
use crate::run::patch::repair_context::RepairContext;
use mend_model::Result;
use mend_repair::{DifferentialResult, LocatedCandidate, normalise_code};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

/// Compares fixes in generated tests and ranks them. They keep their order if no tests could be generated. Those for
/// which no time is left come last.
pub(super) fn rank_by_behaviour(
    mut plausible: Vec<PlausibleFix>,
    comparison: &mut BehaviourComparison<'_>,
    repair_context: RepairContext<'_>,
    time_limit: Duration,
) -> Result<Vec<PlausibleFix>> {
    if plausible.is_empty() {
        return Ok(plausible);
    }
    let compared: Vec<_> = plausible.iter().map(to_compared).collect();
    let Some(behaviours) = comparison.compare(&compared, Some(time_limit))? else {
        let ordered = put_simplest_first(&plausible, repair_context)?;
        return Ok(put_recommended_first(ordered));
    };
    let not_compared = plausible.split_off(behaviours.len());
    let with_texts = plausible.into_iter().zip(behaviours).map(|(fix, behaviour)| {
        let PatchBehaviour { agreement, violated_contract } = behaviour;
        let fix = PlausibleFix { agreement, violated_contract, ..fix };
        let text = normalised_text(&fix, repair_context)?;
        Ok((fix, text))
    });
    let mut ordered = order_fixes(with_texts.collect::<Result<_>>()?);
    ordered.extend(not_compared);
    Ok(put_recommended_first(ordered))
}

/// Puts fixes with signs of overfitting last: one that fixes some of the tests is better than one that only evades all
/// failures.
fn put_recommended_first(mut fixes: Vec<PlausibleFix>) -> Vec<PlausibleFix> {
    fixes.sort_by_key(|fix| !fix.overfitting_signs().is_empty());
    fixes
}

fn to_compared(fix: &PlausibleFix) -> ComparedPatch<'_> {
    ComparedPatch {
        tree: &fix.tree,
        description: fix.description(),
        edits: fix.edits(),
        method: (&fix.candidate.path, fix.candidate.method),
        is_overfitting: fix.candidate.overfitting.is_some(),
    }
}

/// Returns the normalised text of the files that a fix changes.
fn normalised_text(
    fix: &PlausibleFix,
    RepairContext { store, bad, .. }: RepairContext<'_>,
) -> Result<String> {
    let changes = store.diff_trees(&bad.overlaid_tree, &fix.tree)?;
    let texts = changes.iter().filter_map(|change| {
        let text = change.new.as_ref().map_or_else(String::new, |(_, state)| {
            normalise_code(&String::from_utf8_lossy(&state.content))
        });
        Some(format!("{}\n{text}\n", change.path()?))
    });
    Ok(texts.collect())
}

/// Sorts fixes by rank, of which their agreement in generated tests is a part. Of several fixes of one method with the
/// same behaviour, all but the best come last; the simplest form of a fix comes before it. A few tests do not prove
/// equivalence, so fixes of other statements come before equivalent ones. Of fixes with the same normalised code, keeps
/// the best.
fn order_fixes(mut all: Vec<(PlausibleFix, String)>) -> Vec<PlausibleFix> {
    all.sort_by(|(one, _), (other, _)| one.compare_rank(other));
    let forms: Vec<_> = all.iter().map(|(one, text)| form_of(one, text)).collect();
    let mut all = reorder(&all, &simplest_first(&forms));
    let mut texts = HashSet::new();
    all.retain(|(one, text)| {
        texts.insert((one.agreement.map(|agreement| agreement.behaviour_class), text.clone()))
    });
    let (mut known_methods, mut statements, mut known_edits) =
        (HashSet::new(), HashSet::new(), HashSet::new());
    let (mut first, mut other_statements, mut equivalent) = (Vec::new(), Vec::new(), Vec::new());
    for (one, _) in all {
        let Some(DifferentialResult { behaviour_class: kind, compared_tests: compared, .. }) =
            one.agreement
        else {
            first.push(one);
            continue;
        };
        let LocatedCandidate { path, method, line, .. } = &one.candidate;
        let is_new = known_methods.insert((kind, path.clone(), *method));
        // The same edit at a neighbouring statement is not a different fix. Patches of a generator are different edits,
        // even with the same description.
        let is_moved = !known_edits.insert((kind, path.clone(), *method, one.edit_name()));
        let is_elsewhere = statements.insert((kind, path.clone(), *line)) && !is_moved;
        if is_new {
            first.push(one);
        } else if is_elsewhere || compared < MIN_DISTINGUISHING_TESTS && !is_moved {
            other_statements.push(one);
        } else {
            equivalent.push(one);
        }
    }
    first.append(&mut other_statements);
    first.append(&mut equivalent);
    interleave_by_failing_tests(first, |one| &one.still_failing)
}

/// Puts the simplest form of a fix before it, where only the existing tests show the behaviour.
fn put_simplest_first(
    fixes: &[PlausibleFix],
    repair_context: RepairContext<'_>,
) -> Result<Vec<PlausibleFix>> {
    let texts = fixes.iter().map(|fix| normalised_text(fix, repair_context));
    let texts = texts.collect::<Result<Vec<_>>>()?;
    let forms: Vec<_> = fixes.iter().zip(&texts).map(|(fix, text)| form_of(fix, text)).collect();
    Ok(reorder(fixes, &simplest_first(&forms)))
}

fn reorder<T: Clone>(all: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|at| all[*at].clone()).collect()
}

/// Returns the form of a fix, unless only few generated tests show its behaviour or it has signs of overfitting.
fn form_of<'a>(fix: &'a PlausibleFix, text: &str) -> Option<FixForm<impl PartialEq + use<'a>>> {
    let has_enough_tests = |one: DifferentialResult| one.compared_tests >= MIN_DISTINGUISHING_TESTS;
    let is_comparable = fix.agreement.is_none_or(has_enough_tests)
        && fix.overfitting_signs().is_empty()
        && fix.further_candidates.is_empty();
    let LocatedCandidate { path, line, .. } = &fix.candidate;
    let operator = fix.technique_and_operator();
    is_comparable.then(|| FixForm {
        behaviour: (
            fix.agreement.map(|one| one.behaviour_class),
            path,
            *line,
            operator,
            &fix.still_failing,
        ),
        tokens: fix.tokens,
        length: text.len(),
        worth: fix.worth(),
    })
}

/// Sorts fixes by the number of tests that they leave failing. Among equals, the best fix for each set of failing tests
/// comes first, then the second best for each.
fn interleave_by_failing_tests<T>(
    all: Vec<T>,
    failing_tests: impl Fn(&T) -> &BTreeSet<String>,
) -> Vec<T> {
    let mut turns: HashMap<BTreeSet<String>, usize> = HashMap::new();
    let turn = |one: &T| {
        let turn = turns.entry(failing_tests(one).clone()).or_insert(0);
        *turn += 1;
        *turn
    };
    let turns_of_fixes: Vec<usize> = all.iter().map(turn).collect();
    let mut with_turns: Vec<(usize, T)> = turns_of_fixes.into_iter().zip(all).collect();
    with_turns.sort_by_key(|(turn, one)| (failing_tests(one).len(), *turn));
    with_turns.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::interleave_by_failing_tests;
    use std::collections::BTreeSet;

    #[test]
    fn partial_fixes_are_interleaved_by_failing_tests() {
        let all = [
            ("one", "a b"),
            ("two", "a"),
            ("three", "a"),
            ("four", "b"),
            ("five", ""),
            ("six", ""),
        ];
        let set = |left: &str| left.split_whitespace().map(str::to_owned).collect();
        let all: Vec<(&str, BTreeSet<String>)> =
            all.into_iter().map(|(name, left)| (name, set(left))).collect();
        let order =
            interleave_by_failing_tests(all, |(_, left)| left).into_iter().map(|(name, _)| name);
        assert_eq!(order.collect::<Vec<_>>(), ["five", "six", "two", "four", "three", "one"]);
    }
}
