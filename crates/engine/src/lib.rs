//! Builds one variant of a Java project and runs its tests. The result is a raw outcome, which is not judged here.

mod build_and_test;
mod cache;
mod command_engine;
mod compile;
mod doctor;
mod engine_choice;
mod engine_trait;
mod execution;
mod explore;
mod jdk;
mod jvm;
mod library_build;
mod limits;
mod lock;
mod named_test_classes;
mod portable_engine;
mod process_engine;
mod project;
mod reduced_tests;
mod remote_tests;
mod resident;
mod select;
mod test_compilation;
mod test_execution;
mod test_impact;
#[cfg(any(test, feature = "test-support"))]
// A panic here fails the test that uses it.
#[allow(clippy::unwrap_used, missing_docs)]
pub mod test_support;
#[cfg(test)]
mod testing;
mod tree_paths;

pub use cache::class_file::class_file_path;
pub use cache::fingerprint::BUILD_COMMIT;
pub use cache::outcome_cache::OutcomeCache;
pub use command_engine::CommandEngine;
pub use compile::attribution_server::{AttributionServer, SourceSet};
pub use doctor::{DoctorContext, run_checks};
pub use engine_choice::EngineChoice;
pub use engine_trait::{
    CoverageMeter, Engine, RunMode, RunRequest, SchemaRequest, SchemaRun, SchemaTester,
};
pub use execution::{Execution, ExecutionMode};
pub use explore::{
    ExplorationResult, ExploreConfig, FailureGoal, ScheduleEngine, ScheduleListener,
    ScheduleRunner, SchedulerKind,
};
pub use jdk::environment::{Environment, VariableDigests};
pub use jdk::installation::Jdk;
pub use jdk::source_level::SourceLevel;
pub use jdk::toolchain::Toolchain;
pub use jvm::launcher::{ExitInfo, LaunchSpec, Launcher};
pub use jvm::prewarm::compile_java_programs;
pub use jvm::supervised_launcher::SupervisedLauncher;
pub use library_build::{LibraryBuild, LibraryBuilder};
pub use limits::Limits;
pub use portable_engine::PortableEngine;
pub use process_engine::ProcessEngine;
pub use project::{
    BUILD_OVERRIDES_FILE, Batch, BuildKind, BuildOverrides, Coordinates, FilterValues,
    LevelOverride, LibraryRepository, LocalRepositories, MavenSettings, ModelSource, Module,
    ModuleSources, PathOverrides, PathPatterns, Project, ProjectModelFile, ProjectOptions,
    RepositoryKind, ResourceFolder, Substitution, TestJvm, find_report_folders,
    find_selected_sources, inherited_properties, is_build_file,
};
pub use remote_tests::{JavaMode, RemoteTests};
pub use resident::{CrossCheck, ResidentEngine};
pub use select::selection::{Selection, TestClass, select_tests};
pub use test_execution::coverage::Coverage;
pub use test_execution::framework::Framework;
pub use test_execution::replacement_classes::REPLACEMENT_CLASSES_FOLDER;
pub use test_execution::test_adaptation::TestAdaptation;
pub use test_execution::test_order::TestOrder;
pub use test_execution::test_timeouts::TestTimeouts;
pub use test_impact::{AffectedTests, can_affect_tests, find_affected_tests};
