//! Build model of Gradle, read from build files.

mod build_scripts;
pub(crate) mod reader;
pub(crate) mod report_folders;
pub(crate) mod script;
