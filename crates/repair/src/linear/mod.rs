//! Conditions that are linear in integers, solved for the least and the largest value that they allow of one
//! (`AutoFix`, section 4.3.4).

mod compared;
mod condition;
mod elimination;
mod reader;
mod sum;

pub(super) use compared::{Compared, Compares, NeverNegative};
pub(super) use condition::{Extremes, Linear};
pub(super) use sum::Sum;

#[cfg(test)]
mod tests;
