//! Splitting a change into components with the compiler's attribution of both versions.

use crate::run::judge::executor::ScratchPool;
use mend_delta::{Delta, JavaGranularity};
use mend_engine::{AttributionServer, Project, ProjectOptions, SourceSet, Toolchain};
use mend_java::facts::SemanticModel;
use mend_model::{
    FileChange, Interrupt, Problem, ProgressEvent, RepoPath, Result, TreeEdit, TreeId,
};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of subsets that are compiled to learn dependencies from compile errors. A count
/// instead of a time limit, so that every run splits the same change in the same way.
const LESSONS: usize = 40;

/// Maximum total size of the sources compiled for that, in bytes: large projects get fewer subsets.
const LESSON_BYTES: usize = 100 << 20;

/// Number of consecutive subsets that compile before the search for dependencies stops.
const PATIENCE: usize = 8;

/// Settings for the attribution of versions by the compiler.
pub(crate) struct Attribution {
    pub(crate) tools: Toolchain,
    pub(crate) options: ProjectOptions,
    /// Test code is part of the change.
    pub(crate) with_tests: bool,
    pub(crate) interrupt: Interrupt,
}

/// A change to be split into components.
pub(crate) struct WholeChange<'a> {
    pub(crate) pool: &'a ScratchPool,
    pub(crate) base: &'a TreeId,
    pub(crate) target: &'a TreeId,
    pub(crate) files: &'a [FileChange],
}

/// A change split into components, and the cost of splitting it.
pub(crate) struct DecomposedChange {
    pub(crate) delta: Delta,
    /// Number of compilations.
    pub(crate) builds: usize,
    /// Compilations without an error.
    pub(crate) builds_ok: usize,
    /// Compiler facts about both versions.
    pub(crate) facts: Option<[SemanticModel; 2]>,
    /// Reason why the compiler could not analyse the change; then the dependencies come from names.
    pub(crate) obstacle: Option<String>,
}

impl WholeChange<'_> {
    /// Splits the change without a compiler, by names.
    pub(crate) fn by_names(&self, mode: JavaGranularity) -> DecomposedChange {
        let delta = Delta::between(self.base.clone(), self.files, mode);
        DecomposedChange { delta, builds: 0, builds_ok: 0, facts: None, obstacle: None }
    }

    /// Returns true if the change contains Java files, so that a compiler can analyse it.
    pub(crate) fn has_java(&self) -> bool {
        self.files.iter().any(|change| change.path().is_some_and(RepoPath::is_java))
    }
}

impl DecomposedChange {
    /// Returns the message to the user if the compiler could not analyse the change.
    pub(crate) fn notice(&self) -> Option<ProgressEvent> {
        let reason = self.obstacle.as_ref()?;
        Some(ProgressEvent::Note(format!(
            "dependencies between changes come from names only, without the compiler: {reason}"
        )))
    }
}

impl Attribution {
    /// Splits a change with the compiler facts of both versions. Without facts the dependencies come from names, so a
    /// broken version is not an error.
    ///
    /// # Errors
    /// [`Problem::Interrupted`] and [`Problem::DiskFull`].
    pub(crate) fn take_apart(&self, change: &WholeChange<'_>) -> Result<DecomposedChange> {
        let taken = match self.knowledge(change) {
            Ok(knowledge) => knowledge.take_apart(change),
            Err(problem @ (Problem::Interrupted | Problem::DiskFull { .. })) => {
                return Err(problem);
            }
            Err(problem) => DecomposedChange {
                obstacle: Some(problem.to_string()),
                ..change.by_names(JavaGranularity::Ast)
            },
        };
        self.interrupt.check()?;
        Ok(taken)
    }

    /// Attributes one version, its tests included. Returns the facts and the source files.
    ///
    /// # Errors
    /// [`Problem::Interrupted`]; [`Problem::Internal`] if the compiler gives no answer.
    pub(crate) fn of_one(
        &self,
        pool: &ScratchPool,
        tree: &TreeId,
    ) -> Result<(SemanticModel, SourceSet)> {
        let mut server = AttributionServer::start(&self.tools)?;
        let sources = pool.with_checkout(tree, None, |scratch| {
            let project = Project::discover(scratch.path(), &self.options, &self.tools.jdk)?;
            SourceSet::from_project(&project, scratch.path(), true)
        })?;
        Ok((server.facts(&sources)?, sources))
    }

    fn knowledge(&self, change: &WholeChange<'_>) -> Result<AttributedVersions> {
        let mut server = AttributionServer::start(&self.tools)?;
        let of = |tree: &TreeId| {
            change.pool.with_checkout(tree, None, |scratch| self.sources(scratch.path()))
        };
        let sources = [of(change.base)?, of(change.target)?];
        let facts = [server.facts(&sources[0])?, server.facts(&sources[1])?];
        Ok(AttributedVersions { server, sources, facts })
    }

    fn sources(&self, tree: &Path) -> Result<SourceSet> {
        let project = Project::discover(tree, &self.options, &self.tools.jdk)?;
        SourceSet::from_project(&project, tree, self.with_tests)
    }
}

/// Two versions with their facts, and the compiler that produced them.
struct AttributedVersions {
    server: AttributionServer,
    sources: [SourceSet; 2],
    facts: [SemanticModel; 2],
}

impl AttributedVersions {
    /// Splits the change. If both versions compile with the same options, subsets are compiled too, to learn
    /// dependencies from compile errors.
    fn take_apart(mut self, change: &WholeChange<'_>) -> DecomposedChange {
        let ([old, new], [from, to]) = (&self.facts, &self.sources);
        let (mut builds, mut builds_ok) = (0, 0);
        let mut compile = |sources: &SourceSet| {
            let refusals = self.server.errors(sources).ok()?;
            builds += 1;
            builds_ok += usize::from(refusals.is_empty());
            Some(refusals)
        };
        let is_alike = from.options == to.options && from.class_path == to.class_path;
        let is_sound = is_alike
            && [from, to].into_iter().all(|one| compile(one).is_some_and(|all| all.is_empty()));
        let base = change.base.clone();
        let delta = if is_sound {
            let size: usize = from.files.iter().map(|(_, content)| content.len()).sum();
            let mut left = LESSONS.min(LESSON_BYTES / size.max(1));
            Delta::proved(base, change.files, (old, new), PATIENCE, &mut |edit| {
                left = left.checked_sub(1)?;
                compile(&variant(from, to, edit))
            })
        } else {
            Delta::with_facts(base, change.files, JavaGranularity::Ast, Some((old, new)))
        };
        DecomposedChange { delta, builds, builds_ok, facts: Some(self.facts), obstacle: None }
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
