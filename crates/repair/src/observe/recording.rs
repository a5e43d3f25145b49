//! Instrumented sources: their parts, and the sources with probes.

use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::NodeIndex;
use mend_model::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A copy of the sources with probes.
pub struct ProbedSources {
    /// The files that differ, the recorder among them.
    pub files: BTreeMap<RepoPath, String>,
    /// The index of the file, and the statement or routine, by number of the probe.
    pub sites: Vec<(usize, NodeIndex)>,
    /// By the number of a probe, the terms that it looks at.
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

/// The sources to be probed.
#[derive(Clone, Copy)]
pub struct ProbeInput<'a> {
    /// Files that are to be repaired.
    pub main: &'a [(RepoPath, Code<'a>)],
    /// Files of tests.
    pub tests: &'a [(RepoPath, Code<'a>)],
    /// Tests known to hang. They are ended once they show nothing new.
    pub hanging_tests: &'a BTreeSet<String>,
    /// Destination of recorded observations.
    pub recording: Recording<'a>,
}
