//! Tests that the module map in `DESIGN.md` matches the source tree, that Java packages import only lower layers, and
//! that documents have no long lines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

#[test]
fn design_map_matches_the_source_tree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("DESIGN.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let is_path = |word: &&str| word.starts_with("src/") || word.starts_with("crates/");
    let named: BTreeSet<String> =
        rows.flat_map(|row| row.split('`').filter(is_path).map(str::to_owned)).collect();
    for path in &named {
        assert!(root.join(path).exists(), "{path} is on the map and not in the tree");
    }
    for folder in ["src", "crates"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_mapped = name == "lib.rs" || named.contains(&format!("{folder}/{name}"));
            assert!(is_mapped, "{folder}/{name} is not on the map");
        }
    }
}

#[test]
fn java_packages_import_only_lower_layers() {
    let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
    let text = std::fs::read_to_string(java.join("README.md")).unwrap();
    let table = text.split("\n## ").find(|section| section.starts_with("Packages")).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut unnamed = java_packages(&java.join("src/main/java/gitmend"));
    let mut lower_packages = BTreeSet::new();
    for row in rows {
        let imports = unnamed.remove(row).unwrap_or_else(|| panic!("there is no package {row}"));
        let below: Vec<_> =
            imports.difference(&lower_packages).filter(|name| *name != row).collect();
        assert!(below.is_empty(), "{row} imports {below:?}");
        lower_packages.insert(row.to_owned());
    }
    assert!(unnamed.is_empty(), "not in the table: {:?}", unnamed.keys());
}

/// Returns the packages below a folder, as paths, each with the packages that its files import.
fn java_packages(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in WalkDir::new(root) {
        let path = entry.unwrap().into_path();
        if path.is_dir() {
            continue;
        }
        let package = path.strip_prefix(root).unwrap().parent().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        // Package names start with a lower-case letter, and class names do not.
        let is_package = |word: &&str| word.starts_with(char::is_lowercase);
        let imports = text.lines().filter_map(|line| line.strip_prefix("import gitmend."));
        let imports = imports
            .map(|name| name.split('.').take_while(is_package).collect::<Vec<_>>().join("/"));
        packages.entry(package.to_owned()).or_default().extend(imports);
    }
    packages
}

/// Maximum line width of a document, in characters. Tables, code and pictures are exempt.
const MAX_LINE_WIDTH: usize = 120;

/// Returns the numbers of the lines that are too long.
fn find_long_lines(text: &str) -> Vec<usize> {
    let mut is_code = false;
    let mut long_lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        is_code ^= line.trim_start().starts_with("```");
        let is_exempt = is_code || line.trim_start().starts_with(['|', '!']);
        if !is_exempt && line.chars().count() > MAX_LINE_WIDTH {
            long_lines.push(number);
        }
    }
    long_lines
}

/// Returns all Markdown files of the repository, except those of dependencies, and templates: a line break in a template
/// is a line break on GitHub.
fn markdown_files() -> Vec<PathBuf> {
    let is_ours = |name: &str| !["target", "node_modules", ".git", "templates"].contains(&name);
    let entries = WalkDir::new(env!("CARGO_MANIFEST_DIR")).into_iter();
    entries
        .filter_entry(|entry| entry.file_name().to_str().is_some_and(is_ours))
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "md"))
        .collect()
}

#[test]
fn document_lines_fit_in_120_characters() {
    let documents = markdown_files();
    assert!(documents.len() > 20, "{documents:?}");
    for path in documents {
        let long_lines = find_long_lines(&std::fs::read_to_string(&path).unwrap());
        assert!(long_lines.is_empty(), "{}: {long_lines:?}", path.display());
    }
}

#[test]
fn only_breakable_long_lines_are_found() {
    let long = "word ".repeat(40);
    let text = format!("{long}\n| {long} |\n```sh\n{long}\n```\n![{long}](a.svg)\n- {long}\n");
    assert_eq!(find_long_lines(&text), [1, 7]);
}
