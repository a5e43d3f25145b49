//! Runtime checks of postconditions, inserted into a copy of the sources.

use super::instrumentation_io::Recording;
use crate::contracts::Contracts;
use crate::contracts::{Postcondition, SAVED_VALUE_PREFIX};
use crate::localisation::postcondition_violations::{
    PostconditionViolation, PostconditionViolations,
};
use crate::observe::call_instrumentation::{
    CallInstrumentation, InstrumentationForm, InstrumentedFiles, is_offset_in_part,
};
use crate::test_results::has_failed;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{CompileError, FileNode, NodeKind};
use mend_model::{RepoPath, TestResult};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Source of the recorder that the checks call; it is copied next to the sources.
const RECORDER_SOURCE: &str =
    include_str!("../../../../java/src/main/java/gitmend/probe/PostconditionRecorder.java");

/// Path of the recorder below a source folder.
const RECORDER_PATH: &str = "gitmend/probe/PostconditionRecorder.java";

/// Prefix of the variables with saved values. The number of the postcondition and the number of the value follow.
const SAVED_VARIABLE_PREFIX: &str = "beforeByGitMend";

/// Factor for the suspicion of a routine whose postcondition fails only after one of another routine failed in the same
/// test.
const LATER_VIOLATION_FACTOR: f64 = 0.7;

/// A routine with postconditions to check.
#[derive(Clone, Debug)]
struct CheckedRoutine {
    /// Index of the file, and the declaration.
    location: FileNode,
    name: String,
    /// Instrumentation form of the routine.
    form: InstrumentationForm,
    /// Preconditions of the routine, which are checked first.
    preconditions: Vec<String>,
    /// Postconditions with their numbers.
    postconditions: Vec<(usize, Postcondition)>,
}

/// Checked routines, and the texts of their files.
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
        let (mut checks, mut count) = (Self::default(), 0);
        for (file, (path, code)) in main.iter().enumerate() {
            for method in code.nodes_of_kind(NodeKind::Method) {
                let (preconditions, mut postconditions) = contracts.method_contract(code, method);
                let inner = format!("insideOfGitMend{count}");
                let Some(form) = InstrumentationForm::from_routine(code, method, &inner) else {
                    continue;
                };
                if matches!(form, InstrumentationForm::EntryAndExit { .. }) {
                    // There is no object before its constructor, so there are no saved values.
                    postconditions.retain(|one| one.saved_expressions.is_empty());
                }
                let name = code.symbol(method).map_or("", |symbol| code.facts.text(symbol.name));
                let postconditions: Vec<_> = (count..).zip(postconditions).collect();
                count += postconditions.len();
                if !postconditions.is_empty() {
                    let name = name.to_owned();
                    let place = (file, method);
                    checks.routines.push(CheckedRoutine {
                        location: place,
                        name,
                        form,
                        preconditions,
                        postconditions,
                    });
                    checks.files.insert(path.clone(), (file, code.text.to_owned()));
                }
            }
        }
        checks
    }

    /// Returns true if there are no postconditions.
    pub fn is_empty(&self) -> bool {
        self.routines.is_empty()
    }

    /// Returns the files with checks.
    pub fn instrumented_files(&self) -> InstrumentedFiles {
        let mut files = InstrumentedFiles::default();
        for (path, (file, text)) in &self.files {
            files.add(path, text, self.edits(*file));
        }
        files
    }

    /// Returns the recorder for the checks, based on the source `recorder`; `None` if there are no postconditions.
    pub fn recorder_file(
        &self,
        recorder: &str,
        recording: &Recording<'_>,
    ) -> Option<(RepoPath, String)> {
        let text = RECORDER_SOURCE
            .replace("Probe.recordViolation", &format!("{recorder}.recordViolation"));
        (!self.is_empty()).then(|| recording.recorder_file(RECORDER_PATH, &text))
    }

    /// Returns the checks of one file.
    fn edits(&self, file: usize) -> Vec<Edit> {
        let own = self.routines.iter().filter(|routine| routine.location.0 == file);
        own.flat_map(CheckedRoutine::edits).collect()
    }

    /// Removes the checks that the compiler rejected: the postcondition at the error, otherwise all of the routine,
    /// otherwise all of the file. Returns true if any were removed.
    pub fn remove_rejected(&mut self, errors: &[CompileError]) -> bool {
        let (files, mut rejected) = (self.instrumented_files().files(&[]), BTreeSet::new());
        for refusal in errors {
            let Some(instrumented) = files.get(&refusal.path) else { continue };
            let Some((file, _)) = self.files.get(&refusal.path) else { continue };
            let own: Vec<&CheckedRoutine> =
                self.routines.iter().filter(|one| one.location.0 == *file).collect();
            let contains_error = |text: &str| is_offset_in_part(instrumented, text, refusal.byte);
            let all = own.iter().flat_map(|one| &one.postconditions);
            let at_error = all.filter(|(number, one)| {
                contains_error(&save_values(*number, one))
                    || contains_error(&check_code(*number, one))
            });
            let mut numbers: Vec<usize> = at_error.map(|(number, _)| *number).collect();
            if numbers.is_empty() {
                let contains_error_in_edit = |one: &&&CheckedRoutine| {
                    one.edits().iter().any(|edit| contains_error(&edit.text))
                };
                let enclosing = own.iter().filter(contains_error_in_edit);
                numbers.extend(enclosing.flat_map(|one| one.postcondition_numbers()));
            }
            if numbers.is_empty() {
                numbers.extend(own.iter().flat_map(|one| one.postcondition_numbers()));
            }
            rejected.extend(numbers);
        }
        self.remove_postconditions(&rejected);
        !rejected.is_empty()
    }

    /// Removes all postconditions that passing tests violate: they are too strong.
    pub fn remove_violated_by_passing(
        &mut self,
        failures: &PostconditionFailures,
        results: &[TestResult],
    ) {
        let passed = failures.0.iter().filter(|(test, _)| has_failed(test, results) == Some(false));
        let violated = passed.flat_map(|(_, numbers)| numbers.iter().copied()).collect();
        self.remove_postconditions(&violated);
    }

    fn remove_postconditions(&mut self, numbers: &BTreeSet<usize>) {
        for routine in &mut self.routines {
            routine.postconditions.retain(|(number, _)| !numbers.contains(number));
        }
        self.routines.retain(|routine| !routine.postconditions.is_empty());
    }

    /// Returns the text of a violated postcondition, for people.
    pub fn describe(&self, number: usize) -> Option<String> {
        self.routines.iter().find_map(|routine| {
            let (_, one) = routine.postconditions.iter().find(|(known, _)| *known == number)?;
            Some(format!("`{}` of `{}`", one.source_text, routine.name))
        })
    }

    /// Returns the postconditions that failing tests violated, each with a weight. The weight grows with the share of
    /// failing tests that violated it. It falls if another routine's postcondition was violated earlier, as one
    /// violation can cause the next.
    pub fn violations(
        &self,
        failures: &PostconditionFailures,
        results: &[TestResult],
    ) -> PostconditionViolations {
        let failing = results.iter().filter(|one| one.failure().is_some()).count();
        let of_failing =
            failures.0.iter().filter(|(test, _)| has_failed(test, results) == Some(true));
        let failing_numbers: Vec<&Vec<usize>> = of_failing.map(|(_, numbers)| numbers).collect();
        let weight = |routine: &CheckedRoutine, number: usize| {
            let violating_tests: Vec<_> =
                failing_numbers.iter().filter(|numbers| numbers.contains(&number)).collect();
            let is_own = |first: &usize| routine.postcondition_numbers().any(|own| own == *first);
            let is_first =
                violating_tests.iter().any(|numbers| numbers.first().is_some_and(is_own));
            let share = if is_first { 1.0 } else { LATER_VIOLATION_FACTOR };
            (!violating_tests.is_empty())
                .then(|| share * ratio(violating_tests.len(), failing).sqrt())
        };
        let all = self.routines.iter().flat_map(|routine| {
            routine.postconditions.iter().filter_map(move |(number, postcondition)| {
                let (place, postcondition) = (routine.location, postcondition.clone());
                Some(PostconditionViolation {
                    routine: place,
                    postcondition,
                    weight: weight(routine, *number)?,
                })
            })
        });
        PostconditionViolations(all.collect())
    }
}

/// Returns a count as a share of the total.
fn ratio(some: usize, all: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(some) / number(all.max(some).max(1))
}

impl PostconditionFailures {
    /// Reads the recorder's output; invalid lines are ignored.
    pub fn read(text: &str) -> Self {
        let (mut all, mut pending) = (BTreeMap::<String, Vec<usize>>::new(), Vec::new());
        let mut current_test: Option<String> = None;
        for line in text.lines() {
            match line.split_at_checked(2) {
                Some(("T ", test)) => {
                    all.entry(test.to_owned()).or_default().append(&mut pending);
                    current_test = Some(test.to_owned());
                }
                Some(("P ", number)) => {
                    let test_numbers =
                        current_test.as_ref().and_then(|current_test| all.get_mut(current_test));
                    test_numbers.unwrap_or(&mut pending).extend(number.parse::<usize>());
                }
                _ => {
                    current_test = None;
                    pending.clear();
                }
            }
        }
        Self(all)
    }
}

impl CheckedRoutine {
    fn postcondition_numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.postconditions.iter().map(|(number, _)| *number)
    }

    /// Returns the edits that insert the checks.
    fn edits(&self) -> Vec<Edit> {
        let checks: String =
            self.postconditions.iter().map(|(number, one)| check_code(*number, one)).collect();
        let preconditions =
            self.preconditions.iter().map(|one| format!("({one})")).collect::<Vec<_>>();
        let precondition =
            if preconditions.is_empty() { "true".to_owned() } else { preconditions.join(" && ") };
        let precondition = format!(
            "try {{ isMetByGitMend = {precondition}; }} catch (Throwable thrownByGitMend) {{ }} "
        );
        let declaration = "boolean isMetByGitMend = false; ";
        let exit_check = format!("if (isMetByGitMend) {{ {checks}}} ");
        if matches!(self.form, InstrumentationForm::EntryAndExit { .. }) {
            let on_exit =
                without_nested_checks(&format!("{declaration}{precondition}{exit_check}"));
            return self.form.edits(&CallInstrumentation {
                on_entry: "",
                on_exit: &on_exit,
                closing: "",
            });
        }
        let mut on_entry = declaration.to_owned();
        for (number, one) in &self.postconditions {
            for at in 0..one.saved_expressions.len() {
                let _ = write!(on_entry, "Object {SAVED_VARIABLE_PREFIX}{number}_{at} = null; ");
            }
        }
        let saving: String =
            self.postconditions.iter().map(|(number, one)| save_values(*number, one)).collect();
        on_entry.push_str(&without_nested_checks(&format!("{precondition}{saving}")));
        self.form.edits(&CallInstrumentation {
            on_entry: &on_entry,
            on_exit: &without_nested_checks(&exit_check),
            closing: "",
        })
    }
}

/// Wraps a check so that it does not run within another check.
fn without_nested_checks(text: &str) -> String {
    format!(
        "if (gitmend.probe.PostconditionRecorder.beginEvaluation()) {{ try {{ {text}}} finally {{ gitmend.probe.PostconditionRecorder.endEvaluation(); }} }} "
    )
}

/// Returns code that saves the values of a postcondition at entry.
fn save_values(number: usize, postcondition: &Postcondition) -> String {
    let save = |(at, kept): (usize, &String)| {
        let name = format!("{SAVED_VARIABLE_PREFIX}{number}_{at}");
        format!(
            "try {{ {name} = (Object) ({kept}); }} \
             catch (Throwable thrownByGitMend) {{ {name} = gitmend.probe.PostconditionRecorder.THROWN; }} "
        )
    };
    postcondition.saved_expressions.iter().enumerate().map(save).collect()
}

/// Returns code that checks a postcondition. An exception counts as a violation, unless saving a value threw.
fn check_code(number: usize, postcondition: &Postcondition) -> String {
    let (mut condition, mut has_saved_values) = (postcondition.condition.clone(), String::new());
    for (at, kept) in postcondition.saved_expressions.iter().enumerate().rev() {
        let name = format!("{SAVED_VARIABLE_PREFIX}{number}_{at}");
        // The expression only determines the type; it is not evaluated again.
        let typed_value = format!(
            "gitmend.probe.PostconditionRecorder.castSaved({name}, false ? ({kept}) : null)"
        );
        condition = condition.replace(&format!("{SAVED_VALUE_PREFIX}{at}"), &typed_value);
        let _ =
            write!(has_saved_values, "{name} != gitmend.probe.PostconditionRecorder.THROWN && ");
    }
    format!(
        "try {{ if ({has_saved_values}!({condition})) {{ gitmend.probe.PostconditionRecorder.recordViolation({number}); }} }} \
         catch (Throwable thrownByGitMend) {{ gitmend.probe.PostconditionRecorder.recordViolation({number}); }} "
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_before_test_name_belong_to_test() {
        let unkept = PostconditionFailures::read("B\nP 4\nT a.B#c\nP 2\nB\nT a.B#d\nP 2\nP x\n");
        let of = |test: &str| unkept.0[test].clone();
        assert_eq!((of("a.B#c"), of("a.B#d")), (vec![4, 2], vec![2]));
    }
}
