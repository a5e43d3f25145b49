//! Detection of refactorings, one kind per file.

pub(crate) mod call_expansion;
pub(crate) mod conditionals;
pub(crate) mod extracted_values;
pub(crate) mod hierarchy;
pub(crate) mod member_in_version;
pub(crate) mod methods;
pub(crate) mod moves;
pub(crate) mod parameter_object;
pub(crate) mod parameters;
pub(crate) mod renames;
pub(crate) mod split_variable;
pub(crate) mod visibility;
