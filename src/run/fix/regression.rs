//! Regression repair: reverts the smallest part of the change since good that breaks the test.

use super::request::FixRequest;
use crate::run::bisect::search;
use crate::run::session::Session;
use crate::run::session::request::{BisectRequest, GoodRevision};
use mend_model::{Problem, ProgressEvent, Result};
use mend_report::{FixEvidence, FixResult, PatchResult, PatchSummary, RunGoal};

/// Finds the minimal revert of the culprit; `None` if there is none.
///
/// # Errors
/// Problems of good, and everything that ends a bisection.
pub(super) fn undo(
    request: &FixRequest,
    good: &GoodRevision,
    session: &Session<'_>,
) -> Result<Option<FixResult>> {
    session.ledger.emit(ProgressEvent::Stage("searching for the culprit".to_owned()))?;
    let bisection = BisectRequest {
        subject: request.subject.clone(),
        good: good.clone(),
        goal: RunGoal::Fix,
        symptom: None,
        no_history: false,
        first_parent: false,
        skip: Vec::new(),
        log: None,
        all: false,
        dry_run: false,
    };
    search(&bisection, session)?;
    let found = session.ledger.result().fix;
    session.ledger.update(|result| result.fix = None)?;
    found.map(|patch| to_fix_result(patch, session)).transpose()
}

fn to_fix_result(patch: PatchResult, session: &Session<'_>) -> Result<FixResult> {
    let path = session.ledger.folder.path().join(&patch.patch);
    let text = std::fs::read(&path).map_err(|error| Problem::io(error, &path))?;
    let summary = PatchSummary::parse(&String::from_utf8_lossy(&text));
    let culprit = session.ledger.result().culprit_commit;
    let of = culprit.map_or(String::new(), |id| format!(" of {}", id.get(..10).unwrap_or(&id)));
    Ok(FixResult {
        rank: 1,
        technique: "regression".to_owned(),
        operator: "revert".to_owned(),
        patch: Some(patch.patch),
        tokens: Some(patch.tokens),
        lines: Some(summary.lines),
        files: patch.files,
        location: summary.location,
        why: format!("reverts the part{of} that breaks the test"),
        validated: FixEvidence::default(),
    })
}
