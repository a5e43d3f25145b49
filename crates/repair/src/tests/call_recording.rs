//! Recording of calls of the routines that candidates change.

use super::*;
use crate::observe::call_recording::CallRecording;
use crate::tests::postconditions::{ALL_ROUTINE_KINDS, compile_errors, with_code};
use std::path::Path;

/// Returns an edit that replaces the only occurrence of a text.
fn replace_once(text: &str, old: &str, new: &str) -> Edit {
    Edit::replace(text.find(old).map(|at| at..at + old.len()).unwrap(), new)
}

#[test]
fn call_recording_compiles_with_postcondition_checks() {
    let text = ALL_ROUTINE_KINDS
        .replace(" one = null;", "")
        .replace("A(T one) { throw new Ill", "A(T one) { if (size == 0) throw new Ill");
    with_code(&text, |server, main| {
        let (root, output) = (RepoPath::from(""), Path::new("/nowhere"));
        let recording = Recording { source_root: &root, output };
        let calls = CallRecording::from_files(main);
        let assured = PostconditionChecks::from_files(main, &Contracts::from_files(main));
        let mut files = assured.instrumented_files().merge(calls.instrumented_files()).files(&[]);
        let recorders = GeneratedTests::from_tests(&[], &[], &root).files_with_recorder(output);
        files.extend(recorders);
        files.extend(assured.recorder_file("Trace", &recording));
        files.extend(calls.recorder_file(&recording));
        let whole = &files[&main[0].0];
        assert_eq!(compile_errors(server, &files), [], "{whole}");
        for (part, times) in [
            ("private static String calledByGitMend", 1),
            ("private <S extends T> List<? super S> calledByGitMend", 1),
            ("new Object[] { this, at, more, resultOfGitMend }", 1),
            ("new Object[] { this, size }", 1),
            ("A() { this(0); String stateByGitMend", 1),
        ] {
            assert_eq!(whole.matches(part).count(), times, "{part}\n{whole}");
        }
    });
}

#[test]
fn only_changed_compilable_routines_are_recorded() {
    let text = "package p;\n\nclass A {\n    A(int a) { throw new Error(); }\n    int f() { return 1; }\n    \
                int g() { return 2; }\n    int h() { return 3; }\n}\n";
    with_code(text, |server, main| {
        let mut calls = CallRecording::from_files(main);
        let edits = [
            replace_once(text, "1", "4"),
            replace_once(text, "3", "4"),
            replace_once(text, "Error", "Exception"),
        ];
        calls.retain_changed(&[(&main[0].0, &edits[..])]);
        let root = RepoPath::from("");
        let recording = Recording { source_root: &root, output: Path::new("/nowhere") };
        let files = |calls: &CallRecording| {
            let mut files =
                GeneratedTests::from_tests(&[], &[], &root).files_with_recorder(recording.output);
            files.extend(calls.recorder_file(&recording));
            files.extend(calls.instrumented_files().files(&[]));
            files
        };
        let written = |calls: &CallRecording| -> Vec<bool> {
            let whole = &files(calls)[&main[0].0];
            let is_there = |(number, name): (usize, &str)| {
                whole.contains(&format!("CallRecorder.captureState({number}, "))
                    && whole.contains(name)
            };
            (0..).zip(["A(", " f(", " g(", " h("]).map(is_there).collect()
        };
        assert_eq!(written(&calls), [true, true, false, true]);
        let refusals = compile_errors(server, &files(&calls));
        assert!(calls.remove_rejected(&refusals, &files(&calls)));
        assert_eq!(written(&calls), [false, true, false, true]);
        assert_eq!(compile_errors(server, &files(&calls)), []);
    });
}
