//! The App's server, spoken to as GitHub speaks and as others might.

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
