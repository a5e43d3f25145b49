//! Applies the patches of a generator to bad, and rejects those that cannot be tested.

use super::protocol::ProposedPatch;
use crate::run::patch::patch_applier::{PatchApplier, PatchVariant};
use crate::run::patch::patch_source::PatchSource;
use crate::run::patch::patched_file::to_patched_file;
use crate::run::patch::repair_context::RepairContext;
use mend_model::{FileChange, Problem, Result, TreeId};
use mend_repair::{ExternalPatch, LocatedCandidate, LocatedPatch, PatchLocator};
use mend_report::sanitise_line;
use std::fs::File;
use std::io::Write as _;
use tempfile::TempDir;

/// Maximum size of a patch, in bytes.
const MAX_PATCH_BYTES: usize = 1 << 20;

/// Maximum number of characters of a generator's reason.
const MAX_REASON_CHARS: usize = 200;

/// Checker of patches.
pub(super) struct PatchChecker<'a> {
    pub(super) repair_context: RepairContext<'a>,
    pub(super) patch_applier: PatchApplier<'a>,
    pub(super) patch_locator: PatchLocator<'a>,
    /// Score of the patches. The generator saw the failure, so they count as much as our most promising candidate.
    pub(super) score: f64,
    /// New folder for the patches, which a sandboxed generator cannot write.
    pub(super) patch_folder: TempDir,
}

/// Patch that can be tested.
pub(in crate::run) struct UsablePatch {
    pub(in crate::run) tree: TreeId,
    pub(in crate::run) candidate: LocatedCandidate,
    /// True if all checks for overfitting apply to it.
    pub(in crate::run) is_classified: bool,
    pub(in crate::run) edits_tests: bool,
}

/// Patch that cannot be tested.
pub(super) struct RejectedPatch {
    pub(super) reason: String,
    pub(super) edits_tests: bool,
}

impl PatchChecker<'_> {
    /// Applies a patch to bad. An unusable patch is no error.
    pub(super) fn apply(
        &self,
        name: &str,
        proposed: &ProposedPatch,
    ) -> Result<std::result::Result<UsablePatch, RejectedPatch>> {
        let reject = |reason: String| Ok(Err(RejectedPatch { reason, edits_tests: false }));
        let size = proposed.patch.len();
        if size > MAX_PATCH_BYTES {
            return reject(format!(
                "it has {size} bytes, and at most {MAX_PATCH_BYTES} are tested"
            ));
        }
        let file = self.patch_folder.path().join(format!("{name}.patch"));
        // git needs the end of the last line, which generators often leave out.
        let end = if proposed.patch.ends_with('\n') { "" } else { "\n" };
        File::create_new(&file)
            .and_then(|mut created| write!(created, "{}{end}", proposed.patch))
            .map_err(|error| Problem::io(error, &file))?;
        match self.patch_applier.apply(&PatchSource::Diff(file))? {
            PatchVariant::Rejected(reason) => reject(reason),
            PatchVariant::OnlyTests => {
                let reason = "it changes only tests, and fix never changes tests".to_owned();
                Ok(Err(RejectedPatch { reason, edits_tests: true }))
            }
            PatchVariant::Classes(_) => reject("it changes no sources".to_owned()),
            PatchVariant::Sources { tree, touches_tests } => {
                self.locate(name, tree, touches_tests, proposed.reason.as_deref())
            }
        }
    }

    /// Locates the changes of a patch, which may not be binary.
    fn locate(
        &self,
        name: &str,
        tree: TreeId,
        edits_tests: bool,
        reason: Option<&str>,
    ) -> Result<std::result::Result<UsablePatch, RejectedPatch>> {
        let RepairContext { store, bad, .. } = self.repair_context;
        let changes = store.diff_trees(&bad.overlaid_tree, &tree)?;
        if let Some(path) =
            changes.iter().find(|change| is_binary(change)).and_then(FileChange::path)
        {
            let reason = format!("it changes the binary file {path}");
            return Ok(Err(RejectedPatch { reason, edits_tests }));
        }
        let reason = reason.map(|reason| self.repair_context.session.run_log.redact(reason));
        let description = describe(name, reason.as_deref());
        let Some(LocatedPatch { candidate, is_classified }) =
            self.locate_changes(&changes, description)
        else {
            let reason = "it changes nothing".to_owned();
            return Ok(Err(RejectedPatch { reason, edits_tests }));
        };
        Ok(Ok(UsablePatch { tree, candidate, is_classified, edits_tests }))
    }

    /// Locates and classifies the changes of a tree. Returns `None` if there are none.
    pub(super) fn locate_tree(
        &self,
        tree: &TreeId,
        description: String,
    ) -> Result<Option<LocatedPatch>> {
        let RepairContext { store, bad, .. } = self.repair_context;
        let changes = store.diff_trees(&bad.overlaid_tree, tree)?;
        Ok(self.locate_changes(&changes, description))
    }

    fn locate_changes(&self, changes: &[FileChange], description: String) -> Option<LocatedPatch> {
        let files = changes.iter().filter_map(to_patched_file).collect();
        self.patch_locator.locate(ExternalPatch { files, description, score: self.score })
    }
}

fn is_binary(change: &FileChange) -> bool {
    change.old.iter().chain(&change.new).any(|(_, state)| state.content.contains(&0))
}

/// Describes a patch by the generator's reason, without secrets, on one line, or by its name.
fn describe(name: &str, reason: Option<&str>) -> String {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    reason.map_or_else(
        || format!("{name} (from the generator)"),
        |reason| {
            let words = reason.split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = sanitise_line(&words).chars().take(MAX_REASON_CHARS).collect();
            format!("{short} (from the generator)")
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_of_a_generator_is_one_safe_line() {
        let describe = |reason| describe("candidate-3", reason);
        assert_eq!(describe(None), "candidate-3 (from the generator)");
        assert_eq!(describe(Some(" \n")), "candidate-3 (from the generator)");
        assert_eq!(
            describe(Some("use\n<= \u{1b}[31m")),
            "use <= \u{fffd}[31m (from the generator)"
        );
        assert!(describe(Some(&"x".repeat(10_000))).len() < 300);
    }
}
