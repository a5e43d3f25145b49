//! Static suspicion score of a condition, from its similarity to a violated clause of the routine and its distance to
//! the violation (`AutoFix`, section 4.2).

use crate::conditions::terms::{ConditionTerm, mentions};

/// Maximum share of a condition's dynamic score that low similarity and large distance can subtract.
const MAX_STATIC_SHARE: f64 = 0.02;

/// Literals that count as shared with a violated clause.
const SHARED_LITERALS: [&str; 3] = ["0", "1", "null"];

/// Static relation between conditions at a place and the violated clauses of its routine.
#[derive(Default)]
pub(crate) struct StaticScore<'a> {
    violated_clauses: Vec<ClauseSimilarity<'a>>,
    /// Expressions of the routine.
    expressions: Vec<&'a str>,
}

struct ClauseSimilarity<'a> {
    clause: &'a str,
    /// Nearness of the place to the violation (section 4.2.1: control dependence).
    nearness: f64,
    /// Number of expressions that the most similar condition shares with the clause.
    max_shared: u32,
}

impl<'a> StaticScore<'a> {
    /// Creates the score from violated clauses, each with the nearness of the place.
    pub(crate) fn new<'b>(
        violated_clauses: &'a [(f64, String)],
        terms: &'a [ConditionTerm],
        conditions: &(impl Iterator<Item = &'b str> + Clone),
    ) -> Self {
        let expressions: Vec<&str> =
            terms.iter().map(|term| &*term.text).chain(SHARED_LITERALS).collect();
        let clause_similarity = |(nearness, said): &'a (f64, String)| {
            let shared = conditions
                .clone()
                .map(|condition| count_shared_expressions(condition, said, &expressions));
            ClauseSimilarity {
                clause: said,
                nearness: *nearness,
                max_shared: shared.max().unwrap_or(0),
            }
        };
        Self {
            violated_clauses: violated_clauses.iter().map(clause_similarity).collect(),
            expressions,
        }
    }

    /// Returns the score of a condition, from 0 to 1, given its dynamic score `dynamic_score`. If no violation is known, or the
    /// condition shares no expression with it, only the dynamic score counts.
    pub(crate) fn combined_score(&self, condition: &str, dynamic_score: f64) -> f64 {
        let clause_suspicion = |clause: &ClauseSimilarity<'_>| {
            static_suspicion(self.similarity(condition, clause), clause.nearness, dynamic_score)
        };
        match self.violated_clauses.iter().map(clause_suspicion).reduce(f64::max) {
            Some(suspicion) => {
                dynamic_score * (1.0 - MAX_STATIC_SHARE + MAX_STATIC_SHARE * suspicion)
            }
            None => dynamic_score,
        }
    }

    /// Returns the share of a clause's expressions that a condition has, relative to the best condition (section 4.2.1:
    /// expression dependence).
    fn similarity(&self, condition: &str, clause: &ClauseSimilarity<'_>) -> f64 {
        let shared = count_shared_expressions(condition, clause.clause, &self.expressions);
        f64::from(shared) / f64::from(clause.max_shared.max(1))
    }
}

/// Counts the expressions that a condition and a clause have in common, compared by name.
fn count_shared_expressions(condition: &str, clause: &str, expressions: &[&str]) -> u32 {
    let is_in_both = |one: &&&str| mentions(condition, one) && mentions(clause, one);
    let is_conjunct = !expressions.contains(&condition)
        && clause.split(['&', '|', '\n']).any(|part| part.trim() == condition);
    let common = expressions.iter().filter(is_in_both).count() + usize::from(is_conjunct);
    u32::try_from(common).unwrap_or(u32::MAX)
}

/// Returns the harmonic mean of similarity, nearness and the dynamic score (section 4.2.3), relative to its maximum; 0
/// if one of the first two is 0.
fn static_suspicion(similarity: f64, nearness: f64, dynamic_score: f64) -> f64 {
    const MAX_HARMONIC_MEAN: f64 = 9.0 / 8.0;
    // Section 4.2.2, with the constants that are given there.
    let dynamic = 1.0 + dynamic_score / 2.0;
    if similarity <= 0.0 || nearness <= 0.0 {
        return 0.0;
    }
    3.0 / (1.0 / similarity + 1.0 / nearness + 1.0 / dynamic) / MAX_HARMONIC_MEAN
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(texts: &[&str]) -> Vec<ConditionTerm> {
        let term = |text: &&str| ConditionTerm {
            text: (*text).to_owned(),
            ty: "int".to_owned(),
            can_throw: false,
            nearness: 1.0,
        };
        texts.iter().map(term).collect()
    }

    #[test]
    fn similarity_counts_shared_expressions() {
        let terms = terms(&["index", "i", "count", "all.size()"]);
        let names: Vec<&str> =
            terms.iter().map(|term| &*term.text).chain(SHARED_LITERALS).collect();
        for (condition, said, count) in [
            // The examples of the paper.
            ("i <= count", "0 <= i && i <= count + 1", 2),
            ("index", "index == 0", 1),
            ("index == 0", "index == 0", 3),
            ("all.size() > i", "i >= all.size()", 2),
            ("i > 10", "j.i > 0", 0),
        ] {
            assert_eq!(
                count_shared_expressions(condition, said, &names),
                count,
                "{condition} {said}"
            );
        }
    }

    #[test]
    fn conditions_similar_to_violated_clause_rank_first() {
        let (terms, violated) = (terms(&["index", "count"]), [(0.5, "index == 0".to_owned())]);
        let conditions = ["index == 0", "index > 1", "count > 1"];
        let static_score = StaticScore::new(&violated, &terms, &conditions.into_iter());
        let [same, akin, other] = conditions.map(|one| static_score.combined_score(one, 0.8));
        assert!(0.8 > same && same > akin && akin > other && other > 0.7, "{same} {akin} {other}");
        let unknown = StaticScore::new(&[], &terms, &conditions.into_iter());
        assert!((unknown.combined_score("count > 1", 0.8) - 0.8).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn each_measure_makes_a_condition_more_suspicious(
            [a, b, c] in [0.01..1.0_f64, 0.01..1.0, 0.01..1.0],
            more in 0.0..1.0_f64,
        ) {
            let larger = |one: f64| one + (1.0 - one) * more;
            let least = static_suspicion(a, b, c);
            for all in [(larger(a), b, c), (a, larger(b), c), (a, b, larger(c))] {
                let whole = static_suspicion(all.0, all.1, all.2);
                prop_assert!(least <= whole + 1e-9 && whole <= 1.0 + 1e-9);
            }
            prop_assert!(static_suspicion(0.0, b, c) <= 0.0 && static_suspicion(a, 0.0, c) <= 0.0);
        }
    }
}
