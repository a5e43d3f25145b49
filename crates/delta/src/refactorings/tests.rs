use crate::{Delta, JavaGranularity};
use mend_java::ParsedSource;
use mend_model::{FileChange, FileState, RepoPath, TreeId};

/// Computes the delta between versions of files: path, old text, new text; an empty text means that there is no file.
pub(super) fn delta(files: &[(&str, &str, &str)]) -> Delta {
    let side = |path: &str, text: &str| {
        let state = || (RepoPath::from(path), FileState::regular(text.as_bytes()));
        (!text.is_empty()).then(state)
    };
    let changes: Vec<FileChange> = files
        .iter()
        .map(|(path, old, new)| FileChange { old: side(path, old), new: side(path, new) })
        .collect();
    Delta::between(TreeId(String::new()), &changes, JavaGranularity::Ast)
}

/// Returns the names and descriptions of a delta's refactorings; every variant must parse.
pub(super) fn notes_of(delta: &Delta) -> Vec<(&'static str, String)> {
    for at in 0..delta.components().len() {
        for is_on in [true, false] {
            let variant = delta.render_components(&|other| (other == at) == is_on, false);
            if delta.refactoring_of(at).is_some() {
                for state in variant.changes.values().flatten() {
                    let text = String::from_utf8_lossy(&state.content);
                    assert!(ParsedSource::is_valid(&state.content), "{text}");
                }
            }
        }
    }
    let notes = (0..delta.components().len()).filter_map(|at| delta.refactoring_of(at));
    notes.map(|note| (note.name, note.description.clone())).collect()
}

/// Returns the names of the refactorings between two versions of one file.
pub(super) fn names(old: &str, new: &str) -> Vec<&'static str> {
    notes_of(&delta(&[("A.java", old, new)])).into_iter().map(|(name, _)| name).collect()
}

/// Returns the descriptions of the refactorings between two versions of one file.
pub(super) fn descriptions(old: &str, new: &str) -> Vec<String> {
    notes_of(&delta(&[("A.java", old, new)])).into_iter().map(|(_, what)| what).collect()
}

mod conditionals;
mod extracted_values;
mod hierarchy;
mod methods;
mod moves;
mod parameters;
mod renames;
mod split_variable;
