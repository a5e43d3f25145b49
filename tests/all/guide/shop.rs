//! Runs the command lines of `sh` blocks and help texts in the example project of the guide, which is a shop.

use super::not_run::lines_to_run;
use super::session::Session;
use crate::support::write;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// Fake Maven: the real one needs plugins that may be missing.
const MAVEN_SCRIPT: &str = "#!/bin/sh\nset -e\ntest=${4#-Dtest=}\njars=$(echo lib/*.jar | tr ' ' :)\nmkdir -p target\n\
                   javac -d target -cp \"$jars\" $(find src -name '*.java')\n\
                   exec java -cp \"target:$jars\" org.junit.runner.JUnitCore \"shop.$test\"\n";

/// Fake Graphviz.
const GRAPHVIZ_SCRIPT: &str = "#!/bin/sh\ngrep -q digraph && echo '<svg/>'\n";

const CART_TEST: &str = "package shop;\n\npublic class CartTest {\n    @org.junit.Test\n    public void total() {\n        \
                         org.junit.Assert.assertEquals(30, new Cart().total(10, 3));\n    }\n\n    \
                         @org.junit.Test\n    public void nothing() {\n        \
                         org.junit.Assert.assertEquals(0, new Cart().total(10, 0));\n    }\n}\n";

/// Test in which two threads increment one counter.
const TILL_TEST: &str = "package shop;\n\npublic class TillTest {\n    @org.junit.Test\n    public void both() throws \
                         Exception {\n        Till till = new Till();\n        Thread other = new \
                         Thread(till::add);\n        other.start();\n        till.add();\n        \
                         other.join();\n        org.junit.Assert.assertEquals(2, till.sum());\n    }\n}\n";

fn cart_source(factor: &str) -> String {
    format!(
        "package shop;\n\nclass Cart {{\n    int total(int price, int number) {{\n        return price * {factor};\n    }}\n}}\n"
    )
}

/// Returns a list with the word in every second line, for harmless changes.
fn prices_text(word: &str) -> String {
    let line = |n: usize| format!("{n} {}\n", if n.is_multiple_of(2) { word } else { "the same" });
    (0..20).map(line).collect()
}

fn till_source(word: &str) -> String {
    format!(
        "package shop;\n\nclass Till {{\n    private int sum;\n\n    {word}void add() {{\n        sum++;\n    }}\n\n    \
         {word}int sum() {{\n        return sum;\n    }}\n}}\n"
    )
}

/// Creates a shop that works at `v1.4` and fails at `main`, with or without threads.
fn shop_session(has_threads: bool) -> Session {
    let mut session = Session::new();
    let bin = session.path("bin");
    for (name, script) in [("mvn", MAVEN_SCRIPT), ("dot", GRAPHVIZ_SCRIPT)] {
        write(&bin, name, script);
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for folder in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"]
    {
        std::fs::create_dir_all(session.path("home").join(folder)).unwrap();
    }
    let dir = session.path("work/shop");
    for folder in ["lib", "docs", "your/java"] {
        std::fs::create_dir_all(dir.join(folder)).unwrap();
    }
    symlink("../..", dir.join("your/java/repository")).unwrap();
    for jar in ["junit4.jar", "hamcrest-core.jar"] {
        symlink(format!("/usr/share/java/{jar}"), dir.join("lib").join(jar)).unwrap();
    }
    let (source, test, good, bad) = if has_threads {
        ("Till", TILL_TEST, till_source("synchronized "), till_source(""))
    } else {
        ("Cart", CART_TEST, cart_source("number"), cart_source("(number + 1)"))
    };
    let file = format!("src/main/java/shop/{source}.java");
    write(&dir, &format!("src/test/java/shop/{source}Test.java"), test);
    write(&dir, ".gitignore", "target\ndocs\nyour\n");
    write(&dir, &file, good);
    write(&dir, "prices.txt", prices_text("old"));
    run_successfully(
        &mut session,
        "cd shop && git init -q && git add -A && git commit -qm one && git tag v1.4 && \
         git init -q --bare ../origin && git remote add origin ../origin && git push -q origin main",
    );
    write(&dir, &file, bad);
    write(&dir, "prices.txt", prices_text("new"));
    run_successfully(
        &mut session,
        "git commit -qam two && mkdir patches && git diff HEAD HEAD~1 > patches/undo.patch",
    );
    run_successfully(&mut session, "cp patches/undo.patch till.patch");
    write(&dir, "replay.py", include_str!("../../../examples/generators/replay.py"));
    session
}

fn run_successfully(session: &mut Session, command: &str) {
    let output = session.run(command);
    assert_eq!(output.code, 0, "{command}\n{}{}", output.stdout, output.stderr);
}

/// Topic of a command line, which decides the project that it runs in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Threads,
    Repairs,
    Searches,
    Else,
}

impl About {
    fn from_line(line: &str) -> Self {
        let is_call = |names: &[&str]| {
            names.iter().any(|name| line.starts_with(&format!("git mend {name} ")))
        };
        match line {
            _ if line.contains("TillTest") => Self::Threads,
            _ if is_call(&["fix"]) => Self::Repairs,
            _ if is_call(&["bisect", "validate", "delta"]) => Self::Searches,
            _ => Self::Else,
        }
    }
}

/// Returns the command that must run before this line.
fn setup_command(line: &str) -> Option<&'static str> {
    if line.contains("<time>") {
        return Some("! git mend explore -q --test shop.TillTest");
    }
    if line.contains("--expect-output") {
        // The test prints nothing.
        return Some("touch till.txt");
    }
    if line.contains("--symptom ci.log") {
        return Some("echo 'java.lang.AssertionError: expected:<2> but was:<1>' >ci.log");
    }
    line.starts_with("git mend report").then_some(
        "git mend bisect -q --good v1.4 --test shop.CartTest --output .git/mend/runs/2026-03-14T15-09-26",
    )
}

/// Limits the number of candidates of `git mend fix`: the best one is found early, and many lines search it.
fn limit_candidates(line: String) -> String {
    let is_bounded =
        ["--budget", "--candidates", "--technique"].iter().any(|word| line.contains(word));
    let is_repair = About::from_line(&line) == About::Repairs;
    if is_repair && !is_bounded { format!("{line} --candidates 60") } else { line }
}

/// Runs the lines of one topic, each in a fresh copy of the shop.
fn run_documented_lines(about: About) {
    let lines = lines_to_run().into_iter().filter(|line| About::from_line(line) == about);
    let lines: Vec<String> = lines.collect();
    assert!(lines.len() >= 4, "{lines:?}");
    let mut session = shop_session(about == About::Threads);
    run_successfully(
        &mut session,
        "mkdir -p .git/mend && git init -q ../io && cp -a ../shop ../first",
    );
    for line in lines {
        if let Some(command) = setup_command(&line) {
            run_successfully(&mut session, command);
        }
        // `*` matches the only run; `<(` needs bash.
        let line = limit_candidates(line.replace("<time>", "*"));
        let is_of_bash = line.contains("<(");
        let quoted = format!("bash -c {}", shell_words::quote(&line));
        let output = session.run(if is_of_bash { &quoted } else { &line });
        assert_eq!(
            output.code,
            i32::from(is_expected_to_fail(&line)),
            "{line}\n{}{}",
            output.stdout,
            output.stderr
        );
        // The cache of verdicts is kept; changes to the shop are discarded.
        run_successfully(
            &mut session,
            "cd ~/../work/shop && rm -rf .git/mend/runs && cp -a .git/mend ../known && cd .. && \
             rm -rf shop && cp -a first shop && rm -rf shop/.git/mend && mv known shop/.git/mend && cd shop",
        );
    }
}

/// Returns true if the line exits with 1: it finds a failing schedule or a push that breaks a test, or no upgrade, because
/// the shop has no libraries.
fn is_expected_to_fail(line: &str) -> bool {
    let is_exploration = line.starts_with("git mend explore") && !line.contains("--audit");
    is_exploration || line.contains("git mend hook run") || line.starts_with("git mend upgrade")
}

#[test]
fn documented_general_commands_work() {
    run_documented_lines(About::Else);
}

#[test]
fn documented_search_commands_work() {
    run_documented_lines(About::Searches);
}

#[test]
fn documented_fix_commands_work() {
    run_documented_lines(About::Repairs);
}

#[test]
fn documented_explore_commands_work() {
    run_documented_lines(About::Threads);
}
