//! The calls that pages name without a session around them, made in a shop such as they speak of.

use super::command_line::lines_to_type;
use super::page::Page;
use super::session::Session;
use crate::support::write;
use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// Nobody can type these as they stand: a folder of a run, and words in capitals, are somebody's own.
const OPEN: [&str; 3] = ["<time>", "POOL", "TRIGGERS"];

/// Versions of others' libraries.
const OTHERS: [&str; 3] = ["jsoup", "MATH_", "org.apache"];

/// Stands in for Maven, which finds no plugins everywhere.
const MVN: &str = "#!/bin/sh\nset -e\ntest=${4#-Dtest=}\njars=$(echo lib/*.jar | tr ' ' :)\nmkdir -p target\n\
                   javac -d target -cp \"$jars\" $(find src -name '*.java')\n\
                   exec java -cp \"target:$jars\" org.junit.runner.JUnitCore \"shop.$test\"\n";

/// Stands in for Graphviz.
const DOT: &str = "#!/bin/sh\ngrep -q digraph && echo '<svg/>'\n";

const CART_TEST: &str = "package shop;\n\npublic class CartTest {\n    @org.junit.Test\n    public void total() {\n        \
                         org.junit.Assert.assertEquals(30, new Cart().total(10, 3));\n    }\n\n    \
                         @org.junit.Test\n    public void nothing() {\n        \
                         org.junit.Assert.assertEquals(0, new Cart().total(10, 0));\n    }\n}\n";

/// Two threads count in one till.
const TILL_TEST: &str = "package shop;\n\npublic class TillTest {\n    @org.junit.Test\n    public void both() throws \
                         Exception {\n        Till till = new Till();\n        Thread other = new \
                         Thread(till::add);\n        other.start();\n        till.add();\n        \
                         other.join();\n        org.junit.Assert.assertEquals(2, till.sum());\n    }\n}\n";

fn cart(factor: &str) -> String {
    format!(
        "package shop;\n\nclass Cart {{\n    int total(int price, int number) {{\n        return price * {factor};\n    }}\n}}\n"
    )
}

fn till(word: &str) -> String {
    format!(
        "package shop;\n\nclass Till {{\n    private int sum;\n\n    {word}void add() {{\n        sum++;\n    }}\n\n    \
         {word}int sum() {{\n        return sum;\n    }}\n}}\n"
    )
}

/// A shop whose `main` has broken what `v1.4` did, by threads or without.
fn shop(has_threads: bool) -> Session {
    let mut session = Session::new();
    let bin = session.path("bin");
    for (name, script) in [("mvn", MVN), ("dot", DOT)] {
        write(&bin, name, script);
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let completions = session.path("home/.local/share/bash-completion/completions");
    std::fs::create_dir_all(completions).unwrap();
    let dir = session.path("work/shop");
    std::fs::create_dir_all(dir.join("lib")).unwrap();
    for jar in ["junit4.jar", "hamcrest-core.jar"] {
        symlink(format!("/usr/share/java/{jar}"), dir.join("lib").join(jar)).unwrap();
    }
    let (source, test, good, bad) = if has_threads {
        ("Till", TILL_TEST, till("synchronized "), till(""))
    } else {
        ("Cart", CART_TEST, cart("number"), cart("(number + 1)"))
    };
    let file = format!("src/main/java/shop/{source}.java");
    write(&dir, &format!("src/test/java/shop/{source}Test.java"), test);
    write(&dir, ".gitignore", "target\n");
    write(&dir, &file, good);
    done(
        &mut session,
        "cd shop && git init -q && git add -A && git commit -qm one && git tag v1.4",
    );
    write(&dir, &file, bad);
    done(
        &mut session,
        "git commit -qam two && mkdir patches && git diff HEAD HEAD~1 > patches/undo.patch",
    );
    done(&mut session, "cp patches/undo.patch till.patch");
    session
}

fn done(session: &mut Session, command: &str) {
    let ran = session.run(command);
    assert_eq!(ran.code, 0, "{command}\n{}{}", ran.stdout, ran.stderr);
}

/// The calls of all pages that can be typed as they stand.
fn calls() -> BTreeSet<String> {
    let lines = Page::all().into_iter().flat_map(|page| page.blocks());
    let lines = lines.flat_map(|block| lines_to_type(&block));
    let calls = lines.map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned());
    let stands = |call: &String| !OPEN.iter().chain(&OTHERS).any(|open| call.contains(open));
    calls.filter(|call| call.starts_with("git mend ")).filter(stands).collect()
}

/// What a call is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Threads,
    Repairs,
    Else,
}

impl About {
    fn of(call: &str) -> Self {
        match call {
            _ if call.contains("TillTest") => Self::Threads,
            _ if call.starts_with("git mend fix") => Self::Repairs,
            _ => Self::Else,
        }
    }
}

/// Makes the calls about one thing, each in the shop as it was at first.
fn made(about: About) {
    let calls: Vec<String> = calls().into_iter().filter(|call| About::of(call) == about).collect();
    assert!(calls.len() >= 4, "{calls:?}");
    let mut session = shop(about == About::Threads);
    done(&mut session, "cp -a ../shop ../first");
    for call in calls {
        let ran = session.run(&call);
        // A schedule that fails is found, and says so.
        let finds = call.starts_with("git mend explore") && !call.contains("--audit");
        assert_eq!(ran.code, i32::from(finds), "{call}\n{}{}", ran.stdout, ran.stderr);
        // What is known of versions stays; what a call did to them does not.
        done(
            &mut session,
            "rm -rf .git/mend/runs && cp -a .git/mend ../known && cd .. && rm -rf shop && \
             cp -a first shop && mv known shop/.git/mend && cd shop",
        );
    }
}

#[test]
fn what_pages_say_to_type_in_a_shop_works_there() {
    made(About::Else);
}

#[test]
fn what_pages_say_to_type_for_a_repair_works_in_a_shop() {
    made(About::Repairs);
}

#[test]
fn what_pages_say_to_type_where_threads_fail_works_in_a_shop() {
    made(About::Threads);
}
