//! Conditions that are linear in integers, solved for the least and the largest value that they allow of one
//! (`AutoFix`, section 4.3.4).

mod condition;
mod elimination;
mod sum;

pub(crate) use crate::conditions::linear::comparison::{Compared, Compares, NeverNegative};
pub(crate) use condition::{Extremes, Linear};
pub(crate) use sum::Sum;

mod comparison;
mod parser;
#[cfg(test)]
mod tests;
