//! `DESIGN.md` is true: its map names every module, and nothing that is not there.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn the_map_of_modules_is_that_of_the_tree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("DESIGN.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let named: BTreeSet<String> = rows
        .flat_map(|row| row.split('`').filter(|word| word.starts_with("src/")).map(str::to_owned))
        .collect();
    for path in &named {
        assert!(root.join(path).exists(), "{path} is on the map and not in the tree");
    }
    for entry in std::fs::read_dir(root.join("src")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_mapped = name == "lib.rs" || named.contains(&format!("src/{name}"));
        assert!(is_mapped, "src/{name} is not on the map");
    }
}
