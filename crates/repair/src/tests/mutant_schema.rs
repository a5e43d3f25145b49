//! Mutant schemata of generated candidates, compiled.

use super::*;
use crate::candidates::mutant_schema::MutantSchema;
use crate::tests::postconditions::{compile_errors, with_code};

const ROUTINES: &str = "package p;\n\nimport java.util.*;\n\nclass A {\n    final int[] all;\n\n    \
     A(int size) {\n        all = new int[size];\n    }\n\n    \
     static int sum(int[] values, int from) {\n        int sum = 0;\n        \
     for (int i = from; i < values.length; i++) {\n            sum += values[i];\n        }\n        return sum;\n    }\n\n    \
     @Deprecated\n    <S extends Comparable<S>> S largest(List<? extends S> of) throws Exception {\n        \
     S best = of.get(0);\n        for (S one : of) {\n            if (one.compareTo(best) > 0) {\n                \
     best = one;\n            }\n        }\n        return best;\n    }\n\n    \
     synchronized void clear(int... at) {\n        for (int one : at) {\n            all[one] = 0;\n        }\n    }\n\n    \
     Runnable later(String name) {\n        return new Runnable() {\n            public void run() {\n                \
     if (name.length() > 1) {\n                    clear(1);\n                }\n            }\n        };\n    }\n\n    \
     interface Doubling {\n        default int twice(int number) {\n            int result = number * 2;\n            \
     return result;\n        }\n    }\n}\n";

/// Calls an action with the candidates for a file in which every statement is suspicious.
fn with_candidates<T>(
    text: &str,
    action: impl Fn(&mut AttributionServer, &[(RepoPath, Code<'_>)], &[LocatedCandidate]) -> T,
) -> T {
    with_code(text, |server, main| {
        let candidates = generate_candidates(
            repair_input(main),
            &Contracts::from_files(main),
            &all_statements(main),
            &RecordedValues::default(),
            &Diagnosis::default(),
        );
        action(server, main, &candidates)
    })
}

/// Removes candidates from a schema until it compiles. Returns the others, and the removed ones.
fn divide_by_compiler(
    server: &mut AttributionServer,
    main: &[(RepoPath, Code<'_>)],
    mut candidates: Vec<(usize, &LocatedCandidate)>,
) -> (Vec<usize>, BTreeSet<usize>) {
    let mut removed = BTreeSet::new();
    loop {
        let schema = MutantSchema::from_candidates(main, candidates.iter().copied());
        let errors = compile_errors(server, &schema.files);
        if errors.is_empty() {
            return (schema.candidates(), removed);
        }
        let rejected = schema.rejected(&errors).unwrap_or_else(|| {
            panic!("an error is in no candidate: {errors:?}\n{}", schema.files[&main[0].0])
        });
        candidates.retain(|(number, _)| !rejected.contains_key(number));
        removed.extend(rejected.into_keys());
    }
}

#[test]
fn schema_rejects_what_does_not_compile_alone() {
    with_candidates(ROUTINES, |server, main, candidates| {
        let sample: Vec<_> = candidates.iter().enumerate().step_by(7).collect();
        assert!(sample.len() > 60, "{}", sample.len());
        let (accepted, removed) = divide_by_compiler(server, main, sample.clone());
        assert!(accepted.len() > 40 && !removed.is_empty(), "{accepted:?} {removed:?}");
        let (path, code) = &main[0];
        for (number, candidate) in sample {
            let text = apply_edits(code.text, candidate.edits()).unwrap();
            let errors = compile_errors(server, &[(path.clone(), text)].into());
            if removed.contains(&number) {
                assert_ne!(errors, [], "{candidate:?}");
            } else if accepted.contains(&number) {
                assert_eq!(errors, [], "{candidate:?}");
            }
        }
    });
}

#[test]
fn every_kind_of_method_has_candidates_and_calls_them() {
    with_candidates(ROUTINES, |_, main, candidates| {
        let schema = MutantSchema::from_candidates(main, candidates.iter().enumerate());
        let text = &schema.files[&main[0].0];
        for part in [
            "private static int gitMend",
            "private <S extends Comparable<S>> S gitMend",
            "private void gitMend",
            "private Runnable gitMend",
            "default int gitMend",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(text.matches("switch (GitMendSchema0.SELECTED) {").count(), 6, "{text}");
        // The original loops, and those of copies whose candidates do not replace the whole loop.
        assert!(text.matches("{ GitMendSchema0.step();").count() > 20, "{text}");
    });
}

#[test]
fn candidates_outside_methods_do_not_fit() {
    let text = "package p;\n\nclass A {\n    int size = 1;\n\n    A(int more) {\n        size += more;\n    }\n\n    \
                int twice() {\n        return size * 2;\n    }\n}\n";
    with_candidates(text, |_, main, candidates| {
        let schema = MutantSchema::from_candidates(main, candidates.iter().enumerate());
        let fitting: Vec<u32> =
            schema.candidates().iter().map(|number| candidates[*number].line).collect();
        assert!(!fitting.is_empty() && fitting.iter().all(|line| *line == 11), "{fitting:?}");
        assert!(candidates.iter().any(|one| one.line == 7) && candidates.len() > fitting.len());
    });
}

#[test]
fn error_outside_of_candidates_is_not_theirs() {
    with_candidates(ROUTINES, |_, main, candidates| {
        let schema = MutantSchema::from_candidates(main, candidates.iter().enumerate());
        let error_at = |part: &str| CompileError {
            path: main[0].0.clone(),
            line: 1,
            byte: schema.files[&main[0].0].find(part).unwrap(),
            code: String::new(),
            message: String::new(),
        };
        for part in ["package", "switch (GitMend", "private static int gitMend", "final class Git"]
        {
            assert!(schema.rejected(&[error_at(part)]).is_none(), "{part}");
        }
    });
}
