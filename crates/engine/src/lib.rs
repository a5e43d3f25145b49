//! Building one variant of a Java project and running its tests: a raw outcome, and no judgement.

mod attempt;
mod cache;
mod class_archive;
mod class_file;
mod command_engine;
mod compile_worker;
mod compiler;
mod compiler_pool;
mod copies;
mod coverage;
mod digest;
mod doctor;
mod encoding;
mod engine_choice;
mod engine_trait;
mod environment;
mod execution;
mod explore;
mod facts_server;
mod fingerprint;
mod framework;
mod fresh_compiler;
mod java_source;
mod jdk;
mod jvm;
mod jvm_options;
mod launch;
mod library;
mod limits;
mod lock;
mod one_core;
mod order;
mod outline;
mod process_engine;
mod processors;
mod project;
mod reach;
mod request;
mod resident;
mod resident_compiler;
mod result_lines;
mod runtime;
mod selection;
mod source_level;
mod supervised;
mod swapped_classes;
mod test_limits;
mod test_run;
#[cfg(any(test, feature = "test-support"))]
// Tests stop at the first fault.
#[allow(clippy::unwrap_used, missing_docs)]
pub mod test_support;
mod testbed;
#[cfg(test)]
mod testing;
mod toolchain;
mod tree_paths;
mod warm;
mod wildcard;

pub use cache::OutcomeCache;
pub use class_file::class_file_path;
pub use command_engine::CommandEngine;
pub use coverage::Coverage;
pub use doctor::{Checkup, run_checks};
pub use engine_choice::EngineChoice;
pub use engine_trait::Engine;
pub use environment::{Environment, Variables};
pub use execution::{Execution, Rung};
pub use explore::{ExploreOrder, Explored, Listener, Sampler};
pub use facts_server::{FactsServer, SourceSet};
pub use fingerprint::COMMIT;
pub use framework::Framework;
pub use jdk::Jdk;
pub use launch::{Ended, Launch, Launched};
pub use limits::Limits;
pub use order::TestOrder;
pub use process_engine::ProcessEngine;
pub use project::{
    Batch, Build, LocalRepositories, MavenSettings, Module, Project, ProjectOptions, Recorded,
    Resources, Values,
};
pub use reach::{Reached, may_matter, reached};
pub use resident::ResidentEngine;
pub use selection::{Selection, TestClass, select};
pub use supervised::SupervisedLauncher;
pub use swapped_classes::SWAPPED_CLASSES;
pub use test_limits::TestLimits;
pub use toolchain::Toolchain;
pub use warm::warm;
