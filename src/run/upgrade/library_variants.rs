//! Tests variants of a version that differ in their libraries only.

use super::library_change::LibraryChange;
use super::library_trees::{Base, LibraryFiles, LibraryTrees};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::session::run_log::TrialSubject;
use mend_model::{Result, Verdict};
use std::sync::Arc;

/// Variants of a version that differ in their libraries only, and their oracle.
pub(super) struct LibraryVariants<'a> {
    setup: &'a SearchSetup<'a>,
    pub(super) trees: LibraryTrees,
}

impl<'a> LibraryVariants<'a> {
    /// Finds the version whose tests the libraries alone break: bad, if it passes with the libraries of good, or else
    /// good, if it fails with those of bad. Returns `None` if neither does.
    pub(super) fn find_base(
        setup: &'a SearchSetup<'a>,
        changes: &[LibraryChange],
    ) -> Result<Option<Self>> {
        let trees = LibraryTrees {
            store: Arc::clone(&setup.prepared.store),
            good: setup.good.clone(),
            bad: setup.prepared.bad.clone(),
            changes: changes.into(),
            base: Base::Bad,
        };
        let of_bad = Self { setup, trees };
        let old_files = of_bad.trees.files(|_| false);
        if of_bad.judge(&old_files, "bad with the libraries of good", None)? == Verdict::Pass {
            return Ok(Some(of_bad));
        }
        let of_good = Self { trees: LibraryTrees { base: Base::Good, ..of_bad.trees }, setup };
        let new_files = of_good.trees.files(|_| true);
        let verdict = of_good.judge(&new_files, "good with the libraries of bad", None)?;
        Ok((verdict == Verdict::Fail).then_some(of_good))
    }

    /// Tests the variant with these files. `remaining` is the estimated number of trials, this one included.
    pub(super) fn judge(
        &self,
        files: &LibraryFiles,
        description: &str,
        remaining: Option<usize>,
    ) -> Result<Verdict> {
        let tree = self.trees.write_tree(files)?;
        let trial =
            TrialSubject { description: description.to_owned(), commit: None, search: None };
        self.setup.oracle.verdict(&tree, self.trees.version().commit_id(), trial, remaining)
    }
}
