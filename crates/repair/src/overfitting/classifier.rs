//! Classifies edits of a statement that pass tests without a correct fix, by the signs of overfitting.

use super::constant_result::makes_result_constant;
use super::skipped_effects::{SkippedEffect, classify_skipped_effect};
use crate::candidates::candidate::{FixOperator, OverfittingKind};
use crate::contracts::Contracts;
use crate::localisation::diagnosis::Diagnosis;
use crate::localisation::expected_guards::guards_expected_exception;
use crate::localisation::stack_trace_suspicion::locate_frame;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, SymbolKind};
use mend_java::{Code, Edit};
use mend_model::{Failure, RepoPath};
use std::collections::HashSet;
use std::ops::Range;

/// Factor for a candidate that avoids a check, relative to one that satisfies it.
const CHECK_BYPASS_FACTOR: f64 = 0.3;

/// Factors for a candidate that makes a command do nothing after a wrong result: if the command reports success, and if
/// it reports nothing. In the latter case one execution may be sufficient.
const SKIPPED_EFFECT_FACTORS: [f64; 2] = [0.2, 0.6];

/// Factor for a candidate that leaves a variable unused.
const UNUSED_VARIABLE_FACTOR: f64 = 0.3;

/// Classifier of edits, for one failure.
pub(crate) struct OverfittingClassifier<'a> {
    contracts: &'a Contracts,
    diagnosis: &'a Diagnosis,
    /// Statements in the stack traces of failing tests: removing one removes the failure itself.
    statements_on_stacks: HashSet<FileNode>,
}

/// Classifier of edits of one statement.
pub(crate) struct StatementClassifier<'a> {
    code: Code<'a>,
    statement: NodeIndex,
    /// True if the check that contains the statement is a precondition; `None` without a check.
    is_precondition: Option<bool>,
    is_on_stack: bool,
    /// True if all failures are wrong results.
    is_wrong_result: bool,
    /// Uses of local variables that nothing else in the method uses, with the variables' names.
    sole_uses: Vec<(Range<usize>, &'a str)>,
}

/// Edits to classify. Those of our own candidates have one form.
#[derive(Clone, Copy)]
pub(crate) struct ClassifiedEdits<'a> {
    pub(crate) operator: FixOperator,
    /// Smallest edits that make the change.
    pub(crate) narrow: &'a [Edit],
    /// Edits of whole statements.
    pub(crate) whole: &'a [Edit],
    /// True if the whole routine is known to return one constant with the edits.
    pub(crate) is_constant: bool,
}

/// Signs of overfitting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OverfittingSigns {
    pub(crate) kind: Option<OverfittingKind>,
    /// Factor of the score.
    pub(crate) factor: f64,
}

impl OverfittingSigns {
    /// Combines the signs of two parts of a change: one overfitting part is sufficient.
    pub(crate) fn combine(self, other: Self) -> Self {
        Self { kind: self.kind.or(other.kind), factor: self.factor.min(other.factor) }
    }
}

impl<'a> ClassifiedEdits<'a> {
    /// Creates the edits of one of our own candidates.
    pub(crate) fn new(operator: FixOperator, edits: &'a [Edit]) -> Self {
        Self { operator, narrow: edits, whole: edits, is_constant: false }
    }
}

impl<'a> OverfittingClassifier<'a> {
    pub(crate) fn new(
        main: &[(RepoPath, Code<'_>)],
        contracts: &'a Contracts,
        diagnosis: &'a Diagnosis,
    ) -> Self {
        let statements_on_stacks = find_statements_on_stacks(main, &diagnosis.failures);
        Self { contracts, diagnosis, statements_on_stacks }
    }

    /// Returns the classifier of edits of a statement. Only the checks of suspicious statements may have failed.
    pub(crate) fn at<'c>(
        &self,
        code: &Code<'c>,
        location: FileNode,
        is_suspicious: bool,
    ) -> StatementClassifier<'c> {
        let statement = location.1;
        // A check that should have thrown did not fail, so no edit avoids it.
        let may_have_failed =
            |check: &NodeIndex| !guards_expected_exception(code, *check, self.diagnosis);
        let check = self.contracts.enclosing_check(code, statement).filter(|_| is_suspicious);
        let check = check.filter(may_have_failed);
        StatementClassifier {
            code: *code,
            statement,
            is_precondition: check.map(|id| self.contracts.is_precondition_check(code, id)),
            is_on_stack: self.statements_on_stacks.contains(&location),
            is_wrong_result: self.diagnosis.is_wrong_result(),
            sole_uses: find_sole_uses(code, statement),
        }
    }
}

impl StatementClassifier<'_> {
    /// Classifies edits.
    pub(crate) fn classify(&self, edits: ClassifiedEdits<'_>) -> OverfittingSigns {
        let (factor, kind) = self.find_overfitting(edits);
        let unused_factor = if leaves_variable_unused(&self.sole_uses, edits.narrow) {
            UNUSED_VARIABLE_FACTOR
        } else {
            1.0
        };
        OverfittingSigns { kind, factor: factor * unused_factor }
    }

    /// Returns the factor and the kind of the first sign that applies.
    fn find_overfitting(&self, edits: ClassifiedEdits<'_>) -> (f64, Option<OverfittingKind>) {
        let Self { code, statement, .. } = self;
        let ClassifiedEdits { operator, narrow, whole, is_constant } = edits;
        let is_bypass = self
            .is_precondition
            .is_some_and(|is_precondition| bypasses_check(code, operator, narrow, is_precondition));
        if is_bypass {
            return (CHECK_BYPASS_FACTOR, Some(OverfittingKind::AvoidsCheck));
        }
        if self.is_on_stack && operator == FixOperator::Removal {
            return (1.0, Some(OverfittingKind::RemovesFailure));
        }
        if is_constant || makes_result_constant(code, *statement, narrow) {
            return (CHECK_BYPASS_FACTOR, Some(OverfittingKind::ConstantResult));
        }
        let forms = [Some(whole), Some(narrow).filter(|narrow| *narrow != whole)];
        let forms = forms.into_iter().flatten().filter(|_| self.is_wrong_result);
        let mut effects = forms.map(|edits| classify_skipped_effect(code, *statement, edits));
        match effects.find(|effect| *effect != SkippedEffect::Nothing) {
            Some(SkippedEffect::ReportingSuccess) => {
                (SKIPPED_EFFECT_FACTORS[0], Some(OverfittingKind::SkipsWork))
            }
            Some(SkippedEffect::Silently) => (SKIPPED_EFFECT_FACTORS[1], None),
            Some(SkippedEffect::Nothing) | None => (1.0, None),
        }
    }
}

/// Returns the statements in the stack traces of failed tests.
fn find_statements_on_stacks(
    main: &[(RepoPath, Code<'_>)],
    failures: &[Failure],
) -> HashSet<FileNode> {
    let frames = failures.iter().flat_map(|failure| &failure.frames);
    let locations = frames.filter_map(|frame| locate_frame(main, frame));
    locations.flat_map(|(file, all)| all.into_iter().map(move |id| (file, id))).collect()
}

/// Returns the uses in a statement of local variables that nothing else in the method uses, with the variables' names.
fn find_sole_uses<'a>(code: &Code<'a>, statement: NodeIndex) -> Vec<(Range<usize>, &'a str)> {
    let Some(method) = code.enclosing_method(statement) else { return Vec::new() };
    let local_symbol = |id: NodeIndex| {
        let symbol = code.node(id).symbol.filter(|_| code.has_kind(id, NodeKind::Identifier))?;
        (code.facts.symbol(symbol).kind == SymbolKind::Local).then_some(symbol)
    };
    let method_nodes = method..code.node(method).subtree_end;
    let is_sole_use = |id: &NodeIndex| {
        let symbol = local_symbol(*id);
        symbol.is_some()
            && method_nodes.clone().filter(|other| local_symbol(*other) == symbol).count() == 1
    };
    let sole_uses = code.own_nodes(statement).into_iter().filter(is_sole_use);
    sole_uses.map(|id| (code.bytes(id), code.source_text(id))).collect()
}

/// Returns true if the edits remove the only use of a variable.
fn leaves_variable_unused(sole_uses: &[(Range<usize>, &str)], edits: &[Edit]) -> bool {
    let is_identifier_char = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mentions = |edit: &Edit, name: &str| {
        edit.text.split(|c| !is_identifier_char(c)).any(|word| word == name)
    };
    sole_uses.iter().any(|(bytes, name)| {
        let covers = |edit: &Edit| edit.bytes.0 <= bytes.start && bytes.end <= edit.bytes.1;
        edits.iter().any(|edit| covers(edit) && !edit.text.is_empty())
            && !edits.iter().any(|edit| mentions(edit, name))
    })
}

/// Returns true if a candidate avoids a check. A precondition can be too strict. A check in the middle of a method is
/// right, except for its boundary value.
fn bypasses_check(
    code: &Code<'_>,
    operator: FixOperator,
    edits: &[Edit],
    is_precondition: bool,
) -> bool {
    let only_deletes = edits.iter().all(|edit| edit.text.is_empty());
    only_deletes
        || operator.bypasses_checks()
        || !is_precondition && !only_changes_strictness(code, edits)
}

/// Returns true if an edit switches an order comparison between strict and non-strict.
fn only_changes_strictness(code: &Code<'_>, edits: &[Edit]) -> bool {
    let [Edit { bytes, text }] = edits else { return false };
    let old_operator = code.text.get(bytes.0..bytes.1).unwrap_or_default();
    matches!((old_operator, text.as_str()), ("<", "<=") | ("<=", "<") | (">", ">=") | (">=", ">"))
}
