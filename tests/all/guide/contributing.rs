//! Tests of the commands, tests and paths that CONTRIBUTING.md names, and of the cargo commands and scripts that any page
//! names.

use super::command_line::shell_lines;
use super::page::Page;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn contributing_page() -> Page {
    Page::read("CONTRIBUTING.md")
}

/// Returns the words of each command line, up to `--`.
fn shell_commands(page: &Page) -> Vec<Vec<String>> {
    let lines: Vec<String> = page.blocks().iter().flat_map(shell_lines).collect();
    lines.iter().map(|line| command_words(line)).collect()
}

fn command_words(line: &str) -> Vec<String> {
    let command = line.split("  #").next().unwrap_or_default();
    let all = shell_words::split(command).unwrap();
    all.into_iter().take_while(|word| word != "--").collect()
}

/// Returns the cargo commands and scripts in code blocks and in running text.
fn project_commands(page: &Page) -> Vec<Vec<String>> {
    let blocks = page.blocks();
    let lines = blocks.iter().flat_map(shell_lines).chain(page.spans());
    let is_own = |line: &String| {
        (line.starts_with("cargo ") || line.starts_with("scripts/")) && !line.contains('…')
    };
    lines.filter(is_own).map(|line| command_words(&line)).collect()
}

/// Returns the names of the benchmarks in Cargo.toml.
fn benchmark_names() -> Vec<String> {
    let manifest = fs::read_to_string(Path::new(ROOT).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let name = |bench: &toml::Value| bench["name"].as_str().unwrap().to_owned();
    manifest["bench"].as_array().unwrap().iter().map(name).collect()
}

/// Returns the help text of a cargo command, or `None` if it does not exist. Clippy also accepts the options of check.
fn cargo_help(names: &[&str]) -> Option<String> {
    let more = if names == ["clippy"] { &["check"][..] } else { &[] };
    let help_texts = [names, more].map(|names| {
        let output = Command::new(env!("CARGO")).args(names).arg("--help").output().unwrap();
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    });
    help_texts.into_iter().collect::<Option<String>>()
}

/// Returns true if the program of a command exists and has the options.
fn is_valid_command(words: &[String]) -> bool {
    let [program, rest @ ..] = words else { return true };
    if program != "cargo" {
        let found = fs::metadata(Path::new(ROOT).join(program));
        return found.is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
    }
    let is_option = |word: &str| word.starts_with('-');
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    let end = words.iter().position(|word| is_option(word)).unwrap_or(words.len());
    let Some(help) = cargo_help(&words[..end]) else { return false };
    let has = |option: &str| {
        let pattern = format!(r"(?m)^\s+(-\w, )?{}\b", regex::escape(option));
        Regex::new(&pattern).unwrap().is_match(&help)
    };
    let is_bench =
        |pair: &[&str]| pair[0] != "--bench" || benchmark_names().contains(&pair[1].to_owned());
    words.windows(2).all(is_bench) && words.into_iter().filter(|word| is_option(word)).all(has)
}

#[test]
fn contributing_commands_are_valid() {
    let commands = shell_commands(&contributing_page());
    assert!(commands.len() > 6, "commands are not found any more");
    let wrong: Vec<_> = commands.iter().filter(|words| !is_valid_command(words)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    for wrong in ["scripts/none", "cargo nextest run --libs", "cargo none", "CHANGELOG.md"] {
        assert!(!is_valid_command(&shell_words::split(wrong).unwrap()), "{wrong}");
    }
}

#[test]
fn documented_cargo_commands_and_scripts_exist() {
    let pages = Page::all();
    let named: Vec<_> = pages.iter().flat_map(project_commands).collect();
    assert!(named.len() > 20, "commands are not found any more");
    assert!(named.iter().flatten().filter(|word| *word == "--bench").count() > 8, "{named:?}");
    let wrong: Vec<_> = named.iter().filter(|words| !is_valid_command(words)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let page = "```sh\ncargo bench --bench none -- 1\nls\n```\n\nSee `scripts/none` and `cargo`.\n";
    let commands_found = project_commands(&Page::from_text(page));
    assert!(
        commands_found.len() == 2 && !commands_found.iter().any(|words| is_valid_command(words)),
        "{commands_found:?}"
    );
}

/// Returns the paths of all files below a folder.
fn files_below(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files_in = |path: PathBuf| {
        if path.is_dir() { files_below(&path) } else { vec![path.display().to_string()] }
    };
    entries.flat_map(files_in).collect()
}

/// Returns the names of all tests in this binary.
fn test_names() -> String {
    let output = Command::new(std::env::current_exe().unwrap()).arg("--list").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn documented_test_names_exist() {
    let (page, all) = (contributing_page(), test_names());
    let units = files_below(&Path::new(ROOT).join("src")).into_iter();
    let units: Vec<_> = units
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("#[test]")))
        .map(|path| path.replace('/', "::"))
        .collect();
    let test_filter = Regex::new(r"--(lib|test all) -E 'test\((/?)(\w+)/?\)'").unwrap();
    let mut count = 0;
    for found in test_filter.captures_iter(&page.text) {
        let name = &found[3];
        let exists = if &found[1] == "lib" {
            units.iter().any(|unit| unit.contains(name))
        } else {
            all.contains(name)
        };
        assert!(exists, "{}", &found[0]);
        count += 1;
    }
    assert_eq!(count, page.text.matches(" -E '").count());
}

#[test]
fn documented_paths_exist() {
    let page = contributing_page();
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
fn first_contribution_example_matches_the_sources() {
    let page = contributing_page().text;
    let words = page.split("Say that the advice").nth(1).unwrap().split('`').nth(1).unwrap();
    for file in ["crates/model/src/problem.rs", "docs/troubleshooting.md"] {
        assert!(page.contains(file) && Page::read(file).text.contains(words), "{words} in {file}");
    }
    assert!(Page::read("crates/model/src/problem.rs").text.contains("fn remedy"));
    let search = page.split("know the old words? `").nth(1).unwrap().split('`').next().unwrap();
    let search_output = Command::new("sh").args(["-c", search]).current_dir(ROOT).output().unwrap();
    assert!(String::from_utf8_lossy(&search_output.stdout).contains(words), "{search}");
}
