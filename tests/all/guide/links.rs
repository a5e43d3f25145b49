//! Tests of links, anchors, pictures and the navigation, which the builder of the guide does not check.

use super::page::Page;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the broken links of a page, and the pictures without alternative text.
fn link_errors(page: &Page) -> Vec<String> {
    let mut faults = Vec::new();
    for link in page.links() {
        if !link.target.contains("://") && !target_exists(page, &link.target) {
            faults.push(format!("{}: {} does not exist", page.name, link.target));
        }
        if link.is_picture && link.alternative_text.len() < 20 {
            faults.push(format!("{}: {} needs an alternative text", page.name, link.target));
        }
    }
    faults
}

/// Returns true if the file of a link exists and, if it is a Markdown file, has a heading with the anchor.
fn target_exists(page: &Page, target: &str) -> bool {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = root().join(&page.name).parent().unwrap().to_owned();
    let path = if file.is_empty() { root().join(&page.name) } else { folder.join(file) };
    if anchor.is_empty() || !file.is_empty() && path.extension() != Some("md".as_ref()) {
        return path.exists();
    }
    let text = if file.is_empty() { Ok(page.text.clone()) } else { fs::read_to_string(path) };
    text.is_ok_and(|text| text.lines().any(|line| anchor_of(line).as_deref() == Some(anchor)))
}

/// Returns the anchor of a heading, as GitHub derives it.
fn anchor_of(line: &str) -> Option<String> {
    let heading =
        line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))?;
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    Some(heading.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-"))
}

#[test]
fn links_resolve_and_pictures_have_alternative_text() {
    let found: Vec<_> = Page::all().iter().flat_map(link_errors).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn broken_links_and_undescribed_pictures_are_found() {
    let page = Page::from_text(
        "# The page\n\n[x](docs/nothing.md#a) ![](docs/demo.svg) [y](docs/bisect.md#try-it) \
         [z](docs/bisect.md#nothing) [here](#the-page) [there](#nothing)\n",
    );
    assert_eq!(link_errors(&page).len(), 4);
}

/// Collects the files in a part of the navigation.
fn collect_navigation(part: &toml::Value, names: &mut BTreeSet<String>) {
    match part {
        toml::Value::String(name) => drop(names.insert(format!("docs/{name}"))),
        toml::Value::Array(parts) => parts.iter().for_each(|part| collect_navigation(part, names)),
        toml::Value::Table(parts) => {
            parts.values().for_each(|part| collect_navigation(part, names));
        }
        _ => {}
    }
}

#[test]
fn navigation_names_every_page() {
    let text = fs::read_to_string(root().join("zensical.toml")).unwrap();
    let settings: toml::Table = text.parse().unwrap();
    let mut names = BTreeSet::new();
    collect_navigation(&settings["project"]["nav"], &mut names);
    let pages = Page::all().into_iter().map(|page| page.name);
    let pages: BTreeSet<_> = pages.filter(|name| name.starts_with("docs/")).collect();
    assert_eq!(names, pages);
}
