//! Variants of a version that differ in their libraries only.

use super::library_change::{Library, LibraryChange};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::session::run_log::TrialSubject;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::to_repo_path;
use anyhow::Context as _;
use mend_engine::{REPLACED_LIBRARIES_FILE, ReplacedLibraries};
use mend_model::{FileMode, FileState, Result, TreeEdit, TreeId, Verdict};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which of the two versions gives the sources of the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Bad,
    Good,
}

/// Variants of a version that differ in their libraries only.
pub(super) struct LibraryVariants<'a> {
    setup: &'a SearchSetup<'a>,
    pub(super) changes: &'a [LibraryChange],
    base: Base,
}

/// The file of each changed library in a variant; `None` if the variant lacks it.
pub(super) type LibraryFiles = Vec<Option<PathBuf>>;

impl<'a> LibraryVariants<'a> {
    /// Finds the version whose tests the libraries alone break: bad, if it passes with the libraries of good, or else
    /// good, if it fails with those of bad. Returns `None` if neither does.
    pub(super) fn find_base(
        setup: &'a SearchSetup<'a>,
        changes: &'a [LibraryChange],
    ) -> Result<Option<Self>> {
        let of_bad = Self { setup, changes, base: Base::Bad };
        let old_files = of_bad.files(|_| false);
        if of_bad.judge(&old_files, "bad with the libraries of good", None)? == Verdict::Pass {
            return Ok(Some(of_bad));
        }
        let of_good = Self { base: Base::Good, ..of_bad };
        let new_files = of_good.files(|_| true);
        let verdict = of_good.judge(&new_files, "good with the libraries of bad", None)?;
        Ok((verdict == Verdict::Fail).then_some(of_good))
    }

    /// Returns the files of a variant with these upgrades.
    pub(super) fn files(&self, is_upgraded: impl Fn(usize) -> bool) -> LibraryFiles {
        let library = |(at, change): (usize, &LibraryChange)| {
            let library = if is_upgraded(at) { &change.new } else { &change.old };
            library.as_ref().map(|library| library.file.clone())
        };
        self.changes.iter().enumerate().map(library).collect()
    }

    /// Tests the variant with these files. `remaining` is the estimated number of trials, this one included.
    pub(super) fn judge(
        &self,
        files: &LibraryFiles,
        description: &str,
        remaining: Option<usize>,
    ) -> Result<Verdict> {
        let tree = self.write_tree(files)?;
        let trial =
            TrialSubject { description: description.to_owned(), commit: None, search: None };
        self.setup.oracle.verdict(&tree, self.version().commit_id(), trial, remaining)
    }

    fn version(&self) -> &ResolvedVersion {
        match self.base {
            Base::Bad => &self.setup.prepared.bad,
            Base::Good => &self.setup.good,
        }
    }

    fn other_version(&self) -> &ResolvedVersion {
        match self.base {
            Base::Bad => &self.setup.good,
            Base::Good => &self.setup.prepared.bad,
        }
    }

    fn write_tree(&self, files: &LibraryFiles) -> Result<TreeId> {
        let tree = &self.version().overlaid_tree;
        let replaced = self.replaced_libraries(files);
        if replaced == ReplacedLibraries::default() {
            return Ok(tree.clone());
        }
        let json = serde_json::to_vec(&replaced).context("writing JSON")?;
        let state = FileState { mode: FileMode::Regular, content: json.into() };
        let mut changes = BTreeMap::from([(REPLACED_LIBRARIES_FILE.into(), Some(state))]);
        let store = &self.setup.prepared.store;
        for file in files.iter().flatten().filter(|file| file.is_relative()) {
            let path = to_repo_path(file);
            // A jar that the other version has in its tree.
            if store.read_file(tree, &path)?.is_none() {
                let jar = store.read_file(&self.other_version().overlaid_tree, &path)?;
                changes.insert(path, jar);
            }
        }
        store.write_tree(&TreeEdit { base: tree.clone(), changes })
    }

    fn replaced_libraries(&self, files: &LibraryFiles) -> ReplacedLibraries {
        let mut replaced = ReplacedLibraries::default();
        for (change, file) in self.changes.iter().zip(files) {
            let own = match self.base {
                Base::Bad => &change.new,
                Base::Good => &change.old,
            };
            match own {
                Some(Library { file: own, .. }) if Some(own) != file.as_ref() => {
                    replaced.replacements.insert(own.clone(), file.clone());
                }
                Some(_) => {}
                None => replaced.additions.extend(file.clone()),
            }
        }
        replaced
    }
}
