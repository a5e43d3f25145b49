//! What somebody sees at a terminal: `script`, of util-linux, lends one of a chosen width.

use crate::support::{bisect, commit, hermetic, mend, program, repository, words_repository};
use std::path::Path;
use std::process::Command;

/// What the terminal of so many columns is sent.
pub(crate) fn terminal_output(dir: &Path, columns: u32, arguments: &[&str]) -> String {
    seen_with(dir, columns, arguments, ("TERM", "xterm-256color"))
}

/// The same with another variable of the environment.
fn seen_with(dir: &Path, columns: u32, arguments: &[&str], variable: (&str, &str)) -> String {
    let run = program(dir);
    let words = [run.get_program().to_str().unwrap()].into_iter().chain(arguments.iter().copied());
    let typed = format!("stty rows 40 cols {columns} && {}", shell_words::join(words));
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &typed, "/dev/null"]).current_dir(dir);
    hermetic(&mut terminal).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    terminal.env(variable.0, variable.1);
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
    let dir = words_repository();
    let seen = terminal_output(dir.path(), 100, &bisect(&["--good", "HEAD~2"]));
    assert!(seen.contains("\x1b[1mCulprit: \x1b[0m"), "{seen}");
    assert!(seen.contains("\x1b[1;7;32mbad\x1b[0m"), "{seen}");
    assert!(seen.contains("\x1b[2K"), "a line that is written over: {seen}");
}

#[test]
fn a_narrow_terminal_gets_prose_in_its_width_and_commands_whole() {
    let dir = words_repository();
    let text = bare(&terminal_output(dir.path(), 40, &bisect(&["--good", "HEAD~2", "--quiet"])));
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 40).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let text = bare(&terminal_output(dir.path(), 40, &bisect(&["--good", "HEAD~2"])));
    let next = text.lines().find(|line| line.starts_with("Apply:      git apply")).unwrap();
    assert!(next.ends_with("/fix.patch"), "{text}");
}

#[test]
fn without_colours_the_tokens_that_changed_are_marked_and_the_patch_is_not() {
    let dir = repository();
    let check = ("check.sh", "grep -q 'good bread' words.txt\n");
    commit(dir.path(), "one", &[("words.txt", "fresh and good bread\n"), check]);
    commit(dir.path(), "two", &[("words.txt", "fresh and bad bread\n")]);
    let search = bisect(&["--good", "HEAD~1", "--quiet"]);
    let is_marked = |text: &str| {
        let lines = ["    - fresh and [-bad-] bread\n", "    + fresh and {+good+} bread\n"];
        assert!(lines.iter().all(|line| text.contains(line)), "{text}");
        assert!(!text.contains('\x1b'), "{text:?}");
    };
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        is_marked(&seen_with(dir.path(), 100, &search, variable));
    }
    let ran = mend(dir.path(), &[&search[..1], &["--output", "run"], &search[1..]].concat());
    is_marked(&ran.stdout);
    let patch = std::fs::read_to_string(dir.path().join("run/fix.patch")).unwrap();
    assert!(patch.contains("\n-fresh and bad bread\n+fresh and good bread\n"), "{patch}");
}

#[test]
fn plain_has_no_escape_sequence_and_words_for_signs() {
    let dir = words_repository();
    let text = terminal_output(
        dir.path(),
        100,
        &bisect(&["--good", "HEAD~2", "--plain", "--color", "always"]),
    );
    assert!(!text.contains('\x1b'), "{text}");
    assert!(text.contains("removed: [-bad-]") && text.contains("added:   {+good+}"), "{text}");
}

#[test]
fn quiet_gives_the_answer_alone() {
    let dir = words_repository();
    let ran = mend(dir.path(), &bisect(&["--good", "HEAD~2", "--quiet"]));
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert!(ran.stdout.contains("Culprit: ") && ran.stdout.contains("+ good"), "{}", ran.stdout);
    for more in ["Apply:", "Searched", "Run folder"] {
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

#[test]
fn while_candidates_are_tried_it_is_told_how_many_are_left_and_how_long_that_takes() {
    let dir = crate::fix::broken();
    let fix = ["fix", "--test", "shop.*Test", "--candidates", "60", "--top", "1"];
    let seen = terminal_output(dir.path(), 100, &fix);
    let left = regex::Regex::new(r"\(about (\d+) more, \d+ s\)").unwrap();
    let told: Vec<usize> = left.captures_iter(&seen).map(|at| at[1].parse().unwrap()).collect();
    assert!(told.len() > 10 && told.iter().all(|left| *left < 60), "{told:?}");
    assert!(told[told.len() - 1] < 10, "{told:?}");
}
