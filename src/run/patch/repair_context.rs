//! A version to be fixed, its judge, and the description of a fix for it.

use crate::run::judge::Judge;
use crate::run::patch::verification::difference;
use crate::run::session::Session;
use crate::run::session::versions::Version;
use mend_delta::change_tokens;
use mend_git::Store;
use mend_model::{Demands, FileChange, Result, TreeId};
use mend_report::{FixResult, PatchSummary, Validated};

/// A version to be fixed.
#[derive(Clone, Copy)]
pub(crate) struct Mending<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) judge: &'a Judge,
    pub(crate) demands: &'a Demands,
    pub(crate) store: &'a Store,
    pub(crate) bad: &'a Version,
}

/// Where a repair comes from.
pub(crate) struct Source<'a> {
    pub(crate) technique: &'a str,
    pub(crate) operator: &'a str,
    pub(crate) why: &'a str,
    /// Whether it changes sources, and not compiled classes.
    pub(crate) has_sources: bool,
}

impl Mending<'_> {
    /// A repair without rank and file, and its patch where sources are changed.
    pub(crate) fn told(
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
    pub(crate) fn validated(&self) -> Validated {
        Validated {
            failing_pass: self.demands.mended().len(),
            passing_kept: self.demands.kept().len(),
            ..Validated::default()
        }
    }
}
