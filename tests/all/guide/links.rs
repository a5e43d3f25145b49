//! What the tool that builds the guide does not see: pictures, files beside the pages, and what it is not told of.

use super::page::Page;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a page leads to that is not there, and pictures without words.
fn faults(page: &Page) -> Vec<String> {
    let folder = root().join(&page.name).parent().unwrap().to_owned();
    let is_elsewhere = |target: &str| target.contains("://") || target.starts_with('#');
    let mut faults = Vec::new();
    for link in page.links() {
        let file = link.target.split('#').next().unwrap_or_default();
        if !is_elsewhere(&link.target) && !folder.join(file).exists() {
            faults.push(format!("{}: {} is not there", page.name, link.target));
        }
        if link.is_picture && link.words.len() < 20 {
            faults.push(format!("{}: {} says too little without eyes", page.name, link.target));
        }
    }
    faults
}

#[test]
fn every_link_leads_somewhere_and_every_picture_has_words() {
    let found: Vec<_> = Page::all().iter().flat_map(faults).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_broken_link_and_a_picture_without_words_are_found() {
    let page =
        Page::of("[x](docs/nothing.md#a) ![](docs/demo.svg) [y](docs/benchmarks/engine.md#bad-input)\n");
    assert_eq!(faults(&page).len(), 2);
}

/// All files that a part of the navigation names.
fn named(part: &toml::Value, names: &mut BTreeSet<String>) {
    match part {
        toml::Value::String(name) => drop(names.insert(format!("docs/{name}"))),
        toml::Value::Array(parts) => parts.iter().for_each(|part| named(part, names)),
        toml::Value::Table(parts) => parts.values().for_each(|part| named(part, names)),
        _ => {}
    }
}

#[test]
fn the_navigation_names_every_page() {
    let text = fs::read_to_string(root().join("zensical.toml")).unwrap();
    let settings: toml::Table = text.parse().unwrap();
    let mut names = BTreeSet::new();
    named(&settings["project"]["nav"], &mut names);
    let pages = Page::all().into_iter().map(|page| page.name);
    let pages: BTreeSet<_> = pages.filter(|name| name.starts_with("docs/")).collect();
    assert_eq!(names, pages);
}
