//! Searches that do not come to their end.

use super::*;

#[test]
fn a_wish_to_stop_yields_the_smallest_set_so_far() {
    let units = tree(100);
    let culprit = units.constraints().closure(&subset(100, &[40]));
    let interrupt = Interrupt::default();
    let rule = |on: &Subset| {
        let answer = fails_with(&culprit)(on);
        if answer.verdict == Verdict::Fail {
            interrupt.request();
        }
        answer
    };
    let limits = SearchLimits { interrupt: interrupt.clone(), max_tests: None };
    let found =
        RuleOracle::new(&units, 1, &rule).minimise_within(MinimisationGoal::Culprit, limits);
    assert!(found.interrupted && !found.minimal);
    assert!(culprit.is_subset(&found.subset) && found.subset != full(100));
}

/// An oracle that cannot go on.
struct Broken(fn() -> Problem);

impl Oracle for Broken {
    fn judge(&self, _: &[Subset]) -> Result<Vec<OracleAnswer>> {
        Err(self.0())
    }
}

/// An oracle that forgets to answer.
struct Silent;

impl Oracle for Silent {
    fn judge(&self, _: &[Subset]) -> Result<Vec<OracleAnswer>> {
        Ok(Vec::new())
    }
}

#[test]
fn an_oracle_that_was_interrupted_is_no_error_and_a_broken_one_is() {
    let ask = |oracle: &dyn Oracle| {
        Minimiser::new(tree(9), SearchLimits::default()).minimise(
            MinimisationGoal::Culprit,
            oracle,
            &mut |_| (),
        )
    };
    assert!(ask(&Broken(|| Problem::Interrupted)).unwrap().interrupted);
    assert!(matches!(ask(&Broken(|| Problem::Swapped)), Err(Problem::Swapped)));
    assert!(matches!(ask(&Silent), Err(Problem::Internal(_))));
}
