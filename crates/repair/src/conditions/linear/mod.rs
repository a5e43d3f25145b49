//! Conditions that are linear in integers, solved for the least and the largest value that they allow of one
//! (`AutoFix`, section 4.3.4).

mod condition;
mod elimination;
mod sum;

pub(crate) use crate::conditions::linear::comparison::{
    ComparedTerms, LinearComparison, NonNegativeSums,
};
pub(crate) use condition::{Bounds, LinearCondition};
pub(crate) use sum::LinearSum;

mod comparison;
mod parser;
#[cfg(test)]
mod tests;
