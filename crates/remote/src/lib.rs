//! Runs trials on a server of the Bazel Remote Execution API.

mod action;
mod batch;
mod batch_size;
mod client;
mod digest;
mod dispatcher;
mod engine;
mod executor;
mod folder_scan;
mod merkle;
mod options;
#[cfg(any(test, feature = "test-support"))]
// A panic here fails the test that uses it.
#[allow(clippy::unwrap_used, missing_docs)]
pub mod test_support;
#[cfg(test)]
mod tests;
mod trial;
mod worker;

pub use batch::WORKER_SUBCOMMAND;
pub use engine::{RemoteEngine, Repetition};
pub use executor::RemoteExecutor;
pub use options::{Headers, RemoteOptions, Timing};
pub use worker::batch_run::worker_main;
