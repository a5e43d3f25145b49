//! Resources configured in a POM.

use super::pom::XmlElement;
use super::pom_model::PomModel;
use crate::project::module::normalise_path;
use crate::project::placeholders::TREE_PLACEHOLDER;
use crate::project::resource_folder::{FilterValues, ResourceFolder};
use crate::project::unique::unique;
use std::path::{Path, PathBuf};

const RESOURCES_PLUGIN: &str = "maven-resources-plugin";

/// Plugin that filters sources.
const TEMPLATING_PLUGIN: &str = "templating-maven-plugin";

/// Reads the resources of a POM.
pub(crate) struct ResourceReader<'a> {
    pub(crate) root: &'a Path,
    pub(crate) model: &'a PomModel,
}

impl ResourceReader<'_> {
    /// Reads the resources in a list (`resources` of `resource`), or the default ones.
    pub(crate) fn read_list(
        &self,
        list: &str,
        element: &str,
        default_folder: &str,
    ) -> Vec<ResourceFolder> {
        let declared = self.model.find_all(&["build", list, element]);
        let mut resource_folders: Vec<ResourceFolder> =
            declared.iter().filter_map(|element| self.read_resource(element)).collect();
        if resource_folders.is_empty() {
            resource_folders.push(ResourceFolder {
                folder: self.folder_in_root(default_folder),
                ..ResourceFolder::default()
            });
        }
        resource_folders.retain(|resources| self.root.join(&resources.folder).is_dir());
        resource_folders
    }

    /// Returns the source folders that the templating plugin filters.
    pub(crate) fn templates(&self) -> Vec<ResourceFolder> {
        let executions = self.model.executions(TEMPLATING_PLUGIN).into_iter();
        let is_filter_goal = |goal: &&XmlElement| goal.text == "filter-sources";
        let filtering_executions =
            executions.filter(|one| one.find_all(&["goals", "goal"]).iter().any(is_filter_goal));
        let folder = |execution: &XmlElement| {
            let declared = execution.text_at(&["configuration", "sourceDirectory"]);
            self.folder_in_root(
                &self.model.interpolate(declared.unwrap_or("src/main/java-templates")),
            )
        };
        let folders = unique(filtering_executions.map(folder));
        let folders = folders.into_iter().filter(|folder| self.root.join(folder).is_dir());
        let values = Some(self.filter_values());
        folders
            .map(|folder| ResourceFolder {
                folder,
                values: values.clone(),
                ..ResourceFolder::default()
            })
            .collect()
    }

    fn read_resource(&self, declared: &XmlElement) -> Option<ResourceFolder> {
        let text = |name: &str| declared.text_at(&[name]).map(|text| self.model.interpolate(text));
        let patterns = |list: &str, one: &str| {
            let patterns = declared.find_all(&[list, one]);
            patterns.iter().map(|pattern| self.model.interpolate(&pattern.text)).collect()
        };
        Some(ResourceFolder {
            folder: self.folder_in_root(&text("directory")?),
            target: normalise_path(Path::new(&text("targetPath").unwrap_or_default())),
            includes: patterns("includes", "include"),
            excludes: patterns("excludes", "exclude"),
            values: (text("filtering").as_deref() == Some("true")).then(|| self.filter_values()),
        })
    }

    fn filter_values(&self) -> FilterValues {
        let root = self.root.to_string_lossy();
        // Environment variables are looked up when a resource is copied.
        let properties =
            self.model.resolved_properties().filter(|(name, _)| !name.starts_with("env."));
        let texts = properties.map(|(name, text)| (name, text.replace(&*root, TREE_PLACEHOLDER)));
        let files = self.model.find_all(&["build", "filters", "filter"]);
        let configurations = self.model.configurations(RESOURCES_PLUGIN);
        let configured_texts = |path: &[&str]| {
            let found =
                configurations.iter().flat_map(|configuration| configuration.find_all(path));
            found.map(|one| self.model.interpolate(&one.text)).collect::<Vec<_>>()
        };
        let delimiters = configured_texts(&["delimiters", "delimiter"]);
        let has_default_delimiters =
            configured_texts(&["useDefaultDelimiters"]).first().is_none_or(|text| text != "false");
        let has_delimiter = |delimiter: &str| {
            has_default_delimiters || delimiters.iter().any(|one| one == delimiter)
        };
        FilterValues {
            texts: texts.collect(),
            files: files
                .iter()
                .map(|file| self.folder_in_root(&self.model.interpolate(&file.text)))
                .collect(),
            untouched: configured_texts(&["nonFilteredFileExtensions", "nonFilteredFileExtension"]),
            braces: has_delimiter("${*}"),
            at_signs: has_delimiter("@"),
        }
    }

    /// Returns a path of the module relative to the project's root.
    fn folder_in_root(&self, name: &str) -> PathBuf {
        let path = normalise_path(&self.model.folder.join(name));
        path.strip_prefix(self.root).map(Path::to_path_buf).unwrap_or(path)
    }
}
