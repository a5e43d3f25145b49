//! Counts of agreements by kind, and their table.

use super::comparison::{Agreement, CommitFindings};
use super::kinds::KINDS;
use std::collections::BTreeMap;

/// Numbers of findings of one kind.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    git_mend: usize,
    confirmed: usize,
    refactoring_miner: usize,
    found: usize,
    moved_code: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.git_mend += other.git_mend;
        self.confirmed += other.confirmed;
        self.refactoring_miner += other.refactoring_miner;
        self.found += other.found;
        self.moved_code += other.moved_code;
    }

    fn row(&self, name: &str) -> String {
        let Self { git_mend, confirmed, refactoring_miner, found, moved_code } = self;
        format!(
            "| {name} | {git_mend} | {confirmed} | {refactoring_miner} | {found} | {moved_code} |"
        )
    }
}

/// Counts of all kinds.
#[derive(Default)]
pub(crate) struct Table {
    by_kind: BTreeMap<&'static str, Counts>,
}

impl Table {
    pub(crate) fn add_commit(&mut self, findings: &CommitFindings) {
        for (finding, agreement) in findings.compare_git_mend() {
            let Some(kind) = finding.kind else { continue };
            let counts = self.by_kind.entry(kind.name).or_default();
            counts.git_mend += 1;
            counts.confirmed += usize::from(agreement == Agreement::Both);
        }
        for (finding, agreement) in findings.compare_refactoring_miner() {
            let Some(kind) = finding.kind else { continue };
            let counts = self.by_kind.entry(kind.name).or_default();
            counts.refactoring_miner += 1;
            counts.found += usize::from(agreement == Agreement::Both);
            counts.moved_code += usize::from(agreement == Agreement::MovedCode);
        }
    }

    /// Formats the table in Markdown, with precision and recall below it.
    pub(crate) fn format(&self) -> String {
        let mut lines = vec![
            "| kind | git-mend's | confirmed | RefactoringMiner's | found | moved code |"
                .to_owned(),
            "|---|--:|--:|--:|--:|--:|".to_owned(),
        ];
        let mut all = Counts::default();
        for kind in &KINDS {
            if let Some(counts) = self.by_kind.get(kind.name) {
                lines.push(counts.row(kind.name));
                all.add(*counts);
            }
        }
        lines.push(all.row("all"));
        lines.push(format!("precision {}", format_ratio(all.confirmed, all.git_mend)));
        lines.push(format!("recall {}", format_ratio(all.found, all.refactoring_miner)));
        let represented = all.found + all.moved_code;
        lines.push(format!("with moved code {}", format_ratio(represented, all.refactoring_miner)));
        lines.join("\n")
    }
}

fn format_ratio(part: usize, whole: usize) -> String {
    let percent = (part * 100).checked_div(whole).unwrap_or_default();
    format!("{part} of {whole} ({percent} %)")
}
