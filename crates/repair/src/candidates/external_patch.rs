//! Patches of an external generator as candidates, with the checks for overfitting of our own candidates.

use super::candidate::{FixOperator, LocatedCandidate, OverfittingKind};
use crate::contracts::Contracts;
use crate::localisation::diagnosis::Diagnosis;
use crate::localisation::suspect::SuspiciousStatement;
use crate::overfitting::classifier::{ClassifiedEdits, OverfittingClassifier, OverfittingSigns};
use crate::overfitting::patch_edits::{
    EditedMethod, PatchEdit, edited_method, infer_operator, makes_routine_constant, to_patch_edits,
    touches,
};
use mend_java::facts::{FileNode, NodeIndex, NodeRole};
use mend_java::{Candidate, Code, Edit};
use mend_model::RepoPath;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Patch of an external generator.
#[derive(Clone, Debug)]
pub struct ExternalPatch {
    /// Changed files, in their order.
    pub files: Vec<PatchedFile>,
    /// One-line description.
    pub description: String,
    /// Score among the candidates.
    pub score: f64,
}

/// File that a patch changes.
#[derive(Clone, Debug)]
pub struct PatchedFile {
    /// Path of the file.
    pub path: RepoPath,
    /// Text without the patch; empty for a new file.
    pub old_text: String,
    /// Edits of an existing file, in ascending order.
    pub edits: Vec<Edit>,
}

impl PatchedFile {
    /// Returns the offset of the first changed text. Edits of whole lines begin with the indentation, statements after it.
    fn first_changed_offset(&self) -> Option<usize> {
        let start = self.edits.first()?.bytes.0;
        let rest = self.old_text.get(start..)?;
        Some(start + rest.len() - rest.trim_start().len())
    }

    /// Returns the path and the edits of a candidate. Those of sources are as narrow as possible, so that the changed
    /// methods can be instrumented.
    fn into_candidate_edits(self) -> (RepoPath, Vec<Edit>) {
        let Self { path, old_text, edits } = self;
        if !path.is_java() {
            return (path, edits);
        }
        // Spaces keep the tokens at both ends separate.
        let separate = |PatchEdit { narrow: Edit { bytes, text }, .. }| Edit {
            bytes,
            text: format!(" {text} "),
        };
        let edits = to_patch_edits(&old_text, &edits).into_iter().map(separate);
        (path, edits.collect())
    }

    /// Returns the number of the line with an offset.
    fn line_at(&self, offset: usize) -> u32 {
        let before = self.old_text.get(..offset).unwrap_or_default();
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }
}

/// Patch as a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedPatch {
    /// The candidate.
    pub candidate: LocatedCandidate,
    /// True if all checks for overfitting apply to all changes: one edit in the body of each changed method. They do
    /// not apply to other files than sources, to new and deleted files, to changes outside of methods or in their
    /// headers, to several edits of a method, and to a removed statement if something is inserted elsewhere.
    pub is_classified: bool,
}

/// Locator of patches: finds the method and the suspicious statement that a patch changes, and signs of overfitting.
pub struct PatchLocator<'a> {
    main: &'a [(RepoPath, Code<'a>)],
    suspicious_statements: HashSet<FileNode>,
    classifier: OverfittingClassifier<'a>,
}

impl<'a> PatchLocator<'a> {
    /// Creates a locator for the sources of a version, without its tests.
    pub fn new(
        main: &'a [(RepoPath, Code<'a>)],
        contracts: &'a Contracts,
        suspects: &[SuspiciousStatement],
        diagnosis: &'a Diagnosis,
    ) -> Self {
        let suspicious_statements =
            suspects.iter().map(|suspect| (suspect.file, suspect.statement)).collect();
        let classifier = OverfittingClassifier::new(main, contracts, diagnosis);
        Self { main, suspicious_statements, classifier }
    }

    /// Converts a patch to a candidate of its first source file, or of its first file. Returns `None` for a patch without
    /// files.
    pub fn locate(&self, patch: ExternalPatch) -> Option<LocatedPatch> {
        let ExternalPatch { files, description, score } = patch;
        let is_unlikely = |file: &&PatchedFile| {
            (self.find_code(&file.path).is_none(), !file.path.is_java(), file.edits.is_empty())
        };
        let file = files.iter().min_by_key(is_unlikely)?;
        let (path, offset) = (file.path.clone(), file.first_changed_offset());
        let line = offset.map_or(1, |offset| file.line_at(offset));
        let place = offset.zip(self.find_code(&file.path));
        let statement = place.and_then(|(offset, (at, code))| self.suspect_at(at, code, offset));
        let method = place.and_then(|(offset, (_, code))| {
            match edited_method(code, &Edit::replace(offset..offset + 1, "")) {
                EditedMethod::Inside(method) => Some(method),
                EditedMethod::Outside | EditedMethod::Across => None,
            }
        });
        let classified: Vec<_> = files.iter().map(|file| self.classify_file(file)).collect();
        let overfitting = classified.iter().find_map(|file| file.signs.kind);
        let factor = classified.iter().map(|file| file.signs.factor).fold(1.0, f64::min);
        let is_classified = classified.iter().all(|file| file.is_complete);
        let edits = files.into_iter().map(PatchedFile::into_candidate_edits);
        let edits = edits.filter(|(_, edits)| !edits.is_empty()).collect();
        let score = score * factor;
        let change = Candidate { edits, operator: FixOperator::External, description, score };
        let candidate = LocatedCandidate { change, path, line, statement, method, overfitting };
        Some(LocatedPatch { candidate, is_classified })
    }

    /// Returns a source file with its index.
    fn find_code(&self, path: &RepoPath) -> Option<(usize, &'a Code<'a>)> {
        let at = self.main.iter().position(|(one, _)| one == path)?;
        Some((at, &self.main[at].1))
    }

    /// Returns the smallest suspicious statement that contains an offset.
    fn suspect_at(&self, file: usize, code: &Code<'_>, offset: usize) -> Option<FileNode> {
        let in_file = self.suspicious_statements.iter().filter(|(other, _)| *other == file);
        let around = in_file.filter(|(_, id)| code.bytes(*id).contains(&offset));
        around.min_by_key(|(_, id)| (code.bytes(*id).len(), *id)).copied()
    }

    /// Classifies the changes of a file, those of each method together.
    fn classify_file(&self, patched: &PatchedFile) -> ClassifiedFile {
        let Some((file, code)) =
            self.find_code(&patched.path).filter(|_| !patched.edits.is_empty())
        else {
            return ClassifiedFile { signs: NO_SIGNS, is_complete: false };
        };
        let edits = to_patch_edits(&patched.old_text, &patched.edits);
        let only_deletes = edits.iter().all(|edit| edit.narrow.text.is_empty());
        let mut by_method: BTreeMap<Option<NodeIndex>, Vec<PatchEdit>> = BTreeMap::new();
        // Without edits of tokens, only layout changes, or a version has syntax errors.
        let mut is_complete = !edits.is_empty()
            && (only_deletes || !edits.iter().any(|edit| removes_statement(code, edit)));
        for edit in &edits {
            let method = match edited_method(code, &edit.narrow) {
                EditedMethod::Inside(method) => Some(method),
                EditedMethod::Outside => None,
                EditedMethod::Across => {
                    is_complete = false;
                    continue;
                }
            };
            is_complete &= method.is_some_and(|method| is_in_body(code, method, &edit.narrow));
            by_method.entry(method).or_default().push(edit.clone());
        }
        is_complete &= by_method.values().all(|edits| edits.len() == 1);
        let all = by_method
            .into_iter()
            .map(|(method, edits)| self.classify_edits((file, code), method, &edits, only_deletes));
        let signs = all.fold(NO_SIGNS, OverfittingSigns::combine);
        ClassifiedFile { signs, is_complete }
    }

    /// Classifies the edits of a method, or those outside of methods, at each statement that they touch.
    fn classify_edits(
        &self,
        (file, code): (usize, &Code<'_>),
        method: Option<NodeIndex>,
        edits: &[PatchEdit],
        only_deletes: bool,
    ) -> OverfittingSigns {
        let [narrow, whole]: [Vec<Edit>; 2] = [
            edits.iter().map(|edit| edit.narrow.clone()).collect(),
            edits.iter().map(|edit| edit.whole.clone()).collect(),
        ];
        let is_constant = method.is_some_and(|id| makes_routine_constant(code, id, &whole));
        let kind = is_constant.then_some(OverfittingKind::ConstantResult);
        let touched = code.statements().filter(|id| {
            let bytes = code.bytes(*id);
            narrow.iter().any(|edit| touches(edit, &bytes))
        });
        let all = touched.map(|statement| {
            let bytes = code.bytes(statement);
            // A statement that is inserted again elsewhere is not removed.
            let removes_statement = only_deletes && narrow.iter().any(|edit| covers(edit, &bytes));
            let operator = infer_operator(code.text, edits, removes_statement);
            let location = (file, statement);
            let is_suspicious = self.suspicious_statements.contains(&location);
            let (narrow, whole) = (&narrow[..], &whole[..]);
            let classified = ClassifiedEdits { operator, narrow, whole, is_constant };
            self.classifier.at(code, location, is_suspicious).classify(classified)
        });
        all.fold(OverfittingSigns { kind, ..NO_SIGNS }, OverfittingSigns::combine)
    }
}

/// Returns true if an edit contains a whole node.
fn covers(edit: &Edit, node: &Range<usize>) -> bool {
    edit.bytes.0 <= node.start && node.end <= edit.bytes.1
}

/// Returns true if an edit removes a statement and inserts nothing in its place.
fn removes_statement(code: &Code<'_>, edit: &PatchEdit) -> bool {
    let is_removed = |id| covers(&edit.narrow, &code.bytes(id));
    edit.narrow.text.is_empty() && code.statements().any(is_removed)
}

/// Returns true if an edit is in the body of a method, and not in its header.
fn is_in_body(code: &Code<'_>, method: NodeIndex, edit: &Edit) -> bool {
    let body = code.child(method, NodeRole::Body).map(|body| code.bytes(body));
    body.is_some_and(|body| body.start < edit.bytes.0 && edit.bytes.1 < body.end)
}

/// Result of the checks for the changes of a file.
struct ClassifiedFile {
    signs: OverfittingSigns,
    /// True if the checks apply to all changes.
    is_complete: bool,
}

/// Signs of changes that no check objects to.
const NO_SIGNS: OverfittingSigns = OverfittingSigns { kind: None, factor: 1.0 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_belongs_to_its_first_source_file() {
        let (contracts, diagnosis) = (Contracts::default(), Diagnosis::default());
        let locator = PatchLocator::new(&[], &contracts, &[], &diagnosis);
        let file = |path: &str| PatchedFile {
            path: path.into(),
            old_text: "x\n".to_owned(),
            edits: vec![Edit::insert(0, "y\n")],
        };
        let locate = |files: Vec<PatchedFile>| {
            let description = "why".to_owned();
            locator.locate(ExternalPatch { files, description, score: 0.5 }).unwrap()
        };
        let located = locate(vec![file("CHANGELOG.md"), file("A.java")]);
        assert_eq!(located.candidate.path, "A.java".into());
        assert_eq!(located.candidate.change.edits.len(), 2);
        assert!(!located.is_classified);
        assert_eq!(locate(vec![file("CHANGELOG.md")]).candidate.path, "CHANGELOG.md".into());
    }
}
