//! Patches of an external generator as candidates.

use super::candidate::{FixOperator, LocatedCandidate, OverfittingKind};
use super::generate::find_statements_on_stacks;
use crate::localisation::diagnosis::Diagnosis;
use crate::localisation::suspect::SuspiciousStatement;
use mend_java::facts::{FileNode, NodeIndex};
use mend_java::{Candidate, Code, Edit};
use mend_model::RepoPath;
use std::collections::{BTreeMap, BTreeSet, HashSet};
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

    /// Returns true if all edits only delete text, and one of them deletes these bytes.
    fn only_deletes(&self, bytes: &Range<usize>) -> bool {
        let covers = |edit: &Edit| edit.bytes.0 <= bytes.start && bytes.end <= edit.bytes.1;
        self.edits.iter().any(covers) && self.edits.iter().all(|edit| edit.text.trim().is_empty())
    }

    /// Returns the number of the line with an offset.
    fn line_at(&self, offset: usize) -> u32 {
        let before = self.old_text.get(..offset).unwrap_or_default();
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }
}

/// Locator of patches: finds the method and the suspicious statement that a patch changes.
#[derive(Clone, Debug, Default)]
pub struct PatchLocator {
    methods: BTreeMap<RepoPath, Vec<(Range<usize>, NodeIndex)>>,
    statements: BTreeMap<RepoPath, Vec<(Range<usize>, FileNode)>>,
    /// Statements in the stack traces of failing tests.
    failing_statements: HashSet<FileNode>,
}

impl PatchLocator {
    /// Records the places of all methods and of the suspicious statements.
    pub fn new(
        main: &[(RepoPath, Code<'_>)],
        suspects: &[SuspiciousStatement],
        diagnosis: &Diagnosis,
    ) -> Self {
        let failing_statements = find_statements_on_stacks(main, &diagnosis.failures);
        let mut locator = Self { failing_statements, ..Self::default() };
        for (path, code) in main {
            let methods: BTreeSet<NodeIndex> =
                code.statements().filter_map(|id| code.enclosing_method(id)).collect();
            let places = methods.into_iter().map(|method| (code.bytes(method), method));
            locator.methods.insert(path.clone(), places.collect());
        }
        for suspect in suspects {
            let Some((path, code)) = main.get(suspect.file) else { continue };
            let place = (code.bytes(suspect.statement), (suspect.file, suspect.statement));
            locator.statements.entry(path.clone()).or_default().push(place);
        }
        locator
    }

    /// Converts a patch to a candidate of its first source file, or of its first file. Returns `None` for a patch without
    /// files.
    pub fn locate(&self, patch: ExternalPatch) -> Option<LocatedCandidate> {
        let ExternalPatch { files, description, score } = patch;
        let is_unlikely = |file: &&PatchedFile| {
            (!self.methods.contains_key(&file.path), !file.path.is_java(), file.edits.is_empty())
        };
        let file = files.iter().min_by_key(is_unlikely)?;
        let (path, offset) = (file.path.clone(), file.first_changed_offset());
        let line = offset.map_or(1, |offset| file.line_at(offset));
        let method = offset.and_then(|at| innermost(&self.methods, &path, at)).map(|(_, id)| id);
        let place = offset.and_then(|at| innermost(&self.statements, &path, at));
        let overfitting = place
            .as_ref()
            .filter(|(bytes, id)| self.failing_statements.contains(id) && file.only_deletes(bytes))
            .map(|_| OverfittingKind::RemovesFailure);
        let statement = place.map(|(_, id)| id);
        let edits = files.into_iter().filter(|file| !file.edits.is_empty());
        let edits = edits.map(|file| (file.path, file.edits)).collect();
        let change = Candidate { edits, operator: FixOperator::External, description, score };
        Some(LocatedCandidate { change, path, line, statement, method, overfitting })
    }
}

/// Returns the smallest place in a file that contains an offset, with its bytes.
fn innermost<T: Copy>(
    places: &BTreeMap<RepoPath, Vec<(Range<usize>, T)>>,
    path: &RepoPath,
    offset: usize,
) -> Option<(Range<usize>, T)> {
    let inside = places.get(path)?.iter().filter(|(bytes, _)| bytes.contains(&offset));
    inside.min_by_key(|(bytes, _)| bytes.len()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locate(locator: &PatchLocator, files: Vec<PatchedFile>) -> LocatedCandidate {
        let patch = ExternalPatch { files, description: String::new(), score: 1.0 };
        locator.locate(patch).unwrap()
    }

    #[test]
    fn patch_belongs_to_the_smallest_place_around_its_first_changed_text() {
        let path = RepoPath::from("A.java");
        let old_text = "class A {\n  void a() {\n    b();\n  }\n}\n";
        let statement = old_text.find("b();").unwrap();
        let method = old_text.find("void").unwrap();
        let locator = PatchLocator {
            methods: [(path.clone(), vec![(0..50, 1), (method..statement + 8, 2)])].into(),
            statements: [(path.clone(), vec![(statement..statement + 4, (0, 7))])].into(),
            ..PatchLocator::default()
        };
        let locate_line = |line: &str| {
            let start = old_text.find(line).unwrap();
            let edits = vec![Edit::replace(start..start + line.len(), "    c();\n")];
            let file = PatchedFile { path: path.clone(), old_text: old_text.to_owned(), edits };
            let candidate = locate(&locator, vec![file]);
            (candidate.line, candidate.method, candidate.statement)
        };
        assert_eq!(locate_line("    b();\n"), (3, Some(2), Some((0, 7))));
        assert_eq!(locate_line("  void a() {\n"), (2, Some(2), None));
        assert_eq!(locate_line("class A {\n"), (1, Some(1), None));
    }

    #[test]
    fn patch_that_deletes_the_failing_statement_removes_the_failure() {
        let old_text = "  a();\n  b();\n";
        let locator = PatchLocator {
            statements: [("A.java".into(), vec![(2..6, (0, 1)), (9..13, (0, 2))])].into(),
            failing_statements: HashSet::from([(0, 1)]),
            ..PatchLocator::default()
        };
        let overfitting = |edit: Edit| {
            let (path, old_text) = ("A.java".into(), old_text.to_owned());
            locate(&locator, vec![PatchedFile { path, old_text, edits: vec![edit] }]).overfitting
        };
        assert_eq!(overfitting(Edit::replace(0..7, "")), Some(OverfittingKind::RemovesFailure));
        assert_eq!(overfitting(Edit::replace(0..7, "  c();\n")), None);
        assert_eq!(overfitting(Edit::replace(7..14, "")), None);
    }

    #[test]
    fn patch_belongs_to_its_first_source_file() {
        let locator = PatchLocator {
            methods: [(RepoPath::from("A.java"), vec![(0..50, 1)])].into(),
            ..PatchLocator::default()
        };
        let file = |path: &str| PatchedFile {
            path: path.into(),
            old_text: "x\n".to_owned(),
            edits: vec![Edit::insert(0, "y\n")],
        };
        let located = locate(&locator, vec![file("CHANGELOG.md"), file("A.java")]);
        assert_eq!((located.path, located.method), ("A.java".into(), Some(1)));
        assert_eq!(located.change.edits.len(), 2);
        assert_eq!(locate(&locator, vec![file("CHANGELOG.md")]).path, "CHANGELOG.md".into());
    }
}
