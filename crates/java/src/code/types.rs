//! Properties of Java types, by their names.

use crate::facts::{SemanticModel, boxed, widens};

/// Returns true if a value of type `ty` can be assigned to `wanted`.
pub fn fits(facts: &SemanticModel, ty: &str, wanted: &str) -> bool {
    let is_below = || facts.class_named(ty).is_some_and(|class| facts.is_below(class, wanted));
    unboxed(ty) == unboxed(wanted)
        || widens(unboxed(ty), wanted)
        || is_reference(ty) && wanted == "java.lang.Object"
        || is_below()
}

/// Returns the element type of a collection with one type argument, without that argument's own arguments.
pub fn element_of(written: &str) -> Option<&str> {
    let inside = written.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>'))?;
    let element = inside.split('<').next().unwrap_or(inside);
    (!element.contains([',', '?'])).then_some(element)
}

/// Returns true for primitive integer types other than `char`.
pub fn is_whole(ty: &str) -> bool {
    matches!(ty, "int" | "long" | "short" | "byte")
}

/// Returns the primitive type of a boxed one; any other type is returned as it is.
pub fn unboxed(ty: &str) -> &str {
    let primitives = ["boolean", "byte", "short", "char", "int", "long", "float", "double"];
    primitives.into_iter().find(|primitive| boxed(primitive) == Some(ty)).unwrap_or(ty)
}

/// Returns true for numbers and characters, boxed or not.
pub fn is_ordered(ty: &str) -> bool {
    let ty = unboxed(ty);
    !is_reference(ty) && !matches!(ty, "" | "boolean" | "void")
}

/// Returns true for reference types.
pub fn is_reference(ty: &str) -> bool {
    !matches!(
        ty,
        "" | "int" | "long" | "short" | "byte" | "char" | "boolean" | "float" | "double" | "void"
    )
}
