//! Lists the candidates of a search in the run folder, so that their order can be studied.

use crate::run::session::run_folder::RunFolder;
use mend_java::Edit;
use mend_model::Result;
use mend_repair::LocatedCandidate;
use serde::Serialize;

/// Maximum number of listed candidates. A search within the usual budget tries fewer.
const MAX_LISTED: usize = 10_000;

/// Line of `candidates.jsonl`.
#[derive(Serialize)]
struct ListedCandidate<'a> {
    file: String,
    /// Line of the statement.
    line: u32,
    operator: &'static str,
    score: f64,
    edits: Vec<ListedEdit<'a>>,
}

#[derive(Serialize)]
struct ListedEdit<'a> {
    /// Byte range in the file.
    bytes: (usize, usize),
    text: &'a str,
}

/// Writes the candidates in the order in which they are tested.
pub(super) fn list_candidates(folder: &RunFolder, candidates: &[LocatedCandidate]) -> Result<()> {
    folder.write_candidates(candidates.iter().take(MAX_LISTED).map(to_listed))
}

fn to_listed(candidate: &LocatedCandidate) -> ListedCandidate<'_> {
    ListedCandidate {
        file: candidate.path.to_string(),
        line: candidate.line,
        operator: candidate.change.operator.name(),
        score: candidate.change.score,
        edits: candidate.edits().iter().map(to_listed_edit).collect(),
    }
}

fn to_listed_edit(edit: &Edit) -> ListedEdit<'_> {
    ListedEdit { bytes: edit.bytes, text: &edit.text }
}
