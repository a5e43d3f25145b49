//! Constraints: dependencies between units, and the closed sets that satisfy them.

use super::subset::{Subset, complement, full_set};
use crate::implications::Implications;
use anyhow::{anyhow, ensure};
use mend_model::Result;

/// Dependencies between units. A closed set satisfies all of them; the empty and the full set are always closed.
#[derive(Clone, Debug)]
pub struct Constraints {
    len: usize,
    /// Implications for adding units.
    forward: Implications,
    /// Reversed implications, for removing units.
    backward: Implications,
}

impl Constraints {
    /// Creates constraints over `len` units from `needs` (the first unit needs the second) and `any_of` (the unit needs
    /// at least one of the alternatives, the preferred one first).
    ///
    /// # Errors
    /// [`Problem::Internal`](mend_model::Problem::Internal) if a unit does not exist, or a unit has no alternative.
    pub fn new(
        len: usize,
        needs: &[(usize, usize)],
        any_of: &[(usize, Vec<usize>)],
    ) -> Result<Self> {
        let mut forward = Implications::new(len);
        let mut backward = Implications::new(len);
        let single = needs.iter().map(|(unit, needed)| (*unit, std::slice::from_ref(needed)));
        for (unit, needed) in single.chain(any_of.iter().map(|(unit, any)| (*unit, &any[..]))) {
            check(len, unit, needed)?;
            if !needed.contains(&unit) {
                forward.add(&[unit], needed);
                backward.add(needed, &[unit]);
            }
        }
        Ok(Self { len, forward, backward })
    }

    /// Adds an implication: a set with all of some units needs one of some others. Both lists must not be empty, so
    /// that the empty and the full set stay closed.
    pub(super) fn add_implication(&mut self, premises: &[usize], alternatives: &[usize]) {
        self.forward.add(premises, alternatives);
        self.backward.add(alternatives, premises);
    }

    /// Returns the number of units.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no units.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns true if `subset` is closed.
    pub fn is_closed(&self, subset: &Subset) -> bool {
        self.forward.are_satisfied_by(subset)
    }

    /// Returns the closure of `subset`. Of several alternatives the first is added, unless one is already contained.
    #[must_use]
    pub fn closure(&self, subset: &Subset) -> Subset {
        self.closure_within(subset, &full_set(self.len))
    }

    /// Returns the closure that prefers alternatives from `within`. It is a subset of `within` if that is closed.
    #[must_use]
    pub fn closure_within(&self, subset: &Subset, within: &Subset) -> Subset {
        let mut closure = subset.clone();
        self.forward.saturate(&mut closure, subset.ones().collect(), within);
        closure
    }

    /// Adds `unit` and its dependencies to a closed set, with alternatives from `within`. Returns the added units.
    pub(super) fn add_with_dependencies(
        &self,
        closed: &mut Subset,
        unit: usize,
        within: &Subset,
    ) -> Vec<usize> {
        if closed.put(unit) {
            return Vec::new();
        }
        let mut added = self.forward.saturate(closed, vec![unit], within);
        added.push(unit);
        added
    }

    /// Returns the units that `unit` needs, and the first of each list of alternatives.
    pub(super) fn prerequisites(&self, unit: usize) -> impl Iterator<Item = usize> {
        self.forward.prerequisites(unit)
    }

    /// Returns the largest closed subset of `subset`. If one of several units can be removed, the first one is; only
    /// [reversed](Constraints::reversed) constraints allow that.
    #[must_use]
    pub fn largest_closed_subset(&self, subset: &Subset) -> Subset {
        let mut excluded = complement(subset);
        let worklist = excluded.ones().collect();
        self.backward.saturate(&mut excluded, worklist, subset);
        complement(&excluded)
    }

    /// Returns the constraints on complements: a set satisfies them if and only if its complement satisfies these.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { len: self.len, forward: self.backward.clone(), backward: self.forward.clone() }
    }

    /// Returns the component number of each unit. Units in a dependency cycle have the same number. Components are
    /// numbered in the order of their first unit.
    pub fn components(&self) -> Vec<usize> {
        let postorder = self.finishing_order();
        let mut component: Vec<Option<usize>> = vec![None; self.len];
        for start in postorder.into_iter().rev() {
            let mut worklist = vec![start];
            while let Some(unit) = worklist.pop() {
                if component[unit].is_none() {
                    component[unit] = Some(start);
                    worklist.extend(self.backward.edges(unit));
                }
            }
        }
        number_by_first_occurrence(&component)
    }

    /// Returns the units in the finishing order of a depth-first search.
    fn finishing_order(&self) -> Vec<usize> {
        let mut visited = Subset::with_capacity(self.len);
        let mut postorder = Vec::with_capacity(self.len);
        for start in 0..self.len {
            if visited.put(start) {
                continue;
            }
            let mut stack = vec![(start, self.forward.edges(start).iter())];
            while let Some((unit, rest)) = stack.last_mut() {
                if let Some(next) = rest.next() {
                    if !visited.put(*next) {
                        stack.push((*next, self.forward.edges(*next).iter()));
                    }
                } else {
                    postorder.push(*unit);
                    stack.pop();
                }
            }
        }
        postorder
    }
}

/// Replaces the names of groups by numbers, in the order of their first occurrence.
fn number_by_first_occurrence(groups: &[Option<usize>]) -> Vec<usize> {
    let mut numbers = std::collections::HashMap::new();
    groups
        .iter()
        .map(|group| {
            let next = numbers.len();
            *numbers.entry(group).or_insert(next)
        })
        .collect()
}

fn check(len: usize, unit: usize, needed: &[usize]) -> Result<()> {
    let check = || {
        ensure!(!needed.is_empty(), "unit {unit} is left without any alternative");
        let unknown = needed.iter().chain([&unit]).find(|unit| **unit >= len);
        unknown.map_or(Ok(()), |unknown| Err(anyhow!("no unit {unknown} among {len}")))
    };
    Ok(check()?)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn subset(len: usize, units: &[usize]) -> Subset {
        let mut subset = Subset::with_capacity(len);
        subset.extend(units.iter().copied());
        subset
    }

    /// Generates constraints over up to `max` units, including alternatives.
    pub(crate) fn constraints(max: usize) -> impl Strategy<Value = Constraints> {
        (1..=max).prop_flat_map(|len| {
            let needs = prop::collection::vec((0..len, 0..len), 0..len);
            let any_of = prop::collection::vec((0..len, prop::collection::vec(0..len, 1..4)), 0..4);
            (needs, any_of)
                .prop_map(move |(needs, any_of)| Constraints::new(len, &needs, &any_of).unwrap())
        })
    }

    fn constraints_and_sets() -> impl Strategy<Value = (Constraints, Subset, Subset)> {
        constraints(20).prop_flat_map(|constraints| {
            let bits = || prop::collection::vec(any::<bool>(), constraints.len());
            (Just(constraints.clone()), bits(), bits()).prop_map(|(constraints, one, other)| {
                let set = |bits: Vec<bool>| {
                    let units = bits.iter().enumerate().filter(|(_, bit)| **bit);
                    subset(bits.len(), &units.map(|(unit, _)| unit).collect::<Vec<_>>())
                };
                (constraints, set(one), set(other))
            })
        })
    }

    proptest! {
        #[test]
        fn closures_are_closed_and_hold_their_set((constraints, set, _) in constraints_and_sets()) {
            let closure = constraints.closure(&set);
            prop_assert!(constraints.is_closed(&closure));
            prop_assert!(set.is_subset(&closure));
            prop_assert_eq!(constraints.is_closed(&set), closure == set);
        }

        #[test]
        fn interiors_are_closed_and_lie_in_their_set((constraints, set, _) in constraints_and_sets()) {
            let interior = constraints.largest_closed_subset(&set);
            prop_assert!(constraints.is_closed(&interior));
            prop_assert!(interior.is_subset(&set));
            prop_assert_eq!(constraints.is_closed(&set), interior == set);
        }

        #[test]
        fn a_closure_within_a_closed_set_stays_there(
            (constraints, set, around) in constraints_and_sets(),
        ) {
            let around = constraints.closure(&around);
            let inside = &set & &around;
            prop_assert!(constraints.closure_within(&inside, &around).is_subset(&around));
            let reversed = constraints.reversed();
            let around = reversed.closure(&around);
            let inside = &set & &around;
            prop_assert!(reversed.closure_within(&inside, &around).is_subset(&around));
        }

        #[test]
        fn a_set_is_closed_exactly_if_its_complement_is_in_reverse(
            (constraints, set, _) in constraints_and_sets(),
        ) {
            let reversed = constraints.reversed();
            prop_assert_eq!(constraints.is_closed(&set), reversed.is_closed(&complement(&set)));
        }

        #[test]
        fn the_empty_and_the_full_set_are_closed(constraints in constraints(20)) {
            prop_assert!(constraints.is_closed(&subset(constraints.len(), &[])));
            prop_assert!(constraints.is_closed(&full_set(constraints.len())));
        }

        #[test]
        fn units_share_a_component_exactly_if_each_needs_the_other(
            needs in prop::collection::vec((0_usize..12, 0_usize..12), 0..20),
        ) {
            let constraints = Constraints::new(12, &needs, &[]).unwrap();
            let components = constraints.components();
            let closure = |unit| constraints.closure(&subset(12, &[unit]));
            for one in 0..12 {
                for other in 0..12 {
                    let together = closure(one)[other] && closure(other)[one];
                    prop_assert_eq!(together, components[one] == components[other]);
                }
            }
        }
    }

    #[test]
    fn contained_alternative_is_preferred() {
        let constraints = Constraints::new(4, &[], &[(0, vec![1, 2])]).unwrap();
        assert_eq!(constraints.closure(&subset(4, &[0])), subset(4, &[0, 1]));
        assert_eq!(constraints.closure(&subset(4, &[0, 2])), subset(4, &[0, 2]));
        let within = subset(4, &[0, 2]);
        assert_eq!(constraints.closure_within(&subset(4, &[0]), &within), within);
    }

    #[test]
    fn unit_is_removed_with_its_last_alternative() {
        let constraints = Constraints::new(3, &[], &[(0, vec![1, 2])]).unwrap();
        assert_eq!(constraints.largest_closed_subset(&subset(3, &[0, 2])), subset(3, &[0, 2]));
        assert_eq!(constraints.largest_closed_subset(&subset(3, &[0])), subset(3, &[]));
    }

    #[test]
    fn unsatisfiable_constraints_are_rejected() {
        assert!(Constraints::new(2, &[(0, 2)], &[]).is_err());
        assert!(Constraints::new(2, &[(2, 0)], &[]).is_err());
        assert!(Constraints::new(2, &[], &[(0, vec![])]).is_err());
    }
}
