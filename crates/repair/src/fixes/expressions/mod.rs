//! Fix operators that change an expression.

pub(crate) mod allocations;
pub(crate) mod arguments;
pub(crate) mod arithmetic;
pub(crate) mod casts;
pub(crate) mod collection_contents;
pub(crate) mod conditions;
pub(crate) mod literals;
pub(crate) mod map_lookups;
pub(crate) mod methods;
pub(crate) mod operators;
pub(crate) mod subranges;
pub(crate) mod values;
pub(crate) mod widening;
