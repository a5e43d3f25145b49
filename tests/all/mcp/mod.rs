//! Tests of `git mend mcp` with the client of the protocol's Rust library, and with malformed messages.

mod client;
mod malformed;
mod stopping;
mod tasks;
mod tools;
