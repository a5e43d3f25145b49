//! How soon the page of a run with thousands of components is there, and how large it is.
//!
//! `cargo bench --bench report_page -- [COMPONENTS]` makes a repository whose last commit makes about so many changes
//! in shops of four files, which need each other in many ways: chains of calls that go on in the next shops, one method
//! that all of them come to, interfaces with what implements them, types, parameters, imports, and what needs nothing. It
//! bisects that, writes the page with `git mend report`, and opens it with `scripts/look` in headless Chromium, with
//! JavaScript and without. The time that is told is the longer of these. It fails where a page of so many components
//! opens later, or is larger, than people wait for. Before it says so the page is used in all ways that `scripts/look`
//! knows, which takes minutes.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may stop")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::time::Instant;

/// Components of a shop.
const OF_A_SHOP: usize = 18;

/// Chains of calls go through so many shops.
const CHAIN: usize = 5;

/// How many components where nobody says so.
const USUAL: usize = 5000;

/// What a page may have at most, in bytes and milliseconds.
const MOST_BYTES: u64 = 5_000_000;
const MOST_MILLISECONDS: u64 = 2_000;

/// What stands in a shop's files before the change, and after it. `#` is the number of the shop, `^` what the chain has
/// before it.
const SHOPS: [&[(&str, &str)]; 2] = [
    &[
        ("Desk#.java", "package shop;\n\ninterface Desk# {\n    int fee();\n}\n"),
        (
            "Till#.java",
            "package shop;

class Till# implements Desk# {
    int kept = 1;

    public int fee() {
        return kept;
    }

    int price(int amount) {
        return amount;
    }
}
",
        ),
        (
            "Clerk#.java",
            "package shop;

class Clerk# {
    Till# till = new Till#();

    int first() {
        return till.price(1);
    }

    int second() {
        return till.price(2);
    }

    int third() {
        return till.kept;
    }

    int rest() {
        return 4;
    }
}
",
        ),
    ],
    &[
        (
            "Desk#.java",
            "package shop;

interface Desk# {
    int fee();

    int tax();

    int toll();
}
",
        ),
        (
            "Till#.java",
            "package shop;

import stock.Stock#;

class Till# implements Desk# {
    long kept = 2;

    public int fee() {
        return (int) kept;
    }

    int price(int amount, int discount) {
        return amount - discount;
    }

    public int tax() {
        return new Stock#().rate();
    }

    public int toll() {
        return tax() + new Stock#().rate();
    }
}
",
        ),
        (
            "Clerk#.java",
            "package shop;

class Clerk# {
    Till# till = new Till#();

    int first() {
        return till.price(1, 0);
    }

    int second() {
        return till.price(2, 1);
    }

    long third() {
        return till.kept + till.tax();
    }

    int rest() {
        return 5;
    }

    int all() {
        return first() + till.toll();
    }
}
",
        ),
        (
            "Stock#.java",
            "package stock;

public class Stock# {
    int kept = ^;

    public int rate() {
        return half() + kept;
    }

    int half() {
        return Stock0.unit() / 2;
    }

    public static int unit() {
        return 2;
    }
}
",
        ),
    ],
];

fn written(text: &str, shop: usize) -> String {
    let before = if shop.is_multiple_of(CHAIN) {
        "0".to_owned()
    } else {
        format!("new Stock{}().rate()", shop - 1)
    };
    text.replace('#', &shop.to_string()).replace('^', &before)
}

/// Writes a version, and commits it.
fn version(dir: &Path, shops: usize, files: &[(&str, &str)]) {
    for shop in 0..shops {
        for (name, text) in files {
            fs::write(dir.join("src").join(written(name, shop)), written(text, shop)).unwrap();
        }
    }
    run(Command::new("git").args(["add", "-A"]).current_dir(dir));
    let user = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    run(Command::new("git").args(user).args(["commit", "-qm", "shops"]).current_dir(dir));
}

fn run(command: &mut Command) -> Output {
    let begun = Instant::now();
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    if begun.elapsed().as_secs() > 0 {
        println!("{:.1} s: {command:?}", begun.elapsed().as_secs_f64());
    }
    output
}

/// Says what a run took apart, and how many couplings there are between components, by their rules.
fn tell_delta(path: &Path) {
    let delta = fs::read(path).unwrap();
    let delta: serde_json::Value = serde_json::from_slice(&delta).unwrap();
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    let couplings = delta["couplings"].as_array().unwrap();
    for coupling in couplings.iter().filter(|one| one["kind"] != "together") {
        *rules.entry(coupling["rule"].as_str().unwrap()).or_default() += 1;
    }
    let components = delta["components"].as_array().unwrap().len();
    println!("{components} components; couplings: {rules:?}");
}

fn main() -> ExitCode {
    let components = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(USUAL);
    let shops = usize::div_ceil(components, OF_A_SHOP);
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    run(Command::new("git").args(["init", "-q"]).current_dir(dir));
    fs::create_dir(dir.join("src")).unwrap();
    // What is at the end of a chain breaks it.
    let broken = format!("! grep -q 'till.kept + till.tax' src/Clerk{}.java\n", shops / 2);
    fs::write(dir.join("check.sh"), broken).unwrap();
    for files in SHOPS {
        version(dir, shops, files);
    }
    let mend = || {
        let mut mend = Command::new(env!("CARGO_BIN_EXE_git-mend"));
        mend.current_dir(dir);
        mend
    };
    run(mend().args(["bisect", "--good", "HEAD~1", "--", "sh", "check.sh"]));
    let written = run(mend().arg("report"));
    let page = String::from_utf8(written.stdout).unwrap().trim().to_owned();
    let bytes = fs::metadata(&page).unwrap().len();
    tell_delta(&Path::new(&page).with_file_name("delta.json"));
    println!("{bytes} bytes");
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
