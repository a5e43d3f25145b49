//! The best repairs, proved and written down.

use super::trials::Plausible;
use crate::delta::change_tokens;
use crate::git::Store;
use crate::model::{Demands, FileChange, Problem, Result, Verdict};
use crate::report::{FixResult, PatchSummary, Validated};
use crate::run::judge::Judge;
use crate::run::proof::{Fresh, difference};
use crate::run::session::Session;
use crate::run::versions::Version;

/// Writes down what is shown.
pub(super) struct Emitted<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) judge: &'a Judge,
    pub(super) demands: &'a Demands,
    pub(super) store: &'a Store,
    pub(super) bad: &'a Version,
}

impl Emitted<'_> {
    /// Proves repairs in their order until `top` of them are confirmed, and writes these. What undoing comes to was
    /// proved already, and takes its place by its size: what worked before is preferred to what is as small.
    pub(super) fn best(
        &self,
        plausible: Vec<Plausible>,
        mut undo: Option<FixResult>,
        top: usize,
    ) -> Result<()> {
        let ledger = &self.session.ledger;
        let mut refuted = 0;
        for one in plausible {
            let is_smaller =
                |undo: &mut FixResult| undo.tokens.is_none_or(|size| size <= one.tokens);
            if let Some(undo) = undo.take_if(is_smaller) {
                self.push(undo)?;
            }
            let rank = ledger.result().fixes.len() + 1;
            if rank > top {
                break;
            }
            let file = format!("fix-{rank}.patch");
            let (changes, text) = difference(self.bad, &one.tree, self.store)?;
            ledger.folder.write(&file, &text)?;
            if !self.is_confirmed(&one, &file)? {
                refuted += 1;
                drop(std::fs::remove_file(ledger.folder.path().join(&file)));
                continue;
            }
            let fix = self.told(&one, rank, file, &changes, &text);
            ledger.update(|result| result.fixes.push(fix))?;
        }
        if let Some(undo) = undo.filter(|_| ledger.result().fixes.len() < top) {
            self.push(undo)?;
        }
        if refuted > 0 {
            ledger.update(|result| {
                result
                    .say(format!("fresh builds contradicted the resident engine {refuted} times"));
            })?;
        }
        Ok(())
    }

    /// Gives what undoing comes to its rank.
    fn push(&self, undo: FixResult) -> Result<()> {
        let (mended, kept) = (self.demands.mended().len(), self.demands.kept().len());
        self.session.ledger.update(|result| {
            let rank = result.fixes.len() + 1;
            let validated =
                Validated { failing_pass: mended, passing_kept: kept, ..undo.validated.clone() };
            result.fixes.push(FixResult { rank, validated, ..undo });
        })
    }

    fn is_confirmed(&self, one: &Plausible, file: &str) -> Result<bool> {
        let patch = self.session.ledger.folder.path().join(file);
        let fresh = Fresh {
            what: format!("{file} on a clean checkout"),
            from: self.bad,
            patch: Some(&patch),
            tree: &one.tree,
            before: None,
            may_be_known: self.session.subject.resume,
        };
        match fresh.judged(self.judge) {
            Ok(judgement) => Ok(judgement.verdict == Verdict::Pass),
            Err(problem @ Problem::Interrupted) => {
                // A patch that is not proved is not left lying about.
                drop(std::fs::remove_file(patch));
                Err(problem)
            }
            Err(problem) => Err(problem),
        }
    }

    fn told(
        &self,
        one: &Plausible,
        rank: usize,
        file: String,
        changes: &[FileChange],
        text: &[u8],
    ) -> FixResult {
        let summary = PatchSummary::of(&String::from_utf8_lossy(text));
        let files = changes.iter().filter_map(FileChange::path).map(ToString::to_string);
        FixResult {
            rank,
            technique: "contract".to_owned(),
            strategy: one.candidate.strategy.word().to_owned(),
            patch: Some(file),
            tokens: Some(change_tokens(changes)),
            lines: Some(summary.lines),
            files: files.collect(),
            location: summary.location,
            why: one.candidate.why.clone(),
            validated: Validated {
                failing_pass: self.demands.mended().len(),
                passing_kept: self.demands.kept().len(),
                generated: None,
                schedules: None,
                bound: None,
            },
        }
    }
}
