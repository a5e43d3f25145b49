//! Patches of an external generator: their place, and the same signs of overfitting as for our own candidates.

use super::*;
use std::collections::HashMap;

/// Converts edits to edits of whole lines, as in a patch.
fn to_line_edits(text: &str, edits: &[Edit]) -> Vec<Edit> {
    let mut lines: Vec<(std::ops::Range<usize>, Vec<Edit>)> = Vec::new();
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|edit| edit.bytes);
    for edit in sorted {
        let (from, to) = edit.bytes;
        let start = text[..from].rfind('\n').map_or(0, |at| at + 1);
        let is_whole = from < to && text[..to].ends_with('\n');
        let rest = text[to..].find('\n').map_or(text.len(), |at| to + at + 1);
        let end = if is_whole { to } else { rest };
        match lines.last_mut() {
            Some((known, all)) if start < known.end => {
                known.end = known.end.max(end);
                all.push(edit);
            }
            _ => lines.push((start..end, vec![edit])),
        }
    }
    let to_line_edit = |(lines, edits): (std::ops::Range<usize>, Vec<Edit>)| {
        let relative = edits.into_iter().map(|Edit { bytes: (from, to), text }| Edit {
            bytes: (from - lines.start, to - lines.start),
            text,
        });
        let new_text = apply_edits(&text[lines.clone()], &relative.collect::<Vec<_>>());
        Edit::replace(lines, new_text.unwrap())
    };
    lines.into_iter().map(to_line_edit).collect()
}

/// Runs a check with the locator of patches for a file in which every statement is suspicious.
fn with_locator(
    text: &str,
    failure: &Failure,
    check: impl FnOnce(&dyn Fn(&[Edit]) -> LocatedPatch),
) {
    let facts = shared_server().analyse(&source_set(&[(PATH, text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let main = [(path.clone(), code)];
    let (contracts, diagnosis) =
        (Contracts::from_files(&main), Diagnosis::from_failures([failure], &[]));
    let locator = PatchLocator::new(&main, &contracts, &all_statements(&main), &diagnosis);
    check(&|edits: &[Edit]| {
        let edits = to_line_edits(text, edits);
        let file = PatchedFile { path: path.clone(), old_text: text.to_owned(), edits };
        let patch = ExternalPatch { files: vec![file], description: "why".to_owned(), score: 1.0 };
        locator.locate(patch).unwrap()
    });
}

fn failure_at(exception: &str, text: &str, statement: &str) -> Failure {
    let line = text[..text.find(statement).unwrap()].matches('\n').count() + 1;
    let frame = Frame {
        class: "p.A".to_owned(),
        method: "f".to_owned(),
        file: Some("A.java".to_owned()),
        line: u32::try_from(line).ok(),
    };
    Failure { exception: exception.to_owned(), message: None, frames: vec![frame] }
}

#[test]
fn patches_are_classified_like_our_own_candidates() {
    let text = class_with_method(
        "int f(int n, String s) {\n        if (n < 0) {\n            throw new IllegalArgumentException(\"n\");\n        }\n        \
         drop();\n        if (n > size) {\n            throw new IllegalStateException();\n        }\n        \
         if (s == null) {\n            return -1;\n        }\n        int k = add(n);\n        return k + s.length();\n    }\n\n    \
         void put(String s) {\n        names.add(s);\n        size++;\n    }\n\n    \
         boolean offer(String s) {\n        names.add(s);\n        return true;\n    }",
    );
    for failure in [
        failure_at("java.lang.IllegalStateException", &text, "throw new IllegalStateException"),
        failure_at("java.lang.AssertionError", &text, "names.add"),
        failure_at("java.lang.NullPointerException", &text, "return k + s"),
    ] {
        let own = candidates_for_failure(&mut shared_server(), &text, &failure);
        // Several candidates may make the same change, by an edit of one statement or of the next.
        let mut kinds: HashMap<String, Vec<Option<OverfittingKind>>> = HashMap::new();
        for (candidate, new_text) in &own {
            kinds.entry(without_space(new_text)).or_default().push(candidate.overfitting);
        }
        let mut stricter_count = 0;
        with_locator(&text, &failure, |locate| {
            // Every fourth one, to save time.
            let changes = own.iter().filter(|(_, new_text)| *new_text != text);
            for (candidate, new_text) in changes.step_by(4) {
                let located = locate(candidate.edits());
                // Some checks are for one edit of a method only.
                let is_single = candidate.edits().len() == 1 && candidate.method.is_some();
                assert!(located.is_classified || !is_single, "{candidate:?}");
                let kind = located.candidate.overfitting;
                let own_kinds = &kinds[&without_space(new_text)];
                stricter_count += usize::from(!own_kinds.contains(&kind));
                // A patch is checked at all statements that it touches, so it may have more signs, but not fewer.
                assert!(own_kinds.contains(&kind) || kind.is_some(), "{candidate:?}");
            }
        });
        assert!(stricter_count * 32 < own.len(), "{stricter_count} of {}", own.len());
    }
}

#[test]
fn overfitting_of_patches_is_found_in_their_own_style() {
    let text = class_with_method(
        "int price(int a, int b) {\n        int sum = a + b;\n        return sum * 2;\n    }\n\n    \
         boolean offer(String s) {\n        names.add(s);\n        size++;\n        return true;\n    }",
    );
    let failure = failure_at("java.lang.AssertionError", &text, "return sum");
    with_locator(&text, &failure, |locate| {
        let kind = |old: &str, new: &str| {
            let start = text.find(old).unwrap();
            let located = locate(&[Edit::replace(start..start + old.len(), new)]);
            (located.candidate.overfitting, located.candidate.change.score < 1.0)
        };
        for (old, new, expected) in [
            // The whole body is replaced.
            (
                "int sum = a + b;\n        return sum * 2;",
                "// fixed\n        if(a > 3) {\n            return 30;\n        }\n        return 30;",
                (Some(OverfittingKind::ConstantResult), true),
            ),
            (
                "        names.add(s);\n        size++;\n",
                "",
                (Some(OverfittingKind::SkipsWork), true),
            ),
            (
                "        names.add(s);\n",
                "        if(s == null)\n            return true;\n        names.add(s);\n",
                (Some(OverfittingKind::SkipsWork), true),
            ),
            ("        return sum * 2;\n", "\n", (Some(OverfittingKind::RemovesFailure), false)),
            ("return sum * 2;", "return 2 * sum + 1;", (None, false)),
            ("return sum * 2;", "return  sum*2 ; // the same", (None, false)),
        ] {
            assert_eq!(kind(old, new), expected, "{old} {new}");
        }
    });
}

#[test]
fn patch_belongs_to_the_innermost_statement_and_method() {
    let text = class_with_method(
        "void f(int n) {\n        if (n > 0) {\n            drop();\n        }\n    }",
    );
    let failure = failure_at("java.lang.AssertionError", &text, "size--");
    with_locator(&text, &failure, |locate| {
        let locate = |old: &str| {
            let start = text.find(old).unwrap();
            let located = locate(&[Edit::replace(start..start + old.len(), "x();")]);
            let line = text.lines().nth(located.candidate.line as usize - 1).unwrap().trim();
            let is_placed = located.candidate.statement.is_some();
            (line.to_owned(), is_placed, located.candidate.method.is_some(), located.is_classified)
        };
        assert_eq!(locate("drop();\n"), ("drop();".to_owned(), true, true, true));
        assert_eq!(locate("int size;"), ("int size;".to_owned(), false, false, false));
    });
}

#[test]
fn changes_that_the_checks_cannot_judge_are_not_classified() {
    let text = class_with_method(
        "void f(int n) {\n        drop();\n        if (n > 0) {\n            drop();\n        }\n    }\n\n    \
         void put(String s) {\n        names.add(s);\n        size++;\n    }",
    );
    let failure = failure_at("java.lang.AssertionError", &text, "names.add");
    with_locator(&text, &failure, |locate| {
        let is_classified = |changes: &[(&str, &str)]| {
            let edit = |(old, new): &(&str, &str)| {
                let start = text.find(old).unwrap();
                Edit::replace(start..start + old.len(), *new)
            };
            locate(&changes.iter().map(edit).collect::<Vec<_>>()).is_classified
        };
        assert!(is_classified(&[("n > 0", "n > 1")]));
        assert!(is_classified(&[("n > 0", "n > 1"), ("size++;", "size += 2;")]));
        assert!(is_classified(&[("        size++;\n", "")]));
        for changes in [
            // A comment.
            &[("        size++;\n", "        size++; // counted\n")][..],
            // A field, a new method, a header, and several methods.
            &[("int size;", "int size = 1;")],
            &[("    void f(int n)", "    void g() {\n    }\n\n    void f(int n)")],
            &[("void f(int n)", "void f(long n)")],
            &[("void f(int n) {\n        drop();", "void f(long n) {\n        add(1);")],
            &[("}\n\n    void put(String s)", "}\n\n    void put(Object s)")],
            // Several edits of a method.
            &[
                ("names.add(s);", "if (s == null) {\n            names.add(s);"),
                ("size++;", "size++;\n        }"),
            ],
            // A statement is removed, and something unrelated is inserted.
            &[
                ("        names.add(s);\n", ""),
                ("        if (n > 0)", "        add(1);\n        if (n > 0)"),
            ],
        ] {
            assert!(!is_classified(changes), "{changes:?}");
        }
    });
}
