//! Smallest closed set of components that contains a wrong token.

use crate::Measurement;
use crate::corpus::{Case, Files, HiddenEdit};
use mend_delta::{Delta, HunkId, JavaGranularity, count_changed_tokens};
use mend_engine::{AttributionServer, Environment, Jdk, SourceSet, SupervisedLauncher, Toolchain};
use mend_model::{FileChange, FileState, Interrupt, RepoPath, TreeId};
use mend_process::Supervisor;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// Compiler that gives the facts of each version.
pub(crate) struct ClosedSets {
    server: AttributionServer,
}

impl ClosedSets {
    pub(crate) fn new() -> Self {
        let work = std::env::temp_dir().join("git-mend-bench");
        let supervisor = Supervisor::without_watchdog(Interrupt::default());
        let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: work.clone() });
        let jdk = Jdk::find(&Environment::from_process(), &*launcher).unwrap();
        let tools = Toolchain::new(jdk, launcher, &work);
        Self { server: AttributionServer::start(&tools).unwrap() }
    }

    /// Measures a history; `None` if its new version does not compile.
    pub(crate) fn measure(&mut self, case: &Case, edit: &HiddenEdit) -> Option<Measurement> {
        let started = Instant::now();
        let new = case.with_edit(edit);
        if !self.compiles(&new) {
            return None;
        }
        let facts = [&case.old, &new].map(|files| self.server.analyse(&source_set(files)).unwrap());
        let delta = Delta::with_facts(
            TreeId(String::new()),
            &changes_between(&case.old, &new),
            JavaGranularity::Ast,
            Some((&facts[0], &facts[1])),
        );
        let component = component_with(&delta, edit)?;
        let culprit = closure(&delta, component);
        let with_culprit = render(&delta, &case.old, &|one| culprit.contains(&one));
        let reverted = dependents(&delta, component);
        let with_fix = render(&delta, &case.old, &|one| !reverted.contains(&one));
        let good_builds = [&with_culprit, &with_fix].into_iter().filter(|one| self.compiles(one));
        Some(Measurement {
            culprit: count_changed_tokens(&changes_between(&case.old, &with_culprit)),
            fix: count_changed_tokens(&changes_between(&with_fix, &new)),
            builds: 2,
            good_builds: good_builds.count(),
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    fn compiles(&mut self, files: &Files) -> bool {
        self.server.compile_errors(&source_set(files)).unwrap().is_empty()
    }
}

fn source_set(files: &Files) -> SourceSet {
    let files = files.iter().map(|(path, text)| (path.clone(), Arc::clone(text))).collect();
    SourceSet { files, ..SourceSet::default() }
}

/// Returns the changed files, with renames where a removed and an added file have most bytes in common lines.
fn changes_between(old: &Files, new: &Files) -> Vec<FileChange> {
    let side = |files: &Files, path: &RepoPath| {
        let text = files.get(path)?;
        Some((path.clone(), FileState::regular(Arc::clone(text))))
    };
    let renames = detect_renames(old, new);
    let renamed: BTreeSet<&RepoPath> = renames.values().copied().collect();
    let paths: BTreeSet<&RepoPath> = old.keys().chain(new.keys()).collect();
    let paths = paths.into_iter().filter(|path| !renamed.contains(path));
    let changes = paths.map(|path| {
        let new_path = renames.get(path).copied().unwrap_or(path);
        FileChange { old: side(old, path), new: side(new, new_path) }
    });
    changes.filter(|change| change.old != change.new).collect()
}

/// Returns the new paths of renamed files.
fn detect_renames<'a>(old: &'a Files, new: &'a Files) -> BTreeMap<&'a RepoPath, &'a RepoPath> {
    let added = |path: &RepoPath| !old.contains_key(path);
    let candidates: Vec<&RepoPath> = new.keys().filter(|path| added(path)).collect();
    let removed = old.iter().filter(|(path, _)| !new.contains_key(*path));
    let rename = |(path, text): (&'a RepoPath, &Arc<[u8]>)| {
        let is_similar = |other: &&&RepoPath| are_similar(text, &new[**other]);
        Some((path, *candidates.iter().find(is_similar)?))
    };
    removed.filter_map(rename).collect()
}

/// Returns true if at least half of the bytes of the larger text are in common lines.
fn are_similar(old: &[u8], new: &[u8]) -> bool {
    let lines: BTreeSet<&[u8]> = old.split(|byte| *byte == b'\n').collect();
    let common = new.split(|byte| *byte == b'\n').filter(|line| lines.contains(line));
    2 * common.map(<[u8]>::len).sum::<usize>() >= old.len().max(new.len())
}

/// Returns the component whose smallest hunk inserts the wrong token.
fn component_with(delta: &Delta, edit: &HiddenEdit) -> Option<usize> {
    let contains_token = |hunk: &HunkId| {
        let hunk = &delta.hunks()[*hunk];
        let range = hunk.new.as_ref().filter(|_| hunk.path == edit.path && !hunk.is_layout);
        range.is_some_and(|range| range.contains(&edit.range.start))
    };
    let size = |hunk: &HunkId| delta.hunks()[*hunk].new.as_ref().map_or(0, std::ops::Range::len);
    let hunk = (0..delta.hunks().len()).filter(contains_token).min_by_key(size)?;
    delta.component_of(hunk)
}

/// Returns a component and what it needs, with the first alternative of each dependency.
fn closure(delta: &Delta, component: usize) -> BTreeSet<usize> {
    let dependencies = delta.component_dependencies();
    let mut closure = BTreeSet::from([component]);
    loop {
        let unsatisfied = dependencies
            .iter()
            .find(|(from, to)| closure.contains(from) && !to.iter().any(|to| closure.contains(to)));
        let Some((_, to)) = unsatisfied else { return closure };
        closure.insert(to[0]);
    }
}

/// Returns a component and what needs it.
fn dependents(delta: &Delta, component: usize) -> BTreeSet<usize> {
    let dependencies = delta.component_dependencies();
    let mut removed = BTreeSet::from([component]);
    loop {
        let unsatisfied = dependencies
            .iter()
            .find(|(from, to)| !removed.contains(from) && to.iter().all(|to| removed.contains(to)));
        let Some((from, _)) = unsatisfied else { return removed };
        removed.insert(*from);
    }
}

fn render(delta: &Delta, base: &Files, is_enabled: &dyn Fn(usize) -> bool) -> Files {
    let mut files = base.clone();
    for (path, state) in delta.render_components(is_enabled, false).changes {
        match state {
            Some(state) => drop(files.insert(path, state.content)),
            None => drop(files.remove(&path)),
        }
    }
    files
}
