//! Searches for the minimal revert: the smallest part of the change since good that breaks the test.

use super::request::FixRequest;
use super::result::Fixes;
use super::revert::Revert;
use crate::run::bisect::result::Bisected;
use crate::run::bisect::search_patches;
use crate::run::patch::verification::WrittenPatch;
use crate::run::session::request::{BisectRequest, GoodRevision};
use crate::run::session::{PreparedRun, Session};
use mend_model::Result;
use mend_report::{FixEvidence, FixResult, PatchSummary, REGRESSION_TECHNIQUE};

/// Minimal revert, and the result of the bisection that found it.
#[derive(Default)]
pub(super) struct RevertSearchResult {
    pub(super) fixes: Fixes,
    pub(super) revert: Option<Revert>,
}

/// Searches for the minimal revert of the culprit.
///
/// # Errors
/// Problems of the good version, and every problem that ends a bisection.
pub(super) fn find_revert(
    request: &FixRequest,
    good: &GoodRevision,
    session: &Session<'_>,
    prepared: &PreparedRun,
) -> Result<RevertSearchResult> {
    let bisection = BisectRequest {
        subject: request.subject.clone(),
        good: good.clone(),
        goal: request.goal,
        symptom: request.symptom.clone(),
        skips_history: false,
        first_parent_only: request.first_parent_only,
        skipped_revisions: Vec::new(),
        log: None,
        finds_all_culprits: false,
        is_dry_run: false,
        counts_compile_errors: false,
    };
    let progress = |so_far: &Bisected| {
        let (bisected, summary) = (Some(so_far.clone()), so_far.summary.clone());
        session.run_log.save(&Fixes { bisected, summary, ..Fixes::default() })
    };
    let mut bisected = search_patches(&bisection, session, prepared, &progress)?;
    let patch = bisected.fix.take();
    let revert = patch.map(|patch| to_revert(patch, &bisected));
    let fixes = Fixes {
        ranked: revert.iter().map(|revert| revert.fix.clone()).collect(),
        summary: bisected.summary.clone(),
        bisected: Some(bisected),
        ..Fixes::default()
    };
    Ok(RevertSearchResult { fixes, revert })
}

fn to_revert(patch: WrittenPatch, bisected: &Bisected) -> Revert {
    let WrittenPatch { result, tree, text } = patch;
    let summary = PatchSummary::parse(&String::from_utf8_lossy(&text));
    let culprit = bisected.culprit_commit.as_ref().map(|commit| commit.id.0.as_str());
    let reverted_part = match culprit {
        Some(id) if result.commits == [id] => {
            format!("the part of {} that breaks", id.get(..10).unwrap_or(id))
        }
        Some(_) => "the smallest part of the change since good that breaks".to_owned(),
        None => "the part that breaks".to_owned(),
    };
    let fix = FixResult {
        rank: 1,
        technique: REGRESSION_TECHNIQUE.to_owned(),
        operator: "revert".to_owned(),
        patch: Some(result.patch),
        tokens: Some(result.tokens),
        lines: Some(summary.lines),
        files: result.files,
        location: summary.location,
        why: format!("reverts {reverted_part} the test"),
        confidence: None,
        confidence_reason: None,
        validated: FixEvidence::default(),
    };
    Revert { fix, tree, patch_text: text }
}
