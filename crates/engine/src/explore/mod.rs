//! Running tests under many schedules of their threads, one thread at a time.
//!
//! The JVM that does it (`runtime/explore`) loads the project's classes with hooks put into their code, and decides
//! at each hook which thread goes on.

mod explored;
mod explorer;
mod order;
mod sampler;
mod worker;

pub use explored::Explored;
pub use order::{ExploreOrder, Listener};
pub use sampler::Sampler;

pub(super) use explorer::{Explorer, ExploringHands};
