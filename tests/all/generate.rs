//! Tests of `git mend generate`: man pages, completions, the schema and the guide pages.

use crate::support::{isolate_git, program, run_mend};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

fn run_generate(words: &[&str]) -> String {
    let output = run_mend(Path::new("."), &[&["generate"], words].concat());
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout
}

#[test]
fn guide_pages_and_schema_are_up_to_date() {
    for (what, file) in [
        ("commands", "docs/commands.md"),
        ("settings", "docs/settings.md"),
        ("schema", "docs/git-mend.schema.json"),
        ("generator-schema", "docs/git-mend-generator.schema.json"),
    ] {
        let committed =
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        assert!(run_generate(&[what]) == committed, "{file} is out of date: scripts/generate");
    }
}

#[test]
fn command_page_describes_option_values() {
    let page = run_generate(&["commands"]);
    assert!(page.contains("\n    - `auto`: On a terminal, unless `NO_COLOR` is set\n"), "{page}");
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    assert_eq!(run_generate(&["man", "--output", output]), "");
    for (page, words) in [
        ("git-mend.1", "Finds the commit and the tokens"),
        ("git-mend-bisect.1", "first\\-parent"),
        ("git-mend-ci-search.1", "budget"),
        ("git-mend-hook-run.1", "pre\\-push"),
    ] {
        let text = fs::read_to_string(folder.path().join("man1").join(page)).unwrap();
        assert!(text.starts_with(".ie") && text.contains(".TH"), "{page}: {text}");
        assert!(text.contains(words), "{page}: {text}");
    }
}

#[test]
fn git_help_opens_the_man_page() {
    let mut git = Command::new("git");
    git.args(["-c", "man.viewer=shown", "-c", "man.shown.cmd=echo", "mend", "--help"]);
    let program = program(Path::new("."));
    let folder = Path::new(program.get_program()).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    git.env(
        "PATH",
        std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&path))).unwrap(),
    );
    let output = isolate_git(&mut git).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "git-mend");
}

#[test]
fn man_finds_pages_next_to_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let installed = folder.join("bin/git-mend");
    fs::create_dir(folder.join("bin")).unwrap();
    fs::copy(program(Path::new(".")).get_program(), &installed).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [folder.join("bin")].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    let run_program = |program: &Path, words: &[&str]| {
        let mut command = Command::new(program);
        isolate_git(command.args(words).current_dir(&folder))
            .env("PATH", &path)
            .env_remove("MANPATH");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let manual_status = || {
        let told: Value =
            serde_json::from_str(&run_program(&installed, &["doctor", "--format", "json"]))
                .unwrap();
        let checks = told["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == "manual").unwrap()["status"].clone()
    };
    assert_eq!(manual_status(), "note");
    run_program(&installed, &["generate", "man"]);
    let page = run_program(Path::new("man"), &["-w", "git-mend"]);
    assert_eq!(Path::new(page.trim()), folder.join("share/man/man1/git-mend.1"));
    assert_eq!(manual_status(), "ok");
}

/// Returns the completions of bash for a command line with an incomplete last word.
fn bash_completions(words: &str) -> String {
    let script = format!(
        "source <(\"$0\" generate completions bash)\nCOMP_WORDS=({words})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
         _git_mend\necho \"${{COMPREPLY[@]}}\""
    );
    let program = program(Path::new(".")).get_program().to_owned();
    let output = Command::new("bash").arg("-c").arg(script).arg(program).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn bash_completes_git_mend_commands() {
    assert_eq!(bash_completions("git mend bis"), "bisect");
    assert_eq!(bash_completions("git -C . mend bisect --firs"), "--first-parent");
    assert_eq!(bash_completions("git mend hook ins"), "install");
    assert_eq!(bash_completions("git-mend bisect --no-h"), "--no-history");
}

#[test]
fn other_shells_have_completions() {
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(run_generate(&["completions", shell]).contains("first-parent"), "{shell}");
    }
}

#[test]
fn schema_accepts_exactly_valid_settings() {
    let schema: Value = serde_json::from_str(&run_generate(&["schema"])).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let good =
        json!({"timeout": "5m", "repeat": "auto", "source": ["src"], "jobs": 2, "build": "maven"});
    assert!(schema.is_valid(&good));
    assert!(schema.is_valid(&json!({"repeat": 3})));
    for bad in [
        json!({"time-out": "5m"}),
        json!({"build": "ant"}),
        json!({"jobs": 0}),
        json!({"repeat": "often"}),
    ] {
        assert!(!schema.is_valid(&bad), "{bad}");
    }
}

#[test]
fn version_names_commit_target_and_compiler() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(run_mend(Path::new("."), &["-V"]).stdout, format!("git-mend {version}\n"));
    let long = run_mend(Path::new("."), &["--version"]).stdout;
    assert!(long.starts_with(&format!("git-mend {version} (")), "{long}");
    assert!(long.contains("\nbuilt for ") && long.contains("rustc 1."), "{long}");
}
