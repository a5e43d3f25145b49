//! Parts of the builds of the selected tests.

use crate::run::session::request::OracleRequest;
use crate::run::session::{PreparedRun, Session};
use crate::run::subject::attribution::Attribution;
use mend_engine::{
    BuildKind, Module, ModuleSources, Project, SourceLevel, inherited_properties, select_tests,
};
use mend_model::{Problem, RepoPath, Result, TreeId};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Parts of a build that the selected tests need.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildParts {
    /// Class path of the tests.
    pub(super) libraries: Vec<PathBuf>,
    /// Paths of the annotation processors.
    pub(super) processors: Vec<PathBuf>,
    /// Versions of the plugins of Maven that generate sources or resources, or of those of Gradle, by `group:artifact`.
    pub(super) plugins: BTreeMap<String, String>,
    /// Levels with which the JDK compiles.
    pub(super) levels: BTreeMap<ModuleSources, SourceLevel>,
    /// Versions of Java in the build files, by module. The JDK may not know them.
    pub(super) declared_levels: BTreeMap<String, u32>,
}

impl BuildParts {
    fn read(project: Project, jdk_version: u32) -> Self {
        let levels = project.modules.iter().flat_map(|module| {
            [false, true].map(|is_for_tests| {
                let module_sources = ModuleSources { module: module.name.clone(), is_for_tests };
                (module_sources, module.language_level(is_for_tests, jdk_version))
            })
        });
        let declared = |module: &Module| Some((module.name.clone(), module.level?));
        Self {
            levels: levels.collect(),
            declared_levels: project.modules.iter().filter_map(declared).collect(),
            processors: project.modules.iter().flat_map(Module::processors).collect(),
            libraries: project.class_path,
            plugins: project.plugins,
        }
    }

    /// Returns the version of Java that the build files name for sources with the same level.
    pub(super) fn declared_version(&self, sources: &[ModuleSources]) -> String {
        let level = |module_sources: &ModuleSources| {
            self.levels.get(module_sources).map(|level| level.version)
        };
        let declared = sources.iter().find_map(|module_sources| {
            let main = ModuleSources { is_for_tests: false, ..module_sources.clone() };
            let declared = self.declared_levels.get(&module_sources.module).copied();
            declared.filter(|_| level(module_sources) == level(&main))
        });
        let known = declared.or_else(|| sources.iter().find_map(level));
        known.map(|version| version.to_string()).unwrap_or_default()
    }

    /// Returns the changes of declared levels without a change for the compiler, because the JDK does not know one of
    /// them: the two versions, and that which it compiles for.
    pub(super) fn unknown_levels(&self, new: &Self) -> Vec<[u32; 3]> {
        let mut found = Vec::new();
        for (module, old_version) in &self.declared_levels {
            let module_sources = ModuleSources { module: module.clone(), is_for_tests: false };
            let levels = [self, new].map(|parts| parts.levels.get(&module_sources));
            if let (Some(new_version), [Some(level), Some(new_level)]) =
                (new.declared_levels.get(module), levels)
                && old_version != new_version
                && level == new_level
            {
                found.push([*old_version, *new_version, level.version]);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
impl BuildParts {
    pub(super) fn of_libraries(libraries: &[PathBuf]) -> Self {
        Self { libraries: libraries.to_owned(), ..Self::default() }
    }
}

/// Properties with their values that POMs inherit from their parents.
pub(super) type InheritedProperties = BTreeMap<RepoPath, Vec<(String, String)>>;

/// Reads the parts of the builds of the selected tests.
pub(super) struct BuildReader<'a> {
    prepared: &'a PreparedRun,
    pub(super) attribution: &'a Attribution,
    oracle: &'a OracleRequest,
}

impl<'a> BuildReader<'a> {
    pub(super) fn new(session: &'a Session<'_>, prepared: &'a PreparedRun) -> Result<Self> {
        let attribution = prepared.attribution.as_ref().ok_or_else(|| Problem::Usage {
            message: "upgrades cannot be searched with a command".to_owned(),
            remedy: "use --test pkg.Class#method".to_owned(),
        })?;
        Ok(Self { prepared, attribution, oracle: &session.subject.oracle })
    }

    /// Returns the properties that POMs of a tree inherit from their parents, with their values.
    pub(super) fn inherited_properties(
        &self,
        tree: &TreeId,
        poms: Vec<RepoPath>,
    ) -> Result<InheritedProperties> {
        let Attribution { options, tools, .. } = self.attribution;
        self.prepared.executor.pool.with_checkout(tree, None, |scratch| {
            let properties = |pom: RepoPath| {
                let file = scratch.path().join(pom.to_fs_path());
                let properties = inherited_properties(&file, options, &tools.jdk);
                (pom, properties)
            };
            Ok(poms.into_iter().map(properties).collect())
        })
    }

    /// Returns the parts of the build of a tree.
    pub(super) fn read(&self, tree: &TreeId) -> Result<BuildParts> {
        let Attribution { options, tools, .. } = self.attribution;
        let OracleRequest::Tests(selectors) = self.oracle else {
            return Ok(BuildParts::default());
        };
        self.prepared.executor.pool.with_checkout(tree, None, |scratch| {
            let project = Project::discover(scratch.path(), options, tools)?;
            if let Some(reason) = project.borrowed_model {
                let tool = if project.build == BuildKind::Gradle { "Gradle" } else { "Maven" };
                return Err(Problem::BuildToolFailed { tool, reason });
            }
            let selections = select_tests(&project, scratch.path(), selectors)?;
            let classes = selections.iter().flat_map(|selection| &selection.classes);
            let files: Vec<_> = classes.map(|class| class.source.clone()).collect();
            Ok(BuildParts::read(project.narrow_to(&files), tools.jdk.version))
        })
    }
}
