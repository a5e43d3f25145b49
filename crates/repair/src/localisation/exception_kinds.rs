//! Classification of exception classes by kind of fault.

/// Exceptions for an index, a divisor, a size or a type that does not fit.
const OF_RANGE: [&str; 9] = [
    "IndexOutOfBoundsException",
    "ArithmeticException",
    "NoSuchElementException",
    "ClassCastException",
    "NegativeArraySizeException",
    "NumberFormatException",
    "EmptyStackException",
    "StackOverflowError",
    "ConcurrentModificationException",
];

/// Exceptions that guards throw.
const OF_GUARDS: [&str; 2] = ["IllegalArgumentException", "IllegalStateException"];

/// Exceptions that assertions throw.
const OF_ASSERTIONS: [&str; 4] =
    ["AssertionError", "ComparisonFailure", "AssertionFailedError", "MultipleFailuresError"];

fn is_one(class: &str, of: &[&str]) -> bool {
    of.iter().any(|known| class.ends_with(known))
}

/// Returns true for a null dereference.
pub(crate) fn is_null(class: &str) -> bool {
    class.ends_with("NullPointerException")
}

/// Returns true for an index, a divisor, a size or a type that does not fit.
pub(crate) fn is_range(class: &str) -> bool {
    is_one(class, &OF_RANGE)
}

/// Returns true for an exception that guards throw.
pub(crate) fn is_guard(class: &str) -> bool {
    is_one(class, &OF_GUARDS)
}

/// Returns true for an exception that assertions throw.
pub(crate) fn is_assertion(class: &str) -> bool {
    is_one(class, &OF_ASSERTIONS)
}

/// Returns true for an exception that only a fault causes.
pub(crate) fn is_fault(class: &str) -> bool {
    is_null(class) || is_range(class) || is_assertion(class)
}
