//! Folders of the test reports of a build.

use mend_model::{Problem, Result};
use std::path::{Component, Path, PathBuf};

/// Default report folders of Maven and Gradle, relative to the module.
const STANDARD_FOLDERS: [&str; 3] =
    ["target/surefire-reports", "target/failsafe-reports", "build/test-results"];

/// Folder of test reports besides the standard ones, relative to the repository or to any module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFolder(PathBuf);

impl ReportFolder {
    /// Returns the folder with a path that is relative to `root`, or absolute and below it.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the path leads outside `root`.
    pub fn new(root: &Path, path: &Path) -> Result<Self> {
        let real_root = root.canonicalize().unwrap_or_default();
        let relative_path =
            path.strip_prefix(root).or_else(|_| path.strip_prefix(real_root)).unwrap_or(path);
        normalise(relative_path).map(Self).ok_or_else(|| Problem::Usage {
            message: format!("the report folder {} is outside {}", path.display(), root.display()),
            remedy: "give a path in the repository, such as target/test-reports".to_owned(),
        })
    }

    /// Returns true if a report, relative to the root, is in this folder of the root or of a module.
    pub(super) fn contains(&self, report: &Path) -> bool {
        is_below(report, &self.0)
    }

    /// Returns the relative path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Returns true for a standard report folder and the files and folders in it, in any module.
pub fn is_in_standard_report_folder(path: &Path) -> bool {
    STANDARD_FOLDERS.iter().any(|folder| is_below(path, Path::new(folder)))
}

/// Returns true if the path, or one of the folders that contain it, ends with `folder`.
fn is_below(path: &Path, folder: &Path) -> bool {
    path.ancestors().any(|ancestor| ancestor.ends_with(folder))
}

/// Removes `.` and `..` from a relative path; `None` if it is absolute or leads outside.
fn normalise(path: &Path) -> Option<PathBuf> {
    path.components().try_fold(PathBuf::new(), |mut normalised, component| match component {
        Component::Normal(name) => {
            normalised.push(name);
            Some(normalised)
        }
        Component::CurDir => Some(normalised),
        Component::ParentDir => normalised.pop().then_some(normalised),
        Component::RootDir | Component::Prefix(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_folders_are_recognised_in_any_module() {
        for path in [
            "target/surefire-reports",
            "core/target/failsafe-reports/TEST-a.xml",
            "app/build/test-results/test/TEST-a.xml",
        ] {
            assert!(is_in_standard_report_folder(Path::new(path)), "{path}");
        }
        for path in ["target", "src/surefire-reports/TEST-a.xml", "target/x/surefire-reports"] {
            assert!(!is_in_standard_report_folder(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn folder_contains_reports_of_every_module() {
        let folder = ReportFolder::new(Path::new("/r"), Path::new("target/x/../junit/")).unwrap();
        for report in ["target/junit/TEST-a.xml", "core/target/junit/it/TEST-a.xml"] {
            assert!(folder.contains(Path::new(report)), "{report}");
        }
        for report in
            ["junit/TEST-a.xml", "target/x/junit/TEST-a.xml", "my-target/junit/TEST-a.xml"]
        {
            assert!(!folder.contains(Path::new(report)), "{report}");
        }
    }

    #[test]
    fn path_outside_the_root_is_refused() {
        let new = |path: &str| ReportFolder::new(Path::new("/r"), Path::new(path));
        for path in ["/tmp", "/", "/rest", "..", "a/../../b", "/r/../b"] {
            let problem = new(path).unwrap_err();
            assert!(problem.to_string().contains("is outside /r"), "{problem}");
        }
        assert_eq!(new("/r/out").unwrap(), new("./out").unwrap());
    }
}
