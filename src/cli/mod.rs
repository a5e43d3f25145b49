//! Command-line interface of the program.

mod arguments;
pub(crate) mod commands;
mod dispatch;
mod executor_request;
mod github_connection;
mod github_requests;
pub(crate) mod output;
mod settings;
mod subject_request;
mod version;

pub use dispatch::main;
