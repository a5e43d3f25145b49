//! Splits a change into components, with the compiler's attribution of both versions.

use crate::run::judge::executor::ScratchPool;
use mend_delta::{Delta, Hunk, JavaGranularity};
use mend_engine::{AttributionServer, Project, ProjectOptions, SourceSet, Toolchain};
use mend_java::facts::SemanticModel;
use mend_model::{
    FileChange, Interrupt, Problem, ProgressEvent, RepoPath, Result, TreeEdit, TreeId,
};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of subsets that are compiled to learn dependencies from compile errors. This is a count instead of a
/// time limit, so that every run splits a change in the same way.
const MAX_COMPILED_SUBSETS: usize = 40;

/// Maximum total size of the compiled sources, in bytes. Large projects get fewer subsets.
const MAX_COMPILED_BYTES: usize = 100 << 20;

/// Number of consecutive subsets that compile before the search for dependencies stops. It is small because the rules
/// find most dependencies, and the minimiser learns from its own variants too.
const MAX_CONSECUTIVE_SUCCESSES: usize = 3;

/// Attribution of versions by the compiler.
pub(crate) struct Attribution {
    pub(crate) tools: Toolchain,
    pub(crate) options: ProjectOptions,
    /// True if test code is part of the change.
    pub(crate) includes_test_code: bool,
    pub(crate) interrupt: Interrupt,
}

/// Change to split into components.
pub(crate) struct WholeChange<'a> {
    pub(crate) pool: &'a ScratchPool,
    pub(crate) base: &'a TreeId,
    pub(crate) target: &'a TreeId,
    pub(crate) files: &'a [FileChange],
}

/// Change that is split into components, and the cost of splitting it.
pub(crate) struct DecomposedChange {
    pub(crate) delta: Delta,
    /// Number of compilations.
    pub(crate) builds: usize,
    /// Number of compilations without an error.
    pub(crate) builds_ok: usize,
    /// Compiler facts about both versions.
    pub(crate) semantic_models: Option<[SemanticModel; 2]>,
    /// Reason why the compiler could not analyse the change. Then the dependencies are based on names.
    pub(crate) failure_reason: Option<String>,
}

impl WholeChange<'_> {
    /// Splits the change by names, without a compiler.
    pub(crate) fn decompose_by_names(&self, mode: JavaGranularity) -> DecomposedChange {
        let delta = Delta::between(self.base.clone(), self.files, mode);
        DecomposedChange {
            delta,
            builds: 0,
            builds_ok: 0,
            semantic_models: None,
            failure_reason: None,
        }
    }
}

impl DecomposedChange {
    /// Returns true if hunks in Java files may depend on each other. A single one needs no compiler facts.
    pub(crate) fn may_have_dependencies(&self) -> bool {
        let needs_facts = |hunk: &&Hunk| !hunk.is_layout && hunk.path.is_java();
        self.delta.hunks().iter().filter(needs_facts).nth(1).is_some()
    }

    /// Returns the message to the user if the compiler could not analyse the change.
    pub(crate) fn notice(&self) -> Option<ProgressEvent> {
        let reason = self.failure_reason.as_ref()?;
        Some(ProgressEvent::Note(format!(
            "dependencies between changes come from names only, without the compiler: {reason}"
        )))
    }
}

impl Attribution {
    /// Splits a change with compiler facts of both versions. `by_names` is the change split by names. It is the result
    /// if a version does not compile.
    ///
    /// # Errors
    /// [`Problem::Interrupted`] and [`Problem::DiskFull`].
    pub(crate) fn decompose(
        &self,
        change: &WholeChange<'_>,
        by_names: DecomposedChange,
    ) -> Result<DecomposedChange> {
        let decomposition = match self.attribute_both(change, &by_names.delta) {
            Ok(attributed) => attributed.decompose(change),
            Err(problem @ (Problem::Interrupted | Problem::DiskFull { .. })) => {
                return Err(problem);
            }
            Err(problem) => {
                DecomposedChange { failure_reason: Some(problem.to_string()), ..by_names }
            }
        };
        self.interrupt.check()?;
        Ok(decomposition)
    }

    /// Attributes one version, its tests included. Returns the facts and the source files.
    ///
    /// # Errors
    /// [`Problem::Interrupted`]; [`Problem::Internal`] if the compiler does not respond.
    pub(crate) fn attribute_version(
        &self,
        pool: &ScratchPool,
        tree: &TreeId,
    ) -> Result<(SemanticModel, SourceSet)> {
        let mut server = AttributionServer::start(&self.tools)?;
        let sources = pool.with_checkout(tree, None, |scratch| {
            let project = Project::discover(scratch.path(), &self.options, &self.tools)?;
            SourceSet::from_project(&project, scratch.path(), true)
        })?;
        Ok((server.analyse(&sources)?, sources))
    }

    /// Attributes the files of both versions that the change can affect.
    fn attribute_both(
        &self,
        change: &WholeChange<'_>,
        delta: &Delta,
    ) -> Result<AttributedVersions> {
        let mut server = AttributionServer::start(&self.tools)?;
        let sources_of = |tree: &TreeId| {
            change.pool.with_checkout(tree, None, |scratch| self.sources(scratch.path()))
        };
        let sources = [sources_of(change.base)?, sources_of(change.target)?];
        // Both versions get the same selection, so that each kept declaration has facts in both or in none.
        let affected: HashSet<RepoPath> =
            sources.iter().flat_map(|one| delta.affected_files(&one.files)).cloned().collect();
        let sources = sources.map(|one| one.limited_to(|path| affected.contains(path)));
        let facts = [server.analyse(&sources[0])?, server.analyse(&sources[1])?];
        Ok(AttributedVersions { server, sources, semantic_models: facts })
    }

    fn sources(&self, tree: &Path) -> Result<SourceSet> {
        let project = Project::discover(tree, &self.options, &self.tools)?;
        SourceSet::from_project(&project, tree, self.includes_test_code)
    }
}

/// Attributed versions, and the compiler that attributed them.
struct AttributedVersions {
    server: AttributionServer,
    sources: [SourceSet; 2],
    semantic_models: [SemanticModel; 2],
}

impl AttributedVersions {
    /// Splits the change. If both versions compile with the same options, subsets are compiled too, to learn
    /// dependencies from compile errors.
    fn decompose(mut self, change: &WholeChange<'_>) -> DecomposedChange {
        let ([old, new], [from, to]) = (&self.semantic_models, &self.sources);
        let compiles = |model: &&SemanticModel| model.compile_errors().is_empty();
        // The attributions are the first two compilations.
        let (mut builds, mut builds_ok) = (2, [old, new].into_iter().filter(compiles).count());
        let compiles_both = builds_ok == builds;
        let mut compile = |sources: &SourceSet| {
            let compile_errors = self.server.compile_errors(sources).ok()?;
            builds += 1;
            builds_ok += usize::from(compile_errors.is_empty());
            Some(compile_errors)
        };
        let has_same_options = from.options == to.options && from.class_path == to.class_path;
        let base = change.base.clone();
        let delta = if has_same_options && compiles_both {
            let size: usize = from.files.iter().map(|(_, content)| content.len()).sum();
            let mut remaining_compilations =
                MAX_COMPILED_SUBSETS.min(MAX_COMPILED_BYTES / size.max(1));
            Delta::with_learned_dependencies(
                base,
                change.files,
                (old, new),
                MAX_CONSECUTIVE_SUCCESSES,
                &mut |edit| {
                    remaining_compilations = remaining_compilations.checked_sub(1)?;
                    compile(&edited_sources(from, to, edit))
                },
            )
        } else {
            Delta::with_facts(base, change.files, JavaGranularity::Ast, Some((old, new)))
        };
        DecomposedChange {
            delta,
            builds,
            builds_ok,
            semantic_models: Some(self.semantic_models),
            failure_reason: None,
        }
    }
}

/// Returns the old sources after an edit.
fn edited_sources(old: &SourceSet, new: &SourceSet, edit: &TreeEdit) -> SourceSet {
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
