//! Origins of generated tests: verdicts of the original tests.

use crate::localisation::exception_kinds::is_assertion_failure;
use crate::test_results::strip_parameters;
use mend_java::facts::{SemanticModel, SymbolId, SymbolKind};
use mend_model::{TestResult, TestStatus};
use std::collections::{BTreeMap, BTreeSet};

/// Verdict of the original test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OriginVerdict {
    /// It ended with an exception; behaviour without an exception counts as correct.
    ThrewException,
    /// It found a wrong result; other results may be wrong too.
    WrongResult,
    /// It passed.
    Passed,
}

impl OriginVerdict {
    /// Creates the origin of one run; `None` if it has no verdict.
    fn from_result(run: &TestResult) -> Option<Self> {
        match &run.status {
            TestStatus::Passed => Some(Self::Passed),
            TestStatus::Skipped => None,
            TestStatus::Failed(failure) if is_assertion_failure(&failure.exception) => {
                Some(Self::WrongResult)
            }
            TestStatus::Failed(_) => Some(Self::ThrewException),
        }
    }
}

/// Verdicts of one test in all its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestOrigins {
    /// Verdicts by parameter row, in order; one for a test without parameters.
    verdicts: Vec<OriginVerdict>,
    /// Total duration, in milliseconds.
    pub(crate) millis: u64,
}

impl TestOrigins {
    /// Creates the origins of a test with these runs; `None` if no run has a verdict.
    fn from_results(runs: &[&TestResult]) -> Option<Self> {
        let millis = runs.iter().map(|run| run.millis).sum();
        let verdicts: Vec<OriginVerdict> =
            runs.iter().filter_map(|run| OriginVerdict::from_result(run)).collect();
        let classes: BTreeSet<_> = runs.iter().map(|run| strip_parameters(&run.test)).collect();
        // The order of several classes may vary, and an unfinished run leaves a gap.
        let is_parameterised = classes.len() == 1 && verdicts.len() == runs.len();
        let rows = if is_parameterised { verdicts } else { vec![worst_verdict(&verdicts)?] };
        (!rows.is_empty()).then_some(Self { verdicts: rows, millis })
    }

    /// Returns the combined verdict of all runs. If one found a wrong result, correct behaviour is unknown.
    pub(crate) fn combined_verdict(&self) -> OriginVerdict {
        worst_verdict(&self.verdicts).unwrap_or(OriginVerdict::Passed)
    }

    /// Returns the verdict of the run with one parameter row.
    pub(crate) fn verdict_of_row(&self, row: usize) -> OriginVerdict {
        self.verdicts.get(row).copied().unwrap_or_else(|| self.combined_verdict())
    }
}

fn worst_verdict(all: &[OriginVerdict]) -> Option<OriginVerdict> {
    [OriginVerdict::WrongResult, OriginVerdict::ThrewException, OriginVerdict::Passed]
        .into_iter()
        .find(|one| all.contains(one))
}

/// Verdicts of tests, by declaring method. Runs in classes that inherit a method count for it. Overloads share one
/// entry.
#[derive(Default)]
pub(crate) struct OriginsByMethod(BTreeMap<SymbolId, TestOrigins>);

impl OriginsByMethod {
    /// Collects the verdicts of all tests that ran.
    pub(crate) fn from_results(facts: &SemanticModel, results: &[TestResult]) -> Self {
        let mut methods: BTreeMap<(SymbolId, &str), Vec<SymbolId>> = BTreeMap::new();
        for (id, symbol) in facts.symbols().iter().enumerate() {
            if let (SymbolKind::Method, Some(owner)) = (symbol.kind, symbol.owner) {
                methods.entry((owner, facts.text(symbol.name))).or_default().push(id);
            }
        }
        let mut runs: BTreeMap<SymbolId, Vec<&TestResult>> = BTreeMap::new();
        for result in results {
            let Some((class, name)) = strip_parameters(&result.test).split_once('#') else {
                continue;
            };
            // The JVM separates nested classes by `$`.
            let Some(class) = facts.find_class(&class.replace('$', ".")) else { continue };
            let mut declared = supertypes_nearest_first(facts, class)
                .filter_map(|owner| methods.get(&(owner, name)));
            for method in declared.next().into_iter().flatten() {
                runs.entry(*method).or_default().push(result);
            }
        }
        let origins = runs
            .into_iter()
            .filter_map(|(method, runs)| Some((method, TestOrigins::from_results(&runs)?)));
        Self(origins.collect())
    }

    /// Returns the verdicts of a test method; `None` if it did not end or did not run.
    pub(crate) fn get(&self, method: SymbolId) -> Option<&TestOrigins> {
        self.0.get(&method)
    }
}

/// Returns a class, then its supertypes, the nearest first.
fn supertypes_nearest_first(
    facts: &SemanticModel,
    class: SymbolId,
) -> impl Iterator<Item = SymbolId> {
    let mut all = vec![class];
    let mut at = 0;
    while let Some(one) = all.get(at).copied() {
        for parent in &facts.symbol(one).supertypes {
            if !all.contains(parent) {
                all.push(*parent);
            }
        }
        at += 1;
    }
    all.into_iter()
}

#[cfg(test)]
impl From<OriginVerdict> for TestOrigins {
    fn from(one: OriginVerdict) -> Self {
        Self { verdicts: vec![one], millis: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::Failure;

    fn failed_result(test: &str, exception: &str) -> TestResult {
        let exception = exception.to_owned();
        let failure = Failure { exception, message: None, frames: Vec::new() };
        TestResult::new(test, TestStatus::Failed(failure))
    }

    fn passed_result(test: &str) -> TestResult {
        TestResult::new(test, TestStatus::Passed)
    }

    #[test]
    fn each_parameter_row_has_its_own_verdict() {
        let runs = [
            passed_result("a.B#c(int)[1]"),
            failed_result("a.B#c(int)[2]", "java.lang.AssertionError"),
            failed_result("a.B#c(int)[3]", "java.lang.NullPointerException"),
        ];
        let origins = TestOrigins::from_results(&runs.iter().collect::<Vec<_>>()).unwrap();
        let rows = [0, 1, 2, 3].map(|row| origins.verdict_of_row(row));
        assert_eq!(
            rows,
            [
                OriginVerdict::Passed,
                OriginVerdict::WrongResult,
                OriginVerdict::ThrewException,
                OriginVerdict::WrongResult
            ]
        );
    }

    #[test]
    fn inherited_test_has_worst_verdict() {
        let runs =
            [passed_result("a.B#c"), failed_result("a.D#c", "java.lang.NullPointerException")];
        let origins = TestOrigins::from_results(&runs.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(
            [origins.verdict_of_row(0), origins.verdict_of_row(1)],
            [OriginVerdict::ThrewException; 2]
        );
        assert_eq!(TestOrigins::from_results(&[]), None);
    }
}
