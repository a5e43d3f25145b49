//! Order in which candidates are tested: each location gets a share of the tests.

use std::collections::HashMap;
use std::hash::Hash;

/// Number of candidates of one location after which the next one counts half as much.
const HALF_SHARE: f64 = 120.0;

/// Sorts candidates by score, where the score of each further candidate of a location counts less. So the candidates of
/// a location keep their order, and a location with many candidates cannot keep others waiting. Equal candidates keep
/// their order.
pub(crate) fn order_by_location_share<T, Location: Eq + Hash>(
    candidates: &mut Vec<T>,
    score: impl Fn(&T) -> f64,
    location: impl Fn(&T) -> Location,
) {
    // The sort is stable.
    candidates.sort_by(|one, other| score(other).total_cmp(&score(one)));
    let mut counts: HashMap<Location, u32> = HashMap::new();
    let priority = |one: &T| {
        let earlier = counts.entry(location(one)).or_default();
        let share = 1.0 + f64::from(*earlier) / HALF_SHARE;
        *earlier += 1;
        score(one) / share
    };
    let priorities: Vec<f64> = candidates.iter().map(priority).collect();
    let mut ranked: Vec<(f64, T)> = priorities.into_iter().zip(candidates.drain(..)).collect();
    ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    candidates.extend(ranked.into_iter().map(|(_, one)| one));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Location and score of a candidate.
    type Scored = (u8, f64);

    fn ordered(mut all: Vec<Scored>) -> Vec<Scored> {
        order_by_location_share(&mut all, |(_, score)| *score, |(location, _)| *location);
        all
    }

    #[test]
    fn many_candidates_of_one_location_do_not_starve_another() {
        let mut all = vec![(1, 1.0); 1000];
        all.push((2, 0.9));
        let at = ordered(all).iter().position(|one| one.0 == 2);
        assert!(at.is_some_and(|at| at < 20), "{at:?}");
    }

    proptest! {
        #[test]
        fn locations_keep_their_order_and_share(
            all in proptest::collection::vec((0_u8..4, 0.01_f64..1.0), 0..200),
        ) {
            let found = ordered(all.clone());
            prop_assert_eq!(&found, &ordered(all.clone()));
            for location in 0..4 {
                let own = |all: &[Scored]| -> Vec<f64> {
                    all.iter().filter(|one| one.0 == location).map(|one| one.1).collect()
                };
                let mut expected = own(&all);
                expected.sort_by(|one, other| other.total_cmp(one));
                prop_assert_eq!(own(&found), expected);
            }
            let mut tested: HashMap<u8, f64> = HashMap::new();
            for (location, score) in &found {
                // Until the first candidate of a location, another one gets only what its score is worth.
                if !tested.contains_key(location) {
                    for count in tested.values() {
                        prop_assert!(*count <= HALF_SHARE * (1.0 / score - 1.0) + 1.0);
                    }
                }
                *tested.entry(*location).or_default() += 1.0;
            }
        }
    }
}
