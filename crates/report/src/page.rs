//! Renders the self-contained HTML page of a run.

mod commit_strip;
mod dependency_graph;
mod fix_cards;
mod headline;
mod mermaid;
mod model;
mod patch_view;
mod picture;
mod pool_rows;
mod progress_chart;
mod sequence_diagram;
#[cfg(test)]
mod tests;

pub use crate::page::mermaid::TextDiagram;
pub(super) use crate::page::mermaid::text_diagrams;
pub use picture::Picture;

use crate::run_folder::saved_run::SavedRun;
use crate::sanitize::sanitise_text;
use crate::terminal::OutputContext;
use crate::view::RunArtifacts;
use anyhow::Context as _;
use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mend_model::Result;
use model::Page;
use sha2::{Digest as _, Sha256};

const PAGE_SCRIPT: &str = include_str!("page/templates/page.js");

/// Maximum number of rows of a printed table.
const MAX_PRINTED_ROWS: usize = 200;

/// Data of the page template.
#[derive(Template)]
#[template(path = "page.html")]
struct PageTemplate<'a> {
    page: &'a Page,
    style: String,
    script: &'static str,
    policy: String,
    most_printed: usize,
}

/// Creates the page of a run.
///
/// # Errors
/// Errors of [`SavedRun::read_file`].
pub fn render_page(run: &SavedRun, context: &OutputContext<'_>) -> Result<String> {
    let artifacts = RunArtifacts::read(run)?;
    let page = Page::new(&artifacts, context);
    let html = PageTemplate {
        page: &page,
        style: page_style(),
        script: PAGE_SCRIPT,
        policy: page_policy(),
        most_printed: MAX_PRINTED_ROWS,
    };
    // Removes control characters. The template escapes untrusted text.
    Ok(sanitise_text(&html.render().context("making the page")?))
}

/// Returns the content security policy, which allows only the page's own style and script.
pub fn page_policy() -> String {
    let (style, script) = (csp_hash(&page_style()), csp_hash(PAGE_SCRIPT));
    format!(
        "default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; form-action 'none'"
    )
}

fn page_style() -> String {
    format!("{}{}", include_str!("page/templates/page.css"), picture::STYLE)
}

/// Returns the pictures of a run as separate files, for places that cannot show HTML.
///
/// # Errors
/// Errors of [`SavedRun::read_file`].
pub fn run_pictures(run: &SavedRun, context: &OutputContext<'_>) -> Result<Vec<Picture>> {
    let artifacts = RunArtifacts::read(run)?;
    let Page { search, delta, schedules, .. } = Page::new(&artifacts, context);
    let of_search = search
        .into_iter()
        .flat_map(|search| [search.commit_strip, search.progress_chart])
        .flatten();
    let of_delta = delta.into_iter().flat_map(|delta| delta.pictures);
    let of_schedules = schedules.into_iter().map(|schedule| schedule.picture);
    Ok(of_search.chain(of_delta).chain(of_schedules).collect())
}

/// Returns the hash of a text in the form of a content security policy.
fn csp_hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}
