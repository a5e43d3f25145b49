//! Finds the upgrades of a build that break a test.

mod build_change;
mod build_file_edit;
mod build_reader;
mod build_variants;
mod command;
mod commit_link;
mod declarations;
mod fix_search;
mod inherited_versions;
mod level_declarations;
mod library_engine;
mod library_history;
mod library_users;
mod managed_dependency;
mod pom_text;
mod result;
mod upgrade_search;
mod variant_trees;
mod version_search;
mod version_source;
mod version_tags;

pub use command::upgrade;
