//! Result of `explain_change`.

use mend_report::delta::{ComponentView, DeltaView, DependencyKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::fs;
use std::path::Path;

/// File with the delta in the run folder.
pub(crate) const DELTA_FILE: &str = "delta.json";

/// A change, split into components
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ChangeResult {
    /// Number of files that differ
    files: usize,
    /// Number of tokens deleted plus inserted
    tokens: u64,
    /// Number of components that change behaviour
    behaviour_change_count: usize,
    /// Components that change behaviour, the largest first
    behaviour_changes: Vec<Component>,
    /// Number of components that are refactorings
    refactoring_count: usize,
    /// Components that are refactorings, the largest first
    refactorings: Vec<Component>,
    /// Number of hunks that change only white space and comments
    whitespace_hunks: usize,
    /// Java files that do not parse, split into lines
    unparsed: Vec<String>,
}

/// Hunks that can only be applied together
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Component {
    /// Number, for `git mend delta --apply`
    id: usize,
    /// Short description
    what: String,
    /// Name of the refactoring, if it is one
    refactoring: Option<String>,
    /// Number of tokens deleted plus inserted
    tokens: u64,
    /// Location of the first hunk, as `path:line`
    location: String,
    /// Components without which it does not compile; alternatives are separated by `or`
    needs: Vec<String>,
}

/// Reads the delta of a run folder, if it is complete.
pub(crate) fn read_delta(folder: &Path) -> Option<DeltaView> {
    serde_json::from_slice(&fs::read(folder.join(DELTA_FILE)).ok()?).ok()
}

impl ChangeResult {
    pub(crate) fn new(view: &DeltaView) -> Self {
        let mut components: Vec<_> =
            view.components.iter().map(|component| Component::new(component, view)).collect();
        components.sort_by_key(|component| std::cmp::Reverse(component.tokens));
        let (refactorings, behaviour_changes): (Vec<_>, Vec<_>) =
            components.into_iter().partition(|component| component.refactoring.is_some());
        Self {
            files: view.files,
            tokens: view.tokens,
            behaviour_change_count: behaviour_changes.len(),
            behaviour_changes,
            refactoring_count: refactorings.len(),
            refactorings,
            whitespace_hunks: view.whitespace_hunks,
            unparsed: view.unparsed.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Component {
    fn new(component: &ComponentView, view: &DeltaView) -> Self {
        let is_need = |kind| kind != DependencyKind::Together;
        let dependencies =
            view.couplings.iter().filter(|one| one.from == component.id && is_need(one.kind));
        let format_alternatives =
            |to: &[usize]| to.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
        let mut needs: Vec<String> =
            dependencies.map(|dependency| format_alternatives(&dependency.to)).collect();
        needs.dedup();
        let first = component.hunks.first();
        let path = first.map(|hunk| hunk.path.to_string()).unwrap_or_default();
        let line = first.and_then(|hunk| hunk.line);
        Self {
            id: component.id,
            what: component.what.clone(),
            refactoring: component.refactoring.clone(),
            tokens: component.tokens,
            location: line.map_or(path.clone(), |line| format!("{path}:{line}")),
            needs,
        }
    }
}
