//! Code copied from other classes, and from a passing version.

use super::*;

/// Returns the candidates for the first of some files, as whole files; `good` is the passing version of that file.
fn proposed_among(files: &[(&str, &str)], good: &str) -> Vec<(Candidate, String)> {
    let mut server = server();
    let facts = server.facts(&sources(files)).unwrap();
    let before: Vec<(&str, &str)> =
        std::iter::once((files[0].0, good)).chain(files[1..].iter().copied()).collect();
    let known = server.facts(&sources(&before)).unwrap();
    let paths: Vec<RepoPath> = files.iter().map(|(path, _)| RepoPath::from(*path)).collect();
    let main: Vec<(RepoPath, Code<'_>)> = paths
        .iter()
        .zip(files)
        .map(|(path, (_, text))| (path.clone(), Code::new(&facts, path, text.as_bytes()).unwrap()))
        .collect();
    let good = [(paths[0].clone(), Code::new(&known, &paths[0], good.as_bytes()).unwrap())];
    let suspects = all_statements(&main);
    let material = RepairInput { main: &main, good: &good };
    let contracts = Contracts::from_files(&main);
    let (observed, diagnosis) = (RecordedValues::default(), Diagnosis::default());
    let found = candidates(material, &contracts, &suspects, &observed, &diagnosis);
    let whole = |one: Candidate| Some((edited(files[0].1, &one.edits)?, one));
    found.into_iter().filter_map(whole).map(|(text, one)| (one, squeezed(&text))).collect()
}

/// A class with a method that another one has as well, or had.
const QUEUE: &str = "package p;\n\nclass Queue implements Line {\n    int size;\n    int[] items = new int[4];\n\n    \
                     public void put(int item) {\n        items[size++] = item;\n    }\n}\n";

#[test]
fn what_a_class_of_the_same_interface_does_in_its_method_is_copied_in_own_words() {
    let line = "package p;\n\ninterface Line {\n    void put(int item);\n}\n";
    let stack = "package p;\n\nclass Stack implements Line {\n    int depth;\n    int size;\n    int[] cells = new int[4];\n\n    \
                 public void put(int cell) {\n        if (size == cells.length) {\n            \
                 throw new IllegalStateException(\"full\");\n        }\n        rest(depth);\n        cells[size++] = cell;\n    }\n\n    \
                 void rest(int n) {\n    }\n}\n";
    let other = stack.replace("Stack implements Line", "Other");
    let wanted = "if (size == items.length) { throw new IllegalStateException(\"full\"); } items[size++] = item;";
    let place = |other: &str| {
        let files = [("p/Queue.java", QUEUE), ("p/Line.java", line), ("p/B.java", other)];
        let found = proposed_among(&files, QUEUE);
        // What the class has no method for is not copied.
        assert!(found.iter().all(|(one, _)| !one.why.contains("rest(")));
        found.iter().position(|(_, text)| text.contains(&squeezed(wanted)))
    };
    assert!(place(stack).is_some_and(|place| place < 10), "{:?}", place(stack));
    assert_eq!(place(&other), None);
}

#[test]
fn what_the_routine_did_in_a_version_that_passes_is_copied() {
    let good = QUEUE.replace(
        "items[size++]",
        "if (size == 4) {\n            size = 0;\n        }\n        items[size++]",
    );
    let files = [("p/Queue.java", QUEUE), ("p/Line.java", "package p;\n\ninterface Line { }\n")];
    let wanted = squeezed("if (size == 4) { size = 0; } items[size++] = item;");
    let has =
        |good: &str| proposed_among(&files, good).iter().any(|(_, text)| text.contains(&wanted));
    assert!(has(&good));
    assert!(!has(QUEUE));
}
