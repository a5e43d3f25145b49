//! Tests of parallel search.

use super::*;

#[test]
fn rounds_decrease_with_parallelism() {
    let units = tree(1000);
    let culprit = units.constraints().closure(&subset(1000, &[17, 444, 802]));
    let rule = fails_with(&culprit);
    let rounds = [1, 2, 4, 8, 16].map(|parallelism| {
        let judge = RuleOracle::new(&units, parallelism, &rule);
        judge.minimise(MinimisationGoal::Culprit);
        judge.rounds.get()
    });
    assert!(rounds.is_sorted_by(|one, other| one > other), "{rounds:?}");
}

/// Returns a pseudo-random test duration for a set.
fn simulated_seconds(enabled: &Subset) -> u64 {
    let mut hasher = DefaultHasher::new();
    enabled.hash(&mut hasher);
    1 + hasher.finish() % 9
}

/// Oracle with simulated test durations and parallel tests.
struct Timed<'a> {
    judge: RuleOracle<'a>,
    wall_time: Cell<u64>,
}

impl Oracle for Timed<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>> {
        let longest = sets.iter().map(simulated_seconds).max().unwrap_or(0);
        self.wall_time.set(self.wall_time.get() + longest);
        self.judge.judge(sets)
    }

    fn parallelism(&self) -> usize {
        self.judge.parallelism
    }
}

#[test]
fn wall_time_decreases_with_parallelism() {
    let units = tree(400);
    let wall = |parallelism| {
        let walls = (0..20).map(|seed| {
            let culprit = [seed * 17 + 3, seed * 5 + 120, 399 - seed];
            let culprit = units.constraints().closure(&subset(400, &culprit));
            let rule = fails_with(&culprit);
            let judge = RuleOracle::new(&units, parallelism, &rule);
            let timed = Timed { judge, wall_time: Cell::new(0) };
            let mut minimiser = Minimiser::new(units.clone(), SearchLimits::default());
            minimiser.minimise(MinimisationGoal::Culprit, &timed, &mut |_| ()).unwrap();
            timed.wall_time.get()
        });
        walls.collect::<Vec<_>>()
    };
    let one = wall(1);
    let mut before = one.iter().sum::<u64>();
    for parallelism in [2, 4, 8, 16] {
        let walls = wall(parallelism);
        for (many, one) in walls.iter().zip(&one) {
            assert!(many * 100 <= one * 105, "{parallelism} jobs: {many} s, one job: {one} s");
        }
        let sum = walls.iter().sum();
        assert!(sum < before, "{parallelism} jobs: {sum} s, fewer: {before} s");
        before = sum;
    }
}
