//! Searches that end early, by an interrupt or an error.

use super::*;

#[test]
fn interrupt_yields_smallest_set_so_far() {
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
    let result =
        RuleOracle::new(&units, 1, &rule).minimise_within(MinimisationGoal::Culprit, limits);
    assert!(result.is_interrupted && !result.is_minimal);
    assert!(culprit.is_subset(&result.subset) && result.subset != full_set(100));
}

/// Oracle that returns an error.
struct Broken(fn() -> Problem);

impl Oracle for Broken {
    fn judge(&self, _: &[Subset]) -> Result<Vec<OracleAnswer>> {
        Err(self.0())
    }
}

/// Oracle that returns no answers.
struct Silent;

impl Oracle for Silent {
    fn judge(&self, _: &[Subset]) -> Result<Vec<OracleAnswer>> {
        Ok(Vec::new())
    }
}

#[test]
fn interrupted_oracle_is_no_error_but_broken_one_is() {
    let minimise = |oracle: &dyn Oracle| {
        Minimiser::new(tree(9), SearchLimits::default()).minimise(
            MinimisationGoal::Culprit,
            oracle,
            &mut |_| (),
        )
    };
    assert!(minimise(&Broken(|| Problem::Interrupted)).unwrap().is_interrupted);
    assert!(matches!(minimise(&Broken(|| Problem::Swapped)), Err(Problem::Swapped)));
    assert!(matches!(minimise(&Silent), Err(Problem::Internal(_))));
}
