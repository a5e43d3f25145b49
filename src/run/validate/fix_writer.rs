//! The plausible patches of a pool: shrunk if that is wished, ranked, and written down.

use super::trials::Plausible;
use crate::run::patch::patch_minimizer::Shrinking;
use crate::run::patch::repair_context::{Mending, Source};
use crate::run::patch::verification::{Fresh, difference};
use crate::run::subject::attribution::Attribution;
use mend_model::{Problem, Result, TreeId, Verdict};
use mend_report::FixResult;
use std::collections::HashMap;

/// Writes down what is plausible.
pub(super) struct Fixes<'a> {
    pub(super) mending: Mending<'a>,
    pub(super) attribution: Option<&'a Attribution>,
}

/// A fix without its rank.
struct Draft {
    fix: FixResult,
    /// The patch, where sources are changed.
    text: Option<Vec<u8>>,
    tree: TreeId,
    /// The patches of the pool that come to it.
    names: Vec<String>,
}

impl Fixes<'_> {
    /// Shrinks the patches if that is wished, ranks them, the smallest first, and writes them; those that come to
    /// the same are one fix. Where the shrinking does not come to its end, what is left stays as it is.
    pub(super) fn emit(&self, plausible: &[Plausible], minimise: bool) -> Result<()> {
        let (mut drafts, mut end) = (Vec::<Draft>::new(), Ok(()));
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
        self.write(drafts)?;
        end
    }

    fn write(&self, mut drafts: Vec<Draft>) -> Result<()> {
        // The order of the pool decides between equals.
        drafts.sort_by_key(|draft| draft.fix.tokens.unwrap_or(usize::MAX));
        for (before, Draft { fix, text, .. }) in drafts.iter_mut().enumerate() {
            fix.rank = before + 1;
            if let Some(text) = text {
                let file = format!("fix-{}.patch", fix.rank);
                self.mending.session.ledger.folder.write(&file, text)?;
                fix.patch = Some(file);
            }
        }
        self.mending.session.ledger.update(|result| {
            for patch in &mut result.patches {
                let draft = drafts.iter().find(|draft| draft.names.contains(&patch.name));
                patch.patch = draft.and_then(|draft| draft.fix.patch.clone());
            }
            result.fixes = drafts.into_iter().map(|draft| draft.fix).collect();
        })
    }

    /// The smallest part of a patch that is found to be plausible, proved as the whole was.
    fn shrunk(&self, one: &Plausible) -> Result<TreeId> {
        let name = &one.name;
        let patched = (name.as_str(), &one.tree);
        let least = &self.mending.bad.tree;
        let shrinking = Shrinking::of(self.mending, self.attribution, patched, least)?;
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
        let fresh = Fresh {
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

    fn draft(&self, one: &Plausible, tree: TreeId) -> Result<Draft> {
        let source = Source {
            technique: "pool",
            operator: &one.name,
            why: &one.why,
            has_sources: one.has_sources,
        };
        let (fix, text) = self.mending.told(&tree, &source)?;
        Ok(Draft { fix, text, tree, names: vec![one.name.clone()] })
    }
}
