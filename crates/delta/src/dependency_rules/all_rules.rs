//! All schemas, applied to a delta.

use crate::dependencies::name_dependencies::{IndexedFile, Version};
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::flow::{
    checked_exceptions, constant_expressions, definite_assignment, exhaustive_switch, reachability,
    wrapped_exits,
};
use crate::dependency_rules::names::{
    duplicate_declarations, imports, labels, modifiers, references, shadowing,
};
use crate::dependency_rules::types::{
    annotation_elements, assignability, call_arguments, constructor_calls, lambdas,
    mixed_version_overrides, new_abstract_methods, operands, overriding, required_methods,
    sealed_classes, type_arguments,
};
use crate::hunk::HunkDependency;
use mend_java::facts::SemanticModel;

/// Returns true if the facts of both versions include a file.
pub(crate) fn are_known(file: &IndexedFile, old: &SemanticModel, new: &SemanticModel) -> bool {
    [(Version::Old, old), (Version::New, new)].into_iter().all(|(version, facts)| {
        file.side(version).is_none_or(|side| facts.tree(&side.path).is_some())
    })
}

/// Returns all dependencies by compiler facts of a delta, without duplicates.
pub(crate) fn by_facts(world: &RuleContext<'_>) -> Vec<HunkDependency> {
    let mut links = DependencyCollector::default();
    references::couple(world, &mut links);
    shadowing::couple(world, &mut links);
    imports::couple(world, &mut links);
    modifiers::couple(world, &mut links);
    constant_expressions::couple(world, &mut links);
    assignability::couple(world, &mut links);
    call_arguments::couple(world, &mut links);
    constructor_calls::couple(world, &mut links);
    overriding::couple(world, &mut links);
    required_methods::couple(world, &mut links);
    new_abstract_methods::couple(world, &mut links);
    mixed_version_overrides::couple(world, &mut links);
    operands::couple(world, &mut links);
    checked_exceptions::couple(world, &mut links);
    duplicate_declarations::couple(world, &mut links);
    definite_assignment::couple(world, &mut links);
    reachability::couple(world, &mut links);
    wrapped_exits::couple(world, &mut links);
    labels::couple(world, &mut links);
    annotation_elements::couple(world, &mut links);
    exhaustive_switch::couple(world, &mut links);
    lambdas::couple(world, &mut links);
    sealed_classes::couple(world, &mut links);
    type_arguments::couple(world, &mut links);
    links.into_couplings()
}
