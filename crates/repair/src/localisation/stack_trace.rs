//! Suspicion from stack traces: statements in frames, definitions of their values, and other statements of the same
//! methods.

use crate::contracts::Contracts;
use crate::localisation::exception_kinds::is_null;
use crate::localisation::reaching_definitions::{ReachingDefinitions, StatementLocation};
use mend_java::Code;
use mend_java::facts::NodeIndex;
use mend_model::{Failure, Frame, RepoPath, TestResult};
use std::collections::HashMap;

/// Suspicion decay per stack frame.
const FADING: f64 = 0.8;

/// Suspicion of a statement that only shares its method with a frame.
const SAME_METHOD: f64 = 0.5;

/// Suspicion of a precondition that a caller violated: the caller is more likely at fault.
const PRECONDITION: f64 = 0.8;

/// Returns the suspicion of each statement from stack traces: for a frame, for defining a value used in a frame, or for
/// belonging to the same method. `is_visited` selects the statements that failing tests execute.
pub(crate) fn stack(
    main: &[(RepoPath, Code<'_>)],
    contracts: &Contracts,
    results: &[TestResult],
    is_visited: impl Fn(StatementLocation) -> bool,
) -> HashMap<StatementLocation, f64> {
    let births = ReachingDefinitions::from_files(main, is_visited);
    let mut weights: HashMap<StatementLocation, f64> = HashMap::new();
    for failure in results.iter().filter_map(TestResult::failure) {
        let mut weight = 1.0;
        for frame in &failure.frames {
            let Some((file, on_line)) = located(main, frame) else { continue };
            let code = &main[file].1;
            // The condition under which something is thrown is as suspect as throwing it.
            let checks: Vec<NodeIndex> =
                on_line.iter().filter_map(|id| contracts.check_of(code, *id)).collect();
            let is_demand = checks.iter().any(|check| contracts.is_demand(code, *check))
                || on_line.iter().any(|id| is_null_against(contracts, code, *id, failure));
            let share = if is_demand { PRECONDITION } else { 1.0 };
            let itself = on_line.iter().chain(&checks).copied();
            for (place, share) in
                suspicion_around_frame(file, code, itself.collect(), share, &births)
            {
                let known = weights.entry(place).or_default();
                *known = known.max(weight * share);
            }
            if !is_demand {
                weight *= FADING;
            }
        }
    }
    weights
}

/// Returns true if a statement failed on a null parameter that the method's contract excludes.
fn is_null_against(
    contracts: &Contracts,
    code: &Code<'_>,
    statement: NodeIndex,
    failure: &Failure,
) -> bool {
    let message = failure.message.as_deref().filter(|_| is_null(&failure.exception));
    let named = message.and_then(|text| text.split_once("because \"")?.1.split('"').next());
    let (Some(name), Some(method)) = (named, code.method_of(statement)) else { return false };
    contracts.excludes_null(code, method, name)
}

/// Returns the statements of one frame, the definitions of the values that they use, and the other statements of the
/// method.
fn suspicion_around_frame(
    file: usize,
    code: &Code<'_>,
    itself: Vec<NodeIndex>,
    share: f64,
    births: &ReachingDefinitions<'_>,
) -> Vec<(StatementLocation, f64)> {
    let method = itself.first().and_then(|id| code.method_of(*id));
    let beside = code.statements().filter(|id| code.method_of(*id) == method);
    let mut all: Vec<(StatementLocation, f64)> =
        beside.map(|id| ((file, id), SAME_METHOD)).collect();
    for id in itself {
        all.push(((file, id), share));
        all.extend(births.backward_slice((file, id)));
    }
    all
}

/// Returns the file of a frame, and the statements on its line.
pub(crate) fn located(
    main: &[(RepoPath, Code<'_>)],
    frame: &Frame,
) -> Option<(usize, Vec<NodeIndex>)> {
    let outer = frame.class.split('$').next()?;
    let suffix = format!("{}.java", outer.replace('.', "/"));
    let file = main.iter().position(|(path, _)| path.as_bytes().ends_with(suffix.as_bytes()))?;
    let (code, line) = (&main[file].1, frame.line?);
    let covers = |id: &NodeIndex| {
        let lines = code.written(*id).matches('\n').count();
        let first = code.line(*id);
        (first..=first + u32::try_from(lines).unwrap_or(0)).contains(&line)
    };
    let covering: Vec<NodeIndex> = code.statements().filter(covers).collect();
    let first = covering.iter().map(|id| code.line(*id)).max()?;
    Some((file, covering.into_iter().filter(|id| code.line(*id) == first).collect()))
}
