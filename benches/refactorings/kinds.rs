//! Kinds of refactorings that both git-mend and RefactoringMiner recognise.

/// Kind with the names that both tools have for it.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    git_mend: &'static [&'static str],
    refactoring_miner: &'static [&'static str],
    /// True if git-mend also represents it as moved code, where the code changes on its way.
    pub(crate) can_be_moved_code: bool,
}

const fn kind(
    name: &'static str,
    git_mend: &'static [&'static str],
    refactoring_miner: &'static [&'static str],
) -> Kind {
    Kind { name, git_mend, refactoring_miner, can_be_moved_code: false }
}

const fn moving_kind(
    name: &'static str,
    git_mend: &'static [&'static str],
    refactoring_miner: &'static [&'static str],
) -> Kind {
    Kind { name, git_mend, refactoring_miner, can_be_moved_code: true }
}

/// All common kinds. Pulling up and pushing down are moves whose classes are related; a parameter is a variable.
pub(crate) const KINDS: [Kind; 21] = [
    kind("rename class", &["rename class"], &["Rename Class"]),
    kind("rename method", &["rename method"], &["Rename Method"]),
    kind("rename field", &["rename field"], &["Rename Attribute"]),
    kind(
        "rename variable",
        &["rename variable", "rename parameter"],
        &["Rename Variable", "Rename Parameter"],
    ),
    moving_kind("move class", &["move class"], &["Move Class", "Move And Rename Class"]),
    moving_kind(
        "move method",
        &["move method", "pull up method", "push down method"],
        &["Move Method", "Move And Rename Method", "Pull Up Method", "Push Down Method"],
    ),
    moving_kind(
        "move field",
        &["move field", "pull up field", "push down field"],
        &[
            "Move Attribute",
            "Move And Rename Attribute",
            "Pull Up Attribute",
            "Push Down Attribute",
        ],
    ),
    moving_kind(
        "extract method",
        &["extract method", "decompose conditional", "replace constructor with factory method"],
        &["Extract Method", "Extract And Move Method"],
    ),
    moving_kind("inline method", &["inline method"], &["Inline Method", "Move And Inline Method"]),
    kind(
        "encapsulate field",
        &["encapsulate field", "self encapsulate field"],
        &["Encapsulate Attribute"],
    ),
    moving_kind("extract variable", &["extract variable"], &["Extract Variable"]),
    moving_kind("inline variable", &["inline temp"], &["Inline Variable"]),
    kind("extract constant", &["replace magic number with constant"], &["Extract Attribute"]),
    moving_kind("extract class", &["extract class"], &["Extract Class"]),
    moving_kind(
        "extract supertype",
        &["extract superclass", "extract interface"],
        &["Extract Superclass", "Extract Interface"],
    ),
    kind("add parameter", &["add parameter"], &["Add Parameter"]),
    kind("reorder parameters", &["reorder parameters"], &["Reorder Parameter"]),
    kind("remove parameter", &["remove parameter"], &["Remove Parameter"]),
    kind(
        "change visibility",
        &["change visibility", "hide method"],
        &[
            "Change Method Access Modifier",
            "Change Attribute Access Modifier",
            "Change Class Access Modifier",
        ],
    ),
    kind("merge conditions", &["consolidate conditional expression"], &["Merge Conditional"]),
    kind("reverse conditional", &["reverse conditional"], &["Invert Condition"]),
];

/// Returns the kind that git-mend calls so.
pub(crate) fn kind_in_git_mend(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.git_mend.contains(&name))
}

/// Returns the kind that RefactoringMiner calls so.
pub(crate) fn kind_in_refactoring_miner(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.refactoring_miner.contains(&name))
}
