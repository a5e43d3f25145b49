//! Which commit broke it, and which part of its change: searches over nodes and units that mean nothing
//! here. Nothing in this layer reads, writes, starts or prints anything; it asks, and others judge.

mod constraints;
mod ddmin;
pub mod history;
mod prober;
mod units;

pub use constraints::{Constraints, Subset};
pub use ddmin::{Minimal, minimise};
pub use prober::{Limits, Oracle, Step};
pub use units::{Goal, Units};
