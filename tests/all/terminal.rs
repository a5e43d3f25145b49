//! Tests of the output on a terminal of a given width, created by `script` of util-linux.

use crate::support::{
    bisect_arguments, commit, isolate_git, program, repository, run_mend, words_repository,
};
use std::path::Path;
use std::process::Command;

/// Returns the output of the program on a terminal with this number of columns.
pub(crate) fn terminal_output(dir: &Path, columns: u32, arguments: &[&str]) -> String {
    terminal_output_with_variable(dir, columns, arguments, ("TERM", "xterm-256color"))
}

/// Returns the output like [`terminal_output`], with an additional environment variable.
fn terminal_output_with_variable(
    dir: &Path,
    columns: u32,
    arguments: &[&str],
    variable: (&str, &str),
) -> String {
    let run = program(dir);
    let words = [run.get_program().to_str().unwrap()].into_iter().chain(arguments.iter().copied());
    let typed = format!("stty rows 40 cols {columns} && {}", shell_words::join(words));
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &typed, "/dev/null"]).current_dir(dir);
    isolate_git(&mut terminal).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    terminal.env(variable.0, variable.1);
    let output = terminal.output().unwrap();
    String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")
}

/// Removes the escape sequences of a text.
fn strip_escapes(text: &str) -> String {
    let escape = regex::Regex::new("\x1b\\[[0-9;?]*[A-Za-z]").unwrap();
    escape.replace_all(text, "").into_owned()
}

#[test]
fn terminal_shows_progress_line_and_coloured_result() {
    let dir = words_repository();
    let terminal_text = terminal_output(dir.path(), 100, &bisect_arguments(&["--good", "HEAD~2"]));
    assert!(terminal_text.contains("\x1b[1mCulprit: \x1b[0m"), "{terminal_text}");
    assert!(terminal_text.contains("\x1b[1;7;32mbad\x1b[0m"), "{terminal_text}");
    assert!(terminal_text.contains("\x1b[2K"), "a line that is written over: {terminal_text}");
}

#[test]
fn narrow_terminal_wraps_prose_but_not_commands() {
    let dir = words_repository();
    let text = strip_escapes(&terminal_output(
        dir.path(),
        40,
        &bisect_arguments(&["--good", "HEAD~2", "--quiet"]),
    ));
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 40).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let text =
        strip_escapes(&terminal_output(dir.path(), 40, &bisect_arguments(&["--good", "HEAD~2"])));
    let next = text.lines().find(|line| line.starts_with("Apply:      git apply")).unwrap();
    assert!(next.ends_with("/fix.patch"), "{text}");
}

#[test]
fn uncoloured_output_marks_changed_tokens() {
    let dir = repository();
    let check = ("check.sh", "grep -q 'good bread' words.txt\n");
    commit(dir.path(), "one", &[("words.txt", "fresh and good bread\n"), check]);
    commit(dir.path(), "two", &[("words.txt", "fresh and bad bread\n")]);
    let search = bisect_arguments(&["--good", "HEAD~1", "--quiet"]);
    let is_marked = |text: &str| {
        let lines = ["    - fresh and [-bad-] bread\n", "    + fresh and {+good+} bread\n"];
        assert!(lines.iter().all(|line| text.contains(line)), "{text}");
        assert!(!text.contains('\x1b'), "{text:?}");
    };
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        is_marked(&terminal_output_with_variable(dir.path(), 100, &search, variable));
    }
    let output = run_mend(dir.path(), &[&search[..1], &["--output", "run"], &search[1..]].concat());
    is_marked(&output.stdout);
    let patch = std::fs::read_to_string(dir.path().join("run/fix.patch")).unwrap();
    assert!(patch.contains("\n-fresh and bad bread\n+fresh and good bread\n"), "{patch}");
}

#[test]
fn plain_output_uses_words_without_escapes() {
    let dir = words_repository();
    let text = terminal_output(
        dir.path(),
        100,
        &bisect_arguments(&["--good", "HEAD~2", "--plain", "--color", "always"]),
    );
    assert!(!text.contains('\x1b'), "{text}");
    assert!(text.contains("removed: [-bad-]") && text.contains("added:   {+good+}"), "{text}");
}

#[test]
fn quiet_prints_only_the_result() {
    let dir = words_repository();
    let output = run_mend(dir.path(), &bisect_arguments(&["--good", "HEAD~2", "--quiet"]));
    assert_eq!((output.code, &*output.stderr), (0, ""));
    assert!(
        output.stdout.contains("Culprit: ") && output.stdout.contains("+ good"),
        "{}",
        output.stdout
    );
    for more in ["Apply:", "Searched", "Run folder"] {
        assert!(!output.stdout.contains(more), "{}", output.stdout);
    }
}

#[test]
fn carriage_returns_are_not_printed() {
    let dir = repository();
    let check = ("check.sh", "grep -q good words.txt\n");
    commit(dir.path(), "one", &[("words.txt", "a\r\ngood\r\nb\r\n"), check]);
    commit(dir.path(), "two", &[("words.txt", "a\r\nbad\r\nb\r\n")]);
    let output = run_mend(dir.path(), &bisect_arguments(&["--good", "HEAD~1"]));
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(
        !output.stdout.contains('\r') && output.stdout.contains("+ good\n"),
        "{:?}",
        output.stdout
    );
}

#[test]
fn candidate_progress_shows_remaining_count_and_time() {
    let dir = crate::fix::broken_repository();
    let fix = ["fix", "--test", "shop.*Test", "--candidates", "60", "--top", "1"];
    let terminal_text = terminal_output(dir.path(), 100, &fix);
    let remaining_pattern = regex::Regex::new(r"\(about (\d+) more, \d+ s\)").unwrap();
    let told: Vec<usize> =
        remaining_pattern.captures_iter(&terminal_text).map(|at| at[1].parse().unwrap()).collect();
    assert!(told.len() > 10 && told.iter().all(|remaining| *remaining < 60), "{told:?}");
    assert!(told[told.len() - 1] < 10, "{told:?}");
}
