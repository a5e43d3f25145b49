//! A project's model in a file: recorded where the project resolves, or written by hand.

use super::placeholders::HOME_PLACEHOLDER;
use super::{BuildKind, FilterValues, Module, ResourceFolder};
use crate::Environment;
use crate::project::parsed_build::ParsedBuild;
use anyhow::Context as _;
use mend_model::{Problem, Result, suggest_name};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const SCHEMA_ID: &str = "git-mend/project/1";

/// Project model that replaces the build files. It contains no environment variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectModelFile {
    schema: String,
    #[serde(rename = "kind")]
    pub(super) build: BuildKind,
    modules: Vec<Module>,
}

impl ProjectModelFile {
    /// The model of a project as its build files made it, without what the user says besides.
    pub fn new(build: BuildKind, modules: Vec<Module>) -> Self {
        Self { schema: SCHEMA_ID.to_owned(), build, modules }
    }

    /// Its text, in which nothing depends on where the tree or the user's home are.
    ///
    /// # Errors
    /// Our own fault.
    pub fn to_json(&self, environment: &Environment) -> Result<String> {
        let home = environment.path_variable("HOME").unwrap_or_default();
        let abbreviate_path = |path: &Path| match path.strip_prefix(&home) {
            Ok(below) if home.is_absolute() => Path::new("~").join(below),
            _ => path.to_owned(),
        };
        let home = home.to_string_lossy();
        let replace_home = |text: &str| match home.len() {
            0 | 1 => text.to_owned(),
            _ => text.replace(&*home, HOME_PLACEHOLDER),
        };
        let json = serde_json::to_string_pretty(&self.map_texts(&abbreviate_path, &replace_home));
        Ok(json.context("writing JSON")? + "\n")
    }

    /// Reads what was written.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the file is not there or not of this form, with the nearest known key for an unknown one;
    /// [`Problem::LibraryMissing`] if it names a library outside the tree that is not there.
    pub fn read(file: &Path, environment: &Environment) -> Result<Self> {
        let usage_problem = |message: &str| Problem::Usage {
            message: format!("{}: {message}", file.display()),
            remedy: "create one with `git mend doctor --record FILE` and edit it".to_owned(),
        };
        let text = std::fs::read(file)
            .map_err(|error| usage_problem(&Problem::io_error_reason(&error)))?;
        let model: Self = serde_json::from_slice(&text)
            .map_err(|error| usage_problem(&suggest_key(&error.to_string())))?;
        if model.schema != SCHEMA_ID {
            return Err(usage_problem(&format!(
                "its schema is `{}`, expected `{SCHEMA_ID}`",
                model.schema
            )));
        }
        for library in model.modules.iter().flat_map(|module| &module.class_path) {
            let library_path = expand_home(library, environment);
            if library_path.is_absolute() && !library_path.exists() {
                let (file, library) = (file.to_owned(), library.display().to_string());
                return Err(Problem::LibraryMissing { file, library });
            }
        }
        let home = environment.path_variable("HOME").unwrap_or_default();
        let text = |text: &str| text.replace(HOME_PLACEHOLDER, &home.to_string_lossy());
        Ok(model.map_texts(&|path| expand_home(path, environment), &text))
    }

    /// Returns the parts of the model for a cache key.
    pub(crate) fn cache_key_parts(&self) -> impl Iterator<Item = String> {
        self.modules.iter().map(|module| format!("{module:?}"))
    }

    /// Returns the model of a tree, without folders that do not exist there.
    pub(super) fn to_parsed_build(&self, root: &Path) -> ParsedBuild {
        let existing_folders = |folders: &[PathBuf]| {
            folders.iter().filter(|folder| root.join(folder).is_dir()).cloned().collect::<Vec<_>>()
        };
        let existing_resources = |all: &[ResourceFolder]| {
            let is_existing = |one: &&ResourceFolder| root.join(&one.folder).is_dir();
            all.iter().filter(is_existing).cloned().collect::<Vec<_>>()
        };
        let module_in_tree = |module: &Module| Module {
            main_roots: existing_folders(&module.main_roots),
            test_roots: existing_folders(&module.test_roots),
            resource_roots: existing_folders(&module.resource_roots),
            test_resource_roots: existing_folders(&module.test_resource_roots),
            templates: existing_resources(&module.templates),
            copied_resources: existing_resources(&module.copied_resources),
            copied_test_resources: existing_resources(&module.copied_test_resources),
            ..module.clone()
        };
        ParsedBuild {
            modules: self.modules.iter().map(module_in_tree).collect(),
            ..ParsedBuild::default()
        }
    }

    fn map_texts(&self, path: &dyn Fn(&Path) -> PathBuf, text: &dyn Fn(&str) -> String) -> Self {
        let texts = |all: &[String]| all.iter().map(|one| text(one)).collect();
        let values = |values: &FilterValues| FilterValues {
            texts: values.texts.iter().map(|(name, one)| (name.clone(), text(one))).collect(),
            ..values.clone()
        };
        let resources = |all: &[ResourceFolder]| {
            let one = |one: &ResourceFolder| ResourceFolder {
                values: one.values.as_ref().map(values),
                ..one.clone()
            };
            all.iter().map(one).collect()
        };
        let module = |module: &Module| Module {
            class_path: module.class_path.iter().map(|one| path(one)).collect(),
            javac_options: texts(&module.javac_options),
            jvm_options: texts(&module.jvm_options),
            templates: resources(&module.templates),
            copied_resources: resources(&module.copied_resources),
            copied_test_resources: resources(&module.copied_test_resources),
            ..module.clone()
        };
        Self { modules: self.modules.iter().map(module).collect(), ..self.clone() }
    }
}

fn expand_home(path: &Path, environment: &Environment) -> PathBuf {
    match (path.strip_prefix("~"), environment.path_variable("HOME")) {
        (Ok(below), Some(home)) => home.join(below),
        _ => path.to_owned(),
    }
}

/// A message about an unknown key, which lists all that are known, with the nearest of these instead.
fn suggest_key(message: &str) -> String {
    let Some(rest) = message.strip_prefix("unknown field `") else { return message.to_owned() };
    let mut names = rest.split('`').step_by(2).map(str::trim);
    let unknown = names.next().unwrap_or_default();
    let position = message.rsplit_once(" at ").map_or("", |(_, position)| position);
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let known_keys = names.filter(|name| !name.is_empty()).filter(is_name);
    let suggestion = suggest_name(unknown, known_keys).unwrap_or_default();
    format!("unknown key `{unknown}` at {position}; did you mean `{suggestion}`?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn environment(home: &Path) -> Environment {
        [("HOME", home)].into_iter().collect()
    }

    fn read_error(text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("project.json");
        std::fs::write(&file, text).unwrap();
        ProjectModelFile::read(&file, &environment(dir.path())).unwrap_err().to_string()
    }

    #[test]
    fn model_file_is_portable_between_homes() {
        let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let recorded = |home: &Path| {
            let jar = home.join("lib.jar");
            std::fs::write(&jar, "").unwrap();
            let texts = BTreeMap::from([("x".to_owned(), format!("{}/x", home.display()))]);
            let values = Some(FilterValues { texts, ..FilterValues::default() });
            let module = Module {
                main_roots: vec!["code".into()],
                class_path: vec![jar.clone(), "lib/own.jar".into()],
                javac_options: vec!["-processorpath".to_owned(), format!("a:{}", jar.display())],
                copied_resources: vec![ResourceFolder { values, ..ResourceFolder::default() }],
                ..Module::default()
            };
            ProjectModelFile {
                schema: SCHEMA_ID.to_owned(),
                build: BuildKind::Maven,
                modules: vec![module],
            }
        };
        let [one, expected] = homes.each_ref().map(|home| recorded(home.path()));
        let text = one.to_json(&environment(homes[0].path())).unwrap();
        assert!(text.contains("\"~/lib.jar\"") && text.contains("\"a:${home}/lib.jar\""), "{text}");
        let file = homes[1].path().join("project.json");
        std::fs::write(&file, text).unwrap();
        assert_eq!(ProjectModelFile::read(&file, &environment(homes[1].path())).unwrap(), expected);
    }

    #[test]
    fn unknown_keys_are_rejected_with_a_suggestion() {
        let model_json = |module: &str| {
            format!(
                "{{\"schema\": \"{SCHEMA_ID}\", \"kind\": \"maven\", \"modules\": [{{{module}}}]}}"
            )
        };
        let message = read_error(&model_json("\"clas_path\": []"));
        assert!(message.contains("`clas_path` at line 1 column"), "{message}");
        assert!(message.ends_with("did you mean `class_path`?"), "{message}");
        let message = read_error("{\"schemas\": 1}");
        assert!(message.ends_with("did you mean `schema`?"), "{message}");
        let message = read_error(&model_json("").replace("/1", "/9"));
        assert!(message.contains("its schema is `git-mend/project/9`"), "{message}");
        let message = read_error(&model_json("\"class_path\": [\"~/gone.jar\"]"));
        assert!(message.starts_with("library ~/gone.jar does not exist (named in "), "{message}");
    }
}
