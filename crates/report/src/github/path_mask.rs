//! Hides paths of this machine in public texts. Messages of tests and tools contain them.

use regex::Regex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Text in place of a hidden folder.
const HIDDEN_FOLDER: &str = "…";

/// A home folder, after a character that no path ends with.
static HOME_FOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(^|[^\w./~-]|file://)(?:/(?:home|Users)/[\w.-]+|/root\b)")
        .unwrap_or_else(|_| unreachable!("a constant pattern"))
});

/// Hides a folder of this machine and home folders.
#[derive(Clone, Debug, Default)]
pub struct PathMask {
    /// Names of the folder, with and without symbolic links.
    folders: Vec<String>,
}

impl PathMask {
    /// Creates the mask of a folder.
    pub fn new(folder: &Path) -> Self {
        let names = [std::path::absolute(folder).ok(), folder.canonicalize().ok()];
        let is_specific = |name: &PathBuf| name.components().count() > 1;
        let names = names.into_iter().flatten().filter(is_specific);
        Self { folders: names.map(|name| name.display().to_string()).collect() }
    }

    /// Hides the folders in prose.
    pub fn mask(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for folder in &self.folders {
            masked = masked.replace(folder, HIDDEN_FOLDER);
        }
        HOME_FOLDER.replace_all(&masked, "${1}~").into_owned()
    }

    /// Hides the folders in Markdown, but not in its patches: the code there is the repository's own.
    pub(super) fn mask_markdown(&self, text: &str) -> String {
        let mut patch_fence = None;
        let mut masked = Vec::new();
        for line in text.split('\n') {
            let is_patch = patch_fence.is_some();
            match patch_fence {
                Some(fence) if line == fence => patch_fence = None,
                Some(_) => {}
                None => patch_fence = line.strip_suffix("diff").filter(|fence| is_fence(fence)),
            }
            masked.push(if is_patch { line.to_owned() } else { self.mask(line) });
        }
        masked.join("\n")
    }
}

fn is_fence(text: &str) -> bool {
    text.len() >= 3 && text.chars().all(|c| c == '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_the_run_and_homes_are_hidden() {
        let mask = PathMask::new(Path::new("/srv/job-1"));
        for (text, public) in [
            ("cannot read /srv/job-1/run/x.txt", "cannot read …/run/x.txt"),
            ("/home/alice/x:/Users/b.c/y (file:///root/z)", "~/x:~/y (file://~/z)"),
            ("https://x.org/home/alice /rootless src/root/A.java", ""),
        ] {
            assert_eq!(mask.mask(text), if public.is_empty() { text } else { public });
        }
        assert_eq!(PathMask::new(Path::new("/")).mask("/usr/bin"), "/usr/bin");
    }

    #[test]
    fn patches_are_unchanged() {
        let text = "`/root/x`\n\n````diff\n+ \"/root/x\"\n```\n````\n\n```\n/root/x\n```\n";
        let public = PathMask::default().mask_markdown(text);
        let expected = "`~/x`\n\n````diff\n+ \"/root/x\"\n```\n````\n\n```\n~/x\n```\n";
        assert_eq!(public, expected);
    }
}
