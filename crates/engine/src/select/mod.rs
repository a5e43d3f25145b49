//! Selection of tests by name and pattern, and outlines of sources.

pub(crate) mod declarations;
pub(crate) mod outline;
pub(crate) mod selection;
pub(crate) mod wildcard;
