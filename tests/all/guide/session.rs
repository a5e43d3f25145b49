//! Runs the commands of a page in a shell session.

use super::page::{Page, Step};
use super::printed::matches_page;
use crate::support::{CommandOutput, isolate_git, write};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

const GIT_SETTINGS: &str = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n\
                        [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";

/// Script that restores the folder and the exit code of the previous command.
const RESTORE_STATE_SCRIPT: &str = "cd \"$(cat \"$PLACE\")\" && (exit \"$LAST\")\n";
const SAVE_STATE_SCRIPT: &str = "\ncode=$?\npwd > \"$PLACE\"\nexit $code\n";

/// Shell session in a temporary folder, which contains a link `git-mend` to this repository.
pub(super) struct Session {
    scratch: TempDir,
    last_exit_code: i32,
}

impl Session {
    pub(super) fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let session = Self { scratch, last_exit_code: 0 };
        for folder in ["bin", "work", "tmp"] {
            fs::create_dir(session.path(folder)).unwrap();
        }
        write(session.scratch.path(), "home/.gitconfig", GIT_SETTINGS);
        write(session.scratch.path(), "place", session.path("work").to_str().unwrap());
        symlink(assert_cmd::cargo::cargo_bin!("git-mend"), session.path("bin/git-mend")).unwrap();
        symlink(env!("CARGO_MANIFEST_DIR"), session.path("work/git-mend")).unwrap();
        session
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    pub(super) fn run(&mut self, command: &str) -> CommandOutput {
        let before = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&before);
        let path = std::env::join_paths([self.path("bin")].into_iter().chain(folders)).unwrap();
        let mut shell = Command::new("sh");
        let output: CommandOutput = isolate_git(&mut shell)
            .args(["-c", &[RESTORE_STATE_SCRIPT, command, SAVE_STATE_SCRIPT].concat()])
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("GIT_CONFIG_GLOBAL", self.path("home/.gitconfig"))
            .env("PLACE", self.path("place"))
            .env("LAST", self.last_exit_code.to_string())
            .output()
            .unwrap()
            .into();
        self.last_exit_code = output.code;
        output
    }
}

/// Runs all commands of a page in sequence.
///
/// # Errors
/// The first command whose output differs from the page, or that fails without a following `echo $?`.
pub(super) fn check_page(page: &Page) -> Result<(), String> {
    let steps = page.steps();
    assert!(!steps.is_empty(), "{} has nothing to type", page.name);
    let mut session = Session::new();
    for (index, step) in steps.iter().enumerate() {
        let output = session.run(&step.command);
        let is_asked = steps.get(index + 1).is_some_and(|next| next.command == "echo $?");
        let complaint = step_error(step, &output, is_asked);
        if let Some(complaint) = complaint {
            let Step { command, expected_output: shown, line } = step;
            let CommandOutput { stdout, stderr, .. } = output;
            return Err(format!(
                "{}:{line}: `{command}` {complaint}\n--- shown\n{shown}--- said\n{stderr}--- answered\n{stdout}---",
                page.name
            ));
        }
    }
    Ok(())
}

/// Returns the reason why a step fails. A page may show standard output alone, or both streams.
fn step_error(step: &Step, output: &CommandOutput, is_asked: bool) -> Option<String> {
    let CommandOutput { stdout, stderr, .. } = output;
    let views = [stdout.clone(), format!("{stderr}{stdout}"), format!("{stdout}{stderr}")];
    if output.code != 0 && !is_asked {
        Some(format!("exits with {}", output.code))
    } else if views.iter().any(|printed| matches_page(&step.expected_output, printed)) {
        None
    } else {
        Some("prints something else".to_owned())
    }
}

/// Returns the error for a page with one console block.
fn block_error(block: &str) -> Option<String> {
    check_page(&Page::from_text(&format!("# A page\n\n```console\n{block}```\n"))).err()
}

#[test]
fn page_with_current_output_passes() {
    let block = "$ mkdir shop && cd shop\n$ pwd\n…/work/shop\n$ git mend biscet\nerror: …\nhelp: did you \
                 mean `git mend bisect`?\n$ echo $?\n2\n$ echo $HOME \\\n> and\n…/home and\n";
    assert_eq!(block_error(block), None);
    assert_eq!(block_error("$ git config user.name\nAda\n$ ls\ngit-mend\n"), None);
}

#[test]
fn wrong_output_is_reported_with_its_line() {
    let complaint = block_error("$ echo one\none\n$ echo two\nthree\n").unwrap();
    assert!(complaint.starts_with("a page:6: `echo two` prints something else"), "{complaint}");
}

#[test]
fn missing_output_is_reported() {
    assert!(block_error("$ echo one\n").is_some());
}

#[test]
fn wrong_exit_code_is_reported() {
    let fails = block_error("$ sh -c 'exit 3'\n").unwrap();
    assert!(fails.contains("exits with 3"), "{fails}");
    assert!(block_error("$ sh -c 'exit 3'\n$ echo $?\n4\n").is_some());
    assert_eq!(block_error("$ sh -c 'exit 3'\n$ echo $?\n3\n"), None);
}
