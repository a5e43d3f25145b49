//! The JVM in which the build runs the tests of a module.

use crate::cache::digest::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Settings of the JVM that runs tests. In texts, [`super::Project::TREE_PLACEHOLDER`] stands for the tree's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TestJvm {
    /// Options.
    pub options: Vec<String>,
    /// Environment variables in addition to those of this process.
    pub variables: BTreeMap<String, String>,
    /// Working directory, relative to the tree, if it is not the module's folder.
    pub working_directory: Option<PathBuf>,
    /// Libraries that the tests are compiled with, but that are not on the class path of the JVM.
    pub excluded_libraries: Vec<PathBuf>,
    /// Folders of the tree and libraries that are only on the class path of the JVM, at its end.
    pub additional_class_path: Vec<PathBuf>,
}

impl TestJvm {
    /// Returns the settings with changed texts.
    pub(crate) fn map_texts(&self, change: impl Fn(&str) -> String) -> Self {
        let variables = self.variables.iter().map(|(name, value)| (name.clone(), change(value)));
        Self {
            options: self.options.iter().map(|option| change(option)).collect(),
            variables: variables.collect(),
            ..self.clone()
        }
    }

    /// Returns the settings with changed paths of libraries.
    pub(crate) fn map_libraries(&self, change: impl Fn(&Path) -> PathBuf) -> Self {
        Self {
            excluded_libraries: self.excluded_libraries.iter().map(|path| change(path)).collect(),
            additional_class_path: self
                .additional_class_path
                .iter()
                .map(|path| change(path))
                .collect(),
            ..self.clone()
        }
    }

    /// Returns the class path of the JVM, from that of the compiled tests in a tree.
    pub(crate) fn class_path(&self, tree: &Path, compiled: &[PathBuf]) -> Vec<PathBuf> {
        let kept = compiled.iter().filter(|path| !self.excluded_libraries.contains(path)).cloned();
        kept.chain(self.additional_class_path.iter().map(|path| tree.join(path))).collect()
    }

    /// Returns the environment variables for a program start.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        self.variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// Adds the settings to a digest.
    pub(crate) fn add_to(&self, digest: &mut Digest) {
        for option in &self.options {
            digest.add("option", option);
        }
        for (name, value) in &self.variables {
            digest.add("variable", name);
            digest.add("value", value);
        }
        for path in self.excluded_libraries.iter().chain(&self.additional_class_path) {
            digest.add("class path", path.as_os_str().as_encoded_bytes());
        }
        if let Some(directory) = &self.working_directory {
            digest.add("working directory", directory.as_os_str().as_encoded_bytes());
        }
    }
}
