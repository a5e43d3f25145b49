//! Copies that a build makes before it compiles and tests: resources, and sources with filtered placeholders.

use crate::jvm::java_program::create;
use crate::tree_paths::in_tree;
use crate::{Environment, ResourceFolder};
use mend_model::{Problem, Result};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folder of the filtered sources, one sub-folder per template folder.
const TEMPLATES: &str = "templates";

/// The copies that one build makes of files of its tree.
pub(crate) struct ResourceCopies<'a> {
    pub(crate) tree: &'a Path,
    /// The folders of sources into which the build puts values.
    pub(crate) templates: &'a [ResourceFolder],
    /// The output folder of the build.
    pub(crate) output: &'a Path,
    pub(crate) environment: &'a Environment,
    /// The variables of the environment that resources ask for.
    pub(crate) asked: &'a RefCell<BTreeSet<String>>,
}

impl ResourceCopies<'_> {
    /// Replaces source files that the build filters with their filtered copies.
    pub(crate) fn filled(&self, files: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
        let mut filled = files;
        for (number, template) in self.templates.iter().enumerate() {
            let folder = self.tree.join(&template.folder);
            if !filled.iter().any(|file| file.starts_with(&folder)) {
                continue;
            }
            let output = self.copied([template], &self.copies_of(number))?;
            for file in &mut filled {
                if let Ok(below) = file.strip_prefix(&folder) {
                    *file = output.join(below);
                }
            }
        }
        Ok(filled)
    }

    /// Returns a text in which paths of filtered copies are replaced by the paths of their templates.
    pub(crate) fn with_templates(&self, text: &str) -> String {
        let templates = self.templates.iter().enumerate();
        templates.fold(text.to_owned(), |text, (number, template)| {
            renamed(&text, &self.copies_of(number), &self.tree.join(&template.folder))
        })
    }

    /// Returns the folder for the copies of a template folder.
    fn copies_of(&self, number: usize) -> PathBuf {
        self.output.join(TEMPLATES).join(number.to_string())
    }

    /// The folders of resources; `output` has those that are copied.
    pub(crate) fn resources(
        &self,
        roots: &[PathBuf],
        copied: &[ResourceFolder],
        output: &Path,
    ) -> Result<Vec<PathBuf>> {
        let is_copied = |root: &&PathBuf| copied.iter().any(|one| one.folder == **root);
        let plain: Vec<PathBuf> = roots.iter().filter(|root| !is_copied(root)).cloned().collect();
        let plain = in_tree(self.tree, &plain);
        if copied.is_empty() {
            return Ok(plain);
        }
        let output = self.copied(copied, output)?;
        Ok([vec![output], plain].concat())
    }

    /// A folder that has nothing but copies of these.
    fn copied<'r>(
        &self,
        all: impl IntoIterator<Item = &'r ResourceFolder>,
        output: &Path,
    ) -> Result<PathBuf> {
        if output.is_dir() {
            std::fs::remove_dir_all(output).map_err(|error| Problem::io(error, output))?;
        }
        let output = create(output.to_owned())?;
        for resources in all {
            let asked = resources.copy(self.tree, &output, self.environment)?;
            self.asked.borrow_mut().extend(asked);
        }
        Ok(output)
    }
}

/// Replaces paths below `copies` in a text with paths below `folder`.
fn renamed(text: &str, copies: &Path, folder: &Path) -> String {
    text.replace(&format!("{}/", copies.display()), &format!("{}/", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_copy_is_not_taken_for_the_second() {
        let text = "/w/1/A.java:3: error\n/w/10/B.java:4: error\n";
        let of_second = renamed(text, Path::new("/w/1"), Path::new("/t/one"));
        let of_both = renamed(&of_second, Path::new("/w/10"), Path::new("/t/ten"));
        assert_eq!(of_both, "/t/one/A.java:3: error\n/t/ten/B.java:4: error\n");
    }
}
