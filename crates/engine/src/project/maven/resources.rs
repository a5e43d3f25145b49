//! Resources of a POM.

use super::pom::XmlElement;
use super::pom_model::PomModel;
use crate::project::module::tidy;
use crate::project::placeholders::TREE;
use crate::project::resource_folder::{FilterValues, ResourceFolder};
use crate::project::unique::unique;
use std::path::{Path, PathBuf};

const PLUGIN: &str = "maven-resources-plugin";

/// Puts values into sources.
const TEMPLATING: &str = "templating-maven-plugin";

/// Reads what a POM says about one kind of resources.
pub(crate) struct ResourceReader<'a> {
    pub(crate) root: &'a Path,
    pub(crate) model: &'a PomModel,
}

impl ResourceReader<'_> {
    /// The resources that a list (`resources` of `resource`) names, or the usual ones.
    pub(crate) fn read_list(&self, list: &str, one: &str, usual: &str) -> Vec<ResourceFolder> {
        let declared = self.model.find_all(&["build", list, one]);
        let mut all: Vec<ResourceFolder> =
            declared.iter().filter_map(|one| self.read(one)).collect();
        if all.is_empty() {
            all.push(ResourceFolder { folder: self.folder(usual), ..ResourceFolder::default() });
        }
        all.retain(|resources| self.root.join(&resources.folder).is_dir());
        all
    }

    /// The folders of sources that the templating plugin fills in.
    pub(crate) fn templates(&self) -> Vec<ResourceFolder> {
        let executions = self.model.executions(TEMPLATING).into_iter();
        let fills = |goal: &&XmlElement| goal.text == "filter-sources";
        let filling = executions.filter(|one| one.find_all(&["goals", "goal"]).iter().any(fills));
        let folder = |execution: &XmlElement| {
            let declared = execution.text_at(&["configuration", "sourceDirectory"]);
            self.folder(&self.model.interpolated(declared.unwrap_or("src/main/java-templates")))
        };
        let folders = unique(filling.map(folder));
        let folders = folders.into_iter().filter(|folder| self.root.join(folder).is_dir());
        let values = Some(self.values());
        folders
            .map(|folder| ResourceFolder {
                folder,
                values: values.clone(),
                ..ResourceFolder::default()
            })
            .collect()
    }

    fn read(&self, declared: &XmlElement) -> Option<ResourceFolder> {
        let text = |name: &str| declared.text_at(&[name]).map(|text| self.model.interpolated(text));
        let patterns = |list: &str, one: &str| {
            let patterns = declared.find_all(&[list, one]);
            patterns.iter().map(|pattern| self.model.interpolated(&pattern.text)).collect()
        };
        Some(ResourceFolder {
            folder: self.folder(&text("directory")?),
            target: tidy(Path::new(&text("targetPath").unwrap_or_default())),
            includes: patterns("includes", "include"),
            excludes: patterns("excludes", "exclude"),
            values: (text("filtering").as_deref() == Some("true")).then(|| self.values()),
        })
    }

    fn values(&self) -> FilterValues {
        let root = self.root.to_string_lossy();
        // Variables of the environment are looked up where a resource asks for them.
        let known = self.model.values().filter(|(name, _)| !name.starts_with("env."));
        let texts = known.map(|(name, text)| (name, text.replace(&*root, TREE)));
        let files = self.model.find_all(&["build", "filters", "filter"]);
        let configurations = self.model.configurations(PLUGIN);
        let all = |path: &[&str]| {
            let found =
                configurations.iter().flat_map(|configuration| configuration.find_all(path));
            found.map(|one| self.model.interpolated(&one.text)).collect::<Vec<_>>()
        };
        let delimiters = all(&["delimiters", "delimiter"]);
        let is_usual = all(&["useDefaultDelimiters"]).first().is_none_or(|text| text != "false");
        let has = |delimiter: &str| is_usual || delimiters.iter().any(|one| one == delimiter);
        FilterValues {
            texts: texts.collect(),
            files: files
                .iter()
                .map(|file| self.folder(&self.model.interpolated(&file.text)))
                .collect(),
            untouched: all(&["nonFilteredFileExtensions", "nonFilteredFileExtension"]),
            braces: has("${*}"),
            at_signs: has("@"),
        }
    }

    /// A path of the module, relative to the project's root.
    fn folder(&self, name: &str) -> PathBuf {
        let path = tidy(&self.model.folder.join(name));
        path.strip_prefix(self.root).map(Path::to_path_buf).unwrap_or(path)
    }
}
