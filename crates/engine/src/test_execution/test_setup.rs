//! Libraries and compiler options of tests, and those of bad for a version that lacks them.

use crate::Project;
use crate::project::parse_jar_name;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Groups of the parts of `JUnit` 5, which have versions of their own but go together.
const JUNIT_GROUP_PREFIX: &str = "org.junit.";

/// Names of the libraries of test frameworks.
const FRAMEWORK_LIBRARIES: [&str; 4] =
    ["junit", "junit-jupiter-api", "junit-platform-engine", "testng"];

/// Libraries and compiler options of the tests of one module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestSetup {
    pub(crate) libraries: Vec<PathBuf>,
    pub(crate) javac_options: Vec<String>,
    /// Names of the libraries that are bad's.
    pub(crate) libraries_of_bad: BTreeSet<String>,
}

impl TestSetup {
    /// Returns what the version's own build asks for.
    pub(crate) fn new(project: &Project) -> Self {
        Self {
            libraries: project.class_path.clone(),
            javac_options: project.javac_options.clone(),
            libraries_of_bad: BTreeSet::new(),
        }
    }

    /// Returns a setup for tests that need more: the version's libraries, those of bad that it lacks, and bad's test
    /// framework and compiler options. `None` if that makes no difference.
    pub(crate) fn with_bad(&self, bad: &Self) -> Option<Self> {
        let absolute = || bad.libraries.iter().filter(|library| library.is_absolute());
        let is_lacking = |library: &&PathBuf| find_version(library, &self.libraries).is_none();
        let is_framework =
            |library: &&PathBuf| FRAMEWORK_LIBRARIES.contains(&parse_jar_name(library).0);
        let lacking: Vec<&PathBuf> = absolute().filter(is_lacking).collect();
        let groups: BTreeSet<String> = absolute()
            .filter(|library| is_lacking(library) || is_framework(library))
            .filter_map(|library| library_group(library))
            .collect();
        // Parts of one release go together.
        let replacement = |library: &PathBuf| {
            let is_part = library_group(library).is_some_and(|group| groups.contains(&group));
            find_version(library, &bad.libraries).filter(|_| is_part).unwrap_or(library).clone()
        };
        let own: Vec<PathBuf> = self.libraries.iter().map(replacement).collect();
        let libraries: Vec<PathBuf> = own.into_iter().chain(lacking.into_iter().cloned()).collect();
        let new_libraries = libraries.iter().filter(|library| !self.libraries.contains(library));
        let names = new_libraries.map(|library| display_name(library)).collect();
        let setup =
            Self { libraries, javac_options: bad.javac_options.clone(), libraries_of_bad: names };
        let is_same =
            setup.libraries == self.libraries && setup.javac_options == self.javac_options;
        (!is_same).then_some(setup)
    }
}

fn display_name(library: &Path) -> String {
    library.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the same library in a class path, whatever its version is.
fn find_version<'a>(library: &Path, class_path: &'a [PathBuf]) -> Option<&'a PathBuf> {
    let (name, _) = parse_jar_name(library);
    class_path.iter().find(|other| parse_jar_name(other).0 == name)
}

/// Returns the group of a library in a repository of Maven (`org/junit/jupiter/NAME/VERSION`) or Gradle
/// (`org.junit.jupiter/NAME/VERSION/HASH`).
fn library_group(library: &Path) -> Option<String> {
    let (name, _) = parse_jar_name(library);
    let is_artifact = |folder: &&Path| folder.file_name().is_some_and(|last| last == name);
    let folder = library.parent()?.ancestors().find(is_artifact)?.parent()?;
    let group = folder.to_string_lossy().replace('/', ".");
    match group.find(JUNIT_GROUP_PREFIX) {
        Some(start) => Some(group[..start + JUNIT_GROUP_PREFIX.len()].to_owned()),
        None => Some(group),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(libraries: &[&str]) -> TestSetup {
        TestSetup {
            libraries: libraries.iter().map(PathBuf::from).collect(),
            javac_options: Vec::new(),
            libraries_of_bad: BTreeSet::new(),
        }
    }

    const API_3: &str = "/m/org/junit/jupiter/junit-jupiter-api/5.3.0/junit-jupiter-api-5.3.0.jar";
    const API_9: &str = "/m/org/junit/jupiter/junit-jupiter-api/5.9.0/junit-jupiter-api-5.9.0.jar";
    const ENGINE_3: &str =
        "/m/org/junit/platform/junit-platform-engine/1.3.0/junit-platform-engine-1.3.0.jar";
    const ENGINE_9: &str =
        "/m/org/junit/platform/junit-platform-engine/1.9.0/junit-platform-engine-1.9.0.jar";
    const PARAMS_9: &str =
        "/m/org/junit/jupiter/junit-jupiter-params/5.9.0/junit-jupiter-params-5.9.0.jar";
    const IO_1: &str = "/m/commons-io/commons-io/2.1/commons-io-2.1.jar";
    const IO_2: &str = "/m/commons-io/commons-io/2.2/commons-io-2.2.jar";
    const GRADLE_JUNIT_4: &str = "/g/junit/junit/4.13/0a1b/junit-4.13.jar";

    #[test]
    fn only_lacking_libraries_come_from_bad() {
        let version = setup(&[IO_1, GRADLE_JUNIT_4]);
        let combined = version.with_bad(&setup(&[IO_2, API_9, "lib/own.jar"])).unwrap();
        assert_eq!(combined.libraries, [IO_1, GRADLE_JUNIT_4, API_9].map(PathBuf::from));
        assert_eq!(
            combined.libraries_of_bad,
            BTreeSet::from(["junit-jupiter-api-5.9.0".to_owned()])
        );
        assert_eq!(version.with_bad(&setup(&[IO_2])), None);
    }

    #[test]
    fn parts_of_one_framework_have_one_version() {
        let version = setup(&[API_3, ENGINE_3, IO_1]);
        let combined = version.with_bad(&setup(&[API_9, PARAMS_9, ENGINE_9, IO_2])).unwrap();
        assert_eq!(combined.libraries, [API_9, ENGINE_9, IO_1, PARAMS_9].map(PathBuf::from));
        let combined = version.with_bad(&setup(&[API_9, ENGINE_9, IO_2])).unwrap();
        assert_eq!(combined.libraries, [API_9, ENGINE_9, IO_1].map(PathBuf::from));
    }

    #[test]
    fn options_of_bad_make_a_difference() {
        let version = setup(&[IO_1]);
        let options = vec!["--release".to_owned(), "17".to_owned()];
        let bad = TestSetup { javac_options: options.clone(), ..setup(&[IO_2]) };
        let combined = version.with_bad(&bad).unwrap();
        assert_eq!((combined.libraries, combined.javac_options), (version.libraries, options));
    }
}
