//! A project's model in a file: recorded where the project resolves, or written by hand.

use super::placeholders::HOME;
use super::{BuildKind, FilterValues, Module, ResourceFolder};
use crate::Environment;
use crate::project::parsed_build::ParsedBuild;
use anyhow::Context as _;
use mend_model::{Problem, Result, nearest};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const SCHEMA: &str = "git-mend/project/1";

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
        Self { schema: SCHEMA.to_owned(), build, modules }
    }

    /// Its text, in which nothing depends on where the tree or the user's home are.
    ///
    /// # Errors
    /// Our own fault.
    pub fn written(&self, environment: &Environment) -> Result<String> {
        let home = environment.path("HOME").unwrap_or_default();
        let path = |path: &Path| match path.strip_prefix(&home) {
            Ok(below) if home.is_absolute() => Path::new("~").join(below),
            _ => path.to_owned(),
        };
        let home = home.to_string_lossy();
        let text = |text: &str| match home.len() {
            0 | 1 => text.to_owned(),
            _ => text.replace(&*home, HOME),
        };
        let text = serde_json::to_string_pretty(&self.translated(&path, &text));
        Ok(text.context("writing JSON")? + "\n")
    }

    /// Reads what was written.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the file is not there or not of this form, with the nearest known key for an unknown one;
    /// [`Problem::LibraryMissing`] if it names a library outside the tree that is not there.
    pub fn read(file: &Path, environment: &Environment) -> Result<Self> {
        let wrong = |message: &str| Problem::Usage {
            message: format!("{}: {message}", file.display()),
            remedy: "create one with `git mend doctor --record FILE` and edit it".to_owned(),
        };
        let text = std::fs::read(file).map_err(|error| wrong(&Problem::reason(&error)))?;
        let read: Self = serde_json::from_slice(&text)
            .map_err(|error| wrong(&with_nearest(&error.to_string())))?;
        if read.schema != SCHEMA {
            return Err(wrong(&format!("its schema is `{}`, expected `{SCHEMA}`", read.schema)));
        }
        for library in read.modules.iter().flat_map(|module| &module.class_path) {
            let place = expanded(library, environment);
            if place.is_absolute() && !place.exists() {
                let (file, library) = (file.to_owned(), library.display().to_string());
                return Err(Problem::LibraryMissing { file, library });
            }
        }
        let home = environment.path("HOME").unwrap_or_default();
        let text = |text: &str| text.replace(HOME, &home.to_string_lossy());
        Ok(read.translated(&|path| expanded(path, environment), &text))
    }

    /// Returns the parts of the model for a cache key.
    pub(crate) fn parts(&self) -> impl Iterator<Item = String> {
        self.modules.iter().map(|module| format!("{module:?}"))
    }

    /// Returns the model of a tree, without folders that do not exist there.
    pub(super) fn found(&self, root: &Path) -> ParsedBuild {
        let there = |folders: &[PathBuf]| {
            folders.iter().filter(|folder| root.join(folder).is_dir()).cloned().collect::<Vec<_>>()
        };
        let copied = |all: &[ResourceFolder]| {
            let is_there = |one: &&ResourceFolder| root.join(&one.folder).is_dir();
            all.iter().filter(is_there).cloned().collect::<Vec<_>>()
        };
        let of_tree = |module: &Module| Module {
            main_roots: there(&module.main_roots),
            test_roots: there(&module.test_roots),
            resource_roots: there(&module.resource_roots),
            test_resource_roots: there(&module.test_resource_roots),
            templates: copied(&module.templates),
            copied_resources: copied(&module.copied_resources),
            copied_test_resources: copied(&module.copied_test_resources),
            ..module.clone()
        };
        ParsedBuild {
            modules: self.modules.iter().map(of_tree).collect(),
            ..ParsedBuild::default()
        }
    }

    fn translated(&self, path: &dyn Fn(&Path) -> PathBuf, text: &dyn Fn(&str) -> String) -> Self {
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

fn expanded(path: &Path, environment: &Environment) -> PathBuf {
    match (path.strip_prefix("~"), environment.path("HOME")) {
        (Ok(below), Some(home)) => home.join(below),
        _ => path.to_owned(),
    }
}

/// A message about an unknown key, which lists all that are known, with the nearest of these instead.
fn with_nearest(message: &str) -> String {
    let Some(rest) = message.strip_prefix("unknown field `") else { return message.to_owned() };
    let mut names = rest.split('`').step_by(2).map(str::trim);
    let unknown = names.next().unwrap_or_default();
    let place = message.rsplit_once(" at ").map_or("", |(_, place)| place);
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let known = names.filter(|name| !name.is_empty()).filter(is_name);
    let near = nearest(unknown, known).unwrap_or_default();
    format!("unknown key `{unknown}` at {place}; did you mean `{near}`?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn environment(home: &Path) -> Environment {
        [("HOME", home)].into_iter().collect()
    }

    fn refused(text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("project.json");
        std::fs::write(&file, text).unwrap();
        ProjectModelFile::read(&file, &environment(dir.path())).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_again_in_another_home() {
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
                schema: SCHEMA.to_owned(),
                build: BuildKind::Maven,
                modules: vec![module],
            }
        };
        let [one, other] = homes.each_ref().map(|home| recorded(home.path()));
        let text = one.written(&environment(homes[0].path())).unwrap();
        assert!(text.contains("\"~/lib.jar\"") && text.contains("\"a:${home}/lib.jar\""), "{text}");
        let file = homes[1].path().join("project.json");
        std::fs::write(&file, text).unwrap();
        assert_eq!(ProjectModelFile::read(&file, &environment(homes[1].path())).unwrap(), other);
    }

    #[test]
    fn unknown_keys_are_refused_with_the_nearest_one() {
        let written = |module: &str| {
            format!(
                "{{\"schema\": \"{SCHEMA}\", \"kind\": \"maven\", \"modules\": [{{{module}}}]}}"
            )
        };
        let said = refused(&written("\"clas_path\": []"));
        assert!(said.contains("`clas_path` at line 1 column"), "{said}");
        assert!(said.ends_with("did you mean `class_path`?"), "{said}");
        let said = refused("{\"schemas\": 1}");
        assert!(said.ends_with("did you mean `schema`?"), "{said}");
        let said = refused(&written("").replace("/1", "/9"));
        assert!(said.contains("its schema is `git-mend/project/9`"), "{said}");
        let said = refused(&written("\"class_path\": [\"~/gone.jar\"]"));
        assert!(said.starts_with("library ~/gone.jar does not exist (named in "), "{said}");
    }
}
