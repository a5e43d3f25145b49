//! Checks of the properties of a delta for one pair of files, shared by tests, benchmark and fuzz target.

use super::mutate::SeededRng;
use super::{
    Delta, DependencyRule, FileChange, FileState, HunkDependency, HunkId, JavaGranularity,
    ParsedSource, RepoPath, TreeId,
};

/// Number of subsets tried for each pair.
const SUBSETS_PER_PAIR: usize = 24;

/// Bytes of a file; `None` if it does not exist.
type FileBytes<'a> = Option<&'a [u8]>;

/// A violated property, and the variant that shows it.
pub(super) struct BrokenProperty {
    property: String,
    pub(super) variant: Vec<u8>,
}

impl std::fmt::Display for BrokenProperty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.property)
    }
}

/// Returns the first violated property of a delta between two versions as an error.
pub(super) fn check_properties(
    old: FileBytes<'_>,
    new: FileBytes<'_>,
    delta: &Delta,
    seed: u64,
) -> Result<(), BrokenProperty> {
    let require = |holds: bool, property: &str, variant: &Option<Vec<u8>>| {
        let broken = || BrokenProperty {
            property: property.to_owned(),
            variant: variant.clone().unwrap_or_default(),
        };
        if holds { Ok(()) } else { Err(broken()) }
    };
    let empty = render_text(delta, old, &|_| false);
    require(empty.as_deref() == old, "the empty subset is the old file", &empty)?;
    let full = render_text(delta, old, &|_| true);
    require(full.as_deref() == new, "the full subset is the new file", &full)?;
    let back = delta_between(new, old);
    require(back.tokens() == delta.tokens(), "both ways have the same size", &None)?;
    require(back.hunks().len() == delta.hunks().len(), "both ways have the same hunks", &None)?;
    let is_valid = |bytes: FileBytes<'_>| bytes.is_none_or(ParsedSource::is_valid);
    let are_valid = is_valid(old) && is_valid(new);
    let count = delta.hunks().len();
    let mut dice = SeededRng(seed);
    for round in 0..SUBSETS_PER_PAIR {
        let density = [1, 2, 4, 8, 15][dice.number_below(5)];
        let mut enabled: Vec<bool> = (0..count).map(|_| dice.number_below(16) < density).collect();
        if round < SUBSETS_PER_PAIR / 3 && count > 0 {
            enabled.fill(false);
            enabled[dice.number_below(count)] = true;
        }
        if round == SUBSETS_PER_PAIR - 1 {
            enabled.fill(true);
        }
        close_subset(delta.dependencies(), &mut enabled);
        let variant = render_text(delta, old, &|hunk| enabled[hunk]);
        let inverse = render_text(&back, new, &|hunk| !enabled[hunk]);
        require(variant == inverse, "both ways render the same", &variant)?;
        let parses = !are_valid || is_valid(variant.as_deref());
        require(parses, &format!("a closed subset parses (round {round})"), &variant)?;
    }
    Ok(())
}

/// Adds all hunks that the grammar requires to a subset.
fn close_subset(dependencies: &[HunkDependency], enabled: &mut [bool]) {
    let mut changed = true;
    while changed {
        changed = false;
        for coupling in
            dependencies.iter().filter(|coupling| coupling.rule == DependencyRule::Inside)
        {
            if enabled[coupling.from] && !coupling.to.iter().any(|to| enabled[*to]) {
                enabled[coupling.to[0]] = true;
                changed = true;
            }
        }
    }
}

const FILE_PATH: &str = "A.java";

/// Computes the delta of one file.
pub(super) fn delta_between(old: FileBytes<'_>, new: FileBytes<'_>) -> Delta {
    let side = |text: FileBytes<'_>| Some((RepoPath::from(FILE_PATH), FileState::regular(text?)));
    let change = FileChange { old: side(old), new: side(new) };
    Delta::between(TreeId(String::new()), &[change], JavaGranularity::Ast)
}

fn render_text(
    delta: &Delta,
    old: FileBytes<'_>,
    is_enabled: &dyn Fn(HunkId) -> bool,
) -> Option<Vec<u8>> {
    match delta.render(is_enabled).changes.remove(&RepoPath::from(FILE_PATH)) {
        Some(state) => state.map(|state| state.content.to_vec()),
        None => old.map(<[u8]>::to_vec),
    }
}
