//! Policy on the files that a generated patch may change.

use super::version_edit::declares_versions;
use mend_report::github::ForbiddenPath;

/// Files that a patch may change in addition to the project's source code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathPolicy {
    /// True if the patch may change tests, because a user allowed it.
    pub allows_tests: bool,
    /// True if the patch may revert versions in build files, because the pull request raises them.
    pub allows_version_edits: bool,
}

/// Files that control the build: changing them executes arbitrary code with the permissions of the build.
const BUILD_FILES: [&str; 46] = [
    "action.yaml",
    "action.yml",
    "appveyor.yml",
    "azure-pipelines.yaml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "buck",
    "build",
    "build.bazel",
    "build.properties",
    "build.xml",
    "buildspec.yml",
    "cloudbuild.yaml",
    "cmakelists.txt",
    "codeowners",
    "compose.yaml",
    "compose.yml",
    "configure",
    "containerfile",
    "docker-compose.yaml",
    "docker-compose.yml",
    "dockerfile",
    "gemfile",
    "gnumakefile",
    "gradle.properties",
    "gradlew",
    "gradlew.bat",
    "ivy.xml",
    "jenkinsfile",
    "justfile",
    "makefile",
    "meson.build",
    "mvnw",
    "mvnw.cmd",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.json",
    "pnpm-lock.yaml",
    "pom.xml",
    "procfile",
    "project.clj",
    "pyproject.toml",
    "rakefile",
    "taskfile.yaml",
    "taskfile.yml",
    "workspace",
];

/// Name endings of files that control the build.
const BUILD_ENDINGS: [&str; 15] = [
    ".gradle",
    ".groovy",
    ".kts",
    ".sbt",
    ".sc",
    ".cmake",
    ".sh",
    ".bat",
    ".cmd",
    ".ps1",
    ".mk",
    ".bzl",
    ".bazel",
    ".lock",
    ".lockfile",
];

/// Folders that control the build, at any depth.
const BUILD_FOLDERS: [&str; 4] = ["gradle", "buildsrc", "build-logic", "node_modules"];

/// Folders of scripts that builds run, at any depth.
const TOOL_FOLDERS: [&str; 6] = ["bin", "build", "ci", "dev", "scripts", "tools"];

/// Name endings of scripts. Builds run scripts of the top-level folder and of the tool folders.
const SCRIPT_ENDINGS: [&str; 10] =
    ["py", "rb", "pl", "js", "mjs", "cjs", "ts", "php", "lua", "scala"];

/// Test folders of Maven, Gradle and older projects.
const TEST_FOLDERS: [&str; 5] = ["test", "tests", "testfixtures", "integrationtest", "inttest"];

/// Endings of test class names, for tests next to the code.
const TEST_ENDINGS: [&str; 4] = ["Test", "Tests", "TestCase", "ITCase"];

/// Checks that a patch may change this file. The comparison ignores case, like some file systems.
///
/// # Errors
/// The kind of forbidden change.
pub fn check_path(path: &str, policy: PathPolicy) -> Result<(), ForbiddenPath> {
    let lower = path.to_lowercase();
    let segments: Vec<&str> = lower.split('/').collect();
    let is_special = |part: &&str| part.is_empty() || *part == "." || *part == "..";
    let has_forbidden_characters = path.chars().any(|c| c.is_control() || c == '\\' || c == ':');
    if segments.iter().any(is_special) || has_forbidden_characters || path.len() > 1000 {
        return Err(ForbiddenPath::OutsideRepository);
    }
    if segments.iter().any(|part| part.starts_with(".git")) {
        return Err(ForbiddenPath::GitFolder);
    }
    let (name, folders) = segments.split_last().map_or(("", &[][..]), |(name, rest)| (*name, rest));
    if segments.iter().any(|part| part.starts_with('.')) {
        return Err(ForbiddenPath::Hidden);
    }
    let is_allowed_edit = policy.allows_version_edits && declares_versions(path);
    if is_build_file(folders, name) && !is_allowed_edit {
        return Err(ForbiddenPath::BuildFile);
    }
    if !policy.allows_tests && is_test_file(folders, path) {
        return Err(ForbiddenPath::Test);
    }
    Ok(())
}

/// Returns true if a file in these folders controls the build.
fn is_build_file(folders: &[&str], name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_ant_file = name.starts_with("build-") && ending == Some("xml");
    let is_in_tool_folder =
        folders_above_main(folders).iter().any(|folder| TOOL_FOLDERS.contains(folder));
    // Top-level files without an extension are mostly documents.
    let is_tool = ending.map_or(is_in_tool_folder, |ending| {
        SCRIPT_ENDINGS.contains(&ending) && (folders.is_empty() || is_in_tool_folder)
    });
    BUILD_FILES.contains(&name)
        || BUILD_ENDINGS.iter().any(|end| name.ends_with(end))
        || is_ant_file
        || is_tool
        || folders.iter().any(|folder| BUILD_FOLDERS.contains(folder))
}

/// Returns true if a file in these folders is a test. Below the main sources, packages and classes with such names are
/// not tests.
fn is_test_file(folders: &[&str], path: &str) -> bool {
    let test_candidates = folders_above_main(folders);
    let is_named_test = has_test_name(path) && test_candidates.len() == folders.len();
    // Gradle and the Android plugin have further test source sets, such as `src/functionalTest` and `src/androidTest`.
    let is_test_source_set =
        |pair: &[&str]| pair[0] == "src" && (pair[1].contains("test") || pair[1] == "it");
    is_named_test
        || test_candidates.iter().any(|folder| TEST_FOLDERS.contains(folder))
        || test_candidates.windows(2).any(is_test_source_set)
}

/// Returns true for names of test classes that Surefire and Failsafe select: `ShopTest`, `TestShop`, `ShopIT`, but not
/// `Testament` or `UNIT`.
fn has_test_name(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let Some(class) = name.strip_suffix(".java") else { return false };
    let before_suffix = class.strip_suffix("IT").and_then(|rest| rest.chars().next_back());
    let after_prefix = class.strip_prefix("Test").and_then(|rest| rest.chars().next());
    TEST_ENDINGS.iter().any(|end| class.ends_with(end))
        || before_suffix.is_some_and(|last| last.is_lowercase() || last.is_numeric())
        || after_prefix.is_some_and(char::is_uppercase)
}

/// Returns the folders above the main sources, or all folders if there are no main sources.
fn folders_above_main<'a, 'b>(folders: &'a [&'b str]) -> &'a [&'b str] {
    let main = folders.windows(2).position(|pair| pair == ["src", "main"]);
    &folders[..main.unwrap_or(folders.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT_POLICY: PathPolicy =
        PathPolicy { allows_tests: false, allows_version_edits: false };

    const TESTS_ALLOWED: PathPolicy = PathPolicy { allows_tests: true, ..DEFAULT_POLICY };

    #[test]
    fn project_code_may_be_changed() {
        for path in [
            "src/main/java/shop/Cart.java",
            "A.java",
            "src/main/java/a/test/B.java",
            "src/main/resources/a.properties",
            "src/main/python/a.py",
            "src/main/resources/build/build.txt",
            "src/main/js/tools/a.js",
            "src/main/resources/bin/names",
            "web/app.ts",
            "tools/src/main/java/A.java",
            "LICENSE",
        ] {
            assert_eq!(check_path(path, DEFAULT_POLICY), Ok(()), "{path}");
        }
    }

    #[test]
    fn build_files_may_not_be_changed() {
        for path in [
            ".github/workflows/ci.yml",
            "x/.GitHub/a",
            ".gitattributes",
            "a/.git/config",
            ".gitmodules",
            "CODEOWNERS",
            "docs/CODEOWNERS",
            "pom.xml",
            "core/pom.xml",
            "build.gradle",
            "settings.gradle.kts",
            "gradlew",
            "gradle/wrapper/gradle-wrapper.jar",
            ".mvn/jvm.config",
            "buildSrc/src/A.java",
            "scripts/x.sh",
            "Makefile",
            "native/CMakeLists.txt",
            "build.sbt",
            "project/build.properties",
            "gradle.properties",
            "build.sc",
            "Justfile",
            "Rakefile",
            "core/BUCK",
            "Taskfile.yaml",
            "compose.yml",
            "compose.yaml",
            "docker-compose.yml",
            "docker-compose.yaml",
            "vars/deploy.groovy",
            "configure",
            "pyproject.toml",
            "bitbucket-pipelines.yml",
            "package-lock.json",
            "web/yarn.lock",
            "pnpm-lock.yaml",
            "build-common.xml",
            "release.py",
            "dev/tools/check.py",
            "scripts/release",
            "ci/Run.RB",
            "build/site.mjs",
            "core/tools/notes.lua",
            "gulpfile.js",
            "ammonite.scala",
            "web/npm-shrinkwrap.json",
            ".git-mend.toml",
        ] {
            assert!(check_path(path, TESTS_ALLOWED).is_err(), "{path}");
        }
    }

    #[test]
    fn build_files_with_versions_may_be_changed_if_allowed() {
        let policy = PathPolicy { allows_version_edits: true, ..DEFAULT_POLICY };
        for path in ["pom.xml", "core/build.gradle", "gradle/libs.versions.toml"] {
            assert_eq!(check_path(path, policy), Ok(()), "{path}");
        }
        for path in [
            ".github/pom.xml",
            "ci/pom.xml",
            "buildSrc/build.gradle",
            "gradlew",
            "settings.gradle",
            "src/test/java/ATest.java",
        ] {
            assert!(check_path(path, policy).is_err(), "{path}");
        }
    }

    #[test]
    fn tests_may_be_changed_only_if_allowed() {
        let path = "src/test/java/shop/CartTest.java";
        assert_eq!(check_path(path, DEFAULT_POLICY), Err(ForbiddenPath::Test));
        assert_eq!(check_path(path, TESTS_ALLOWED), Ok(()));
        for beside in ["CartIT", "Cart2IT", "CartITCase", "CartTests", "TestCart"] {
            let path = format!("src/shop/{beside}.java");
            assert_eq!(check_path(&path, DEFAULT_POLICY), Err(ForbiddenPath::Test), "{beside}");
        }
        for code in ["Unit", "UNIT", "Testament", "IT"] {
            assert_eq!(
                check_path(&format!("src/shop/{code}.java"), DEFAULT_POLICY),
                Ok(()),
                "{code}"
            );
        }
        assert_eq!(check_path("src/main/java/shop/DriveTest.java", DEFAULT_POLICY), Ok(()));
    }

    #[test]
    fn paths_outside_the_repository_are_refused() {
        for path in ["../a", "a/../b", "/etc/passwd", "a//b", "a/./b", "", "C:/x", "a\\b", "a\nb"] {
            assert!(check_path(path, DEFAULT_POLICY).is_err(), "{path}");
        }
    }
}
