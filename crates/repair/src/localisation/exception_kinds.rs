//! Classification of exception classes by kind of fault.

/// Exceptions for an index, a divisor, a size or a type that is invalid.
const RANGE_EXCEPTIONS: [&str; 9] = [
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
const GUARD_EXCEPTIONS: [&str; 2] = ["IllegalArgumentException", "IllegalStateException"];

/// Exceptions that assertions throw.
const ASSERTION_EXCEPTIONS: [&str; 4] =
    ["AssertionError", "ComparisonFailure", "AssertionFailedError", "MultipleFailuresError"];

fn ends_with_any(class: &str, names: &[&str]) -> bool {
    names.iter().any(|known| class.ends_with(known))
}

/// Returns true for a null dereference.
pub(crate) fn is_null_dereference(class: &str) -> bool {
    class.ends_with("NullPointerException")
}

/// Returns true for an exception about an invalid index, divisor, size or type.
pub(crate) fn is_range_exception(class: &str) -> bool {
    ends_with_any(class, &RANGE_EXCEPTIONS)
}

/// Returns true for an exception that guards throw.
pub(crate) fn is_guard_exception(class: &str) -> bool {
    ends_with_any(class, &GUARD_EXCEPTIONS)
}

/// Returns true for an exception that assertions throw.
pub(crate) fn is_assertion_failure(class: &str) -> bool {
    ends_with_any(class, &ASSERTION_EXCEPTIONS)
}

/// Returns true for an exception that only a fault causes.
pub(crate) fn is_fault(class: &str) -> bool {
    is_null_dereference(class) || is_range_exception(class) || is_assertion_failure(class)
}
