//! The App's server, spoken to as GitHub speaks and as others might.

mod checks;
mod client;
mod examples;
mod faults;
mod jobs;
mod killed;
mod operations;
mod published;
mod server;
mod queued;
mod told;
mod webhooks;
