//! Suspicious statements and their contracts in words, for generators outside of this program.

use super::suspect::SuspiciousStatement;
use crate::contracts::Contracts;
use crate::observe::values::RecordedValues;
use mend_java::Code;
use mend_java::facts::FileNode;
use mend_model::{RepoPath, TermValues};

/// Suspicious statement in words.
#[derive(Clone, Debug, PartialEq)]
pub struct SuspiciousLocation {
    /// File of the statement.
    pub path: RepoPath,
    /// Line of the statement, from 1.
    pub line: u32,
    /// Source text of the statement.
    pub code: String,
    /// Likelihood, from 0 to 1.
    pub score: f64,
    /// Number of failing tests whose values were recorded before the statement.
    pub failing_tests: usize,
    /// Number of passing tests whose values were recorded before the statement.
    pub passing_tests: usize,
    /// Values before the statement, those that separate failing from passing tests first.
    pub values: Vec<TermValues>,
}

/// Contract of a method with a suspicious statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodContract {
    /// File of the method.
    pub path: RepoPath,
    /// Line of the method, from 1.
    pub line: u32,
    /// Preconditions.
    pub requires: Vec<String>,
    /// Postconditions and class invariants.
    pub ensures: Vec<String>,
}

/// Describes suspicious statements, with the values that tests recorded before them.
pub fn describe_suspects(
    main: &[(RepoPath, Code<'_>)],
    suspects: &[SuspiciousStatement],
    recorded_values: &RecordedValues,
) -> Vec<SuspiciousLocation> {
    let describe = |suspect: &SuspiciousStatement| {
        let (path, code) = main.get(suspect.file)?;
        let recorded = recorded_values.term_values_at((suspect.file, suspect.statement), |_| false);
        let ((failing_tests, passing_tests), values) = recorded.unwrap_or_default();
        Some(SuspiciousLocation {
            path: path.clone(),
            line: code.line(suspect.statement),
            code: code.source_text(suspect.statement).to_owned(),
            score: suspect.score,
            failing_tests,
            passing_tests,
            values,
        })
    };
    suspects.iter().filter_map(describe).collect()
}

/// Describes the contracts of the methods with suspicious statements, if there are any.
pub fn describe_contracts(
    main: &[(RepoPath, Code<'_>)],
    contracts: &Contracts,
    suspects: &[SuspiciousStatement],
) -> Vec<MethodContract> {
    let mut methods: Vec<FileNode> = Vec::new();
    for suspect in suspects {
        let method =
            main.get(suspect.file).and_then(|(_, code)| code.enclosing_method(suspect.statement));
        let location = method.map(|method| (suspect.file, method));
        methods.extend(location.filter(|location| !methods.contains(location)));
    }
    let describe = |(file, method): FileNode| {
        let (path, code) = &main[file];
        let (requires, postconditions) = contracts.method_contract(code, method);
        let ensures: Vec<String> = postconditions.into_iter().map(|one| one.source_text).collect();
        let (path, line) = (path.clone(), code.line(method));
        let is_empty = requires.is_empty() && ensures.is_empty();
        (!is_empty).then_some(MethodContract { path, line, requires, ensures })
    };
    methods.into_iter().filter_map(describe).collect()
}
