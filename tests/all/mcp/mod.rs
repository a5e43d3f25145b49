//! Tests of `git mend mcp` with the clients of the protocol's Rust and TypeScript libraries, and with malformed messages.

mod client;
mod malformed;
mod stopping;
mod tasks;
mod tools;
