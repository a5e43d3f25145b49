//! Search of a library's own history for the commit that breaks the tests of the project.

use super::commit_link::commit_link;
use super::library_engine::{LibraryEngine, TestedProject};
use super::result::{FoundUpgrade, UpgradeOutcome, Upgraded};
use super::variant_trees::VariantTrees;
use super::version_search::VersionBoundary;
use super::version_tags::find_tags;
use crate::run::bisect::result::Bisected;
use crate::run::bisect::search_between;
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::judge::SymptomOracle;
use crate::run::judge::executor::VariantExecutor;
use crate::run::judge::learned_symptom::LearnedSymptom;
use crate::run::judge::repetition::{Repeat, Repetition};
use crate::run::session::request::{
    BisectRequest, GoodRevision, LibrarySource, SubjectRequest, UpgradeRequest,
};
use crate::run::session::run_folder::RunFolder;
use crate::run::session::run_log::{RunLog, SubjectFact};
use crate::run::session::versions::ResolvedVersion;
use crate::run::session::{CACHE_FILE, PreparedRun, Session, allow_downloads};
use crate::run::subject::attribution::Attribution;
use crate::run::subject::project_files::ProjectFiles;
use crate::run::subject::test_overlay::{TestCode, TestCodeRule, TestOverlay};
use anyhow::Context as _;
use mend_engine::{
    BuildKind, Coordinates, Environment, LibraryBuilder, Limits, OutcomeCache, ProjectOptions,
};
use mend_git::Repository;
use mend_model::{
    MissingRequirements, Problem, ProgressEvent, Result, Symptom, Verdict, list_first,
};
use mend_report::{LibraryHistoryResult, RunGoal, RunResult};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folder of the searches of libraries, below the run folder.
const LIBRARIES_FOLDER: &str = "libraries";

/// Maximum number of tags that a message names.
const MAX_NAMED_TAGS: usize = 4;

/// Symptom of the project and its test settings, without an executor.
pub(super) struct ProjectSymptom {
    symptom: Symptom,
    project_files: ProjectFiles,
    excluded_tests: BTreeSet<String>,
    accepted_omissions: Option<BTreeSet<String>>,
    limits: Limits,
    repetition: Repetition,
}

impl From<SymptomOracle<'_>> for ProjectSymptom {
    fn from(oracle: SymptomOracle<'_>) -> Self {
        Self {
            symptom: oracle.symptom.current(),
            project_files: oracle.project_files,
            excluded_tests: oracle.excluded_tests,
            accepted_omissions: oracle.accepted_omissions,
            limits: oracle.limits,
            repetition: oracle.repetition,
        }
    }
}

impl ProjectSymptom {
    /// Returns the oracle of a library, whose executor tests the project.
    fn oracle<'a>(&self, executor: &'a VariantExecutor, run_log: Arc<RunLog>) -> SymptomOracle<'a> {
        SymptomOracle {
            executor,
            run_log,
            project_files: self.project_files.clone(),
            excluded_tests: self.excluded_tests.clone(),
            symptom: LearnedSymptom::new(self.symptom.clone()),
            accepted_omissions: self.accepted_omissions.clone(),
            limits: self.limits.clone(),
            repetition: self.repetition.clone(),
        }
    }
}

/// Searches the histories of libraries.
pub(super) struct LibraryHistories<'a> {
    request: &'a UpgradeRequest,
    session: &'a Session<'a>,
    symptom: ProjectSymptom,
    attribution: Attribution,
    project: Arc<TestedProject>,
}

/// Range of a library's history to search.
struct LibraryRange {
    name: String,
    coordinates: Coordinates,
    /// Number of the library among the changed libraries.
    number: usize,
    /// Changes that the tested variants have.
    upgraded: Vec<usize>,
    good: ResolvedVersion,
    bad: ResolvedVersion,
}

impl<'a> LibraryHistories<'a> {
    pub(super) fn new(
        request: &'a UpgradeRequest,
        session: &'a Session<'a>,
        symptom: ProjectSymptom,
        prepared: PreparedRun,
        trees: VariantTrees,
    ) -> Result<Self> {
        let attribution = prepared.attribution.context("tests without a JDK")?;
        let runs_once = session.subject.repeat == Repeat::Times(1);
        let project = Arc::new(TestedProject { executor: prepared.executor, trees, runs_once });
        Ok(Self { request, session, symptom, attribution, project })
    }

    /// Searches the history of each culprit with known sources.
    pub(super) fn search(&self, found: Upgraded) -> Result<UpgradeOutcome> {
        let mut outcome = UpgradeOutcome::Found(found);
        for source in &self.request.library_sources {
            self.session.run_log.save(&outcome)?;
            let UpgradeOutcome::Found(found) = &mut outcome else { break };
            let name = format!("{}:{}", source.group, source.artifact);
            let is_wanted = |one: &FoundUpgrade| {
                let coordinates = one.change.coordinates();
                one.change.is_library()
                    && one.change.name == name
                    && coordinates.is_some_and(|one| one.classifier.is_none())
            };
            let Some(at) = found.upgrades.iter().position(is_wanted) else {
                self.note(&name, "it does not break the tests")?;
                continue;
            };
            let history = self.search_library(&found.upgrades[at], source);
            found.upgrades[at].history = match history {
                // The answer is complete without the history.
                Err(problem)
                    if !matches!(problem, Problem::Interrupted | Problem::DiskFull { .. }) =>
                {
                    self.note(&name, &problem.to_string())?;
                    None
                }
                history => history?,
            };
        }
        Ok(outcome)
    }

    /// Notes why the history of a library was not searched.
    fn note(&self, library: &str, reason: &str) -> Result<()> {
        self.session.run_log.note_unchecked(format!("history of {library}: {reason}"))
    }

    fn search_library(
        &self,
        upgrade: &FoundUpgrade,
        source: &LibrarySource,
    ) -> Result<Option<LibraryHistoryResult>> {
        let name = upgrade.change.name.clone();
        let (Some(boundary), Some(coordinates)) = (&upgrade.boundary, upgrade.change.coordinates())
        else {
            self.note(&name, "no versions are known between which the tests break")?;
            return Ok(None);
        };
        let Session { subject, context, .. } = self.session;
        let repository = Repository::open_in_folder(&subject.dir.join(&source.dir))?;
        let repository =
            allow_downloads(repository, subject.downloads, &self.session.data_folder, context)?;
        let [good, bad] = match find_versions(&repository, source, boundary)? {
            Ok(versions) => versions,
            Err(reason) => {
                self.note(&name, &reason)?;
                return Ok(None);
            }
        };
        let (good_tag, bad_tag) = (good.label.clone(), bad.label.clone());
        let stage = format!("searching the history of {name} between {good_tag} and {bad_tag}");
        self.session.run_log.emit(ProgressEvent::Stage(stage))?;
        let number = upgrade.number;
        let (coordinates, upgraded) = (coordinates.clone(), boundary.upgraded.clone());
        let range = LibraryRange { name, coordinates, number, upgraded, good, bad };
        let remote_url = repository.remote_url("origin")?;
        let (result, untestable) = self.run_bisection(&range, repository, source)?;
        let link = result.culprit_commit.as_ref().zip(remote_url.as_ref());
        let link = link.and_then(|(commit, url)| commit_link(url, commit));
        Ok(Some(LibraryHistoryResult {
            source: source.dir.display().to_string(),
            good_tag,
            bad_tag,
            link,
            culprit_commit: result.culprit_commit,
            culprit_info: result.culprit_info,
            suspects: result.suspects,
            skipped: untestable,
            culprit: result.culprit,
            run_folder: run_folder_of(source).display().to_string(),
        }))
    }

    /// Bisects the history of a library, as a run of its own below the run folder. Returns its result, and the commits
    /// that could not be tested.
    fn run_bisection(
        &self,
        range: &LibraryRange,
        repository: Repository,
        source: &LibrarySource,
    ) -> Result<(RunResult, Vec<String>)> {
        let subject = SubjectRequest {
            dir: self.session.subject.dir.join(&source.dir),
            ignores_git_environment: true,
            extra_objects: None,
            executor: None,
            bad: range.bad.label.clone(),
            build: BuildKind::Auto,
            sources: Vec::new(),
            test_sources: Vec::new(),
            class_path: Vec::new(),
            javac_options: Vec::new(),
            project: None,
            includes_test_code: false,
            output: None,
            is_resumed: false,
            ..self.session.subject.clone()
        };
        let library_session = Session {
            subject: &subject,
            context: self.session.context,
            repository: Some(repository),
            run_log: self.open_run_log(source)?,
            data_folder: self.session.data_folder.clone(),
        };
        let request = BisectRequest {
            subject: subject.clone(),
            good: GoodRevision::Named(range.good.label.clone()),
            goal: RunGoal::Culprit,
            symptom: None,
            skips_history: false,
            skipped_revisions: Vec::new(),
            log: None,
            finds_all_culprits: false,
            is_dry_run: false,
            ..self.request.search.clone()
        };
        let outcome = self.bisect(range, &request, &library_session);
        let found = outcome.as_ref().map(|found| found.untestable.clone()).unwrap_or_default();
        let untestable = found.into_iter().map(|commit| commit.0).collect();
        let finished = library_session.finish(outcome)?;
        match finished.problem {
            Some(problem @ (Problem::Interrupted | Problem::DiskFull { .. })) => {
                return Err(problem);
            }
            Some(problem) => self.note(&range.name, &problem.to_string())?,
            None => {}
        }
        Ok((finished.result, untestable))
    }

    /// Opens the run folder of a library.
    fn open_run_log(&self, source: &LibrarySource) -> Result<Arc<RunLog>> {
        let run_log = &self.session.run_log;
        let folder = run_log.folder.path().join(run_folder_of(source));
        let folder = RunFolder::open(&folder.with_file_name(""), Some(&folder), None)?;
        folder.write_request(&self.session.subject.command_line)?;
        let environment = run_log.result().environment;
        let result = RunResult::new("bisect", RunGoal::Culprit, environment);
        let secrets = Environment::from_process().secrets();
        RunLog::open(folder, result, run_log.progress(), secrets).map(Arc::new)
    }

    fn bisect(
        &self,
        range: &LibraryRange,
        request: &BisectRequest,
        session: &Session<'_>,
    ) -> Result<Bisected> {
        let prepared = self.prepare(range, session)?;
        let run_log = &session.run_log;
        let oracle = self.symptom.oracle(&prepared.executor, Arc::clone(run_log));
        let good = prepared.good.clone().context("a bisection without a good version")?;
        run_log.record(SubjectFact::Good(good.to_report()))?;
        run_log.record(SubjectFact::Bad(prepared.bad.to_report()))?;
        run_log.record(SubjectFact::Symptom(self.symptom.symptom.describe()))?;
        let setup = SearchSetup { prepared: &prepared, oracle, good };
        for (version, expected) in
            [(&setup.good, Verdict::Pass), (&setup.prepared.bad, Verdict::Fail)]
        {
            check_tag(version, expected, &setup.oracle)?;
        }
        search_between(request, session, &setup, &|so_far| run_log.save(so_far))
    }

    /// Prepares a bisection of the library, whose engine tests the project.
    fn prepare(&self, range: &LibraryRange, session: &Session<'_>) -> Result<PreparedRun> {
        let store = session.store()?;
        let pool = session.scratch_pool(&store);
        let test_code = TestCode::new(TestCodeRule::FolderNames, []);
        let overlay = TestOverlay::from_tree(test_code, &range.bad.original_tree, &store)?;
        let overlaid_tree = overlay.apply_to(&range.good.original_tree, &store)?;
        let good = ResolvedVersion { overlaid_tree, ..range.good.clone() };
        let options = ProjectOptions {
            build: BuildKind::Auto,
            sources: Vec::new(),
            test_sources: Vec::new(),
            class_path: Vec::new(),
            javac_options: Vec::new(),
            model_file: None,
            ..self.attribution.options.clone()
        };
        let environment = Environment::from_process();
        let builder = LibraryBuilder {
            library: range.coordinates.clone(),
            options: options.clone(),
            tools: self.attribution.tools.clone(),
            environment: environment.clone(),
            work_dir: session.run_log.folder.work_dir().join("builds"),
        };
        let engine = Box::new(LibraryEngine {
            builder,
            project: Arc::clone(&self.project),
            library: range.number,
            upgraded: range.upgraded.clone(),
        });
        let cache = OutcomeCache::open(&session.data_folder.join(CACHE_FILE), environment)?;
        let run_log = Arc::clone(&session.run_log);
        Ok(PreparedRun {
            executor: VariantExecutor::new(pool, engine, None, cache, run_log),
            overlay,
            attribution: Some(Attribution {
                tools: self.attribution.tools.clone(),
                options,
                includes_test_code: false,
                interrupt: self.attribution.interrupt.clone(),
            }),
            bad: range.bad.clone(),
            good: Some(good),
            missing: MissingRequirements::default(),
            source_roots: Vec::new(),
            store,
        })
    }
}

/// Returns the path of the run folder of a library, below that of the run.
fn run_folder_of(source: &LibrarySource) -> PathBuf {
    Path::new(LIBRARIES_FOLDER).join(format!("{}.{}", source.group, source.artifact))
}

/// Returns the commits of two versions by their tags, or the reason why one has none.
fn find_versions(
    repository: &Repository,
    source: &LibrarySource,
    boundary: &VersionBoundary,
) -> Result<Result<[ResolvedVersion; 2], String>> {
    let tags = repository.tag_names()?;
    let mut versions = Vec::new();
    for version in [&boundary.last_good, &boundary.first_bad] {
        let found = find_tags(&tags, &source.artifact, version);
        let commits = found.iter().map(|tag| repository.resolve(&format!("refs/tags/{tag}")));
        let commits = commits.collect::<Result<Vec<_>>>()?;
        let remedy = format!(
            "name its commit with `git tag {}-{version} COMMIT` in {}",
            source.artifact,
            source.dir.display()
        );
        match &commits[..] {
            [] => {
                let reason = format!(
                    "no tag names version {version}: run `git fetch --tags` there, or {remedy}"
                );
                return Ok(Err(reason));
            }
            [first, others @ ..] if others.iter().all(|other| other.id == first.id) => {
                versions.push(ResolvedVersion::from_commit(found[0], first.clone()));
            }
            _ => {
                let names: Vec<String> = found.iter().map(ToString::to_string).collect();
                let names = list_first(&names, MAX_NAMED_TAGS);
                return Ok(Err(format!("several tags name version {version}: {names}; {remedy}")));
            }
        }
    }
    let versions: [ResolvedVersion; 2] =
        versions.try_into().map_err(|_| anyhow::anyhow!("two versions have two commits"))?;
    Ok(Ok(versions))
}

/// Returns an error if a version that is built from its tag has another verdict than the published one.
fn check_tag(
    version: &ResolvedVersion,
    expected: Verdict,
    oracle: &SymptomOracle<'_>,
) -> Result<()> {
    let label = &version.label;
    let verdict =
        oracle.verdict(&version.overlaid_tree, version.commit_id(), label.as_str(), None)?;
    let outcome = match verdict {
        verdict if verdict == expected => return Ok(()),
        Verdict::Pass => "does not fail",
        Verdict::Fail => "does not pass",
        Verdict::Flaky => "is flaky",
        Verdict::Unresolved(_) => "has no verdict",
    };
    let published = if expected == Verdict::Pass { "passes" } else { "fails" };
    Err(Problem::Usage {
        message: format!(
            "the published version {published}, but {label} {outcome} when it is built from its sources"
        ),
        remedy: "look for the reason in trials.jsonl and log.txt of the library's run folder"
            .to_owned(),
    })
}
