//! What GitHub sends: proved to be GitHub's, then read into events of our own.

mod delivery;
pub mod events;
mod signature;

pub use delivery::Delivery;
pub use signature::Secrets;
