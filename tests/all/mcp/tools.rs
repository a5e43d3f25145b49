//! Tests of the list of tools.

use super::client::Client;
use crate::support::{repository, run_mend};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

#[test]
fn tools_have_annotations_descriptions_and_schemas() {
    let dir = repository();
    let client = Client::start(dir.path());
    let names: Vec<&str> = client.tools.iter().map(|tool| &*tool.name).collect();
    let expected = [
        "run_test",
        "find_culprit",
        "explain_change",
        "validate_patches",
        "explore_schedules",
        "minimise_patch",
        "status",
        "cancel",
    ];
    assert_eq!(names, expected);
    for tool in &client.tools {
        let annotations = serde_json::to_value(tool.annotations.as_ref().unwrap()).unwrap();
        let open_world = !matches!(&*tool.name, "status" | "cancel");
        let expected = json!({
            "readOnlyHint": tool.name != "cancel",
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": open_world,
        });
        assert_eq!(annotations, expected, "{}", tool.name);
        assert!(tool.description.as_ref().unwrap().len() > 40, "{}", tool.name);
        assert_eq!(tool.input_schema["type"], "object");
    }
}

#[test]
fn status_without_a_run_lists_none_at_first() {
    let dir = repository();
    let client = Client::start(dir.path());
    let answer = client.call("status", json!({}));
    assert_eq!(answer.result()["runs"], json!([]));
    assert_eq!(answer.text, "there are no runs yet\n");
    assert!(!dir.path().join(".git/mend/runs").exists());
}

#[test]
fn registry_file_matches_the_readme_and_the_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("server.json")).unwrap();
    let server: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(server["version"], env!("CARGO_PKG_VERSION"));
    assert!(server["description"].as_str().unwrap().len() <= 100);
    let line = format!("`mcp-name: {}`", server["name"].as_str().unwrap());
    assert!(fs::read_to_string(root.join("README.md")).unwrap().contains(&line), "{line}");
}

#[test]
fn skill_page_is_printed_with_its_header() {
    let output = run_mend(Path::new("."), &["generate", "skill"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.starts_with("---\nname: git-mend\ndescription: "), "{}", output.stdout);
}
