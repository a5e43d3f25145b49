//! Equivalent conditions over the whole numbers at a place, and constant ones.

use crate::conditions::linear::{LinearComparison, LinearSum, NonNegativeSums};
use crate::conditions::terms::{ConditionTerm, size};
use mend_java::Code;
use mend_java::code::types::unboxed;
use std::collections::HashMap;

/// The terms of a place that are whole numbers or have a size, and what is always so of them.
#[derive(Default)]
pub(crate) struct IntegerTerms {
    numbers: HashMap<String, LinearSum>,
    sizes: HashMap<String, LinearSum>,
    known: NonNegativeSums,
}

impl IntegerTerms {
    /// Collects the sums of some terms. `standing` are conditions that hold.
    pub(crate) fn from_terms(
        code: &Code<'_>,
        terms: &[ConditionTerm],
        standing: &[String],
    ) -> Self {
        let mut whole = Self::default();
        for term in terms {
            let is_number = matches!(unboxed(&term.ty), "int" | "long" | "short" | "byte" | "char");
            if let Some(sum) = LinearSum::read(&term.text).filter(|_| is_number) {
                whole.numbers.insert(term.text.clone(), sum);
            }
            if let Some(size) = size(code, &term.text, &term.ty).map(LinearSum::of_term) {
                // What the project itself makes of a size may be what is wrong.
                if term.ty.ends_with("[]") || term.ty.starts_with("java.") {
                    whole.known.add(size.clone());
                }
                whole.sizes.insert(term.text.clone(), size);
            }
        }
        for condition in standing {
            whole.known.add_condition(condition);
        }
        whole
    }

    /// Returns a term as a sum.
    pub(crate) fn number(&self, term: &str) -> Option<&LinearSum> {
        self.numbers.get(term)
    }

    /// Returns the size of a term as a sum.
    pub(crate) fn size(&self, term: &str) -> Option<&LinearSum> {
        self.sizes.get(term)
    }

    /// Returns true if a comparison is always true here, or always false.
    pub(crate) fn is_settled(&self, compared: &LinearComparison) -> bool {
        compared.is_settled(&self.known)
    }

    /// Returns true if two comparisons are equivalent here.
    pub(crate) fn are_same(&self, one: &LinearComparison, other: &LinearComparison) -> bool {
        one.is_same(other, &self.known)
    }
}
