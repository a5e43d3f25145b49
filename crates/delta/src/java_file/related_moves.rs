//! Couples extracted and inlined methods with the code that moved into or out of them, and with their calls.

use crate::hunk::{DependencyRule, HunkDependency, HunkId};
use crate::java_file::merge_state::Merger;
use crate::matching::related_code::CalledMember;
use crate::matching::version_pair::Version;
use std::collections::BTreeSet;

impl Merger<'_> {
    /// Couples each method that one version only has with the related code that moved, and with its calls.
    pub(crate) fn couple_calls_with_moves(&mut self) {
        for called in &self.edit_script.called_members {
            let mut hunks = self.moves_of_member(called);
            if hunks.is_empty() {
                continue;
            }
            let owners = match called.version {
                Version::Old => &self.fragments.owners.old,
                Version::New => &self.fragments.owners.new,
            };
            hunks.extend(called.calls.iter().filter_map(|token| owners[*token]));
            let ring = hunks.iter().zip(hunks.iter().skip(1).chain(hunks.iter().take(1)));
            let dependencies = ring.map(|(from, to)| HunkDependency {
                from: *from,
                to: vec![*to],
                rule: DependencyRule::Refactoring,
            });
            self.fragments.builder.dependencies.extend(dependencies);
        }
    }

    /// Returns the related moves into or out of a member.
    fn moves_of_member(&self, called: &CalledMember) -> BTreeSet<HunkId> {
        let source = self.fragments.pair.source(called.version);
        let nodes = called.member..source.node(called.member).subtree_end;
        let is_within = |old: usize| match called.version {
            Version::Old => nodes.contains(&old),
            Version::New => {
                let new = self.edit_script.moves.counterpart(Version::Old, old);
                new.is_some_and(|new| nodes.contains(&new))
            }
        };
        let moves = self.related_moves.iter().filter(|(old, _)| is_within(**old));
        moves.map(|(_, hunk)| *hunk).collect()
    }
}
