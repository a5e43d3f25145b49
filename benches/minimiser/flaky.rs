//! Measures the cost of the search with a flaky test and `--repeat auto`.

use crate::subject::{Kind, Subject, Truth};
use mend_model::{Result, Verdict};
use mend_search::sequential_test::{ConfidenceLevel, SequentialTest, measure_baseline};
use mend_search::{MinimisationGoal, Minimiser, Oracle, OracleAnswer, SearchLimits, Subset};
use std::cell::RefCell;

const SEED_COUNT: u64 = 200;

/// Oracle whose runs give a wrong result with some probability.
struct NoisyOracle<'a> {
    subject: &'a Subject,
    sampling: &'a SequentialTest,
    error_rate: f64,
    random: &'a RefCell<fastrand::Rng>,
}

impl Oracle for NoisyOracle<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>> {
        let run = |set: &Subset| {
            let fails = matches!(self.subject.judge(set), Truth::Fails(true));
            let lies = self.random.borrow_mut().f64() < self.error_rate;
            Ok(if fails == lies { Verdict::Pass } else { Verdict::Fail })
        };
        sets.iter()
            .map(|set| self.sampling.judge(&mut || run(set)).map(OracleAnswer::from))
            .collect()
    }
}

/// Prints how often the search finds the true culprit with wrong runs, and the number of runs.
pub(crate) fn print_flaky_results(kind: Kind) {
    println!(
        "\n| % wrong runs | culprit found of {SEED_COUNT} | wrong | mean runs | of them baseline | verdicts |"
    );
    println!("|--:|--:|--:|--:|--:|--:|");
    for percent in [0_u8, 5, 10, 20, 30] {
        let (mut found, mut wrong, mut runs, mut before, mut verdicts) = (0, 0, 0, 0, 0);
        for seed in 0..SEED_COUNT {
            let subject = Subject::new(kind, seed);
            let dice = RefCell::new(fastrand::Rng::with_seed(seed));
            let rate = f64::from(percent) / 100.0;
            let certainty = ConfidenceLevel::default();
            let rates_result =
                measure_baseline(
                    certainty,
                    |is_bad| Ok(is_bad != (dice.borrow_mut().f64() < rate)),
                );
            let rates_result = rates_result.unwrap();
            before += rates_result.good.runs + rates_result.bad.runs;
            let Some(rates) = rates_result.rates else { continue };
            let sampling = SequentialTest::new(rates, certainty).unwrap();
            let oracle = NoisyOracle {
                subject: &subject,
                sampling: &sampling,
                error_rate: rate,
                random: &dice,
            };
            let mut minimiser = Minimiser::new(subject.units.clone(), SearchLimits::default());
            // A search that needs too many runs has no result.
            let minimal = minimiser.minimise(MinimisationGoal::Culprit, &oracle, &mut |_| ());
            match minimal {
                Ok(minimal) if minimal.subset == subject.culprit => found += 1,
                Ok(_) => wrong += 1,
                Err(_) => {}
            }
            runs += sampling.cost().runs;
            verdicts += sampling.cost().verdicts;
        }
        let mean = |sum: usize| sum / usize::try_from(SEED_COUNT).unwrap();
        let all = mean(runs + before);
        println!(
            "| {percent} | {found} | {wrong} | {all} | {} | {} |",
            mean(before),
            mean(verdicts)
        );
    }
}
