//! Tests of the App's server over HTTP, with valid and invalid requests.

mod checks;
mod client;
mod cloned;
mod examples;
mod faults;
mod generator;
mod interrupted_publishing;
mod jobs;
mod killed;
mod merge_queue_culprit;
mod operations;
mod premerge;
mod published;
mod server;
mod settled;
mod stopped;
mod webhooks;
