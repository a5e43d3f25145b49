//! Suspicion from stack traces: of statements in frames, definitions of their values, and other statements of the same
//! methods.

use crate::contracts::Contracts;
use crate::localisation::exception_kinds::is_null_dereference;
use crate::localisation::reaching_definitions::ReachingDefinitions;
use mend_java::Code;
use mend_java::facts::{FileNode, NodeIndex, NodeKind};
use mend_model::{Failure, Frame, RepoPath, TestResult};
use std::collections::HashMap;

/// Suspicion decay per stack frame.
const FRAME_DECAY: f64 = 0.8;

/// Suspicion of a statement that only shares its method with a frame.
const SAME_METHOD_WEIGHT: f64 = 0.5;

/// Suspicion of a `try` statement around a statement in a frame, relative to that statement.
const ENCLOSING_TRY_FACTOR: f64 = 0.8;

/// Suspicion of a precondition that a caller violated: the caller is more likely at fault.
const PRECONDITION_FACTOR: f64 = 0.8;

/// Returns the suspicion of each statement from stack traces: for a frame, for defining a value used in a frame, or for
/// belonging to the same method. `is_executed` selects the statements that failing tests execute.
pub(crate) fn suspect_stack_frames(
    main: &[(RepoPath, Code<'_>)],
    contracts: &Contracts,
    results: &[TestResult],
    is_executed: impl Fn(FileNode) -> bool,
) -> HashMap<FileNode, f64> {
    let definitions = ReachingDefinitions::from_files(main, is_executed);
    let mut weights: HashMap<FileNode, f64> = HashMap::new();
    for failure in results.iter().filter_map(TestResult::failure) {
        let mut weight = 1.0;
        for frame in &failure.frames {
            let Some((file, statements_on_line)) = locate_frame(main, frame) else { continue };
            let code = &main[file].1;
            // The condition of a guard is as suspicious as its `throw`.
            let checks: Vec<NodeIndex> = statements_on_line
                .iter()
                .filter_map(|id| contracts.enclosing_check(code, *id))
                .collect();
            let is_precondition =
                checks.iter().any(|check| contracts.is_precondition_check(code, *check))
                    || statements_on_line
                        .iter()
                        .any(|id| is_excluded_null(contracts, code, *id, failure));
            let share = if is_precondition { PRECONDITION_FACTOR } else { 1.0 };
            let frame_statements = statements_on_line.iter().chain(&checks).copied();
            for (place, share) in
                suspicion_around_frame(file, code, frame_statements.collect(), share, &definitions)
            {
                let statement_weight = weights.entry(place).or_default();
                *statement_weight = statement_weight.max(weight * share);
            }
            if !is_precondition {
                weight *= FRAME_DECAY;
            }
        }
    }
    weights
}

/// Returns true if a statement failed on a null parameter that the method's contract excludes.
fn is_excluded_null(
    contracts: &Contracts,
    code: &Code<'_>,
    statement: NodeIndex,
    failure: &Failure,
) -> bool {
    let message = failure.message.as_deref().filter(|_| is_null_dereference(&failure.exception));
    let null_variable = message.and_then(|text| text.split_once("because \"")?.1.split('"').next());
    let (Some(name), Some(method)) = (null_variable, code.enclosing_method(statement)) else {
        return false;
    };
    contracts.excludes_null(code, method, name)
}

/// Returns the statements of one frame, the definitions of the values that they use, and the other statements of the
/// method.
fn suspicion_around_frame(
    file: usize,
    code: &Code<'_>,
    frame_statements: Vec<NodeIndex>,
    share: f64,
    definitions: &ReachingDefinitions<'_>,
) -> Vec<(FileNode, f64)> {
    let method = frame_statements.first().and_then(|id| code.enclosing_method(*id));
    let method_statements = code.statements().filter(|id| code.enclosing_method(*id) == method);
    let mut all: Vec<(FileNode, f64)> =
        method_statements.map(|id| ((file, id), SAME_METHOD_WEIGHT)).collect();
    for id in frame_statements {
        all.push(((file, id), share));
        all.extend(enclosing_tries(code, id).map(|id| ((file, id), share * ENCLOSING_TRY_FACTOR)));
        all.extend(definitions.backward_slice((file, id)));
    }
    all
}

/// Returns the `try` statements around a statement in its routine. They let the exception of a stack trace pass.
fn enclosing_tries(code: &Code<'_>, id: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    let holders = code.self_and_ancestors(id).skip(1);
    let in_routine = holders.take_while(|holder| !code.kind(*holder).is_routine());
    let tries = in_routine.filter(|holder| code.has_kind(*holder, NodeKind::Try));
    tries.collect::<Vec<_>>().into_iter()
}

/// Returns the file of a frame, and the statements on its line.
pub(crate) fn locate_frame(
    main: &[(RepoPath, Code<'_>)],
    frame: &Frame,
) -> Option<(usize, Vec<NodeIndex>)> {
    let outer = frame.class.split('$').next()?;
    let suffix = format!("{}.java", outer.replace('.', "/"));
    let file = main.iter().position(|(path, _)| path.as_bytes().ends_with(suffix.as_bytes()))?;
    let (code, line) = (&main[file].1, frame.line?);
    let covers = |id: &NodeIndex| {
        let lines = code.source_text(*id).matches('\n').count();
        let first = code.line(*id);
        (first..=first + u32::try_from(lines).unwrap_or(0)).contains(&line)
    };
    let covering: Vec<NodeIndex> = code.statements().filter(covers).collect();
    let first = covering.iter().map(|id| code.line(*id)).max()?;
    Some((file, covering.into_iter().filter(|id| code.line(*id) == first).collect()))
}
