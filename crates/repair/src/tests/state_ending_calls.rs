//! Commands that end an observed state, as learned from passing tests.

use super::*;
use mend_java::facts::NodeKind;
use std::path::Path;

/// Source of a box that must be open before an element is added.
const BOX_SOURCE: &str = "package p;\n\nimport java.util.*;\n\nclass A {\n    private boolean open;\n    \
    private int left = 3;\n    List<String> all = new ArrayList<>();\n\n    boolean isOpen() {\n        return open;\n    }\n\n    \
    void open() {\n        open = true;\n    }\n\n    void shake() {\n        left--;\n    }\n\n    \
    void put(String one) {\n        all.add(one);\n    }\n\n    \
    void label(String one, int times) {\n        all.add(one + times);\n    }\n}\n\n\
    class B {\n    A box = new A();\n\n    void fill(String one, int count) {\n        box.put(one);\n    }\n}\n";

/// Returns the candidates if a failing test observed a closed box before a statement, and a passing one an open box.
/// `passing` are the states before and after `open` and `shake` in passing tests.
fn candidates_for_box_state(
    statement: &str,
    name: &str,
    passing: [&str; 2],
) -> Vec<(LocatedCandidate, String)> {
    let [open, shake] = passing;
    let seen = format!("V 1 {open}\nV 2 {shake}\n");
    candidates_for_transitions(statement, name, &["isOpen()", "isOpen() afterwards"], &seen)
}

/// Returns the candidates for the answers to some queries before and after `open`, `shake` and `label` in passing
/// tests.
fn candidates_for_transitions(
    statement: &str,
    name: &str,
    questions: &[&str],
    passing: &str,
) -> Vec<(LocatedCandidate, String)> {
    let facts = shared_server().analyse(&source_set(&[(PATH, BOX_SOURCE)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, BOX_SOURCE.as_bytes()).unwrap();
    let main = [(path, code)];
    let is_meant = |id: &usize| BOX_SOURCE[code.bytes(*id).start..].starts_with(statement);
    let statement = code.statements().find(is_meant).unwrap();
    let method = |name: &str| {
        let is_meant = |id: &usize| {
            code.has_kind(*id, NodeKind::Method) && code.source_text(*id).starts_with(name)
        };
        (0..code.tree.nodes.len()).find(is_meant).unwrap()
    };
    let both: Vec<String> = questions.iter().map(|one| (*one).to_owned()).collect();
    let places = [
        ((0, statement), vec![name.to_owned()]),
        ((0, method("void open")), both.clone()),
        ((0, method("void shake")), both.clone()),
        ((0, method("void label")), both),
    ];
    let recorded = format!("B\nT a#f\nV 0 Z0\nB\nT a#p\n{passing}V 0 Z1\n");
    let observed = RecordedValues::read(&recorded, &places, |test| Some(test == "a#f"));
    let suspects = [SuspiciousStatement { file: 0, statement, score: 1.0 }];
    let diagnosis = Diagnosis::default();
    let found = generate_candidates(
        repair_input(&main),
        &Contracts::from_files(&main),
        &suspects,
        &observed,
        &diagnosis,
    );
    let whole = |one: LocatedCandidate| Some((apply_edits(BOX_SOURCE, one.edits())?, one));
    found.into_iter().filter_map(whole).map(|(text, one)| (one, without_space(&text))).collect()
}

fn rank_of(found: &[(LocatedCandidate, String)], wanted: &str) -> Option<usize> {
    found.iter().position(|(_, text)| text.contains(&without_space(wanted)))
}

#[test]
fn state_ending_command_ranks_first() {
    let found = candidates_for_box_state("box.put", "box.isOpen()", ["Z0 Z1", "Z0 Z0"]);
    let wanted = "if (!box.isOpen()) { box.open(); } box.put(one);";
    let at = rank_of(&found, wanted).unwrap();
    assert!(at < 5, "{at}");
    assert_eq!(
        found[at].0.change.description,
        "`if (!box.isOpen()) box.open();` is inserted before the statement; in passing tests, `box.isOpen()` holds afterwards"
    );
    assert!(rank_of(&found, "box.open(); box.put(one);").is_some());
    assert_eq!(rank_of(&found, "box.shake(); } box.put(one);"), None);
}

#[test]
fn own_object_can_receive_command() {
    let score = |passing| {
        let found = candidates_for_box_state("all.add", "isOpen()", passing);
        let at = rank_of(&found, "if (!isOpen()) { open(); } all.add(one);").unwrap();
        found[at].0.change.score
    };
    assert!(score(["Z0 Z1", "Z0 Z0"]) > score(["Z1 Z1", "Z0 Z0"]));
    assert!(score(["Z0 Z1", "Z0 Z0"]) > score(["Z0 Z0", "Z0 Z1"]));
}

#[test]
fn command_pair_is_proposed_if_no_single_command_suffices() {
    let questions = ["isOpen()", "isFull()"];
    let questions: Vec<String> = questions.iter().map(|one| (*one).to_owned()).collect();
    let after = questions.iter().map(|one| format!("{one} afterwards"));
    let both: Vec<String> = questions.iter().cloned().chain(after).collect();
    let both: Vec<&str> = both.iter().map(|one| &**one).collect();
    // Shaking empties the box, and only an empty one opens.
    let seen = "V 2 Z0 Z1 Z0 Z0\nV 1 Z0 Z1 Z0 Z1\nV 1 Z0 Z0 Z1 Z0\n";
    let found = candidates_for_transitions("box.put", "box.isOpen()", &both, seen);
    let wanted = "if (!box.isOpen()) {\n box.shake();\n box.open();\n }\n box.put(one);";
    let at = rank_of(&found, wanted).unwrap();
    assert!(
        found[at]
            .0
            .change
            .description
            .ends_with("in passing tests, `box.isOpen()` holds afterwards")
    );
    assert_eq!(rank_of(&found, "box.open();\n box.shake();"), None);
    let alone = candidates_for_transitions("box.put", "box.isOpen()", &both, "V 1 Z0 Z0 Z1 Z0\n");
    let one = rank_of(&alone, "if (!box.isOpen()) { box.open(); } box.put(one);").unwrap();
    assert!(alone[one].0.change.score > found[at].0.change.score);
}

#[test]
fn command_with_two_arguments_is_proposed() {
    let both = ["isOpen()", "isOpen() afterwards"];
    let found = candidates_for_transitions("box.put", "box.isOpen()", &both, "V 3 Z0 Z1\n");
    assert!(
        rank_of(&found, "if (!box.isOpen()) { box.label(one, count); } box.put(one);").is_some()
    );
}

#[test]
fn object_state_is_recorded_around_commands() {
    let mut server = shared_server();
    let facts = server.analyse(&source_set(&[(PATH, BOX_SOURCE)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, BOX_SOURCE.as_bytes()).unwrap();
    let main = [(path.clone(), code)];
    let (root, nothing) = (RepoPath::from(""), BTreeSet::new());
    let recording = Recording { source_root: &root, output: Path::new("/nowhere") };
    let probing = ProbeInput { main: &main, tests: &[], hanging_tests: &nothing, recording };
    let suspects: Vec<SuspiciousStatement> = all_statements(&main)
        .into_iter()
        .filter(|one| code.source_text(one.statement).contains("box"))
        .collect();
    let probed = probing.probe_values(
        &suspects,
        &PostconditionViolations::default(),
        &ProbeExclusions::default(),
    );
    let of_commands: Vec<&Vec<String>> = probed
        .recorded_terms
        .iter()
        .filter(|names| names.iter().any(|name| name.ends_with(" afterwards")))
        .collect();
    let asked = ["open", "left", "all", "isOpen()"].map(str::to_owned);
    // `fill` of `B`, and four of the box.
    assert_eq!(of_commands.len(), 5);
    assert!(of_commands.iter().any(|names| names[..4] == asked));
    let files: Vec<(String, &str)> =
        probed.files.iter().map(|(path, text)| (path.to_string(), &**text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    assert_eq!(server.compile_errors(&source_set(&files)).unwrap(), []);
}
