//! Cards of the fixes on a page, each with its patch.

use crate::page::patch_view::PatchView;
use crate::terminal::OutputContext;
use crate::view::{FixView, RunArtifacts, Sentence, fix_views, parse_sentence};

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
