//! A version to be fixed, its judge, and the description of a fix for it.

use super::judge::Judge;
use super::proof::difference;
use super::session::Session;
use super::versions::Version;
use mend_delta::change_tokens;
use mend_git::Store;
use mend_model::{Demands, FileChange, Result, TreeId};
use mend_report::{FixResult, PatchSummary, Validated};

/// A version to be fixed.
#[derive(Clone, Copy)]
pub(super) struct Mending<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) judge: &'a Judge,
    pub(super) demands: &'a Demands,
    pub(super) store: &'a Store,
    pub(super) bad: &'a Version,
}

/// Where a repair comes from.
pub(super) struct Source<'a> {
    pub(super) technique: &'a str,
    pub(super) operator: &'a str,
    pub(super) why: &'a str,
    /// Whether it changes sources, and not compiled classes.
    pub(super) has_sources: bool,
}

impl Mending<'_> {
    /// A repair without rank and file, and its patch where sources are changed.
    pub(super) fn told(
        &self,
        tree: &TreeId,
        source: &Source<'_>,
    ) -> Result<(FixResult, Option<Vec<u8>>)> {
        let (changes, text) = difference(self.bad, tree, self.store)?;
        let summary = PatchSummary::of(&String::from_utf8_lossy(&text));
        let files = changes.iter().filter_map(FileChange::path).map(ToString::to_string);
        let Source { technique, operator, why, has_sources } = *source;
        let fix = FixResult {
            rank: 0,
            technique: technique.to_owned(),
            operator: operator.to_owned(),
            patch: None,
            tokens: has_sources.then(|| change_tokens(&changes)),
            lines: has_sources.then_some(summary.lines),
            files: if has_sources { files.collect() } else { Vec::new() },
            location: summary.location.filter(|_| has_sources),
            why: why.to_owned(),
            validated: self.validated(),
        };
        Ok((fix, has_sources.then_some(text)))
    }

    /// What was tested of any repair.
    pub(super) fn validated(&self) -> Validated {
        Validated {
            failing_pass: self.demands.mended().len(),
            passing_kept: self.demands.kept().len(),
            ..Validated::default()
        }
    }
}
