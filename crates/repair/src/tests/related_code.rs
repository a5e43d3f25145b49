//! Donor code from other classes and from a passing version.

use super::*;

/// Returns the candidates for the first of some files, as whole files; `good` is the passing version of that file.
fn candidates_with_passing_version(
    files: &[(&str, &str)],
    good: &str,
) -> Vec<(LocatedCandidate, String)> {
    let mut server = shared_server();
    let facts = server.analyse(&source_set(files)).unwrap();
    let before: Vec<(&str, &str)> =
        std::iter::once((files[0].0, good)).chain(files[1..].iter().copied()).collect();
    let known = server.analyse(&source_set(&before)).unwrap();
    let paths: Vec<RepoPath> = files.iter().map(|(path, _)| RepoPath::from(*path)).collect();
    let main: Vec<(RepoPath, Code<'_>)> = paths
        .iter()
        .zip(files)
        .map(|(path, (_, text))| (path.clone(), Code::new(&facts, path, text.as_bytes()).unwrap()))
        .collect();
    let good = [(paths[0].clone(), Code::new(&known, &paths[0], good.as_bytes()).unwrap())];
    let suspects = all_statements(&main);
    let material = RepairInput { main: &main, passing_version: &good };
    let contracts = Contracts::from_files(&main);
    let (observed, diagnosis) = (RecordedValues::default(), Diagnosis::default());
    let found = generate_candidates(material, &contracts, &suspects, &observed, &diagnosis);
    let whole = |one: LocatedCandidate| Some((apply_edits(files[0].1, one.edits())?, one));
    found.into_iter().filter_map(whole).map(|(text, one)| (one, without_space(&text))).collect()
}

/// Source of a class whose method also exists, or existed, elsewhere.
const QUEUE_SOURCE: &str = "package p;\n\nclass Queue implements Line {\n    int size;\n    int[] items = new int[4];\n\n    \
                     public void put(int item) {\n        items[size++] = item;\n    }\n}\n";

#[test]
fn donor_from_sibling_class_is_adapted() {
    let line = "package p;\n\ninterface Line {\n    void put(int item);\n}\n";
    let stack = "package p;\n\nclass Stack implements Line {\n    int depth;\n    int size;\n    int[] cells = new int[4];\n\n    \
                 public void put(int cell) {\n        if (size == cells.length) {\n            \
                 throw new IllegalStateException(\"full\");\n        }\n        rest(depth);\n        cells[size++] = cell;\n    }\n\n    \
                 void rest(int n) {\n    }\n}\n";
    let other = stack.replace("Stack implements Line", "Other");
    let wanted = "if (size == items.length) { throw new IllegalStateException(\"full\"); } items[size++] = item;";
    let rank = |other: &str| {
        let files = [("p/Queue.java", QUEUE_SOURCE), ("p/Line.java", line), ("p/B.java", other)];
        let found = candidates_with_passing_version(&files, QUEUE_SOURCE);
        // A call of a method that the class lacks is not copied.
        assert!(found.iter().all(|(one, _)| !one.change.description.contains("rest(")));
        found.iter().position(|(_, text)| text.contains(&without_space(wanted)))
    };
    assert!(rank(stack).is_some_and(|rank| rank < 15), "{:?}", rank(stack));
    assert_eq!(rank(&other), None);
}

#[test]
fn donor_from_passing_version_is_copied() {
    let good = QUEUE_SOURCE.replace(
        "items[size++]",
        "if (size == 4) {\n            size = 0;\n        }\n        items[size++]",
    );
    let files =
        [("p/Queue.java", QUEUE_SOURCE), ("p/Line.java", "package p;\n\ninterface Line { }\n")];
    let wanted = without_space("if (size == 4) { size = 0; } items[size++] = item;");
    let has = |good: &str| {
        candidates_with_passing_version(&files, good).iter().any(|(_, text)| text.contains(&wanted))
    };
    assert!(has(&good));
    assert!(!has(QUEUE_SOURCE));
}
