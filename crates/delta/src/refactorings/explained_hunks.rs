//! Determines which hunks the detected refactorings explain completely.

use super::accepted_refactoring::AcceptedRefactoring;
use super::refactoring::{Refactoring, TokenChange};
use crate::hunk::{Hunk, HunkId};
use crate::refactorings::sources::versioned_sources::{SourceVersion, TokenRef, VersionedSources};
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Hunks in bundles, with the tokens that each removes and inserts.
pub(super) struct ExplainedHunks<'a> {
    sources: &'a VersionedSources<'a>,
    changes_by_hunk: Vec<TokenChange>,
    /// Bundles of hunks that are checked together, because one deletes the code that another one inserts in its place.
    bundles: Vec<Vec<HunkId>>,
    bundle_by_hunk: Vec<usize>,
    /// The position between kept tokens where each hunk begins.
    gap_by_hunk: Vec<Option<TokenRef>>,
    /// The hunks that move code, by the first token of the destination.
    moves_by_token: HashMap<TokenRef, Vec<HunkId>>,
}

impl<'a> ExplainedHunks<'a> {
    pub(super) fn new(scene: &'a VersionedSources<'a>, hunks: &[Hunk]) -> Self {
        let mut changes = vec![TokenChange::default(); hunks.len()];
        let owned_tokens = |side: &SourceVersion<'_>| {
            let all = side.java_files().flat_map(|(file, side)| {
                let owners = side.owner.iter().enumerate();
                owners.filter_map(move |(token, hunk)| Some(((*hunk)?, TokenRef { file, token })))
            });
            all.collect::<Vec<_>>()
        };
        for (hunk, token_ref) in owned_tokens(&scene.old) {
            changes[hunk].old.push(token_ref);
        }
        for (hunk, token_ref) in owned_tokens(&scene.new) {
            changes[hunk].new.push(token_ref);
        }
        let move_hunks: Vec<HunkId> =
            (0..hunks.len()).filter(|hunk| hunks[*hunk].is_move_within_file()).collect();
        let mut bundles = UnionFind::<HunkId>::new(hunks.len());
        for (file, side) in scene.old.java_files() {
            for (token, owner) in side.owner.iter().enumerate() {
                let token_ref = TokenRef { file, token };
                if let (Some(one), Some(new)) = (owner, scene.old.partner(token_ref))
                    && let Some(other) =
                        scene.new.file(new.file).and_then(|file| file.owner[new.token])
                {
                    bundles.union(*one, other);
                }
            }
        }
        let bundle_of = bundles.into_labeling();
        let mut bundles = vec![Vec::new(); hunks.len()];
        for (hunk, bundle) in bundle_of.iter().enumerate() {
            bundles[*bundle].push(hunk);
        }
        let mut explained = Self {
            sources: scene,
            changes_by_hunk: changes,
            bundles,
            bundle_by_hunk: bundle_of,
            gap_by_hunk: gaps_before_hunks(scene, hunks.len()),
            moves_by_token: HashMap::new(),
        };
        for hunk in move_hunks {
            explained.changes_by_hunk[hunk] = explained.moved_tokens(&hunks[hunk]);
            if let Some(first) = explained.changes_by_hunk[hunk].old.first() {
                explained.moves_by_token.entry(*first).or_default().push(hunk);
            }
        }
        explained
    }

    /// Returns the tokens that a hunk moves.
    fn moved_tokens(&self, hunk: &Hunk) -> TokenChange {
        let mut change = TokenChange::default();
        let Some(file) = self.sources.index_by_file.get(&hunk.position.file).copied() else {
            return change;
        };
        for (side, range, out) in [
            (&self.sources.old, &hunk.old, &mut change.old),
            (&self.sources.new, &hunk.new, &mut change.new),
        ] {
            let (Some(side), Some(range)) = (side.file(file), range) else { continue };
            let tokens = side.source.tokens();
            let start = tokens.partition_point(|token| token.start < range.start);
            let end = tokens.partition_point(|token| token.start < range.end);
            let kept = (start..end).filter(|token| side.owner[*token].is_none());
            out.extend(kept.map(|token| TokenRef { file, token }));
        }
        change
    }

    /// Returns the refactorings whose cores are completely explained, with all completely explained hunks. Several
    /// refactorings can explain one hunk together.
    pub(super) fn accept(&self, mut candidates: Vec<Refactoring>) -> Vec<AcceptedRefactoring> {
        loop {
            let refactored = RefactoredTokens::from_refactorings(&candidates);
            let touched_bundles: BTreeSet<usize> = candidates
                .iter()
                .flat_map(|one| {
                    self.bundles_of(&one.core).into_iter().chain(self.bundles_of(&one.rest))
                })
                .collect();
            let (mut explained, unexplained): (BTreeSet<usize>, BTreeSet<usize>) = touched_bundles
                .into_iter()
                .partition(|bundle| self.is_explained(&[*bundle], &refactored));
            let explained_groups = self.explained_groups(&unexplained, &refactored);
            explained.extend(explained_groups.iter().flatten());
            let count_before = candidates.len();
            candidates.retain(|one| {
                let core = self.bundles_of(&one.core);
                let has_no_hunks = core.is_empty()
                    && one.file_hunks.is_empty()
                    && self
                        .move_hunks(&RefactoredTokens::from_changes([&one.core]))
                        .next()
                        .is_none();
                core.is_subset(&explained) && !has_no_hunks
            });
            if candidates.len() == count_before {
                let to_accepted = |one: Refactoring| AcceptedRefactoring {
                    core_hunks: self.core_hunks(&one),
                    hunks: self.all_hunks(&one, &explained, &explained_groups),
                    note: one.note,
                };
                return candidates.into_iter().map(to_accepted).collect();
            }
        }
    }

    /// Returns true if some bundles have equal remaining text in both versions, apart from the refactorings.
    fn is_explained(&self, bundles: &[usize], refactored: &RefactoredTokens) -> bool {
        let remaining_texts = |side: &SourceVersion<'a>,
                               part: fn(&TokenChange) -> &[TokenRef],
                               refactored: &BTreeSet<TokenRef>| {
            let hunks = bundles.iter().flat_map(|bundle| &self.bundles[*bundle]);
            let mut token_refs: Vec<TokenRef> =
                hunks.flat_map(|hunk| part(&self.changes_by_hunk[*hunk]).iter().copied()).collect();
            token_refs.retain(|spot| !refactored.contains(spot));
            token_refs.sort_unstable();
            token_refs.into_iter().map(|spot| side.text(spot)).collect::<Vec<_>>()
        };
        remaining_texts(&self.sources.old, |part| &part.old, &refactored.old)
            == remaining_texts(&self.sources.new, |part| &part.new, &refactored.new)
    }

    /// Returns groups of bundles at one position that are explained together.
    fn explained_groups(
        &self,
        unexplained: &BTreeSet<usize>,
        refactored: &RefactoredTokens,
    ) -> Vec<Vec<usize>> {
        let mut bundles_by_gap: BTreeMap<TokenRef, Vec<usize>> = BTreeMap::new();
        for bundle in unexplained {
            let gap = self.bundles[*bundle].first().and_then(|hunk| self.gap_by_hunk[*hunk]);
            if let Some(gap) = gap {
                bundles_by_gap.entry(gap).or_default().push(*bundle);
            }
        }
        bundles_by_gap.into_values().filter(|group| self.is_explained(group, refactored)).collect()
    }

    fn core_hunks(&self, refactoring: &Refactoring) -> Vec<HunkId> {
        let bundles = self.bundles_of(&refactoring.core);
        let owners = bundles.iter().flat_map(|bundle| self.bundles[*bundle].iter().copied());
        let done = RefactoredTokens::from_changes([&refactoring.core]);
        owners.chain(self.move_hunks(&done)).chain(refactoring.file_hunks.iter().copied()).collect()
    }

    fn all_hunks(
        &self,
        refactoring: &Refactoring,
        explained: &BTreeSet<usize>,
        explained_groups: &[Vec<usize>],
    ) -> Vec<HunkId> {
        let own_tokens = RefactoredTokens::from_refactorings(std::slice::from_ref(refactoring));
        let mut bundles = self.bundles_of(&refactoring.core);
        bundles.extend(self.bundles_of(&refactoring.rest).intersection(explained));
        for group in explained_groups {
            if group.iter().any(|bundle| bundles.contains(bundle)) {
                bundles.extend(group);
            }
        }
        let mut hunks: BTreeSet<HunkId> =
            bundles.iter().flat_map(|bundle| self.bundles[*bundle].iter().copied()).collect();
        hunks.extend(self.move_hunks(&own_tokens));
        hunks.extend(&refactoring.file_hunks);
        hunks.into_iter().collect()
    }

    /// Returns the hunks that move only these tokens.
    fn move_hunks<'d>(
        &'d self,
        refactored: &'d RefactoredTokens,
    ) -> impl Iterator<Item = HunkId> + 'd {
        let movers =
            refactored.old.iter().filter_map(|spot| self.moves_by_token.get(spot)).flatten();
        movers.copied().filter(|hunk| {
            let part = &self.changes_by_hunk[*hunk];
            part.old.iter().all(|spot| refactored.old.contains(spot))
                && part.new.iter().all(|spot| refactored.new.contains(spot))
        })
    }

    /// Returns the bundles of the hunks that own these tokens.
    fn bundles_of(&self, part: &TokenChange) -> BTreeSet<usize> {
        let owners_of = |side: &'a SourceVersion<'a>, spots: &[TokenRef]| {
            let owner = |spot: &TokenRef| side.file(spot.file)?.owner[spot.token];
            spots.iter().filter_map(owner).collect::<Vec<_>>()
        };
        let old = owners_of(&self.sources.old, &part.old);
        let all = old.into_iter().chain(owners_of(&self.sources.new, &part.new));
        all.map(|hunk| self.bundle_by_hunk[hunk]).collect()
    }
}

/// Tokens that refactorings remove and insert.
struct RefactoredTokens {
    old: BTreeSet<TokenRef>,
    new: BTreeSet<TokenRef>,
}

impl RefactoredTokens {
    fn from_refactorings(refactorings: &[Refactoring]) -> Self {
        Self::from_changes(refactorings.iter().flat_map(|one| [&one.core, &one.rest]))
    }

    fn from_changes<'p>(parts: impl IntoIterator<Item = &'p TokenChange>) -> Self {
        let mut tokens = Self { old: BTreeSet::new(), new: BTreeSet::new() };
        for part in parts {
            tokens.old.extend(&part.old);
            tokens.new.extend(&part.new);
        }
        tokens
    }
}

/// Returns, for each hunk, one plus the last kept token before it in the new version; 0 is the start of the file.
fn gaps_before_hunks(sources: &VersionedSources<'_>, hunks: usize) -> Vec<Option<TokenRef>> {
    let mut gaps = vec![None; hunks];
    for (side, is_new) in [(&sources.old, false), (&sources.new, true)] {
        for (at, file) in side.java_files() {
            let mut previous = TokenRef { file: at, token: 0 };
            for (token, owner) in file.owner.iter().enumerate() {
                match owner {
                    Some(hunk) => gaps[*hunk] = gaps[*hunk].or(Some(previous)),
                    None if is_new => previous.token = token + 1,
                    None => {
                        let kept = file.partner[token].filter(|spot| spot.file == at);
                        previous.token = kept.map_or(previous.token, |spot| spot.token + 1);
                    }
                }
            }
        }
    }
    gaps
}
