//! Subtyping and primitive conversions.

use super::symbol::SymbolId;
use crate::facts::semantic_model::SemanticModel;
use std::collections::BTreeSet;

const NUMERIC_PRIMITIVES: [&str; 6] = ["byte", "short", "int", "long", "float", "double"];

impl SemanticModel {
    /// Returns a class and all its supertypes.
    pub fn supertypes_with_self(&self, class: SymbolId) -> BTreeSet<SymbolId> {
        let mut supertypes = BTreeSet::from([class]);
        let mut worklist = vec![class];
        while let Some(supertype) = worklist.pop() {
            for parent in &self.symbols[supertype].supertypes {
                if supertypes.insert(*parent) {
                    worklist.push(*parent);
                }
            }
        }
        supertypes
    }

    /// Returns true if a class has this full name, or a supertype with it.
    pub fn is_subtype_of(&self, class: SymbolId, full_name: &str) -> bool {
        full_name == "java.lang.Object"
            || self
                .supertypes_with_self(class)
                .into_iter()
                .any(|above| self.text(self.symbols[above].full_name) == full_name)
    }
}

/// Returns true if a primitive type can be widened to another one.
pub fn can_widen(from: &str, to: &str) -> bool {
    let rank = |name: &str| NUMERIC_PRIMITIVES.iter().position(|number| *number == name);
    match (rank(from), rank(to)) {
        (Some(from), Some(to)) => from <= to,
        (None, Some(to)) => from == "char" && to >= 2,
        _ => false,
    }
}

/// Returns the wrapper class of a primitive type.
pub fn wrapper_class(primitive: &str) -> Option<&'static str> {
    Some(match primitive {
        "boolean" => "java.lang.Boolean",
        "byte" => "java.lang.Byte",
        "short" => "java.lang.Short",
        "char" => "java.lang.Character",
        "int" => "java.lang.Integer",
        "long" => "java.lang.Long",
        "float" => "java.lang.Float",
        "double" => "java.lang.Double",
        _ => return None,
    })
}
