//! Result of a search for fixes.

use crate::run::bisect::result::Bisected;
use crate::run::patch::confidence::rate_ranked_fixes;
use crate::run::session::command_result::{CommandResult, verified_by_fresh_processes};
use crate::run::session::summary::Summary;
use mend_report::{
    FixResult, GeneratorResult, RunResult, RunStatus, ScheduleReport, UnverifiedFix,
};
use std::collections::{BTreeMap, BTreeSet};

/// Result of a search for fixes, complete or so far.
#[derive(Clone, Default)]
pub(crate) struct Fixes {
    /// Search for the culprit, if a good version is known.
    pub(crate) bisected: Option<Bisected>,
    /// Exploration of bad, if its failure depends on the schedule.
    pub(crate) schedules: Option<ScheduleReport>,
    /// Fixes, best first.
    pub(crate) ranked: Vec<FixResult>,
    /// Plausible fixes that are not verified yet, best first.
    pub(crate) unverified: Vec<UnverifiedFix>,
    /// Patches of an external generator, if the user asked for one.
    pub(crate) generator: Option<GeneratorResult>,
    /// Reasons why the verification rejected patches of the generator, by name.
    pub(crate) rejected_patches: BTreeMap<String, String>,
    /// Names of patches of the generator that are the same as the revert.
    pub(crate) reverting_patches: BTreeSet<String>,
    pub(crate) summary: Summary,
    /// Command that continues the search.
    pub(crate) next_command: Option<String>,
    /// True if all techniques were tried.
    pub(crate) is_complete: bool,
}

impl Fixes {
    /// Returns true if the confidence in a fix is not low.
    pub(crate) fn has_recommended_fix(&self) -> bool {
        rate_ranked_fixes(&self.ranked).iter().any(FixResult::is_recommended)
    }
}

impl CommandResult for Fixes {
    fn status(&self) -> RunStatus {
        if self.has_recommended_fix() { RunStatus::Found } else { RunStatus::None }
    }

    fn write_to(&self, document: &mut RunResult) {
        if let Some(bisected) = &self.bisected {
            bisected.write_search_to(document);
        }
        document.schedules.clone_from(&self.schedules);
        document.fixes = rate_ranked_fixes(&self.ranked);
        document.unverified_fixes.clone_from(&self.unverified);
        document.generator.clone_from(&self.generator);
        document.next_command.clone_from(&self.next_command);
        self.summary.write_to(document);
        if self.is_complete {
            let has_fix = !self.ranked.is_empty();
            document.confirmed = has_fix.then(|| verified_by_fresh_processes(true));
        }
    }
}
