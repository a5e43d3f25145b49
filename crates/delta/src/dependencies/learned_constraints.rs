//! Learns dependencies that no rule finds, from compile errors.
//!
//! Closed subsets are drawn and compiled. Around the position of an error, some hunks are applied and some are not: the
//! applied ones need the others. As the subset was closed, at least one of these dependencies is new, so every compile
//! error adds information.

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

/// Maximum number of errors used per variant: later ones are mostly consequences of the first ones.
const MAX_ERRORS_PER_VARIANT: usize = 200;

/// Learns dependencies until this many variants in a row compile, or the compiler stops.
pub(crate) fn learn_dependencies(
    delta: &mut Delta,
    context: &RuleContext<'_>,
    max_clean_variants: usize,
    compile_variant: &mut VariantCompiler<'_>,
) {
    // A fixed seed makes the learned dependencies reproducible.
    let mut random = Rng::with_seed(0);
    let mut clean_variants = 0;
    // A small change has few subsets, which are soon drawn.
    let max_clean_variants = max_clean_variants.min(4 * delta.components().len());
    while clean_variants < max_clean_variants && !delta.components().is_empty() {
        let enabled = draw_closed_subset(delta, &mut random);
        let is_enabled = |hunk: HunkId| delta.component_of(hunk).is_some_and(|one| enabled[one]);
        let Some(errors) = compile_variant(&delta.render(&is_enabled)) else { return };
        let mut learned_dependencies = BTreeSet::new();
        for error in errors.iter().take(MAX_ERRORS_PER_VARIANT) {
            let Some((enabled, disabled_hunks)) =
                attribute_error(delta, context, error, &is_enabled)
            else {
                continue;
            };
            let pairs =
                enabled.iter().flat_map(|from| disabled_hunks.iter().map(|to| (*from, *to)));
            learned_dependencies.extend(pairs.map(|(from, to)| HunkDependency {
                from,
                to: vec![to],
                rule: DependencyRule::Refused,
            }));
        }
        if learned_dependencies.is_empty() {
            // An error without a new dependency will occur again.
            clean_variants += 1;
            continue;
        }
        clean_variants = 0;
        delta.add_dependencies(learned_dependencies);
    }
}

/// Derives a dependency from an error: among the hunks around it, the applied ones need the others.
fn attribute_error(
    delta: &Delta,
    context: &RuleContext<'_>,
    error: &CompileError,
    is_enabled: &dyn Fn(HunkId) -> bool,
) -> Option<(Vec<HunkId>, Vec<HunkId>)> {
    let positions = delta.find_original_positions(is_enabled, error);
    let scopes: &[ErrorScope] = if error.is_flow_error() {
        &[ErrorScope::Flow, ErrorScope::Member, ErrorScope::File]
    } else {
        &[ErrorScope::Statement, ErrorScope::Member, ErrorScope::File]
    };
    for scope in scopes {
        let suspects: BTreeSet<HunkId> = positions
            .iter()
            .flat_map(|spot| context.find_error_causes(spot.version, &spot.path, spot.byte, *scope))
            .filter(|hunk| delta.component_of(*hunk).is_some())
            .collect();
        let (enabled, disabled): (Vec<HunkId>, Vec<HunkId>) =
            suspects.iter().partition(|one| is_enabled(**one));
        if !enabled.is_empty() && !disabled.is_empty() {
            return Some((enabled, disabled));
        }
    }
    None
}

/// Constraint from a variant that does not compile: some components together need at least one of the alternatives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LearnedConstraint {
    /// Components that were applied.
    pub premises: Vec<usize>,
    /// Components that were not applied, at least one of which has to be applied with them.
    pub alternatives: Vec<usize>,
}

impl Delta {
    /// Builds [`Delta::with_facts`], then compiles closed subsets. Compile errors become more dependencies, until
    /// `max_clean_variants` subsets in a row compile.
    pub fn with_learned_dependencies(
        base: TreeId,
        changes: &[FileChange],
        facts: (&SemanticModel, &SemanticModel),
        max_clean_variants: usize,
        compile_variant: &mut VariantCompiler<'_>,
    ) -> Self {
        Self::build(base, changes, JavaGranularity::Ast, Some(facts), |delta, world| {
            learn_dependencies(delta, world, max_clean_variants, compile_variant);
        })
    }

    /// Returns the constraints from the compile errors of a variant of [`Delta::render_components`]. `changes`
    /// and the models are those of the delta.
    pub fn learn_constraints(
        &self,
        changes: &[FileChange],
        (old, new): (&SemanticModel, &SemanticModel),
        errors: &[CompileError],
        is_enabled: &dyn Fn(usize) -> bool,
        has_layout: bool,
    ) -> Vec<LearnedConstraint> {
        let context = RuleContext::new(
            changes,
            &self.indexed_files,
            &self.hunks,
            &self.edited_moves,
            old,
            new,
        );
        let is_hunk_enabled = |hunk: HunkId| self.component_of(hunk).map_or(has_layout, is_enabled);
        let components = |hunks: Vec<HunkId>| {
            let all = hunks.into_iter().filter_map(|hunk| self.component_of(hunk));
            all.collect::<BTreeSet<usize>>().into_iter().collect()
        };
        let constraints = errors.iter().take(MAX_ERRORS_PER_VARIANT).filter_map(|refusal| {
            let (enabled, disabled) = attribute_error(self, &context, refusal, &is_hunk_enabled)?;
            Some(LearnedConstraint {
                premises: components(enabled),
                alternatives: components(disabled),
            })
        });
        constraints.collect::<BTreeSet<LearnedConstraint>>().into_iter().collect()
    }

    /// Returns the positions in both versions that correspond to an error in a variant.
    fn find_original_positions(
        &self,
        is_enabled: &dyn Fn(HunkId) -> bool,
        error: &CompileError,
    ) -> Vec<OriginalPosition> {
        let positions = self
            .files
            .iter()
            .find_map(|file| file.original_positions(is_enabled, &error.path, error.byte));
        positions.unwrap_or_else(|| {
            vec![OriginalPosition {
                version: Version::Old,
                path: error.path.clone(),
                byte: error.byte,
            }]
        })
    }
}

/// Draws a closed set of components of medium size.
fn draw_closed_subset(delta: &Delta, random: &mut Rng) -> Vec<bool> {
    let count = delta.components().len();
    let mut needs = vec![Vec::new(); count];
    for (from, to) in delta.component_dependencies() {
        needs[from].push(to);
    }
    let target_size = count / 8 + random.usize(..=count - count / 4);
    let mut enabled = vec![false; count];
    let mut size = 0;
    while size < target_size {
        let mut worklist = vec![random.usize(..count)];
        while let Some(component) = worklist.pop() {
            if std::mem::replace(&mut enabled[component], true) {
                continue;
            }
            size += 1;
            for to in needs[component].iter().filter(|to| !to.iter().any(|to| enabled[*to])) {
                worklist.extend(to.first());
            }
        }
    }
    enabled
}
