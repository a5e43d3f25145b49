//! A launcher and a facts server for tests, also those of other crates.

mod facts;
mod plain_launcher;

pub use crate::facts;
pub use facts::{assert_all, shared_server, source_set, start_server};
pub use plain_launcher::PlainLauncher;
