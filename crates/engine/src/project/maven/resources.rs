//! Resources configured in a POM.

use super::build_helper;
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
    /// Reads the main resources.
    pub(crate) fn main(&self) -> Vec<ResourceFolder> {
        self.read_list(["resources", "resource"], "add-resource", "src/main/resources")
    }

    /// Reads the test resources.
    pub(crate) fn tests(&self) -> Vec<ResourceFolder> {
        let list = ["testResources", "testResource"];
        self.read_list(list, "add-test-resource", "src/test/resources")
    }

    /// Reads the resources that a list names, or else the default folder, and those that a goal of build-helper adds.
    fn read_list(
        &self,
        [list, element]: [&str; 2],
        goal: &str,
        default_folder: &str,
    ) -> Vec<ResourceFolder> {
        let declared = self.model.find_all(&["build", list, element]);
        let read = |element: &&XmlElement| self.read_resource(element);
        let mut resource_folders: Vec<ResourceFolder> = declared.iter().filter_map(read).collect();
        if resource_folders.is_empty() {
            resource_folders.push(ResourceFolder {
                folder: self.folder_in_root(default_folder),
                ..ResourceFolder::default()
            });
        }
        let added = build_helper::configured_elements(self.model, goal, &["resources", "resource"]);
        resource_folders.extend(added.iter().filter_map(read));
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
        let values = Some(self.filter_values());
        folders
            .into_iter()
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

/// Returns the folders of resources, each once.
pub(crate) fn unique_folders(resource_folders: &[ResourceFolder]) -> Vec<PathBuf> {
    unique(resource_folders.iter().map(|resource_folder| resource_folder.folder.clone()))
}

/// Returns the resources that must be copied because their folder cannot be used on the class path as it is.
pub(crate) fn resources_to_copy(resources: &[ResourceFolder]) -> Vec<ResourceFolder> {
    let has_copied_folder = |one: &ResourceFolder| {
        resources.iter().any(|other| other.folder == one.folder && !other.is_usable_in_place())
    };
    resources.iter().filter(|one| has_copied_folder(one)).cloned().collect()
}
