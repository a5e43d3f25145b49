//! What a compiler knows about the two ends of a change, so that it can be taken apart along it.

use super::bench::ScratchPool;
use crate::delta::{Delta, JavaMode};
use crate::engine::{FactsServer, Jdk, Launch, Project, ProjectOptions, SourceSet};
use crate::facts::Facts;
use crate::model::{Event, FileChange, Problem, RepoPath, Result, TreeEdit, TreeId};
use std::collections::{BTreeMap, HashSet};
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

/// What is known, or why nothing is.
pub(super) type Known = std::result::Result<Knowledge, String>;

/// At most so many subsets are compiled to learn from what the compiler refuses. A number and not a time, so
/// that the same change is taken apart in the same way by every run.
const LESSONS: usize = 40;

/// So many subsets that compile in a row are enough.
const PATIENCE: usize = 8;

/// Two versions with their facts, and the compiler that told them.
pub(super) struct Knowledge {
    server: Option<FactsServer>,
    sources: [SourceSet; 2],
    facts: [Facts; 2],
    /// Compilations asked for so far.
    pub(super) builds: usize,
    /// Those of them without an error.
    pub(super) builds_ok: usize,
}

impl Knowledge {
    fn nothing() -> Self {
        Self {
            server: None,
            sources: Default::default(),
            facts: Default::default(),
            builds: 0,
            builds_ok: 0,
        }
    }

    /// The delta along these facts. Where both versions compile, the compiler is asked about subsets too.
    pub(super) fn delta(&mut self, base: TreeId, changes: &[FileChange]) -> Delta {
        let [old, new] = &self.facts;
        let [from, to] = &self.sources;
        let is_alike = from.options == to.options && from.class_path == to.class_path;
        let mut compile = |sources: &SourceSet| {
            let refusals = self.server.as_mut().filter(|_| is_alike)?.errors(sources).ok()?;
            self.builds += 1;
            self.builds_ok += usize::from(refusals.is_empty());
            Some(refusals)
        };
        let is_sound =
            [from, to].into_iter().all(|one| compile(one).is_some_and(|all| all.is_empty()));
        if !is_sound {
            return Delta::with_facts(base, changes, JavaMode::Ast, Some((old, new)));
        }
        let mut left = LESSONS;
        Delta::proved(base, changes, (old, new), PATIENCE, &mut |edit| {
            left = left.checked_sub(1)?;
            compile(&variant(from, to, edit))
        })
    }
}

/// The old sources with an edit of them.
fn variant(old: &SourceSet, new: &SourceSet, edit: &TreeEdit) -> SourceSet {
    let mut files: BTreeMap<&RepoPath, Arc<[u8]>> =
        old.files.iter().map(|(path, content)| (path, Arc::clone(content))).collect();
    let is_new: HashSet<&RepoPath> = new.files.iter().map(|(path, _)| path).collect();
    for (path, state) in &edit.changes {
        match state {
            Some(state) if is_new.contains(path) || files.contains_key(path) => {
                files.insert(path, Arc::clone(&state.content));
            }
            Some(_) => {}
            None => drop(files.remove(path)),
        }
    }
    let files = files.into_iter().map(|(path, content)| (path.clone(), content)).collect();
    SourceSet { files, ..old.clone() }
}

/// What the user is told where the compiler tells nothing.
pub(super) fn names_only(reason: &str) -> Event {
    Event::Note(format!("names alone tell what belongs together: {reason}"))
}

impl Attribution {
    /// What is known about two versions. Without it names decide what belongs together, so that what is wrong
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
            return Ok(Ok(Knowledge::nothing()));
        }
        match self.facts(pool, old, new) {
            Ok(known) => Ok(Ok(known)),
            Err(problem @ (Problem::Interrupted | Problem::DiskFull { .. })) => Err(problem),
            Err(problem) => Ok(Err(problem.to_string())),
        }
    }

    fn facts(&self, pool: &ScratchPool, old: &TreeId, new: &TreeId) -> Result<Knowledge> {
        let mut server = FactsServer::start(&self.jdk, &*self.launcher, &self.work)?;
        let of = |tree: &TreeId| pool.with(tree, None, |scratch| self.sources(scratch.path()));
        let sources = [of(old)?, of(new)?];
        let facts = [server.facts(&sources[0])?, server.facts(&sources[1])?];
        Ok(Knowledge { server: Some(server), sources, facts, builds: 0, builds_ok: 0 })
    }

    fn sources(&self, tree: &Path) -> Result<SourceSet> {
        let project = Project::discover(tree, &self.options, &self.jdk)?;
        SourceSet::of(&project, tree, self.with_tests)
    }
}
