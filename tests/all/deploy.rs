//! What is shipped for the App's server says what the code does.

use mend_bot::webhook::events::SUBSCRIBED_EVENTS;
use mend_github::PERMISSIONS;
use serde_json::{Value, json};
use std::collections::BTreeSet;
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
    assert_eq!(manifest["default_events"], json!(SUBSCRIBED_EVENTS));
}

#[test]
fn the_app_asks_for_the_least_that_it_needs_and_never_for_workflows_or_security_events() {
    let words =
        PERMISSIONS.map(|(name, level)| format!("{name}:{}", json!(level).as_str().unwrap()));
    let needed = [
        "metadata:read",
        "checks:write",
        "contents:write",
        "pull_requests:write",
        "actions:read",
        "merge_queues:read",
    ];
    assert_eq!(words, needed);
}

/// The words of an instruction of the file that makes the container, each time that it is there.
fn instructions(name: &str) -> Vec<String> {
    let text = shipped("deploy/Containerfile").replace("\\\n", " ");
    let lines = text.lines().filter_map(|line| line.strip_prefix(&format!("{name} ")));
    lines.map(|words| words.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn the_container_is_built_from_the_sources_and_has_what_the_server_runs() {
    let [build, run] = instructions("FROM").try_into().unwrap();
    let release =
        |image: &str| image.split(['-', ':', ' ']).find(|word| *word == "bookworm").is_some();
    assert!(release(&build) && release(&run), "another C library: {build}, {run}");
    assert_eq!(
        instructions("COPY"),
        [". .", "--from=build /src/target/dist/git-mend /usr/local/bin/git-mend"]
    );
    assert_eq!(instructions("WORKDIR")[0], "/src");
    let [compile, install] = instructions("RUN").try_into().unwrap();
    assert_eq!(compile, "cargo build --profile dist --locked --bin git-mend");
    for program in ["bubblewrap", "ca-certificates", "default-jdk-headless", "git"] {
        assert!(install.split(' ').any(|word| word == program), "{program}");
    }
    assert_eq!(instructions("USER"), ["git-mend"]);
}

#[test]
fn the_container_is_not_built_from_what_git_leaves_alone() {
    let lines = |name: &str| {
        let text = shipped(name);
        let lines = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned);
        lines.collect::<BTreeSet<_>>()
    };
    // To git what has no slash is in every folder.
    let everywhere = |line: String| if line.contains('/') { line } else { format!("**/{line}") };
    let left_alone: BTreeSet<String> = lines(".gitignore").into_iter().map(everywhere).collect();
    assert_eq!(lines(".dockerignore"), left_alone);
}

#[test]
fn the_container_starts_a_command_that_there_is_where_its_ports_and_its_volume_are() {
    let [entry] = instructions("ENTRYPOINT").try_into().unwrap();
    let words: Vec<String> = serde_json::from_str(&entry).unwrap();
    let help = crate::support::mend(Path::new("."), &["serve", "--help"]).stdout;
    assert_eq!(words[..2], ["git-mend", "serve"]);
    let value = |flag: &str| {
        assert!(help.contains(flag), "{flag}");
        words[words.iter().position(|word| word == flag).unwrap() + 1].clone()
    };
    let ports =
        ["--listen", "--operations"].map(|flag| value(flag).rsplit_once(':').unwrap().1.to_owned());
    assert_eq!(instructions("EXPOSE"), [ports.join(" ")]);
    assert!(Path::new(&value("--database")).starts_with(&instructions("VOLUME")[0]));
    assert_eq!(instructions("WORKDIR")[1..], instructions("VOLUME")[..]);
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
