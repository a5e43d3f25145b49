//! Linear integer conditions, solved for the minimum and maximum value of one variable (`AutoFix`, section 4.3.4).

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
