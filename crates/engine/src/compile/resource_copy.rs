//! Copies of files that a build makes before it compiles and tests: resources, and filtered sources.

use crate::jvm::java_program::create_folder;
use crate::tree_paths::paths_in_tree;
use crate::{Environment, ResourceFolder};
use mend_model::{Problem, Result};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folder of the filtered sources, one sub-folder per template folder.
const FILTERED_SOURCES_FOLDER: &str = "templates";

/// Copies files of one tree for a build.
pub(crate) struct ResourceCopies<'a> {
    pub(crate) tree: &'a Path,
    /// Source folders with placeholders that the build filters.
    pub(crate) templates: &'a [ResourceFolder],
    /// Output folder of the build.
    pub(crate) output: &'a Path,
    pub(crate) environment: &'a Environment,
    /// Environment variables that resources used.
    pub(crate) used_variables: &'a RefCell<BTreeSet<String>>,
}

impl ResourceCopies<'_> {
    /// Replaces source files that the build filters with their filtered copies.
    pub(crate) fn filter_sources(&self, files: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
        let mut sources = files;
        for (number, template) in self.templates.iter().enumerate() {
            let folder = self.tree.join(&template.folder);
            if !sources.iter().any(|file| file.starts_with(&folder)) {
                continue;
            }
            let output = self.copy_fresh([template], &self.template_copy_folder(number))?;
            for file in &mut sources {
                if let Ok(relative_path) = file.strip_prefix(&folder) {
                    *file = output.join(relative_path);
                }
            }
        }
        Ok(sources)
    }

    /// Returns a text in which paths of filtered copies are replaced by the paths of their templates.
    pub(crate) fn restore_template_paths(&self, text: &str) -> String {
        let templates = self.templates.iter().enumerate();
        templates.fold(text.to_owned(), |text, (number, template)| {
            replace_path_prefix(
                &text,
                &self.template_copy_folder(number),
                &self.tree.join(&template.folder),
            )
        })
    }

    /// Returns the folder for the copies of a template folder.
    fn template_copy_folder(&self, number: usize) -> PathBuf {
        self.output.join(FILTERED_SOURCES_FOLDER).join(number.to_string())
    }

    /// Returns the folders of resources; the copied ones are in `output`.
    pub(crate) fn resource_folders(
        &self,
        roots: &[PathBuf],
        copied: &[ResourceFolder],
        output: &Path,
    ) -> Result<Vec<PathBuf>> {
        let is_copied = |root: &&PathBuf| copied.iter().any(|one| one.folder == **root);
        let unfiltered: Vec<PathBuf> =
            roots.iter().filter(|root| !is_copied(root)).cloned().collect();
        let unfiltered = paths_in_tree(self.tree, &unfiltered);
        if copied.is_empty() {
            return Ok(unfiltered);
        }
        let output = self.copy_fresh(copied, output)?;
        Ok([vec![output], unfiltered].concat())
    }

    /// Returns an emptied folder with copies of these resources.
    fn copy_fresh<'r>(
        &self,
        folders: impl IntoIterator<Item = &'r ResourceFolder>,
        output: &Path,
    ) -> Result<PathBuf> {
        if output.is_dir() {
            std::fs::remove_dir_all(output).map_err(|error| Problem::io(error, output))?;
        }
        let output = create_folder(output.to_owned())?;
        for resources in folders {
            let variables = resources.copy(self.tree, &output, self.environment)?;
            self.used_variables.borrow_mut().extend(variables);
        }
        Ok(output)
    }
}

/// Replaces paths below `copies` in a text with paths below `folder`.
fn replace_path_prefix(text: &str, copies: &Path, folder: &Path) -> String {
    text.replace(&format!("{}/", copies.display()), &format!("{}/", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_prefix_matches_whole_components() {
        let text = "/w/1/A.java:3: error\n/w/10/B.java:4: error\n";
        let second_replaced = replace_path_prefix(text, Path::new("/w/1"), Path::new("/t/one"));
        let both_replaced =
            replace_path_prefix(&second_replaced, Path::new("/w/10"), Path::new("/t/ten"));
        assert_eq!(both_replaced, "/t/one/A.java:3: error\n/t/ten/B.java:4: error\n");
    }
}
