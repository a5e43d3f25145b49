//! Version with compiler facts: its tests, and all other files.

use crate::run::judge::executor::VariantExecutor;
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::TestOverlay;
use mend_engine::SourceSet;
use mend_java::Code;
use mend_java::facts::SemanticModel;
use mend_model::{RepoPath, Result, TreeId};

/// Version with compiler facts.
pub(crate) struct AttributedVersion {
    semantic_model: SemanticModel,
    sources: SourceSet,
}

/// Files of an attributed version.
pub(crate) struct VersionCode<'a> {
    pub(crate) tests: CodeFiles<'a>,
    /// All other files.
    pub(crate) main: CodeFiles<'a>,
}

impl AttributedVersion {
    /// Attributes a tree.
    pub(crate) fn attribute(
        attribution: &Attribution,
        executor: &VariantExecutor,
        tree: &TreeId,
    ) -> Result<Self> {
        let (semantic_model, sources) = attribution.attribute_version(&executor.pool, tree)?;
        Ok(Self { semantic_model, sources })
    }

    /// Separates the files of tests from all other files.
    pub(crate) fn split_files(&self, overlay: &TestOverlay) -> VersionCode<'_> {
        let files = self.sources.files.iter().filter_map(|(path, content)| {
            Some((path.clone(), Code::new(&self.semantic_model, path, content)?))
        });
        let (tests, main) = files.partition(|(path, _)| overlay.contains(path));
        VersionCode { tests, main }
    }
}

pub(crate) type CodeFiles<'a> = Vec<(RepoPath, Code<'a>)>;
