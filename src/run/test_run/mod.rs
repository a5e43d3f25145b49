//! Runs the tests of one version.

mod command;
mod result;

pub use command::run_tests;
