//! The best repairs, proved and written down.

use super::trials::Plausible;
use crate::model::{Result, Verdict, counted};
use crate::report::{FixResult, Validated};
use crate::run::judge::Judgement;
use crate::run::mending::{Mending, Source};
use crate::run::proof::{Fresh, difference};
use std::collections::BTreeSet;

/// Writes down what is shown.
pub(super) struct Emitted<'a> {
    pub(super) mending: Mending<'a>,
}

impl Emitted<'_> {
    /// Proves repairs in their order until `top` of them are confirmed, and writes these. What undoing comes to was
    /// proved already and is in the result; it takes its place by its size, for what worked before is preferred to what
    /// is as small; a repair that comes to the same is not shown again.
    pub(super) fn best(&self, plausible: Vec<Plausible>, top: usize) -> Result<()> {
        let ledger = &self.mending.session.ledger;
        let (mut shown, mut refuted) = (Vec::new(), 0);
        let mut undo = ledger.result().fixes.pop();
        let undone = undo.as_ref().and_then(|undo| undo.patch.clone());
        let undone = undone.and_then(|file| std::fs::read(ledger.folder.path().join(file)).ok());
        for one in plausible {
            let is_smaller =
                |undo: &mut FixResult| undo.tokens.is_none_or(|size| size <= one.tokens);
            shown.extend(undo.take_if(is_smaller));
            if shown.len() >= top {
                break;
            }
            let Mending { bad, store, .. } = self.mending;
            let text = difference(bad, &one.tree, store)?.1;
            if undone.as_ref().is_some_and(|undone| *undone == text) {
                continue;
            }
            match self.proved(&one, shown.len() + 1)? {
                Some(fix) => shown.push(fix),
                None => refuted += 1,
            }
            self.show(&shown, undo.as_ref(), top)?;
        }
        self.show(&shown, undo.as_ref(), top)?;
        if refuted > 0 {
            let times = counted(refuted, "time");
            let words = format!("fresh builds contradicted the resident engine {times}");
            ledger.update(|result| result.say(words))?;
        }
        Ok(())
    }

    /// Ranks what is shown; what undoing comes to is the last as long as it has no other place.
    fn show(&self, shown: &[FixResult], undo: Option<&FixResult>, top: usize) -> Result<()> {
        let all = shown.iter().chain(undo).take(top).zip(1..);
        let ranked = |(fix, rank): (&FixResult, usize)| FixResult {
            rank,
            validated: match fix.validated.failing_pass {
                0 => self.mending.validated(),
                _ => fix.validated.clone(),
            },
            ..fix.clone()
        };
        let fixes = all.map(ranked).collect();
        self.mending.session.ledger.update(|result| result.fixes = fixes)
    }

    /// A repair with its patch written, if a fresh build confirms it.
    fn proved(&self, one: &Plausible, rank: usize) -> Result<Option<FixResult>> {
        let why = one.why();
        let source = Source {
            technique: "contract",
            strategy: one.candidate.strategy.word(),
            why: &why,
            has_sources: true,
        };
        let (fix, text) = self.mending.told(&one.tree, &source)?;
        let file = format!("fix-{rank}.patch");
        let folder = &self.mending.session.ledger.folder;
        folder.write(&file, text.as_deref().unwrap_or_default())?;
        let confirmed = self.confirmed(one, &file);
        if !matches!(confirmed, Ok(Some(_))) {
            // A patch that is not proved is not left lying about.
            drop(std::fs::remove_file(folder.path().join(&file)));
        }
        // Where nothing was right before, there is nothing to agree with.
        let compared = one.agreement.filter(|agreement| agreement.compared > 0);
        let generated = compared.map(|agreement| agreement.compared - agreement.changed);
        let told = |still_failing: BTreeSet<String>| {
            let failing_pass = fix.validated.failing_pass - still_failing.len();
            let still_failing = still_failing.into_iter().collect();
            Validated { failing_pass, still_failing, generated, ..fix.validated.clone() }
        };
        let validated = confirmed?.map(told);
        Ok(validated.map(|validated| FixResult { patch: Some(file), validated, ..fix }))
    }

    /// Which tests still fail, if a fresh build does not contradict.
    fn confirmed(&self, one: &Plausible, file: &str) -> Result<Option<BTreeSet<String>>> {
        let patch = self.mending.session.ledger.folder.path().join(file);
        let fresh = Fresh {
            what: format!("{file} on a clean checkout"),
            from: self.mending.bad,
            patch: Some(&patch),
            tree: &one.tree,
            before: None,
            may_be_known: self.mending.session.subject.resume,
        };
        let Judgement { verdict, outcome, .. } = fresh.judged(self.mending.judge)?;
        let left = outcome.map(|outcome| self.mending.demands.left_by(&outcome));
        Ok(left.filter(|left| verdict == Verdict::Pass && left.is_subset(&one.left)))
    }
}
