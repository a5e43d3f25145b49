//! The model of a project from its build tool, asked once for each state of the build files.

use super::failed_generators::{generators_in, reason_in};
use super::generated_files::{COPY_FOLDER, GeneratedFiles, copy_tree};
use super::generator_inputs::hash_inputs;
use super::gradle_program::GradleProgram;
use super::gradle_query::GradleQuery;
use super::maven_program::MavenProgram;
use super::maven_query::MavenQuery;
use super::model_cache::{ModelCache, ModelInputs};
use super::stored_model::StoredModel;
use super::tool_failure::ToolFailure;
use super::tool_kind::ToolKind;
use super::tool_report::{BuildTool, ToolReport};
use super::wrapper::find_on_path;
use crate::jvm::java_program::create_folder;
use crate::project::needed_modules::NeededModules;
use crate::project::parsed_build::ParsedBuild;
use crate::project::selected_sources::find_selected_sources;
use crate::project::unique::unique;
use crate::project::{ProjectModelFile, ProjectOptions};
use crate::{Environment, Toolchain};
use mend_model::{Problem, ProgressEvent};
use std::collections::BTreeMap;
use std::path::Path;

/// Messages of build tools about what is missing on this machine, not about mistakes in build files.
const MISSING_MESSAGES: [&str; 15] = [
    "Non-resolvable",
    "Unresolveable",
    "could not be resolved",
    "Could not find artifact",
    "Unable to find/resolve artifact",
    "Could not transfer",
    "Failed to read artifact descriptor",
    "offline",
    "requires Maven",
    "did not finish in time",
    "Could not resolve",
    "Could not GET",
    "was not found in any of the following sources",
    "Unsupported class file major version",
    "wrapper for",
];

/// Reads the model of the project in a folder from its build tool, or the stored one of equal build files. Plugins get the
/// versions of `plugins`, by `group:artifact`.
pub(crate) fn read_with_tool(
    root: &Path,
    kind: ToolKind,
    options: &ProjectOptions,
    tools: &Toolchain,
    plugins: &BTreeMap<String, String>,
) -> Result<ParsedBuild, ToolFailure> {
    let cache = ModelCache::new(tools);
    let source = ToolSource { root, kind, options, tools, plugins, cache };
    let inputs = ModelInputs::read(root, &tool_identity(kind), tools).with_plugins(plugins);
    // A model may have been stored for other tests, and lack libraries that these need.
    let stored = source.cache.load(&inputs.key).filter(|stored| source.is_complete(stored));
    let basic = match stored.or_else(|| tools.incomplete_models.get(&inputs.key)) {
        Some(stored) => stored,
        None => source.ask(&inputs)?,
    };
    let modules = source.needed_modules(&basic);
    let has_generators = !modules.select(&basic.generators).is_empty();
    let plugins = modules.select_plugins(&basic.plugins);
    let stored = if has_generators { source.generated(basic, &modules, &inputs)? } else { basic };
    Ok(ParsedBuild {
        has_generated_files: has_generators,
        plugins,
        ..to_parsed_build(&stored, root, &inputs)
    })
}

/// Returns the stored model whose build files are most similar to those of a folder, with a note, if the tool failed
/// because something is missing. `None` if there is none.
///
/// # Errors
/// [`Problem::Usage`] if the build files themselves are wrong.
pub(crate) fn nearest_model(
    root: &Path,
    kind: ToolKind,
    tools: &Toolchain,
    reason: &str,
) -> Result<Option<ParsedBuild>, Problem> {
    let inputs = ModelInputs::read(root, &tool_identity(kind), tools);
    let nearest = ModelCache::new(tools).nearest(&inputs.lines, &hash_inputs(root));
    let Some(stored) = nearest else { return Ok(None) };
    if !is_about_missing(reason) {
        return Err(Problem::Usage {
            message: format!("{kind} cannot read the build: {reason}"),
            remedy: "fix the build files, or use --model files".to_owned(),
        });
    }
    let note = format!(
        "{kind} cannot read the build of a version, so the model of the most similar build files is used: {reason}"
    );
    let mut build = to_parsed_build(&stored, root, &inputs);
    build.notes.push(note.clone());
    build.borrowed_model = Some(note);
    Ok(Some(build))
}

/// Returns true if a build tool failed because something is missing on this machine.
fn is_about_missing(reason: &str) -> bool {
    MISSING_MESSAGES.iter().any(|message| reason.contains(message))
}

/// Returns the installed build tool, as a part of the key of a model. The project's wrapper is one of its build files.
fn tool_identity(kind: ToolKind) -> String {
    let name = match kind {
        ToolKind::Maven => "mvn",
        ToolKind::Gradle => "gradle",
    };
    let program = find_on_path(&Environment::from_process(), name);
    let program = program.and_then(|program| program.canonicalize().ok());
    program.unwrap_or_default().to_string_lossy().into_owned()
}

fn to_parsed_build(stored: &StoredModel, root: &Path, inputs: &ModelInputs) -> ParsedBuild {
    let mut build = stored.model.to_parsed_build(root);
    build.notes.extend(stored.notes.iter().cloned());
    build.variables.extend(inputs.variables.iter().cloned());
    build.has_generated_files = !stored.generators.is_empty();
    build
}

struct ToolSource<'a> {
    root: &'a Path,
    kind: ToolKind,
    options: &'a ProjectOptions,
    tools: &'a Toolchain,
    /// Versions of plugins that replace those of the build files.
    plugins: &'a BTreeMap<String, String>,
    cache: ModelCache,
}

impl ToolSource<'_> {
    /// Returns true if no library that the tests need is missing or replaced.
    fn is_complete(&self, stored: &StoredModel) -> bool {
        let modules = self.needed_modules(stored);
        stored.model.is_complete(|module| modules.contains(&module.name))
    }

    /// Asks the build tool for the model without generated files, and stores it. If libraries that the tests need are
    /// missing, the model is kept only for this run.
    fn ask(&self, inputs: &ModelInputs) -> Result<StoredModel, ToolFailure> {
        self.report_stage(&format!("reading the build with {}", self.kind));
        let report = self.tool()?.read_model(self.root)?;
        let stored = to_stored_model(report, inputs);
        if self.is_complete(&stored) {
            self.cache.store(&inputs.key, &stored, self.cache.create_unfinished()?)?;
        } else {
            self.tools.incomplete_models.add(&inputs.key, stored.clone());
        }
        Ok(stored)
    }

    /// Returns the modules whose generators must run for the selected tests.
    fn needed_modules(&self, basic: &StoredModel) -> NeededModules {
        let modules = basic.model.to_parsed_build(self.root).modules;
        NeededModules::find(&modules, &find_selected_sources(self.root, &self.options.tests))
    }

    /// Returns the model with what the build generates for some modules. It depends on more files of the tree than the
    /// build files. Generators that fail are left out.
    fn generated(
        &self,
        basic: StoredModel,
        modules: &NeededModules,
        inputs: &ModelInputs,
    ) -> Result<StoredModel, ToolFailure> {
        let files = hash_inputs(self.root);
        let tree_key = inputs.key_with(&files, modules, []);
        let all: Vec<&String> = basic.generators.values().flatten().collect();
        loop {
            let failed = self.tools.failed_generators.with_keys([&inputs.key, &tree_key]);
            let mut remaining = modules.select(&basic.generators);
            remaining.retain(|name| !failed.contains_key(name));
            if remaining.is_empty() {
                return Ok(with_notes(basic, failed));
            }
            let generation = Generation { modules, failed: &failed, names: &remaining };
            let reason = match self.generate_without(&generation, &basic, inputs, &files) {
                Ok(stored) => return Ok(with_notes(stored, failed)),
                Err(ToolFailure::Failed(reason)) => reason,
                Err(failure) => return Err(failure),
            };
            // What is missing on this machine is missing for all trees with the same build files.
            let key = if is_about_missing(&reason) { &inputs.key } else { &tree_key };
            // Maven also runs those of parents and plugins.
            let mut named = generators_in(&reason, &all);
            named.retain(|name| !failed.contains_key(name));
            for name in if named.is_empty() { remaining } else { named } {
                self.tools.failed_generators.add(key, name, reason_in(&reason));
            }
        }
    }

    /// Returns the model with what the build generates without the failed generators.
    fn generate_without(
        &self,
        generation: &Generation<'_>,
        basic: &StoredModel,
        inputs: &ModelInputs,
        files: &str,
    ) -> Result<StoredModel, ToolFailure> {
        let Generation { modules, failed, names } = *generation;
        let key = inputs.key_with(files, modules, failed.keys());
        let is_complete = basic.model.is_complete(|module| modules.contains(&module.name));
        let stored = if is_complete {
            self.cache.load(&key)
        } else {
            self.tools.incomplete_models.get(&key)
        };
        if let Some(stored) = stored {
            return Ok(stored);
        }
        self.report_stage(&format!("generating sources and resources with {}", names.join(", ")));
        let unfinished = self.cache.create_unfinished()?;
        let copy = create_folder(unfinished.path().join(COPY_FOLDER))?;
        copy_tree(self.root, &copy)?;
        let omitted: Vec<&str> = failed.keys().map(String::as_str).collect();
        let report = self.tool()?.generate(&copy, basic, modules, &omitted)?;
        // The next run shows if others remain without the one that failed first.
        if let Some(problem) = report.problems.first() {
            return Err(ToolFailure::Failed(problem.clone()));
        }
        let generated = self.keep_generated(report, inputs, &key, &copy)?;
        let stored = StoredModel {
            model: basic.model.with_modules_of(&generated.model),
            notes: unique([&basic.notes[..], &generated.notes].concat()),
            generated_from: Some(files.to_owned()),
            ..generated
        };
        std::fs::remove_dir_all(&copy).map_err(|error| Problem::io(error, &copy))?;
        self.cache.store(&key, &stored, unfinished)?;
        if !is_complete {
            self.tools.incomplete_models.add(&key, stored.clone());
        }
        Ok(stored)
    }

    /// Moves what was generated in a copy of the tree to its folder, and returns the model that uses it.
    fn keep_generated(
        &self,
        mut report: ToolReport,
        inputs: &ModelInputs,
        key: &str,
        copy: &Path,
    ) -> Result<StoredModel, ToolFailure> {
        let folder = self.cache.folder_of(key);
        let kept = copy.with_file_name("files");
        let files = GeneratedFiles {
            tree: self.root,
            copy,
            kept: &kept,
            final_folder: &folder.join("files"),
        };
        let modules = report.build.modules.into_iter().zip(&report.outputs);
        report.build.modules = modules
            .map(|(module, outputs)| files.add_to(module, outputs))
            .collect::<Result<_, _>>()?;
        Ok(to_stored_model(report, inputs))
    }

    /// Finds the build tool.
    fn tool(&self) -> Result<Box<dyn BuildTool + '_>, ToolFailure> {
        let Self { root, options, tools, plugins, .. } = *self;
        let is_offline = options.is_offline;
        let tool: Option<Box<dyn BuildTool>> = match self.kind {
            ToolKind::Maven => MavenProgram::find(root, tools, is_offline)?
                .map(|program| Box::new(MavenQuery { program, options, tools, plugins }) as _),
            ToolKind::Gradle => GradleProgram::find(root, tools, is_offline)?
                .map(|program| Box::new(GradleQuery { program, tools, is_offline, plugins }) as _),
        };
        tool.ok_or_else(|| ToolFailure::Unavailable(format!("there is no working {}", self.kind)))
    }

    fn report_stage(&self, text: &str) {
        self.tools.progress.handle(ProgressEvent::Stage(text.to_owned()));
    }
}

fn to_stored_model(report: ToolReport, inputs: &ModelInputs) -> StoredModel {
    let modules = report.build.modules;
    StoredModel {
        model: ProjectModelFile::new(report.kind, modules).with_tool(Some(report.tool)),
        notes: report.build.notes,
        generators: report.generators,
        plugins: report.plugins,
        last_phase: report.last_phase,
        lines: inputs.lines.clone(),
        generated_from: None,
    }
}

/// A run of generators.
#[derive(Clone, Copy)]
struct Generation<'a> {
    modules: &'a NeededModules,
    /// Generators that failed, with their reasons.
    failed: &'a BTreeMap<String, String>,
    /// Generators of these modules that run.
    names: &'a [String],
}

/// Adds notes on generators that failed, with their reasons.
fn with_notes(mut model: StoredModel, failed: BTreeMap<String, String>) -> StoredModel {
    let mut names_by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, reason) in failed {
        names_by_reason.entry(reason).or_default().push(name);
    }
    let notes = names_by_reason.into_iter().map(|(reason, names)| {
        format!("what {} would generate is missing: {reason}", names.join(", "))
    });
    model.notes.extend(notes);
    model
}
