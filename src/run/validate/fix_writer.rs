//! Minimises, ranks and writes the plausible patches of a pool.

use super::trials::PlausiblePatch;
use crate::run::patch::patch_minimiser::PatchMinimiser;
use crate::run::patch::repair_context::{RepairContext, RepairOrigin};
use crate::run::patch::verification::{CleanCheckout, difference};
use crate::run::subject::attribution::Attribution;
use crate::run::validate::result::Validated;
use mend_model::{Problem, Result, TreeId, Verdict};
use mend_report::FixResult;
use std::collections::HashMap;

/// Minimises, ranks and writes plausible patches.
pub(super) struct PoolFixWriter<'a> {
    pub(super) mending: RepairContext<'a>,
    pub(super) attribution: Option<&'a Attribution>,
}

/// A fix without its rank.
struct RankedPatch {
    fix: FixResult,
    /// Patch, if sources are changed.
    text: Option<Vec<u8>>,
    tree: TreeId,
    /// Patches of the pool that result in this tree.
    names: Vec<String>,
}

impl PoolFixWriter<'_> {
    /// Minimises the patches on request, ranks them by size, and writes them. Patches with the same result become one
    /// fix. If the minimisation ends early, the other patches stay as they are.
    pub(super) fn emit(
        &self,
        tried: Validated,
        plausible: &[PlausiblePatch],
        minimise: bool,
    ) -> Result<Validated> {
        let (mut drafts, mut end) = (Vec::<RankedPatch>::new(), Ok(()));
        let mut shrunk: HashMap<TreeId, TreeId> = HashMap::new();
        for one in plausible {
            if minimise && one.has_sources && end.is_ok() && !shrunk.contains_key(&one.tree) {
                match self.shrunk(one) {
                    Ok(smaller) => drop(shrunk.insert(one.tree.clone(), smaller)),
                    Err(problem) => end = Err(problem),
                }
            }
            let tree = shrunk.get(&one.tree).unwrap_or(&one.tree).clone();
            match drafts.iter_mut().find(|draft| draft.tree == tree) {
                Some(draft) => draft.names.push(one.name.clone()),
                None => drafts.push(self.draft(one, tree)?),
            }
        }
        let validated = self.write(tried, drafts)?;
        end.map(|()| validated)
    }

    /// Writes the fixes to the run folder, and adds them to the results of the patches.
    fn write(&self, mut tried: Validated, mut drafts: Vec<RankedPatch>) -> Result<Validated> {
        // The order of the pool decides between equals.
        drafts.sort_by_key(|draft| draft.fix.tokens.unwrap_or(usize::MAX));
        for (before, RankedPatch { fix, text, .. }) in drafts.iter_mut().enumerate() {
            fix.rank = before + 1;
            if let Some(text) = text {
                let file = format!("fix-{}.patch", fix.rank);
                self.mending.session.ledger.folder.write(&file, text)?;
                fix.patch = Some(file);
            }
        }
        for patch in &mut tried.patches {
            let draft = drafts.iter().find(|draft| draft.names.contains(&patch.name));
            patch.patch = draft.and_then(|draft| draft.fix.patch.clone());
        }
        let fixes = drafts.into_iter().map(|draft| draft.fix).collect();
        let validated = Validated { fixes, ..tried };
        self.mending.session.ledger.save(&validated)?;
        Ok(validated)
    }

    /// Minimises a patch and verifies the result.
    fn shrunk(&self, one: &PlausiblePatch) -> Result<TreeId> {
        let name = &one.name;
        let least = &self.mending.bad.tree;
        let shrinking =
            PatchMinimiser::new(self.mending, self.attribution, name, &one.tree, least)?;
        let found = shrinking.smallest(None, None)?;
        if found.tree == one.tree || self.is_confirmed(name, &found.tree)? {
            return Ok(found.tree);
        }
        let what = format!("a smaller version of {name}: a clean build did not confirm it");
        self.mending.session.ledger.note(what)?;
        Ok(one.tree.clone())
    }

    fn is_confirmed(&self, name: &str, tree: &TreeId) -> Result<bool> {
        let patch = self.mending.session.ledger.folder.work().join("shrunk.patch");
        let (_, text) = difference(self.mending.bad, tree, self.mending.store)?;
        std::fs::write(&patch, text).map_err(|error| Problem::io(error, &patch))?;
        let fresh = CleanCheckout {
            what: format!("{name}, minimised, in a clean build"),
            from: self.mending.bad,
            patch: Some(&patch),
            tree,
            limits: self.mending.judge.limits.patient(),
            before: None,
            may_be_known: self.mending.session.subject.resume,
        };
        Ok(fresh.judged(self.mending.judge)?.verdict == Verdict::Pass)
    }

    fn draft(&self, one: &PlausiblePatch, tree: TreeId) -> Result<RankedPatch> {
        let source = RepairOrigin {
            technique: "pool",
            operator: &one.name,
            why: &one.why,
            has_sources: one.has_sources,
        };
        let (fix, text) = self.mending.to_fix_result(&tree, &source)?;
        Ok(RankedPatch { fix, text, tree, names: vec![one.name.clone()] })
    }
}
