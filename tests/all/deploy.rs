//! What is shipped for the App's server says what the code does.

use git_mend::bot::webhook::events::ASKED_FOR;
use git_mend::github::PERMISSIONS;
use serde_json::{Value, json};
use std::path::Path;

fn shipped(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn the_manifest_asks_for_the_permissions_and_events_that_are_used_and_no_others() {
    let manifest: Value = serde_json::from_str(&shipped("deploy/app-manifest.json")).unwrap();
    let permissions: Value =
        PERMISSIONS.iter().map(|(name, level)| ((*name).to_owned(), json!(level))).collect();
    assert_eq!(manifest["default_permissions"], permissions);
    assert_eq!(manifest["default_events"], json!(ASKED_FOR));
}

#[test]
fn the_documents_name_every_permission() {
    let text = shipped("docs/app.md");
    for (name, level) in PERMISSIONS {
        let level = json!(level);
        let row = format!("| `{name}: {}` |", level.as_str().unwrap());
        assert!(text.contains(&row), "{row}");
    }
}

#[test]
fn the_unit_starts_a_command_that_there_is() {
    let unit = shipped("deploy/git-mend.service");
    let help = crate::support::mend(Path::new("."), &["serve", "--help"]).stdout;
    let flags =
        unit.split_whitespace().filter(|word| word.starts_with("--") && !word.contains('"'));
    for flag in flags.filter(|flag| *flag != "--now") {
        assert!(help.contains(flag), "{flag}");
    }
}
