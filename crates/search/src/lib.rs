//! Search algorithms: bisection of commits, and minimisation of a change. They work on abstract nodes and units, have
//! no side effects, and get verdicts from an oracle.

pub mod bisection;
mod constraints;
mod implications;
mod lookahead;
mod minimiser;
mod oracle;
mod sampling_order;
pub mod sequential_test;
mod subset;
mod units;

pub use constraints::Constraints;
pub use lookahead::upcoming_commits;
pub use minimiser::next_subset::Algorithm;
pub use minimiser::{MinimisedSet, Minimiser};
pub use oracle::{LearnedImplication, MinimiserProgress, Oracle, OracleAnswer, SearchLimits};
pub use sampling_order::sample_positions;
pub use subset::Subset;
pub use units::{MinimisationGoal, Units};
