//! Order of fixes with the same behaviour: what developers write is usually the simpler text.

/// Traits of a fix that decide whether it is a simpler form of another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FixForm<Behaviour> {
    /// Behaviour in generated tests, with the operator, the changed statement and the tests that still fail.
    pub(super) behaviour: Behaviour,
    /// Number of tokens deleted plus inserted.
    pub(super) tokens: usize,
    /// Length of the changed code.
    pub(super) length: usize,
    pub(super) worth: f64,
}

/// Minimum worth of a simpler fix, relative to the one that it replaces.
const MIN_RELATIVE_WORTH: f64 = 0.5;

impl<Behaviour: PartialEq> FixForm<Behaviour> {
    /// Returns true if it has the same behaviour as another one, and is shorter without a larger change.
    fn is_simpler_than(&self, other: &Self) -> bool {
        self.behaviour == other.behaviour
            && self.tokens <= other.tokens
            && self.length < other.length
            && self.worth >= other.worth * MIN_RELATIVE_WORTH
    }
}

/// Returns the order of fixes, best first, in which the simplest form of a fix comes before that fix. Fixes without a
/// form keep their order.
pub(super) fn simplest_first<Behaviour: PartialEq>(
    forms: &[Option<FixForm<Behaviour>>],
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..forms.len()).collect();
    for place in 0..order.len() {
        let Some(best) = &forms[order[place]] else { continue };
        let simpler = (place + 1..order.len()).filter_map(|later| {
            let form = forms[order[later]].as_ref()?;
            form.is_simpler_than(best).then_some((form.length, later))
        });
        if let Some((_, later)) = simpler.min() {
            order[place..=later].rotate_right(1);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(behaviour: u32, [tokens, length]: [usize; 2], worth: f64) -> FixForm<u32> {
        FixForm { behaviour, tokens, length, worth }
    }

    #[test]
    fn simpler_form_of_a_fix_comes_before_it() {
        // `size + 1` and `size` instead of `size - 1`.
        let [sum, other, size] =
            [form(1, [2, 8], 0.8), form(2, [2, 3], 0.7), form(1, [2, 4], 0.5)].map(Some);
        assert_eq!(simplest_first(&[sum.clone(), other, None, size.clone()]), [3, 0, 1, 2]);
        let simplest = Some(form(1, [2, 3], 0.5));
        assert_eq!(simplest_first(&[sum, size, simplest]), [2, 1, 0]);
    }

    #[test]
    fn shorter_text_with_another_behaviour_more_changes_or_little_worth_does_not_come_first() {
        for other in [form(2, [2, 4], 0.5), form(1, [3, 4], 0.5), form(1, [2, 4], 0.3)] {
            assert_eq!(simplest_first(&[form(1, [2, 8], 0.8), other].map(Some)), [0, 1]);
        }
    }
}
