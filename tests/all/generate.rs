//! What the program writes of itself: man pages, completions, the schema and the pages of the guide.

use crate::support::{hermetic, mend, program};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

fn generated(words: &[&str]) -> String {
    let ran = mend(Path::new("."), &[&["generate"], words].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn the_pages_and_the_schema_in_the_guide_are_those_of_the_program() {
    for (what, file) in [
        ("commands", "docs/commands.md"),
        ("settings", "docs/settings.md"),
        ("schema", "docs/git-mend.schema.json"),
    ] {
        let kept = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        assert!(generated(&[what]) == kept, "{file} is out of date: scripts/generate");
    }
}

#[test]
fn the_page_of_commands_says_what_each_value_means() {
    let page = generated(&["commands"]);
    assert!(page.contains("\n    - `auto`: On a terminal, unless `NO_COLOR` is set\n"), "{page}");
}

#[test]
fn there_is_a_man_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    assert_eq!(generated(&["man", "--output", output]), "");
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
fn help_through_git_asks_for_the_page_that_is_there() {
    let mut git = Command::new("git");
    git.args(["-c", "man.viewer=shown", "-c", "man.shown.cmd=echo", "mend", "--help"]);
    let program = program(Path::new("."));
    let folder = Path::new(program.get_program()).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    git.env(
        "PATH",
        std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&path))).unwrap(),
    );
    let output = hermetic(&mut git).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "git-mend");
}

#[test]
fn man_finds_the_page_that_is_written_beside_the_program() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path().canonicalize().unwrap();
    let installed = place.join("bin/git-mend");
    fs::create_dir(place.join("bin")).unwrap();
    fs::copy(program(Path::new(".")).get_program(), &installed).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [place.join("bin")].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    let ran = |program: &Path, words: &[&str]| {
        let mut command = Command::new(program);
        hermetic(command.args(words).current_dir(&place)).env("PATH", &path).env_remove("MANPATH");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let manual = || {
        let told: Value =
            serde_json::from_str(&ran(&installed, &["doctor", "--format", "json"])).unwrap();
        let checks = told["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == "manual").unwrap()["status"].clone()
    };
    assert_eq!(manual(), "note");
    ran(&installed, &["generate", "man"]);
    let page = ran(Path::new("man"), &["-w", "git-mend"]);
    assert_eq!(Path::new(page.trim()), place.join("share/man/man1/git-mend.1"));
    assert_eq!(manual(), "ok");
}

/// What bash offers after words, the last of which is begun.
fn offered(words: &str) -> String {
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
fn bash_completes_what_is_typed_after_git() {
    assert_eq!(offered("git mend bis"), "bisect");
    assert_eq!(offered("git -C . mend bisect --firs"), "--first-parent");
    assert_eq!(offered("git mend hook ins"), "install");
    assert_eq!(offered("git-mend bisect --no-h"), "--no-history");
}

#[test]
fn other_shells_have_completions_too() {
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(generated(&["completions", shell]).contains("first-parent"), "{shell}");
    }
}

#[test]
fn the_schema_tells_settings_that_are_read_from_others() {
    let schema: Value = serde_json::from_str(&generated(&["schema"])).unwrap();
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
fn the_version_tells_what_it_was_built_from_and_with() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(mend(Path::new("."), &["-V"]).stdout, format!("git-mend {version}\n"));
    let long = mend(Path::new("."), &["--version"]).stdout;
    assert!(long.starts_with(&format!("git-mend {version} (")), "{long}");
    assert!(long.contains("\nbuilt for ") && long.contains("rustc 1."), "{long}");
}
