//! What a build copies before it compiles and tests: resources, and sources into which it puts values.

use crate::jvm::java_program::create;
use crate::tree_paths::in_tree;
use crate::{Environment, Resources};
use mend_model::{Problem, Result};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where sources go that have values put in, a folder for each of theirs.
const TEMPLATES: &str = "templates";

/// The copies that one build makes of files of its tree.
pub(crate) struct Copies<'a> {
    pub(crate) tree: &'a Path,
    /// The folders of sources into which the build puts values.
    pub(crate) templates: &'a [Resources],
    /// The output folder of the build.
    pub(crate) output: &'a Path,
    pub(crate) environment: &'a Environment,
    /// The variables of the environment that resources ask for.
    pub(crate) asked: RefCell<BTreeSet<String>>,
}

impl Copies<'_> {
    /// The same files, but for those into which the build puts values: these are copies that have them.
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

    /// A text in which copies of templates are called by the names of these.
    pub(crate) fn with_templates(&self, text: &str) -> String {
        let templates = self.templates.iter().enumerate();
        templates.fold(text.to_owned(), |text, (number, template)| {
            renamed(&text, &self.copies_of(number), &self.tree.join(&template.folder))
        })
    }

    /// Where the copies of a template go.
    fn copies_of(&self, number: usize) -> PathBuf {
        self.output.join(TEMPLATES).join(number.to_string())
    }

    /// The folders of resources; `output` has those that are copied.
    pub(crate) fn resources(
        &self,
        roots: &[PathBuf],
        copied: &[Resources],
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
        all: impl IntoIterator<Item = &'r Resources>,
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

/// A text that calls what lies in `folder` by the names that it has there, not in `copies`.
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
