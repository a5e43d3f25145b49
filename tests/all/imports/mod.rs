//! No file of the program imports another one that imports it, directly or through others; and a layer imports only
//! from its own and from those below, as the table of modules in `DESIGN.md` orders them.

mod graph;

use graph::{Crate, Edges};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The groups of files that import each other, each file with those of its group that it imports.
fn cycles(edges: &Edges) -> Vec<String> {
    let mut graph = DiGraphMap::<&Path, ()>::new();
    for (file, imported) in edges {
        for other in imported {
            graph.add_edge(file, other, ());
        }
    }
    let groups = tarjan_scc(&graph).into_iter().filter(|group| group.len() > 1);
    groups.map(|group| shown(&group, edges)).collect()
}

fn shown(group: &[&Path], edges: &Edges) -> String {
    let mut text = String::new();
    for file in group {
        let imported = edges[*file].iter().filter(|other| group.contains(&other.as_path()));
        let imported: Vec<_> = imported.map(|other| other.display().to_string()).collect();
        let _ = writeln!(text, "{} imports {}", file.display(), imported.join(", "));
    }
    text
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The number of the layer of each module below `src`, from the table in `DESIGN.md`.
fn layers() -> BTreeMap<String, u32> {
    let text = std::fs::read_to_string(sources().with_file_name("DESIGN.md")).unwrap();
    let table = text.split("\n## ").find(|section| section.starts_with("Modules")).unwrap();
    let (mut layers, mut layer) = (BTreeMap::new(), 0);
    for row in table.lines().filter(|line| line.starts_with('|')) {
        layer = row.chars().nth(2).and_then(|digit| digit.to_digit(10)).unwrap_or(layer);
        for path in row.split('`').filter_map(|word| word.strip_prefix("src/")) {
            layers.insert(module(Path::new(path)), layer);
        }
    }
    layers
}

/// The module of the top level that a path below `src` belongs to.
fn module(path: &Path) -> String {
    path.with_extension("").iter().next().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_layer_imports_from_those_below_only() {
    let (root, layers) = (sources(), layers());
    assert_eq!(layers["model"], 0);
    let layer = |file: &Path| layers[&module(file.strip_prefix(&root).unwrap())];
    for (file, imported) in &Crate::read(&root.join("lib.rs")).edges() {
        for other in imported {
            let is_downward = layer(file) >= layer(other);
            assert!(is_downward, "{} imports {}", file.display(), other.display());
        }
    }
}

#[test]
fn no_files_import_each_other() {
    let edges = Crate::read(&sources().join("lib.rs")).edges();
    assert!(edges.len() > 500, "only {} files were read", edges.len());
    let found = cycles(&edges);
    assert!(found.is_empty(), "{} import cycles:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_cycle_is_found_through_use_declarations_paths_and_re_exports() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\nuse a::A;\nuse b::B;\n");
    write("a.rs", "use super::B;\npub struct A(B);\n");
    write("b.rs", "pub struct B;\nfn b() { println!(\"{}\", crate::c::c()); }\n");
    write("c.rs", "pub fn c() -> super::A { todo!() }\n");
    write("d.rs", "use crate::a::A;\nfn d(_: A) {}\n");
    let found = cycles(&Crate::read(&dir.path().join("lib.rs")).edges());
    let [cycle] = &found[..] else { panic!("{found:?}") };
    assert_eq!(cycle.lines().count(), 3, "{cycle}");
}
