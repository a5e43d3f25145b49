//! Converts the sources of a version to the input of candidate generation.

use crate::run::subject::test_overlay::TestOverlay;
use mend_engine::SourceSet;
use mend_java::Code;
use mend_java::facts::SemanticModel;
use mend_model::RepoPath;
use mend_threads::SourceFile;
use std::sync::Arc;

/// Returns the source files of a version, with tests marked.
pub(super) fn source_files<'a>(
    semantic_model: &'a SemanticModel,
    sources: &'a SourceSet,
    overlay: &TestOverlay,
) -> Vec<SourceFile<'a>> {
    let file = |(path, content): &'a (RepoPath, Arc<[u8]>)| {
        let code = Code::new(semantic_model, path, content)?;
        Some(SourceFile { path: path.clone(), code, is_test: overlay.contains(path) })
    };
    sources.files.iter().filter_map(file).collect()
}
