//! Context of a repair: the version, its oracle and its expectations; converts fixes to results.

use crate::run::judge::SymptomOracle;
use crate::run::patch::verification::diff_to_original;
use crate::run::session::Session;
use crate::run::session::versions::ResolvedVersion;
use mend_delta::count_changed_tokens;
use mend_git::ObjectStore;
use mend_model::{FileChange, Result, TestExpectations, TreeId};
use mend_report::{FixEvidence, FixResult, PatchSummary};

/// Version to fix, with its oracle and its test expectations.
#[derive(Clone, Copy)]
pub(crate) struct RepairContext<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) oracle: &'a SymptomOracle<'a>,
    pub(crate) expectations: &'a TestExpectations,
    pub(crate) store: &'a ObjectStore,
    pub(crate) bad: &'a ResolvedVersion,
}

/// Technique and operator of a fix.
pub(crate) struct RepairOrigin<'a> {
    pub(crate) technique: &'a str,
    pub(crate) operator: &'a str,
    pub(crate) description: &'a str,
    /// True if the fix changes sources, false if it changes class files.
    pub(crate) has_sources: bool,
}

impl RepairContext<'_> {
    /// Converts a fix to a result without rank and file name. Also returns the patch if sources are changed.
    pub(crate) fn to_fix_result(
        self,
        tree: &TreeId,
        source: &RepairOrigin<'_>,
    ) -> Result<(FixResult, Option<Vec<u8>>)> {
        let (changes, text) = diff_to_original(self.bad, tree, self.store)?;
        let summary = PatchSummary::parse(&String::from_utf8_lossy(&text));
        let files = changes.iter().filter_map(FileChange::path).map(ToString::to_string);
        let RepairOrigin { technique, operator, description: why, has_sources } = *source;
        let fix = FixResult {
            rank: 0,
            technique: technique.to_owned(),
            operator: operator.to_owned(),
            patch: None,
            tokens: has_sources.then(|| count_changed_tokens(&changes)),
            lines: has_sources.then_some(summary.lines),
            files: if has_sources { files.collect() } else { Vec::new() },
            location: summary.location.filter(|_| has_sources),
            why: why.to_owned(),
            confidence: None,
            confidence_reason: None,
            validated: self.base_evidence(),
        };
        Ok((fix, has_sources.then_some(text)))
    }

    /// Returns the evidence that every verified fix has.
    pub(crate) fn base_evidence(&self) -> FixEvidence {
        FixEvidence {
            failing_pass: self.expectations.failing_tests().len(),
            passing_kept: self.expectations.passing_tests().len(),
            ..FixEvidence::default()
        }
    }
}
