//! Finds the library upgrades that break a test.

mod build_file_edit;
mod class_paths;
mod command;
mod commit_link;
mod fix_search;
mod library_change;
mod library_engine;
mod library_history;
mod library_trees;
mod library_variants;
mod managed_dependency;
mod result;
mod upgrade_search;
mod version_search;
mod version_tags;

pub use command::upgrade;
