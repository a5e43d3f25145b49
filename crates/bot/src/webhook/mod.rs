//! Webhooks: verified signatures, then typed events.

mod delivery;
pub mod event_payloads;
mod signature;

pub use delivery::Delivery;
pub use signature::WebhookSecrets;
