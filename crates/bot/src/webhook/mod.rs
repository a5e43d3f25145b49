//! Webhooks: verified signatures, then typed events.

mod delivery;
pub mod events;
mod signature;

pub use delivery::Delivery;
pub use signature::WebhookSecrets;
