//! Webhooks: verifies signatures and parses events.

mod delivery;
pub mod event_payloads;
mod signature;

pub use delivery::Delivery;
pub use signature::WebhookSecrets;
