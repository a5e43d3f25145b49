//! Which commit broke it, and which part of its change: searches over nodes and units that mean nothing
//! here. Nothing in this layer reads, writes, starts or prints anything; it asks, and others judge.

pub mod bisection;
mod constraints;
mod implications;
mod minimizer;
mod oracle;
pub mod sequential_test;
mod subset;
mod units;

pub use constraints::Constraints;
pub use minimizer::search_state::Method;
pub use minimizer::{Minimal, Minimiser};
pub use oracle::{Answer, Lesson, Limits, Oracle, Step};
pub use subset::Subset;
pub use units::{Goal, Units};
