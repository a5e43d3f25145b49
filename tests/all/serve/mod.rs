//! Tests of the App's server over HTTP, with valid and invalid requests.

mod checks;
mod client;
mod cloned;
mod examples;
mod faults;
mod jobs;
mod killed;
mod operations;
mod premerge;
mod published;
mod queued;
mod server;
mod stopped;
mod told;
mod webhooks;
