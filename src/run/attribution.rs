//! What a compiler knows about the two ends of a change, so that it can be taken apart along it.

use super::bench::ScratchPool;
use crate::engine::{FactsServer, Jdk, Launch, Project, ProjectOptions, SourceSet};
use crate::facts::Facts;
use crate::model::{Event, FileChange, Problem, RepoPath, Result, TreeId};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a subject's versions are attributed.
pub(super) struct Attribution {
    pub(super) jdk: Jdk,
    pub(super) options: ProjectOptions,
    pub(super) launcher: Arc<dyn Launch>,
    /// Where the compiler's helper is kept from run to run.
    pub(super) work: PathBuf,
    /// Whether test code is part of the change.
    pub(super) with_tests: bool,
}

/// The facts of the old and the new version, or why there are none.
pub(super) type Known = std::result::Result<(Facts, Facts), String>;

/// What the user is told where the compiler tells nothing.
pub(super) fn names_only(reason: &str) -> Event {
    Event::Note(format!("names alone tell what belongs together: {reason}"))
}

impl Attribution {
    /// The facts of two versions. Without them names decide what belongs together, so that what is wrong
    /// with the versions ends nothing.
    ///
    /// # Errors
    /// [`Problem::Interrupted`] and [`Problem::DiskFull`].
    pub(super) fn known(
        &self,
        pool: &ScratchPool,
        old: &TreeId,
        new: &TreeId,
        changes: &[FileChange],
    ) -> Result<Known> {
        let is_java = |change: &FileChange| change.path().is_some_and(RepoPath::is_java);
        if !changes.iter().any(is_java) {
            return Ok(Ok(Default::default()));
        }
        match self.facts(pool, old, new) {
            Ok(facts) => Ok(Ok(facts)),
            Err(problem @ (Problem::Interrupted | Problem::DiskFull { .. })) => Err(problem),
            Err(problem) => Ok(Err(problem.to_string())),
        }
    }

    fn facts(&self, pool: &ScratchPool, old: &TreeId, new: &TreeId) -> Result<(Facts, Facts)> {
        let mut server = FactsServer::start(&self.jdk, &*self.launcher, &self.work)?;
        let mut of = |tree: &TreeId| {
            let sources = pool.with(tree, None, |scratch| self.sources(scratch.path()))?;
            server.facts(&sources)
        };
        Ok((of(old)?, of(new)?))
    }

    fn sources(&self, tree: &Path) -> Result<SourceSet> {
        let project = Project::discover(tree, &self.options, &self.jdk)?;
        SourceSet::of(&project, tree, self.with_tests)
    }
}
