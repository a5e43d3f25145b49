//! Finds the library upgrades that break a test.

mod build_file_edit;
mod command;
mod library_change;
mod library_variants;
mod result;
mod upgrade_search;
mod version_search;

pub use command::upgrade;
