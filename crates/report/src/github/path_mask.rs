//! Hides paths of this machine in public texts. Messages of tests and tools contain them.

use regex::{Captures, Regex};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Text in place of a hidden folder.
const HIDDEN_FOLDER: &str = "…";

/// A home folder, after a character that no path ends with.
static HOME_FOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"{BEFORE_PATH}(?:/(?:home|Users)/[\w.-]+|/root\b)"))
        .unwrap_or_else(|_| unreachable!("a constant pattern"))
});

/// Characters that can precede a path, and `file://`.
const BEFORE_PATH: &str = r"(^|[^\w./~-]|file://)";

/// Number of components of a folder that is hidden: the root and two names. Shorter paths name no user and no job.
const MIN_COMPONENTS: usize = 3;

/// Hides a folder of this machine and home folders.
#[derive(Clone, Debug, Default)]
pub struct PathMask {
    /// Paths of the folder, with and without symbolic links, longest first.
    folders: Vec<Regex>,
}

impl PathMask {
    /// Creates the mask of a folder.
    pub fn new(folder: &Path) -> Self {
        let names = [std::path::absolute(folder).ok(), folder.canonicalize().ok()];
        let is_specific = |name: &PathBuf| name.components().count() >= MIN_COMPONENTS;
        let specific = names.into_iter().flatten().filter(is_specific);
        let mut names: Vec<String> = specific.map(|name| name.display().to_string()).collect();
        names.sort_by_key(|name| Reverse(name.len()));
        names.dedup();
        Self { folders: names.iter().filter_map(|name| path_pattern(name)).collect() }
    }

    /// Creates the mask of the folder around a run, or of the run's own folder if the other one is too general.
    pub(super) fn for_run(run_folder: &Path) -> Self {
        let around = run_folder.parent().map(Self::new).filter(|mask| !mask.folders.is_empty());
        around.unwrap_or_else(|| Self::new(run_folder))
    }

    /// Hides the folders in prose.
    pub fn mask(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for folder in &self.folders {
            masked = replace_paths(folder, &masked);
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

/// Returns the pattern of a path, after a character that no path ends with.
fn path_pattern(path: &str) -> Option<Regex> {
    let path = path.trim_end_matches('/');
    Regex::new(&format!("{BEFORE_PATH}{}", regex::escape(path))).ok()
}

/// Hides a folder where it is the whole path, or a parent of it.
fn replace_paths(folder: &Regex, text: &str) -> String {
    let replace = |found: &Captures<'_>| {
        let whole = found.get_match();
        if continues_name(&text[whole.end()..]) {
            return whole.as_str().to_owned();
        }
        format!("{}{HIDDEN_FOLDER}", &found[1])
    };
    folder.replace_all(text, replace).into_owned()
}

/// Returns true if text continues the name before it. A full stop before a blank ends a sentence.
fn continues_name(text: &str) -> bool {
    let rest = text.trim_start_matches('.');
    rest.starts_with(|c: char| c.is_alphanumeric() || "_-".contains(c))
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
            ("/srv/job-1:/srv/job-1/a, /srv/job-1.", "…:…/a, …."),
            ("file:///srv/job-1/x file:/srv/job-1/y", "file://…/x file:…/y"),
            ("/srv/job-10 /srv/job-1.old /srv/job-1-x /mnt/srv/job-1", ""),
            ("https://x.org/home/alice /rootless src/root/A.java", ""),
        ] {
            assert_eq!(mask.mask(text), if public.is_empty() { text } else { public });
        }
        for folder in ["/", "/usr"] {
            assert_eq!(PathMask::new(Path::new(folder)).mask("/usr/bin"), "/usr/bin");
        }
    }

    #[test]
    fn run_in_a_general_folder_is_hidden_itself() {
        for (run, public) in [("/srv/job-1/run", "…/run/x"), ("/srv/run", "…/x")] {
            assert_eq!(PathMask::for_run(Path::new(run)).mask(&format!("{run}/x")), public);
        }
    }

    #[test]
    fn patches_are_unchanged() {
        let text = "`/root/x`\n\n````diff\n+ \"/root/x\"\n```\n````\n\n```\n/root/x\n```\n";
        let public = PathMask::default().mask_markdown(text);
        let expected = "`~/x`\n\n````diff\n+ \"/root/x\"\n```\n````\n\n```\n~/x\n```\n";
        assert_eq!(public, expected);
    }
}
