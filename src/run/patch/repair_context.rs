//! Context of a repair: the version, its oracle, and the conversion of fixes into results.

use crate::run::judge::SymptomOracle;
use crate::run::patch::verification::difference;
use crate::run::session::Session;
use crate::run::session::versions::ResolvedVersion;
use mend_delta::change_tokens;
use mend_git::ObjectStore;
use mend_model::{FileChange, Result, TestExpectations, TreeId};
use mend_report::{FixEvidence, FixResult, PatchSummary};

/// A version to be fixed.
#[derive(Clone, Copy)]
pub(crate) struct RepairContext<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) judge: &'a SymptomOracle<'a>,
    pub(crate) demands: &'a TestExpectations,
    pub(crate) store: &'a ObjectStore,
    pub(crate) bad: &'a ResolvedVersion,
}

/// Technique and operator of a fix.
pub(crate) struct RepairOrigin<'a> {
    pub(crate) technique: &'a str,
    pub(crate) operator: &'a str,
    pub(crate) why: &'a str,
    /// The fix changes sources, not class files.
    pub(crate) has_sources: bool,
}

impl RepairContext<'_> {
    /// Converts a fix into a result without rank and file, with its patch if sources are changed.
    pub(crate) fn to_fix_result(
        self,
        tree: &TreeId,
        source: &RepairOrigin<'_>,
    ) -> Result<(FixResult, Option<Vec<u8>>)> {
        let (changes, text) = difference(self.bad, tree, self.store)?;
        let summary = PatchSummary::parse(&String::from_utf8_lossy(&text));
        let files = changes.iter().filter_map(FileChange::path).map(ToString::to_string);
        let RepairOrigin { technique, operator, why, has_sources } = *source;
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

    /// Returns the evidence that every verified fix has.
    pub(crate) fn validated(&self) -> FixEvidence {
        FixEvidence {
            failing_pass: self.demands.mended().len(),
            passing_kept: self.demands.kept().len(),
            ..FixEvidence::default()
        }
    }
}
