//! Learns dependencies that no schema knows, from compile errors.
//!
//! Closed subsets are drawn and compiled. An error has a place, and around it some hunks are applied and some are not:
//! the applied ones need the others. As the subset was closed, at least one of these dependencies is new, so that every
//! compile error adds information.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::{ErrorScope, RuleContext};
use crate::file_delta::OriginalPosition;
use crate::hunk::{DependencyRule, HunkDependency, HunkId};
use crate::java_granularity::JavaGranularity;
use crate::tree_delta::Delta;
use fastrand::Rng;
use mend_java::facts::{CompileError, SemanticModel};
use mend_model::TreeId;
use mend_model::{FileChange, TreeEdit};
use std::collections::BTreeSet;

/// Returns the compile errors of a variant; `None` if no more variants should be compiled.
pub type VariantCompiler<'a> = dyn FnMut(&TreeEdit) -> Option<Vec<CompileError>> + 'a;

/// Errors of one variant beyond these are mostly echoes of the first ones.
const ERRORS: usize = 200;

/// Learns until this many variants in a row compile, or the judge stops.
pub(crate) fn learn(
    delta: &mut Delta,
    world: &RuleContext<'_>,
    patience: usize,
    judge: &mut VariantCompiler<'_>,
) {
    // A fixed seed always chooses the same subsets, so that the same change is split in the same way.
    let mut random = Rng::with_seed(0);
    let mut clean = 0;
    // A small change has few subsets, and soon all of them were drawn.
    let patience = patience.min(4 * delta.components().len());
    while clean < patience && !delta.components().is_empty() {
        let on = draw(delta, &mut random);
        let is_on = |hunk: HunkId| delta.component_of(hunk).is_some_and(|one| on[one]);
        let Some(refusals) = judge(&delta.render(&is_on)) else { return };
        let mut lessons = BTreeSet::new();
        for refusal in refusals.iter().take(ERRORS) {
            let Some((on, off)) = blamed(delta, world, refusal, &is_on) else { continue };
            let pairs = on.iter().flat_map(|from| off.iter().map(|to| (*from, *to)));
            lessons.extend(pairs.map(|(from, to)| HunkDependency {
                from,
                to: vec![to],
                rule: DependencyRule::Refused,
            }));
        }
        if lessons.is_empty() {
            // An error that teaches nothing will not go away.
            clean += 1;
            continue;
        }
        clean = 0;
        delta.add_couplings(lessons);
    }
}

/// Derives a dependency from an error: of the hunks around it, the applied ones need the others.
fn blamed(
    delta: &Delta,
    world: &RuleContext<'_>,
    refusal: &CompileError,
    is_on: &dyn Fn(HunkId) -> bool,
) -> Option<(Vec<HunkId>, Vec<HunkId>)> {
    let spots = delta.spots(is_on, refusal);
    let reaches: &[ErrorScope] = if refusal.is_flow() {
        &[ErrorScope::Flow, ErrorScope::Member, ErrorScope::File]
    } else {
        &[ErrorScope::Statement, ErrorScope::Member, ErrorScope::File]
    };
    for reach in reaches {
        let suspects: BTreeSet<HunkId> = spots
            .iter()
            .flat_map(|spot| world.blame(spot.version, &spot.path, spot.byte, *reach))
            .filter(|hunk| delta.component_of(*hunk).is_some())
            .collect();
        let (on, off): (Vec<HunkId>, Vec<HunkId>) = suspects.iter().partition(|one| is_on(**one));
        if !on.is_empty() && !off.is_empty() {
            return Some((on, off));
        }
    }
    None
}

/// Lesson from a variant that does not compile: it had all of some components, but lacked some of others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LearnedConstraint {
    /// Components that were on.
    pub all: Vec<usize>,
    /// Components that were not applied, at least one of which has to be applied with them.
    pub any: Vec<usize>,
}

impl Delta {
    /// Builds [`Delta::with_facts`], then compiles closed subsets. Compile errors become more dependencies, until
    /// `patience` subsets in a row compile.
    pub fn proved(
        base: TreeId,
        changes: &[FileChange],
        facts: (&SemanticModel, &SemanticModel),
        patience: usize,
        judge: &mut VariantCompiler<'_>,
    ) -> Self {
        Self::build(base, changes, JavaGranularity::Ast, Some(facts), |delta, world| {
            learn(delta, world, patience, judge);
        })
    }

    /// Returns the lessons from compile errors of a variant from [`Delta::render_components`]. `changes` and `facts`
    /// are those of the delta.
    pub fn lessons(
        &self,
        changes: &[FileChange],
        (old, new): (&SemanticModel, &SemanticModel),
        refusals: &[CompileError],
        is_on: &dyn Fn(usize) -> bool,
        layout: bool,
    ) -> Vec<LearnedConstraint> {
        let world = RuleContext::new(changes, &self.named, &self.hunks, &self.passages, old, new);
        let is_hunk_on = |hunk: HunkId| self.component_of(hunk).map_or(layout, is_on);
        let components = |hunks: Vec<HunkId>| {
            let all = hunks.into_iter().filter_map(|hunk| self.component_of(hunk));
            all.collect::<BTreeSet<usize>>().into_iter().collect()
        };
        let lessons = refusals.iter().take(ERRORS).filter_map(|refusal| {
            let (on, off) = blamed(self, &world, refusal, &is_hunk_on)?;
            Some(LearnedConstraint { all: components(on), any: components(off) })
        });
        lessons.collect::<BTreeSet<LearnedConstraint>>().into_iter().collect()
    }

    /// Returns the places in both versions that correspond to an error in a variant.
    fn spots(
        &self,
        is_on: &dyn Fn(HunkId) -> bool,
        refusal: &CompileError,
    ) -> Vec<OriginalPosition> {
        let found =
            self.files.iter().find_map(|file| file.spots(is_on, &refusal.path, refusal.byte));
        found.unwrap_or_else(|| {
            vec![OriginalPosition {
                version: Version::Old,
                path: refusal.path.clone(),
                byte: refusal.byte,
            }]
        })
    }
}

/// Draws a closed set of components of medium size.
fn draw(delta: &Delta, random: &mut Rng) -> Vec<bool> {
    let count = delta.components().len();
    let mut needs = vec![Vec::new(); count];
    for (from, to) in delta.component_couplings() {
        needs[from].push(to);
    }
    let wanted = count / 8 + random.usize(..=count - count / 4);
    let mut on = vec![false; count];
    let mut size = 0;
    while size < wanted {
        let mut open = vec![random.usize(..count)];
        while let Some(one) = open.pop() {
            if std::mem::replace(&mut on[one], true) {
                continue;
            }
            size += 1;
            for to in needs[one].iter().filter(|to| !to.iter().any(|to| on[*to])) {
                open.extend(to.first());
            }
        }
    }
    on
}
