//! Orders of units in which every prefix is closed, and chains of closed sets.

use crate::constraints::Constraints;
use crate::subset::Subset;
use crate::units::Units;

/// Order of units, with prerequisites first.
#[derive(Clone, Debug)]
pub(crate) struct UnitOrder {
    /// All units, neighbours next to each other.
    roots: Vec<usize>,
    /// Component of each unit, and units of each component.
    component_of_unit: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl UnitOrder {
    /// Creates an order from units in source order, or in any other order.
    pub(crate) fn new(constraints: &Constraints, roots: Vec<usize>) -> Self {
        let component = constraints.components();
        let mut members = vec![Vec::new(); component.iter().max().map_or(0, |most| most + 1)];
        for (unit, component) in component.iter().enumerate() {
            members[*component].push(unit);
        }
        Self { roots, component_of_unit: component, members }
    }

    /// Returns the same order under other constraints.
    #[must_use]
    pub(crate) fn with_constraints(&self, constraints: &Constraints) -> Self {
        Self::new(constraints, self.roots.clone())
    }

    /// Calls `visit` for every component of `current`, prerequisites first, with the root that led to it.
    fn visit_components(
        &self,
        constraints: &Constraints,
        current: &Subset,
        mut visit: impl FnMut(usize, &[usize]),
    ) {
        let needed_components = |component: usize| {
            let units = self.members[component].iter();
            let needed_components = units.flat_map(|unit| constraints.prerequisites(*unit));
            needed_components
                .filter(|unit| current[*unit])
                .map(|unit| self.component_of_unit[unit])
                .collect::<Vec<_>>()
        };
        let mut visited = Subset::with_capacity(self.members.len());
        for root in self.roots.iter().filter(|root| current[**root]) {
            let root_component = self.component_of_unit[*root];
            if visited.put(root_component) {
                continue;
            }
            let mut stack = vec![(root_component, needed_components(root_component).into_iter())];
            while let Some((component, rest)) = stack.last_mut() {
                if let Some(next) = rest.next() {
                    if !visited.put(next) {
                        stack.push((next, needed_components(next).into_iter()));
                    }
                } else {
                    visit(*root, &self.members[*component]);
                    stack.pop();
                }
            }
        }
    }
}

/// Chain of closed sets, each of which contains the previous one.
#[derive(Clone, Debug)]
pub(crate) struct PrefixChain {
    base: Subset,
    /// Units that each set adds to the previous one.
    links: Vec<Vec<usize>>,
    /// Cumulative weight up to each cut, and the stage of the boundary at the cut.
    cumulative_weights: Vec<u64>,
    border_stages: Vec<usize>,
}

/// Number of steps into which the remaining weight is divided to express positions.
const POSITION_STEPS: u64 = 32;
/// Target positions of the next cut: the middle, then positions around it if that was unresolved.
const CUT_POSITIONS: [u64; 9] = [16, 18, 14, 20, 12, 24, 8, 28, 4];
/// Maximum distance of a coarse boundary from the middle, in steps. One step loses less than three thousandths of the
/// information of an answer, two steps one hundredth.
const MAX_OFFSET_FROM_MIDDLE: u64 = 1;

/// Share, in eighths, of suspicion that is distributed by number instead of weight: a heavy part is more likely the
/// culprit, but a light one can be the culprit too.
const COUNT_SHARE_IN_EIGHTHS: u64 = 7;

impl PrefixChain {
    /// Creates the chain from `base` to `current`; both are closed.
    pub(crate) fn new(units: &Units, order: &UnitOrder, base: Subset, current: &Subset) -> Self {
        let mut set = base.clone();
        let mut links: Vec<Vec<usize>> = Vec::new();
        let mut roots: Vec<usize> = Vec::new();
        let constraints = units.constraints();
        order.visit_components(constraints, current, |root, component| {
            for unit in component {
                let link = constraints.add_with_dependencies(&mut set, *unit, current);
                if !link.is_empty() {
                    links.push(link);
                    roots.push(root);
                }
            }
        });
        let borders = roots.windows(2).map(|pair| units.separating_stage(pair[0], pair[1]));
        let border_stages = std::iter::once(0).chain(borders).chain([0]).collect();
        Self { base, cumulative_weights: cumulative_weights(units, &links), border_stages, links }
    }

    /// Returns the number of sets after the base.
    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }

    /// Returns the prefix that ends at `cut`; the base at 0.
    pub(crate) fn prefix(&self, cut: usize) -> Subset {
        let mut prefix = self.base.clone();
        prefix.extend(self.links[..cut].iter().flatten().copied());
        prefix
    }

    /// Returns the units that the sets after `from` up to `to` add.
    pub(crate) fn units_between(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        self.links[from..to].iter().flatten().copied()
    }

    /// Returns the links.
    pub(crate) fn into_links(self) -> Vec<Vec<usize>> {
        self.links
    }

    /// Returns the next cut between `low` and `high`, given the unresolved ones: first the coarsest border near the
    /// middle, then others around it. `None` if no cut is left.
    pub(crate) fn choose_cut(
        &self,
        low: usize,
        high: usize,
        unresolved_cuts: &[usize],
    ) -> Option<usize> {
        let target_weight =
            self.weight_at_step(low, high, *CUT_POSITIONS.get(unresolved_cuts.len())?);
        if unresolved_cuts.is_empty() {
            let [first, last] = [
                POSITION_STEPS / 2 - MAX_OFFSET_FROM_MIDDLE,
                POSITION_STEPS / 2 + MAX_OFFSET_FROM_MIDDLE,
            ]
            .map(|at| self.weight_at_step(low, high, at));
            let window = first..=last;
            let cuts = low + 1..high;
            let coarsest = cuts
                .filter(|cut| window.contains(&(self.cumulative_weights[*cut] * POSITION_STEPS)))
                .min_by_key(|cut| (self.border_stages[*cut], self.distance(*cut, target_weight)));
            if coarsest.is_some() {
                return coarsest;
            }
        }
        let untried = (low + 1..high).filter(|cut| !unresolved_cuts.contains(cut));
        untried.min_by_key(|cut| self.distance(*cut, target_weight))
    }

    /// Returns the cumulative weight, times the number of steps, at a position between two cuts.
    fn weight_at_step(&self, low: usize, high: usize, steps: u64) -> u64 {
        self.cumulative_weights[low] * POSITION_STEPS
            + (self.cumulative_weights[high] - self.cumulative_weights[low]) * steps
    }

    fn distance(&self, cut: usize, target: u64) -> u64 {
        (self.cumulative_weights[cut] * POSITION_STEPS).abs_diff(target)
    }
}

/// Returns the cumulative weight up to each cut. A link weighs as much as its heaviest unit.
fn cumulative_weights(units: &Units, links: &[Vec<usize>]) -> Vec<u64> {
    let heaviest = |link: &Vec<usize>| link.iter().map(|unit| units.total_weight([*unit])).max();
    let weights: Vec<u64> = links.iter().map(|link| heaviest(link).unwrap_or(0)).collect();
    let total: u64 = weights.iter().sum();
    let link_count = u64::try_from(links.len()).unwrap_or(u64::MAX);
    let mut mass = 0;
    let masses = weights.iter().map(|weight| {
        mass +=
            weight.saturating_mul(link_count).saturating_add(total.max(1) * COUNT_SHARE_IN_EIGHTHS);
        mass
    });
    std::iter::once(0).chain(masses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::tests::{constraints, subset};
    use crate::subset::full_set;
    use proptest::prelude::*;

    fn chain(units: &Units, base: Subset, current: &Subset) -> PrefixChain {
        PrefixChain::new(
            units,
            &UnitOrder::new(units.constraints(), units.in_source_order()),
            base,
            current,
        )
    }

    proptest! {
        #[test]
        fn every_beginning_of_an_order_is_closed(
            constraints in constraints(20),
            picks: [prop::sample::Index; 2],
            reverse: bool,
        ) {
            let constraints = if reverse { constraints.reversed() } else { constraints };
            let len = constraints.len();
            let units = Units::new(vec![1; len], vec![], constraints.clone()).unwrap();
            let kept = constraints.closure(&subset(len, &picks.map(|pick| pick.index(len))));
            let base = constraints.closure_within(&subset(len, &[picks[0].index(len)]), &kept);
            let chain = chain(&units, base.clone(), &kept);
            for cut in 0..=chain.len() {
                prop_assert!(constraints.is_closed(&chain.prefix(cut)));
            }
            prop_assert_eq!(chain.prefix(0), base);
            prop_assert_eq!(chain.prefix(chain.len()), kept);
        }

        #[test]
        fn without_alternatives_a_link_is_one_component(
            needs in prop::collection::vec((0_usize..20, 0_usize..20), 0..40),
        ) {
            let constraints = Constraints::new(20, &needs, &[]).unwrap();
            let units = Units::new(vec![1; 20], vec![], constraints.clone()).unwrap();
            let components = constraints.components().into_iter().max().map_or(0, |most| most + 1);
            prop_assert_eq!(chain(&units, subset(20, &[]), &full_set(20)).len(), components);
        }
    }

    #[test]
    fn first_cut_is_coarsest_near_middle() {
        let stages = vec![(0..32).map(|unit| usize::from(unit >= 17)).collect()];
        let none = Constraints::new(32, &[], &[]).unwrap();
        let units = Units::new(vec![1; 32], stages, none.clone()).unwrap();
        let staged = chain(&units, subset(32, &[]), &full_set(32));
        assert_eq!(staged.choose_cut(0, 32, &[]), Some(17));
        assert_eq!(staged.choose_cut(0, 32, &[17]), Some(18));
        let plain = Units::new(vec![1; 32], vec![], none).unwrap();
        assert_eq!(chain(&plain, subset(32, &[]), &full_set(32)).choose_cut(0, 32, &[]), Some(16));
    }

    #[test]
    fn no_cut_between_neighbours() {
        let units = Units::new(vec![1; 2], vec![], Constraints::new(2, &[], &[]).unwrap()).unwrap();
        let chain = chain(&units, subset(2, &[]), &full_set(2));
        assert_eq!(chain.choose_cut(0, 2, &[]), Some(1));
        assert_eq!(chain.choose_cut(0, 2, &[1]), None);
        assert_eq!(chain.choose_cut(1, 2, &[]), None);
    }
}
