//! Minimises, ranks and writes the plausible patches of a pool.

use super::behaviour_check::CheckedBehaviour;
use super::schedule_check::PatchSchedules;
use super::trials::PlausiblePatch;
use crate::run::patch::confidence::{Rivals, rate_fix};
use crate::run::patch::patch_minimiser::PatchMinimiser;
use crate::run::patch::repair_context::{RepairContext, RepairOrigin};
use crate::run::patch::verification::{CleanCheckout, diff_to_original};
use crate::run::subject::attribution::Attribution;
use crate::run::validate::result::Validated;
use mend_model::{Problem, Result, TreeId, Verdict};
use mend_report::{FixEvidence, FixResult, PoolPatchResult};
use std::collections::HashMap;

/// Minimiser and writer of plausible patches.
pub(super) struct PoolFixWriter<'a> {
    pub(super) repair_context: RepairContext<'a>,
    pub(super) attribution: Option<&'a Attribution>,
    pub(super) checks: &'a PatchChecks,
}

/// Results of the checks beyond the existing tests, by patched tree.
#[derive(Default)]
pub(super) struct PatchChecks {
    pub(super) schedules: HashMap<TreeId, PatchSchedules>,
    pub(super) behaviours: HashMap<TreeId, CheckedBehaviour>,
    /// True if the checks were not interrupted, so that the confidence can be rated.
    pub(super) is_complete: bool,
}

impl PatchChecks {
    /// Returns true if a schedule shows a fault of a patch.
    pub(super) fn has_schedule_fault(&self, tree: &TreeId) -> bool {
        self.schedules.get(tree).is_some_and(|schedules| schedules.fault.is_some())
    }

    /// Adds the results to that of a patch. A fault under schedules rejects the patch.
    fn add_to(&self, result: &mut PoolPatchResult, tree: &TreeId) {
        if let Some(behaviour) = self.behaviours.get(tree) {
            result.generated = behaviour.generated;
            result.generated_different = behaviour.generated_different;
            result.overfitting_signs = Some(behaviour.overfitting_signs.clone());
        }
        if let Some(PatchSchedules { run, fault }) = self.schedules.get(tree) {
            result.schedules = Some(*run);
            result.schedule_fault.clone_from(fault);
            if let Some(fault) = fault {
                Verdict::Fail.name().clone_into(&mut result.verdict);
                result.reason = format!("thread schedules show {fault}");
            }
        }
    }

    /// Adds the results to the evidence for a fix, which is a patch or a smaller version of it.
    fn add_evidence(&self, validated: &mut FixEvidence, patch: &PlausiblePatch, tree: &TreeId) {
        validated.schedules = self.schedules.get(tree).map(|schedules| schedules.run);
        let own = self.behaviours.get(tree);
        if let Some(behaviour) = own {
            validated.generated = behaviour.generated;
            validated.generated_different = behaviour.generated_different;
            validated.generated_reaching = behaviour.generated_reaching;
        }
        // A smaller version has the signs of the whole patch, but may behave differently in generated tests.
        if let Some(behaviour) = own.or_else(|| self.behaviours.get(&patch.tree)) {
            validated.overfitting_signs.clone_from(&behaviour.overfitting_signs);
            validated.unclassified = !behaviour.is_classified;
        }
    }
}

/// Fix before its rank is known.
struct RankedPatch {
    fix: FixResult,
    /// Content of the patch, if sources are changed.
    patch_text: Option<Vec<u8>>,
    tree: TreeId,
    /// Names of the patches that result in this tree.
    patch_names: Vec<String>,
}

/// Result of minimising a patch.
#[derive(Clone)]
struct MinimisedPatch {
    tree: TreeId,
    /// True if no part of the patch can be omitted; unknown if a clean build contradicts the smaller version.
    was_minimal: Option<bool>,
}

impl PoolFixWriter<'_> {
    /// Minimises the patches on request, ranks them by size, and writes them. Patches with the same tree become one
    /// fix. Patches with a fault under schedules become none. If the minimisation ends early, the remaining patches are
    /// not minimised.
    pub(super) fn write_fixes(
        &self,
        mut tried: Validated,
        plausible: &[PlausiblePatch],
        minimise: bool,
    ) -> Result<Validated> {
        let (mut drafts, mut result) = (Vec::<RankedPatch>::new(), Ok(()));
        let mut minimised_trees: HashMap<TreeId, MinimisedPatch> = HashMap::new();
        for patch in plausible {
            let results = tried.patches.iter_mut().filter(|one| one.name == patch.name);
            results.for_each(|result| self.checks.add_to(result, &patch.tree));
            if self.checks.has_schedule_fault(&patch.tree) {
                continue;
            }
            if minimise
                && patch.has_sources
                && result.is_ok()
                && !minimised_trees.contains_key(&patch.tree)
            {
                match self.minimise(patch) {
                    Ok(smaller) => drop(minimised_trees.insert(patch.tree.clone(), smaller)),
                    Err(problem) => result = Err(problem),
                }
            }
            let minimised = minimised_trees.get(&patch.tree);
            let was_minimal = minimised.and_then(|minimised| minimised.was_minimal);
            for one in tried.patches.iter_mut().filter(|one| one.name == patch.name) {
                one.minimal = was_minimal;
            }
            let tree = minimised.map_or(&patch.tree, |minimised| &minimised.tree).clone();
            match drafts.iter_mut().find(|draft| draft.tree == tree) {
                Some(draft) => draft.patch_names.push(patch.name.clone()),
                None => drafts.push(self.to_draft(patch, tree)?),
            }
        }
        let validated = self.write_ranked(tried, drafts)?;
        result.map(|()| validated)
    }

    /// Writes the fixes to the run folder, and adds them to the results of the patches.
    fn write_ranked(
        &self,
        mut tried: Validated,
        mut drafts: Vec<RankedPatch>,
    ) -> Result<Validated> {
        // Fixes of equal size keep the order of the pool.
        drafts.sort_by_key(|draft| draft.fix.tokens.unwrap_or(usize::MAX));
        let is_clean = |draft: &&RankedPatch| draft.fix.validated.overfitting_signs.is_empty();
        let rivals = match drafts.iter().filter(is_clean).count() {
            0 | 1 => Rivals::None,
            _ => Rivals::Unranked,
        };
        for (before, RankedPatch { fix, patch_text: text, .. }) in drafts.iter_mut().enumerate() {
            fix.rank = before + 1;
            if self.checks.is_complete {
                *fix = rate_fix(fix, rivals);
            }
            if let Some(text) = text {
                let file = format!("fix-{}.patch", fix.rank);
                self.repair_context.session.run_log.folder.write_file(&file, text)?;
                fix.patch = Some(file);
            }
        }
        for patch in &mut tried.patches {
            let draft = drafts.iter().find(|draft| draft.patch_names.contains(&patch.name));
            patch.patch = draft.and_then(|draft| draft.fix.patch.clone());
            patch.confidence = draft.and_then(|draft| draft.fix.confidence);
        }
        let fixes = drafts.into_iter().map(|draft| draft.fix).collect();
        let validated = Validated { fixes, ..tried };
        self.repair_context.session.run_log.save(&validated)?;
        Ok(validated)
    }

    /// Minimises a patch and verifies the result.
    fn minimise(&self, patch: &PlausiblePatch) -> Result<MinimisedPatch> {
        let name = &patch.name;
        let bad_tree = &self.repair_context.bad.overlaid_tree;
        let patch_minimiser = PatchMinimiser::new(
            self.repair_context,
            self.attribution,
            name,
            &patch.tree,
            bad_tree,
        )?;
        let minimised = patch_minimiser.minimise(None, None)?;
        let was_minimal = minimised.tree == patch.tree;
        if was_minimal || self.is_confirmed_by_clean_build(name, &minimised.tree)? {
            return Ok(MinimisedPatch { tree: minimised.tree, was_minimal: Some(was_minimal) });
        }
        let note = format!("a smaller version of {name}: a clean build did not confirm it");
        self.repair_context.session.run_log.note_unchecked(note)?;
        Ok(MinimisedPatch { tree: patch.tree.clone(), was_minimal: None })
    }

    fn is_confirmed_by_clean_build(&self, name: &str, tree: &TreeId) -> Result<bool> {
        let patch = self.repair_context.session.run_log.folder.work_dir().join("shrunk.patch");
        let (_, text) = diff_to_original(self.repair_context.bad, tree, self.repair_context.store)?;
        std::fs::write(&patch, text).map_err(|error| Problem::io(error, &patch))?;
        let clean_checkout = CleanCheckout {
            description: format!("{name}, minimised, in a clean build"),
            from: self.repair_context.bad,
            patch: Some(&patch),
            tree,
            limits: self.repair_context.oracle.limits.extended_for_fresh_jvm(),
            earlier_outcome: None,
            accepts_cached: self.repair_context.session.subject.is_resumed,
        };
        Ok(clean_checkout.judge_clean_build(self.repair_context.oracle)?.verdict == Verdict::Pass)
    }

    fn to_draft(&self, patch: &PlausiblePatch, tree: TreeId) -> Result<RankedPatch> {
        let source = RepairOrigin {
            technique: "pool",
            operator: &patch.name,
            description: &patch.reason,
            has_sources: patch.has_sources,
        };
        let (mut fix, text) = self.repair_context.to_fix_result(&tree, &source)?;
        self.checks.add_evidence(&mut fix.validated, patch, &tree);
        Ok(RankedPatch { fix, patch_text: text, tree, patch_names: vec![patch.name.clone()] })
    }
}
