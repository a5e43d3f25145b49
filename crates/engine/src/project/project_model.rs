//! A Java project: its sources, resources, libraries and how they are compiled.

use super::build_kind::detect_build_kind;
use super::module::find_java_files;
use super::placeholders::TREE_PLACEHOLDER;
use super::unique::unique;
use super::{Batch, BuildKind, Module, ProjectOptions, ResourceFolder, batches};
use crate::Jdk;
use crate::compile::encoding;
use crate::project::gradle;
use crate::project::maven;
use crate::project::parsed_build::ParsedBuild;
use crate::project::plain_folders;
use mend_model::{Problem, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A Java project: all paths of roots are relative to its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder it was discovered in.
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
    /// Libraries: absolute, or relative to the root where they lie inside it.
    pub class_path: Vec<PathBuf>,
    /// Compiler calls for the main sources, in dependency order.
    pub batches: Vec<Batch>,
    /// Options for `javac` besides encoding and paths, those of the tests. [`Project::TREE_PLACEHOLDER`] stands for the tree's
    /// folder.
    pub javac_options: Vec<String>,
    /// Options for the JVM that runs the tests, with [`Project::TREE_PLACEHOLDER`] likewise.
    pub jvm_options: Vec<String>,
    /// The tests' encoding, where the build names it.
    pub encoding: Option<String>,
    /// Libraries that the build files name and that are not on this machine.
    pub missing: Vec<String>,
    /// Notes for the user: substituted libraries, and parts of the build that were not understood.
    pub notes: Vec<String>,
    /// The variables of the environment that the build files name.
    pub variables: BTreeSet<String>,
    /// The kind of build, never `Auto`.
    pub build: BuildKind,
    /// The parts that it is made of.
    pub modules: Vec<Module>,
    /// Options with which it was discovered.
    pub options: ProjectOptions,
}

impl Project {
    /// Placeholder of the tree's folder in options, so that one model serves many trees.
    pub const TREE_PLACEHOLDER: &'static str = TREE_PLACEHOLDER;

    /// Discovers the project in a folder.
    ///
    /// # Errors
    /// [`Problem::NoSources`] if no Java sources are found, [`Problem::Usage`] if the kind of build
    /// that was asked for is not there, and errors of reading the build files.
    pub fn discover(root: &Path, options: &ProjectOptions, jdk: &Jdk) -> Result<Self> {
        let root = &std::path::absolute(root).map_err(|error| Problem::io(error, root))?;
        let build = match (&options.model_file, options.build) {
            (Some(recorded), _) => recorded.build,
            (None, BuildKind::Auto) => detect_build_kind(root),
            (None, build) => build,
        };
        let build_model = match (&options.model_file, build) {
            (Some(recorded), _) => recorded.to_parsed_build(root),
            (None, BuildKind::Maven) => maven::reader::read(root, options, jdk)?,
            (None, BuildKind::Gradle) => gradle::reader::read(root, options, jdk)?,
            (None, BuildKind::Javac | BuildKind::Auto) => plain_folders::read(root, options, jdk),
        };
        let options = &options.without_test_folders(&build_model);
        let source_folders = &options.sources;
        if !source_folders.is_empty()
            && !source_folders.iter().any(|folder| root.join(folder).is_dir())
        {
            let names = source_folders.iter().map(|folder| folder.display().to_string());
            return Err(Problem::NoSources { looked: names.collect::<Vec<_>>().join(", ") });
        }
        let mut project = Self::from_parsed(root, build, build_model, options);
        if project.main_roots.is_empty() && project.test_roots.is_empty() {
            return Err(Problem::NoSources { looked: root.display().to_string() });
        }
        project.note_guessed_encoding();
        Ok(project)
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

    /// The part of the project that these files need: their modules, and those that they depend on.
    /// A file that lies in no module, or a project that has one module only, leaves it whole.
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
        };
        Self::from_parsed(&self.root, self.build, parsed, &self.options)
    }

    /// The folder that the tests of a file run in, relative to the root: its module's.
    pub fn test_folder(&self, file: &Path) -> PathBuf {
        self.find_module(file)
            .map_or_else(PathBuf::new, |module| self.modules[module].folder.clone())
    }

    /// The main sources in a tree of this project, absolute.
    pub fn main_files(&self, tree: &Path) -> Vec<PathBuf> {
        self.source_files_in(&self.main_roots, tree)
    }

    /// The sources of a batch in a tree of this project, absolute.
    pub(crate) fn batch_files(&self, batch: &Batch, tree: &Path) -> Vec<PathBuf> {
        self.source_files_in(&batch.roots, tree)
    }

    fn source_files_in(&self, roots: &[PathBuf], tree: &Path) -> Vec<PathBuf> {
        let files_in_root = |root: &PathBuf| {
            let tests = self.test_roots.iter().map(|test| tree.join(test));
            // Only a project whose sources stand at the top mixes them with what a build leaves.
            let output = ["target", "build", "out", "bin"].iter().map(|name| tree.join(name));
            let is_top = root.as_os_str().is_empty();
            let excluded: Vec<_> = tests.chain(output.filter(|_| is_top)).collect();
            find_java_files(&tree.join(root), &excluded)
        };
        unique(roots.iter().flat_map(files_in_root))
    }

    /// The test sources in a tree of this project, absolute.
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
        let ParsedBuild { modules, notes, variables } = parsed;
        let normaliser = PathNormaliser { root, options };
        let modules: Vec<Module> =
            modules.into_iter().map(|module| normaliser.module(module)).collect();
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
            javac_options: normaliser.javac_options(first.map_or(&[], |m| &m.javac_options[..])),
            jvm_options: normaliser.expand_options(first.map_or(&[], |m| &m.jvm_options[..])),
            encoding: first.and_then(|module| module.encoding.clone()),
            missing: unique(modules.iter().flat_map(|module| module.missing.iter().cloned())),
            notes: unique(notes),
            variables,
            build,
            modules,
            options: options.clone(),
        }
    }
}

/// Makes of what modules say what holds for any tree, and adds what the user says.
struct PathNormaliser<'a> {
    root: &'a Path,
    options: &'a ProjectOptions,
}

impl PathNormaliser<'_> {
    fn class_path(&self, libraries: Vec<PathBuf>) -> Vec<PathBuf> {
        self.relative_paths(self.options.class_path.iter().cloned().chain(libraries))
    }

    /// A module as it is in any tree.
    fn module(&self, module: Module) -> Module {
        Module {
            class_path: self.relative_paths(module.class_path),
            javac_options: self.expand_options(&module.javac_options),
            jvm_options: self.expand_options(&module.jvm_options),
            ..module
        }
    }

    /// Paths relative to the root where they lie inside it.
    fn relative_paths(&self, paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
        unique(paths.into_iter().map(|path| relative_to_root(self.root, path)))
    }

    fn expand_options(&self, options: &[String]) -> Vec<String> {
        let root = self.root.to_string_lossy();
        options.iter().map(|option| option.replace(&*root, TREE_PLACEHOLDER)).collect()
    }

    fn javac_options(&self, options: &[String]) -> Vec<String> {
        [self.expand_options(options), self.options.javac_options.clone()].concat()
    }

    /// Folders that the user names belong to no module: they are compiled as the first one is.
    fn batches(&self, modules: &[Module]) -> Vec<Batch> {
        let source_folders = &self.options.sources;
        let batches = if source_folders.is_empty() {
            batches::group_modules(modules)
        } else {
            let first = modules.first().cloned().unwrap_or_default();
            let class_path = modules.iter().flat_map(|module| module.class_path.clone()).collect();
            let Module { javac_options, encoding, .. } = first;
            vec![Batch { roots: source_folders.clone(), class_path, javac_options, encoding }]
        };
        let normalise_batch = |batch: Batch| Batch {
            class_path: self.class_path(batch.class_path),
            javac_options: self.javac_options(&batch.javac_options),
            ..batch
        };
        batches.into_iter().map(normalise_batch).collect()
    }
}

fn relative_to_root(root: &Path, path: PathBuf) -> PathBuf {
    path.strip_prefix(root).map(Path::to_path_buf).unwrap_or(path)
}
