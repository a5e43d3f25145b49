//! Model of a page: the data of the template, in the order of the page.

use super::picture::Picture;
use crate::delta::ComponentView;
use crate::page::commit_strip::draw_commit_strip;
use crate::page::dependency_graph;
use crate::page::dependency_graph::{AnnotatedDelta, FileEdges, component_file};
use crate::page::fix_cards::{FixCard, UnverifiedCard, fix_cards, unverified_cards};
use crate::page::headline::run_headline;
use crate::page::patch_view::PatchView;
use crate::page::pool_rows::{PoolPatchRow, pool_rows};
use crate::page::progress_chart::draw_progress_chart;
use crate::page::sequence_diagram::{SequenceDiagram, sequence_diagrams};
use crate::reproduce;
use crate::revert_text::describe_revert;
use crate::terminal::{
    OutputContext, format_duration, is_apply_command, next_command, verification_line,
};
use crate::view::{RunArtifacts, ThreadsView, threads_view};
use crate::{DeltaSize, PatchResult, RunResult, SearchGoal, TrialLine, format_delta_size};
use mend_model::format_count;
use std::collections::BTreeMap;

/// Maximum number of trials with a row.
const MAX_TRIAL_ROWS: usize = 2000;

/// Data of the page template.
pub(super) struct Page {
    pub(super) command: String,
    pub(super) headline: String,
    /// Symptom of the run.
    pub(super) symptom: Option<String>,
    /// Further messages.
    pub(super) remarks: Vec<String>,
    pub(super) commits: Vec<CommitView>,
    pub(super) commits_heading: String,
    /// Result of reverting the culprit commit.
    pub(super) revert: Option<String>,
    /// Next command, with its label.
    pub(super) next_command: Option<(&'static str, String)>,
    pub(super) patches: Vec<FoundPatch>,
    pub(super) fixes: Vec<FixCard>,
    pub(super) unverified_fixes: Vec<UnverifiedCard>,
    pub(super) pool: Vec<PoolPatchRow>,
    pub(super) threads: Option<ThreadsView>,
    pub(super) schedules: Vec<SequenceDiagram>,
    /// Number of failures without a sequence diagram, if others have one.
    pub(super) undrawn_failures: Option<String>,
    /// True if the reader can access the run folder.
    pub(super) can_read_folder: bool,
    pub(super) search: Option<SearchView>,
    pub(super) delta: Option<DeltaSection>,
    pub(super) cost: Vec<(String, String)>,
    pub(super) execution_modes: Vec<ExecutionModeRow>,
    pub(super) not_checked: Vec<String>,
    /// Sentence about the final check of the patches.
    pub(super) verification: Option<String>,
    /// Parts of the page that the run folder does not contain.
    pub(super) missing_parts: Vec<String>,
    pub(super) environment: Vec<(&'static str, String)>,
    pub(super) reproduce: Option<String>,
    pub(super) version: String,
}

/// Culprit commit or suspect.
pub(super) struct CommitView {
    pub(super) short_id: String,
    pub(super) summary: String,
    pub(super) author: String,
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
    pub(super) commit_strip: Option<Picture>,
    pub(super) progress_chart: Option<Picture>,
    pub(super) commits: Vec<TrialRow>,
    pub(super) trials: Vec<TrialRow>,
    pub(super) hidden_trials: usize,
}

/// Row of a trial.
pub(super) struct TrialRow {
    pub(super) number: usize,
    pub(super) verdict: String,
    pub(super) phase: &'static str,
    pub(super) description: String,
    pub(super) execution_mode: String,
    pub(super) seconds: String,
}

/// Number of trials in one execution mode.
pub(super) struct ExecutionModeRow {
    pub(super) count: usize,
    pub(super) description: &'static str,
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
    pub(super) file_edges: Vec<FileEdges>,
    /// Number of pairs of files without a row.
    pub(super) hidden_file_edges: usize,
    pub(super) files: Vec<FileRows>,
}

impl DeltaSection {
    /// Returns the number of components.
    pub(super) fn component_count(&self) -> usize {
        self.files.iter().map(|file| file.rows.len()).sum()
    }
}

/// Components of a file.
pub(super) struct FileRows {
    pub(super) path: String,
    pub(super) count: String,
    pub(super) is_in_result: bool,
    pub(super) rows: Vec<ComponentRow>,
}

/// Row of a component.
pub(super) struct ComponentRow {
    pub(super) id: usize,
    pub(super) line: String,
    pub(super) description: String,
    pub(super) role: &'static str,
    pub(super) tokens: u64,
    pub(super) needs: String,
}

impl Page {
    /// Creates the page of a run.
    pub(super) fn new(artifacts: &RunArtifacts<'_>, context: &OutputContext<'_>) -> Self {
        let result = artifacts.result();
        let mut messages = result
            .messages
            .iter()
            .chain(result.message.iter().filter(|_| result.messages.is_empty()));
        let next = next_command(result, context);
        let reproduce_command = if context.can_read_folder {
            reproduce::same_machine_command
        } else {
            reproduce::other_clone_command
        };
        let reproduce = reproduce_command(result);
        let schedules = sequence_diagrams(artifacts);
        let failures = result.schedules.as_ref().map_or(0, |found| found.failures.len());
        Self {
            command: format!("git mend {}", result.command),
            headline: run_headline(result),
            symptom: messages.next().cloned(),
            remarks: messages.cloned().collect(),
            commits: commit_views(artifacts),
            commits_heading: commits_heading(result),
            revert: result.revert.map(|revert| describe_revert(revert, "bad")),
            next_command: (!next.is_empty())
                .then_some((if is_apply_command(&next) { "Apply" } else { "Next command" }, next)),
            patches: found_patches(artifacts),
            fixes: fix_cards(artifacts, context),
            unverified_fixes: unverified_cards(artifacts),
            pool: pool_rows(result),
            threads: threads_view(
                artifacts,
                context,
                reproduce.as_deref().filter(|_| context.can_read_folder),
            ),
            undrawn_failures: (!schedules.is_empty() && failures > schedules.len())
                .then(|| format_count(failures - schedules.len(), "further failure")),
            can_read_folder: context.can_read_folder,
            schedules,
            search: search_view(artifacts),
            delta: artifacts
                .delta
                .as_ref()
                .map(|delta| delta_section(&AnnotatedDelta::new(delta, result))),
            cost: cost_figures(result),
            execution_modes: execution_mode_rows(result, &artifacts.trials),
            not_checked: result.not_checked.clone(),
            verification: verification_line(result),
            missing_parts: missing_parts(artifacts),
            environment: environment_facts(result),
            reproduce,
            version: result.version.clone(),
        }
    }
}

fn commit_views(artifacts: &RunArtifacts<'_>) -> Vec<CommitView> {
    let result = artifacts.result();
    if let Some(culprit) = &result.culprit_info {
        let (short_id, summary) = (culprit.short_id.clone(), culprit.summary.clone());
        let (author, date) = (culprit.author.clone(), culprit.date.clone());
        return vec![CommitView { short_id, summary, author, date }];
    }
    let commit_ids = result.suspects.iter().chain(&result.culprit_commit);
    let find_commit = |id: &String| {
        artifacts.trials.iter().filter_map(|trial| trial.commit.as_ref()).find(|one| one.id == *id)
    };
    let view = |id: &String| CommitView {
        short_id: id.get(..10).unwrap_or(id).to_owned(),
        summary: find_commit(id).map_or(String::new(), |one| one.summary.clone()),
        author: find_commit(id).map_or(String::new(), |one| one.author.clone()),
        date: find_commit(id).map_or(String::new(), |one| one.date.clone()),
    };
    commit_ids.map(view).collect()
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

fn found_patches(artifacts: &RunArtifacts<'_>) -> Vec<FoundPatch> {
    let result = artifacts.result();
    let headed_patches = [
        (["Minimal culprit", "Smallest culprit so far"], &result.culprit),
        (["Fix", "Smallest fix so far"], &result.fix),
    ];
    let main_patches = headed_patches.into_iter().filter_map(|([minimal, so_far], patch)| {
        let patch = patch.as_ref()?;
        Some((if patch.minimal { minimal } else { so_far }, patch))
    });
    let other_culprits = result.others.iter().map(|other| ("Another culprit", other));
    let view = |(at, (heading, patch)): (usize, (&'static str, &PatchResult))| FoundPatch {
        id: format!("patch-{}", at + 1),
        heading,
        size: describe_patch_size(patch),
        view: PatchView::read(artifacts.run, &patch.patch),
    };
    main_patches.chain(other_culprits).enumerate().map(view).collect()
}

fn describe_patch_size(patch: &PatchResult) -> String {
    let kind =
        if patch.minimal { "minimal: no component can be left out" } else { "not minimal yet" };
    let (tokens, components) =
        (format_count(patch.tokens, "token"), format_count(patch.components, "component"));
    format!("{tokens} in {components}; {kind}")
}

fn search_view(artifacts: &RunArtifacts<'_>) -> Option<SearchView> {
    let (trials, result) = (&artifacts.trials, artifacts.result());
    if trials.is_empty() {
        return None;
    }
    let rows = trials.iter().enumerate();
    let commits = rows.clone().filter(|(_, trial)| trial.commit.is_some()).map(trial_row).collect();
    Some(SearchView {
        commit_strip: draw_commit_strip(trials, result),
        progress_chart: draw_progress_chart(trials, result_size(result)),
        commits,
        trials: rows.take(MAX_TRIAL_ROWS).map(trial_row).collect(),
        hidden_trials: trials.len().saturating_sub(MAX_TRIAL_ROWS),
    })
}

/// Returns the number of components that the search for a goal found.
pub(super) fn result_size(result: &RunResult) -> impl Fn(SearchGoal) -> Option<usize> + '_ {
    |goal| match goal {
        SearchGoal::Culprit => result.culprit.as_ref().map(|one| one.components),
        SearchGoal::Fix => result.fix.as_ref().map(|one| one.components),
    }
}

fn trial_row((at, trial): (usize, &TrialLine)) -> TrialRow {
    TrialRow {
        number: at + 1,
        verdict: trial.verdict.clone(),
        phase: trial.phase.map_or("", mend_model::Phase::description),
        description: trial.what.clone(),
        execution_mode: if trial.cached {
            "cached".to_owned()
        } else {
            trial.execution_mode.clone()
        },
        seconds: format!("{}.{:03}", trial.milliseconds / 1000, trial.milliseconds % 1000),
    }
}

/// Returns the execution modes of the trials, the cheapest first.
fn execution_mode_rows(result: &RunResult, trials: &[TrialLine]) -> Vec<ExecutionModeRow> {
    // Without a JDK, the user's own command ran all builds and tests.
    let clean_build_text = match result.environment.jdk {
        Some(_) => "full build, fresh JVM",
        None => "command on a clean checkout",
    };
    let mode_texts = [
        ("cached", "cached result"),
        (
            "identical-classes",
            "warm compiler; classes identical to an earlier variant, no test run",
        ),
        ("mutant-schema", "warm compiler, many candidates at once; warm JVM"),
        ("warm-jvm", "warm compiler, warm JVM"),
        ("restarted-jvm", "warm compiler, restarted JVM"),
        ("fresh-jvm", "warm compiler, fresh JVM"),
        ("clean-build", clean_build_text),
    ];
    let mode_of = |trial: &TrialLine| {
        if trial.cached { "cached".to_owned() } else { trial.execution_mode.clone() }
    };
    let views = mode_texts.into_iter().map(|(word, what)| {
        let count = trials.iter().filter(|trial| mode_of(trial) == word).count();
        ExecutionModeRow {
            count,
            description: what,
            share: (100 * count).div_ceil(trials.len().max(1)),
        }
    });
    views.filter(|view| view.count > 0).collect()
}

fn delta_section(annotated_delta: &AnnotatedDelta<'_>) -> DeltaSection {
    let delta = annotated_delta.delta;
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let mut needs: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for dependency in annotated_delta.dependencies() {
        let rule = dependency_graph::rule_name(dependency);
        let to: Vec<String> = dependency.to.iter().map(ToString::to_string).collect();
        needs.entry(dependency.from).or_default().push(format!("{} ({rule})", to.join(" or ")));
        *rules.entry(rule).or_default() += 1;
    }
    let mut rules: Vec<(String, usize)> = rules.into_iter().collect();
    rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let hunks = delta.components.iter().map(|one| one.hunks.len()).sum();
    let (components, tokens) = (delta.components.len(), delta.tokens);
    let size = DeltaSize { files: delta.files, java_files: 0, hunks, components, tokens };
    let files =
        delta.components.chunk_by(|one, other| component_file(one) == component_file(other));
    let files = files.map(|some| file_rows(some, annotated_delta, &needs)).collect();
    let (bundles, more_bundles) = dependency_graph::most_coupled_files(annotated_delta);
    DeltaSection {
        size: format_delta_size(&size),
        pictures: dependency_graph::draw_delta(annotated_delta),
        rules,
        file_edges: bundles,
        hidden_file_edges: more_bundles,
        files,
    }
}

fn file_rows(
    components: &[ComponentView],
    annotated_delta: &AnnotatedDelta<'_>,
    needs: &BTreeMap<usize, Vec<String>>,
) -> FileRows {
    let needs_text = |id: &usize| needs.get(id).map_or(String::new(), |all| all.join(", "));
    let rows: Vec<ComponentRow> = components
        .iter()
        .map(|one| component_row(one, annotated_delta, needs_text(&one.id)))
        .collect();
    FileRows {
        path: components.first().map_or(String::new(), component_file),
        count: format_count(rows.len(), "component"),
        is_in_result: rows.iter().any(|row| !row.role.is_empty()),
        rows,
    }
}

fn component_row(
    component: &ComponentView,
    annotated_delta: &AnnotatedDelta<'_>,
    needs: String,
) -> ComponentRow {
    let line = component.hunks.iter().find_map(|hunk| hunk.line);
    let name = component.refactoring.as_ref().map_or(String::new(), |name| format!("{name}: "));
    ComponentRow {
        id: component.id,
        line: line.map_or(String::new(), |line| line.to_string()),
        description: name + &component.what,
        role: annotated_delta.role(component.id).unwrap_or(""),
        tokens: component.tokens,
        needs,
    }
}

fn cost_figures(result: &RunResult) -> Vec<(String, String)> {
    let cost = &result.cost;
    let count = |number: usize, what: &str| (number.to_string(), what.to_owned());
    let mut figures = vec![(format_duration(cost.seconds), "total time".to_owned())];
    if let Some(found) = &result.schedules {
        figures.push(count(found.run, "schedules"));
    }
    if result.commits_tested > 0 {
        figures.push(count(result.commits_tested, "commits tested"));
    }
    figures.push(count(cost.tests, "test runs"));
    figures.push(count(cost.cached, "cached results"));
    figures.push((
        format!("{} of {}", cost.builds_ok, cost.builds),
        "successful compilations".to_owned(),
    ));
    if cost.rejected > 0 {
        figures.push(count(cost.rejected, "rejected before compiling"));
    }
    figures.push((format_duration(cost.seconds_build), "compile time".to_owned()));
    figures.push((format_duration(cost.seconds_test), "test time".to_owned()));
    figures.push(count(cost.jvms, "JVMs started"));
    figures
}

/// Returns the missing parts of the page, each with the reason.
fn missing_parts(artifacts: &RunArtifacts<'_>) -> Vec<String> {
    let (result, mut missing) = (artifacts.result(), Vec::new());
    for file in &artifacts.invalid_files {
        missing.push(format!("{file}, which is invalid"));
    }
    let has_delta = artifacts.delta.is_some()
        || artifacts.invalid_files.iter().any(|file| file == "delta.json");
    if result.command == "bisect" && result.delta.is_some() && !has_delta {
        missing.push("the components of the change: the run folder has no delta.json".to_owned());
    }
    let has_patch = result.culprit.is_some() || result.fix.is_some();
    let has_curve = artifacts.trials.iter().any(|trial| trial.search.is_some());
    if result.command == "bisect" && has_patch && !has_curve {
        missing.push("the search curve: trials.jsonl has no search progress".to_owned());
    }
    missing
}

fn environment_facts(result: &RunResult) -> Vec<(&'static str, String)> {
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
