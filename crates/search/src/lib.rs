//! Which commit broke it, and which part of its change: searches over nodes and units that mean nothing
//! here. Nothing in this layer reads, writes, starts or prints anything; it asks, and others judge.

mod constraints;
mod count;
mod divide;
mod ground;
pub mod history;
mod memory;
mod minimiser;
mod oracle;
mod order;
mod plan;
pub mod posterior;
mod reduce;
mod rules;
mod subset;
mod sweep;
mod units;

pub use constraints::Constraints;
pub use minimiser::{Minimal, Minimiser};
pub use oracle::{Answer, Lesson, Limits, Oracle, Step};
pub use plan::Method;
pub use subset::Subset;
pub use units::{Goal, Units};
