//! Command line of the program.

mod arguments;
mod bisect;
mod ci;
mod console;
mod delta;
mod demo;
mod dispatch;
mod doctor;
mod estimate;
mod explore;
mod fault;
mod fix;
mod generate;
mod github_requests;
mod hook;
mod live;
mod pr;
mod report;
mod run_output;
mod serve;
mod settings;
mod subject;
mod validate;
mod version;

pub use dispatch::main;
