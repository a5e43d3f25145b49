//! Cards of the fixes on a page, each with its patch, also of those that were not verified.

use crate::UnverifiedFix;
use crate::page::patch_view::PatchView;
use crate::terminal::OutputContext;
use crate::view::{
    FixView, RunArtifacts, Sentence, fix_views, fixed_test_sentences, parse_sentence,
};
use mend_model::format_count;

/// Fix as a card.
pub(super) struct FixCard {
    pub(super) id: String,
    pub(super) apply_id: String,
    pub(super) rationale: Sentence,
    pub(super) view: FixView,
    pub(super) patch: Option<PatchView>,
    pub(super) command: Option<String>,
}

/// Returns the fixes of a run, the best first.
pub(super) fn fix_cards(artifacts: &RunArtifacts<'_>, context: &OutputContext<'_>) -> Vec<FixCard> {
    let card_of = |repair: FixView| {
        let file = repair.patch.as_deref();
        FixCard {
            id: format!("fix-{}", repair.rank),
            apply_id: format!("apply-{}", repair.rank),
            rationale: parse_sentence(&repair.rationale),
            patch: file.map(|file| PatchView::read(artifacts.run, file)),
            // The page header shows the command of the best fix.
            command: file
                .filter(|_| repair.rank > 1 && context.can_read_folder)
                .map(|file| context.apply_command(file)),
            view: repair,
        }
    };
    fix_views(artifacts).into_iter().map(card_of).collect()
}

/// Plausible fix that was not verified, as a card.
pub(super) struct UnverifiedCard {
    pub(super) id: String,
    pub(super) rationale: Sentence,
    pub(super) method: String,
    pub(super) patch: PatchView,
    pub(super) evidence: Vec<Sentence>,
    pub(super) not_checked: Vec<String>,
}

/// Returns the plausible fixes of a run that were not verified, the best first.
pub(super) fn unverified_cards(artifacts: &RunArtifacts<'_>) -> Vec<UnverifiedCard> {
    let card_of = |(fix, number): (&UnverifiedFix, usize)| UnverifiedCard {
        id: format!("unverified-{number}"),
        rationale: parse_sentence(&fix.why),
        method: format!(
            "{}, {}; {}",
            fix.technique,
            fix.operator,
            format_count(fix.tokens, "token")
        ),
        patch: PatchView::read(artifacts.run, &fix.patch),
        evidence: fixed_test_sentences(fix.failing_pass, &fix.still_failing),
        not_checked: fix.not_checked.clone(),
    };
    artifacts.result().unverified_fixes.iter().zip(1..).map(card_of).collect()
}
