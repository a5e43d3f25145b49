//! Verifies the best fixes and writes them down.

use super::plausible::PlausibleFix;
use crate::run::fix::fix_minimiser::FixMinimiser;
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::RevertRanking;
use crate::run::judge::Judgement;
use crate::run::patch::affected_tests::AffectedTestRunner;
use crate::run::patch::repair_context::{RepairContext, RepairOrigin};
use crate::run::patch::verification::{CleanCheckout, difference};
use mend_model::{Result, Verdict, counted};
use mend_repair::RecordedValues;
use mend_report::{FixEvidence, FixResult, ObservedValues};
use std::collections::{BTreeSet, HashSet};

/// Maximum number of fixes rejected by other tests; each check takes as long as these tests.
const MOST_BROKEN: usize = 6;

/// Verifies and writes the best fixes.
pub(super) struct FixWriter<'a> {
    pub(super) mending: RepairContext<'a>,
    /// The values that tests found before it was changed.
    pub(super) observed: &'a RecordedValues,
    pub(super) shrinker: FixMinimiser<'a>,
    /// Result of the techniques before.
    pub(super) so_far: &'a Fixes,
    pub(super) undo: RevertRanking,
}

/// Result of the verification so far.
#[derive(Default)]
struct WrittenFixes {
    shown: Vec<FixResult>,
    values: Vec<ObservedValues>,
    /// Number of fixes that a clean build contradicted.
    contradicted: usize,
    /// Regressions of rejected fixes.
    broken: Vec<String>,
}

impl FixWriter<'_> {
    /// Verifies fixes in their order until `top` of them are confirmed, and writes these. The revert was verified
    /// before and takes its place among them. A fix that equals another one after its minimisation is left out.
    pub(super) fn best(mut self, plausible: Vec<PlausibleFix>, top: usize) -> Result<Fixes> {
        let RepairContext { session, bad, store, demands, .. } = self.mending;
        self.undo.weigh(&self.mending)?;
        let undo = &self.undo;
        let (mut done, mut known, asked) =
            (WrittenFixes::default(), HashSet::new(), demands.tests());
        let neighbours = AffectedTestRunner::new(session, &asked);
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
            session.ledger.save(&self.with_fixes(&done, top))?;
        }
        if !done.values.is_empty() {
            session.ledger.folder.write_values(&done.values)?;
        }
        let mut fixes = self.with_fixes(&done, top);
        fixes.summary.extend(done.refused());
        session.ledger.save(&fixes)?;
        Ok(fixes)
    }

    /// Returns the result so far with the written fixes and the revert.
    fn with_fixes(&self, done: &WrittenFixes, top: usize) -> Fixes {
        Fixes { ranked: self.undo.insert_into(&done.shown, top), ..self.so_far.clone() }
    }

    /// Adds a fix if a clean build confirms it and no affected test rejects it.
    fn check(
        &self,
        one: &PlausibleFix,
        smaller: Option<PlausibleFix>,
        neighbours: &AffectedTestRunner<'_>,
        done: &mut WrittenFixes,
    ) -> Result<()> {
        let rank = done.shown.len() + 1;
        let proved = smaller.map(|smaller| self.proved(&smaller, rank)).transpose()?.flatten();
        // Where a fresh build does not bear out the smaller form, the whole may do.
        let proved = proved.map_or_else(|| self.proved(one, rank), |fix| Ok(Some(fix)))?;
        let Some(fix) = proved else {
            done.contradicted += 1;
            return Ok(());
        };
        let (fix, broken) = neighbours.check_fix(fix)?;
        let file = fix.patch.as_deref().unwrap_or_default();
        if let Some(why) = broken {
            let folder = &self.mending.session.ledger.folder;
            folder.append_log(&format!("rejected, {}: {why}", one.description()))?;
            drop(std::fs::remove_file(folder.path().join(file)));
            done.broken.push(why);
            return Ok(());
        }
        done.values.extend(self.values(one, file));
        done.shown.push(fix);
        Ok(())
    }

    /// Returns the values that tests observed before the changed statement.
    fn values(&self, one: &PlausibleFix, patch: &str) -> Option<ObservedValues> {
        let ((failing, passing), terms) = self.observed.observations_before(&one.candidate)?;
        Some(ObservedValues {
            patch: patch.to_owned(),
            path: one.candidate.path.to_string(),
            line: one.candidate.line,
            failing,
            passing,
            terms,
        })
    }

    /// Writes and verifies a fix; `None` if a clean build does not confirm it.
    fn proved(&self, one: &PlausibleFix, rank: usize) -> Result<Option<FixResult>> {
        let why = one.description();
        let source = RepairOrigin {
            technique: "contract",
            operator: one.candidate.strategy.word(),
            why: &why,
            has_sources: true,
        };
        let (fix, text) = self.mending.to_fix_result(&one.tree, &source)?;
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
            FixEvidence {
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

    /// Returns the tests that still fail; `None` if a clean build contradicts.
    fn confirmed(&self, one: &PlausibleFix, file: &str) -> Result<Option<BTreeSet<String>>> {
        let patch = self.mending.session.ledger.folder.path().join(file);
        let leaves = match one.left.len() {
            0 => String::new(),
            some => format!(", except {} that it does not fix", counted(some, "failing test")),
        };
        let fresh = CleanCheckout {
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

impl WrittenFixes {
    /// Returns the reasons why fixes were rejected.
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
