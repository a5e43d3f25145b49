//! Dependency rules about types: assignability, subtypes, calls, overriding, constructors and annotations.

pub(crate) mod annotation_elements;
pub(crate) mod assignability;
pub(crate) mod call_arguments;
pub(crate) mod constructor_calls;
pub(crate) mod expected_type;
pub(crate) mod lambdas;
pub(crate) mod mixed_version_overrides;
pub(crate) mod new_abstract_methods;
pub(crate) mod operands;
pub(crate) mod overriding;
pub(crate) mod required_methods;
pub(crate) mod result_annotations;
pub(crate) mod sealed_classes;
pub(crate) mod subtypes;
pub(crate) mod type_arguments;
