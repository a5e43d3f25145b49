//! What a page shows, in words and in the order of the page.

use super::answer::answer;
use super::curve::curve;
use super::diff::PatchView;
use super::graph::{self, Bundle, Found, home};
use super::history::strip;
use super::picture::Picture;
use super::pool::{PoolRow, pool};
use super::repairs::{FixView, cards};
use super::sequence::{Sequence, sequences};
use crate::model::counted;
use crate::report::again;
use crate::report::delta::ComponentView;
use crate::report::human::{Scene, duration, next_command};
use crate::report::shown::{Material, ThreadsView, threads};
use crate::report::{DeltaSize, PatchResult, RunResult, Sought, TrialLine, of_size};
use std::collections::BTreeMap;

/// So many trials have a row.
const MOST_TRIALS: usize = 2000;

/// Everything that the template shows.
pub(super) struct Page {
    pub(super) command: String,
    pub(super) answer: String,
    /// The symptom.
    pub(super) symptom: Option<String>,
    /// What else there is to say.
    pub(super) remarks: Vec<String>,
    pub(super) commits: Vec<CommitView>,
    pub(super) next: Option<String>,
    pub(super) patches: Vec<FoundPatch>,
    pub(super) fixes: Vec<FixView>,
    pub(super) pool: Vec<PoolRow>,
    pub(super) threads: Option<ThreadsView>,
    pub(super) schedules: Vec<Sequence>,
    /// How many failures have no drawn schedule, if some are drawn.
    pub(super) undrawn: Option<String>,
    /// Whether the run folder is there for who reads.
    pub(super) is_kept: bool,
    pub(super) search: Option<SearchView>,
    pub(super) delta: Option<TakenApart>,
    pub(super) cost: Vec<(String, String)>,
    pub(super) rungs: Vec<RungView>,
    pub(super) not_checked: Vec<String>,
    pub(super) confirmed: bool,
    /// What this page would show if the run had written it down.
    pub(super) absent: Vec<String>,
    pub(super) environment: Vec<(&'static str, String)>,
    pub(super) reproduce: Option<String>,
    pub(super) version: String,
}

/// A commit that broke it, or may have.
pub(super) struct CommitView {
    pub(super) short_id: String,
    pub(super) summary: String,
    pub(super) by: String,
    pub(super) date: String,
}

/// A patch of a bisection.
pub(super) struct FoundPatch {
    pub(super) id: String,
    pub(super) heading: &'static str,
    pub(super) size: String,
    pub(super) view: PatchView,
}

/// How the search went.
pub(super) struct SearchView {
    pub(super) strip: Option<Picture>,
    pub(super) curve: Option<Picture>,
    pub(super) commits: Vec<TrialRow>,
    pub(super) trials: Vec<TrialRow>,
    pub(super) hidden: usize,
}

/// One trial.
pub(super) struct TrialRow {
    pub(super) number: usize,
    pub(super) verdict: String,
    pub(super) phase: &'static str,
    pub(super) what: String,
    pub(super) rung: String,
    pub(super) seconds: String,
}

/// How much was judged in one way.
pub(super) struct RungView {
    pub(super) count: usize,
    pub(super) what: &'static str,
    /// Of a hundred.
    pub(super) share: usize,
}

/// The change that was searched.
pub(super) struct TakenApart {
    pub(super) size: String,
    pub(super) pictures: Vec<Picture>,
    /// Rules, and how many couplings each made.
    pub(super) rules: Vec<(String, usize)>,
    /// Couplings between files, where these are too many for a picture.
    pub(super) bundles: Vec<Bundle>,
    /// How many pairs of files have no row there.
    pub(super) more_bundles: usize,
    pub(super) files: Vec<FileRows>,
}

impl TakenApart {
    /// How many components there are.
    pub(super) fn rows(&self) -> usize {
        self.files.iter().map(|file| file.rows.len()).sum()
    }
}

/// A file's components.
pub(super) struct FileRows {
    pub(super) path: String,
    pub(super) count: String,
    pub(super) is_found: bool,
    pub(super) rows: Vec<ComponentRow>,
}

/// A component.
pub(super) struct ComponentRow {
    pub(super) id: usize,
    pub(super) line: String,
    pub(super) what: String,
    pub(super) role: &'static str,
    pub(super) tokens: u64,
    pub(super) needs: String,
}

impl Page {
    /// What a page of a run shows.
    pub(super) fn of(material: &Material<'_>, scene: &Scene<'_>) -> Self {
        let result = material.result();
        let mut said =
            result.said.iter().chain(result.message.iter().filter(|_| result.said.is_empty()));
        let next = next_command(result, scene);
        let again = if scene.is_kept { again::here } else { again::elsewhere };
        let reproduce = again(result);
        let schedules = sequences(material);
        let failures = result.schedules.as_ref().map_or(0, |found| found.failures.len());
        Self {
            command: format!("git mend {}", result.command),
            answer: answer(result),
            symptom: said.next().cloned(),
            remarks: said.cloned().collect(),
            commits: commits(material),
            next: (!next.is_empty()).then_some(next),
            patches: patches(material),
            fixes: cards(material, scene),
            pool: pool(result),
            threads: threads(material, scene, reproduce.as_deref().filter(|_| scene.is_kept)),
            undrawn: (!schedules.is_empty() && failures > schedules.len())
                .then(|| counted(failures - schedules.len(), "further failure")),
            is_kept: scene.is_kept,
            schedules,
            search: search(material),
            delta: material.delta.as_ref().map(|delta| taken_apart(&Found::new(delta, result))),
            cost: cost(result),
            rungs: rungs(&material.trials),
            not_checked: result.not_checked.clone(),
            confirmed: result.confirmed.is_some(),
            absent: absent(material),
            environment: environment(result),
            reproduce,
            version: result.version.clone(),
        }
    }
}

fn commits(material: &Material<'_>) -> Vec<CommitView> {
    let result = material.result();
    if let Some(guilty) = &result.guilty {
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

fn patches(material: &Material<'_>) -> Vec<FoundPatch> {
    let result = material.result();
    let both =
        [("The change that breaks it", &result.culprit), ("The patch that mends it", &result.fix)];
    let main = both.into_iter().filter_map(|(heading, patch)| Some((heading, patch.as_ref()?)));
    let others = result.others.iter().map(|other| ("Breaks it as well, alone", other));
    let view = |(at, (heading, patch)): (usize, (&'static str, &PatchResult))| FoundPatch {
        id: format!("patch-{}", at + 1),
        heading,
        size: size(patch),
        view: PatchView::of(material.run, &patch.patch),
    };
    main.chain(others).enumerate().map(view).collect()
}

fn size(patch: &PatchResult) -> String {
    let kind = if patch.minimal {
        "no part of it can be left out"
    } else {
        "the smallest so far; a part may still be left out"
    };
    let (tokens, components) =
        (counted(patch.tokens, "token"), counted(patch.components, "component"));
    format!("{tokens} in {components}; {kind}")
}

fn search(material: &Material<'_>) -> Option<SearchView> {
    let (trials, result) = (&material.trials, material.result());
    if trials.is_empty() {
        return None;
    }
    let rows = trials.iter().enumerate();
    let commits = rows.clone().filter(|(_, trial)| trial.commit.is_some()).map(row).collect();
    Some(SearchView {
        strip: strip(trials, result),
        curve: curve(trials, left(result)),
        commits,
        trials: rows.take(MOST_TRIALS).map(row).collect(),
        hidden: trials.len().saturating_sub(MOST_TRIALS),
    })
}

/// How many components a search for a goal came to.
pub(super) fn left(result: &RunResult) -> impl Fn(Sought) -> Option<usize> + '_ {
    |goal| match goal {
        Sought::Culprit => result.culprit.as_ref().map(|one| one.components),
        Sought::Fix => result.fix.as_ref().map(|one| one.components),
    }
}

fn row((at, trial): (usize, &TrialLine)) -> TrialRow {
    TrialRow {
        number: at + 1,
        verdict: trial.verdict.clone(),
        phase: trial.phase.map_or("", crate::model::Phase::words),
        what: trial.what.clone(),
        rung: if trial.cached { "known".to_owned() } else { trial.rung.clone() },
        seconds: format!("{}.{:03}", trial.milliseconds / 1000, trial.milliseconds % 1000),
    }
}

/// How trials were judged, from what took least to what took most.
fn rungs(trials: &[TrialLine]) -> Vec<RungView> {
    let ways = [
        ("known", "known from before"),
        ("same", "compiled anew; the classes are those of an earlier variant"),
        ("loader", "compiler and test machine that stay"),
        ("jvm", "compiler that stays, fresh test machine"),
        ("process", "built from scratch, fresh test machine"),
    ];
    let way =
        |trial: &TrialLine| if trial.cached { "known".to_owned() } else { trial.rung.clone() };
    let views = ways.into_iter().map(|(word, what)| {
        let count = trials.iter().filter(|trial| way(trial) == word).count();
        RungView { count, what, share: (100 * count).div_ceil(trials.len().max(1)) }
    });
    views.filter(|view| view.count > 0).collect()
}

fn taken_apart(found: &Found<'_>) -> TakenApart {
    let delta = found.delta;
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let mut needs: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for coupling in found.couplings() {
        let rule = graph::rule(coupling);
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
    let (bundles, more_bundles) = graph::bundles(found);
    TakenApart {
        size: of_size(&size),
        pictures: graph::graph(found),
        rules,
        bundles,
        more_bundles,
        files,
    }
}

fn file_rows(
    some: &[ComponentView],
    found: &Found<'_>,
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

fn component_row(component: &ComponentView, found: &Found<'_>, needs: String) -> ComponentRow {
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
    let mut all = vec![(duration(cost.seconds), "from start to end".to_owned())];
    if let Some(found) = &result.schedules {
        all.push(count(found.run, "schedules run"));
    }
    if result.commits_tested > 0 {
        all.push(count(result.commits_tested, "commits tested"));
    }
    all.push(count(cost.tests, "test executions"));
    all.push(count(cost.cached, "known from before"));
    all.push((
        format!("{} of {}", cost.builds_ok, cost.builds),
        "compilations without error".to_owned(),
    ));
    if cost.rejected > 0 {
        all.push(count(cost.rejected, "refused before compiling"));
    }
    all.push((duration(cost.seconds_build), "in compilers".to_owned()));
    all.push((duration(cost.seconds_test), "in tests".to_owned()));
    all.push(count(cost.jvms, "Java machines started"));
    all
}

/// What is not on the page because nobody wrote it down.
fn absent(material: &Material<'_>) -> Vec<String> {
    let (result, mut absent) = (material.result(), Vec::new());
    for file in &material.refused {
        absent.push(format!("{file}, which is not as a run writes it"));
    }
    let has_delta =
        material.delta.is_some() || material.refused.iter().any(|file| file == "delta.json");
    if result.command == "bisect" && result.delta.is_some() && !has_delta {
        absent.push("the change taken apart: the run wrote no delta.json".to_owned());
    }
    let has_patch = result.culprit.is_some() || result.fix.is_some();
    let has_curve = material.trials.iter().any(|trial| trial.search.is_some());
    if result.command == "bisect" && has_patch && !has_curve {
        absent.push("the search curve: the trials do not say what was still suspected".to_owned());
    }
    absent
}

fn environment(result: &RunResult) -> Vec<(&'static str, String)> {
    let environment = &result.environment;
    let version = |version: &crate::report::Version| version.revision.clone();
    let rows = [
        ("Good", result.good.as_ref().map(version)),
        ("Bad", result.bad.as_ref().map(version)),
        ("JDK", environment.jdk.clone()),
        ("System", Some(environment.os.clone())),
        ("Jobs at once", Some(environment.jobs.to_string())),
        ("Seed", Some(environment.seed.to_string())),
        ("git-mend", Some(result.version.clone())),
    ];
    rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
