//! Input and output of instrumentation: sources to probe, probed sources, and the destination of recordings.

use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::FileNode;
use mend_model::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A copy of the sources with probes.
pub struct ProbedSources {
    /// Changed files, including the recorder.
    pub files: BTreeMap<RepoPath, String>,
    /// File index and statement or routine of each probe, by number.
    pub sites: Vec<FileNode>,
    /// Recorded terms of each probe, by number.
    pub recorded_terms: Vec<Vec<String>>,
    /// The probes of each file with their numbers, in the order of the file.
    pub(crate) probes: BTreeMap<RepoPath, Vec<(Edit, usize)>>,
}

/// Destination of recorded observations.
#[derive(Clone, Copy)]
pub struct Recording<'a> {
    /// A source folder.
    pub source_root: &'a RepoPath,
    /// Output file of the recorder.
    pub output: &'a Path,
}

impl Recording<'_> {
    /// Returns a recorder as a file of the project.
    pub(crate) fn recorder_file(&self, path: &str, text: &str) -> (RepoPath, String) {
        let output = format!("{:?}", self.output.to_string_lossy());
        (self.source_root.join(&path.into()), text.replace("\"@OUTPUT@\"", &output))
    }
}

/// Sources to be probed.
#[derive(Clone, Copy)]
pub struct ProbeInput<'a> {
    /// Files to be fixed.
    pub main: &'a [(RepoPath, Code<'a>)],
    /// Test files.
    pub tests: &'a [(RepoPath, Code<'a>)],
    /// Tests known to hang. They are ended once they show nothing new.
    pub hanging_tests: &'a BTreeSet<String>,
    /// Destination of recorded observations.
    pub recording: Recording<'a>,
}
