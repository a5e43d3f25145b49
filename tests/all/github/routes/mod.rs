//! Routes of the fake: the served operations by GitHub's names. Requests of other operations are errors.

mod apps;
mod checks;
mod comments;
mod commits;
mod objects;
mod pulls;
mod refs;
mod repos;
mod reviews;
mod runs;

pub(crate) use apps::MANIFEST_CODE;
pub(super) use objects::guard_workflows;

use super::access::Need;
use super::answer::Handled;
use super::call::Call;
use mend_github::AccessLevel::{Read, Write};

/// Served operation with its required permission and handler.
pub(super) struct Route {
    pub(super) operation: &'static str,
    pub(super) requirement: Need,
    pub(super) handle: fn(&mut Call<'_>) -> Handled,
}

const fn route(operation: &'static str, need: Need, handle: fn(&mut Call<'_>) -> Handled) -> Route {
    Route { operation, requirement: need, handle }
}

const READ_CODE: Need = Need::Repo(&["contents"], Read);
const WRITE_CODE: Need = Need::Repo(&["contents"], Write);
const READ_PULLS: Need = Need::Repo(&["pull_requests"], Read);
const WRITE_PULLS: Need = Need::Repo(&["pull_requests"], Write);
const READ_COMMENTS: Need = Need::Repo(&["issues", "pull_requests"], Read);
const WRITE_COMMENTS: Need = Need::Repo(&["issues", "pull_requests"], Write);
const READ_ACTIONS: Need = Need::Repo(&["actions"], Read);
const READ_METADATA: Need = Need::Repo(&["metadata"], Read);

/// Query parameters that the handlers support, a subset of GitHub's.
pub(super) const SUPPORTED_PARAMETERS: [&str; 16] = [
    "base",
    "branch",
    "check_name",
    "created",
    "direction",
    "event",
    "exclude_pull_requests",
    "filter",
    "head",
    "head_sha",
    "page",
    "per_page",
    "recursive",
    "sort",
    "state",
    "status",
];

/// All served operations.
pub(super) const ROUTES: [Route; 41] = [
    route("apps/create-installation-access-token", Need::App, apps::create_token),
    route("apps/get-repo-installation", Need::App, apps::repo_installation),
    route("apps/create-from-manifest", Need::Nothing, apps::convert_manifest),
    route("repos/get", READ_METADATA, repos::get),
    route("repos/get-branch-rules", READ_METADATA, repos::branch_rules),
    route(
        "actions/get-github-actions-default-workflow-permissions-repository",
        READ_METADATA,
        repos::workflow_permissions,
    ),
    route("repos/create-dispatch-event", WRITE_CODE, repos::dispatch),
    route("repos/get-collaborator-permission-level", READ_METADATA, repos::permission),
    route("repos/get-commit", READ_CODE, commits::get),
    route("repos/compare-commits-with-basehead", READ_CODE, commits::compare),
    route("repos/list-pull-requests-associated-with-commit", READ_PULLS, pulls::list_for_commit),
    route("git/get-ref", READ_CODE, refs::get),
    route("git/create-ref", WRITE_CODE, refs::create),
    route("git/update-ref", WRITE_CODE, refs::update),
    route("git/delete-ref", WRITE_CODE, refs::delete),
    route("git/get-tree", READ_CODE, objects::get_tree),
    route("git/create-tree", WRITE_CODE, objects::create_tree),
    route("git/get-blob", READ_CODE, objects::get_blob),
    route("git/create-blob", WRITE_CODE, objects::create_blob),
    route("git/create-commit", WRITE_CODE, objects::create_commit),
    route("pulls/list", READ_PULLS, pulls::list),
    route("pulls/create", WRITE_PULLS, pulls::create),
    route("pulls/get", READ_PULLS, pulls::get),
    route("pulls/update", WRITE_PULLS, pulls::update),
    route("pulls/list-reviews", READ_PULLS, reviews::list),
    route("pulls/create-review", WRITE_PULLS, reviews::create),
    route("issues/list-comments", READ_COMMENTS, comments::list),
    route("issues/list-comments-for-repo", READ_COMMENTS, comments::list_all),
    route("issues/create-comment", WRITE_COMMENTS, comments::create),
    route("issues/get-comment", READ_COMMENTS, comments::get),
    route("issues/update-comment", WRITE_COMMENTS, comments::update),
    route("issues/add-labels", WRITE_COMMENTS, pulls::add_labels),
    route("reactions/create-for-issue-comment", WRITE_COMMENTS, comments::react),
    route("checks/create", Need::AppIn("checks", Write), checks::create),
    route("checks/update", Need::AppIn("checks", Write), checks::update),
    route("checks/get", Need::AppIn("checks", Read), checks::get),
    route("checks/list-annotations", Need::AppIn("checks", Read), checks::annotations),
    route("checks/list-for-ref", Need::AppIn("checks", Read), checks::list),
    route("actions/list-workflow-runs", READ_ACTIONS, runs::list),
    route("actions/list-workflow-runs-for-repo", READ_ACTIONS, runs::list_all),
    route("actions/get-workflow-run", READ_ACTIONS, runs::get),
];
