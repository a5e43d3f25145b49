//! Runtime checks of postconditions, inserted into a copy of the sources.

use super::recording::Recording;
use crate::contracts::Contracts;
use crate::contracts::{KEPT, Postcondition};
use crate::localisation::postcondition_violations::{
    PostconditionViolation, PostconditionViolations,
};
use crate::observe::call_instrumentation::{
    CallInstrumentation, InstrumentationForm, InstrumentedFiles, is_at,
};
use crate::test_results::has_failed;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{CompileError, NodeIndex, NodeKind};
use mend_model::{RepoPath, TestResult};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Source of the recorder that the checks call; it is copied next to the sources.
const RECORDER: &str =
    include_str!("../../../../java/src/main/java/gitmend/probe/PostconditionRecorder.java");

/// Path of the recorder below a source folder.
const RECORDER_PATH: &str = "gitmend/probe/PostconditionRecorder.java";

/// Prefix of the variables with saved values. The number of the postcondition and the number of the value follow.
const BEFORE: &str = "beforeByGitMend";

/// Factor for the suspicion of a routine whose postcondition fails only after one of another routine failed in the same
/// test.
const LATER: f64 = 0.7;

/// A routine that promises something.
#[derive(Clone, Debug)]
struct CheckedRoutine {
    /// The number of its file, and its declaration.
    place: (usize, NodeIndex),
    name: String,
    /// Instrumentation form of the routine.
    form: InstrumentationForm,
    /// Preconditions of the routine, which are checked first.
    demands: Vec<String>,
    /// Each with its number.
    assurances: Vec<(usize, Postcondition)>,
}

/// All that promise something, and the texts of their files.
#[derive(Clone, Debug, Default)]
pub struct PostconditionChecks {
    routines: Vec<CheckedRoutine>,
    files: BTreeMap<RepoPath, (usize, String)>,
}

/// Violated postconditions: numbers in order of occurrence, by test name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostconditionFailures(BTreeMap<String, Vec<usize>>);

impl PostconditionChecks {
    /// Reads the postconditions of the routines in all files.
    pub fn from_files(main: &[(RepoPath, Code<'_>)], contracts: &Contracts) -> Self {
        let (mut assured, mut count) = (Self::default(), 0);
        for (file, (path, code)) in main.iter().enumerate() {
            for method in code.nodes_of_kind(NodeKind::Method) {
                let (demands, mut assurances) = contracts.of_method(code, method);
                let inner = format!("insideOfGitMend{count}");
                let Some(form) = InstrumentationForm::from_routine(code, method, &inner) else {
                    continue;
                };
                if matches!(form, InstrumentationForm::EntryAndExit { .. }) {
                    // What was before there was an object is nothing.
                    assurances.retain(|one| one.kept.is_empty());
                }
                let name = code.symbol(method).map_or("", |symbol| code.facts.text(symbol.name));
                let assurances: Vec<_> = (count..).zip(assurances).collect();
                count += assurances.len();
                if !assurances.is_empty() {
                    let name = name.to_owned();
                    let place = (file, method);
                    assured.routines.push(CheckedRoutine {
                        place,
                        name,
                        form,
                        demands,
                        assurances,
                    });
                    assured.files.insert(path.clone(), (file, code.text.to_owned()));
                }
            }
        }
        assured
    }

    /// Returns true if there are no postconditions.
    pub fn is_empty(&self) -> bool {
        self.routines.is_empty()
    }

    /// Returns the files with checks.
    pub fn wrapped(&self) -> InstrumentedFiles {
        let mut wrapped = InstrumentedFiles::default();
        for (path, (file, text)) in &self.files {
            wrapped.add(path, text, self.edits(*file));
        }
        wrapped
    }

    /// Returns the recorder for the checks, based on the source `recorder`; `None` if there are no postconditions.
    pub fn recorder(
        &self,
        recorder: &str,
        recording: &Recording<'_>,
    ) -> Option<(RepoPath, String)> {
        let text =
            RECORDER.replace("Probe.recordViolation", &format!("{recorder}.recordViolation"));
        (!self.is_empty()).then(|| recording.file(RECORDER_PATH, &text))
    }

    /// Returns the checks of one file.
    fn edits(&self, file: usize) -> Vec<Edit> {
        let own = self.routines.iter().filter(|routine| routine.place.0 == file);
        own.flat_map(CheckedRoutine::edits).collect()
    }

    /// Removes the checks that the compiler rejected: the postcondition at the error, otherwise all of the routine,
    /// otherwise all of the file. Returns true if any were removed.
    pub fn without_refused(&mut self, refusals: &[CompileError]) -> bool {
        let (files, mut refused) = (self.wrapped().files(&[]), BTreeSet::new());
        for refusal in refusals {
            let Some(whole) = files.get(&refusal.path) else { continue };
            let Some((file, _)) = self.files.get(&refusal.path) else { continue };
            let own: Vec<&CheckedRoutine> =
                self.routines.iter().filter(|one| one.place.0 == *file).collect();
            let is_at = |text: &str| is_at(whole, text, refusal.byte);
            let all = own.iter().flat_map(|one| &one.assurances);
            let at = all.filter(|(number, one)| {
                is_at(&save_values(*number, one)) || is_at(&question(*number, one))
            });
            let mut numbers: Vec<usize> = at.map(|(number, _)| *number).collect();
            if numbers.is_empty() {
                let is_around =
                    |one: &&&CheckedRoutine| one.edits().iter().any(|edit| is_at(&edit.text));
                let around = own.iter().filter(is_around);
                numbers.extend(around.flat_map(|one| one.numbers()));
            }
            if numbers.is_empty() {
                numbers.extend(own.iter().flat_map(|one| one.numbers()));
            }
            refused.extend(numbers);
        }
        self.leave_out(&refused);
        !refused.is_empty()
    }

    /// Removes all postconditions that passing tests violate: they demand too much.
    pub fn without_broken_by_passing(
        &mut self,
        unkept: &PostconditionFailures,
        results: &[TestResult],
    ) {
        let passed = unkept.0.iter().filter(|(test, _)| has_failed(test, results) == Some(false));
        let broken = passed.flat_map(|(_, numbers)| numbers.iter().copied()).collect();
        self.leave_out(&broken);
    }

    fn leave_out(&mut self, numbers: &BTreeSet<usize>) {
        for routine in &mut self.routines {
            routine.assurances.retain(|(number, _)| !numbers.contains(number));
        }
        self.routines.retain(|routine| !routine.assurances.is_empty());
    }

    /// Returns the text of a violated postcondition, for people.
    pub fn describe(&self, number: usize) -> Option<String> {
        self.routines.iter().find_map(|routine| {
            let (_, one) = routine.assurances.iter().find(|(known, _)| *known == number)?;
            Some(format!("`{}` of `{}`", one.said, routine.name))
        })
    }

    /// Returns the postconditions that failing tests violated, each with a weight. The weight grows with the share of
    /// failing tests that violated it. It falls if another routine's postcondition was violated earlier, as one
    /// violation can cause the next.
    pub fn breaches(
        &self,
        unkept: &PostconditionFailures,
        results: &[TestResult],
    ) -> PostconditionViolations {
        let failing = results.iter().filter(|one| one.failure().is_some()).count();
        let of_failing =
            unkept.0.iter().filter(|(test, _)| has_failed(test, results) == Some(true));
        let seen: Vec<&Vec<usize>> = of_failing.map(|(_, numbers)| numbers).collect();
        let weight = |routine: &CheckedRoutine, number: usize| {
            let broken: Vec<_> = seen.iter().filter(|numbers| numbers.contains(&number)).collect();
            let is_own = |first: &usize| routine.numbers().any(|own| own == *first);
            let is_first = broken.iter().any(|numbers| numbers.first().is_some_and(is_own));
            let share = if is_first { 1.0 } else { LATER };
            (!broken.is_empty()).then(|| share * part(broken.len(), failing).sqrt())
        };
        let all = self.routines.iter().flat_map(|routine| {
            routine.assurances.iter().filter_map(move |(number, assurance)| {
                let (place, assurance) = (routine.place, assurance.clone());
                Some(PostconditionViolation { place, assurance, weight: weight(routine, *number)? })
            })
        });
        PostconditionViolations(all.collect())
    }
}

/// Returns a count as a share of the total.
fn part(some: usize, all: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(some) / number(all.max(some).max(1))
}

impl PostconditionFailures {
    /// Reads the recorder's output; invalid lines are ignored.
    pub fn read(text: &str) -> Self {
        let (mut all, mut waiting) = (BTreeMap::<String, Vec<usize>>::new(), Vec::new());
        let mut name: Option<String> = None;
        for line in text.lines() {
            match line.split_at_checked(2) {
                Some(("T ", test)) => {
                    all.entry(test.to_owned()).or_default().append(&mut waiting);
                    name = Some(test.to_owned());
                }
                Some(("P ", number)) => {
                    let of_test = name.as_ref().and_then(|name| all.get_mut(name));
                    of_test.unwrap_or(&mut waiting).extend(number.parse::<usize>());
                }
                _ => {
                    name = None;
                    waiting.clear();
                }
            }
        }
        Self(all)
    }
}

impl CheckedRoutine {
    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.assurances.iter().map(|(number, _)| *number)
    }

    /// Returns the edits that insert the checks.
    fn edits(&self) -> Vec<Edit> {
        let questions: String =
            self.assurances.iter().map(|(number, one)| question(*number, one)).collect();
        let demands = self.demands.iter().map(|one| format!("({one})")).collect::<Vec<_>>();
        let met = if demands.is_empty() { "true".to_owned() } else { demands.join(" && ") };
        let met =
            format!("try {{ isMetByGitMend = {met}; }} catch (Throwable thrownByGitMend) {{ }} ");
        let is_met = "boolean isMetByGitMend = false; ";
        let at_end = format!("if (isMetByGitMend) {{ {questions}}} ");
        if matches!(self.form, InstrumentationForm::EntryAndExit { .. }) {
            let then = asking(&format!("{is_met}{met}{at_end}"));
            return self.form.edits(&CallInstrumentation { first: "", then: &then, last: "" });
        }
        let mut first = is_met.to_owned();
        for (number, one) in &self.assurances {
            for at in 0..one.kept.len() {
                let _ = write!(first, "Object {BEFORE}{number}_{at} = null; ");
            }
        }
        let kept: String =
            self.assurances.iter().map(|(number, one)| save_values(*number, one)).collect();
        first.push_str(&asking(&format!("{met}{kept}")));
        self.form.edits(&CallInstrumentation { first: &first, then: &asking(&at_end), last: "" })
    }
}

/// Wraps a check so that it does not run within another check.
fn asking(text: &str) -> String {
    format!(
        "if (gitmend.probe.PostconditionRecorder.beginEvaluation()) {{ try {{ {text}}} finally {{ gitmend.probe.PostconditionRecorder.endEvaluation(); }} }} "
    )
}

/// Keeps what a promise will be asked about where its routine begins.
fn save_values(number: usize, assurance: &Postcondition) -> String {
    let keep = |(at, kept): (usize, &String)| {
        let name = format!("{BEFORE}{number}_{at}");
        format!(
            "try {{ {name} = (Object) ({kept}); }} \
             catch (Throwable thrownByGitMend) {{ {name} = gitmend.probe.PostconditionRecorder.THROWN; }} "
        )
    };
    assurance.kept.iter().enumerate().map(keep).collect()
}

/// Asks whether a promise is kept. What throws does not keep it, unless it is about what could not be kept.
fn question(number: usize, assurance: &Postcondition) -> String {
    let (mut condition, mut is_known) = (assurance.condition.clone(), String::new());
    for (at, kept) in assurance.kept.iter().enumerate().rev() {
        let name = format!("{BEFORE}{number}_{at}");
        // Nothing is asked here again; it only says of which type that is.
        let typed = format!(
            "gitmend.probe.PostconditionRecorder.castSaved({name}, false ? ({kept}) : null)"
        );
        condition = condition.replace(&format!("{KEPT}{at}"), &typed);
        let _ = write!(is_known, "{name} != gitmend.probe.PostconditionRecorder.THROWN && ");
    }
    format!(
        "try {{ if ({is_known}!({condition})) {{ gitmend.probe.PostconditionRecorder.recordViolation({number}); }} }} \
         catch (Throwable thrownByGitMend) {{ gitmend.probe.PostconditionRecorder.recordViolation({number}); }} "
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_before_a_test_has_its_name_belongs_to_it() {
        let unkept = PostconditionFailures::read("B\nP 4\nT a.B#c\nP 2\nB\nT a.B#d\nP 2\nP x\n");
        let of = |test: &str| unkept.0[test].clone();
        assert_eq!((of("a.B#c"), of("a.B#d")), (vec![4, 2], vec![2]));
    }
}
