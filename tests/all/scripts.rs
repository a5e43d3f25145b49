//! Tests of the script `scripts/test`.

use crate::support::{CommandOutput, write};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Runs `scripts/test` with stubs of its programs, of which the installers fail.
fn run_test_script_offline(ci: Option<&str>) -> CommandOutput {
    let dir = TempDir::new().unwrap();
    let script = |name: &str, text: &str| {
        write(dir.path(), name, text);
        fs::set_permissions(dir.path().join(name), Permissions::from_mode(0o755)).unwrap();
    };
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/test");
    script("scripts/test", &fs::read_to_string(test).unwrap());
    let codes = [
        ("scripts/setup", 0),
        ("scripts/lint-tools", 1),
        ("scripts/guide", 1),
        ("scripts/test-java", 0),
        ("bin/cargo", 0),
    ];
    for (name, code) in codes {
        script(name, &format!("#!/bin/sh\nexit {code}\n"));
    }
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new(dir.path().join("scripts/test"));
    command.env("PATH", format!("{}:{path}", dir.path().join("bin").display())).env_remove("CI");
    command.envs(ci.map(|word| ("CI", word))).output().unwrap().into()
}

#[test]
fn missing_tools_are_skipped_locally_and_fail_in_ci() {
    let local_run = run_test_script_offline(None);
    local_run
        .assert_exit_and_stderr(0, &["the workflows were not linted", "the guide was not built"]);
    let in_ci = run_test_script_offline(Some("true"));
    assert_eq!((in_ci.code, in_ci.stderr.lines().count()), (1, 1), "{}", in_ci.stderr);
}
