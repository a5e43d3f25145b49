//! Workflow files for a repository: one runs the tests and searches, the other publishes the result. They are the
//! examples for pull requests, also of forks.

use mend_github::RepoName;
use mend_model::{CommitId, Problem, Result};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Example that runs tests and searches.
const TESTS_EXAMPLE: &str = include_str!("../../../../examples/workflows/pull-request.yml");
/// Example that publishes the result.
const PUBLISH_EXAMPLE: &str = include_str!("../../../../examples/workflows/publish.yml");
/// Files and name of the first workflow in the examples, and for the repository. It may have such a file already.
const NAMES: [(&str, &str); 4] = [
    ("pull-request.yml", "git-mend-tests.yml"),
    ("publish.yml", "git-mend.yml"),
    ("name: tests\n", "name: git-mend tests\n"),
    ("workflows: [tests]\n", "workflows: [git-mend tests]\n"),
];
/// Values in the examples that depend on the repository.
const EXAMPLE_COMMAND: &str = "mvn --batch-mode verify";
const EXAMPLE_BRANCH: &str = "[main]";
const EXAMPLE_ACTION: &str = "OWNER/git-mend@COMMIT";
/// Files of a Gradle build.
const GRADLE_FILES: [&str; 4] =
    ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// The Action in a workflow file: `OWNER/git-mend@COMMIT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionReference(String);

impl ActionReference {
    /// Returns the placeholder of the examples.
    pub fn placeholder() -> Self {
        Self(EXAMPLE_ACTION.to_owned())
    }
}

impl FromStr for ActionReference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('@').and_then(|(repo, commit)| {
            Some((repo.parse::<RepoName>().ok()?, CommitId::is_full_id(commit)))
        });
        match parts {
            Some((_, true)) => Ok(Self(text.to_owned())),
            Some((_, false)) => Err("after @ must be the full hash of a commit".to_owned()),
            None => Err(format!("`{text}` is not of the form {EXAMPLE_ACTION}")),
        }
    }
}

impl fmt::Display for ActionReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Workflow file to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowFile {
    /// Path in the repository.
    pub path: &'static str,
    /// Content of the file.
    pub content: String,
}

/// What the workflow files depend on.
#[derive(Clone, Debug)]
pub struct WorkflowPlan {
    /// Command that builds and tests.
    pub build_command: &'static str,
    /// Default branch of the repository.
    pub default_branch: String,
    /// The Action.
    pub action: ActionReference,
    /// Folders of test reports besides the standard ones, for the input `reports`.
    pub report_folders: Vec<PathBuf>,
}

impl WorkflowPlan {
    /// Returns the files.
    pub fn files(&self) -> [WorkflowFile; 2] {
        // The search is the last step of its workflow.
        let tests = self.adapt(TESTS_EXAMPLE) + &self.search_inputs();
        let publish = self.adapt(PUBLISH_EXAMPLE);
        [
            WorkflowFile { path: ".github/workflows/git-mend-tests.yml", content: tests },
            WorkflowFile { path: ".github/workflows/git-mend.yml", content: publish },
        ]
    }

    fn adapt(&self, example: &str) -> String {
        let renamed = NAMES
            .iter()
            .fold(example.to_owned(), |text, (ours, theirs)| text.replace(ours, theirs));
        renamed
            .replace(EXAMPLE_COMMAND, self.build_command)
            .replace(EXAMPLE_BRANCH, &format!("['{}']", self.default_branch.replace('\'', "''")))
            .replace(EXAMPLE_ACTION, &self.action.0)
    }

    /// Returns the lines that set the inputs of the search, after the line with the Action.
    fn search_inputs(&self) -> String {
        if self.report_folders.is_empty() {
            return String::new();
        }
        let folders = self.report_folders.iter();
        let lines = folders.map(|folder| format!("            {}\n", folder.display()));
        format!("        with:\n          reports: |\n{}", lines.collect::<String>())
    }
}

/// Returns the command that builds and tests the project in a folder.
///
/// # Errors
/// [`Problem::Usage`] without a build of Maven or Gradle.
pub fn find_build_command(root: &Path) -> Result<&'static str> {
    let has_file = |name: &str| root.join(name).is_file();
    if has_file("pom.xml") {
        return Ok(if has_file("mvnw") { "./mvnw --batch-mode verify" } else { EXAMPLE_COMMAND });
    }
    if GRADLE_FILES.into_iter().any(has_file) {
        return Ok(if has_file("gradlew") { "./gradlew build" } else { "gradle build" });
    }
    Err(Problem::Usage {
        message: format!("{} has no build of Maven or Gradle", root.display()),
        remedy:
            "adapt a file of examples/workflows, and name the failing tests with its input `test`"
                .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_adapted_to_the_repository() {
        let action = format!("octo/git-mend@{}", "a".repeat(40));
        let plan = WorkflowPlan {
            build_command: "./gradlew build",
            default_branch: "it's".to_owned(),
            action: action.parse().unwrap(),
            report_folders: vec!["out/junit".into(), "target/it".into()],
        };
        let [tests, publish] = plan.files();
        for (file, lines) in [
            (
                &tests,
                &[
                    "name: git-mend tests\n",
                    "branches: ['it''s'] #",
                    "- run: ./gradlew build\n",
                    "        with:\n          reports: |\n            out/junit\n            target/it\n",
                ][..],
            ),
            (&publish, &["name: git-mend\n", "workflows: [git-mend tests]\n"]),
        ] {
            for line in lines.iter().copied().chain([action.as_str()]) {
                assert!(file.content.contains(line), "no {line:?} in\n{}", file.content);
            }
            for example in
                [EXAMPLE_COMMAND, EXAMPLE_BRANCH, EXAMPLE_ACTION, "publish.yml", "pull-request.yml"]
            {
                assert!(!file.content.contains(example), "{example} in\n{}", file.content);
            }
        }
    }

    #[test]
    fn build_tool_and_wrapper_are_found() {
        let dir = tempfile::tempdir().unwrap();
        assert!(find_build_command(dir.path()).is_err());
        for (file, command) in [
            ("settings.gradle.kts", "gradle build"),
            ("gradlew", "./gradlew build"),
            ("pom.xml", "mvn --batch-mode verify"),
            ("mvnw", "./mvnw --batch-mode verify"),
        ] {
            std::fs::write(dir.path().join(file), "").unwrap();
            assert_eq!(find_build_command(dir.path()).unwrap(), command);
        }
    }

    #[test]
    fn action_must_be_pinned_to_a_commit() {
        for text in ["octo/git-mend", "octo/git-mend@v1", "git-mend@", "octo/git-mend@COMMIT"] {
            assert!(text.parse::<ActionReference>().is_err(), "{text}");
        }
    }
}
