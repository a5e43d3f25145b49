//! Project model: sources, resources, libraries and compiler options of a Java project.

use super::build_folder::BuildFolder;
use super::build_kind::detect_build_kind;
use super::build_overrides::BuildOverrides;
use super::build_tool::{self, ToolFailure, ToolKind};
use super::language_level::{java_versions, java_versions_of_tests};
use super::module::{find_java_files, relative_path};
use super::placeholders::TREE_PLACEHOLDER;
use super::system_modules::SystemModules;
use super::unique::unique;
use super::{
    Batch, BuildKind, ModelSource, Module, ProjectOptions, ResourceFolder, Substitution, TestJvm,
    batches,
};
use crate::compile::encoding;
use crate::jdk::source_level::note_on_unsupported_version;
use crate::project::gradle;
use crate::project::maven;
use crate::project::parsed_build::ParsedBuild;
use crate::project::plain_folders;
use crate::{Jdk, Toolchain};
use mend_model::{Problem, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A Java project. Folders are relative to its root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// Folder of the project.
    pub root: PathBuf,
    /// Folders of main sources.
    pub main_roots: Vec<PathBuf>,
    /// Folders of test sources.
    pub test_roots: Vec<PathBuf>,
    /// Folders of main sources that the build filters before compilation.
    pub templates: Vec<ResourceFolder>,
    /// Folders of main resources.
    pub resource_roots: Vec<PathBuf>,
    /// Folders of test resources.
    pub test_resource_roots: Vec<PathBuf>,
    /// Main resources that must be copied because their folder cannot be used as it is.
    pub copied_resources: Vec<ResourceFolder>,
    /// Test resources that must be copied because their folder cannot be used as it is.
    pub copied_test_resources: Vec<ResourceFolder>,
    /// Libraries: absolute, or relative to the root if they are inside it.
    pub class_path: Vec<PathBuf>,
    /// Compiler calls for the main sources, in dependency order.
    pub batches: Vec<Batch>,
    /// Options for `javac` for the tests, besides encoding and paths. [`Project::TREE_PLACEHOLDER`] stands for the
    /// tree's folder.
    pub javac_options: Vec<String>,
    /// JVM that runs the tests.
    pub test_jvm: TestJvm,
    /// Encoding of the tests, if the build specifies one.
    pub encoding: Option<String>,
    /// Declared libraries that are not on this machine.
    pub missing: Vec<String>,
    /// Notes for the user: substituted libraries, and parts of the build that were not understood.
    pub notes: Vec<String>,
    /// Environment variables that the build files use.
    pub variables: BTreeSet<String>,
    /// Libraries that another version replaces, because theirs is not on this machine.
    pub substituted: Vec<Substitution>,
    /// The build tool that described the build, with versions; `None` if the build files were read.
    pub tool: Option<String>,
    /// Versions of the Maven plugins that generate sources or resources, by `group:artifact`.
    pub plugins: BTreeMap<String, String>,
    /// True if the model contains generated sources or resources, which depend on other files than build files.
    pub has_generated_files: bool,
    /// Note for the user if the build tool failed and the model is that of similar build files.
    pub borrowed_model: Option<String>,
    /// Kind of build, never `Auto`.
    pub build: BuildKind,
    /// Modules of the project.
    pub modules: Vec<Module>,
    /// Latest Java version of the modules that the selected tests need.
    pub java_version: Option<u32>,
    /// Options that were used for discovery.
    #[serde(skip)]
    pub options: ProjectOptions,
}

impl Project {
    /// Placeholder of the tree's folder in options, so that one model is valid for many trees.
    pub const TREE_PLACEHOLDER: &'static str = TREE_PLACEHOLDER;

    /// Discovers the project in a folder with the build tool or from the build files, as the options say. Where the
    /// tool does not work at all, the options of the project ask for the build files from then on.
    ///
    /// # Errors
    /// Those of [`Project::read_files`]; [`Problem::BuildToolFailed`] if the tool must be used and fails.
    pub fn discover(root: &Path, options: &ProjectOptions, tools: &Toolchain) -> Result<Self> {
        let root = &std::path::absolute(root).map_err(|error| Problem::io(error, root))?;
        let build_folder = BuildFolder::find(root, options);
        let folder = &build_folder.path_in(root);
        let build = Self::build_kind(folder, options);
        let tool = ToolKind::for_build(build).filter(|_| options.model_file.is_none());
        let Some(tool) = tool.filter(|_| options.model != ModelSource::Files) else {
            return Self::read_files(root, options, &tools.jdk);
        };
        let from_build = |parsed: ParsedBuild| {
            Self::from_build(
                root,
                build,
                parsed.below(&build_folder.folder, build_folder.note.as_ref()),
                options,
                &tools.jdk,
            )
        };
        let plugins = &BuildOverrides::read(root).plugins;
        let reason = match build_tool::read_with_tool(folder, tool, options, tools, plugins) {
            Ok(parsed) => return from_build(parsed),
            Err(ToolFailure::Problem(problem)) => return Err(problem),
            Err(ToolFailure::Unavailable(reason)) => reason,
            // Other models have other plugins.
            Err(ToolFailure::Failed(reason)) if !plugins.is_empty() => {
                return Err(Problem::BuildToolFailed { tool: tool.name(), reason });
            }
            Err(ToolFailure::Failed(reason)) => {
                if let Some(parsed) = build_tool::nearest_model(folder, tool, tools, &reason)? {
                    return from_build(parsed);
                }
                reason
            }
        };
        if options.model == ModelSource::Tool {
            return Err(Problem::BuildToolFailed { tool: tool.name(), reason });
        }
        let options = ProjectOptions { model: ModelSource::Files, ..options.clone() };
        let mut project = Self::read_files(root, &options, &tools.jdk)?;
        let note = format!("the build files are read without {tool}: {reason}");
        // It is the reason for the others.
        project.notes.insert(0, note);
        Ok(project)
    }

    /// Discovers the project in a folder from its build files, without running a build tool.
    ///
    /// # Errors
    /// [`Problem::NoSources`] if no Java sources are found, [`Problem::Usage`] if the requested kind of build has no
    /// build file, and errors of reading the build files.
    pub fn read_files(root: &Path, options: &ProjectOptions, jdk: &Jdk) -> Result<Self> {
        let root = &std::path::absolute(root).map_err(|error| Problem::io(error, root))?;
        let build_folder = BuildFolder::find(root, options);
        let folder = &build_folder.path_in(root);
        let build = Self::build_kind(folder, options);
        let parsed = match (&options.model_file, build) {
            (Some(recorded), _) => recorded.to_parsed_build(folder),
            (None, BuildKind::Maven) => maven::reader::read(folder, options, jdk)?,
            (None, BuildKind::Gradle) => gradle::reader::read(folder, options, jdk)?,
            (None, BuildKind::Javac | BuildKind::Auto) => plain_folders::read(folder, options, jdk),
        };
        Self::from_build(
            root,
            build,
            parsed.below(&build_folder.folder, build_folder.note.as_ref()),
            options,
            jdk,
        )
    }

    fn build_kind(root: &Path, options: &ProjectOptions) -> BuildKind {
        match (&options.model_file, options.build) {
            (Some(recorded), _) => recorded.build,
            (None, BuildKind::Auto) => detect_build_kind(root),
            (None, build) => build,
        }
    }

    fn from_build(
        root: &Path,
        build: BuildKind,
        mut parsed: ParsedBuild,
        options: &ProjectOptions,
        jdk: &Jdk,
    ) -> Result<Self> {
        if let Some(system_modules) = SystemModules::read(jdk) {
            let modules = parsed.modules.into_iter();
            parsed.modules = modules.map(|one| system_modules.restrict_options(one)).collect();
        }
        let overrides = BuildOverrides::read(root);
        if !overrides.levels.is_empty() {
            let modules = parsed.modules.into_iter();
            parsed.modules = modules.map(|one| one.with_levels(&overrides.levels, jdk)).collect();
        }
        let modules = parsed.modules.into_iter();
        parsed.modules = modules.map(|one| one.with_processors(&overrides)).collect();
        let options = &options.without_test_folders(&parsed);
        let source_folders = &options.sources;
        if !source_folders.is_empty()
            && !source_folders.iter().any(|folder| root.join(folder).is_dir())
        {
            let names = source_folders.iter().map(|folder| folder.display().to_string());
            return Err(Problem::NoSources { looked: names.collect::<Vec<_>>().join(", ") });
        }
        let mut project = Self::from_parsed(root, build, parsed, options);
        let java_versions = java_versions_of_tests(&project.modules, root, &options.tests);
        let level_notes =
            java_versions.iter().filter_map(|one| note_on_unsupported_version(*one, jdk));
        project.notes.extend(level_notes);
        project.java_version = java_versions.last().copied();
        project.notes.extend(Substitution::notes(&project.substituted));
        project.replace_libraries(&overrides);
        if project.main_roots.is_empty() && project.test_roots.is_empty() {
            return Err(Problem::NoSources { looked: root.display().to_string() });
        }
        project.note_guessed_encoding();
        Ok(project)
    }

    fn replace_libraries(&mut self, overrides: &BuildOverrides) {
        let modules = self.modules.iter_mut().map(|module| &mut module.class_path);
        let batches = self.batches.iter_mut().map(|batch| &mut batch.class_path);
        for class_path in modules.chain(batches).chain([&mut self.class_path]) {
            *class_path = overrides.libraries.apply_to(std::mem::take(class_path));
        }
    }

    fn note_guessed_encoding(&mut self) {
        let has_guessed_encoding = |batch: &Batch| {
            let has_encoding =
                batch.encoding.is_some() || batch.javac_options.iter().any(|o| o == "-encoding");
            let files = || self.batch_files(batch, &self.root);
            !has_encoding && encoding::detect_encoding(&files()) == encoding::FALLBACK_ENCODING
        };
        if self.batches.iter().any(has_guessed_encoding) {
            self.notes.push(format!(
                "not all sources are UTF-8 and the build names no encoding: they are read as {}",
                encoding::FALLBACK_ENCODING
            ));
        }
    }

    /// Returns the part of the project that these files need: their modules with dependencies. The result is the whole
    /// project if a file is in no module, or if there is only one module.
    #[must_use]
    pub fn narrow_to(&self, files: &[PathBuf]) -> Self {
        let mut modules = Vec::new();
        for file in files {
            match self.find_module(file) {
                Some(module) => self.add_with_dependencies(module, &mut modules),
                None => return self.clone(),
            }
        }
        if modules.is_empty() || !self.options.sources.is_empty() {
            return self.clone();
        }
        let parsed = ParsedBuild {
            modules: modules.iter().map(|module| self.modules[*module].clone()).collect(),
            notes: self.notes.clone(),
            variables: self.variables.clone(),
            tool: self.tool.clone(),
            borrowed_model: self.borrowed_model.clone(),
            has_generated_files: self.has_generated_files,
            plugins: self.plugins.clone(),
        };
        Self::from_parsed(&self.root, self.build, parsed, &self.options)
    }

    /// Returns the working directory of a file's tests, relative to the root: the folder of its module.
    pub fn test_folder(&self, file: &Path) -> PathBuf {
        self.find_module(file)
            .map_or_else(PathBuf::new, |module| self.modules[module].folder.clone())
    }

    /// Returns the main sources in a tree of this project, as absolute paths.
    pub fn main_files(&self, tree: &Path) -> Vec<PathBuf> {
        unique(self.batches.iter().flat_map(|batch| self.batch_files(batch, tree)))
    }

    /// Returns the sources of a batch in a tree of this project, as absolute paths.
    pub(crate) fn batch_files(&self, batch: &Batch, tree: &Path) -> Vec<PathBuf> {
        let filter = batch.source_patterns.to_filter();
        let files_in_root = |root: &PathBuf| {
            let tests = self.test_roots.iter().map(|test| tree.join(test));
            // Only a source folder at the root contains the output folders of builds.
            let output = ["target", "build", "out", "bin"].iter().map(|name| tree.join(name));
            let is_top = root.as_os_str().is_empty();
            let excluded: Vec<_> = tests.chain(output.filter(|_| is_top)).collect();
            let folder = tree.join(root);
            let mut files = find_java_files(&folder, &excluded);
            files.retain(|file| filter.selects(file.strip_prefix(&folder).unwrap_or(file)));
            files
        };
        unique(batch.roots.iter().flat_map(files_in_root))
    }

    /// Returns the test sources in a tree of this project, as absolute paths.
    pub fn test_files(&self, tree: &Path) -> Vec<PathBuf> {
        unique(self.test_roots.iter().flat_map(|root| find_java_files(&tree.join(root), &[])))
    }

    fn find_module(&self, file: &Path) -> Option<usize> {
        let has_file = |module: &Module| {
            module.test_roots.iter().chain(&module.main_roots).any(|root| file.starts_with(root))
        };
        self.modules.iter().position(has_file)
    }

    fn add_with_dependencies(&self, module: usize, modules: &mut Vec<usize>) {
        if modules.contains(&module) {
            return;
        }
        modules.push(module);
        for dependency in &self.modules[module].needs {
            if let Some(needed) = self.modules.iter().position(|other| other.name == *dependency) {
                self.add_with_dependencies(needed, modules);
            }
        }
    }

    fn from_parsed(
        root: &Path,
        build: BuildKind,
        parsed: ParsedBuild,
        options: &ProjectOptions,
    ) -> Self {
        let ParsedBuild { modules, notes, variables, tool, .. } = parsed;
        let normaliser = PathNormaliser { root, options };
        let modules: Vec<Module> =
            modules.into_iter().map(|module| module.relative_to_tree(root)).collect();
        let collect_paths =
            |part: fn(&Module) -> &Vec<PathBuf>| unique(modules.iter().flat_map(part).cloned());
        let collect_folders = |part: fn(&Module) -> &Vec<ResourceFolder>| {
            modules.iter().flat_map(part).cloned().collect()
        };
        let first = modules.first();
        let tests = options.test_sources.iter().cloned();
        Self {
            root: root.to_owned(),
            main_roots: if options.sources.is_empty() {
                collect_paths(|module| &module.main_roots)
            } else {
                options.sources.clone()
            },
            test_roots: unique(tests.chain(collect_paths(|module| &module.test_roots))),
            templates: collect_folders(|module| &module.templates),
            resource_roots: collect_paths(|module| &module.resource_roots),
            test_resource_roots: collect_paths(|module| &module.test_resource_roots),
            copied_resources: collect_folders(|module| &module.copied_resources),
            copied_test_resources: collect_folders(|module| &module.copied_test_resources),
            class_path: normaliser.class_path(collect_paths(|module| &module.class_path)),
            batches: normaliser.batches(&modules),
            javac_options: normaliser
                .javac_options(first.map_or(&[], Module::javac_options_of_tests)),
            test_jvm: first.map(|module| normaliser.test_jvm(module)).unwrap_or_default(),
            encoding: first.and_then(|module| module.encoding.clone()),
            missing: unique(modules.iter().flat_map(|module| module.missing.iter().cloned())),
            substituted: unique(modules.iter().flat_map(|one| one.substituted.iter().cloned())),
            notes: unique(notes),
            variables,
            tool,
            borrowed_model: parsed.borrowed_model,
            plugins: parsed.plugins,
            has_generated_files: parsed.has_generated_files,
            build,
            java_version: java_versions(&modules).pop_last(),
            modules,
            options: options.clone(),
        }
    }
}

/// Makes the paths and options of modules independent of the tree, and adds the user's options.
struct PathNormaliser<'a> {
    root: &'a Path,
    options: &'a ProjectOptions,
}

impl PathNormaliser<'_> {
    fn class_path(&self, libraries: Vec<PathBuf>) -> Vec<PathBuf> {
        self.relative_paths(self.options.class_path.iter().cloned().chain(libraries))
    }

    /// Makes paths relative to the root if they are inside it.
    fn relative_paths(&self, paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
        unique(paths.into_iter().map(|path| relative_path(self.root, path)))
    }

    fn expand_text(&self, text: &str) -> String {
        text.replace(&*self.root.to_string_lossy(), TREE_PLACEHOLDER)
    }

    fn test_jvm(&self, module: &Module) -> TestJvm {
        module.test_jvm.map_texts(|text| self.expand_text(text))
    }

    fn javac_options(&self, options: &[String]) -> Vec<String> {
        let expanded = options.iter().map(|option| self.expand_text(option));
        expanded.chain(self.options.javac_options.iter().cloned()).collect()
    }

    /// Returns the batches. The user's source folders belong to no module, and are compiled with the options of the
    /// first one.
    fn batches(&self, modules: &[Module]) -> Vec<Batch> {
        let source_folders = &self.options.sources;
        let batches = if source_folders.is_empty() {
            batches::group_modules(modules)
        } else {
            let first = modules.first().cloned().unwrap_or_default();
            let class_path = modules.iter().flat_map(|module| module.class_path.clone()).collect();
            let Module { javac_options, encoding, .. } = first;
            let roots = source_folders.clone();
            vec![Batch { roots, class_path, javac_options, encoding, ..Batch::default() }]
        };
        let normalise_batch = |batch: Batch| Batch {
            class_path: self.class_path(batch.class_path),
            javac_options: self.javac_options(&batch.javac_options),
            ..batch
        };
        batches.into_iter().map(normalise_batch).collect()
    }
}
