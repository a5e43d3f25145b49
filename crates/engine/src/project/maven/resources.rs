//! What a POM says about resources.

use super::pom::Element;
use super::pom_model::Model;
use crate::project::module::tidy;
use crate::project::placeholders::TREE;
use crate::project::resource_folder::{Resources, Values};
use crate::project::unique::unique;
use std::path::{Path, PathBuf};

const PLUGIN: &str = "maven-resources-plugin";

/// Puts values into sources.
const TEMPLATING: &str = "templating-maven-plugin";

/// Reads what a POM says about one kind of resources.
pub(crate) struct Reader<'a> {
    pub(crate) root: &'a Path,
    pub(crate) model: &'a Model,
}

impl Reader<'_> {
    /// The resources that a list (`resources` of `resource`) names, or the usual ones.
    pub(crate) fn all(&self, list: &str, one: &str, usual: &str) -> Vec<Resources> {
        let declared = self.model.all(&["build", list, one]);
        let mut all: Vec<Resources> = declared.iter().filter_map(|one| self.read(one)).collect();
        if all.is_empty() {
            all.push(Resources { folder: self.folder(usual), ..Resources::default() });
        }
        all.retain(|resources| self.root.join(&resources.folder).is_dir());
        all
    }

    /// The folders of sources that the templating plugin fills in.
    pub(crate) fn templates(&self) -> Vec<Resources> {
        let executions = self.model.executions(TEMPLATING).into_iter();
        let fills = |goal: &&Element| goal.text == "filter-sources";
        let filling = executions.filter(|one| one.all(&["goals", "goal"]).iter().any(fills));
        let folder = |execution: &Element| {
            let declared = execution.text_at(&["configuration", "sourceDirectory"]);
            self.folder(&self.model.interpolated(declared.unwrap_or("src/main/java-templates")))
        };
        let folders = unique(filling.map(folder));
        let folders = folders.into_iter().filter(|folder| self.root.join(folder).is_dir());
        let values = Some(self.values());
        folders
            .map(|folder| Resources { folder, values: values.clone(), ..Resources::default() })
            .collect()
    }

    fn read(&self, declared: &Element) -> Option<Resources> {
        let text = |name: &str| declared.text_at(&[name]).map(|text| self.model.interpolated(text));
        let patterns = |list: &str, one: &str| {
            let patterns = declared.all(&[list, one]);
            patterns.iter().map(|pattern| self.model.interpolated(&pattern.text)).collect()
        };
        Some(Resources {
            folder: self.folder(&text("directory")?),
            target: tidy(Path::new(&text("targetPath").unwrap_or_default())),
            includes: patterns("includes", "include"),
            excludes: patterns("excludes", "exclude"),
            values: (text("filtering").as_deref() == Some("true")).then(|| self.values()),
        })
    }

    fn values(&self) -> Values {
        let root = self.root.to_string_lossy();
        // Variables of the environment are looked up where a resource asks for them.
        let known = self.model.values().filter(|(name, _)| !name.starts_with("env."));
        let texts = known.map(|(name, text)| (name, text.replace(&*root, TREE)));
        let files = self.model.all(&["build", "filters", "filter"]);
        let configurations = self.model.configurations(PLUGIN);
        let all = |path: &[&str]| {
            let found = configurations.iter().flat_map(|configuration| configuration.all(path));
            found.map(|one| self.model.interpolated(&one.text)).collect::<Vec<_>>()
        };
        let delimiters = all(&["delimiters", "delimiter"]);
        let is_usual = all(&["useDefaultDelimiters"]).first().is_none_or(|text| text != "false");
        let has = |delimiter: &str| is_usual || delimiters.iter().any(|one| one == delimiter);
        Values {
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
