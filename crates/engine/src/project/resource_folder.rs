//! Resources that a build copies: some files of a folder, to another folder, or filtered.

use super::path_patterns::PathFilter;
use super::placeholders::TREE_PLACEHOLDER;
use crate::Environment;
use mend_model::{Problem, Result};
use regex::bytes::{Captures, Regex};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use walkdir::{DirEntry, WalkDir};

/// Extensions of files that are never filtered.
const UNFILTERED_EXTENSIONS: [&str; 5] = ["jpg", "jpeg", "gif", "bmp", "png"];

/// Resources of a folder that are copied, possibly filtered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceFolder {
    /// Folder, relative to the project's root.
    pub folder: PathBuf,
    /// Target folder, relative to the classes.
    pub target: PathBuf,
    /// Patterns of copied files; all files if empty.
    pub includes: Vec<String>,
    /// Patterns of excluded files.
    pub excludes: Vec<String>,
    /// Values for filtering, if the files are filtered.
    pub values: Option<FilterValues>,
}

/// Values that replace `${name}` and `@name@` in filtered resources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilterValues {
    /// Values by name, without environment variables. [`super::Project::TREE_PLACEHOLDER`] stands for the tree's folder.
    pub texts: BTreeMap<String, String>,
    /// Properties files with further values, relative to the project's root.
    pub files: Vec<PathBuf>,
    /// Extensions of files that are copied unchanged.
    pub untouched: Vec<String>,
    /// True if `${name}` is replaced.
    pub braces: bool,
    /// True if `@name@` is replaced.
    pub at_signs: bool,
}

impl ResourceFolder {
    /// Returns the folder with changed paths and texts.
    pub(super) fn map_paths(
        &self,
        path: &dyn Fn(&Path) -> PathBuf,
        text: &dyn Fn(&str) -> String,
    ) -> Self {
        let values = self.values.as_ref().map(|values| FilterValues {
            texts: values.texts.iter().map(|(name, one)| (name.clone(), text(one))).collect(),
            files: values.files.iter().map(|file| path(file)).collect(),
            ..values.clone()
        });
        Self { folder: path(&self.folder), values, ..self.clone() }
    }

    /// Returns true if the folder can be used on the class path as it is.
    pub(super) fn is_usable_in_place(&self) -> bool {
        let Self { folder: _, target, includes, excludes, values } = self;
        target.as_os_str().is_empty()
            && includes.is_empty()
            && excludes.is_empty()
            && values.is_none()
    }

    /// Copies the resources from a tree into a folder without overwriting existing files. Returns the environment
    /// variables that they use as `env.NAME`.
    ///
    /// # Errors
    /// [`Problem::DiskFull`], or [`Problem::Internal`] if files cannot be read.
    pub(crate) fn copy(
        &self,
        tree: &Path,
        output: &Path,
        environment: &Environment,
    ) -> Result<BTreeSet<String>> {
        let source_folder = tree.join(&self.folder);
        let filter = PathFilter::new(&self.includes, &self.excludes);
        let lookup =
            self.values.as_ref().map(|values| values.resolve_for_tree(tree)).unwrap_or_default();
        let used_variables = RefCell::default();
        let lookup = ValueLookup { values: &lookup, environment, used_variables: &used_variables };
        let is_searched = |entry: &DirEntry| entry.depth() == 0 || entry.file_name() != ".git";
        for entry in
            WalkDir::new(&source_folder).follow_links(true).into_iter().filter_entry(is_searched)
        {
            let Ok(entry) = entry else { continue };
            let Ok(name) = entry.path().strip_prefix(&source_folder) else { continue };
            let target_file = output.join(&self.target).join(name);
            if entry.file_type().is_file() && filter.selects(name) && !target_file.exists() {
                self.copy_file(entry.path(), &target_file, &lookup)?;
            }
        }
        Ok(used_variables.into_inner())
    }

    fn copy_file(&self, from: &Path, to: &Path, lookup: &ValueLookup<'_>) -> Result<()> {
        let bytes = std::fs::read(from).map_err(|error| Problem::io(error, from))?;
        let bytes = match self.values.as_ref().filter(|rules| rules.is_filtered(from)) {
            Some(rules) => rules.substitute(&bytes, lookup),
            None => bytes,
        };
        let folder = to.parent().unwrap_or(to);
        std::fs::create_dir_all(folder).map_err(|error| Problem::io(error, folder))?;
        std::fs::write(to, bytes).map_err(|error| Problem::io(error, to))
    }
}

/// Values for filtering in one tree, and the environment variables that were used.
struct ValueLookup<'a> {
    values: &'a BTreeMap<String, String>,
    environment: &'a Environment,
    used_variables: &'a RefCell<BTreeSet<String>>,
}

impl ValueLookup<'_> {
    fn get(&self, name: &str) -> Option<Vec<u8>> {
        if let Some(text) = self.values.get(name) {
            return Some(text.clone().into_bytes());
        }
        let variable = name.strip_prefix("env.")?;
        self.used_variables.borrow_mut().insert(variable.to_owned());
        self.environment.get(variable).map(|value| value.as_encoded_bytes().to_vec())
    }
}

impl FilterValues {
    /// Returns all values for a tree.
    fn resolve_for_tree(&self, tree: &Path) -> BTreeMap<String, String> {
        let tree_path = tree.to_string_lossy();
        let texts = self.texts.iter();
        let mut values: BTreeMap<String, String> = texts
            .map(|(name, text)| (name.clone(), text.replace(TREE_PLACEHOLDER, &tree_path)))
            .collect();
        for file in &self.files {
            let text = std::fs::read(tree.join(file)).unwrap_or_default();
            for line in String::from_utf8_lossy(&text).lines() {
                if let Some((name, value)) = parse_property(line) {
                    values.entry(name).or_insert(value);
                }
            }
        }
        values
    }

    fn is_filtered(&self, file: &Path) -> bool {
        let end = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        !UNFILTERED_EXTENSIONS.contains(&end.as_str()) && !self.untouched.contains(&end)
    }

    /// Replaces placeholders in a text by their values; unknown ones are kept.
    fn substitute(&self, bytes: &[u8], lookup: &ValueLookup<'_>) -> Vec<u8> {
        static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\$\{([^}\s]+)\}|@([\w.\-]+)@")
                .unwrap_or_else(|_| unreachable!("a constant pattern"))
        });
        let value = |place: &Captures<'_>| {
            let name = place.get(1).filter(|_| self.braces);
            let name = name.or_else(|| place.get(2).filter(|_| self.at_signs));
            let name = name.and_then(|name| std::str::from_utf8(name.as_bytes()).ok());
            name.and_then(|name| lookup.get(name)).unwrap_or_else(|| place[0].to_vec())
        };
        PLACEHOLDER.replace_all(bytes, value).into_owned()
    }
}

/// Parses one line of a properties file.
fn parse_property(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let separator = line.find(['=', ':']).filter(|_| !line.starts_with(['#', '!']))?;
    Some((line[..separator].trim().to_owned(), line[separator + 1..].trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the copied files with their texts.
    fn copy_to_map(resources: &ResourceFolder, files: &[(&str, &str)]) -> BTreeMap<String, String> {
        let (tree, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = tree.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let environment = [("HERE", "5")].into_iter().collect();
        resources.copy(tree.path(), output.path(), &environment).unwrap();
        let entries = WalkDir::new(output.path()).into_iter().flatten();
        let files = entries.filter(|entry| entry.file_type().is_file());
        let name = |path: &Path| path.strip_prefix(output.path()).unwrap().display().to_string();
        let text = |path: &Path| {
            let text = std::fs::read_to_string(path).unwrap();
            text.replace(&*tree.path().to_string_lossy(), "TREE")
        };
        files.map(|entry| (name(entry.path()), text(entry.path()))).collect()
    }

    #[test]
    fn known_placeholders_are_replaced_and_others_stay() {
        let texts = [("v", "1"), ("home", "${tree}/x")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let values = FilterValues {
            texts: texts.into(),
            files: vec!["f.properties".into()],
            braces: true,
            at_signs: true,
            ..FilterValues::default()
        };
        let resources = ResourceFolder {
            folder: "r".into(),
            values: Some(values),
            ..ResourceFolder::default()
        };
        let files = [
            ("r/e.txt", "${env.HERE} @env.HERE@ ${env.NONE}"),
            ("r/a.txt", "${v} @v@ ${home} ${more} ${none} a@b.c ${"),
            ("r/b.PNG", "${v}"),
            ("f.properties", "# x=y\nmore = 2\nv=3\n"),
        ];
        let copied = copy_to_map(&resources, &files);
        assert_eq!(copied["a.txt"], "1 1 TREE/x 2 ${none} a@b.c ${");
        assert_eq!(copied["e.txt"], "5 5 ${env.NONE}");
        assert_eq!(copied["b.PNG"], "${v}");
    }

    #[test]
    fn includes_excludes_and_target_select_the_copies() {
        let resources = ResourceFolder {
            folder: "r".into(),
            target: "META-INF".into(),
            includes: vec!["**/*.txt".into(), "all/".into()],
            excludes: vec!["no*".into()],
            values: None,
        };
        let files = ["a.txt", "x/y/b.txt", "no.txt", "all/c.bin", "d.bin"];
        let files: Vec<String> = files.iter().map(|name| format!("r/{name}")).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|name| (name.as_str(), "")).collect();
        let copied = copy_to_map(&resources, &files);
        let names: Vec<&str> = copied.keys().map(String::as_str).collect();
        assert_eq!(names, ["META-INF/a.txt", "META-INF/all/c.bin", "META-INF/x/y/b.txt"]);
    }
}
