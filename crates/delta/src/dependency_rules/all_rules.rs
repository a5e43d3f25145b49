//! Applies all dependency rules to a delta.

use crate::dependencies::name_dependencies::{IndexedFile, Version};
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::flow::{
    checked_exceptions, constant_expressions, definite_assignment, exhaustive_switch, reachability,
    wrapped_exits,
};
use crate::dependency_rules::names::{
    duplicate_declarations, imports, labels, member_scopes, modifiers, references, shadowing,
    variable_scopes,
};
use crate::dependency_rules::types::{
    annotation_elements, assignability, call_arguments, constructor_calls, lambdas,
    mixed_version_overrides, new_abstract_methods, operands, overriding, required_methods,
    result_annotations, sealed_classes, type_arguments,
};
use crate::hunk::HunkDependency;
use mend_java::facts::SemanticModel;

/// Returns true if the facts of both versions include a file.
pub(crate) fn has_compiler_facts(
    file: &IndexedFile,
    old: &SemanticModel,
    new: &SemanticModel,
) -> bool {
    [(Version::Old, old), (Version::New, new)].into_iter().all(|(version, facts)| {
        file.indexed_version(version).is_none_or(|side| facts.tree(&side.path).is_some())
    })
}

/// Returns all dependencies by compiler facts of a delta, without duplicates.
pub(crate) fn find_semantic_dependencies(context: &RuleContext<'_>) -> Vec<HunkDependency> {
    let mut collector = DependencyCollector::default();
    references::add_dependencies(context, &mut collector);
    variable_scopes::add_dependencies(context, &mut collector);
    member_scopes::add_dependencies(context, &mut collector);
    shadowing::add_dependencies(context, &mut collector);
    imports::add_dependencies(context, &mut collector);
    modifiers::add_dependencies(context, &mut collector);
    constant_expressions::add_dependencies(context, &mut collector);
    assignability::add_dependencies(context, &mut collector);
    call_arguments::add_dependencies(context, &mut collector);
    constructor_calls::add_dependencies(context, &mut collector);
    overriding::add_dependencies(context, &mut collector);
    required_methods::add_dependencies(context, &mut collector);
    result_annotations::add_dependencies(context, &mut collector);
    new_abstract_methods::add_dependencies(context, &mut collector);
    mixed_version_overrides::add_dependencies(context, &mut collector);
    operands::add_dependencies(context, &mut collector);
    checked_exceptions::add_dependencies(context, &mut collector);
    duplicate_declarations::add_dependencies(context, &mut collector);
    definite_assignment::add_dependencies(context, &mut collector);
    reachability::add_dependencies(context, &mut collector);
    wrapped_exits::add_dependencies(context, &mut collector);
    labels::add_dependencies(context, &mut collector);
    annotation_elements::add_dependencies(context, &mut collector);
    exhaustive_switch::add_dependencies(context, &mut collector);
    lambdas::add_dependencies(context, &mut collector);
    sealed_classes::add_dependencies(context, &mut collector);
    type_arguments::add_dependencies(context, &mut collector);
    collector.into_dependencies()
}
