//! Plausible fixes that are not verified yet. They stay in the run folder if the verification is interrupted.

use super::plausible::PlausibleFix;
use crate::run::patch::repair_context::{RepairContext, RepairOrigin};
use crate::run::session::run_folder::RunFolder;
use crate::run::session::run_log::RunLog;
use mend_model::{Result, TreeId, format_count};
use mend_report::{FixEvidence, FixResult, UnverifiedFix};

/// Maximum number of unverified fixes in a run folder.
const MAX_UNVERIFIED_FIXES: usize = 20;

/// Checks that no unverified fix has passed.
const VERIFICATION_CHECKS: [&str; 2] = [
    "the tests in a clean checkout, with a full build and a fresh JVM",
    "affected tests that were not selected",
];

/// Check that a fix has passed once it is ranked.
const COMPARISON_CHECK: &str = "generated tests";

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
        let folder = &repair_context.session.run_log.folder;
        delete_patches(folder);
        let best = plausible.iter().take(max_fixes.min(MAX_UNVERIFIED_FIXES)).zip(1..);
        let write = |(fix, rank)| Ok((fix, write_fix(repair_context, fix, rank)?));
        let written: Vec<(&PlausibleFix, UnverifiedFix)> =
            best.map(write).collect::<Result<_>>()?;
        let entries = written.into_iter().map(|(fix, written)| (fix.tree.clone(), written));
        Ok(Self { entries: entries.collect() })
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

    /// Returns the fixes, best first.
    pub(super) fn list(&self) -> Vec<UnverifiedFix> {
        self.entries.iter().map(|(_, fix)| fix.clone()).collect()
    }
}

fn write_fix(
    repair_context: RepairContext<'_>,
    fix: &PlausibleFix,
    rank: usize,
) -> Result<UnverifiedFix> {
    let why = fix.description();
    let (technique, operator) = fix.technique_and_operator();
    let origin = RepairOrigin { technique, operator, description: &why, has_sources: true };
    let (FixResult { technique, operator, tokens, files, location, why, validated, .. }, text) =
        repair_context.to_fix_result(&fix.tree, &origin)?;
    let patch = patch_name(rank);
    repair_context
        .session
        .run_log
        .folder
        .write_file(&patch, text.as_deref().unwrap_or_default())?;
    let is_compared = fix.agreement.is_some_and(|agreement| agreement.compared_tests > 0);
    let comparison = (!is_compared).then_some(COMPARISON_CHECK);
    let not_checked = VERIFICATION_CHECKS.into_iter().chain(comparison).map(str::to_owned);
    let FixEvidence { failing_pass, .. } = validated;
    Ok(UnverifiedFix {
        technique,
        operator,
        patch,
        tokens: tokens.unwrap_or_default(),
        files,
        location,
        why,
        failing_pass: failing_pass.saturating_sub(fix.still_failing.len()),
        still_failing: fix.still_failing.iter().cloned().collect(),
        not_checked: not_checked.collect(),
    })
}

/// Notes that the verification of the fixes in the result was interrupted.
pub(super) fn note_interruption(run_log: &RunLog) -> Result<()> {
    let fixes = run_log.result().unverified_fixes;
    if fixes.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = fixes.iter().map(|fix| &*fix.patch).collect();
    let plausible = format_count(fixes.len(), "plausible fix");
    run_log.leave_unchecked(&format!(
        "{plausible}, whose verification was interrupted: {}",
        names.join(", ")
    ))
}

fn patch_name(rank: usize) -> String {
    format!("unverified-{rank}.patch")
}

fn delete_patches(folder: &RunFolder) {
    for rank in 1..=MAX_UNVERIFIED_FIXES {
        drop(std::fs::remove_file(folder.path().join(patch_name(rank))));
    }
}
