//! The best repairs, proved and written down.

use super::trials::Plausible;
use crate::model::{Problem, Result, Verdict};
use crate::report::FixResult;
use crate::run::mending::{Mending, Source};
use crate::run::proof::Fresh;

/// Writes down what is shown.
pub(super) struct Emitted<'a> {
    pub(super) mending: Mending<'a>,
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
        let ledger = &self.mending.session.ledger;
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
            let source = Source {
                technique: "contract",
                strategy: one.candidate.strategy.word(),
                why: &one.candidate.why,
                has_sources: true,
            };
            let (fix, text) = self.mending.told(&one.tree, &source)?;
            ledger.folder.write(&file, text.as_deref().unwrap_or_default())?;
            if !self.is_confirmed(&one, &file)? {
                refuted += 1;
                drop(std::fs::remove_file(ledger.folder.path().join(&file)));
                continue;
            }
            let fix = FixResult { rank, patch: Some(file), ..fix };
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
        let validated = self.mending.validated();
        self.mending.session.ledger.update(|result| {
            let rank = result.fixes.len() + 1;
            result.fixes.push(FixResult { rank, validated, ..undo });
        })
    }

    fn is_confirmed(&self, one: &Plausible, file: &str) -> Result<bool> {
        let patch = self.mending.session.ledger.folder.path().join(file);
        let fresh = Fresh {
            what: format!("{file} on a clean checkout"),
            from: self.mending.bad,
            patch: Some(&patch),
            tree: &one.tree,
            before: None,
            may_be_known: self.mending.session.subject.resume,
        };
        match fresh.judged(self.mending.judge) {
            Ok(judgement) => Ok(judgement.verdict == Verdict::Pass),
            Err(problem @ Problem::Interrupted) => {
                // A patch that is not proved is not left lying about.
                drop(std::fs::remove_file(patch));
                Err(problem)
            }
            Err(problem) => Err(problem),
        }
    }
}
