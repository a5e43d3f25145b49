//! Statements that a patch changes, as suspicious statements.

use crate::localisation::suspect::SuspiciousStatement;
use mend_java::{Code, Edit};
use mend_model::RepoPath;

/// Returns the statements that edits of a file change, all equally suspicious, the shortest first.
pub fn find_changed_statements(
    main: &[(RepoPath, Code<'_>)],
    path: &RepoPath,
    edits: &[Edit],
) -> Vec<SuspiciousStatement> {
    let Some((file, (_, code))) = main.iter().enumerate().find(|(_, (other, _))| other == path)
    else {
        return Vec::new();
    };
    let is_changed = |start: usize, end: usize| {
        edits.iter().any(|edit| edit.bytes.0 < end && start < edit.bytes.1.max(edit.bytes.0 + 1))
    };
    let mut statements: Vec<_> = code
        .statements()
        .filter(|statement| {
            let bytes = code.bytes(*statement);
            is_changed(bytes.start, bytes.end)
        })
        .collect();
    statements.sort_by_key(|statement| code.bytes(*statement).len());
    statements
        .into_iter()
        .map(|statement| SuspiciousStatement { file, statement, score: 1.0 })
        .collect()
}
