//! Search for a patch of the build files with which the tests pass.

use super::build_change::{BuildChange, changes_between, file_of};
use super::build_file_edit::BuildFiles;
use super::build_reader::{BuildParts, BuildReader};
use super::result::FoundUpgrade;
use super::version_search::{OtherParts, VersionSearch};
use crate::run::patch::verification::{PatchClaim, WrittenPatch};
use crate::run::session::run_log::TrialSubject;
use mend_model::{Problem, Result, TreeId, Verdict};

/// Maximum number of libraries whose versions are lowered for a library that they bring in.
const MAX_LOWERED_USERS: usize = 3;

/// Searches for a patch of the build files with which the tests pass.
pub(super) struct FixSearch<'a> {
    pub(super) reader: &'a BuildReader<'a>,
    pub(super) versions: &'a VersionSearch<'a>,
    /// Parts of the build of bad.
    pub(super) new: &'a BuildParts,
}

/// Edit of the versions in the build files.
struct FixEdit {
    tree: TreeId,
    /// Number of culprits without which the tests pass.
    culprits: usize,
    is_minimal: bool,
}

impl FixSearch<'_> {
    /// Writes and verifies a patch of the build files that gives, for each culprit, one part of the build its last version
    /// that passes. Returns `None` if no edits of versions do that.
    pub(super) fn write_fix(
        &self,
        upgrades: &[FoundUpgrade],
        build_files: &BuildFiles,
    ) -> Result<Option<WrittenPatch>> {
        let mut failed = None;
        for is_tested in [false, true] {
            let Some(edit) = self.edit_versions(upgrades, build_files, is_tested)? else {
                continue;
            };
            match self.verify(edit) {
                Err(Problem::NotReproduced { what, .. }) => failed = Some(what),
                result => return result.map(Some),
            }
        }
        if let Some(what) = failed {
            let note = format!("{what}: the tests do not pass with it");
            self.versions.setup.oracle.run_log.note_unchecked(note)?;
        }
        Ok(None)
    }

    /// Sets a version for each culprit: its last one that passes, or else, or if each edit is to be tested, that of a
    /// library that brings it in.
    fn edit_versions(
        &self,
        upgrades: &[FoundUpgrade],
        build_files: &BuildFiles,
        is_tested: bool,
    ) -> Result<Option<FixEdit>> {
        let culprits = upgrades.last().map_or(0, |upgrade| upgrade.culprit);
        let mut edited = build_files.clone();
        let mut rest = Vec::new();
        for culprit in 1..=culprits {
            let members = members_of(upgrades, culprit);
            let direct =
                if is_tested { None } else { self.set_passing_version(&edited, &members)? };
            match direct {
                Some(next) => edited = next,
                None => rest.push(culprit),
            }
        }
        // Lowering a library that brings the culprit in may take two edits, of which one may be unnecessary.
        let is_minimal = rest.is_empty() && culprits == 1;
        // These run the tests, which pass only without the other culprits.
        for culprit in rest {
            match self.lower_users(&edited, &members_of(upgrades, culprit))? {
                Some(next) => edited = next,
                None => return Ok(None),
            }
        }
        Ok(Some(FixEdit { tree: edited.tree, culprits, is_minimal }))
    }

    fn verify(&self, FixEdit { tree, culprits, is_minimal }: FixEdit) -> Result<WrittenPatch> {
        let setup = self.versions.setup;
        let claim = PatchClaim {
            file: "fix.patch".to_owned(),
            from: &setup.prepared.bad,
            tree,
            verdict: Verdict::Pass,
            hunks: culprits,
            components: culprits,
            is_minimal,
            commits: Vec::new(),
            component_numbers: Vec::new(),
        };
        claim.write_and_verify(&setup.prepared.store, &setup.oracle)
    }

    /// Gives the first of some libraries that can be changed alone its last version that passes: where it is declared, or
    /// by a property or a managed version of a POM.
    fn set_passing_version(
        &self,
        build_files: &BuildFiles,
        members: &[&FoundUpgrade],
    ) -> Result<Option<BuildFiles>> {
        let changes_of = |tree: &TreeId| self.changes_of(tree);
        for FoundUpgrade { change, boundary, .. } in members {
            let Some(boundary) = boundary else { continue };
            if boundary.others == OtherParts::OfGood {
                continue;
            }
            let version = &boundary.last_good;
            let mut edited = build_files.set_version(change, version, &changes_of)?;
            if edited.is_none() {
                let poms = build_files.poms();
                let inherited = self.reader.inherited_properties(&build_files.tree, poms)?;
                edited = build_files.override_version(change, version, &inherited, &changes_of)?;
            }
            if edited.is_none() {
                edited = build_files.set_parent_version(change, version, &changes_of)?;
            }
            if edited.is_some() {
                return Ok(edited);
            }
        }
        Ok(None)
    }

    /// Gives one of some libraries its last version that passes, with the libraries that need a newer one: it lowers a
    /// declared library that brings it in to the last version with which the tests pass.
    fn lower_users(
        &self,
        build_files: &BuildFiles,
        members: &[&FoundUpgrade],
    ) -> Result<Option<BuildFiles>> {
        for FoundUpgrade { change, boundary, .. } in members {
            let mut bases = vec![build_files.clone()];
            if let Some(boundary) = boundary
                && let Some(edited) = self.set_version(build_files, change, &boundary.last_good)?
            {
                if self.is_passing(&edited, change, &boundary.last_good)? {
                    return Ok(Some(edited));
                }
                // The dependencies of that version may be the reason, so an older one may pass.
                if boundary.others == OtherParts::OfBad
                    && let Some(lowered) = self.lower(build_files, change)?
                {
                    return Ok(Some(lowered));
                }
                bases.insert(0, edited);
            }
            for user in self.users_of(change, build_files) {
                for base in &bases {
                    let lowered = self.lower(base, user)?;
                    if lowered.is_some() {
                        return Ok(lowered);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns the changed libraries that a build file names and that depend on a library, directly or through others.
    fn users_of(&self, change: &BuildChange, build_files: &BuildFiles) -> Vec<&BuildChange> {
        let repositories = &self.reader.attribution.options.repositories;
        let users = change.all_users_among(change.path_in(self.new), repositories);
        let is_user = |one: &&BuildChange| {
            let file = file_of(one.new.as_ref());
            file.is_some_and(|file| users.iter().any(|user| user == file))
                && build_files.declare(one)
        };
        let changes = self.versions.variants.trees.changes.iter();
        changes.filter(is_user).take(MAX_LOWERED_USERS).collect()
    }

    /// Gives a library its last version with which the tests pass. Returns `None` if its old version does not pass.
    fn lower(&self, build_files: &BuildFiles, library: &BuildChange) -> Result<Option<BuildFiles>> {
        let Some(old) = library.old_version() else { return Ok(None) };
        let mut best = self.pass_with(build_files, library, old)?;
        let between = self.versions.versions_between(library)?;
        let (mut low, mut high) = (0, between.len());
        while best.is_some() && low < high {
            let middle = low + (high - low) / 2;
            match self.pass_with(build_files, library, &between[middle])? {
                Some(passing) => (best, low) = (Some(passing), middle + 1),
                None => high = middle,
            }
        }
        Ok(best)
    }

    /// Returns the build files with a version of a library if the tests pass with them.
    fn pass_with(
        &self,
        build_files: &BuildFiles,
        library: &BuildChange,
        version: &str,
    ) -> Result<Option<BuildFiles>> {
        let Some(edited) = self.set_version(build_files, library, version)? else {
            return Ok(None);
        };
        Ok(self.is_passing(&edited, library, version)?.then_some(edited))
    }

    /// Returns true if the tests pass with build files that give a library another version.
    fn is_passing(
        &self,
        edited: &BuildFiles,
        library: &BuildChange,
        version: &str,
    ) -> Result<bool> {
        let description = format!("with {}:{version} in the build file", library.name);
        let trial = TrialSubject { description, commit: None, search: None };
        let setup = self.versions.setup;
        let bad = setup.prepared.bad.commit_id();
        Ok(setup.oracle.verdict(&edited.tree, bad, trial, None)? == Verdict::Pass)
    }

    fn set_version(
        &self,
        build_files: &BuildFiles,
        library: &BuildChange,
        version: &str,
    ) -> Result<Option<BuildFiles>> {
        let changes_of = |tree: &TreeId| self.changes_of(tree);
        match build_files.set_version(library, version, &changes_of)? {
            None => build_files.set_parent_version(library, version, &changes_of),
            edited => Ok(edited),
        }
    }

    /// Returns how the build of a tree differs from that of bad.
    fn changes_of(&self, tree: &TreeId) -> Result<Vec<BuildChange>> {
        let repositories = &self.reader.attribution.options.repositories;
        Ok(changes_between(self.new, &self.reader.read(tree)?, repositories))
    }
}

fn members_of(upgrades: &[FoundUpgrade], culprit: usize) -> Vec<&FoundUpgrade> {
    upgrades.iter().filter(|upgrade| upgrade.culprit == culprit).collect()
}
