//! Result of `status` and `cancel`: that of the tool that started the run, or a list of runs.

use super::change::ChangeResult;
use super::culprit::CulpritResult;
use super::minimised::MinimisedResult;
use super::patches::PatchesResult;
use super::schedules::SchedulesResult;
use super::tests::TestsResult;
use schemars::JsonSchema;
use serde::Serialize;

/// Result of the tool that started the run, or the newest runs
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum StatusResult {
    /// Result of `run_test`
    Tests(TestsResult),
    /// Result of `find_culprit`
    Culprit(CulpritResult),
    /// Result of `explain_change`
    Change(ChangeResult),
    /// Result of `validate_patches`
    Patches(PatchesResult),
    /// Result of `explore_schedules`
    Schedules(SchedulesResult),
    /// Result of `minimise_patch`
    Minimised(MinimisedResult),
    /// List of `status` without a run
    Runs(RunList),
}

/// Newest runs
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct RunList {
    /// Runs, newest first
    pub(crate) runs: Vec<ListedRun>,
}

/// Run in a list
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ListedRun {
    /// Run folder
    pub(crate) run: String,
    /// Command: `bisect`, `validate`, ...
    pub(crate) command: String,
    /// Result so far in words, or `running`
    pub(crate) summary: String,
}
