//! Tests that files of the program do not import each other in a cycle. Also tests that a crate depends only on its own
//! layer and lower ones, which the table of crates in `DESIGN.md` defines.

mod graph;

use graph::{Crate, Edges};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Returns the groups of files that import each other (strongly connected components), each file with its imports in
/// the group.
fn import_cycles(edges: &Edges) -> Vec<String> {
    let mut graph = DiGraphMap::<&Path, ()>::new();
    for (file, imported) in edges {
        for other in imported {
            graph.add_edge(file, other, ());
        }
    }
    let groups = tarjan_scc(&graph).into_iter().filter(|group| group.len() > 1);
    groups.map(|group| list_cycle(&group, edges)).collect()
}

fn list_cycle(group: &[&Path], edges: &Edges) -> String {
    let mut text = String::new();
    for file in group {
        let imported = edges[*file].iter().filter(|other| group.contains(&other.as_path()));
        let imported: Vec<_> = imported.map(|other| other.display().to_string()).collect();
        let _ = writeln!(text, "{} imports {}", file.display(), imported.join(", "));
    }
    text
}

/// Returns the crates of the workspace by name. The root package is `git-mend`.
fn workspace_crates() -> BTreeMap<String, PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(root.join("crates")).unwrap();
    let members = entries.map(|entry| entry.unwrap().path());
    let crate_name =
        |path: PathBuf| (format!("mend-{}", path.file_name().unwrap().display()), path);
    members.map(crate_name).chain([("git-mend".to_owned(), root.to_owned())]).collect()
}

/// Returns the layer number of each crate, from the table in `DESIGN.md`.
fn crate_layers() -> BTreeMap<String, u32> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("DESIGN.md"));
    let text = text.unwrap();
    let table = text.split("\n## ").find(|section| section.starts_with("Crates")).unwrap();
    let (mut layers, mut layer) = (BTreeMap::new(), 0);
    for row in table.lines().filter(|line| line.starts_with('|')) {
        layer = row.chars().nth(2).and_then(|digit| digit.to_digit(10)).unwrap_or(layer);
        for word in row.split('`') {
            if let Some(member) = word.strip_prefix("crates/") {
                layers.insert(format!("mend-{member}"), layer);
            } else if word.starts_with("src/") {
                layers.insert("git-mend".to_owned(), layer);
            }
        }
    }
    layers
}

/// Returns the crates of the workspace that a crate depends on, except for its tests.
fn workspace_dependencies(folder: &Path) -> Vec<String> {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let names = manifest["dependencies"].as_table().unwrap().keys();
    names.filter(|name| name.starts_with("mend-")).cloned().collect()
}

#[test]
fn crates_depend_only_on_lower_layers() {
    let (crates, layers) = (workspace_crates(), crate_layers());
    assert_eq!(layers["mend-model"], 0);
    for (name, folder) in &crates {
        for other in workspace_dependencies(folder) {
            assert!(layers[name] >= layers[&other], "{name} depends on {other}");
        }
    }
}

#[test]
fn files_have_no_import_cycles() {
    let mut files = 0;
    for folder in workspace_crates().values() {
        let edges = Crate::read(&folder.join("src/lib.rs")).import_edges();
        let cycles_found = import_cycles(&edges);
        assert!(
            cycles_found.is_empty(),
            "{} import cycles:\n{}",
            cycles_found.len(),
            cycles_found.join("\n")
        );
        files += edges.len();
    }
    assert!(files > 500, "only {files} files were read");
}

#[test]
fn import_cycle_is_found_through_uses_and_re_exports() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\nuse a::A;\nuse b::B;\n");
    write("a.rs", "use super::B;\npub struct A(B);\n");
    write("b.rs", "pub struct B;\nfn b() { println!(\"{}\", crate::c::c()); }\n");
    write("c.rs", "pub fn c() -> super::A { todo!() }\n");
    write("d.rs", "use crate::a::A;\nfn d(_: A) {}\n");
    let cycles_found = import_cycles(&Crate::read(&dir.path().join("lib.rs")).import_edges());
    let [cycle] = &cycles_found[..] else { panic!("{cycles_found:?}") };
    assert_eq!(cycle.lines().count(), 3, "{cycle}");
}
