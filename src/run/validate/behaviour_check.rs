//! Checks what the smallest plausible patches do beyond the existing tests: their behaviour in generated tests, and signs
//! that they only evade the failure.

use super::trials::PlausiblePatch;
use crate::run::judge::patch_baseline::UnpatchedRun;
use crate::run::patch::attributed_version::AttributedVersion;
use crate::run::patch::behaviour_comparison::{BehaviourComparison, ComparedPatch, PatchBehaviour};
use crate::run::patch::fault_localisation::{FaultLocaliser, LocatedFaults};
use crate::run::patch::patched_file::to_patched_file;
use crate::run::patch::repair_context::RepairContext;
use crate::run::patch::repair_target::RepairTarget;
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::TestOverlay;
use mend_model::{Problem, ProgressEvent, RepoPath, Result, TreeId, format_count};
use mend_repair::{ExternalPatch, LocatedPatch, PatchLocator};
use std::collections::{HashMap, HashSet};

/// Maximum number of patches that are checked.
const MAX_CHECKED_PATCHES: usize = 10;

/// Check of patches beyond the existing tests.
pub(super) struct BehaviourCheck<'a> {
    pub(super) repair_context: RepairContext<'a>,
    /// Compiler facts; `None` without a compiler.
    pub(super) attribution: Option<&'a Attribution>,
    pub(super) overlay: &'a TestOverlay,
    /// Source folders.
    pub(super) roots: &'a [RepoPath],
    pub(super) unpatched_run: &'a UnpatchedRun,
}

/// Behaviour of a patch beyond the existing tests.
#[derive(Clone, Debug, Default)]
pub(super) struct CheckedBehaviour {
    /// Number of generated tests with the same result as without the patch; unknown if none ran.
    pub(super) generated: Option<usize>,
    /// Number of generated tests with a different result.
    pub(super) generated_different: usize,
    /// Number of these tests that call a method which the patch changes; unknown if calls were not recorded.
    pub(super) generated_reaching: Option<usize>,
    /// Signs that the patch only evades the failure, as predicates of a sentence.
    pub(super) overfitting_signs: Vec<String>,
    /// True if the checks for overfitting apply to all changes.
    pub(super) is_classified: bool,
}

impl BehaviourCheck<'_> {
    /// Checks the smallest patches of sources. Returns the results by patched tree.
    ///
    /// # Errors
    /// An interrupt, or a full disk. Other problems are noted, because the check is optional.
    pub(super) fn check_patches(
        &self,
        patches: &[PlausiblePatch],
    ) -> Result<HashMap<TreeId, CheckedBehaviour>> {
        match self.check_distinct(patches) {
            Err(problem @ (Problem::Interrupted | Problem::DiskFull { .. })) => Err(problem),
            Err(problem) => self.note_unchecked(&problem.to_string()).map(|()| HashMap::new()),
            Ok(results) => Ok(results),
        }
    }

    fn check_distinct(
        &self,
        patches: &[PlausiblePatch],
    ) -> Result<HashMap<TreeId, CheckedBehaviour>> {
        let mut trees = HashSet::new();
        let mut distinct: Vec<&PlausiblePatch> =
            patches.iter().filter(|one| one.has_sources && trees.insert(&one.tree)).collect();
        let Some(attribution) = self.attribution.filter(|_| !distinct.is_empty()) else {
            return Ok(HashMap::new());
        };
        distinct.sort_by_key(|patch| patch.tokens.unwrap_or(usize::MAX));
        let (checked, others) = distinct.split_at(distinct.len().min(MAX_CHECKED_PATCHES));
        if !others.is_empty() {
            self.note_unchecked(&format_count(others.len(), "further patch"))?;
        }
        let RepairContext { session, oracle, store, bad, .. } = self.repair_context;
        let stage = "checking the plausible patches beyond the existing tests".to_owned();
        session.run_log.emit(ProgressEvent::Stage(stage))?;
        let target = RepairTarget { session, store, bad, good: None, overlay: self.overlay };
        let attributed =
            AttributedVersion::attribute(attribution, oracle.executor, &bad.overlaid_tree)?;
        let code = attributed.split_files(self.overlay);
        let localiser = FaultLocaliser {
            target: &target,
            executor: oracle.executor,
            code: &code,
            roots: self.roots,
            unpatched_run: self.unpatched_run,
        };
        let LocatedFaults { evidence, recorders, .. } = localiser.locate_faults()?;
        let located = self.locate(checked, &evidence.locator(&code.main))?;
        let mut comparison = BehaviourComparison::new(&target, oracle, recorders, &code.main);
        compare(&located, &mut comparison)
    }

    /// Locates the changes of the patches in the sources of the version.
    fn locate<'p>(
        &self,
        patches: &[&'p PlausiblePatch],
        locator: &PatchLocator<'_>,
    ) -> Result<Vec<(&'p PlausiblePatch, LocatedPatch)>> {
        let RepairContext { store, bad, .. } = self.repair_context;
        let locate = |patch: &&'p PlausiblePatch| {
            let changes = store.diff_trees(&bad.overlaid_tree, &patch.tree)?;
            let files = changes.iter().filter_map(to_patched_file).collect();
            let description = patch.name.clone();
            let located = locator.locate(ExternalPatch { files, description, score: 1.0 });
            Ok(located.map(|one| (*patch, one)))
        };
        patches.iter().filter_map(|patch| locate(patch).transpose()).collect()
    }

    fn note_unchecked(&self, reason: &str) -> Result<()> {
        let reason = reason.lines().next().unwrap_or_default();
        let run_log = &self.repair_context.session.run_log;
        run_log
            .note_unchecked(format!("behaviour of the patches beyond the existing tests: {reason}"))
    }
}

/// Compares the patches in generated tests.
fn compare(
    located: &[(&PlausiblePatch, LocatedPatch)],
    comparison: &mut BehaviourComparison<'_>,
) -> Result<HashMap<TreeId, CheckedBehaviour>> {
    let compared: Vec<_> = located
        .iter()
        .map(|(patch, LocatedPatch { candidate, .. })| ComparedPatch {
            tree: &patch.tree,
            description: patch.name.clone(),
            edits: candidate.change.edited_files().collect(),
            method: (&candidate.path, candidate.method),
            is_overfitting: candidate.overfitting.is_some(),
        })
        .collect();
    let behaviours = comparison.compare(&compared, None)?;
    let behaviours = behaviours.unwrap_or_else(|| vec![PatchBehaviour::default(); located.len()]);
    let results = located
        .iter()
        .zip(behaviours)
        .map(|((patch, one), behaviour)| (patch.tree.clone(), to_checked(one, behaviour)));
    Ok(results.collect())
}

fn to_checked(
    LocatedPatch { candidate, is_classified }: &LocatedPatch,
    behaviour: PatchBehaviour,
) -> CheckedBehaviour {
    let PatchBehaviour { agreement, violated_contract } = behaviour;
    let agreement = agreement.filter(|agreement| agreement.compared_tests > 0);
    let evasion = candidate.overfitting.map(|kind| kind.description().to_owned());
    let violation = violated_contract.map(|contract| format!("violates {contract}"));
    CheckedBehaviour {
        generated: agreement.map(|agreement| agreement.compared_tests - agreement.changed_tests),
        generated_different: agreement.map_or(0, |agreement| agreement.changed_tests),
        generated_reaching: agreement.and_then(|agreement| agreement.reaching_tests),
        overfitting_signs: evasion.into_iter().chain(violation).collect(),
        is_classified: *is_classified,
    }
}
