//! Selection of tests by name and pattern.

pub(crate) mod declarations;
pub(crate) mod outline;
pub(crate) mod selection;
pub(crate) mod wildcard;
