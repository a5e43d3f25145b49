//! Tests of the commands, tests and paths that CONTRIBUTING.md names, and of the cargo commands and scripts that any page
//! names.

use super::command_line::lines_to_type;
use super::page::Page;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn page() -> Page {
    Page::read("CONTRIBUTING.md")
}

/// Returns the words of each command line, up to `--`.
fn commands(page: &Page) -> Vec<Vec<String>> {
    let lines: Vec<String> = page.blocks().iter().flat_map(lines_to_type).collect();
    lines.iter().map(|line| words(line)).collect()
}

fn words(line: &str) -> Vec<String> {
    let command = line.split("  #").next().unwrap_or_default();
    let all = shell_words::split(command).unwrap();
    all.into_iter().take_while(|word| word != "--").collect()
}

/// Returns the cargo commands and scripts in code blocks and in running text.
fn own_commands(page: &Page) -> Vec<Vec<String>> {
    let blocks = page.blocks();
    let lines = blocks.iter().flat_map(lines_to_type).chain(page.spans());
    let is_own = |line: &String| {
        (line.starts_with("cargo ") || line.starts_with("scripts/")) && !line.contains('…')
    };
    lines.filter(is_own).map(|line| words(&line)).collect()
}

/// Returns the names of the benchmarks in Cargo.toml.
fn benches() -> Vec<String> {
    let manifest = fs::read_to_string(Path::new(ROOT).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let name = |bench: &toml::Value| bench["name"].as_str().unwrap().to_owned();
    manifest["bench"].as_array().unwrap().iter().map(name).collect()
}

/// Returns the help text of a cargo command, or `None` if it does not exist. Clippy also accepts the options of check.
fn help(names: &[&str]) -> Option<String> {
    let more = if names == ["clippy"] { &["check"][..] } else { &[] };
    let said = [names, more].map(|names| {
        let asked = Command::new(env!("CARGO")).args(names).arg("--help").output().unwrap();
        asked.status.success().then(|| String::from_utf8_lossy(&asked.stdout).into_owned())
    });
    said.into_iter().collect::<Option<String>>()
}

/// Returns true if the program of a command exists and has the options.
fn is_there(words: &[String]) -> bool {
    let [program, rest @ ..] = words else { return true };
    if program != "cargo" {
        let found = fs::metadata(Path::new(ROOT).join(program));
        return found.is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
    }
    let is_option = |word: &str| word.starts_with('-');
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    let end = words.iter().position(|word| is_option(word)).unwrap_or(words.len());
    let Some(help) = help(&words[..end]) else { return false };
    let has = |option: &str| {
        let pattern = format!(r"(?m)^\s+(-\w, )?{}\b", regex::escape(option));
        Regex::new(&pattern).unwrap().is_match(&help)
    };
    let is_bench = |pair: &[&str]| pair[0] != "--bench" || benches().contains(&pair[1].to_owned());
    words.windows(2).all(is_bench) && words.into_iter().filter(|word| is_option(word)).all(has)
}

#[test]
fn every_command_to_contribute_can_be_typed() {
    let commands = commands(&page());
    assert!(commands.len() > 6, "commands are not found any more");
    let wrong: Vec<_> = commands.iter().filter(|words| !is_there(words)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    for wrong in ["scripts/none", "cargo nextest run --libs", "cargo none", "CHANGELOG.md"] {
        assert!(!is_there(&shell_words::split(wrong).unwrap()), "{wrong}");
    }
}

#[test]
fn every_command_of_cargo_and_every_script_that_a_page_names_is_there() {
    let pages = Page::all();
    let named: Vec<_> = pages.iter().flat_map(own_commands).collect();
    assert!(named.len() > 20, "commands are not found any more");
    assert!(named.iter().flatten().filter(|word| *word == "--bench").count() > 8, "{named:?}");
    let wrong: Vec<_> = named.iter().filter(|words| !is_there(words)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let page = "```sh\ncargo bench --bench none -- 1\nls\n```\n\nSee `scripts/none` and `cargo`.\n";
    let found = own_commands(&Page::of(page));
    assert!(found.len() == 2 && !found.iter().any(|words| is_there(words)), "{found:?}");
}

/// Returns the paths of all files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inside = |path: PathBuf| {
        if path.is_dir() { files(&path) } else { vec![path.display().to_string()] }
    };
    entries.flat_map(inside).collect()
}

/// Returns the names of all tests in this binary.
fn tests_of_the_whole() -> String {
    let listed = Command::new(std::env::current_exe().unwrap()).arg("--list").output().unwrap();
    String::from_utf8(listed.stdout).unwrap()
}

#[test]
fn every_test_that_is_to_be_run_is_there() {
    let (page, all) = (page(), tests_of_the_whole());
    let units = files(&Path::new(ROOT).join("src")).into_iter();
    let units: Vec<_> = units
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("#[test]")))
        .map(|path| path.replace('/', "::"))
        .collect();
    let named = Regex::new(r"--(lib|test all) -E 'test\((/?)(\w+)/?\)'").unwrap();
    let mut count = 0;
    for found in named.captures_iter(&page.text) {
        let name = &found[3];
        let is_there = if &found[1] == "lib" {
            units.iter().any(|unit| unit.contains(name))
        } else {
            all.contains(name)
        };
        assert!(is_there, "{}", &found[0]);
        count += 1;
    }
    assert_eq!(count, page.text.matches(" -E '").count());
}

#[test]
fn every_place_that_is_to_be_looked_into_is_there() {
    let page = page();
    let roots: BTreeSet<String> = fs::read_dir(ROOT)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let is_path = |span: &String| {
        let first = span.split('/').next().unwrap_or_default();
        !span.contains(' ') && (roots.contains(first) || span.contains('/'))
    };
    let places: Vec<String> = page.spans().into_iter().filter(is_path).collect();
    assert!(places.len() > 15, "{places:?}");
    let missing: Vec<_> =
        places.iter().filter(|place| !Path::new(ROOT).join(place).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_words_of_the_first_change_are_where_it_looks_for_them() {
    let page = page().text;
    let words = page.split("Say that the advice").nth(1).unwrap().split('`').nth(1).unwrap();
    for file in ["crates/model/src/problem.rs", "docs/troubleshooting.md"] {
        assert!(page.contains(file) && Page::read(file).text.contains(words), "{words} in {file}");
    }
    assert!(Page::read("crates/model/src/problem.rs").text.contains("fn remedy"));
    let search = page.split("know the old words? `").nth(1).unwrap().split('`').next().unwrap();
    let found = Command::new("sh").args(["-c", search]).current_dir(ROOT).output().unwrap();
    assert!(String::from_utf8_lossy(&found.stdout).contains(words), "{search}");
}
