//! Verifies the best fixes and writes them down.

use super::plausible::Plausible;
use crate::run::fix::fix_minimizer::Shrinker;
use crate::run::fix::revert::Undo;
use crate::run::judge::Judgement;
use crate::run::patch::affected_tests::Neighbours;
use crate::run::patch::repair_context::{Mending, Source};
use crate::run::patch::verification::{Fresh, difference};
use mend_model::{Result, Verdict, counted};
use mend_repair::Observed;
use mend_report::{FixResult, SeenValues, Validated};
use std::collections::{BTreeSet, HashSet};

/// Maximum number of fixes rejected by other tests; each check takes as long as these tests.
const MOST_BROKEN: usize = 6;

/// Writes down what is shown.
pub(super) struct Emitted<'a> {
    pub(super) mending: Mending<'a>,
    /// The values that tests found before it was changed.
    pub(super) observed: &'a Observed,
    pub(super) shrinker: Shrinker<'a>,
}

/// Result of the verification so far.
#[derive(Default)]
struct Done {
    shown: Vec<FixResult>,
    values: Vec<SeenValues>,
    /// How many a fresh build contradicts.
    contradicted: usize,
    /// Which other tests fail with those that are not shown because of that.
    broken: Vec<String>,
}

impl Emitted<'_> {
    /// Proves repairs in their order until `top` of them are confirmed, and writes these. What undoing comes to was
    /// proved already, is in the result and takes its place; a repair that comes to the same as another one, once what
    /// is superfluous is left out, is not shown again.
    pub(super) fn best(&self, plausible: Vec<Plausible>, top: usize) -> Result<()> {
        let Mending { session, bad, store, demands, .. } = self.mending;
        let mut undo = Undo::of(&session.ledger);
        undo.weigh(&self.mending)?;
        let (mut done, mut known, asked) = (Done::default(), HashSet::new(), demands.tests());
        let neighbours = Neighbours::new(session, &asked);
        for one in plausible {
            let is_after = undo.comes_before(Some(one.tokens), one.left.len());
            let is_enough = done.shown.len() + usize::from(is_after) >= top;
            if is_enough || done.broken.len() >= MOST_BROKEN {
                break;
            }
            let smaller = self.shrinker.smaller(&one)?;
            let tree = smaller.as_ref().map_or(&one.tree, |smaller| &smaller.tree);
            if !known.insert(tree.clone()) || undo.is_the_same(&difference(bad, tree, store)?.1) {
                continue;
            }
            self.check(&one, smaller, &neighbours, &mut done)?;
            let fixes = undo.among(&done.shown, top);
            session.ledger.update(|result| result.fixes = fixes)?;
        }
        let fixes = undo.among(&done.shown, top);
        session.ledger.update(|result| result.fixes = fixes)?;
        if !done.values.is_empty() {
            session.ledger.folder.write_values(&done.values)?;
        }
        session.ledger.update(|result| done.refused().for_each(|words| result.say(words)))
    }

    /// Shows a repair if a fresh build confirms it and no other test speaks against it.
    fn check(
        &self,
        one: &Plausible,
        smaller: Option<Plausible>,
        neighbours: &Neighbours<'_>,
        done: &mut Done,
    ) -> Result<()> {
        let rank = done.shown.len() + 1;
        let proved = smaller.map(|smaller| self.proved(&smaller, rank)).transpose()?.flatten();
        // Where a fresh build does not bear out the smaller form, the whole may do.
        let proved = proved.map_or_else(|| self.proved(one, rank), |fix| Ok(Some(fix)))?;
        let Some(fix) = proved else {
            done.contradicted += 1;
            return Ok(());
        };
        let (fix, broken) = neighbours.beside(fix)?;
        let file = fix.patch.as_deref().unwrap_or_default();
        if let Some(why) = broken {
            let folder = &self.mending.session.ledger.folder;
            folder.append_log(&format!("rejected, {}: {why}", one.why()))?;
            drop(std::fs::remove_file(folder.path().join(file)));
            done.broken.push(why);
            return Ok(());
        }
        done.values.extend(self.values(one, file));
        done.shown.push(fix);
        Ok(())
    }

    /// What tests found before the statement that a repair changes.
    fn values(&self, one: &Plausible, patch: &str) -> Option<SeenValues> {
        let ((failing, passing), terms) = self.observed.before(&one.candidate)?;
        Some(SeenValues {
            patch: patch.to_owned(),
            path: one.candidate.path.to_string(),
            line: one.candidate.line,
            failing,
            passing,
            terms,
        })
    }

    /// A repair with its patch written, if a fresh build confirms it.
    fn proved(&self, one: &Plausible, rank: usize) -> Result<Option<FixResult>> {
        let why = one.why();
        let source = Source {
            technique: "contract",
            operator: one.candidate.strategy.word(),
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
        let generated_different = compared.map_or(0, |agreement| agreement.changed);
        let told = |still_failing: BTreeSet<String>| {
            let failing_pass = fix.validated.failing_pass - still_failing.len();
            let still_failing = still_failing.into_iter().collect();
            Validated {
                failing_pass,
                still_failing,
                generated,
                generated_different,
                ..fix.validated.clone()
            }
        };
        let validated = confirmed?.map(told);
        Ok(validated.map(|validated| FixResult { patch: Some(file), validated, ..fix }))
    }

    /// Which tests still fail, if a fresh build does not contradict.
    fn confirmed(&self, one: &Plausible, file: &str) -> Result<Option<BTreeSet<String>>> {
        let patch = self.mending.session.ledger.folder.path().join(file);
        let leaves = match one.left.len() {
            0 => String::new(),
            some => format!(", except {} that it does not fix", counted(some, "failing test")),
        };
        let fresh = Fresh {
            what: format!("{file} on a clean checkout{leaves}"),
            from: self.mending.bad,
            patch: Some(&patch),
            tree: &one.tree,
            limits: self.mending.judge.limits.patient(),
            before: None,
            may_be_known: self.mending.session.subject.resume,
        };
        let Judgement { verdict, outcome, .. } = fresh.judged(self.mending.judge)?;
        let left = outcome.map(|outcome| self.mending.demands.left_by(&outcome));
        Ok(left.filter(|left| verdict == Verdict::Pass && left.is_subset(&one.left)))
    }
}

impl Done {
    /// Why something is not shown, in words.
    fn refused(&self) -> impl Iterator<Item = String> {
        let contradicted = (self.contradicted > 0).then(|| {
            let times = counted(self.contradicted, "time");
            format!("clean builds contradicted the resident engine {times}")
        });
        let broken = self.broken.first().map(|why| {
            let fixes = counted(self.broken.len(), "fix");
            format!("{fixes} rejected by other tests: {why}")
        });
        contradicted.into_iter().chain(broken)
    }
}
