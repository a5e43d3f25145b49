//! A launcher and a facts server for tests, also those of other crates.

mod facts;
mod plain_launcher;

pub use crate::facts;
pub use facts::{own_server, server, sources, try_all};
pub use plain_launcher::PlainLauncher;
