//! Repository settings for GitHub: the table `[github]` of `.git-mend.toml` on the default branch. A pull request
//! cannot change them.

use mend_github::{ApiError, ApiResult, EntryKind, Repo};
use mend_model::{Problem, Result, keys_of, schema_of, suggest_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const FILE_NAME: &str = ".git-mend.toml";
const TABLE_NAME: &str = "github";

/// Maximum length of a label name on GitHub.
const MAX_LABEL_CHARS: usize = 50;

/// Repository settings for GitHub.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[schemars(inline)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of its own that is on or off")]
pub struct RepoSettings {
    /// Comment on failing pull requests.
    pub comment: bool,
    /// Suggest the fix as changes on the lines of the failing pull request.
    pub suggestions: bool,
    /// Open fix pull requests.
    pub fix_pull_requests: bool,
    /// Allow fixes that change tests.
    pub allow_tests: bool,
    /// Labels of fix pull requests.
    #[schemars(example = ["git-mend", "bug"])]
    pub labels: Vec<String>,
    /// Program that offers further patches to the search, never for pull requests of forks
    #[schemars(with = "String", example = &"python3 tools/replay.py patches")]
    pub generator: Option<String>,
    /// Workflows whose failures are ignored, by name or file.
    #[schemars(example = ["nightly.yml"])]
    pub ignored_workflows: Vec<String>,
}

impl Default for RepoSettings {
    fn default() -> Self {
        Self {
            comment: true,
            suggestions: true,
            fix_pull_requests: true,
            allow_tests: false,
            labels: vec!["git-mend".to_owned()],
            generator: None,
            ignored_workflows: Vec::new(),
        }
    }
}

impl RepoSettings {
    /// Reads the settings of the default branch from GitHub. Returns the defaults if there are none or the token cannot
    /// read them. The inner error is for invalid settings.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn fetch(repo: &Repo) -> ApiResult<Result<Self>> {
        match fetch_settings_file(repo).await {
            Ok(Some(text)) => Ok(Self::parse(&text)),
            Ok(None) | Err(ApiError::Forbidden(_) | ApiError::NotFound(_)) => {
                Ok(Ok(Self::default()))
            }
            Err(error) => Err(error),
        }
    }

    /// Converts the table.
    ///
    /// # Errors
    /// [`Problem::Usage`] with the nearest known key for an unknown one, or with the invalid value.
    pub fn from_table(table: toml::Table) -> Result<Self> {
        let known_keys = setting_keys();
        if let Some(key) = table.keys().find(|key| !known_keys.contains(key)) {
            let nearest_key = suggest_name(key, known_keys.iter().map(String::as_str));
            let nearest_key = nearest_key
                .map_or(String::new(), |nearest_key| format!("; did you mean `{nearest_key}`?"));
            return Err(invalid_setting(&format!("`{key}` is not a setting{nearest_key}")));
        }
        let settings: Self =
            table.try_into().map_err(|error: toml::de::Error| invalid_setting(error.message()))?;
        let is_label =
            |label: &String| (1..=MAX_LABEL_CHARS).contains(&label.trim().chars().count());
        match settings.labels.iter().find(|label| !is_label(label)) {
            Some(label) => Err(invalid_setting(&format!(
                "label `{label}` is invalid: a label has 1 to 50 characters"
            ))),
            None => Ok(settings),
        }
    }

    fn parse(text: &[u8]) -> Result<Self> {
        let text = String::from_utf8_lossy(text);
        let mut document: toml::Table =
            text.parse().map_err(|error: toml::de::Error| invalid_setting(error.message()))?;
        match document.remove(TABLE_NAME) {
            Some(toml::Value::Table(table)) => Self::from_table(table),
            Some(_) => Err(invalid_setting("not a table")),
            None => Ok(Self::default()),
        }
    }

    /// Returns the settings for an explicit request for the fix by a user with write access.
    #[must_use]
    pub fn with_fix_enabled(self) -> Self {
        Self { suggestions: true, fix_pull_requests: true, comment: true, ..self }
    }

    /// Returns true if the settings ignore a workflow with this name or file.
    pub fn ignores(&self, workflow: &str) -> bool {
        let file = workflow.rsplit('/').next().unwrap_or(workflow);
        self.ignored_workflows.iter().any(|one| one == workflow || one == file)
    }
}

/// Fetches the settings file of the default branch.
async fn fetch_settings_file(repo: &Repo) -> ApiResult<Option<Vec<u8>>> {
    let default = repo.get_info().await?.default_branch;
    let Some(head) = repo.get_branch_head(&default).await? else { return Ok(None) };
    let entry = repo.find_entry(&head.0, FILE_NAME).await?;
    match entry.filter(|one| matches!(one.kind, EntryKind::File | EntryKind::Executable)) {
        Some(entry) => repo.read_blob(&entry).await.map(Some),
        None => Ok(None),
    }
}

fn invalid_setting(message: &str) -> Problem {
    Problem::Usage {
        message: format!("{FILE_NAME}, [{TABLE_NAME}]: {message}"),
        remedy: format!("use the keys {}", setting_keys().join(", ")),
    }
}

/// Returns all keys, for suggesting the nearest one.
fn setting_keys() -> Vec<String> {
    keys_of(&schema_of::<RepoSettings>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_settings(text: &str) -> Result<RepoSettings> {
        RepoSettings::parse(text.as_bytes())
    }

    #[test]
    fn missing_settings_have_defaults() {
        let settings =
            parse_settings("jobs = 2\n[github]\ncomment = false\nlabels = ['bug', 'mended']")
                .unwrap();
        let labels = vec!["bug".to_owned(), "mended".to_owned()];
        assert_eq!(settings, RepoSettings { comment: false, labels, ..RepoSettings::default() });
        assert_eq!(parse_settings("jobs = 2").unwrap(), RepoSettings::default());
    }

    #[test]
    fn unknown_setting_is_refused_with_a_suggestion() {
        let error = |text: &str| parse_settings(text).unwrap_err().to_string();
        assert!(error("[github]\ncoments = true").contains("did you mean `comment`?"));
        assert!(error("[github]\ncomment = 'no'").contains("boolean"));
        assert!(error("[github]\nlabels = ['']").contains("is invalid"));
        assert!(error("github = 1").contains("not a table"));
    }

    #[test]
    fn workflow_is_ignored_by_name_or_file() {
        let settings =
            parse_settings("[github]\nignored-workflows = ['Nightly', 'lint.yml']").unwrap();
        assert!(settings.ignores("Nightly") && settings.ignores(".github/workflows/lint.yml"));
        assert!(!settings.ignores(".github/workflows/tests.yml") && !settings.ignores("nightly"));
    }
}
