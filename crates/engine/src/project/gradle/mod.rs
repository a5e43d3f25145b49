//! The Gradle build model, read from build files.

pub(crate) mod reader;
pub(crate) mod script;
