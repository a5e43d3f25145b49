//! Tests that the server clones a repository without exposing its token.

use super::jobs::{
    failed_run_event, github_without_sources, installed_server, send_queued, wait_for_jobs,
};
use super::server::Server;
use crate::github_client::REPO_NAME;
use std::env::{join_paths, split_paths, var_os};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// Wrapper of git that logs its arguments, the presence of the token, and the trace of git.
const LOGGING_GIT: &str = r#"#!/bin/sh
PATH=${PATH#*:}
LOG=${0%/*}/log
if test -n "$GIT_MEND_TOKEN"; then
    export GIT_TRACE="$LOG"
fi
printf '%s\n' "${GIT_MEND_TOKEN:+with the token: }$*" >> "$LOG"
exec git "$@"
"#;

#[test]
fn clone_token_is_no_program_argument() {
    let github = github_without_sources();
    let till = github.repo(REPO_NAME);
    till.make_private();
    let head = till.branch("main").unwrap();
    let bin = tempfile::tempdir().unwrap();
    let git = bin.path().join("git");
    fs::write(&git, LOGGING_GIT).unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let path_variable = var_os("PATH").unwrap();
    let path =
        join_paths([bin.path().to_owned()].into_iter().chain(split_paths(&path_variable))).unwrap();
    let (home, installation) = installed_server(&github);
    // The cloned repository contains no code to run.
    let command = &mut home.command();
    let server =
        Server::spawn(command.arg("--run-untrusted-code-without-a-sandbox").env("PATH", path));
    send_queued(&server, installation, "d-1", "workflow_run", failed_run_event(&github));
    wait_for_jobs(&server, "done", 1);
    let log = fs::read_to_string(bin.path().join("log")).unwrap();
    let calls_with_token: Vec<_> =
        log.lines().filter(|line| line.starts_with("with the token: ")).collect();
    assert_eq!(calls_with_token.len(), 1, "{log}");
    assert!(
        calls_with_token[0]
            .contains(&format!(" fetch -q --no-tags --no-recurse-submodules {}", till.clone_url()))
    );
    assert!(log.contains("remote-http") && log.contains("username=x-access-token"), "{log}");
    // The token in plain text, and its Base64 form in a header.
    for token in ["ghs_", "eC1hY2Nlc3MtdG9rZW46"] {
        assert!(!log.contains(token), "{log}");
    }
    till.check_runs(&head);
}
