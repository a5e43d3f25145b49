//! The plausible patches of a pool: shrunk if that is wished, ranked, and written down.

use super::trials::Plausible;
use crate::delta::change_tokens;
use crate::git::Store;
use crate::model::{Demands, FileChange, Problem, Result, TreeId, Verdict};
use crate::report::{FixResult, PatchSummary, Validated};
use crate::run::attribution::Attribution;
use crate::run::change::{Change, announce};
use crate::run::judge::Judge;
use crate::run::proof::{Fresh, difference};
use crate::run::session::Session;
use crate::run::versions::Version;
use crate::search::Goal;
use std::collections::HashMap;

/// Writes down what is plausible.
pub(super) struct Fixes<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) judge: &'a Judge,
    pub(super) demands: &'a Demands,
    pub(super) store: &'a Store,
    pub(super) bad: &'a Version,
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
                self.session.ledger.folder.write(&file, text)?;
                fix.patch = Some(file);
            }
        }
        self.session.ledger.update(|result| {
            for patch in &mut result.patches {
                let draft = drafts.iter().find(|draft| draft.names.contains(&patch.name));
                patch.patch = draft.and_then(|draft| draft.fix.patch.clone());
            }
            result.fixes = drafts.into_iter().map(|draft| draft.fix).collect();
        })
    }

    /// The smallest part of a patch that is found to be plausible, proved as the whole was.
    fn shrunk(&self, one: &Plausible) -> Result<TreeId> {
        let (name, judge) = (&one.name, self.judge);
        let patched = Version {
            label: name.clone(),
            commit: None,
            original: one.tree.clone(),
            tree: one.tree.clone(),
        };
        let by = (judge, self.attribution);
        let ends = (&patched, self.bad);
        let change = Change::between(ends, None, self.store, by, self.session.subject)?;
        announce(judge, &change.size(), &self.bad.label, name)?;
        let mut minimiser = change.minimiser(&self.session.context.interrupt)?;
        let found = change.minimise(&mut minimiser, Goal::Fix)?;
        if found.interrupted {
            return Err(judge.end());
        }
        if found.tree == one.tree || self.is_confirmed(name, &found.tree)? {
            return Ok(found.tree);
        }
        let what = format!("a smaller form of {name}, which fresh builds do not confirm");
        self.session.ledger.note(what)?;
        Ok(one.tree.clone())
    }

    fn is_confirmed(&self, name: &str, tree: &TreeId) -> Result<bool> {
        let patch = self.session.ledger.folder.work().join("shrunk.patch");
        let (_, text) = difference(self.bad, tree, self.store)?;
        std::fs::write(&patch, text).map_err(|error| Problem::io(error, &patch))?;
        let fresh = Fresh {
            what: format!("{name}, shrunk, in a fresh build"),
            from: self.bad,
            patch: Some(&patch),
            tree,
            before: None,
            may_be_known: self.session.subject.resume,
        };
        Ok(fresh.judged(self.judge)?.verdict == Verdict::Pass)
    }

    fn draft(&self, one: &Plausible, tree: TreeId) -> Result<Draft> {
        let (changes, text) = difference(self.bad, &tree, self.store)?;
        let summary = PatchSummary::of(&String::from_utf8_lossy(&text));
        let files = changes.iter().filter_map(FileChange::path).map(ToString::to_string);
        let has_sources = one.has_sources;
        let fix = FixResult {
            rank: 0,
            technique: "pool".to_owned(),
            strategy: one.name.clone(),
            patch: None,
            tokens: has_sources.then(|| change_tokens(&changes)),
            lines: has_sources.then_some(summary.lines),
            files: if has_sources { files.collect() } else { Vec::new() },
            location: summary.location.filter(|_| has_sources),
            why: one.why.clone(),
            validated: Validated {
                failing_pass: self.demands.mended().len(),
                passing_kept: self.demands.kept().len(),
                generated: None,
                schedules: None,
                bound: None,
            },
        };
        let (text, names) = (has_sources.then_some(text), vec![one.name.clone()]);
        Ok(Draft { fix, text, tree, names })
    }
}
