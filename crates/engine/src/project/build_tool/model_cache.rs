//! Models that build tools gave, kept from run to run.

use super::gradle_program::gradle_home;
use super::stored_model::StoredModel;
use crate::cache::digest::Digest;
use crate::cache::fingerprint::base_digest;
use crate::jvm::java_program::create_folder;
use crate::project::build_files::read_build_files;
use crate::project::needed_modules::NeededModules;
use crate::{Environment, Toolchain};
use anyhow::Context as _;
use mend_model::{Problem, Result};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Name of the file with the model in its folder.
const MODEL_FILE: &str = "model.json";

/// Name of the folder of all models, beside the compiled Java programs.
const MODELS_FOLDER: &str = "models";

/// What a model is made from: the build files of a tree, and the machine.
pub(super) struct ModelInputs {
    pub(super) key: String,
    /// Lines of the build files.
    pub(super) lines: BTreeSet<String>,
    /// Environment variables that the build files name.
    pub(super) variables: BTreeSet<String>,
}

impl ModelInputs {
    /// Reads the build files of a tree; `tool` identifies the build tool.
    pub(super) fn read(tree: &Path, tool: &str, tools: &Toolchain) -> Self {
        let environment = Environment::from_process();
        let mut digest = base_digest(&environment);
        digest.add("tool", tool);
        digest.add("jdk", tools.jdk.home.as_os_str().as_encoded_bytes());
        digest.add("jdk version", &tools.jdk.full_version);
        let home = environment.path_variable("HOME").unwrap_or_default();
        let of_gradle = ["gradle.properties", "init.gradle", "init.gradle.kts"]
            .map(|name| gradle_home(&environment).join(name));
        let init_scripts = std::fs::read_dir(gradle_home(&environment).join("init.d"));
        let init_scripts = init_scripts.into_iter().flatten().flatten().map(|entry| entry.path());
        let mut of_gradle: Vec<_> = of_gradle.into_iter().chain(init_scripts).collect();
        of_gradle.sort();
        for settings in of_gradle.into_iter().chain([home.join(".m2/settings.xml")]) {
            digest.add("settings", std::fs::read(settings).unwrap_or_default());
        }
        for variable in ["MAVEN_ARGS", "GRADLE_OPTS", "JAVA_OPTS"] {
            let value = environment.get(variable).unwrap_or_default();
            digest.add(variable, value.as_encoded_bytes());
        }
        let files = read_build_files(tree);
        let (mut lines, mut variables) = (BTreeSet::new(), BTreeSet::new());
        for file in &files {
            digest.add(&file.name, &file.content);
            digest.add("conditions", &file.profile_conditions);
            let text = String::from_utf8_lossy(&file.content);
            lines.extend(text.lines().map(|line| line.trim().to_owned()));
            variables.extend(named_variables(&text));
        }
        for variable in &variables {
            let value = environment.get(variable).unwrap_or_default();
            digest.add(variable, value.as_encoded_bytes());
        }
        Self { key: digest.finish_hex(), lines, variables }
    }

    /// Returns the inputs of a model with other versions of plugins than those of the build files.
    pub(super) fn with_plugins(self, plugins: &BTreeMap<String, String>) -> Self {
        if plugins.is_empty() {
            return self;
        }
        let mut digest = Digest::default();
        digest.add("build", &self.key);
        for (name, version) in plugins {
            digest.add(name, version);
        }
        Self { key: digest.finish_hex(), ..self }
    }

    /// Returns the key of a model that also depends on other files, and was made by the generators of some modules
    /// without the omitted ones.
    pub(super) fn key_with<'a>(
        &self,
        files: &str,
        modules: &NeededModules,
        omitted: impl IntoIterator<Item = &'a String>,
    ) -> String {
        let mut digest = Digest::default();
        digest.add("build", &self.key);
        digest.add("files", files);
        modules.names.iter().flatten().for_each(|module| digest.add("module", module));
        omitted.into_iter().for_each(|generator| digest.add("omitted", generator));
        digest.finish_hex()
    }
}

fn named_variables(text: &str) -> Vec<String> {
    static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
        let maven = r"\$\{env\.(?<maven>\w+)\}";
        let gradle = r#"(?:getenv|environmentVariable)\(?\s*["'](?<call>\w+)|\benv\b(?:\.|\[["'])(?<map>\w+)"#;
        Regex::new(&format!("{maven}|{gradle}"))
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let name = |place: regex::Captures<'_>| {
        let names = ["maven", "call", "map"].into_iter().find_map(|group| place.name(group));
        names.map(|name| name.as_str().to_owned())
    };
    VARIABLE.captures_iter(text).filter_map(name).collect()
}

/// The folder of models.
pub(super) struct ModelCache {
    folder: PathBuf,
}

impl ModelCache {
    pub(super) fn new(tools: &Toolchain) -> Self {
        let home = tools.program_cache.parent().unwrap_or(&tools.program_cache);
        Self { folder: home.join(MODELS_FOLDER) }
    }

    /// Returns the folder of a model.
    pub(super) fn folder_of(&self, key: &str) -> PathBuf {
        self.folder.join(key)
    }

    /// Returns the model of a key, if it was stored and all its libraries are still there.
    pub(super) fn load(&self, key: &str) -> Option<StoredModel> {
        read_model(&self.folder_of(key))
    }

    /// Creates an empty folder for a model that is not complete yet.
    pub(super) fn create_unfinished(&self) -> Result<tempfile::TempDir> {
        let folder = create_folder(self.folder.clone())?;
        tempfile::tempdir_in(&folder).map_err(|error| Problem::io(error, &folder))
    }

    /// Stores a model with the other files in its folder.
    pub(super) fn store(
        &self,
        key: &str,
        model: &StoredModel,
        unfinished: tempfile::TempDir,
    ) -> Result<()> {
        let json = serde_json::to_string(model).context("writing JSON")?;
        let file = unfinished.path().join(MODEL_FILE);
        std::fs::write(&file, json).map_err(|error| Problem::io(error, &file))?;
        let folder = self.folder_of(key);
        if folder.exists() {
            // It names libraries that are gone, or another process was faster.
            std::fs::remove_dir_all(&folder).map_err(|error| Problem::io(error, &folder))?;
        }
        let unfinished = unfinished.keep();
        match std::fs::rename(&unfinished, &folder) {
            Err(_) if folder.is_dir() => std::fs::remove_dir_all(&unfinished)
                .map_err(|error| Problem::io(error, &unfinished)),
            Err(error) => Err(Problem::io(error, folder)),
            Ok(()) => Ok(()),
        }
    }

    /// Returns the stored model whose build files have the most lines in common with these; of several, the one that
    /// was generated from the same files, or else from any.
    pub(super) fn nearest(&self, lines: &BTreeSet<String>, files: &str) -> Option<StoredModel> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let models = entries.filter_map(|entry| read_model(&entry.path()));
        models.min_by_key(|model| {
            let generated_from = model.generated_from.as_deref();
            let distance = model.lines.symmetric_difference(lines).count();
            (distance, generated_from != Some(files), generated_from.is_none())
        })
    }
}

fn read_model(folder: &Path) -> Option<StoredModel> {
    let json = std::fs::read(folder.join(MODEL_FILE)).ok()?;
    let stored: StoredModel = serde_json::from_slice(&json).ok()?;
    stored.model.has_all_libraries().then_some(stored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::ProjectModelFile;
    use crate::{BuildKind, Module};

    fn stored(name: &str, lines: &[&str]) -> StoredModel {
        let module = Module { name: name.to_owned(), ..Module::default() };
        StoredModel {
            model: ProjectModelFile::new(BuildKind::Maven, vec![module]),
            notes: Vec::new(),
            generators: BTreeMap::new(),
            plugins: BTreeMap::new(),
            last_phase: None,
            lines: lines.iter().map(ToString::to_string).collect(),
            generated_from: None,
        }
    }

    #[test]
    fn model_of_the_most_similar_build_files_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ModelCache { folder: folder.path().join("models") };
        assert!(cache.nearest(&BTreeSet::new(), "").is_none());
        for (key, lines) in [("old", ["a", "b", "c"]), ("new", ["a", "x", "y"])] {
            let unfinished = cache.create_unfinished().unwrap();
            cache.store(key, &stored(key, &lines), unfinished).unwrap();
        }
        let lines = ["a", "b", "z"].iter().map(ToString::to_string).collect();
        assert_eq!(cache.nearest(&lines, "").unwrap().model, stored("old", &[]).model);
        assert_eq!(cache.load("new").unwrap().model, stored("new", &[]).model);
        assert!(cache.load("none").is_none());
    }

    #[test]
    fn model_with_a_deleted_library_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ModelCache { folder: folder.path().to_owned() };
        let library = folder.path().join("lib.jar");
        std::fs::write(&library, "").unwrap();
        let module = Module { class_path: vec![library.clone()], ..Module::default() };
        let model = ProjectModelFile::new(BuildKind::Maven, vec![module]);
        let stored = StoredModel { model, ..stored("", &[]) };
        cache.store("key", &stored, cache.create_unfinished().unwrap()).unwrap();
        assert!(cache.load("key").is_some());
        std::fs::remove_file(library).unwrap();
        assert!(cache.load("key").is_none());
    }

    #[test]
    fn variables_in_build_files_are_found() {
        assert_eq!(named_variables("<a>${env.HOME}/x</a> ${x}"), ["HOME"]);
        let script =
            "System.getenv('A') System.env['B'] providers.environmentVariable(\"C\") System.env.D";
        assert_eq!(named_variables(script), ["A", "B", "C", "D"]);
    }
}
