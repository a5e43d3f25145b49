//! Equivalence of integer conditions at a statement, and detection of constant ones.

use crate::conditions::linear::{LinearComparison, LinearSum, NonNegativeSums};
use crate::conditions::terms::{ConditionTerm, size_expression};
use mend_java::Code;
use mend_java::code::types::unbox;
use std::collections::HashMap;

/// Terms at a statement that are integers or have a size, with the sums known to be non-negative.
#[derive(Default)]
pub(crate) struct IntegerTerms {
    numbers: HashMap<String, LinearSum>,
    sizes: HashMap<String, LinearSum>,
    non_negative_sums: NonNegativeSums,
}

impl IntegerTerms {
    /// Collects the sums of some terms. `facts` are conditions that hold.
    pub(crate) fn from_terms(code: &Code<'_>, terms: &[ConditionTerm], facts: &[String]) -> Self {
        let mut integer_terms = Self::default();
        for term in terms {
            let is_number = matches!(unbox(&term.ty), "int" | "long" | "short" | "byte" | "char");
            if let Some(sum) = LinearSum::read(&term.text).filter(|_| is_number) {
                integer_terms.numbers.insert(term.text.clone(), sum);
            }
            if let Some(size) =
                size_expression(code, &term.text, &term.ty).map(LinearSum::from_term)
            {
                // A size that the project computes itself may be wrong, so it may be negative.
                if term.ty.ends_with("[]") || term.ty.starts_with("java.") {
                    integer_terms.non_negative_sums.add(size.clone());
                }
                integer_terms.sizes.insert(term.text.clone(), size);
            }
        }
        for condition in facts {
            integer_terms.non_negative_sums.add_condition(condition);
        }
        integer_terms
    }

    /// Returns a term as a sum.
    pub(crate) fn sum_of(&self, term: &str) -> Option<&LinearSum> {
        self.numbers.get(term)
    }

    /// Returns the size of a term as a sum.
    pub(crate) fn size_of(&self, term: &str) -> Option<&LinearSum> {
        self.sizes.get(term)
    }

    /// Returns true if a comparison is always true here, or always false.
    pub(crate) fn is_constant(&self, comparison: &LinearComparison) -> bool {
        comparison.is_constant(&self.non_negative_sums)
    }

    /// Returns true if two comparisons are equivalent here.
    pub(crate) fn are_equivalent(&self, one: &LinearComparison, other: &LinearComparison) -> bool {
        one.is_equivalent_to(other, &self.non_negative_sums)
    }
}
