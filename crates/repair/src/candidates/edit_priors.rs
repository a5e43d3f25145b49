//! Prior likelihood of fix operators by the kind of the statement, from fixes of maintainers.

use crate::candidates::candidate::{CandidateEdit, FixOperator};
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind};

/// Kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatementKind {
    /// A condition, a loop or a switch.
    Condition,
    Result,
    /// Declaration of a local variable with a value.
    Definition,
    /// An assignment or a call.
    Expression,
    Exception,
}

/// Numbers of fixes that change or precede a statement of one kind.
struct FixCounts {
    kind: StatementKind,
    condition: u32,
    null_check: u32,
    range_check: u32,
    early_exit: u32,
    /// Other inserted statements.
    insertion: u32,
    removal: u32,
    /// Other operators, names, values and arguments.
    other: u32,
}

/// Small fixes from 2015 to 2026 in 17 projects (bitcoinj, Commons Compress, Configuration, Geometry, JEXL, Math and Net,
/// Jackson Core, `JavaParser`, `JFreeChart`, Jinjava, `JSqlParser`, Logback, Metrics, Mockito, Swagger Core, Univocity
/// Parsers), counted by `cargo bench --bench real_fixes -- --counts CHECKOUT…`. None of these projects is
/// in `benches/real_fixes/list.txt`.
const FIX_COUNTS: [FixCounts; 5] = [
    FixCounts {
        kind: StatementKind::Condition,
        condition: 46,
        null_check: 25,
        range_check: 15,
        early_exit: 15,
        insertion: 21,
        removal: 14,
        other: 40,
    },
    FixCounts {
        kind: StatementKind::Result,
        condition: 14,
        null_check: 9,
        range_check: 3,
        early_exit: 5,
        insertion: 5,
        removal: 0,
        other: 75,
    },
    FixCounts {
        kind: StatementKind::Definition,
        condition: 2,
        null_check: 11,
        range_check: 6,
        early_exit: 7,
        insertion: 8,
        removal: 2,
        other: 41,
    },
    FixCounts {
        kind: StatementKind::Expression,
        condition: 8,
        null_check: 5,
        range_check: 8,
        early_exit: 1,
        insertion: 34,
        removal: 14,
        other: 212,
    },
    FixCounts {
        kind: StatementKind::Exception,
        condition: 0,
        null_check: 0,
        range_check: 0,
        early_exit: 2,
        insertion: 0,
        removal: 0,
        other: 21,
    },
];

/// Number of fixes of the average distribution that are added to the counts of each kind, because some are small.
const AVERAGE_FIXES: f64 = 20.0;

/// Minimum of the prior.
const MIN_PRIOR: f64 = 0.4;

/// Returns how likely an edit is at a statement relative to other statements, at most 1. The counts recognise edits by
/// their tokens, so that they only make unusual edits less likely.
pub(crate) fn edit_prior(code: &Code<'_>, statement: NodeIndex, edit: &CandidateEdit) -> f64 {
    let (Some(kind), Some(count)) = (statement_kind(code, statement), count_of(edit)) else {
        return 1.0;
    };
    relative_frequency(kind, count).clamp(MIN_PRIOR, 1.0)
}

/// Returns the share of an edit among the fixes at one kind of statement, relative to its share among all.
fn relative_frequency(kind: StatementKind, count: fn(&FixCounts) -> u32) -> f64 {
    let sum = |counted: &dyn Fn(&FixCounts) -> u32, is_meant: &dyn Fn(StatementKind) -> bool| {
        let rows = FIX_COUNTS.iter().filter(|row| is_meant(row.kind));
        f64::from(rows.map(counted).sum::<u32>())
    };
    let (of_kind, of_any) = (|one| one == kind, |_| true);
    let average = sum(&count, &of_any) / sum(&FixCounts::total, &of_any);
    let share = (sum(&count, &of_kind) + AVERAGE_FIXES * average)
        / (sum(&FixCounts::total, &of_kind) + AVERAGE_FIXES);
    share / average
}

impl FixCounts {
    fn total(&self) -> u32 {
        let checks = self.condition + self.null_check + self.range_check + self.early_exit;
        checks + self.insertion + self.removal + self.other
    }
}

fn statement_kind(code: &Code<'_>, statement: NodeIndex) -> Option<StatementKind> {
    match code.kind(statement) {
        NodeKind::If | NodeKind::Switch => Some(StatementKind::Condition),
        kind if kind.is_loop() => Some(StatementKind::Condition),
        NodeKind::Return | NodeKind::Yield => Some(StatementKind::Result),
        NodeKind::Variable if code.is_statement(statement) => Some(StatementKind::Definition),
        NodeKind::ExpressionStatement => Some(StatementKind::Expression),
        NodeKind::Throw => Some(StatementKind::Exception),
        _ => None,
    }
}

/// Returns the count that includes an edit, if there is one.
fn count_of(edit: &CandidateEdit) -> Option<fn(&FixCounts) -> u32> {
    // The counts have no unconditional exit, which completes a branch.
    let is_conditional = edit.edits.iter().any(|edit| edit.text.contains("if ("));
    match edit.operator {
        FixOperator::Condition => Some(|row| row.condition),
        FixOperator::NullCheck => Some(|row| row.null_check),
        FixOperator::RangeCheck => Some(|row| row.range_check),
        FixOperator::EarlyExit if is_conditional => Some(|row| row.early_exit),
        FixOperator::Donor | FixOperator::Assignment => Some(|row| row.insertion),
        FixOperator::Removal => Some(|row| row.removal),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_rarer_before_calls_than_at_conditions() {
        for count in [
            (|row: &FixCounts| row.early_exit) as fn(&FixCounts) -> u32,
            |row| row.null_check,
            |row| row.condition,
        ] {
            assert!(relative_frequency(StatementKind::Expression, count) < 0.6);
            assert!(relative_frequency(StatementKind::Condition, count) > 1.2);
        }
    }

    #[test]
    fn frequencies_are_relative_to_the_average() {
        let counts: [fn(&FixCounts) -> u32; 2] = [|row| row.removal, |row| row.insertion];
        for count in counts {
            let all: Vec<f64> =
                FIX_COUNTS.iter().map(|row| relative_frequency(row.kind, count)).collect();
            assert!(all.iter().any(|one| *one > 1.0) && all.iter().any(|one| *one < 1.0));
        }
    }
}
