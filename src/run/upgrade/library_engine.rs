//! Engine that builds versions of a library and tests the project with them.

use super::build_change::{BuildPart, PartKind};
use super::variant_trees::{VariantParts, VariantTrees};
use crate::run::judge::executor::VariantExecutor;
use mend_engine::{
    Engine, Execution, LibraryBuild, LibraryBuilder, Limits, RunMode, RunRequest, TestOrder,
};
use mend_model::{Outcome, Result, TreeId};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Project whose tests decide on the versions of a library.
pub(super) struct TestedProject {
    pub(super) executor: VariantExecutor,
    pub(super) trees: VariantTrees,
    /// True if one run of the tests is a verdict, so that results may be cached.
    pub(super) runs_once: bool,
}

impl TestedProject {
    fn test(&self, tree: &TreeId, limits: &Limits, mode: RunMode<'_>) -> Result<Execution> {
        let head = self.trees.version().commit_id();
        match mode {
            RunMode::Quick | RunMode::Checked | RunMode::Recording if self.runs_once => {
                Ok(self.executor.execute(tree, head, 0, limits)?.execution)
            }
            RunMode::Quick | RunMode::Checked | RunMode::Recording => {
                self.executor.run(tree, head, limits)
            }
            RunMode::Clean | RunMode::Confirm(_) => {
                self.executor.clean_execution(tree, head, limits, None, |_| Ok(()))
            }
        }
    }
}

/// Builds versions of a library, and tests the project with each.
pub(super) struct LibraryEngine {
    pub(super) builder: LibraryBuilder,
    pub(super) project: Arc<TestedProject>,
    /// Number of the library among the changed libraries.
    pub(super) library: usize,
    /// Changes that the tested variants have, as when the versions of the library were searched.
    pub(super) upgraded: Vec<usize>,
}

impl LibraryEngine {
    /// Returns the parts of the project with a build of the library.
    fn parts_with_library(&self, library: PathBuf) -> VariantParts {
        let mut parts = self.project.trees.select_parts(|change| self.upgraded.contains(&change));
        parts[self.library] = Some(BuildPart {
            kind: PartKind::Library(library),
            coordinates: self.builder.library.clone(),
        });
        parts
    }
}

impl Engine for LibraryEngine {
    fn run(&self, &RunRequest { tree, limits, mode }: &RunRequest<'_>) -> Result<Execution> {
        let start = Instant::now();
        let build = self.builder.build(tree, limits.build)?;
        let build_time = start.elapsed();
        let library = match build {
            LibraryBuild::Built(folder) => folder,
            LibraryBuild::Failed(_) => {
                // The output of the compiler could look like the symptom, which is a failure of the project.
                let library = self.builder.library.name();
                let outcome = Outcome::not_built(format!("{library} does not build"));
                return Ok(Execution {
                    build: Some(build_time),
                    ..Execution::from_outcome(outcome)
                });
            }
        };
        let variant = self.project.trees.write_tree(&self.parts_with_library(library))?;
        let execution = self.project.test(&variant, limits, mode)?;
        let build = Some(build_time + execution.build.unwrap_or_default());
        // The errors of the compiler are in the project, not in the library.
        Ok(Execution { build, compile_errors: Vec::new(), ..execution })
    }

    fn with_test_order(self: Box<Self>, _: TestOrder) -> Box<dyn Engine> {
        self
    }

    fn fingerprint(&self) -> String {
        let name = self.builder.library.name();
        let TestedProject { executor, trees, .. } = &*self.project;
        // The tree contains the other libraries.
        let project = trees.write_tree(&self.parts_with_library(PathBuf::from(&name)));
        let project = project.map(|tree| tree.0).unwrap_or_default();
        format!("library-{name}-{project}-{}", executor.fingerprint())
    }
}
