//! Measures the load time and the size of the report of a run with thousands of components.
//!
//! `cargo bench --bench report_page -- [COMPONENTS]` creates a repository whose last commit has about this many
//! components, in shops of four files. They depend on each other through chains of calls across shops, one shared
//! method, interfaces and their implementations, types, parameters and imports; some are independent. The bench bisects
//! it, writes the page with `git mend report`, and opens it with `scripts/look` in headless Chromium, with and without
//! JavaScript. The printed time is the longer of the two. It fails if the page is too slow or too large. `scripts/look`
//! also operates the whole page, which takes minutes.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints and may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::time::Instant;

/// Number of components of a shop.
const COMPONENTS_PER_SHOP: usize = 18;

/// Number of shops in a chain of calls.
const SHOPS_PER_CHAIN: usize = 5;

/// Default number of components.
const DEFAULT_COMPONENTS: usize = 5000;

/// Limits of a page in bytes and milliseconds.
const MAX_PAGE_BYTES: u64 = 5_000_000;
const MAX_LOAD_MILLISECONDS: u64 = 2_000;

/// Files of a shop before and after the change. `#` is the placeholder for the number of the shop, `^` for the previous
/// shop of the chain.
const SHOP_VERSIONS: [&[(&str, &str)]; 2] = [
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

fn fill_template(text: &str, shop: usize) -> String {
    let before = if shop.is_multiple_of(SHOPS_PER_CHAIN) {
        "0".to_owned()
    } else {
        format!("new Stock{}().rate()", shop - 1)
    };
    text.replace('#', &shop.to_string()).replace('^', &before)
}

/// Writes and commits a version.
fn commit_version(dir: &Path, shops: usize, files: &[(&str, &str)]) {
    for shop in 0..shops {
        for (name, text) in files {
            fs::write(dir.join("src").join(fill_template(name, shop)), fill_template(text, shop))
                .unwrap();
        }
    }
    run_successfully(Command::new("git").args(["add", "-A"]).current_dir(dir));
    let user = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    run_successfully(
        Command::new("git").args(user).args(["commit", "-qm", "shops"]).current_dir(dir),
    );
}

fn run_successfully(command: &mut Command) -> Output {
    let started = Instant::now();
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    if started.elapsed().as_secs() > 0 {
        println!("{:.1} s: {command:?}", started.elapsed().as_secs_f64());
    }
    output
}

/// Prints the number of components of a run, and the number of their dependencies by rule.
fn print_delta_statistics(path: &Path) {
    let delta = fs::read(path).unwrap();
    let delta: serde_json::Value = serde_json::from_slice(&delta).unwrap();
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    let couplings = delta["couplings"].as_array().unwrap();
    for coupling in couplings.iter().filter(|one| one["kind"] != "together") {
        *rules.entry(coupling["rule"].as_str().unwrap()).or_default() += 1;
    }
    let components = delta["components"].as_array().unwrap().len();
    println!("{components} components; dependencies: {rules:?}");
}

fn main() -> ExitCode {
    let components =
        std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(DEFAULT_COMPONENTS);
    let shops = usize::div_ceil(components, COMPONENTS_PER_SHOP);
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    run_successfully(Command::new("git").args(["init", "-q"]).current_dir(dir));
    fs::create_dir(dir.join("src")).unwrap();
    // The last component of a chain is the culprit.
    let check_script = format!("! grep -q 'till.kept + till.tax' src/Clerk{}.java\n", shops / 2);
    fs::write(dir.join("check.sh"), check_script).unwrap();
    for files in SHOP_VERSIONS {
        commit_version(dir, shops, files);
    }
    let mend = || {
        let mut mend = Command::new(env!("CARGO_BIN_EXE_git-mend"));
        mend.current_dir(dir);
        mend
    };
    run_successfully(mend().args(["bisect", "--good", "HEAD~1", "--", "sh", "check.sh"]));
    let report_output = run_successfully(mend().arg("report"));
    let page = String::from_utf8(report_output.stdout).unwrap().trim().to_owned();
    let bytes = fs::metadata(&page).unwrap().len();
    print_delta_statistics(&Path::new(&page).with_file_name("delta.json"));
    println!("{bytes} bytes");
    let look = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/look");
    let time_limit = MAX_LOAD_MILLISECONDS.to_string();
    let mut look = Command::new(look);
    // The output is not captured.
    let look_status =
        look.args(["--within", &time_limit, &page, "pictures"]).current_dir(dir).status();
    if bytes > MAX_PAGE_BYTES {
        println!("the page has {bytes} bytes, but the limit is {MAX_PAGE_BYTES}");
    }
    if look_status.unwrap().success() && bytes <= MAX_PAGE_BYTES {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
