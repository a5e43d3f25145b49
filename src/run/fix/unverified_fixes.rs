//! Plausible fixes that are not verified yet. They stay in the run folder if the verification is not completed.

use super::plausible::PlausibleFix;
use crate::run::patch::repair_context::{RepairContext, RepairOrigin};
use crate::run::session::run_folder::RunFolder;
use crate::run::session::run_log::RunLog;
use mend_model::{Problem, Result, TreeId, format_count};
use mend_report::{FixResult, UnverifiedFix};
use std::collections::BTreeSet;

/// Maximum number of unverified fixes in a run folder.
const MAX_UNVERIFIED_FIXES: usize = 20;

/// Checks that no unverified fix has passed.
pub(in crate::run) const VERIFICATION_CHECKS: [&str; 2] = [
    "the tests in a clean checkout, with a full build and a fresh JVM",
    "affected tests that were not selected",
];

/// Check that a fix has passed once it is ranked.
const COMPARISON_CHECK: &str = "generated tests";

/// Plausible fix of any technique.
pub(in crate::run) struct FixToVerify<'a> {
    pub(in crate::run) tree: &'a TreeId,
    pub(in crate::run) technique: &'a str,
    pub(in crate::run) operator: &'a str,
    pub(in crate::run) description: String,
    /// Number of failing tests without the fix.
    pub(in crate::run) failing_count: usize,
    /// Failing tests that it does not fix.
    pub(in crate::run) still_failing: BTreeSet<String>,
    /// Checks that it did not get.
    pub(in crate::run) not_checked: Vec<String>,
}

/// Plausible fixes in the run folder.
#[derive(Default)]
pub(super) struct UnverifiedFixes {
    entries: Vec<(TreeId, UnverifiedFix)>,
}

impl UnverifiedFixes {
    /// Writes the patches of the best fixes, instead of earlier ones.
    pub(super) fn write(
        repair_context: RepairContext<'_>,
        plausible: &[PlausibleFix],
        max_fixes: usize,
    ) -> Result<Self> {
        let failing_count = repair_context.expectations.failing_tests().len();
        let fixes = plausible.iter().map(|fix| {
            let (technique, operator) = fix.technique_and_operator();
            let is_compared = fix.agreement.is_some_and(|agreement| agreement.compared_tests > 0);
            let comparison = (!is_compared).then_some(COMPARISON_CHECK);
            let not_checked = VERIFICATION_CHECKS.into_iter().chain(comparison).map(str::to_owned);
            FixToVerify {
                tree: &fix.tree,
                technique,
                operator,
                description: fix.description(),
                failing_count,
                still_failing: fix.still_failing.clone(),
                not_checked: not_checked.collect(),
            }
        });
        let written = write_unverified_fixes(repair_context, fixes, max_fixes)?;
        let trees = plausible.iter().map(|fix| fix.tree.clone());
        Ok(Self { entries: trees.zip(written).collect() })
    }

    /// Removes a fix that was verified or rejected.
    pub(super) fn remove(&mut self, tree: &TreeId, folder: &RunFolder) {
        self.entries.retain(|(known, fix)| {
            let is_kept = known != tree;
            if !is_kept {
                drop(std::fs::remove_file(folder.path().join(&fix.patch)));
            }
            is_kept
        });
    }

    /// Removes all fixes, because there are enough verified ones or all were tried.
    pub(super) fn clear(&mut self, folder: &RunFolder) {
        self.entries.clear();
        delete_patches(folder);
    }

    /// Notes that no time was left to verify the fixes.
    pub(super) fn note_missing_time(&self, run_log: &RunLog) -> Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = self.entries.iter().map(|(_, fix)| &*fix.patch).collect();
        let count = format_count(names.len(), "plausible fix");
        run_log.leave_unchecked(&format!("{count}, because no time was left: {}", names.join(", ")))
    }

    /// Returns the fixes, best first.
    pub(super) fn list(&self) -> Vec<UnverifiedFix> {
        self.entries.iter().map(|(_, fix)| fix.clone()).collect()
    }
}

/// Writes the patches of the best fixes, instead of earlier ones.
pub(in crate::run) fn write_unverified_fixes<'a>(
    repair_context: RepairContext<'_>,
    fixes: impl Iterator<Item = FixToVerify<'a>>,
    max_fixes: usize,
) -> Result<Vec<UnverifiedFix>> {
    delete_patches(&repair_context.session.run_log.folder);
    let best = fixes.take(max_fixes.min(MAX_UNVERIFIED_FIXES)).zip(1..);
    best.map(|(fix, rank)| write_fix(repair_context, fix, rank)).collect()
}

fn write_fix(
    repair_context: RepairContext<'_>,
    fix: FixToVerify<'_>,
    rank: usize,
) -> Result<UnverifiedFix> {
    let FixToVerify { tree, failing_count, still_failing, not_checked, .. } = fix;
    let origin = RepairOrigin {
        technique: fix.technique,
        operator: fix.operator,
        description: &fix.description,
        has_sources: true,
    };
    let (FixResult { technique, operator, tokens, files, location, why, .. }, text) =
        repair_context.to_fix_result(tree, &origin)?;
    let patch = patch_name(rank);
    let folder = &repair_context.session.run_log.folder;
    folder.write_file(&patch, text.as_deref().unwrap_or_default())?;
    Ok(UnverifiedFix {
        technique,
        operator,
        patch,
        tokens: tokens.unwrap_or_default(),
        files,
        location,
        why,
        failing_pass: failing_count.saturating_sub(still_failing.len()),
        still_failing: still_failing.into_iter().collect(),
        not_checked,
    })
}

/// Notes that the verification of the fixes in the result was not completed because of a problem.
pub(super) fn note_unverified_fixes(run_log: &RunLog, problem: &Problem) -> Result<()> {
    let fixes = run_log.result().unverified_fixes;
    if fixes.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = fixes.iter().map(|fix| &*fix.patch).collect();
    run_log.leave_unchecked(&format!(
        "{}, whose verification was {}: {}",
        format_count(fixes.len(), "plausible fix"),
        if matches!(problem, Problem::Interrupted) { "interrupted" } else { "not completed" },
        names.join(", ")
    ))
}

fn patch_name(rank: usize) -> String {
    format!("unverified-{rank}.patch")
}

/// Deletes the patches of unverified fixes.
pub(in crate::run) fn delete_patches(folder: &RunFolder) {
    for rank in 1..=MAX_UNVERIFIED_FIXES {
        drop(std::fs::remove_file(folder.path().join(patch_name(rank))));
    }
}
