//! Tests that the files in `deploy` match the code of the App's server.

use mend_bot::webhook::event_payloads::SUBSCRIBED_EVENTS;
use mend_github::PERMISSIONS;
use regex::Regex;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

fn read_shipped_file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn app_manifest_requests_exactly_the_used_permissions() {
    let manifest: Value =
        serde_json::from_str(&read_shipped_file("deploy/app-manifest.json")).unwrap();
    let permissions: Value =
        PERMISSIONS.iter().map(|(name, level)| ((*name).to_owned(), json!(level))).collect();
    assert_eq!(manifest["default_permissions"], permissions);
    assert_eq!(manifest["default_events"], json!(SUBSCRIBED_EVENTS));
}

#[test]
fn app_permissions_are_minimal() {
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

/// Returns the arguments of each occurrence of an instruction in the Containerfile.
fn containerfile_instructions(name: &str) -> Vec<String> {
    let text = read_shipped_file("deploy/Containerfile").replace("\\\n", " ");
    let lines = text.lines().filter_map(|line| line.strip_prefix(&format!("{name} ")));
    lines.map(|words| words.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn container_is_built_from_source_with_needed_programs() {
    let [build, run] = containerfile_instructions("FROM").try_into().unwrap();
    let release =
        |image: &str| image.split(['-', ':', ' ']).find(|word| *word == "bookworm").is_some();
    assert!(release(&build) && release(&run), "another C library: {build}, {run}");
    assert_eq!(
        containerfile_instructions("COPY"),
        [". .", "--from=build /src/target/dist/git-mend /usr/local/bin/git-mend"]
    );
    assert_eq!(containerfile_instructions("WORKDIR")[0], "/src");
    let [compile, install] = containerfile_instructions("RUN").try_into().unwrap();
    assert_eq!(compile, "cargo build --profile dist --locked --bin git-mend");
    for program in ["bubblewrap", "ca-certificates", "default-jdk-headless", "git"] {
        assert!(install.split(' ').any(|word| word == program), "{program}");
    }
    assert_eq!(containerfile_instructions("USER"), ["git-mend"]);
}

#[test]
fn dockerignore_matches_gitignore() {
    let lines = |name: &str| {
        let text = read_shipped_file(name);
        let lines = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned);
        lines.collect::<BTreeSet<_>>()
    };
    // In `.gitignore`, a pattern without a slash matches in every folder.
    let everywhere = |line: String| if line.contains('/') { line } else { format!("**/{line}") };
    let left_alone: BTreeSet<String> = lines(".gitignore").into_iter().map(everywhere).collect();
    assert_eq!(lines(".dockerignore"), left_alone);
}

#[test]
fn container_entrypoint_matches_ports_and_volume() {
    let [entry] = containerfile_instructions("ENTRYPOINT").try_into().unwrap();
    let words: Vec<String> = serde_json::from_str(&entry).unwrap();
    let help = crate::support::run_mend(Path::new("."), &["serve", "--help"]).stdout;
    assert_eq!(words[..2], ["git-mend", "serve"]);
    let value = |flag: &str| {
        assert!(help.contains(flag), "{flag}");
        words[words.iter().position(|word| word == flag).unwrap() + 1].clone()
    };
    let ports =
        ["--listen", "--operations"].map(|flag| value(flag).rsplit_once(':').unwrap().1.to_owned());
    assert_eq!(containerfile_instructions("EXPOSE"), [ports.join(" ")]);
    assert!(Path::new(&value("--database")).starts_with(&containerfile_instructions("VOLUME")[0]));
    assert_eq!(
        containerfile_instructions("WORKDIR")[1..],
        containerfile_instructions("VOLUME")[..]
    );
}

#[test]
fn docs_name_every_permission() {
    let text = read_shipped_file("docs/app.md");
    for (name, level) in PERMISSIONS {
        let level = json!(level);
        let row = format!("| `{name}: {}` |", level.as_str().unwrap());
        assert!(text.contains(&row), "{row}");
    }
}

#[test]
fn systemd_unit_uses_existing_options() {
    let unit = read_shipped_file("deploy/git-mend.service");
    let help = crate::support::run_mend(Path::new("."), &["serve", "--help"]).stdout;
    let flags =
        unit.split_whitespace().filter(|word| word.starts_with("--") && !word.contains('"'));
    for flag in flags.filter(|flag| *flag != "--now") {
        assert!(help.contains(flag), "{flag}");
    }
}

/// Returns the first group of every match of a pattern in a shipped file.
fn capture_all(name: &str, pattern: &str) -> BTreeSet<String> {
    let text = read_shipped_file(name);
    Regex::new(pattern).unwrap().captures_iter(&text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn release_has_archives_for_action_and_binstall() {
    let targets = capture_all(".github/workflows/release.yml", r"target: ([a-z0-9_-]+) }");
    assert_eq!(targets.len(), 4);
    assert_eq!(capture_all("action/install", r"echo ([a-z0-9_]+-[a-z-]+) ;;"), targets);
    assert_eq!(capture_all("scripts/pack-wheel", r#"    "([a-z0-9_-]+)": ""#), targets);
    let archive = capture_all("scripts/pack-release", r#""\$folder/(git-mend-[^"]+)""#);
    let address = read_shipped_file("Cargo.toml").replace("{ version }", "$version");
    let address = address.replace("{ target }", "$target");
    assert!(archive.iter().all(|name| address.contains(&format!("/{name}\""))), "{archive:?}");
    assert_eq!(archive.len(), 1);
}
