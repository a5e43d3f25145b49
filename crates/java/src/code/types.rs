//! Properties of Java types, by name.

use crate::facts::{SemanticModel, can_widen, wrapper_class};

/// Returns true if a value of type `ty` can be assigned to `target`.
pub fn is_assignable(facts: &SemanticModel, ty: &str, target: &str) -> bool {
    let is_subtype =
        || facts.find_class(ty).is_some_and(|class| facts.is_subtype_of(class, target));
    unbox(ty) == unbox(target)
        || can_widen(unbox(ty), target)
        || is_reference_type(ty) && target == "java.lang.Object"
        || is_subtype()
}

/// Returns the element type of a collection with one type argument, without that argument's own arguments.
pub fn element_type(written: &str) -> Option<&str> {
    let type_argument = written.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>'))?;
    let element = type_argument.split('<').next().unwrap_or(type_argument);
    (!element.contains([',', '?'])).then_some(element)
}

/// Returns true for primitive integer types other than `char`.
pub fn is_whole(ty: &str) -> bool {
    matches!(ty, "int" | "long" | "short" | "byte")
}

/// Returns the primitive type of a boxed one; any other type is returned as it is.
pub fn unbox(ty: &str) -> &str {
    let primitives = ["boolean", "byte", "short", "char", "int", "long", "float", "double"];
    primitives.into_iter().find(|primitive| wrapper_class(primitive) == Some(ty)).unwrap_or(ty)
}

/// Returns true for numbers and characters, boxed or not.
pub fn is_ordered_type(ty: &str) -> bool {
    let ty = unbox(ty);
    !is_reference_type(ty) && !matches!(ty, "" | "boolean" | "void")
}

/// Returns true for reference types.
pub fn is_reference_type(ty: &str) -> bool {
    !matches!(
        ty,
        "" | "int" | "long" | "short" | "byte" | "char" | "boolean" | "float" | "double" | "void"
    )
}
