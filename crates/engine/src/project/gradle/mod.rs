//! Build model of Gradle, read from build files.

pub(crate) mod reader;
pub(crate) mod script;
