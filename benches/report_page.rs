//! How soon the page of a run with thousands of components is there, and how large it is.
//!
//! `cargo bench --bench report_page -- [COMPONENTS]` makes a repository whose last commit changes so many methods in
//! files of sixteen, bisects it, writes the page with `git mend report`, and opens it with `scripts/look` in
//! headless Chromium, with JavaScript and without. The time that is told is the longer of these. It fails where a page
//! of so many components opens later, or is larger, than people wait for.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may stop")]

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

/// Methods of a class.
const METHODS: usize = 16;

/// How many components where nobody says so.
const USUAL: usize = 5000;

/// What a page may have at most, in bytes and milliseconds.
const MOST_BYTES: u64 = 5_000_000;
const MOST_MILLISECONDS: u64 = 2_000;

fn class(number: usize, methods: usize, answer: usize) -> String {
    let method =
        |at: usize| format!("    int of{at}() {{\n        return {};\n    }}\n", answer + at);
    let methods: Vec<String> = (0..methods).map(method).collect();
    format!("package shop;\n\nclass Till{number} {{\n{}}}\n", methods.join("\n"))
}

/// Writes a version in which every method answers something else, and commits it.
fn version(dir: &Path, components: usize, answer: usize) {
    for number in 0..components.div_ceil(METHODS) {
        let methods = METHODS.min(components - number * METHODS);
        fs::write(dir.join(format!("src/Till{number}.java")), class(number, methods, answer))
            .unwrap();
    }
    run(Command::new("git").args(["add", "-A"]).current_dir(dir));
    let user = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    run(Command::new("git").args(user).args(["commit", "-qm", "answers"]).current_dir(dir));
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn main() -> ExitCode {
    let components = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(USUAL);
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    run(Command::new("git").args(["init", "-q"]).current_dir(dir));
    fs::create_dir(dir.join("src")).unwrap();
    fs::write(dir.join("check.sh"), "! grep -q 'return 101' src/Till0.java\n").unwrap();
    version(dir, components, 0);
    version(dir, components, 100);
    let mend = || {
        let mut mend = Command::new(env!("CARGO_BIN_EXE_git-mend"));
        mend.current_dir(dir);
        mend
    };
    run(mend().args(["bisect", "--good", "HEAD~1", "--", "sh", "check.sh"]));
    let written = run(mend().arg("report"));
    let page = String::from_utf8(written.stdout).unwrap().trim().to_owned();
    let bytes = fs::metadata(&page).unwrap().len();
    println!("{components} components: {bytes} bytes");
    let look = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/look");
    let within = MOST_MILLISECONDS.to_string();
    let mut look = Command::new(look);
    // What it says is seen as it is.
    let opened = look.args(["--within", &within, &page, "pictures"]).current_dir(dir).status();
    if bytes > MOST_BYTES {
        println!("the page has {bytes} bytes, and is to have {MOST_BYTES} at most");
    }
    if opened.unwrap().success() && bytes <= MOST_BYTES {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
