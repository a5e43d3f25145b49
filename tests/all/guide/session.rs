//! Shell session that types the commands of a page.

use super::page::{Page, Step};
use super::printed::is_as_shown;
use crate::support::{CommandOutput, hermetic, write};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

const SETTINGS: &str = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n\
                        [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";

/// Restores the folder and the exit code of the previous command.
const AS_BEFORE: &str = "cd \"$(cat \"$PLACE\")\" && (exit \"$LAST\")\n";
const AND_AFTER: &str = "\ncode=$?\npwd > \"$PLACE\"\nexit $code\n";

/// A shell session in a temporary folder, which contains a link `git-mend` to this repository.
pub(super) struct Session {
    scratch: TempDir,
    last: i32,
}

impl Session {
    pub(super) fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let session = Self { scratch, last: 0 };
        for folder in ["bin", "work", "tmp"] {
            fs::create_dir(session.path(folder)).unwrap();
        }
        write(session.scratch.path(), "home/.gitconfig", SETTINGS);
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
        let ran: CommandOutput = hermetic(&mut shell)
            .args(["-c", &[AS_BEFORE, command, AND_AFTER].concat()])
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("GIT_CONFIG_GLOBAL", self.path("home/.gitconfig"))
            .env("PLACE", self.path("place"))
            .env("LAST", self.last.to_string())
            .output()
            .unwrap()
            .into();
        self.last = ran.code;
        ran
    }
}

/// Types all commands of a page one after another.
///
/// # Errors
/// The first command whose output differs from the page, or that fails without a following `echo $?`.
pub(super) fn typed(page: &Page) -> Result<(), String> {
    let steps = page.steps();
    assert!(!steps.is_empty(), "{} has nothing to type", page.name);
    let mut session = Session::new();
    for (index, step) in steps.iter().enumerate() {
        let ran = session.run(&step.command);
        let is_asked = steps.get(index + 1).is_some_and(|next| next.command == "echo $?");
        let complaint = objection(step, &ran, is_asked);
        if let Some(complaint) = complaint {
            let Step { command, shown, line } = step;
            let CommandOutput { stdout, stderr, .. } = ran;
            return Err(format!(
                "{}:{line}: `{command}` {complaint}\n--- shown\n{shown}--- said\n{stderr}--- answered\n{stdout}---",
                page.name
            ));
        }
    }
    Ok(())
}

/// Returns the reason why a step fails. A page may show standard output alone, or both streams.
fn objection(step: &Step, ran: &CommandOutput, is_asked: bool) -> Option<String> {
    let CommandOutput { stdout, stderr, .. } = ran;
    let views = [stdout.clone(), format!("{stderr}{stdout}"), format!("{stdout}{stderr}")];
    if ran.code != 0 && !is_asked {
        Some(format!("exits with {}", ran.code))
    } else if views.iter().any(|printed| is_as_shown(&step.shown, printed)) {
        None
    } else {
        Some("prints something else".to_owned())
    }
}

/// Returns the error for a page with one console block.
fn complaint(block: &str) -> Option<String> {
    typed(&Page::of(&format!("# A page\n\n```console\n{block}```\n"))).err()
}

#[test]
fn a_page_that_is_true_is_believed() {
    let block = "$ mkdir shop && cd shop\n$ pwd\n…/work/shop\n$ git mend biscet\nerror: …\nhelp: did you \
                 mean `git mend bisect`?\n$ echo $?\n2\n$ echo $HOME \\\n> and\n…/home and\n";
    assert_eq!(complaint(block), None);
    assert_eq!(complaint("$ git config user.name\nAda\n$ ls\ngit-mend\n"), None);
}

#[test]
fn a_wrong_answer_is_found_with_its_line() {
    let complaint = complaint("$ echo one\none\n$ echo two\nthree\n").unwrap();
    assert!(complaint.starts_with("a page:6: `echo two` prints something else"), "{complaint}");
}

#[test]
fn an_answer_that_is_not_shown_is_found() {
    assert!(complaint("$ echo one\n").is_some());
}

#[test]
fn a_wrong_exit_code_is_found() {
    let fails = complaint("$ sh -c 'exit 3'\n").unwrap();
    assert!(fails.contains("exits with 3"), "{fails}");
    assert!(complaint("$ sh -c 'exit 3'\n$ echo $?\n4\n").is_some());
    assert_eq!(complaint("$ sh -c 'exit 3'\n$ echo $?\n3\n"), None);
}
