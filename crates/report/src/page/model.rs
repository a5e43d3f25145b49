//! Contents of a page, in the order of the page.

use super::picture::Picture;
use crate::delta::ComponentView;
use crate::page::commit_strip::strip;
use crate::page::dependency_graph;
use crate::page::dependency_graph::{AnnotatedDelta, FileEdges, home};
use crate::page::fix_cards::{FixCard, cards};
use crate::page::headline::answer;
use crate::page::patch_view::PatchView;
use crate::page::pool_rows::{PoolPatchRow, pool};
use crate::page::progress_chart::curve;
use crate::page::sequence_diagram::{SequenceDiagram, sequences};
use crate::reproduce;
use crate::terminal::{OutputContext, applies, duration, next_command, verified};
use crate::view::{RunArtifacts, ThreadsView, threads};
use crate::{DeltaSize, PatchResult, RunResult, SearchGoal, TrialLine, of_size};
use mend_model::counted;
use std::collections::BTreeMap;

/// Maximum number of trials with a row.
const MOST_TRIALS: usize = 2000;

/// Contents of the template.
pub(super) struct Page {
    pub(super) command: String,
    pub(super) answer: String,
    /// The symptom.
    pub(super) symptom: Option<String>,
    /// Further messages.
    pub(super) remarks: Vec<String>,
    pub(super) commits: Vec<CommitView>,
    pub(super) commits_heading: String,
    /// The next command, with its label.
    pub(super) next: Option<(&'static str, String)>,
    pub(super) patches: Vec<FoundPatch>,
    pub(super) fixes: Vec<FixCard>,
    pub(super) pool: Vec<PoolPatchRow>,
    pub(super) threads: Option<ThreadsView>,
    pub(super) schedules: Vec<SequenceDiagram>,
    /// Number of failures without a sequence diagram, if others have one.
    pub(super) undrawn: Option<String>,
    /// True if the reader can access the run folder.
    pub(super) is_kept: bool,
    pub(super) search: Option<SearchView>,
    pub(super) delta: Option<DeltaSection>,
    pub(super) cost: Vec<(String, String)>,
    pub(super) rungs: Vec<ExecutionModeRow>,
    pub(super) not_checked: Vec<String>,
    /// Sentence about the final check of the patches.
    pub(super) verified: Option<String>,
    /// Parts of the page that the run folder does not contain.
    pub(super) absent: Vec<String>,
    pub(super) environment: Vec<(&'static str, String)>,
    pub(super) reproduce: Option<String>,
    pub(super) version: String,
}

/// Culprit commit or suspect.
pub(super) struct CommitView {
    pub(super) short_id: String,
    pub(super) summary: String,
    pub(super) by: String,
    pub(super) date: String,
}

/// Patch that a bisection found.
pub(super) struct FoundPatch {
    pub(super) id: String,
    pub(super) heading: &'static str,
    pub(super) size: String,
    pub(super) view: PatchView,
}

/// Progress of the search.
pub(super) struct SearchView {
    pub(super) strip: Option<Picture>,
    pub(super) curve: Option<Picture>,
    pub(super) commits: Vec<TrialRow>,
    pub(super) trials: Vec<TrialRow>,
    pub(super) hidden: usize,
}

/// Trial.
pub(super) struct TrialRow {
    pub(super) number: usize,
    pub(super) verdict: String,
    pub(super) phase: &'static str,
    pub(super) what: String,
    pub(super) rung: String,
    pub(super) seconds: String,
}

/// Number of trials in one execution mode.
pub(super) struct ExecutionModeRow {
    pub(super) count: usize,
    pub(super) what: &'static str,
    /// Percentage.
    pub(super) share: usize,
}

/// Searched change.
pub(super) struct DeltaSection {
    pub(super) size: String,
    pub(super) pictures: Vec<Picture>,
    /// Rules, each with the number of its dependencies.
    pub(super) rules: Vec<(String, usize)>,
    /// Dependencies between files of a large change.
    pub(super) bundles: Vec<FileEdges>,
    /// Number of pairs of files without a row.
    pub(super) more_bundles: usize,
    pub(super) files: Vec<FileRows>,
}

impl DeltaSection {
    /// Returns the number of components.
    pub(super) fn rows(&self) -> usize {
        self.files.iter().map(|file| file.rows.len()).sum()
    }
}

/// Components of a file.
pub(super) struct FileRows {
    pub(super) path: String,
    pub(super) count: String,
    pub(super) is_found: bool,
    pub(super) rows: Vec<ComponentRow>,
}

/// Component.
pub(super) struct ComponentRow {
    pub(super) id: usize,
    pub(super) line: String,
    pub(super) what: String,
    pub(super) role: &'static str,
    pub(super) tokens: u64,
    pub(super) needs: String,
}

impl Page {
    /// Creates the page of a run.
    pub(super) fn new(material: &RunArtifacts<'_>, scene: &OutputContext<'_>) -> Self {
        let result = material.result();
        let mut said = result
            .messages
            .iter()
            .chain(result.message.iter().filter(|_| result.messages.is_empty()));
        let next = next_command(result, scene);
        let again =
            if scene.is_kept { reproduce::same_machine_command } else { reproduce::elsewhere };
        let reproduce = again(result);
        let schedules = sequences(material);
        let failures = result.schedules.as_ref().map_or(0, |found| found.failures.len());
        Self {
            command: format!("git mend {}", result.command),
            answer: answer(result),
            symptom: said.next().cloned(),
            remarks: said.cloned().collect(),
            commits: commits(material),
            commits_heading: commits_heading(result),
            next: (!next.is_empty())
                .then_some((if applies(&next) { "Apply" } else { "Next command" }, next)),
            patches: patches(material),
            fixes: cards(material, scene),
            pool: pool(result),
            threads: threads(material, scene, reproduce.as_deref().filter(|_| scene.is_kept)),
            undrawn: (!schedules.is_empty() && failures > schedules.len())
                .then(|| counted(failures - schedules.len(), "further failure")),
            is_kept: scene.is_kept,
            schedules,
            search: search(material),
            delta: material
                .delta
                .as_ref()
                .map(|delta| taken_apart(&AnnotatedDelta::new(delta, result))),
            cost: cost(result),
            rungs: rungs(result, &material.trials),
            not_checked: result.not_checked.clone(),
            verified: verified(result),
            absent: absent(material),
            environment: environment(result),
            reproduce,
            version: result.version.clone(),
        }
    }
}

fn commits(material: &RunArtifacts<'_>) -> Vec<CommitView> {
    let result = material.result();
    if let Some(guilty) = &result.culprit_info {
        let (short_id, summary) = (guilty.short_id.clone(), guilty.summary.clone());
        let (by, date) = (guilty.author.clone(), guilty.date.clone());
        return vec![CommitView { short_id, summary, by, date }];
    }
    let named = result.suspects.iter().chain(&result.culprit_commit);
    let known = |id: &String| {
        material.trials.iter().filter_map(|trial| trial.commit.as_ref()).find(|one| one.id == *id)
    };
    let view = |id: &String| CommitView {
        short_id: id.get(..10).unwrap_or(id).to_owned(),
        summary: known(id).map_or(String::new(), |one| one.summary.clone()),
        by: known(id).map_or(String::new(), |one| one.author.clone()),
        date: known(id).map_or(String::new(), |one| one.date.clone()),
    };
    named.map(view).collect()
}

fn commits_heading(result: &RunResult) -> String {
    let number = result.suspects.len();
    let culprit = result.culprit.as_ref();
    if number <= 1 {
        "Culprit (first bad commit)".to_owned()
    } else if culprit.is_some_and(|culprit| culprit.commits == result.suspects) {
        format!("Culprits: {number} commits that break the test only together")
    } else {
        format!(
            "The culprit is one of these {number} commits; the commits between them could not be tested"
        )
    }
}

fn patches(material: &RunArtifacts<'_>) -> Vec<FoundPatch> {
    let result = material.result();
    let both = [
        (["Minimal culprit", "Smallest culprit so far"], &result.culprit),
        (["Fix", "Smallest fix so far"], &result.fix),
    ];
    let main = both.into_iter().filter_map(|([minimal, so_far], patch)| {
        let patch = patch.as_ref()?;
        Some((if patch.minimal { minimal } else { so_far }, patch))
    });
    let others = result.others.iter().map(|other| ("Another culprit", other));
    let view = |(at, (heading, patch)): (usize, (&'static str, &PatchResult))| FoundPatch {
        id: format!("patch-{}", at + 1),
        heading,
        size: size(patch),
        view: PatchView::read(material.run, &patch.patch),
    };
    main.chain(others).enumerate().map(view).collect()
}

fn size(patch: &PatchResult) -> String {
    let kind =
        if patch.minimal { "minimal: no component can be left out" } else { "not minimal yet" };
    let (tokens, components) =
        (counted(patch.tokens, "token"), counted(patch.components, "component"));
    format!("{tokens} in {components}; {kind}")
}

fn search(material: &RunArtifacts<'_>) -> Option<SearchView> {
    let (trials, result) = (&material.trials, material.result());
    if trials.is_empty() {
        return None;
    }
    let rows = trials.iter().enumerate();
    let commits = rows.clone().filter(|(_, trial)| trial.commit.is_some()).map(row).collect();
    Some(SearchView {
        strip: strip(trials, result),
        curve: curve(trials, result_size(result)),
        commits,
        trials: rows.take(MOST_TRIALS).map(row).collect(),
        hidden: trials.len().saturating_sub(MOST_TRIALS),
    })
}

/// Returns the number of components that the search for a goal found.
pub(super) fn result_size(result: &RunResult) -> impl Fn(SearchGoal) -> Option<usize> + '_ {
    |goal| match goal {
        SearchGoal::Culprit => result.culprit.as_ref().map(|one| one.components),
        SearchGoal::Fix => result.fix.as_ref().map(|one| one.components),
    }
}

fn row((at, trial): (usize, &TrialLine)) -> TrialRow {
    TrialRow {
        number: at + 1,
        verdict: trial.verdict.clone(),
        phase: trial.phase.map_or("", mend_model::Phase::description),
        what: trial.what.clone(),
        rung: if trial.cached { "cached".to_owned() } else { trial.rung.clone() },
        seconds: format!("{}.{:03}", trial.milliseconds / 1000, trial.milliseconds % 1000),
    }
}

/// Returns the execution modes of the trials, the cheapest first.
fn rungs(result: &RunResult, trials: &[TrialLine]) -> Vec<ExecutionModeRow> {
    // Without a JDK, the user's own command built and tested.
    let clean = match result.environment.jdk {
        Some(_) => "full build, fresh JVM",
        None => "command on a clean checkout",
    };
    let ways = [
        ("cached", "cached result"),
        (
            "identical-classes",
            "warm compiler; classes identical to an earlier variant, no test run",
        ),
        ("warm-jvm", "warm compiler, warm JVM"),
        ("restarted-jvm", "warm compiler, restarted JVM"),
        ("fresh-jvm", "warm compiler, fresh JVM"),
        ("clean-build", clean),
    ];
    let way =
        |trial: &TrialLine| if trial.cached { "cached".to_owned() } else { trial.rung.clone() };
    let views = ways.into_iter().map(|(word, what)| {
        let count = trials.iter().filter(|trial| way(trial) == word).count();
        ExecutionModeRow { count, what, share: (100 * count).div_ceil(trials.len().max(1)) }
    });
    views.filter(|view| view.count > 0).collect()
}

fn taken_apart(found: &AnnotatedDelta<'_>) -> DeltaSection {
    let delta = found.delta;
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let mut needs: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for coupling in found.couplings() {
        let rule = dependency_graph::rule(coupling);
        let to: Vec<String> = coupling.to.iter().map(ToString::to_string).collect();
        needs.entry(coupling.from).or_default().push(format!("{} ({rule})", to.join(" or ")));
        *rules.entry(rule).or_default() += 1;
    }
    let mut rules: Vec<(String, usize)> = rules.into_iter().collect();
    rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let hunks = delta.components.iter().map(|one| one.hunks.len()).sum();
    let (components, tokens) = (delta.components.len(), delta.tokens);
    let size = DeltaSize { files: delta.files, java_files: 0, hunks, components, tokens };
    let files = delta.components.chunk_by(|one, other| home(one) == home(other));
    let files = files.map(|some| file_rows(some, found, &needs)).collect();
    let (bundles, more_bundles) = dependency_graph::bundles(found);
    DeltaSection {
        size: of_size(&size),
        pictures: dependency_graph::graph(found),
        rules,
        bundles,
        more_bundles,
        files,
    }
}

fn file_rows(
    some: &[ComponentView],
    found: &AnnotatedDelta<'_>,
    needs: &BTreeMap<usize, Vec<String>>,
) -> FileRows {
    let needed = |id: &usize| needs.get(id).map_or(String::new(), |all| all.join(", "));
    let rows: Vec<ComponentRow> =
        some.iter().map(|one| component_row(one, found, needed(&one.id))).collect();
    FileRows {
        path: some.first().map_or(String::new(), home),
        count: counted(rows.len(), "component"),
        is_found: rows.iter().any(|row| !row.role.is_empty()),
        rows,
    }
}

fn component_row(
    component: &ComponentView,
    found: &AnnotatedDelta<'_>,
    needs: String,
) -> ComponentRow {
    let line = component.hunks.iter().find_map(|hunk| hunk.line);
    let name = component.refactoring.as_ref().map_or(String::new(), |name| format!("{name}: "));
    ComponentRow {
        id: component.id,
        line: line.map_or(String::new(), |line| line.to_string()),
        what: name + &component.what,
        role: found.role(component.id).unwrap_or(""),
        tokens: component.tokens,
        needs,
    }
}

fn cost(result: &RunResult) -> Vec<(String, String)> {
    let cost = &result.cost;
    let count = |number: usize, what: &str| (number.to_string(), what.to_owned());
    let mut all = vec![(duration(cost.seconds), "total time".to_owned())];
    if let Some(found) = &result.schedules {
        all.push(count(found.run, "schedules"));
    }
    if result.commits_tested > 0 {
        all.push(count(result.commits_tested, "commits tested"));
    }
    all.push(count(cost.tests, "test runs"));
    all.push(count(cost.cached, "cached results"));
    all.push((
        format!("{} of {}", cost.builds_ok, cost.builds),
        "successful compilations".to_owned(),
    ));
    if cost.rejected > 0 {
        all.push(count(cost.rejected, "rejected before compiling"));
    }
    all.push((duration(cost.seconds_build), "compile time".to_owned()));
    all.push((duration(cost.seconds_test), "test time".to_owned()));
    all.push(count(cost.jvms, "JVMs started"));
    all
}

/// Returns the missing parts of the page, each with the reason.
fn absent(material: &RunArtifacts<'_>) -> Vec<String> {
    let (result, mut absent) = (material.result(), Vec::new());
    for file in &material.refused {
        absent.push(format!("{file}, which is invalid"));
    }
    let has_delta =
        material.delta.is_some() || material.refused.iter().any(|file| file == "delta.json");
    if result.command == "bisect" && result.delta.is_some() && !has_delta {
        absent.push("the components of the change: the run folder has no delta.json".to_owned());
    }
    let has_patch = result.culprit.is_some() || result.fix.is_some();
    let has_curve = material.trials.iter().any(|trial| trial.search.is_some());
    if result.command == "bisect" && has_patch && !has_curve {
        absent.push("the search curve: trials.jsonl has no search progress".to_owned());
    }
    absent
}

fn environment(result: &RunResult) -> Vec<(&'static str, String)> {
    let environment = &result.environment;
    let version = |version: &crate::VersionInfo| version.revision.clone();
    let rows = [
        ("Good", result.good.as_ref().map(version)),
        ("Bad", result.bad.as_ref().map(version)),
        ("JDK", environment.jdk.clone()),
        ("System", Some(environment.os.clone())),
        ("Jobs", Some(environment.jobs.to_string())),
        ("Seed", Some(environment.seed.to_string())),
        ("git-mend", Some(result.version.clone())),
    ];
    rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
