//! Reads the settings in `.git-mend.toml` at the repository's root. Command-line options override them.

use super::arguments::{
    ExecutorChoice, parse_build, parse_duration, parse_executor, parse_model, parse_repeat,
};
use crate::run::Repeat;
use mend_bot::RepoSettings;
use mend_engine::{
    BuildKind, Environment, LocalRepositories, MavenSettings, ModelSource, ProjectModelFile,
    ProjectOptions,
};
use mend_git::Repository;
use mend_model::CommitId;
use mend_model::{Problem, Result, keys_of, schema_of, suggest_name};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const SETTINGS_FILE: &str = ".git-mend.toml";

/// Keys of the file. The comments of the keys are the descriptions in the schema and the guide.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[schemars(title = ".git-mend.toml", description = "Settings of a repository for git mend.")]
struct SettingsFile {
    /// Count only failures whose text matches this regular expression; `--symptom`
    #[schemars(with = "String", example = &"AssertionError: 12 rolls")]
    symptom: Option<String>,
    /// Follow only the first parent of merge commits; `--first-parent`
    #[schemars(example = true)]
    first_parent: bool,
    /// Run each version N times, or with `auto` until the verdict has 99 % confidence; `--repeat`
    #[schemars(schema_with = "repeat_schema")]
    repeat: Option<toml::Value>,
    /// Time limit for the tests of one version, which replaces the limit of each single test; `--timeout`
    #[schemars(with = "String", example = &"5m")]
    timeout: Option<String>,
    /// Number of commits or variants that are built and tested in parallel; `--jobs`
    #[schemars(with = "u16", range(min = 1), example = 2)]
    jobs: Option<NonZeroU16>,
    /// Random seed; `--seed`
    #[schemars(with = "u64", example = 0)]
    seed: Option<u64>,
    /// Build tool whose build files describe the project; `--build`
    #[schemars(with = "String", extend("enum" = ["auto", "maven", "gradle", "javac"]), example = &"maven")]
    build: Option<String>,
    /// Where the project model comes from; `--model`
    #[schemars(with = "String", extend("enum" = ["auto", "tool", "files"]), example = &"files")]
    model: Option<String>,
    /// Forbid all downloads; `--offline`
    #[schemars(example = true)]
    offline: bool,
    /// Where variants are tested: on this machine, or on the workers of a server; `--executor`
    #[schemars(with = "String", example = &"grpcs://build.example.org:443")]
    executor: Option<String>,
    /// Name of the instance on the executor; `--executor-instance`
    #[schemars(with = "String", example = &"main")]
    executor_instance: Option<String>,
    /// Properties that the workers must have; `--executor-platform`
    #[schemars(example = BTreeMap::from([("OSFamily", "Linux")]))]
    executor_platform: BTreeMap<String, String>,
    /// Environment variables of the workers; `--executor-env`
    #[schemars(example = BTreeMap::from([("JAVA_HOME", "/opt/jdk")]))]
    executor_env: BTreeMap<String, String>,
    /// Maximum number of workers that are used at the same time; `--executor-workers`
    #[schemars(with = "u16", range(min = 1), example = 16)]
    executor_workers: Option<NonZeroU16>,
    /// Source folders, instead of those of the build; `--source`
    #[schemars(example = ["src/main/java"])]
    source: Vec<PathBuf>,
    /// Folders of tests in package folders, added to every version; `--test-source`
    #[schemars(example = ["../more-tests"])]
    test_source: Vec<PathBuf>,
    /// Class path of jars and folders, instead of the one of the build; `--classpath`
    #[schemars(example = ["lib/junit.jar"])]
    classpath: Vec<PathBuf>,
    /// Options for javac; `--javac-option`
    #[schemars(example = ["-parameters"])]
    javac_option: Vec<String>,
    /// File with the project model, written by `git mend doctor --record`; `--project`
    #[schemars(with = "PathBuf", example = &"project.json")]
    project: Option<PathBuf>,
    /// Time limit for the tests of a git hook; `git mend hook run --budget`
    #[schemars(with = "String", example = &"2m")]
    hook_budget: Option<String>,
    /// Publishing to GitHub
    #[schemars(with = "RepoSettings")]
    github: toml::Table,
}

/// Schema of a number or `auto`.
fn repeat_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "auto" }],
        "examples": ["auto"]
    })
}

/// Returns the JSON Schema of the file.
pub(super) fn settings_schema() -> schemars::Schema {
    schema_of::<SettingsFile>()
}

/// Settings of a repository for all runs.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(super) symptom: Option<String>,
    pub(super) first_parent: bool,
    pub(super) repeat: Option<Repeat>,
    pub(super) timeout: Option<Duration>,
    pub(super) jobs: Option<u16>,
    pub(super) seed: Option<u64>,
    pub(super) build: Option<BuildKind>,
    pub(super) model: Option<ModelSource>,
    pub(super) offline: bool,
    pub(super) executor: Option<ExecutorChoice>,
    pub(super) executor_instance: Option<String>,
    pub(super) executor_platform: BTreeMap<String, String>,
    pub(super) executor_env: BTreeMap<String, String>,
    pub(super) executor_workers: Option<u16>,
    pub(super) source: Vec<PathBuf>,
    pub(super) test_source: Vec<PathBuf>,
    pub(super) classpath: Vec<PathBuf>,
    pub(super) javac_option: Vec<String>,
    pub(super) project: Option<PathBuf>,
    pub(super) hook_budget: Option<Duration>,
    pub(super) github: RepoSettings,
}

impl Settings {
    /// Reads the settings of the repository that contains `dir`. Returns the defaults if there is no file.
    ///
    /// # Errors
    /// [`Problem::Usage`] with the invalid value, or with the nearest known key for an unknown key.
    pub(super) fn read(dir: &Path) -> Result<Self> {
        let root = Repository::open(dir)
            .ok()
            .and_then(|repository| repository.work_tree().map(Path::to_owned));
        let root = root.unwrap_or_else(|| dir.to_owned());
        match std::fs::read(root.join(SETTINGS_FILE)) {
            Ok(text) => Self::parse(&String::from_utf8_lossy(&text), &root),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Problem::Usage {
                message: format!("{} cannot be read: {error}", root.join(SETTINGS_FILE).display()),
                remedy: "make it a readable file, or remove it".to_owned(),
            }),
        }
    }

    /// Reads the settings in a commit, as [`Self::read`] does.
    ///
    /// # Errors
    /// Errors of [`Self::read`], and [`Problem::UnknownRevision`] if the repository lacks the commit.
    pub(super) fn read_commit(dir: &Path, commit: &CommitId) -> Result<Self> {
        let repository = Repository::open(dir)?;
        let tree = repository.commit(commit)?.tree;
        let root = repository.work_tree().unwrap_or(dir);
        match repository.read_file(&tree, SETTINGS_FILE)? {
            Some(text) => Self::parse(&String::from_utf8_lossy(&text), root),
            None => Ok(Self::default()),
        }
    }

    /// Returns the same settings without executor, for commands that run here.
    pub(super) fn without_executor(self) -> Self {
        Self { executor: None, ..self }
    }

    /// Returns the options of the project, with paths relative to `dir`. `recorded_model` is a file with a project
    /// model that replaces the one in the settings.
    ///
    /// # Errors
    /// An error in the project model file.
    pub(super) fn project_options(
        &self,
        dir: &Path,
        recorded_model: Option<&Path>,
    ) -> Result<ProjectOptions> {
        let environment = Environment::from_process();
        let recorded_model =
            recorded_model.map(|file| dir.join(file)).or_else(|| self.project.clone());
        let read_model = |file: &PathBuf| ProjectModelFile::read(file, &environment).map(Arc::new);
        Ok(ProjectOptions {
            model_file: recorded_model.as_ref().map(read_model).transpose()?,
            build: self.build.unwrap_or(BuildKind::Auto),
            model: self.model.unwrap_or_default(),
            is_offline: self.offline,
            sources: self.source.clone(),
            test_sources: self.test_source.clone(),
            class_path: self.classpath.iter().map(|path| dir.join(path)).collect(),
            javac_options: self.javac_option.clone(),
            repositories: LocalRepositories::from_environment(&environment),
            maven: MavenSettings::from_environment(&environment),
            tests: Vec::new(),
            working_directory: PathBuf::new(),
        })
    }

    fn parse(text: &str, root: &Path) -> Result<Self> {
        let usage_problem = |message: String| Problem::Usage {
            message: format!("{SETTINGS_FILE}: {message}"),
            remedy: format!("valid keys are {}", keys_of(&settings_schema()).join(", ")),
        };
        let table: toml::Table =
            text.parse().map_err(|error| usage_problem(format_syntax_error(text, &error)))?;
        let keys = keys_of(&settings_schema());
        if let Some(key) = table.keys().find(|key| !keys.contains(key)) {
            let near = suggest_name(key, keys.iter().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(usage_problem(format!("unknown key `{key}`{near}")));
        }
        let settings_file: SettingsFile = toml::from_str(text)
            .map_err(|error| usage_problem(format_syntax_error(text, &error)))?;
        let for_key =
            |key: &'static str| move |message: String| usage_problem(format!("{key}: {message}"));
        // Local runs do not use the table `github`, but report its errors.
        let github = RepoSettings::from_table(settings_file.github)?;
        // Paths in the file are relative to its folder.
        let resolve_paths = |paths: &[PathBuf]| paths.iter().map(|path| root.join(path)).collect();
        Ok(Self {
            symptom: settings_file.symptom,
            first_parent: settings_file.first_parent,
            repeat: settings_file
                .repeat
                .as_ref()
                .map(parse_repeat_value)
                .transpose()
                .map_err(for_key("repeat"))?,
            timeout: settings_file
                .timeout
                .as_deref()
                .map(parse_duration)
                .transpose()
                .map_err(for_key("timeout"))?,
            jobs: settings_file.jobs.map(NonZeroU16::get),
            seed: settings_file.seed,
            build: settings_file
                .build
                .as_deref()
                .map(parse_build)
                .transpose()
                .map_err(for_key("build"))?,
            model: settings_file
                .model
                .as_deref()
                .map(parse_model)
                .transpose()
                .map_err(for_key("model"))?,
            offline: settings_file.offline,
            executor: settings_file
                .executor
                .as_deref()
                .map(parse_executor)
                .transpose()
                .map_err(for_key("executor"))?,
            executor_instance: settings_file.executor_instance,
            executor_platform: settings_file.executor_platform,
            executor_env: settings_file.executor_env,
            executor_workers: settings_file.executor_workers.map(NonZeroU16::get),
            source: resolve_paths(&settings_file.source),
            test_source: resolve_paths(&settings_file.test_source),
            classpath: resolve_paths(&settings_file.classpath),
            javac_option: settings_file.javac_option,
            project: settings_file.project.map(|file| root.join(file)),
            hook_budget: settings_file
                .hook_budget
                .as_deref()
                .map(parse_duration)
                .transpose()
                .map_err(for_key("hook-budget"))?,
            github,
        })
    }
}

/// Formats a syntax error with its line.
fn format_syntax_error(text: &str, error: &toml::de::Error) -> String {
    let text_before = error.span().and_then(|span| text.get(..span.start));
    let line = text_before.map_or(String::new(), |text_before| {
        format!("line {}: ", text_before.lines().count().max(1))
    });
    line + error.message()
}

/// Parses a number, or `auto` in quotes.
fn parse_repeat_value(value: &toml::Value) -> std::result::Result<Repeat, String> {
    parse_repeat(value.as_str().unwrap_or(&value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_parsed() {
        let text = "symptom = 'x'\nfirst-parent = true\nrepeat = 'auto'\ntimeout = '30s'\njobs = 3\nseed = 4\n\
                    build = 'maven'\nmodel = 'tool'\noffline = true\nexecutor = 'grpc://a:1'\nexecutor-instance = 'i'\n\
                    executor-platform = {a = 'b'}\nexecutor-env = {c = 'd'}\nexecutor-workers = 2\nsource = ['a']\ntest-source = ['b']\nclasspath = ['c']\n\
                    javac-option = ['-g']\nproject = 'd'\nhook-budget = '2m'\n\
                    [github]\n";
        let settings = Settings::parse(text, Path::new("/root")).unwrap();
        assert_eq!(settings.timeout, Some(Duration::from_secs(30)));
        assert_eq!(settings.repeat, Some(Repeat::Auto));
        let number = Settings::parse("repeat = 2", Path::new("/")).unwrap();
        assert_eq!(number.repeat, Some(Repeat::Times(2)));
        assert_eq!(settings.source, [PathBuf::from("/root/a")]);
        assert_eq!(text.parse::<toml::Table>().unwrap().len(), keys_of(&settings_schema()).len());
    }

    #[test]
    fn settings_errors_name_the_line() {
        let error_of = |text: &str| Settings::parse(text, Path::new("/")).unwrap_err().to_string();
        for (text, words) in [
            ("seed = 1\njobs = 'two'", "line 2: invalid type"),
            ("jobs = 0", "line 1: invalid value"),
            ("timeout = 'soon'", "timeout: write a time such as 30s or 5m"),
            ("seed = 1\nseed", "line 2: "),
            ("whatever = 1", "unknown key `whatever`"),
        ] {
            assert!(error_of(text).contains(words), "{text}: {}", error_of(text));
        }
        assert!(!error_of("whatever = 1").contains("did you mean"));
    }

    #[test]
    fn unknown_key_suggests_nearest_known_key() {
        let problem = Settings::parse("time-out = '30s'", Path::new("/")).unwrap_err();
        assert!(problem.to_string().contains("did you mean `timeout`?"), "{problem}");
        let problem = Settings::parse("[github]\ncoment = true", Path::new("/")).unwrap_err();
        assert!(problem.to_string().contains("did you mean `comment`?"), "{problem}");
    }
}
