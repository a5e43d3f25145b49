//! In which order tests are run, and when no more of them are.

use super::{Coverage, Framework, Selection};
use crate::model::{TestResult, TestStatus};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// In which order tests are run. By default it is that of the selection, and all of them are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestOrder {
    /// These come first, `pkg.Class#method`.
    first: Vec<String>,
    /// How long the tests of each class took, in milliseconds; the quickest come first.
    millis: BTreeMap<String, u64>,
    /// What comes upon a change is before what does not.
    coverage: Option<Arc<Coverage>>,
    /// Whether no test is run any more once one has failed.
    fail_fast: bool,
}

/// Tests of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) class: String,
    /// A method's name or a glob; `None` means every test.
    pub(super) method: Option<String>,
    /// Whether it is run after a failure too.
    pub(super) whatever_failed: bool,
}

impl Wanted {
    /// As runners read it.
    pub(super) fn line(&self) -> String {
        let Self { class, method, whatever_failed } = self;
        let when = if *whatever_failed { "always" } else { "unless-failed" };
        format!("{class}\t{}\t{when}\n", method.as_deref().unwrap_or_default())
    }
}

/// Tests that one JVM runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) framework: Framework,
    pub(super) wanted: Vec<Wanted>,
}

impl TestOrder {
    /// Those that failed first, then the quickest.
    pub fn learnt(results: &[TestResult]) -> Self {
        let mut order = Self::default();
        for result in results {
            if matches!(result.status, TestStatus::Failed(_)) && !order.first.contains(&result.test)
            {
                order.first.push(result.test.clone());
            }
            *order.millis.entry(class_of(&result.test).to_owned()).or_default() += result.millis;
        }
        order
    }

    /// The same order, ending at the first test that fails.
    #[must_use]
    pub fn failing_fast(self) -> Self {
        Self { fail_fast: true, ..self }
    }

    /// The same order, with the classes that come upon what a variant changes before the others.
    #[must_use]
    pub fn covering(self, coverage: Coverage) -> Self {
        Self { coverage: Some(Arc::new(coverage)), ..self }
    }

    /// How many classes it knows.
    pub fn classes(&self) -> usize {
        self.millis.len()
    }

    pub(super) fn fails_fast(&self) -> bool {
        self.fail_fast
    }

    /// What all of it comes down to, for a key. What covers what may be told otherwise by the same tests another
    /// time, and makes no outcome wrong.
    pub(super) fn parts(&self) -> impl Iterator<Item = String> {
        let classes = self.millis.iter().map(|(class, millis)| format!("{class} {millis}"));
        let coverage = self.coverage.iter().map(|_| "coverage".to_owned());
        let fail_fast = self.fail_fast.then(|| "fail fast".to_owned());
        self.first.iter().cloned().chain(classes).chain(coverage).chain(fail_fast)
    }

    /// The selected tests, in this order for a variant; `files` are the main sources in its tree.
    pub(super) fn turns(
        &self,
        selections: &[Selection],
        tree: &Path,
        files: &[PathBuf],
    ) -> Vec<Turn> {
        let coverage = self.coverage.as_ref();
        let concerned = coverage.map(|coverage| coverage.concerned(tree, files));
        self.turns_with(selections, &concerned.unwrap_or_default())
    }

    fn turns_with(&self, selections: &[Selection], concerned: &BTreeSet<String>) -> Vec<Turn> {
        let mut first: Vec<_> =
            self.first.iter().filter_map(|one| self.one(one, selections)).collect();
        first.sort_by_key(|(framework, _)| *framework);
        let mut rest: Vec<_> = selections.iter().flat_map(|one| self.of_selection(one)).collect();
        rest.sort_by_key(|(framework, wanted)| {
            let is_aside = !concerned.contains(&wanted.class);
            (is_aside, *framework, self.millis.get(&wanted.class).copied())
        });
        let mut turns: Vec<Turn> = Vec::new();
        let mut known = Vec::new();
        for (framework, wanted) in first.into_iter().chain(rest) {
            if known.contains(&wanted) {
                continue;
            }
            known.push(wanted.clone());
            match turns.last_mut().filter(|turn| turn.framework == framework) {
                Some(turn) => turn.wanted.push(wanted),
                None => turns.push(Turn { framework, wanted: vec![wanted] }),
            }
        }
        turns
    }

    fn of_selection(&self, selection: &Selection) -> impl Iterator<Item = (Framework, Wanted)> {
        let wanted = |class: &str| Wanted {
            class: class.to_owned(),
            method: selection.method.clone(),
            whatever_failed: !self.fail_fast,
        };
        selection.classes.iter().map(move |class| (class.framework, wanted(&class.name)))
    }

    /// What runs one test; the whole class where it cannot be run alone.
    fn one(&self, test: &str, selections: &[Selection]) -> Option<(Framework, Wanted)> {
        selections.iter().flat_map(|one| self.of_selection(one)).find_map(|(framework, wanted)| {
            let rest = test.strip_prefix(wanted.class.as_str())?;
            match rest.strip_prefix('#') {
                Some(name) if framework != Framework::Main => {
                    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                    let method = name.split(|c| !is_part(c)).next().map(str::to_owned);
                    Some((framework, Wanted { method, ..wanted }))
                }
                _ if rest.is_empty() || rest.starts_with(['#', '$']) => Some((framework, wanted)),
                _ => None,
            }
        })
    }
}

/// The outermost class of a test.
fn class_of(test: &str) -> &str {
    test.split(['#', '$', '[']).next().unwrap_or(test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::TestClass;
    use crate::model::Failure;

    fn selection(classes: &[(&str, Framework)]) -> Selection {
        let class = |(name, framework): &(&str, Framework)| TestClass {
            name: (*name).to_owned(),
            source: "T.java".into(),
            framework: *framework,
        };
        Selection { classes: classes.iter().map(class).collect(), method: None }
    }

    fn result(test: &str, millis: u64, fails: bool) -> TestResult {
        let failure = Failure { exception: "E".into(), message: None, frames: Vec::new() };
        let status = if fails { TestStatus::Failed(failure) } else { TestStatus::Passed };
        TestResult { test: test.to_owned(), status, millis }
    }

    /// Framework by framework, what is run.
    fn told(turns: &[Turn]) -> Vec<(Framework, Vec<String>)> {
        let word = |one: &Wanted| {
            let method = one.method.as_ref().map_or(String::new(), |method| format!("#{method}"));
            format!("{}{method}", one.class)
        };
        turns.iter().map(|turn| (turn.framework, turn.wanted.iter().map(word).collect())).collect()
    }

    #[test]
    fn by_default_frameworks_follow_each_other_and_each_class_is_run_once() {
        let classes = [("a.B", Framework::JUnit4), ("a.A", Framework::JUnitPlatform)];
        let both = [selection(&classes), selection(&[("a.B", Framework::JUnit4)])];
        assert_eq!(
            told(&TestOrder::default().turns_with(&both, &BTreeSet::new())),
            [
                (Framework::JUnitPlatform, vec!["a.A".to_owned()]),
                (Framework::JUnit4, vec!["a.B".to_owned()])
            ]
        );
    }

    #[test]
    fn what_failed_comes_first_and_then_what_is_quick() {
        let junit = Framework::JUnit4;
        let all = [selection(&[("a.Slow", junit), ("a.Quick", junit), ("a.Broken", junit)])];
        let results = [
            result("a.Slow#m", 90, false),
            result("a.Quick#m", 1, false),
            result("a.Broken#m[2: x]", 5, true),
            result("a.Broken#m[3: x]", 0, true),
        ];
        let order = TestOrder::learnt(&results).failing_fast();
        let turns = order.turns_with(&all, &BTreeSet::new());
        let wanted = ["a.Broken#m", "a.Quick", "a.Broken", "a.Slow"].map(str::to_owned).to_vec();
        assert_eq!(told(&turns), [(junit, wanted)]);
        assert!(turns[0].wanted.iter().all(|one| !one.whatever_failed));
        let concerned = BTreeSet::from(["a.Slow".to_owned()]);
        let wanted = ["a.Broken#m", "a.Slow", "a.Quick", "a.Broken"].map(str::to_owned).to_vec();
        assert_eq!(told(&order.turns_with(&all, &concerned)), [(junit, wanted)]);
    }

    #[test]
    fn a_test_that_cannot_be_named_alone_is_run_with_its_class() {
        let classes = [("a.Outer", Framework::JUnitPlatform), ("a.Tool", Framework::Main)];
        let results = [
            result("a.Tool#main", 1, true),
            result("a.Outer$Inner#m", 1, true),
            result("b.Else#m", 1, true),
        ];
        let turns =
            TestOrder::learnt(&results).turns_with(&[selection(&classes)], &BTreeSet::new());
        assert_eq!(
            told(&turns),
            [
                (Framework::JUnitPlatform, vec!["a.Outer".to_owned()]),
                (Framework::Main, vec!["a.Tool".to_owned()])
            ]
        );
    }
}
