//! The laws of the delta for one pair of files; tests, the benchmark and the fuzz target share them.

use super::mutate::SeededRng;
use super::{
    Delta, DependencyRule, FileChange, FileState, HunkDependency, HunkId, JavaGranularity,
    ParsedSource, RepoPath, TreeId,
};

/// Subsets tried for each pair.
const SUBSETS: usize = 24;

/// Bytes of a file; `None` if it does not exist.
type FileBytes<'a> = Option<&'a [u8]>;

/// A law that does not hold, and the variant that shows it.
pub(super) struct BrokenProperty {
    law: String,
    pub(super) variant: Vec<u8>,
}

impl std::fmt::Display for BrokenProperty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.law)
    }
}

/// Fails with the first law that does not hold for two versions and the delta between them.
pub(super) fn check_laws(
    old: FileBytes<'_>,
    new: FileBytes<'_>,
    delta: &Delta,
    seed: u64,
) -> Result<(), BrokenProperty> {
    let law = |holds: bool, law: &str, variant: &Option<Vec<u8>>| {
        let broken =
            || BrokenProperty { law: law.to_owned(), variant: variant.clone().unwrap_or_default() };
        if holds { Ok(()) } else { Err(broken()) }
    };
    let empty = text(delta, old, &|_| false);
    law(empty.as_deref() == old, "the empty subset is the old file", &empty)?;
    let full = text(delta, old, &|_| true);
    law(full.as_deref() == new, "the full subset is the new file", &full)?;
    let back = delta_between(new, old);
    law(back.tokens() == delta.tokens(), "both ways have the same size", &None)?;
    law(back.hunks().len() == delta.hunks().len(), "both ways have the same hunks", &None)?;
    let is_valid = |bytes: FileBytes<'_>| bytes.is_none_or(ParsedSource::is_valid);
    let are_valid = is_valid(old) && is_valid(new);
    let count = delta.hunks().len();
    let mut dice = SeededRng(seed);
    for round in 0..SUBSETS {
        let density = [1, 2, 4, 8, 15][dice.below(5)];
        let mut on: Vec<bool> = (0..count).map(|_| dice.below(16) < density).collect();
        if round < SUBSETS / 3 && count > 0 {
            on.fill(false);
            on[dice.below(count)] = true;
        }
        if round == SUBSETS - 1 {
            on.fill(true);
        }
        close(delta.couplings(), &mut on);
        let variant = text(delta, old, &|hunk| on[hunk]);
        let inverse = text(&back, new, &|hunk| !on[hunk]);
        law(variant == inverse, "both ways render the same", &variant)?;
        let parses = !are_valid || is_valid(variant.as_deref());
        law(parses, &format!("a closed subset parses (round {round})"), &variant)?;
    }
    Ok(())
}

/// Adds what the grammar demands.
fn close(couplings: &[HunkDependency], on: &mut [bool]) {
    let mut changed = true;
    while changed {
        changed = false;
        for coupling in couplings.iter().filter(|coupling| coupling.rule == DependencyRule::Inside)
        {
            if on[coupling.from] && !coupling.to.iter().any(|to| on[*to]) {
                on[coupling.to[0]] = true;
                changed = true;
            }
        }
    }
}

const PATH: &str = "A.java";

/// Computes the delta of one file.
pub(super) fn delta_between(old: FileBytes<'_>, new: FileBytes<'_>) -> Delta {
    let side = |text: FileBytes<'_>| Some((RepoPath::from(PATH), FileState::regular(text?)));
    let change = FileChange { old: side(old), new: side(new) };
    Delta::between(TreeId(String::new()), &[change], JavaGranularity::Ast)
}

fn text(delta: &Delta, old: FileBytes<'_>, is_on: &dyn Fn(HunkId) -> bool) -> Option<Vec<u8>> {
    match delta.render(is_on).changes.remove(&RepoPath::from(PATH)) {
        Some(state) => state.map(|state| state.content.to_vec()),
        None => old.map(<[u8]>::to_vec),
    }
}
