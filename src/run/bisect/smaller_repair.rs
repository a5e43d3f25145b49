//! Searches for a repair that is smaller than the revert: edits of contract repair at the statements that the revert
//! changes.

use crate::run::bisect::result::{Bisected, Repair};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::patch::apply_edits::write_variant;
use crate::run::patch::attributed_version::{AttributedVersion, VersionCode};
use crate::run::patch::patched_file::to_patched_file;
use crate::run::patch::verification::{PatchClaim, WrittenPatch};
use crate::run::session::{PreparedRun, Session};
use crate::run::subject::attribution::Attribution;
use mend_delta::count_changed_tokens;
use mend_model::{Outcome, Problem, ProgressEvent, RepoPath, Result, TestResult, TreeId, Verdict};
use mend_repair::{
    Contracts, Diagnosis, LocatedCandidate, RecordedValues, RepairInput, SuspiciousStatement,
    find_changed_statements, generate_candidates,
};
use std::time::{Duration, Instant};

/// Maximum number of changed statements, the shortest first: each has hundreds of candidates.
const MAX_STATEMENTS: usize = 8;

/// Maximum number of tested candidates.
const MAX_TRIALS: usize = 60;

/// Time limit of the trials. The last one may exceed it.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Candidate that is smaller than the revert, with the patched version.
struct SmallCandidate {
    candidate: LocatedCandidate,
    tree: TreeId,
}

/// Adds a verified repair that is smaller than the revert, if there is one. A revert that is as small as the culprit needs
/// none. A problem of this search does not affect what was found before.
pub(super) fn add_smaller_repair(
    session: &Session<'_>,
    setup: &SearchSetup<'_>,
    mut found: Bisected,
) -> Result<Bisected> {
    let (Some(revert), Some(culprit)) = (&found.fix, found.culprits.first()) else {
        return Ok(found);
    };
    let Some(attribution) = &setup.prepared.attribution else { return Ok(found) };
    if revert.result.tokens <= culprit.tokens {
        return Ok(found);
    }
    if !revert.result.files.iter().any(|file| RepoPath::from(file.as_str()).is_java()) {
        return Ok(found);
    }
    let stage = "the revert is larger than the culprit; trying smaller repairs";
    session.run_log.emit(ProgressEvent::Stage(stage.to_owned()))?;
    let search = RepairSearch { setup, revert };
    match search.find_repair(attribution) {
        Ok(None) => {}
        Ok(Some(repair)) => {
            found.summary.extend([repair.describe()]);
            found.repair = Some(repair);
        }
        Err(Problem::Interrupted) => return Err(Problem::Interrupted),
        Err(problem) => {
            let note = format!("repairs that are smaller than the revert: {problem}");
            session.run_log.note_unchecked(note)?;
        }
    }
    Ok(found)
}

/// Search for a repair of bad.
struct RepairSearch<'a> {
    setup: &'a SearchSetup<'a>,
    revert: &'a WrittenPatch,
}

impl RepairSearch<'_> {
    fn find_repair(&self, attribution: &Attribution) -> Result<Option<Repair>> {
        let started = Instant::now();
        let candidates = self.generate_small_candidates(attribution)?;
        let count = candidates.len();
        for (tried, SmallCandidate { candidate, tree }) in candidates.into_iter().enumerate() {
            if started.elapsed() > TIME_LIMIT {
                break;
            }
            let bad = &self.setup.prepared.bad;
            let description =
                format!("{}:{} {}", candidate.path, candidate.line, candidate.change.description);
            let oracle = &self.setup.oracle;
            let verdict = oracle.verdict(
                &tree,
                bad.commit_id(),
                description.as_str(),
                Some(count - tried),
            )?;
            if verdict == Verdict::Pass
                && let Some(patch) = self.verify(tree)?
            {
                return Ok(Some(Repair { patch: patch.result, description }));
            }
        }
        Ok(None)
    }

    /// Returns the candidates that are smaller than the revert, the most promising first.
    fn generate_small_candidates(&self, attribution: &Attribution) -> Result<Vec<SmallCandidate>> {
        let PreparedRun { store, executor, overlay, bad, .. } = self.setup.prepared;
        let version = |tree| AttributedVersion::attribute(attribution, executor, tree);
        let (bad_version, good_version) =
            (version(&bad.overlaid_tree)?, version(&self.setup.good.overlaid_tree)?);
        let (VersionCode { tests, main }, good) =
            (bad_version.split_files(overlay), good_version.split_files(overlay));
        let mut suspects: Vec<SuspiciousStatement> = store
            .diff_trees(&bad.overlaid_tree, &self.revert.tree)?
            .iter()
            .filter_map(to_patched_file)
            .flat_map(|file| find_changed_statements(&main, &file.path, &file.edits))
            .collect();
        suspects.truncate(MAX_STATEMENTS);
        let results = self.results_of_bad()?;
        let candidates = generate_candidates(
            RepairInput { main: &main, passing_version: &good.main },
            &Contracts::from_files(&main),
            &suspects,
            &RecordedValues::default(),
            &Diagnosis::from_failures(results.iter().filter_map(TestResult::failure), &tests),
        );
        let mut small = Vec::new();
        for candidate in candidates.into_iter().filter(|one| one.overfitting.is_none()) {
            let edits = candidate.change.edited_files();
            let Some(tree) = write_variant(store, &bad.overlaid_tree, edits)? else { continue };
            let changes = store.diff_trees(&bad.overlaid_tree, &tree)?;
            if count_changed_tokens(&changes) < self.revert.result.tokens {
                small.push(SmallCandidate { candidate, tree });
            }
            if small.len() == MAX_TRIALS {
                break;
            }
        }
        Ok(small)
    }

    fn results_of_bad(&self) -> Result<Vec<TestResult>> {
        let SearchSetup { prepared: PreparedRun { bad, .. }, oracle, .. } = self.setup;
        let judgement =
            oracle.judge(&bad.overlaid_tree, bad.commit_id(), bad.label.as_str(), None)?;
        Ok(match judgement.outcome {
            Some(Outcome::Tests { results }) => results,
            _ => Vec::new(),
        })
    }

    /// Writes and verifies the patch of a repair. Returns `None` if a clean checkout gives another verdict.
    fn verify(&self, tree: TreeId) -> Result<Option<WrittenPatch>> {
        let claim = PatchClaim {
            file: "repair.patch".to_owned(),
            from: &self.setup.prepared.bad,
            tree,
            verdict: Verdict::Pass,
            hunks: 1,
            components: 1,
            is_minimal: false,
            commits: Vec::new(),
            component_numbers: Vec::new(),
        };
        match claim.write_and_verify(&self.setup.prepared.store, &self.setup.oracle) {
            Err(Problem::NotReproduced { .. }) => Ok(None),
            patch => patch.map(Some),
        }
    }
}
