//! Fixes side by side, each with its patch.

use crate::page::patch_view::PatchView;
use crate::terminal::OutputContext;
use crate::view::{FixView, RunArtifacts, Sentence, marked, repairs};

/// Fix as a card.
pub(super) struct FixCard {
    pub(super) id: String,
    pub(super) apply_id: String,
    pub(super) why: Sentence,
    pub(super) repair: FixView,
    pub(super) patch: Option<PatchView>,
    pub(super) command: Option<String>,
}

/// Returns the fixes of a run, the best first.
pub(super) fn cards(material: &RunArtifacts<'_>, scene: &OutputContext<'_>) -> Vec<FixCard> {
    let view = |repair: FixView| {
        let file = repair.patch.as_deref();
        FixCard {
            id: format!("fix-{}", repair.rank),
            apply_id: format!("apply-{}", repair.rank),
            why: marked(&repair.why),
            patch: file.map(|file| PatchView::read(material.run, file)),
            // The header shows the command of the first one.
            command: file
                .filter(|_| repair.rank > 1 && scene.is_kept)
                .map(|file| scene.apply(file)),
            repair,
        }
    };
    repairs(material).into_iter().map(view).collect()
}
