//! Fix operators that change shared data: atomics, volatile fields and concurrent maps.

pub(crate) mod atomics;
pub(crate) mod concurrent_maps;
pub(crate) mod fields;
pub(crate) mod null_checks;
pub(crate) mod thread_unsafe_types;
