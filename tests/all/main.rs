//! End-to-end tests of the program, and tests of the repository's documents and scripts.

#![allow(clippy::unwrap_used, reason = "what helps a test may fail as the test itself may")]

mod bad_input;
mod bad_java;
mod bisect;
mod cli;
mod concurrency;
mod culprits;
mod delta;
mod deploy;
mod design;
mod doctor;
mod engine;
mod expected_output;
mod explore;
mod fix;
mod fixtures;
mod flaky;
mod generate;
mod github;
mod github_client;
mod github_fake;
mod github_faults;
mod guide;
mod hook;
mod hostile;
mod imports;
mod instrumented;
mod java_input;
mod newer_tests;
mod places;
mod projects;
mod prose;
mod recorded;
mod report;
mod scripts;
mod secrets;
mod serve;
mod stopped;
mod support;
mod terminal;
mod unbuildable;
mod validate;
mod virtual_threads;
mod watchdog;
