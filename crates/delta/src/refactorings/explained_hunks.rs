//! Hunks that a refactoring explains completely.

use super::accepted::AcceptedRefactoring;
use super::refactoring::{Refactoring, TokenChange};
use crate::hunk::{Hunk, HunkId};
use crate::refactorings::sources::versioned_sources::{SourceVersion, TokenRef, VersionedSources};
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Text that each hunk removes and inserts.
pub(super) struct ExplainedHunks<'a> {
    scene: &'a VersionedSources<'a>,
    hunks: Vec<TokenChange>,
    /// Hunks of which one takes away what the other brings in its place are looked at as one.
    bundles: Vec<Vec<HunkId>>,
    bundle_of: Vec<usize>,
    /// The position between kept tokens where each hunk begins.
    gaps: Vec<Option<TokenRef>>,
    /// The hunks that move code, by the first token of the destination.
    movers: HashMap<TokenRef, Vec<HunkId>>,
}

impl<'a> ExplainedHunks<'a> {
    pub(super) fn new(scene: &'a VersionedSources<'a>, hunks: &[Hunk]) -> Self {
        let mut parts = vec![TokenChange::default(); hunks.len()];
        let owned = |side: &SourceVersion<'_>| {
            let all = side.java_files().flat_map(|(file, side)| {
                let owners = side.owner.iter().enumerate();
                owners.filter_map(move |(token, hunk)| Some(((*hunk)?, TokenRef { file, token })))
            });
            all.collect::<Vec<_>>()
        };
        for (hunk, spot) in owned(&scene.old) {
            parts[hunk].old.push(spot);
        }
        for (hunk, spot) in owned(&scene.new) {
            parts[hunk].new.push(spot);
        }
        let movers: Vec<HunkId> =
            (0..hunks.len()).filter(|hunk| hunks[*hunk].moves_within_a_file()).collect();
        let mut bundles = UnionFind::<HunkId>::new(hunks.len());
        for (file, side) in scene.old.java_files() {
            for (token, owner) in side.owner.iter().enumerate() {
                let spot = TokenRef { file, token };
                if let (Some(one), Some(new)) = (owner, scene.old.partner(spot))
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
        let mut cover = Self {
            scene,
            hunks: parts,
            bundles,
            bundle_of,
            gaps: gaps(scene, hunks.len()),
            movers: HashMap::new(),
        };
        for hunk in movers {
            cover.hunks[hunk] = cover.moved(&hunks[hunk]);
            if let Some(first) = cover.hunks[hunk].old.first() {
                cover.movers.entry(*first).or_default().push(hunk);
            }
        }
        cover
    }

    /// Returns the tokens that a hunk moves.
    fn moved(&self, hunk: &Hunk) -> TokenChange {
        let mut part = TokenChange::default();
        let Some(file) = self.scene.places.get(&hunk.place.file).copied() else { return part };
        for (side, range, out) in [
            (&self.scene.old, &hunk.old, &mut part.old),
            (&self.scene.new, &hunk.new, &mut part.new),
        ] {
            let (Some(side), Some(range)) = (side.file(file), range) else { continue };
            let tokens = side.source.tokens();
            let start = tokens.partition_point(|token| token.start < range.start);
            let end = tokens.partition_point(|token| token.start < range.end);
            let kept = (start..end).filter(|token| side.owner[*token].is_none());
            out.extend(kept.map(|token| TokenRef { file, token }));
        }
        part
    }

    /// Returns the refactorings whose cores are completely explained, with all completely explained hunks. Several
    /// refactorings can explain one hunk together.
    pub(super) fn accepted(&self, mut found: Vec<Refactoring>) -> Vec<AcceptedRefactoring> {
        loop {
            let done = RefactoredTokens::from_refactorings(&found);
            let all: BTreeSet<usize> = found
                .iter()
                .flat_map(|one| self.of_part(&one.core).into_iter().chain(self.of_part(&one.rest)))
                .collect();
            let (mut covered, open): (BTreeSet<usize>, BTreeSet<usize>) =
                all.into_iter().partition(|bundle| self.is_covered(&[*bundle], &done));
            let joined = self.joined(&open, &done);
            covered.extend(joined.iter().flatten());
            let before = found.len();
            found.retain(|one| {
                let core = self.of_part(&one.core);
                let is_nothing = core.is_empty()
                    && one.files.is_empty()
                    && self.carried(&RefactoredTokens::of_parts([&one.core])).next().is_none();
                core.is_subset(&covered) && !is_nothing
            });
            if found.len() == before {
                let accepted = |one: Refactoring| AcceptedRefactoring {
                    core: self.core(&one),
                    hunks: self.hunks(&one, &covered, &joined),
                    note: one.note,
                };
                return found.into_iter().map(accepted).collect();
            }
        }
    }

    /// Returns true if some bundles have the same text left in both versions after the refactorings.
    fn is_covered(&self, bundles: &[usize], done: &RefactoredTokens) -> bool {
        let left = |side: &SourceVersion<'a>,
                    part: fn(&TokenChange) -> &[TokenRef],
                    done: &BTreeSet<TokenRef>| {
            let hunks = bundles.iter().flat_map(|bundle| &self.bundles[*bundle]);
            let mut spots: Vec<TokenRef> =
                hunks.flat_map(|hunk| part(&self.hunks[*hunk]).iter().copied()).collect();
            spots.retain(|spot| !done.contains(spot));
            spots.sort_unstable();
            spots.into_iter().map(|spot| side.text(spot)).collect::<Vec<_>>()
        };
        left(&self.scene.old, |part| &part.old, &done.old)
            == left(&self.scene.new, |part| &part.new, &done.new)
    }

    /// Bundles that take away and bring the same, beside what is done, in one place.
    fn joined(&self, open: &BTreeSet<usize>, done: &RefactoredTokens) -> Vec<Vec<usize>> {
        let mut by_gap: BTreeMap<TokenRef, Vec<usize>> = BTreeMap::new();
        for bundle in open {
            let gap = self.bundles[*bundle].first().and_then(|hunk| self.gaps[*hunk]);
            if let Some(gap) = gap {
                by_gap.entry(gap).or_default().push(*bundle);
            }
        }
        by_gap.into_values().filter(|group| self.is_covered(group, done)).collect()
    }

    fn core(&self, one: &Refactoring) -> Vec<HunkId> {
        let bundles = self.of_part(&one.core);
        let owners = bundles.iter().flat_map(|bundle| self.bundles[*bundle].iter().copied());
        let done = RefactoredTokens::of_parts([&one.core]);
        owners.chain(self.carried(&done)).chain(one.files.iter().copied()).collect()
    }

    fn hunks(
        &self,
        one: &Refactoring,
        covered: &BTreeSet<usize>,
        joined: &[Vec<usize>],
    ) -> Vec<HunkId> {
        let own = RefactoredTokens::from_refactorings(std::slice::from_ref(one));
        let mut bundles = self.of_part(&one.core);
        bundles.extend(self.of_part(&one.rest).intersection(covered));
        for group in joined {
            if group.iter().any(|bundle| bundles.contains(bundle)) {
                bundles.extend(group);
            }
        }
        let mut hunks: BTreeSet<HunkId> =
            bundles.iter().flat_map(|bundle| self.bundles[*bundle].iter().copied()).collect();
        hunks.extend(self.carried(&own));
        hunks.extend(&one.files);
        hunks.into_iter().collect()
    }

    /// Returns the hunks that move only these tokens.
    fn carried<'d>(&'d self, done: &'d RefactoredTokens) -> impl Iterator<Item = HunkId> + 'd {
        let movers = done.old.iter().filter_map(|spot| self.movers.get(spot)).flatten();
        movers.copied().filter(|hunk| {
            let part = &self.hunks[*hunk];
            part.old.iter().all(|spot| done.old.contains(spot))
                && part.new.iter().all(|spot| done.new.contains(spot))
        })
    }

    /// Returns the bundles of the hunks that own these tokens.
    fn of_part(&self, part: &TokenChange) -> BTreeSet<usize> {
        let of = |side: &'a SourceVersion<'a>, spots: &[TokenRef]| {
            let owner = |spot: &TokenRef| side.file(spot.file)?.owner[spot.token];
            spots.iter().filter_map(owner).collect::<Vec<_>>()
        };
        let old = of(&self.scene.old, &part.old);
        let all = old.into_iter().chain(of(&self.scene.new, &part.new));
        all.map(|hunk| self.bundle_of[hunk]).collect()
    }
}

/// Text that refactorings remove and insert.
struct RefactoredTokens {
    old: BTreeSet<TokenRef>,
    new: BTreeSet<TokenRef>,
}

impl RefactoredTokens {
    fn from_refactorings(found: &[Refactoring]) -> Self {
        Self::of_parts(found.iter().flat_map(|one| [&one.core, &one.rest]))
    }

    fn of_parts<'p>(parts: impl IntoIterator<Item = &'p TokenChange>) -> Self {
        let mut done = Self { old: BTreeSet::new(), new: BTreeSet::new() };
        for part in parts {
            done.old.extend(&part.old);
            done.new.extend(&part.new);
        }
        done
    }
}

/// Returns, for each hunk, one plus the last kept token before it in the new version; 0 is the start of the file.
fn gaps(scene: &VersionedSources<'_>, hunks: usize) -> Vec<Option<TokenRef>> {
    let mut gaps = vec![None; hunks];
    for (side, is_new) in [(&scene.old, false), (&scene.new, true)] {
        for (at, file) in side.java_files() {
            let mut before = TokenRef { file: at, token: 0 };
            for (token, owner) in file.owner.iter().enumerate() {
                match owner {
                    Some(hunk) => gaps[*hunk] = gaps[*hunk].or(Some(before)),
                    None if is_new => before.token = token + 1,
                    None => {
                        let kept = file.partner[token].filter(|spot| spot.file == at);
                        before.token = kept.map_or(before.token, |spot| spot.token + 1);
                    }
                }
            }
        }
    }
    gaps
}
