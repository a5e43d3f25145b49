//! Runs candidates under schedules, the most promising first; adds further edits to a partial fix.

use super::source_files::source_files;
use crate::run::explore::{Before, Explorer, Seen, objection, omission};
use crate::run::fix::applied_edits::variant;
use crate::run::fix::budget::Spending;
use crate::run::fix::concurrency::diagnosis_config::explore_order;
use crate::run::fix::request::FixRequest;
use crate::run::session::next_command;
use crate::run::session::run_log::Effort;
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::Overlay;
use mend_engine::ExploreOrder;
use mend_git::Store;
use mend_java::{Edit, without};
use mend_model::schedules::Findings;
use mend_model::{Event, Phase, RepoPath, Result, TreeId, Verdict, counted};
use mend_threads::{Remedy, SourceFile, Way, remedies};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Schedules of the first sieve: those that were seen to fail are among them, as the seed is the same.
const FIRST: u32 = 30;

/// Maximum of that number, if the first failure came late.
const FIRST_MOST: u32 = 150;

/// Schedules with another seed, some of them directed, for what is left then.
const SECOND: u32 = 150;

/// How long these may take for one candidate.
const LONGEST: Duration = Duration::from_secs(8);

/// Number of partial fixes that get further edits on top.
const PARTIAL: usize = 4;

/// Maximum number of edits on top of each other.
const ROUNDS: usize = 3;

/// Schedules that are run to see what is still wrong.
const LOOK_AGAIN: u32 = 100;

/// Searches for candidates that fix a version.
pub(super) struct Trials<'a> {
    pub(super) explorer: Explorer<'a>,
    pub(super) store: &'a Store,
    pub(super) attribution: &'a Attribution,
    pub(super) overlay: &'a Overlay,
    pub(super) request: &'a FixRequest,
    pub(super) spending: Spending,
}

/// What no schedule speaks against.
pub(super) struct Mended {
    /// What it does, one on top of the other.
    pub(super) remedies: Vec<Remedy>,
    pub(super) tree: TreeId,
    /// How many schedules were run under the seed that failed.
    pub(super) again: usize,
}

/// A partial fix.
struct Partial {
    remedies: Vec<Remedy>,
    tree: TreeId,
    /// Schedules before the first fault.
    clean: usize,
}

/// Result of a trial.
enum Tried {
    /// Clean; with the number of schedules that ran with the seed that failed.
    Clean(usize),
    /// Faulty; with the number of clean schedules before the fault.
    Faulty(usize),
    Broken,
}

/// State of the search for candidates, from one call to the next.
pub(super) struct Search {
    before: Before,
    /// How many schedules the first sieve takes.
    first: u32,
    /// The trees that were tried.
    seen: HashSet<TreeId>,
    found: Found,
}

impl Search {
    /// Begins the search for fixes of the bugs found.
    pub(super) fn of(findings: &Findings) -> Self {
        let (before, first) = (Before::of(findings), first_of(findings));
        Self { before, first, seen: HashSet::new(), found: Found::default() }
    }
}

/// What trials lead to.
#[derive(Default)]
struct Found {
    mended: Vec<Mended>,
    partial: Vec<Partial>,
    tried: usize,
    schedules: usize,
}

impl Trials<'_> {
    /// Returns candidates that fix the bugs found, the best first, up to the number requested; a
    /// further call continues after these.
    pub(super) fn further(
        &self,
        files: &[SourceFile<'_>],
        findings: &Findings,
        search: &mut Search,
    ) -> Result<Vec<Mended>> {
        let candidates = remedies(files, findings);
        let what = match search.found.tried {
            0 => format!("trying {}", counted(candidates.len(), "candidate")),
            _ => "trying further candidates".to_owned(),
        };
        self.explorer.session.ledger.tell(Event::Stage(what))?;
        let base = self.explorer.bad.tree.clone();
        self.each(&[], &base, candidates, search)?;
        for _ in 1..ROUNDS {
            if !search.found.mended.is_empty() || self.spending.is_over(search.found.tried) {
                break;
            }
            self.on_top(search)?;
        }
        Ok(std::mem::take(&mut search.found.mended))
    }

    /// Reports how much was tried, and the command that continues if the budget ended without a
    /// fix.
    pub(super) fn end(&self, search: &Search, is_mended: bool) -> Result<()> {
        let found = &search.found;
        let tried = format!(
            "{} tried under {}",
            counted(found.tried, "candidate"),
            counted(found.schedules, "schedule")
        );
        let is_late = !is_mended && self.spending.is_over(found.tried);
        let line = &self.explorer.session.subject.command_line;
        let longer = is_late.then(|| next_command::longer(line, self.spending.more()));
        self.explorer.session.ledger.update(|result| {
            result.say(tried);
            result.next_command = longer.filter(|_| result.fixes.is_empty());
        })
    }

    /// Tries further edits on top of partial fixes.
    fn on_top(&self, search: &mut Search) -> Result<()> {
        let mut partial = std::mem::take(&mut search.found.partial);
        partial.sort_by_key(|one| std::cmp::Reverse(one.clean));
        partial.truncate(PARTIAL);
        for at in 0..partial.len() {
            let Partial { remedies: done, tree, .. } = &partial[at];
            let what =
                format!("searching for the remaining faults with this applied: {}", why(done));
            self.explorer.session.ledger.tell(Event::Stage(what))?;
            let order = ExploreOrder { is_trial: false, ..self.order(LOOK_AGAIN, 0) };
            let Seen::Findings(findings) = self.explorer.seen(tree, &order)? else { continue };
            let (facts, sources) = self.attribution.of_one(&self.explorer.bench.pool, tree)?;
            let files = source_files(&facts, &sources, self.overlay);
            let candidates = remedies(&files, &findings);
            self.each(done, tree, candidates, search)?;
            if !search.found.mended.is_empty() {
                // A further call goes on here.
                search.found.partial.extend(partial.drain(at..));
                break;
            }
        }
        Ok(())
    }

    /// Tries candidates on a tree until there are enough.
    fn each(
        &self,
        done: &[Remedy],
        base: &TreeId,
        candidates: Vec<Remedy>,
        search: &mut Search,
    ) -> Result<()> {
        let count = candidates.len();
        for (at, remedy) in candidates.into_iter().enumerate() {
            if search.found.mended.len() >= self.request.top
                || self.spending.is_over(search.found.tried)
            {
                break;
            }
            // The same in another form is no choice.
            let is_known =
                |one: &Mended| one.remedies.last().is_some_and(|last| last.why == remedy.why);
            if search.found.mended.iter().any(is_known) {
                continue;
            }
            let edits = remedy.edits.iter().map(|(path, edits)| (path, &edits[..]));
            let tree = variant(self.store, base, edits)?;
            let Some(tree) = tree.filter(|tree| search.seen.insert(tree.clone())) else { continue };
            let remedies: Vec<Remedy> = done.iter().cloned().chain([remedy]).collect();
            self.tell(&remedies, search.found.tried, count - at - 1)?;
            let begun = Instant::now();
            let tried = self.sieved(&tree, &remedies, search)?;
            self.book(&tree, &remedies, &tried, begun)?;
            search.found.tried += 1;
            match tried {
                Tried::Clean(again) => {
                    let mended = Mended { remedies, tree, again };
                    let least = self.least(mended, search)?;
                    search.found.mended.push(least);
                }
                Tried::Faulty(clean) => {
                    search.found.partial.push(Partial { remedies, tree, clean });
                }
                Tried::Broken => {}
            }
        }
        Ok(())
    }

    /// Of remedies that were found one on top of the other, those that are enough without the ones below them.
    fn least(&self, mended: Mended, search: &mut Search) -> Result<Mended> {
        let Some(mut all) = side_by_side(&mended.remedies) else { return Ok(mended) };
        let (mut least, mut at) = (mended, 0);
        while at + 1 < all.len() && !self.spending.is_over(search.found.tried) {
            let mut fewer = all.clone();
            fewer.remove(at);
            let edits = fewer.iter().flat_map(|one| &one.edits);
            let edits = edits.map(|(path, edits)| (path, &edits[..]));
            let tree = variant(self.store, &self.explorer.bad.tree, edits)?;
            let tree = tree.filter(|tree| search.seen.insert(tree.clone()));
            at += 1;
            let Some(tree) = tree else { continue };
            let begun = Instant::now();
            self.tell(&fewer, search.found.tried, 0)?;
            let tried = self.sieved(&tree, &fewer, search)?;
            self.book(&tree, &fewer, &tried, begun)?;
            search.found.tried += 1;
            if let Tried::Clean(again) = tried {
                least = Mended { remedies: fewer.clone(), tree, again };
                (all, at) = (fewer, 0);
            }
        }
        Ok(least)
    }

    /// Reports the next candidate; `tried` come before it and `waiting` after it.
    fn tell(&self, remedies: &[Remedy], tried: usize, waiting: usize) -> Result<()> {
        let over = tried + 1;
        let waiting = self.request.budget.most(over + waiting).saturating_sub(over);
        self.explorer.session.ledger.tell(Event::Trying {
            what: why(remedies),
            left: Some(self.spending.left(tried, waiting)),
            if_slow: Some("slow because each candidate runs under many schedules".to_owned()),
        })
    }

    /// Writes a trial down.
    fn book(
        &self,
        tree: &TreeId,
        remedies: &[Remedy],
        tried: &Tried,
        begun: Instant,
    ) -> Result<()> {
        let verdict = match tried {
            Tried::Clean(_) => Verdict::Pass,
            Tried::Faulty(_) => Verdict::Fail,
            Tried::Broken => Verdict::Unresolved(Phase::NotTestable),
        };
        let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let effort = Effort { milliseconds, runs: 1, ..Effort::default() };
        self.explorer.session.ledger.judged(tree, why(remedies).as_str().into(), verdict, effort)
    }

    /// The schedules that failed before, and then others.
    fn sieved(&self, tree: &TreeId, remedies: &[Remedy], search: &mut Search) -> Result<Tried> {
        let Search { before, first, found, .. } = search;
        let (mut clean, mut again) = (0, None);
        for order in [self.order(*first, 0), before.directed(self.order(SECOND, 1))] {
            let findings =
                match self.explorer.seen_within(tree, &order, Some(LONGEST), &mut |_, _| ())? {
                    Seen::Findings(findings) => findings,
                    Seen::NotBuilt(said) => {
                        self.explorer.session.ledger.folder.append_log(&said)?;
                        return Ok(Tried::Broken);
                    }
                    Seen::NotControlled(why) => {
                        let said = format!("not controlled by the scheduler: {why}");
                        self.explorer.session.ledger.folder.append_log(&said)?;
                        return Ok(Tried::Broken);
                    }
                };
            found.schedules += findings.run;
            clean += findings.chosen();
            again.get_or_insert(findings.run);
            if let Some(why) = against(remedies, before, &findings) {
                let said = format!("rejected: {why}");
                self.explorer.session.ledger.folder.append_log(&said)?;
                return Ok(Tried::Faulty(clean));
            }
            if findings.is_proved() {
                break;
            }
        }
        // Where none was chosen, nothing is known.
        let again = again.filter(|_| clean > 0);
        Ok(again.map_or(Tried::Broken, Tried::Clean))
    }

    fn order(&self, schedules: u32, more: u64) -> ExploreOrder {
        let seed = self.explorer.session.subject.seed.wrapping_add(more);
        ExploreOrder { schedules, seed, is_trial: true, ..explore_order(self.request) }
    }
}

/// What remedies do, one on top of the other.
pub(super) fn why(remedies: &[Remedy]) -> String {
    remedies.iter().map(|one| one.why.as_str()).collect::<Vec<_>>().join("; ")
}

/// What speaks against remedies. One that leaves something out must leave out nothing that is seen.
pub(super) fn against(remedies: &[Remedy], before: &Before, after: &Findings) -> Option<String> {
    let leaves_out = remedies.iter().any(|one| one.way == Way::Guard);
    let objection = objection(before, after).map(|objection| objection.why().to_owned());
    objection.or_else(|| omission(before, after).filter(|_| leaves_out))
}

/// Remedies of which each was made on top of the ones before it, as they would be made on their own; nothing where one
/// changes what another one made.
fn side_by_side(remedies: &[Remedy]) -> Option<Vec<Remedy>> {
    let alone = |(at, remedy): (usize, &Remedy)| {
        let below = &remedies[..at];
        let of_file = |(path, edits): (&RepoPath, &Vec<Edit>)| {
            let mut made = below.iter().rev().filter_map(|one| one.edits.get(path));
            let edits: Option<Vec<Edit>> = made.try_fold(edits.clone(), |edits, made| {
                edits.iter().map(|edit| without(edit, made)).collect()
            });
            Some((path.clone(), edits?))
        };
        let edits = remedy.edits.iter().map(of_file).collect::<Option<_>>()?;
        Some(Remedy { edits, ..remedy.clone() })
    };
    remedies.iter().enumerate().map(alone).collect()
}

/// How many schedules the first sieve takes to come past the first one that failed.
fn first_of(findings: &Findings) -> u32 {
    let first = findings.groups.iter().map(|group| group.first).min().unwrap_or(0);
    u32::try_from(first).unwrap_or(u32::MAX).saturating_add(10).clamp(FIRST, FIRST_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_java::edited;

    fn remedy(way: Way, edits: &[((usize, usize), &str)]) -> Remedy {
        let edits =
            edits.iter().map(|(bytes, text)| Edit { bytes: *bytes, text: (*text).to_owned() });
        let edits = [(RepoPath::from("A.java"), edits.collect())].into();
        Remedy { edits, way, why: way.word().to_owned(), weight: 1.0 }
    }

    #[test]
    fn remedies_on_top_of_each_other_are_told_apart_unless_one_changes_the_other() {
        let below = remedy(Way::Lock, &[((0, 0), "lock ")]);
        let top = remedy(Way::Join, &[((8, 8), " join")]);
        let apart = side_by_side(&[below.clone(), top]).unwrap();
        let alone = &apart[1].edits[&RepoPath::from("A.java")];
        assert_eq!(edited("add", alone).unwrap(), "add join");
        let changes = remedy(Way::Join, &[((0, 4), "try")]);
        assert!(side_by_side(&[below, changes]).is_none());
    }
}
